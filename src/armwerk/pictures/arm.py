"""The picture of an arm in one or several configurations, their joint values as captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.mechanics.interface import ArmModel
from armwerk.pictures.file import picture_path
from armwerk.pictures.sheet import draw_overlay, draw_panels, draw_single, is_one_tool
from armwerk.pictures.skeleton import Skeleton, arm_skeleton
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly, Motor

MOST_PANELS = 16
MOST = 32  # configurations in one picture; more cannot be told apart
_SLACK = 1e-9  # [rad or m], what rounding may add to a limit
_COLUMN = 8  # characters per joint in a legend
_DEGREE = 180 / np.pi


def draw_arm(
    model: Arm | ArmModel,
    q: ArrayLike,
    path: str | Path,
    *,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    azimuth: float | None = None,
) -> Path:
    """Draw an arm and return the file written.

    Args:
        model: An arm, an `ArmModel` or an `AssemblyModel`.
        q: One configuration, shape (n,), or several, shape (k, n) [rad or m]. Several that
            hold the tool in one pose, as inverse kinematics gives them, are drawn side by
            side; others over each other, with a legend. Each has a colour of its own; those with
            joints out of their limits are marked.
        path: Ends in .png or .svg; its folder is made when missing.
        title: Above the picture; None: the arm's title.
        labels: One text per configuration; None: the joint values.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.

    Raises:
        ShapeError: When ``q`` does not fit the arm.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    rows, skeletons, motors = _posed(model, q)
    if labels is not None and len(labels) != len(rows):
        raise ShapeError(f"labels must be {len(rows)} texts, one each, got {len(labels)}")
    several = len(rows) > 1
    form = joint_text if several else joint_sentence
    texts = list(labels) if labels is not None else [form(motors.moving, row) for row in rows]
    name = title or motors.title or motors.name
    if not several:
        return draw_single(skeletons[0], path, name, texts[0], azimuth)
    panels = is_one_tool(skeletons) and len(rows) <= MOST_PANELS
    heading = joint_units(motors.moving) if panels else joint_heading(motors.moving)
    draw = draw_panels if panels else draw_overlay
    marks = [beyond_limits(motors, row) for row in rows]
    return draw(skeletons, path, name, texts, heading if labels is None else "", azimuth, marks)


def beyond_limits(arm: Arm | Assembly, q: Array) -> str:
    """Return which joints are out of their limits, "out of limits: q2, q5"; empty: none is.

    An angle counts as within its limits when it is so by whole turns.
    """
    low, high = arm.limits.T
    names = []
    for index, joint in enumerate(arm.moving):
        turns = np.zeros(1) if slides(joint) else 2 * np.pi * np.arange(-2, 3)
        values = q[index] + turns
        if not ((values > low[index] - _SLACK) & (values < high[index] + _SLACK)).any():
            names.append(f"q{index + 1}")
    if not names and isinstance(arm, Arm) and arm.angle_breach(q):
        names.append("a coupled joint")
    return f"out of limits: {', '.join(names)}" if names else ""


def _posed(model: Arm | ArmModel, q: ArrayLike) -> tuple[Array, list[Skeleton], Arm | Assembly]:
    """Return configurations, a skeleton for each, and the arm or assembly."""
    if isinstance(model, AssemblyModel):
        from armwerk.pictures.assembly import assembly_size, assembly_skeleton

        rows = configurations(q, model.assembly)
        size = assembly_size(model)
        skeletons = [assembly_skeleton(model, row, size) for row in rows]
        return rows, skeletons, model.assembly
    arm = arm_of(model)
    rows = configurations(q, arm)
    return rows, [arm_skeleton(arm, row) for row in rows], arm


def arm_of(model: Arm | ArmModel) -> Arm:
    """Return the arm itself, or that of a model."""
    arm = getattr(model, "arm", model)
    if not isinstance(arm, Arm):
        raise ShapeError(f"an arm or a model of one is needed, got {type(model).__name__}")
    return arm


def configurations(q: ArrayLike, arm: Arm | Assembly) -> Array:
    """Return configurations as rows; one or many are taken. Shape (k, n)."""
    rows = np.atleast_2d(np.asarray(q, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != arm.dof or not np.isfinite(rows).all():
        raise ShapeError(
            f"configurations of arm '{arm.name}' must be finite, shape (k, {arm.dof}),"
            f" got shape {np.shape(q)}"
        )
    if not 1 <= len(rows) <= MOST:
        raise ShapeError(f"a picture holds 1 to {MOST} configurations, got {len(rows)}")
    return rows


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
