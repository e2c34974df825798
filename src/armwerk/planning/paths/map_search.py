"""A* on a configuration-space map: the shortest path over the cells of two joints.

P. E. Hart, N. J. Nilsson, B. Raphael: A formal basis for the heuristic determination of minimum
cost paths, IEEE Transactions on Systems Science and Cybernetics 4(2), 1968.

The map only says which cells are free in their middle. Every step from cell to cell is proved when
the search gets to it, so that nothing thin between two cells is jumped over. Where no path is found
the map is made finer.
"""

from __future__ import annotations

import heapq

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import PlanningError
from armwerk.planning.maps.mapping import cspace
from armwerk.planning.maps.result import ConfigurationSpace
from armwerk.planning.paths.problem import PlanningProblem

CELLS = ((60, 60), (180, 180), (540, 540))
"""Maps tried one after the other."""
_AROUND = 2  # cells in each direction that start and goals are connected to
_NEXT = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
_SAME = 1e-9  # [rad or m] within which joints that stand still agree


def a_star(problem: PlanningProblem) -> Array | None:
    """Return the shortest path on a map from the start to one of the goals. Shape (k, n).

    None: there is none on the finest map, or the time was up.

    Raises:
        PlanningError: When other joints than those of the map would have to move.
    """
    goals = _reachable(problem)
    for cells in CELLS if problem.cells is None else (problem.cells,):
        if problem.expired():
            return None
        path = _on_map(problem, goals, _map(problem, cells))
        if path is not None:
            return path
    return None


def _reachable(problem: PlanningProblem) -> Array:
    """Return the goals that need no other joints than those of the map. Shape (k, n)."""
    still = [k for k in range(len(problem.start)) if k not in problem.axes]
    apart = np.abs(problem.goals - problem.start)[:, still]
    found = problem.goals[(apart <= _SAME).all(axis=1)]
    if len(found):
        return np.asarray(found)
    names = [joint.name for arm in problem.checker.arms for joint in arm.moving]
    worst = still[int(np.argmax(apart[0]))]
    raise PlanningError(
        f"planner a-star moves only the joints {', '.join(names[k] for k in problem.axes)}, but "
        f"joint '{names[worst]}' would have to go from {problem.start[worst]:.6g} to "
        f"{problem.goals[0, worst]:.6g} (choose axes, or rrt-connect)",
        reason="goal",
    )


def _map(problem: PlanningProblem, cells: tuple[int, int]) -> ConfigurationSpace:
    checker = problem.checker
    ranges = [(problem.low[k], problem.high[k]) for k in problem.axes]
    return cspace(
        checker.arms[0],
        checker.bodies,
        axes=problem.axes,
        shape=cells,
        q=problem.start,
        shapes=checker.shapes[0],
        ranges=ranges,
    )


class _Cells:
    """The free cells of a map by column and row, both ascending, and paths between them."""

    def __init__(self, problem: PlanningProblem, space: ConfigurationSpace) -> None:
        self.problem = problem
        self.free = space.free[::-1].T
        self.values = [axis.values for axis in space.axes]
        self.steps = np.array([axis.step for axis in space.axes])
        self.low = np.array([axis.low for axis in space.axes])

    def at(self, cell: tuple[int, int]) -> Array:
        """Return the joint values of a cell. Shape (n,)."""
        q = self.problem.start.copy()
        q[list(self.problem.axes)] = self.values[0][cell[0]], self.values[1][cell[1]]
        return q

    def around(self, q: Array) -> list[tuple[int, int]]:
        """Return the free cells next to joint values that can be reached from there."""
        place = np.round((q[list(self.problem.axes)] - self.low) / self.steps).astype(int)
        found = []
        for i in range(-_AROUND, _AROUND + 1):
            for j in range(-_AROUND, _AROUND + 1):
                cell = (int(place[0]) + i, int(place[1]) + j)
                if self.is_free(cell) and self.problem.segments_free(np.stack([q, self.at(cell)])):
                    found.append(cell)
        return found

    def is_free(self, cell: tuple[int, int]) -> bool:
        """Whether a cell is on the map and free in its middle."""
        wide, high = self.free.shape
        return 0 <= cell[0] < wide and 0 <= cell[1] < high and bool(self.free[cell])


def _on_map(problem: PlanningProblem, goals: Array, space: ConfigurationSpace) -> Array | None:
    cells = _Cells(problem, space)
    ends: dict[tuple[int, int], int] = {}
    for number in range(len(goals) - 1, -1, -1):
        ends.update(dict.fromkeys(cells.around(goals[number]), number))
    if not ends:
        return None
    targets = np.array(list(ends)) * cells.steps

    def rest(cell: tuple[int, int]) -> float:
        return float(np.linalg.norm(targets - np.array(cell) * cells.steps, axis=1).min())

    # an entry waits with the cell it comes from; the step between them is proved when it is due
    open_: list[tuple[float, float, tuple[int, int], tuple[int, int] | None]] = []
    for cell in cells.around(problem.start):
        cost = float(np.linalg.norm(cells.at(cell) - problem.start))
        heapq.heappush(open_, (cost + rest(cell), cost, cell, None))
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    while open_ and not problem.expired():
        _, cost, here, come = heapq.heappop(open_)
        if here in before:
            continue
        if come is not None and not problem.segments_free(
            np.stack([cells.at(come), cells.at(here)])
        ):
            continue
        before[here] = come
        if here in ends:
            return _route(cells, before, here, goals[ends[here]])
        for i, j in _NEXT:
            cell = (here[0] + i, here[1] + j)
            if cell not in before and cells.is_free(cell):
                step = float(np.hypot(i * cells.steps[0], j * cells.steps[1]))
                heapq.heappush(open_, (cost + step + rest(cell), cost + step, cell, here))
    return None


def _route(
    cells: _Cells,
    before: dict[tuple[int, int], tuple[int, int] | None],
    last: tuple[int, int],
    goal: Array,
) -> Array:
    route = [goal]
    cell: tuple[int, int] | None = last
    while cell is not None:
        route.append(cells.at(cell))
        cell = before[cell]
    return np.array([cells.problem.start, *route[::-1]])
