"""The driver: the one loop in which simulated time passes.

Both `World.run` and ``armwerk run`` end up here. One turn of the loop is one physics step:

    runtime.step      orders, triggers, programs that are due, physics, zones, observers
    until             asked whether it is enough
    pace.keep         sleeps while the world is ahead of real time
    progress          about ten times per real second
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from math import inf
from types import FrameType
from typing import TYPE_CHECKING

from armwerk.cell.observers import Audience
from armwerk.cell.pace import Clock, Pace
from armwerk.cell.runtime import CellRuntime
from armwerk.cell.standstill import Standstill, can_others_send, waits
from armwerk.protocol import RunEnd
from armwerk.protocol.messages import WORLD

if TYPE_CHECKING:
    from armwerk.cell.world import World

_SWITCH = 1e-4  # [s]
_TELL = 0.1  # [s] of real time between two calls of ``progress``


class Driver:
    """Moves a world once, in the thread that calls it.

    Args:
        world: What is handed to those who ask and look.
        runtime: What is moved.
        clock: Real time.
        pace: Keeps it from running ahead; None: as fast as possible.
        audience: Who looks on.
        progress: Called about ten times per real second, and at the end.

    Attributes:
        end: Why the run ended.
        waits: What each robot's program waited for then; empty: nothing.
        wall: Real time it took [s].
        steps: Physics steps made.
    """

    def __init__(
        self,
        world: World,
        runtime: CellRuntime,
        clock: Clock,
        pace: Pace | None,
        audience: Audience,
        progress: Callable[[World], None] | None,
    ) -> None:
        self.end: RunEnd = "interrupted"
        self.waits: dict[int, str] = {}
        self.wall = 0.0
        self.steps = 0
        self.audience = audience
        self._world = world
        self._runtime = runtime
        self._clock = clock
        self._pace = pace
        self._progress = progress

    def run(self, max_steps: float, until: Callable[[World], bool] | None) -> None:
        """Go on until the steps are made, the condition holds, or the user wants to leave.

        Args:
            max_steps: Steps to make; infinite: until all programs have ended.
            until: Asked after every step.
        """
        runtime = self._runtime
        with runtime.drive(), Interrupts() as interrupts, self.audience.seated():
            begin, switching = self._clock.now(), sys.getswitchinterval()
            if self._pace is not None:
                # so long a thread that plans runs on whenever a step asks for Python's lock
                sys.setswitchinterval(min(switching, _SWITCH))
            runtime.scheduler.hurry_when(interrupts.happened)
            try:
                runtime.begin()
                runtime.is_running = True
                runtime.scheduler.is_paced = self._pace is not None
                if self._pace is not None:
                    self._pace.start(runtime.time)
                self.end = self._loop(max_steps, until, interrupts.happened)
                self.waits = {nr: waits(robot) for nr, robot in runtime.robots.items()}
                if self.end == "interrupted":
                    runtime.end(tuple(runtime.robots), "stopped")
            finally:
                runtime.is_running = runtime.scheduler.is_paced = False
                sys.setswitchinterval(switching)
                runtime.scheduler.hurry_when(None)
                self.wall = self._clock.now() - begin

    def _loop(
        self,
        max_steps: float,
        until: Callable[[World], bool] | None,
        interrupted: Callable[[], bool],
    ) -> RunEnd:
        runtime, pace, clock = self._runtime, self._pace, self._clock
        to_the_end = max_steps == inf and until is None
        standstill = Standstill(runtime) if to_the_end else None
        told = clock.now()
        epoch = runtime.epoch
        while self.steps < max_steps:
            if interrupted():
                return "interrupted"
            if to_the_end and not runtime.is_anybody_running():
                runtime.serve()  # the last words of the last program arrive too
                return "ended"
            if standstill is not None and standstill.look():
                if not can_others_send(runtime):
                    return "waiting"
                if not standstill.is_told:
                    standstill.is_told = True
                    runtime.report(WORLD, f"nobody can go on by himself: {self._who_waits()}")
            runtime.step()
            self.steps += 1
            if runtime.epoch != epoch:
                epoch = runtime.epoch
                if pace is not None:
                    pace.start(runtime.time)
            if until is not None and until(self._world):
                return "until"
            if pace is not None:
                pace.keep(runtime.time, interrupted)
            if clock.now() - told >= _TELL:
                told = clock.now()
                self.tell()
        return "interrupted" if interrupted() else "time"

    def _who_waits(self) -> str:
        robots = self._runtime.robots
        return "; ".join(f"robot {nr} {text}" for nr in robots if (text := waits(robots[nr])))

    def tell(self) -> None:
        """Show the world to those who look in real time."""
        self.audience.now_and_then()
        if self._progress is not None:
            self._progress(self._world)


class Interrupts:
    """While open, the first Ctrl-C is only remembered; a second one raises as usual.

    So it is heard between two steps instead of in the middle of one. Does nothing outside the main
    thread, or where somebody else listens to the signal.
    """

    def __init__(self) -> None:
        self._happened = False
        self._is_listening = False

    def happened(self) -> bool:
        """Whether the user wants to leave."""
        return self._happened

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._is_listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
            if self._is_listening:
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_listening:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._happened:
            raise KeyboardInterrupt
        self._happened = True
