"""A point that stays: the curve of a pure reorientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """p(s) = place; the parameter is the angle turned.

    Args:
        place: [m]. Shape (3,).
        length: Angle the tool turns by [rad].
    """

    place: Array
    length: float

    def evaluate(self, s: Array) -> Array:
        """Return the place, and zeros for its derivatives. Shape (m, 4, 3)."""
        out = np.zeros((len(s), 4, 3))
        out[:, 0] = self.place
        return out
