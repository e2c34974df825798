"""Whether two convex rows have a point in common; touching counts."""

from __future__ import annotations

import math

from armwerk.arrays import Array
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
from armwerk.collision.kernels.layout import BOX, CAPSULE, CYLINDER, KIND, SPHERE
from armwerk.collision.kernels.rows import local_direction, local_point
from armwerk.collision.kernels.separating import box_box
from armwerk.collision.kernels.simple import point_box, segment_box, segment_segment
from armwerk.collision.kernels.vectors import Vector, ahead, dot, minus, scaled
from armwerk.compiled import inner


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
def touch_plain(a: Array, b: Array) -> bool:
    """Whether two rows touch that are spheres, capsules or boxes; needs no meshes."""
    if a[KIND] <= CAPSULE:
        return rounds_touch(a, b) if b[KIND] <= CAPSULE else round_box(a, b)
    return round_box(b, a) if b[KIND] <= CAPSULE else box_box(a, b)


@inner
def touch_convex(a: Array, b: Array, vectors: Array) -> bool:
    """Whether two rows touch that are spheres, capsules, boxes, cylinders or cones; kinds rise.

    ``vectors`` is the working space of `gjk`.
    """
    if b[KIND] <= BOX:
        return touch_plain(a, b)
    r = radius_of(a) + slack(a) + slack(b)
    if a[KIND] == SPHERE:
        return point_turned(b, position(a)) <= r
    return gjk(a, b, r, vectors) <= r
