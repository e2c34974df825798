"""Numbers with units, as people write them in files: "660.4 mm", "-90 deg", "110 deg/s".

Everything inside armwerk is SI and radians; this is the door.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import Dimension, dimension, number

_NUMBER_AND_UNIT = re.compile(
    r"\s*((?>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))\s*([A-Za-z][^+*()]*?)\s*"
)


def _per(divisor: float) -> Callable[[float], float]:
    # dividing 660.4 by 1000 rounds once and gives 0.6604; multiplying by 0.001 rounds twice
    return lambda value: value / divisor


def _same(value: float) -> float:
    return value


_LENGTHS: dict[str, Callable[[float], float]] = {
    "m": _same,
    "cm": _per(100.0),
    "mm": _per(1000.0),
    "in": lambda value: value * 25.4 / 1000.0,
}
_ANGLES: dict[str, Callable[[float], float]] = {"rad": _same, "deg": math.radians}


def _over_time(
    units: dict[str, Callable[[float], float]], time: str
) -> dict[str, Callable[[float], float]]:
    return {f"{unit}/{time}": change for unit, change in units.items()}


UNITS: dict[str, dict[str, Callable[[float], float]]] = {
    "length": _LENGTHS,
    "angle": _ANGLES,
    "speed": _over_time(_LENGTHS, "s"),
    "angular speed": _over_time(_ANGLES, "s"),
    "acceleration": _over_time(_LENGTHS, "s^2"),
    "angular acceleration": _over_time(_ANGLES, "s^2"),
    "jerk": _over_time(_LENGTHS, "s^3"),
    "angular jerk": _over_time(_ANGLES, "s^3"),
    "force": {"N": _same},
    "torque": {"N m": _same, "Nm": _same},
    "mass": {"kg": _same, "g": _per(1000.0)},
    "time": {"s": _same, "ms": _per(1000.0)},
    "inertia": {"kg m^2": _same},
    "number": {},
}
"""Quantity -> unit -> how to turn a value into SI."""

QUANTITIES = {
    "revolute": {
        "limits": "angle",
        "max_velocity": "angular speed",
        "max_acceleration": "angular acceleration",
        "max_jerk": "angular jerk",
        "max_force": "torque",
        "coulomb_friction": "torque",
    },
    "prismatic": {
        "limits": "length",
        "max_velocity": "speed",
        "max_acceleration": "acceleration",
        "max_jerk": "jerk",
        "max_force": "force",
        "coulomb_friction": "force",
    },
}
"""Kind of joint -> field -> quantity, for the fields whose unit depends on the kind."""


def dimension_in(value: object, quantity: str, element: str) -> Dimension:
    """Return a number, a text with a unit, or an expression as a dimension in SI.

    Args:
        value: 0.6604, "660.4 mm", "pi/2", "a1 + 0.1". A plain number is SI already.
        quantity: Key of `UNITS`.
        element: What the value is, for the error message.

    Raises:
        DescriptionError: For a unit of the wrong sort, or a text that is no dimension.
    """
    if isinstance(value, str):
        found = _NUMBER_AND_UNIT.fullmatch(value)
        if found:
            return _converted(found.group(1), found.group(2), quantity, element, value)
    return dimension(value, element)


def number_in(value: object, quantity: str, element: str) -> float:
    """Return ``value`` like `dimension_in`, but refuse symbols."""
    result = dimension_in(value, quantity, element)
    if isinstance(result, str):
        raise DescriptionError(
            "not a number", element=element, value=value, allowed="a number, no symbols"
        )
    return result


def _converted(digits: str, unit: str, quantity: str, element: str, text: str) -> float:
    units = UNITS[quantity]
    unit = " ".join(unit.replace("²", "^2").replace("³", "^3").split())
    if unit not in units:
        known = ", ".join(units) or "no unit"
        raise DescriptionError(
            f"wrong unit '{unit}' for a {quantity}" if units else "takes no unit",
            element=element,
            value=text,
            allowed=known,
        )
    return number(units[unit](float(digits)), element)
