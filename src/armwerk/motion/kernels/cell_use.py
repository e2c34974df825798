"""What a law uses of its limits, cell by cell, from what it uses at many places."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry

_ASIDE = 1e-9  # [m] from the end of a cell, within which rounding does not tell the cell


@entry("float64[:,::1](float64[::1], float64[:,::1], float64[::1])")
def largest_use(s: Array, used: Array, ends: Array) -> Array:
    """Return the largest fractions of limits that cells use, at least 1. Shape (k, 3).

    Args:
        s: Arc lengths at which a law was looked at, in any order; quickest when they rise [m].
            Shape (m,).
        used: Fractions of the limits of velocity, acceleration, jerk there. Shape (m, 3).
        ends: Arc lengths at which cells begin, and the end of the last [m]. Shape (k + 1,).
    """
    cells = ends.shape[0] - 1
    most = np.ones((cells, 3))
    cell = 0
    for k in range(s.shape[0]):
        while cell < cells - 1 and ends[cell + 1] <= s[k]:
            cell += 1
        while cell > 0 and s[k] < ends[cell]:
            cell -= 1
        low = cell - 1 if cell > 0 and s[k] - ends[cell] < _ASIDE else cell
        high = cell + 1 if cell < cells - 1 and ends[cell + 1] - s[k] < _ASIDE else cell
        for i in range(low, high + 1):
            for order in range(3):
                most[i, order] = max(most[i, order], used[k, order])
    return most
