"""Warnings that need no arm: dead code, waits without end, frames never set, semaphores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from armwerk.language.checking.symbols import SYSTEM_VARIABLES
from armwerk.language.code import (
    CallRoutine,
    CheckedProgram,
    CheckedValue,
    ChoiceValue,
    ConstantValue,
    CountNext,
    CountStart,
    ElementValue,
    FieldValue,
    Instruction,
    Jump,
    JumpIfStopped,
    JumpUnless,
    ListValue,
    MoveRobot,
    NoReturn,
    OperationValue,
    ProcessAction,
    Rest,
    ReturnValue,
    SemaphoreAction,
    Settle,
    Store,
    VariableValue,
    WaitCondition,
)
from armwerk.language.linting.warning import Lint, warning_at
from armwerk.language.types import POSE, POSITION, ArrayType, IrlType

_SILENT = (Jump, NoReturn, Settle)  # of the checker, or behind an end that is reached elsewhere


def text_lints(program: CheckedProgram) -> list[Lint]:
    """Return the warnings that the text alone gives, in its order."""
    found = [
        *_dead_code(program),
        *_waits(program),
        *_frames(program),
        *_never_set(program),
        *_semaphores(program),
    ]
    return sorted(found, key=lambda lint: (lint.problem.line, lint.problem.column))


def successors(program: CheckedProgram, place: int) -> Iterator[int]:
    """Yield the instructions that can follow one; calls lead into routines too."""
    instruction = program.code[place]
    match instruction:
        case Jump(to):
            yield to.place
            return
        case JumpUnless(ConstantValue(_, value), to):
            yield place + 1 if value else to.place
            return
        case ReturnValue() | NoReturn() | Rest("halt"):
            return
        case JumpUnless(_, to) | JumpIfStopped(to):
            yield to.place
        case CountStart(end=end):
            yield end.place
        case CountNext(again=again):
            yield again.place
        case WaitCondition(late=late) if late is not None:
            yield late.place
        case CallRoutine(routine=routine) | ProcessAction("start", routine):
            yield program.routines[routine].entry
    yield place + 1


def _reached(program: CheckedProgram) -> set[int]:
    seen: set[int] = set()
    waiting = [0]
    while waiting:
        place = waiting.pop()
        if place in seen or place >= len(program.code):
            continue
        seen.add(place)
        waiting += successors(program, place)
    return seen


def _dead_code(program: CheckedProgram) -> Iterator[Lint]:
    reached = _reached(program)
    lines: set[tuple[int, int]] = set()
    ends = {routine.entry for routine in program.routines}
    for routine in program.routines[1:]:
        if routine.entry not in reached:
            last = min((end for end in ends if end > routine.entry), default=len(program.code))
            lines |= {_line(program, place) for place in range(routine.entry, last)}
            words = f"the {routine.kind} '{routine.name}' is never used"
            yield warning_at(program, routine.entry, "dead code", words)
    before_is_dead = False
    for place, instruction in enumerate(program.code):
        silent = isinstance(instruction, _SILENT) or instruction == ReturnValue(None)
        silent = silent or isinstance(instruction, Rest)
        if place in reached:
            before_is_dead = False
        elif not silent and _line(program, place) not in lines and not before_is_dead:
            before_is_dead = True
            yield warning_at(program, place, "dead code", "this is never reached")


def _line(program: CheckedProgram, place: int) -> tuple[int, int]:
    source, at = program.places[place]
    return source, program.sources[source].line(at)


def _waits(program: CheckedProgram) -> Iterator[Lint]:
    for place, instruction in enumerate(program.code):
        if isinstance(instruction, WaitCondition) and instruction.timeout is None:
            words = "this wait has no time-out: it may last for ever"
            yield warning_at(program, place, "time-out", words)


def _frames(program: CheckedProgram) -> Iterator[Lint]:
    stored = {slot for _, slot in _stores(program)}
    for place, instruction in enumerate(program.code):
        if not isinstance(instruction, MoveRobot) or not any(
            _is_cartesian(target.kind) for target in instruction.targets
        ):
            continue
        for name, words in (("r_tool", "tool"), ("r_base", "base")):
            if program.names.index(name) not in stored:
                message = f"the {words} is never set ({name}); this moves in the default frame"
                yield warning_at(program, place, "frames", message)
        return


def _is_cartesian(kind: IrlType) -> bool:
    element = kind.element if isinstance(kind, ArrayType) else kind
    return element in (POSE, POSITION)


def _stores(program: CheckedProgram) -> Iterator[tuple[int, int]]:
    """Yield (instruction, slot) of every global variable that is written, whole or in part."""
    for place, instruction in enumerate(program.code):
        targets: list[CheckedValue] = []
        match instruction:
            case Store(target, _):
                targets = [target]
            case CallRoutine(outputs=outputs, result=result):
                targets = [target for _, target in outputs]
                if result is not None:
                    targets.append(result)
            case CountStart(variable=variable):
                targets = [variable]
        for target in targets:
            root = _root(target)
            if root is not None and root.is_global:
                yield place, root.slot


def _root(value: CheckedValue) -> VariableValue | None:
    while isinstance(value, FieldValue | ElementValue):
        value = value.record if isinstance(value, FieldValue) else value.array
    return value if isinstance(value, VariableValue) else None


def _reads(value: CheckedValue) -> Iterator[int]:
    """Yield the global variables that a value reads."""
    match value:
        case VariableValue(_, slot, True):
            yield slot
        case FieldValue(_, record, _):
            yield from _reads(record)
        case ElementValue(_, array, position, _, _):
            yield from _reads(array)
            yield from _reads(position)
        case OperationValue(_, _, operands):
            for operand in operands:
                yield from _reads(operand)
        case ChoiceValue(_, _, left, right):
            yield from _reads(left)
            yield from _reads(right)
        case ListValue(_, items):
            for item in items:
                yield from _reads(item)


def _never_set(program: CheckedProgram) -> Iterator[Lint]:
    stored = {slot for _, slot in _stores(program)}
    system = {program.names.index(name) for name in SYSTEM_VARIABLES}
    told: set[int] = set()
    for place, instruction in enumerate(program.code):
        if not isinstance(instruction, MoveRobot):
            continue
        for target in instruction.targets:
            for slot in _reads(target):
                if slot not in stored | system | told and program.names[slot]:
                    told.add(slot)
                    words = f"'{program.names[slot]}' is never set; the robot goes to its zero"
                    yield warning_at(program, place, "never set", words)


def _semaphores(program: CheckedProgram) -> Iterator[Lint]:
    """Find semaphores nobody gives to, and two that are taken in opposite orders."""
    given: set[int] = set()
    taken: dict[int, int] = {}
    orders: dict[tuple[int, int], int] = {}
    counts: dict[int, int] = defaultdict(int)
    for _, routine_code in _by_routine(program):
        held: list[int] = []
        for place, instruction in routine_code:
            if isinstance(instruction, Store) and isinstance(instruction.value, ConstantValue):
                root = _root(instruction.target)
                first = instruction.value.value
                if root is not None and isinstance(first, int):
                    counts[root.slot] = max(counts[root.slot], int(first))
            if not isinstance(instruction, SemaphoreAction) or not instruction.semaphore.is_global:
                continue
            slot = instruction.semaphore.slot
            if instruction.action == "sem_signal":
                given.add(slot)
                held = [one for one in held if one != slot]
                continue
            taken.setdefault(slot, place)
            for one in held:
                orders.setdefault((one, slot), place)
            held.append(slot)
    for slot, place in taken.items():
        if slot not in given and not counts[slot]:
            words = f"nobody gives to '{program.names[slot]}': this waits for ever"
            yield warning_at(program, place, "deadlock", words)
    for (one, two), place in orders.items():
        if one < two and (two, one) in orders:
            names = f"'{program.names[one]}' and '{program.names[two]}'"
            other = _line(program, orders[two, one])[1]
            words = f"{names} are taken in the other order in line {other}: a deadlock is possible"
            yield warning_at(program, place, "deadlock", words)


def _by_routine(
    program: CheckedProgram,
) -> Iterator[tuple[int, list[tuple[int, Instruction]]]]:
    entries = sorted((routine.entry, k) for k, routine in enumerate(program.routines))
    for (start, number), (end, _) in zip(
        entries, [*entries[1:], (len(program.code), 0)], strict=True
    ):
        yield number, [(place, program.code[place]) for place in range(start, end)]
