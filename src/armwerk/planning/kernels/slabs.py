"""A rectangle that turns about a pivot, against a rectangle: the contact angles by formula.

Seen from the obstacle, let the pivot be at E and the rectangle, half lengths (a, b) and middle
(m, n) from the pivot in its own axes, be turned by phi. With A, B the obstacle's half lengths and
k = cos phi, s = sin phi the four shadow conditions are

    |E_x + m k - n s| <= A + a |k| + b |s|       |E_x k + E_y s + m| <= a + A |k| + B |s|
    |E_y + m s + n k| <= B + a |s| + b |k|       |E_y k - E_x s + n| <= b + A |s| + B |k|

In each quarter turn the signs of k and s are fixed, so these are eight inequalities
P k + Q s <= C. Each is broken on one arc around atan2(Q, P), acos(C / hypot(P, Q)) to each side:
its ends are the critical angles. (P, Q) is always the way from the pivot to a corner, of the
rectangle or of the obstacle, turned or mirrored, so its angle and length are found once per
corner. What no arc covers is contact. Places within `NEAR` of a critical angle, where rounding
could decide, are put to the separating-axes test itself.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.planar import (
    behind,
    gap,
    line_pose,
    part_pose,
    placed,
    rectangle,
)
from armwerk.planning.kernels.records import PlanarPairs

Cells = NDArray[np.unsignedinteger]

NEAR = 1e-5  # [rad] larger than the root of the rounding that a grazing contact magnifies
_HAIR = 1e-11  # share by which C may miss hypot(P, Q) and still count as a graze: below NEAR² / 2
_REACH = 1e-9  # share left for rounding when a body is out of reach
_QUARTER = 0.5 * math.pi
_TURN = 2.0 * math.pi
_FREE, _SURE, _ASK = 0, 1, 2


@inner(inline=True)
def _corner(u: float, v: float) -> int:
    """Return the number of the corner to which the signs belong."""
    return (1 if u > 0.0 else 0) + (2 if v > 0.0 else 0)


@inner(inline=True)
def _corners(x: float, y: float, A: float, B: float, out: Array) -> None:
    """Fill length and angle of (x - u A, y - v B) for the four pairs of signs. Shape (4, 2)."""
    for corner in range(4):
        X = x - A if corner & 1 else x + A
        Y = y - B if corner & 2 else y + B
        out[corner, 0] = math.sqrt(X * X + Y * Y)
        out[corner, 1] = math.atan2(Y, X)


@inner(inline=True)
def _conditions(u: float, v: float, own: Array, its: Array, C: Array, arcs: Array) -> int:
    """Fill the arcs, (centre, half), on which an inequality is broken in the quarter of (u, v).

    Args:
        u: Sign of the cosine.
        v: Sign of the sine.
        own: Corners of the rectangle, seen from the pivot in its own axes. Shape (4, 2).
        its: Pivot seen from the corners of the obstacle. Shape (4, 2).
        C: Right-hand sides, four of the obstacle's axes and four of the rectangle's. Shape (8,).
        arcs: Filled. Shape (8, 2).

    Returns:
        The number of arcs; -1 when an inequality is broken everywhere.
    """
    count = 0
    for row in range(8):
        if row < 4:
            up, w, z = row < 2, (u if row < 2 else v), (v if row < 2 else u)
            sign = 1.0 if row % 2 == 0 else -1.0
            corner = _corner(sign * w, -sign * z if up else sign * z)
            size, angle = own[corner, 0], -own[corner, 1]
            angle += 0.0 if up else _QUARTER
            angle += 0.0 if sign > 0.0 else math.pi
        else:
            sign = 1.0 if row % 2 == 0 else -1.0
            if row < 6:
                corner = _corner(sign * u, sign * v)
                turn = 0.0 if sign > 0.0 else math.pi
            else:
                corner = _corner(-sign * v, sign * u)
                turn = -sign * _QUARTER
            size, angle = its[corner, 0], its[corner, 1] + turn
        if C[row] < -size * (1.0 + _HAIR):
            return -1
        if C[row] >= size * (1.0 + _HAIR):  # also where a corner is the pivot, size 0
            continue
        arcs[count, 0] = angle
        arcs[count, 1] = math.acos(min(1.0, max(-1.0, C[row] / size)))
        count += 1
    return count


@inner(inline=True)
def _slab(
    arcs: Array,
    count: int,
    start: float,
    step: float,
    first: int,
    last: int,
    waiting: NDArray[np.int64],
    marks: Cells,
) -> bool:
    """Mark the places first..last of one quarter that no arc covers; True when one must be asked.

    Arcs cut pieces off the ends of first..last, seldom out of its middle: those wait, and so do
    the places to be asked. ``waiting`` has shape (3, 32).
    """
    near = NEAR / step
    cuts, asks = waiting[:2], waiting[2]
    cut, ask, low, high = 0, 0, first, last
    middle = start + 0.5 * step * (first + last)
    for row in range(2 * count):
        centre, half = arcs[row // 2, 0], arcs[row // 2, 1]
        centre += _TURN * math.floor((middle - centre) / _TURN + 0.5)  # the copy next to the slab
        if row % 2 == 1:
            centre += _TURN if centre < middle else -_TURN
        begin, end = (centre - half - start) / step, (centre + half - start) / step
        if end < low - near or begin > high + near:
            continue
        inner, outer = math.floor(begin + near) + 1, math.ceil(end - near) - 1
        for edge in (begin, end):
            j = math.floor(edge + near)
            if j >= edge - near and low <= j <= high:
                asks[ask] = j
                ask += 1
        if inner > outer:
            continue
        if inner <= low:
            low = max(low, outer + 1)
        elif outer >= high:
            high = min(high, inner - 1)
        else:
            cuts[0, cut], cuts[1, cut] = inner, outer
            cut += 1
        if low > high:
            return False
    for j in range(low, high + 1):
        marks[j] = _SURE
    asked = False
    for row in range(ask):
        if low <= asks[row] <= high:
            marks[asks[row]] = _ASK
            asked = True
    for row in range(cut):
        for j in range(max(low, cuts[0, row]), min(high, cuts[1, row]) + 1):
            marks[j] = _FREE
    return asked


@inner
def _mark(
    own: Array,
    its: Array,
    C: Array,
    start: float,
    step: float,
    arcs: Array,
    waiting: NDArray[np.int64],
    marks: Cells,
) -> int:
    """Mark every place, at the angle start + j step; 0: all free, 1: some sure, 2: some to ask."""
    places = marks.shape[0]
    first, asked, touched = 0, False, False
    for j in range(places):
        marks[j] = _FREE
    while first < places:
        quarter = math.floor((start + step * first) / _QUARTER + 1e-12)
        last = math.floor(((quarter + 1) * _QUARTER - start) / step)
        last = max(first, min(places - 1, last))
        which = int(quarter) % 4
        u = 1.0 if (which + 1) % 4 < 2 else -1.0
        v = 1.0 if which < 2 else -1.0
        count = _conditions(u, v, own, its, C, arcs)
        if count >= 0:
            asked |= _slab(arcs, count, start, step, first, last, waiting, marks)
            touched = True
        first = last + 1
    return 2 if asked else 1 if touched else 0


@inner(inline=True)
def _out_of_reach(x: float, y: float, A: float, B: float, inner: float, outer: float) -> bool:
    """Whether an obstacle lies outside the ring (radii squared) that a turning part sweeps."""
    u, v = max(abs(x) - A, 0.0), max(abs(y) - B, 0.0)
    if u * u + v * v > outer * (1.0 + _REACH):
        return True
    u, v = abs(x) + A, abs(y) + B
    return u * u + v * v < inner * (1.0 - _REACH)


@entry()
def fill_turning(
    line: Array,
    on: Array,
    pairs: PlanarPairs,
    pivot: Array,
    step: float,
    out: Cells,
) -> int:
    """Add body number + 1 per contact to the cells of parts that turn along a line.

    Args:
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        pivot: Point about which the parts turn, on a line at the origin [m]. Shape (2,).
        step: Angle from place to place, above 0 when counter-clockwise [rad].
        out: Added to. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    lines, places = out.shape
    marks = np.zeros(places, np.uint8)
    own, its, C = np.empty((4, 2)), np.empty((4, 2)), np.empty(8)
    arcs, waiting = np.empty((8, 2)), np.empty((3, 32), np.int64)
    least = places - 1 if step < 0.0 else 0  # the place of the least angle
    hits = 0
    for p in range(on.shape[0]):
        part = placed(part_pose(on, p, least), pairs.half, p)
        x, y = part.x - pivot[0], part.y - pivot[1]
        c, s, a, b = part.cosine, part.sine, part.length, part.width
        m, n = x * c + y * s, y * c - x * s
        angle = math.atan2(s, c)
        _corners(m, n, a, b, own)
        outer = (abs(m) + a) ** 2 + (abs(n) + b) ** 2
        inner = max(abs(m) - a, 0.0) ** 2 + max(abs(n) - b, 0.0) ** 2
        for k in range(pairs.bodies.shape[0]):
            if pairs.rise[p, k] != 0.0:
                continue
            body, limit = rectangle(pairs.bodies, k), pairs.allowance[p, k]
            c, s, A, B = body.cosine, body.sine, body.length, body.width
            tilt = angle - math.atan2(s, c)
            for i in range(lines):
                at = line_pose(line, i)
                x = at.x + at.cosine * pivot[0] - at.sine * pivot[1] - body.x
                y = at.y + at.sine * pivot[0] + at.cosine * pivot[1] - body.y
                ex, ey = x * c + y * s, y * c - x * s
                if _out_of_reach(ex, ey, A, B, inner, outer):
                    continue
                _corners(ex, ey, A, B, its)
                C[0], C[1], C[2], C[3] = A - ex, A + ex, B - ey, B + ey
                C[4], C[5], C[6], C[7] = a - m, a + m, b - n, b + n
                C += limit
                start = tilt + math.atan2(at.sine, at.cosine)
                state = _mark(own, its, C, start, abs(step), arcs, waiting, marks)
                if state == 2:
                    _ask(line, i, on, p, k, pairs, step < 0.0, marks)
                if state > 0:
                    hits += _add(out[i], k + 1, step < 0.0, marks)
    return hits


@inner
def _ask(
    line: Array,
    i: int,
    on: Array,
    p: int,
    k: int,
    pairs: PlanarPairs,
    backwards: bool,
    marks: Cells,
) -> None:
    """Settle by the separating-axes test the places whose marks ask for it."""
    places = marks.shape[0]
    body = rectangle(pairs.bodies, k)
    for at in range(places):
        if marks[at] == _ASK:
            j = places - 1 - at if backwards else at
            part = placed(behind(line_pose(line, i), part_pose(on, p, j)), pairs.half, p)
            marks[at] = _SURE if gap(part, body) <= pairs.allowance[p, k] else _FREE


@inner
def _add(row: Cells, value: int, backwards: bool, marks: Cells) -> int:
    """Add ``value`` to the cells that are marked and return their number."""
    places, found = marks.shape[0], 0
    if backwards:
        for j in range(places):
            row[places - 1 - j] += value * marks[j]
            found += marks[j]
    else:
        for j in range(places):
            row[j] += value * marks[j]
            found += marks[j]
    return found
