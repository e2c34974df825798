"""Polynomials of seventh degree between points at which value and three derivatives are known."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.descent import copy

_SHORT = 2e-5
"""[m] of a cell below which rounding of the values, over its third power, would be seen in third
derivatives: there the third derivative runs evenly from end to end, and the rest follows."""
_LITTLE = 1e-10
"""What third derivatives may do within such a cell; where they do more, as in a turn beside a
singularity, they are far above rounding."""


@inner(borrows=True, flatten=True)
def _is_little(low: Array, high: Array, h: float) -> bool:
    """Whether third derivatives (in row 3) hardly change anything within a cell of length h."""
    largest = 0.0
    for i in range(low.shape[1]):
        largest = max(largest, abs(low[3, i]), abs(high[3, i]))
    return largest * h * h * h < _LITTLE


@inner(borrows=True, flatten=True)
def _short(low: Array, high: Array, h: float, x: float, out: Array) -> None:
    """Fill value and three derivatives (4, d) at the fraction x of a short cell of length h."""
    t = x * h
    for i in range(low.shape[1]):
        a, b, c, third = low[0, i], low[1, i], low[2, i], low[3, i]
        slope = (high[3, i] - third) / h
        out[0, i] = a + t * (b + t * (0.5 * c + t * (third / 6.0 + t * slope / 24.0)))
        out[1, i] = b + t * (c + t * (0.5 * third + t * slope / 6.0))
        out[2, i] = c + t * (third + 0.5 * t * slope)
        out[3, i] = third + t * slope


@inner(borrows=True, flatten=True)
def _septic(low: Array, high: Array, h: float, x: float, out: Array) -> None:
    """Fill value and three derivatives (4, d) at the fraction x of a cell of length h.

    With f(x) = Σ c_k x^k on 0 … 1, the lower four coefficients are those at its start. What they
    leave open at its end, (e0, e1, e2, e3) by order of the derivative, counts by a polynomial each,
    the same for all columns: (a0, a1, a2, a3), and their derivatives b, d, j.
    """
    h2, over = h * h, 1.0 / h
    h3, over2, sixth = h2 * h, over * over, 1.0 / 6.0
    over3, square = over2 * over, x * x
    cube, fourth = square * x, square * square
    a0 = fourth * (35.0 + x * (-84.0 + x * (70.0 - 20.0 * x)))
    a1 = fourth * (-15.0 + x * (39.0 + x * (-34.0 + 10.0 * x)))
    a2 = fourth * (2.5 + x * (-7.0 + x * (6.5 - 2.0 * x)))
    a3 = fourth * (-sixth + x * (0.5 + x * (-0.5 + sixth * x)))
    b0 = cube * (140.0 + x * (-420.0 + x * (420.0 - 140.0 * x)))
    b1 = cube * (-60.0 + x * (195.0 + x * (-204.0 + 70.0 * x)))
    b2 = cube * (10.0 + x * (-35.0 + x * (39.0 - 14.0 * x)))
    b3 = cube * (-4.0 * sixth + x * (2.5 + x * (-3.0 + 7.0 * sixth * x)))
    d0 = square * (420.0 + x * (-1680.0 + x * (2100.0 - 840.0 * x)))
    d1 = square * (-180.0 + x * (780.0 + x * (-1020.0 + 420.0 * x)))
    d2 = square * (30.0 + x * (-140.0 + x * (195.0 - 84.0 * x)))
    d3 = square * (-2.0 + x * (10.0 + x * (-15.0 + 7.0 * x)))
    j0 = x * (840.0 + x * (-5040.0 + x * (8400.0 - 4200.0 * x)))
    j1 = x * (-360.0 + x * (2340.0 + x * (-4080.0 + 2100.0 * x)))
    j2 = x * (60.0 + x * (-420.0 + x * (780.0 - 420.0 * x)))
    j3 = x * (-4.0 + x * (30.0 + x * (-60.0 + 35.0 * x)))
    for i in range(low.shape[1]):
        c1, c2, c3 = h * low[1, i], 0.5 * h2 * low[2, i], h3 * low[3, i] * sixth
        e0 = (high[0, i] - low[0, i]) - c1 - c2 - c3
        e1 = h * high[1, i] - c1 - 2.0 * c2 - 3.0 * c3
        e2, e3 = h2 * high[2, i] - 2.0 * c2 - 6.0 * c3, h3 * high[3, i] - 6.0 * c3
        way = a0 * e0 + a1 * e1 + a2 * e2 + a3 * e3
        out[0, i] = low[0, i] + (x * (c1 + x * (c2 + x * c3)) + way)
        rate = b0 * e0 + b1 * e1 + b2 * e2 + b3 * e3
        out[1, i] = (c1 + x * (2.0 * c2 + x * 3.0 * c3) + rate) * over
        bend = d0 * e0 + d1 * e1 + d2 * e2 + d3 * e3
        out[2, i] = (2.0 * c2 + x * 6.0 * c3 + bend) * over2
        out[3, i] = (6.0 * c3 + (j0 * e0 + j1 * e1 + j2 * e2 + j3 * e3)) * over3


@entry("float64[:,:,::1](float64[::1], float64[:,:,::1], float64[::1], boolean)")
def between_points(grid: Array, table: Array, at: Array, left: bool) -> Array:
    """Return value and three derivatives anywhere between the points of a grid.

    Args:
        grid: Rising; a border twice, first as an end, then as a start. Shape (m,).
        table: Value and three derivatives there. Shape (m, 4, d).
        at: Where; quickest when it rises. Shape (k,).
        left: On a border, take the cell before it.

    Returns:
        Shape (k, 4, d).
    """
    m, count = grid.shape[0], at.shape[0]
    out = np.empty((count, 4, table.shape[2]))
    cell = 0
    for k in range(count):
        place = at[k]
        if not (grid[cell] <= place and (cell + 2 >= m or place < grid[cell + 2])):
            cell = np.searchsorted(grid, place, "right") - 1
        cell = min(max(cell, 0), m - 2)
        if left:
            while cell > 0 and grid[cell] >= place:
                cell -= 1
        else:
            while cell < m - 2 and grid[cell + 1] <= place:
                cell += 1
        h = grid[cell + 1] - grid[cell]
        if h > 0.0:
            x = min(max((place - grid[cell]) / h, 0.0), 1.0)
            if h < _SHORT and _is_little(table[cell], table[cell + 1], h):
                _short(table[cell], table[cell + 1], h, x, out[k])
            else:
                _septic(table[cell], table[cell + 1], h, x, out[k])
        else:
            for row in range(4):
                copy(table[cell, row], out[k, row])
    return out
