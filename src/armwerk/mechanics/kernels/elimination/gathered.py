"""The solutions of a pose as views show them, gathered so that each stands there once."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.turns import largest_difference

SAME = 1e-6  # [rad or scales] solutions nearer to each other than this count as one


@inner
def is_other(arm: Array, q: Array, found: Array, count: int) -> bool:
    """Whether q is none of those found, full turns not counted."""
    for k in range(count):
        far = largest_difference(arm, q, found[k])
        if far < SAME:
            return False
    return True


@inner
def gather(arm: Array, mine: Array, good: int, proved: bool, found: Array, count: int) -> int:
    """Add the solutions of a view to those found, as many as find room; return their number.

    Where a view is proved to show all, ``found`` holds only what it shows.
    """
    if proved:
        count = 0
    for k in range(good):
        if proved or (count < found.shape[0] and is_other(arm, mine[k], found, count)):
            for i in range(6):
                found[count, i] = mine[k, i]
            count += 1
    return count


@inner
def clear_behind(found: Array, count: int) -> None:
    """Fill what is behind the last solution with nan."""
    for row in range(count, found.shape[0]):
        for i in range(6):
            found[row, i] = math.nan
