"""The other configuration of a wrist whose axes meet: turned over, it holds the tool alike.

With the first of its joints half a turn further, the second on the other side of where the wrist is
stretched and the third half a turn further, the hand is where it was. What one of the two
configurations meets along a track the other meets at the same place, its own stops apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.kernels.turns import TURN
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.follower import Follower

_SIGNS = np.array([1.0, 1.0, 1.0, 1.0, -1.0, 1.0])
_STRETCHED = (0.0, 0.25 * TURN)  # where the second joint may be when the wrist is [rad]
_SAMPLES = np.array([[0.3, -0.4, 0.2, 0.7, 0.9, -0.5], [-0.8, 0.5, 0.1, -1.1, -0.6, 1.3]])
_ALIKE = 1e-9  # [m, rad] by which the two may hold the tool apart
EXACT = 1e-9
"""[rad or m] within which joint values are those of the other configuration."""
BESIDE = 1e-5
"""[rad or m] within which they are but for the rounding of a singular place."""


@dataclass(frozen=True, slots=True, eq=False)
class WristFlip:
    """Joint values with the wrist turned over.

    Args:
        offset: What is added once the second joint of the wrist has changed its sign [rad].
            Shape (6,).
    """

    offset: Array

    def gap(self, q: Array, other: Array) -> float:
        """Return how far joint values (6,) are from the other configuration of some [rad or m].

        Whole turns of the wrist do not count.
        """
        apart = _SIGNS * q + self.offset - other
        apart[3:] -= TURN * np.round(apart[3:] / TURN)
        return float(np.abs(apart).max())

    def follower(self, one: Follower, start: Array) -> Follower:
        """Return what follows the same track with the wrist turned over.

        Args:
            one: What follows it.
            start: Joint values where the other begins, but for rounding. Shape (6,).
        """
        table = one.table * _SIGNS
        table[:, 0] += self.offset
        table[:, 0, 3:] += TURN * np.round((start - table[0, 0]) / TURN)[3:]
        return replace(one, table=table)


def wrist_flip(model: SerialModel) -> WristFlip | None:
    """Return how the wrist of an arm turns over; None: it has none whose axes meet squarely."""
    chain = model.chain
    if isinstance(model, CoupledModel) or model.dof != len(_SIGNS) or not chain.revolute[3:].all():
        return None
    poses = model.fk(_SAMPLES)
    for stretched in _STRETCHED:
        offset = np.array([0.0, 0.0, 0.0, 0.5 * TURN, 2.0 * stretched, 0.5 * TURN])
        if np.abs(model.fk(_SIGNS * _SAMPLES + offset) - poses).max() < _ALIKE:
            return WristFlip(offset)
    return None
