"""Turns of joints on the spot, from a singular configuration to one that the path can be left with.

In a singular place joints can turn while the tool stands: axes of a stretched wrist cancel, and
over the shoulder the wrist turns against the first axis. A path leaves such a place with certain
joint values only. In: a track and the joint values in which an arm stands at its singular start,
the path's own or a stop on it. Out: turns to those with which it can be left, the tool standing
still: on the straight line of the joints where that does, on the curve on which it stands
elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.choice import distance
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.standing_curve import Standing, StandingCurve

_STILL = 1e-7  # [m, rad] that the tool may move by meanwhile
_LOOKS = np.linspace(0.0, 1.0, 33)[:, None]
_THERE = 2e-4  # [rad or m] of a way that is none
_MOST = 4  # turns on curves that are tried


class SpotTurn(NamedTuple):
    """A motion of the joints with the tool standing.

    Args:
        rows: Joint values along it, those at its ends included. Shape (m, n).
        curve: On which they run; None: on a straight line.
        ahead: Joint values a little ahead on the branch that a straight turn leads to. Shape (n,).
    """

    rows: Array
    curve: StandingCurve | None = None
    ahead: Array | None = None

    @property
    def start(self) -> Array:
        """Where it begins. Shape (n,)."""
        return np.asarray(self.rows[0])

    @property
    def goal(self) -> Array:
        """Where it ends. Shape (n,)."""
        return np.asarray(self.rows[-1])

    def leads_to(self, ahead: Array) -> bool:
        """Return whether it leads to the branch on which these joint values (n,) are ahead."""
        return self.ahead is not None and np.array_equal(self.ahead, ahead)

    def ending(self, q: Array) -> SpotTurn:
        """Return the same up to joint values (n,) next to its goal, where it runs straight.

        A branch that is followed back arrives nanometres beside a pose, one that is followed on
        starts on it; a step between the two would be a jerk.
        """
        if self.curve is not None:
            return self
        return SpotTurn(self.start + _LOOKS * (q - self.start))


class BentTurns(NamedTuple):
    """Turns on curves.

    Args:
        turns: The shortest first.
        stops: Joints at whose stops the curves end.
    """

    turns: list[SpotTurn]
    stops: list[int]


def straight_turns(model: SerialModel, q: Array, ways: Sequence[Array]) -> list[SpotTurn]:
    """Return turns on straight lines to joint values with which a track can be left, nearest first.

    Args:
        model: Of an arm with six joints.
        q: Where the arm stands. Shape (n,).
        ways: On which the track can be left, see `opening.ways_ahead`.
    """
    found = [way for way in ways if _stands(model, q, way[0])]
    found.sort(key=lambda way: float(distance(model.chain, way[0], q)))
    return [SpotTurn(q + _LOOKS * (way[0] - q), None, way[-1]) for way in found]


def bent_turns(model: SerialModel, q: Array, ways: Sequence[Array]) -> BentTurns:
    """Return turns on curves to joint values with which a track can be left, the shortest first.

    Args:
        model: Of an arm with six joints.
        q: Where the arm stands. Shape (n,).
        ways: On which the track can be left, see `opening.ways_ahead`.
    """
    if not ways:
        return BentTurns([], [])
    places = [way[0] for way in ways]
    standing = Standing(model, q)
    curves = standing.curves()
    found = [one for curve in curves for one in standing.up_to(curve, np.array(places))]
    bent = sorted((one for one in found if one.way > _THERE), key=lambda one: one.way)
    low, high = model.chain.limits.T
    past = [one.beyond(low, high) for one in bent[:_MOST]]
    turns = [
        SpotTurn(one.rows(), one) for one, axis in zip(bent, past, strict=False) if axis is None
    ]
    stops = [one.stop for one in curves if one.stop is not None]
    stops += [axis for axis in past if axis is not None]
    return BentTurns(turns, list(dict.fromkeys(stops)))


def _stands(model: SerialModel, q: Array, goal: Array) -> bool:
    """Whether the tool stands still while the joints turn on their straight line."""
    low, high = model.chain.limits.T
    if (goal < low).any() or (goal > high).any():
        return False
    poses = model.fk(q + _LOOKS * (goal - q))[:, :3]
    off = poses - poses[0]
    # a small turn by φ changes a rotation by √2 φ in all
    angles = np.linalg.norm(off[:, :, :3], axis=(1, 2)) / np.sqrt(2.0)
    return bool(max(np.linalg.norm(off[:, :, 3], axis=1).max(), angles.max()) < _STILL)
