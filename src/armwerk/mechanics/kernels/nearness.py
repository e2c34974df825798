"""Which solutions are new, and the slide along a self-motion towards wanted joints."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import inner
from armwerk.mechanics.kernels.descent import (
    TOLERANCE,
    DescentScratch,
    add_step,
    copy,
    damped_step,
    descend,
    scale_jacobian,
)
from armwerk.mechanics.kernels.jacobian import walk
from armwerk.mechanics.kernels.packed import is_revolute, joint_unit, length_scale, lower, upper
from armwerk.mechanics.kernels.turns import TURN, squared_distance

_NULL = 1e-10  # singular values below its root count as no motion of the tool at all
_APPROACHES = 60  # steps of the approach to the wanted joints within one pose
_SAME = 1e-4  # [rad or scales] solutions nearer to each other than this count as one


@inner
def is_new(arm: Array, q: Array, found: Array, count: int) -> bool:
    n = q.shape[0]
    for k in range(count):
        far = 0.0
        for i in range(n):
            apart = abs(q[i] - found[k, i])
            if is_revolute(arm, i):
                apart = abs(apart - TURN * math.floor(apart / TURN + 0.5))
            else:
                apart /= length_scale(arm)
            far = max(far, apart)
        if far < _SAME:
            return False
    return True


@inner
def _free_step(
    arm: Array, q: Array, wish: Array, task: int, work: DescentScratch, held: Flags
) -> bool:
    """Fill the step that comes nearest to ``wish`` without moving the tool, within the limits.

    With z the wish and J the Jacobian: dq = z - Jᵀ (J Jᵀ + tiny)⁻¹ J z, after the columns of joints
    that would be pushed over a limit are taken out one by one.
    """
    J, J2, b = work.jacobian, work.trial_jacobian, work.right
    e2, dq, A = work.trial_error, work.step, work.matrix
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
            if (dq[i] > 0.0 and q[i] >= upper(arm, i)) or (dq[i] < 0.0 and q[i] <= lower(arm, i)):
                held[i] = True
                fits = False
        if fits:
            return True
    return False


@inner
def approach(arm: Array, T: Array, q: Array, near: Array, task: int, work: DescentScratch) -> int:
    """Slide the solution q along its self-motion as close to ``near`` as it gets.

    Where the arm has no joint to spare and the pose is regular this ends after one look.
    """
    n = q.shape[0]
    scale = length_scale(arm)
    pose, dq = work.pose, work.step
    wish, trial, held = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
    distance = math.sqrt(squared_distance(arm, q, near))
    used: int = 0
    share = 1.0
    for _ in range(_APPROACHES):
        walk(arm, q, pose, work.jacobian)
        scale_jacobian(arm, work.jacobian, scale)
        for i in range(n):
            wish[i] = (near[i] - q[i]) / joint_unit(arm, i)
        if not _free_step(arm, q, wish, task, work, held):
            return used
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(dq[i]))
            dq[i] *= share
        if largest < 1e-7:
            return used
        add_step(arm, q, dq, trial)
        for i in range(n):
            trial[i] = min(max(trial[i], lower(arm, i)), upper(arm, i))
        position, rotation, more = descend(arm, T, trial, task, True, work)
        used += more
        now = math.sqrt(squared_distance(arm, trial, near))
        inside = True
        for i in range(n):
            inside = inside and lower(arm, i) <= trial[i] <= upper(arm, i)
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
