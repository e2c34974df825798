"""Shapes round their own z axis: cylinder, cone, capsule.

``position`` is the middle of the axis, ``rotation`` None means that it points along z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.arguments import NO_LENGTH, checked, length
from armwerk.geometry.rotation import rotation_between
from armwerk.geometry.shape import (
    Shape,
    bounds_around,
    box_distance,
    fill_fields,
    length_field,
    positive_field,
    rotation_field,
    vector_field,
)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Cylinder(Shape):
    """A cylinder along its own z, from -length/2 to length/2.

    Args:
        radius: [m].
        length: Along the axis [m].
        position: Middle of the axis [m]. Shape (3,).
        rotation: Shape (3, 3). None: axis along z.
        name: For messages and for finding it again.
    """

    radius: float
    length: float
    position: Array
    rotation: Array
    name: str

    def __init__(
        self,
        radius: float,
        length: float,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            radius=(radius, positive_field),
            length=(length, positive_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )

    @classmethod
    def between(cls, start: ArrayLike, end: ArrayLike, radius: float, name: str = "") -> Cylinder:
        """Return the cylinder whose end discs have their centres at two points [m]."""
        middle, rotation, span = _axis(start, end, "cylinder", name)
        return cls(radius, span, middle, rotation, name)

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return np.pi * self.radius**2 * self.length

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        along = self.rotation[:, 2]
        return bounds_around(
            self.position, np.abs(along) * self.length / 2 + self.radius * _across(along)
        )

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the cylinder's own coordinates. Shape (...)."""
        beyond = [_radial(points) - self.radius, np.abs(points[..., 2]) - self.length / 2]
        return box_distance(np.stack(beyond, axis=-1))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Cone(Shape):
    """A cone along its own z, or the stump of one: ``radius`` at -length/2, ``top_radius`` at top.

    Args:
        radius: At the bottom, z = -length/2 [m]; 0 when the tip is there.
        length: Along the axis [m].
        top_radius: At the top, z = length/2 [m]; 0 for a whole cone.
        position: Middle of the axis [m]. Shape (3,).
        rotation: Shape (3, 3). None: tip towards +z.
        name: For messages and for finding it again.
    """

    radius: float
    length: float
    top_radius: float
    position: Array
    rotation: Array
    name: str

    def __init__(
        self,
        radius: float,
        length: float,
        top_radius: float = 0.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            radius=(radius, length_field),
            length=(length, positive_field),
            top_radius=(top_radius, length_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )
        if self.radius == self.top_radius == 0:
            raise DescriptionError(
                "both radii are 0 m",
                element=f"cone '{self.name}', radius" if self.name else "cone, radius",
                allowed="at least one above 0 m",
            )

    @classmethod
    def between(
        cls,
        start: ArrayLike,
        end: ArrayLike,
        radius: float,
        top_radius: float = 0.0,
        name: str = "",
    ) -> Cone:
        """Return the cone with ``radius`` about start and ``top_radius`` about end [m]."""
        middle, rotation, span = _axis(start, end, "cone", name)
        return cls(radius, span, top_radius, middle, rotation, name)

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        bottom, top = self.radius, self.top_radius
        return np.pi / 3 * self.length * (bottom**2 + bottom * top + top**2)

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        along = self.rotation[:, 2]
        half = along * self.length / 2
        bottom = bounds_around(self.position - half, self.radius * _across(along))
        top = bounds_around(self.position + half, self.top_radius * _across(along))
        return np.stack([np.minimum(bottom[0], top[0]), np.maximum(bottom[1], top[1])])

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the cone's own coordinates. Shape (...)."""
        half = self.length / 2
        point = np.stack([_radial(points), points[..., 2]], axis=-1)
        outline = np.array([[0, -half], [self.radius, -half], [self.top_radius, half], [0, half]])
        near = np.min([_to_segment(point, *outline[i : i + 2]) for i in range(3)], axis=0)
        share = (point[..., 1] + half) / self.length
        radius = self.radius + share * (self.top_radius - self.radius)
        inside = (share >= 0) & (share <= 1) & (point[..., 0] <= radius)
        result: Array = np.where(inside, -near, near)
        return result


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Capsule(Shape):
    """All points within ``radius`` of a segment along its own z: a cylinder with round ends.

    Args:
        radius: [m].
        length: Of the segment, without the round ends [m].
        position: Middle of the segment [m]. Shape (3,).
        rotation: Shape (3, 3). None: axis along z.
        name: For messages and for finding it again.
    """

    radius: float
    length: float
    position: Array
    rotation: Array
    name: str

    def __init__(
        self,
        radius: float,
        length: float,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            radius=(radius, positive_field),
            length=(length, length_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )

    @classmethod
    def between(cls, start: ArrayLike, end: ArrayLike, radius: float, name: str = "") -> Capsule:
        """Return the capsule about the segment between two points [m]."""
        middle, rotation, span = _axis(start, end, "capsule", name)
        return cls(radius, span, middle, rotation, name)

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return np.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    @property
    def ends(self) -> Array:
        """Both ends of the segment, the one at -z first [m]. Shape (2, 3)."""
        half = self.rotation[:, 2] * self.length / 2
        return np.stack([self.position - half, self.position + half])

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        along = np.abs(self.rotation[:, 2])
        return bounds_around(self.position, along * self.length / 2 + self.radius)

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the capsule's own coordinates. Shape (...)."""
        beyond = np.maximum(np.abs(points[..., 2]) - self.length / 2, 0.0)
        result: Array = np.hypot(_radial(points), beyond) - self.radius
        return result


def _axis(start: ArrayLike, end: ArrayLike, kind: str, name: str) -> tuple[Array, Array, float]:
    """Return middle, rotation and length of the axis between two points."""
    a, b = checked(start, (3,), "start"), checked(end, (3,), "end")
    span = float(length(b - a))
    if span < NO_LENGTH:
        raise DescriptionError(
            "both ends at one point",
            element=f"{kind} '{name}'" if name else kind,
            value=a.tolist(),
            allowed="two different points",
        )
    return (a + b) / 2, rotation_between((0.0, 0.0, 1.0), b - a), span


def _across(axis: Array) -> Array:
    """Return how far a unit disc across a unit axis reaches along x, y and z."""
    result: Array = np.hypot(np.roll(axis, -1), np.roll(axis, -2))
    return result


def _radial(points: Array) -> Array:
    result: Array = np.hypot(points[..., 0], points[..., 1])
    return result


def _to_segment(points: Array, start: Array, end: Array) -> Array:
    """Return distances of points to a segment, which may be a single point."""
    along = end - start
    square = float(along @ along)
    if square == 0:
        return length(points - start)
    share = np.clip((points - start) @ along / square, 0.0, 1.0)
    return length(points - start - share[..., None] * along)
