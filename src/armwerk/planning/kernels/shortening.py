"""Detours cut off: a proved path comes in, a shorter one with the same ends goes out.

Three things are tried, every line of them proved: corners are left out, the line between two random
points of the path is taken, and a corner is pulled towards the line between its neighbours.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.segments import SegmentScratch, make_segment_scratch
from armwerk.collision.kernels.signatures import INTEGER, ROWS, answers
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.splitmix import WORDS, Words, uniform
from armwerk.planning.kernels.trees import SPACE, FreeSpace, between, blocked, distance

_GAIN = 1e-3  # share of the path's length below which a shortcut is not worth a corner
_APART = 1e-9  # [rad or m] between waypoints; nearer ones are one
_PULLS = 0.5  # share of tries that pull a corner


@inner(borrows=True)
def _apart(path: Array, i: int, j: int) -> float:
    """Return how far two waypoints are apart."""
    return distance(path[i], path[j])


@inner(borrows=True)
def _put(path: Array, k: int, q: Array) -> None:
    """Fill a waypoint."""
    for i in range(q.shape[0]):
        path[k, i] = q[i]


@inner(borrows=True)
def _copy(path: Array, k: int, to: int) -> None:
    """Copy a waypoint to another place of the path."""
    for i in range(path.shape[1]):
        path[to, i] = path[k, i]


@inner(borrows=True)
def _moved(path: Array, first: int, last: int, to: int) -> None:
    """Copy waypoints first to last - 1 to another place of the path; they may overlap."""
    if to < first:
        for k in range(last - first):
            _copy(path, first + k, to + k)
    else:
        for k in range(last - first - 1, -1, -1):
            _copy(path, first + k, to + k)


@inner(borrows=True)
def _fewer(path: Array, count: int, space: FreeSpace, work: SegmentScratch) -> tuple[int, int]:
    """Leave out waypoints that can be, the furthest look ahead first; return how many are left."""
    looks, kept = 0, 0
    here = 0
    while here < count - 1:
        along = 0.0
        for k in range(here, count - 1):
            along += _apart(path, k, k + 1)
        there = count - 1
        while there > here + 1:
            if _apart(path, kept, there) < along:
                hit, tried = blocked(path[kept], path[there], space, work)
                looks += tried
                if not hit:
                    break
            along -= _apart(path, there - 1, there)
            there -= 1
        kept += 1
        _copy(path, there, kept)
        here = there
    return kept + 1, looks


@inner(borrows=True)
def _at(path: Array, count: int, place: float, q: Array) -> int:
    """Fill the point of a path a way from its start; return the waypoint before it."""
    for k in range(count - 1):
        size = _apart(path, k, k + 1)
        if place <= size or k == count - 2:
            between(path[k], path[k + 1], min(place / size, 1.0) if size > 0.0 else 0.0, q)
            return k
        place -= size
    return count - 2


@inner(borrows=True)
def _distinct(path: Array, count: int) -> int:
    """Leave out waypoints that repeat the one before, but no end; return how many are left."""
    kept = 0
    for k in range(1, count - 1):
        if _apart(path, kept, k) > _APART:
            kept += 1
            _copy(path, k, kept)
    if kept > 0 and _apart(path, kept, count - 1) <= _APART:
        kept -= 1
    _copy(path, count - 1, kept + 1)
    return kept + 2


@entry(answers(INTEGER, INTEGER)(SPACE, ROWS, INTEGER, INTEGER, INTEGER, WORDS))
def shorten(
    space: FreeSpace, path: Array, count: int, tries: int, in_vain: int, state: Words
) -> tuple[int, int]:
    """Shorten a path where it stands.

    Args:
        space: Where the arm can be.
        path: Waypoints, and room for one more per try. Shape (room, n).
        count: How many waypoints there are.
        tries: How many shortcuts and pulls are tried.
        in_vain: So many in a row without success end it earlier.
        state: Of the random numbers.

    Returns:
        How many waypoints there are afterwards, and how many configurations were looked at.
    """
    n = path.shape[1]
    work = make_segment_scratch(space.chain, space.scene)
    one, two = np.zeros(n), np.zeros(n)
    count, looks = _fewer(path, _distinct(path, count), space, work)
    vain, changed = 0, False
    for _ in range(tries):
        if count < 3 or vain >= in_vain:
            break
        vain += 1
        whole = 0.0
        for k in range(count - 1):
            whole += _apart(path, k, k + 1)
        if uniform(state) < _PULLS:
            k = 1 + int(uniform(state) * (count - 2))
            before, behind = _apart(path, k - 1, k), _apart(path, k, k + 1)
            between(path[k - 1], path[k + 1], before / (before + behind), one)
            between(path[k], one, uniform(state), two)
            pulled = distance(path[k - 1], two) + distance(two, path[k + 1])
            if before + behind - pulled <= _GAIN * whole:
                continue
            hit, tried = blocked(path[k - 1], two, space, work)
            looks += tried
            if not hit:
                hit, tried = blocked(two, path[k + 1], space, work)
                looks += tried
            if not hit:
                _put(path, k, two)
                vain, changed = 0, True
            continue
        low, high = whole * uniform(state), whole * uniform(state)
        low, high = min(low, high), max(low, high)
        i, j = _at(path, count, low, one), _at(path, count, high, two)
        if i == j or high - low - distance(one, two) <= _GAIN * whole:
            continue
        hit, tried = blocked(one, two, space, work)
        looks += tried
        if not hit:
            _moved(path, j + 1, count, i + 3)
            _put(path, i + 1, one)
            _put(path, i + 2, two)
            count = _distinct(path, count + 2 - (j - i))
            vain, changed = 0, True
    if changed:
        count, tried = _fewer(path, count, space, work)
        looks += tried
    return count, looks
