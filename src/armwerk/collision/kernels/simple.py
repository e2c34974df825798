"""Closed forms: points, segments, boxes and triangles. Vectors in, numbers out, no arrays.

A box is [-h, h] by its half edges h, a segment p + t d with t in [0, 1], a triangle a, b, c.
"""

from __future__ import annotations

from armwerk.collision.kernels.vectors import Vector, ahead, cross, dot, minus
from armwerk.compiled import inner


@inner
def _beyond(x: float, h: float) -> float:
    """Return by how much a coordinate is outside [-h, h], with its sign."""
    return x - h if x > h else (x + h if x < -h else 0.0)


@inner
def _slope(t: float, p: Vector, d: Vector, h: Vector) -> float:
    """Half the derivative of the squared distance of p + t d to a box."""
    x, y, z = ahead(p, t, d)
    return _beyond(x, h[0]) * d[0] + _beyond(y, h[1]) * d[1] + _beyond(z, h[2]) * d[2]


@inner
def point_box(p: Vector, h: Vector) -> float:
    """Return the squared distance of a point to a box."""
    x, y, z = max(abs(p[0]) - h[0], 0.0), max(abs(p[1]) - h[1], 0.0), max(abs(p[2]) - h[2], 0.0)
    return x * x + y * y + z * z


@inner
def segment_box(p: Vector, d: Vector, h: Vector) -> tuple[float, float]:
    """Return t and the squared distance where a segment is nearest to a box.

    The derivative of the squared distance grows with t and is linear between the six places where
    the segment crosses a plane of the box, so its zero is found exactly.
    """
    low, high = 0.0, 1.0
    at_low = _slope(0.0, p, d, h)
    if at_low >= 0.0:
        return 0.0, point_box(p, h)
    at_high = _slope(1.0, p, d, h)
    if at_high <= 0.0:
        return 1.0, point_box(ahead(p, 1.0, d), h)
    for side in range(6):
        if side < 2:
            start, way, half = p[0], d[0], h[0]
        elif side < 4:
            start, way, half = p[1], d[1], h[1]
        else:
            start, way, half = p[2], d[2], h[2]
        if way != 0.0:
            t = ((half if side % 2 == 0 else -half) - start) / way
            if low < t < high:
                slope = _slope(t, p, d, h)
                if slope < 0.0:
                    low, at_low = t, slope
                else:
                    high, at_high = t, slope
    t = low - at_low * (high - low) / (at_high - at_low)
    return t, point_box(ahead(p, t, d), h)


@inner
def _within(t: float) -> float:
    """Return the nearest number in [0, 1]."""
    return min(max(t, 0.0), 1.0)


@inner
def segment_segment(p: Vector, u: Vector, q: Vector, v: Vector) -> tuple[float, float, float]:
    """Return s, t in [0, 1] and the squared distance where p + s u and q + t v are nearest."""
    r = minus(p, q)
    a, e, c, f = dot(u, u), dot(v, v), dot(u, r), dot(v, r)
    if a <= 1e-300 and e <= 1e-300:
        s, t = 0.0, 0.0
    elif a <= 1e-300:
        s, t = 0.0, _within(f / e)
    elif e <= 1e-300:
        s, t = _within(-c / a), 0.0
    else:
        b = dot(u, v)
        n = cross(u, v)
        across = dot(n, n)  # = a e - b², but without the loss of digits
        s = 0.0
        if across > 1e-24 * a * e:
            # det(r, v, n) by the same cross product keeps nearly parallel segments exact
            s = _within(dot(cross(v, r), n) / across)
        t = (b * s + f) / e
        if t < 0.0:
            t, s = 0.0, _within(-c / a)
        elif t > 1.0:
            t, s = 1.0, _within((b - c) / a)
        else:
            s = _within((b * t - c) / a)
    between = ahead(ahead(r, s, u), -t, v)
    return s, t, dot(between, between)


@inner
def point_triangle(p: Vector, a: Vector, b: Vector, c: Vector) -> tuple[float, float, float]:
    """Return shares v, w (nearest point = a + v (b - a) + w (c - a)) and the squared distance.

    The corner, side or face that is nearest is told by the signs of the point's coordinates along
    the sides (Ericson, Real-Time Collision Detection, 5.1.5).
    """
    ab, ac, ap = minus(b, a), minus(c, a), minus(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    bb, cc, bc = dot(ab, ab), dot(ac, ac), dot(ab, ac)
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
    between = ahead(ahead(ap, -v, ab), -w, ac)
    return v, w, dot(between, between)


@inner
def segment_triangle(
    p: Vector, d: Vector, a: Vector, b: Vector, c: Vector
) -> tuple[float, float, float, float]:
    """Return t, v, w and the squared distance where p + t d and a triangle are nearest."""
    ab, ac, ap = minus(b, a), minus(c, a), minus(p, a)
    n = cross(ab, ac)
    start, along = dot(ap, n), dot(d, n)
    if along != 0.0 and 0.0 <= -start / along <= 1.0:  # crosses the plane: inside the triangle?
        t = -start / along
        x = ahead(ap, t, d)
        square = dot(n, n)
        w, v = dot(cross(ab, x), n), dot(cross(x, ac), n)
        if v >= 0.0 and w >= 0.0 and v + w <= square:
            return t, v / square, w / square, 0.0
    v, w, best = point_triangle(p, a, b, c)
    t = 0.0
    v2, w2, near = point_triangle(ahead(p, 1.0, d), a, b, c)
    if near < best:
        t, v, w, best = 1.0, v2, w2, near
    s, e, near = segment_segment(p, d, a, ab)
    if near < best:
        t, v, w, best = s, e, 0.0, near
    s, e, near = segment_segment(p, d, a, ac)
    if near < best:
        t, v, w, best = s, 0.0, e, near
    s, e, near = segment_segment(p, d, b, minus(c, b))
    if near < best:
        t, v, w, best = s, 1.0 - e, e, near
    return t, v, w, best
