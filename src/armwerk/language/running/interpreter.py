"""The interpreter: processes take turns, time passes in the machine, and a debugger can look on."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from armwerk.errors import ExecutionError, Problem, UnknownNameError
from armwerk.language.arithmetic import Fault
from armwerk.language.checking.symbols import SYSTEM_VARIABLES
from armwerk.language.code import CheckedProgram, MoveRobot
from armwerk.language.frames import Row
from armwerk.language.running.closures import Frame, ValueCompiler
from armwerk.language.running.files import ProgramFolder
from armwerk.language.running.machine import Machine, MotionRefused, Rehearsal
from armwerk.language.running.operations import Operation, OperationCompiler
from armwerk.language.running.process import Process, ProcessMoment
from armwerk.language.types import (
    ADDITIONAL_AXES,
    MAIN_AXES,
    SimpleType,
    Value,
    deep_copy,
    first_value,
)

Status: TypeAlias = Literal["ready", "running", "paused", "done", "stopped", "failed"]
SLICE = 2000  # operations of one process before another has its turn and stops are noticed
MOST_TEXT = 1_000_000  # letters of console output that are kept
HISTORY = 1000  # steps that can be taken back


class RunMoment(NamedTuple):
    """All that a step back restores."""

    variables: Frame
    processes: list[ProcessMoment]
    machine: object
    files: dict[str, int]
    letters: int
    operations: int
    status: Status


class Interpreter:
    """A program that runs.

    Args:
        program: The program.
        machine: Robots, signals and clock; None: a `Rehearsal`.
        folder: Where it may write files; None: nowhere.
        values: First values of variables, by name.
        say: Takes console output; None: it is only kept.
    """

    def __init__(
        self,
        program: CheckedProgram,
        machine: Machine | None = None,
        *,
        folder: Path | None = None,
        values: Mapping[str, Value] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.program = program
        self.machine: Machine = Rehearsal() if machine is None else machine
        self.files = ProgramFolder(folder)
        self.status: Status = "ready"
        self.count = 0
        """Operations so far."""
        self.trace: Callable[[int], None] | None = None
        """Is called with each line that is begun."""
        self.is_at_limit = False
        """Whether it has paused only because it was to run no further."""
        self._say = say
        self._texts: list[str] = []
        self._letters = 0
        self._stop = self._pause = False
        self._variables: Frame = [first_value(kind) for kind in program.kinds]
        self._set_first_values(values or {})
        compiler = ValueCompiler(self._variables, self._signal, self._set_signal, self._world)
        self._compiler = OperationCompiler(program, compiler, self)
        self._code: list[Operation] = self._compiler.operations()
        self._plain = list(self._code)
        self._lines = [self._line(place) for place in range(len(program.code))]
        self._passed: tuple[Process, int] | None = None
        self.processes = [Process(0, 0)]
        self._history: deque[RunMoment] = deque(maxlen=HISTORY)

    def _set_first_values(self, values: Mapping[str, Value]) -> None:
        for name, (_, value) in SYSTEM_VARIABLES.items():
            self._variables[self.program.names.index(name)] = deep_copy(value)
        for name, value in values.items():
            small = name.lower()
            if small not in self.program.names or not small:
                known = [one for one in self.program.names if one]
                raise UnknownNameError("variable of the program", name, known)
            slot = self.program.names.index(small)
            kind = self.program.kinds[slot]
            self._variables[slot] = _matching(value, first_value(kind), name)

    @property
    def output(self) -> str:
        """What was written to the console."""
        return "".join(self._texts)

    @property
    def line(self) -> int:
        """Line of the main program's next statement."""
        return self._lines[self.processes[0].place]

    @property
    def present_line(self) -> int:
        """Line of the statement by which the main program lets time pass, or of the next one."""
        main = self.processes[0]
        return self._lines[main.place - 1 if main.reason == "time" else main.place]

    def run(self, limit: int | None = None) -> Status:
        """Run on until the program ends, pauses, meets a breakpoint or is stopped.

        Args:
            limit: Operations after which it pauses; None: no limit.

        Raises:
            ExecutionError: When a statement cannot be carried out.
        """
        if self.status in {"done", "stopped", "failed"}:
            return self.status
        main = self.processes[0]
        if self.status == "paused" and self._passed is None and self._breaks(main.place):
            self._passed = (main, main.place)  # it stands at a breakpoint and goes on from there
        self.status, self.is_at_limit = "running", False
        last = math.inf if limit is None else self.count + limit
        while self.status == "running":
            self._guarded(self._round)
            if self.status == "running" and self.count >= last:
                self.status, self.is_at_limit = "paused", True
        return self.status

    def _round(self) -> None:
        """Give every process that can go on one turn; let time pass where none can."""
        if self._stop:
            self._finish("stopped")
            return
        if self._pause:
            self._pause = False
            self.status = "paused"
            return
        moved = False
        time = self.machine.time
        for process in list(self.processes):
            if process.is_done or not process.can_go_on(time):
                continue
            moved = True
            self._turn(process, SLICE)
            if self.status != "running":
                return
        self.processes = [one for one in self.processes if not one.is_done]
        if not moved:
            self._idle()

    def _turn(self, process: Process, most: int) -> None:
        code, place, at = self._code, process.place, process.place
        if self.trace is not None:
            self._traced_turn(process, most)
            return
        count = 0
        try:
            for count in range(1, most + 1):  # noqa: B007 - counted on
                at = place
                place = code[place](process)
                if place < 0:
                    break
            else:
                process.place = place
        except Fault as fault:
            process.place = at
            self._fail(process, at, str(fault))
        except BaseException:  # whoever steps in between, as one who stops a program in its cell
            process.place = at
            raise
        finally:
            self.count += count

    def _traced_turn(self, process: Process, most: int) -> None:
        place = at = process.place
        line = process.traced
        try:
            for _ in range(most):
                at = place
                if self._lines[place] != line and self.trace is not None:
                    line = self._lines[place]
                    process.traced = line
                    self.trace(line)
                self.count += 1
                place = self._code[place](process)
                if place < 0:
                    return
            process.place = place
        except Fault as fault:
            process.place = at
            self._fail(process, at, str(fault))
        except BaseException:
            process.place = at
            raise

    def _idle(self) -> None:
        """Let time pass: every process waits."""
        waiting = self.processes
        main = waiting[0]
        busy = any(self.machine.is_busy(robot + 1) for robot in range(self.machine.robots))
        if all(one.reason == "semaphore" for one in waiting) and not busy:
            self._fail(main, main.place, "deadlock: every process waits for a semaphore")
        wake = min(one.wake for one in waiting)
        if not self.machine.advance(wake):
            self._fail(main, main.place, "this waits for ever: nothing changes any more")

    def _fail(self, process: Process, place: int, message: str) -> None:
        self.status = "failed"
        self.machine.halt()
        source_index, at = self.program.places[place]
        source = self.program.sources[source_index]
        line, column = source.line(at), source.column(at)
        text = source.text.split("\n")[line - 1]
        problem = Problem(message, line, column, text, "", len(source.words[at]))
        calls = []
        for call in process.calls[-20:]:
            back_source, back = self.program.places[max(0, call.back - 1)]
            name = self.program.routines[call.routine].name or "the program"
            calls.append(f"{name}, line {self.program.sources[back_source].line(back)}")
        raise ExecutionError(problem, file=source.file, calls=calls)

    def _guarded(self, act: Callable[[], None]) -> None:
        """Act; end the run at the line of a motion that cannot be driven."""
        try:
            act()
            return
        except MotionRefused as error:
            refused = error
        self._fail(self.processes[0], self.refused_at(refused), refused.reason)

    def refused_at(self, refused: MotionRefused) -> int:
        """Return the instruction that ordered a motion which cannot be driven."""
        places = [k for k, line in enumerate(self._lines) if line == refused.line]
        moves = [k for k in places if isinstance(self.program.code[k], MoveRobot)]
        return (moves or places or [self.processes[0].place])[0]

    def _finish(self, status: Status) -> None:
        self.machine.halt()
        self.status = status

    # what operations call

    def say(self, text: str) -> None:
        """Write to the console."""
        self._letters += len(text)
        if self._letters > MOST_TEXT:
            raise Fault(f"the program has written more than {MOST_TEXT} letters")
        self._texts.append(text)
        if self._say is not None:
            self._say(text)

    def rest(self, word: str) -> None:
        """Pause or end the program."""
        self.status = "paused" if word == "pause" else "done"
        if word == "halt":
            self.machine.halt()

    def start(self, routine: int) -> None:
        """Start a process; one that runs goes on as it is."""
        if any(self._is(process, routine) for process in self.processes):
            return
        frame = self._compiler.new_frame(routine)()
        self.processes.append(Process(routine, self.program.routines[routine].entry, frame))

    def end(self, routine: int) -> None:
        """Stop a process."""
        for process in self.processes:
            if self._is(process, routine):
                process.is_done = True

    def _is(self, process: Process, routine: int) -> bool:
        bottom = process.calls[0].routine if process.calls else process.routine
        return bottom == routine and not process.is_done

    def _signal(self, name: str) -> Value:
        value = self.machine.signal(name)
        kind = self.program.signals[name][0]
        assert isinstance(kind, SimpleType)
        return type(kind.first)(value)

    def _set_signal(self, name: str, value: Value) -> None:
        assert isinstance(value, int | float)
        self.machine.set_signal(name, value)

    def _world(self, name: str, subject: str) -> Value:
        if name == "running":
            return any(self._is(process, int(subject)) for process in self.processes)
        if name == "r_time":
            return self.machine.time
        robot = self._variables[self.program.names.index("r_act_rob")]
        if not isinstance(robot, int) or not 1 <= robot <= self.machine.robots:
            raise Fault(f"there is no robot {robot} (1 to {self.machine.robots})")
        state = self.machine.state(robot)
        x, y, z, *turn = state.pose
        pose: Value = [[1e3 * x, 1e3 * y, 1e3 * z], list(turn)]
        if name == "r_pose_act":
            return pose
        zeros: Row = [0.0] * ADDITIONAL_AXES
        if name == "r_robtarget_act":
            return [pose, 0, [0, 0], list(zeros)]
        joints = [*state.joints, *[0.0] * MAIN_AXES][:MAIN_AXES]
        return [list(joints), list(zeros)]

    # what a debugger calls

    def pause(self) -> None:
        """Pause at the next chance; may be called from another thread."""
        self._pause = True

    def stop(self) -> None:
        """End the run at the next chance, robots at rest; may be called from another thread."""
        self._stop = True
        if self.status in {"ready", "paused"}:
            self._finish("stopped")

    def set_breakpoints(self, lines: Iterable[int]) -> list[int]:
        """Pause before these lines of the program; return those at which it really will.

        A line without a statement means the next one that has one.
        """
        self._code[:] = self._plain
        found = []
        own = len(self.program.sources) - 1
        by_line: dict[int, int] = {}
        for place, (source, _) in enumerate(self.program.places):
            if source == own:
                by_line.setdefault(self._lines[place], place)
        for line in sorted(set(lines)):
            later = [one for one in by_line if one >= line]
            if later:
                found.append(min(later))
                self._code[by_line[found[-1]]] = self._breaking(by_line[found[-1]])
        return found

    def _breaks(self, place: int) -> bool:
        return self._code[place] is not self._plain[place]

    def _breaking(self, place: int) -> Operation:
        plain = self._plain[place]

        def pause(process: Process) -> int:
            if self._passed == (process, place):
                self._passed = None
                return plain(process)
            self._passed = (process, place)
            process.place = place
            self.status = "paused"
            return -1

        return pause

    def step(self) -> Status:
        """Carry out the main program's next line; other processes go on meanwhile."""
        if self.status in {"done", "stopped", "failed"}:
            return self.status
        self._history.append(self.moment())
        main = self.processes[0]
        line, depth = self._lines[main.place], len(main.calls)
        self.status = "running"
        self._guarded(lambda: self._step_line(main, line, depth))
        if self.status == "running":
            self.status = "paused"
        return self.status

    def _step_line(self, main: Process, line: int, depth: int) -> None:
        while self.status == "running" and not main.is_done:
            if main.can_go_on(self.machine.time):
                self._passed = (main, main.place)
                self._turn(main, 1)
                self._passed = None
                here = self._lines[main.place]
                if (here, len(main.calls)) != (line, depth) and not main.reason:
                    break
            self._others(main)

    def _others(self, main: Process) -> None:
        moved = not main.reason
        for process in self.processes[1:]:
            if not process.is_done and process.can_go_on(self.machine.time):
                self._turn(process, SLICE)
                moved = True
        self.processes = [one for one in self.processes if not one.is_done or one is main]
        if not moved and self.status == "running":
            self._idle()

    def step_back(self) -> bool:
        """Take the last step back; return whether there was one."""
        if not self._history:
            return False
        self.return_to(self._history.pop())
        return True

    def return_to(self, moment: RunMoment) -> None:
        """Go back to a moment of this run; it can be returned to again.

        Raises:
            UnsupportedError: When the machine cannot go back; nothing has changed then.
        """
        self.machine.restore(moment.machine)
        self._variables[:] = [deep_copy(value) for value in moment.variables]
        self.processes = [one.process for one in moment.processes]
        for one in moment.processes:
            one.process.restore(one)
        self.files.restore(moment.files)
        text = self.output[: moment.letters]
        self._texts, self._letters = [text], moment.letters
        self.count, self.status = moment.operations, moment.status
        self._passed = None

    def moment(self) -> RunMoment:
        """Return all that changes, for `return_to`."""
        return RunMoment(
            [deep_copy(value) for value in self._variables],
            [process.kept() for process in self.processes],
            self.machine.snapshot(),
            self.files.snapshot(),
            self._letters,
            self.count,
            self.status,
        )

    def watch(self, name: str) -> Value:
        """Return a copy of what a variable holds now, one of the present call first.

        Raises:
            UnknownNameError: When there is none of that name.
        """
        small = name.lower()
        main = self.processes[0]
        names = self.program.routines[main.routine].names if main.calls else []
        if small and small in names:
            return deep_copy(main.frame[names.index(small)])
        if small and small in self.program.names:
            return deep_copy(self._variables[self.program.names.index(small)])
        known = [one for one in (*names, *self.program.names) if one]
        raise UnknownNameError("variable of the program", name, known)

    def _line(self, place: int) -> int:
        source, at = self.program.places[place]
        return self.program.sources[source].line(at)


def _matching(value: Value, model: Value, name: str) -> Value:
    """Return a value in the form of another, lists for tuples and reals for ints."""
    if isinstance(model, list):
        if not isinstance(value, list | tuple) or len(value) != len(model):
            raise Fault(f"the value of '{name}' must have {len(model)} parts")
        return [_matching(part, one, name) for part, one in zip(value, model, strict=True)]
    if isinstance(model, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(model):
        raise Fault(f"the value of '{name}' must be {type(model).__name__}, got {value!r:.40}")
    return value
