"""The planners: each takes a `PlanningProblem` and returns waypoints, or None; and their smoothing.

A planner is one row of `PLANNERS`. All of them prove every straight line they use with
`PlanningProblem.segments_free`, so that what they return is free from end to end.

RRT-Connect: two trees, from the start and from the goals, grow until they meet. (J. J. Kuffner,
S. M. LaValle: RRT-Connect: An efficient approach to single-query path planning, ICRA 2000.) The
trees are OMPL's.

PRM: a roadmap of random configurations, searched for the shortest path. (L. E. Kavraki, P. Švestka,
J.-C. Latombe, M. H. Overmars: Probabilistic roadmaps for path planning in high-dimensional
configuration spaces, IEEE Transactions on Robotics and Automation 12(4), 1996.) OMPL grows the
roadmap, by a number of attempts and in one thread. (Its own search runs beside the growing, in a
second thread, so that two runs with one seed differ.) Start and goals are connected to the nearest
milestones and the path is found here, by A*.

OMPL comes with the extra ``planning``. Its random numbers are seeded once per query; everything
runs in one thread, so that one seed gives one result as long as the time suffices.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.extras import pip_line
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.map_search import a_star
from armwerk.planning.paths.problem import PlanningProblem, length

if TYPE_CHECKING:
    from ompl.base import PlannerTerminationCondition
    from ompl.geometric import PRM

BY_OMPL: tuple[PlannerName, ...] = ("rrt-connect", "prm")
"""Planners that need OMPL."""


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
            "the planners rrt-connect and prm need OMPL, which is not installed: "
            f"{pip_line('planning')} (planner a-star works without)"
        ) from None
    return base, geometric, util


@contextmanager
def quiet_ompl(seed: int) -> Iterator[None]:
    """Seed OMPL's random numbers, and keep it from writing to the terminal."""
    _, _, util = load_ompl()
    before = util.getLogLevel()
    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed + 1)  # OMPL takes 0 for "any"
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
        wide = np.maximum(problem.high - problem.low, 1e-9)
        bounds.low, bounds.high = problem.low.tolist(), (problem.low + wide).tolist()
        self.space.setBounds(bounds)
        self.information = base.SpaceInformation(self.space)
        self.information.setStateValidityChecker(lambda state: problem.is_free(numbers(state, n)))

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


STEP = 0.5
"""Longest branch, times the square root of the number of joints [rad or m]."""


def rrt_connect(problem: PlanningProblem) -> Array | None:
    """Return a path from the start to one of the goals. Shape (k, n). None: the time was up."""
    base, geometric, _ = load_ompl()
    with quiet_ompl(problem.seed):
        view = OmplSpace(problem)
        definition = base.ProblemDefinition(view.information)
        definition.addStartState(view.state(problem.start))
        goals = base.GoalStates(view.information)
        for goal in problem.goals:
            goals.addState(view.state(goal))
        definition.setGoal(goals)
        planner = geometric.RRTConnect(view.information)
        planner.setRange(STEP * float(np.sqrt(view.dof)))
        planner.setProblemDefinition(definition)
        planner.setup()
        planner.solve(base.PlannerTerminationCondition(problem.expired))
        if not definition.hasExactSolution():
            return None
        states = definition.getSolutionPath().getStates()
        return np.array([numbers(state, view.dof) for state in states])


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


TRIES = 150
"""Shortcuts tried, and `IN_VAIN` of them in a row without success end it earlier."""
IN_VAIN = 40
_GAIN = 1e-3  # share of the path's length below which a shortcut is not worth a corner
_APART = 1e-9  # [rad or m] between waypoints; nearer ones are one


def smooth(problem: PlanningProblem, path: Array) -> Array:
    """Return a shorter path with the same ends. Shape (k, n).

    Waypoints that can be left out are; then the lines between random points of the path are tried.
    Each is proved free; but a point on a proved line splits it, and rounding puts it beside the
    line, so that the whole has to be proved again.
    """
    rng = np.random.default_rng(problem.seed)
    path = _fewer(problem, _distinct(path))
    vain = 0
    for _ in range(TRIES):
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


Planner: TypeAlias = Callable[[PlanningProblem], Array | None]

PLANNERS: dict[PlannerName, Planner] = {"rrt-connect": rrt_connect, "prm": prm, "a-star": a_star}
