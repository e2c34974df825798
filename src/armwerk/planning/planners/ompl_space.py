"""OMPL's view of a terrain: its space, its bounds, and our proofs as its motion validator.

OMPL comes with the extra ``planning``. Its random numbers are seeded once per query; everything
runs in one thread, so that one seed gives one result as long as the time suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.planning.planners.terrain import Terrain


def load_ompl() -> tuple[Any, Any, Any]:
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


def numbers(state: Any, count: int) -> Array:
    """Return a state as joint values. Shape (n,)."""
    return np.array([state[i] for i in range(count)])


class Space:
    """A terrain as OMPL's objects; all of them live as long as this one.

    Args:
        terrain: The terrain.
    """

    def __init__(self, terrain: Terrain) -> None:
        base, _, _ = load_ompl()
        n = len(terrain.start)
        self.dof = n
        self.space = base.RealVectorStateSpace(n)
        bounds = base.RealVectorBounds(n)
        # a range without width is no space to OMPL
        wide = np.maximum(terrain.high - terrain.low, 1e-9)
        bounds.low, bounds.high = terrain.low.tolist(), (terrain.low + wide).tolist()
        self.space.setBounds(bounds)
        self.information = base.SpaceInformation(self.space)
        self.information.setStateValidityChecker(lambda state: terrain.free(numbers(state, n)))

        class Proved(base.MotionValidator):  # type: ignore[misc, name-defined]
            def checkMotion(self, one: Any, two: Any) -> bool:
                return terrain.way(np.stack([numbers(one, n), numbers(two, n)]))

        self.validator = Proved(self.information)
        self.information.setMotionValidator(self.validator)
        self.information.setup()

    def state(self, q: Array) -> Any:
        """Return joint values as a state."""
        state = self.space.allocState()
        for i in range(self.dof):
            state[i] = float(q[i])
        return state
