"""Speeds lowered about the places that pass a limit, so gently that jerks hardly change by it.

In: coefficients of b, and what the cells of a law use of limits. Out: lower coefficients.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.retiming.known_law import KnownLaw

BETWEEN = 1.0 + 5e-4
"""Factor for what may lie between the times at which a law is held against limits."""
_STEPS = 32  # even ones within which speeds come down
_MARGIN = 1.0 + 1e-4  # by how much more than needed a place is slowed


def slower(used: Array) -> Array:
    """Return by what factors cells must be slowed to keep all limits, at least 1. Shape (k,).

    Args:
        used: Fractions of the limits of velocity, acceleration, jerk, at least 1. Shape (k, 3).
    """
    velocity, acceleration, jerk = used.T
    factor = np.maximum(np.maximum(velocity, np.sqrt(acceleration)), np.cbrt(jerk))
    return np.asarray(np.where(factor > 1.0, factor * BETWEEN, 1.0))


def lowered_speeds(known: KnownLaw, c: Array, needed: Array, width: float) -> tuple[Array, Flags]:
    """Return coefficients of b that are lower about cells that must be slowed, and which. (k + 2,).

    Args:
        known: The law with its cells.
        c: Coefficients [1/s²]. Shape (k + 2,).
        needed: By what factors cells must be slowed, at least 1. Shape (k,).
        width: Within which b comes down [s].
    """
    lower = np.zeros(len(c))
    lower[1:-1] = -2.0 * np.log(np.where(needed > 1.0, needed * _MARGIN, 1.0))
    spread = _spread(known, lower, width)
    changed = spread < -1e-15
    return c * np.exp(np.where(changed, spread, 0.0)), np.asarray(changed)


def _spread(known: KnownLaw, lower: Array, width: float) -> Array:
    """Return numbers at most as large as given ones that change as slowly by σ as can be. (k + 2,).

    Cells may be very short beside one another, so that they are evened out by σ.

    Args:
        known: The law with its cells.
        lower: At most zero, for each coefficient of a spline. Shape (k + 2,).
        width: Within which they come down to the lowest [s].
    """
    from scipy.ndimage import minimum_filter1d, uniform_filter1d

    widths, middles = known.widths, 0.5 * (known.times[1:] + known.times[:-1])
    # where a spline with such coefficients has their values, were these in a line
    places = np.concatenate([[middles[0] - widths[0]], middles, [middles[-1] + widths[-1]]])
    step = width / _STEPS
    at = (places - places[0]) / step
    even = np.zeros(int(at[-1]) + 2)
    for side in (0, 1):
        np.minimum.at(even, at.astype(int) + side, lower)
    # the mean over as many as were lowered is as low at the place itself
    even = minimum_filter1d(even, 2 * _STEPS + 1, mode="nearest")
    for _ in range(2):
        even = uniform_filter1d(even, _STEPS + 1, mode="nearest")
    return np.asarray(np.interp(at, np.arange(len(even)), even))
