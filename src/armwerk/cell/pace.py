"""Simulated against real time."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Protocol

from armwerk.errors import DescriptionError
from armwerk.motion.limits import is_number

SLACK = 0.25  # [s] of real time that a late world makes up for; more is given up as lost
_NAP = 0.05  # [s] of the longest sleep in one piece, so that the user is heard in between
SHORT = 0.0005  # [s] not worth a sleep


class Clock(Protocol):
    """Real time, as a run sees it."""

    def now(self) -> float:
        """Return the time since some moment [s]."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass [s]."""
        ...


class RealClock:
    """The clock of the computer."""

    def now(self) -> float:
        """Return the time since some moment [s]."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait [s]."""
        time.sleep(seconds)


class FakeClock:
    """A clock for tests: time passes only in `sleep` and when ``time`` is set.

    Args:
        late: How much longer than asked every sleep takes [s], as real ones do.
    """

    def __init__(self, late: float = 0.0) -> None:
        self.time = 0.0  # [s]
        self.late = late
        self.slept: list[float] = []  # what was asked for [s]

    def now(self) -> float:
        """Return its time [s]."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Move its time on [s]."""
        self.slept.append(seconds)
        self.time += seconds + self.late


class Pace:
    """Keeps a world from running ahead of real time.

    Every moment is measured from one anchor, so rounding and late sleeps do not add up.

    Args:
        ratio: Simulated seconds per real second; 1: real time, 2: twice as quick.
        clock: Real time; None: that of the computer.
    """

    def __init__(self, ratio: float, clock: Clock | None = None) -> None:
        if not is_number(ratio) or not 0.0 < ratio < inf:
            raise DescriptionError(
                "out of range",
                element="pace",
                value=ratio,
                allowed="above 0 (1: real time), or None: as fast as possible",
            )
        self.ratio = float(ratio)
        self.clock: Clock = clock or RealClock()
        self.lost = 0.0  # [s] of real time by which the world is behind for good
        self._real = self._simulated = 0.0

    def start(self, simulated: float) -> None:
        """Begin to count at a simulated time [s], now."""
        self._real, self._simulated = self.clock.now(), simulated

    def keep(self, simulated: float, hurry: Callable[[], bool] = lambda: False) -> None:
        """Wait until a simulated time is due [s]; return at once when it is over already.

        Args:
            simulated: The time the world has reached [s].
            hurry: Asked between naps; the rest is not waited for once it says so.
        """
        due = self._real + (simulated - self._simulated) / self.ratio
        while True:
            early = due - self.clock.now()
            if early < SHORT or hurry():
                break
            self.clock.sleep(min(early, _NAP))
        if early < -SLACK:
            late = -early - SLACK
            self.lost += late
            self._real += late
