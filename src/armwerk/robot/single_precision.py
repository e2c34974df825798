"""Joint values at a limit that were kept in single precision, and so are a hair beyond it.

Whoever asks for such a value means the limit. It is taken for that where it enters, so that nothing
behind has to allow for it and no motion leaves its stops.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array

_ROUNDING = 2.0**-23  # of a limit, by which single precision may lie beyond it
_WITHIN = 1e-9  # [rad or m] beyond a limit that counts as within, see `Arm.keeps_limits`


def at_limits(values: Array, limits: Array) -> Array:
    """Return joint values, those that only rounding has put beyond a limit exactly at it.

    Args:
        values: [rad or m]; what counts as within its limits stays as it is. Shape (n,).
        limits: Smallest and largest values, infinite where there is none. Shape (n, 2).
    """
    low, high = limits.T
    under = (values < low - _WITHIN) & (values >= low - _ROUNDING * np.abs(low))
    over = (values > high + _WITHIN) & (values <= high + _ROUNDING * np.abs(high))
    return np.where(under, low, np.where(over, high, values))
