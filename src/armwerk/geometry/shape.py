"""What every solid shape has: a pose, a box around it, a volume, a distance to points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry.arguments import checked, length, off_rotation, transform_argument
from armwerk.geometry.rotation import ORTHONORMAL, rotate
from armwerk.geometry.transforms import transform

FieldReader: TypeAlias = Callable[[Any, str], object]  # each checks another kind of value
_Self = TypeVar("_Self", bound="Shape")


class Shape(ABC):
    """A solid that stands in a frame; frozen data, arrays read-only.

    Every shape has ``position`` [m], Shape (3,), ``rotation``, Shape (3, 3), and ``name``. They
    place the shape's own coordinates in the frame of whoever holds it (a link, the world).
    """

    __slots__ = ()
    position: Array
    rotation: Array
    name: str

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume [m³]."""

    @property
    @abstractmethod
    def bounds(self) -> Array:
        """Smallest axis-parallel box around the shape: lowest, highest corner [m]. Shape (2, 3)."""

    @abstractmethod
    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the shape's own coordinates. Shape (...)."""

    @property
    def pose(self) -> Array:
        """Transform from the shape's own coordinates. Shape (4, 4)."""
        return transform(self.rotation, self.position)

    def signed_distance(self, points: ArrayLike) -> Array:
        """Return distances of points (..., 3) to the surface [m], negative inside. Shape (...)."""
        x = checked(points, (3,), "points") - self.position
        return self.own_distance(rotate(self.rotation.T, x))

    def contains(self, points: ArrayLike) -> Flags:
        """Whether points (..., 3) are inside or on the surface. Shape (...)."""
        result: Flags = self.signed_distance(points) <= 0
        return result

    def moved(self: _Self, transform: ArrayLike) -> _Self:
        """Return the shape moved by a transform (4, 4), seen from the same frame.

        With T_world_link, a shape given in a link's frame becomes the same shape in world.
        """
        T = transform_argument(transform, "transform")
        position = T[:3, :3] @ self.position + T[:3, 3]
        return self._placed(position, T[:3, :3] @ self.rotation)

    def _placed(self: _Self, position: Array, rotation: Array) -> _Self:
        return replace(self, position=position, rotation=rotation)  # type: ignore[type-var]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = zip(_values(self), _values(other), strict=True)
        return all(np.array_equal(one, two) for one, two in pairs)

    def __hash__(self) -> int:
        parts = ((v + 0.0).tobytes() if isinstance(v, np.ndarray) else v for v in _values(self))
        return hash((type(self), *parts))


def _values(shape: Shape) -> list[Array | float | str]:
    return [getattr(shape, f.name) for f in fields(shape)] if is_dataclass(shape) else []


def fill_fields(shape: Shape, name: str, **given: tuple[object, FieldReader]) -> None:
    """Fill the fields of a new shape.

    Args:
        shape: The instance, from its ``__init__``.
        name: Name of the shape.
        **given: For each further field the value given and the function (value, field name)
            that checks it and returns what is to be kept.

    Raises:
        DescriptionError: Naming kind, name and field of the shape.
    """
    kind = type(shape).__name__.lower()
    if not isinstance(name, str):
        raise DescriptionError("not a text", element=f"{kind}, name", value=name)
    object.__setattr__(shape, "name", name)
    for field, (value, reader) in given.items():
        try:
            object.__setattr__(shape, field, reader(value, field))
        except DescriptionError as error:
            raise error.at(None, within=f"{kind} '{name}'" if name else kind) from None


def array_field(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a read-only float64 copy; -1 in ``shape`` stands for any number above 0."""
    try:
        array = checked(value, (), name, finite=False).copy()
    except ShapeError:
        array = np.zeros((0,))
    fits = array.ndim == len(shape) and all(
        have == want or (want == -1 and have > 0)
        for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("-1", "n")
        raise DescriptionError(
            "wrong shape", element=name, value=value, allowed=f"numbers of shape {wanted}"
        )
    if not np.isfinite(array).all():
        raise DescriptionError("not finite", element=name, value=value, allowed="finite numbers")
    array.setflags(write=False)
    return array


def vector_field(value: ArrayLike, name: str) -> Array:
    """Return a read-only vector. Shape (3,)."""
    return array_field(value, (3,), name)


def rotation_field(value: ArrayLike | None, name: str) -> Array:
    """Return a read-only rotation, identity for None. Shape (3, 3)."""
    array = array_field(np.eye(3) if value is None else value, (3, 3), name)
    if off_rotation(array) > ORTHONORMAL:
        raise DescriptionError(
            "not a rotation",
            element=name,
            value=array.tolist(),
            allowed=f"orthonormal within {ORTHONORMAL:g} and right-handed, or None",
        )
    return array


def positive_field(value: ArrayLike, name: str) -> float:
    """Return a length above 0 [m]."""
    number = float(array_field(value, (), name))
    if number <= 0:
        raise DescriptionError("not positive", element=name, value=value, allowed="above 0 m")
    return number


def length_field(value: ArrayLike, name: str) -> float:
    """Return a length of at least 0 [m]."""
    number = float(array_field(value, (), name))
    if number < 0:
        raise DescriptionError("negative", element=name, value=value, allowed="at least 0 m")
    return number


def size_field(value: ArrayLike, name: str) -> Array:
    """Return three lengths above 0 [m]. Shape (3,)."""
    sizes = vector_field(value, name)
    if (sizes <= 0).any():
        raise DescriptionError(
            "not positive", element=name, value=sizes.tolist(), allowed="three lengths above 0 m"
        )
    return sizes


def bounds_around(middle: Array, half: Array) -> Array:
    """Return lowest and highest corner, ``half`` to each side of ``middle``. Shape (2, 3)."""
    return np.stack([middle - half, middle + half])


def box_distance(beyond: Array) -> Array:
    """Return the signed distance to a box from how far points are beyond its pairs of sides."""
    inside: Array = np.minimum(beyond.max(axis=-1), 0.0)
    return length(np.maximum(beyond, 0.0)) + inside
