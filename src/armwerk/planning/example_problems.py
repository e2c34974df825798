"""Problems ready to be made: the two of the practical on configuration spaces, and seeded boxes.

Of the practical's problems "tt" and "rr" the numbers of values, ranges, the links of the RR arm and
the number of obstacles are the source's. It does not print where the obstacles stand, nor how large
the moved square is: those are ours. Those of "tt" are placed so that as many tests hit as the
source reports. Those of "rr" are placed so that the one statement about its map holds that can be
checked: link 1 is blocked from -164° to -108°, and nowhere else; the number of hits is what it then
is. (The source's listing counts every further test of a cell once the cell is not 0; here a hit is
a test that finds contact.) Seeded boxes are for tests, benchmarks and trying things out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.checker import Checker
from armwerk.errors import UnknownNameError
from armwerk.geometry import Box, rotation_exp
from armwerk.modelling import model
from armwerk.planning.maps.mapping import MapOptions, cspace
from armwerk.planning.maps.result import ConfigurationSpace
from armwerk.robot.arm import Arm

BOXES = 12
_TRIES = 2000
_ALONG = np.linspace(0.0, 1.0, 200)


@dataclass(frozen=True, slots=True)
class ExampleProblem:
    """A map to be made, and what the source reports about its own.

    Args:
        name: Short name, as on the command line.
        title: For pictures.
        arm: Name of the library arm.
        shape: Number of values along the two axes.
        bodies: The obstacles.
        tests: Number of tests in the source.
        hits: Number of hits in the source.
        seconds: Time that the source's program took [s].
        ours: What of it is not the source's, and how it was chosen.
    """

    name: str
    title: str
    arm: str
    shape: tuple[int, int]
    bodies: Bodies
    tests: int
    hits: int
    seconds: float
    ours: str

    @property
    def fraction(self) -> float:
        """Hits per test in the source, 0 to 1."""
        return self.hits / self.tests

    @property
    def share(self) -> float:
        """Earlier name of `fraction`."""
        return self.fraction

    def make(self, **options: Unpack[MapOptions]) -> ConfigurationSpace:
        """Return the map; options are those of `armwerk.planning.cspace`."""
        asked: MapOptions = {"axes": (0, 1), "shape": self.shape}
        asked.update(options)
        return cspace(self.arm, self.bodies, **asked)


Problem = ExampleProblem
"""Earlier name of `ExampleProblem`."""


def problem(name: str) -> ExampleProblem:
    """Return a shipped problem.

    Raises:
        UnknownNameError: When there is none of that name; lists those that exist.
    """
    if name not in _PROBLEMS:
        raise UnknownNameError("problem", name, _PROBLEMS)
    return _PROBLEMS[name]()


def problems() -> tuple[str, ...]:
    """Return the names of all shipped problems."""
    return tuple(_PROBLEMS)


def _tt() -> ExampleProblem:
    return ExampleProblem(
        name="tt",
        title="TT robot among five rectangles",
        arm="planar_tt",
        shape=(1000, 1000),
        bodies=_upright(
            (238, 325, 369, 152),
            (-328, -215, 216, 317),
            (-207, -407, 320, 332),
            (341, -12, 257, 435),
            (-12, -286, 477, 170),
        ),
        tests=10_000_000,
        hits=2_146_190,
        seconds=14.586,
        ours="obstacles and square are ours, placed so that as many tests hit as in the source, "
        "which does not print them",
    )


def _rr() -> ExampleProblem:
    return ExampleProblem(
        name="rr",
        title="RR robot among five boxes",
        arm="planar_rr",
        shape=(360, 360),
        bodies=_upright(
            (-115, -105, 90, 70),
            (190, -290, 210, 120),
            (-100, 290, 200, 110),
            (-310, 120, 130, 190),
            (320, -90, 120, 100),
        ),
        tests=1_296_000,
        hits=264_661,
        seconds=3.261,
        ours="the obstacles are ours, placed so that link 1 is blocked from -164° to -108° as in "
        "the source, which does not print them; its count of hits is of its own obstacles",
    )


def _upright(*rows: tuple[float, float, float, float]) -> Bodies:
    """Return boxes 0.2 m high from rows x, y, length, width [mm]."""
    return Bodies(
        Box((length / 1000, width / 1000, 0.2), (x / 1000, y / 1000, 0.0), name=f"obstacle {n}")
        for n, (x, y, length, width) in enumerate(rows, start=1)
    )


_PROBLEMS: dict[str, Callable[[], ExampleProblem]] = {"tt": _tt, "rr": _rr}


class BoxProblem(NamedTuple):
    """An arm among boxes that shall go from one configuration to another.

    Args:
        arm: The arm.
        bodies: Boxes around it.
        q0: Start, free. Shape (n,).
        q1: Goal, free. Shape (n,).
    """

    arm: Arm
    bodies: Bodies
    q0: Array
    q1: Array


def box_problem(arm: Arm, seed: int, boxes: int = BOXES) -> BoxProblem:
    """Return a problem that looks the same for the same seed.

    Boxes turned at random stand where the tool gets to, but not on the arm's base. Start and goal
    are free, within the limits and half a turn, and the straight line between them is blocked. Not
    every problem has a solution.

    Args:
        arm: A serial arm.
        seed: Any whole number from 0 on.
        boxes: How many.
    """
    rng = np.random.default_rng(seed)
    size = float(model(arm).reach(2000).radius)
    base = arm.base[:3, 3]
    while True:
        found: list[Box] = []
        while len(found) < boxes:
            direction = rng.normal(size=3)
            direction /= np.linalg.norm(direction)
            edges = rng.uniform(0.05, 0.3, 3) * size
            place = base + rng.uniform(0.35, 1.0) * size * direction
            if np.linalg.norm(place - base) > 0.3 * size + np.linalg.norm(edges) / 2:
                turn = rotation_exp(rng.normal(size=3))
                found.append(Box(tuple(edges), place, turn))
        bodies = Bodies(found)
        low, high = np.clip(arm.limits, -np.pi, np.pi).T
        tried = rng.uniform(low, high, (_TRIES, arm.dof))
        checker = Checker(arm, bodies)
        free = tried[~checker.contacts(tried)]
        for goal in free[1:]:
            if checker.contacts(free[0] + _ALONG[:, None] * (goal - free[0])).any():
                return BoxProblem(arm, bodies, free[0], goal)
