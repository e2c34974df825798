"""Arms with joints to spare along a path: off their stops, and closed on wish."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp
from armwerk.mechanics import SerialModel
from armwerk.motion.trajectory.trajectory import Trajectory

IIWA = np.array([0.2, 0.5, 0.3, -1.2, 0.4, 0.9, 0.1])
GEN3 = np.array([0.3, 0.6, 0.2, -1.4, 0.3, 0.9, 0.1])


def square(model: SerialModel, q0: Array, side: float, blend: float = 0.0) -> aw.Path:
    """Return a square of the tool about where it stands."""
    pose, path = model.fk(q0), aw.Path(speed=0.3)
    corners = [(side, 0.0), (side, side), (0.0, side), (0.0, 0.0)]
    for k, (x, y) in enumerate(corners):
        goal = pose.copy()
        goal[:3, 3] += [0.0, x, y]
        path = path.lin(goal, blend=blend if k < 3 else 0.0)
    return path


def check(model: SerialModel, trajectory: Trajectory) -> Array:
    """Check stops and speeds by differences; return the joint values on the way."""
    dt = 2e-3
    times = np.append(np.arange(0.0, trajectory.duration, dt), trajectory.duration)
    q = np.array([trajectory.sample(float(time))[0] for time in times])
    low, high = model.limits.T
    assert ((q >= low - 1e-9) & (q <= high + 1e-9)).all()
    limits = trajectory.limits
    assert limits is not None
    assert (np.abs(np.diff(q[:-1], axis=0) / dt) <= limits.velocity * (1 + 1e-6) + 1e-9).all()
    return q


def test_lines_keep_off_the_stops() -> None:
    """Of 24 random lines of a Panda least motion alone drives 13, of those in reach."""
    model, draw = aw.model("panda"), np.random.default_rng(5)
    low, high = np.clip(model.limits.T, -2.9, 2.9)
    driven, stopped = 0, 0
    for _ in range(24):
        q0 = draw.uniform(0.9 * low, 0.9 * high)
        way = draw.normal(size=3)
        way *= 0.12 / np.linalg.norm(way)
        goal = model.fk(q0)
        start = goal[:3, 3].copy()
        goal[:3, 3] += way
        try:
            trajectory = aw.Path(speed=0.2).lin(goal).plan(model, q0)
        except MotionError as error:
            stopped += "stop" in str(error)
            continue
        driven += 1
        poses = model.fk(check(model, trajectory))
        gaps = poses[:, :3, 3] - start
        along = way / np.linalg.norm(way)
        assert np.abs(gaps - np.outer(gaps @ along, along)).max() < 1e-8
        assert np.abs(poses[:, :3, :3] - goal[:3, :3]).max() < 1e-8
    assert driven >= 17
    assert stopped <= 1


@pytest.mark.parametrize(
    ("name", "q0", "side", "blend"),
    [("iiwa7", IIWA, 0.12, 0.0), ("gen3", GEN3, 0.1, 0.0), ("gen3", GEN3, 0.1, 0.02)],
)
def test_closed_squares(
    name: Literal["iiwa7", "gen3"], q0: Array, side: float, blend: float
) -> None:
    model = aw.model(name)
    path = square(model, q0, side, blend)
    open_end = check(model, path.plan(model, q0))[-1]
    assert np.abs(open_end - q0).max() > 1e-3  # the case there is something to close
    trajectory = path.plan(model, q0, close=True)
    q = check(model, trajectory)
    assert np.abs(q[-1] - q0).max() < 1e-9
    pose = model.fk(q0)
    poses = model.fk(q)
    assert np.abs(poses[:, 0, 3] - pose[0, 3]).max() < 1e-8  # the square is upright
    assert np.abs(poses[:, :3, :3] - pose[:3, :3]).max() < 1e-8


def test_only_closed_paths_are_closed() -> None:
    model = aw.model("gen3")
    goal = model.fk(GEN3)
    goal[2, 3] += 0.05
    with pytest.raises(MotionError, match="must end where it begins: its end is 50 mm"):
        aw.Path().lin(goal).plan(model, GEN3, close=True)
    with pytest.raises(MotionError, match="must end where it begins: its end is 50 mm"):
        aw.Path().ptp(goal).plan(model, GEN3, close=True)  # not where the joints would fit


@pytest.mark.parametrize("orientation", ["variable", "direction", "free"])
def test_closed_paths_may_end_with_a_motion_of_the_joints(
    orientation: Literal["variable", "direction", "free"],
) -> None:
    model = aw.model("gen3")
    start = model.fk(GEN3)
    away = start.copy()
    away[2, 3] += 0.05
    path = aw.Path(start).lin(away, orientation=orientation).ptp(start)
    q = check(model, path.plan(model, GEN3, close=True))
    assert np.abs(q[-1] - GEN3).max() < 1e-9


def test_arms_without_spare_joints_close_by_themselves() -> None:
    model = aw.model("puma560")
    q0 = np.array([0.3, -0.6, 0.4, 0.5, 0.8, 0.2])
    path = square(model, q0, 0.05)
    q = check(model, path.plan(model, q0, close=True))
    assert np.abs(q[-1] - q0).max() < 1e-9
    back = aw.Path().ptp(model.fk([0.4, -0.5, 0.4, 0.5, 0.8, 0.2])).ptp(model.fk(q0))
    assert np.abs(check(model, back.plan(model, q0, close=True))[-1] - q0).max() < 1e-9


@pytest.mark.parametrize(
    ("name", "q0", "way", "turn"),
    [
        (
            "panda",
            [-0.803, 0.206, 2.198, -2.584, -1.756, 3.559, -2.187],
            [0.0767, 0.0652, -0.0769],
            [0.0, 0.0, 0.0],
        ),
        (
            "panda",
            [-2.077419, 1.077314, -1.284201, -1.350062, -1.319568, 3.231555, 0.284917],
            [0.15613, -0.002585, -0.256158],
            [0.0, 0.0, 0.0],
        ),
        (
            "gen3",
            [1.866, 1.911, 2.158, 0.461, -2.777, -1.001, -0.252],
            [0.1061, 0.0122, -0.1022],
            [0.052, -0.63, 0.959],
        ),
    ],
)
def test_joints_lean_away_where_the_way_of_least_motion_ends_at_a_stop(
    name: str, q0: list[float], way: list[float], turn: list[float]
) -> None:
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    goal = model.fk(np.array(q0))
    goal[:3, 3] += way
    goal[:3, :3] = rotation_exp(np.array(turn)) @ goal[:3, :3]
    trajectory = aw.Path(speed=0.3).lin(goal).plan(model, q0)
    q = check(model, trajectory)
    np.testing.assert_allclose(model.fk(q[-1]), goal, atol=1e-9)
