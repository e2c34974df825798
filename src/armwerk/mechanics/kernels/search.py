"""Inverse kinematics: descents from many starts.

A descent that ends in a valley without solution is given up, and the next one starts from the next
point of an evenly spread sequence over the joint ranges, so that the same question always gets the
same answer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.descent import (
    TOLERANCE,
    copy,
    descend,
    half_square,
    workspace,
)
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.nearness import approach, fit, how_far, is_new, wrap

MOST_SOLUTIONS = 16  # a chain of six revolute joints has no more
_CANDIDATES = 6  # start points looked at before each restart; the best one is taken
_CLOSE_BY = 0.5  # [rad or scales] a solution this near is taken without looking for others
_LOOKS = 48  # descents spent on finding a nearer solution
_ENOUGH = 14  # known solutions met again per solution before the search for more ends

# What a search ended with.
SOLVED, OUT_OF_REACH, OUTSIDE_LIMITS = 0, 1, 2
ANY, SEEDED, NEAREST = 0, 1, 2  # what a search is to find
# Layout of a search result behind the n joint values.
STATUS, ERROR_POSITION, ERROR_ROTATION, ITERATIONS, STARTS = 0, 1, 2, 3, 4
RESULT_SIZE = 5


@inner
def spread(chain: Array, k: int, q: Array) -> None:
    """Fill q with the k-th point of an evenly spread sequence over the joint ranges."""
    n = q.shape[0]
    for i in range(n):
        free = math.pi if chain[i, 3, 0] == 0.0 else 2.0 * chain[n, 3, 0]
        low, high = chain[i, 3, 1], chain[i, 3, 2]
        if low == -math.inf:
            low = -free if high == math.inf else high - 2.0 * free
        if high == math.inf:
            high = low + 2.0 * free
        q[i] = low + (0.5 + (k + 1) * chain[i, 3, 3]) % 1.0 * (high - low)


@inner(inline=True)
def start(chain: Array, T: Array, k: int, task: int, q: Array, work: tuple[Array, ...]) -> None:
    """Fill q with the best of the next few points of the spread sequence."""
    J, pose, e, trial = work[0], work[2], work[3], work[8]
    best = math.inf
    for candidate in range(_CANDIDATES):
        spread(chain, k * _CANDIDATES + candidate, trial)
        walk(chain, trial, pose, J)
        pose_error(T, pose, task, chain[q.shape[0], 3, 0], e)
        error = half_square(e, task)
        if error < best:
            best = error
            copy(trial, q)


@inner(inline=True)
def _try(
    chain: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    bounded: bool,
    work: tuple[Array, ...],
    result: Array,
) -> bool:
    """Descend from q, note the best so far in ``result``; True: solved and within limits."""
    n = q.shape[0]
    position, rotation, used = descend(chain, goal, q, task, bounded, work)
    solved = position <= TOLERANCE and rotation <= TOLERANCE
    inside = fit(chain, q, q0)
    result[n + ITERATIONS] += used
    result[n + STARTS] += 1.0
    before = result[n + ERROR_POSITION] / chain[n, 3, 0] + result[n + ERROR_ROTATION]
    closer = position / chain[n, 3, 0] + rotation < before
    # a solution outside the limits tells more than a near miss within them
    if solved or (closer and result[n + STATUS] != OUTSIDE_LIMITS):
        copy(q, result)
        result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation
        if solved:
            result[n + STATUS] = SOLVED if inside else OUTSIDE_LIMITS
    return bool(solved and inside)


@inner(inline=True)
def _look_around(
    chain: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    work: tuple[Array, ...],
    result: Array,
) -> None:
    """Bring the solution in ``result`` close to q0, and look whether another one is closer."""
    n = q.shape[0]
    result[n + ITERATIONS] += approach(chain, goal, q, q0, task, work)
    distance = how_far(chain, q, q0)
    copy(q, result)
    for k in range(0 if distance < _CLOSE_BY else _LOOKS):
        start(chain, goal, k + 1, task, q, work)
        position, rotation, used = descend(chain, goal, q, task, k % 2 == 1, work)
        result[n + ITERATIONS] += used
        result[n + STARTS] += 1.0
        if position > TOLERANCE or rotation > TOLERANCE or not fit(chain, q, q0):
            continue
        result[n + ITERATIONS] += approach(chain, goal, q, q0, task, work)
        now = how_far(chain, q, q0)
        if now < distance - 1e-9:
            distance = now
            copy(q, result)
    walk(chain, result[:n], work[2], work[0])
    position, rotation = pose_error(goal, work[2], task, chain[n, 3, 0], work[3])
    result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation


@entry("float64[::1](float64[:,:,::1], float64[:,::1], float64[::1], int64, int64, int64)")
def search(chain: Array, T: Array, q0: Array, task: int, starts: int, mode: int) -> Array:
    """Return a solution within limits, and how it was found.

    Args:
        chain: Packed constants.
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
    work = workspace(chain)
    q = q0.copy()
    result[n + STATUS] = OUT_OF_REACH
    result[n + ERROR_POSITION] = math.inf
    for k in range(starts):
        if k > 1 or mode == ANY:
            start(chain, T, k, task, q, work)
        else:
            copy(q0, q)
        # free and bounded descents find what the other misses; with joints to spare bounds cost
        # nothing, so these come first
        bounded = (k % 2 == 1) != (n > task)
        if _try(chain, T, q, q0, task, bounded, work, result):
            if mode == NEAREST:
                _look_around(chain, T, q, q0, task, work, result)
            break
    return result


@inner(inline=True)
def _collect(
    chain: Array,
    goal: Array,
    starts: int,
    most: int,
    limited: bool,
    work: tuple[Array, ...],
    found: Array,
) -> int:
    """Fill ``found`` with distinct solutions, in the order in which descents meet them."""
    n = chain.shape[0] - 1
    q, home = np.empty(n), np.zeros(n)
    count = repeats = flips = 0
    for k in range(starts):
        if repeats % 2 == 1 and flips < count * n:
            # one joint of a known solution turned over is a good way to its neighbours
            copy(found[flips // n], q)
            i = flips % n
            q[i] = q[i] + math.pi if chain[i, 3, 0] == 0.0 else -q[i]
            flips += 1
        else:
            start(chain, goal, k, 6, q, work)
        bounded = limited and k % 2 == 1
        position, rotation, _ = descend(chain, goal, q, 6, bounded, work)
        if position > TOLERANCE or rotation > TOLERANCE:
            continue
        if limited and not fit(chain, q, home):
            continue
        if not limited:
            wrap(chain, q)
        if is_new(chain, q, found, count):
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
    chain: Array, Ts: Array, starts: int, most: int, limited: bool
) -> tuple[Array, NDArray[np.int64]]:
    """Return up to ``most`` distinct solutions of each pose, nan behind them, and their numbers.

    Without ``limited`` joint limits do not count and angles lie in (-π, π]. Shapes (m, most, n)
    and (m,).
    """
    n = chain.shape[0] - 1
    solutions = np.full((Ts.shape[0], most, n), np.nan)
    counts = np.zeros(Ts.shape[0], dtype=np.int64)
    work = workspace(chain)
    for k in range(Ts.shape[0]):
        counts[k] = _collect(chain, Ts[k], starts, most, limited, work, solutions[k])
    return solutions, counts
