"""Checked programs: typed values, and instructions one after the other with jumps between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from armwerk.language.source import SourceText
from armwerk.language.types import IrlType, Value


class ConstantValue(NamedTuple):
    """A value that is known."""

    kind: IrlType
    value: Value


class VariableValue(NamedTuple):
    """A variable by its place among those of the program or of a call."""

    kind: IrlType
    slot: int
    is_global: bool


class FieldValue(NamedTuple):
    """A field of a record, by its number."""

    kind: IrlType
    record: CheckedValue
    number: int


class ElementValue(NamedTuple):
    """An element of an array."""

    kind: IrlType
    array: CheckedValue
    position: CheckedValue
    low: int
    high: int


class SignalValue(NamedTuple):
    """An input or output of the cell."""

    kind: IrlType
    name: str


class WorldValue(NamedTuple):
    """What only the machine can tell: where a robot is, what time it is, whether a process runs."""

    kind: IrlType
    name: str
    subject: str


class OperationValue(NamedTuple):
    """The result of an operator or predefined function."""

    kind: IrlType
    compute: Callable[..., object]
    operands: tuple[CheckedValue, ...]


class ChoiceValue(NamedTuple):
    """``and`` and ``or``: the right side counts only where the left does not decide."""

    kind: IrlType
    is_and: bool
    left: CheckedValue
    right: CheckedValue


class ListValue(NamedTuple):
    """A record or array from its parts."""

    kind: IrlType
    items: tuple[CheckedValue, ...]


CheckedValue: TypeAlias = (
    ConstantValue
    | VariableValue
    | FieldValue
    | ElementValue
    | SignalValue
    | WorldValue
    | OperationValue
    | ChoiceValue
    | ListValue
)


@dataclass(slots=True, eq=False)
class JumpTarget:
    """Where a jump leads; the index of an instruction, known when it is reached."""

    place: int = -1


class Store(NamedTuple):
    """Put a value into a variable, a part of one, or an output."""

    target: CheckedValue
    value: CheckedValue


class Jump(NamedTuple):
    """Go on elsewhere."""

    to: JumpTarget


class JumpUnless(NamedTuple):
    """Go on elsewhere when a condition does not hold."""

    condition: CheckedValue
    to: JumpTarget


class CountStart(NamedTuple):
    """Leave a counting loop that has nothing to count; the step must not be zero."""

    variable: VariableValue
    last: CheckedValue
    step: CheckedValue
    end: JumpTarget


class CountNext(NamedTuple):
    """Count on and repeat the loop, unless the last has been reached."""

    variable: VariableValue
    last: CheckedValue
    step: CheckedValue
    again: JumpTarget


class CallRoutine(NamedTuple):
    """Call a procedure or function; its results go to the targets of its ``out`` parameters."""

    routine: int
    arguments: tuple[CheckedValue | None, ...]
    outputs: tuple[tuple[int, CheckedValue], ...]
    result: VariableValue | None


class ReturnValue(NamedTuple):
    """Go back to the caller."""

    value: CheckedValue | None


class NoReturn(NamedTuple):
    """The end of a function: it has returned no value."""


class Settle(NamedTuple):
    """Wait until the motions of this process are done: the next statement touches the world."""


class MoveRobot(NamedTuple):
    """Order a motion.

    Args:
        kind: Of the path.
        is_relative: Whether targets count from where the tool is.
        targets: Each a robot can be moved to, or an array of them.
        parameters: Values by the name of the parameter; an empty tuple: it stands without one.
        until: Condition that ends the motion.
    """

    kind: Literal["ptp", "lin", "circle", "bezier", "spline"]
    is_relative: bool
    targets: tuple[CheckedValue, ...]
    parameters: tuple[tuple[str, tuple[CheckedValue, ...]], ...]
    until: CheckedValue | None


class JumpIfStopped(NamedTuple):
    """Go on elsewhere when the condition of the last motion has ended it."""

    to: JumpTarget


class WaitTime(NamedTuple):
    """Let time pass [s]."""

    seconds: CheckedValue


class WaitCondition(NamedTuple):
    """Wait for a condition; past the time-out go on elsewhere, or fail."""

    condition: CheckedValue
    timeout: CheckedValue | None
    late: JumpTarget | None


class WriteText(NamedTuple):
    """Write values to the console or a file."""

    file: CheckedValue | None
    items: tuple[CheckedValue, ...]
    ends_line: bool


class FileAction(NamedTuple):
    """Open or close a file."""

    action: Literal["open", "close"]
    file: CheckedValue
    arguments: tuple[CheckedValue, ...]


class ProcessAction(NamedTuple):
    """Start or stop a process."""

    action: Literal["start", "stop"]
    routine: int


class SemaphoreAction(NamedTuple):
    """Take from a semaphore, waiting until there is something, or give to it."""

    action: Literal["sem_wait", "sem_signal"]
    semaphore: VariableValue


class Rest(NamedTuple):
    """Pause until the run is continued, or end the program."""

    word: Literal["pause", "halt"]


Instruction: TypeAlias = (
    Store
    | Jump
    | JumpUnless
    | CountStart
    | CountNext
    | CallRoutine
    | ReturnValue
    | NoReturn
    | Settle
    | MoveRobot
    | JumpIfStopped
    | WaitTime
    | WaitCondition
    | WriteText
    | FileAction
    | ProcessAction
    | SemaphoreAction
    | Rest
)


@dataclass(slots=True, eq=False)
class CheckedRoutine:
    """A procedure, function or process, or the program itself.

    Args:
        name: As it was written.
        kind: What it is.
        entry: Its first instruction.
        modes: Of its parameters, which take the first places of a call.
        kinds: Types of all variables of a call.
        names: Their names; empty for those that the checker added.
        result: Type of what a function returns.
        at: Word of its name.
        source: Index of its text.
    """

    name: str
    kind: Literal["program", "procedure", "function", "process"]
    entry: int
    modes: tuple[Literal["in", "out", "inout"], ...]
    kinds: list[IrlType]
    names: list[str]
    result: IrlType | None
    at: int
    source: int


@dataclass(frozen=True, slots=True, eq=False)
class CheckedProgram:
    """A program that can be run.

    Args:
        name: As it was written.
        code: Instructions.
        places: Source and word of each instruction.
        routines: The first is the program itself.
        kinds: Types of the program's variables.
        names: Their names, in small letters; empty for those that the checker added.
        signals: Inputs and outputs: type, whether it is an output, and channel, by name.
        sources: Texts: declarations beside the program first, the program last.
    """

    name: str
    code: tuple[Instruction, ...]
    places: tuple[tuple[int, int], ...]
    routines: tuple[CheckedRoutine, ...]
    kinds: tuple[IrlType, ...]
    names: tuple[str, ...]
    signals: dict[str, tuple[IrlType, bool, int | None]]
    sources: tuple[SourceText, ...]
