"""Numbers for people: metres or millimetres, degrees or radians, and how many digits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from armwerk.robot.dimension import Dimension


@dataclass(frozen=True, slots=True)
class Units:
    """What lengths and angles are shown and read in.

    Args:
        degrees: Angles in degrees; else radians.
        millimetres: Lengths in millimetres; else metres.
    """

    degrees: bool = True
    millimetres: bool = False

    @property
    def angle(self) -> str:
        """Name of the unit of angles."""
        return "deg" if self.degrees else "rad"

    @property
    def length(self) -> str:
        """Name of the unit of lengths."""
        return "mm" if self.millimetres else "m"

    def scale(self, kind: str) -> float:
        """Return what a value of a joint ``kind`` [rad or m] is multiplied by."""
        if kind == "prismatic":
            return 1000.0 if self.millimetres else 1.0
        return 180.0 / math.pi if self.degrees else 1.0

    def name(self, kind: str) -> str:
        """Return the unit of a joint ``kind``'s variable."""
        return self.length if kind == "prismatic" else self.angle

    def digits(self, kind: str) -> int:
        """Return how many decimals are worth showing: a thousandth of a millimetre, about."""
        if kind == "prismatic":
            return 3 if self.millimetres else 6
        return 4 if self.degrees else 6

    def text(self, value: Dimension | None, kind: str, fixed: bool = False) -> str:
        """Return a length ("prismatic") or angle ("revolute") as text; symbols as they are.

        Args:
            value: In radians or metres; None: "-".
            kind: Which of the two it is.
            fixed: Keep trailing zeros, for columns of measured numbers.
        """
        if value is None:
            return "-"
        if isinstance(value, str):
            return value
        return plain(value * self.scale(kind), self.digits(kind), fixed)


def plain(value: float, digits: int, fixed: bool = False) -> str:
    """Return a number with at most ``digits`` decimals, without the sign of a zero."""
    text = f"{value:.{digits}f}"
    if not fixed and "." in text:
        text = text.rstrip("0").rstrip(".")
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text


def short(value: float, digits: int = 4) -> str:
    """Return a number with ``digits`` significant figures and no needless zeros."""
    return f"{value:.{digits}g}"


def small(value: float) -> str:
    """Return a residual: one figure and the power of ten; "0" when exactly zero, "-" for nan."""
    if math.isnan(value):
        return "-"
    return "0" if value == 0 else f"{value:.0e}" if value < 1e-3 else f"{value:.3g}"
