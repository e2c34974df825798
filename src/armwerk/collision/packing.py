"""Shapes as rows of numbers; see `armwerk.collision.kernels.layout`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.collision.kernels import layout
from armwerk.collision.mesh_check import LARGEST, checked_mesh, checked_size
from armwerk.errors import DescriptionError
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
)

IntArray = NDArray[np.int64]

_KINDS: dict[type[Shape], int] = {
    Sphere: layout.SPHERE,
    Capsule: layout.CAPSULE,
    Box: layout.BOX,
    Cylinder: layout.CYLINDER,
    Cone: layout.CONE,
    HalfSpace: layout.HALF_SPACE,
    Mesh: layout.TRIANGLE_MESH,
}


class Tables(NamedTuple):
    """What all meshes of a scene share, in the order in which the kernels take it."""

    triangles: Array
    nodes: Array
    meshes: IntArray
    points: Array


class MeshTree(NamedTuple):
    """One mesh ready for the kernels: sorted triangles, tree, one corner of every piece."""

    triangles: Array
    nodes: Array
    points: Array


class MeshShelf:
    """Collects the meshes of a scene; equal ones are kept once."""

    def __init__(self) -> None:
        self._trees: list[MeshTree] = []
        self._places: dict[int, int] = {}

    def add(self, mesh: Mesh) -> int:
        """Return the number of a mesh in the tables."""
        tree = _tree(_Plain(mesh))
        if id(tree) not in self._places:
            self._places[id(tree)] = len(self._trees)
            self._trees.append(tree)
        return self._places[id(tree)]

    def tables(self) -> Tables:
        """Return the tables of all meshes added so far."""
        starts = np.zeros(3, dtype=np.int64)
        nodes: list[Array] = []
        rows: list[list[int]] = []
        for tree in self._trees:
            first_triangle, first_node, first_point = (int(start) for start in starts)
            moved = tree.nodes.copy()
            leaf = moved[:, 7] > 0
            moved[:, 6] += np.where(leaf, first_triangle, first_node)
            nodes.append(moved)
            rows.append(
                [first_node, len(tree.triangles), first_point, len(tree.points), first_triangle]
            )
            starts += (len(tree.triangles), len(moved), len(tree.points))
        return Tables(
            np.concatenate([np.zeros((0, 9)), *(tree.triangles for tree in self._trees)]),
            np.concatenate([np.zeros((0, 8)), *nodes]),
            np.array(rows, dtype=np.int64).reshape(-1, 5),
            np.concatenate([np.zeros((0, 3)), *(tree.points for tree in self._trees)]),
        )


class _Plain:
    """A mesh that counts as equal to another one whatever their poses and names."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self._key = (mesh.vertices.tobytes(), mesh.faces.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Plain) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=256)
def _tree(plain: _Plain) -> MeshTree:
    from armwerk.collision.kernels.tree import build

    mesh = checked_mesh(plain.mesh)
    corners = np.ascontiguousarray(mesh.triangles.reshape(-1, 9))
    nodes, order = build(corners)
    return MeshTree(np.ascontiguousarray(corners[order]), nodes, _piece_points(mesh))


def _piece_points(mesh: Mesh) -> Array:
    """Return one corner of every connected piece. Shape (pieces, 3)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(mesh.vertices)
    ends = mesh.faces[:, [0, 1, 1, 2]].reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    used = np.unique(mesh.faces)
    _, first = np.unique(labels[used], return_index=True)
    return np.ascontiguousarray(mesh.vertices[used[first]])


def row_of(shape: Shape, shelf: MeshShelf, owner: int = 0, carrier: float = 0.0) -> Array:
    """Return the row of a shape. Shape (SIZE,).

    Args:
        shape: What to pack.
        shelf: Where the triangles of meshes go.
        owner: Number of the body or link.
        carrier: Length of the arm that carries it [m], which rounding grows with.

    Raises:
        DescriptionError: For something that is no shape of `armwerk.geometry`, or a mesh that is
            not closed or has triangles without area.
    """
    if type(shape) not in _KINDS:
        raise DescriptionError(
            "cannot collide",
            element="shape",
            value=shape,
            allowed=", ".join(kind.__name__ for kind in _KINDS),
        )
    row = np.zeros(layout.SIZE)
    row[layout.KIND] = _KINDS[type(shape)]
    row[layout.ROT : layout.POS] = np.asarray(shape.rotation).ravel()
    row[layout.POS : layout.DIM] = row[layout.MIDDLE : layout.REACH] = shape.position
    row[layout.MESH], row[layout.OWNER] = -1, owner
    if isinstance(shape, Mesh):
        row[layout.MESH] = shelf.add(shape)
        used = shape.vertices[np.unique(shape.faces)]
        middle = (used.min(axis=0) + used.max(axis=0)) / 2
        row[layout.MIDDLE : layout.REACH] += shape.rotation @ middle
        row[layout.REACH] = np.linalg.norm(used - middle, axis=1).max() * (1 + 1e-12)
    else:
        row[layout.DIM : layout.MESH], row[layout.REACH] = _sizes(shape)
    reach = row[layout.REACH] if np.isfinite(row[layout.REACH]) else 0.0
    far = float(np.abs(row[layout.MIDDLE : layout.REACH]).sum())
    if not reach + far < LARGEST:
        checked_size(shape)
    row[layout.SLACK] = layout.ALLOWANCE * (reach + far + carrier)
    row[layout.REACH] += row[layout.SLACK]
    return row


def _sizes(shape: Shape) -> tuple[tuple[float, float, float, float], float]:
    """Return the three sizes and the swept radius of a shape, and the radius around it."""
    if isinstance(shape, Sphere):
        return (0.0, 0.0, 0.0, shape.radius), shape.radius
    if isinstance(shape, Capsule):
        half = shape.length / 2
        return (half, 0.0, 0.0, shape.radius), half + shape.radius
    if isinstance(shape, Box):
        x, y, z = (float(edge) / 2 for edge in shape.size)
        return (x, y, z, 0.0), float(np.hypot(np.hypot(x, y), z))
    if isinstance(shape, Cylinder):
        half = shape.length / 2
        return (shape.radius, half, 0.0, 0.0), float(np.hypot(shape.radius, half))
    if isinstance(shape, Cone):
        half, wide = shape.length / 2, max(shape.radius, shape.top_radius)
        return (shape.radius, shape.top_radius, half, 0.0), float(np.hypot(wide, half))
    return (0.0, 0.0, 0.0, 0.0), np.inf


def rows_of(shapes: Iterable[Shape], shelf: MeshShelf) -> Array:
    """Return the rows of several shapes, numbered in order. Shape (n, SIZE)."""
    rows = [row_of(shape, shelf, number) for number, shape in enumerate(shapes)]
    return np.array(rows).reshape(-1, layout.SIZE)
