"""A motion as the number of points that was asked for, and motions from points."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bounded_trajectory import segment_at
from armwerk.errors import DescriptionError, ShapeError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.limits import Limits
from armwerk.motion.path.goals import Cylindrical
from armwerk.motion.pieces.polynomial import PolynomialPiece
from armwerk.motion.table.table import Table
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
        segment: Of the path, counted from 1; 0: not known.
        phi: Direction about the upright axis [rad]; on the axis that of the point before.
    """

    position: Array
    inclination: float
    speed: float
    time: float
    q: Array
    segment: int = 0
    phi: float = 0.0


def table_points(
    table: Table, trajectory: Trajectory, model: ArmModel
) -> tuple[InterpolatedPoint, ...]:
    """Return the points of a table's motion, as many for each row as it asks for.

    Args:
        table: Whose rows say how many; those that do not, as its settings say.
        trajectory: Its motion, planned.
        model: Of the arm.
    """
    counts = [
        table.settings.points if row.points is None else row.points
        for row in table.rows
        if row.kind != "start"
    ]
    ends = _segment_ends(trajectory, len(counts))
    points: list[InterpolatedPoint] = []
    phi, begin = 0.0, 0.0
    for number, (count, end) in enumerate(zip(counts, ends, strict=True), start=1):
        if end <= begin:  # a row that moves nothing
            continue
        for point in interpolated(trajectory, model, count, (begin, end)):
            phi = Cylindrical.of(point.position, phi).phi
            points.append(point._replace(segment=number, phi=phi))
        begin = end
    return tuple(points)


def _segment_ends(trajectory: Trajectory, count: int) -> list[float]:
    """Return when each of the segments of a path ends [s]."""
    ends, low = [], 0.0
    for number in range(1, count):
        first, last = low, trajectory.duration
        for _ in range(60):
            middle = 0.5 * (first + last)
            before = segment_at(trajectory, middle) <= number
            first, last = (middle, last) if before else (first, middle)
        ends.append(first)
        low = first
    return [*ends, trajectory.duration]


def interpolated(
    trajectory: Trajectory, model: ArmModel, count: int, span: tuple[float, float] | None = None
) -> tuple[InterpolatedPoint, ...]:
    """Return points of a motion at equal distances along the tool's path, the goal last.

    Args:
        trajectory: The motion.
        model: Of the arm.
        count: Points between start and goal; there are one more pieces than that.
        span: From when to when [s]; None: the whole motion.
    """
    if count < 0:
        raise DescriptionError("negative", element="points", value=count, allowed="at least 0")
    begin, end = (0.0, trajectory.duration) if span is None else span
    times = np.linspace(begin, end, _SAMPLES + 1)
    poses = model.fk(trajectory.sample(times)[0])
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    ways = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0.0, 1.0, count + 2)[1:]
    if ways[-1] > _STILL:
        # where the tool stands for a while, the way does not tell the time: a hair of it does
        rising = ways / ways[-1] + 1e-9 * (times - begin) / max(end - begin, 1e-9)
        at = np.interp(wanted * rising[-1], rising, times)
    else:
        at = begin + wanted * (end - begin)
    at[-1] = end
    q, qd, _ = trajectory.sample(at)
    found = model.fk(q)
    points, before = [], begin
    for time, row, rate, pose in zip(at, q, qd, found, strict=True):
        speed = float(np.linalg.norm((model.jacobian(row) @ rate)[:3]))
        lean = float(np.arcsin(np.clip(pose[2, 2], -1.0, 1.0)))
        points.append(InterpolatedPoint(pose[:3, 3].copy(), lean, speed, float(time) - before, row))
        before = float(time)
    return tuple(points)


def points_csv(points: Sequence[InterpolatedPoint], names: Sequence[str]) -> str:
    """Return points as CSV: place, cylindrical coordinates, inclination, speed, time, joints.

    Lengths in metres, angles of the place in degrees, joint values in radians or metres.

    Args:
        points: As `table_points` gives them.
        names: Of the joints, with their units.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    place = ("x [m]", "y [m]", "z [m]", "r [m]", "h [m]", "phi [deg]", "inclination [deg]")
    writer.writerow(("segment", *place, "speed [m/s]", "time [s]", *names))
    for point in points:
        x, y, z = (float(value) for value in point.position)
        angles = (math.degrees(point.phi), math.degrees(point.inclination))
        numbers = (x, y, z, math.hypot(x, y), z, *angles, point.speed, point.time, *point.q)
        writer.writerow((point.segment, *(f"{float(value):.9g}" for value in numbers)))
    return out.getvalue()


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
