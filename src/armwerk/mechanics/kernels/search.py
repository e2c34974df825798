"""Inverse kinematics: descents from many starts.

A descent that ends in a valley without solution is given up, and the next one starts from the next
point of an evenly spread sequence over the joint ranges, so that the same question always gets the
same answer. Of what is found it is asked whether it is new; an arm with joints to spare slides
along its self-motion towards wanted joints.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.descent import (
    TOLERANCE,
    DescentScratch,
    copy,
    descend,
    half_square,
    workspace,
)
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import (
    is_revolute,
    joint_count,
    length_scale,
    lower,
    start_step,
    upper,
)
from armwerk.mechanics.kernels.self_motion import CLOSE_BY, approach
from armwerk.mechanics.kernels.turns import TURN, fit, largest_difference, squared_distance, wrap

_SAME = 1e-4  # [rad or scales] solutions nearer to each other than this count as one
_REGION = 0.03  # [rad or scales] how far the ends of descents to one singular solution lie apart
MOST_SOLUTIONS = 16  # a chain of six revolute joints has no more
_CANDIDATES = 6  # start points looked at before each restart; the best one is taken
_LOOKS = 48  # descents spent on finding a nearer solution
_ENOUGH = 14  # known solutions met again per solution before the search for more ends

# What a search ended with.
SOLVED, OUT_OF_REACH, OUTSIDE_LIMITS = 0, 1, 2
ANY, SEEDED, NEAREST = 0, 1, 2  # what a search is to find
# Layout of a search result behind the n joint values.
STATUS, ERROR_POSITION, ERROR_ROTATION, ITERATIONS, STARTS = 0, 1, 2, 3, 4
RESULT_SIZE = 5


@inner
def is_new(arm: Array, T: Array, q: Array, found: Array, count: int, work: DescentScratch) -> bool:
    """Whether q is none of the solutions known of T.

    At a singular pose descents end anywhere along a short curve where the pose is met to
    tolerance; two ends with another such place half-way between them are one solution.
    """
    n = q.shape[0]
    for k in range(count):
        far = largest_difference(arm, q, found[k])
        if far < _SAME:
            return False
        if far < _REGION:
            middle, there = np.empty(n), np.empty(n)
            for i in range(n):
                apart = q[i] - found[k, i]
                if is_revolute(arm, i):
                    apart -= TURN * math.floor(apart / TURN + 0.5)
                middle[i] = there[i] = q[i] - 0.5 * apart
            position, rotation, _ = descend(arm, T, there, 6, False, work)
            moved = math.sqrt(squared_distance(arm, middle, there))
            if position <= TOLERANCE and rotation <= TOLERANCE and moved < 0.2 * far:
                return False
    return True


@inner
def spread(arm: Array, k: int, q: Array) -> None:
    """Fill q with the k-th point of an evenly spread sequence over the joint ranges."""
    n = q.shape[0]
    for i in range(n):
        free = math.pi if is_revolute(arm, i) else 2.0 * length_scale(arm)
        low, high = lower(arm, i), upper(arm, i)
        if low == -math.inf:
            low = -free if high == math.inf else high - 2.0 * free
        if high == math.inf:
            high = low + 2.0 * free
        q[i] = low + (0.5 + (k + 1) * start_step(arm, i)) % 1.0 * (high - low)


@inner(inline=True)
def start(arm: Array, T: Array, k: int, task: int, q: Array, work: DescentScratch) -> None:
    """Fill q with the best of the next few points of the spread sequence."""
    J, pose, e, trial = work.jacobian, work.pose, work.error, work.trial
    best = math.inf
    for candidate in range(_CANDIDATES):
        spread(arm, k * _CANDIDATES + candidate, trial)
        walk(arm, trial, pose, J)
        pose_error(T, pose, task, length_scale(arm), e)
        error = half_square(e, task)
        if error < best:
            best = error
            copy(trial, q)


@inner(inline=True)
def _try(
    arm: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    bounded: bool,
    work: DescentScratch,
    result: Array,
) -> bool:
    """Descend from q, note the best so far in ``result``; True: solved and within limits."""
    n = q.shape[0]
    position, rotation, used = descend(arm, goal, q, task, bounded, work)
    solved = position <= TOLERANCE and rotation <= TOLERANCE
    inside = fit(arm, q, q0)
    result[n + ITERATIONS] += used
    result[n + STARTS] += 1.0
    before = result[n + ERROR_POSITION] / length_scale(arm) + result[n + ERROR_ROTATION]
    closer = position / length_scale(arm) + rotation < before
    # a solution outside the limits tells more than a near miss within them
    if solved or (closer and result[n + STATUS] != OUTSIDE_LIMITS):
        copy(q, result)
        result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation
        if solved:
            result[n + STATUS] = SOLVED if inside else OUTSIDE_LIMITS
    return bool(solved and inside)


@inner(inline=True)
def _look_around(
    arm: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    work: DescentScratch,
    result: Array,
) -> None:
    """Bring the solution in ``result`` close to q0, and look whether another one is closer."""
    n = q.shape[0]
    result[n + ITERATIONS] += approach(arm, goal, q, q0, task, work)
    distance = math.sqrt(squared_distance(arm, q, q0))
    copy(q, result)
    for k in range(0 if distance < CLOSE_BY else _LOOKS):
        start(arm, goal, k + 1, task, q, work)
        position, rotation, used = descend(arm, goal, q, task, k % 2 == 1, work)
        result[n + ITERATIONS] += used
        result[n + STARTS] += 1.0
        if position > TOLERANCE or rotation > TOLERANCE or not fit(arm, q, q0):
            continue
        result[n + ITERATIONS] += approach(arm, goal, q, q0, task, work)
        now = math.sqrt(squared_distance(arm, q, q0))
        if now < distance - 1e-9:
            distance = now
            copy(q, result)
    walk(arm, result[:n], work.pose, work.jacobian)
    position, rotation = pose_error(goal, work.pose, task, length_scale(arm), work.error)
    result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation


@entry("float64[::1](float64[:,:,::1], float64[:,::1], float64[::1], int64, int64, int64)")
def search(arm: Array, T: Array, q0: Array, task: int, starts: int, mode: int) -> Array:
    """Return a solution within limits, and how it was found.

    Args:
        arm: Packed constants.
        T: Wanted pose. Shape (4, 4).
        q0: Where full turns are counted from, and the first start unless ``mode`` is ANY.
            Shape (n,).
        task: 6 for the whole pose, 3 for the position only.
        starts: Largest number of descents until the first success.
        mode: ANY: the first solution found; SEEDED: the same, the search starts at q0; NEAREST:
            the one nearest to q0 of all that are found.

    Returns:
        The joint values, then status, errors of position [m] and rotation [rad], iterations,
        starts. Without success the joint values are those of the smallest error. Shape (n + 5,).
    """
    n = q0.shape[0]
    result = np.zeros(n + RESULT_SIZE)
    work = workspace(arm)
    q = q0.copy()
    result[n + STATUS] = OUT_OF_REACH
    result[n + ERROR_POSITION] = math.inf
    for k in range(starts):
        if k > 1 or mode == ANY:
            start(arm, T, k, task, q, work)
        else:
            copy(q0, q)
        # free and bounded descents find what the other misses; with joints to spare bounds cost
        # nothing, so these come first
        bounded = (k % 2 == 1) != (n > task)
        if _try(arm, T, q, q0, task, bounded, work, result):
            if mode == NEAREST:
                _look_around(arm, T, q, q0, task, work, result)
            break
    return result


@inner(inline=True)
def _collect(
    arm: Array,
    goal: Array,
    starts: int,
    most: int,
    limited: bool,
    work: DescentScratch,
    found: Array,
    count: int,
) -> int:
    """Fill ``found``, which holds ``count``, with distinct solutions as descents meet them."""
    n = joint_count(arm)
    q, home = np.empty(n), np.zeros(n)
    repeats = flips = 0
    for k in range(starts):
        if repeats % 2 == 1 and flips < count * n:
            # one joint of a known solution turned over is a good way to its neighbours
            copy(found[flips // n], q)
            i = flips % n
            q[i] = q[i] + math.pi if is_revolute(arm, i) else -q[i]
            flips += 1
        else:
            start(arm, goal, k, 6, q, work)
        bounded = limited and k % 2 == 1
        position, rotation, _ = descend(arm, goal, q, 6, bounded, work)
        if position > TOLERANCE or rotation > TOLERANCE:
            continue
        if limited and not fit(arm, q, home):
            continue
        if not limited:
            wrap(arm, q)
        if is_new(arm, goal, q, found, count, work):
            copy(q, found[count])
            count += 1
            repeats = 0
            if count == most:
                break
        else:
            repeats += 1
            if repeats > _ENOUGH * (count + 2):
                break
    return count


@entry(
    "Tuple((float64[:,:,::1], int64[::1]))"
    "(float64[:,:,::1], float64[:,:,::1], int64, int64, boolean)"
)
def collect_batch(
    arm: Array, Ts: Array, starts: int, most: int, limited: bool
) -> tuple[Array, Integers]:
    """Return up to ``most`` distinct solutions of each pose, nan behind them, and their numbers.

    Without ``limited`` joint limits do not count and angles lie in (-π, π]. Shapes (m, most, n)
    and (m,).
    """
    n = joint_count(arm)
    solutions = np.full((Ts.shape[0], most, n), np.nan)
    counts = np.zeros(Ts.shape[0], dtype=np.int64)
    work = workspace(arm)
    for k in range(Ts.shape[0]):
        counts[k] = _collect(arm, Ts[k], starts, most, limited, work, solutions[k], 0)
    return solutions, counts


@entry("Tuple((float64[:,::1], int64))(float64[:,:,::1], float64[:,::1], int64, float64[:,::1])")
def collect_from(arm: Array, T: Array, starts: int, known: Array) -> tuple[Array, int]:
    """Return known solutions of a pose, each once, and what descents find besides; their number.

    Limits do not count. Shape (16, n), of which the first rows are filled.
    """
    found = np.empty((MOST_SOLUTIONS, joint_count(arm)))
    work = workspace(arm)
    count = 0
    for k in range(min(known.shape[0], MOST_SOLUTIONS)):
        if is_new(arm, T, known[k], found, count, work):
            copy(known[k], found[count])
            count += 1
    if count < MOST_SOLUTIONS:
        count = _collect(arm, T, starts, MOST_SOLUTIONS, False, work, found, count)
    return found, count
