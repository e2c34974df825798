"""What a mesh file holds, as plain data: a tree of named groups of triangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Integers

MOST_BYTES = 64 * 2**20  # of a mesh file
MOST_TRIANGLES = 1_000_000
MOST_GROUPS = 20_000
MOST_DEPTH = 40  # groups within groups


@dataclass(frozen=True, slots=True, eq=False)
class Triangulation:
    """Triangles as a file has them, in its unit; nothing is checked yet.

    Args:
        vertices: Shape (n, 3).
        faces: Rows of vertices, counter-clockwise from outside. Shape (m, 3).
        colour: Red, green, blue, 0 to 1; None: the file says none.
    """

    vertices: Array
    faces: Integers
    colour: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeshGroup:
    """A named object of a mesh file, with those it holds.

    Args:
        name: As the file has it; empty: the file gives none.
        matrix: To the coordinates of whoever holds it, which may scale and mirror. Shape (4, 4).
        mesh: Its own triangles; None: it only holds others.
        children: In the order of the file.
    """

    name: str
    matrix: Array
    mesh: Triangulation | None = None
    children: tuple[MeshGroup, ...] = ()

    def walk(self, matrix: Array | None = None) -> Iterator[tuple[MeshGroup, Array]]:
        """Give this group and all below it, each with the matrix to the frame above this one."""
        own = self.matrix if matrix is None else matrix @ self.matrix
        yield self, own
        for child in self.children:
            yield from child.walk(own)

    def triangles(self, matrix: Array) -> tuple[Array, Integers]:
        """Return the own vertices seen through a matrix, and faces that keep their outside."""
        if self.mesh is None:
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        vertices = self.mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        return vertices, self.mesh.faces[:, ::-1] if mirrored else self.mesh.faces
