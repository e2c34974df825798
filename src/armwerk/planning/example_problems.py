"""The two problems of the practical on configuration spaces, ready to be made: "tt" and "rr".

Numbers of values, ranges, the links of the RR arm and the number of obstacles are the source's. It
does not print where the obstacles stand, nor how large the moved square is: those are ours, chosen
so that as many tests hit as the source reports. (Its listing counts every further test of a cell
once the cell is not 0; here a hit is a test that finds contact.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

from armwerk.collision.bodies import Bodies
from armwerk.errors import UnknownNameError
from armwerk.geometry import Box
from armwerk.planning.maps.mapping import MapOptions, cspace
from armwerk.planning.maps.result import ConfigurationSpace


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
    """

    name: str
    title: str
    arm: str
    shape: tuple[int, int]
    bodies: Bodies
    tests: int
    hits: int
    seconds: float

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
    )


def _rr() -> ExampleProblem:
    return ExampleProblem(
        name="rr",
        title="RR robot among five boxes",
        arm="planar_rr",
        shape=(360, 360),
        bodies=_upright(
            (-278, -64, 332, 73),
            (-13, -293, 351, 115),
            (-88, 81, 40, 323),
            (-271, -160, 403, 116),
            (-155, 100, 80, 246),
        ),
        tests=1_296_000,
        hits=264_661,
        seconds=3.261,
    )


def _upright(*rows: tuple[float, float, float, float]) -> Bodies:
    """Return boxes 0.2 m high from rows x, y, length, width [mm]."""
    return Bodies(
        Box((length / 1000, width / 1000, 0.2), (x / 1000, y / 1000, 0.0), name=f"obstacle {n}")
        for n, (x, y, length, width) in enumerate(rows, start=1)
    )


_PROBLEMS: dict[str, Callable[[], ExampleProblem]] = {"tt": _tt, "rr": _rr}
