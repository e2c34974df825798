"""The straight line in joint space that one law runs along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.pieces.piece import Extremes, Samples, TrajectoryPiece


@dataclass(frozen=True, slots=True, eq=False)
class LinePiece:
    """All axes on the straight line q = start + direction · s(t).

    Args:
        start: Shape (n,).
        direction: What each axis moves while s grows by 1. Shape (n,).
        law: A piece with one axis, s(t).
    """

    start: Array
    direction: Array
    law: TrajectoryPiece

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self.start)

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        s, *rates = self.law.evaluate(times)
        return Samples(self.start + s * self.direction, *(rate * self.direction for rate in rates))

    def extremes(self) -> Extremes:
        """Return the exact largest values, those of the law times the direction."""
        along = self.law.extremes()
        ends = np.stack([along.lowest * self.direction, along.highest * self.direction])
        size = np.abs(self.direction)
        return Extremes(
            self.start + ends.min(axis=0),
            self.start + ends.max(axis=0),
            along.velocity * size,
            along.acceleration * size,
            along.jerk * size,
            along.exact,
        )
