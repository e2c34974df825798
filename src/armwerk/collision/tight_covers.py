"""Tight covers of meshes: boxes and capsules that together contain a solid, and by how much more.

The solid is cut into cells by planes across its principal axes, again and again where the cover is
worst. What lies in a cell is contained in any convex shape around its corners: corners of the mesh,
edges at a plane, triangles at the line of two planes, which all are corners of the triangles cut at
the cell's planes; and corners of the cell itself that lie in the solid.

The error is how far a point of the covers can be from the solid. It is an upper bound, by a grid of
cubes: those that hold a point of the surface, and what they enclose, are the solid; of every other
cube the distance from them is known, and the cubes are so small that their own size can be added.
The inside of a link that is open somewhere counts as outside; most of the error is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.covers import covers, oriented_box, principal_axes, small_capsule
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape

MOST_PIECES = 14
WANTED = 0.04  # error as a share of the mesh's longest side at which cutting ends
SMALLEST = 0.003  # [m] error that is good enough for a mesh of any size
_COARSE, _FINE = (
    12_000,
    300_000,
)  # cubes in the box around a mesh: to choose cuts, to state the error


@dataclass(frozen=True, slots=True, eq=False)
class TightCover:
    """What stands for a shape.

    Args:
        shapes: Together they contain it; the shape itself where it needs no cover.
        error: How far they reach beyond it [m].
    """

    shapes: tuple[Shape, ...]
    error: float

    def moved(self, T: Array) -> tuple[Shape, ...]:
        """Return the shapes carried along by a transform. Shape (4, 4)."""
        return tuple(shape.moved(T) for shape in self.shapes)


def tight_cover(shape: Shape) -> TightCover:
    """Return shapes that are quick to test and together contain a shape."""
    if isinstance(shape, Mesh):
        own = _mesh_cover(Mesh(shape.vertices, shape.faces))
        return TightCover(tuple(one.moved(shape.pose) for one in own.shapes), own.error)
    if isinstance(shape, Cylinder):
        return TightCover(covers(shape), shape.radius)
    if isinstance(shape, Cone):
        (capsule,) = covers(shape)
        widest = max(shape.radius, shape.top_radius)
        radius = capsule.radius if isinstance(capsule, Capsule) else widest
        return TightCover((capsule,), radius + widest)
    return TightCover((shape,), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """The part of a mesh in one cell.

    Args:
        triangles: Cut at the cell's planes, along the principal axes. Shape (n, 3, 3).
        cell: From where to where it goes along each axis; infinite without a cut. Shape (3, 2).
        cover: What contains it, along the principal axes.
        error: How far that reaches beyond the mesh [m].
    """

    triangles: Array
    cell: Array
    cover: Box | Capsule
    error: float


@lru_cache(maxsize=256)
def _mesh_cover(mesh: Mesh) -> TightCover:
    corners = mesh.vertices[np.unique(mesh.faces)]
    frame = min((np.eye(3), principal_axes(corners)), key=lambda axes: _volume(corners @ axes))
    triangles = (mesh.vertices @ frame)[mesh.faces]
    solid = _Solid(triangles, _COARSE)
    wanted = max(SMALLEST, WANTED * float(np.ptp(triangles.reshape(-1, 3), axis=0).max()))
    pieces = [solid.piece(triangles, np.array([[-np.inf, np.inf]] * 3))]
    done: list[_Piece] = []  # too small to be cut again
    while pieces and len(pieces) + len(done) < MOST_PIECES:
        worst = max(range(len(pieces)), key=lambda k: pieces[k].error)
        if pieces[worst].error <= wanted:
            break
        piece = pieces.pop(worst)
        halves = _cut(solid, piece)
        pieces += halves
        done += [] if halves else [piece]
    pieces += done
    turn = np.eye(4)
    turn[:3, :3] = frame
    shapes = tuple(one.cover.moved(turn) for one in pieces)
    stated = _Solid(triangles, _FINE)
    return TightCover(shapes, max(stated.error(one.cover) for one in pieces))


def _cut(solid: _Solid, piece: _Piece) -> list[_Piece]:
    """Return the halves of a piece, cut across the axis that leaves the smaller error."""
    points = solid.corners(piece.triangles, piece.cell)
    low, high = points.min(axis=0), points.max(axis=0)
    best: list[_Piece] = []
    for axis in range(3):
        if high[axis] - low[axis] <= 2 * solid.side:
            continue
        level = float(low[axis] + high[axis]) / 2
        halves = []
        for side, sign in ((1, 1.0), (0, -1.0)):
            cell = piece.cell.copy()
            cell[axis, side] = level
            part = below(piece.triangles, axis, level, sign)
            if len(solid.corners(part, cell)):  # else it lies outside
                halves.append(solid.piece(part, cell))
        if halves and (not best or _mean_error(halves) < _mean_error(best)):
            best = halves
    return best


def _mean_error(pieces: Iterable[_Piece]) -> float:
    """Return the mean error of pieces: that one half is good is a gain."""
    errors = [piece.error for piece in pieces]
    return sum(errors) / len(errors)


def below(triangles: Array, axis: int, level: float, sign: float) -> Array:
    """Return triangles cut at a plane: what lies below it, above it for a negative sign.

    Args:
        triangles: Shape (n, 3, 3).
        axis: The plane is across this axis.
        level: Where.
        sign: 1 or -1.
    """
    height = sign * (triangles[:, :, axis] - level)
    inside = height <= 0.0
    count = inside.sum(axis=1)
    found = [triangles[count == 3]]
    one = count == 1
    if one.any():
        tri, h = _first_alone(triangles[one], height[one], inside[one])
        found.append(np.stack([tri[:, 0], _at(tri, h, 0, 1), _at(tri, h, 0, 2)], axis=1))
    two = count == 2
    if two.any():
        tri, h = _first_alone(triangles[two], height[two], ~inside[two])
        near, far = _at(tri, h, 0, 1), _at(tri, h, 0, 2)
        found.append(np.stack([near, tri[:, 1], tri[:, 2]], axis=1))
        found.append(np.stack([near, tri[:, 2], far], axis=1))
    whole: Array = np.concatenate(found)
    return whole


def _first_alone(triangles: Array, height: Array, alone: Array) -> tuple[Array, Array]:
    """Return triangles turned such that the corner that is alone on its side comes first."""
    first = np.argmax(alone, axis=1)
    order = (first[:, None] + np.arange(3)) % 3
    rows = np.arange(len(triangles))[:, None]
    return triangles[rows, order], height[rows, order]


def _at(triangles: Array, height: Array, i: int, j: int) -> Array:
    """Return where the edges from corner i to corner j cross the plane."""
    share = (height[:, i] / (height[:, i] - height[:, j]))[:, None]
    crossing: Array = triangles[:, i] + share * (triangles[:, j] - triangles[:, i])
    return crossing


class _Solid:
    """A mesh as cubes of a grid, with the distance of every cube from the solid.

    Args:
        triangles: Of the closed mesh. Shape (n, 3, 3).
        cubes: How many there are in the box around it.
    """

    def __init__(self, triangles: Array, cubes: int) -> None:
        from scipy.ndimage import binary_fill_holes, distance_transform_edt

        self._triangles = triangles
        self._asked: dict[tuple[float, ...], bool] = {}
        corners = triangles.reshape(-1, 3)
        low, size = corners.min(axis=0), np.ptp(corners, axis=0)
        self.side = float((np.prod(size + 0.02 * size.max()) / cubes) ** (1 / 3))
        margin = 0.2 * float(size.max())
        self._low = low - margin
        shape = np.ceil((size + 2 * margin) / self.side).astype(int) + 1
        filled = np.zeros(shape, dtype=np.bool_)
        places = ((_spread(triangles, 0.7 * self.side) - self._low) / self.side).astype(int)
        filled[places[:, 0], places[:, 1], places[:, 2]] = True
        distance = distance_transform_edt(~binary_fill_holes(filled))
        self._distance: Array = np.asarray(distance, dtype=np.float64) * self.side
        # half a diagonal from a point to the middle of its cube, and at the other end
        self._slack = float(np.sqrt(3.0)) * self.side

    def piece(self, triangles: Array, cell: Array) -> _Piece:
        """Return what is in a cell with the better of a box and a capsule around it."""
        points = self.corners(triangles, cell)
        tried: list[Box | Capsule] = [oriented_box(points, np.eye(3)), small_capsule(points)]
        errors = [self.error(one) for one in tried]
        best = int(np.argmin(errors))
        return _Piece(triangles, cell, tried[best], errors[best])

    def corners(self, triangles: Array, cell: Array) -> Array:
        """Return the corners of what lies in a cell, those of the cell too. Shape (k, 3)."""
        points: Array = triangles.reshape(-1, 3)
        if not np.isfinite(cell).all():
            return points
        own = np.array([[x, y, z] for x in cell[0] for y in cell[1] for z in cell[2]])
        inside = np.array([self.holds(point) for point in own])
        return np.concatenate([points, own[inside]])

    def holds(self, point: Array) -> bool:
        """Whether a point lies in the solid: seen from there, its surface is all around.

        The solid angles of the triangles (van Oosterom and Strackee 1983) add up to a full one
        inside, to nothing outside; what lies between counts as inside.
        """
        key = tuple(point.tolist())
        if key not in self._asked:
            a, b, c = (self._triangles[:, k] - point for k in range(3))
            x, y, z = (np.sqrt(np.einsum("ij,ij->i", v, v)) for v in (a, b, c))
            above = np.einsum("ij,ij->i", a, np.cross(b, c))
            ab, bc, ca = (np.einsum("ij,ij->i", v, w) for v, w in ((a, b), (b, c), (c, a)))
            angle = 2.0 * np.arctan2(above, x * y * z + ab * z + bc * x + ca * y).sum()
            self._asked[key] = bool(abs(angle) > np.pi)
        return self._asked[key]

    def error(self, cover: Box | Capsule) -> float:
        """Return how far a point of a cover can be from the solid [m]."""
        first = np.floor((cover.bounds[0] - self._low) / self.side).astype(int)
        last = np.floor((cover.bounds[1] - self._low) / self.side).astype(int) + 1
        if (first < 0).any() or (last > self._distance.shape).any():
            return float("inf")
        ranges = [np.arange(a, b) for a, b in zip(first, last, strict=True)]
        middles = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
        local = (middles + 0.5) * self.side + self._low - cover.position
        local = local @ cover.rotation
        reach = self._slack / 2  # a cube of which any point is in the cover
        if isinstance(cover, Box):
            within = (np.abs(local) <= np.asarray(cover.size) / 2 + reach).all(axis=1)
        else:
            along = np.clip(local[:, 2], -cover.length / 2, cover.length / 2)
            local[:, 2] -= along
            within = np.einsum("ij,ij->i", local, local) <= (cover.radius + reach) ** 2
        near = middles[within]
        return float(self._distance[near[:, 0], near[:, 1], near[:, 2]].max()) + self._slack


def _spread(triangles: Array, spacing: float) -> Array:
    """Return points on triangles, on a lattice that is nowhere wider than the spacing."""
    sides = triangles - np.roll(triangles, 1, axis=1)
    longest = np.sqrt(np.einsum("kij,kij->ki", sides, sides)).max(axis=1)
    steps = np.maximum(np.ceil(longest / spacing).astype(int), 1)
    found = []
    for count in np.unique(steps):
        i, j = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        inside = i + j <= count
        u, v = i[inside] / count, j[inside] / count
        weights = np.stack([1.0 - u - v, u, v], axis=1)
        found.append(np.einsum("pw,kwx->kpx", weights, triangles[steps == count]).reshape(-1, 3))
    points: Array = np.concatenate(found)
    return points


def _volume(points: Array) -> float:
    return float(np.prod(np.ptp(points, axis=0)))
