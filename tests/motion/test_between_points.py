"""What holds at the points of a grid holds between them: stops, and limits of narrow peaks."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from problems import serial

from armwerk.errors import MotionError
from armwerk.motion import Limits, Path

DRAWS = 60


@pytest.mark.parametrize("name", ["stanford", "irb140", "ur5e", "iiwa7"])
def test_joints_that_graze_a_stop_do_not_pass_it_between_points(name: str) -> None:
    """From exactly at a stop the joint first goes a little beyond, or not, and turns back."""
    model = serial(name)
    low, high = model.chain.ranges().T
    random = np.random.default_rng([5, *name.encode()])
    driven = 0
    for _ in range(DRAWS):
        q = low + (high - low) * random.uniform(0.25, 0.75, model.dof)
        axis = int(random.integers(model.dof))
        q[axis] = high[axis]
        across = np.linalg.pinv(model.jacobian(q))[axis, :3]
        way = np.cross(across, random.normal(size=3))
        rate = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(
            -4.0, -1.5
        )  # [rad/m] or [m/m], to begin with
        way = way / np.linalg.norm(way) + rate * across / (across @ across)
        way *= random.choice([0.005, 0.03, 0.1]) / np.linalg.norm(way)
        start = np.asarray(model.fk(q))
        with suppress(MotionError):
            motion = Path(start, speed=0.2).lin(start[:3, 3] + way).plan(model, q)
            driven += 1
            times = np.unique(
                np.concatenate([np.geomspace(1e-4, 1.0, 2000), np.linspace(0.0, 1.0, 4000)])
            )
            rows = motion.sample(times * motion.duration)[0]
            lowest, highest = model.chain.limits.T
            assert (rows >= lowest - 2e-9).all()
            assert (rows <= highest + 2e-9).all()
    assert driven > DRAWS // 10


def test_jerks_of_joints_to_spare_are_within_their_limits_between_points() -> None:
    """Where the tool's own law drives a line, joints may change their jerk within milliseconds."""
    model = serial("iiwa7")
    q = np.deg2rad([0.0, 0.0, 0.0, -30.0, 0.0, -30.0, 45.0])
    start = np.asarray(model.fk(q))
    step = 2e-5  # [s]
    for way in ([-0.01749924, -0.00378582, -0.00891315], [0.039, 0.072, -0.057]):
        motion = Path(start, speed=0.3).lin(start[:3, 3] + way).plan(model, q)
        rates = motion.sample(np.arange(0.0, motion.duration, step))[2]
        jerks = np.abs(np.diff(rates, axis=0)).max(axis=0) / step
        assert (jerks < (1.0 + 1e-6) * Limits.of(model.arm).jerk).all()
