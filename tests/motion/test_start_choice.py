"""The start that a path takes when nobody says where the arm stands."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.collision import Checker
from armwerk.errors import MotionError
from armwerk.geometry import transform_from_pose
from armwerk.motion import Trajectory
from armwerk.robot import ArmName

DOWN = np.deg2rad([0.0, 180.0, 0.0])


def pose(x: float, y: float, z: float) -> Array:
    return transform_from_pose([x, y, z, *DOWN])


def first(trajectory: Trajectory) -> Array:
    return np.asarray(trajectory.sample(0.0)[0])


def told(trajectory: Trajectory) -> str:
    (notice,) = [one for one in trajectory.notices if one.segment == "start"]
    return str(notice)


def short_path(x: float = 0.5, y: float = -0.2, z: float = 0.3) -> aw.Path:
    return aw.Path(pose(x, y, z)).lin(pose(x, y + 0.05, z))


def test_the_chosen_start_is_said_with_its_reasons() -> None:
    motion = short_path().plan("ur5e")
    q = first(motion)
    text = told(motion)
    assert f"shoulder_pan {np.rad2deg(q[0]):.4g}"[:16] in text
    assert "of 8 solutions within the limits" in text
    assert "nearest to zero" in text


ARMS: tuple[ArmName, ...] = ("ur5e", "puma560", "kr16", "irb140")


@pytest.mark.parametrize("arm", ARMS)
def test_no_joint_is_below_the_floor_where_another_solution_is_above(arm: ArmName) -> None:
    """Without the rule the UR5e hangs its elbow below the table it stands on."""
    model = aw.model(arm)
    reach = 0.45 if arm != "kr16" else 0.9
    motion = short_path(reach, 0.0, 0.12).plan(model)
    heights = model.frames(first(motion))[1:, 2, 3]
    solutions = model.ik(pose(reach, 0.0, 0.12), within_limits=True)
    best = max(model.frames(row)[1:, 2, 3].min() for row in solutions)
    assert heights.min() > -1e-3 or best < -1e-3


def test_some_solution_would_be_below_the_floor() -> None:
    """What the test above is good for: zero is nearest to a solution through the table."""
    model = aw.model("ur5e")
    rows = model.ik(pose(0.45, 0.0, 0.12), within_limits=True)
    low = [model.frames(row)[1:, 2, 3].min() for row in rows]
    assert min(low) < -0.05
    assert "below the floor" in told(short_path(0.45, 0.0, 0.12).plan(model))


def test_a_start_below_the_base_moves_the_floor() -> None:
    """An arm that reaches below its base stands on something: that is no reason against it."""
    motion = short_path(0.5, -0.2, -0.3).plan("ur5e")
    assert "below the floor" not in told(motion).split("taken")[1]


def test_near_wins_over_floor_and_zero() -> None:
    model = aw.model("ur5e")
    start = pose(0.45, 0.0, 0.12)
    for row in model.ik(start, within_limits=True):
        motion = short_path(0.45, 0.0, 0.12).plan(model, near=row)
        assert first(motion) == pytest.approx(row, abs=1e-6)
        assert "nearest to the joint values wanted" in told(motion)


def test_bodies_are_kept_free_by_another_solution() -> None:
    path = short_path(0.5, -0.2, 0.5)
    free = path.plan("ur5e")
    hit = aw.Bodies([aw.Box(size=(0.08,) * 3, position=_elbow(first(free)), name="lamp")])
    assert Checker("ur5e", hit).contact(first(free))
    other = path.plan("ur5e", bodies=hit)
    assert aw.check(other, "ur5e", hit)
    assert "touching 'lamp'" in told(other)
    with pytest.raises(MotionError, match=r"segment 1 'lin', .*touches 'lamp'"):
        path.plan("ur5e", first(free), bodies=hit)


def _elbow(q: Array) -> tuple[float, float, float]:
    place = aw.model("ur5e").frames(q)[2, :3, 3]
    return float(place[0]), float(place[1]), float(place[2])


def test_nowhere_free_is_an_error_that_names_the_body() -> None:
    wall = aw.Bodies([aw.Box(size=(0.2, 0.2, 0.2), position=(0.5, -0.2, 0.5), name="wall")])
    with pytest.raises(MotionError, match=r"every configuration .* is touching 'wall'"):
        short_path(0.5, -0.2, 0.5).plan("ur5e", bodies=wall)
    behind = aw.Bodies([aw.Box(size=(0.1, 0.1, 0.4), position=(0.5, 0.3, 0.5), name="post")])
    path = aw.Path(pose(0.5, -0.2, 0.5)).lin(pose(0.5, 0.3, 0.5))
    with pytest.raises(MotionError, match=r"segment 1 'lin', at .* the arm touches 'post'"):
        path.plan("ur5e", bodies=behind)


def test_a_singular_start_is_left_for_a_regular_one() -> None:
    """With the Puma's wrist straight two axes lie in line; over the shoulder it is not straight."""
    model = aw.model("puma560")
    q = np.array([0.2, -0.6, 0.4, 0.3, 0.01, 0.5])
    start = model.fk(q)
    rows = model.ik(start, within_limits=True)
    wrist = np.abs(np.sin(rows[:, 4]))
    assert wrist.min() < 0.02
    assert wrist.max() > 0.1
    goal = start.copy()
    goal[2, 3] += 0.02
    motion = aw.Path(start).lin(goal).plan(model)
    assert abs(np.sin(first(motion)[4])) > 0.1
    assert "1 near a singularity" in told(motion)


def test_wrong_words_are_refused() -> None:
    with pytest.raises(MotionError, match=r"near must have shape \(6,\)"):
        short_path().plan("ur5e", near=[0.0])
