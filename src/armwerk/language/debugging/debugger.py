"""A run that can be stopped before any operation, and turned back.

What comes in is a checked program; what goes out is why and where it stopped. Operations are
counted from the start of the run, and processes take turns by that count alone, so that a run which
goes back to an earlier moment and on again does the same once more. Moments are kept now and then;
a place between two of them is reached by running silently from the one before it.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from armwerk.errors import ExecutionError
from armwerk.language.arithmetic import Fault
from armwerk.language.code import CheckedProgram
from armwerk.language.debugging.moments import KeptMoments, RunPoint, Turns
from armwerk.language.running.closures import Frame, ValueCompiler
from armwerk.language.running.interpreter import SLICE, Interpreter
from armwerk.language.running.machine import Machine, MotionRefused
from armwerk.language.running.process import Process
from armwerk.language.types import Value

StopReason: TypeAlias = Literal[
    "entry", "step", "breakpoint", "pause", "statement", "exception", "done", "stopped", "start"
]
"""Why a run stopped; "statement": at ``pause``; "start": it cannot go further back."""
Way: TypeAlias = Literal["in", "over", "out"]


class ProgramPlace(NamedTuple):
    """A line of one of the texts of a program.

    Attributes:
        source: Index of the text.
        line: Counted from 1.
    """

    source: int
    line: int


class CallFrame(NamedTuple):
    """A routine at work.

    Attributes:
        name: Of the routine, or of the program.
        routine: Its number.
        instruction: The one that is next, or the call that is waited for.
        variables: Of the call.
    """

    name: str
    routine: int
    instruction: int
    variables: Frame


class RunStop(NamedTuple):
    """Why and where a run stopped.

    Attributes:
        reason: Why.
        process: The one that was about to go on.
        breakpoints: Those that were met.
    """

    reason: StopReason
    process: Process
    breakpoints: tuple[Breakpoint, ...] = ()


@dataclass(slots=True, eq=False)
class Breakpoint:
    """A place at which a run stops.

    Args:
        instruction: Before which.
        condition: Whether it counts this time, given the variables of the call; None: it does.
        is_due: Whether it stops at its n-th time; None: every time.
        message: What is said instead of stopping; None: it stops.
    """

    instruction: int
    condition: Callable[[Process], bool] | None = None
    is_due: Callable[[int], bool] | None = None
    message: Callable[[Process], str] | None = None


@dataclass(slots=True)
class _Search:
    """What a stretch of the run is looked through for.

    Args:
        thread: Whose lines count; None: breakpoints count.
        depth: Of the calls that count, at most.
        found: Counts of operations, in order.
        lines: Of the calls the process is in, from the outermost.
    """

    thread: int | None
    depth: int
    found: list[int] = field(default_factory=list)
    lines: list[ProgramPlace] = field(default_factory=list)


class Debugger(Interpreter):
    """A program under a debugger.

    Args:
        program: The program.
        machine: Robots, signals and clock; None: a `Rehearsal`.
        folder: Where it may write files; None: nowhere.
        values: First values of variables, by name.
        say: Takes console output, once for each time that the user sees a statement run.
        log: Takes messages of breakpoints; None: they go to ``say``.
    """

    def __init__(
        self,
        program: CheckedProgram,
        machine: Machine | None = None,
        *,
        folder: Path | None = None,
        values: Mapping[str, Value] | None = None,
        say: Callable[[str], None] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(program, machine, folder=folder, values=values, say=self._shown)
        self.error: ExecutionError | None = None
        """Why the run failed; None: it has not."""
        self.each_round: Callable[[], None] | None = None
        """Is called whenever all processes had a turn: a world whose time passes beside."""
        self.places = [
            ProgramPlace(source, program.sources[source].line(at)) for source, at in program.places
        ]
        """Of each instruction."""
        self._heard, self._log = say, log if log is not None else say
        self._silent = False
        self._turns = Turns()
        self._breakpoints: dict[int, list[Breakpoint]] = {}
        self._starts: dict[ProgramPlace, int] = {}
        for place, where in enumerate(self.places):
            self._starts.setdefault(where, place)
        self._moments = KeptMoments(self._point())

    def _shown(self, text: str) -> None:
        if self._heard is not None and not self._silent:
            self._heard(text)

    # breakpoints and frames

    def breakpoint_at(self, place: ProgramPlace) -> tuple[int, ProgramPlace] | None:
        """Return the first instruction at or after a line, and its place; None: there is none."""
        lines = sorted(one.line for one in self._starts if one.source == place.source)
        index = bisect_left(lines, place.line)
        if index == len(lines):
            return None
        found = ProgramPlace(place.source, lines[index])
        return self._starts[found], found

    def set_stops(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Stop at these, and no others; may be called from another thread."""
        found: dict[int, list[Breakpoint]] = {}
        for one in breakpoints:
            found.setdefault(one.instruction, []).append(one)
        self._breakpoints.clear()
        self._breakpoints.update(found)

    @property
    def values(self) -> ValueCompiler:
        """What reads and writes the variables of the run."""
        return self._compiler.values

    @staticmethod
    def thread(process: Process) -> int:
        """Return the number of the routine that a process began with; 0: the program."""
        return process.calls[0].routine if process.calls else process.routine

    def frames(self, process: Process) -> list[CallFrame]:
        """Return the calls that a process is in, the present one first."""
        frames = [self._frame(process.routine, process.place, process.frame)]
        for call in reversed(process.calls):
            frames.append(self._frame(call.routine, max(0, call.back - 1), call.frame))
        return frames

    def _frame(self, routine: int, instruction: int, variables: Frame) -> CallFrame:
        name = self.program.routines[routine].name or self.program.name
        return CallFrame(name, routine, instruction, variables)

    # forwards

    def resume(self) -> RunStop:
        """Run on until a breakpoint, ``pause``, the end, or a call of `pause`."""
        return self._forwards(None)

    def move(self, process: Process, way: Way) -> RunStop:
        """Run on until a process begins another line.

        Args:
            process: Which; others go on meanwhile.
            way: "in": a line of a routine that it calls counts; "over": it does not; "out": only
                lines count after the present routine has ended.
        """
        depth, here = len(process.calls), self.places[process.place]

        def reached(other: Process, instruction: int) -> bool:
            if other is not process:
                return False
            now = len(process.calls)
            if way == "out":
                return now < depth
            if now > depth:
                return way == "in"
            return now < depth or self.places[instruction] != here

        return self._forwards(reached)

    def _forwards(self, reached: Callable[[Process, int], bool] | None) -> RunStop:
        if self.status in {"done", "stopped", "failed"}:
            return RunStop("exception" if self.error else "done", self.processes[0])
        self._moments.forget_after(self.count)
        return self._guard(lambda: self._go(reached, skip=self.count))

    def _guard(self, act: Callable[[], RunStop]) -> RunStop:
        """Act; a fault ends the run, and it can be turned back from there."""
        self.status = "running"
        try:
            try:
                stop = act()
            except Fault as fault:
                process = self._turns.process or self.processes[0]
                self._fail(process, process.place, str(fault))
            except MotionRefused as refused:
                self._fail(self.processes[0], self.refused_at(refused), refused.reason)
        except ExecutionError as error:
            self.error, self.status = error, "failed"
            return RunStop("exception", self._turns.process or self.processes[0])
        if self.status == "running":
            self.status = "paused"
        self._pause = False  # what was asked for meanwhile; one that is asked for later counts
        return stop

    def _go(
        self,
        reached: Callable[[Process, int], bool] | None = None,
        *,
        skip: int = -1,
        target: int = -1,
        search: _Search | None = None,
    ) -> RunStop:
        """Carry out operations.

        Args:
            reached: Whether a process stops before an instruction; None: it does not.
            skip: Count at which nothing stops: the run has stopped there before.
            target: Count at which to stop, whatever happens; -1: none.
            search: What to note on the way, without stopping; None: breakpoints stop.
        """
        code, turns, stops = self._plain, self._turns, self._breakpoints
        looks = reached is not None or search is not None
        while True:
            process = self._next(target < 0)
            if process is None:
                reason: StopReason = "stopped" if self.status == "stopped" else "pause"
                return RunStop(reason, self._focus())
            place = process.place
            count, left = self.count, turns.left
            try:
                while left:
                    if count == target:
                        process.place = place
                        return RunStop("step", process)
                    if (looks or place in stops) and count != skip:
                        if turns.again.get(process) != place:
                            self.count, process.place = count, place
                            met = self._met(process, place, reached, search)
                            if met is not None:
                                return met
                        turns.again.pop(process, None)
                    at = place
                    place = code[place](process)
                    count += 1
                    left -= 1
                    if place < 0:
                        break
            except (Fault, MotionRefused):
                process.place = at
                raise
            finally:
                self.count, turns.left = count, left
            if place >= 0:
                process.place = place
            elif process.reason and process.place == at:
                turns.again[process] = at  # it tries once more when it goes on
            turns.process = None
            if self.status != "running":
                return RunStop("done" if self.status == "done" else "statement", process)

    def _next(self, may_pause: bool) -> Process | None:
        """Return the process whose operation is next, after time has passed; None: it was ended."""
        turns = self._turns
        while True:
            if self._stop:
                self._finish("stopped")
                return None
            process = turns.process
            if process is not None and turns.left and not process.is_done:
                return process
            while turns.waiting:
                process = turns.waiting.pop(0)
                if not process.is_done and process.can_go_on(self.machine.time):
                    turns.process, turns.left, turns.has_moved = process, SLICE, True
                    return process
            self.processes = [one for one in self.processes if not one.is_done]
            if not turns.has_moved:
                self._idle()
            elif self.each_round is not None:
                self.each_round()
            turns.process, turns.has_moved, turns.waiting = None, False, list(self.processes)
            if may_pause:
                if self._pause:
                    self._pause = False
                    return None
                if self._moments.is_due():
                    self._moments.keep(self._point())

    def _focus(self) -> Process:
        process = self._turns.process
        return self.processes[0] if process is None or process.is_done else process

    def _met(
        self,
        process: Process,
        place: int,
        reached: Callable[[Process, int], bool] | None,
        search: _Search | None,
    ) -> RunStop | None:
        """Return why a run stops before an instruction; None: it does not."""
        hits = self._hits(process, place) if place in self._breakpoints else ()
        if search is not None:
            if search.thread is None:
                is_found = bool(hits)
            else:
                mine = self.thread(process) == search.thread
                is_found = mine and self._begins(search, process, place)
            if is_found:
                search.found.append(self.count)
            return None
        if hits:
            return RunStop("breakpoint", process, hits)
        if reached is not None and reached(process, place):
            return RunStop("step", process)
        return None

    def _begins(self, search: _Search, process: Process, place: int) -> bool:
        """Return whether a process begins a line here; coming back from a call is no beginning."""
        depth, where = len(process.calls), self.places[place]
        lines = search.lines
        if not lines:  # the stretch begins here, perhaps in the middle of a line
            lines += [self.places[max(0, call.back - 1)] for call in process.calls]
            lines.append(where)
            return depth <= search.depth and self._starts[where] == place
        del lines[depth + 1 :]
        if len(lines) > depth and lines[depth] == where:
            return False
        lines[depth:] = [where]
        return depth <= search.depth

    def _hits(self, process: Process, place: int) -> tuple[Breakpoint, ...]:
        found = []
        times = self._turns.times
        for one in self._breakpoints.get(place, ()):
            if one.condition is not None and not one.condition(process):
                continue
            times[one] = times.get(one, 0) + 1
            if one.is_due is not None and not one.is_due(times[one]):
                continue
            if one.message is None:
                found.append(one)
            elif self._log is not None and not self._silent:
                self._log(one.message(process))
        return tuple(found)

    # backwards

    def move_back(self, process: Process) -> RunStop:
        """Go back to where a process began the line before, in the same call or an outer one."""
        return self._backwards(self.thread(process), len(process.calls), "step")

    def resume_back(self) -> RunStop:
        """Go back to the last breakpoint that was met, or to the start."""
        return self._backwards(None, 0, "breakpoint")

    def _backwards(self, thread: int | None, depth: int, reason: StopReason) -> RunStop:
        end = self.count
        for point in self._moments.before(end):
            search = _Search(thread, depth)
            self._return(point)
            self._silently(end, search)
            earlier = [count for count in search.found if count < end]
            if earlier:
                return self.go_to(earlier[-1])._replace(reason=reason)
            end = point.moment.operations
        return self.go_to(0)

    def go_to(self, count: int) -> RunStop:
        """Go back to the moment before an operation, counted from the start of the run."""
        self._return(self._moments.at(count))
        if count == 0:
            self.status = "paused"
            return RunStop("start", self.processes[0])
        return self._silently(count, _Search(None, 0))

    def _silently(self, target: int, search: _Search) -> RunStop:
        """Run to an operation that was reached before; nobody hears of it."""
        self._silent = True
        try:
            return self._guard(lambda: self._go(target=target, search=search))
        finally:
            self._silent = False

    def changed(self) -> None:
        """Keep the present moment: a variable was set, which running from before would not do."""
        self._moments.forget_after(self.count)
        self._moments.keep(self._point())

    def _point(self) -> RunPoint:
        begin = time.perf_counter()
        moment = self.moment()
        return RunPoint(moment, self._turns.copied(), time.perf_counter() - begin)

    def _return(self, point: RunPoint) -> None:
        self.return_to(point.moment)
        self._turns = point.turns.copied()
        self._stop, self.error = False, None
