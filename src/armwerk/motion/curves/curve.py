"""What every curve of a path can do: place and derivatives by arc length.

A curve knows nothing of time. Its parameter is its own arc length s [m], so that |p'(s)| = 1 and a
law for s is a law for the speed of the tool.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from armwerk.arrays import Array

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
