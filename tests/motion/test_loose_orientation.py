"""Paths of which only a part counts: few joints, free orientation, direction kept."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_x, rotation_z
from armwerk.mechanics import SerialModel
from armwerk.motion.path.loosening import turning
from armwerk.motion.trajectory.trajectory import Trajectory

FEW = (("planar_rr", 15), ("simple_arm", 15), ("five_axis", 15), ("scara", 16), ("cartesian", 16))


def sampled(trajectory: Trajectory, count: int = 201) -> Array:
    times = np.linspace(0.0, trajectory.duration, count)
    return np.array([trajectory.sample(float(time))[0] for time in times])


def off_line(poses: Array, start: Array, way: Array) -> float:
    """Return how far tool points are off a line, and the last from its end."""
    gaps = poses[:, :3, 3] - start
    along = way / np.linalg.norm(way)
    across = gaps - np.outer(gaps @ along, along)
    return float(max(np.abs(across).max(), np.abs(gaps[-1] - way).max()))


def within_limits(model: SerialModel, trajectory: Trajectory) -> None:
    """Check speeds and accelerations by differences that do not come from the planner."""
    dt = 1e-3
    times = np.arange(0.0, trajectory.duration, dt)
    q = np.array([trajectory.sample(float(time))[0] for time in times])
    limits = trajectory.limits
    assert limits is not None
    assert (np.abs(np.diff(q, axis=0) / dt) <= limits.velocity * (1 + 1e-6) + 1e-9).all()
    acceleration = np.abs(np.diff(q, 2, axis=0) / dt**2)
    assert (acceleration <= limits.acceleration * (1 + 1e-4) + 1e-6).all()


@pytest.mark.parametrize(("name", "least"), FEW)
def test_lines_of_arms_with_few_joints(name: Literal["planar_rr"], least: int) -> None:
    """They are driven by default, with a notice where not everything can be met."""
    model, draw = aw.model(name), np.random.default_rng(1)
    low, high = np.clip(model.limits.T, -2.9, 2.9)
    driven, refusals = 0, []
    for _ in range(16):
        q0, q1 = draw.uniform(low, high), draw.uniform(low, high)
        start = model.fk(q0)[:3, 3]
        way = model.fk(q1)[:3, 3] - start
        way *= min(1.0, 0.05 / float(np.linalg.norm(way)))
        try:
            trajectory = aw.Path(speed=0.2).lin(start + way).plan(model, q0)
        except MotionError as error:
            refusals.append(str(error))
            continue
        driven += 1
        assert off_line(model.fk(sampled(trajectory)), start, way) < 1e-9
        told = [str(notice) for notice in trajectory.notices if "freedoms" in str(notice)]
        assert len(told) == (name in ("planar_rr", "simple_arm", "five_axis"))
        if driven < 3:
            within_limits(model, trajectory)
    assert driven >= least
    assert all("stop" in words or "reach" in words for words in refusals)


def test_a_gantry_carries_its_tool_where_only_the_place_counts() -> None:
    model, q = aw.model("cartesian"), np.array([0.3, 0.2, 0.3, 0.3, 0.4])
    here, way = model.fk(q), np.array([0.1, 0.05, 0.02])
    path = aw.Path(here, speed=0.1).lin(here[:3, 3] + way, orientation="free")
    assert off_line(model.fk(sampled(path.plan(model, q))), here[:3, 3], way) < 1e-9


def test_blended_lines_and_circles_of_three_joints() -> None:
    model = aw.model("simple_arm")
    q0 = np.array([0.3, 0.5, -1.2])
    start = model.fk(q0)[:3, 3]
    shifts = np.array(
        [[0.0, 0.08, 0.0], [-0.05, 0.08, 0.04], [-0.07, 0.05, 0.04], [-0.05, 0.02, 0.04]]
    )
    first, second, over, third = start + shifts
    path = (
        aw.Path(speed=0.2, blend=0.01)
        .lin(first)
        .lin(second)
        .circ(over, third, blend=0.0)
        .lin(start)
    )
    trajectory = path.plan(model, q0)
    points = model.fk(sampled(trajectory, 801))[:, :3, 3]
    assert np.abs(points[-1] - start).max() < 1e-9
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).max() < 0.2 * trajectory.duration / 790
    within_limits(model, trajectory)


def test_direction_is_kept_and_the_turn_is_free() -> None:
    """A welding torch of five axes, and a Puma whose last joint would not get there."""
    arm = aw.load("five_axis")
    torch = np.eye(4)
    torch[:3, :3], torch[:3, 3] = rotation_x(0.7), [0.0, 0.05, 0.15]
    for model, q0 in (
        (aw.model(arm.with_tool(arm.tool @ torch)), np.array([0.3, 0.4, 0.8, 0.5, 0.6])),
        (aw.model("puma560"), np.array([0.3, -0.6, 0.4, 0.5, 0.8, 0.2])),
    ):
        pose = model.fk(q0)
        goal = pose.copy()
        goal[:3, 3] += [0.03, -0.04, 0.02]
        goal[:3, :3] = rotation_z(0.1) @ goal[:3, :3]
        trajectory = aw.Path().lin(goal, orientation="direction").plan(model, q0)
        poses = model.fk(sampled(trajectory))
        assert off_line(poses, pose[:3, 3], goal[:3, 3] - pose[:3, 3]) < 1e-9
        assert np.abs(poses[-1, :3, 2] - goal[:3, 2]).max() < 1e-9
        # the z axis stays on the great circle between its ends
        across = np.cross(pose[:3, 2], goal[:3, 2])
        turn = np.cross(poses[:, :3, 2], goal[:3, 2])
        assert np.linalg.norm(across) > 0.01
        assert (turn @ across >= -1e-12).all()


@pytest.mark.parametrize("way", [(0.0, 0.0025, 0.0198), (-4.605e-5, 2.451474e-3, 1.98491e-2)])
def test_a_scara_with_its_tool_aside_has_a_turn_to_spare(way: tuple[float, ...]) -> None:
    """Its last axis is parallel to the turn about the tool: rounding would choose between them."""
    arm = aw.load("scara2")
    tool = np.eye(4)
    tool[:3, 3] = [0.0, 0.05, 0.1]
    model = aw.model(arm.with_tool(arm.tool @ tool))
    q0 = np.array([0.3, 0.0, np.pi / 18.0, np.pi / 2.0])
    start = model.fk(q0)
    path = aw.Path(start, speed=0.1).lin(start[:3, 3] + way, orientation="direction")
    motion = path.plan(model, q0)
    assert not motion.notices  # what is asked for is met
    poses = model.fk(sampled(motion))
    assert off_line(poses, start[:3, 3], np.array(way)) < 1e-9
    assert np.abs(poses[:, :3, 2] - start[:3, 2]).max() < 1e-9
    times = np.linspace(0.0, motion.duration, 20_001)[1:-1]
    slope = (motion.sample(times + 1e-6)[0] - motion.sample(times - 1e-6)[0]) / 2e-6
    np.testing.assert_allclose(motion.sample(times)[1], slope, rtol=0.0, atol=1e-8)


def test_free_orientation_of_six_and_seven_joints() -> None:
    """An arm with all freedoms turns its tool as it likes, which makes it quicker or nothing."""
    for name in ("puma560", "iiwa7"):
        model = aw.model(name)
        q0 = np.array([0.3, -0.6, 0.4, 0.5, 0.8, 0.2, 0.1])[: model.dof]
        start = model.fk(q0)[:3, 3]
        way = np.array([0.06, 0.05, -0.04])
        trajectory = aw.Path(speed=0.2).lin(start + way, orientation="free").plan(model, q0)
        poses = model.fk(sampled(trajectory))
        assert off_line(poses, start, way) < 1e-9
        assert np.abs(poses[-1, :3, :3] - poses[0, :3, :3]).max() > 1e-3
        within_limits(model, trajectory)


def test_the_message_names_what_would_do() -> None:
    model = aw.model("five_axis")
    q0 = np.array([0.3, 0.4, 0.8, 0.5, 0.6])
    start = model.fk(q0)[:3, 3]
    with pytest.raises(MotionError, match="orientation='free' would do"):
        aw.Path().lin(start + np.array([0.0, 0.05, 0.0]), orientation="constant").plan(model, q0)


def test_a_stop_is_no_reason_to_leave_the_orientation() -> None:
    """What could be met but for a stop is refused, not driven otherwise."""
    model = aw.model("scara")
    q0 = np.array([0.2, 0.5, 0.19, 0.1])
    below = model.fk(q0)
    below[2, 3] -= 0.05
    with pytest.raises(MotionError, match="stop"):
        aw.Path().lin(below).plan(model, q0)


def test_joint_motion_to_a_point_of_few_joints() -> None:
    """ptp to a pose takes what of it can be met; without q0 too."""
    model = aw.model("simple_arm")
    pose = model.fk([0.5, 0.9, -1.0])
    pose[:3, :3] = rotation_x(0.4)
    trajectory = aw.Path().ptp(pose).plan(model, [0.3, 0.5, -1.2])
    assert np.abs(model.fk(sampled(trajectory))[-1, :3, 3] - pose[:3, 3]).max() < 1e-9
    assert any("freedoms" in str(notice) for notice in trajectory.notices)
    way = np.array([0.0, 0.02, 0.03])
    trajectory = aw.Path(pose).lin(pose[:3, 3] + way).plan(model)
    assert off_line(model.fk(sampled(trajectory)), pose[:3, 3], way) < 1e-9


def test_turning_is_that_of_the_tool() -> None:
    """ω, ω' and ω'' against differences of the orientation itself."""
    model, draw = aw.model("simple_arm"), np.random.default_rng(3)
    c = draw.uniform(-1.0, 1.0, (4, 3))
    h = 1e-3
    times = h * np.arange(-3, 4)
    motions = np.empty((len(times), 4, 3))
    for order in range(4):
        motions[:, order] = sum(
            math.perm(k, order) * np.outer(times ** max(k - order, 0), c[k]) * (k >= order)
            for k in range(4)
        )
    R, rates = turning(model, motions)
    middle = 3
    change = (R[middle + 1] - R[middle - 1]) / (2 * h)
    spin = change @ R[middle].T
    assert np.abs(spin[[2, 0, 1], [1, 2, 0]] - rates[middle, 0]).max() < 1e-5
    for order in (0, 1):
        slope = (rates[middle + 1, order] - rates[middle - 1, order]) / (2 * h)
        assert np.abs(slope - rates[middle, order + 1]).max() < 1e-4


@pytest.mark.parametrize("name", ["iiwa7", "gen3", "panda"])
def test_joint_motions_of_redundant_arms_are_short(name: Literal["iiwa7"]) -> None:
    """From beside a configuration nobody goes farther than to that one."""
    model, draw = aw.model(name), np.random.default_rng(0)
    low, high = np.clip(model.limits.T, -2.0, 2.0)
    for _ in range(10):
        q0 = draw.uniform(low, high)
        q1 = np.clip(q0 + draw.uniform(-0.1, 0.1, 7), *model.limits.T)
        trajectory = aw.Path().ptp(model.fk(q1)).plan(model, q0)
        end = sampled(trajectory)[-1]
        assert np.abs(model.fk(end) - model.fk(q1)).max() < 1e-8
        assert np.linalg.norm(end - q0) <= np.linalg.norm(q1 - q0) * (1 + 1e-6)
