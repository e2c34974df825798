"""Joint values at a limit that were kept in single precision, and so are a hair beyond it.

Whoever asks for such a value means the limit. It is taken for that where it enters, so that nothing
behind has to allow for it and no motion leaves its stops.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array

_ROUNDING = 2.0**-23  # of a limit, by which single precision may lie beyond it


def at_limits(values: Array, limits: Array) -> Array:
    """Return joint values, those that only rounding has put beyond a limit exactly at it.

    Args:
        values: [rad or m]. Shape (n,).
        limits: Smallest and largest values, infinite where there is none. Shape (n, 2).
    """
    low, high = limits.T
    found = np.where((values < low) & (values >= low - _ROUNDING * np.abs(low)), low, values)
    return np.where((found > high) & (found <= high + _ROUNDING * np.abs(high)), high, found)
