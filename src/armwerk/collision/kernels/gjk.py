"""Distance of two convex rows by the method of Gilbert, Johnson and Keerthi.

The difference of the two bodies, without their swept balls, is walked towards the origin by
simplices of at most four of its corners. The lower bound v·w/|v| that every step yields makes the
result certain: "apart" is only said with a direction that separates.

``S``, Shape (16, 3), is the caller's working space; afterwards rows 12 and 13 hold the nearest
points of the first and the second body, and S[14, 0] the number of corners of the last simplex,
which stand in rows 0 to 3 (differences), 4 to 7 and 8 to 11 (points of the bodies).
"""

from __future__ import annotations

import math

from armwerk.collision.kernels.layout import POS, ROT, TRIANGLE, Array
from armwerk.collision.kernels.rows import support
from armwerk.compiled import inner

FIRST, SECOND = 12, 13  # rows of S with the nearest points
COUNT, _SHARES = 14, 15
_STEPS = 100  # polytopes end after some ten; round bodies touching at their rims take more
_CLOSE = 1e-14  # share of the squared distance by which the two bounds may differ
_TOUCH = 1e-11  # share of the bodies' size below which a distance is rounding


@inner
def _keep(S: Array, i: int, j: int) -> None:
    """Copy corner j of the simplex, its difference and both points, to place i."""
    for k in range(3):
        S[i, k], S[4 + i, k], S[8 + i, k] = S[j, k], S[4 + j, k], S[8 + j, k]


@inner
def _edge(px: float, py: float, pz: float, dx: float, dy: float, dz: float) -> float:
    """Return t in [0, 1] where p + t d is nearest to the origin."""
    square = dx * dx + dy * dy + dz * dz
    t = -(px * dx + py * dy + pz * dz)
    return 0.0 if t <= 0.0 else (1.0 if t >= square else t / square)


@inner
def _face(S: Array, i: int, j: int, k: int) -> tuple[float, float, float]:
    """Return shares v, w of corners j and k where a face is nearest to the origin, and |.|².

    Sides and inside are all tried and the nearest taken: unlike a decision by regions this never
    gets worse on slivers, which round bodies end in.
    """
    x, y, z = S[i, 0], S[i, 1], S[i, 2]
    ux, uy, uz = S[j, 0] - x, S[j, 1] - y, S[j, 2] - z
    wx, wy, wz = S[k, 0] - x, S[k, 1] - y, S[k, 2] - z
    best, v, w = math.inf, 0.0, 0.0
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    square = nx * nx + ny * ny + nz * nz
    for n in range(4):
        if n == 0:
            p, q = _edge(x, y, z, ux, uy, uz), 0.0
        elif n == 1:
            p, q = 0.0, _edge(x, y, z, wx, wy, wz)
        elif n == 2:
            q = _edge(S[j, 0], S[j, 1], S[j, 2], wx - ux, wy - uy, wz - uz)
            p = 1.0 - q
        else:
            if square == 0.0:
                continue
            p = ((wy * z - wz * y) * nx + (wz * x - wx * z) * ny + (wx * y - wy * x) * nz) / square
            q = ((y * uz - z * uy) * nx + (z * ux - x * uz) * ny + (x * uy - y * ux) * nz) / square
            if p <= 0.0 or q <= 0.0 or p + q >= 1.0:
                continue
        a, b, c = x + p * ux + q * wx, y + p * uy + q * wy, z + p * uz + q * wz
        here = a * a + b * b + c * c
        if here < best:
            best, v, w = here, p, q
    return v, w, best


@inner
def _volume(S: Array, i: int, j: int, k: int, m: int) -> tuple[float, float]:
    """Return det(j - i, k - i, m - i) and det(j - i, k - i, -i): same sign, same side."""
    ax, ay, az = S[j, 0] - S[i, 0], S[j, 1] - S[i, 1], S[j, 2] - S[i, 2]
    bx, by, bz = S[k, 0] - S[i, 0], S[k, 1] - S[i, 1], S[k, 2] - S[i, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    there = nx * (S[m, 0] - S[i, 0]) + ny * (S[m, 1] - S[i, 1]) + nz * (S[m, 2] - S[i, 2])
    return there, -(nx * S[i, 0] + ny * S[i, 1] + nz * S[i, 2])


@inner
def _keep_face(S: Array, i: int, j: int, k: int, v: float, w: float) -> int:
    """Reduce the simplex to what carries the nearest point of a face; return its size."""
    places, shares = (i, j, k), (1.0 - v - w, v, w)
    count = 0
    for n in range(3):
        if shares[n] > 1e-15:  # one minus the others leaves rounding where there is nothing
            _keep(S, count, places[n])  # places only ever grow, so nothing is overwritten early
            S[_SHARES, count] = shares[n]
            count += 1
    return count


@inner
def _reduce(S: Array, count: int) -> int:
    """Reduce the simplex to the part nearest to the origin; 4 when it encloses the origin."""
    if count == 1:
        S[_SHARES, 0] = 1.0
        return 1
    if count == 2:
        dx, dy, dz = S[1, 0] - S[0, 0], S[1, 1] - S[0, 1], S[1, 2] - S[0, 2]
        square = dx * dx + dy * dy + dz * dz
        t = -(S[0, 0] * dx + S[0, 1] * dy + S[0, 2] * dz)
        if t <= 0.0 or square == 0.0:
            S[_SHARES, 0] = 1.0
            return 1
        if t >= square:
            _keep(S, 0, 1)
            S[_SHARES, 0] = 1.0
            return 1
        S[_SHARES, 0], S[_SHARES, 1] = 1.0 - t / square, t / square
        return 2
    if count == 3:
        v, w, _ = _face(S, 0, 1, 2)
        return _keep_face(S, 0, 1, 2, v, w)
    return _reduce_four(S)


@inner
def _reduce_four(S: Array) -> int:
    best, a, b, c, v, w = math.inf, 0, 0, 0, 0.0, 0.0
    for n in range(4):
        i, j, k, m = (
            (0, 1, 2, 3)
            if n == 0
            else ((0, 1, 3, 2) if n == 1 else ((0, 2, 3, 1) if n == 2 else (1, 2, 3, 0)))
        )
        there, here = _volume(S, i, j, k, m)
        size = (
            abs(S[i, 0]) + abs(S[i, 1]) + abs(S[i, 2]) + abs(S[m, 0]) + abs(S[m, 1]) + abs(S[m, 2])
        )
        thin = abs(there) <= 1e-15 * size * size * size
        if thin or there * here <= 0.0:
            tv, tw, square = _face(S, i, j, k)
            if square < best:
                best, a, b, c, v, w = square, i, j, k, tv, tw
    if best == math.inf:
        return 4
    return _keep_face(S, a, b, c, v, w)


@inner
def _nearest(S: Array, count: int) -> tuple[float, float, float]:
    """Return the point of a reduced simplex nearest to the origin.

    Of a face it is taken along the normal: the sum of shares would lean by rounding, and close
    to the origin that lean is all there is.
    """
    if count == 3:
        ax, ay, az = S[1, 0] - S[0, 0], S[1, 1] - S[0, 1], S[1, 2] - S[0, 2]
        bx, by, bz = S[2, 0] - S[0, 0], S[2, 1] - S[0, 1], S[2, 2] - S[0, 2]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        square = nx * nx + ny * ny + nz * nz
        if square > 0.0:
            k = (nx * S[0, 0] + ny * S[0, 1] + nz * S[0, 2]) / square
            return k * nx, k * ny, k * nz
    x, y, z = 0.0, 0.0, 0.0
    for n in range(count):
        x += S[_SHARES, n] * S[n, 0]
        y += S[_SHARES, n] * S[n, 1]
        z += S[_SHARES, n] * S[n, 2]
    return x, y, z


@inner
def _combine(S: Array, count: int) -> None:
    """Fill the nearest points from the shares of the corners."""
    for k in range(3):
        first, second = 0.0, 0.0
        for n in range(count):
            first += S[_SHARES, n] * S[4 + n, k]
            second += S[_SHARES, n] * S[8 + n, k]
        S[FIRST, k], S[SECOND, k] = first, second


@inner
def _enclosed(S: Array) -> None:
    """Fill a common point of two bodies from a simplex around the origin."""
    total = 0.0
    for n in range(4):
        i, j, k, m = (
            (1, 2, 3, 0)
            if n == 0
            else ((0, 2, 3, 1) if n == 1 else ((0, 1, 3, 2) if n == 2 else (0, 1, 2, 3)))
        )
        there, here = _volume(S, i, j, k, m)
        if n < 3:
            S[_SHARES, n] = here / there
            total += S[_SHARES, n]
    last = 1.0 - total
    for k in range(3):
        x = last * S[7, k]
        for n in range(3):
            x += S[_SHARES, n] * S[4 + n, k]
        S[FIRST, k] = S[SECOND, k] = x


@inner
def _middle(row: Array, k: int) -> float:
    if int(row[0]) == TRIANGLE:
        return (row[ROT + k] + row[ROT + 3 + k] + row[ROT + 6 + k]) / 3.0
    return row[POS + k]


@inner
def gjk(a: Array, b: Array, far: float, S: Array) -> float:
    """Return the distance of two convex rows without their swept balls, 0 when they overlap.

    Args:
        a: First row.
        b: Second row, in the same frame.
        far: As soon as the distance is known to be above this, a lower bound is returned and
            the nearest points are not filled. Infinite: the whole distance is wanted.
        S: Working space.
    """
    x, y, z = (
        _middle(a, 0) - _middle(b, 0),
        _middle(a, 1) - _middle(b, 1),
        _middle(a, 2) - _middle(b, 2),
    )
    if x == 0.0 and y == 0.0 and z == 0.0:
        x = 1.0
    square, apart = math.inf, False
    count = 0
    size = 0.0
    for step in range(_STEPS):
        ax, ay, az = support(a, -x, -y, -z)
        bx, by, bz = support(b, x, y, z)
        wx, wy, wz = ax - bx, ay - by, az - bz
        along = x * wx + y * wy + z * wz
        vv = x * x + y * y + z * z
        if along > 0.0 and along * along > far * far * vv:
            return along / math.sqrt(vv)
        apart = apart or along > 0.0
        if step > 0 and vv - along <= _CLOSE * vv:
            break
        size = max(size, abs(wx), abs(wy), abs(wz))
        S[count, 0], S[count, 1], S[count, 2] = wx, wy, wz
        S[4 + count, 0], S[4 + count, 1], S[4 + count, 2] = ax, ay, az
        S[8 + count, 0], S[8 + count, 1], S[8 + count, 2] = bx, by, bz
        known = False
        for n in range(count):
            known = known or (S[n, 0] == wx and S[n, 1] == wy and S[n, 2] == wz)
        if known:
            break
        count = _reduce(S, count + 1)
        if count == 4:
            S[COUNT, 0] = 4.0
            _enclosed(S)
            return 0.0
        x, y, z = _nearest(S, count)
        now = x * x + y * y + z * z
        if now <= _TOUCH * _TOUCH * size * size:
            S[COUNT, 0] = count
            _combine(S, count)
            return 0.0
        if now >= square:  # rounding: the simplex is as near as it gets
            break
        square = now
    _combine(S, count)
    if not apart:  # nothing separates them: what is left is rounding
        S[COUNT, 0] = 1.0
        return 0.0
    return math.sqrt(x * x + y * y + z * z)
