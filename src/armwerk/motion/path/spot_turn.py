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
from armwerk.motion.path.track import Track

_AHEAD = 1e-5  # [m or rad] along the track where its solutions are looked at
_SINGULAR = 1e-6  # smallest singular value of the Jacobian, lengths in scales
_STILL = 1e-7  # [m, rad] that the tool may move by meanwhile
_LOOKS = np.linspace(0.0, 1.0, 33)[:, None]
_STEPS = 6
TURN = 2.0 * np.pi


def exits(model: SerialModel, track: Track, q: Array) -> list[Array]:
    """Return joint values at the start of a track with which it can be left, nearest first.

    Args:
        model: Of an arm with six joints.
        track: Where the tool goes.
        q: Where the arm stands. Shape (n,).
    """
    jacobian = np.array(model.jacobian(q))
    jacobian[:3] /= model.chain.scale
    if model.dof != 6 or np.linalg.svd(jacobian, compute_uv=False)[-1] > _SINGULAR:
        return []
    step = min(_AHEAD, 1e-3 * track.length)
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3] = track.evaluate(step * np.arange(3.0))[0]
    near, far = model.ik(poses[1]), model.ik(poses[2])
    found: list[Array] = []
    for one in near if len(far) else ():
        first = _beside(model, one, q)
        others = np.array([_beside(model, other, first) for other in far])
        second = others[np.argmin(distance(model.chain, others, first))]
        place = _put(model, 2.0 * first - second, poses[0])
        if place is not None and _stands(model, q, place):
            found.append(place)
    found.sort(key=lambda row: float(distance(model.chain, row, q)))
    return found


def _beside(model: SerialModel, solution: Array, q: Array) -> Array:
    """Return a solution by the whole turns nearest to q, within limits where that can be."""
    low, high = model.chain.limits.T
    row = solution + TURN * np.round((q - solution) / TURN) * model.chain.revolute
    row = np.where((row > high) & (row - TURN >= low) & model.chain.revolute, row - TURN, row)
    return np.where((row < low) & (row + TURN <= high) & model.chain.revolute, row + TURN, row)


def _put(model: SerialModel, q: Array, pose: Array) -> Array | None:
    """Return joint values brought onto a pose by steps of least size; None: they stay off it."""
    for _ in range(_STEPS):
        now = model.fk(q)
        turn = 0.5 * sum(np.cross(now[:3, k], pose[:3, k]) for k in range(3))
        off = np.concatenate([pose[:3, 3] - now[:3, 3], turn])
        if np.abs(off).max() < 1e-14:
            break
        q = q + np.linalg.pinv(model.jacobian(q), rcond=1e-4) @ off
    far, angle = separation(model.fk(q), pose)
    return q if max(far, angle) < 1e-10 else None


def _stands(model: SerialModel, q: Array, goal: Array) -> bool:
    """Whether the tool stands still while the joints turn on their straight line."""
    low, high = model.chain.limits.T
    if (goal < low).any() or (goal > high).any():
        return False
    poses = model.fk(q + _LOOKS * (goal - q))
    far, angle = separation(poses, np.broadcast_to(poses[0], poses.shape))
    return bool(max(far.max(), angle.max()) < _STILL)
