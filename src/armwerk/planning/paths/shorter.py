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

_PATIENCE = 3  # a round may take so many times the looks of the first search
_LEAST = 500  # looks of a round at least
_STRAIGHT = 1.0 + 1e-6  # times the straight line: nothing shorter is worth looking for


def smoothed(problem: PlanningProblem, path: Array) -> Array:
    """Return a path without detours, proved as a whole; else the path as it was."""
    if len(path) < 3:
        return path
    shorter = smooth(problem, path)
    if length(shorter) < length(path) and problem.segments_free(shorter):
        return shorter
    return path


def shortest_of(
    problem: PlanningProblem, search: Search, path: Array, looks: int, rounds: int | None
) -> Array:
    """Return the shortest of several paths, all smoothed. Shape (k, n).

    Args:
        problem: The problem.
        search: What looks for a path.
        path: Found in the first round, smoothed.
        looks: That were needed for it.
        rounds: How many rounds there are with the first; None: as many as the time allows.
    """
    direct = float(np.linalg.norm(problem.goals - problem.start, axis=1).min())
    problem.patience = max(_PATIENCE * looks, _LEAST)
    while rounds is None or problem.round + 1 < rounds:
        if length(path) <= _STRAIGHT * direct or problem.expired():
            break
        problem.round += 1
        problem.bound = length(path)
        found = search(problem)
        if found is not None:
            shorter = smoothed(problem, found)
            path = shorter if length(shorter) < length(path) else path
    return path
