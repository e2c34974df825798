"""Separating axes of boxes and triangles: exact answers for flat bodies, touching is contact.

Two convex polytopes are apart when the direction of a face or of two edges' cross product
separates them. Directions with almost no length say nothing: they are told from rounding by
`ROUNDING` shares of the size of what is compared. The slack of a pair is what one of the two grows
by: a gap up to that is a touch.
"""

from __future__ import annotations

from armwerk.collision.kernels.layout import DIM, POS, ROT, SLACK, Array
from armwerk.compiled import inner

ROUNDING = 2e-15


@inner
def box_box(a: Array, b: Array) -> bool:
    """Whether two boxes have a point in common."""
    x, y, z = b[POS] - a[POS], b[POS + 1] - a[POS + 1], b[POS + 2] - a[POS + 2]
    slack = a[SLACK] + b[SLACK]
    a0, a1, a2 = a[DIM] + slack, a[DIM + 1] + slack, a[DIM + 2] + slack
    b0, b1, b2 = b[DIM], b[DIM + 1], b[DIM + 2]
    # R = AᵀB and t = Aᵀ(pb - pa), all axes in the frame of the first box
    r00 = a[1] * b[1] + a[4] * b[4] + a[7] * b[7]
    r01 = a[1] * b[2] + a[4] * b[5] + a[7] * b[8]
    r02 = a[1] * b[3] + a[4] * b[6] + a[7] * b[9]
    t0 = a[1] * x + a[4] * y + a[7] * z
    if abs(t0) > a0 + (b0 * abs(r00) + b1 * abs(r01) + b2 * abs(r02)):
        return False
    r10 = a[2] * b[1] + a[5] * b[4] + a[8] * b[7]
    r11 = a[2] * b[2] + a[5] * b[5] + a[8] * b[8]
    r12 = a[2] * b[3] + a[5] * b[6] + a[8] * b[9]
    t1 = a[2] * x + a[5] * y + a[8] * z
    if abs(t1) > a1 + (b0 * abs(r10) + b1 * abs(r11) + b2 * abs(r12)):
        return False
    r20 = a[3] * b[1] + a[6] * b[4] + a[9] * b[7]
    r21 = a[3] * b[2] + a[6] * b[5] + a[9] * b[8]
    r22 = a[3] * b[3] + a[6] * b[6] + a[9] * b[9]
    t2 = a[3] * x + a[6] * y + a[9] * z
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
def _apart_box(
    n0: float, n1: float, n2: float, t: Array, h0: float, h1: float, h2: float, e: float
) -> bool:
    """Whether direction n separates a triangle from the box [-h, h]."""
    p = n0 * t[0] + n1 * t[1] + n2 * t[2]
    q = n0 * t[3] + n1 * t[4] + n2 * t[5]
    r = n0 * t[6] + n1 * t[7] + n2 * t[8]
    reach = h0 * abs(n0) + h1 * abs(n1) + h2 * abs(n2) + e
    return min(p, q, r) > reach or max(p, q, r) < -reach


@inner
def box_triangle(row: Array, corners: Array, t: Array) -> bool:
    """Whether a box and a triangle have a point in common.

    Args:
        row: The box, with the slack of the pair.
        corners: Nine numbers, in the same frame.
        t: Working space for nine numbers.
    """
    for c in range(3):
        x = corners[3 * c] - row[POS]
        y = corners[3 * c + 1] - row[POS + 1]
        z = corners[3 * c + 2] - row[POS + 2]
        for k in range(3):
            t[3 * c + k] = row[ROT + k] * x + row[ROT + 3 + k] * y + row[ROT + 6 + k] * z
    slack = row[SLACK]
    h0, h1, h2 = row[DIM] + slack, row[DIM + 1] + slack, row[DIM + 2] + slack
    if (
        min(t[0], t[3], t[6]) > h0
        or max(t[0], t[3], t[6]) < -h0
        or min(t[1], t[4], t[7]) > h1
        or max(t[1], t[4], t[7]) < -h1
        or min(t[2], t[5], t[8]) > h2
        or max(t[2], t[5], t[8]) < -h2
    ):
        return False
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    wx, wy, wz = t[6] - t[3], t[7] - t[4], t[8] - t[5]
    longest = max(abs(ux), abs(uy), abs(uz), abs(vx), abs(vy), abs(vz))
    e = ROUNDING * longest * (h0 + h1 + h2 + longest)
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return not (
        _apart_box(nx, ny, nz, t, h0, h1, h2, longest * e)
        or _apart_box(0.0, -uz, uy, t, h0, h1, h2, e)
        or _apart_box(0.0, -vz, vy, t, h0, h1, h2, e)
        or _apart_box(0.0, -wz, wy, t, h0, h1, h2, e)
        or _apart_box(uz, 0.0, -ux, t, h0, h1, h2, e)
        or _apart_box(vz, 0.0, -vx, t, h0, h1, h2, e)
        or _apart_box(wz, 0.0, -wx, t, h0, h1, h2, e)
        or _apart_box(-uy, ux, 0.0, t, h0, h1, h2, e)
        or _apart_box(-vy, vx, 0.0, t, h0, h1, h2, e)
        or _apart_box(-wy, wx, 0.0, t, h0, h1, h2, e)
    )


@inner
def _apart(x: float, y: float, z: float, a: Array, b: Array, slack: float, e: float) -> bool:
    """Whether direction (x, y, z) separates two triangles."""
    e += slack * (abs(x) + abs(y) + abs(z))
    p, q, r = (
        x * a[0] + y * a[1] + z * a[2],
        x * a[3] + y * a[4] + z * a[5],
        x * a[6] + y * a[7] + z * a[8],
    )
    u, v, w = (
        x * b[0] + y * b[1] + z * b[2],
        x * b[3] + y * b[4] + z * b[5],
        x * b[6] + y * b[7] + z * b[8],
    )
    return min(p, q, r) > max(u, v, w) + e or min(u, v, w) > max(p, q, r) + e


@inner
def triangle_triangle(a: Array, b: Array, slack: float, E: Array) -> bool:
    """Whether two triangles of nine numbers each have a point in common.

    Besides both normals and the nine products of edges, the normals of the edges within each
    plane are tried: they separate triangles that lie in one plane.

    Args:
        a: First triangle; made relative to its own first corner, as is the other one.
        b: Second triangle.
        slack: Of the pair.
        E: Working space. Shape (8, 3).
    """
    longest = 0.0
    for k in range(3):
        E[0, k], E[1, k], E[2, k] = a[3 + k] - a[k], a[6 + k] - a[3 + k], a[k] - a[6 + k]
        E[3, k], E[4, k], E[5, k] = b[3 + k] - b[k], b[6 + k] - b[3 + k], b[k] - b[6 + k]
    for n in range(6):
        longest = max(longest, abs(E[n, 0]), abs(E[n, 1]), abs(E[n, 2]))
    for n in range(2):
        u, v = E[3 * n], E[3 * n + 1]
        x, y, z = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
        E[6 + n, 0], E[6 + n, 1], E[6 + n, 2] = x, y, z
    far = 0.0
    for k in range(9):
        far = max(far, abs(a[k]), abs(b[k]))
    e = ROUNDING * longest * longest * far
    for n in range(2):
        if _apart(E[6 + n, 0], E[6 + n, 1], E[6 + n, 2], a, b, slack, e):
            return False
    for i in range(3):
        for j in range(3, 6):
            u, v = E[i], E[j]
            x = u[1] * v[2] - u[2] * v[1]
            y = u[2] * v[0] - u[0] * v[2]
            z = u[0] * v[1] - u[1] * v[0]
            if _apart(x, y, z, a, b, slack, e):
                return False
    for i in range(6):
        u, v = E[i], E[6 + i // 3]
        x = u[1] * v[2] - u[2] * v[1]
        y = u[2] * v[0] - u[0] * v[2]
        z = u[0] * v[1] - u[1] * v[0]
        if _apart(x, y, z, a, b, slack, e * longest):
            return False
    return True
