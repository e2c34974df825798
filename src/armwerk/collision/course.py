"""A trajectory cut into intervals, with bounds on what happens between the samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armwerk.collision.packing import Array, IntArray
from armwerk.collision.slow_law import SlowedPiece
from armwerk.motion.path_piece import PathPiece
from armwerk.motion.runs import JointCurve
from armwerk.motion.trajectory import Trajectory

SURE = 2.0
"""What the sampled acceleration of a piece without formulas is multiplied by. Where its limits are
known and higher, they count instead: the planner keeps to them."""


class Intervals(NamedTuple):
    """Stretches of time, each within one piece of a trajectory.

    Args:
        low: Where they begin [s]. Shape (m,).
        high: Where they end [s]. Shape (m,).
        piece: Number of the piece. Shape (m,).
    """

    low: Array
    high: Array
    piece: IntArray

    def chosen(self, which: Any) -> Intervals:
        """Return some of them."""
        return Intervals(self.low[which], self.high[which], self.piece[which])

    def halved(self) -> Intervals:
        """Return both halves of each, in the order of time within each."""
        middle = 0.5 * (self.low + self.high)
        low = np.stack([self.low, middle], axis=1).ravel()
        high = np.stack([middle, self.high], axis=1).ravel()
        return Intervals(low, high, np.repeat(self.piece, 2))

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


class Course:
    """A trajectory with bounds on velocity and acceleration of every piece.

    With |q̇| ≤ V and |q̈| ≤ A in a piece, within h of a time t at which the velocity is v

        |q(t + x) - q(t)| ≤ min(V h, |v| h + A h² / 2)

    Polynomials, sin² phases and straight lines know V and A exactly. What follows a path of the
    tool knows neither: there V is left out, and A is the limit, or `SURE` times what samples show
    if that is more.

    Args:
        trajectory: The motion.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.starts = trajectory.starts
        rows = [self._bounds(piece) for piece in trajectory.pieces]
        self.velocity = np.array([row[0] for row in rows])
        self.acceleration = np.array([row[1] for row in rows])

    def _bounds(self, piece: Any) -> tuple[Array, Array]:
        most = piece.extremes()
        if most.exact:
            return most.velocity, most.acceleration
        acceleration = SURE * most.acceleration
        if self.trajectory.limits is not None:
            acceleration = np.maximum(acceleration, self.trajectory.limits.acceleration)
        return np.full(piece.dof, np.inf), acceleration

    def intervals(self) -> Intervals:
        """Return one interval per piece."""
        count = len(self.starts) - 1
        return Intervals(self.starts[:-1], self.starts[1:], np.arange(count))

    def states(self, which: Intervals, with_ends: bool) -> States:
        """Return where the joints are, and how far they get within intervals."""
        half = 0.5 * (which.high - which.low)[:, None]
        q, qd = self._evaluate(which.middles, which.piece)
        by_speed = np.where(half > 0.0, self.velocity[which.piece], 0.0) * half
        nearby = np.abs(qd) * half + 0.5 * self.acceleration[which.piece] * half**2
        ends = (q, q)
        if with_ends:
            ends = (
                self._evaluate(which.low, which.piece)[0],
                self._evaluate(which.high, which.piece)[0],
            )
        return States(q, np.minimum(by_speed, nearby), ends)

    def _evaluate(self, times: Array, pieces: IntArray) -> tuple[Array, Array]:
        """Return positions and velocities of the named pieces. Each of shape (m, n)."""
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
