"""Bézier curves of any degree."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.curve import NO_LENGTH
from armwerk.motion.curves.parametric import ParametricCurve, parametric
from armwerk.motion.curves.piecewise import bernstein

MAX_POINTS = 12
"""Control points of one curve, its ends included: with more, the powers lose digits, and a spline
does better."""


def bezier(points: Array) -> ParametricCurve:
    """Return the Bézier curve of control points, driven by arc length.

    Three points make a quadratic, four a cubic curve.

    Args:
        points: Start, control points, end [m]. Shape (k, 3), k from 2 to `MAX_POINTS`.

    Raises:
        MotionError: For too few or too many points, for start equal to all others, for a cusp.
    """
    if not 2 <= len(points) <= MAX_POINTS:
        raise MotionError(
            f"a Bézier curve needs 2 to {MAX_POINTS} points, its ends included, got {len(points)}"
        )
    if np.linalg.norm(points - points[0], axis=1).max() < NO_LENGTH:
        raise MotionError(f"all points of the Bézier curve are equal: {points[0].tolist()} m")
    return parametric(bernstein(points).derivatives, np.array([0.0, 1.0]))
