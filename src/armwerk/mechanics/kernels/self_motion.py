"""Infinitely many solutions: the one nearest to wanted joints, found by sliding along them.

An arm with joints to spare, or one at a pose where an angle is free, can move while its tool stays.
That self-motion is a curve, seldom more; from any point of it the arm slides towards the wanted
joints z by

    dq = z - Jᵀ (J Jᵀ + tiny)⁻¹ J z,

steps of which are put right by `descend`, until no step leads nearer.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.descent import (
    TOLERANCE,
    DescentScratch,
    add_step,
    copy,
    damped_step,
    descend,
    scale_jacobian,
    workspace,
)
from armwerk.mechanics.kernels.jacobian import walk
from armwerk.mechanics.kernels.packed import joint_unit, length_scale, lower, upper
from armwerk.mechanics.kernels.turns import fit, squared_distance

CLOSE_BY = 0.5  # [rad or scales] a solution this near is taken without looking for others
_NULL = 1e-10  # singular values below its root count as no motion of the tool at all
_APPROACHES = 60  # steps of the approach to the wanted joints within one pose


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


@entry("float64(float64[:,:,::1], float64[:,::1], float64[::1], float64[:,::1], float64[::1])")
def nearest_along(arm: Array, T: Array, near: Array, starts: Array, out: Array) -> float:
    """Fill the solution within limits nearest to ``near`` along self-motions; return how far it is.

    The arm slides from where a descent from ``near`` itself ends, and from every start that could
    be nearer. inf: no solution within the limits.

    Args:
        arm: Packed constants.
        T: The pose, rigid. Shape (4, 4).
        near: Wanted joints. Shape (n,).
        starts: Solutions of the pose. Shape (k, n).
        out: Filled unless the answer is inf. Shape (n,).
    """
    n = near.shape[0]
    work = workspace(arm)
    q = np.empty(n)
    for i in range(n):
        q[i] = min(max(near[i], lower(arm, i)), upper(arm, i))
    best = math.inf
    position, rotation, _ = descend(arm, T, q, 6, True, work)
    if position <= TOLERANCE and rotation <= TOLERANCE and fit(arm, q, near):
        approach(arm, T, q, near, 6, work)
        best = math.sqrt(squared_distance(arm, q, near))
        copy(q, out)
    for k in range(starts.shape[0]):
        copy(starts[k], q)
        inside = fit(arm, q, near)
        if best < CLOSE_BY and math.sqrt(squared_distance(arm, q, near)) >= best:
            continue
        if not inside:
            for i in range(n):
                q[i] = min(max(q[i], lower(arm, i)), upper(arm, i))
            position, rotation, _ = descend(arm, T, q, 6, True, work)
            if position > TOLERANCE or rotation > TOLERANCE or not fit(arm, q, near):
                continue
        approach(arm, T, q, near, 6, work)
        distance = math.sqrt(squared_distance(arm, q, near))
        if distance < best:
            best = distance
            copy(q, out)
    return best
