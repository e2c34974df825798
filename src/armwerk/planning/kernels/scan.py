"""A rectangle that slides along a line, against rectangles: the stretch of contact by formula.

While it slides, each of the four shadow conditions is |f + g q| <= r: an interval of q. The four
intervals have one stretch in common, or none. Places within `NEAR` steps of an end, where rounding
could decide, are put to the separating-axes test itself. A line with the same stretches as the one
before is copied from it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.planar import gap, part_pose, placed, rectangle
from armwerk.planning.kernels.records import (
    ContactStretch,
    PlanarPairs,
    PlanarPose,
    PlanarRectangle,
    SlideLine,
)

Cells = NDArray[np.unsignedinteger]

NEAR = 1e-10  # of a step
_STILL = 1e-15  # [m] a shadow that moves less than this along a whole line stands still
_EVEN = 1e-14  # [m] a constant gap nearer to its limit than this is left to the test
_FROM, _TO, _SURE_FROM, _SURE_TO = 0, 1, 2, 3  # columns of spans: places in question, sure ones


@inner(inline=True)
def _narrowed(
    given: ContactStretch, f: float, g: float, r: float, line: SlideLine
) -> ContactStretch:
    """Return the part of a stretch in which |f + g q| <= r.

    Args:
        given: The stretch.
        f: Way between the middles of the two shadows at q = 0 [m].
        g: How it changes with q.
        r: Sum of half the shadows [m].
        line: The places.
    """
    if abs(g) * line.reach < _STILL:
        if abs(f) > r + _EVEN:
            return ContactStretch(given.low, -math.inf, given.sure_low, given.sure_high)
        if abs(f) > r - _EVEN:
            return ContactStretch(given.low, given.high, given.sure_low, -math.inf)
        return given
    inverse = 1.0 / g
    middle = (-f * inverse - line.first) * line.per_step
    half = abs(r * inverse * line.per_step)
    return ContactStretch(
        max(given.low, middle - half - NEAR),
        min(given.high, middle + half + NEAR),
        max(given.sure_low, middle - half + NEAR),
        min(given.sure_high, middle + half - NEAR),
    )


@inner(inline=True)
def _stretch(
    part: PlanarRectangle, u: float, v: float, body: PlanarRectangle, limit: float, line: SlideLine
) -> ContactStretch:
    """Return where on a line a part that slides by (u, v) per q touches a body."""
    c, s, a, b = part.cosine, part.sine, part.length, part.width
    C, S, A, B = body.cosine, body.sine, body.length, body.width
    dx, dy = part.x - body.x, part.y - body.y
    cosine, sine = abs(c * C + s * S), abs(s * C - c * S)
    found = ContactStretch(0.0, line.last, 0.0, line.last)
    r = A + a * cosine + b * sine + limit
    found = _narrowed(found, dx * C + dy * S, u * C + v * S, r, line)
    r = B + a * sine + b * cosine + limit
    found = _narrowed(found, dy * C - dx * S, v * C - u * S, r, line)
    if found.low > found.high:
        return found
    r = a + A * cosine + B * sine + limit
    found = _narrowed(found, dx * c + dy * s, u * c + v * s, r, line)
    r = b + A * sine + B * cosine + limit
    return _narrowed(found, dy * c - dx * s, v * c - u * s, r, line)


@entry()
def fill_sliding(start: Array, slide: Array, pairs: PlanarPairs, grid: Array, out: Cells) -> int:
    """Fill the cells of parts that slide along a line with the sums of body number + 1.

    Args:
        start: Planar pose of each part on each line at q = 0. Shape (lines, parts, 4).
        slide: How far it slides per q. Shape (lines, parts, 2).
        pairs: What is held against what.
        grid: q of every place, evenly spaced [m]. Shape (places,).
        out: Filled; must hold zeros. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    places, bodies = grid.shape[0], pairs.bodies.shape[0]
    count = start.shape[1] * bodies
    step = (grid[places - 1] - grid[0]) / (places - 1) if places > 1 else 1.0
    reach = max(abs(grid[0]), abs(grid[places - 1]))
    line = SlideLine(grid[0], 1.0 / step, reach, places - 1.0)
    spans = np.zeros((count, 4), np.int64)
    hits, found, before = 0, 0, False
    for i in range(start.shape[0]):
        same, plain = before, True
        for n in range(count):
            p, k = n // bodies, n % bodies
            low, high, sure, last = 0, -1, 0, -1
            if pairs.rise[p, k] == 0.0:
                part = placed(part_pose(start, i, p), pairs.half, p)
                body, limit = rectangle(pairs.bodies, k), pairs.allowance[p, k]
                ends = _stretch(part, slide[i, p, 0], slide[i, p, 1], body, limit, line)
                if ends.low <= ends.high:
                    low, high = math.ceil(ends.low), math.floor(ends.high)
                    sure, last = high + 1, high
                    if ends.sure_low <= ends.sure_high:
                        first, end = math.ceil(ends.sure_low), math.floor(ends.sure_high)
                        if first <= end:
                            sure, last = first, end
            same &= spans[n, _SURE_FROM] == sure and spans[n, _SURE_TO] == last
            plain &= low == sure and high == last
            spans[n, _FROM], spans[n, _TO] = low, high
            spans[n, _SURE_FROM], spans[n, _SURE_TO] = sure, last
        if same and plain:
            out[i] = out[i - 1]
            hits += found
            continue
        found = 0
        for n in range(count):
            p, k = n // bodies, n % bodies
            sure, last = spans[n, _SURE_FROM], spans[n, _SURE_TO]
            _add(out[i], sure, last, k + 1)
            found += last + 1 - sure
            if spans[n, _FROM] != sure or spans[n, _TO] != last:
                found += _ask(start, slide, i, p, k, pairs, grid, spans[n], out[i])
        hits += found
        before = plain
    return hits


@inner
def _add(row: Cells, first: int, last: int, value: int) -> None:
    """Add ``value`` to the cells first..last."""
    for j in range(first, last + 1):
        row[j] += value


@inner
def _ask(
    start: Array,
    slide: Array,
    i: int,
    p: int,
    k: int,
    pairs: PlanarPairs,
    grid: Array,
    span: Integers,
    row: Cells,
) -> int:
    """Put the places in question of part p and body k to the test itself, return the contacts."""
    pose, body = part_pose(start, i, p), rectangle(pairs.bodies, k)
    sure, last = span[_SURE_FROM], span[_SURE_TO]
    found = 0
    for at in range(span[_FROM], sure + span[_TO] - last):  # before the sure ones, then behind
        j = at if at < sure else last + 1 + at - sure
        x, y = pose.x + slide[i, p, 0] * grid[j], pose.y + slide[i, p, 1] * grid[j]
        part = placed(PlanarPose(x, y, pose.cosine, pose.sine), pairs.half, p)
        if gap(part, body) <= pairs.allowance[p, k]:
            row[j] += k + 1
            found += 1
    return found
