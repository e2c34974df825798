"""A solid or a surface made of triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags, Integers
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry.arguments import length
from armwerk.geometry.shape import Shape, array_field, fill_fields, rotation_field, vector_field

_MAX_VERTICES = 2**31  # products of two row numbers stay whole numbers of 64 bits
_PAIRS_AT_ONCE = 200_000  # pairs of point and triangle; bounds the memory to some tens of MB


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Mesh(Shape):
    """Triangles with outward normals by the right-hand rule; convex or not.

    Args:
        vertices: In the mesh's own coordinates [m]. Shape (n, 3).
        faces: Three rows of ``vertices`` for each triangle, counter-clockwise seen from outside.
            Shape (m, 3).
        position: Origin of the mesh's coordinates [m]. Shape (3,).
        rotation: Shape (3, 3). None: unturned.
        name: For messages and for finding it again.
    """

    vertices: Array
    faces: Integers
    position: Array
    rotation: Array
    name: str

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        fill_fields(
            self,
            name,
            vertices=(vertices, _vertices_field),
            faces=(faces, _faces_field),
            position=(position, vector_field),
            rotation=(rotation, rotation_field),
        )
        if self.faces.max() >= len(self.vertices):
            raise DescriptionError(
                f"vertex {self.faces.max()} does not exist",
                element=f"mesh '{self.name}', faces" if self.name else "mesh, faces",
                allowed=f"0 to {len(self.vertices) - 1}",
            )

    @property
    def triangles(self) -> Array:
        """Corners of all triangles in the mesh's own coordinates [m]. Shape (m, 3, 3)."""
        corners: Array = self.vertices[self.faces]
        return corners

    @property
    def is_closed(self) -> bool:
        """Whether every edge belongs to two triangles that run along it in opposite ways."""
        edges = np.concatenate([self.faces[:, [i, (i + 1) % 3]] for i in range(3)])
        forth = np.unique(edges @ (len(self.vertices), 1))
        back = np.unique(edges @ (1, len(self.vertices)))
        return len(forth) == len(edges) and np.array_equal(forth, back)

    @property
    def volume(self) -> float:
        """Volume [m³], by the sum of signed tetrahedra; negative when normals point inwards.

        Raises:
            UnsupportedError: When the mesh is not closed.
        """
        self._require_closed("volume")
        # Measured from a corner of the mesh, so that a far origin costs no digits.
        a, b, c = np.moveaxis(self.triangles - self.vertices[0], 1, 0)
        return float(np.vecdot(a, np.cross(b, c)).sum() / 6)

    @property
    def bounds(self) -> Array:
        """Lowest and highest corner of the axis-parallel box around it [m]. Shape (2, 3)."""
        used = self.vertices[np.unique(self.faces)] @ self.rotation.T + self.position
        return np.stack([used.min(axis=0), used.max(axis=0)])

    def own_distance(self, points: Array) -> Array:
        """Return signed distances of points in the mesh's own coordinates. Shape (...).

        Every point is held against every triangle: exact, and meant for meshes of moderate size.

        Raises:
            UnsupportedError: When the mesh is not closed.
        """
        self._require_closed("inside")
        flat = points.reshape(-1, 3)
        rows = max(1, _PAIRS_AT_ONCE // len(self.faces))
        result = np.zeros(len(flat))
        for start in range(0, len(flat), rows):
            corners = self.triangles - flat[start : start + rows, None, None, :]
            near = _distance_of_origin(corners).min(axis=-1)
            result[start : start + rows] = np.where(_encloses_origin(corners), -near, near)
        return result.reshape(points.shape[:-1])

    def _require_closed(self, what: str) -> None:
        if not self.is_closed:
            name = f"mesh '{self.name}'" if self.name else "mesh"
            raise UnsupportedError(
                f"{name} has no {what}: it is not closed (every edge must belong to two "
                "triangles that run along it in opposite ways)"
            )


def _vertices_field(value: ArrayLike, name: str) -> Array:
    return array_field(value, (-1, 3), name)


def _faces_field(value: ArrayLike, name: str) -> Integers:
    numbers = array_field(value, (-1, 3), name)
    if ((numbers != np.floor(numbers)) | (numbers < 0) | (numbers > _MAX_VERTICES)).any():
        raise DescriptionError(
            "not a row number", element=name, value=value, allowed="whole numbers from 0"
        )
    faces = numbers.astype(np.int64)
    twice = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    if twice.any():
        row = int(np.argmax(twice))
        raise DescriptionError(
            f"triangle {row} uses a vertex twice",
            element=name,
            value=faces[row].tolist(),
            allowed="three different vertices",
        )
    faces.setflags(write=False)
    return faces


def _distance_of_origin(corners: Array) -> Array:
    """Return distances of the origin to triangles (..., 3, 3), last axis x y z. Shape (...)."""
    a, b, c = np.moveaxis(corners, -2, 0)
    normal = np.cross(b - a, c - a)
    size = length(normal)
    near = np.min([_segment_of_origin(p, q) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    # The foot of the perpendicular is inside when it is left of all three sides.
    above = (size > 0) & (np.vecdot(normal, np.cross(a, b)) >= 0)
    above &= (np.vecdot(normal, np.cross(b, c)) >= 0) & (np.vecdot(normal, np.cross(c, a)) >= 0)
    height = np.abs(np.vecdot(normal, a)) / np.where(size > 0, size, 1.0)
    result: Array = np.where(above, np.minimum(height, near), near)
    return result


def _segment_of_origin(start: Array, end: Array) -> Array:
    along = end - start
    square = np.vecdot(along, along)
    share = np.clip(-np.vecdot(start, along) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return length(start + share[..., None] * along)


def _encloses_origin(corners: Array) -> Flags:
    """Whether closed meshes of triangles (..., m, 3, 3) go round the origin. Shape (...).

    The solid angles of all triangles add up to 4 pi inside and 0 outside; tan of half of one is
    det(a, b, c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
    """
    a, b, c = np.moveaxis(corners, -2, 0)
    la, lb, lc = length(a), length(b), length(c)
    volume = np.vecdot(a, np.cross(b, c))
    rest = la * lb * lc + np.vecdot(a, b) * lc + np.vecdot(b, c) * la + np.vecdot(c, a) * lb
    angle = 2 * np.arctan2(volume, rest).sum(axis=-1)
    result: Flags = np.abs(angle) > 2 * np.pi
    return result
