"""OMPL's view of a problem: its space, its bounds, and our proofs as its motion validator.

OMPL comes with the extra ``planning``. Its random numbers are seeded once per query; everything
runs in one thread, so that one seed gives one result as long as the time suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.problem import PlanningProblem

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
            "pip install 'armwerk[planning]' (planner a-star works without)"
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
