"""Paths through and beside singular places: limits and rates by differences, tool on its curve."""

from __future__ import annotations

import numpy as np
import pytest
from problems import serial
from singular_paths import (
    ARMS,
    BESIDE,
    KINDS,
    SingularPath,
    limit_use,
    line_past,
    ordinary_joints,
    path_past,
    planned,
    singular_joints,
    steps,
    tool_off,
)

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Path, Trajectory

WRIST = np.array([0.2, -1.2, 1.4, 0.3, 0.0, 0.1])  # [rad], an arm of KUKA with its wrist stretched
HALF = 0.06  # [m] driven before and behind the place


def line_beside(model: SerialModel, q: Array, axis: int, beside: float) -> tuple[Array, Array]:
    """Return both ends of a line that passes a wrist ``beside`` its singularity [rad]."""
    middle = q.copy()
    middle[axis] = beside
    pose = np.asarray(model.fk(middle))
    middle[axis] = max(abs(beside), 1e-4)
    across = np.linalg.inv(model.jacobian(middle))[axis, :3]
    along = np.cross(across, [0.3, 0.5, 0.8])
    along /= np.linalg.norm(along)
    ends = pose.copy(), pose.copy()
    ends[0][:3, 3] -= HALF * along
    ends[1][:3, 3] += HALF * along
    return ends


def driven(model: SerialModel, start: Array, end: Array, q: Array) -> Trajectory:
    """Return the line driven with the arm's main axes near q."""
    low, high = model.chain.limits.T
    error: MotionError | None = None
    for q0 in np.asarray(model.ik(start)):
        if np.abs(q0 - q)[:3].max() < 0.5 and (q0 >= low).all() and (q0 <= high).all():
            try:
                return Path(start, speed=0.25).lin(end).plan(model, q0)
            except MotionError as stop:  # the turn of the wrist runs into a stop one way round
                error = stop
    assert error is not None
    raise error


def off_line(model: SerialModel, motion: Trajectory, start: Array, end: Array) -> float:
    """Return how far tool point and orientation leave a line [m, rad]."""
    poses = model.fk(motion.sample(np.linspace(0.0, motion.duration, 4001))[0])
    way = end[:3, 3] - start[:3, 3]
    way /= np.linalg.norm(way)
    gap = poses[:, :3, 3] - start[:3, 3]
    aside = np.linalg.norm(gap - (gap @ way)[:, None] * way, axis=1).max()
    return float(max(aside, np.abs(poses[:, :3, :3] - start[:3, :3]).max()))


def test_the_nearer_the_place_the_motion_takes_no_hours() -> None:
    model = serial("kr6_r900")
    durations = {}
    for beside in (1e-3, 1e-4, 1e-6, -1e-6, 1e-7):
        start, end = line_beside(model, WRIST, 4, beside)
        motion = driven(model, start, end, WRIST)
        durations[beside] = motion.duration
        assert off_line(model, motion, start, end) < 1e-9
        assert limit_use(motion).max() < 1.0 + 1e-6
        times = np.linspace(0.0, motion.duration, 20001)[1:-1]
        slope = (motion.sample(times + 1e-6)[0] - motion.sample(times - 1e-6)[0]) / 2e-6
        np.testing.assert_allclose(motion.sample(times)[1], slope, atol=1e-6)
    assert durations[1e-6] < 2.0 * durations[1e-3]
    assert max(durations.values()) < 2.0 * durations[1e-3]


@pytest.mark.parametrize("beside", [0.0, 1e-13, 1e-10, 1e-9, -1e-8])
def test_straight_through_the_place_nothing_is_slowed(beside: float) -> None:
    model = serial("kr6_r900")
    start, end = line_beside(model, WRIST, 4, beside)
    motion = driven(model, start, end, WRIST)
    assert motion.duration < 0.9
    assert off_line(model, motion, start, end) < max(1e-9, 2.0 * abs(beside))
    assert limit_use(motion).max() < 1.0 + 1e-6


@pytest.mark.parametrize("seed", [5500, 5505])
def test_beside_the_first_axis_only_the_turn_takes_time(seed: int) -> None:
    model = serial("irb140")
    q = singular_joints(model, np.random.default_rng([seed, *b"irb140"]))
    assert q is not None
    durations, quick = {}, {}
    for beside in (1e-3, 1e-6, 1e-7, 3e-8):
        start, end = line_past(model, q, beside, seed)
        path = Path(start, speed=0.25).lin(end)
        motion = planned(model, SingularPath("lin", path, q))
        quick[beside] = motion.duration
        assert off_line(model, motion, start, end) < 1e-9
        # one law for all: the least time is not found as well everywhere
        durations[beside] = path.plan(model, motion.sample(0.0)[0], optimal=False).duration
        assert quick[beside] < 1.02 * durations[beside]
    assert quick[1e-6] < 2.0 * quick[1e-3]
    assert max(durations.values()) < 1.1 * durations[1e-6]


def past(name: str, seed: int, beside: float, kind: str) -> tuple[SerialModel, SingularPath]:
    """Return a path to, or from, a singular place of an arm, or a hair beside it."""
    model = serial(name)
    q = singular_joints(model, np.random.default_rng([seed, *name.encode()]))
    assert q is not None
    return model, path_past(model, q, beside, kind, seed)


def off_end(model: SerialModel, motion: Trajectory, goal: Array) -> float:
    """Return how far from a pose a motion ends [m, rad]."""
    far, angle = separation(model.fk(motion.sample(motion.duration)[0]), goal)
    return float(max(far, angle))


def test_a_line_that_ends_a_hair_beside_the_place_goes_straight_there() -> None:
    model = serial("tx60")
    q = singular_joints(model, np.random.default_rng([148, *b"tx60"]))
    assert q is not None
    at, beside = (planned(model, path_past(model, q, b, "end", 148)) for b in (0.0, 1e-9))
    assert limit_use(beside).max() < 1.0 + 1e-6
    assert tool_off(model, beside) < 2e-8
    assert beside.duration < 1.1 * at.duration


@pytest.mark.parametrize("beside", [0.0, 1e-9, 1e-8, 1e-6])
@pytest.mark.parametrize(
    ("name", "seed"),
    [("tx60", 0), ("tx60", 4), ("kr6_r900", 2), ("kr6_r900", 4), ("stanford", 2), ("typ1", 5)],
)
def test_what_leads_into_a_singular_place_leads_out_of_it(
    name: str, seed: int, beside: float
) -> None:
    model, one = past(name, seed, beside, "end")
    there = planned(model, one)
    start, goal = (
        np.asarray(one.path.start),
        np.asarray(past(name, seed, beside, "start")[1].path.start),
    )
    assert off_end(model, there, goal) < 2e-8
    back = Path(goal, speed=0.2).lin(start).plan(model, there.sample(there.duration)[0])
    assert off_end(model, back, start) < 1e-9
    for motion in (there, back):
        assert limit_use(motion).max() < 1.0 + 1e-6


def test_joint_values_do_not_step_on_the_way_into_a_stretched_elbow() -> None:
    model, one = past("typ1", 103, -1e-9, "end")
    motion = planned(model, one)
    # a step of joint values is the larger a jerk the nearer one looks
    for step in (2e-4, 5e-5):
        assert limit_use(motion, step).max() < 1.0 + 1e-6


FEW = 9  # paths of each arm in the ordinary run
MANY = 167  # of each of the twelve in the long one: 2,000 in all


def hold(name: str, number: int, at_place: bool) -> bool:
    """Drive one random path, through or beside a singular place or not, and hold it to its bars.

    Returns:
        Whether the arm could drive it at all.
    """
    model = serial(name)
    random = np.random.default_rng([number, *name.encode()])
    q = singular_joints(model, random) if at_place else ordinary_joints(model, random)
    if q is None:
        return False
    kind, beside = KINDS[number % len(KINDS)], float(random.choice(BESIDE))
    try:
        motion = planned(model, path_past(model, q, beside, kind, number))
    except MotionError:
        return False
    assert limit_use(motion).max() <= 1.0 + 1e-6
    assert tool_off(model, motion) < 1e-7
    assert steps(motion) < 1e-9
    try:
        other = planned(model, path_past(model, q, beside, kind, number, shift=0.01))
    except MotionError:
        return True
    assert motion.duration <= 10.0 * other.duration
    return True


def hold_many(name: str, count: int) -> None:
    """Drive many random paths, one in four of those that are driven at a singular place."""
    done = number = 0
    while done < count:
        done += hold(name, number, done % 4 == 0)
        number += 1
        assert number < 20 * count


@pytest.mark.parametrize("name", ARMS)
def test_mixed_paths_keep_limits_and_curve(name: str) -> None:
    hold_many(name, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_many_mixed_paths_keep_limits_and_curve(name: str) -> None:
    hold_many(name, MANY)
