"""Ways out of an overlap: the support of a difference, lowered over directions as far as it goes.

h(d) is how far the difference of two bodies reaches along d, so how far one of them has to go along
d until they are free; the depth is its least. A bundle of directions close around d tells how h
falls: their corners, seen along d, span the slopes that h has there, and where 0 is not among them
the one nearest to 0 points up. Where 0 is among them d is the way out, and the shares that make it
up tell which points of the two bodies are deepest.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import axis, put_at, vector_at
from armwerk.collision.kernels.layout import DIRECTION, NEAREST_FIRST, NEAREST_SECOND
from armwerk.collision.kernels.rows import support
from armwerk.collision.kernels.vectors import Vector, ahead, cross, dot, minus, opposite, scaled
from armwerk.compiled import inner

_TRIED = 4  # directions that are lowered, the best ones that are not close to each other
_CLOSE = 0.97  # cosine above which two directions are
_AROUND = 8  # directions of a bundle, beside the middle one
_WIDEST, _FINEST = 1e-3, 1e-9  # [rad] radius of a bundle: how far it looks for slopes
_FLAT = 1e-9  # share of the size below which a slope is none
_ROUNDS = 60  # of lowering one direction
_STEPS = 30  # of trying a shorter step
_LESS = 1e-15  # share of the size by which a step must be lower
_FIRST, _SECOND, _SLOPE = 0, 1, 2  # rows of a bundle's corner: points of the bodies, and slope


@inner
def _unit(d: Vector) -> Vector:
    size = math.sqrt(dot(d, d))
    return d[0] / size, d[1] / size, d[2] / size


@inner
def _height(a: Array, b: Array, d: Vector) -> float:
    """Return h(d)."""
    return dot(d, minus(support(a, d), support(b, opposite(d))))


@inner
def _across(d: Vector) -> tuple[Vector, Vector]:
    """Return two directions at right angles to one and to each other."""
    x, y, z = abs(d[0]), abs(d[1]), abs(d[2])
    other = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        other = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        other = (0.0, 0.0, 1.0)
    u = _unit(cross(d, other))
    return u, cross(d, u)


@inner
def _fill_bundle(a: Array, b: Array, d: Vector, radius: float, bundle: Array) -> None:
    """Fill points of both bodies, and slopes along two directions, for directions around d."""
    u, v = _across(d)
    for n in range(_AROUND + 1):
        way = d
        if n:
            angle = 2.0 * math.pi * n / _AROUND
            way = ahead(ahead(d, radius * math.cos(angle), u), radius * math.sin(angle), v)
        first, second = support(a, way), support(b, opposite(way))
        corner = minus(first, second)
        put_at(first, bundle, 3 * n + _FIRST)
        put_at(second, bundle, 3 * n + _SECOND)
        put_at((dot(corner, u), dot(corner, v), 0.0), bundle, 3 * n + _SLOPE)


@inner
def _side(p: Vector, q: Vector) -> tuple[float, float]:
    """Return the share of q where a side is nearest to 0, and |.|² there; the plane of slopes."""
    x, y = q[0] - p[0], q[1] - p[1]
    square = x * x + y * y
    t = 0.0 if square == 0.0 else min(max(-(p[0] * x + p[1] * y) / square, 0.0), 1.0)
    x, y = p[0] + t * x, p[1] + t * y
    return t, x * x + y * y


@inner
def _flattest(bundle: Array, shares: Array) -> float:
    """Fill the shares of the slopes that make up the one nearest to 0; return its square."""
    best = math.inf
    for i in range(_AROUND + 1):
        p = vector_at(bundle, 3 * i + _SLOPE)
        for j in range(i, _AROUND + 1):
            q = vector_at(bundle, 3 * j + _SLOPE)
            t, square = _side(p, q)
            if square < best:
                best = square
                shares[:] = 0.0
                shares[i] += 1.0 - t
                shares[j] += t
            for k in range(j + 1, _AROUND + 1):
                r = vector_at(bundle, 3 * k + _SLOPE)
                one = q[0] * r[1] - q[1] * r[0]
                two = r[0] * p[1] - r[1] * p[0]
                three = p[0] * q[1] - p[1] * q[0]
                total = one + two + three
                if total == 0.0 or best == 0.0:
                    continue
                if min(one / total, two / total, three / total) >= 0.0:
                    best = 0.0
                    shares[:] = 0.0
                    shares[i], shares[j], shares[k] = one / total, two / total, three / total
    return best


@inner
def _lowered(a: Array, b: Array, start: Vector, size: float, bundle: Array) -> Vector:
    """Return the direction that lowering h comes to."""
    d, h = start, _height(a, b, start)
    shares = np.zeros(_AROUND + 1)
    radius = _WIDEST
    for _ in range(_ROUNDS):
        _fill_bundle(a, b, d, radius, bundle)
        square = _flattest(bundle, shares)
        lower = False
        if square > (_FLAT * size) ** 2:
            x, y = 0.0, 0.0
            for n in range(_AROUND + 1):
                slope = vector_at(bundle, 3 * n + _SLOPE)
                x, y = x + shares[n] * slope[0], y + shares[n] * slope[1]
            u, v = _across(d)
            length = math.sqrt(square)
            up = ahead(scaled(x / length, u), y / length, v)
            step = min(length / max(h, 1e-3 * size), 0.3)
            for _ in range(_STEPS):
                near = _unit(ahead(d, -step, up))
                there = _height(a, b, near)
                if there < h - _LESS * size:
                    d, h, lower = near, there, True
                    break
                step *= 0.4
        if not lower:
            if radius <= _FINEST:
                break
            radius *= 0.1
    return d


@inner
def deepest_points(
    a: Array, b: Array, way: Vector, height: float, size: float, vectors: Array
) -> None:
    """Fill the points of either body that are deepest in the other, and the way out.

    Args:
        a: First row.
        b: Second row.
        way: The direction in which they are freed by the shortest way.
        height: That way [m].
        size: Of the difference [m].
        vectors: Working space.
    """
    bundle = np.zeros((3 * (_AROUND + 1), 3))
    shares = np.zeros(_AROUND + 1)
    chosen, least, radius = _WIDEST, math.inf, _WIDEST
    while radius >= _FINEST:  # where all slopes are there, the closest bundle is the best
        _fill_bundle(a, b, way, radius, bundle)
        square = _flattest(bundle, shares)
        if square <= max(least, (_FLAT * size) ** 2):
            least, chosen = square, radius
        radius *= 0.1
    _fill_bundle(a, b, way, chosen, bundle)
    _flattest(bundle, shares)
    first = (0.0, 0.0, 0.0)
    for n in range(_AROUND + 1):
        first = ahead(first, shares[n], vector_at(bundle, 3 * n + _FIRST))
    put_at(first, vectors, NEAREST_FIRST)
    put_at(ahead(first, -height, way), vectors, NEAREST_SECOND)
    put_at(way, vectors, DIRECTION)


@inner
def shallowest(a: Array, b: Array, planes: Array, size: float, vectors: Array) -> float:
    """Return the least depth found in the directions of a polytope's faces, lowered each.

    Fills the deepest points and the way out as `armwerk.collision.kernels.depth.depth` says.

    Args:
        a: First row.
        b: Second row.
        planes: Normals and distances of the faces of a polytope inside the difference. (f, 4).
        size: Of the difference [m].
        vectors: Working space.
    """
    count = planes.shape[0]
    heights = np.full(count, math.inf)
    for f in range(count):
        if planes[f, 3] < math.inf:
            heights[f] = _height(a, b, vector_at(planes, f))
    bundle = np.zeros((3 * (_AROUND + 1), 3))
    best, way = math.inf, (0.0, 0.0, 1.0)
    for _ in range(_TRIED):
        f = int(np.argmin(heights))
        if heights[f] == math.inf:
            break
        start = vector_at(planes, f)
        for g in range(count):
            if dot(start, vector_at(planes, g)) > _CLOSE:
                heights[g] = math.inf
        found = _lowered(a, b, start, size, bundle)
        here = _height(a, b, found)
        if here < best:
            best, way = here, found
    deepest_points(a, b, way, best, size, vectors)
    return max(best, 0.0)


@inner
def touching_way(a: Array, b: Array, vectors: Array) -> None:
    """Fill the way out of two rows, without their swept balls, that just touch: where h is 0.

    h is convex, and nowhere below 0. So from any direction at less than a right angle to such a
    way it falls all the way there, and one of six along the axes of a row is.
    """
    bundle = np.zeros((3 * (_AROUND + 1), 3))
    size = 0.0
    for k in range(3):
        d = axis(b, k)
        size = max(size, _height(a, b, d), _height(a, b, opposite(d)))
    best, way = math.inf, (0.0, 0.0, 1.0)
    for n in range(6):
        d = axis(b, n // 2)
        found = _lowered(a, b, d if n % 2 else opposite(d), size, bundle)
        here = _height(a, b, found)
        if here < best:
            best, way = here, found
    put_at(way, vectors, DIRECTION)
