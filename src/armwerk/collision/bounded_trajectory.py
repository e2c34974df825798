"""A trajectory cut into intervals, with bounds on what happens between the samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.rates import rate_bounds
from armwerk.collision.slow_law import SlowedPiece
from armwerk.motion.path.stop_to_stop import JointCurve
from armwerk.motion.retiming.time_run import PathPiece
from armwerk.motion.trajectory import Trajectory


class Intervals(NamedTuple):
    """Intervals of time, each within one part of a trajectory.

    Args:
        low: Where they begin [s]. Shape (m,).
        high: Where they end [s]. Shape (m,).
        part: Number of the part, see `BoundedTrajectory`. Shape (m,).
    """

    low: Array
    high: Array
    part: Integers

    def chosen(self, which: Flags | Integers | slice) -> Intervals:
        """Return some of them."""
        return Intervals(self.low[which], self.high[which], self.part[which])

    def halved(self) -> Intervals:
        """Return both halves of each, in the order of time within each."""
        middle = 0.5 * (self.low + self.high)
        low = np.stack([self.low, middle], axis=1).ravel()
        high = np.stack([middle, self.high], axis=1).ravel()
        return Intervals(low, high, np.repeat(self.part, 2))

    @property
    def middles(self) -> Array:
        """Times in the middle [s]. Shape (m,)."""
        return np.asarray(0.5 * (self.low + self.high))


class States(NamedTuple):
    """Joint values of intervals. Each of shape (m, n).

    Args:
        q: In the middle.
        radii: How far each joint gets from there within the interval, at most.
        ends: At both ends.
    """

    q: Array
    radii: Array
    ends: tuple[Array, Array]


class BoundedTrajectory:
    """A trajectory in parts, with bounds on velocity and acceleration in each.

    With |q̇| ≤ V and |q̈| ≤ A in a part, within h of a time t at which the velocity is v

        |q(t + x) - q(t)| ≤ min(V h, |v| h + A h² / 2)

    Where V and A come from, and where they are no proof, see `armwerk.collision.rates`.

    Args:
        trajectory: The motion.

    Attributes:
        proved: Whether all bounds are certain.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.starts = trajectory.starts
        rows = [
            (number, part)
            for number, piece in enumerate(trajectory.pieces)
            for part in rate_bounds(piece, trajectory.limits)
        ]
        self.pieces = np.array([number for number, _ in rows], dtype=np.int64)
        begin = self.starts[self.pieces]
        self.low = begin + np.array([part.low for _, part in rows])
        self.high = begin + np.array([part.high for _, part in rows])
        self.velocity = np.array([part.velocity for _, part in rows])
        self.acceleration = np.array([part.acceleration for _, part in rows])
        self.proved = all(part.proved for _, part in rows)

    def intervals(self) -> Intervals:
        """Return one interval per part."""
        return Intervals(self.low, self.high, np.arange(len(self.pieces)))

    def states(self, which: Intervals, with_ends: bool) -> States:
        """Return where the joints are, and how far they get within intervals."""
        half = 0.5 * (which.high - which.low)[:, None]
        q, qd = self._evaluate(which.middles, which.part)
        by_speed = np.where(half > 0.0, self.velocity[which.part], 0.0) * half
        nearby = np.abs(qd) * half + 0.5 * self.acceleration[which.part] * half**2
        ends = (q, q)
        if with_ends:
            ends = (
                self._evaluate(which.low, which.part)[0],
                self._evaluate(which.high, which.part)[0],
            )
        return States(q, np.minimum(by_speed, nearby), ends)

    def _evaluate(self, times: Array, which: Integers) -> tuple[Array, Array]:
        """Return positions and velocities in the named parts. Each of shape (m, n)."""
        pieces = self.pieces[which]
        q, qd = (np.empty((len(times), self.trajectory.dof)) for _ in range(2))
        for number in np.unique(pieces):
            here = pieces == number
            piece = self.trajectory.pieces[number]
            local = np.clip(times[here] - self.starts[number], 0.0, piece.duration)
            found = piece.evaluate(local)
            q[here], qd[here] = found.q, found.qd
        return q, qd


def segment_at(trajectory: Trajectory, time: float) -> int:
    """Return the number of the segment at a time, counted from 1.

    Of a planned `Path` its segments count, a blend belonging to the segment before it; else the
    pieces do.
    """
    starts = trajectory.starts
    count = len(trajectory.pieces)
    number = int(np.clip(np.searchsorted(starts, time, "right") - 1, 0, count - 1))
    piece = trajectory.pieces[number]
    local = np.array([np.clip(time - starts[number], 0.0, piece.duration)])
    while isinstance(piece, SlowedPiece):
        local, piece = piece.old(local), piece.piece
    if not isinstance(piece, PathPiece):
        return number + 1
    s = float(piece.law.evaluate(local)[0, 0])
    parts = piece.run.parts
    k = int(np.clip(np.searchsorted(piece.run.starts, s, "right") - 1, 0, len(parts) - 1))
    part = parts[k]
    if isinstance(part.source, JointCurve):
        return part.source.owner
    return part.source.track.owner(part.first + s - float(piece.run.starts[k]))[0].owner
