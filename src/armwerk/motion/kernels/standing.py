"""Joint values at which the tool stands: the curve of them, followed by its own length.

In: an arm, a pose and joint values that bring the tool there. Out: points of the curve on which the
joints can move from there, see `armwerk.motion.path.standing_curve`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.descent import copy
from armwerk.mechanics.kernels.jacobian import walk as forward_frames
from armwerk.mechanics.kernels.packed import is_revolute
from armwerk.mechanics.kernels.spectrum import decompose
from armwerk.mechanics.kernels.turns import TURN
from armwerk.motion.kernels.following import VALUE, Configuration, pose_error

ALONG, BEND = 1, 2
"""Rows of a point behind its joint values: how the curve goes on and bends, by its own length."""
LONGEST = 0.25  # [rad or m] between two points
SLACK = 1e-9  # [rad or m] beyond a stop that is rounding
_EXACT = 1e-12  # [m, rad] within which points meet the pose
_STILL = 1e-8  # [m, rad] that the tool may move by between them
_NEWTON = 6  # steps that put a point onto the curve
_LOST = 1e-6  # of the largest singular value below which a direction does nothing to the tool
_ASIDE = 1e-5  # [rad or m] to each side from which J' is told
_FIRST = 0.05  # [rad or m] of the first step
_SHORTEST = 1e-3
_WIDER = 1.4  # by which a step that did well is longer than the one before
_TURNED = 0.8  # cosine by which the curve may turn from one point to the next
_MOST = 400  # points
_AGAIN = 0.05  # [rad or m] beside it within which a curve passes a point once more
_REACH = 1.2 * LONGEST  # [rad or m] within which the next point of a curve lies
_THERE = 1e-9  # [rad or m] of a way that is none
_SAME = 1e-4  # [rad or m] by which joint values may differ from a point of the curve that is meant


class StandingTool(NamedTuple):
    """What stands, and between which stops.

    Args:
        pose: Upper rows of T_world_tool. Shape (3, 4).
        low: Lower stops [rad or m]. Shape (n,).
        high: Upper stops. Shape (n,).
        scale: Length that counts as much as one radian [m].
    """

    pose: Array
    low: Array
    high: Array
    scale: float


class StandingPoints(NamedTuple):
    """Points of a curve in a row.

    Args:
        stop: Joint at whose stop it ends; -1: it ends elsewhere, or where it began.
        rows: Joint values, direction and bend of each. Shape (k, 3, n).
    """

    stop: int
    rows: Array


class _Work(NamedTuple):
    """What is filled again and again.

    Args:
        now: Where the tool is.
        turned: A matrix (7, n), by its columns turned until they are across one another.
        turns: What turned them. Shape (n, n).
        sizes: Singular values. Shape (n,).
        right: Shape (7,).
        step: Shape (n,).
        aside: Joint values. Shape (n,).
        change: Of the Jacobian. Shape (6, n).
    """

    now: Configuration
    turned: Array
    turns: Array
    sizes: Array
    right: Array
    step: Array
    aside: Array
    change: Array


_TOOL = RecordText(
    StandingTool,
    pose="float64[:,::1]",
    low="float64[::1]",
    high="float64[::1]",
    scale="float64",
)
_POINTS = RecordText(StandingPoints, stop="int64", rows="float64[:,:,::1]")


@inner
def _workspace(n: int) -> _Work:
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    turned, turns, sizes = np.empty((7, n)), np.empty((n, n)), np.empty(n)
    return _Work(now, turned, turns, sizes, np.empty(7), np.empty(n), np.empty(n), np.empty((6, n)))


@inner
def _walk(arm: Array, q: Array, scale: float, now: Configuration) -> None:
    """Fill pose and Jacobian, lengths of the latter counted in ``scale``."""
    forward_frames(arm, q, now.pose, now.J)
    for r in range(3):
        for c in range(q.shape[0]):
            now.J[r, c] /= scale


@inner
def _take_apart(J: Array, along: Array, work: _Work) -> None:
    """Take a Jacobian with a direction below it apart into singular values and vectors."""
    for c in range(along.shape[0]):
        for r in range(6):
            work.turned[r, c] = J[r, c]
        work.turned[6, c] = along[c]
    decompose(work.turned, work.turns, work.sizes)


@inner
def _solve(work: _Work, out: Array) -> None:
    """Fill the least motion that gives what is on the right, without what is all but lost."""
    U, V, n = work.turned, work.turns, out.shape[0]
    largest = 0.0
    for c in range(n):
        out[c] = 0.0
        largest = max(largest, work.sizes[c])
    for c in range(n):
        size = work.sizes[c]
        if not size > _LOST * largest:
            continue
        share = 0.0
        for r in range(7):
            share += U[r, c] * work.right[r]
        share /= size * size
        for r in range(n):
            out[r] += V[r, c] * share


@inner
def _fill_point(arm: Array, direction: Array, scale: float, point: Array, work: _Work) -> bool:
    """Fill how the curve goes on from joint values on it; False: not in that direction."""
    q, along, bend, right = point[VALUE], point[ALONG], point[BEND], work.right
    n = q.shape[0]
    _walk(arm, q, scale, work.now)
    _take_apart(work.now.J, direction, work)
    for r in range(7):
        right[r] = 1.0 if r == 6 else 0.0
    _solve(work, along)
    size = 0.0
    for c in range(n):
        size += along[c] * along[c]
    if not size > 0.0:
        return False
    for c in range(n):
        along[c] /= math.sqrt(size)
    for side in range(2):
        for c in range(n):
            work.aside[c] = q[c] + (_ASIDE if side == 0 else -_ASIDE) * along[c]
        _walk(arm, work.aside, scale, work.now)
        for r in range(6):
            for c in range(n):
                J = work.now.J[r, c]
                work.change[r, c] = J if side == 0 else work.change[r, c] - J
    right[6] = 0.0
    for r in range(6):
        right[r] = 0.0
        for c in range(n):
            right[r] -= work.change[r, c] * along[c] / (2.0 * _ASIDE)
    _solve(work, bend)
    ahead = 0.0
    for c in range(n):
        ahead += bend[c] * along[c]
    for c in range(n):
        bend[c] -= ahead * along[c]
    return True


@inner
def _put_on_curve(
    arm: Array, tool: StandingTool, point: Array, step: float, q: Array, work: _Work
) -> bool:
    """Fill the joint values of the curve so far ahead of a point; False: none are found."""
    n, left = q.shape[0], work.right
    start, along, bend = point[VALUE], point[ALONG], point[BEND]
    made = 0.0
    for c in range(n):
        q[c] = start[c] + step * (along[c] + 0.5 * step * bend[c])
        made += (q[c] - start[c]) * along[c]
    for c in range(n):
        q[c] += (step - made) * along[c]
    for _ in range(_NEWTON):
        _walk(arm, q, tool.scale, work.now)
        pose_error(tool.pose, work.now.pose, left)
        left[6] = largest = 0.0
        for r in range(6):
            if r < 3:
                left[r] /= tool.scale
            largest = max(largest, abs(left[r]))
        if largest < _EXACT:
            return True
        _take_apart(work.now.J, along, work)
        _solve(work, work.step)
        for c in range(n):
            q[c] += work.step[c]
    return False


@inner
def cell_length(one: Array, two: Array) -> float:
    """Return the length of the curve between two of its points, each of shape (3, n)."""
    square = bends = 0.0
    for c in range(one.shape[1]):
        square += (two[VALUE, c] - one[VALUE, c]) ** 2
        bends += 0.5 * (one[BEND, c] ** 2 + two[BEND, c] ** 2)
    return math.sqrt(square) * (1.0 + bends * square / 24.0)  # an arc is longer than its chord


@inner
def _stands(arm: Array, tool: StandingTool, one: Array, two: Array, work: _Work) -> bool:
    """Say whether the tool stands on the quintic between two points, each of shape (3, n)."""
    n, q = one.shape[1], work.aside
    h = cell_length(one, two)
    for quarter in range(1, 4):
        u = 0.25 * quarter
        for c in range(n):
            v0, a0 = one[ALONG, c] * h, one[BEND, c] * h * h
            v1, a1 = two[ALONG, c] * h, two[BEND, c] * h * h
            way = two[VALUE, c] - one[VALUE, c] - v0 - 0.5 * a0
            gain, more = v1 - v0 - a0, a1 - a0
            high = u * (6.0 * way - 3.0 * gain + 0.5 * more) - 15.0 * way + 7.0 * gain - more
            high = u * high + 10.0 * way - 4.0 * gain + 0.5 * more
            q[c] = one[VALUE, c] + u * (v0 + u * (0.5 * a0 + u * high))
        forward_frames(arm, q, work.now.pose, work.now.J)
        if not pose_error(tool.pose, work.now.pose, work.right) < _STILL:
            return False
    return True


@inner
def _wrapped(arm: Array, joint: int, left: float) -> float:
    """Return a difference of joint values less whole turns."""
    return left - TURN * np.round(left / TURN) if is_revolute(arm, joint) else left


@entry(
    "POINTS(float64[:,:,::1], TOOL, float64[::1], float64[::1])",
    POINTS=_POINTS,
    TOOL=_TOOL,
)
def standing_points(arm: Array, tool: StandingTool, q: Array, direction: Array) -> StandingPoints:
    """Return points of the curve from joint values on, up to a stop or round to them again.

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        tool: What stands.
        q: Joint values that bring the tool there, in a singularity. Shape (n,).
        direction: In which the joints can move. Shape (n,).
    """
    n = q.shape[0]
    rows, work = np.zeros((_MOST + 1, 3, n)), _workspace(n)
    copy(q, rows[0, VALUE])
    count = 1 if _fill_point(arm, direction, tool.scale, rows[0], work) else 0
    step, behind = _FIRST, False
    while 0 < count < _MOST and step > _SHORTEST:
        point, new = rows[count - 1], rows[count]
        done = _put_on_curve(arm, tool, point, step, new[VALUE], work)
        done = done and _fill_point(arm, point[ALONG], tool.scale, new, work)
        if done:
            turned = 0.0
            for c in range(n):
                turned += new[ALONG, c] * point[ALONG, c]
            done = turned >= _TURNED and _stands(arm, tool, point, new, work)
        if not done:
            step *= 0.5
            continue
        for c in range(n):
            if new[VALUE, c] < tool.low[c] - SLACK or new[VALUE, c] > tool.high[c] + SLACK:
                return StandingPoints(c, rows[:count].copy())
        count += 1
        step = min(_WIDER * step, LONGEST)
        far = ahead = 0.0
        for c in range(n):
            left = _wrapped(arm, c, q[c] - new[VALUE, c])
            far += left * left
            ahead += left * new[ALONG, c]
        beside = math.sqrt(max(far - ahead * ahead, 0.0))
        near = math.sqrt(far) < LONGEST and beside < _AGAIN
        if near and behind and ahead <= 0.0:
            break
        behind = near and ahead > 0.0
    return StandingPoints(-1, rows[:count].copy())


@entry(
    "Tuple((int64[::1], float64[:,:,::1]))"
    "(float64[:,:,::1], TOOL, float64[:,:,::1], float64[:,::1])",
    TOOL=_TOOL,
)
def last_points(
    arm: Array, tool: StandingTool, rows: Array, goals: Array
) -> tuple[Integers, Array]:
    """Return with which points a curve ends that is to lead to joint values on it.

    Args:
        arm: The packed arm.
        tool: What stands.
        rows: Points of the curve. Shape (k, 3, n).
        goals: Joint values, meant by whatever whole turns. Shape (g, n).

    Returns:
        How many of the points lead there, 0 where they are not on the curve, shape (g,), and the
        last point behind those, shape (g, 3, n). With a direction of zero it is none.
    """
    n, count = rows.shape[2], goals.shape[0]
    found, lasts = np.zeros(count, dtype=np.int64), np.zeros((count, 3, n))
    left, work = np.empty(n), _workspace(n)
    for g in range(count):
        last = lasts[g]
        for k in range(rows.shape[0]):
            point = rows[k]
            size = ahead = 0.0
            for c in range(n):
                left[c] = _wrapped(arm, c, goals[g, c] - point[VALUE, c])
                size += left[c] * left[c]
                ahead += left[c] * point[ALONG, c]
            size = math.sqrt(size)
            if size < _THERE:
                found[g] = k + 1
                break
            if not (0.0 <= ahead < LONGEST + _SAME and size < _REACH):
                continue
            if not _put_on_curve(arm, tool, point, ahead, last[VALUE], work):
                continue
            fits = True
            for c in range(n):
                value = last[VALUE, c]
                fits = fits and abs(value - point[VALUE, c] - left[c]) <= _SAME
                kept = min(max(value, tool.low[c]), tool.high[c])
                fits = fits and abs(value - kept) <= SLACK
                last[VALUE, c] = kept
            fits = fits and _fill_point(arm, point[ALONG], tool.scale, last, work)
            if fits and _stands(arm, tool, point, last, work):
                found[g] = k + 1
                break
        if found[g] == 0 or size < _THERE:
            for row in range(3):
                for c in range(n):
                    last[row, c] = 0.0
    return found, lasts
