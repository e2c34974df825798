"""Outlines on the floor cut into convex pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from armwerk.errors import DescriptionError

Point: TypeAlias = tuple[float, float]
Corners: TypeAlias = tuple[Point, ...]


def area(corners: Sequence[Point]) -> float:
    """Return the signed area, positive when the corners run counter-clockwise [m²]."""
    total = 0.0
    for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
        total += x1 * y2 - x2 * y1
    return 0.5 * total


def convex_pieces(corners: Sequence[Point]) -> list[Corners]:
    """Return convex pieces, corners counter-clockwise, that together fill a simple polygon.

    Ears are cut off one by one, then pieces that stay convex are joined across their common edge.

    Raises:
        DescriptionError: When the polygon has no area or crosses itself.
    """
    ring = _cleaned(corners)
    if area(ring) < 0.0:
        ring.reverse()
    if len(ring) < 3 or area(ring) <= 0.0:
        raise DescriptionError("polygon without area", value=tuple(corners))
    if _crosses(ring):
        raise DescriptionError("polygon crosses itself", value=tuple(corners))
    if _is_convex(ring):
        return [tuple(ring)]
    return _joined(_triangles(ring))


def _cleaned(corners: Sequence[Point]) -> list[Point]:
    """Drop corners that repeat or lie on the line of their neighbours."""
    ring = [(float(x), float(y)) for x, y in corners]
    changed = True
    while changed and len(ring) >= 3:
        changed = False
        for k in range(len(ring)):
            before, here, after = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
            scale = _distance2(before, here) + _distance2(here, after)
            if abs(_turn(before, here, after)) <= 1e-12 * max(scale, 1e-12):
                del ring[k]
                changed = True
                break
    return ring


def _turn(a: Point, b: Point, c: Point) -> float:
    """Return twice the area of a, b, c; positive for a turn to the left at b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _distance2(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _is_convex(ring: Sequence[Point]) -> bool:
    n = len(ring)
    return all(_turn(ring[k - 1], ring[k], ring[(k + 1) % n]) >= 0.0 for k in range(n))


def _crosses(ring: Sequence[Point]) -> bool:
    """Whether two edges that are not neighbours cut each other."""
    n = len(ring)
    for i in range(n):
        a, b = ring[i], ring[(i + 1) % n]
        for j in range(i + 2, n - (i == 0)):
            c, d = ring[j], ring[(j + 1) % n]
            if _turn(a, b, c) * _turn(a, b, d) < 0.0 and _turn(c, d, a) * _turn(c, d, b) < 0.0:
                return True
    return False


def _triangles(ring: list[Point]) -> list[list[Point]]:
    left = list(ring)
    pieces: list[list[Point]] = []
    while len(left) > 3:
        ear = _best_ear(left)
        if ear is None:
            raise DescriptionError("polygon crosses itself", value=tuple(ring))
        n = len(left)
        pieces.append([left[ear - 1], left[ear], left[(ear + 1) % n]])
        del left[ear]
        left = _cleaned(left)
    if len(left) == 3:
        pieces.append(left)
    return pieces


def _best_ear(ring: list[Point]) -> int | None:
    """Return the ear with the largest smallest height, for pieces that are not slivers."""
    best, quality = None, 0.0
    n = len(ring)
    for k in range(n):
        a, b, c = ring[k - 1], ring[k], ring[(k + 1) % n]
        doubled = _turn(a, b, c)
        if doubled <= 0.0:
            continue
        if any(_covers(a, b, c, p) for p in ring if p not in (a, b, c)):
            continue
        longest = max(_distance2(a, b), _distance2(b, c), _distance2(c, a))
        if doubled / longest > quality:
            best, quality = k, doubled / longest
    return best


def _covers(a: Point, b: Point, c: Point, p: Point) -> bool:
    return _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0


def _joined(pieces: list[list[Point]]) -> list[Corners]:
    """Join pieces over common edges as long as the result is convex."""
    changed = True
    while changed:
        changed = False
        for i in range(len(pieces)):
            for j in range(i + 1, len(pieces)):
                both = _join(pieces[i], pieces[j])
                if both is not None:
                    pieces[i] = both
                    del pieces[j]
                    changed = True
                    break
            if changed:
                break
    return [tuple(piece) for piece in pieces]


def _join(one: list[Point], other: list[Point]) -> list[Point] | None:
    for i, start in enumerate(one):
        end = one[(i + 1) % len(one)]
        for j, there in enumerate(other):
            if there == end and other[(j + 1) % len(other)] == start:
                ring = [one[(i + 1 + k) % len(one)] for k in range(len(one))]
                ring += [other[(j + 2 + k) % len(other)] for k in range(len(other) - 2)]
                return ring if _is_convex(ring) else None
    return None
