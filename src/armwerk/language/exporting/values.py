"""Values of a program in another language: numbers, truths, positions part by part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from armwerk.language.checking.symbols import (
    SYSTEM_VARIABLES,
    ConstantSymbol,
    RoutineSymbol,
    SignalSymbol,
)
from armwerk.language.checking.units import UnitChecker
from armwerk.language.code import ConstantValue
from armwerk.language.parsing.expressions import LEVELS
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    Aggregate,
    BinaryOperation,
    CallExpression,
    Expression,
    Indexed,
    LiteralValue,
    NameUse,
    Routine,
    Selected,
    UnaryOperation,
)
from armwerk.language.types import (
    BOOL,
    INT,
    JOINT,
    POSITION,
    REAL,
    ArrayType,
    IrlType,
    Value,
)

AXES = ("x", "y", "z")
Triple = tuple[str, str, str]
PRIMARY = 9
"""The level of what binds so strongly that it never needs parentheses."""


class ValueWriter(ABC):
    """Writes values; makers' languages fill in the forms.

    Args:
        units: Modules and the program, as they were read without a problem.
    """

    target: ClassVar[str]
    reserved: ClassVar[frozenset[str]] = frozenset()
    quote: ClassVar[str] = '""'
    operators: ClassVar[dict[str, str]] = {}
    functions: ClassVar[dict[str, str]] = {}
    levels: ClassVar[dict[str, int]] = {**LEVELS, "not": 3}
    """How strongly IRL's operators bind in the language."""

    def __init__(self, units: Sequence[ParsedUnit]) -> None:
        self.units = units
        self.checker = UnitChecker()
        for index, parsed in enumerate(units):
            self.checker.declare(index, parsed)
        self.checker.finish(units)
        self.parsed = units[-1]

    def refuse(self, at: int, what: str) -> str:
        """Note something that the language cannot say."""
        self.parsed.source.report(at, f"{self.target} cannot say this: {what}")
        return "?"

    def enter(self, parsed: ParsedUnit, routine: Routine | None) -> None:
        """Look names up as a routine sees them."""
        self.parsed = parsed
        self.checker.source = parsed.source
        self.checker.scope = self.checker.program
        if routine is not None:
            self.checker.scope = self.checker.scopes[routine.name]

    def kind(self, tree: Expression, wanted: IrlType | None = None) -> IrlType:
        """Return the type of an expression."""
        return self.checker.value(tree, wanted).kind

    def constant(self, tree: Expression, wanted: IrlType | None = None) -> Value | None:
        """Return the value of an expression that is known; None: it is not."""
        value = self.checker.value(tree, wanted)
        return value.value if isinstance(value, ConstantValue) else None

    # forms that the makers' languages give

    @abstractmethod
    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""

    @abstractmethod
    def read_signal(self, name: str) -> str:
        """Return what reads a signal; its name is spelled as in the program."""

    @abstractmethod
    def read_system(self, at: int, name: str) -> str:
        """Return what reads a system variable."""

    def spelled(self, at: int) -> str:
        """Return a name as it was written; one that the language keeps for itself gets a line."""
        name = self.parsed.source.spelling(at)
        taken = name.lower() in self.reserved or name.lower().startswith("aw_")
        return f"{name}_" if taken else name

    def argument(self, tree: Expression) -> str:
        """Return an argument of a call."""
        kind = self.kind(tree)
        return self.scalar(tree) if kind in (INT, REAL, BOOL) else self.place(tree)

    def number(self, value: float) -> str:
        """Return a number that reads back as the same."""
        if isinstance(value, int):
            return str(value)
        return repr(value + 0.0)

    def literal(self, value: Value) -> str:
        """Return a constant."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return '"' + value.replace('"', self.quote) + '"'
        if isinstance(value, list):
            raise TypeError(f"a record or array is no constant of {self.target}")
        return self.number(value)

    def place(self, tree: Expression) -> str:
        """Return what names a variable or a part of one."""
        match tree:
            case NameUse(at, _):
                return self.spelled(at)
            case Indexed(at, array, indices):
                kind = self.kind(array)
                if not isinstance(kind, ArrayType) or kind.low != 1:
                    self.refuse(at, "an array that does not begin at 1")
                return self.element(self.place(array), [self.scalar(one) for one in indices])
            case Selected(_, record, field) if field in AXES and self.kind(record) is POSITION:
                return self.part(record, field)
            case Selected(at, record, field):
                return self.refuse(at, f"the field '{field}' of {self.kind(record).name}")
        return self.refuse(self.checker.first(tree), "this value")

    def element(self, array: str, indices: list[str]) -> str:
        """Return an element of an array."""
        return f"{array}[{','.join(indices)}]"

    def scalar(self, tree: Expression, level: int = 0) -> str:
        """Return a number or truth; parentheses stand where it binds less than ``level``."""
        match tree:
            case LiteralValue(_, value):
                return self.literal(value)
            case NameUse(at, name):
                symbol = self.checker.look_up(name)
                if isinstance(symbol, SignalSymbol):
                    return self.read_signal(self.spelled(at))
                if isinstance(symbol, RoutineSymbol):
                    return f"{self.spelled(at)}()"
                if name in SYSTEM_VARIABLES:
                    return self.read_system(at, name)
                if symbol is None or isinstance(symbol, ConstantSymbol):
                    return self._known(tree)
                return self.spelled(at)
            case Indexed() | Selected():
                return self.place(tree)
            case UnaryOperation(_, sign, operand):
                if sign == "+":
                    return self.scalar(operand, level)
                word = f"{self.operators.get(sign, sign)} " if sign == "not" else "-"
                text = f"{word}{self.scalar(operand, PRIMARY)}"
                own = self.levels["not"] if sign == "not" else self.levels["-"]
                return f"({text})" if level > own else text
            case BinaryOperation():
                return self._binary(tree, level)
            case CallExpression(at, name, arguments):
                if isinstance(self.checker.look_up(name), RoutineSymbol):
                    return f"{self.spelled(at)}({', '.join(map(self.argument, arguments))})"
                known = self.constant(tree)
                if isinstance(known, int | float):
                    return self.literal(known)
                form = self.functions.get(name)
                if form is None:
                    return self.refuse(at, f"the function '{name}'")
                return form.format(*map(self.scalar, arguments))
        return self.refuse(tree.at, "this value")

    def _known(self, tree: NameUse) -> str:
        value = self.constant(tree)
        if isinstance(value, int | float | str):
            return self.literal(value)
        return self.refuse(tree.at, f"'{tree.name}'")

    def _binary(self, tree: BinaryOperation, level: int) -> str:
        sign = tree.operator
        word = self.operators.get(sign, sign)
        if word == "" or sign == "@":
            return self.refuse(tree.at, f"the operator '{sign}'")
        own = self.levels[sign]
        if "{" in word:
            return word.format(self.scalar(tree.left, PRIMARY), self.scalar(tree.right, PRIMARY))
        left, right = self.scalar(tree.left, own), self.scalar(tree.right, own + 1)
        text = f"{left} {word} {right}"
        return f"({text})" if level > own else text

    def position(self, tree: Expression) -> Triple:
        """Return the three coordinates of a position [mm]."""
        known = self.constant(tree, POSITION)
        if isinstance(known, list) and self.kind(tree, POSITION) is POSITION:
            x, y, z = (self.literal(float(part)) for part in known)  # type: ignore[arg-type]
            return x, y, z
        match tree:
            case NameUse() | Indexed() | Selected():
                return tuple(self.part(tree, axis) for axis in AXES)  # type: ignore[return-value]
            case Aggregate(_, items) | CallExpression(_, "position", items) if len(items) == 3:
                x, y, z = map(self.scalar, items)
                return x, y, z
            case UnaryOperation(_, "-", operand):
                return tuple(f"-({part})" for part in self.position(operand))  # type: ignore[return-value]
            case BinaryOperation(_, "+" | "-" as sign, left, right):
                pairs = zip(self.position(left), self.position(right), strict=True)
                joined = [
                    f"{a} {sign} {_inner(b) if sign == '-' or b[0] == '-' else b}" for a, b in pairs
                ]
                return joined[0], joined[1], joined[2]
            case BinaryOperation(_, "*", left, right):
                if self.kind(left) is POSITION:
                    left, right = right, left
                factor = self.scalar(left, PRIMARY)
                a, b, c = (f"{factor} * {_inner(part)}" for part in self.position(right))
                return a, b, c
            case BinaryOperation(_, "/", left, right):
                a, b, c = (
                    f"{_inner(part)} / {self.scalar(right, PRIMARY)}"
                    for part in self.position(left)
                )
                return a, b, c
        self.refuse(self.checker.first(tree), "this position")
        return "?", "?", "?"

    def joint_values(self, tree: Expression) -> list[float] | None:
        """Return the axes of a joint target that is known [deg, mm]."""
        if self.kind(tree) is not JOINT:
            return None
        known = self.constant(tree, JOINT)
        if not isinstance(known, list) or not isinstance(known[0], list):
            self.refuse(self.checker.first(tree), "joint values that are not constant")
            return None
        return [float(axis) for axis in known[0][:6]]  # type: ignore[arg-type]


def _inner(text: str) -> str:
    return f"({text})" if " " in text or text[0] == "-" else text
