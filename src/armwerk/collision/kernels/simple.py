"""Closed forms: points, segments, boxes and triangles. Numbers in, numbers out, no arrays."""

from __future__ import annotations

from armwerk.compiled import inner


@inner
def _slope(
    t: float,
    px: float,
    py: float,
    pz: float,
    dx: float,
    dy: float,
    dz: float,
    hx: float,
    hy: float,
    hz: float,
) -> float:
    """Half the derivative of the squared distance of p + t d to a box."""
    x, y, z = px + t * dx, py + t * dy, pz + t * dz
    x = x - hx if x > hx else (x + hx if x < -hx else 0.0)
    y = y - hy if y > hy else (y + hy if y < -hy else 0.0)
    z = z - hz if z > hz else (z + hz if z < -hz else 0.0)
    return x * dx + y * dy + z * dz


@inner
def point_box(px: float, py: float, pz: float, hx: float, hy: float, hz: float) -> float:
    """Return the squared distance of a point to the box [-h, h]."""
    x, y, z = max(abs(px) - hx, 0.0), max(abs(py) - hy, 0.0), max(abs(pz) - hz, 0.0)
    return x * x + y * y + z * z


@inner
def segment_box(
    px: float,
    py: float,
    pz: float,
    dx: float,
    dy: float,
    dz: float,
    hx: float,
    hy: float,
    hz: float,
) -> tuple[float, float]:
    """Return t in [0, 1] and the squared distance where p + t d is nearest to the box [-h, h].

    The derivative of the squared distance grows with t and is linear between the six places where
    the segment crosses a plane of the box, so its zero is found exactly.
    """
    low, high = 0.0, 1.0
    at_low = _slope(0.0, px, py, pz, dx, dy, dz, hx, hy, hz)
    if at_low >= 0.0:
        return 0.0, point_box(px, py, pz, hx, hy, hz)
    at_high = _slope(1.0, px, py, pz, dx, dy, dz, hx, hy, hz)
    if at_high <= 0.0:
        return 1.0, point_box(px + dx, py + dy, pz + dz, hx, hy, hz)
    for side in range(6):
        if side < 2:
            p, d, h = px, dx, hx
        elif side < 4:
            p, d, h = py, dy, hy
        else:
            p, d, h = pz, dz, hz
        if d != 0.0:
            t = ((h if side % 2 == 0 else -h) - p) / d
            if low < t < high:
                slope = _slope(t, px, py, pz, dx, dy, dz, hx, hy, hz)
                if slope < 0.0:
                    low, at_low = t, slope
                else:
                    high, at_high = t, slope
    t = low - at_low * (high - low) / (at_high - at_low)
    return t, point_box(px + t * dx, py + t * dy, pz + t * dz, hx, hy, hz)


@inner
def segment_segment(
    px: float,
    py: float,
    pz: float,
    ux: float,
    uy: float,
    uz: float,
    qx: float,
    qy: float,
    qz: float,
    vx: float,
    vy: float,
    vz: float,
) -> tuple[float, float, float]:
    """Return s, t in [0, 1] and the squared distance where p + s u and q + t v are nearest."""
    rx, ry, rz = px - qx, py - qy, pz - qz
    a = ux * ux + uy * uy + uz * uz
    e = vx * vx + vy * vy + vz * vz
    c = ux * rx + uy * ry + uz * rz
    f = vx * rx + vy * ry + vz * rz
    if a <= 1e-300 and e <= 1e-300:
        s, t = 0.0, 0.0
    elif a <= 1e-300:
        s, t = 0.0, min(max(f / e, 0.0), 1.0)
    elif e <= 1e-300:
        s, t = min(max(-c / a, 0.0), 1.0), 0.0
    else:
        b = ux * vx + uy * vy + uz * vz
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        across = nx * nx + ny * ny + nz * nz  # = a e - b², but without the loss of digits
        s = 0.0
        if across > 1e-24 * a * e:
            # det(r, v, n) by the same cross product keeps nearly parallel segments exact
            wx, wy, wz = vy * rz - vz * ry, vz * rx - vx * rz, vx * ry - vy * rx
            s = min(max((wx * nx + wy * ny + wz * nz) / across, 0.0), 1.0)
        t = (b * s + f) / e
        if t < 0.0:
            t, s = 0.0, min(max(-c / a, 0.0), 1.0)
        elif t > 1.0:
            t, s = 1.0, min(max((b - c) / a, 0.0), 1.0)
        else:
            s = min(max((b * t - c) / a, 0.0), 1.0)
    x = rx + s * ux - t * vx
    y = ry + s * uy - t * vy
    z = rz + s * uz - t * vz
    return s, t, x * x + y * y + z * z


@inner
def point_triangle(
    px: float,
    py: float,
    pz: float,
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
) -> tuple[float, float, float]:
    """Return shares v, w (nearest point = a + v (b - a) + w (c - a)) and the squared distance."""
    bx, by, bz, cx, cy, cz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    px, py, pz = px - ax, py - ay, pz - az
    d1, d2 = bx * px + by * py + bz * pz, cx * px + cy * py + cz * pz
    bb, cc = bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
    bc = bx * cx + by * cy + bz * cz
    d3, d4 = d1 - bb, d2 - bc
    d5, d6 = d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        v, w = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        v, w = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        v, w = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w = d1 / bb, 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w = 0.0, d2 / cc
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        total = va + vb + vc
        v, w = vb / total, vc / total
    x, y, z = px - v * bx - w * cx, py - v * by - w * cy, pz - v * bz - w * cz
    return v, w, x * x + y * y + z * z


@inner
def segment_triangle(
    px: float,
    py: float,
    pz: float,
    dx: float,
    dy: float,
    dz: float,
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
) -> tuple[float, float, float, float]:
    """Return t, v, w and the squared distance where p + t d and a triangle are nearest."""
    ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    qx, qy, qz = px - ax, py - ay, pz - az
    start = qx * nx + qy * ny + qz * nz
    along = dx * nx + dy * ny + dz * nz
    if along != 0.0 and 0.0 <= -start / along <= 1.0:  # crosses the plane: inside the triangle?
        t = -start / along
        x, y, z = qx + t * dx, qy + t * dy, qz + t * dz
        square = nx * nx + ny * ny + nz * nz
        w = (uy * z - uz * y) * nx + (uz * x - ux * z) * ny + (ux * y - uy * x) * nz
        v = (y * wz - z * wy) * nx + (z * wx - x * wz) * ny + (x * wy - y * wx) * nz
        if v >= 0.0 and w >= 0.0 and v + w <= square:
            return t, v / square, w / square, 0.0
    v, w, best = point_triangle(px, py, pz, ax, ay, az, bx, by, bz, cx, cy, cz)
    t = 0.0
    v2, w2, near = point_triangle(px + dx, py + dy, pz + dz, ax, ay, az, bx, by, bz, cx, cy, cz)
    if near < best:
        t, v, w, best = 1.0, v2, w2, near
    s, e, near = segment_segment(px, py, pz, dx, dy, dz, ax, ay, az, ux, uy, uz)
    if near < best:
        t, v, w, best = s, e, 0.0, near
    s, e, near = segment_segment(px, py, pz, dx, dy, dz, ax, ay, az, wx, wy, wz)
    if near < best:
        t, v, w, best = s, 0.0, e, near
    s, e, near = segment_segment(px, py, pz, dx, dy, dz, bx, by, bz, cx - bx, cy - by, cz - bz)
    if near < best:
        t, v, w, best = s, 1.0 - e, e, near
    return t, v, w, best
