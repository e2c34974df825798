"""Joints to spare moved along the self-motion of the arm, at all points of a track together.

In: joint values that put the tool onto its poses. Out: such that move less from point to point,
keep off the stops and end where they are wanted; see `armwerk.motion.path.self_motion`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.descent import copy
from armwerk.mechanics.kernels.jacobian import walk as forward_frames
from armwerk.mechanics.kernels.packed import is_revolute
from armwerk.mechanics.kernels.turns import TURN
from armwerk.motion.kernels.following import (
    TOLERANCES,
    Configuration,
    Tolerances,
    put_on_pose,
)

_ENDS = 1e6  # weight of the wanted end
_LONGEST = 0.15  # [rad or m] by which joints may be moved in one round
_DAMPING = 1e-6
_WALK, _PACE = 400, 0.05  # steps of a walk along a self-motion, and each of them [rad or m]
_NEARER = 0.9  # of what a joint was beyond a stop that counts as nearer


class RelaxedTrack(NamedTuple):
    """What joint values are relaxed for, at k points of a track, no two of them one.

    Args:
        s: Arc lengths [m]. Shape (k,).
        poses: Upper rows of T_world_tool. Shape (k, 3, 4).
        low: Lower stops [rad or m]. Shape (n,).
        high: Upper stops. Shape (n,).
        margin: Distance from a stop within which a joint is pushed back. Shape (n,).
        stops: Weight of such a joint against the way of the joints.
        end: Joint values wanted at the end. Shape (n,), or (0,): any.
        slope: Of a further cost along the free directions. Shape (k, r).
        bend: Its second derivatives. Shape (k, r).
    """

    s: Array
    poses: Array
    low: Array
    high: Array
    margin: Array
    stops: float
    end: Array
    slope: Array
    bend: Array


class Rounds(NamedTuple):
    """When enough has been done.

    Args:
        most: Rounds that are made at most.
        patience: Rounds in which joints must come nearer to their ranges, or they never will.
        still: Of a round that changes nothing any more [rad or m].
        apart: What a joint may differ by between two points [rad or m].
    """

    most: int
    patience: int
    still: float
    apart: float


class Relaxed(NamedTuple):
    """Joint values when the rounds are over.

    Args:
        fits: Whether they are on the poses still, near one another.
        rests: Whether another round would change nothing.
        rounds: How many were made.
        q: Shape (k, n).
    """

    fits: bool
    rests: bool
    rounds: int
    q: Array


_TRACK = RecordText(
    RelaxedTrack,
    s="float64[::1]",
    poses="float64[:,:,::1]",
    low="float64[::1]",
    high="float64[::1]",
    margin="float64[::1]",
    stops="float64",
    end="float64[::1]",
    slope="float64[:,::1]",
    bend="float64[:,::1]",
)
_ROUNDS = RecordText(Rounds, most="int64", patience="int64", still="float64", apart="float64")
_RELAXED = RecordText(Relaxed, fits="boolean", rests="boolean", rounds="int64", q="float64[:,::1]")


@inner
def _fill_free(J: Array, scale: float, work: Array, out: Array) -> None:
    """Fill the unit motions of the joints (r, n) that leave the tool, across one another.

    They are what Householder's reflections of the Jacobian's rows leave over. Lengths count in
    ``scale``.
    """
    n = J.shape[1]
    for c in range(6):  # columns of the transpose
        for i in range(n):
            work[i, c] = J[c, i] / scale if c < 3 else J[c, i]
    for c in range(6):
        size = 0.0
        for i in range(c, n):
            size += work[i, c] * work[i, c]
        size = math.sqrt(size)
        if work[c, c] > 0.0:
            size = -size
        work[c, c] -= size
        square = 0.0
        for i in range(c, n):
            square += work[i, c] * work[i, c]
        if square > 0.0:
            for k in range(c + 1, 6):
                total = 0.0
                for i in range(c, n):
                    total += work[i, c] * work[i, k]
                total *= 2.0 / square
                for i in range(c, n):
                    work[i, k] -= total * work[i, c]
    for row in range(n - 6):
        out[row] = 0.0
        out[row, 6 + row] = 1.0
        for back in range(6):
            c = 5 - back
            square, total = 0.0, 0.0
            for i in range(c, n):
                square += work[i, c] * work[i, c]
                total += work[i, c] * out[row, i]
            if square > 0.0:
                total *= 2.0 / square
                for i in range(c, n):
                    out[row, i] -= total * work[i, c]


@entry("float64[:,:,::1](float64[:,:,::1], float64[:,::1], float64)")
def free_directions(arm: Array, q: Array, scale: float) -> Array:
    """Return unit motions of the joints that leave the tool, across one another. (k, n - 6, n).

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        q: Joint values. Shape (k, n), n more than 6.
        scale: Length that counts as much as one radian [m].
    """
    k, n = q.shape
    out, work = np.empty((k, n - 6, n)), np.empty((n, 6))
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    for i in range(k):
        forward_frames(arm, q[i], now.pose, now.J)
        _fill_free(now.J, scale, work, out[i])
    return out


@inner
def _solve_banded(band: Array, x: Array) -> None:
    """Solve symmetric positive equations in place; ``band[i, d]`` joins i to i - d."""
    count, width = band.shape
    for i in range(count):
        for d in range(min(i, width - 1), -1, -1):
            j = i - d
            total = band[i, d]
            for e in range(d + 1, min(width, i + 1)):
                if e - d < width and j - (e - d) >= 0:
                    total -= band[i, e] * band[j, e - d]
            band[i, d] = math.sqrt(total) if d == 0 else total / band[j, 0]
    for i in range(count):
        for d in range(1, min(width, i + 1)):
            x[i] -= band[i, d] * x[i - d]
        x[i] /= band[i, 0]
    for i in range(count - 1, -1, -1):
        x[i] /= band[i, 0]
        for d in range(1, min(width, i + 1)):
            x[i - d] -= band[i, d] * x[i]


@inner
def _fill_equations(given: RelaxedTrack, q: Array, free: Array, band: Array, right: Array) -> None:
    """Fill the normal equations of the amounts by which each point but the first is moved."""
    k, r, n = free.shape
    band[:] = 0.0
    right[:] = 0.0
    length = given.s[k - 1]
    push = np.empty(n)
    for i in range(1, k):
        first = (i - 1) * r
        weight = length / ((given.s[i] - given.s[i - 1]) * k)
        after = length / ((given.s[i + 1] - given.s[i]) * k) if i + 1 < k else 0.0
        for c in range(n):
            push[c] = max(given.low[c] + given.margin[c] - q[i, c], 0.0)
            push[c] -= max(q[i, c] - given.high[c] + given.margin[c], 0.0)
        for a in range(r):
            for b in range(a + 1):
                total = (weight + after + _DAMPING) if a == b else 0.0
                for c in range(n):
                    if push[c] != 0.0:
                        total += given.stops * free[i, a, c] * free[i, b, c]
                band[first + a, a - b] += total
            for b in range(r if i > 1 else 0):
                total = 0.0
                for c in range(n):
                    total += free[i, a, c] * free[i - 1, b, c]
                band[first + a, r + a - b] -= weight * total
            total = 0.0
            for c in range(n):
                total -= weight * free[i, a, c] * (q[i, c] - q[i - 1, c])
                if i + 1 < k:
                    total += after * free[i, a, c] * (q[i + 1, c] - q[i, c])
                total += given.stops * free[i, a, c] * push[c]
            right[first + a] += total - given.slope[i, a]
            band[first + a, 0] += given.bend[i, a]
    if given.end.shape[0]:
        first = (k - 2) * r
        for a in range(r):
            band[first + a, 0] += _ENDS
            for c in range(n):
                right[first + a] += _ENDS * free[k - 1, a, c] * (given.end[c] - q[k - 1, c])


@entry(
    "RELAXED(float64[:,:,::1], TRACK, float64[:,::1], ROUNDS, TOLERANCES)",
    RELAXED=_RELAXED,
    TRACK=_TRACK,
    ROUNDS=_ROUNDS,
    TOLERANCES=TOLERANCES,
)
def relaxed(
    arm: Array, given: RelaxedTrack, start: Array, rounds: Rounds, tolerances: Tolerances
) -> Relaxed:
    """Move joint values along the self-motion of the arm until they have come to rest.

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        given: What they are relaxed for.
        start: Joint values on the poses; the first stay. Shape (k, n), n more than 6.
        rounds: When enough has been done.
        tolerances: What counts as on the path.
    """
    k, n = start.shape
    r = n - 6
    q, free, work = start.copy(), np.zeros((k, r, n)), np.empty((n, 6))
    band, right = np.empty(((k - 1) * r, 2 * r)), np.empty((k - 1) * r)
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    for i in range(1, k):
        forward_frames(arm, q[i], now.pose, now.J)
        _fill_free(now.J, tolerances.scale, work, free[i])
    least, waited = math.inf, 0
    for number in range(1, rounds.most + 1):
        _fill_equations(given, q, free, band, right)
        _solve_banded(band, right)
        longest = 0.0
        for i in range(1, k):
            for c in range(n):
                step = 0.0
                for a in range(r):
                    step += free[i, a, c] * right[(i - 1) * r + a]
                longest = max(longest, abs(step))
        if not longest < math.inf:
            return Relaxed(False, False, number, q)
        share = min(1.0, _LONGEST / max(longest, 1e-12))
        beyond = -math.inf
        for i in range(1, k):
            for a in range(r):
                for c in range(n):
                    q[i, c] += share * free[i, a, c] * right[(i - 1) * r + a]
            size = put_on_pose(arm, given.poses[i], q[i], now, tolerances)
            if not size < tolerances.on_curve:
                return Relaxed(False, False, number, q)
            _fill_free(now.J, tolerances.scale, work, free[i])
            for c in range(n):
                if not abs(q[i, c] - q[i - 1, c]) <= rounds.apart:
                    return Relaxed(False, False, number, q)
                beyond = max(beyond, given.low[c] - q[i, c], q[i, c] - given.high[c])
        if longest < rounds.still:
            return Relaxed(True, True, number, q)
        if beyond < _NEARER * least:
            least, waited = beyond, 0
        else:
            waited += 1
        if beyond > rounds.still and waited > rounds.patience:
            return Relaxed(True, False, number, q)  # it swings to and fro between stops
    return Relaxed(True, False, rounds.most, q)


@entry(
    "Tuple((boolean, float64[:,::1]))(float64[:,:,::1], TRACK, float64[::1], float64, TOLERANCES)",
    TRACK=_TRACK,
    TOLERANCES=TOLERANCES,
)
def leaning(
    arm: Array, given: RelaxedTrack, start: Array, lean: float, tolerances: Tolerances
) -> tuple[bool, Array]:
    """Follow the poses from the first, the joints leaning away from their stops all the while.

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        given: Where the tool is wanted; the margin is that within which joints lean.
        start: Joint values at the first pose. Shape (n,).
        lean: Share of the way out of the margin that is made at each point.
        tolerances: What counts as on the path.

    Returns:
        Whether all poses are met, and the joint values, shape (k, n).
    """
    k, n = given.s.shape[0], start.shape[0]
    r = n - 6
    q, free, work = np.empty((k, n)), np.empty((r, n)), np.empty((n, 6))
    push, aside = np.empty(n), np.empty(n)
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    copy(start, q[0])
    forward_frames(arm, q[0], now.pose, now.J)
    for i in range(1, k):
        _fill_free(now.J, tolerances.scale, work, free)
        for c in range(n):
            push[c] = max(given.low[c] + given.margin[c] - q[i - 1, c], 0.0)
            push[c] -= max(q[i - 1, c] - given.high[c] + given.margin[c], 0.0)
            aside[c] = 0.0
        for a in range(r):
            total = 0.0
            for c in range(n):
                total += free[a, c] * push[c]
            for c in range(n):
                aside[c] += lean * total * free[a, c]
        longest = 0.0
        for c in range(n):
            longest = max(longest, abs(aside[c]))
        share = min(1.0, 0.25 * tolerances.max_step / max(longest, 1e-12))
        for c in range(n):
            q[i, c] = q[i - 1, c] + share * aside[c]
        if not put_on_pose(arm, given.poses[i], q[i], now, tolerances) < tolerances.on_curve:
            return False, q
    return True, q


@entry(
    "boolean(float64[:,:,::1], TRACK, int64, float64[::1], TOLERANCES)",
    TRACK=_TRACK,
    TOLERANCES=TOLERANCES,
)
def may_keep_stops(
    arm: Array, given: RelaxedTrack, k: int, start: Array, tolerances: Tolerances
) -> bool:
    """Return whether a self-motion that keeps a pose comes to joint values within the stops.

    Args:
        arm: The packed arm of seven joints, see `armwerk.mechanics.kernels.packed`.
        given: Poses and stops.
        k: Which of the poses.
        start: Joint values there. Shape (n,).
        tolerances: What counts as on the path.

    Returns:
        False only when the self-motion leads back to where it began, beyond the stops all the way.
    """
    n = start.shape[0]
    q, free, work = start.copy(), np.empty((1, n)), np.empty((n, 6))
    before = np.zeros(n)
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    forward_frames(arm, q, now.pose, now.J)
    for number in range(_WALK):
        _fill_free(now.J, tolerances.scale, work, free)
        same = 0.0
        for c in range(n):
            same += before[c] * free[0, c]
        for c in range(n):
            before[c] = -free[0, c] if same < 0.0 else free[0, c]
            q[c] += _PACE * before[c]
        if not put_on_pose(arm, given.poses[k], q, now, tolerances) < tolerances.on_curve:
            return True  # nobody knows
        beyond, away = 0.0, 0.0
        for c in range(n):
            beyond = max(beyond, given.low[c] - q[c], q[c] - given.high[c])
            gap = q[c] - start[c]
            away = max(away, abs(gap - TURN * round(gap / TURN) if is_revolute(arm, c) else gap))
        if beyond < _PACE:
            return True
        if number > 1 and away < 0.7 * _PACE:
            return False
    return True
