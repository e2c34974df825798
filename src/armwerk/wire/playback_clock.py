"""A clock that goes anywhere in a recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.protocol.viewing import ClockStatus
from armwerk.wire.clock import checked_speed

_HURRY = 50.0  # recorded per real time, for "as fast as possible"


class PlaybackClock:
    """Goes through a recording; begins at a halt. All methods may be called from any thread.

    Args:
        times: Of the recorded states, rising [s]. Shape (m,).
        now: Real time [s].
    """

    def __init__(self, times: Array, now: Callable[[], float] = time.monotonic) -> None:
        self._times = times
        self._now = now
        self._lock = threading.Lock()
        self._running = False
        self._speed = 1.0
        self._at = self.begin
        self._since = 0.0

    @property
    def begin(self) -> float:
        """Time of the first state [s]."""
        return float(self._times[0])

    @property
    def end(self) -> float:
        """Time of the last state [s]."""
        return float(self._times[-1])

    @property
    def time(self) -> float:
        """Where it is [s]."""
        with self._lock:
            return self._look()

    @property
    def status(self) -> ClockStatus:
        """How time goes."""
        with self._lock:
            at = self._look()
            if self._running:
                return ClockStatus("running", at, self._speed, self._rate, 0.0)
            return ClockStatus("paused", at, self._speed, 0.0, 0.0)

    def run(self) -> None:
        """Play; at the end, from the beginning."""
        with self._lock:
            at = self._look()
            self._set(self.begin if at >= self.end else at, True)

    def pause(self) -> None:
        """Stand."""
        with self._lock:
            self._set(self._look(), False)

    def reset(self) -> None:
        """Go to the beginning; play on, or stand, as before."""
        with self._lock:
            self._look()
            self._set(self.begin, self._running)

    def seek(self, seconds: float) -> None:
        """Go to a time [s], the nearest there is; play on, or stand, as before."""
        with self._lock:
            self._look()
            self._set(min(max(seconds, self.begin), self.end), self._running)

    def step(self, steps: int = 1) -> None:
        """Go some states on, or back, and stand.

        Raises:
            DescriptionError: For more than 100,000 states.
        """
        if isinstance(steps, bool) or not isinstance(steps, int) or abs(steps) > 100_000:
            raise DescriptionError(
                "out of range", element="steps", value=steps, allowed="-100000 to 100000"
            )
        with self._lock:
            at, times = self._look(), self._times
            if steps >= 0:
                index = int(np.searchsorted(times, at + 1e-9)) + steps - 1
            else:
                index = int(np.searchsorted(times, at - 1e-9)) + steps
            self._set(float(times[min(max(index, 0), len(times) - 1)]), False)

    def set_speed(self, speed: float) -> None:
        """Choose how fast it is played: recorded per real time; 0: fifty times.

        Raises:
            DescriptionError: For a speed below 0.001, except 0, or above 1000.
        """
        chosen = checked_speed(speed)
        with self._lock:
            self._set(self._look(), self._running)
            self._speed = chosen

    @property
    def _rate(self) -> float:
        return self._speed or _HURRY

    def _look(self) -> float:
        if self._running:
            at = self._at + (self._now() - self._since) * self._rate
            if at < self.end:
                return at
            self._set(self.end, False)
        return self._at

    def _set(self, at: float, running: bool) -> None:
        self._at, self._running, self._since = at, running, self._now()
