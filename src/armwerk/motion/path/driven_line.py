"""The straight line in joint space by what the drives have, and what to say of such motions.

In: joint values here and there. Out: the quickest trajectory under torques, speeds and jerks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.limits import Limits
from armwerk.motion.path.connect import straight
from armwerk.motion.path.stop_to_stop import Run, RunPart
from armwerk.motion.retiming.drive_loads import drive_loads
from armwerk.motion.retiming.time_run import PathPiece, Quickness, time_run
from armwerk.motion.trajectory.summary import Notice, assumed_notices
from armwerk.motion.trajectory.trajectory import Trajectory

_ABOVE = 1.0 + 1e-3  # times the largest acceleration at a thousand times, for what lies between


def driven_line(model: SerialModel, q0: Array, q1: Array, limits: Limits) -> Trajectory:
    """Return the quickest motion on the straight line between two joint positions that differ.

    Args:
        model: With the arm's dynamics.
        q0: Start [rad or m]. Shape (n,).
        q1: Goal [rad or m]. Shape (n,).
        limits: Velocities and jerks count, accelerations do not.

    Raises:
        MotionError: Where the drives cannot hold the arm, or no `max_force` is described.
    """
    drives = drive_loads(model)
    curve = straight(model, q0, q1)
    run = Run((RunPart(curve, 0.0, curve.length, np.full((1, 3, 2), np.inf)),))

    def place(s: float) -> tuple[str, str]:
        return "", f"at {100.0 * s / curve.length:.0f} % of the way"

    piece, notices = time_run(run, "trapezoid", limits, place, None, Quickness(True, drives))
    wider, told = with_drives(limits, [piece])
    return Trajectory((piece,), wider, model, (*assumed_notices(limits), *notices, *told))


def with_drives(limits: Limits, pieces: Sequence[PathPiece]) -> tuple[Limits, list[Notice]]:
    """Return limits with the accelerations that the drives were able to, and what to say of it."""
    most = np.max([piece.extremes().acceleration for piece in pieces], axis=0) * _ABOVE
    if (most <= limits.acceleration).all():
        return limits, []
    axis = int(np.argmax(most / limits.acceleration))
    text = (
        f"driven by torque: accelerates with up to {most[axis] / limits.acceleration[axis]:.3g} "
        f"times its limit of {limits.acceleration[axis]:.4g} {limits.unit(axis, 'acceleration')}"
    )
    wider = replace(limits, acceleration=np.maximum(limits.acceleration, most))
    return wider, [Notice("", "", limits.axis(axis), text)]
