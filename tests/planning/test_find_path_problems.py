"""Seeded problems among boxes for six-axis arms: solved and free, or given up in time."""

from __future__ import annotations

from functools import cache
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import PlanningError
from armwerk.planning.example_problems import box_problem
from armwerk.planning.options import PlannerName
from armwerk.planning.paths import finding, problem
from armwerk.planning.paths.problem import reserve

PLANNED = 5e-3  # [rad] a resolution at which planners usually look; ten times finer is checked
ARMS = ("ur5e", "puma560")


@cache
def arm_called(name: str) -> aw.Arm:
    arm = aw.load(name)
    assert isinstance(arm, aw.Arm)
    return arm


def solved(name: str, seed: int, planner: PlannerName, seconds: float) -> bool:
    """Solve a problem and check all that is promised of it; False: given up when time was up.

    A proof that there is no way solves it too.
    """
    problem = box_problem(arm_called(name), seed)
    path, gave_up = None, None
    try:
        path = aw.find_path(*problem, planner, seconds, seed)
    except PlanningError as error:
        gave_up = error
    if path is None:
        assert gave_up is not None
        if gave_up.reason == "no way":
            return True
        assert gave_up.reason == "not found"
        assert gave_up.seconds >= seconds - reserve(seconds)
        return False
    np.testing.assert_array_equal(path.q[[0, -1]], [problem.q0, problem.q1])
    assert not path.checker.contacts(path.sampled(PLANNED / 10)).any()
    times = np.linspace(0.0, path.trajectory.duration, 5000)
    assert not path.checker.contacts(path.trajectory.sample(times)[0]).any()
    assert path.check().proved
    return True


@pytest.fixture
def _counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by milliseconds per look, so that the machine's speed is no matter."""
    looks = count()
    clock = SimpleNamespace(perf_counter=lambda: 4e-3 * next(looks))
    for module in (finding, problem):
        monkeypatch.setattr(module, "time", clock)


@pytest.mark.usefixtures("_counted")
def test_problems_among_boxes() -> None:
    """One of them has no solution, which is proved."""
    assert all(solved(ARMS[seed % 2], seed, "rrt-connect", 3.0) for seed in range(20))


@pytest.mark.usefixtures("_counted")
def test_problems_by_roadmap() -> None:
    assert all(solved(ARMS[seed % 2], seed, "prm", 5.0) for seed in range(4))


def test_problems_are_the_same_for_the_same_seed() -> None:
    one, two = (box_problem(arm_called("ur5e"), 7) for _ in range(2))
    assert one.bodies == two.bodies
    np.testing.assert_array_equal(one.q1, two.q1)
    assert box_problem(arm_called("ur5e"), 8).bodies != one.bodies


@pytest.mark.soak
@pytest.mark.parametrize("planner", ["rrt-connect", "prm"])
@pytest.mark.parametrize("name", ARMS)
def test_a_hundred_problems(name: str, planner: PlannerName) -> None:
    found = sum(solved(name, seed, planner, 10.0) for seed in range(100))
    assert found >= (100 if planner == "rrt-connect" else 90)
