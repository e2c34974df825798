"""Blends in joint space: within the stops and near their corner, next to singularities too."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics import SerialModel
from armwerk.motion.trajectory.trajectory import Trajectory

RADIUS = 0.05
TYPED = np.deg2rad([0.0, 30.0, 45.0, 90.0, -30.0, -90.0])


def rows_of(trajectory: Trajectory, count: int = 600) -> Array:
    """Return joint values on the way. Shape (count, n)."""
    times = np.linspace(0.0, trajectory.duration, count)
    return np.array([trajectory.sample(float(time))[0] for time in times])


def start_of(model: SerialModel, draw: np.random.Generator) -> Array:
    """Return joint values, half of them with angles that people type, some a hair beside them."""
    low, high = model.limits.T
    q: Array = draw.uniform(low, high)
    if draw.random() < 0.5:
        typed = draw.choice(TYPED, model.dof) + draw.choice([0.0, 1e-6, 1e-3])
        q = np.where((typed > low) & (typed < high), typed, q)
    return q


@pytest.mark.parametrize("name", ["irb140", "tx60", "panda", "ur5e", "irb2400", "stanford"])
def test_no_blend_passes_a_stop(name: str) -> None:
    """Before blends were held against the stops, 3 of 43 such paths of an IRB 140 passed one."""
    model, draw = aw.model(name), np.random.default_rng(0)
    assert isinstance(model, SerialModel)
    arm = model.arm
    low, high = model.limits.T
    driven = 0
    for _ in range(60):
        q0 = start_of(model, draw)
        if not arm.keeps_limits(q0):
            continue
        path, goal = aw.Path(speed=0.3, blend=RADIUS), model.fk(q0)
        for kind in ("lin", "ptp", "lin"):
            way = draw.normal(size=3)
            goal = goal.copy()
            goal[:3, 3] += way / np.linalg.norm(way) * draw.choice([0.02, 0.1, 0.2])
            path = path.lin(goal) if kind == "lin" else path.ptp(goal)
        try:
            q = rows_of(path.plan(model, q0))
        except MotionError:
            continue
        driven += 1
        assert (q >= low - 1e-9).all()
        assert (q <= high + 1e-9).all()
        assert arm.keeps_limits(q).all()
    assert driven >= 5


@pytest.mark.parametrize("stop", [0, 1])
def test_a_corner_exactly_at_a_stop_is_blended_within_it(stop: int) -> None:
    """The corner lies on the stop, the ways to it and from it differ fivefold in length."""
    model = aw.model("irb140")
    low, high = model.limits.T
    middle = np.array([0.2, 0.1, -0.3, 0.3, 0.6, 0.4])
    corner, end = middle.copy(), middle.copy()
    corner[0] = model.limits[0, stop]
    end[0] = corner[0] + (0.15 if stop == 0 else -0.15)
    end[1] += 0.5
    trajectory = aw.Path(blend=0.1).ptp(corner).ptp(end).plan(model, middle)
    q = rows_of(trajectory, 4000)
    assert (q >= low - 1e-9).all()
    assert (q <= high + 1e-9).all()
    speeds = np.abs(np.diff(q, axis=0)).max(axis=1)
    assert speeds[400:-400].min() > 0.1 * speeds.max()  # it does not stop at the corner


@pytest.mark.parametrize("off", [1e-1, 1e-2, 1e-3])
def test_a_blend_next_to_a_stretched_wrist_keeps_to_its_corner(off: float) -> None:
    """The tool passes the wrist's singularity sideways; about it joints turn far on little way."""
    model = aw.model("irb140")
    corner = np.array([0.2, 0.3, -0.3, 0.3, off, 0.4])
    start, goal = model.fk(corner), model.fk(corner)
    start[1, 3] += 0.1
    goal[2, 3] -= 0.1
    q0 = model.ik_nearest(start, corner)
    assert q0 is not None
    path = aw.Path(start, blend=RADIUS).lin(model.fk(corner)).ptp(goal)
    trajectory = path.plan(model, q0)
    q = rows_of(trajectory)
    ends = np.abs(q[[0, -1]] - corner).max()
    assert np.abs(q - corner).max() < 1.5 * ends
    away = np.linalg.norm(model.fk(q)[:, :3, 3] - model.fk(corner)[:3, 3], axis=1)
    assert away.min() < RADIUS
