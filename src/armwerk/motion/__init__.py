"""Motion: from where to where becomes when and how.

What comes in are joint values or poses, what goes out is a `Trajectory`: position, velocity,
acceleration and jerk at any time, within every limit. `ptp` moves joints; `Path` moves the tool
along curves.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# At once, since the function has the name of its module.
from armwerk.motion.ptp import ptp

if TYPE_CHECKING:
    from armwerk.motion.goals import Cylindrical, inclination_of, inclined_pose
    from armwerk.motion.laws import Law
    from armwerk.motion.limits import Limits
    from armwerk.motion.path import Path
    from armwerk.motion.path_piece import PathPiece
    from armwerk.motion.pieces import Extremes, Piece, Samples
    from armwerk.motion.pieces_line import LinePiece
    from armwerk.motion.pieces_polynomial import PolynomialPiece
    from armwerk.motion.pieces_sine import SinePiece
    from armwerk.motion.summary import Summary
    from armwerk.motion.trajectory import Notice, Trajectory

__all__ = [
    "Cylindrical",
    "Extremes",
    "Law",
    "Limits",
    "LinePiece",
    "Notice",
    "Path",
    "PathPiece",
    "Piece",
    "PolynomialPiece",
    "Samples",
    "SinePiece",
    "Summary",
    "Trajectory",
    "inclination_of",
    "inclined_pose",
    "ptp",
]

_HOMES = {
    "Cylindrical": "goals",
    "Extremes": "pieces",
    "Law": "laws",
    "Limits": "limits",
    "LinePiece": "pieces_line",
    "Notice": "trajectory",
    "Path": "path",
    "PathPiece": "path_piece",
    "Piece": "pieces",
    "PolynomialPiece": "pieces_polynomial",
    "Samples": "pieces",
    "SinePiece": "pieces_sine",
    "Summary": "summary",
    "Trajectory": "trajectory",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.motion.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'armwerk.motion' has no attribute '{name}'")
