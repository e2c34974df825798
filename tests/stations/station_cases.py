"""Stations and seams that several tests look at."""

from __future__ import annotations

from functools import cache

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.motion import Trajectory
from armwerk.stations import StationModel

RADIUS, HEIGHT = 0.15, 0.2


@cache
def station(name: str) -> StationModel:
    return StationModel(name)


def torch(angle: float, lean: float = 0.0) -> Array:
    """A torch at a pipe on the plate: z inwards, leaning down by ``lean``, x along the seam."""
    inwards = -np.array([np.cos(angle), np.sin(angle), 0.0])
    x = np.array([-np.sin(angle), np.cos(angle), 0.0])
    z = np.cos(lean) * inwards - np.sin(lean) * np.array([0.0, 0.0, 1.0])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = -RADIUS * inwards + np.array([0.0, 0.0, HEIGHT])
    return pose


def round_seam(angle: float, lean: float = 0.0, speed: float = 0.05) -> aw.Path:
    """A seam round the pipe, the torch turning with it."""
    start = aw.Path(torch(0.0, lean), speed=speed)
    return start.spiral([0, 0, HEIGHT], angle, orientation="constant", reference="path")


def inside_limits(trajectory: Trajectory) -> Array:
    """Check every limit by outside differences of the positions; return these. Shape (m, n)."""
    limits = trajectory.limits
    assert limits is not None
    step = trajectory.duration / 4000
    times = np.linspace(0.0, trajectory.duration, 4001)
    q = trajectory.evaluate(times).q
    assert (q >= limits.lowest - 1e-9).all()
    assert (q <= limits.highest + 1e-9).all()
    for order, most in enumerate((limits.velocity, limits.acceleration, limits.jerk), start=1):
        rate = np.abs(np.diff(q, order, axis=0)) / step**order
        noise = 2.0**order * 1e-13 / step**order
        assert (rate <= most * (1.0 + 1e-6) + noise).all(), order
    return q
