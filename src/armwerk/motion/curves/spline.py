"""Cubic splines through points: tangent and curvature go on across every point."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.curve import NO_LENGTH
from armwerk.motion.curves.parametric import ParametricCurve, parametric
from armwerk.motion.curves.piecewise import Piecewise

MAX_POINTS = 2000


def spline(points: Array) -> ParametricCurve:
    """Return the C2 cubic spline through points, driven by arc length.

    The parameter between two points is the square root of their distance (centripetal), which
    keeps the curve from looping where distances differ. Ends: not-a-knot; with two points it is
    the line, with three the parabola through them.

    Args:
        points: [m]. Shape (k, 3), k at least 2.

    Raises:
        MotionError: For fewer than 2 points, or equal neighbours.
    """
    if not 2 <= len(points) <= MAX_POINTS:
        raise MotionError(f"a spline needs 2 to {MAX_POINTS} points, got {len(points)}")
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if chords.min() < NO_LENGTH:
        k = int(np.argmin(chords))
        raise MotionError(f"points {k} and {k + 1} of the spline are equal: {points[k].tolist()} m")
    knots = np.append(0.0, np.cumsum(np.sqrt(chords)))
    return parametric(interpolant(knots, points).derivatives, knots, cells=6)


def interpolant(knots: Array, values: Array) -> Piecewise:
    """Return the cubic spline with values (k, d) at knots, not-a-knot at its ends."""
    from scipy.interpolate import CubicSpline

    fitted = CubicSpline(knots, values, bc_type="not-a-knot")
    coefficients = np.ascontiguousarray(np.moveaxis(fitted.c[::-1], 0, 1))
    return Piecewise(np.asarray(fitted.x), coefficients)
