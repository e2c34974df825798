"""A law in pieces of constant jerk, looked up by time and by arc length."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

_STEPS = 100  # of Newton's method at most; three or four are usual
_ROUNDING = 2.3e-16  # of an arc length or a time, below which nothing can be told


@inner(borrows=True, flatten=True)
def _piece(knots: Array, place: float, near: int, last: int) -> int:
    """Return the last piece that begins at a place or before, looked for from a near one on."""
    if knots[near] <= place:
        for k in range(near, min(near + 3, last)):
            if place < knots[k + 1]:
                return k
    return min(max(int(np.searchsorted(knots, place, "right")) - 1, 0), last)


@entry("float64[:,::1](float64[::1], float64[:,::1], float64, float64[::1])")
def states_at(times: Array, states: Array, length: float, at: Array) -> Array:
    """Return arc length, speed, acceleration and jerk of a law at times. Shape (m, 4).

    Args:
        times: Where its pieces begin, and the end of the last [s]. Shape (k + 1,).
        states: The same four at the beginning of each piece. Shape (k, 4).
        length: Where the law ends [m].
        at: [s]; before its start and behind its end it rests there, quickest when they rise. (m,).
    """
    count, last, end = at.shape[0], states.shape[0] - 1, times[-1]
    out = np.empty((count, 4))
    k = 0
    for i in range(count):
        time = min(max(at[i], 0.0), end)
        k = _piece(times, time, k, last)
        x, s, v, a, j = time - times[k], states[k, 0], states[k, 1], states[k, 2], states[k, 3]
        out[i, 0] = min(max(s + x * (v + x * (0.5 * a + x * j / 6.0)), 0.0), length)
        out[i, 1] = v + x * (a + 0.5 * x * j)
        out[i, 2] = a + x * j
        out[i, 3] = j
        if time >= end:  # a rest, up to what rounding leaves of it
            out[i, 0] = length
            out[i, 1] = 0.0
    return out


@entry("float64[::1](float64[::1], float64[:,::1], float64[::1])")
def passing_times(times: Array, states: Array, at: Array) -> Array:
    """Return when a law passes arc lengths [s]. Shape (m,).

    Args:
        times: Where its pieces begin, and the end of the last [s]. Shape (k + 1,).
        states: Arc length, rising, speed, acceleration, jerk at the beginning of each. Shape
            (k, 4).
        at: Arc lengths [m], quickest when they rise. Shape (m,).
    """
    count, last = at.shape[0], states.shape[0] - 1
    out, begins = np.empty(count), states[:, 0].copy()
    k = 0
    for i in range(count):
        place = at[i]
        k = _piece(begins, place, k, last)
        s, v, a, j = states[k, 0], states[k, 1], states[k, 2], states[k, 3]
        low, high = 0.0, times[k + 1] - times[k]
        close, same = _ROUNDING * times[k + 1], _ROUNDING * abs(place)
        if place <= s:
            out[i] = times[k]
            continue
        x = min((place - s) / v, high) if v > 0.0 else 0.5 * high
        for _ in range(_STEPS):
            off = s + x * (v + x * (0.5 * a + x * j / 6.0)) - place
            if abs(off) <= same:
                break
            if off < 0.0:
                low = x
            else:
                high = x
            rate = v + x * (a + 0.5 * x * j)
            ahead = x - off / rate if rate > 0.0 else -1.0
            if not low < ahead < high:
                ahead = 0.5 * (low + high)
            moved, x = abs(ahead - x), ahead
            if moved <= close or high - low <= close:
                break
        out[i] = times[k] + x
    return out
