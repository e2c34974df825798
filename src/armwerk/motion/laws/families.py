"""The families of profiles: what plans one axis, and what makes a piece of planned axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.laws.quintic import QuinticAxis
from armwerk.motion.laws.ramped import Phases, RampedAxis, SineRamp, TrapezoidRamp
from armwerk.motion.options import Profile
from armwerk.motion.pieces.piece import TrajectoryPiece
from armwerk.motion.pieces.polynomial import PolynomialPiece, cubic_piece
from armwerk.motion.pieces.sine import sine_piece


class AxisTask(NamedTuple):
    """What one axis has to do, in rad or m and per second.

    Args:
        distance: To cover, with its sign.
        start: Velocity at the start.
        end: Velocity at the end.
        velocity: Largest magnitude.
        acceleration: Largest magnitude.
        jerk: Largest magnitude.
    """

    distance: float
    start: float
    end: float
    velocity: float
    acceleration: float
    jerk: float


class AxisProfile(Protocol):
    """One axis to be planned; knows which durations are possible for it."""

    def next_duration(self, minimum: float) -> float:
        """Return the shortest possible duration [s] that is not below ``minimum``."""
        ...


class ProfiledAxes(Protocol):
    """Axes of one profile that move together."""

    @property
    def each(self) -> Sequence[AxisProfile]:
        """The axes, in order."""
        ...

    def piece(self, q0: Array, v0: Array, times: Sequence[float]) -> TrajectoryPiece:
        """Return the motion from q0 (n,) with velocities v0 (n,), with a duration [s] for each."""
        ...


def axes_of(profile: Profile, tasks: Iterable[AxisTask]) -> ProfiledAxes:
    """Return the axes for some tasks, ready to be asked for durations and for a piece."""
    if profile == "quintic":
        return QuinticAxes([QuinticAxis(*task) for task in tasks])
    if profile == "sine":
        return RampedAxes([_sine_axis(task) for task in tasks], sine_piece)
    return RampedAxes([trapezoid_axis(task) for task in tasks], cubic_piece)


def axis_of(profile: Profile, *task: float) -> RampedAxis | QuinticAxis:
    """Return one axis for (distance, start, end, velocity, acceleration, jerk)."""
    given = AxisTask(*task)
    if profile == "quintic":
        return QuinticAxis(*given)
    return _sine_axis(given) if profile == "sine" else trapezoid_axis(given)


def trapezoid_axis(task: AxisTask) -> RampedAxis:
    """Return an axis whose acceleration rises and falls with constant jerk."""
    ramp = TrapezoidRamp(task.acceleration, task.jerk)
    return RampedAxis(task.distance, task.start, task.end, task.velocity, ramp)


def _sine_axis(task: AxisTask) -> RampedAxis:
    ramp = SineRamp(task.acceleration, task.jerk)
    return RampedAxis(task.distance, task.start, task.end, task.velocity, ramp)


def common_duration(axes: Sequence[AxisProfile], minimum: float = 0.0) -> float:
    """Return the shortest duration [s], not below ``minimum``, that is possible for every axis."""
    time = minimum
    for _ in range(64):
        before = time
        for axis in axes:
            time = axis.next_duration(time)
        if time == before:
            break
    return time


@dataclass(frozen=True, slots=True)
class RampedAxes:
    """Axes that ramp, cruise and ramp.

    Args:
        each: The axes.
        build: Makes a piece of q0 (n,), v0 (n,) and the phases of each axis.
    """

    each: Sequence[RampedAxis]
    build: Callable[[Array, Array, Sequence[Phases]], TrajectoryPiece]

    def piece(self, q0: Array, v0: Array, times: Sequence[float]) -> TrajectoryPiece:
        """Return the motion of all axes; one that is through earlier runs on as it ended."""
        rows = [axis.phases(time) for axis, time in zip(self.each, times, strict=True)]
        return self.build(q0, v0, rows)


@dataclass(frozen=True, slots=True)
class QuinticAxes:
    """Axes on one quintic each.

    Args:
        each: The axes.
    """

    each: Sequence[QuinticAxis]

    def piece(self, q0: Array, v0: Array, times: Sequence[float]) -> TrajectoryPiece:
        """Return one quintic per axis, then the constant speed it ended with."""
        axes, duration = self.each, max(times)
        knots = np.zeros((len(axes), 3))
        knots[:, 1], knots[:, 2] = times, duration
        coefficients = np.zeros((len(axes), 2, 6))
        for row, axis, time in zip(coefficients, axes, times, strict=True):
            row[0] = axis.coefficients(time)
            row[1, 0], row[1, 1] = axis.distance, axis.end
        coefficients[:, :, 0] += np.asarray(q0)[:, None]
        if knots[:, 1].min() == duration:
            return PolynomialPiece(knots[:, :2].copy(), coefficients[:, :1].copy())
        return PolynomialPiece(knots, coefficients)
