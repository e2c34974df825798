"""Limits, full turns, distances, and the slide along a self-motion towards wanted joints."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.descent import (
    TOLERANCE,
    add_step,
    copy,
    damped_step,
    descend,
    scale_jacobian,
)
from armwerk.mechanics.kernels.jacobian import walk

_NULL = 1e-10  # singular values below its root count as no motion of the tool at all
_APPROACHES = 60  # steps of the approach to the wanted joints within one pose
_SAME = 1e-4  # [rad or scales] solutions nearer to each other than this count as one


@inner
def fit(chain: Array, q: Array, near: Array) -> bool:
    """Shift joints by full turns next to ``near`` but within limits; False: a limit is broken."""
    turn = 2.0 * math.pi
    inside = True
    for i in range(q.shape[0]):
        low, high = chain[i, 3, 1], chain[i, 3, 2]
        if chain[i, 3, 0] == 0.0:
            q[i] += turn * math.floor((near[i] - q[i]) / turn + 0.5)
            if q[i] > high:
                q[i] -= turn * math.ceil((q[i] - high) / turn)
                if low - q[i] > q[i] + turn - high:
                    q[i] += turn
            elif q[i] < low:
                q[i] += turn * math.ceil((low - q[i]) / turn)
                if q[i] - high > low - (q[i] - turn):
                    q[i] -= turn
        if not low <= q[i] <= high:
            inside = False
    return inside


@inner
def wrap(chain: Array, q: Array) -> None:
    """Put angles into (-π, π]."""
    turn = 2.0 * math.pi
    for i in range(q.shape[0]):
        if chain[i, 3, 0] == 0.0:
            q[i] -= turn * math.ceil((q[i] - math.pi) / turn)


@inner
def how_far(chain: Array, q: Array, near: Array) -> float:
    """Return the distance of two configurations, metres counted in length scales."""
    n = q.shape[0]
    total = 0.0
    for i in range(n):
        unit = 1.0 if chain[i, 3, 0] == 0.0 else 1.0 / chain[n, 3, 0]
        total += (unit * (q[i] - near[i])) ** 2
    return math.sqrt(total)


@inner
def is_new(chain: Array, q: Array, found: Array, count: int) -> bool:
    turn = 2.0 * math.pi
    n = q.shape[0]
    for k in range(count):
        far = 0.0
        for i in range(n):
            apart = abs(q[i] - found[k, i])
            if chain[i, 3, 0] == 0.0:
                apart = abs(apart - turn * math.floor(apart / turn + 0.5))
            else:
                apart /= chain[n, 3, 0]
            far = max(far, apart)
        if far < _SAME:
            return False
    return True


@inner
def _free_step(
    chain: Array, q: Array, wish: Array, task: int, work: tuple[Array, ...], held: NDArray[np.bool_]
) -> bool:
    """Fill the step that comes nearest to ``wish`` without moving the tool, within the limits.

    With z the wish and J the Jacobian: dq = z - Jᵀ (J Jᵀ + tiny)⁻¹ J z, after the columns of joints
    that would be pushed over a limit are taken out one by one.
    """
    J, J2, b, e2, dq = work[0], work[1], work[6], work[4], work[7]
    A = work[5]
    n = q.shape[0]
    for i in range(n):
        held[i] = False
    for _ in range(n):
        for i in range(n):
            for r in range(task):
                J2[r, i] = 0.0 if held[i] else J[r, i]
        for r in range(task):
            e2[r] = 0.0
            for i in range(n):
                e2[r] += J2[r, i] * wish[i]
        if not damped_step(J2, e2, task, _NULL, A, b, dq):
            return False
        fits = True
        for i in range(n):
            dq[i] = 0.0 if held[i] else wish[i] - dq[i]
            if (dq[i] > 0.0 and q[i] >= chain[i, 3, 2]) or (dq[i] < 0.0 and q[i] <= chain[i, 3, 1]):
                held[i] = True
                fits = False
        if fits:
            return True
    return False


@inner
def approach(
    chain: Array, T: Array, q: Array, near: Array, task: int, work: tuple[Array, ...]
) -> int:
    """Slide the solution q along its self-motion as close to ``near`` as it gets.

    Where the arm has no joint to spare and the pose is regular this ends after one look.
    """
    n = q.shape[0]
    scale = chain[n, 3, 0]
    pose, dq = work[2], work[7]
    wish, trial, held = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
    distance = how_far(chain, q, near)
    used: int = 0
    share = 1.0
    for _ in range(_APPROACHES):
        walk(chain, q, pose, work[0])
        scale_jacobian(chain, work[0], scale)
        for i in range(n):
            wish[i] = (near[i] - q[i]) / (1.0 if chain[i, 3, 0] == 0.0 else scale)
        if not _free_step(chain, q, wish, task, work, held):
            return used
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(dq[i]))
            dq[i] *= share
        if largest < 1e-7:
            return used
        add_step(chain, q, dq, trial)
        for i in range(n):
            trial[i] = min(max(trial[i], chain[i, 3, 1]), chain[i, 3, 2])
        position, rotation, more = descend(chain, T, trial, task, True, work)
        used += more
        now = how_far(chain, trial, near)
        inside = True
        for i in range(n):
            inside = inside and chain[i, 3, 1] <= trial[i] <= chain[i, 3, 2]
        if position <= TOLERANCE and rotation <= TOLERANCE and inside and now < distance:
            copy(trial, q)
            settled = distance - now < 1e-12 * distance
            distance = now
            share = min(1.0, 2.0 * share)
            if settled:
                return used
        else:
            share *= 0.25
            if share < 1e-3:
                return used
    return used
