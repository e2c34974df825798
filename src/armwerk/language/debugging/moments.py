"""The moments of a run that are kept, so that it can go back to any place between them."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from armwerk.language.running.interpreter import RunMoment
from armwerk.language.running.process import Process

MOST = 200  # moments; the older ones are kept more and more thinly
APART = 0.02  # [s] of running between two of them, at least: as long as going back takes
SHARE = 20.0  # the run takes at least as many times as long as keeping its moments


@dataclass(slots=True, eq=False)
class Turns:
    """Whose turn it is.

    Args:
        process: The one that is at work; None: the next one is to be chosen.
        left: Operations that are left of its turn.
        waiting: Those that come after it in this round.
        has_moved: Whether any had a turn in this round.
        again: Instructions that processes wait in, and will try once more.
        times: How often each breakpoint was met.
    """

    process: Process | None = None
    left: int = 0
    waiting: list[Process] = field(default_factory=list)
    has_moved: bool = True
    again: dict[Process, int] = field(default_factory=dict)
    times: dict[Hashable, int] = field(default_factory=dict)

    def copied(self) -> Turns:
        """Return a copy that changes by itself."""
        return Turns(
            self.process,
            self.left,
            list(self.waiting),
            self.has_moved,
            dict(self.again),
            dict(self.times),
        )


class RunPoint(NamedTuple):
    """A moment that a debugger can go back to.

    Attributes:
        moment: Variables, processes and machine.
        turns: Whose turn it was.
        cost: How long keeping it took [s].
    """

    moment: RunMoment
    turns: Turns
    cost: float


class KeptMoments:
    """Moments in the order of the run.

    Args:
        first: The start of the run, which is always kept.
    """

    def __init__(self, first: RunPoint) -> None:
        self._points = [first]
        self._last = time.perf_counter()

    def is_due(self) -> bool:
        """Return whether the run has gone on so long that a moment should be kept."""
        passed = time.perf_counter() - self._last
        return passed > max(APART, SHARE * self._points[-1].cost)

    def keep(self, point: RunPoint) -> None:
        """Keep a moment that comes after all others."""
        self._points.append(point)
        if len(self._points) > MOST:
            half = MOST // 2
            self._points[1:half] = self._points[1:half:2]
        self._last = time.perf_counter()

    def forget_after(self, count: int) -> None:
        """Forget moments after an operation: the run goes on from there."""
        del self._points[max(1, bisect_right(self._points, count, key=_count)) :]
        self._last = time.perf_counter()

    def at(self, count: int) -> RunPoint:
        """Return the last moment up to an operation."""
        return self._points[max(0, bisect_right(self._points, count, key=_count) - 1)]

    def before(self, count: int) -> Iterator[RunPoint]:
        """Return moments before an operation, the last first."""
        return iter(self._points[: bisect_left(self._points, count, key=_count)][::-1])


def _count(point: RunPoint) -> int:
    return point.moment.operations
