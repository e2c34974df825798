"""The solution nearest to where the arm stands, within its limits."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import entry


@entry("int64(float64[:,::1], float64[::1], float64[:,::1], float64[::1])")
def nearest_row(rows: Array, near: Array, limits: Array, weights: Array) -> int:
    """Turn every row into the limits, as close to ``near`` as it gets; return the best, or -1.

    Args:
        rows: Solutions; changed in place by whole turns. Shape (k, n).
        near: Where the arm stands. Shape (n,).
        limits: Shape (n, 2).
        weights: Weight of each joint in the distance; negative for slides, which do not turn.
            Shape (n,).
    """
    turn = 2.0 * math.pi
    best = -1
    smallest = math.inf
    for k in range(rows.shape[0]):
        distance = 0.0
        for j in range(rows.shape[1]):
            low, high = limits[j, 0], limits[j, 1]
            q = rows[k, j]
            if weights[j] >= 0.0:
                q += turn * round((near[j] - q) / turn)
                if q > high:
                    q -= turn * math.ceil((q - high) / turn)
                elif q < low:
                    q += turn * math.ceil((low - q) / turn)
            if not low <= q <= high:
                distance = math.inf
                break
            rows[k, j] = q
            distance += (weights[j] * (q - near[j])) ** 2
        if distance < smallest:
            best, smallest = k, distance
    return best
