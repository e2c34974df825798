"""What every curve of a path can do: place and derivatives by arc length; the point and the line.

A curve knows nothing of time. Its parameter is its own arc length s [m], so that |p'(s)| = 1 and a
law for s is a law for the speed of the tool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError

NO_LENGTH = 1e-9
"""[m] below which two points count as one: a thousandth of what a path must keep to."""


@runtime_checkable
class Curve(Protocol):
    """A curve in space, parametrised by arc length."""

    @property
    def length(self) -> float:
        """Arc length [m]; for a point that only turns, the angle it is given [rad]."""
        ...

    def evaluate(self, s: Array) -> Array:
        """Return p, p', p'', p''' by arc length.

        Args:
            s: Arc lengths in 0 … length [m]. Shape (m,).

        Returns:
            Position [m], tangent [1], curvature vector [1/m], its derivative [1/m²].
            Shape (m, 4, 3).
        """
        ...


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
        way = self.end - self.start
        return math.sqrt(float(way @ way))

    def evaluate(self, s: Array) -> Array:
        """Return p, p', p'', p''' by arc length. Shape (m, 4, 3)."""
        direction = (self.end - self.start) / self.length
        out = np.zeros((len(s), 4, 3))
        out[:, 0] = self.start + s[:, None] * direction
        out[:, 1] = direction
        return out
