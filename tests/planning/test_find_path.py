"""Ways from start to goal: free, within limits, repeatable, or an honest no."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armwerk as aw
from armwerk.collision import Checker
from armwerk.errors import (
    AssumedLimitsWarning,
    DescriptionError,
    MotionError,
    PlanningError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
)
from armwerk.pictures.palette import WHITE, Colour, mixed, solution_colour
from armwerk.planning import PlannedPath
from armwerk.planning.options import PlannerName
from armwerk.planning.paths import connecting, finding, problem, shorter
from armwerk.planning.paths.planners import PLANNERS
from armwerk.planning.paths.problem import PlanningProblem, length, reserve
from armwerk.planning.paths.smoothing import smooth

START = np.deg2rad([-60, -90, 90, -90, -90, 0])
GOAL = np.deg2rad([60, -90, 90, -90, -90, 0])
WALL = aw.Box((0.04, 0.6, 0.9), (-0.45, 0.0, 0.45), name="wall")
FINE = 5e-4  # [rad or m]


class Clock:
    """A clock that goes on by five milliseconds whenever it is looked at."""

    def __init__(self) -> None:
        self.looks = 0

    def perf_counter(self) -> float:
        self.looks += 1
        return 5e-3 * self.looks


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let planners use a clock that does not depend on the machine."""
    clock = Clock()
    for module in (finding, problem):
        monkeypatch.setattr(module, "time", clock)
    return clock


@cache
def ur5e() -> aw.Arm:
    arm = aw.load("ur5e")
    assert isinstance(arm, aw.Arm)
    return arm


def is_free(path: PlannedPath) -> bool:
    return not path.checker.contacts(path.sampled(FINE)).any()


@pytest.mark.parametrize("planner", ["rrt-connect", "prm"])
def test_a_way_around_a_wall(planner: PlannerName) -> None:
    straight = START + np.linspace(0, 1, 500)[:, None] * (GOAL - START)
    assert Checker(ur5e(), [WALL]).contacts(straight).any()
    path = aw.find_path(ur5e(), [WALL], START, GOAL, planner)
    np.testing.assert_array_equal(path.q[[0, -1]], [START, GOAL])
    assert is_free(path)
    assert path.planner == planner
    assert path.seconds > 0.0
    assert path.checks > 0
    assert path.length == pytest.approx(
        sum(np.linalg.norm(b - a) for a, b in zip(path.q, path.q[1:], strict=False))
    )
    low, high = ur5e().limits.T
    assert ((path.q >= low) & (path.q <= high)).all()
    assert not path.q.flags.writeable


def test_the_motion_keeps_limits_and_is_free_after_its_corners_are_rounded() -> None:
    path = aw.find_path(ur5e(), [WALL], START, GOAL)
    motion = path.trajectory
    times, q, qd, qdd = motion.sampled(1e-3)
    limits = motion.limits
    assert limits is not None
    assert (np.abs(qd) <= limits.velocity * (1 + 1e-6)).all()
    assert (np.abs(qdd) <= limits.acceleration * (1 + 1e-6)).all()
    assert (np.abs(motion.jerk(times)) <= limits.jerk * (1 + 1e-6)).all()
    np.testing.assert_allclose(q[[0, -1]], [START, GOAL], atol=1e-9)
    assert not path.checker.contacts(q).any()
    verdict = path.check()
    assert verdict.free
    assert verdict.distance.body == "wall"
    stopping = path.timed(blend=0.0)
    assert stopping.duration > motion.duration
    assert path.timed(speed=0.5).duration > motion.duration
    with pytest.raises(MotionError, match="speed"):
        path.timed(speed=0.0)


def test_a_margin_is_kept_all_the_way() -> None:
    path = aw.find_path(ur5e(), [WALL], START, GOAL, margin=0.03)
    assert path.checker.distances(path.sampled(2e-3), self_too=False).min() > 0.03
    assert path.check().distance.value > 0.03


@pytest.mark.parametrize("planner", ["rrt-connect", "prm"])
def test_one_seed_gives_one_path(planner: PlannerName) -> None:
    one, two = (aw.find_path(ur5e(), [WALL], START, GOAL, planner, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.q, two.q)
    other = aw.find_path(ur5e(), [WALL], START, GOAL, planner, seed=5)
    assert other.q.shape != one.q.shape or np.abs(other.q - one.q).max() > 1e-6


def test_a_pose_is_reached_by_whichever_inverse_solution_is_free() -> None:
    model = aw.model(ur5e())
    pose = model.fk(GOAL)
    solutions = model.ik(pose)
    assert len(solutions) == 8
    path = aw.find_path(ur5e(), [WALL], START, pose)
    assert is_free(path)
    np.testing.assert_allclose(model.fk(path.q[-1]), pose, atol=1e-9)
    # a body at the elbow of the solution that was taken leaves another one
    elbow = model.frames(path.q[-1])[3, :3, 3]
    blocked = [WALL, aw.Sphere(0.03, elbow, name="ball")]
    assert Checker(ur5e(), blocked).contact(path.q[-1])
    another = aw.find_path(ur5e(), blocked, START, pose)
    assert is_free(another)
    np.testing.assert_allclose(model.fk(another.q[-1]), pose, atol=1e-9)
    assert np.abs(another.q[-1] - path.q[-1]).max() > 0.1


def test_the_nearest_inverse_solution_is_tried_first() -> None:
    model = aw.model(ur5e())
    near = START + 0.3
    pose = model.fk(near)
    path = aw.find_path(ur5e(), [], START, pose)
    apart = [float(np.linalg.norm(np.asarray(q) - START)) for q in model.ik(pose)]
    assert len(apart) > 1
    assert path.length <= min(apart) + 1e-9
    np.testing.assert_allclose(path.q[-1], near, atol=1e-6)


def test_a_point_is_reached_with_any_orientation() -> None:
    model = aw.model(ur5e())
    point = model.fk(GOAL)[:3, 3]
    path = aw.find_path(ur5e(), [WALL], START, point)
    assert is_free(path)
    np.testing.assert_allclose(model.fk(path.q[-1])[:3, 3], point, atol=1e-8)


def test_no_way_to_stand_or_to_end_is_said_with_names() -> None:
    tool = aw.model(ur5e()).fk(START)[:3, 3]
    ball = aw.Sphere(0.05, tool, name="ball")
    with pytest.raises(PlanningError, match=r"the start is in contact: link\d touches ball") as e:
        aw.find_path(ur5e(), [ball], START, GOAL)
    assert e.value.reason == "start"
    with pytest.raises(PlanningError, match=r"the goal is in contact: link\d touches ball") as e:
        aw.find_path(ur5e(), [ball], GOAL, START)
    assert e.value.reason == "goal"
    with pytest.raises(PlanningError, match=r"each of 8 inverse solutions .* blocked") as e:
        aw.find_path(ur5e(), [ball], GOAL, aw.model(ur5e()).fk(START))
    assert e.value.reason == "goal"
    far = np.eye(4)
    far[0, 3] = 4.0
    for goal in (far, far[:3, 3]):
        with pytest.raises(
            PlanningError, match=r"no inverse solution: .* at \[4\.0, 0\.0, 0\.0\]"
        ) as e:
            aw.find_path(ur5e(), [], START, goal)
        assert e.value.reason == "no inverse solution"
    with pytest.raises(PlanningError, match=r"too near: .* less than the margin of 500\.00 mm"):
        aw.find_path(ur5e(), [WALL], START, GOAL, margin=0.5)


@pytest.mark.parametrize("planner", ["rrt-connect", "prm", "a-star"])
def test_it_gives_up_when_the_time_is_over(
    planner: PlannerName, ticking: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool stands in a closed cage that it cannot leave; the clock counts looks at it."""
    monkeypatch.setattr(connecting, "find_wall", lambda *_: None)  # which would be proved
    arm = aw.model("planar_rr").arm
    q0, q1 = np.array([0.0, 0.0]), np.array([2.0, 0.0])
    cage = _fence()
    assert not Checker(arm, cage).contacts([q0, q1]).any()
    told: list[float] = []
    for seconds in (0.5, 1.0):
        with pytest.raises(PlanningError, match=f"within {seconds:g} s by {planner}") as error:
            aw.find_path(arm, cage, q0, q1, planner, seconds, progress=told.append)
        assert error.value.reason == "not found"
        # it stops at the first look at the clock after the search's time, or soon after
        assert seconds - reserve(seconds) <= error.value.seconds <= seconds
    assert 0.5 < max(told) <= 1.0
    assert ticking.looks > 100


def _fence() -> aw.Bodies:
    """Two thin plates on both sides of a planar arm that lies along x, from base to tip."""
    return aw.Bodies([_radial(0.5), _radial(-0.5)])


def _radial(angle: float) -> aw.Box:
    """A thin plate from near the base outwards."""
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    turn = aw.geometry.rotation_exp([0, 0, angle])
    return aw.Box((0.8, 1e-4, 0.2), 0.5 * direction, turn)


def test_a_star_finds_the_way_on_a_map_and_jumps_over_nothing() -> None:
    arm = aw.load("planar_rr")
    post = aw.Box((0.03, 0.03, 0.3), (0.28, 0.14, 0.0), name="post")
    q0, q1 = np.array([-0.3, 0.2]), np.array([1.4, -0.2])
    checker = Checker(arm, [post])
    assert checker.contacts(q0 + np.linspace(0, 1, 500)[:, None] * (q1 - q0)).any()
    path = aw.find_path(arm, [post], q0, q1, "a-star")
    assert is_free(path)
    np.testing.assert_array_equal(path.q[[0, -1]], [q0, q1])
    # as short as the ways of the others, or shorter: it is the shortest on its map
    others = [aw.find_path(arm, [post], q0, q1, name).length for name in ("rrt-connect", "prm")]
    assert path.length < 1.05 * min(others)
    # cells on both sides of a thin plate are free, and still there is no way through it
    with pytest.raises(PlanningError, match="no path found on a map of the two joints") as error:
        aw.find_path(arm, _fence(), np.zeros(2), np.array([2.0, 0.0]), "a-star", cells=(40, 40))
    assert error.value.reason == "not found"


def test_a_star_moves_two_joints_of_any_arm() -> None:
    goal = START.copy()
    goal[[0, 1]] += [2.0, 0.1]
    path = aw.find_path(ur5e(), [WALL], START, goal, "a-star")
    assert is_free(path)
    np.testing.assert_array_equal(np.ptp(path.q[:, 2:], axis=0), 0.0)
    goal[3] += 0.5
    with pytest.raises(PlanningError, match="joint 'wrist_1' would have to go"):
        aw.find_path(ur5e(), [WALL], START, goal, "a-star")
    with pytest.raises(DescriptionError, match="not two joints"):
        aw.find_path(ur5e(), [WALL], START, goal, "a-star", axes=(0, 6))


def test_smoothing_shortens_and_stays_free() -> None:
    rough = aw.find_path(ur5e(), [WALL], START, GOAL, smoothing=False, seed=2)
    ground = PlanningProblem(rough.checker, START, GOAL[None], seed=2)
    shorter = smooth(ground, rough.q.copy())
    assert length(shorter) < 0.9 * rough.length
    np.testing.assert_array_equal(shorter[[0, -1]], [START, GOAL])
    assert ground.segments_free(shorter)


def test_what_smoothing_returns_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shorter, "smooth", lambda _, path, _tries=0: path[[0, -1]])
    path = aw.find_path(ur5e(), [WALL], START, GOAL)
    assert len(path.q) > 2
    assert is_free(path)


def test_an_arm_with_a_sliding_joint() -> None:
    scara = aw.load("scara")
    q0, q1 = np.array([-0.8, 0.3, 0.16, 0.0]), np.array([0.8, 0.3, 0.16, 0.5])
    tool = aw.model(scara).fk((q0 + q1) / 2)[:3, 3]
    post = aw.Box((0.05, 0.05, 2.0), tool, name="post")
    path = aw.find_path(scara, [post], q0, q1, seconds=5.0)
    assert is_free(path)
    assert path.check().free


def test_start_and_goal_may_be_the_same_and_nothing_around() -> None:
    path = aw.find_path(ur5e(), [], START, START)
    assert len(path.q) == 2
    assert path.length == 0.0
    assert path.trajectory.duration == 0.0
    straight = aw.find_path("ur5e", [], START, GOAL)
    np.testing.assert_array_equal(straight.q, [START, GOAL])


def test_an_arm_without_rates_moves_by_assumed_ones_or_given_ones() -> None:
    joints = [
        aw.Joint("revolute", d=0.3, alpha=np.pi / 2, limits=(-3, 3)),
        aw.Joint("revolute", a=0.4, limits=(-3, 3)),
        aw.Joint("revolute", a=0.3, limits=(-3, 3)),
    ]
    arm = aw.Arm.from_dh(joints, name="plain")
    path = aw.find_path(arm, [], [0, 0, 0.3], [1, 0.4, 0.9])
    assert len(path.q) == 2
    with pytest.warns(AssumedLimitsWarning, match="velocity 3.14 rad/s"):
        assert path.trajectory.duration > 0.0
    limits = aw.Limits([1, 1, 1], [5, 5, 5], [50, 50, 50])
    assert path.timed(limits).duration > 0.6


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"q0": np.zeros(5)}, ShapeError, "q0 must be 6 joint values"),
        ({"q0": np.full(6, np.nan)}, ShapeError, "q0 must be finite"),
        ({"q0": "here"}, ShapeError, "q0 must be numbers"),
        ({"q0": np.full(6, 7.0)}, ShapeError, "joint 'elbow' at 7 is beyond its limits"),
        ({"goal": np.zeros(5)}, ShapeError, "goal must be joint values"),
        ({"goal": np.full(6, np.inf)}, ShapeError, "goal must be finite"),
        ({"goal": np.full((4, 4), np.nan)}, ShapeError, "finite rigid transform"),
        ({"goal": 2 * np.eye(4)}, ShapeError, "finite rigid transform"),
        ({"goal": np.full(3, np.nan)}, ShapeError, "finite rigid transform or point"),
        ({"planner": "rrt-conect"}, UnknownNameError, "did you mean 'rrt-connect'"),
        ({"seconds": 0.0}, DescriptionError, "seconds: out of range"),
        ({"seconds": np.nan}, DescriptionError, "seconds: out of range"),
        ({"margin": -1.0}, DescriptionError, "margin: out of range"),
        ({"seed": -1}, DescriptionError, "seed: no seed"),
        ({"seed": 1.5}, DescriptionError, "seed: no seed"),
        ({"rounds": 0}, DescriptionError, "no number of rounds"),
        ({"rounds": 2.5}, DescriptionError, "no number of rounds"),
        ({"planner": "a-star", "cells": 3}, DescriptionError, "no numbers of cells"),
        ({"planner": "a-star", "cells": (np.nan, 4)}, DescriptionError, "no numbers of cells"),
        ({"planner": "a-star", "axes": None}, DescriptionError, "not two joints"),
        ({"arm": 3}, DescriptionError, "no arm"),
        ({"bodies": [3]}, DescriptionError, "not a body"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, object], error: type, words: str) -> None:
    given = {"arm": ur5e(), "bodies": [WALL], "q0": START, "goal": GOAL} | change
    with pytest.raises(error, match=words):
        aw.find_path(**given)  # type: ignore[arg-type]


def test_without_ompl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ompl", None)
    with pytest.raises(UnsupportedError, match="pip install 'ompl"):
        aw.find_path(ur5e(), [WALL], START, GOAL, "prm")
    assert is_free(aw.find_path(ur5e(), [WALL], START, GOAL))
    assert set(PLANNERS) == {"rrt-connect", "prm", "a-star"}


def shades_of(path: Path, colour: Colour) -> int:
    """Return how many pixels of a picture show a colour as lit faces do: no darker than a third.

    Ink has nearly the same hue as the first body, and is darker than that.
    """
    with Image.open(path) as picture:
        image = np.asarray(picture.convert("RGB"), dtype=np.float64) / 255.0
    ratio = image / np.array(colour)
    return int(np.count_nonzero((np.ptp(ratio, axis=2) < 0.02) & (ratio.min(axis=2) > 1 / 3)))


def test_it_is_saved_and_drawn(tmp_path: Path) -> None:
    path = aw.find_path(ur5e(), [WALL, aw.HalfSpace((0, 0, 1), (0, 0, -0.5))], START, GOAL)
    written = path.save(tmp_path / "way.csv")
    again = aw.Trajectory.load(written, ur5e())
    assert again.duration == pytest.approx(path.trajectory.duration)
    bare = replace(path, checker=Checker(ur5e(), []))
    with_wall, without = (
        shades_of(one.plot(tmp_path / "way.png"), mixed(solution_colour(0), WHITE, 0.55))
        for one in (path, bare)
    )
    assert with_wall > 20_000, "the wall is seen"
    assert without == 0, "and nothing else has its colour"
    with pytest.raises(DescriptionError, match="picture"):
        path.plot(tmp_path / "way.gif")
