"""Fastest speeds along a path, forwards and backwards, and the check of a finished law.

Rows of a point of the grid: joints, with q', q'' by arc length and a limit each; two vectors of the
tool, translation and rotation, whose length is limited.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry


@entry()
def _range(x: Array, t: Array, sizes: Array, L: Array, rise: float, b: float) -> Array:
    """Return how strongly the path may brake and speed up at squared speed b: (2,), both >= 0.

    The jerk counts as if all of its terms had one sign, with the acceleration rising at ``rise``
    times itself: |x'| a rise + 3 |x''| v a + |x'''| v³.
    """
    out = np.array([math.inf, math.inf])
    n = x.shape[1]
    v = math.sqrt(b)
    for i in range(n + 2):
        if rise > 0.0:
            slope = sizes[0, i] * rise + 3.0 * sizes[1, i] * v
            if slope > 1e-12:
                cap = (L[2, i] - sizes[2, i] * v * b) / slope
                out[0] = min(out[0], cap)
                out[1] = min(out[1], cap)
        if i < 2:
            continue
        x1 = x[1, i - 2]
        size = abs(x1)
        if size > 1e-12:
            shift = x[2, i - 2] * b if x1 > 0.0 else -x[2, i - 2] * b
            out[0] = min(out[0], (L[1, i] + shift) / size)
            out[1] = min(out[1], (L[1, i] - shift) / size)
    for g in range(2):
        xx = xy = yy = 0.0
        for r in range(3 * g, 3 * g + 3):
            xx += t[0, r] * t[0, r]
            xy += t[0, r] * t[1, r]
            yy += t[1, r] * t[1, r]
        if xx > 1e-18 and L[1, g] < math.inf:
            root = (xy * b) ** 2 - xx * (yy * b * b - L[1, g] * L[1, g])
            root = math.sqrt(root) if root > 0.0 else 0.0
            out[0] = min(out[0], (root + xy * b) / xx)
            out[1] = min(out[1], (root - xy * b) / xx)
    for k in range(2):
        if not out[k] > 0.0:
            out[k] = 0.0
    return out


@entry()
def fastest(
    s: Array,
    ceiling: Array,
    x: Array,
    t: Array,
    sizes: Array,
    L: Array,
    rise: float,
    fraction: Array,
) -> Array:
    """Return the largest squared speeds from rest to rest under the limits.

    Args:
        s: Arc lengths. Shape (m,).
        ceiling: Largest speeds [m/s]; at most where no acceleration along the path is within the
            limits. Shape (m,).
        x: q, q', q'', q''' by arc length. Shape (m, 4, n).
        t: Twists by arc length. Shape (m, 3, 6).
        sizes: |x'|, |x''|, |x'''| of translation, rotation, joints. Shape (m, 3, 2 + n).
        L: Limits of velocity, acceleration, jerk of the same. Shape (m, 3, 2 + n).
        rise: One over the time in which acceleration rises [1/s]; 0: at once.
        fraction: By which accelerations are lowered. Shape (m,).
    """
    m = s.shape[0]
    b = ceiling * ceiling
    b[0] = 0.0
    b[m - 1] = 0.0
    for k in range(m - 2, 0, -1):
        h = 2.0 * (s[k + 1] - s[k])
        here = _range(x[k + 1], t[k + 1], sizes[k + 1], L[k + 1], rise, b[k + 1])[0]
        top = min(b[k], b[k + 1] + h * here * fraction[k + 1])
        # the limit at the other end of the cell counts too
        there = _range(x[k], t[k], sizes[k], L[k], rise, top)[0]
        b[k] = min(top, b[k + 1] + h * there * fraction[k])
    for k in range(1, m - 1):
        h = 2.0 * (s[k] - s[k - 1])
        here = _range(x[k - 1], t[k - 1], sizes[k - 1], L[k - 1], rise, b[k - 1])[1]
        top = min(b[k], b[k - 1] + h * here * fraction[k - 1])
        there = _range(x[k], t[k], sizes[k], L[k], rise, top)[1]
        b[k] = min(top, b[k - 1] + h * there * fraction[k])
    return b


@entry()
def eroded(s: Array, ceiling: Array, half: float) -> Array:
    """Return the speeds that may be averaged over ± half [s] without passing the ceiling.

    v(s) = min over s' of max(ceiling(s'), |s - s'| / half).
    """
    m = s.shape[0]
    out = ceiling.copy()
    for k in range(m):
        for step in (-1, 1):
            i = k + step
            while 0 <= i < m:
                far = abs(s[i] - s[k]) / half
                if far >= out[k]:
                    break
                out[k] = min(out[k], max(ceiling[i], far))
                i += step
    return out


@entry()
def loads(s: Array, x: Array, t: Array, L: Array, at: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return how much of its limits a law uses at its samples, and which row uses most.

    Args:
        s, x, t: The grid, see `fastest`.
        L: Limits of velocity, acceleration, jerk on the grid. Shape (m, 3, 2 + n).
        at: Arc length, speed, acceleration, jerk of the samples. Shape (k, 4).

    Returns:
        Shares (k, 3), and rows (k, 3): 0 translation, 1 rotation, 2 … joints.
    """
    m, n, count = s.shape[0], x.shape[2], at.shape[0]
    fraction, row = np.zeros((count, 3)), np.zeros((count, 3), dtype=np.int64)
    cell = 0
    value = np.empty(3)
    for k in range(count):
        place, v, a, j = at[k, 0], at[k, 1], at[k, 2], at[k, 3]
        while cell < m - 2 and s[cell + 1] <= place:
            cell += 1
        while cell > 0 and s[cell] > place:
            cell -= 1
        h = s[cell + 1] - s[cell]
        f = min(max((place - s[cell]) / h, 0.0), 1.0) if h > 0.0 else 0.0
        use = cell if f < 0.5 else cell + 1
        for i in range(n):
            d1 = x[cell, 1, i] + f * (x[cell + 1, 1, i] - x[cell, 1, i])
            d2 = x[cell, 2, i] + f * (x[cell + 1, 2, i] - x[cell, 2, i])
            d3 = x[cell, 3, i] + f * (x[cell + 1, 3, i] - x[cell, 3, i])
            value[0] = abs(d1 * v)
            value[1] = abs(d1 * a + d2 * v * v)
            value[2] = abs(d1 * j + 3.0 * d2 * v * a + d3 * v * v * v)
            for o in range(3):
                used = value[o] / L[use, o, 2 + i]
                if used > fraction[k, o]:
                    fraction[k, o], row[k, o] = used, 2 + i
        for g in range(2):
            value[:] = 0.0
            for r in range(3 * g, 3 * g + 3):
                d1 = t[cell, 0, r] + f * (t[cell + 1, 0, r] - t[cell, 0, r])
                d2 = t[cell, 1, r] + f * (t[cell + 1, 1, r] - t[cell, 1, r])
                d3 = t[cell, 2, r] + f * (t[cell + 1, 2, r] - t[cell, 2, r])
                value[0] += (d1 * v) ** 2
                value[1] += (d1 * a + d2 * v * v) ** 2
                value[2] += (d1 * j + 3.0 * d2 * v * a + d3 * v * v * v) ** 2
            for o in range(3):
                used = math.sqrt(value[o]) / L[use, o, g]
                if used > fraction[k, o]:
                    fraction[k, o], row[k, o] = used, g
    return fraction, row


@entry()
def lowered(s: Array, fraction: Array, at: Array, used: Array, half: float, margin: float) -> Array:
    """Return fractions lowered around the samples that use more than a limit. Shape (m,)."""
    m = s.shape[0]
    factor = np.ones(m)
    for k in range(at.shape[0]):
        worst = 1.0
        for o in range(3):
            if used[k, o] > 1.0:
                worst = min(worst, (used[k, o] * margin) ** (-1.0 / (o + 1)))
        if worst == 1.0:
            continue
        reach = max(at[k, 1] * half, 1e-12)
        low = np.searchsorted(s, at[k, 0] - reach) - 1
        high = np.searchsorted(s, at[k, 0] + reach) + 1
        for i in range(max(low, 0), min(high, m)):
            factor[i] = min(factor[i], max(worst, 0.5))
    return fraction * factor
