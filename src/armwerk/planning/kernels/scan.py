"""A rectangle that slides along a line, against rectangles: the stretch of contact by formula.

While it slides, each of the four shadow conditions is |f + g q| <= r: an interval of q. The four
intervals have one stretch in common, or none. Places within `NEAR` steps of an end, where rounding
could decide, are put to the separating-axes test itself.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.planning.kernels.planar import gap

Array = NDArray[np.float64]
Cells = NDArray[np.unsignedinteger]
Mask = NDArray[np.bool_]

NEAR = 1e-10  # share of a step
_STILL = 1e-15  # [m] a shadow that moves less than this along a whole line stands still
_EVEN = 1e-14  # [m] a constant gap nearer to its limit than this is left to the test


@njit(nogil=True, error_model="numpy", inline="always")
def _narrow(
    f: float, g: float, r: float, first: float, step: float, reach: float, ends: Array
) -> None:
    """Narrow the stretch to |f + g q| <= r.

    Args:
        f: Way between the middles of the two shadows at q = 0 [m].
        g: How it changes with q.
        r: Sum of half the shadows [m].
        first: q of place 0 [rad or m].
        step: From place to place.
        reach: Largest |q| on the line.
        ends: Lowest, highest place in question, lowest and highest sure one. Shape (4,).
    """
    if abs(g) * reach < _STILL:
        if abs(f) > r + _EVEN:
            ends[1] = -math.inf
        elif abs(f) > r - _EVEN:
            ends[3] = -math.inf
        return
    one, two = (-r - f) / g, (r - f) / g
    low, high = (min(one, two) - first) / step, (max(one, two) - first) / step
    ends[0], ends[1] = max(ends[0], low - NEAR), min(ends[1], high + NEAR)
    ends[2], ends[3] = max(ends[2], low + NEAR), min(ends[3], high - NEAR)


@njit(nogil=True, error_model="numpy", cache=True)
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
    """Add body number + 1 per contact to the cells of parts that slide along a line.

    Args:
        start: Planar pose of each part on each line at q = 0. Shape (lines, parts, 4).
        way: How far it slides per q. Shape (lines, parts, 2).
        half: Half lengths of the parts [m]. Shape (parts, 2).
        body: Rows x, y, cosine, sine, half lengths. Shape (bodies, 6).
        allowance: For rounding [m]. Shape (parts, bodies).
        level: Whether part and body meet in height. Shape (parts, bodies).
        grid: q of every place, evenly spaced [m]. Shape (places,).
        out: Added to. Shape (lines, places).

    Returns:
        The number of contacts.
    """
    places = grid.shape[0]
    first = grid[0]
    step = (grid[places - 1] - first) / (places - 1) if places > 1 else 1.0
    reach = max(abs(first), abs(grid[places - 1]))
    ends = np.empty(4)
    hits = 0
    for i in range(start.shape[0]):
        row = out[i]
        for p in range(start.shape[1]):
            x, y, c, s = start[i, p, 0], start[i, p, 1], start[i, p, 2], start[i, p, 3]
            u, v, a, b = way[i, p, 0], way[i, p, 1], half[p, 0], half[p, 1]
            for k in range(body.shape[0]):
                if not level[p, k]:
                    continue
                limit = allowance[p, k]
                C, S, A, B = body[k, 2], body[k, 3], body[k, 4], body[k, 5]
                dx, dy = x - body[k, 0], y - body[k, 1]
                cosine, sine = abs(c * C + s * S), abs(s * C - c * S)
                ends[0], ends[1], ends[2], ends[3] = 0.0, places - 1.0, 0.0, places - 1.0
                r = A + a * cosine + b * sine + limit
                _narrow(dx * C + dy * S, u * C + v * S, r, first, step, reach, ends)
                r = B + a * sine + b * cosine + limit
                _narrow(dy * C - dx * S, v * C - u * S, r, first, step, reach, ends)
                r = a + A * cosine + B * sine + limit
                _narrow(dx * c + dy * s, u * c + v * s, r, first, step, reach, ends)
                r = b + A * sine + B * cosine + limit
                _narrow(dy * c - dx * s, v * c - u * s, r, first, step, reach, ends)
                if ends[0] > ends[1]:
                    continue
                low, high = math.ceil(ends[0]), math.floor(ends[1])
                sure, last = low, low - 1
                if ends[2] <= ends[3]:
                    sure, last = math.ceil(ends[2]), math.floor(ends[3])
                if sure > last:
                    sure, last = high + 1, high
                for j in range(sure, last + 1):
                    row[j] += k + 1
                hits += last + 1 - sure
                for at in range(low, sure + high - last):  # what is in question before and behind
                    j = at if at < sure else last + 1 + at - sure
                    q = grid[j]
                    if gap(x + u * q, y + v * q, c, s, a, b, body, k) <= limit:
                        row[j] += k + 1
                        hits += 1
    return hits
