"""Distance of two convex rows by the method of Gilbert, Johnson and Keerthi.

The difference of the two bodies, without their swept balls, is walked towards the origin by
simplices of at most four of its corners. The lower bound v·w/|v| that every step yields makes the
result certain: "apart" is only said with a direction that separates.

``vectors`` is the caller's working space, its rows are named in `layout`: afterwards those of
`NEAREST_FIRST` and `NEAREST_SECOND` hold the nearest points of the two bodies, those of `CORNERS`,
`FIRSTS` and `SECONDS` the last simplex with the points of both bodies behind its corners, and the
row `SIMPLEX_SIZE` begins with the number of its corners. Of bodies that are apart row `DIRECTION`
is the way from the first to the second, which their points tell less well when they are close.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import kind_of, position, put_at, row_corner, vector_at
from armwerk.collision.kernels.layout import (
    CORNERS,
    DIRECTION,
    FIRSTS,
    NEAREST_FIRST,
    NEAREST_SECOND,
    SECONDS,
    SHARES,
    SIMPLEX_SIZE,
    TRIANGLE,
)
from armwerk.collision.kernels.rows import support
from armwerk.collision.kernels.vectors import Vector, ahead, cross, dot, minus, opposite, scaled
from armwerk.compiled import inner

_STEPS = 100  # polytopes end after some ten; round bodies touching at their rims take more
_CLOSE = 1e-14  # share of the squared distance by which the two bounds may differ
_PATIENCE = 4  # steps that may come no nearer: the next corner is often what it takes
_TOUCH = 1e-11  # share of the bodies' size below which a distance is rounding
_NOTHING = 1e-15  # share of a corner that is rounding: one minus the others leaves that


@inner
def _corner(vectors: Array, n: int) -> Vector:
    return vector_at(vectors, CORNERS + n)


@inner
def _keep(vectors: Array, i: int, j: int) -> None:
    """Copy corner j of the simplex, its difference and both points, to place i."""
    for rows in (CORNERS, FIRSTS, SECONDS):
        for k in range(3):
            vectors[rows + i, k] = vectors[rows + j, k]


@inner
def _edge(p: Vector, d: Vector) -> float:
    """Return t in [0, 1] where p + t d is nearest to the origin."""
    square, t = dot(d, d), -dot(p, d)
    return 0.0 if t <= 0.0 else (1.0 if t >= square else t / square)


@inner
def _face(vectors: Array, i: int, j: int, k: int) -> tuple[float, float, float]:
    """Return shares v, w of corners j and k where a face is nearest to the origin, and |.|².

    Sides and inside are all tried and the nearest taken: unlike a decision by regions this never
    gets worse on slivers, which round bodies end in.
    """
    start = _corner(vectors, i)
    one, two = minus(_corner(vectors, j), start), minus(_corner(vectors, k), start)
    best, v, w = math.inf, 0.0, 0.0
    n = cross(one, two)
    square = dot(n, n)
    for part in range(4):
        if part == 0:
            p, q = _edge(start, one), 0.0
        elif part == 1:
            p, q = 0.0, _edge(start, two)
        elif part == 2:
            q = _edge(_corner(vectors, j), minus(two, one))
            p = 1.0 - q
        else:
            if square == 0.0:
                continue
            p, q = dot(cross(two, start), n) / square, dot(cross(start, one), n) / square
            if p <= 0.0 or q <= 0.0 or p + q >= 1.0:
                continue
        point = ahead(ahead(start, p, one), q, two)
        here = dot(point, point)
        if here < best:
            best, v, w = here, p, q
    return v, w, best


@inner
def _volume(vectors: Array, i: int, j: int, k: int, m: int) -> tuple[float, float]:
    """Return det(j - i, k - i, m - i) and det(j - i, k - i, -i): same sign, same side."""
    start = _corner(vectors, i)
    n = cross(minus(_corner(vectors, j), start), minus(_corner(vectors, k), start))
    return dot(n, minus(_corner(vectors, m), start)), -dot(n, start)


@inner
def _keep_face(vectors: Array, i: int, j: int, k: int, v: float, w: float) -> int:
    """Reduce the simplex to what carries the nearest point of a face; return its size."""
    places, shares = (i, j, k), (1.0 - v - w, v, w)
    count = 0
    for n in range(3):
        if shares[n] > _NOTHING:
            _keep(vectors, count, places[n])  # places only ever grow: none is overwritten early
            vectors[SHARES, count] = shares[n]
            count += 1
    return count


@inner
def _reduce(vectors: Array, count: int) -> int:
    """Reduce the simplex to the part nearest to the origin; 4 when it encloses the origin."""
    if count == 1:
        vectors[SHARES, 0] = 1.0
        return 1
    if count == 2:
        start = _corner(vectors, 0)
        d = minus(_corner(vectors, 1), start)
        square, t = dot(d, d), -dot(start, d)
        if t <= 0.0 or square == 0.0:
            vectors[SHARES, 0] = 1.0
            return 1
        if t >= square:
            _keep(vectors, 0, 1)
            vectors[SHARES, 0] = 1.0
            return 1
        vectors[SHARES, 0], vectors[SHARES, 1] = 1.0 - t / square, t / square
        return 2
    if count == 3:
        v, w, _ = _face(vectors, 0, 1, 2)
        return _keep_face(vectors, 0, 1, 2, v, w)
    return _reduce_four(vectors)


@inner
def _reduce_four(vectors: Array) -> int:
    best, a, b, c, v, w = math.inf, 0, 0, 0, 0.0, 0.0
    for n in range(4):
        i, j, k, m = (
            (0, 1, 2, 3)
            if n == 0
            else ((0, 1, 3, 2) if n == 1 else ((0, 2, 3, 1) if n == 2 else (1, 2, 3, 0)))
        )
        there, here = _volume(vectors, i, j, k, m)
        p, q = _corner(vectors, i), _corner(vectors, m)
        size = abs(p[0]) + abs(p[1]) + abs(p[2]) + abs(q[0]) + abs(q[1]) + abs(q[2])
        thin = abs(there) <= 1e-15 * size * size * size
        if thin or there * here <= 0.0:
            tv, tw, square = _face(vectors, i, j, k)
            if square < best:
                best, a, b, c, v, w = square, i, j, k, tv, tw
    if best == math.inf:
        return 4
    return _keep_face(vectors, a, b, c, v, w)


@inner
def _nearest(vectors: Array, count: int) -> Vector:
    """Return the point of a reduced simplex nearest to the origin.

    Of a face it is taken along the normal: the sum of shares would lean by rounding, and close
    to the origin that lean is all there is.
    """
    if count == 3:
        start = _corner(vectors, 0)
        n = cross(minus(_corner(vectors, 1), start), minus(_corner(vectors, 2), start))
        square = dot(n, n)
        if square > 0.0:
            return scaled(dot(n, start) / square, n)
    x = (0.0, 0.0, 0.0)
    for c in range(count):
        x = ahead(x, vectors[SHARES, c], _corner(vectors, c))
    return x


@inner
def _combine(vectors: Array, count: int) -> None:
    """Fill the nearest points from the shares of the corners."""
    first, second = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for n in range(count):
        first = ahead(first, vectors[SHARES, n], vector_at(vectors, FIRSTS + n))
        second = ahead(second, vectors[SHARES, n], vector_at(vectors, SECONDS + n))
    put_at(first, vectors, NEAREST_FIRST)
    put_at(second, vectors, NEAREST_SECOND)


@inner
def _enclosed(vectors: Array) -> None:
    """Fill a common point of two bodies from a simplex around the origin."""
    total = 0.0
    for n in range(3):
        i, j, k = (1, 2, 3) if n == 0 else ((0, 2, 3) if n == 1 else (0, 1, 3))
        there, here = _volume(vectors, i, j, k, n)
        vectors[SHARES, n] = here / there
        total += vectors[SHARES, n]
    point = scaled(1.0 - total, vector_at(vectors, FIRSTS + 3))
    for n in range(3):
        point = ahead(point, vectors[SHARES, n], vector_at(vectors, FIRSTS + n))
    put_at(point, vectors, NEAREST_FIRST)
    put_at(point, vectors, NEAREST_SECOND)


@inner
def _middle(row: Array) -> Vector:
    if kind_of(row) == TRIANGLE:
        a, b, c = row_corner(row, 0), row_corner(row, 1), row_corner(row, 2)
        return (a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0
    return position(row)


@inner
def gjk(a: Array, b: Array, far: float, vectors: Array) -> float:
    """Return the distance of two convex rows without their swept balls, 0 when they overlap.

    Args:
        a: First row.
        b: Second row, in the same frame.
        far: As soon as the distance is known to be above this, a lower bound is returned and
            the nearest points are not filled. Infinite: the whole distance is wanted.
        vectors: Working space.
    """
    x = minus(_middle(a), _middle(b))
    if x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0:
        x = (1.0, 0.0, 0.0)
    square, apart = math.inf, False
    count, stuck = 0, 0
    size = 0.0
    for step in range(_STEPS):
        first, second = support(a, opposite(x)), support(b, x)
        w = minus(first, second)
        along, vv = dot(x, w), dot(x, x)
        if along > 0.0 and along * along > far * far * vv:
            return along / math.sqrt(vv)
        apart = apart or along > 0.0
        if step > 0 and vv - along <= _CLOSE * vv:
            break
        size = max(size, abs(w[0]), abs(w[1]), abs(w[2]))
        put_at(w, vectors, CORNERS + count)
        put_at(first, vectors, FIRSTS + count)
        put_at(second, vectors, SECONDS + count)
        known = False
        for n in range(count):
            p = _corner(vectors, n)
            known = known or (p[0] == w[0] and p[1] == w[1] and p[2] == w[2])
        if known:
            break
        count = _reduce(vectors, count + 1)
        if count == 4:
            vectors[SIMPLEX_SIZE, 0] = 4.0
            _enclosed(vectors)
            return 0.0
        x = _nearest(vectors, count)
        now = dot(x, x)
        if now <= _TOUCH * _TOUCH * size * size:
            vectors[SIMPLEX_SIZE, 0] = count
            _combine(vectors, count)
            return 0.0
        if now >= square:  # by rounding, as at a far corner beside a rim; or as near as it gets
            stuck += 1
            if stuck > _PATIENCE:
                break
        square = min(square, now)
    _combine(vectors, count)
    if not apart:  # nothing separates them: what is left is rounding
        vectors[SIMPLEX_SIZE, 0] = 1.0
        return 0.0
    found = math.sqrt(dot(x, x))
    put_at(scaled(-1.0 / found, x), vectors, DIRECTION)
    return found
