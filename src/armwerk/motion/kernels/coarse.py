"""Cells of a followed track across which too much changes.

In: joint values and the tool's motion at points of a grid. Out: which cells are to be halved.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry

UNEVEN = 0.2
"""Fraction by which joint rates may change between two points of the grid; near a singularity they
change a lot, and the time law must see it."""
_LITTLE = 1e-6  # [rad or m] of motion within a cell whose rates may change as they like
_TURN = 0.02  # [rad] by which the change of curvature may turn the tangent within a cell


@entry(
    "boolean[::1](float64[::1], float64[:,:,::1], float64[:,:,::1], float64[::1], float64, float64)"
)
def coarse_cells(
    grid: Array, table: Array, twists: Array, s: Array, step: float, wide: float
) -> Flags:
    """Return the cells across which joints move too far, or rates or curvature change too much.

    Args:
        grid: Values of the parameter [m]. Shape (m,).
        table: q, q', q'', q''' by it. Shape (m, 4, n).
        twists: Tool motion by it. Shape (m, 3, 6).
        s: Arc lengths [m]. Shape (m,).
        step: What a joint may move by [rad or m].
        wide: Arc length of a cell from which on it is halved [m].
    """
    m, n = table.shape[0], table.shape[2]
    found = np.zeros(m - 1, dtype=np.bool_)
    for k in range(m - 1):
        if not s[k + 1] - s[k] > wide:
            continue
        moved = rate = change = bend = turn = 0.0
        for c in range(n):
            low, high = table[k, 1, c], table[k + 1, 1, c]
            moved = max(moved, abs(table[k + 1, 0, c] - table[k, 0, c]))
            rate = max(rate, abs(low), abs(high))
            change = max(change, abs(high - low))
        for c in range(6):
            low, high = twists[k, 1, c], twists[k + 1, 1, c]
            bend = max(bend, abs(low), abs(high))
            turn = max(turn, abs(high - low))
        h = grid[k + 1] - grid[k]
        # what hardly moves within a cell does not matter, however its rate changes
        uneven = change > UNEVEN * rate and change * h > _LITTLE
        sharp = turn > UNEVEN * bend and turn * h > _TURN
        found[k] = moved > step or uneven or sharp
    return found
