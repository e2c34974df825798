"""RRT-Connect: two trees, from the start and from the goals, grow until they meet.

J. J. Kuffner, S. M. LaValle: RRT-Connect: An efficient approach to single-query path planning,
ICRA 2000. The trees of a serial arm grow in a kernel, see `armwerk.planning.kernels.trees`, those
of arms with closed chains or coupled joints here. Random numbers belong to the search, so that one
seed gives one path in any thread and process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.planning.paths.walls import Wall, find_wall

if TYPE_CHECKING:
    from armwerk.planning.kernels.trees import Trees

STEP = 0.5
"""Longest branch, times the square root of the number of joints [rad or m]."""
_ROOM = 1024  # nodes of a tree at first; twice as many whenever it is full
_DOUBT = 20_000  # looks without success, after which it is asked whether there is a way at all
_LOOKS = 500  # between two looks at the clock, a millisecond or two


def rrt_connect(problem: PlanningProblem) -> Array | None:
    """Return a path from the start to one of the goals. Shape (k, n).

    None: the time was up; there is no way, as ``problem.wall`` then proves; or a shorter path than
    ``problem.bound`` did not show in ``problem.patience`` looks.
    """
    step = STEP * float(np.sqrt(len(problem.start)))
    return _compiled(problem, step) if problem.is_compiled else _by_lines(problem, step)


def _compiled(problem: PlanningProblem, step: float) -> Array | None:
    from armwerk.planning.kernels.trees import FULL, MET, grow, met_path

    trees = _planted(problem)
    low, high = problem.worth()
    space = problem.space._replace(low=np.ascontiguousarray(low), high=np.ascontiguousarray(high))
    left = problem.patience
    doubt = problem.looks + _DOUBT
    while left > 0 and not problem.expired():
        found, looks = grow(space, trees, step, problem.bound, min(left, _LOOKS))
        problem.looks += int(looks)
        left -= int(looks)
        if found == MET:
            return met_path(trees)
        if found == FULL:
            trees = _with_room(trees)
        if problem.looks > doubt and problem.bound == np.inf:
            doubt += 4 * (problem.looks - doubt + _DOUBT)
            problem.wall = _wall(problem, trees)
            if problem.wall is not None:
                return None
    return None


def _wall(problem: PlanningProblem, trees: Trees) -> Wall | None:
    """Return what keeps the trees apart, where that can be proved."""
    grown = [trees.places[tree][:, : trees.counts[tree]] for tree in range(2)]
    low, high = (np.array([f(one, axis=1) for one in grown]) for f in (np.min, np.max))
    return find_wall(problem, low, high)


def _planted(problem: PlanningProblem) -> Trees:
    """Return the roots of both trees, with room to grow."""
    from armwerk.planning.kernels.splitmix import random_state
    from armwerk.planning.kernels.trees import Trees

    roots = (problem.start[None], problem.goals)
    room = _ROOM + len(problem.goals)
    trees = Trees(
        np.zeros((2, len(problem.start), room)),
        np.full((2, room), -1, dtype=np.int64),
        np.array([len(rows) for rows in roots], dtype=np.int64),
        np.zeros(3, dtype=np.int64),
        random_state(problem.seed, problem.round),
    )
    for tree, rows in enumerate(roots):
        trees.places[tree, :, : len(rows)] = rows.T
    return trees


def _with_room(trees: Trees) -> Trees:
    """Return the same trees with twice the room."""
    return trees._replace(
        places=np.concatenate([trees.places, np.zeros_like(trees.places)], axis=2),
        parents=np.concatenate([trees.parents, np.full_like(trees.parents, -1)], axis=1),
    )


def _by_lines(problem: PlanningProblem, step: float) -> Array | None:
    """The same, each line proved by a call."""
    rng = np.random.default_rng((problem.seed, problem.round))
    trees = (_Tree(problem.start[None]), _Tree(problem.goals))
    end = problem.looks + problem.patience
    turn = 0
    while problem.looks < end and not problem.expired():
        tree, other = trees[turn], trees[1 - turn]
        turn = 1 - turn
        node = tree.extended(problem, rng.uniform(problem.low, problem.high), step)
        if node is None:
            continue
        there = tree.places[node]
        reached = other.extended(problem, there, step)
        while reached is not None and (other.places[reached] != there).any():
            reached = other.extended(problem, there, step, reached)
        if reached is not None:
            ways = (tree.way(node), other.way(reached)[::-1])
            first, second = ways if tree is trees[0] else (ways[1][::-1], ways[0][::-1])
            return np.concatenate([first, second[1:]])
    return None


class _Tree:
    """Nodes and the node before each."""

    def __init__(self, roots: Array) -> None:
        self.places = list(roots)
        self._parents = [-1] * len(roots)

    def extended(
        self, problem: PlanningProblem, goal: Array, step: float, parent: int | None = None
    ) -> int | None:
        """Add a node at most a step nearer to a goal and return it; None: that is blocked."""
        if parent is None:
            apart = np.linalg.norm(np.array(self.places) - goal, axis=1)
            parent = int(np.argmin(apart))
        here = self.places[parent]
        size = float(np.linalg.norm(goal - here))
        new = goal if size <= step else here + step / size * (goal - here)
        if not problem.is_free(new) or not problem.segments_free(np.stack([here, new])):
            return None
        self.places.append(new)
        self._parents.append(parent)
        return len(self.places) - 1

    def way(self, node: int) -> Array:
        """Return the places from the root to a node. Shape (k, n)."""
        found = []
        while node >= 0:
            found.append(self.places[node])
            node = self._parents[node]
        return np.array(found[::-1])
