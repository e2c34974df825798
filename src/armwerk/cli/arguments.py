"""Words of the command line made into numbers, poses and models."""

from __future__ import annotations

import math

import numpy as np
import typer

from armwerk.arrays import Array
from armwerk.cli.units import Units
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly, Motor


def numbers(text: str, names: str, option: str) -> list[float]:
    """Return the finite numbers in ``text``, separated by blanks or commas.

    Args:
        text: What the user wrote.
        names: One name per expected number, blank between ("x y z a b c").
        option: Whose value it is, for the message.
    """
    words = text.replace(",", " ").split()
    expected = names.split()
    values: list[float] = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            raise typer.BadParameter(
                f"{option}: '{word}' is not a number (wanted: {names})"
            ) from None
        if not math.isfinite(values[-1]):
            raise typer.BadParameter(f"{option}: '{word}' is not finite (wanted: {names})")
    if len(values) != len(expected):
        raise typer.BadParameter(
            f"{option}: needs {len(expected)} numbers ({names}), got {len(values)}"
        )
    return values


def goal(text: str, units: Units) -> Array:
    """Return where the tool shall be, from "x y z a b c" in the given units.

    The angles are Z-Y'-X'': a about z, then b about the new y, then c about the new x. With
    "x y z" alone the orientation is free, since many arms cannot choose it.

    Returns:
        T_world_tool, shape (4, 4), or a point [m], shape (3,).
    """
    from armwerk.geometry import transform_from_pose

    if len(text.replace(",", " ").split()) == 3:
        point = np.array(numbers(text, "x y z", "--pose"))
        return np.asarray(point / units.scale("prismatic"), dtype=np.float64)
    given = np.array(numbers(text, "x y z a b c", "--pose"))
    scales = [units.scale("prismatic")] * 3 + [units.scale("revolute")] * 3
    return transform_from_pose(given / scales)


def joint_values(text: str, arm: Arm | Assembly, units: Units, option: str) -> Array:
    """Return one value per moving joint [rad or m]. Shape (n,)."""
    names = " ".join(joint.name.replace(" ", "_") for joint in arm.moving)
    given = np.array(numbers(text, names, option))
    return given / [units.scale(kind_of(joint)) for joint in arm.moving]


def kind_of(joint: Joint | Motor) -> str:
    """Return "revolute" or "prismatic" for a joint of an arm or a motor of an assembly."""
    return joint.kind if isinstance(joint, Joint) else joint.joint_kind
