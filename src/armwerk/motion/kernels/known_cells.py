"""A known law in cells, a quintic in each, and the quadratic spline b by which it is quickened.

In: σ at the ends of cells, and s with two derivatives there; places as cells and shares of them,
from 0 to 1. A cell shares two coefficients of b with each neighbour.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
_THIRDS = np.linalg.inv(np.array([[1.0, 1.0, 1.0], [2.5, 1.5, 0.5], [19 / 6, 7 / 6, 1 / 6]]))
"""From how acceleration, speed and way change to the jerks of three thirds of a part."""


@inner(borrows=True, flatten=True)
def _state(times: Array, states: Array, k: int, x: float) -> tuple[float, float, float, float]:
    """Return s, from the start of a cell on, and its derivatives by σ at a share of the cell."""
    h, v, a = times[k + 1] - times[k], states[k, 1], states[k, 2]
    # what a quintic has beside its start: powers 3 to 5 of the share
    gap = states[k + 1, 0] - states[k, 0] - h * v - 0.5 * h * h * a
    rise = h * (states[k + 1, 1] - v) - h * h * a
    bend = h * h * (states[k + 1, 2] - a)
    three = 10.0 * gap - 4.0 * rise + 0.5 * bend
    four = -15.0 * gap + 7.0 * rise - bend
    five = 6.0 * gap - 3.0 * rise + 0.5 * bend
    rate = x * (3.0 * three + x * (4.0 * four + 5.0 * five * x))
    return (
        x * (h * v + x * (0.5 * h * h * a + x * (three + x * (four + x * five)))),
        v + x * (h * a + rate / h),
        a + x * (6.0 * three + x * (12.0 * four + 20.0 * five * x)) / (h * h),
        (6.0 * three + x * (24.0 * four + 60.0 * five * x)) / (h * h * h),
    )


@entry("float64[:,::1](float64[::1], float64[:,::1], int64[::1], float64[::1])")
def cell_states(times: Array, states: Array, cell: Integers, share: Array) -> Array:
    """Return s, from the start of a cell on, and its derivatives by σ. Shape (m, 4).

    Args:
        times: σ at the ends of cells. Shape (k + 1,).
        states: s and two derivatives there. Shape (k + 1, 3).
        cell: Shape (m,).
        share: Shape (m,).
    """
    out = np.empty((cell.shape[0], 4))
    for p in range(cell.shape[0]):
        out[p, 0], out[p, 1], out[p, 2], out[p, 3] = _state(times, states, cell[p], share[p])
    return out


@inner(borrows=True, flatten=True)
def _slopes(times: Array, k: int) -> tuple[float, float, float]:
    """Return how long a cell is, and how b' of its first and last coefficient grows along it."""
    last = times.shape[0] - 2
    h = times[k + 1] - times[k]
    before = times[k] - times[k - 1] if k > 0 else h
    after = times[k + 2] - times[k + 1] if k < last else h
    return h, 2.0 / (h * (before + h)), 2.0 / (h * (h + after))


@entry("float64[:,:,::1](float64[::1], int64[::1], float64[::1])")
def cell_basis(times: Array, cell: Integers, share: Array) -> Array:
    """Return how b'', b' and b are made of the three coefficients of a cell. Shape (m, 3, 3).

    Args:
        times: σ at the ends of cells. Shape (k + 1,).
        cell: Shape (m,).
        share: Shape (m,).
    """
    out = np.empty((cell.shape[0], 3, 3))
    for p in range(cell.shape[0]):
        h, low, high = _slopes(times, cell[p])
        x, y = h * share[p], h * (1.0 - share[p])
        out[p, 0, 0], out[p, 0, 2] = low, high
        out[p, 1, 0], out[p, 1, 2] = -y * low, x * high
        out[p, 2, 0], out[p, 2, 2] = 0.5 * y * y * low, 0.5 * x * x * high
        for row in range(3):
            whole = 1.0 if row == 2 else 0.0
            out[p, row, 1] = whole - out[p, row, 0] - out[p, row, 2]
    return out


@inner(borrows=True, flatten=True)
def _passing(times: Array, c: Array, k: int, low: float, part: float) -> float:
    """Return how long a part of a cell takes [s]; not a number where b is none."""
    h, first, last = _slopes(times, k)
    one, two, total = c[k] - c[k + 1], c[k + 2] - c[k + 1], 0.0
    for i in range(6):
        share = low + part * _NODES[i]
        x, y = h * share, h * (1.0 - share)
        b = c[k + 1] + 0.5 * (y * y * first * one + x * x * last * two)
        total += _WEIGHTS[i] / math.sqrt(b) if b > 0.0 else math.nan
    return float(h * part * total)


@entry("float64(float64[::1], float64[::1], int64, int64)")
def passing_time(times: Array, c: Array, first: int, last: int) -> float:
    """Return how long cells from one to before another take [s]; not a number where b is none.

    Args:
        times: σ at the ends of cells. Shape (k + 1,).
        c: Coefficients of b [1/s²]. Shape (k + 2,).
        first: Of the cells.
        last: The one behind them.
    """
    total = 0.0
    for k in range(first, last):
        total += _passing(times, c, k, 0.0, 1.0)
    return total


@inner(borrows=True, flatten=True)
def _motion(
    times: Array, states: Array, c: Array, k: int, share: float
) -> tuple[float, float, float]:
    """Return arc length, speed and acceleration at a share of a cell."""
    s, v, a, _ = _state(times, states, k, share)
    h, first, last = _slopes(times, k)
    one, two = c[k] - c[k + 1], c[k + 2] - c[k + 1]
    x, y = h * share, h * (1.0 - share)
    slope = x * last * two - y * first * one
    b = c[k + 1] + 0.5 * (y * y * first * one + x * x * last * two)
    speed = v * math.sqrt(b) if b >= 0.0 else math.nan
    return states[k, 0] + s, speed, a * b + 0.5 * v * slope


@entry(
    "Tuple((float64[::1], float64[:,::1]))(float64[::1], float64[:,::1], float64[::1], "
    "UniTuple(int64, 2), int64)"
)
def pieces_by_time(
    times: Array, states: Array, c: Array, which: tuple[int, int], parts: int
) -> tuple[Array, Array]:
    """Return a law by time: parts of each cell in three pieces of constant jerk.

    At the ends of each part they are exact. At the ends of the known law it rests.

    Args:
        times: σ at the ends of cells. Shape (k + 1,).
        states: s and two derivatives there. Shape (k + 1, 3).
        c: Coefficients of b [1/s²]. Shape (k + 2,).
        which: From which cell on, and before which one, the law is told.
        parts: Of a cell.

    Returns:
        How long the pieces are [s], shape (m,), not numbers where b is none; s, v, a, j where they
        begin, shape (m, 4).
    """
    first, last = which
    count = 3 * parts * (last - first)
    thirds, out = np.empty(count), np.empty((count, 4))
    s, v, a = _motion(times, states, c, first, 0.0)
    if first == 0:
        v = a = 0.0
    row = 0
    for k in range(first, last):
        for i in range(parts):
            if i + 1 < parts:
                s1, v1, a1 = _motion(times, states, c, k, (i + 1) / parts)
            elif k + 1 < last:
                s1, v1, a1 = _motion(times, states, c, k + 1, 0.0)
            else:
                _, v1, a1 = _motion(times, states, c, k, 1.0)
                s1 = states[last, 0]
                if last == times.shape[0] - 1:
                    v1 = a1 = 0.0
            step = _passing(times, c, k, i / parts, 1.0 / parts)
            third = step / 3.0
            over = 1.0 / third
            one = (a1 - a) * over
            two = (v1 - v - step * a) * over * over
            three = (s1 - s - step * (v + 0.5 * step * a)) * over * over * over
            for r in range(3):
                j = _THIRDS[r, 0] * one + _THIRDS[r, 1] * two + _THIRDS[r, 2] * three
                thirds[row] = third
                out[row, 0], out[row, 1], out[row, 2], out[row, 3] = s, v, a, j
                row += 1
                s += third * (v + third * (0.5 * a + third * j / 6.0))
                v += third * (a + 0.5 * third * j)
                a += third * j
            s, v, a = s1, v1, a1
    return thirds, out
