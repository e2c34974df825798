"""What a law uses of its limits, cell by cell, from what it uses at many times."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner

_ASIDE = 1e-9  # [m] from the end of a cell, within which rounding does not tell the cell
_EVEN = 0.05  # by how much one of two steps of time must be longer than this share of the other


@inner
def _summit(low: float, middle: float, high: float, first: float, second: float) -> float:
    """Return the highest value of a parabola between the first and the last of three points.

    Args:
        low: Value at the first.
        middle: At the second.
        high: At the third.
        first: From the first point to the second [s].
        second: From there to the third [s].
    """
    up, down = (middle - low) / first, (high - middle) / second
    bend = (down - up) / (first + second)
    slope = (up * second + down * first) / (first + second)
    if bend < 0.0 and -first < -0.5 * slope / bend < second:
        return middle - 0.25 * slope * slope / bend
    return middle


@entry(
    "float64[:,::1](float64[::1], float64[::1], float64[:,::1], float64[::1], boolean[::1], "
    "float64[::1])"
)
def largest_use(
    times: Array, s: Array, used: Array, before: Array, jumps: Flags, ends: Array
) -> Array:
    """Return the largest fractions of limits that cells use, at least 1. Shape (k, 3).

    Between times it is told by parabolas through three of them, as long as the jerk does not jump.

    Args:
        times: At which a law was looked at, rising [s]. Shape (m,).
        s: Arc lengths there [m]. Shape (m,).
        used: Fractions of the limits of velocity, acceleration, jerk there. Shape (m, 3).
        before: The last of them with the jerk just before. Shape (m,).
        jumps: Whether the jerk jumps there. Shape (m,).
        ends: Arc lengths at which cells begin, and the end of the last [m]. Shape (k + 1,).
    """
    count, cells = times.shape[0], ends.shape[0] - 1
    most = np.ones((cells, 3))
    cell = 0
    for k in range(count):
        while cell < cells - 1 and ends[cell + 1] <= s[k]:
            cell += 1
        low = cell - 1 if cell > 0 and s[k] - ends[cell] < _ASIDE else cell
        high = cell + 1 if cell < cells - 1 and ends[cell + 1] - s[k] < _ASIDE else cell
        is_smooth = 0 < k < count - 1 and not jumps[k]
        first = second = 1.0
        if is_smooth:
            first, second = times[k] - times[k - 1], times[k + 1] - times[k]
            is_smooth = min(first, second) > _EVEN * max(first, second)
        for order in range(3):
            value = used[k, order]
            if order == 2:
                value = max(value, before[k])
            if is_smooth:
                ahead = before[k + 1] if order == 2 else used[k + 1, order]
                value = max(
                    value, _summit(used[k - 1, order], used[k, order], ahead, first, second)
                )
            for i in range(low, high + 1):
                most[i, order] = max(most[i, order], value)
    return most
