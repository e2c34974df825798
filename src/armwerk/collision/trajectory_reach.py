"""How far the joints of a trajectory get within any interval of the world's clock.

With |q̇| ≤ V in each part of a trajectory, W(t) = ∫ V dt bounds the way of a joint up to t, so that
within [a, b] it gets from the middle m at most

    max(W(m) - W(a), W(b) - W(m))

away, whatever parts lie between. Within one part |q̇(m)| h + A h² / 2 may be less. Before its start
and after its end a trajectory stands still.
"""

from __future__ import annotations

import itertools

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bounded_trajectory import BoundedTrajectory
from armwerk.motion.trajectory import Trajectory

_JUMP = 1e-12  # [rad or m] by which pieces may be apart where they meet, being rounded


class TrajectoryReach:
    """A trajectory that begins at some time, with bounds for intervals of any length.

    Args:
        trajectory: The motion.
        begin: When it begins by the world's clock [s].

    Attributes:
        proved: Whether all bounds are certain.
    """

    def __init__(self, trajectory: Trajectory, begin: float) -> None:
        self.trajectory, self.begin = trajectory, begin
        self._bounded = BoundedTrajectory(trajectory)
        self.proved = self._bounded.proved
        low, high = self._bounded.low, self._bounded.high
        width = (high - low)[:, None]
        middle = trajectory.evaluate(0.5 * (low + high)).qd
        by_push = np.abs(middle) + 0.5 * self._bounded.acceleration * width
        velocity = np.minimum(self._bounded.velocity, by_push)
        self._knots = np.append(low, high[-1:])
        self._ways = np.zeros((len(low) + 1, trajectory.dof))
        self._ways[1:] = np.cumsum(velocity * width, axis=0)
        self._jumps = self._joints()

    def _joints(self) -> Array:
        """Return when positions jump by more than rounding, from the start of the motion [s]."""
        inner = self.trajectory.starts[1:-1]
        pieces = self.trajectory.pieces
        jumps = [
            np.abs(
                before.evaluate(np.array([before.duration])).q - after.evaluate(np.zeros(1)).q
            ).max()
            for before, after in itertools.pairwise(pieces)
        ]
        return np.asarray(inner[np.array(jumps, dtype=np.float64) > _JUMP])

    def positions(self, times: Array) -> Array:
        """Return where the joints are at times of the world [s]. Shape (m, n)."""
        return self.trajectory.evaluate(np.asarray(times, dtype=np.float64) - self.begin).q

    def radii(self, low: Array, high: Array) -> Array:
        """Return how far each joint gets from the middle within intervals [s]. Shape (m, n)."""
        ends = (low - self.begin, 0.5 * (low + high) - self.begin, high - self.begin)
        first, middle, last = (np.clip(t, 0.0, self.trajectory.duration) for t in ends)
        ways = [
            np.stack([np.interp(t, self._knots, way) for way in self._ways.T], axis=1)
            for t in (first, middle, last)
        ]
        radii = np.maximum(ways[1] - ways[0], ways[2] - ways[1])
        part = np.clip(np.searchsorted(self._knots, middle, "right") - 1, 0, len(self._knots) - 2)
        inside = (first >= self._knots[part]) & (last <= self._knots[part + 1])
        half = np.maximum(middle - first, last - middle)[:, None]
        speed = np.abs(self.trajectory.evaluate(middle).qd)
        nearby = speed * half + 0.5 * self._bounded.acceleration[part] * half**2
        return np.asarray(np.where(inside[:, None], np.minimum(radii, nearby), radii))

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which positions jump. Shape (k,)."""
        times = self._jumps + self.begin
        return np.asarray(times[(times > low) & (times < high)])
