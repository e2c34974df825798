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
from armwerk.planning.kernels.planar import behind, gap, line_pose, placed, rectangle
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
    given: ContactStretch, f: float, inverse: float, half: float, line: SlideLine
) -> ContactStretch:
    """Return the part of a stretch in which two shadows meet.

    Args:
        given: The stretch.
        f: Way between the middles of the two shadows at q = 0 [m].
        inverse: How q changes with that way; 0: the way stands still.
        half: Half the stretch in places; where the way stands still, half of both shadows [m].
        line: The places.
    """
    if inverse == 0.0:
        if abs(f) > half + _EVEN:
            return ContactStretch(given.low, -math.inf, given.sure_low, given.sure_high)
        if abs(f) > half - _EVEN:
            return ContactStretch(given.low, given.high, given.sure_low, -math.inf)
        return given
    middle = (-f * inverse - line.first) * line.per_step
    return ContactStretch(
        max(given.low, middle - half - NEAR),
        min(given.high, middle + half + NEAR),
        max(given.sure_low, middle - half + NEAR),
        min(given.sure_high, middle + half - NEAR),
    )


@inner
def _shadows(
    part: PlanarRectangle,
    u: float,
    v: float,
    body: PlanarRectangle,
    limit: float,
    line: SlideLine,
    out: Array,
) -> None:
    """Fill what the four shadow conditions need but the place of the part, which slides by (u, v).

    Rows are edges' directions: x, y, and ``inverse`` and ``half`` of `_narrowed`. Shape (4, 4).
    """
    c, s, a, b = part.cosine, part.sine, part.length, part.width
    C, S, A, B = body.cosine, body.sine, body.length, body.width
    cosine, sine = abs(c * C + s * S), abs(s * C - c * S)
    out[0, 0], out[0, 1], out[0, 3] = C, S, A + a * cosine + b * sine + limit
    out[1, 0], out[1, 1], out[1, 3] = -S, C, B + a * sine + b * cosine + limit
    out[2, 0], out[2, 1], out[2, 3] = c, s, a + A * cosine + B * sine + limit
    out[3, 0], out[3, 1], out[3, 3] = -s, c, b + A * sine + B * cosine + limit
    for row in range(4):
        g = u * out[row, 0] + v * out[row, 1]
        out[row, 2] = 0.0
        if abs(g) * line.reach >= _STILL:
            out[row, 2] = 1.0 / g
            out[row, 3] = abs(out[row, 3] / g * line.per_step)


@inner(inline=True)
def _stretch(dx: float, dy: float, shadows: Array, line: SlideLine) -> ContactStretch:
    """Return where on a line a part touches a body whose middle is (-dx, -dy) away at q = 0."""
    found = ContactStretch(0.0, line.last, 0.0, line.last)
    for row in range(4):
        f = dx * shadows[row, 0] + dy * shadows[row, 1]
        found = _narrowed(found, f, shadows[row, 2], shadows[row, 3], line)
    return found


@entry()
def fill_sliding(
    lines: Array, parts: Array, slides: Array, pairs: PlanarPairs, grid: Array, out: Cells
) -> int:
    """Fill the cells of parts that slide along a line with the sums of body number + 1.

    Args:
        lines: Planar pose of each line at q = 0. Shape (lines, 4).
        parts: Planar pose of each part, seen from its line. Shape (parts, 4).
        slides: How far a line slides per q. Shape (lines, 2).
        pairs: What is held against what.
        grid: q of every place, evenly spaced [m]. Shape (places,).
        out: Filled. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    places, bodies = grid.shape[0], pairs.bodies.shape[0]
    count = parts.shape[0] * bodies
    step = (grid[places - 1] - grid[0]) / (places - 1) if places > 1 else 1.0
    reach = max(abs(grid[0]), abs(grid[places - 1]))
    line = SlideLine(grid[0], 1.0 / step, reach, places - 1.0)
    spans, shadows = np.zeros((count, 4), np.int64), np.empty((count, 4, 4))
    hits, found, before = 0, 0, False
    for i in range(lines.shape[0]):
        turned = i == 0 or not _same_directions(lines, slides, i)
        same, plain = before, True
        for p in range(parts.shape[0]):
            part = placed(behind(line_pose(lines, i), line_pose(parts, p)), pairs.half, p)
            for k in range(bodies):
                n = p * bodies + k
                low, high, sure, last = 0, -1, 0, -1
                if pairs.rise[p, k] == 0.0:
                    body = rectangle(pairs.bodies, k)
                    if turned:
                        limit = pairs.allowance[p, k]
                        _shadows(part, slides[i, 0], slides[i, 1], body, limit, line, shadows[n])
                    ends = _stretch(part.x - body.x, part.y - body.y, shadows[n], line)
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
        row = out[i]
        if same and plain:
            above = out[i - 1]
            for j in range(places):
                row[j] = above[j]
            hits += found
            continue
        row[:] = 0
        found = 0
        for n in range(count):
            p, k = n // bodies, n % bodies
            sure, last = spans[n, _SURE_FROM], spans[n, _SURE_TO]
            _add(row, sure, last, k + 1)
            found += last + 1 - sure
            if spans[n, _FROM] != sure or spans[n, _TO] != last:
                pose = behind(line_pose(lines, i), line_pose(parts, p))
                found += _ask(pose, slides[i], p, k, pairs, grid, spans[n], row)
        hits += found
        before = plain
    return hits


@inner(inline=True)
def _same_directions(lines: Array, slides: Array, i: int) -> bool:
    """Whether line i stands and slides in the directions of the line before."""
    return bool(
        lines[i, 2] == lines[i - 1, 2]
        and lines[i, 3] == lines[i - 1, 3]
        and slides[i, 0] == slides[i - 1, 0]
        and slides[i, 1] == slides[i - 1, 1]
    )


@inner
def _add(row: Cells, first: int, last: int, value: int) -> None:
    """Add ``value`` to the cells first..last."""
    for j in range(first, last + 1):
        row[j] += value


@inner
def _ask(
    pose: PlanarPose,
    slide: Array,
    p: int,
    k: int,
    pairs: PlanarPairs,
    grid: Array,
    span: Integers,
    row: Cells,
) -> int:
    """Put the places in question of part p and body k to the test itself, return the contacts."""
    body = rectangle(pairs.bodies, k)
    sure, last = span[_SURE_FROM], span[_SURE_TO]
    found = 0
    for at in range(span[_FROM], sure + span[_TO] - last):  # before the sure ones, then behind
        j = at if at < sure else last + 1 + at - sure
        x, y = pose.x + slide[0] * grid[j], pose.y + slide[1] * grid[j]
        part = placed(PlanarPose(x, y, pose.cosine, pose.sine), pairs.half, p)
        if gap(part, body) <= pairs.allowance[p, k]:
            row[j] += k + 1
            found += 1
    return found
