"""A cubic spline between even knots, and the way that its square stands for as a speed.

The knots begin at zero. The B-splines of the first cell are the second to fifth.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


@inner(borrows=True, flatten=True)
def _value(c: Array, width: float, at: float) -> tuple[float, float]:
    """Return value and first derivative at a place."""
    x = at / width
    cell = min(max(int(x), 0), c.shape[0] - 6)
    f = x - cell
    g = 1.0 - f
    one, two, three, four = c[cell + 1], c[cell + 2], c[cell + 3], c[cell + 4]
    value = g * g * g * one + (4.0 - 3.0 * f * f * (1.0 + g)) * two
    value += (4.0 - 3.0 * g * g * (1.0 + f)) * three + f * f * f * four
    bend, slope = one - two, 0.5 * (three - one)
    rate = slope + f * (bend + three - two + 0.5 * f * (four - one + 3.0 * (two - three)))
    return value / 6.0, rate / width


@entry("float64[:,::1](float64[::1], float64, float64[::1])")
def spline_values(c: Array, width: float, at: Array) -> Array:
    """Return values and first derivatives of a spline. Shape (m, 2).

    Args:
        c: Coefficients of its B-splines. Shape (k,).
        width: Of a cell.
        at: Places. Shape (m,).
    """
    out = np.empty((at.shape[0], 2))
    for k in range(at.shape[0]):
        out[k, 0], out[k, 1] = _value(c, width, at[k])
    return out


@entry("float64[::1](float64[::1], float64, float64[::1], float64[::1])")
def spline_ways(c: Array, width: float, low: Array, high: Array) -> Array:
    """Return the integrals of the square of a spline. Shape (m,).

    Args:
        c: Coefficients of its B-splines. Shape (k,).
        width: Of a cell.
        low: Where they begin. Shape (m,).
        high: Where they end. Shape (m,).
    """
    out = np.empty(low.shape[0])
    for k in range(low.shape[0]):
        half, total = 0.5 * (high[k] - low[k]), 0.0
        for i in range(6):
            value, _ = _value(c, width, low[k] + half * (1.0 + _NODES[i]))
            total += _WEIGHTS[i] * value * value
        out[k] = half * total
    return out
