"""Mass and density, each from the other through the volume, with the units people write."""

from __future__ import annotations

import re
from typing import NamedTuple

from armwerk.errors import DescriptionError

WATER = 1000.0  # [kg/m³] what a thing is made of when nobody says
MASSES = {"kg": 1.0, "g": 1e-3}
DENSITIES = {"kg/m³": 1.0, "kg/m3": 1.0, "g/cm³": 1e3, "g/cm3": 1e3}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)\s*")


class MassAndDensity(NamedTuple):
    """What a thing weighs.

    Attributes:
        mass: [kg].
        density: [kg/m³]; infinite when the volume is 0.
    """

    mass: float
    density: float


def weight(
    volume: float, *, mass: float | None = None, density: float | None = None, element: str = ""
) -> MassAndDensity:
    """Return mass and density of a volume [m³], given one of them; neither: as water.

    Raises:
        DescriptionError: When both are given and do not agree, or a volume of 0 has no mass.
    """
    if mass is not None and density is not None:
        if abs(mass - density * volume) > 1e-6 * mass:
            raise DescriptionError(
                "mass and density do not agree with the volume",
                element=element,
                value=f"{mass:g} kg and {density:g} kg/m³ at {volume:.6g} m³",
                allowed="one of them; the other follows from the volume",
            )
        return MassAndDensity(mass, density)
    if mass is None:
        density = WATER if density is None else density
        mass = density * volume
        if mass <= 0:
            raise DescriptionError(
                "has no volume, so its mass cannot follow from a density",
                element=element,
                allowed="a mass, such as mass = 0.05 [kg]",
            )
        return MassAndDensity(mass, density)
    return MassAndDensity(mass, mass / volume if volume > 0 else float("inf"))


def quantity(value: object, units: dict[str, float], element: str) -> float:
    """Return a positive number in SI from a number (SI) or a text with its unit ("50 g").

    Raises:
        DescriptionError: For anything else.
    """
    first = next(iter(units))
    allowed = f"a number above 0 [{first}], or a text with its unit: {', '.join(units)}"
    number, factor = 0.0, 1.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    elif isinstance(value, str):
        match = _NUMBER.fullmatch(value)
        if match is None or match[2] not in units:
            raise DescriptionError("no quantity", element=element, value=value, allowed=allowed)
        number, factor = float(match[1]), units[match[2]]
    else:
        raise DescriptionError("no quantity", element=element, value=value, allowed=allowed)
    if not 0 < number * factor < 1e12:
        raise DescriptionError("out of range", element=element, value=value, allowed=allowed)
    return number * factor
