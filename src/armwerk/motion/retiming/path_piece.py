"""The piece of a trajectory that follows a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.pieces.piece import Extremes, Samples, extremes_of_samples


class TimeLaw(Protocol):
    """Arc length by time."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ...

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        ...

    def slowed(self, factor: float) -> TimeLaw:
        """Return the same motion taking ``factor`` times as long."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PathPiece:
    """Joint values along a run under a time law.

    Between any two samples the tool is exactly on its curve: joint values are solved for at the
    very time that is asked for.

    Args:
        run: Joint values by arc length.
        law: Arc length by time.
    """

    run: Run
    law: TimeLaw

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration

    @property
    def dof(self) -> int:
        """Number of axes."""
        return self.run.dof

    def evaluate(self, times: Array) -> Samples:
        """Return position, velocity, acceleration and jerk of the joints. Each (m, n)."""
        return self.states(times)[0]

    def states(self, times: Array) -> tuple[Samples, Array]:
        """Return the joints' motion, and the tool's.

        Returns:
            Samples of shape (m, n), and velocity, acceleration, jerk of the tool as (v, w) in
            the world, shape (m, 3, 6); zeros where a segment runs in joint space.
        """
        s, v, a, j = self.law.evaluate(np.asarray(times, dtype=np.float64)).T
        x, t = self.run.evaluate(s)
        v, a, j = v[:, None], a[:, None], j[:, None]
        joints = Samples(x[:, 0], *_by_time(x[:, 1:], v, a, j))
        return joints, np.stack(_by_time(t, v, a, j), axis=1)

    def extremes(self) -> Extremes:
        """Return the largest values at a thousand even times."""
        return extremes_of_samples(self)


def _by_time(x: Array, v: Array, a: Array, j: Array) -> tuple[Array, Array, Array]:
    """Return first to third derivative by time from those by arc length (m, 3, k)."""
    one, two, three = x[:, 0], x[:, 1], x[:, 2]
    return (
        one * v,
        one * a + two * v * v,
        one * j + 3.0 * two * v * a + three * v**3,
    )
