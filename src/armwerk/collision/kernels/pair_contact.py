"""Whether two rows of any kind have a point in common; touching counts."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.kernels.fields import (
    axis_z,
    cone_sizes,
    cylinder_sizes,
    half_edges,
    half_length,
    kind_of,
    position,
    radius_of,
    slack,
)
from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HALF_SPACE,
    KIND,
    SPHERE,
    TRIANGLE_MESH,
    VECTORS,
    WORK,
    MeshTables,
    Scratch,
)
from armwerk.collision.kernels.mesh_contact import NONE, mesh_height, mesh_mesh, row_mesh
from armwerk.collision.kernels.outside import leaves
from armwerk.collision.kernels.rows import local_direction, local_point, support
from armwerk.collision.kernels.separating import box_box
from armwerk.collision.kernels.signatures import BOOLEAN, FLAGS, MESHES, NUMBERS, ROWS, SCRATCH
from armwerk.collision.kernels.simple import point_box, segment_box, segment_segment
from armwerk.collision.kernels.vectors import Vector, ahead, dot, minus, opposite, scaled
from armwerk.compiled import entry, inner


@inner
def rounds_touch(a: Array, b: Array) -> bool:
    """Whether two spheres or capsules touch."""
    r = radius_of(a) + radius_of(b) + slack(a) + slack(b)
    between = minus(position(a), position(b))
    h, g = half_length(a), half_length(b)
    far = r + h + g
    if dot(between, between) > far * far:
        return False
    one, two = scaled(2.0 * h, axis_z(a)), scaled(2.0 * g, axis_z(b))
    start = ahead(between, -0.5, minus(one, two))
    return segment_segment(start, one, (0.0, 0.0, 0.0), two)[2] <= r * r


@inner
def round_box(a: Array, box: Array) -> bool:
    """Whether a sphere or capsule touches a box."""
    r = radius_of(a) + slack(a) + slack(box)
    half = half_edges(box)
    middle = local_point(box, position(a))
    if kind_of(a) == SPHERE:
        return point_box(middle, half) <= r * r
    way = local_direction(box, scaled(half_length(a), axis_z(a)))
    if (
        abs(middle[0]) > half[0] + abs(way[0]) + r
        or abs(middle[1]) > half[1] + abs(way[1]) + r
        or abs(middle[2]) > half[2] + abs(way[2]) + r
    ):
        return False
    return segment_box(minus(middle, way), scaled(2.0, way), half)[1] <= r * r


@inner
def point_turned(row: Array, p: Vector) -> float:
    """Return the distance of a point to a cylinder or cone, negative inside."""
    x, y, z = local_point(row, p)
    across = math.sqrt(x * x + y * y)
    if kind_of(row) == CYLINDER:
        radius, half = cylinder_sizes(row)
        a, b = across - radius, abs(z) - half
        if a <= 0.0 or b <= 0.0:
            return max(a, b)
        return math.sqrt(a * a + b * b)
    bottom, top, half = cone_sizes(row)
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
    up = axis_z(plane)
    lowest = support(row, opposite(up))
    return dot(up, minus(lowest, position(plane))) - radius_of(row)


@inner
def touch_plain(a: Array, b: Array) -> bool:
    """Whether two rows touch that are spheres, capsules or boxes; needs no meshes."""
    if a[KIND] <= CAPSULE:
        return rounds_touch(a, b) if b[KIND] <= CAPSULE else round_box(a, b)
    return round_box(b, a) if b[KIND] <= CAPSULE else box_box(a, b)


@entry(BOOLEAN(NUMBERS, NUMBERS, MESHES, SCRATCH))
def touch(a: Array, b: Array, meshes: MeshTables, scratch: Scratch) -> bool:
    """Whether two rows in one frame have a point in common."""
    if a[KIND] > b[KIND]:
        a, b = b, a
    first, second = kind_of(a), kind_of(b)
    if second <= BOX:
        return touch_plain(a, b)
    grown = slack(a) + slack(b)
    if second <= CONE:
        r = radius_of(a) + grown
        if first == SPHERE:
            return point_turned(b, position(a)) <= r
        return gjk(a, b, r, scratch.vectors) <= r
    if second == HALF_SPACE:
        return height(a, b) <= grown
    if second == TRIANGLE_MESH:
        if first == TRIANGLE_MESH:
            return mesh_mesh(a, b, meshes, scratch)[0] != NONE
        if first == HALF_SPACE:
            return mesh_height(b, a, meshes, grown, scratch)[1] != NONE
        return row_mesh(a, b, meshes, scratch) != NONE
    return leaves(b, a, meshes, scratch.vectors)


@inner
def make_scratch() -> Scratch:
    """Return working space for two rows."""
    return Scratch(np.zeros((VECTORS, 3)), np.zeros((6, WORK)))


@entry(FLAGS(ROWS, ROWS, MESHES))
def touch_many(a: Array, b: Array, meshes: MeshTables) -> Flags:
    """Return for m pairs of rows whether they have a point in common. Shape (m,)."""
    out = np.zeros(a.shape[0], dtype=np.bool_)
    scratch = make_scratch()
    for n in range(a.shape[0]):
        out[n] = touch(a[n], b[n], meshes, scratch)
    return out
