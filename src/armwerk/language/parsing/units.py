"""Declarations, routines and whole programs: the top of the parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar, cast

from armwerk.language.keywords import CLOSERS, ENDS, KEYWORDS, ROUTINES, SECTIONS, nearest_word
from armwerk.language.parsing.expressions import SyntaxProblem
from armwerk.language.parsing.statements import StatementParser
from armwerk.language.source import SourceText
from armwerk.language.syntax import (
    ArrayForm,
    ConstantItem,
    ConstantSection,
    DeclaredName,
    Expression,
    ImportSection,
    Mode,
    Parameter,
    RecordForm,
    Routine,
    Section,
    SignalItem,
    SignalSection,
    Statement,
    TypeForm,
    TypeItem,
    TypeName,
    TypeSection,
    Unit,
    VariableItem,
    VariableSection,
)

Item = TypeVar("Item", VariableItem, ConstantItem)
_MODES = frozenset({"in", "out", "inout"})
_STARTS = SECTIONS | ROUTINES | CLOSERS | {"begin"}


class ParsedUnit(NamedTuple):
    """A program as it was read.

    Attributes:
        unit: The tree; parts with problems are missing.
        source: Words, comments and problems.
        layout: How far in each line begins, by the word it begins with.
    """

    unit: Unit
    source: SourceText
    layout: dict[int, int]


def parse(text: str, file: str = "") -> ParsedUnit:
    """Read a program or a module of declarations; problems are noted in its source.

    Args:
        text: The program.
        file: Where it is from, for messages; empty: no file.
    """
    parser = UnitParser(SourceText(text, file))
    unit = parser.unit()
    return ParsedUnit(unit, parser.source, parser.layout)


class UnitParser(StatementParser):
    """Reads whole programs."""

    def unit(self) -> Unit:
        """Read a program or module."""
        at = self.at
        word = self.words[at]
        name, name_at = "", at
        self.layout[at] = 0
        try:
            if word not in ("program", "module"):
                guess = nearest_word(word, ["program", "module"])
                if guess:
                    spelled = self.source.spelling(at)
                    self.source.report(at, f"unexpected '{spelled}'; did you mean '{guess}'?")
                    word = guess
                else:
                    self.unexpected("'program' and its name")
            self.at += 1
            name_at = self.at
            name = self.name("the name of the program")
            self.semicolon()
        except SyntaxProblem:
            self._skip_head()
        kind = cast(Literal["program", "module"], word if word == "module" else "program")
        self.openers = (kind,)
        sections: list[Section] = []
        routines: list[Routine] = []
        self._declarations(sections, routines)
        body = self._body(routines)
        end = self.at
        self._end(kind, at)
        return Unit(at, kind, name, name_at, tuple(sections), tuple(routines), body, end)

    def _skip_head(self) -> None:
        line = self.source.line(self.at)
        words = self.words
        while words[self.at] and words[self.at] not in _STARTS:
            if words[self.at] == ";":
                self.at += 1
                return
            if self.source.line(self.at) > line:
                return
            self.at += 1

    def _body(self, routines: list[Routine]) -> tuple[Statement, ...]:
        """Read the statements of a program, past routines that stand among them by mistake."""
        if self.words[self.at] == "begin":
            self.layout[self.at] = 0
            self.at += 1
        body = self.block()
        while self.words[self.at] in ROUTINES or self.words[self.at] in ("else", "elsif", "when"):
            word = self.words[self.at]
            if word in ROUTINES:
                self.source.report(
                    self.at, f"a {word} cannot stand among statements", "it before 'begin'"
                )
                routine = self._routine()
                if routine is not None:
                    routines.append(routine)
            else:
                self.source.report(self.at, f"'{word}' without what it belongs to")
                self.at += 1
            body += self.block()
        return body

    def _end(self, kind: str, start: int) -> None:
        while True:
            word = self.words[self.at]
            if word in ENDS[kind]:
                break
            if not word:
                self.source.report(start, f"this '{kind}' has no end", f"'{ENDS[kind][0]}'")
                return
            self.source.report(
                self.at, f"'{word}' without what it belongs to", f"'{ENDS[kind][0]}'"
            )
            self.at += 1
            if self.words[self.at] == ";":
                self.at += 1
            self._body([])
        self.layout[self.at] = 0
        self.at += 1
        if self.words[self.at] == ";":
            self.at += 1
        if self.words[self.at]:
            self.source.report(self.at, f"there is text after '{ENDS[kind][0]}'", "nothing more")

    def _declarations(self, sections: list[Section], routines: list[Routine] | None) -> None:
        """Read declarations, in any order, and routines among them where they may stand."""
        while True:
            word = self.words[self.at]
            self.layout[self.at] = self.depth
            try:
                if word in SECTIONS:
                    sections.append(self._section(word))
                elif word in ROUTINES and routines is not None:
                    routine = self._routine()
                    if routine is not None:
                        routines.append(routine)
                else:
                    return
            except SyntaxProblem:
                self._skip_declaration()

    def _skip_declaration(self) -> None:
        words = self.words
        while words[self.at] and words[self.at] not in _STARTS:
            self.at += 1

    def _section(self, word: str) -> Section:
        at = self.at
        self.at += 1
        if word == "import":
            return self._import(at)
        self.depth += 1
        depth = self.depth
        try:
            match word:
                case "var":
                    return VariableSection(at, self._variables())
                case "const":
                    return ConstantSection(at, self._declared(ConstantItem, "=", "a constant"))
                case "type":
                    return TypeSection(at, tuple(self._types()))
                case _:
                    return SignalSection(at, tuple(self._signals()))
        finally:
            self.depth = depth - 1

    def _begins_item(self) -> bool:
        word = self.words[self.at]
        if word in ("array", "record"):
            return True
        return word not in KEYWORDS and word != "" and self.words[self.at + 1] == ":"

    def _variables(self, *, in_record: bool = False) -> tuple[VariableItem, ...]:
        return self._declared(VariableItem, "" if in_record else ":=", "a variable")

    def _declared(
        self,
        make: Callable[[int, TypeForm, tuple[DeclaredName, ...]], Item],
        sign: str,
        what: str,
    ) -> tuple[Item, ...]:
        """Read items of a type and names; one that is wrong is left out."""
        items: list[Item] = []
        while self._begins_item() or not items:
            at = self.at
            self.layout[at] = self.depth
            try:
                form = self._type()
                self.take(":")
                names = self._names(sign, what)
                self.semicolon()
                items.append(make(at, form, names))
            except SyntaxProblem:
                self._skip_item()
                if not self._begins_item():
                    return tuple(items)
        return tuple(items)

    def _skip_item(self) -> None:
        words = self.words
        while words[self.at] and words[self.at] not in _STARTS and words[self.at] != ";":
            self.at += 1
        if words[self.at] == ";":
            self.at += 1

    def _names(self, sign: str, what: str) -> tuple[DeclaredName, ...]:
        """Read names with their values behind a sign; no sign: they have none."""
        found = []
        while True:
            at = self.at
            name = self.name(what)
            value: Expression | None = None
            if sign and self.words[self.at] == sign:
                self.at += 1
                value = self.expression()
            elif self.words[self.at] in ("=", ":="):
                wanted = f"'{sign}' and a value" if sign else "no value here"
                self.unexpected(wanted)
            found.append(DeclaredName(at, name, value))
            if self.words[self.at] != ",":
                return tuple(found)
            self.at += 1

    def _types(self) -> list[TypeItem]:
        items: list[TypeItem] = []
        while not items or (
            self.words[self.at] not in KEYWORDS and self.words[self.at + 1 : self.at + 2] == ["="]
        ):
            at = self.at
            self.layout[at] = self.depth
            name = self.name("the name of a type")
            self.take("=")
            form = self._type()
            self.semicolon()
            items.append(TypeItem(at, name, form))
        return items

    def _signals(self) -> list[SignalItem]:
        items: list[SignalItem] = []
        while self.words[self.at] in ("input", "output") or not items:
            at = self.at
            self.layout[at] = self.depth
            word = self.words[at]
            if word not in ("input", "output"):
                self.unexpected("'input' or 'output'")
            self.at += 1
            form = self._type()
            self.take(":")
            names = self._names("at", "a signal")
            self.semicolon()
            items.append(SignalItem(at, word == "output", form, names))
        return items

    def _import(self, at: int) -> ImportSection:
        names: tuple[DeclaredName, ...] = ()
        if self.words[self.at][:1] not in ("'", '"'):
            names = self._names("", "a name")
            self.take("from")
        place = self.at
        word = self.words[place]
        if word[:1] not in ("'", '"') or len(word) < 2:
            self.unexpected("the name of a file in quotes")
        self.at += 1
        self.semicolon()
        return ImportSection(at, names, self.source.spelling(place)[1:-1], place)

    def _type(self) -> TypeForm:
        at = self.at
        word = self.words[at]
        self._deeper()
        form: TypeForm
        if word == "array":
            self.at += 1
            self.take("[")
            ranges = [self._range()]
            while self.words[self.at] == ",":
                self.at += 1
                ranges.append(self._range())
            self.take("]")
            self.take("of")
            form = ArrayForm(at, tuple(ranges), self._type())
        elif word == "record":
            self.at += 1
            self.depth += 1
            items = self._variables(in_record=True)
            self.depth -= 1
            self.layout[self.at] = self.depth
            self.take("endrecord")
            form = RecordForm(at, items)
        else:
            form = TypeName(at, self.name("a type"))
        self.nested -= 1
        return form

    def _range(self) -> tuple[Expression, Expression]:
        low = self.expression()
        self.take("..")
        return low, self.expression()

    def _routine(self) -> Routine | None:
        at = self.at
        kind = cast(Literal["procedure", "function", "process"], self.words[at])
        self.at += 1
        name_at = self.at
        name = ""
        parameters: tuple[Parameter, ...] = ()
        result = None
        outer, depth = self.openers, self.depth
        self.openers = (*outer, kind)
        try:
            name = self.name(f"the name of the {kind}")
            if self.words[self.at] == "(" and kind != "process":
                self.at += 1
                parameters = self._parameters()
            if kind == "function":
                self.take(":")
                result = self._type()
            self.semicolon()
        except SyntaxProblem:
            self._skip_head()
        sections: list[Section] = []
        self.depth += 1
        self._declarations(sections, None)
        self.depth = depth
        if self.words[self.at] == "begin":
            self.layout[self.at] = depth
            self.at += 1
        body = self.block()
        end = self.close(kind, at)
        self.openers = outer
        return Routine(at, kind, name, name_at, parameters, result, tuple(sections), body, end)

    def _parameters(self) -> tuple[Parameter, ...]:
        if self.words[self.at] == ")":
            self.at += 1
            return ()
        found = []
        while True:
            at = self.at
            mode: Mode = "in"
            if self.words[at] in _MODES:
                mode = cast(Mode, self.words[at])
                self.at += 1
            form = self._type()
            self.take(":")
            names = self._names("", "a parameter")
            found.append(Parameter(at, mode, form, names))
            if self.words[self.at] == ")":
                self.at += 1
                return tuple(found)
            if self.words[self.at] != ";":
                self.unexpected("';' or ')'")
            self.at += 1
