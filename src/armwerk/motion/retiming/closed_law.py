"""What every law of a path can do, and the laws with a closed form among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.laws import Law

_TABLE = 2001


class TimeLaw(Protocol):
    """Arc length by time."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ...

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        ...

    def slowed(self, factor: float) -> TimeLaw:
        """Return the same motion taking ``factor`` times as long."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ClosedLaw:
    """A law of `armwerk.motion.laws` as the law of a path.

    Args:
        law: From rest to rest.
        length: Its length.
        stretch: How many times slower than planned it runs.
    """

    law: Law
    length: float
    stretch: float = 1.0

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration * self.stretch

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        out = np.stack(self.law.evaluate(times / self.stretch), axis=1)
        out /= self.stretch ** np.arange(4)
        out[:, 0] = np.clip(out[:, 0], 0.0, self.length)
        return out

    def about_when(self, s: Array) -> Array:
        """Return about the times at which arc lengths are passed [s]. Shape as s."""
        times = np.linspace(0.0, self.duration, _TABLE)
        return np.interp(s, self.evaluate(times)[:, 0], times)

    def slowed(self, factor: float) -> ClosedLaw:
        """Return the same motion taking ``factor`` times as long."""
        return ClosedLaw(self.law, self.length, self.stretch * factor)
