"""What all exports share: the walk over a program, scalars, positions part by part, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from armwerk.errors import ProgramError
from armwerk.language.checking.symbols import (
    SYSTEM_VARIABLES,
    ConstantSymbol,
    RoutineSymbol,
    SignalSymbol,
)
from armwerk.language.checking.units import UnitChecker, in_order
from armwerk.language.code import ConstantValue
from armwerk.language.parsing.expressions import LEVELS
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    Aggregate,
    Assignment,
    BinaryOperation,
    CallExpression,
    CallStatement,
    CaseChoice,
    CaseStatement,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    Indexed,
    LabelStatement,
    LiteralValue,
    MoveStatement,
    NameUse,
    PointList,
    RepeatStatement,
    ReturnStatement,
    Routine,
    Selected,
    Statement,
    UnaryOperation,
    WaitForStatement,
    WaitTimeStatement,
    WhileStatement,
    WordStatement,
    WriteStatement,
)
from armwerk.language.types import (
    BOOL,
    INT,
    JOINT,
    POSE,
    POSITION,
    REAL,
    ArrayType,
    IrlType,
    Value,
)

AXES = ("x", "y", "z")
Triple = tuple[str, str, str]


class ProgramWriter:
    """Writes a program in another language; makers' languages fill in the forms.

    Args:
        units: Modules and the program, as they were read without a problem.
    """

    target = ""
    reserved: frozenset[str] = frozenset()
    quote = '""'
    operators: ClassVar[dict[str, str]] = {}
    functions: ClassVar[dict[str, str]] = {}

    def __init__(self, units: Sequence[ParsedUnit]) -> None:
        self.units = units
        self.checker = UnitChecker()
        for index, parsed in enumerate(units):
            self.checker.declare(index, parsed)
        self.checker.finish(units)
        self.lines: list[str] = []
        self.depth = 0
        self.parsed = units[-1]

    def write(self) -> str:
        """Return the program as the text of a file.

        Raises:
            ProgramError: With every statement that the language cannot say.
        """
        main = self.units[-1]
        name = main.source.spelling(main.unit.name_at)
        self.program(name)
        for parsed in self.units:
            if parsed.source.problems:
                raise ProgramError(in_order(parsed), parsed.source.file or None)
        return "\n".join(self.lines) + "\n"

    def program(self, name: str) -> None:
        """Write everything."""
        raise NotImplementedError

    def refuse(self, at: int, what: str) -> str:
        """Note something that the language cannot say."""
        self.parsed.source.report(at, f"{self.target} cannot say this: {what}")
        return "?"

    def put(self, text: str = "") -> None:
        """Write a line."""
        self.lines.append("  " * self.depth + text if text else "")

    def routines(self) -> list[tuple[ParsedUnit, Routine]]:
        """Return procedures and functions with the texts they stand in."""
        return [(parsed, routine) for parsed in self.units for routine in parsed.unit.routines]

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

    # statements

    def block(self, body: Sequence[Statement]) -> None:
        """Write statements one level further in."""
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1

    def statement(self, tree: Statement) -> None:
        """Write a statement."""
        match tree:
            case Assignment(at, target, value):
                self.assignment(at, target, value)
            case CallStatement(at, name, arguments):
                if not isinstance(self.checker.look_up(name), RoutineSymbol):
                    self.refuse(at, f"'{name}'")
                    return
                self.call(self.spelled(at), [self.argument(one) for one in arguments])
            case IfStatement():
                self.if_statement(tree)
            case ForStatement():
                self.for_statement(tree)
            case WhileStatement():
                self.while_statement(tree)
            case RepeatStatement():
                self.repeat_statement(tree)
            case CaseStatement():
                self.case_statement(tree)
            case ReturnStatement():
                self.return_statement(tree)
            case GotoStatement() | LabelStatement():
                self.jump(tree)
            case MoveStatement():
                self.move(tree)
            case WaitTimeStatement(_, seconds):
                self.wait_time(self.scalar(seconds))
            case WaitForStatement():
                self.wait_for(tree)
            case WriteStatement():
                self.console(tree)
            case WordStatement():
                self.word(tree)

    def assignment(self, at: int, target: Expression, value: Expression) -> None:
        """Write an assignment, part by part where positions and poses are meant."""
        root = target
        while isinstance(root, Indexed | Selected):
            root = root.array if isinstance(root, Indexed) else root.record
        if isinstance(root, NameUse):
            if isinstance(self.checker.look_up(root.name), SignalSymbol):
                self.set_signal(at, root.name, self.scalar(value))
                return
            if root.name in SYSTEM_VARIABLES:
                self.set_system(at, root.name, target, value)
                return
        kind = self.kind(target)
        if kind is POSE:
            self.set_pose(at, target, value)
        elif kind is POSITION:
            self.set_position(at, target, self.position(value))
        elif kind in (INT, REAL, BOOL):
            self.put(f"{self.place(target)}{self.assign}{self.scalar(value)}{self.end}")
        else:
            self.refuse(at, f"values of type {kind.name}")

    assign, end = " := ", ";"

    # forms that the makers' languages give

    def call(self, name: str, arguments: list[str]) -> None:
        """Write the call of a procedure."""
        raise NotImplementedError

    def if_statement(self, tree: IfStatement) -> None:
        """Write a branch."""
        raise NotImplementedError

    def for_statement(self, tree: ForStatement) -> None:
        """Write a counting loop."""
        raise NotImplementedError

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        raise NotImplementedError

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end."""
        raise NotImplementedError

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""
        raise NotImplementedError

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        raise NotImplementedError

    def jump(self, tree: GotoStatement | LabelStatement) -> None:
        """Write a goto or a label."""
        raise NotImplementedError

    def move(self, tree: MoveStatement) -> None:
        """Write a move."""
        raise NotImplementedError

    def wait_time(self, seconds: str) -> None:
        """Write a wait."""
        raise NotImplementedError

    def wait_for(self, tree: WaitForStatement) -> None:
        """Write a wait for a condition."""
        raise NotImplementedError

    def console(self, tree: WriteStatement) -> None:
        """Write console output."""
        raise NotImplementedError

    def word(self, tree: WordStatement) -> None:
        """Write pause, halt, start or stop."""
        raise NotImplementedError

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        raise NotImplementedError

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        raise NotImplementedError

    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""
        raise NotImplementedError

    def set_position(self, at: int, target: Expression, value: Triple) -> None:
        """Write the assignment of a position."""
        places = [self.part(target, axis) for axis in AXES]
        changed = any(places[i] in value[j] for j in range(3) for i in range(j))
        if changed:  # a coordinate is read after it was written: through a spare position
            for axis, part in zip(AXES, value, strict=True):
                self.put(f"{self.spare(axis)}{self.assign}{part}{self.end}")
            x, y, z = map(self.spare, AXES)
            value = (x, y, z)
        for place, part in zip(places, value, strict=True):
            self.put(f"{place}{self.assign}{part}{self.end}")

    def spare(self, axis: str) -> str:
        """Return a coordinate of a position that no program knows."""
        raise NotImplementedError

    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""
        raise NotImplementedError

    def read_signal(self, name: str) -> str:
        """Return what reads a signal."""
        return name

    # expressions

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
        text = f"{value + 0.0:.12g}"
        return text if "." in text or "e" in text else f"{text}.0"

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
                if symbol is None or isinstance(symbol, ConstantSymbol):
                    return self._known(tree)
                return self.spelled(at)
            case Indexed() | Selected():
                return self.place(tree)
            case UnaryOperation(_, sign, operand):
                word = self.operators.get(sign, sign)
                text = (
                    f"{word} {self.scalar(operand, 7)}"
                    if sign == "not"
                    else f"-{self.scalar(operand, 7)}"
                )
                return f"({text})" if level > (3 if sign == "not" else 7) else text
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
        own = LEVELS[sign]
        left, right = self.scalar(tree.left, own), self.scalar(tree.right, own + 1)
        if "{" in word:
            return word.format(left, right)
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
                factor = self.scalar(left, 6)
                a, b, c = (f"{factor} * {_inner(part)}" for part in self.position(right))
                return a, b, c
            case BinaryOperation(_, "/", left, right):
                a, b, c = (
                    f"{_inner(part)} / {self.scalar(right, 7)}" for part in self.position(left)
                )
                return a, b, c
        self.refuse(self.checker.first(tree), "this position")
        return "?", "?", "?"

    def case_values(self, choice: CaseChoice) -> list[str]:
        """Return the values of a choice one by one; ranges must be short and of ints."""
        found: list[str] = []
        for label in choice.labels:
            low = self._whole(label.low)
            high = low if label.high is None else self._whole(label.high)
            if low is None or high is None or high - low > 100:
                self.refuse(label.at, "a choice by something else than few ints")
                continue
            found += [str(value) for value in range(low, high + 1)]
        return found

    def _whole(self, tree: Expression) -> int | None:
        value = self.constant(tree)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def points(self, tree: MoveStatement) -> list[Expression]:
        """Return the targets of a move one by one."""
        found: list[Expression] = []
        for target in tree.targets:
            if isinstance(target, PointList):
                found += target.items
            elif isinstance(self.kind(target), ArrayType):
                self.refuse(self.checker.first(target), "a path in an array")
            else:
                found.append(target)
        return found

    def parameters(self, tree: MoveStatement) -> dict[str, list[str]]:
        """Return the parameters of a move; those that no language has are refused."""
        found = {}
        for one in tree.parameters:
            if one.name in ("until", "alter_by", "wobble", "act_rob", "device", "adax_control"):
                self.refuse(one.at, f"'{one.name}'")
            found[one.name] = [self.scalar(value) for value in one.values]
        return found

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
