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

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.planar import gap

Cells = NDArray[np.unsignedinteger]
Mask = NDArray[np.bool_]

NEAR = 1e-10  # share of a step
_STILL = 1e-15  # [m] a shadow that moves less than this along a whole line stands still
_EVEN = 1e-14  # [m] a constant gap nearer to its limit than this is left to the test


@inner(inline=True)
def _narrow(
    f: float, g: float, r: float, first: float, per_step: float, reach: float, ends: Array
) -> None:
    """Narrow the stretch to |f + g q| <= r.

    Args:
        f: Way between the middles of the two shadows at q = 0 [m].
        g: How it changes with q.
        r: Sum of half the shadows [m].
        first: q of place 0 [rad or m].
        per_step: 1 / (way from place to place).
        reach: Largest |q| on the line.
        ends: Lowest, highest place in question, lowest and highest sure one. Shape (4,).
    """
    if abs(g) * reach < _STILL:
        if abs(f) > r + _EVEN:
            ends[1] = -math.inf
        elif abs(f) > r - _EVEN:
            ends[3] = -math.inf
        return
    inverse = 1.0 / g
    middle, half = (-f * inverse - first) * per_step, abs(r * inverse * per_step)
    ends[0], ends[1] = max(ends[0], middle - half - NEAR), min(ends[1], middle + half + NEAR)
    ends[2], ends[3] = max(ends[2], middle - half + NEAR), min(ends[3], middle + half - NEAR)


@inner(inline=True)
def _stretch(
    pose: Array, way: Array, half: Array, body: Array, k: int, limit: float, line: Array, out: Array
) -> None:
    """Fill lowest and highest place in question, lowest and highest sure one; see `_narrow`.

    ``line`` holds first, 1 / step, reach and the number of places.
    """
    x, y, c, s, u, v, a, b = pose[0], pose[1], pose[2], pose[3], way[0], way[1], half[0], half[1]
    C, S, A, B = body[k, 2], body[k, 3], body[k, 4], body[k, 5]
    dx, dy = x - body[k, 0], y - body[k, 1]
    cosine, sine = abs(c * C + s * S), abs(s * C - c * S)
    first, per_step, reach = line[0], line[1], line[2]
    out[0], out[1], out[2], out[3] = 0.0, line[3] - 1.0, 0.0, line[3] - 1.0
    r = A + a * cosine + b * sine + limit
    _narrow(dx * C + dy * S, u * C + v * S, r, first, per_step, reach, out)
    r = B + a * sine + b * cosine + limit
    _narrow(dy * C - dx * S, v * C - u * S, r, first, per_step, reach, out)
    if out[0] > out[1]:
        return
    r = a + A * cosine + B * sine + limit
    _narrow(dx * c + dy * s, u * c + v * s, r, first, per_step, reach, out)
    r = b + A * sine + B * cosine + limit
    _narrow(dy * c - dx * s, v * c - u * s, r, first, per_step, reach, out)


@entry()
def fill_sliding(
    start: Array,
    way: Array,
    half: Array,
    body: Array,
    allowance: Array,
    level: Mask,
    grid: Array,
    out: Cells,
) -> int:
    """Fill the cells of parts that slide along a line with the sums of body number + 1.

    Args:
        start: Planar pose of each part on each line at q = 0. Shape (lines, parts, 4).
        way: How far it slides per q. Shape (lines, parts, 2).
        half: Half lengths of the parts [m]. Shape (parts, 2).
        body: Rows x, y, cosine, sine, half lengths. Shape (bodies, 6).
        allowance: For rounding [m]. Shape (parts, bodies).
        level: Whether part and body meet in height. Shape (parts, bodies).
        grid: q of every place, evenly spaced [m]. Shape (places,).
        out: Filled; must hold zeros. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    places, bodies = grid.shape[0], body.shape[0]
    pairs = start.shape[1] * bodies
    step = (grid[places - 1] - grid[0]) / (places - 1) if places > 1 else 1.0
    line = np.array([grid[0], 1.0 / step, max(abs(grid[0]), abs(grid[places - 1])), float(places)])
    ends = np.empty(4)
    spans = np.zeros((pairs, 4), np.int64)  # in question from, to; sure from, to
    hits, found, before = 0, 0, False
    for i in range(start.shape[0]):
        same, plain = before, True
        for n in range(pairs):
            p, k = n // bodies, n % bodies
            low, high, sure, last = 0, -1, 0, -1
            if level[p, k]:
                _stretch(start[i, p], way[i, p], half[p], body, k, allowance[p, k], line, ends)
                if ends[0] <= ends[1]:
                    low, high = math.ceil(ends[0]), math.floor(ends[1])
                    sure, last = high + 1, high
                    if ends[2] <= ends[3] and math.ceil(ends[2]) <= math.floor(ends[3]):
                        sure, last = math.ceil(ends[2]), math.floor(ends[3])
            same &= spans[n, 2] == sure and spans[n, 3] == last
            plain &= low == sure and high == last
            spans[n, 0], spans[n, 1], spans[n, 2], spans[n, 3] = low, high, sure, last
        if same and plain:
            out[i] = out[i - 1]
            hits += found
            continue
        found = 0
        for n in range(pairs):
            p, k = n // bodies, n % bodies
            sure, last = spans[n, 2], spans[n, 3]
            _add(out[i], sure, last, k + 1)
            found += last + 1 - sure
            if spans[n, 0] != sure or spans[n, 1] != last:
                found += _ask(
                    start[i, p],
                    way[i, p],
                    half[p],
                    body,
                    k,
                    allowance[p, k],
                    grid,
                    spans[n],
                    out[i],
                )
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
    pose: Array,
    way: Array,
    half: Array,
    body: Array,
    k: int,
    limit: float,
    grid: Array,
    span: NDArray[np.int64],
    row: Cells,
) -> int:
    """Put the places in question to the separating-axes test, and return the contacts."""
    low, high, sure, last = span[0], span[1], span[2], span[3]
    found = 0
    for at in range(low, sure + high - last):  # those before the sure ones, then those behind
        j = at if at < sure else last + 1 + at - sure
        x, y = pose[0] + way[0] * grid[j], pose[1] + way[1] * grid[j]
        if gap(x, y, pose[2], pose[3], half[0], half[1], body, k) <= limit:
            row[j] += k + 1
            found += 1
    return found
