"""Which axis values of coupled joints solve a pose within limits: the nearest of all solutions.

Solutions are joint angles up to whole turns (`armwerk.mechanics.kernels.axis_turns`). At a double
root an axis on its limit comes out with half its digits: it is put on it, and the others are moved
a little, if the pose is then still reached.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.axis_turns import (
    COUPLED,
    CoupledAxes,
    TurnScratch,
    fill_angles,
    is_possible,
    keeps_ranges,
    nearest_turn,
    put_on_limits,
    sort_rows,
    turn_scratch,
    value_jacobian,
)
from armwerk.mechanics.kernels.descent import damped_step
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.turns import AGREED, CHECKED_SLACK, LIMIT_SLACK

NEAREST = (
    "boolean(float64[:,:,::1], COUPLED, float64[:,::1], float64[:,::1], float64[::1],"
    " float64[::1], float64[::1])"
)
"""Types of a kernel that fills the nearest axis values, as `nearest_values` does."""
_PULLS = 4  # steps of Newton's method that bring back what putting an axis on its limit took


@inner
def _reaches(arm: Array, coupled: CoupledAxes, T: Array, values: Array, held: Integers) -> bool:
    """Whether a pose is reached, axes on their limits held and the others moved a little."""
    k, n = coupled.matrix.shape
    pose, angles, whole, J = np.empty((3, 4)), np.empty(k), np.empty((6, k)), np.empty((6, n))
    e, A, right, dq = np.empty(6), np.empty((6, 6)), np.empty(6), np.empty(n)
    for _ in range(_PULLS):
        fill_angles(coupled, values, angles)
        walk(arm, angles, pose, whole)
        position, rotation = pose_error(T, pose, 6, 1.0, e)
        if position <= AGREED and rotation <= AGREED:
            return bool(keeps_ranges(coupled, values, LIMIT_SLACK))
        value_jacobian(coupled, whole, J)
        damping = 1e-15
        for r in range(6):
            damping += e[r] * e[r]
            for i in range(n):
                if held[i] == 2:  # it follows its leaders so that its joint stays
                    for j in range(n):
                        if j != i:
                            J[r, j] -= coupled.matrix[coupled.rows[i], j] * J[r, i]
            for i in range(n):
                J[r, i] = J[r, i] if held[i] == 0 else 0.0
        if not damped_step(J, e, 6, damping, A, right, dq):
            return False
        for i in range(n):
            if held[i] == 2:
                dq[i] = 0.0
                for j in range(n):
                    if j != i:
                        dq[i] -= coupled.matrix[coupled.rows[i], j] * dq[j]
        for i in range(n):
            values[i] += dq[i]
            low, high = coupled.limits[i, 0], coupled.limits[i, 1]
            if abs(dq[i]) > 10.0 * CHECKED_SLACK or not low <= values[i] <= high:
                return False
    return False


@inner
def _settled(
    arm: Array,
    coupled: CoupledAxes,
    T: Array,
    angles: Array,
    near: Array,
    weights: Array,
    least: float,
    work: TurnScratch,
    held: Integers,
    out: Array,
) -> float:
    """Fill the values within limits nearest to ``near`` as `nearest_turn` does.

    At a double root an axis on its limit comes out with half its digits: it is put on it if the
    pose is then still reached.
    """
    found = nearest_turn(coupled, angles, near, weights, CHECKED_SLACK, least, work, out)
    if found == least:
        return least
    if not put_on_limits(coupled, out, held) or _reaches(arm, coupled, T, out, held):
        return found
    found = nearest_turn(coupled, angles, near, weights, LIMIT_SLACK, least, work, out)
    if found < least:
        put_on_limits(coupled, out, held)
    return found


@entry(NEAREST, COUPLED=COUPLED)
def nearest_values(
    arm: Array,
    coupled: CoupledAxes,
    T: Array,
    rows: Array,
    near: Array,
    weights: Array,
    out: Array,
) -> bool:
    """Fill the axis values within limits nearest to ``near``; False: there are none.

    Args:
        arm: The packed free chain; its own limits are not looked at.
        coupled: The couplings.
        T: The pose that the rows solve; nan where they solve something else. Shape (4, 4).
        rows: Joint angles, those that rods allow among them. Shape (m, k).
        near: Axis values to be near to. Shape (n,).
        weights: What each axis counts in the distance. Shape (n,).
        out: Shape (n,).
    """
    n = near.shape[0]
    work, held, found = turn_scratch(n), np.empty(n, np.int64), np.empty(n)
    least = math.inf
    for m in range(rows.shape[0]):
        if is_possible(coupled, rows[m]):
            square = _settled(arm, coupled, T, rows[m], near, weights, least, work, held, found)
            if square < least:
                least = square
                for i in range(n):
                    out[i] = found[i]
    return least < math.inf


@entry(
    "int64(float64[:,:,::1], COUPLED, float64[:,::1], float64[:,::1], float64[::1],"
    " float64[::1], float64[:,::1])",
    COUPLED=COUPLED,
)
def values_within(
    arm: Array,
    coupled: CoupledAxes,
    T: Array,
    rows: Array,
    near: Array,
    weights: Array,
    out: Array,
) -> int:
    """Fill the axis values of each row within limits and nearest to ``near``; return their number.

    Arguments as those of `nearest_values`; ``out`` has shape (m, n) and comes out in order.
    """
    n = near.shape[0]
    work, held = turn_scratch(n), np.empty(n, np.int64)
    count = 0
    for m in range(rows.shape[0]):
        if is_possible(coupled, rows[m]):
            square = _settled(
                arm, coupled, T, rows[m], near, weights, math.inf, work, held, out[count]
            )
            count += square < math.inf
    sort_rows(out, count)
    return count
