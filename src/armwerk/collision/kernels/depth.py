"""How deep two convex rows overlap, by the expanding polytope method.

The difference of the two bodies, without their swept balls, contains the origin; the depth is the
distance of the origin to its surface, the least of its support h(d) over all directions d. A
polytope inside the difference is grown at its nearest face until that face lies on the surface.

Two round bodies that share an axis are as deep in a whole ring of directions, and a polytope gets
round that only slowly. Then the depth is taken from above: the least h found, a way that always
frees the bodies, is lowered by `armwerk.collision.kernels.depth_ways` as far as it goes. It begins
where a face of the polytope is nearer to the origin: nothing less deep can be elsewhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.kernels.depth_ways import deepest_points, shallowest
from armwerk.collision.kernels.fields import put_at, vector_at
from armwerk.collision.kernels.layout import (
    BOX,
    DIRECTION,
    FIRSTS,
    KIND,
    NEAREST_FIRST,
    NEAREST_SECOND,
    SECONDS,
    SIMPLEX_SIZE,
)
from armwerk.collision.kernels.rows import support
from armwerk.collision.kernels.simple import point_triangle
from armwerk.collision.kernels.vectors import Vector, ahead, cross, dot, minus, opposite, scaled
from armwerk.compiled import inner

_MOST = 96  # corners, for bodies with flat sides
_MOST_ROUND = 384  # for others; a depth that one direction has alone is found to 1e-10 before that
_DONE = 1e-10  # share of the size by which the surface may be farther than the nearest face
_SEEN = 1e-12  # share of the size by which a corner must stand above a face to see it
_START = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])  # faces of four corners
_FOOT = 1e-8  # share of the size by which the nearest point may be beside the foot point
_THIN = 1e-9  # share of the size below which a polytope has no thickness


class Polytope(NamedTuple):
    """A polytope inside the difference of two bodies.

    Args:
        corners: Three rows each: of the difference, and the points of either body behind it; see
            `_DIFFERENCE`. Shape (3 c, 3).
        faces: Corners of each face, turning left seen from outside. Shape (f, 3).
        planes: Outward normals of length 1, and the distances from the origin; 0 and infinite for
            a face without area. Shape (f, 4).
        edges: Working space for the edges of a hole. Shape (e, 2).
    """

    corners: Array
    faces: Integers
    planes: Array
    edges: Integers


_DIFFERENCE, _FIRST, _SECOND = 0, 1, 2  # of the rows of a corner
_DISTANCE = 3  # of a plane, behind its normal


@inner
def _corner(corners: Array, n: int) -> Vector:
    return vector_at(corners, 3 * n + _DIFFERENCE)


@inner
def _fill_corner(first: Vector, second: Vector, corners: Array, n: int) -> None:
    put_at(minus(first, second), corners, 3 * n + _DIFFERENCE)
    put_at(first, corners, 3 * n + _FIRST)
    put_at(second, corners, 3 * n + _SECOND)


@inner
def _grow(a: Array, b: Array, d: Vector, corners: Array, n: int) -> None:
    """Fill corner n: the difference's farthest point along a direction, and both bodies' points."""
    _fill_corner(support(a, d), support(b, opposite(d)), corners, n)


@inner
def _normal(corners: Array, i: int, j: int, k: int) -> Vector:
    start = _corner(corners, i)
    return cross(minus(_corner(corners, j), start), minus(_corner(corners, k), start))


@inner
def _enclose(a: Array, b: Array, vectors: Array, corners: Array) -> bool:
    """Fill four corners around the origin from the last simplex of `gjk`; False: it is flat."""
    count = int(vectors[SIMPLEX_SIZE, 0])
    size = 0.0
    for n in range(count):
        _fill_corner(vector_at(vectors, FIRSTS + n), vector_at(vectors, SECONDS + n), corners, n)
        x, y, z = _corner(corners, n)
        size = max(size, abs(x), abs(y), abs(z))
    if count < 2:
        return False
    if count == 2:
        d = minus(_corner(corners, 1), _corner(corners, 0))
        u = (0.0, d[2], -d[1]) if abs(d[0]) <= abs(d[1]) else (-d[2], 0.0, d[0])
        w = cross(d, u)
        for turn in range(8):
            cosine, sine = math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4)
            sine *= math.sqrt(dot(u, u) / dot(w, w))
            _grow(a, b, ahead(scaled(cosine, u), sine, w), corners, count)
            normal = _normal(corners, 0, 1, 2)
            if dot(normal, normal) > (_THIN * size) ** 2 * dot(d, d):
                count = 3
                break
        if count == 2:
            return False
    if count == 3:
        normal = _normal(corners, 0, 1, 2)
        length = math.sqrt(dot(normal, normal))
        if length == 0.0:
            return False
        for sign in (1.0, -1.0):
            _grow(a, b, scaled(sign, normal), corners, count)
            up = dot(normal, minus(_corner(corners, 3), _corner(corners, 0)))
            if abs(up) > _THIN * size * length:
                return True
        return False
    return True


@inner
def _add_face(hull: Polytope, at: int, i: int, j: int, k: int) -> None:
    """Fill a face with its outward unit normal and its distance."""
    corners, faces, planes, _ = hull
    normal = _normal(corners, i, j, k)
    length = math.sqrt(dot(normal, normal))
    faces[at, 0], faces[at, 1], faces[at, 2] = i, j, k
    if length == 0.0:
        put_at((0.0, 0.0, 0.0), planes, at)
        planes[at, _DISTANCE] = math.inf
        return
    x, y, z = normal
    put_at((x / length, y / length, z / length), planes, at)
    planes[at, _DISTANCE] = dot(normal, _corner(corners, i)) / length


@inner
def _reshape(hull: Polytope, count: int, new: int, seen: float) -> int:
    """Replace the faces that a new corner is ``seen`` above; return the number of faces."""
    corners, faces, planes, edges = hull
    rim, kept = 0, 0  # edges around the hole, faces that stay
    for f in range(count):
        up = dot(vector_at(planes, f), minus(_corner(corners, new), _corner(corners, faces[f, 0])))
        if up > seen:
            for c in range(3):
                p, q = faces[f, c], faces[f, (c + 1) % 3]
                found = False
                for e in range(rim):
                    if edges[e, 0] == q and edges[e, 1] == p:  # seen from both sides
                        rim -= 1
                        edges[e, 0], edges[e, 1] = (
                            edges[rim, 0],
                            edges[rim, 1],
                        )
                        found = True
                        break
                if not found:
                    edges[rim, 0], edges[rim, 1] = p, q
                    rim += 1
        else:
            for k in range(3):
                faces[kept, k] = faces[f, k]
            for k in range(4):
                planes[kept, k] = planes[f, k]
            kept += 1
    for e in range(rim):
        if kept < len(hull.faces):
            _add_face(hull, kept, edges[e, 0], edges[e, 1], new)
            kept += 1
    return kept


@inner
def _exchange(corners: Array, i: int, j: int) -> None:
    for part in range(3):
        for k in range(3):
            p, q = 3 * i + part, 3 * j + part
            corners[p, k], corners[q, k] = corners[q, k], corners[p, k]


@inner
def _weighted(corners: Array, part: int, face: Integers, v: float, w: float) -> Vector:
    """Return the point of a body from the shares of a face's second and third corner."""
    p, q, r = (
        vector_at(corners, 3 * face[0] + part),
        vector_at(corners, 3 * face[1] + part),
        vector_at(corners, 3 * face[2] + part),
    )
    return ahead(ahead(scaled(1.0 - v - w, p), v, q), w, r)


@inner
def depth(a: Array, b: Array, vectors: Array) -> float:
    """Return how deep two rows overlap for which `gjk` has just said 0.

    Where it is above 0, rows `NEAREST_FIRST` and `NEAREST_SECOND` then hold the points of either
    body that are deepest in the other, and row `DIRECTION` the way out: the way from the second to
    the first point is the shortest one that frees the bodies, reversed.
    """
    most = _MOST if max(a[KIND], b[KIND]) <= BOX else _MOST_ROUND
    faces = 4 * most
    hull = Polytope(
        np.zeros((3 * (most + 4), 3)),
        np.zeros((faces, 3), dtype=np.int64),
        np.zeros((faces, 4)),
        np.zeros((3 * faces, 2), dtype=np.int64),
    )
    corners, planes = hull.corners, hull.planes
    if not _enclose(a, b, vectors, corners):
        return 0.0
    if dot(_normal(corners, 0, 1, 2), minus(_corner(corners, 3), _corner(corners, 0))) > 0.0:
        _exchange(corners, 1, 2)  # so that all normals point outwards
    for f in range(4):
        _add_face(hull, f, _START[f, 0], _START[f, 1], _START[f, 2])
    count, used, best, size = _START.shape[0], _START.shape[0], 0, 0.0
    found = False
    while not found:
        best = 0
        for f in range(1, count):
            if planes[f, _DISTANCE] < planes[best, _DISTANCE]:
                best = f
        out = vector_at(planes, best)
        _grow(a, b, out, corners, used)
        x, y, z = _corner(corners, used)
        size = max(size, abs(x), abs(y), abs(z))
        gain = dot(out, (x, y, z)) - planes[best, _DISTANCE]
        found = gain <= _DONE * size
        if found or used >= most:
            break
        count = _reshape(hull, count, used, _SEEN * size)
        used += 1
    if not found:
        return shallowest(a, b, planes[:count], size, vectors)
    least, v, w, chosen = math.inf, 0.0, 0.0, 0
    for f in range(count):  # of several faces in that plane, the one with the foot point in it
        if planes[f, _DISTANCE] <= planes[best, _DISTANCE] + 1e-9 * size:
            face = hull.faces[f]
            g, h, square = point_triangle(
                (0.0, 0.0, 0.0),
                _corner(corners, face[0]),
                _corner(corners, face[1]),
                _corner(corners, face[2]),
            )
            if square < least:
                least, v, w, chosen = square, g, h, f
    deep = max(planes[best, _DISTANCE], 0.0)
    if least > (deep + _FOOT * size) ** 2:  # slivers: no face has the foot point in it
        deepest_points(a, b, vector_at(planes, best), deep, size, vectors)
        return deep
    put_at(_weighted(corners, _FIRST, hull.faces[chosen], v, w), vectors, NEAREST_FIRST)
    put_at(_weighted(corners, _SECOND, hull.faces[chosen], v, w), vectors, NEAREST_SECOND)
    put_at(vector_at(planes, chosen), vectors, DIRECTION)  # of two sides as near, the one chosen
    return deep
