"""Joint values as texts for legends and captions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Motor

_COLUMN = 8  # characters per joint in a legend
_DEGREE = 180 / np.pi


def joint_text(joints: Sequence[Joint | Motor], q: Array) -> str:
    """Return joint values for people, in columns under `joint_heading`."""
    return " ".join(
        f"{value * (1000 if slides(joint) else _DEGREE):{_COLUMN}.1f}"
        for joint, value in zip(joints, q, strict=True)
    ).replace("-", "\N{MINUS SIGN}")


def joint_heading(joints: Sequence[Joint | Motor]) -> str:
    """Return the numbers of the joints with their units, a column each."""
    units = ("mm" if slides(joint) else "°" for joint in joints)
    return " ".join(f"{f'q{k} {unit}':>{_COLUMN}}" for k, unit in enumerate(units, start=1))


def joint_units(joints: Sequence[Joint | Motor]) -> str:
    """Return what the values under a panel are."""
    units = ["mm" if slides(joint) else "°" for joint in joints]
    if len(set(units)) == 1:
        return f"joint values q1 to q{len(units)} [{units[0]}]"
    return "joint values " + ", ".join(f"q{k} [{u}]" for k, u in enumerate(units, start=1))


def joint_sentence(joints: Sequence[Joint | Motor], q: Array) -> str:
    """Return joint values in one line with their units."""
    texts = [
        f"{1000 * value:.0f} mm" if slides(joint) else f"{value * _DEGREE:.1f}°"
        for joint, value in zip(joints, q, strict=True)
    ]
    return ("q = " + ", ".join(texts)).replace("-", "\N{MINUS SIGN}")


def slides(joint: Joint | Motor) -> bool:
    """Whether a joint of an arm, or a motor of an assembly, slides rather than turns."""
    return bool(joint.unit == "m")
