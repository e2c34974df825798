"""What a TOML file says about the objects of a scene; SI units, headings in degrees.

[scene]
file = "hall.glb"          # the meshes; left out: the file of the same name beside this one
unit = 0.1                 # metres in one unit of the mesh file
[objects."cylinder 1"]
type = "movable"           # immovable, movable, robot, robot with gripper
mass = "50 g"              # or density = "0.8 g/cm³"; numbers are kg and kg/m³
friction = 0.5
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias, get_args

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.files.weight import DENSITIES, MASSES, quantity

ObjectType: TypeAlias = Literal["immovable", "movable", "robot", "robot with gripper"]
TYPES: tuple[ObjectType, ...] = get_args(ObjectType)


@dataclass(frozen=True, slots=True, eq=False)
class ObjectAttributes:
    """What is said about one object; None: nothing, the default holds.

    Args:
        type: What it is.
        mass: [kg].
        density: [kg/m³].
        friction: 0 to 1.
        bounce: Share of the speed kept at a rebound, 0 to 1.
        rolling: By how much a rolling ball slows down [m/s²].
        active: Whether a robot does what its program says.
        program: Name of a robot's program.
        position: In the world [m]. Shape (3,).
        rotation: Unit quaternion w, x, y, z in the world. Shape (4,).
        heading: Where a robot looks, counter-clockwise from x [rad]; instead of a rotation.
        colour: Six hex digits.
        base: Of a robot: ``kind`` and the fields of its class.
        sensors: Of a robot: ``reach``, ``deviation`` …, for all of them.
        gripper: Of a robot: ``force``, ``lift`` …
        reports: Of a robot: what its program is told.
    """

    type: ObjectType | None = None
    mass: float | None = None
    density: float | None = None
    friction: float | None = None
    bounce: float | None = None
    rolling: float | None = None
    active: bool | None = None
    program: str | None = None
    position: Array | None = None
    rotation: Array | None = None
    heading: float | None = None
    colour: str | None = None
    base: Mapping[str, object] = field(default_factory=dict)
    sensors: Mapping[str, object] = field(default_factory=dict)
    gripper: Mapping[str, object] = field(default_factory=dict)
    reports: Mapping[str, object] = field(default_factory=dict)

    def over(self, other: ObjectAttributes) -> ObjectAttributes:
        """Return these attributes, and those of another where these say nothing.

        A mass given here also takes the place of the other's density, a rotation of its heading.
        """
        said: dict[str, object] = {}
        for item in fields(self):
            own, below = getattr(self, item.name), getattr(other, item.name)
            said[item.name] = {**below, **own} if isinstance(own, Mapping) else own
            if own is None:
                said[item.name] = below
        for one, two in (("mass", "density"), ("rotation", "heading")):
            if (getattr(self, one) is None) != (getattr(self, two) is None):
                said[one], said[two] = getattr(self, one), getattr(self, two)
        return ObjectAttributes(**said)  # type: ignore[arg-type]


_TABLES = {"base", "sensors", "gripper", "reports"}


def object_attributes(table: object, element: str) -> ObjectAttributes:
    """Return what one table says.

    Raises:
        DescriptionError: Naming the key that is wrong.
        UnknownNameError: For a key that objects do not have.
    """
    if not isinstance(table, Mapping):
        raise DescriptionError("no table", element=element, value=table, allowed="key = value")
    known = [item.name for item in fields(ObjectAttributes)]
    said: dict[str, object] = {}
    for key, value in table.items():
        if key not in known:
            raise UnknownNameError(f"attribute ({element})", str(key), known)
        said[key] = _value(str(key), value, f"{element}, {key}")
    if "mass" in said and "density" in said:
        raise DescriptionError(
            "has both a mass and a density",
            element=element,
            allowed="one of them; the other follows from the volume",
        )
    if "rotation" in said and "heading" in said:
        raise DescriptionError("has both a rotation and a heading", element=element)
    return ObjectAttributes(**said)  # type: ignore[arg-type]


def _value(key: str, value: object, element: str) -> object:
    if key == "mass":
        return quantity(value, MASSES, element)
    if key == "density":
        return quantity(value, DENSITIES, element)
    if key == "type":
        if value not in TYPES:
            raise DescriptionError(
                "unknown type", element=element, value=value, allowed=", ".join(TYPES)
            )
        return value
    if key in {"friction", "bounce"}:
        return number(value, element, 0.0, 1.0)
    if key == "rolling":
        return number(value, element, 0.0, 1e3, "m/s²")
    if key == "heading":
        return float(np.deg2rad(number(value, element, -1e4, 1e4, "deg")))
    if key == "active":
        return flag(value, element)
    if key == "position":
        return numbers(value, 3, element, "m")
    if key == "rotation":
        return _quaternion(value, element)
    if key == "colour":
        return _colour(value, element)
    if key in _TABLES:
        if not isinstance(value, Mapping):
            raise DescriptionError("no table", element=element, value=value)
        return dict(value)
    return text(value, element)


def number(value: object, element: str, low: float, high: float, unit: str = "") -> float:
    """Return a number within bounds.

    Raises:
        DescriptionError: For anything else.
    """
    allowed = f"{low:g} to {high:g} {unit}".strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DescriptionError("no number", element=element, value=value, allowed=allowed)
    if not low <= value <= high:
        raise DescriptionError("out of range", element=element, value=value, allowed=allowed)
    return float(value)


def numbers(value: object, count: int, element: str, unit: str) -> Array:
    """Return a row of finite numbers. Shape (count,)."""
    allowed = f"{count} numbers [{unit}]" if unit else f"{count} numbers"
    if not isinstance(value, list | tuple) or len(value) != count:
        raise DescriptionError("wrong length", element=element, value=value, allowed=allowed)
    return np.array([number(one, element, -1e6, 1e6, unit) for one in value])


def flag(value: object, element: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise DescriptionError("no yes or no", element=element, value=value, allowed="true, false")
    return value


def text(value: object, element: str) -> str:
    """Return a text of one line."""
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise DescriptionError("no text", element=element, value=value, allowed="a line of text")
    return value


def _quaternion(value: object, element: str) -> Array:
    row = numbers(value, 4, element, "")
    size = float(np.linalg.norm(row))
    if abs(size - 1) > 1e-3:
        raise DescriptionError(
            "no unit quaternion", element=element, value=value, allowed="w, x, y, z of length 1"
        )
    return np.asarray(row / size, dtype=np.float64)


def _colour(value: object, element: str) -> str:
    digits = text(value, element).removeprefix("#")
    if len(digits) != 6 or any(letter not in "0123456789abcdefABCDEF" for letter in digits):
        raise DescriptionError(
            "no colour", element=element, value=value, allowed="six hex digits, such as '3A6EA5'"
        )
    return digits.upper()
