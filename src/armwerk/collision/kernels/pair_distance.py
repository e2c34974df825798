"""How far two rows of any kind are apart, and their nearest points.

Convex rows that overlap have the negative depth; with a mesh the distance of overlapping bodies
is 0. ``P``, Shape (2, 3), is filled with a point of the first and a point of the second row.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.depth import depth
from armwerk.collision.kernels.gjk import COUNT, FIRST, SECOND, gjk
from armwerk.collision.kernels.layout import (
    CAPSULE,
    CONE,
    DIM,
    HALF_SPACE,
    KIND,
    POS,
    ROUND,
    SLACK,
    TRIANGLE_MESH,
    Array,
)
from armwerk.collision.kernels.mesh_contact import mesh_depth
from armwerk.collision.kernels.mesh_distance import mesh_mesh_gap, row_mesh_gap
from armwerk.collision.kernels.outside import outside_gap
from armwerk.collision.kernels.pair_contact import ROW, TABLES, working
from armwerk.collision.kernels.rows import outer, support
from armwerk.collision.kernels.simple import segment_segment
from armwerk.compiled import entry, inner


@inner
def _rounds(a: Array, b: Array, P: Array) -> float:
    """Distance of two spheres or capsules."""
    h, g = a[DIM], b[DIM]
    u, v, w = 2.0 * h * a[3], 2.0 * h * a[6], 2.0 * h * a[9]
    i, j, k = 2.0 * g * b[3], 2.0 * g * b[6], 2.0 * g * b[9]
    px, py, pz = a[POS] - 0.5 * u, a[POS + 1] - 0.5 * v, a[POS + 2] - 0.5 * w
    qx, qy, qz = b[POS] - 0.5 * i, b[POS + 1] - 0.5 * j, b[POS + 2] - 0.5 * k
    s, t, square = segment_segment(px, py, pz, u, v, w, qx, qy, qz, i, j, k)
    px, py, pz = px + s * u, py + s * v, pz + s * w
    qx, qy, qz = qx + t * i, qy + t * j, qz + t * k
    x, y, z = qx - px, qy - py, qz - pz
    size = math.sqrt(square)
    if size <= 1e-12 * (a[ROUND] + b[ROUND]):  # axes that meet part along what crosses both
        x, y, z = v * k - w * j, w * i - u * k, u * j - v * i
        size = math.sqrt(x * x + y * y + z * z)
        if size <= 1e-12 * (h * g):
            x, y, z, size = a[1], a[4], a[7], 1.0
        square = 0.0
    x, y, z = x / size, y / size, z / size
    P[0, 0], P[0, 1], P[0, 2] = px + a[ROUND] * x, py + a[ROUND] * y, pz + a[ROUND] * z
    P[1, 0], P[1, 1], P[1, 2] = qx - b[ROUND] * x, qy - b[ROUND] * y, qz - b[ROUND] * z
    return math.sqrt(square) - a[ROUND] - b[ROUND]


@inner
def _convex(a: Array, b: Array, far: float, S: Array, P: Array) -> float:
    """Distance of two convex rows."""
    r, s = a[ROUND], b[ROUND]
    limit = max(far + r + s, 0.0)
    gap = gjk(a, b, limit, S)
    if gap > limit:
        return math.inf
    if gap > 0.0:
        x, y, z = S[SECOND, 0] - S[FIRST, 0], S[SECOND, 1] - S[FIRST, 1], S[SECOND, 2] - S[FIRST, 2]
        x, y, z = x / gap, y / gap, z / gap
    else:
        S[COUNT, 1] = S[COUNT, 2] = 0.0
        gap = -depth(a, b, S)
        x, y, z = S[COUNT, 0], S[COUNT, 1], S[COUNT, 2]
        if gap == 0.0:
            x, y, z = 0.0, 0.0, 0.0
    P[0, 0], P[0, 1], P[0, 2] = S[FIRST, 0] + r * x, S[FIRST, 1] + r * y, S[FIRST, 2] + r * z
    P[1, 0], P[1, 1], P[1, 2] = S[SECOND, 0] - s * x, S[SECOND, 1] - s * y, S[SECOND, 2] - s * z
    return gap - r - s


@inner
def _above(row: Array, plane: Array, P: Array) -> float:
    """Distance of a convex row to a half-space."""
    u, v, w = plane[3], plane[6], plane[9]
    x, y, z = support(row, -u, -v, -w)
    r = row[ROUND]
    x, y, z = x - r * u, y - r * v, z - r * w
    up = u * (x - plane[POS]) + v * (y - plane[POS + 1]) + w * (z - plane[POS + 2])
    P[0, 0], P[0, 1], P[0, 2] = x, y, z
    P[1, 0], P[1, 1], P[1, 2] = x - up * u, y - up * v, z - up * w
    return up


@inner
def _mesh_above(
    mesh: Array, plane: Array, triangles: Array, nodes: Array, meshes: Array, W: Array, P: Array
) -> float:
    """Distance of a mesh to a half-space."""
    u, v, w = plane[3], plane[6], plane[9]
    up, at = mesh_depth(mesh, plane, triangles, nodes, meshes, math.inf, W)
    t = triangles[at]
    least = math.inf
    for c in range(3):
        x, y, z = outer(mesh, t[3 * c], t[3 * c + 1], t[3 * c + 2])
        here = u * (x - plane[POS]) + v * (y - plane[POS + 1]) + w * (z - plane[POS + 2])
        if here < least:
            least = here
            P[0, 0], P[0, 1], P[0, 2] = x, y, z
            P[1, 0], P[1, 1], P[1, 2] = x - here * u, y - here * v, z - here * w
    return up


@inner
def _in_order(
    a: Array,
    b: Array,
    far: float,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
    P: Array,
) -> float:
    """Distance of two rows whose kinds rise."""
    first, second = int(a[KIND]), int(b[KIND])
    if second <= CAPSULE:
        return _rounds(a, b, P)
    if second <= CONE:
        return _convex(a, b, far, S, P)
    if second == HALF_SPACE:
        return _above(a, b, P)
    if second == TRIANGLE_MESH:
        if first == TRIANGLE_MESH:
            return mesh_mesh_gap(a, b, far, triangles, nodes, meshes, points, S, W, P)
        if first == HALF_SPACE:
            up = _mesh_above(b, a, triangles, nodes, meshes, W, P)
            swap(P)
            return up
        return row_mesh_gap(a, b, far, triangles, nodes, meshes, S, W, P)
    return outside_gap(b, a, triangles, meshes, P)


@inner
def swap(P: Array) -> None:
    """Exchange the two points."""
    for k in range(3):
        P[0, k], P[1, k] = P[1, k], P[0, k]


@entry(f"float64({ROW}, {ROW}, float64, {TABLES}, float64[:,::1], float64[:,::1], float64[:,::1])")
def gap(
    a: Array,
    b: Array,
    far: float,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
    P: Array,
) -> float:
    """Return the distance of two rows in one frame; anything from ``far`` on may be infinite.

    It is 0 where a gap is within the slack of the pair, so that rows touch when it is 0 or less.
    """
    if a[KIND] <= b[KIND]:
        found = _in_order(a, b, far, triangles, nodes, meshes, points, S, W, P)
    else:
        found = _in_order(b, a, far, triangles, nodes, meshes, points, S, W, P)
        swap(P)
    return 0.0 if 0.0 < found <= a[SLACK] + b[SLACK] else found


@entry(f"Tuple((float64[::1], float64[:,:,::1]))(float64[:,::1], float64[:,::1], {TABLES})")
def gap_many(
    a: Array, b: Array, triangles: Array, nodes: Array, meshes: Array, points: Array
) -> tuple[Array, Array]:
    """Return the distances of m pairs of rows, Shape (m,), and their points, Shape (m, 2, 3)."""
    out, P = np.zeros(a.shape[0]), np.zeros((a.shape[0], 2, 3))
    S, W = working()
    for n in range(a.shape[0]):
        out[n] = gap(a[n], b[n], math.inf, triangles, nodes, meshes, points, S, W, P[n])
    return out, P


@entry("float64[::1](float64[::1], float64[::1])")
def meeting(a: Array, b: Array) -> Array:
    """Return a point that two convex rows have in common, if they touch. Shape (3,)."""
    S, _ = working()
    gap = gjk(a, b, math.inf, S)
    out = np.zeros(3)
    share = 0.0 if gap == 0.0 else a[ROUND] / (a[ROUND] + b[ROUND])
    for k in range(3):  # between the cores, within either ball
        out[k] = S[FIRST, k] + share * (S[SECOND, k] - S[FIRST, k])
    return out
