"""What all exports share: the walk over the statements and declarations of a program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import count
from typing import ClassVar, NamedTuple

from armwerk.errors import ProgramError
from armwerk.language.checking.symbols import SYSTEM_VARIABLES, RoutineSymbol, SignalSymbol
from armwerk.language.checking.units import in_order
from armwerk.language.exporting.values import AXES, PRIMARY, Triple, ValueWriter
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    Assignment,
    CallStatement,
    CaseChoice,
    CaseStatement,
    ConstantSection,
    DeclaredName,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    Indexed,
    LabelStatement,
    MoveStatement,
    NameUse,
    PointList,
    RepeatStatement,
    ReturnStatement,
    Routine,
    Section,
    Selected,
    Statement,
    VariableSection,
    WaitForStatement,
    WaitTimeStatement,
    WhileStatement,
    WordStatement,
    WriteStatement,
)
from armwerk.language.types import BOOL, INT, POSE, POSITION, REAL, ArrayType, IrlType, Value


class Declaration(NamedTuple):
    """A variable or constant that is declared.

    Attributes:
        word: "var" or "const".
        at: Where its name stands.
        name: As the language spells it.
        kind: Its type; of an array that of its elements.
        sizes: Upper bounds of an array, one for each dimension; none: it is no array.
        value: Its first value; None: none is given.
    """

    word: str
    at: int
    name: str
    kind: IrlType
    sizes: tuple[int, ...]
    value: Value | None


class SignalPlace(NamedTuple):
    """A signal and where it is wired to.

    Attributes:
        name: In small letters.
        kind: Its type.
        is_output: Whether the program sets it.
        channel: As the program says, or the next that is free.
        said: Its declaration in IRL.
    """

    name: str
    kind: IrlType
    is_output: bool
    channel: int
    said: str


class Counting(NamedTuple):
    """The head of a counting loop.

    Attributes:
        counter: Its variable.
        first: First value.
        last: Last value.
        step: With its sign; empty: 1.
    """

    counter: str
    first: str
    last: str
    step: str


class ProgramWriter(ValueWriter):
    """Writes a program in another language; makers' languages fill in the forms.

    Args:
        units: Modules and the program, as they were read without a problem.
    """

    names: ClassVar[dict[IrlType, str]]
    """Types of variables that the language has."""
    words: ClassVar[dict[str, str]] = {}
    """What it says for ``pause`` and ``halt``."""
    known_parameters: ClassVar[frozenset[str]] = frozenset()
    """Parameters of moves that it can say."""
    assign: ClassVar[str] = " := "
    end: ClassVar[str] = ";"

    def __init__(self, units: Sequence[ParsedUnit]) -> None:
        super().__init__(units)
        self.lines: list[str] = []
        self.depth = 0

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

    def put(self, text: str = "") -> None:
        """Write a line."""
        self.lines.append("  " * self.depth + text if text else "")

    def enclosed(self, head: str, body: Sequence[Statement], end: str) -> None:
        """Write statements between two lines."""
        self.put(head)
        self.block(body)
        self.put(end)

    def routines(self) -> list[tuple[ParsedUnit, Routine]]:
        """Return procedures and functions with the texts they stand in."""
        return [(parsed, routine) for parsed in self.units for routine in parsed.unit.routines]

    # declarations

    def wires(self, kind: IrlType) -> tuple[str, int]:
        """Return which row of channels signals of a type stand in, and how many one takes."""
        return kind.name, 1

    def signals(self) -> Iterator[SignalPlace]:
        """Return the signals, each with a channel of its own."""
        taken: dict[tuple[str, bool], set[int]] = {}
        for kind, is_output, channel in self.checker.signals.values():
            if channel is not None:
                row, size = self.wires(kind)
                taken.setdefault((row, is_output), set()).update(range(channel, channel + size))
        for name, (kind, is_output, channel) in self.checker.signals.items():
            row, size = self.wires(kind)
            used = taken.setdefault((row, is_output), set())
            place = channel
            if place is None:
                place = next(at for at in count(1) if used.isdisjoint(range(at, at + size)))
                used.update(range(place, place + size))
            way = "output" if is_output else "input"
            given = "" if channel is None else f" at {channel}"
            said = f"signal {way} {kind.name}: {name}{given};"
            yield SignalPlace(name, kind, is_output, place, said)

    def declarations(self, sections: Sequence[Section]) -> Iterator[Declaration]:
        """Return the variables and constants of sections that the language can declare."""
        for section in sections:
            if not isinstance(section, VariableSection | ConstantSection):
                continue
            word = "var" if isinstance(section, VariableSection) else "const"
            for item in section.items:
                whole = kind = self.checker.kind(item.form)
                sizes: tuple[int, ...] = ()
                while isinstance(kind, ArrayType):
                    sizes = (*sizes, kind.high)
                    kind = kind.element
                if kind not in self.names:
                    self.refuse(item.at, f"variables of type {kind.name}")
                    continue
                for declared in item.names:
                    value = self._first_value(declared, whole)
                    name = self.spelled(declared.at)
                    yield Declaration(word, declared.at, name, kind, sizes, value)

    def _first_value(self, declared: DeclaredName, kind: IrlType) -> Value | None:
        if declared.value is None:
            return None
        value = self.constant(declared.value, kind)
        if value is None:
            self.refuse(declared.at, "a first value that is not constant")
        return value

    def routine(self, parsed: ParsedUnit, routine: Routine) -> None:
        """Write a procedure or function."""
        self.enter(parsed, None)  # types of parameters are those that the program knows
        if routine.kind == "process":
            self.refuse(routine.at, "processes")
        parameters = []
        for one in routine.parameters:
            kind = self.checker.kind(one.form)
            if kind not in self.names:
                self.refuse(one.at, "a parameter of this type")
            parameters += [(one.mode, kind, self.spelled(each.at), one.at) for each in one.names]
        result = None if routine.result is None else self.checker.kind(routine.result)
        if result is not None and result not in self.names:
            self.refuse(routine.at, f"functions of type {result.name}")
        self.routine_head(self.spelled(routine.name_at), parameters, result)
        self.enter(parsed, routine)
        self.depth += 1
        self.declare(routine.sections)
        self.depth -= 1
        self.block(routine.body)
        self.put(self.routine_end(result))
        self.enter(parsed, None)

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
                self.call_statement(at, name, arguments)
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

    def call_statement(self, at: int, name: str, arguments: Sequence[Expression]) -> None:
        """Write the call of a procedure."""
        if isinstance(self.checker.look_up(name), RoutineSymbol):
            self.call(self.spelled(at), [self.argument(one) for one in arguments])
        else:
            self.refuse(at, f"'{name}'")

    def counting(self, tree: ForStatement) -> Counting:
        """Return the head of a counting loop."""
        step = "" if tree.step is None else self.scalar(tree.step, PRIMARY)
        step = f"-{step or 1}" if tree.is_down else step
        first, last = self.scalar(tree.first), self.scalar(tree.last)
        return Counting(self.spelled(tree.variable.at), first, last, step)

    def slowest(self, tree: MoveStatement, given: dict[str, list[str]], name: str) -> str:
        """Return the share of all axes for those that each have their own; empty: none is given.

        The motion is as slow as the slowest axis makes it.
        """
        values = given.get(name) or []
        if len(set(values)) < 2:
            return values[0] if values else ""
        (parameter,) = [one for one in tree.parameters if one.name == name]
        known = [self.constant(value) for value in parameter.values]
        numbers = [value for value in known if isinstance(value, int | float)]
        if len(numbers) < len(values):
            return self.refuse(parameter.at, "speeds of single axes that are not constant")
        return self.number(min(numbers))

    @staticmethod
    def notes(tree: MoveStatement, given: dict[str, list[str]]) -> str:
        """Return parameters of joints that only a comment can keep as they are; mostly nothing."""
        found = []
        if tree.kind == "ptp" and ("c_ptp" in given or "c_pass" in given):
            found.append("".join(["c_ptp", *(f" := {one}" for one in given.get("c_ptp", ()))]))
        for name in ("speed_ptp", "acc_ptp"):
            if len(set(given.get(name, ()))) > 1:
                found.append("".join([name, *(f" := {one}" for one in given[name])]))
        return " ".join(found)

    def word(self, tree: WordStatement) -> None:
        """Write pause, halt, start or stop."""
        self.put(self.words.get(tree.word) or self.refuse(tree.at, tree.word))

    def set_position(self, at: int, target: Expression, value: Triple) -> None:
        """Write the assignment of a position."""
        self.set_coordinates([self.part(target, axis) for axis in AXES], value)

    def set_coordinates(self, places: Sequence[str], value: Triple) -> None:
        """Write the assignment of three coordinates, none of which is read after it has changed."""
        changed = any(places[i] in value[j] for j in range(3) for i in range(j))
        if changed:  # a coordinate is read after it was written: through a spare position
            for axis, part in zip(AXES, value, strict=True):
                self.put(f"{self.spare(axis)}{self.assign}{part}{self.end}")
            x, y, z = map(self.spare, AXES)
            value = (x, y, z)
        for place, part in zip(places, value, strict=True):
            self.put(f"{place}{self.assign}{part}{self.end}")

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
        """Return the parameters of a move; those it does not have are refused."""
        found = {}
        for one in tree.parameters:
            if one.values and one.name not in self.known_parameters:
                self.refuse(one.at, f"'{one.name}'")
            found[one.name] = [self.scalar(value, PRIMARY) for value in one.values]
        return found

    # forms that the makers' languages give

    @abstractmethod
    def program(self, name: str) -> None:
        """Write everything."""

    @abstractmethod
    def declare(self, sections: Sequence[Section]) -> None:
        """Write the declarations of a program or routine."""

    @abstractmethod
    def routine_head(
        self, name: str, parameters: Sequence[tuple[str, IrlType, str, int]], result: IrlType | None
    ) -> None:
        """Write the first line of a routine.

        Args:
            name: Of the routine.
            parameters: Mode, type, name and place of each.
            result: Type of a function; None: it is a procedure.
        """

    @abstractmethod
    def call(self, name: str, arguments: list[str]) -> None:
        """Write the call of a procedure."""

    @abstractmethod
    def if_statement(self, tree: IfStatement) -> None:
        """Write a branch."""

    @abstractmethod
    def for_statement(self, tree: ForStatement) -> None:
        """Write a counting loop."""

    @abstractmethod
    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""

    @abstractmethod
    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end."""

    @abstractmethod
    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""

    @abstractmethod
    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""

    @abstractmethod
    def jump(self, tree: GotoStatement | LabelStatement) -> None:
        """Write a goto or a label."""

    @abstractmethod
    def move(self, tree: MoveStatement) -> None:
        """Write a move."""

    @abstractmethod
    def wait_time(self, seconds: str) -> None:
        """Write a wait."""

    @abstractmethod
    def wait_for(self, tree: WaitForStatement) -> None:
        """Write a wait for a condition."""

    @abstractmethod
    def console(self, tree: WriteStatement) -> None:
        """Write console output."""

    @abstractmethod
    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""

    @abstractmethod
    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""

    @abstractmethod
    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""

    @abstractmethod
    def routine_end(self, result: IrlType | None) -> str:
        """Return the last line of a routine; None: of a procedure."""

    @abstractmethod
    def spare(self, axis: str) -> str:
        """Return a coordinate of a position that no program knows."""
