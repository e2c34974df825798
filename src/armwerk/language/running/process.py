"""A thread of a program: where it is, its calls, and what it waits for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from armwerk.language.running.closures import Frame, Writer
from armwerk.language.types import deep_copy

Reason: TypeAlias = Literal["", "time", "motion", "world", "semaphore"]


class CallRecord(NamedTuple):
    """Where a call goes on when it is done."""

    back: int
    frame: Frame
    outputs: tuple[tuple[int, Writer], ...]
    result: Writer | None
    routine: int


@dataclass(slots=True, eq=False)
class Process:
    """The statements of the program, or one of its processes.

    Args:
        routine: Which.
        place: The next instruction.
        frame: Variables of the present call.
        calls: Those that wait for the present one to end.
        is_done: Whether it has ended.
        reason: What it waits for; empty: nothing.
        ready: Whether it need wait no longer; None: only time counts.
        wake: When it goes on at the latest [s].
        is_late: Whether it was woken by time although it waited for something else.
        robots: Those it has moved.
        deadline: Of the wait that is under way [s]; None: there is none.
        traced: The line that was shown last.
    """

    routine: int
    place: int
    frame: Frame = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    is_done: bool = False
    reason: Reason = ""
    ready: Callable[[], bool] | None = None
    wake: float = math.inf
    is_late: bool = False
    robots: set[int] = field(default_factory=set)
    deadline: float | None = None
    traced: int = -1

    def block(
        self,
        place: int,
        reason: Reason,
        ready: Callable[[], bool] | None = None,
        wake: float = math.inf,
    ) -> int:
        """Let it wait, and go on at a place; return what an operation returns then."""
        self.place, self.reason, self.ready, self.wake = place, reason, ready, wake
        self.is_late = False
        return -1

    def can_go_on(self, time: float) -> bool:
        """Return whether it waits for nothing any more."""
        if not self.reason:
            return True
        if self.ready is not None and self.ready():
            self.reason = ""
            return True
        if time >= self.wake - 1e-9:
            self.is_late = self.ready is not None
            self.reason = ""
            return True
        return False

    def kept(self) -> ProcessMoment:
        """Return all that changes, for `restore`."""
        frames = {id(call.frame): call.frame for call in self.calls}
        frames[id(self.frame)] = self.frame
        return ProcessMoment(
            self,
            (self.routine, self.place, self.frame, self.is_done),
            (self.reason, self.ready, self.wake, self.is_late, self.deadline, self.traced),
            tuple(self.calls),
            frozenset(self.robots),
            tuple((frame, _copied(frame)) for frame in frames.values()),
        )

    def restore(self, moment: ProcessMoment) -> None:
        """Go back to a moment.

        Lists of variables stay the same objects, since what a process waits for reads them.
        """
        self.routine, self.place, self.frame, self.is_done = moment.where
        waits = moment.waits
        self.reason, self.ready, self.wake, self.is_late, self.deadline, self.traced = waits
        self.calls[:] = moment.calls
        self.robots.clear()
        self.robots.update(moment.robots)
        for frame, values in moment.frames:
            frame[:] = _copied(values)


class ProcessMoment(NamedTuple):
    """A process as it was.

    Attributes:
        process: Which.
        where: Routine, next instruction, variables of the present call, whether it has ended.
        waits: What it waits for, until when.
        calls: Those that wait for the present one to end.
        robots: Those it has moved.
        frames: Variables of each call, and what they held.
    """

    process: Process
    where: tuple[int, int, Frame, bool]
    waits: tuple[Reason, Callable[[], bool] | None, float, bool, float | None, int]
    calls: tuple[CallRecord, ...]
    robots: frozenset[int]
    frames: tuple[tuple[Frame, Frame], ...]


def _copied(frame: Frame) -> Frame:
    return [deep_copy(value) for value in frame]
