"""Box, sphere and half-space.

``position`` is the middle of the shape, ``rotation`` None means unturned, ``name`` may stay empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    positive_field,
    rotation_field,
    size_field,
    vector_field,
)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Box(Shape):
    """A cuboid around ``position``.

    Args:
        size: Full lengths of the edges along its own x, y, z [m]. Shape (3,).
        position: Its middle [m]. Shape (3,).
        rotation: Shape (3, 3). None: edges parallel to the axes.
        name: For messages and for finding it again.
    """

    size: Array
    position: Array
    rotation: Array
    name: str

    def __init__(
        self,
        size: ArrayLike,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            size=(size, size_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return float(np.prod(self.size))

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        return bounds_around(self.position, np.abs(self.rotation) @ self.size / 2)

    @property
    def corners(self) -> Array:
        """The eight corners [m]; bit 0, 1, 2 of the row number: +x, +y, +z. Shape (8, 3)."""
        signs = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)]) - 0.5
        corners: Array = signs * self.size @ self.rotation.T + self.position
        return corners

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the box's own coordinates. Shape (...)."""
        return box_distance(np.abs(points) - self.size / 2)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Sphere(Shape):
    """A ball around ``position``.

    Args:
        radius: [m].
        position: Its middle [m]. Shape (3,).
        name: For messages and for finding it again.
        rotation: Shape (3, 3); changes nothing but the pose. None: unturned.
    """

    radius: float
    position: Array
    name: str
    rotation: Array

    def __init__(
        self,
        radius: float,
        position: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "",
        rotation: ArrayLike | None = None,
    ) -> None:
        fill_fields(
            self,
            name,
            radius=(radius, positive_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return 4 / 3 * np.pi * self.radius**3

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        return bounds_around(self.position, np.full(3, self.radius))

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the sphere's own coordinates. Shape (...)."""
        return length(points) - self.radius


@dataclass(frozen=True, slots=True, eq=False, init=False)
class HalfSpace(Shape):
    """Everything behind a plane: solid where normal·(x - position) <= 0.

    Args:
        normal: Points out of the solid; made a unit vector. Shape (3,).
        position: Any point of the plane [m]. Shape (3,).
        name: For messages and for finding it again.
    """

    normal: Array
    position: Array
    name: str

    def __init__(
        self,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        position: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            normal=(normal, _unit_field),
            position=(position, vector_field),
        )

    @classmethod
    def through(
        cls, first: ArrayLike, second: ArrayLike, third: ArrayLike, name: str = ""
    ) -> HalfSpace:
        """Return the half-space whose plane goes through three points [m].

        Seen from outside the solid the points run counter-clockwise.
        """
        a, b, c = (
            checked(point, (3,), name)
            for point, name in ((first, "first"), (second, "second"), (third, "third"))
        )
        across = np.cross(b - a, c - a)
        if length(across) <= 1e-12 * length(b - a) * length(c - a):
            raise DescriptionError(
                "three points on one line",
                element=f"halfspace '{name}'" if name else "halfspace",
                value=[a.tolist(), b.tolist(), c.tolist()],
                allowed="points that span a plane",
            )
        return cls(across, a, name)

    @property
    def rotation(self) -> Array:  # type: ignore[override]
        """A rotation whose z axis is the normal. Shape (3, 3)."""
        return rotation_between((0.0, 0.0, 1.0), self.normal)

    @property
    def offset(self) -> float:
        """Distance of the plane from the origin along the normal [m] (Hesse form)."""
        return float(self.normal @ self.position)

    @property
    def volume(self) -> float:
        """Infinite."""
        return np.inf

    @property
    def bounds(self) -> Array:
        """Infinite, but for the one side of a plane across a coordinate axis. Shape (2, 3)."""
        bounds = np.array([[-np.inf] * 3, [np.inf] * 3])
        for axis in range(3):
            if np.abs(self.normal[axis]) == 1:
                bounds[int(self.normal[axis] > 0), axis] = self.position[axis]
        return bounds

    def own_distance(self, points: Array) -> Array:
        """Return heights of points above the plane in its own coordinates. Shape (...)."""
        return points[..., 2]

    def signed_distance(self, points: ArrayLike) -> Array:
        """Return heights of points (..., 3) above the plane [m], negative inside. Shape (...)."""
        x = checked(points, (3,), "points") - self.position
        result: Array = np.vecdot(x, self.normal)
        return result

    def _placed(self, position: Array, rotation: Array) -> HalfSpace:
        return replace(self, position=position, normal=rotation[:, 2])


def _unit_field(value: ArrayLike, name: str) -> Array:
    vector = vector_field(value, name)
    size = length(vector)
    if size < NO_LENGTH:
        raise DescriptionError(
            "has no direction",
            element=name,
            value=vector.tolist(),
            allowed="a vector that is not zero",
        )
    return vector_field(vector / size, name)
