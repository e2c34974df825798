"""Numbers with units, as people write them in files: "660.4 mm", "-90 deg", "110 deg/s".

Everything inside armwerk is SI and radians; this is the door.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import Dimension, dimension, number

_NUMBER_AND_UNIT = re.compile(
    r"\s*((?>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))\s*([A-Za-z°][^+*()]*?)\s*"
)


def _scaled(factor: str) -> Callable[[str], float]:
    # in decimals, so that "660.4 mm" is the very float 0.6604
    return lambda digits: float(Decimal(digits) * Decimal(factor))


def _degrees(digits: str) -> float:
    return math.radians(float(digits))


_LENGTHS: dict[str, Callable[[str], float]] = {
    "m": float,
    "cm": _scaled("0.01"),
    "mm": _scaled("0.001"),
    "in": _scaled("0.0254"),
}
_ANGLES: dict[str, Callable[[str], float]] = {"rad": float, "deg": _degrees, "°": _degrees}


def _over_time(
    units: dict[str, Callable[[str], float]], time: str
) -> dict[str, Callable[[str], float]]:
    return {f"{unit}/{time}": change for unit, change in units.items()}


UNITS: dict[str, dict[str, Callable[[str], float]]] = {
    "length": _LENGTHS,
    "angle": _ANGLES,
    "speed": _over_time(_LENGTHS, "s"),
    "angular speed": _over_time(_ANGLES, "s"),
    "acceleration": _over_time(_LENGTHS, "s^2"),
    "angular acceleration": _over_time(_ANGLES, "s^2"),
    "jerk": _over_time(_LENGTHS, "s^3"),
    "angular jerk": _over_time(_ANGLES, "s^3"),
    "force": {"N": float},
    "torque": {"N m": float, "Nm": float},
    "mass": {"kg": float, "g": _scaled("0.001")},
    "time": {"s": float, "ms": _scaled("0.001")},
    "inertia": {"kg m^2": float},
    "number": {},
}
"""Quantity -> unit -> how to turn digits into SI."""

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
    try:
        return dimension(value, element)
    except DescriptionError as error:
        units = ", ".join(UNITS[quantity])
        if not (isinstance(value, str) and units and error.allowed):
            raise
        raise DescriptionError(
            error.problem,
            element=element,
            value=value,
            allowed=f"a number with a unit ({units}), or {error.allowed}",
        ) from None


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
        article = "an" if quantity[0] in "aeiou" else "a"
        raise DescriptionError(
            f"wrong unit '{unit}' for {article} {quantity}" if units else "takes no unit",
            element=element,
            value=text,
            allowed=known,
        )
    number(float(digits), element)
    return number(units[unit](digits), element)
