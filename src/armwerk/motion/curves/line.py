"""The straight line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.curve import NO_LENGTH


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """p(s) = start + s direction.

    Args:
        start: [m]. Shape (3,).
        end: [m]. Shape (3,).
    """

    start: Array
    end: Array

    def __post_init__(self) -> None:
        if self.length < NO_LENGTH:
            raise MotionError(
                f"a line needs two different points, got {self.start.tolist()} m twice"
            )

    @property
    def length(self) -> float:
        """Distance of the end points [m]."""
        return float(np.linalg.norm(self.end - self.start))

    def evaluate(self, s: Array) -> Array:
        """Return p, p', p'', p''' by arc length. Shape (m, 4, 3)."""
        direction = (self.end - self.start) / self.length
        out = np.zeros((len(s), 4, 3))
        out[:, 0] = self.start + s[:, None] * direction
        out[:, 1] = direction
        return out
