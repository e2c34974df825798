"""Whether the axes that a document gives beside its rows say the same as the rows.

Comes in: the rows, and for each joint the direction and a point of its axis where the document
gives them, in base coordinates with all joints at zero. Goes out: the first place where the two
differ, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.robot.joint import Joint

ANGLE = 1e-3  # [rad] by which directions differ that are written with four digits
LENGTH = 1e-4  # [m] by which places differ that are written in tenths of millimetres


class Contradiction(NamedTuple):
    """Where axes and rows differ.

    Attributes:
        joint: Position of the joint from 0; the number of joints stands for the end of the arm.
        of: "direction" of the axis, or "place" of the axis or of the end.
        given: What the axes say, as text with its unit.
        found: What the rows say, as text with its unit.
    """

    joint: int
    of: str
    given: str
    found: str


def contradiction(
    joints: Sequence[Joint],
    directions: Sequence[Array | None],
    points: Sequence[Array | None],
) -> Contradiction | None:
    """Return the first place where axes and rows differ, None when they agree.

    Rows with symbols end the comparison: what lies behind them has no place yet.

    Args:
        joints: One for each row.
        directions: Of each axis, of any length; None where none is given. Shape (3,) each.
        points: On each axis, then the end of the arm [m]; None where none is given.
            Shape (3,) each.
    """
    frame = np.eye(4)
    for position, joint in enumerate(joints):
        axis, given = frame[:3, 2], directions[position]
        if given is not None and _angle(given, axis) > ANGLE:
            return Contradiction(position, "direction", _numbers(given), _numbers(axis))
        point = points[position]
        if point is not None and joint.kind == "revolute":
            # any point of the axis will do, so only the distance across it counts
            way = frame[:3, 3] - point
            across = way - (way @ axis) * axis
            if float(np.linalg.norm(across)) > LENGTH:
                nearest = _numbers(point + across, "m")
                return Contradiction(position, "place", _numbers(point, "m"), nearest)
        row = _numeric(joint)
        if row is None:
            return None
        frame = frame @ row
    end, place = points[len(joints)], frame[:3, 3]
    if end is not None and float(np.linalg.norm(place - end)) > LENGTH:
        return Contradiction(len(joints), "place", _numbers(end, "m"), _numbers(place, "m"))
    return None


def _numeric(joint: Joint) -> Array | None:
    """Return the row of a joint at zero as a matrix, None when it has symbols. Shape (4, 4)."""
    offset, d, a, alpha = joint.offset, joint.d, joint.a, joint.alpha
    if isinstance(offset, str) or isinstance(d, str) or isinstance(a, str):
        return None
    if isinstance(alpha, str):
        return None
    c, s, ca, sa = np.cos(offset), np.sin(offset), np.cos(alpha), np.sin(alpha)
    return np.array([
        [c, -s * ca, s * sa, a * c],
        [s, c * ca, -c * sa, a * s],
        [0.0, sa, ca, d],
        [0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip


def _angle(one: Array, other: Array) -> float:
    """Return the angle between two directions [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _numbers(vector: Array, unit: str = "") -> str:
    text = " ".join(f"{round(float(value), 6) + 0.0:g}" for value in vector)
    return f"{text} {unit}".strip()
