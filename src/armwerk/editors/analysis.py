"""What is known of a text while it is typed: problems, names, types.

A text with mistakes is looked at as far as it goes. Names are found among words, not in the tree,
so that what cannot be read yet has its names too.
"""

from __future__ import annotations

import copy
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from armwerk.editors.positions import TextLines, TextPosition, TextRange
from armwerk.errors import ArmwerkError, Problem
from armwerk.language import irl
from armwerk.language.checking.symbols import ConstantSymbol, Symbol, TypeSymbol
from armwerk.language.checking.units import UnitChecker, in_order
from armwerk.language.checking.values import ValueChecker
from armwerk.language.code import CheckedProgram, CheckedValue, ConstantValue
from armwerk.language.keywords import KEYWORDS
from armwerk.language.parsing.expressions import ExpressionParser, SyntaxProblem
from armwerk.language.parsing.units import ParsedUnit, parse
from armwerk.language.source import NO_END, SourceText
from armwerk.language.syntax import (
    CaseStatement,
    ConstantSection,
    DeclaredName,
    Expression,
    ForStatement,
    IfStatement,
    ImportSection,
    LabelStatement,
    RecordForm,
    RepeatStatement,
    Routine,
    Section,
    SignalSection,
    TypeForm,
    TypeSection,
    VariableItem,
    VariableSection,
    WhileStatement,
)
from armwerk.language.types import UNKNOWN, IrlType, Value

DeclaredKind: TypeAlias = Literal[
    "variable", "constant", "type", "signal", "parameter", "procedure", "function", "process",
    "field", "label", "program",
]  # fmt: skip
ReadUnit: TypeAlias = Callable[[Path], ParsedUnit]


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A name that a program declares.

    Args:
        kind: What it is.
        name: In small letters.
        unit: Index of its text.
        at: Word of its declaration.
        owner: Routine it belongs to, or the type of a field, in small letters; empty: the program.
        first: Expression of its first value; None: it has none.
        form: Its type as it is written; None: it has none.
        routine: The tree of a routine; None: it is none.
    """

    kind: DeclaredKind
    name: str
    unit: int
    at: int
    owner: str = ""
    first: Expression | None = None
    form: TypeForm | None = None
    routine: Routine | None = None


@dataclass(slots=True, eq=False)
class Scopes:
    """Names by where they can be used.

    Args:
        program: Everywhere.
        routines: In one routine, by its name.
        fields: By the name of the type and the field.
        labels: By text, routine and name.
    """

    program: dict[str, Declared] = field(default_factory=dict)
    routines: dict[str, dict[str, Declared]] = field(default_factory=dict)
    fields: dict[tuple[str, str], Declared] = field(default_factory=dict)
    labels: dict[tuple[int, str, str], Declared] = field(default_factory=dict)


class Analysis:
    """A program, or a module, with all that belongs to it.

    Args:
        text: With newlines only as line ends.
        path: Its file; None: it has none, so nothing stands beside it.
        read: Reads files that belong to it; None: from the disk.
    """

    def __init__(self, text: str, path: Path | None = None, read: ReadUnit | None = None) -> None:
        own = parse(text, "" if path is None else str(path))
        self.text, self.path = own.source.text, path
        self.units = self._gathered(own, path, read or irl.read_unit)
        self.own = next(index for index, parsed in enumerate(self.units) if parsed is own)
        self.syntax = [in_order(parsed) for parsed in self.units]
        self.checker = UnitChecker()
        self._check()
        self.lines = TextLines(self.text)

    @staticmethod
    def _gathered(own: ParsedUnit, path: Path | None, read: ReadUnit) -> list[ParsedUnit]:
        if path is None:
            return irl.with_imports([own], None, read)
        units = [own]
        is_module = own.unit.kind == "module"
        other = path.with_suffix(".irl" if is_module else irl.DECLARATIONS)
        if other != path:
            try:
                beside = read(other)
                units = [own, beside] if is_module else [beside, own]
            except (OSError, ArmwerkError):
                pass
        try:
            return irl.with_imports(units, path.parent, read)
        except (OSError, ArmwerkError):
            return units

    def _check(self) -> None:
        checker = self.checker
        for index, parsed in enumerate(self.units):
            checker.declare(index, parsed)
        checker.finish(self.units)

    @property
    def source(self) -> SourceText:
        """Words and comments of the text."""
        return self.units[self.own].source

    def problems(self, unit: int) -> list[Problem]:
        """Return the problems of a text; those of its types only where it can be read whole."""
        if any(self.syntax):
            return self.syntax[unit]
        return in_order(self.units[unit])

    @cached_property
    def checked(self) -> CheckedProgram | None:
        """The program; None: it has problems, or the text is a module alone."""
        if any(parsed.source.problems for parsed in self.units):
            return None
        if self.units[-1].unit.kind != "program":
            return None
        return self.checker.checked(self.units)

    # words

    def word_at(self, offset: int) -> int | None:
        """Return the index of the word at, or right before, an offset; None: there is none."""
        source = self.source
        at = bisect_right(source.starts, offset) - 1
        for index in (at, at - 1):
            if index < 0 or not source.words[index]:
                continue
            start = source.starts[index]
            if start <= offset <= start + len(source.words[index]) and (
                is_name(source.words[index]) or offset < start + len(source.words[index])
            ):
                return index
        return None

    def in_comment(self, offset: int) -> bool:
        """Return whether an offset stands inside a comment, one without an end too."""
        for problem in self.syntax[self.own]:
            if problem.message == NO_END:
                start = self.lines.offset(TextPosition(problem.line - 1, 0)) + problem.column - 1
                if offset > start:
                    return True
        for one in self.source.comments:
            end = one.start + len(one.text)
            is_open = one.text.startswith("//")
            if one.start < offset and (offset <= end if is_open else offset < end):
                return True
        return False

    def range(self, unit: int, at: int, last: int | None = None) -> TextRange:
        """Return where words stand."""
        source = self.units[unit].source
        lines = self.lines if unit == self.own else self._lines(unit)
        end = at if last is None else last
        return lines.range(source.starts[at], source.starts[end] + len(source.words[end]))

    def _lines(self, unit: int) -> TextLines:
        if unit not in self._other_lines:
            self._other_lines[unit] = TextLines(self.units[unit].source.text)
        return self._other_lines[unit]

    @cached_property
    def _other_lines(self) -> dict[int, TextLines]:
        return {}

    def file(self, unit: int) -> str:
        """Return the file of a text; empty: it has none."""
        return self.units[unit].source.file

    # names

    @cached_property
    def scopes(self) -> Scopes:
        """All that is declared."""
        scopes = Scopes()
        for index, parsed in enumerate(self.units):
            unit = parsed.unit
            _sections(scopes, scopes.program, unit.sections, index, "")
            for routine in unit.routines:
                if not routine.name:
                    continue
                made = Declared(routine.kind, routine.name, index, routine.name_at, routine=routine)
                scopes.program.setdefault(routine.name, made)
                inner = scopes.routines.setdefault(routine.name, {})
                for parameter in routine.parameters:
                    for one in parameter.names:
                        inner.setdefault(
                            one.name,
                            Declared(
                                "parameter",
                                one.name,
                                index,
                                one.at,
                                routine.name,
                                form=parameter.form,
                            ),
                        )
                _sections(scopes, inner, routine.sections, index, routine.name)
            for at in _label_words(parsed):
                name = parsed.source.words[at]
                owner = self.routine_at(index, at)
                key = (index, owner, name)
                scopes.labels.setdefault(key, Declared("label", name, index, at, owner))
        return scopes

    def routine_at(self, unit: int, at: int) -> str:
        """Return the routine a word stands in; empty: none."""
        starts, routines = self._routines[unit]
        index = bisect_left(starts, at) - 1
        return routines[index].name if index >= 0 and at <= routines[index].end else ""

    @cached_property
    def _routines(self) -> list[tuple[list[int], list[Routine]]]:
        found = []
        for parsed in self.units:
            routines = sorted(parsed.unit.routines, key=lambda one: one.name_at)
            found.append(([one.name_at for one in routines], routines))
        return found

    def declared(self, unit: int, at: int) -> Declared | None:
        """Return the declaration that a word means; None: it is no name, or predefined."""
        source = self.units[unit].source
        word = source.words[at]
        if not is_name(word) or word in KEYWORDS:
            return None
        if (unit, at) in self._field_words:
            return self._field_words[unit, at]
        routine = self.routine_at(unit, at)
        if at and source.words[at - 1] == ".":
            record = self.kind_before(unit, at - 1)
            name = "" if record is None else record.name
            return self.scopes.fields.get((name, word))
        if at and (source.words[at - 1] == "goto" or at in self._labels[unit]):
            return self.scopes.labels.get((unit, routine, word))
        if at == self.units[unit].unit.name_at and self.units[unit].unit.name:
            return Declared("program", word, unit, at)
        inner = self.scopes.routines.get(routine, {})
        return inner.get(word) or self.scopes.program.get(word)

    def imported(self, at: int) -> Path | None:
        """Return the file that a word of an import names; None: it names none that is there."""
        for section in self.units[self.own].unit.sections:
            if isinstance(section, ImportSection) and section.file_at == at and self.path:
                path = self.path.parent / section.file
                return path.resolve() if path.is_file() else None
        return None

    @cached_property
    def _field_words(self) -> dict[tuple[int, int], Declared]:
        return {(one.unit, one.at): one for one in self.scopes.fields.values()}

    @cached_property
    def special_words(self) -> frozenset[int]:
        """Words of the text whose meaning is not that of the same word elsewhere in its routine."""
        scopes = self.scopes
        found = {at for unit, at in self._field_words if unit == self.own}
        for names in (scopes.program, *scopes.routines.values()):
            found |= {one.at for one in names.values() if one.unit == self.own}
        words = self.source.words
        found |= {at for at in range(1, len(words)) if words[at - 1] == "goto"}
        return frozenset({*found, *self._labels[self.own], self.units[self.own].unit.name_at})

    @cached_property
    def _labels(self) -> list[frozenset[int]]:
        return [frozenset(_label_words(parsed)) for parsed in self.units]

    def uses(self, wanted: Declared) -> list[tuple[int, int]]:
        """Return where a declared name stands: text and word, its declaration too."""
        found = []
        for unit, parsed in enumerate(self.units):
            for at, word in enumerate(parsed.source.words):
                if word == wanted.name:
                    one = self.declared(unit, at)
                    if one is not None and (one.unit, one.at) == (wanted.unit, wanted.at):
                        found.append((unit, at))
        return found

    # types

    def symbol(self, one: Declared) -> Symbol | None:
        """Return what the checker knows of a declared name."""
        scope = self.checker.scopes.get(one.owner) if one.owner else self.checker.program
        return None if scope is None else scope.symbols.get(one.name)

    def kind(self, one: Declared) -> IrlType | None:
        """Return the type of a declared name; None: it has none, or it is not known."""
        symbol = self.symbol(one)
        match symbol:
            case ConstantSymbol(kind) | TypeSymbol(kind):
                return kind
            case None:
                return None
        value = getattr(symbol, "value", None)
        found = value.kind if value is not None else getattr(symbol, "kind", None)
        return found if isinstance(found, IrlType) and found is not UNKNOWN else None

    def first_value(self, one: Declared) -> Value | None:
        """Return the value a name begins with, or has for ever; None: it is not known."""
        symbol = self.symbol(one)
        if isinstance(symbol, ConstantSymbol):
            return None if symbol.kind is UNKNOWN else symbol.value
        kind = self.kind(one)
        if one.first is None or kind is None or one.kind == "signal":
            return None
        checker = self._quiet(one.unit, one.owner)
        value = checker.fit(checker.value(one.first, kind), kind, one.at)
        return value.value if isinstance(value, ConstantValue) and value.kind is kind else None

    def kind_before(self, unit: int, dot: int) -> IrlType | None:
        """Return the type of what stands before a dot; None: it is not known."""
        source = self.units[unit].source
        start = _chain_start(source.words, dot)
        if start == dot:
            return None
        text = source.text[source.starts[start] : source.starts[dot]]
        value = self.value(text, self.routine_at(unit, dot))
        return None if value is None or value.kind is UNKNOWN else value.kind

    def value(self, text: str, routine: str) -> CheckedValue | None:
        """Return an expression with its type; None: it cannot be read."""
        source = SourceText(text)
        parser = ExpressionParser(source)
        try:
            tree = parser.expression()
        except SyntaxProblem:
            return None
        if source.problems or source.words[parser.at]:
            return None
        checker = self._quiet(self.own, routine)
        checker.source = source
        return checker.value(tree)

    def _quiet(self, unit: int, routine: str) -> ValueChecker:
        """Return a checker that knows all names and tells nobody of problems."""
        checker = ValueChecker()
        checker.program = self.checker.program
        checker.scope = self.checker.scopes.get(routine, checker.program)
        checker.source = copy.copy(self.units[unit].source)
        checker.source.problems = []
        return checker


def is_name(word: str) -> bool:
    """Return whether a word is a name or a keyword."""
    return word[:1].isalpha() or word[:1] == "_"


def _sections(
    scopes: Scopes,
    scope: dict[str, Declared],
    sections: tuple[Section, ...],
    unit: int,
    owner: str,
) -> None:
    def add(kind: DeclaredKind, names: tuple[DeclaredName, ...], form: TypeForm) -> None:
        for one in names:
            made = Declared(kind, one.name, unit, one.at, owner, one.value, form)
            scope.setdefault(one.name, made)
            _fields(scopes, form, "record", unit)

    for section in sections:
        match section:
            case VariableSection(_, items):
                for item in items:
                    add("variable", item.names, item.form)
            case ConstantSection(_, constants):
                for constant in constants:
                    add("constant", constant.names, constant.form)
            case SignalSection(_, signals):
                for signal in signals:
                    add("signal", signal.names, signal.form)
            case TypeSection(_, types):
                for one in types:
                    made = Declared("type", one.name, unit, one.at, owner, form=one.form)
                    scope.setdefault(one.name, made)
                    _fields(scopes, one.form, one.name, unit)


def _fields(scopes: Scopes, form: TypeForm, owner: str, unit: int) -> None:
    for item in _items(form):
        for one in item.names:
            made = Declared("field", one.name, unit, one.at, owner, form=item.form)
            scopes.fields.setdefault((owner, one.name), made)
        _fields(scopes, item.form, "record", unit)


def _items(form: TypeForm) -> Iterator[VariableItem]:
    while True:
        if isinstance(form, RecordForm):
            yield from form.items
            return
        element = getattr(form, "element", None)
        if element is None:
            return
        form = element


def _label_words(parsed: ParsedUnit) -> Iterator[int]:
    """Return the words that are labels."""
    waiting = [parsed.unit.body, *(routine.body for routine in parsed.unit.routines)]
    while waiting:
        for statement in waiting.pop():
            match statement:
                case LabelStatement(at):
                    yield at
                case IfStatement(_, branches, otherwise):
                    waiting += [*(branch.body for branch in branches), otherwise]
                case CaseStatement(_, _, choices, otherwise):
                    waiting += [*(choice.body for choice in choices), otherwise]
                case ForStatement(body=body) | WhileStatement(body=body):
                    waiting.append(body)
                case RepeatStatement(_, body):
                    waiting.append(body)


_CLOSING = {")": "(", "]": "["}


def _chain_start(words: list[str], dot: int) -> int:
    """Return the first word of a name with indices, fields and arguments that ends at a dot."""
    at = dot
    while at > 0:
        before = words[at - 1]
        if before in _CLOSING:
            depth = 1
            at -= 2
            while at >= 0 and depth:
                depth += (words[at] in _CLOSING) - (words[at] in _CLOSING.values())
                at -= 1
            at += 1
            if at <= 0 or depth:
                return dot
            if not (is_name(words[at - 1]) and words[at - 1] not in KEYWORDS):
                return at if words[at] == "(" else dot
            continue
        if not is_name(before) or before in KEYWORDS:
            return dot
        at -= 1
        if at == 0 or words[at - 1] != ".":
            return at
        at -= 1
    return at
