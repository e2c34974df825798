"""Simulated against real time."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

from armwerk.errors import DescriptionError

SLACK = 0.25  # [s] of real time that a late world makes up for; more is given up as lost
_NAP = 0.05  # [s] of the longest sleep in one piece, so that the user is heard in between
_SHORT = 0.0005  # [s] not worth a sleep


class Pace:
    """Keeps a world from running ahead of real time.

    Every moment is measured from one anchor, so rounding and late sleeps do not add up.

    Args:
        ratio: Simulated seconds per real second; 1: real time, 2: twice as quick.
        clock: Real time [s].
        sleep: Waits for real time [s].
    """

    def __init__(
        self,
        ratio: float,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if isinstance(ratio, bool) or not 0.0 < ratio < inf:
            raise DescriptionError(
                "out of range",
                element="pace",
                value=ratio,
                allowed="above 0 (1: real time), or None: as fast as possible",
            )
        self.ratio = float(ratio)
        self.lost = 0.0  # [s] of real time by which the world is behind for good
        self._clock, self._sleep = clock, sleep
        self._real = self._simulated = 0.0

    def start(self, simulated: float) -> None:
        """Begin to count at a simulated time [s], now."""
        self._real, self._simulated = self._clock(), simulated

    def keep(self, simulated: float, hurry: Callable[[], bool] = lambda: False) -> None:
        """Wait until a simulated time is due [s]; return at once when it is over already.

        Args:
            simulated: The time the world has reached [s].
            hurry: Asked between naps; the rest is not waited for once it says so.
        """
        due = self._real + (simulated - self._simulated) / self.ratio
        while True:
            early = due - self._clock()
            if early < _SHORT or hurry():
                break
            self._sleep(min(early, _NAP))
        if early < -SLACK:
            late = -early - SLACK
            self.lost += late
            self._real += late
