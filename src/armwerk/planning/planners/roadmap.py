"""PRM: a roadmap of random configurations, searched for the shortest way.

L. E. Kavraki, P. Švestka, J.-C. Latombe, M. H. Overmars: Probabilistic roadmaps for path planning
in high-dimensional configuration spaces, IEEE Transactions on Robotics and Automation 12(4), 1996.

OMPL grows the roadmap, by a number of attempts and in one thread. (Its own search runs beside the
growing, in a second thread, so that two runs with one seed differ.) Start and goals are connected
to the nearest milestones and the way is found here, by A*.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.planners.ompl_space import Space, load_ompl, numbers, quiet_ompl
from armwerk.planning.planners.terrain import Terrain

FIRST = 64
"""Attempts of the first round; every further round makes as many as all before it."""
NEAREST = 10
"""Milestones to which start and goals are connected."""


def prm(terrain: Terrain) -> Array | None:
    """Return a way from the start to one of the goals. Shape (k, n). None: the time was up."""
    base, geometric, _ = load_ompl()
    with quiet_ompl(terrain.seed):
        view = Space(terrain)
        problem = base.ProblemDefinition(view.information)
        problem.addStartState(view.state(terrain.start))
        problem.setGoalState(view.state(terrain.goals[0]))
        planner = geometric.PRM(view.information)
        planner.setProblemDefinition(problem)
        planner.setup()
        attempts = FIRST
        while not terrain.expired():
            planner.growRoadmapPtc(_condition(base, terrain, attempts))
            way = _search(terrain, *_roadmap(base, planner, view))
            if way is not None:
                return way
            attempts *= 2
    return None


def _condition(base: Any, terrain: Terrain, attempts: int) -> Any:
    left = [attempts]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0 or terrain.expired()

    return base.PlannerTerminationCondition(stop)


def _roadmap(base: Any, planner: Any, view: Space) -> tuple[Array, list[list[int]]]:
    """Return the milestones (k, n), and for each the numbers of those it is connected to."""
    data = base.PlannerData(view.information)
    planner.getPlannerData(data)
    count = data.numVertices()
    places = [numbers(data.getVertex(k).getState(), view.dof) for k in range(count)]
    links: list[list[int]] = [[] for _ in range(count)]
    for k in range(count):
        for other in data.getEdges(k):
            links[k].append(int(other))
            links[int(other)].append(k)
    return np.array(places).reshape(-1, view.dof), links


def _search(terrain: Terrain, places: Array, links: list[list[int]]) -> Array | None:
    """Return the shortest way over the roadmap, start and goals connected to it."""
    count = len(places)
    points = np.concatenate([places, terrain.start[None], terrain.goals])
    near = [*(set(row) for row in links), *(set() for _ in range(1 + len(terrain.goals)))]
    for end in range(count, len(points)):
        apart = np.linalg.norm(places - points[end], axis=1)
        for k in np.argsort(apart, kind="stable")[:NEAREST].tolist():
            if terrain.expired():
                return None
            if terrain.way(points[[end, k]]):
                near[end].add(k)
                near[k].add(end)
    route = shortest(points, near, count, range(count + 1, len(points)))
    return None if route is None else points[route]


def shortest(points: Array, near: list[set[int]], start: int, goals: range) -> list[int] | None:
    """Return the numbers of points along the shortest way, by A*; None: there is no way.

    Args:
        points: Shape (k, n).
        near: For each point those it is connected to.
        start: Number of the first.
        goals: Numbers of those to be reached.
    """
    rest = np.linalg.norm(points[:, None] - points[goals.start : goals.stop], axis=2).min(axis=1)
    best = {start: 0.0}
    before: dict[int, int] = {}
    open_ = [(float(rest[start]), start)]
    done: set[int] = set()
    while open_:
        _, here = heapq.heappop(open_)
        if here in done:
            continue
        done.add(here)
        if here in goals:
            route = [here]
            while route[-1] != start:
                route.append(before[route[-1]])
            return route[::-1]
        for other in sorted(near[here]):
            cost = best[here] + float(np.linalg.norm(points[other] - points[here]))
            if cost < best.get(other, np.inf):
                best[other], before[other] = cost, here
                heapq.heappush(open_, (cost + float(rest[other]), other))
    return None
