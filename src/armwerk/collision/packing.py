"""Shapes as rows of numbers, see `armwerk.collision.kernels.layout`; two of them in one frame.

Of a pair it is asked whether they touch, how far apart they are, and where.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import MeshTables, named
from armwerk.collision.mesh_check import LARGEST, checked_mesh, checked_size
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Shape, Sphere

_KINDS: dict[type[Shape], int] = {
    Sphere: layout.SPHERE,
    Capsule: layout.CAPSULE,
    Box: layout.BOX,
    Cylinder: layout.CYLINDER,
    Cone: layout.CONE,
    HalfSpace: layout.HALF_SPACE,
    Mesh: layout.TRIANGLE_MESH,
}


class MeshTree(NamedTuple):
    """One mesh ready for the kernels.

    Args:
        triangles: Sorted as the tree has them. Shape (t, 9).
        nodes: The tree. Shape (k, NODE_WIDTH).
        points: One corner of every connected piece. Shape (p, 3).
        cover: The tree that others are held against, see `cover_tree`; empty: the same.
        error: How far the cover reaches beyond the solid, at most [m].
    """

    triangles: Array
    nodes: Array
    points: Array
    cover: Array
    error: float


class MeshShelf:
    """Collects the meshes of a scene; equal ones are kept once.

    Args:
        trees: What lies there already, in this order.
    """

    def __init__(self, trees: Iterable[MeshTree] = ()) -> None:
        self._trees = list(trees)
        self._places = {id(tree): place for place, tree in enumerate(self._trees)}

    @property
    def trees(self) -> tuple[MeshTree, ...]:
        """All meshes added so far, by their numbers."""
        return tuple(self._trees)

    def add(self, mesh: Mesh, tolerance: float = 0.0) -> int:
        """Return the number of a mesh in the tables, covered as the tolerance [m] allows."""
        tree = mesh_tree(mesh, tolerance)
        if id(tree) not in self._places:
            self._places[id(tree)] = len(self._trees)
            self._trees.append(tree)
        return self._places[id(tree)]

    def tables(self) -> MeshTables:
        """Return the tables of all meshes added so far."""
        nodes: list[Array] = []
        entries = np.zeros(len(self._trees), dtype=layout.MESH_ENTRY)
        triangle = node = point = 0
        for entry, tree in zip(entries, self._trees, strict=True):
            entry["root"] = entry["cover"] = node
            entry["point"], entry["triangle"] = point, triangle
            entry["triangles"], entry["points"] = len(tree.triangles), len(tree.points)
            for own in (tree.nodes, tree.cover):
                if not len(own):
                    continue
                entry["cover"] = node
                moved = own.copy()
                leaf = moved[:, layout.COUNT] > 0
                moved[:, layout.NEXT] += np.where(leaf, triangle, node)
                nodes.append(moved)
                node += len(moved)
            triangle += len(tree.triangles)
            point += len(tree.points)
        return MeshTables(
            np.concatenate([np.zeros((0, 9)), *(tree.triangles for tree in self._trees)]),
            np.concatenate([np.zeros((0, layout.NODE_WIDTH)), *nodes]),
            entries.view(np.int64).reshape(-1, layout.ENTRY_WIDTH),
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


def mesh_tree(mesh: Mesh, tolerance: float = 0.0) -> MeshTree:
    """Return a mesh ready for the kernels, with a cover that reaches this far beyond it [m].

    Raises:
        DescriptionError: For a mesh that is not closed or has triangles without area.
    """
    return _covered(_Plain(mesh), tolerance) if tolerance > 0.0 else _tree(_Plain(mesh))


@lru_cache(maxsize=256)
def _covered(plain: _Plain, tolerance: float) -> MeshTree:
    from armwerk.collision.kernels.cover_tree import cover_nodes

    tree = _tree(plain)
    nodes, error = cover_nodes(MeshShelf([tree]).tables(), tolerance)
    return tree._replace(cover=nodes, error=error)


@lru_cache(maxsize=256)
def _tree(plain: _Plain) -> MeshTree:
    from armwerk.collision.kernels.tree import build

    mesh = checked_mesh(plain.mesh)
    corners = np.ascontiguousarray(mesh.triangles.reshape(-1, 9))
    nodes, order = build(corners)
    none = np.zeros((0, layout.NODE_WIDTH))
    return MeshTree(np.ascontiguousarray(corners[order]), nodes, _piece_points(mesh), none, 0.0)


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


def row_of(
    shape: Shape,
    shelf: MeshShelf,
    owner: int = 0,
    carrier: float = 0.0,
    tolerance: float = 0.0,
) -> Array:
    """Return the row of a shape. Shape (WIDTH,).

    Args:
        shape: What to pack.
        shelf: Where the triangles of meshes go.
        owner: Number of the body or link.
        carrier: Length of the arm that carries it [m], which rounding grows with.
        tolerance: How far the cover of a mesh may reach beyond it [m]; 0: it has none.

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
    row = np.zeros(layout.WIDTH)
    field = named(row)
    field["kind"], field["owner"], field["mesh"] = _KINDS[type(shape)], owner, -1
    field["rotation"], field["position"], field["centre"] = (
        shape.rotation,
        shape.position,
        shape.position,
    )
    if isinstance(shape, Mesh):
        field["mesh"] = shelf.add(shape, tolerance)
        used = shape.vertices[np.unique(shape.faces)]
        middle = (used.min(axis=0) + used.max(axis=0)) / 2
        field["centre"] += shape.rotation @ middle
        reach = float(np.linalg.norm(used - middle, axis=1).max() * (1 + 1e-12))
    else:
        field["sizes"], field["radius"], reach = _sizes(shape)
    known = reach if np.isfinite(reach) else 0.0
    far = float(np.abs(field["centre"]).sum())
    if not known + far < LARGEST:
        checked_size(shape)
    field["slack"] = layout.ALLOWANCE * (known + far + carrier)
    field["reach"] = reach + field["slack"]
    return row


def _sizes(shape: Shape) -> tuple[tuple[float, float, float], float, float]:
    """Return the three sizes and the swept radius of a shape, and the radius around it."""
    if isinstance(shape, Sphere):
        return (0.0, 0.0, 0.0), shape.radius, shape.radius
    if isinstance(shape, Capsule):
        half = shape.length / 2
        return (half, 0.0, 0.0), shape.radius, half + shape.radius
    if isinstance(shape, Box):
        x, y, z = (float(edge) / 2 for edge in shape.size)
        return (x, y, z), 0.0, float(np.hypot(np.hypot(x, y), z))
    if isinstance(shape, Cylinder):
        half = shape.length / 2
        return (shape.radius, half, 0.0), 0.0, float(np.hypot(shape.radius, half))
    if isinstance(shape, Cone):
        half, wide = shape.length / 2, max(shape.radius, shape.top_radius)
        return (shape.radius, shape.top_radius, half), 0.0, float(np.hypot(wide, half))
    return (0.0, 0.0, 0.0), 0.0, np.inf


def rows_of(shapes: Iterable[Shape], shelf: MeshShelf) -> Array:
    """Return the rows of several shapes, numbered in order. Shape (n, WIDTH)."""
    rows = [row_of(shape, shelf, number) for number, shape in enumerate(shapes)]
    return np.array(rows).reshape(-1, layout.WIDTH)


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """How far two things are apart.

    Args:
        value: [m]. Of two convex shapes that overlap, minus the depth: the shortest way that
            frees them. 0 when a mesh takes part in the overlap. Infinite: there is nothing else.
        point_a: Nearest point of the first [m]; common to both where a mesh overlaps. Shape (3,).
        point_b: Nearest point of the second [m]. Shape (3,).
        part: Name of the arm's shape, or of the first shape.
        body: Name of the body or of the arm's other shape, or of the second shape.
    """

    value: float
    point_a: Array
    point_b: Array
    part: str = ""
    body: str = ""


def contact(a: Shape, b: Shape) -> bool:
    """Whether two solids have a point in common; touching counts, as does one inside the other.

    Raises:
        DescriptionError: For a mesh that is not closed or has triangles without area.
        UnsupportedError: For two half-spaces.
    """
    from armwerk.collision.kernels.pair_contact import touch_many

    first, second, meshes = _packed(a, b)
    return bool(touch_many(first, second, meshes)[0])


def distance(a: Shape, b: Shape) -> Distance:
    """Return how far two solids are apart, with their nearest points.

    Raises:
        DescriptionError: For a mesh that is not closed or has triangles without area.
        UnsupportedError: For two half-spaces.
    """
    from armwerk.collision.kernels.pair_distance import gap_many

    first, second, meshes = _packed(a, b)
    values, points = gap_many(first, second, meshes)
    return Distance(float(values[0]), points[0, 0], points[0, 1], a.name, b.name)


def _packed(a: Shape, b: Shape) -> tuple[Array, Array, MeshTables]:
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        raise UnsupportedError("two half-spaces cannot be held against each other")
    shelf = MeshShelf()
    first, second = row_of(a, shelf)[None], row_of(b, shelf)[None]
    return first, second, shelf.tables()
