"""A motion as the number of points that was asked for, and motions from points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, ShapeError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.polynomial import PolynomialPiece
from armwerk.motion.trajectory.trajectory import Trajectory

_SAMPLES = 2000  # of a motion, to find points at equal distances
_STILL = 1e-9  # [m] below which the tool stands, and points are at equal times


class InterpolatedPoint(NamedTuple):
    """One point of an interpolated motion.

    Attributes:
        position: Of the tool [m]. Shape (3,).
        inclination: Of the tool's z axis above the horizon [rad].
        speed: Of the tool [m/s].
        time: For the piece that ends here [s].
        q: Values of the joints [rad or m]. Shape (n,).
    """

    position: Array
    inclination: float
    speed: float
    time: float
    q: Array


def interpolated(
    trajectory: Trajectory, model: ArmModel, count: int
) -> tuple[InterpolatedPoint, ...]:
    """Return points of a motion at equal distances along the tool's path, the goal last.

    Args:
        trajectory: The motion.
        model: Of the arm.
        count: Points between start and goal; there are one more pieces than that.
    """
    if count < 0:
        raise DescriptionError("negative", element="points", value=count, allowed="at least 0")
    times = np.linspace(0.0, trajectory.duration, _SAMPLES + 1)
    poses = model.fk(trajectory.sample(times)[0])
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    ways = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0.0, 1.0, count + 2)[1:]
    if ways[-1] > _STILL:
        # where the tool stands for a while, the way does not tell the time: a hair of it does
        rising = ways / ways[-1] + 1e-9 * times / max(trajectory.duration, 1e-9)
        at = np.interp(wanted * rising[-1], rising, times)
    else:
        at = wanted * trajectory.duration
    at[-1] = trajectory.duration
    q, qd, _ = trajectory.sample(at)
    found = model.fk(q)
    points, before = [], 0.0
    for time, row, rate, pose in zip(at, q, qd, found, strict=True):
        speed = float(np.linalg.norm((model.jacobian(row) @ rate)[:3]))
        lean = float(np.arcsin(np.clip(pose[2, 2], -1.0, 1.0)))
        points.append(InterpolatedPoint(pose[:3, 3].copy(), lean, speed, float(time) - before, row))
        before = float(time)
    return tuple(points)


def through(
    times: Array, q: Array, limits: Limits | None = None, model: ArmModel | None = None
) -> Trajectory:
    """Return the motion through joint values at times, at rest at both ends.

    Where it would be faster than the limits allow, all of it takes longer.

    Args:
        times: Rising [s]. Shape (m,).
        q: [rad or m]. Shape (m, n).
        limits: Of the axes; None: no matter.
        model: Whose motion it is.
    """
    from scipy.interpolate import CubicSpline

    if times.ndim != 1 or len(times) < 2 or q.shape[:1] != times.shape or q.ndim != 2:
        raise ShapeError(f"times (m,) and joint values (m, n), m from 2, got {q.shape}")
    if not (np.diff(times) > 0).all():
        raise ShapeError("times must rise")
    spline = CubicSpline(times - times[0], q, bc_type="clamped")
    stretch = 1.0
    if limits is not None:
        dense = np.linspace(0.0, times[-1] - times[0], 20 * len(times))
        speeds = np.abs(spline(dense, 1)).max(axis=0) / limits.velocity
        swings = np.abs(spline(dense, 2)).max(axis=0) / limits.acceleration
        stretch = max(1.0, 1.001 * float(speeds.max()), float(np.sqrt(swings.max())) * 1.001)
    knots = np.tile((times - times[0]) * stretch, (q.shape[1], 1))
    coefficients = np.moveaxis(spline.c[::-1], 0, 2)  # (k, n, 4), lowest power first
    powers = stretch ** -np.arange(4.0)
    piece = PolynomialPiece(knots, np.ascontiguousarray(np.moveaxis(coefficients, 0, 1) * powers))
    return Trajectory((piece,), limits, model)
