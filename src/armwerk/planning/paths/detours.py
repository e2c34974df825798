"""Ways round what moves, as if it stood wherever it comes by: nodes for a roadmap in time.

A roadmap of random configurations rarely holds the few that lead round a thing in the middle of the
way. Where things are at some moments they are taken to stand all at once, a little thicker than
they are, and an ordinary path is found among them. It may be longer than it had to be, and it is
proved at its own times like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.moving_body import Moving
from armwerk.geometry import Shape
from armwerk.planning.paths.connecting import rrt_connect
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.planning.paths.smoothing import smooth

MOMENTS = 12
"""At which things are taken to stand."""
ROOM = 0.03
"""[m] that is kept from them beyond the margin."""
_SHARE = 0.1  # of the time that is left, for one way


def detours(
    problem: PlanningProblem, moving: Sequence[Moving], spans: Sequence[tuple[float, float]]
) -> list[Array]:
    """Return configurations on ways from start to goals, each free of what stands.

    Args:
        problem: The arm among what stands.
        moving: What moves.
        spans: Between which times [s] things are taken to stand wherever they are; for each span
            there is a way of its own.
    """
    found: list[Array] = []
    if not problem.prover.is_serial:
        return found
    for low, high in spans:
        times = np.linspace(low, high, MOMENTS)
        for room in (ROOM, 0.0):
            path = None if problem.expired() else _way(problem, moving, times, room)
            if path is not None:
                found += [q for q in path[1:-1] if problem.is_free(q)]
                break
    return found


def _way(
    problem: PlanningProblem, moving: Sequence[Moving], times: Array, room: float
) -> Array | None:
    """Return a path round where things are at some times, with room to spare [m]; None: none."""
    ends = np.vstack([problem.start[None], problem.goals])
    keep = problem.margin + room
    placed = _placed(problem, moving, times, ends, keep)
    if not placed:
        return None
    checker = Checker(
        problem.checker.arms, [*problem.checker.bodies, *placed], problem.checker.shapes
    )
    task = PlanningProblem(
        checker,
        problem.start,
        problem.goals,
        margin=keep,
        seconds=max(_SHARE * (problem.seconds - problem.used), 1e-3),
        seed=problem.seed,
    )
    free = np.array([task.is_free(q) for q in ends])
    if not free[0] or not free[1:].any():
        return None
    task.goals = task.goals[free[1:]]
    path = rrt_connect(task)
    problem.looks += task.looks
    return None if path is None else smooth(task, path)


def _placed(
    problem: PlanningProblem, moving: Sequence[Moving], times: Array, ends: Array, keep: float
) -> list[Shape]:
    """Return shapes of what moves at some times, but not those too near to start and goals."""
    found: list[Shape] = []
    for time in times.tolist():
        for one in moving:
            # without names, since the same thing stands at many places
            shapes = [replace(shape, name="") for shape in one.at(time)]  # type: ignore[type-var]
            there = Checker(problem.checker.arms, shapes, problem.checker.shapes, False)
            if (there.distances(ends, self_too=False) > keep).all():
                found += shapes
    return found
