"""From start to goal through free space: joint values or a pose come in, a proved path goes out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.collision.checker import Checker
from armwerk.collision.motion_check import with_srdf
from armwerk.collision.moving_body import Moving, movers
from armwerk.errors import DescriptionError, PlanningError, UnknownNameError, UnsupportedError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.limits import Limits
from armwerk.planning.arms import ArmLike, Described
from armwerk.planning.options import DETOUR_ROUNDS, ROUNDS, PlannerName, Progress
from armwerk.planning.paths.in_time import WITHIN, motion_in_time
from armwerk.planning.paths.planners import BY_OMPL, PLANNERS, Planner, load_ompl
from armwerk.planning.paths.problem import PlanningProblem, goal_rows, joint_row
from armwerk.planning.paths.result import PlannedPath
from armwerk.planning.paths.shorter import shortest_of
from armwerk.planning.paths.walls import described


def find_path(
    arm: ArmLike | Sequence[Described | str | Path] | Checker,
    bodies: Bodies | Iterable[Body],
    q0: ArrayLike,
    goal: ArrayLike,
    planner: PlannerName = "rrt-connect",
    seconds: float = 10.0,
    seed: int = 0,
    *,
    margin: float = 0.0,
    smoothing: bool = True,
    rounds: int | None = None,
    anytime: bool = False,
    axes: Sequence[int] = (0, 1),
    cells: Sequence[int] | None = None,
    shapes: ArmShapes | None = None,
    self_check: bool = True,
    progress: Progress | None = None,
    limits: Limits | None = None,
    srdf: str | Path | None = None,
    moving: Iterable[Moving] = (),
    start: float = 0.0,
    within: float = WITHIN,
    stay: float = 0.0,
) -> PlannedPath:
    """Find a path for an arm from start to goal that touches nothing, the arm itself included.

    Among bodies that move the result is a `TimedPath`: its trajectory, with its waits, is free
    of them at its own times.

    Every line of the path is proved free, not sampled: see `armwerk.collision.prover`. One seed
    gives one result, unless the time limit ends the search or the smoothing early.

    Args:
        arm: A description or its model, the name of one, several that move together, or a
            `Checker` that stands for arm and bodies.
        bodies: What stands around.
        q0: Start [rad or m]. Shape (n,).
        goal: Joint values (n,); or a pose T_world_tool (4, 4) or a point of the tool (3,) [m], of
            which every inverse solution within the limits that touches nothing is a goal.
        planner: "rrt-connect" or "prm" for any number of joints, this one by OMPL; "a-star" on a
            map of two.
        seconds: Time limit of the whole call [s]; compiling and loading kernels does not count.
        seed: For what is random, 0 or more.
        margin: Distance to keep from bodies [m].
        smoothing: Whether detours are cut off, and more than one round is searched.
        rounds: Searches of which the shortest path is taken, 1 or more: four more never make it
            longer. None: four, and up to sixteen while the path is a tenth longer than the
            straight line and no more than 50,000 configurations have been looked at.
        anytime: Whether there are as many rounds as the time limit allows, so that all of the time
            is spent on a shorter path. The ``rounds`` of the result give it again.
        axes: Two joints that "a-star" moves, counted from 0.
        cells: Of the map of "a-star"; None: finer and finer ones.
        shapes: Of the arm; None: as `arm_shapes` makes them.
        self_check: Whether the arm must not touch itself.
        progress: Called with the fraction of the time used, 0 to 1, once in a while.
        limits: What the joints may do when the path is driven; None: those of the arm, see
            `armwerk.Limits.of`.
        srdf: File that says which links of the arm may touch; None: the one beside its file.
        moving: What moves by itself meanwhile: `MovingBody` and `MovingArm`. The search is then
            over a roadmap in space and time, whatever the planner.
        start: When the arm may set off, by the clock of what moves [s].
        within: How long the motion may take, waits included [s]; only among bodies that move.
        stay: How long nothing may touch the arm at the goal after it [s]; likewise.

    Raises:
        PlanningError: When the start or all goals touch something, when the pose has no inverse
            solution, when there is proved to be no way, or when none was found in time; its
            ``reason`` says which.
        ShapeError: For joint values or a pose of the wrong shape, nan, or beyond the limits.
        UnknownNameError: For an unknown planner.
        UnsupportedError: When the planner needs OMPL and it is not installed.
    """
    search = _planner(planner, seconds, seed, margin, rounds)
    beside = movers(moving)
    _load_kernels()
    if beside:
        _load_moving_kernels()
    begin = time.perf_counter()
    chosen = arm if srdf is None else with_srdf(arm, srdf)
    checker = _checker(chosen, bodies, shapes, self_check)
    first = joint_row(q0, checker, "q0")
    goals = goal_rows(goal, first, checker)
    problem = PlanningProblem(
        checker,
        first,
        goals,
        margin=float(margin),
        seconds=float(seconds),
        begin=begin,
        seed=int(seed),
        axes=_axes(axes, checker, planner),
        cells=_cells(cells),
        progress=progress,
    )
    if not problem.is_free(first):
        raise PlanningError(f"the start {_why(problem, first)}", reason="start")
    problem.goals = _free_goals(problem)
    if beside:
        return motion_in_time(
            problem,
            beside,
            start=start,
            within=within,
            stay=stay,
            limits=_limits_of(checker, limits),
            smoothing=smoothing,
            planner=planner,
        )
    path = _straight(problem)
    if path is None:
        before = problem.looks
        path = search(problem)
        if path is None and problem.wall is not None:
            why = described(problem, problem.wall)
            raise PlanningError(why, reason="no way", seconds=problem.used)
        if path is None:
            why = _not_found(problem, planner)
            raise PlanningError(why, reason="not found", seconds=problem.used)
        needed = problem.looks - before
        if smoothing or anytime:
            many = _rounds(problem, planner, rounds, anytime)
            path = shortest_of(problem, search, path, needed, *many)
    path.setflags(write=False)
    return PlannedPath(
        path,
        planner,
        problem.used,
        problem.looks,
        checker,
        problem.margin,
        limits,
        problem.round + 1,
    )


def _rounds(
    problem: PlanningProblem, planner: PlannerName, rounds: int | None, anytime: bool
) -> tuple[int | None, int | None]:
    """Return how many rounds there are, and how many where the path takes a detour."""
    if planner == "a-star":
        return 1, 1
    if anytime:
        return None, None
    if rounds is not None:
        return int(rounds), int(rounds)
    return ROUNDS, DETOUR_ROUNDS if problem.is_compiled else ROUNDS


def _planner(
    name: PlannerName, seconds: float, seed: int, margin: float, rounds: int | None
) -> Planner:
    if name not in PLANNERS:
        raise UnknownNameError("planner", str(name), PLANNERS)
    for what, value, least in (("seconds", seconds, 1e-3), ("margin", margin, 0.0)):
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not least <= value < np.inf:
            raise DescriptionError(
                "out of range", element=what, value=value, allowed=f"{least:g} or more"
            )
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 2**31 - 1:
        raise DescriptionError(
            "no seed", element="seed", value=seed, allowed="a whole number, 0 or more"
        )
    whole = isinstance(rounds, int | np.integer) and not isinstance(rounds, bool)
    if rounds is not None and not (whole and rounds >= 1):
        raise DescriptionError(
            "no number of rounds",
            element="rounds",
            value=rounds,
            allowed="1 or more, whole, or None",
        )
    if name in BY_OMPL:
        load_ompl()
    return PLANNERS[name]


def _checker(
    arm: ArmLike | Sequence[Described | str | Path] | Checker,
    bodies: Bodies | Iterable[Body],
    shapes: ArmShapes | None,
    self_check: bool,
) -> Checker:
    if isinstance(arm, Checker):
        return arm
    described = arm.arm if isinstance(arm, ArmModel) else arm
    return Checker(described, bodies, shapes, self_check)


@cache
def _load_kernels() -> None:
    """Have numba compile or load what is needed, so that the clock runs for the search alone."""
    from armwerk.collision.kernels import arm, motion  # noqa: F401
    from armwerk.compiled import load_waiting
    from armwerk.planning.kernels import shortening  # noqa: F401

    load_waiting()


def _load_moving_kernels() -> None:
    """Likewise of what bodies that move need."""
    from armwerk.collision.kernels import arm_distance, moving_pairs  # noqa: F401
    from armwerk.compiled import load_waiting

    load_waiting()


def _limits_of(checker: Checker, limits: Limits | None) -> Limits:
    """Return what the joints may do, of several arms side by side."""
    if limits is not None or len(checker.arms) == 1:
        return Limits.wanted(limits, checker.arms[0])
    return joined_limits([Limits.wanted(None, arm) for arm in checker.arms])


def joined_limits(several: Sequence[Limits]) -> Limits:
    """Return the limits of several arms, their joints side by side."""
    return Limits(
        np.concatenate([one.velocity for one in several]),
        np.concatenate([one.acceleration for one in several]),
        np.concatenate([one.jerk for one in several]),
        np.concatenate([one.lowest for one in several]),
        np.concatenate([one.highest for one in several]),
        [f"{name}.{k}" for k, one in enumerate(several, start=1) for name in one.names],
        [unit for one in several for unit in one.units],
    )


def _axes(axes: Sequence[int], checker: Checker, planner: str) -> tuple[int, int]:
    if planner != "a-star":
        return (0, min(1, checker.dof - 1))
    given = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    if len(checker.arms) > 1:
        raise UnsupportedError("planner a-star moves one arm; several need rrt-connect or prm")
    whole = all(isinstance(k, int | np.integer) and 0 <= k < checker.dof for k in given)
    if len(given) != 2 or not whole or given[0] == given[1]:
        raise DescriptionError(
            "not two joints",
            element="axes",
            value=given,
            allowed=f"two different numbers from 0 to {checker.dof - 1}",
        )
    return int(given[0]), int(given[1])


def _cells(cells: Sequence[int] | None) -> tuple[int, int] | None:
    if cells is None:
        return None
    given = tuple(cells) if isinstance(cells, Iterable) else (cells,)
    if len(given) != 2 or not all(isinstance(n, int | np.integer) and n >= 2 for n in given):
        raise DescriptionError(
            "no numbers of cells",
            element="cells",
            value=cells,
            allowed="two whole numbers from 2 on, or None",
        )
    return int(given[0]), int(given[1])


def _free_goals(problem: PlanningProblem) -> Array:
    """Return the goals that touch nothing.

    Raises:
        PlanningError: When all of them do.
    """
    free = np.array([problem.is_free(goal) for goal in problem.goals])
    if free.any():
        return np.asarray(problem.goals[free])
    why = _why(problem, problem.goals[0])
    many = len(problem.goals)
    which = "the goal" if many == 1 else f"each of {many} inverse solutions of the goal is blocked;"
    which += "" if many == 1 else " the nearest"
    raise PlanningError(f"{which} {why}", reason="goal")


def _why(problem: PlanningProblem, q: Array) -> str:
    """Return what a configuration touches, as the end of a sentence."""
    try:
        hit = problem.checker.first(q)
    except UnsupportedError as error:
        return f"cannot be taken: {error}"
    if hit is not None:
        place = ", ".join(f"{x:.4f}" for x in hit.point)
        return f"is in contact: {hit.part} touches {hit.body} at ({place}) m"
    near = problem.checker.distance(q, self_too=False)
    return (
        f"is too near: {near.part} is {1000 * near.value:.2f} mm from {near.body}, less than the "
        f"margin of {1000 * problem.margin:.2f} mm"
    )


def _straight(problem: PlanningProblem) -> Array | None:
    """Return the straight line to the nearest goal that it leads to; None: it leads to none."""
    for goal in problem.goals:
        line = np.stack([problem.start, goal])
        if problem.segments_free(line):
            return line
    return None


def _not_found(problem: PlanningProblem, planner: str) -> str:
    if planner == "a-star" and not problem.expired():
        return (
            f"no path found on a map of the two joints by a-star, in {problem.used:.2g} s: start "
            "and goal are apart there"
        )
    return (
        f"no path found within {problem.seconds:g} s by {planner}, {problem.looks} configurations "
        "looked at; there may be none"
    )
