"""Separating axes of boxes and triangles: exact answers for flat bodies, touching is contact.

Two convex polytopes are apart when the direction of a face or of two edges' cross product
separates them. Directions with almost no length say nothing: they are told from rounding by
`ROUNDING` shares of the size of what is compared. The slack of a pair is what one of the two grows
by: a gap up to that is a touch.
"""

from __future__ import annotations

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    axis,
    corner,
    half_edges,
    position,
    put_at,
    slack,
    vector_at,
)
from armwerk.collision.kernels.rows import local_point
from armwerk.collision.kernels.vectors import Vector, cross, dot, minus
from armwerk.compiled import inner

ROUNDING = 2e-15


@inner
def box_box(a: Array, b: Array) -> bool:
    """Whether two boxes have a point in common."""
    between = minus(position(b), position(a))
    grown = slack(a) + slack(b)
    a0, a1, a2 = half_edges(a)
    a0, a1, a2 = a0 + grown, a1 + grown, a2 + grown
    b0, b1, b2 = half_edges(b)
    # R = AᵀB and t = Aᵀ(pb - pa), all axes in the frame of the first box
    x, y, z = axis(b, 0), axis(b, 1), axis(b, 2)
    own = axis(a, 0)
    r00, r01, r02, t0 = dot(own, x), dot(own, y), dot(own, z), dot(own, between)
    if abs(t0) > a0 + (b0 * abs(r00) + b1 * abs(r01) + b2 * abs(r02)):
        return False
    own = axis(a, 1)
    r10, r11, r12, t1 = dot(own, x), dot(own, y), dot(own, z), dot(own, between)
    if abs(t1) > a1 + (b0 * abs(r10) + b1 * abs(r11) + b2 * abs(r12)):
        return False
    own = axis(a, 2)
    r20, r21, r22, t2 = dot(own, x), dot(own, y), dot(own, z), dot(own, between)
    if abs(t2) > a2 + (b0 * abs(r20) + b1 * abs(r21) + b2 * abs(r22)):
        return False
    if abs(t0 * r00 + t1 * r10 + t2 * r20) > b0 + (a0 * abs(r00) + a1 * abs(r10) + a2 * abs(r20)):
        return False
    if abs(t0 * r01 + t1 * r11 + t2 * r21) > b1 + (a0 * abs(r01) + a1 * abs(r11) + a2 * abs(r21)):
        return False
    if abs(t0 * r02 + t1 * r12 + t2 * r22) > b2 + (a0 * abs(r02) + a1 * abs(r12) + a2 * abs(r22)):
        return False
    e = ROUNDING * (a0 + a1 + a2 + b0 + b1 + b2)
    f00, f01, f02 = abs(r00), abs(r01), abs(r02)
    f10, f11, f12 = abs(r10), abs(r11), abs(r12)
    f20, f21, f22 = abs(r20), abs(r21), abs(r22)
    return not (
        abs(t2 * r10 - t1 * r20) > a1 * f20 + a2 * f10 + b1 * f02 + b2 * f01 + e
        or abs(t2 * r11 - t1 * r21) > a1 * f21 + a2 * f11 + b0 * f02 + b2 * f00 + e
        or abs(t2 * r12 - t1 * r22) > a1 * f22 + a2 * f12 + b0 * f01 + b1 * f00 + e
        or abs(t0 * r20 - t2 * r00) > a0 * f20 + a2 * f00 + b1 * f12 + b2 * f11 + e
        or abs(t0 * r21 - t2 * r01) > a0 * f21 + a2 * f01 + b0 * f12 + b2 * f10 + e
        or abs(t0 * r22 - t2 * r02) > a0 * f22 + a2 * f02 + b0 * f11 + b1 * f10 + e
        or abs(t1 * r00 - t0 * r10) > a0 * f10 + a1 * f00 + b1 * f22 + b2 * f21 + e
        or abs(t1 * r01 - t0 * r11) > a0 * f11 + a1 * f01 + b0 * f22 + b2 * f20 + e
        or abs(t1 * r02 - t0 * r12) > a0 * f12 + a1 * f02 + b0 * f21 + b1 * f20 + e
    )


@inner
def _apart_box(n: Vector, a: Vector, b: Vector, c: Vector, h: Vector, e: float) -> bool:
    """Whether direction n separates triangle a, b, c from the box [-h, h]."""
    p, q, r = dot(n, a), dot(n, b), dot(n, c)
    reach = h[0] * abs(n[0]) + h[1] * abs(n[1]) + h[2] * abs(n[2]) + e
    return min(p, q, r) > reach or max(p, q, r) < -reach


@inner
def box_triangle(row: Array, triangle: Array) -> bool:
    """Whether a box and a triangle have a point in common.

    Args:
        row: The box, with the slack of the pair.
        triangle: Nine numbers, in the same frame.
    """
    a = local_point(row, corner(triangle, 0))
    b = local_point(row, corner(triangle, 1))
    c = local_point(row, corner(triangle, 2))
    grown = slack(row)
    x, y, z = half_edges(row)
    h = (x + grown, y + grown, z + grown)
    if (
        min(a[0], b[0], c[0]) > h[0]
        or max(a[0], b[0], c[0]) < -h[0]
        or min(a[1], b[1], c[1]) > h[1]
        or max(a[1], b[1], c[1]) < -h[1]
        or min(a[2], b[2], c[2]) > h[2]
        or max(a[2], b[2], c[2]) < -h[2]
    ):
        return False
    u, v, w = minus(b, a), minus(c, a), minus(c, b)
    longest = max(abs(u[0]), abs(u[1]), abs(u[2]), abs(v[0]), abs(v[1]), abs(v[2]))
    e = ROUNDING * longest * (h[0] + h[1] + h[2] + longest)
    return not (
        _apart_box(cross(u, v), a, b, c, h, longest * e)
        or _apart_box((0.0, -u[2], u[1]), a, b, c, h, e)
        or _apart_box((0.0, -v[2], v[1]), a, b, c, h, e)
        or _apart_box((0.0, -w[2], w[1]), a, b, c, h, e)
        or _apart_box((u[2], 0.0, -u[0]), a, b, c, h, e)
        or _apart_box((v[2], 0.0, -v[0]), a, b, c, h, e)
        or _apart_box((w[2], 0.0, -w[0]), a, b, c, h, e)
        or _apart_box((-u[1], u[0], 0.0), a, b, c, h, e)
        or _apart_box((-v[1], v[0], 0.0), a, b, c, h, e)
        or _apart_box((-w[1], w[0], 0.0), a, b, c, h, e)
    )


@inner
def _apart(d: Vector, a: Array, b: Array, grown: float, e: float) -> bool:
    """Whether a direction separates two triangles."""
    e += grown * (abs(d[0]) + abs(d[1]) + abs(d[2]))
    p, q, r = dot(d, corner(a, 0)), dot(d, corner(a, 1)), dot(d, corner(a, 2))
    u, v, w = dot(d, corner(b, 0)), dot(d, corner(b, 1)), dot(d, corner(b, 2))
    return min(p, q, r) > max(u, v, w) + e or min(u, v, w) > max(p, q, r) + e


@inner
def triangle_triangle(a: Array, b: Array, grown: float, edges: Array) -> bool:
    """Whether two triangles of nine numbers each have a point in common.

    Besides both normals and the nine products of edges, the normals of the edges within each
    plane are tried: they separate triangles that lie in one plane.

    Args:
        a: First triangle.
        b: Second triangle.
        grown: Slack of the pair.
        edges: Working space: three edges of either triangle, then both normals. Shape (8, 3).
    """
    for c in range(3):
        put_at(minus(corner(a, (c + 1) % 3), corner(a, c)), edges, c)
        put_at(minus(corner(b, (c + 1) % 3), corner(b, c)), edges, 3 + c)
    longest = 0.0
    for n in range(6):
        longest = max(longest, abs(edges[n, 0]), abs(edges[n, 1]), abs(edges[n, 2]))
    for n in range(2):
        put_at(cross(vector_at(edges, 3 * n), vector_at(edges, 3 * n + 1)), edges, 6 + n)
    far = 0.0
    for k in range(9):
        far = max(far, abs(a[k]), abs(b[k]))
    e = ROUNDING * longest * longest * far
    for n in range(2):
        if _apart(vector_at(edges, 6 + n), a, b, grown, e):
            return False
    for i in range(3):
        for j in range(3, 6):
            if _apart(cross(vector_at(edges, i), vector_at(edges, j)), a, b, grown, e):
                return False
    for i in range(6):
        inward = cross(vector_at(edges, i), vector_at(edges, 6 + i // 3))
        if _apart(inward, a, b, grown, e * longest):
            return False
    return True
