"""Ramps: how the speed of an axis changes from one value to another in the least time.

A ramp begins and ends without acceleration and is symmetric about its middle, so that it covers
the mean of its two speeds times its duration. How long a change x takes is all that the planning
of an axis needs to know of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Protocol


class Ramp(Protocol):
    """The quickest change of speed within limits of acceleration and jerk."""

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        ...

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least; the change is not negative."""
        ...

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time, the inverse of `time`."""
        ...

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the phases of a change, of either sign, that takes ``time``."""
        ...


@dataclass(frozen=True, slots=True)
class SineRamp:
    """a(t) = A sin²(π t / T): change of speed A T / 2, largest jerk π A / T.

    So that T is the larger of 2 x / a_max and sqrt(2 π x / j_max). Phases are (duration, change).
    """

    acceleration: float
    jerk: float

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        return 0.5 * pi * self.acceleration**2 / self.jerk

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least."""
        return max(2.0 * change / self.acceleration, sqrt(2.0 * pi * change / self.jerk))

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time."""
        return min(0.5 * self.acceleration * time, time * time * self.jerk / (2.0 * pi))

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the one phase (duration, change of speed)."""
        return [(time, change)]


@dataclass(frozen=True, slots=True)
class TrapezoidRamp:
    """Jerk j, 0, -j: T = x / a_max + a_max / j_max, or 2 sqrt(x / j_max) when a_max is not met.

    Phases are (duration, jerk).
    """

    acceleration: float
    jerk: float

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        return self.acceleration**2 / self.jerk

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least."""
        if change >= self.kink:
            return change / self.acceleration + self.acceleration / self.jerk
        return 2.0 * sqrt(change / self.jerk)

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time."""
        rise = self.acceleration / self.jerk
        if time >= 2.0 * rise:
            return (time - rise) * self.acceleration
        return 0.25 * time * time * self.jerk

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the phases (duration, jerk); longer than needed is the same shape, stretched."""
        size = abs(change)
        if size == 0.0 or time <= 0.0:
            return [(max(time, 0.0), 0.0)]
        minimum = self.time(size)
        rise = min(self.acceleration / self.jerk, 0.5 * minimum) * time / minimum
        hold = max(time - 2.0 * rise, 0.0)
        jerk = change / (rise * (rise + hold))
        return [(rise, jerk), (hold, 0.0), (rise, -jerk)]
