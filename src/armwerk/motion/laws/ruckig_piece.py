"""Jerk-limited pieces planned by ruckig, read out as polynomials when they are first needed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from sys import float_info
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from ruckig import InputParameter, Ruckig, Synchronization, Trajectory as RuckigTrajectory

from armwerk.arrays import Array
from armwerk.motion.laws.families import AxisTask, common_duration, trapezoid_axis
from armwerk.motion.laws.ramped import Phases, RampedAxis
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.piece import Extremes, Samples
from armwerk.motion.pieces.polynomial import PolynomialPiece, cubic_piece, jerk_piece

Numbers = Sequence[float]

# Ruckig accepts profiles that miss their end by up to 1e-8; such axes are planned anew.
_MISSED = 1e-11  # [rad, m and per s]
_EXCEEDED = 1e-10  # fraction of a limit
_KEPT = 32  # planners remembered per thread
_LARGEST = float_info.max

AT_STOP = 1e-9
"""[rad or m] How far beyond a joint stop still counts as at it."""


class PointToPoint(NamedTuple):
    """Where from and where to, n numbers each.

    Args:
        start: [rad or m].
        goal: [rad or m].
        start_velocity: Within the limits [rad/s or m/s].
        goal_velocity: Likewise.
    """

    start: list[float]
    goal: list[float]
    start_velocity: list[float]
    goal_velocity: list[float]


class Planner:
    """Ruckig with its inputs, set up once for the limits of some axes; one per thread."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.velocity: list[float] = limits.velocity.tolist()
        self.acceleration: list[float] = limits.acceleration.tolist()
        self.jerk: list[float] = limits.jerk.tolist()
        self.lowest: list[float] = limits.lowest.tolist()
        self.highest: list[float] = limits.highest.tolist()
        self.stops = [
            (max(low - AT_STOP, -_LARGEST), min(high + AT_STOP, _LARGEST))
            for low, high in zip(self.lowest, self.highest, strict=True)
        ]
        """Lowest and highest value of each axis that counts as within its stops; finite."""
        self.rest = [0.0] * limits.dof
        self._ruckig = Ruckig(limits.dof)
        self._input = InputParameter(limits.dof)
        self._input.max_velocity = self.velocity
        self._input.max_acceleration = self.acceleration
        self._input.max_jerk = self.jerk

    def plan(self, problem: PointToPoint, together: bool, minimum: float | None) -> RuckigPiece:
        """Return the quickest motion, with all axes together or each on its own.

        Args:
            problem: Where from and where to.
            together: All axes arrive at once; else each as soon as it can.
            minimum: Shortest duration wanted [s]; None: none.
        """
        q0, q1, v0, v1 = problem
        asked = self._input
        asked.current_position = q0
        asked.current_velocity = v0
        asked.target_position = q1
        asked.target_velocity = v1
        asked.synchronization = Synchronization.Time if together else Synchronization.No
        asked.minimum_duration = minimum
        found = RuckigTrajectory(len(q0))
        try:
            done = self._ruckig.calculate(asked, found) >= 0
        except Exception:  # its errors are plain ones, and there is another way
            done = False
        return RuckigPiece(self, found if done else None, problem, together, minimum)

    def tasks(self, problem: PointToPoint) -> list[AxisTask]:
        """Return what each axis of a problem has to do."""
        rows = zip(*problem, self.velocity, self.acceleration, self.jerk, strict=True)
        return [AxisTask(b - a, u, w, v, acc, j) for a, b, u, w, v, acc, j in rows]

    def axes(self, problem: PointToPoint) -> list[RampedAxis]:
        """Return the axes of a problem, to be planned one by one."""
        return [trapezoid_axis(task) for task in self.tasks(problem)]


class RuckigPiece:
    """A motion planned by ruckig; a `PolynomialPiece` once it is evaluated."""

    __slots__ = ("_found", "_planner", "_problem", "_shape", "duration", "times")

    def __init__(
        self,
        planner: Planner,
        found: RuckigTrajectory | None,
        problem: PointToPoint,
        together: bool,
        minimum: float | None,
    ) -> None:
        self._planner = planner
        self._problem = problem
        self._found = found
        self._shape: PolynomialPiece | None = None
        self.times: list[float] | None = None
        """When each axis arrives [s]; None: all at the end."""
        if found is None:
            axes = planner.axes(problem)
            if together:
                self.duration = common_duration(axes, minimum or 0.0)
            else:
                self.times = [axis.next_duration(0.0) for axis in axes]
                self.duration = max(self.times)
        else:
            self.duration = found.duration
            if not together:
                self.times = found.independent_min_durations

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self._problem[0])

    @property
    def polynomials(self) -> PolynomialPiece:
        """The motion as polynomials, read out once."""
        if self._shape is None:
            self._shape = self._read()
            self._found = None
        return self._shape

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        return self.polynomials.evaluate(times)

    def extremes(self) -> Extremes:
        """Return the exact largest values."""
        return self.polynomials.extremes()

    def __reduce__(self) -> tuple[type[PolynomialPiece], tuple[Array, Array]]:
        """Travel to other processes as polynomials, since ruckig's objects cannot."""
        return PolynomialPiece, (self.polynomials.knots, self.polynomials.coefficients)

    def _read(self) -> PolynomialPiece:
        ends = [self.duration] * self.dof if self.times is None else self.times
        if self._found is None:
            return self._anew(range(self.dof), [[]] * self.dof, ends)
        q0, q1, v0, v1 = (np.array(row) for row in self._problem)
        profiles = self._found.profiles[0]
        lengths = np.array([profile.t for profile in profiles])
        jerks = np.array([profile.j for profile in profiles])
        piece = jerk_piece(q0, v0, lengths, jerks, self.duration)
        last = piece.coefficients[:, -1]
        missed = np.abs(last[:, 0] - q1) + np.abs(last[:, 1] - v1) + np.abs(last[:, 2]) * 1e-2
        wrong = (missed > _MISSED) | (np.abs(lengths.sum(axis=1) - ends) > _MISSED)
        wrong |= self._exceeds(piece.extremes())
        if not wrong.any():
            return piece
        rows = [list(zip(t, j, strict=True)) for t, j in zip(lengths, jerks, strict=True)]
        return self._anew(np.flatnonzero(wrong).tolist(), rows, ends)

    def _exceeds(self, found: Extremes) -> NDArray[np.bool_]:
        limits, more = self._planner.limits, 1.0 + _EXCEEDED
        return np.asarray(
            (found.velocity > limits.velocity * more)
            | (found.acceleration > limits.acceleration * more)
            | (found.jerk > limits.jerk * more)
        )

    def _anew(
        self, which: Sequence[int], rows: Sequence[Phases], ends: Sequence[float]
    ) -> PolynomialPiece:
        """Return the piece with some axes planned by formula instead."""
        axes = self._planner.axes(self._problem)
        rows = list(rows)
        for index in which:
            rows[index] = axes[index].phases(ends[index])
        q0, _, v0, _ = (np.array(row) for row in self._problem)
        return cubic_piece(q0, v0, rows, self.duration)


class _PerThread(local):
    def __init__(self) -> None:
        self.planners: OrderedDict[int, Planner] = OrderedDict()


_threads = _PerThread()


def planner_for(limits: Limits) -> Planner:
    """Return this thread's planner for some limits."""
    planners = _threads.planners
    found = planners.get(id(limits))
    if found is not None and found.limits is limits:
        return found
    planner = planners[id(limits)] = Planner(limits)
    if len(planners) > _KEPT:
        planners.popitem(last=False)
    return planner
