"""The families of profiles: what plans one axis, and what makes a piece of planned axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.laws.quintic import QuinticAxis
from armwerk.motion.laws.ramped import Plan, RampedAxis
from armwerk.motion.laws.ramps import SineRamp, TrapezoidRamp
from armwerk.motion.pieces import Piece
from armwerk.motion.pieces_polynomial import PolynomialPiece, cubic_piece
from armwerk.motion.pieces_sine import sine_piece

Phases = list[tuple[float, float]]


class Axis(Protocol):
    """One axis to be planned; knows which durations are possible for it."""

    def next_duration(self, least: float) -> float:
        """Return the shortest possible duration [s] that is not below ``least``."""
        ...


@dataclass(frozen=True, slots=True)
class Family:
    """A profile.

    Args:
        axis: Makes an axis of (distance, start, end, velocity, acceleration, jerk).
        piece: Makes a piece of q0 (n,), v0 (n,), the axes and the duration of each.
    """

    axis: Callable[[float, float, float, float, float, float], Any]
    piece: Callable[[Array, Array, Sequence[Any], Sequence[float]], Piece]


def axis_of(profile: str, *numbers: float) -> Any:
    """Return an axis for (distance, start, end, velocity, acceleration, jerk)."""
    return FAMILIES[profile].axis(*numbers)


def common_duration(axes: Sequence[Axis], least: float = 0.0) -> float:
    """Return the shortest duration [s], not below ``least``, that is possible for every axis."""
    time = least
    for _ in range(64):
        before = time
        for axis in axes:
            time = axis.next_duration(time)
        if time == before:
            break
    return time


def _sine_axis(d: float, u: float, w: float, v: float, a: float, j: float) -> RampedAxis:
    return RampedAxis(d, u, w, v, SineRamp(a, j))


def _trapezoid_axis(d: float, u: float, w: float, v: float, a: float, j: float) -> RampedAxis:
    return RampedAxis(d, u, w, v, TrapezoidRamp(a, j))


def _sine_piece(q0: Array, v0: Array, axes: Sequence[Any], times: Sequence[float]) -> Piece:
    rows = [_ramped(axis, time, 0.0) for axis, time in zip(axes, times, strict=True)]
    return sine_piece(q0, v0, rows)


def _trapezoid_piece(q0: Array, v0: Array, axes: Sequence[Any], times: Sequence[float]) -> Piece:
    rows = [_ramped(axis, time, 0.0) for axis, time in zip(axes, times, strict=True)]
    return cubic_piece(q0, v0, rows)


def _ramped(axis: RampedAxis, time: float, steady: float) -> Phases:
    plan: Plan = axis.plan(time)
    return [
        *axis.ramp.phases(*plan.first),
        (plan.cruise, steady),
        *axis.ramp.phases(*plan.last),
    ]


def _quintic_piece(q0: Array, v0: Array, axes: Sequence[Any], times: Sequence[float]) -> Piece:
    """Return one quintic per axis, then the constant speed it ended with."""
    duration = max(times)
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


FAMILIES: dict[str, Family] = {
    "trapezoid": Family(_trapezoid_axis, _trapezoid_piece),
    "sine": Family(_sine_axis, _sine_piece),
    "quintic": Family(QuinticAxis, _quintic_piece),
}
