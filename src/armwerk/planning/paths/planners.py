"""The planners: each takes a `PlanningProblem` and returns waypoints, or None.

A planner is one row of `PLANNERS`. All of them prove every straight line they use as
`PlanningProblem.segments_free` does, so that what they return is free from end to end.

RRT-Connect: see `armwerk.planning.paths.connecting`.

PRM: a roadmap of random configurations, searched for the shortest path. (L. E. Kavraki, P. Švestka,
J.-C. Latombe, M. H. Overmars: Probabilistic roadmaps for path planning in high-dimensional
configuration spaces, IEEE Transactions on Robotics and Automation 12(4), 1996.) OMPL grows the
roadmap, by a number of attempts and in one thread. (Its own search runs beside the growing, in a
second thread, so that two runs with one seed differ.) Start and goals are connected to the nearest
milestones and the path is found here, by A*.

OMPL comes with the extra ``planning``. Its random numbers are those of the whole process: they are
seeded once per query, and one query waits for the other, so that one seed gives one result in any
thread as long as the time suffices.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.extras import pip_line
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.connecting import rrt_connect
from armwerk.planning.paths.map_search import a_star
from armwerk.planning.paths.problem import PlanningProblem

if TYPE_CHECKING:
    from ompl.base import PlannerTerminationCondition
    from ompl.geometric import PRM

BY_OMPL: tuple[PlannerName, ...] = ("prm",)
"""Planners that need OMPL."""
_ONE_AT_A_TIME = threading.Lock()


class OmplState(Protocol):
    """A state of OMPL's real vector space: joint values by number [rad or m]."""

    def __getitem__(self, index: int, /) -> float:
        """Return one joint value."""
        ...

    def __setitem__(self, index: int, value: float, /) -> None:
        """Set one joint value."""
        ...


def load_ompl() -> tuple[ModuleType, ModuleType, ModuleType]:
    """Return OMPL's modules base, geometric and util.

    Raises:
        UnsupportedError: When OMPL is not installed; names the extra.
    """
    try:
        from ompl import base, geometric, util
    except ImportError:
        raise UnsupportedError(
            "the planner prm needs OMPL, which is not installed: "
            f"{pip_line('planning')} (rrt-connect and a-star work without)"
        ) from None
    return base, geometric, util


@contextmanager
def quiet_ompl(seed: int, number: int = 0) -> Iterator[None]:
    """Seed OMPL's random numbers for a round, and keep it from writing to the terminal."""
    _, _, util = load_ompl()
    with _ONE_AT_A_TIME:
        before = util.getLogLevel()
        util.setLogLevel(util.LOG_NONE)
        own = np.random.SeedSequence((seed, number)).generate_state(1)[0]
        util.RNG.setSeed(int(own >> 1) + 1)  # OMPL takes 0 for "any"
        try:
            yield
        finally:
            util.setLogLevel(before)


def numbers(state: OmplState, count: int) -> Array:
    """Return a state as joint values. Shape (n,)."""
    return np.array([state[i] for i in range(count)])


class OmplSpace:
    """A problem as OMPL's objects; all of them live as long as this one.

    Args:
        problem: The problem.
    """

    def __init__(self, problem: PlanningProblem) -> None:
        base, _, _ = load_ompl()
        n = len(problem.start)
        self.dof = n
        self.space = base.RealVectorStateSpace(n)
        bounds = base.RealVectorBounds(n)
        # a range without width is no space to OMPL
        low, high = problem.worth()
        wide = np.maximum(high - low, 1e-9)
        bounds.low, bounds.high = low.tolist(), (low + wide).tolist()
        self.space.setBounds(bounds)
        self.information = base.SpaceInformation(self.space)
        self.information.setStateValidityChecker(lambda state: _is_milestone(state, problem))

        class Proved(base.MotionValidator):  # type: ignore[misc, name-defined]
            def checkMotion(self, one: OmplState, two: OmplState) -> bool:
                return problem.segments_free(np.stack([numbers(one, n), numbers(two, n)]))

        self.validator = Proved(self.information)
        self.information.setMotionValidator(self.validator)
        self.information.setup()

    def state(self, q: Array) -> OmplState:
        """Return joint values as a state."""
        state: OmplState = self.space.allocState()
        for i in range(self.dof):
            state[i] = float(q[i])
        return state


FIRST = 64
"""Attempts of the first round; every further round makes as many as all before it."""
NEAREST = 10
"""Milestones to which start and goals are connected."""


def _is_milestone(state: OmplState, problem: PlanningProblem) -> bool:
    """Whether a state is free, and a way through it can be shorter than the best so far."""
    q = numbers(state, len(problem.start))
    return problem.is_worth(q) and problem.is_free(q)


def prm(problem: PlanningProblem) -> Array | None:
    """Return a path from the start to one of the goals. Shape (k, n).

    None: the time was up, or a shorter path than ``problem.bound`` did not show in
    ``problem.patience`` looks.
    """
    base, geometric, _ = load_ompl()
    end = problem.looks + problem.patience
    with quiet_ompl(problem.seed, problem.round):
        view = OmplSpace(problem)
        definition = base.ProblemDefinition(view.information)
        definition.addStartState(view.state(problem.start))
        definition.setGoalState(view.state(problem.goals[0]))
        planner = geometric.PRM(view.information)
        planner.setProblemDefinition(definition)
        planner.setup()
        attempts = FIRST
        while problem.looks < end and not problem.expired():
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


Planner: TypeAlias = Callable[[PlanningProblem], Array | None]

PLANNERS: dict[PlannerName, Planner] = {"rrt-connect": rrt_connect, "prm": prm, "a-star": a_star}
