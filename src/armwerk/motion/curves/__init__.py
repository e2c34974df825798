"""Curves in space by arc length: what comes in are points, what goes out are places and tangents.

They know nothing of time, orientation or arms.
"""

from __future__ import annotations

from armwerk.motion.curves.arc import Arc, arc_about, arc_through
from armwerk.motion.curves.bezier import bezier
from armwerk.motion.curves.curve import NO_LENGTH, Curve
from armwerk.motion.curves.line import Line
from armwerk.motion.curves.parametric import ParametricCurve, parametric
from armwerk.motion.curves.piecewise import Piecewise, bernstein, hermite
from armwerk.motion.curves.point import Point
from armwerk.motion.curves.spiral import spiral
from armwerk.motion.curves.spline import interpolant, spline

__all__ = [
    "NO_LENGTH",
    "Arc",
    "Curve",
    "Line",
    "ParametricCurve",
    "Piecewise",
    "Point",
    "arc_about",
    "arc_through",
    "bernstein",
    "bezier",
    "hermite",
    "interpolant",
    "parametric",
    "spiral",
    "spline",
]
