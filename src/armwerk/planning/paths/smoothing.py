"""Smoothing: a path that is free comes in, a shorter one with the same ends goes out.

Of a serial arm everything is compiled, see `armwerk.planning.kernels.shortening`. For an arm
with closed chains or coupled joints the same is done line by line.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.paths.problem import PlanningProblem, length

TRIES = 100
"""Shortcuts tried, and `IN_VAIN` of them in a row without success end it earlier."""
IN_VAIN = 30
_GAIN = 1e-3  # share of the path's length below which a shortcut is not worth a corner
_APART = 1e-9  # [rad or m] between waypoints; nearer ones are one


def smooth(problem: PlanningProblem, path: Array, tries: int = TRIES) -> Array:
    """Return a shorter path with the same ends. Shape (k, n).

    Waypoints that can be left out are; then so many shortcuts between random points are tried.
    Each is proved free; but a point on a proved line splits it, and rounding puts it beside the
    line, so that the whole has to be proved again.
    """
    return (_compiled if problem.is_compiled else _by_lines)(problem, path, tries)


def _by_lines(problem: PlanningProblem, path: Array, tries: int = TRIES) -> Array:
    """The same, each line proved by a call."""
    rng = np.random.default_rng((problem.seed, problem.round))
    path = _fewer(problem, _distinct(path))
    vain = 0
    for _ in range(tries):
        if len(path) < 3 or vain >= IN_VAIN or problem.expired():
            break
        places = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))
        a, b = np.sort(rng.uniform(0.0, places[-1], 2))
        i, j = (int(np.searchsorted(places, x, "right")) - 1 for x in (a, b))
        if i == j:
            continue
        ends = np.stack(
            [np.interp([a, b], places, path[:, k]) for k in range(path.shape[1])], axis=1
        )
        gain = b - a - float(np.linalg.norm(ends[1] - ends[0]))
        if gain > _GAIN * places[-1] and problem.segments_free(ends):
            path = _distinct(np.concatenate([path[: i + 1], ends, path[j + 1 :]]))
            vain = 0
        else:
            vain += 1
    return _fewer(problem, path)


def _compiled(problem: PlanningProblem, path: Array, tries: int) -> Array:
    from armwerk.planning.kernels.shortening import shorten
    from armwerk.planning.kernels.splitmix import random_state

    room = np.zeros((len(path) + tries + 2, path.shape[1]))
    room[: len(path)] = path
    state = random_state(problem.seed, problem.round, 1)
    count, looks = shorten(problem.space, room, len(path), tries, IN_VAIN, state)
    problem.looks += int(looks)
    return room[:count].copy()


def _fewer(problem: PlanningProblem, path: Array) -> Array:
    """Return the path with as few waypoints as a look ahead finds, the furthest ones first."""
    kept = [0]
    while kept[-1] < len(path) - 1:
        here = kept[-1]
        for there in range(len(path) - 1, here, -1):
            direct = float(np.linalg.norm(path[there] - path[here]))
            if there == here + 1 or (
                direct < length(path[here : there + 1])
                and problem.segments_free(path[[here, there]])
            ):
                kept.append(there)
                break
    return np.asarray(path[kept])


def _distinct(path: Array) -> Array:
    """Return the path without waypoints that repeat the one before; the ends stay."""
    apart = np.abs(np.diff(path, axis=0)).max(axis=1) > _APART
    kept = path[np.append(True, apart)]
    if len(kept) < 2:
        return np.stack([path[0], path[-1]])
    kept[-1] = path[-1]
    return np.asarray(kept)
