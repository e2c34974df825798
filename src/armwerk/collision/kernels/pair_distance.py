"""How far two rows of any kind are apart, and their nearest points.

Convex rows that overlap have the negative depth; with a mesh the distance of overlapping bodies
is 0. The vectors `POINT_FIRST` and `POINT_SECOND` of the working space are filled with a point of
the first and a point of the second row.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.depth import depth
from armwerk.collision.kernels.depth_ways import touching_way
from armwerk.collision.kernels.fields import (
    axis,
    axis_z,
    corner,
    half_length,
    kind_of,
    position,
    put_at,
    radius_of,
    slack,
    vector_at,
)
from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    CAPSULE,
    CENTRE,
    CONE,
    DIRECTION,
    HALF_SPACE,
    KIND,
    NEAREST_FIRST,
    NEAREST_SECOND,
    POINT_FIRST,
    POINT_SECOND,
    SPHERE,
    TRIANGLE_MESH,
    MeshTables,
    Scratch,
)
from armwerk.collision.kernels.mesh_contact import core_segment, mesh_height
from armwerk.collision.kernels.mesh_distance import mesh_mesh_gap, row_mesh_gap
from armwerk.collision.kernels.outside import outside_gap
from armwerk.collision.kernels.pair_contact import make_scratch
from armwerk.collision.kernels.rows import outer_point, support
from armwerk.collision.kernels.signatures import (
    MESHES,
    NUMBER,
    NUMBERS,
    ROWS,
    SCRATCH,
    STACKED,
    answers,
)
from armwerk.collision.kernels.simple import segment_segment
from armwerk.collision.kernels.vectors import ahead, cross, dot, minus
from armwerk.compiled import entry, inner

_TOUCHING = 1e4  # slacks of a pair; of cores that are less deep a polytope tells no way out


@inner
def _rounds(a: Array, b: Array, vectors: Array) -> float:
    """Distance of two spheres or capsules."""
    (p, u), (q, v) = core_segment(a), core_segment(b)
    s, t, square = segment_segment(p, u, q, v)
    p, q = ahead(p, s, u), ahead(q, t, v)
    out = minus(q, p)
    size = math.sqrt(square)
    if size <= 1e-12 * (radius_of(a) + radius_of(b)):  # axes that meet part along what crosses both
        out = cross(u, v)
        size = math.sqrt(dot(out, out))
        if size <= 1e-12 * (half_length(a) * half_length(b)):
            out, size = axis(b if kind_of(a) == SPHERE else a, 0), 1.0  # at right angles to both
        square = 0.0
    out = (out[0] / size, out[1] / size, out[2] / size)
    put_at(ahead(p, radius_of(a), out), vectors, POINT_FIRST)
    put_at(ahead(q, -radius_of(b), out), vectors, POINT_SECOND)
    return math.sqrt(square) - radius_of(a) - radius_of(b)


@inner
def _convex(a: Array, b: Array, far: float, vectors: Array) -> float:
    """Distance of two convex rows whose kinds rise; only the first may be swept by a ball."""
    r = radius_of(a)
    limit = max(far + r, 0.0)
    gap = gjk(a, b, limit, vectors)
    if gap > limit:
        return math.inf
    if gap == 0.0:
        gap = -depth(a, b, vectors)
        if r > 0.0 and -gap <= _TOUCHING * (slack(a) + slack(b)):
            touching_way(a, b, vectors)
            out = vector_at(vectors, DIRECTION)  # the nearest points are one but for rounding
            put_at(ahead(vector_at(vectors, NEAREST_FIRST), gap, out), vectors, NEAREST_SECOND)
    out = vector_at(vectors, DIRECTION)
    put_at(ahead(vector_at(vectors, NEAREST_FIRST), r, out), vectors, POINT_FIRST)
    put_at(vector_at(vectors, NEAREST_SECOND), vectors, POINT_SECOND)
    return gap - r


@inner
def _above(row: Array, plane: Array, vectors: Array) -> float:
    """Distance of a convex row to a half-space."""
    up = axis_z(plane)
    lowest = ahead(support(row, (-up[0], -up[1], -up[2])), -radius_of(row), up)
    height = dot(up, minus(lowest, position(plane)))
    put_at(lowest, vectors, POINT_FIRST)
    put_at(ahead(lowest, -height, up), vectors, POINT_SECOND)
    return height


@inner
def _mesh_above(mesh: Array, plane: Array, meshes: MeshTables, scratch: Scratch) -> float:
    """Distance of a mesh to a half-space."""
    up = axis_z(plane)
    found, at = mesh_height(mesh, plane, meshes, math.inf, scratch)
    least = math.inf
    for c in range(3):
        p = outer_point(mesh, corner(meshes.triangles[at], c))
        here = dot(up, minus(p, position(plane)))
        if here < least:
            least = here
            put_at(p, scratch.vectors, POINT_FIRST)
            put_at(ahead(p, -here, up), scratch.vectors, POINT_SECOND)
    return found


@inner
def _in_order(a: Array, b: Array, far: float, meshes: MeshTables, scratch: Scratch) -> float:
    """Distance of two rows whose kinds rise."""
    first, second = kind_of(a), kind_of(b)
    if second <= CAPSULE:
        return _rounds(a, b, scratch.vectors)
    if second <= CONE:
        return _convex(a, b, far, scratch.vectors)
    if second == HALF_SPACE:
        return _above(a, b, scratch.vectors)
    if second == TRIANGLE_MESH:
        if first == TRIANGLE_MESH:
            return mesh_mesh_gap(a, b, far, meshes, scratch)
        if first == HALF_SPACE:
            found = _mesh_above(b, a, meshes, scratch)
            _swap(scratch.vectors)
            return found
        return row_mesh_gap(a, b, far, meshes, scratch)
    return outside_gap(b, a, meshes, scratch.vectors)


@inner
def _swap(vectors: Array) -> None:
    """Exchange the two points of the answer."""
    for k in range(3):
        vectors[POINT_FIRST, k], vectors[POINT_SECOND, k] = (
            vectors[POINT_SECOND, k],
            vectors[POINT_FIRST, k],
        )


@inner
def _comes_first(a: Array, b: Array) -> bool:
    """Whether two rows are held in this order: both orders of a pair then give one answer."""
    if a[KIND] != b[KIND] or a[KIND] > CONE:
        return bool(a[KIND] <= b[KIND])
    for k in range(CENTRE):
        if a[k] != b[k]:
            return bool(a[k] < b[k])
    return True


@entry(NUMBER(NUMBERS, NUMBERS, NUMBER, MESHES, SCRATCH))
def gap(a: Array, b: Array, far: float, meshes: MeshTables, scratch: Scratch) -> float:
    """Return the distance of two rows in one frame; anything from ``far`` on may be infinite.

    It is 0 where a gap is within the slack of the pair, so that rows touch when it is 0 or less.
    """
    if _comes_first(a, b):
        found = _in_order(a, b, far, meshes, scratch)
    else:
        found = _in_order(b, a, far, meshes, scratch)
        _swap(scratch.vectors)
    return 0.0 if 0.0 < found <= slack(a) + slack(b) else found


@inner
def keep_points(vectors: Array, out: Array) -> None:
    """Copy both points of the answer to the rows of an array (2, 3)."""
    put_at(vector_at(vectors, POINT_FIRST), out, 0)
    put_at(vector_at(vectors, POINT_SECOND), out, 1)


@entry(answers(NUMBERS, STACKED)(ROWS, ROWS, MESHES))
def gap_many(a: Array, b: Array, meshes: MeshTables) -> tuple[Array, Array]:
    """Return the distances of m pairs of rows, Shape (m,), and their points, Shape (m, 2, 3)."""
    out, points = np.zeros(a.shape[0]), np.zeros((a.shape[0], 2, 3))
    scratch = make_scratch()
    for n in range(a.shape[0]):
        out[n] = gap(a[n], b[n], math.inf, meshes, scratch)
        keep_points(scratch.vectors, points[n])
    return out, points


@entry(NUMBERS(NUMBERS, NUMBERS))
def common_point(a: Array, b: Array) -> Array:
    """Return a point that two convex rows have in common, if they touch. Shape (3,)."""
    vectors = make_scratch().vectors
    apart = gjk(a, b, math.inf, vectors)
    share = 0.0 if apart == 0.0 else radius_of(a) / (radius_of(a) + radius_of(b))
    first, second = vector_at(vectors, NEAREST_FIRST), vector_at(vectors, NEAREST_SECOND)
    x, y, z = ahead(first, share, minus(second, first))  # between the cores, within either ball
    return np.array([x, y, z])
