"""Whether a shape leaves a reachable region with round sides, and by how much.

For a convex region the depth of a point is concave, so the corners of a shape decide. Discs are
held against the region as the 32-gons around them: safe, and at most 0.5 % of the radius early.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    centre,
    cone_sizes,
    corner,
    cylinder_sizes,
    half_edges,
    half_length,
    kind_of,
    mesh_entry,
    outside_sizes,
    position,
    put_at,
    radius_of,
    reach,
    slack,
)
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CONE,
    OUTSIDE_CAPSULE,
    OUTSIDE_CYLINDER,
    POINT_FIRST,
    POINT_SECOND,
    SPHERE,
    MeshTables,
)
from armwerk.collision.kernels.rows import local_point, outer_point
from armwerk.collision.kernels.vectors import Vector
from armwerk.compiled import inner

_SIDES = 32
_WIDER = 1.0 / math.cos(math.pi / _SIDES)


@inner
def depth_in_region(region: Array, p: Vector) -> float:
    """Return how deep a point is inside the region that an outside row leaves free."""
    x, y, z = local_point(region, p)
    across = math.sqrt(x * x + y * y)
    kind = kind_of(region)
    radius, second = outside_sizes(region)
    if kind == OUTSIDE_CAPSULE:
        beyond = max(abs(z) - second, 0.0)
        return radius - math.sqrt(across * across + beyond * beyond)
    if kind == OUTSIDE_CYLINDER:
        return radius - across
    return (radius + second * z - across) / math.sqrt(1.0 + second * second)


@inner
def _corner(row: Array, n: int) -> Vector:
    """Return corner n of a convex row in the row's surroundings."""
    kind = kind_of(row)
    if kind == SPHERE:
        return position(row)
    if kind == CAPSULE:
        h = half_length(row)
        return outer_point(row, (0.0, 0.0, h if n == 0 else -h))
    if kind == BOX:
        x, y, z = half_edges(row)
        return outer_point(
            row,
            (
                x if n % 2 == 0 else -x,
                y if n // 2 % 2 == 0 else -y,
                z if n // 4 == 0 else -z,
            ),
        )
    at_top = n >= _SIDES
    angle = 2.0 * math.pi * (n % _SIDES) / _SIDES
    if kind == CONE:
        radius, top, height = cone_sizes(row)
        radius = top if at_top else radius
    else:
        radius, height = cylinder_sizes(row)
    radius *= _WIDER
    return outer_point(
        row, (radius * math.cos(angle), radius * math.sin(angle), height if at_top else -height)
    )


@inner
def outside_gap(region: Array, row: Array, meshes: MeshTables, vectors: Array) -> float:
    """Return the least depth of a shape inside a region; negative when it sticks out.

    Args:
        region: An outside row.
        row: The shape, in the same frame.
        meshes: All meshes.
        vectors: Rows `POINT_FIRST` and `POINT_SECOND` are filled with the point least deep.
    """
    kind = kind_of(row)
    best, where = math.inf, (0.0, 0.0, 0.0)
    if kind <= CONE:
        count = (
            1 if kind == SPHERE else (2 if kind == CAPSULE else (8 if kind == BOX else 2 * _SIDES))
        )
        for n in range(count):
            p = _corner(row, n)
            depth = depth_in_region(region, p) - radius_of(row)
            if depth < best:
                best, where = depth, p
    else:
        mesh = mesh_entry(meshes.entries, row)
        for n in range(mesh.first_triangle, mesh.last_triangle):
            for c in range(3):
                p = outer_point(row, corner(meshes.triangles[n], c))
                depth = depth_in_region(region, p)
                if depth < best:
                    best, where = depth, p
    put_at(where, vectors, POINT_FIRST)
    put_at(where, vectors, POINT_SECOND)
    return best


@inner
def leaves(region: Array, row: Array, meshes: MeshTables, vectors: Array) -> bool:
    """Whether a shape touches what is outside a region."""
    if depth_in_region(region, centre(row)) > reach(row) + slack(region):
        return False
    return outside_gap(region, row, meshes, vectors) <= slack(row) + slack(region)
