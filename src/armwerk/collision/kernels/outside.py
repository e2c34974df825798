"""Whether a shape leaves a reachable region with round sides, and by how much.

For a convex region the depth of a point is concave, so the corners of a shape decide. Discs are
held against the region as the 32-gons around them: safe, and at most 0.5 % of the radius early.
"""

from __future__ import annotations

import math

from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CONE,
    DIM,
    KIND,
    MESH,
    MIDDLE,
    OUTSIDE_CAPSULE,
    OUTSIDE_CYLINDER,
    POS,
    REACH,
    ROUND,
    SLACK,
    SPHERE,
    Array,
)
from armwerk.collision.kernels.rows import outer, own
from armwerk.compiled import inner

_SIDES = 32
_WIDER = 1.0 / math.cos(math.pi / _SIDES)


@inner
def depth_in_region(region: Array, x: float, y: float, z: float) -> float:
    """Return how deep a point is inside the region that an outside row leaves free."""
    x, y, z = own(region, x, y, z)
    across = math.sqrt(x * x + y * y)
    kind = int(region[KIND])
    if kind == OUTSIDE_CAPSULE:
        beyond = max(abs(z) - region[DIM + 1], 0.0)
        return region[DIM] - math.sqrt(across * across + beyond * beyond)
    if kind == OUTSIDE_CYLINDER:
        return region[DIM] - across
    growth = region[DIM + 1]
    return (region[DIM] + growth * z - across) / math.sqrt(1.0 + growth * growth)


@inner
def _corner(row: Array, n: int) -> tuple[float, float, float]:
    """Return a corner of a convex row in the row's surroundings."""
    kind = int(row[KIND])
    if kind == SPHERE:
        return row[POS], row[POS + 1], row[POS + 2]
    if kind == CAPSULE:
        return outer(row, 0.0, 0.0, row[DIM] if n == 0 else -row[DIM])
    if kind == BOX:
        return outer(
            row,
            row[DIM] if n % 2 == 0 else -row[DIM],
            row[DIM + 1] if n // 2 % 2 == 0 else -row[DIM + 1],
            row[DIM + 2] if n // 4 == 0 else -row[DIM + 2],
        )
    top = n >= _SIDES
    angle = 2.0 * math.pi * (n % _SIDES) / _SIDES
    radius, height = row[DIM], row[DIM + 1]
    if kind == CONE:
        radius, height = row[DIM + 1] if top else row[DIM], row[DIM + 2]
    radius *= _WIDER
    return outer(
        row, radius * math.cos(angle), radius * math.sin(angle), height if top else -height
    )


@inner
def outside_gap(region: Array, row: Array, triangles: Array, meshes: Array, P: Array) -> float:
    """Return the least depth of a shape inside a region; negative when it sticks out.

    Args:
        region: An outside row.
        row: The shape, in the same frame.
        triangles: Corners of all meshes.
        meshes: One row per mesh.
        P: Filled with the point that is least deep. Shape (2, 3), both rows.
    """
    kind = int(row[KIND])
    best = math.inf
    if kind <= CONE:
        count = (
            1 if kind == SPHERE else (2 if kind == CAPSULE else (8 if kind == BOX else 2 * _SIDES))
        )
        for n in range(count):
            x, y, z = _corner(row, n)
            depth = depth_in_region(region, x, y, z) - row[ROUND]
            if depth < best:
                best = depth
                P[0, 0], P[0, 1], P[0, 2] = x, y, z
    else:
        table = meshes[int(row[MESH])]
        for n in range(table[4], table[4] + table[1]):
            for c in range(3):
                t = triangles[n]
                x, y, z = outer(row, t[3 * c], t[3 * c + 1], t[3 * c + 2])
                depth = depth_in_region(region, x, y, z)
                if depth < best:
                    best = depth
                    P[0, 0], P[0, 1], P[0, 2] = x, y, z
    P[1, 0], P[1, 1], P[1, 2] = P[0, 0], P[0, 1], P[0, 2]
    return best


@inner
def leaves(region: Array, row: Array, triangles: Array, meshes: Array, P: Array) -> bool:
    """Whether a shape touches what is outside a region."""
    middle = depth_in_region(region, row[MIDDLE], row[MIDDLE + 1], row[MIDDLE + 2])
    if middle > row[REACH] + region[SLACK]:
        return False
    return outside_gap(region, row, triangles, meshes, P) <= row[SLACK] + region[SLACK]
