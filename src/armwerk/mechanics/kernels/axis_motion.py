"""Infinitely many solutions of coupled joints: the axis values nearest to wanted ones among them.

As `armwerk.mechanics.kernels.self_motion`, with the distance and the limits of axes, and those of
joints that follow several of them. With D the weights and G = J C D⁻¹ the arm slides from members
of the family towards the wanted values by

    D dq = z - Gᵀ (G Gᵀ + tiny)⁻¹ G z,    z = D (wanted - q)

and Newton's method puts each step back onto the pose. A limit that is in the way becomes one more
row of G, or a column less.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.axis_choice import NEAREST
from armwerk.mechanics.kernels.axis_turns import (
    BOUNDED,
    COUPLED,
    CoupledAxes,
    angle_of,
    fill_angles,
    is_possible,
    keeps_ranges,
    nearest_turn,
    turn_scratch,
    value_jacobian,
)
from armwerk.mechanics.kernels.descent import TOLERANCE, damped_step
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import length_scale
from armwerk.mechanics.kernels.turns import LIMIT_SLACK

_WIDE = 0.3  # [rad or m] beyond limits from where a member may still slide into them
_MARGIN = 0.5  # [rad] by which a member may be farther than the best so far and still be tried
_MOST = 48  # members that slide
_SLIDES = 60  # steps of one member
_NEWTON = 20  # steps onto the pose; at a double root each halves the error only
_SHARP = 1e-13  # [scales + rad] an error that is rounding
_NULL = 1e-10  # singular values below its root count as no motion of the tool at all
_AT = 1e-12  # [rad or m] within which a value stands at its limit
_LONGEST = 0.5  # [rad] of one step; poses bend that far


class SlideScratch(NamedTuple):
    """Scratch of a slide of n axes with k joints, b of them with limits of their own.

    Args:
        pose: Shape (3, 4).
        angles: Shape (k,).
        whole: Jacobian of the joints. Shape (6, k).
        tool: Jacobian of the axes. Shape (6, n).
        rows: The same in weighted steps, below it rows of joints on a limit. Shape (6 + b, n).
        error: Shape (6,).
        right: Shape (6 + b,).
        wanted: Shape (6 + b,).
        matrix: Shape (m, m), m the larger of 6 + b and n.
        step: Shape (n,).
        trial: Shape (n,).
        held: Which axes stay. Shape (n,).
        active: Which joints stay. Shape (k,).
    """

    pose: Array
    angles: Array
    whole: Array
    tool: Array
    rows: Array
    error: Array
    right: Array
    wanted: Array
    matrix: Array
    step: Array
    trial: Array
    held: Flags
    active: Flags


@inner
def _scratch(coupled: CoupledAxes) -> SlideScratch:
    k, n = coupled.matrix.shape
    size = max(6 + k, n)
    return SlideScratch(
        np.empty((3, 4)),
        np.empty(k),
        np.empty((6, k)),
        np.empty((6, n)),
        np.empty((6 + k, n)),
        np.empty(6),
        np.empty(6 + k),
        np.empty(6 + k),
        np.empty((size, size)),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.bool_),
        np.empty(k, np.bool_),
    )


@inner
def _look(arm: Array, coupled: CoupledAxes, T: Array, q: Array, work: SlideScratch) -> float:
    """Fill Jacobian and error at q; return how far the pose is missed [m + rad]."""
    scale = length_scale(arm)
    fill_angles(coupled, q, work.angles)
    walk(arm, work.angles, work.pose, work.whole)
    position, rotation = pose_error(T, work.pose, 6, scale, work.error)
    value_jacobian(coupled, work.whole, work.tool)
    for i in range(q.shape[0]):
        for r in range(3):
            work.tool[r, i] /= scale
    return position + rotation


@inner
def _fill_rows(coupled: CoupledAxes, weights: Array, work: SlideScratch) -> int:
    """Fill the rows that a step must keep to, in weighted steps; return their number."""
    k, n = coupled.matrix.shape
    for i in range(n):
        for r in range(6):
            work.rows[r, i] = 0.0 if work.held[i] else work.tool[r, i] / weights[i]
    count: int = 6
    for row in range(k):
        if work.active[row]:
            for i in range(n):
                free = 0.0 if work.held[i] else coupled.matrix[row, i]
                work.rows[count, i] = free / weights[i]
            work.wanted[count] = 0.0
            count += 1
    return count


@inner
def _hold(coupled: CoupledAxes, q: Array, work: SlideScratch) -> bool:
    """Hold axes and joints that a step would push over the limit they stand at; False: none."""
    more = False
    for i in range(q.shape[0]):
        low, high = coupled.limits[i, 0], coupled.limits[i, 1]
        pushed = (work.step[i] > 0.0 and q[i] >= high - _AT) or (
            work.step[i] < 0.0 and q[i] <= low + _AT
        )
        if pushed and not work.held[i]:
            work.held[i] = more = True
    for row in range(coupled.joints.shape[0]):
        if coupled.joints[row] & BOUNDED and not work.active[row]:
            angle = angle_of(coupled, row, q)
            rate = angle_of(coupled, row, work.step)
            low, high = coupled.ranges[row, 0], coupled.ranges[row, 1]
            if (rate > 0.0 and angle >= high - _AT) or (rate < 0.0 and angle <= low + _AT):
                work.active[row] = more = True
    return more


@inner
def _release(work: SlideScratch) -> None:
    for i in range(work.held.shape[0]):
        work.held[i] = False
    for row in range(work.active.shape[0]):
        work.active[row] = False


@inner
def _share(coupled: CoupledAxes, q: Array, step: Array) -> float:
    """Return how much of a step the limits leave, 0 to 1."""
    share = 1.0
    for i in range(q.shape[0]):
        if step[i] > 0.0:
            share = min(share, max(0.0, (coupled.limits[i, 1] - q[i]) / step[i]))
        elif step[i] < 0.0:
            share = min(share, max(0.0, (coupled.limits[i, 0] - q[i]) / step[i]))
    for row in range(coupled.joints.shape[0]):
        if coupled.joints[row] & BOUNDED:
            angle, rate = angle_of(coupled, row, q), angle_of(coupled, row, step)
            if rate > _AT:
                share = min(share, max(0.0, (coupled.ranges[row, 1] - angle) / rate))
            elif rate < -_AT:
                share = min(share, max(0.0, (coupled.ranges[row, 0] - angle) / rate))
    return share


@inner
def _put_within(coupled: CoupledAxes, q: Array) -> None:
    """Bring axes, then joints that follow several, within their limits where that is needed."""
    for i in range(q.shape[0]):
        row = coupled.rows[i]
        if coupled.joints[row] & BOUNDED:
            angle = angle_of(coupled, row, q)
            q[i] += min(max(angle, coupled.ranges[row, 0]), coupled.ranges[row, 1]) - angle
        q[i] = min(max(q[i], coupled.limits[i, 0]), coupled.limits[i, 1])


@inner
def _onto(
    arm: Array, coupled: CoupledAxes, T: Array, q: Array, weights: Array, work: SlideScratch
) -> bool:
    """Bring q onto the pose by steps of least size within limits, in place; False: it is lost."""
    n = q.shape[0]
    _put_within(coupled, q)
    for _ in range(_NEWTON):
        miss = _look(arm, coupled, T, q, work)
        if miss <= _SHARP:
            break
        if not miss < math.inf:
            return False
        damping = 1e-15
        for r in range(6):
            damping += work.error[r] * work.error[r]
        _release(work)
        for _ in range(n + 1):
            count = _fill_rows(coupled, weights, work)
            for r in range(6):
                work.wanted[r] = work.error[r]
            while not damped_step(
                work.rows, work.wanted, count, damping, work.matrix, work.right, work.step
            ):
                damping *= 10.0  # rounding made a direction that is lost look negative
            for i in range(n):
                work.step[i] /= weights[i]
            if not _hold(coupled, q, work):
                break
        largest = _LONGEST
        for i in range(n):
            largest = max(largest, abs(work.step[i]) * weights[i])
        for i in range(n):
            q[i] += work.step[i] * (_LONGEST / largest)
        _put_within(coupled, q)
    miss = _look(arm, coupled, T, q, work)
    return bool(miss <= TOLERANCE and keeps_ranges(coupled, q, LIMIT_SLACK))


@inner
def _square(q: Array, near: Array, weights: Array) -> float:
    total = 0.0
    for i in range(q.shape[0]):
        total += ((q[i] - near[i]) * weights[i]) ** 2
    return total


@inner
def _towards(
    coupled: CoupledAxes, q: Array, near: Array, weights: Array, work: SlideScratch
) -> bool:
    """Fill the step nearest to the wish that leaves tool and limits alone; False: there is none."""
    n = q.shape[0]
    _release(work)
    for _ in range(n + 1):
        count = _fill_rows(coupled, weights, work)
        for r in range(count):
            work.wanted[r] = 0.0
            for i in range(n):
                work.wanted[r] += work.rows[r, i] * (near[i] - q[i]) * weights[i]
        solved = damped_step(
            work.rows, work.wanted, count, _NULL, work.matrix, work.right, work.step
        )
        if not solved:
            return False
        for i in range(n):
            wish = near[i] - q[i]
            work.step[i] = 0.0 if work.held[i] else wish - work.step[i] / weights[i]
        if not _hold(coupled, q, work):
            return True
    return True


@inner
def _slide(
    arm: Array,
    coupled: CoupledAxes,
    T: Array,
    q: Array,
    near: Array,
    weights: Array,
    work: SlideScratch,
) -> float:
    """Slide a solution as near to wanted values as it gets; return the squared distance."""
    n = q.shape[0]
    square = _square(q, near, weights)
    share = 1.0
    for _ in range(_SLIDES):
        _look(arm, coupled, T, q, work)
        if not _towards(coupled, q, near, weights, work):
            return square
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(work.step[i]) * weights[i])
        if largest < 1e-9:
            return square
        part = min(share * _share(coupled, q, work.step), _LONGEST / largest)
        for i in range(n):
            work.trial[i] = q[i] + part * work.step[i]
        better = _onto(arm, coupled, T, work.trial, weights, work)
        now = _square(work.trial, near, weights)
        if better and now < square:
            for i in range(n):
                q[i] = work.trial[i]
            settled = square - now < 1e-15 * square
            square = now
            share = min(1.0, 2.0 * share)
            if settled:
                return square
        else:
            share *= 0.25
            if share < 1e-3:
                return square
    return square


@entry(NEAREST, COUPLED=COUPLED)
def nearest_values_along(
    arm: Array,
    coupled: CoupledAxes,
    T: Array,
    rows: Array,
    near: Array,
    weights: Array,
    out: Array,
) -> bool:
    """Fill the axis values nearest to ``near`` along self-motions; False: none within limits.

    Args:
        arm: The packed free chain; its own limits are not looked at.
        coupled: The couplings.
        T: The pose, rigid. Shape (4, 4).
        rows: Members of the family as joint angles, as many as make it dense. Shape (m, k).
        near: Axis values to be near to. Shape (n,).
        weights: What each axis counts in the distance. Shape (n,).
        out: Shape (n,).
    """
    m, n = rows.shape[0], near.shape[0]
    work, turns = _scratch(coupled), turn_scratch(n)
    starts, far = np.empty((m, n)), np.full(m, np.inf)
    for k in range(m):
        if is_possible(coupled, rows[k]):
            far[k] = nearest_turn(
                coupled, rows[k], near, weights, _WIDE, math.inf, turns, starts[k]
            )
    least = math.inf
    q = np.empty(n)
    slides = 0
    for _ in range(m):
        first = 0
        for k in range(1, m):
            if far[k] < far[first]:
                first = k
        if slides == _MOST or not math.sqrt(far[first]) < math.sqrt(least) + _MARGIN:
            break
        far[first] = math.inf
        for i in range(n):
            q[i] = starts[first, i]
        if not _onto(arm, coupled, T, q, weights, work):
            continue
        slides += 1
        square = _slide(arm, coupled, T, q, near, weights, work)
        if square < least:
            least = square
            for i in range(n):
                out[i] = q[i]
    return least < math.inf
