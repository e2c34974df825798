"""Expressions that a user asks for while a program stands still, and variables set meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from armwerk.errors import ProgramError
from armwerk.language.arithmetic import Fault, shown_value
from armwerk.language.checking.symbols import Scope
from armwerk.language.checking.units import UnitChecker
from armwerk.language.checking.values import ValueChecker
from armwerk.language.code import CheckedValue
from armwerk.language.parsing.expressions import ExpressionParser, SyntaxProblem
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.running.closures import Frame, ValueCompiler
from armwerk.language.source import SourceText
from armwerk.language.syntax import Expression
from armwerk.language.types import BOOL, UNKNOWN, IrlType, Value, deep_copy


class WatchedValue(NamedTuple):
    """A value with its type.

    Attributes:
        kind: The type.
        value: A copy of the value.
    """

    kind: IrlType
    value: Value


class ProgramNames:
    """The names of a checked program, for expressions of a debugger.

    Args:
        units: Texts and trees: modules first, the program last.
        values: Reads and writes the variables of the run.
    """

    def __init__(self, units: Sequence[ParsedUnit], values: ValueCompiler) -> None:
        checker = UnitChecker()
        for index, parsed in enumerate(units):
            checker.declare(index, parsed)
        checker.finish(units)
        checker.checked(units)
        self._program = checker.program
        self._scopes = [Scope(is_global=True)]
        for routine in checker.routines[1:]:
            self._scopes.append(checker.scopes[routine.name.lower()])
        self._values = values

    def reader(self, text: str, routine: int) -> Callable[[Frame], WatchedValue]:
        """Return what computes an expression, given the variables of a call.

        Args:
            text: The expression.
            routine: Number of the routine in which it stands; 0: the program.

        Raises:
            ProgramError: With every problem of the text.
        """
        source, checker = SourceText(text), self._checker(routine)
        tree = _parsed(source)
        checker.source = source
        value = checker.value(tree)
        _refuse(source, value)
        read = self._values.copied(value)
        return lambda frame: WatchedValue(value.kind, deep_copy(read(frame)))

    def condition(self, text: str, routine: int) -> Callable[[Frame], bool]:
        """Return what tells whether an expression holds.

        Raises:
            ProgramError: With every problem of the text.
        """
        source, checker = SourceText(text), self._checker(routine)
        tree = _parsed(source)
        checker.source = source
        value = checker.fitted(tree, BOOL)
        _refuse(source, value)
        read = self._values.reader(value)
        return lambda frame: bool(read(frame))

    def assign(self, target: str, text: str, routine: int, frame: Frame) -> WatchedValue:
        """Put the value of an expression into a variable, or a part of one, and return it.

        Raises:
            ProgramError: With every problem of either text.
            Fault: When the value cannot be computed.
        """
        place, checker = SourceText(target), self._checker(routine)
        tree = _parsed(place)
        checker.source = place
        wanted = checker.target(tree)
        _refuse(place, wanted)
        source = SourceText(text)
        checker.source = source
        value = checker.fitted(_parsed(source), wanted.kind)
        _refuse(source, value)
        new = self._values.copied(value)(frame)
        self._values.writer(wanted)(frame, new)
        return WatchedValue(wanted.kind, deep_copy(new))

    def message(self, text: str, routine: int) -> Callable[[Frame], str]:
        """Return what writes a text with the values of expressions in braces.

        Raises:
            ProgramError: With every problem of an expression.
        """
        parts: list[str | Callable[[Frame], WatchedValue]] = []
        rest = text
        while "{" in rest:
            plain, _, rest = rest.partition("{")
            inner, brace, rest = rest.partition("}")
            if not brace:
                plain, inner = f"{plain}{{{inner}", ""
            parts += [plain, *([self.reader(inner, routine)] if inner.strip() else [])]
        parts.append(rest)

        def written(frame: Frame) -> str:
            return "".join(part if isinstance(part, str) else _said(part, frame) for part in parts)

        return written

    def _checker(self, routine: int) -> ValueChecker:
        checker = ValueChecker()
        checker.program = self._program
        checker.scope = self._scopes[routine] if routine else self._program
        checker.calls_allowed = False
        return checker


def _said(read: Callable[[Frame], WatchedValue], frame: Frame) -> str:
    try:
        return shown_value(read(frame).value)
    except Fault as fault:
        return f"<{fault}>"


def _parsed(source: SourceText) -> Expression:
    parser = ExpressionParser(source)
    try:
        tree = parser.expression()
        if source.words[parser.at]:
            source.report(parser.at, "there is text behind the expression", "nothing more")
        if not source.problems:
            return tree
    except SyntaxProblem:
        pass
    raise ProgramError(source.problems, None)


def _refuse(source: SourceText, value: CheckedValue) -> None:
    if value.kind is UNKNOWN and not source.problems:
        source.report(0, "this has no value")
    if source.problems:
        raise ProgramError(source.problems, None)
