"""Whole turns and joint limits: of all the values that mean the same angle, the right one."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.descent import damped_step
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import is_revolute, joint_unit, length_scale, lower, upper

TURN = 2.0 * math.pi  # [rad]
_PULLS = 4  # steps of Newton's method that bring back what putting a joint on its limit took
AGREED = 1e-9  # [m] and [rad] within which direct kinematics confirms a solution


LIMIT_SLACK = 1e-9
"""[rad or m] a joint beyond its limit by no more than this is put on it: rounding, not a breach."""

CHECKED_SLACK = 1e-6
"""[rad or m] the same where direct kinematics then decides: at a double root, a joint that stands
on its limit comes out of the formulas with half its digits."""


@inner
def turned_into(q: float, near: float, low: float, high: float, slack: float) -> float:
    """Return an angle shifted by whole turns next to ``near`` but within limits and their slack.

    Where no turn brings it within the limits, it is as little outside as goes.
    """
    q += TURN * math.floor((near - q) / TURN + 0.5)
    if q > high + slack:
        q -= TURN * math.ceil((q - high - slack) / TURN)
        if low - q > q + TURN - high:
            q += TURN
    elif q < low - slack:
        q += TURN * math.ceil((low - slack - q) / TURN)
        if q - high > low - (q - TURN):
            q -= TURN
    return q


@inner
def put_on_limit(q: float, low: float, high: float, slack: float) -> float:
    """Return a joint value on its limit where it is beyond by no more than a slack."""
    if high < q <= high + slack:
        return high
    if low - slack <= q < low:
        return low
    return q


@inner
def fit(arm: Array, q: Array, near: Array) -> bool:
    """Shift the angles of q by `turned_into`, in place; False: a limit is broken."""
    inside = True
    for i in range(q.shape[0]):
        low, high = lower(arm, i), upper(arm, i)
        if is_revolute(arm, i):
            q[i] = turned_into(q[i], near[i], low, high, LIMIT_SLACK)
        q[i] = put_on_limit(q[i], low, high, LIMIT_SLACK)
        if not low <= q[i] <= high:
            inside = False
    return inside


@entry("boolean[::1](float64[:,::1], boolean[::1], float64[:,::1], float64[::1])")
def fit_rows(limits: Array, revolute: Flags, rows: Array, near: Array) -> Flags:
    """Shift the angles of every row by `turned_into`, in place; return which keep all limits.

    Args:
        limits: [rad or m]. Shape (n, 2).
        revolute: Which joints turn. Shape (n,).
        rows: Solutions. Shape (k, n).
        near: Where to be close to. Shape (n,).

    Returns:
        Shape (k,).
    """
    inside = np.ones(rows.shape[0], dtype=np.bool_)
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            low, high = limits[i, 0], limits[i, 1]
            if revolute[i]:
                rows[k, i] = turned_into(rows[k, i], near[i], low, high, LIMIT_SLACK)
            rows[k, i] = put_on_limit(rows[k, i], low, high, LIMIT_SLACK)
            if not low <= rows[k, i] <= high:
                inside[k] = False
    return inside


@inner
def squared_distance(arm: Array, q: Array, near: Array) -> float:
    """Return the square of the distance of two configurations, metres counted in scales."""
    total = 0.0
    for i in range(q.shape[0]):
        total += ((q[i] - near[i]) / joint_unit(arm, i)) ** 2
    return total


@inner
def largest_difference(arm: Array, q: Array, other: Array) -> float:
    """Return how far two configurations are apart in some joint, whole turns not counted.

    In [rad], metres counted in scales.
    """
    far = 0.0
    for i in range(q.shape[0]):
        apart = abs(q[i] - other[i])
        if is_revolute(arm, i):
            apart = abs(apart - TURN * math.floor(apart / TURN + 0.5))
        else:
            apart /= length_scale(arm)
        far = max(far, apart)
    return far


@inner
def _reaches(arm: Array, T: Array, q: Array, limits: Array) -> bool:
    """Whether a pose is reached, joints on their limits held and the others moved a little."""
    n = q.shape[0]
    pose, J, e = np.empty((3, 4)), np.empty((6, n)), np.empty(6)
    A, right, dq = np.empty((6, 6)), np.empty(6), np.empty(n)
    for _ in range(_PULLS):
        walk(arm, q, pose, J)
        position, rotation = pose_error(T, pose, 6, 1.0, e)
        if position <= AGREED and rotation <= AGREED:
            return True
        damping = 1e-15
        for r in range(6):
            damping += e[r] * e[r]
            for i in range(n):
                J[r, i] = J[r, i] if limits[i, 0] < q[i] < limits[i, 1] else 0.0
        if not damped_step(J, e, 6, damping, A, right, dq):
            return False
        for i in range(n):
            q[i] += dq[i]
            if abs(dq[i]) > 10.0 * CHECKED_SLACK or not limits[i, 0] <= q[i] <= limits[i, 1]:
                return False
    return False


@inner
def _settle(arm: Array, q: Array, near: Array, limits: Array, slack: float) -> int:
    """Turn q into limits, in place; return 0: outside, 1: inside, 2: inside once put on a limit."""
    state = 1
    for i in range(q.shape[0]):
        low, high = limits[i, 0], limits[i, 1]
        if is_revolute(arm, i):
            q[i] = turned_into(q[i], near[i], low, high, slack)
        if not low <= q[i] <= high:
            q[i] = put_on_limit(q[i], low, high, slack)
            if not low <= q[i] <= high:
                return 0
            state = 2
    return state


@inner
def _keeps_limits(
    arm: Array, T: Array, q: Array, near: Array, limits: Array, before: Array
) -> bool:
    """Turn a solution of T into limits, in place; what was put on a limit must still reach T."""
    for i in range(q.shape[0]):
        before[i] = q[i]
    state = _settle(arm, q, near, limits, CHECKED_SLACK)
    if state == 2 and not _reaches(arm, T, q, limits):
        for i in range(q.shape[0]):
            q[i] = before[i]
        state = _settle(arm, q, near, limits, 0.0)
    return state > 0


@entry("int64(float64[:,:,::1], float64[:,::1], float64[:,::1], float64[::1], float64[:,::1])")
def nearest_row(arm: Array, T: Array, rows: Array, near: Array, limits: Array) -> int:
    """Turn every row into limits, as close to ``near`` as it gets; return the best, or -1.

    Args:
        arm: The packed arm; its own limits are not looked at.
        T: The pose that the rows solve. Shape (4, 4).
        rows: Solutions; changed in place by whole turns. Shape (k, n).
        near: Where the arm stands. Shape (n,).
        limits: [rad or m]. Shape (n, 2).
    """
    best, smallest = -1, math.inf
    before = np.empty(rows.shape[1])
    for k in range(rows.shape[0]):
        if _keeps_limits(arm, T, rows[k], near, limits, before):
            distance = squared_distance(arm, rows[k], near)
            if distance < smallest:
                best, smallest = k, distance
    return best


@entry(
    "boolean[::1](float64[:,:,::1], float64[:,::1], float64[:,::1], float64[::1], float64[:,::1])"
)
def keep_limits(arm: Array, T: Array, rows: Array, near: Array, limits: Array) -> Flags:
    """Turn every row into limits as `nearest_row` does, in place; return which keep them.

    Returns:
        Shape (k,).
    """
    inside = np.empty(rows.shape[0], dtype=np.bool_)
    before = np.empty(rows.shape[1])
    for k in range(rows.shape[0]):
        inside[k] = _keeps_limits(arm, T, rows[k], near, limits, before)
    return inside


@inner
def wrap(arm: Array, q: Array) -> None:
    """Put angles into (-π, π]."""
    for i in range(q.shape[0]):
        if is_revolute(arm, i):
            q[i] -= TURN * math.ceil((q[i] - math.pi) / TURN)
