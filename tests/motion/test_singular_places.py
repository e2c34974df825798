"""Paths through and beside singular places: limits and rates by differences, tool on its curve."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from problems import serial

from armwerk.arrays import Array
from armwerk.errors import MotionError
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


def uses(motion: Trajectory) -> Array:
    """Return the largest fractions of the limits, by central differences of joint values alone.

    The differences of a smooth motion are means of its derivatives, which cannot be larger than
    these; rounding is what is left, and the step is wide enough for it.
    """
    limits, found = motion.limits, []
    assert limits is not None
    for order, step in ((1, 2e-4), (2, 1e-3), (3, 2e-3)):
        times = np.arange(0.0, motion.duration - order * step, 2e-4)
        rows = [motion.sample(times + k * step)[0] for k in range(order + 1)]
        while len(rows) > 1:
            rows = [(b - a) / step for a, b in itertools.pairwise(rows)]
        limit = (limits.velocity, limits.acceleration, limits.jerk)[order - 1]
        found.append(float((np.abs(rows[0]) / limit).max()))
    return np.array(found)


def test_the_nearer_the_place_the_motion_takes_no_hours() -> None:
    model = serial("kr6_r900")
    durations = {}
    for beside in (1e-3, 1e-4, 1e-6, -1e-6, 1e-9):
        start, end = line_beside(model, WRIST, 4, beside)
        motion = driven(model, start, end, WRIST)
        durations[beside] = motion.duration
        assert off_line(model, motion, start, end) < 1e-9
        assert uses(motion).max() < 1.0 + 1e-6
        times = np.linspace(0.0, motion.duration, 20001)[1:-1]
        slope = (motion.sample(times + 1e-6)[0] - motion.sample(times - 1e-6)[0]) / 2e-6
        np.testing.assert_allclose(motion.sample(times)[1], slope, atol=1e-6)
    assert durations[1e-6] < 2.0 * durations[1e-3]
    assert max(durations.values()) < 2.0 * durations[1e-3]


@pytest.mark.parametrize("beside", [0.0, 1e-13, 1e-11])
def test_straight_through_the_place_nothing_is_slowed(beside: float) -> None:
    model = serial("kr6_r900")
    start, end = line_beside(model, WRIST, 4, beside)
    motion = driven(model, start, end, WRIST)
    assert motion.duration < 0.9
    assert off_line(model, motion, start, end) < 1e-9
    assert uses(motion).max() < 1.0 + 1e-6
