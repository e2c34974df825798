"""Pieces of sin² accelerations: every axis has its own phases of rising and falling speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.pieces.piece import Extremes, Samples, phase_of

_HALVINGS = 30  # the place of a turning point forgives half of the figures of its time


@dataclass(frozen=True, slots=True, eq=False)
class SinePiece:
    """Phases of acceleration A sin²(π t / T), T the length of the phase; A = 0: constant speed.

    Args:
        knots: Begin and end of the phases of each axis [s], rising from 0; the last of every axis
            is the duration. Shape (n, k + 1).
        length: Of each phase [s]. Shape (n, k). Kept apart from the knots, whose differences are
            too rough for the jerk of a very short phase.
        start: Position at the begin of each phase [rad or m]. Shape (n, k).
        speed: Velocity at the begin of each phase [rad/s or m/s]. Shape (n, k).
        peak: Acceleration A in the middle of each phase [rad/s² or m/s²]. Shape (n, k).
    """

    knots: Array
    length: Array
    start: Array
    speed: Array
    peak: Array

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.knots[0, -1])

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self.knots)

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        phase = phase_of(self.knots, times)
        axis = np.arange(self.dof)
        length = self.length[axis, phase]
        t = times[:, None] - self.knots[axis, phase]
        peak, speed = self.peak[axis, phase], self.speed[axis, phase]
        rate = 2 * np.pi / np.where(length > 0.0, length, 1.0)
        sine, cosine = np.sin(rate * t), np.cos(rate * t)
        q = self.start[axis, phase] + speed * t + peak * (t * t / 4 + (cosine - 1) / (2 * rate**2))
        qd = speed + peak * (t / 2 - sine / (2 * rate))
        return Samples(q, qd, peak * (1 - cosine) / 2, peak * rate * sine / 2)

    def extremes(self) -> Extremes:
        """Return the exact largest values: the speed of a phase is monotone, so its ends tell."""
        length = self.length
        last = self.speed + self.peak * length / 2
        end = self.start + length * (self.speed + last) / 2
        turn = self._turning_points(last, length)
        jerk = np.pi * np.abs(self.peak) / np.where(length > 0.0, length, 1.0)
        speeds = np.maximum(np.abs(self.speed), np.abs(last))
        places = np.concatenate([self.start, end, turn], axis=1)
        return Extremes(
            places.min(axis=1),
            places.max(axis=1),
            speeds.max(axis=1),
            np.abs(self.peak).max(axis=1),
            np.where(length > 0.0, jerk, 0.0).max(axis=1),
        )

    def _turning_points(self, last: Array, length: Array) -> Array:
        """Return the position where the speed of a phase passes zero, else its start. (n, k)."""
        crossed = self.speed * last < 0.0
        if not crossed.any():
            return self.start
        low, high = np.zeros_like(length), np.where(crossed, length, 0.0)
        rate = 2 * np.pi / np.where(length > 0.0, length, 1.0)
        for _ in range(_HALVINGS):
            t = 0.5 * (low + high)
            before = (self.speed + self.peak * (t / 2 - np.sin(rate * t) / (2 * rate))) * last < 0.0
            low, high = np.where(before, t, low), np.where(before, high, t)
        bend = high * high / 4 + (np.cos(rate * high) - 1) / (2 * rate**2)
        return np.asarray(self.start + self.speed * high + self.peak * bend)


def sine_piece(q0: Array, v0: Array, axes: Sequence[Sequence[tuple[float, float]]]) -> SinePiece:
    """Return the piece of given changes of speed.

    Args:
        q0: Start [rad or m]. Shape (n,).
        v0: Start velocity [rad/s or m/s]. Shape (n,).
        axes: Per axis its phases as (duration [s], change of velocity). An axis that is through
            earlier than another runs on as it ended.
    """
    count = max(len(phases) for phases in axes) + 1
    table = np.zeros((len(axes), count, 2))
    for row, phases in zip(table, axes, strict=True):
        if len(phases):
            row[: len(phases)] = phases
    length, change = table[:, :, 0], table[:, :, 1]
    ends = length.sum(axis=1)
    length[:, -1] = ends.max() - ends
    knots = np.zeros((len(axes), count + 1))
    np.cumsum(length, axis=1, out=knots[:, 1:])
    knots[:, -1] = knots[:, -1].max()  # one duration to the last bit
    speed = np.empty_like(length)
    speed[:, 0] = v0
    speed[:, 1:] = np.asarray(v0)[:, None] + np.cumsum(change[:, :-1], axis=1)
    steps = length * (speed + change / 2)
    start = np.empty_like(length)
    start[:, 0] = q0
    start[:, 1:] = np.asarray(q0)[:, None] + np.cumsum(steps[:, :-1], axis=1)
    peak = np.where(length > 0.0, 2 * change / np.where(length > 0.0, length, 1.0), 0.0)
    return SinePiece(knots, length, start, speed, peak)
