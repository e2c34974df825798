"""A motion that begins with a turn of the joints on the spot, from where the arm stands.

In: the motion, and the turn that leads to the joint values it begins with. Out: both in a row.
"""

from __future__ import annotations

import numpy as np

from armwerk.mechanics.serial import SerialModel
from armwerk.motion.limits import Limits
from armwerk.motion.path.spot_turn import SpotTurn
from armwerk.motion.path.standing_curve import StandingCurve
from armwerk.motion.path.stop_to_stop import JointCurve, Run, RunPart
from armwerk.motion.point_to_point import ptp
from armwerk.motion.retiming.time_run import Quickness, time_run
from armwerk.motion.trajectory.summary import Notice, later
from armwerk.motion.trajectory.trajectory import Trajectory

_PLAIN = Quickness(optimal=False)  # a turn is short: the usual law is near the least time


def turned_first(
    model: SerialModel, motion: Trajectory, turn: SpotTurn, limits: Limits, cycle: float | None
) -> Trajectory:
    """Return a motion after a turn of joints, the tool standing, from where the arm stands.

    Args:
        model: Of the arm.
        motion: What comes after.
        turn: To where it begins.
        limits: Of the joints in the turn.
        cycle: Of the samples at which limits are checked [s]; None: at none but the planner's own.
    """
    start, goal = turn.start, motion.sample(0.0)[0]
    if turn.curve is None:
        turned = ptp(model, start, goal, "full", "trapezoid", limits=limits)
    else:
        piece, _ = time_run(_run(turn.curve), "trapezoid", limits, _words, cycle, _PLAIN)
        turned = Trajectory((piece,), limits, model)
    axis = int(np.argmax(np.abs(goal - start)))
    joint = model.arm.moving[axis]
    notice = Notice(
        "start",
        "",
        f"joint '{joint.name}'",
        f"turned by {goal[axis] - start[axis]:.4g} {joint.unit} while the tool stands: the arm is "
        "at a singularity, and the path leaves it with these joint values only",
        (0.0, turned.duration),
    )
    told = (notice, *(later(one, turned.duration) for one in motion.notices))
    return Trajectory(turned.pieces + motion.pieces, motion.limits, model, told)


def _run(curve: StandingCurve) -> Run:
    """Return what is driven on a curve, from stop to stop."""
    parts = []
    for cell in curve.cells():
        length = float(cell.breaks[-1])
        tool_limits = np.full((1, 3, 2), np.inf)
        parts.append(RunPart(JointCurve(cell, length, 0), 0.0, length, tool_limits))
    return Run(tuple(parts))


def _words(_: float) -> tuple[str, str]:
    """Return where the turn is, in words."""
    return "start", "in the turn on the spot"
