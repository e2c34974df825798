"""Curves in space by arc length: what comes in are points, what goes out are places and tangents.

They know nothing of time, orientation or arms.
"""

from __future__ import annotations

from armwerk.motion.curves.arc import Arc, arc_about, arc_through, full_circle, spiral
from armwerk.motion.curves.curve import NO_LENGTH, Curve, Line, Point
from armwerk.motion.curves.parametric import (
    ParametricCurve,
    bezier,
    interpolant,
    parametric,
    spline,
)
from armwerk.motion.curves.piecewise import Piecewise, bernstein, hermite

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
    "full_circle",
    "hermite",
    "interpolant",
    "parametric",
    "spiral",
    "spline",
]
