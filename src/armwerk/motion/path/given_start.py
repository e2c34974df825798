"""Joint values at the start of a path as somebody gave them, held against arm and path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_log, separation
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.options import Demand
from armwerk.motion.path.branches import AT_START
from armwerk.motion.path.goals import numbers
from armwerk.robot.single_precision import at_limits

if TYPE_CHECKING:
    from armwerk.motion.path.path import Path

_EXACT = 1e-10  # [m, rad] within which joint values count as at the start
_STEPS = 4  # of Newton's method that bring them there
_LOST = 1e-6  # of its largest singular value below which a direction of the Jacobian is lost
_BESIDE = 1e-5  # [rad or m] by which joint values at the start may differ from those given


def given_start(model: SerialModel, path: Path, q0: ArrayLike, demand: Demand) -> Array:
    """Return the joint values at which an arm stands. Shape (n,).

    Values that were rounded, to six digits or to single precision, are moved onto the start of the
    path; what follows rests on an arm that stands there exactly.

    Args:
        model: Of the arm.
        path: That begins there.
        q0: As given [rad, m].
        demand: What of the pose at the start must be met.

    Raises:
        MotionError: When they are beyond a stop, or not at the start of the path.
    """
    q = numbers(q0, "q0")
    if q.shape != (model.dof,):
        raise MotionError(f"q0 must have shape ({model.dof},), got {q.shape}")
    q = at_limits(q, model.chain.limits)
    low, high = model.chain.limits.T
    beyond = (q < low - 1e-9) | (q > high + 1e-9)
    if beyond.any():
        axis = int(np.argmax(beyond))
        joint = model.arm.moving[axis]
        raise MotionError(
            f"q0 is out of the joint's range {low[axis]:.6g} to {high[axis]:.6g} {joint.unit}: "
            f"{q[axis]:.6g}",
            axis=f"joint '{joint.name}'",
        )
    breach = model.arm.angle_breach(q)
    if breach:
        raise MotionError(f"at q0 {breach}")
    if path.start is not None:
        wanted, pose = np.asarray(path.start), model.fk(q)
        far, angle = separation(wanted, pose)
        if demand == "direction":
            angle = np.asarray(np.linalg.norm(wanted[:3, 2] - pose[:3, 2]))
        elif demand != "pose":
            angle = np.zeros(())
        if far > AT_START or angle > AT_START:
            raise MotionError(
                f"the arm does not stand at the start of the path: q0 is {1e3 * far:.6g} mm and "
                f"{angle:.6g} rad away from it"
            )
        if far > _EXACT or angle > _EXACT:
            q = _moved_onto(model, q, wanted, demand)
    return q


def _moved_onto(model: SerialModel, q: Array, wanted: Array, demand: Demand) -> Array:
    """Return joint values next to q that meet what is demanded of a pose; q where none do."""
    low, high = model.chain.limits.T
    moved = q
    for _ in range(_STEPS):
        pose, J = model.fk(moved), model.jacobian(moved)
        turn = rotation_log(wanted[:3, :3] @ pose[:3, :3].T)
        if demand == "direction":
            about = np.outer(pose[:3, 2], pose[:3, 2])
            turn, J = turn - about @ turn, np.vstack([J[:3], J[3:] - about @ J[3:]])
        error = np.append(wanted[:3, 3] - pose[:3, 3], turn)
        rows = 3 if demand == "position" else 6
        moved = moved + np.linalg.lstsq(J[:rows], error[:rows], rcond=_LOST)[0]
    moved = np.clip(moved, low, high)
    return moved if np.abs(moved - q).max() < _BESIDE else q


def given_near(model: SerialModel, near: ArrayLike) -> Array:
    """Return joint values to start near to. Shape (n,)."""
    q = numbers(near, "near")
    if q.shape != (model.dof,):
        raise MotionError(f"near must have shape ({model.dof},), got {q.shape}")
    return q
