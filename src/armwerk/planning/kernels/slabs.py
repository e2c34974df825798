"""A rectangle that turns about a pivot, against a rectangle: the contact angles by formula.

Seen from the obstacle, let the pivot be at E and the rectangle, half lengths (a, b) and middle
(m, n) from the pivot in its own axes, be turned by phi. With A, B the obstacle's half lengths and
k = cos phi, s = sin phi the four shadow conditions are

    |E_x + m k - n s| <= A + a |k| + b |s|       |E_x k + E_y s + m| <= a + A |k| + B |s|
    |E_y + m s + n k| <= B + a |s| + b |k|       |E_y k - E_x s + n| <= b + A |s| + B |k|

In each quarter turn the signs of k and s are fixed, so these are eight inequalities
p |k| + q |s| <= C. At one end of the quarter the left-hand side is p, at the other q, and in
between hypot(p, q) cos(psi - atan2(q, p)), with psi from 0 to a quarter turn. So the values at the
ends tell how often it passes C: once when one end is above C and the other below, at

    atan2(q C - p w, p C + q w) going up, atan2(q C + p w, p C - q w) going down,

w being the root of p² + q² - C²; twice or never when both are on one side. Where all eight hold is
contact. Places within `NEAR` of a critical angle, where rounding could decide, are put to the
separating-axes test itself, and so is the whole quarter when an end is within rounding of C, or a
shadow just grazes.
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
    placed,
    rectangle,
)
from armwerk.planning.kernels.records import (
    LeftHand,
    PlanarPairs,
    PlanarPose,
    PlanarRectangle,
    Slab,
    SwungRectangle,
)

Cells = NDArray[np.unsignedinteger]

NEAR = 1e-5  # [rad] larger than any rounding of a critical angle that is not a graze
_ROUNDING = 1e-9  # share of all lengths that is left for rounding
_QUARTER = 0.5 * math.pi
_FREE, _SURE, _ASK = 0, 1, 2


@inner(inline=True)
def _row(row: int, u: float, v: float, part: SwungRectangle, E: SwungRectangle) -> LeftHand:
    """Return p and q of an inequality in the quarter in which k and s have the signs u and v."""
    m, n, a, b = u * part.x, v * part.y, part.length, part.width
    if row == 0:
        return LeftHand(m - a, -n - b)
    if row == 1:
        return LeftHand(-m - a, n - b)
    m, n = v * part.x, u * part.y
    if row == 2:
        return LeftHand(n - b, m - a)
    if row == 3:
        return LeftHand(-n - b, -m - a)
    x, y, A, B = u * E.x, v * E.y, E.length, E.width
    if row == 4:
        return LeftHand(x - A, y - B)
    if row == 5:
        return LeftHand(-x - A, -y - B)
    x, y = v * E.x, u * E.y
    if row == 6:
        return LeftHand(y - B, -x - A)
    return LeftHand(-y - B, x - A)


@inner(inline=True)
def _above(both: LeftHand, least: float) -> bool:
    """Whether a left-hand side is above a number of at least 0 in the whole of a quarter.

    |k| + |s| is 1 or more there, so it is nowhere below the lesser of p and q.
    """
    return bool(both.p > least and both.q > least)


@inner(inline=True)
def _broken(u: float, v: float, part: SwungRectangle, E: SwungRectangle, C: Array) -> bool:
    """Whether an inequality is broken in a whole quarter, by p and q alone. Shape of C (2, 8)."""
    return bool(
        _above(_row(4, u, v, part, E), C[1, 4])
        or _above(_row(5, u, v, part, E), C[1, 5])
        or _above(_row(6, u, v, part, E), C[1, 6])
        or _above(_row(7, u, v, part, E), C[1, 7])
        or _above(_row(0, u, v, part, E), C[1, 0])
        or _above(_row(1, u, v, part, E), C[1, 1])
        or _above(_row(2, u, v, part, E), C[1, 2])
        or _above(_row(3, u, v, part, E), C[1, 3])
    )


@inner(inline=True)
def _ends(
    which: int, u: float, v: float, part: SwungRectangle, E: SwungRectangle, out: Array
) -> None:
    """Fill the left-hand sides at the beginning and the end of quarter 0 to 3. Shape (8, 2)."""
    for row in range(8):
        both = _row(row, u, v, part, E)
        out[row, 0] = both.q if which % 2 else both.p
        out[row, 1] = both.p if which % 2 else both.q


@inner(inline=True)
def _stretch(
    ends: Array,
    C: Array,
    rounding: float,
    slab: Slab,
    waiting: NDArray[np.int64],
    marks: Cells,
) -> tuple[int, int, bool]:
    """Return from where to where in a slab all inequalities hold, and whether to see the marks.

    Few inequalities are broken in the middle of the slab alone: those cuts wait, and so do the
    places to be asked, and are marked in the end.

    Args:
        ends: Left-hand sides at the ends of the quarter. Shape (8, 2).
        C: Right-hand sides. Shape (8,).
        rounding: What all of them may be wrong by [m].
        slab: The places of the quarter.
        waiting: Shape (3, 32).
        marks: Shape (places,).
    """
    near = NEAR * slab.per_step
    low, high = slab.first, slab.last
    cuts, asks = waiting[:2], waiting[2]
    cut, ask, doubt = 0, 0, False
    for row in range(8):
        p, q, c = ends[row, 0], ends[row, 1], C[0, row]
        least, most = min(p, q), max(p, q)
        if most < c - rounding and least <= 0.0:  # no extreme within the quarter
            continue
        if min(abs(p - c), abs(q - c)) <= rounding:
            doubt = True
            continue
        square = p * p + q * q - c * c
        if least < c < most:  # passes C once
            w = math.sqrt(square)
            if p < c:
                edge = slab.origin + slab.per_step * math.atan2(q * c - p * w, p * c + q * w)
                place = math.floor(edge + near)
                if place <= high:
                    high = place
                    if place >= edge - near:
                        asks[ask] = place
                        ask += 1
            else:
                edge = slab.origin + slab.per_step * math.atan2(q * c + p * w, p * c - q * w)
                place = math.ceil(edge - near)
                if place >= low:
                    low = place
                    if place <= edge + near:
                        asks[ask] = place
                        ask += 1
            if low > high:
                return low, high, False
            continue
        if abs(square) <= rounding * abs(c):
            doubt = True
            continue
        if most < c:
            if square < 0.0:
                continue
        elif square < 0.0 or most >= 0.0:
            return 0, -1, False
        w = math.sqrt(square)
        up = slab.origin + slab.per_step * math.atan2(q * c - p * w, p * c + q * w)
        down = slab.origin + slab.per_step * math.atan2(q * c + p * w, p * c - q * w)
        for edge in (up, down):
            place = math.floor(edge + near)
            if place >= edge - near:
                asks[ask] = place
                ask += 1
        if most < c:
            cuts[0, cut], cuts[1, cut] = math.floor(up + near) + 1, math.ceil(down - near) - 1
            cut += 1
        else:
            low, high = max(low, math.ceil(down - near)), min(high, math.floor(up + near))
            if low > high:
                return low, high, False
    if cut == 0 and ask == 0 and not doubt:
        return low, high, False
    for j in range(low, high + 1):
        marks[j] = _ASK if doubt else _SURE
    for row in range(ask):
        if low <= asks[row] <= high:
            marks[asks[row]] = _ASK
    for row in range(cut):
        for j in range(max(low, cuts[0, row]), min(high, cuts[1, row]) + 1):
            marks[j] = _FREE
    return low, high, True


@inner(inline=True)
def _out_of_reach(E: SwungRectangle, inner: float, outer: float) -> bool:
    """Whether an obstacle lies outside the ring (radii squared) that a turning part sweeps."""
    u, v = max(abs(E.x) - E.length, 0.0), max(abs(E.y) - E.width, 0.0)
    if u * u + v * v > outer * (1.0 + _ROUNDING):
        return True
    u, v = abs(E.x) + E.length, abs(E.y) + E.width
    return u * u + v * v < inner * (1.0 - _ROUNDING)


@entry()
def fill_turning(
    lines: Array,
    turns: Array,
    parts: Array,
    pairs: PlanarPairs,
    pivot: Array,
    step: float,
    out: Cells,
) -> int:
    """Add body number + 1 per contact to the cells of parts that turn along a line.

    Args:
        lines: Planar pose of each line. Shape (lines, 4).
        turns: How the parts are turned at each place, a planar pose. Shape (places, 4).
        parts: Planar pose of each part before it is turned. Shape (parts, 4).
        pairs: What is held against what.
        pivot: Point about which the parts turn, on a line at the origin [m]. Shape (2,).
        step: Angle from place to place, above 0 when counter-clockwise [rad].
        out: Added to. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    places = out.shape[1]
    marks = np.zeros(places, np.uint8)
    ends, C = np.empty((8, 2)), np.empty((2, 8))
    waiting = np.empty((3, 32), np.int64)
    angles = np.arctan2(lines[:, 3], lines[:, 2])
    backwards = step < 0.0
    per_step = 1.0 / abs(step)
    least = places - 1 if backwards else 0  # the place of the least angle
    hits = 0
    for p in range(parts.shape[0]):
        part = placed(behind(line_pose(turns, least), line_pose(parts, p)), pairs.half, p)
        x, y = part.x - pivot[0], part.y - pivot[1]
        c, s, a, b = part.cosine, part.sine, part.length, part.width
        m, n = x * c + y * s, y * c - x * s
        angle = math.atan2(s, c)
        outer = (abs(m) + a) ** 2 + (abs(n) + b) ** 2
        inner = max(abs(m) - a, 0.0) ** 2 + max(abs(n) - b, 0.0) ** 2
        reach = math.sqrt(outer)
        swung = SwungRectangle(m, n, a, b)
        for k in range(pairs.bodies.shape[0]):
            if pairs.rise[p, k] != 0.0:
                continue
            body, limit = rectangle(pairs.bodies, k), pairs.allowance[p, k]
            c, s, A, B = body.cosine, body.sine, body.length, body.width
            tilt = angle - math.atan2(s, c)
            for i in range(lines.shape[0]):
                at = line_pose(lines, i)
                x = at.x + at.cosine * pivot[0] - at.sine * pivot[1] - body.x
                y = at.y + at.sine * pivot[0] + at.cosine * pivot[1] - body.y
                E = SwungRectangle(x * c + y * s, y * c - x * s, A, B)
                if _out_of_reach(E, inner, outer):
                    continue
                C[0, 0], C[0, 1], C[0, 2], C[0, 3] = A - E.x, A + E.x, B - E.y, B + E.y
                C[0, 4], C[0, 5], C[0, 6], C[0, 7] = a - m, a + m, b - n, b + n
                rounding = _ROUNDING * (reach + abs(E.x) + abs(E.y) + A + B)
                for row in range(8):
                    C[0, row] += limit
                    C[1, row] = max(C[0, row], 0.0) + rounding
                start = tilt + angles[i]
                quarter, first = math.floor(start / _QUARTER + 1e-12), 0
                while first < places:
                    origin = (quarter * _QUARTER - start) * per_step
                    last = min(places - 1, math.floor(origin + _QUARTER * per_step))
                    which = quarter % 4
                    u = 1.0 if which in (0, 3) else -1.0
                    v = 1.0 if which < 2 else -1.0
                    if last >= first and not _broken(u, v, swung, E, C):
                        slab = Slab(origin, per_step, first, last)
                        _ends(which, u, v, swung, E, ends)
                        low, high, marked = _stretch(ends, C, rounding, slab, waiting, marks)
                        if marked:
                            pose = line_pose(parts, p)
                            _ask(at, turns, pose, body, pairs, p, k, backwards, low, high, marks)
                            hits += _add_marked(out[i], k + 1, backwards, low, high, marks)
                        elif low <= high:
                            _add(out[i], k + 1, backwards, low, high)
                            hits += high - low + 1
                    first, quarter = max(first, last + 1), quarter + 1
    return hits


@inner
def _ask(
    line: PlanarPose,
    turns: Array,
    pose: PlanarPose,
    body: PlanarRectangle,
    pairs: PlanarPairs,
    p: int,
    k: int,
    backwards: bool,
    low: int,
    high: int,
    marks: Cells,
) -> None:
    """Settle by the separating-axes test the places low..high whose marks ask for it."""
    places = marks.shape[0]
    for at in range(low, high + 1):
        if marks[at] == _ASK:
            j = places - 1 - at if backwards else at
            part = placed(behind(line, behind(line_pose(turns, j), pose)), pairs.half, p)
            marks[at] = _SURE if gap(part, body) <= pairs.allowance[p, k] else _FREE


@inner
def _add(row: Cells, value: int, backwards: bool, low: int, high: int) -> None:
    """Add ``value`` to the cells of the places low..high."""
    first = row.shape[0] - 1 - high if backwards else low
    for j in range(first, first + high - low + 1):
        row[j] += value


@inner
def _add_marked(row: Cells, value: int, backwards: bool, low: int, high: int, marks: Cells) -> int:
    """Add ``value`` to the cells of the places low..high that are marked, return their number."""
    found = 0
    for at in range(low, high + 1):
        if marks[at] == _SURE:
            row[row.shape[0] - 1 - at if backwards else at] += value
            found += 1
    return found
