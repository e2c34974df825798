"""Whether two rows of any kind have a point in common; touching counts."""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    DIM,
    HALF_SPACE,
    KIND,
    POS,
    ROUND,
    SLACK,
    SPHERE,
    TRIANGLE_MESH,
    WORK,
    Array,
)
from armwerk.collision.kernels.mesh_contact import mesh_depth, mesh_mesh, row_mesh
from armwerk.collision.kernels.outside import leaves
from armwerk.collision.kernels.rows import own, support, turned_back
from armwerk.collision.kernels.separating import box_box
from armwerk.collision.kernels.simple import point_box, segment_box, segment_segment
from armwerk.compiled import entry, inner

ROW = "float64[::1]"
TABLES = "float64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1]"


@inner
def rounds_touch(a: Array, b: Array) -> bool:
    """Whether two spheres or capsules touch."""
    r = a[ROUND] + b[ROUND] + a[SLACK] + b[SLACK]
    x, y, z = a[POS] - b[POS], a[POS + 1] - b[POS + 1], a[POS + 2] - b[POS + 2]
    square = x * x + y * y + z * z
    h, g = a[DIM], b[DIM]  # 0 for spheres
    far = r + h + g
    if square > far * far:
        return False
    u, v, w = 2.0 * h * a[3], 2.0 * h * a[6], 2.0 * h * a[9]
    i, j, k = 2.0 * g * b[3], 2.0 * g * b[6], 2.0 * g * b[9]
    x, y, z = x - 0.5 * (u - i), y - 0.5 * (v - j), z - 0.5 * (w - k)
    _, _, square = segment_segment(x, y, z, u, v, w, 0.0, 0.0, 0.0, i, j, k)
    return square <= r * r


@inner
def round_box(a: Array, box: Array) -> bool:
    """Whether a sphere or capsule touches a box."""
    r, h = a[ROUND] + a[SLACK] + box[SLACK], a[DIM]
    h0, h1, h2 = box[DIM], box[DIM + 1], box[DIM + 2]
    x, y, z = own(box, a[POS], a[POS + 1], a[POS + 2])
    if int(a[KIND]) == SPHERE:
        return point_box(x, y, z, h0, h1, h2) <= r * r
    u, v, w = turned_back(box, h * a[3], h * a[6], h * a[9])
    if abs(x) > h0 + abs(u) + r or abs(y) > h1 + abs(v) + r or abs(z) > h2 + abs(w) + r:
        return False
    _, square = segment_box(x - u, y - v, z - w, 2.0 * u, 2.0 * v, 2.0 * w, h0, h1, h2)
    return square <= r * r


@inner
def point_turned(row: Array, x: float, y: float, z: float) -> float:
    """Return the distance of a point to a cylinder or cone, negative inside."""
    x, y, z = own(row, x, y, z)
    across = math.sqrt(x * x + y * y)
    if int(row[KIND]) == CYLINDER:
        a, b = across - row[DIM], abs(z) - row[DIM + 1]
        if a <= 0.0 or b <= 0.0:
            return max(a, b)
        return math.sqrt(a * a + b * b)
    bottom, top, half = row[DIM], row[DIM + 1], row[DIM + 2]
    # distance to the slanting side in the half-plane (across, z), and to both discs
    dx, dz = top - bottom, 2.0 * half
    size = math.sqrt(dx * dx + dz * dz)
    s = ((across - bottom) * dx + (z + half) * dz) / (size * size)
    slant = ((across - bottom) * dz - (z + half) * dx) / size
    if abs(z) <= half and slant <= 0.0:
        return max(slant, abs(z) - half)
    s = min(max(s, 0.0), 1.0)
    a, b = across - bottom - s * dx, z + half - s * dz
    best = a * a + b * b
    a, b = max(across - bottom, 0.0), z + half
    best = min(best, a * a + b * b)
    a, b = max(across - top, 0.0), z - half
    best = min(best, a * a + b * b)
    return math.sqrt(best)


@inner
def height(row: Array, plane: Array) -> float:
    """Return the least height of a convex row above a half-space's plane."""
    u, v, w = plane[3], plane[6], plane[9]
    x, y, z = support(row, -u, -v, -w)
    x, y, z = x - plane[POS], y - plane[POS + 1], z - plane[POS + 2]
    return u * x + v * y + w * z - row[ROUND]


@inner
def touch_plain(a: Array, b: Array) -> bool:
    """Whether two rows touch that are spheres, capsules or boxes; needs no tables."""
    if a[KIND] <= CAPSULE:
        return rounds_touch(a, b) if b[KIND] <= CAPSULE else round_box(a, b)
    return round_box(b, a) if b[KIND] <= CAPSULE else box_box(a, b)


@entry(f"boolean({ROW}, {ROW}, {TABLES}, float64[:,::1], float64[:,::1])")
def touch(
    a: Array,
    b: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
) -> bool:
    """Whether two rows in one frame have a point in common; see `working` for S and W."""
    if a[KIND] > b[KIND]:
        a, b = b, a
    first, second = int(a[KIND]), int(b[KIND])
    if second <= BOX:
        return touch_plain(a, b)
    slack = a[SLACK] + b[SLACK]
    if second <= CONE:
        if first == SPHERE:
            return point_turned(b, a[POS], a[POS + 1], a[POS + 2]) <= a[ROUND] + slack
        return gjk(a, b, a[ROUND] + slack, S) <= a[ROUND] + slack
    if second == HALF_SPACE:
        return height(a, b) <= slack
    if second == TRIANGLE_MESH:
        if first == TRIANGLE_MESH:
            return mesh_mesh(a, b, triangles, nodes, meshes, points, S, W)[0] != -1
        if first == HALF_SPACE:
            return mesh_depth(b, a, triangles, nodes, meshes, slack, W)[1] >= 0
        return row_mesh(a, b, triangles, nodes, meshes, S, W) != -1
    return leaves(b, a, triangles, meshes, S[12:14])


@inner
def working() -> tuple[Array, Array]:
    """Return the working space of all kernels: S for `gjk`, W for rows and stacks."""
    return np.zeros((16, 3)), np.zeros((6, WORK))


@entry(f"boolean[::1](float64[:,::1], float64[:,::1], {TABLES})")
def touch_many(
    a: Array, b: Array, triangles: Array, nodes: Array, meshes: Array, points: Array
) -> Array:
    """Return for m pairs of rows whether they have a point in common. Shape (m,)."""
    out = np.zeros(a.shape[0], dtype=np.bool_)
    S, W = working()
    for n in range(a.shape[0]):
        out[n] = touch(a[n], b[n], triangles, nodes, meshes, points, S, W)
    return out
