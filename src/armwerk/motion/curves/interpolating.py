"""A spline through points, and its rates; without scipy, which takes longer to load than to use.

In: places and values. Out: `InterpolatingSpline`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.splines import spline_coefficients, spline_rates


class InterpolatingSpline(NamedTuple):
    """A spline as B-splines.

    Args:
        knots: Shape (m + degree + 1,).
        degree: Of the polynomials between them.
        coefficients: Shape (m, d).
    """

    knots: Array
    degree: int
    coefficients: Array

    def rates(self, at: Array) -> Array:
        """Return value and first to third derivative. Shape (k, 4, d)."""
        at = np.ascontiguousarray(at, dtype=np.float64)
        return spline_rates(self.knots, self.degree, self.coefficients, at)


def interpolating_spline(places: Array, values: Array, degree: int) -> InterpolatingSpline:
    """Return the spline through values (m, d) at rising places (m,), not-a-knot at its ends.

    Args:
        places: Shape (m,), m more than the degree.
        values: Shape (m, d).
        degree: 3 or 5.
    """
    places = np.ascontiguousarray(places, dtype=np.float64)
    half = (degree + 1) // 2
    ends = np.repeat(places[[0, -1]], degree + 1)
    knots = np.concatenate(
        [ends[: degree + 1], places[half : len(places) - half], ends[degree + 1 :]]
    )
    values = np.ascontiguousarray(values, dtype=np.float64)
    found = spline_coefficients(knots, degree, places, values)
    return InterpolatingSpline(knots, degree, found)
