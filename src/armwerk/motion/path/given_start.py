"""Joint values at the start of a path as somebody gave them, held against arm and path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.options import Demand
from armwerk.motion.path.branches import AT_START
from armwerk.motion.path.goals import numbers

if TYPE_CHECKING:
    from armwerk.motion.path.path import Path


def given_start(model: SerialModel, path: Path, q0: ArrayLike, demand: Demand) -> Array:
    """Return the joint values at which an arm stands. Shape (n,).

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
    return q


def given_near(model: SerialModel, near: ArrayLike) -> Array:
    """Return joint values to start near to. Shape (n,)."""
    q = numbers(near, "near")
    if q.shape != (model.dof,):
        raise MotionError(f"near must have shape ({model.dof},), got {q.shape}")
    return q
