"""PRM: a roadmap of random configurations, searched for the shortest path.

L. E. Kavraki, P. Švestka, J.-C. Latombe, M. H. Overmars: Probabilistic roadmaps for path planning
in high-dimensional configuration spaces, IEEE Transactions on Robotics and Automation 12(4), 1996.

OMPL grows the roadmap, by a number of attempts and in one thread. (Its own search runs beside the
growing, in a second thread, so that two runs with one seed differ.) Start and goals are connected
to the nearest milestones and the path is found here, by A*.
"""

from __future__ import annotations

import heapq
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.paths.ompl_space import OmplSpace, load_ompl, numbers, quiet_ompl
from armwerk.planning.paths.problem import PlanningProblem

if TYPE_CHECKING:
    from ompl.base import PlannerTerminationCondition
    from ompl.geometric import PRM

FIRST = 64
"""Attempts of the first round; every further round makes as many as all before it."""
NEAREST = 10
"""Milestones to which start and goals are connected."""


def prm(problem: PlanningProblem) -> Array | None:
    """Return a path from the start to one of the goals. Shape (k, n). None: the time was up."""
    base, geometric, _ = load_ompl()
    with quiet_ompl(problem.seed):
        view = OmplSpace(problem)
        definition = base.ProblemDefinition(view.information)
        definition.addStartState(view.state(problem.start))
        definition.setGoalState(view.state(problem.goals[0]))
        planner = geometric.PRM(view.information)
        planner.setProblemDefinition(definition)
        planner.setup()
        attempts = FIRST
        while not problem.expired():
            planner.growRoadmapPtc(_condition(base, problem, attempts))
            path = _search(problem, *_roadmap(base, planner, view))
            if path is not None:
                return path
            attempts *= 2
    return None


def _condition(
    base: ModuleType, problem: PlanningProblem, attempts: int
) -> PlannerTerminationCondition:
    left = [attempts]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0 or problem.expired()

    return base.PlannerTerminationCondition(stop)


def _roadmap(base: ModuleType, planner: PRM, view: OmplSpace) -> tuple[Array, list[list[int]]]:
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


def _search(problem: PlanningProblem, places: Array, links: list[list[int]]) -> Array | None:
    """Return the shortest path over the roadmap, start and goals connected to it."""
    count = len(places)
    points = np.concatenate([places, problem.start[None], problem.goals])
    near = [*(set(row) for row in links), *(set() for _ in range(1 + len(problem.goals)))]
    for end in range(count, len(points)):
        apart = np.linalg.norm(places - points[end], axis=1)
        for k in np.argsort(apart, kind="stable")[:NEAREST].tolist():
            if problem.expired():
                return None
            if problem.segments_free(points[[end, k]]):
                near[end].add(k)
                near[k].add(end)
    route = shortest(points, near, count, range(count + 1, len(points)))
    return None if route is None else points[route]


def shortest(points: Array, near: list[set[int]], start: int, goals: range) -> list[int] | None:
    """Return the numbers of points along the shortest path, by A*; None: there is no path.

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
