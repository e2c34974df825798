"""Turns of joints on the spot, from a singular configuration to one that the path can be left with.

In a singular place joints can turn while the tool stands: axes of a stretched wrist cancel. A path
leaves such a place with certain joint values only. In: a track and the joint values in which an arm
stands at its singular start. Out: those with which it can be left, to be reached by turning on the
straight line of the joints, the tool standing still.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import separation
from armwerk.mechanics.choice import distance
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.opening import arrivals, is_singular
from armwerk.motion.path.track import Track

_STILL = 1e-7  # [m, rad] that the tool may move by meanwhile
_LOOKS = np.linspace(0.0, 1.0, 33)[:, None]


def exits(model: SerialModel, track: Track, q: Array) -> list[Array]:
    """Return joint values at the start of a track with which it can be left, nearest first.

    Args:
        model: Of an arm with six joints.
        track: Where the tool goes.
        q: Where the arm stands. Shape (n,).
    """
    if not is_singular(model, q):
        return []
    places = [points.motions[0, 0] for points in arrivals(model, track, q)]
    found = [place for place in places if _stands(model, q, place)]
    return sorted(found, key=lambda row: float(distance(model.chain, row, q)))


def _stands(model: SerialModel, q: Array, goal: Array) -> bool:
    """Whether the tool stands still while the joints turn on their straight line."""
    low, high = model.chain.limits.T
    if (goal < low).any() or (goal > high).any():
        return False
    poses = model.fk(q + _LOOKS * (goal - q))
    far, angle = separation(poses, np.broadcast_to(poses[0], poses.shape))
    return bool(max(far.max(), angle.max()) < _STILL)
