"""The longest way from the first axis of an arm to its last: poses beyond it have no solution.

A line leads from axis to axis along their common perpendiculars. Between two of these it follows an
axis, and its pieces keep their lengths whatever the joints do, but for what slides travel. So the
point where it begins, at rest in the world, and the one where it ends, at rest in the tool, are
never farther apart than it is long. That costs a subtraction; what lies within may still be out of
reach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.chain import Chain

_SLACK = 1e-6  # [m] for poses that are roughly written
_PARALLEL = 1e-12  # sine of the angle between axes below which any perpendicular will do


@dataclass(frozen=True, slots=True, eq=False)
class Tether:
    """Two points, and how far from one another they get at most.

    Args:
        first: At rest in the world [m]. Shape (3,).
        last: At rest in the tool [m]. Shape (3,).
        length: [m]; infinite where a slide has no limits.
    """

    first: Array
    last: Array
    length: float

    def allows(self, T: Array) -> bool:
        """Return whether a pose is near enough to have solutions. Shape (4, 4)."""
        away = T[:3, :3] @ self.last + T[:3, 3] - self.first
        return math.hypot(*away.tolist()) <= self.length + _SLACK

    def allows_place(self, place: Array) -> bool:
        """Return whether the tool may get to a place, however it is turned there. Shape (3,)."""
        most = self.length + math.hypot(*self.last.tolist()) + _SLACK
        return math.dist(place.tolist(), self.first.tolist()) <= most


def tether(chain: Chain) -> Tether:
    """Return the line of an arm; one with a single joint has none, and is allowed all."""
    frames = chain.constants.copy()
    frames[:, 3] = (0.0, 0.0, 0.0, 1.0)  # what stands there belongs to joints
    if chain.dof < 2:
        return Tether(np.zeros(3), np.zeros(3), math.inf)
    low, high = np.where(chain.revolute[:, None], 0.0, chain.limits).T  # slides alone move it
    ends = np.where(np.isfinite([low, high]), [low, high], 0.0)
    middle = np.where(np.isfinite(high - low), 0.5 * ends.sum(axis=0), 0.0)
    # where the line leaves each axis but the last, meets each but the first, and how long it is
    leaves, meets, across = np.array([_perpendicular(frame) for frame in frames[1:-1]]).T
    along = leaves[1:] - meets[:-1]
    ways = np.maximum(np.abs(along + low[1:-1]), np.abs(along + high[1:-1]))
    length = across.sum() + ways.sum() + 0.5 * (high - low)[[0, -1]].sum()
    first = frames[0] @ np.array([0.0, 0.0, leaves[0] + middle[0], 1.0])
    last = np.linalg.solve(frames[-1], np.array([0.0, 0.0, meets[-1] - middle[-1], 1.0]))
    return Tether(first[:3], last[:3], float(length))


def _perpendicular(frame: Array) -> tuple[float, float, float]:
    """Return where the common perpendicular of two z axes meets each [m], and its length [m].

    Args:
        frame: From the second to the first. Shape (4, 4).
    """
    place, z = frame[:3, 3], frame[:3, 2]
    sine = z[0] * z[0] + z[1] * z[1]  # squared
    met = 0.0 if sine < _PARALLEL**2 else -float(z[:2] @ place[:2]) / sine
    foot = place + met * z
    return float(foot[2]), met, math.hypot(foot[0], foot[1])
