"""Instructions become operations: functions that act on a process and return what comes next.

An operation returns the index of the next one, or -1 when its process cannot go on now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from armwerk.language.arithmetic import Fault, shown_value
from armwerk.language.code import (
    CallRoutine,
    CheckedProgram,
    CheckedValue,
    ConstantValue,
    CountNext,
    CountStart,
    FileAction,
    Jump,
    JumpIfStopped,
    JumpUnless,
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
    WaitTime,
    WriteText,
)
from armwerk.language.running.closures import Frame, Reader, ValueCompiler
from armwerk.language.running.commands import command_maker
from armwerk.language.running.files import ProgramFolder
from armwerk.language.running.machine import Machine
from armwerk.language.running.process import CallRecord, Process
from armwerk.language.types import SimpleType, Value, first_value

Operation: TypeAlias = Callable[[Process], int]
MOST_CALLS = 1000  # in one another


class Surroundings(Protocol):
    """What operations need of the interpreter."""

    machine: Machine
    files: ProgramFolder

    def say(self, text: str) -> None:
        """Write to the console."""

    def rest(self, word: str) -> None:
        """Pause or end the program."""

    def start(self, routine: int) -> None:
        """Start a process."""

    def end(self, routine: int) -> None:
        """Stop a process."""


class OperationCompiler:
    """Makes operations of a program's instructions.

    Args:
        program: The program.
        values: Makes readers and writers.
        around: What operations act on.
    """

    def __init__(
        self, program: CheckedProgram, values: ValueCompiler, around: Surroundings
    ) -> None:
        self.program = program
        self.values = values
        self.around = around
        self._makers: dict[type, Callable[..., Operation]] = {
            Store: self._store,
            Jump: self._jump,
            JumpUnless: self._jump_unless,
            CountStart: self._count_start,
            CountNext: self._count_next,
            CallRoutine: self._call,
            ReturnValue: self._return,
            NoReturn: self._no_return,
            Settle: self._settle,
            MoveRobot: self._move,
            JumpIfStopped: self._jump_if_stopped,
            WaitTime: self._wait_time,
            WaitCondition: self._wait_condition,
            WriteText: self._write,
            FileAction: self._file,
            ProcessAction: self._process,
            SemaphoreAction: self._semaphore,
            Rest: self._rest,
        }

    def operations(self) -> list[Operation]:
        """Return one operation for each instruction."""
        return [
            self._makers[type(instruction)](instruction, place)
            for place, instruction in enumerate(self.program.code)
        ]

    def new_frame(self, routine: int) -> Callable[[], Frame]:
        """Return what makes the variables of a call."""
        kinds = self.program.routines[routine].kinds
        if all(isinstance(kind, SimpleType) for kind in kinds):
            template = [first_value(kind) for kind in kinds]
            return template.copy
        return lambda: [first_value(kind) for kind in kinds]

    def _store(self, given: Store, place: int) -> Operation:
        following = place + 1
        target, value = given.target, given.value
        if isinstance(target, VariableValue):
            slot = target.slot
            if target.is_global:
                return self._store_global(slot, value, following)
            read = self.values.copied(value)

            def store_local(process: Process) -> int:
                frame = process.frame
                frame[slot] = read(frame)
                return following

            return store_local
        read, write = self.values.copied(value), self.values.writer(target)

        def store(process: Process) -> int:
            frame = process.frame
            write(frame, read(frame))
            return following

        return store

    def _store_global(self, slot: int, value: CheckedValue, following: int) -> Operation:
        g = self.values.variables
        match value:
            case OperationValue(_, compute, [VariableValue(_, a, True), ConstantValue(_, c)]):

                def store_sum(process: Process) -> int:
                    g[slot] = compute(g[a], c)  # type: ignore[call-overload]  # types are checked
                    return following

                return store_sum
        read = self.values.copied(value)

        def store_global(process: Process) -> int:
            g[slot] = read(process.frame)
            return following

        return store_global

    def _jump(self, given: Jump, place: int) -> Operation:
        to = given.to.place
        return lambda process: to

    def _jump_unless(self, given: JumpUnless, place: int) -> Operation:
        read, to, following = self.values.reader(given.condition), given.to.place, place + 1
        return lambda process: following if read(process.frame) else to

    def _count_start(self, given: CountStart, place: int) -> Operation:
        variable, last, step = map(self.values.reader, (given.variable, given.last, given.step))
        end, following = given.end.place, place + 1

        def start(process: Process) -> int:
            frame = process.frame
            size = step(frame)
            assert isinstance(size, int)
            if size == 0:
                raise Fault("a loop of step zero never ends")
            first, final = variable(frame), last(frame)
            goes_on = first <= final if size > 0 else first >= final  # type: ignore[operator]
            return following if goes_on else end

        return start

    def _count_next(self, given: CountNext, place: int) -> Operation:
        slot, is_global = given.variable.slot, given.variable.is_global
        last, step = self.values.reader(given.last), self.values.reader(given.step)
        again, following = given.again.place, place + 1
        g = self.values.variables
        if isinstance(given.step, ConstantValue) and given.step.value == 1:

            def count(process: Process) -> int:
                frame = process.frame
                home = g if is_global else frame
                value: int = home[slot] + 1  # type: ignore[assignment,operator]
                if value <= last(frame):  # type: ignore[operator]
                    home[slot] = value
                    return again
                return following

            return count

        def count_by(process: Process) -> int:
            frame = process.frame
            home = g if is_global else frame
            size: int = step(frame)  # type: ignore[assignment]
            value: int = home[slot] + size  # type: ignore[assignment,operator]
            final: int = last(frame)  # type: ignore[assignment]
            if (value <= final) if size > 0 else (value >= final):
                home[slot] = value
                return again
            return following

        return count_by

    def _call(self, given: CallRoutine, place: int) -> Operation:
        routine = given.routine
        new = self.new_frame(routine)
        entry, following = self.program.routines[routine].entry, place + 1
        inputs = [
            (slot, self.values.copied(value))
            for slot, value in enumerate(given.arguments)
            if value is not None
        ]
        outputs = tuple((slot, self.values.writer(target)) for slot, target in given.outputs)
        result = None if given.result is None else self.values.writer(given.result)

        def call(process: Process) -> int:
            frame = process.frame
            inner = new()
            for slot, read in inputs:
                inner[slot] = read(frame)
            calls = process.calls
            calls.append(CallRecord(following, frame, outputs, result, process.routine))
            if len(calls) > MOST_CALLS:
                raise Fault(f"more than {MOST_CALLS} calls in one another")
            process.frame, process.routine = inner, routine
            return entry

        return call

    def _return(self, given: ReturnValue, place: int) -> Operation:
        read: Reader | None = None
        if given.value is not None:
            read = self.values.copied(given.value)

        def back(process: Process) -> int:
            inner = process.frame
            value: Value = 0 if read is None else read(inner)
            if not process.calls:
                process.is_done = True
                process.place = place
                return -1
            call = process.calls.pop()
            process.frame, process.routine = call.frame, call.routine
            for slot, write in call.outputs:
                write(call.frame, inner[slot])
            if call.result is not None:
                call.result(call.frame, value)
            return call.back

        return back

    def _no_return(self, given: NoReturn, place: int) -> Operation:
        def fail(process: Process) -> int:
            raise Fault("the function has ended without 'return' and a value")

        return fail

    def _settle(self, given: Settle, place: int) -> Operation:
        machine, following = self.around.machine, place + 1

        def settle(process: Process) -> int:
            robots = process.robots
            if not robots:
                return following

            def at_rest() -> bool:
                return not any(machine.is_busy(robot) for robot in robots)

            if at_rest():
                return following
            return process.block(following, "motion", at_rest)

        return settle

    def _move(self, given: MoveRobot, place: int) -> Operation:
        make = command_maker(given, place, self.program, self.values)
        machine, following = self.around.machine, place + 1

        def move(process: Process) -> int:
            command = make(process.frame)
            robot = command.robot
            if not 1 <= robot <= machine.robots:
                raise Fault(f"there is no robot {robot} (1 to {machine.robots})")
            if machine.is_full(robot):
                return process.block(place, "motion", lambda: not machine.is_full(robot))
            process.robots.add(robot)
            machine.move(command)
            return following

        return move

    def _jump_if_stopped(self, given: JumpIfStopped, place: int) -> Operation:
        machine, to, following = self.around.machine, given.to.place, place + 1

        def jump(process: Process) -> int:
            return to if any(map(machine.was_stopped, process.robots)) else following

        return jump

    def _wait_time(self, given: WaitTime, place: int) -> Operation:
        read, machine, following = self.values.reader(given.seconds), self.around.machine, place + 1

        def wait(process: Process) -> int:
            seconds = float(read(process.frame))  # type: ignore[arg-type]  # it is a real
            if seconds < 0.0:
                raise Fault(f"time cannot run backwards ({seconds:g} s)")
            return process.block(following, "time", None, machine.time + seconds)

        return wait

    def _wait_condition(self, given: WaitCondition, place: int) -> Operation:
        read, following = self.values.reader(given.condition), place + 1
        machine = self.around.machine
        timeout = None if given.timeout is None else self.values.reader(given.timeout)
        late = None if given.late is None else given.late.place

        def wait(process: Process) -> int:
            frame = process.frame
            if read(frame):
                process.deadline = None
                return following
            if timeout is None:
                return process.block(place, "world", lambda: bool(read(frame)))
            if process.deadline is None:
                process.deadline = machine.time + float(timeout(frame))  # type: ignore[arg-type]
            if machine.time >= process.deadline - 1e-9:
                process.deadline = None
                if late is None:
                    raise Fault("the condition was not met in time")
                return late
            return process.block(place, "world", lambda: bool(read(frame)), process.deadline)

        return wait

    def _write(self, given: WriteText, place: int) -> Operation:
        readers = [self.values.reader(item) for item in given.items]
        file = None if given.file is None else self.values.reader(given.file)
        end, following, around = "\n" if given.ends_line else "", place + 1, self.around

        def write(process: Process) -> int:
            frame = process.frame
            text = "".join(shown_value(read(frame)) for read in readers) + end
            if file is None:
                around.say(text)
            else:
                around.files.write(str(file(frame)), text)
            return following

        return write

    def _file(self, given: FileAction, place: int) -> Operation:
        read, write = self.values.reader(given.file), self.values.writer(given.file)
        arguments = [self.values.reader(argument) for argument in given.arguments]
        following, files = place + 1, self.around.files

        def act(process: Process) -> int:
            frame = process.frame
            if given.action == "close":
                files.close(str(read(frame)))
                write(frame, "")
                return following
            name, *mode = (str(argument(frame)) for argument in arguments)
            write(frame, files.open(name, mode[0] if mode else "write"))
            return following

        return act

    def _process(self, given: ProcessAction, place: int) -> Operation:
        following, around, routine = place + 1, self.around, given.routine

        def act(process: Process) -> int:
            if given.action == "start":
                around.start(routine)
            else:
                around.end(routine)
                if process.is_done:
                    return -1
            return following

        return act

    def _semaphore(self, given: SemaphoreAction, place: int) -> Operation:
        slot, is_global, following = given.semaphore.slot, given.semaphore.is_global, place + 1
        g = self.values.variables
        change = -1 if given.action == "sem_wait" else 1

        def act(process: Process) -> int:
            home = g if is_global else process.frame
            count = home[slot]
            assert isinstance(count, int)
            if count + change < 0:
                return process.block(place, "semaphore", lambda: bool(home[slot]))
            home[slot] = count + change
            return following

        return act

    def _rest(self, given: Rest, place: int) -> Operation:
        around, following, word = self.around, place + 1, given.word

        def rest(process: Process) -> int:
            process.place = following if word == "pause" else place
            around.rest(word)
            return -1

        return rest
