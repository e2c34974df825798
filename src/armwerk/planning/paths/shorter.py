"""Shorter paths: one that was found comes in, the shortest of several searches goes out.

Each round is a search with random numbers of its own, for ways that can be shorter than the best so
far. What round k finds depends on the seed and k alone, so that a number of rounds gives one result
on any machine; only how many rounds fit into a time differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.paths.problem import PlanningProblem, length
from armwerk.planning.paths.smoothing import smooth

Search: TypeAlias = Callable[[PlanningProblem], Array | None]

EVERY = 4
"""Rounds of which the shortest path is smoothed."""
NEAR = 1.1
"""Times the straight line, which no path is shorter than: such a path needs no rounds to spare."""
ENOUGH = 50_000
"""Looks, a tenth of a second, after which a detour is no reason for more rounds than asked for."""
_PATIENCE = 3  # a round may take so many times the looks of the first search
_LEAST = 500  # looks of a round at least
_STRAIGHT = 1.0 + 1e-6  # times the straight line: nothing shorter is worth looking for


def _proved(problem: PlanningProblem, *paths: Array) -> Array | None:
    """Return the shortest of paths that is proved as a whole; None: none is."""
    for path in sorted(paths, key=length):
        if problem.segments_free(path):
            return path
    return None


def shortest_of(
    problem: PlanningProblem,
    search: Search,
    path: Array,
    looks: int,
    rounds: int | None,
    most: int | None,
) -> Array:
    """Return the shortest of several paths, smoothed. Shape (k, n).

    Every round leaves out the corners that can be. Smoothing takes longer than a round: it is for
    the shortest of every `EVERY` rounds.

    Args:
        problem: The problem.
        search: What looks for a path.
        path: Found in the first round.
        looks: That were needed for it.
        rounds: How many rounds there are with the first; None: as many as ``most`` and time allow.
        most: How many there are at most, for a path that is longer than `NEAR` tells after
            ``rounds``; None: as many as the time allows.
    """
    direct = float(np.linalg.norm(problem.goals - problem.start, axis=1).min())
    problem.patience = max(_PATIENCE * looks, _LEAST)
    best = path
    rough: Array | None = path if most == 1 else smooth(problem, path, 0)
    while True:
        made = problem.round + 1
        is_last = made == most or problem.expired()
        is_last |= rounds is not None and made >= rounds and problem.looks > ENOUGH
        if rough is not None and (is_last or made == rounds or made % EVERY == 0):
            done = _proved(problem, smooth(problem, rough), rough)
            best, rough = best if done is None else min(best, done, key=length), None
        enough = _STRAIGHT if rounds is None or made < rounds else NEAR
        if is_last or length(best) <= enough * direct:
            return best
        problem.round += 1
        problem.bound = min(length(best), length(best if rough is None else rough))
        again = search(problem)
        if again is not None:
            fewer = smooth(problem, again, 0)
            rough = fewer if rough is None else min(rough, fewer, key=length)
