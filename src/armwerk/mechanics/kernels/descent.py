"""One descent to a pose by damped least squares.

With the pose error e and the Jacobian J, lengths in both divided by the arm's length scale, and
joint steps counted in radians or scales, a step is

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e,    λ = μ ½ eᵀe + tiny,

where μ grows when a step fails and shrinks when it succeeds: far away it creeps downhill, close by
it is Newton's method, and at a singular pose λ keeps the step finite.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import (
    is_revolute,
    joint_count,
    joint_unit,
    length_scale,
    lower,
    upper,
)

TOLERANCE = 1e-9  # [m] and [rad]: what counts as solved
_SHARP = 1e-12  # [m] and [rad]: where polishing ends; a step further is rounding
_TINY = 1e-13  # floor of the damping, keeps the factorisation alive at singular poses
_STEP = 1.5  # [rad or scales] largest joint step of one iteration
_MOST = 40  # iterations of one descent; the median needs 8
_GROW, _SHRINK, _LEAST = 5.0, 0.3, 1e-3  # how μ changes, and its least value
_SLOW, _PATIENCE = 0.8, 4  # a descent ends when the error stays above 0.8 of itself 5 times running
_HOPS, _HOP_FROM, _HOP_TO = 4, 1e-2, 0.1  # uphill steps allowed near a solution: see `descend`


class DescentScratch(NamedTuple):
    """Scratch of a descent, and the bounds it keeps.

    Args:
        jacobian, trial_jacobian: Of where the descent stands, and of where it may go. Shape (6, n).
        pose: Of the tool. Shape (3, 4).
        error, trial_error: What is left of the way, likewise. Shape (6,).
        matrix: Of the normal equations. Shape (6, 6).
        right: Their right side. Shape (6,).
        step: Shape (n,).
        trial: Where the descent may go. Shape (n,).
        low, high: Bounds of the joints. Shape (n,).
    """

    jacobian: Array
    trial_jacobian: Array
    pose: Array
    error: Array
    trial_error: Array
    matrix: Array
    right: Array
    step: Array
    trial: Array
    low: Array
    high: Array


@inner
def workspace(arm: Array) -> DescentScratch:
    """Return scratch arrays and the bounds of the joints.

    Joints that can make a full turn get no bounds: full turns are put right at the end.
    """
    n = joint_count(arm)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for i in range(n):
        if not is_revolute(arm, i) or upper(arm, i) - lower(arm, i) < 2.0 * math.pi:
            low[i], high[i] = lower(arm, i), upper(arm, i)
    return DescentScratch(
        np.empty((6, n)),
        np.empty((6, n)),
        np.empty((3, 4)),
        np.zeros(6),
        np.zeros(6),
        np.empty((6, 6)),
        np.empty(6),
        np.empty(n),
        np.empty(n),
        low,
        high,
    )


@inner
def copy(values: Array, out: Array) -> None:
    """Fill the front of ``out``; a loop compiles in a tenth of the time of a slice."""
    for i in range(values.shape[0]):
        out[i] = values[i]


@inner
def half_square(e: Array, task: int) -> float:
    total = 0.0
    for r in range(task):
        total += e[r] * e[r]
    return 0.5 * total


@inner
def scale_jacobian(arm: Array, J: Array, scale: float) -> None:
    """Divide length rows by the scale; count prismatic joints in scales."""
    for i in range(J.shape[1]):
        unit = joint_unit(arm, i)
        for r in range(3):
            J[r, i] *= unit / scale


@inner
def _factor_solve(A: Array, b: Array, m: int) -> bool:
    """Solve A x = b for symmetric positive A by Cholesky, in place; the result is in b."""
    for c in range(m):
        pivot = A[c, c]
        for k in range(c):
            pivot -= A[c, k] * A[c, k]
        if not pivot > 0.0:
            return False
        root = math.sqrt(pivot)
        A[c, c] = root
        for r in range(c + 1, m):
            value = A[r, c]
            for k in range(c):
                value -= A[r, k] * A[c, k]
            A[r, c] = value / root
    for r in range(m):
        value = b[r]
        for k in range(r):
            value -= A[r, k] * b[k]
        b[r] = value / A[r, r]
    for r in range(m - 1, -1, -1):
        value = b[r]
        for k in range(r + 1, m):
            value -= A[k, r] * b[k]
        b[r] = value / A[r, r]
    return True


@inner(inline=True)
def damped_step(
    J: Array, e: Array, task: int, damping: float, A: Array, b: Array, dq: Array
) -> bool:
    """Fill dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e, by the smaller of the two equivalent systems."""
    n = J.shape[1]
    if n >= task:
        for r in range(task):
            for c in range(r + 1):
                value = damping if r == c else 0.0
                for i in range(n):
                    value += J[r, i] * J[c, i]
                A[r, c] = value
            b[r] = e[r]
        if not _factor_solve(A, b, task):
            return False
        for i in range(n):
            value = 0.0
            for r in range(task):
                value += J[r, i] * b[r]
            dq[i] = value
        return True
    for i in range(n):
        for k in range(i + 1):
            value = damping if i == k else 0.0
            for r in range(task):
                value += J[r, i] * J[r, k]
            A[i, k] = value
        value = 0.0
        for r in range(task):
            value += J[r, i] * e[r]
        dq[i] = value
    return bool(_factor_solve(A, dq, n))


@inner(inline=True)
def _hold_at_limits(q: Array, J: Array, e: Array, task: int, low: Array, high: Array) -> None:
    """Blank the columns of joints that stand at a limit and are pushed against it."""
    for i in range(q.shape[0]):
        if low[i] < q[i] < high[i]:
            continue
        pull = 0.0
        for r in range(task):
            pull += J[r, i] * e[r]
        if (q[i] <= low[i] and pull < 0.0) or (q[i] >= high[i] and pull > 0.0):
            for r in range(task):
                J[r, i] = 0.0


@inner
def add_step(arm: Array, q: Array, dq: Array, trial: Array) -> None:
    """Fill trial = q + dq, the step shortened to `_STEP`, prismatic joints back in metres."""
    n = q.shape[0]
    largest = _STEP
    for i in range(n):
        largest = max(largest, abs(dq[i]))
    for i in range(n):
        unit = joint_unit(arm, i)
        trial[i] = q[i] + unit * dq[i] * (_STEP / largest)


@inner
def descend(
    arm: Array, T: Array, q: Array, task: int, bounded: bool, work: DescentScratch
) -> tuple[float, float, int]:
    """Move q downhill to the pose T; return what is left [m], [rad] and the iterations used.

    Close to the edge of the reach two solutions meet, and the way to either leads over a small
    rise of the error; a few uphill steps of Newton's method get there in no time, where a strict
    descent crawls.
    """
    J, J2, pose = work.jacobian, work.trial_jacobian, work.pose
    e, e2, A, b = work.error, work.trial_error, work.matrix, work.right
    dq, trial, low, high = work.step, work.trial, work.low, work.high
    scale = length_scale(arm)
    walk(arm, q, pose, J)
    position, rotation = pose_error(T, pose, task, scale, e)
    scale_jacobian(arm, J, scale)
    E = half_square(e, task)
    mu = 1.0
    slow = hops = 0
    for iteration in range(_MOST):
        if position <= _SHARP and rotation <= _SHARP:
            return position, rotation, iteration
        if bounded:
            _hold_at_limits(q, J, e, task, low, high)
        if not damped_step(J, e, task, mu * E + _TINY, A, b, dq):
            return position, rotation, iteration
        add_step(arm, q, dq, trial)
        if bounded:
            for i in range(q.shape[0]):
                trial[i] = min(max(trial[i], low[i]), high[i])
        walk(arm, trial, pose, J2)
        position2, rotation2 = pose_error(T, pose, task, scale, e2)
        E2 = half_square(e2, task)
        solved = position <= TOLERANCE and rotation <= TOLERANCE
        hop = E < _HOP_FROM and E <= E2 < _HOP_TO and hops < _HOPS and not solved
        if E2 < E or hop:
            slow = slow + 1 if E2 > _SLOW * E and not hop else 0
            hops += hop
            mu = max(_SHRINK * mu, _LEAST)
            scale_jacobian(arm, J2, scale)
            copy(trial, q)
            J, J2, e, e2 = J2, J, e2, e
            E, position, rotation = E2, position2, rotation2
        else:
            slow += 1
            mu *= _GROW
        if slow > (0 if solved else _PATIENCE):
            return position, rotation, iteration + 1
    return position, rotation, _MOST
