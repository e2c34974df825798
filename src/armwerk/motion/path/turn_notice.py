"""What is said of a turn of the joints on the spot."""

from __future__ import annotations

import numpy as np

from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.spot_turn import SpotTurn
from armwerk.motion.trajectory.summary import Notice


def turn_notice(
    model: SerialModel, turn: SpotTurn, label: str, span: tuple[float, float]
) -> Notice:
    """Return what is said of a turn on the spot.

    Args:
        model: Of the arm.
        turn: Of the joints, the tool standing.
        label: Of the segment behind it, or "start".
        span: From when to when the arm turns [s].
    """
    way = turn.goal - turn.start
    axis = int(np.argmax(np.abs(way)))
    joint = model.arm.moving[axis]
    text = (
        f"turned by {way[axis]:.4g} {joint.unit} while the tool stands: the arm is at a "
        "singularity, and the path leaves it with these joint values only"
    )
    return Notice(label, "", f"joint '{joint.name}'", text, span)
