"""Arms completed to whole poses: joints behind the tool that do what a task leaves free.

In: an arm and the part of a pose that counts. Out: the same arm with joints behind its tool, whose
inverse kinematics for a whole pose is the arm's own for that part.

    position    three joints whose axes meet in the tool point: whatever they do, it stays
    direction   one joint about the tool's z axis: point and direction stay

Every solution for the part is one of the completed arm, whatever the rest of the pose is, and what
holds for six joints (closed forms, elimination with its count) holds for fewer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.mechanics.inverse.interface import Task
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.axes import place_frames
from armwerk.robot.joint import Joint, JointKind

ON_AXIS = 1e-9
"""[m, rad] within which the tool point lies on an axis, or the tool's z axis along it."""
FREE_NAMES = ("free_turn_1", "free_turn_2", "free_turn_3")


class JointLines(NamedTuple):
    """The moving joints of an arm as lines at zero pose, in the world.

    Args:
        points: A point on each axis [m]. Shape (n, 3).
        directions: Of each axis, of length 1. Shape (n, 3).
        tool: T_world_tool. Shape (4, 4).
    """

    points: Array
    directions: Array
    tool: Array


class CompletedArm(NamedTuple):
    """An arm with joints behind its tool.

    Args:
        arm: The kept joints, then the added ones.
        kept: Which joints of the arm it has, counted from 0; the others move nothing of the part.
        added: How many joints stand behind the tool.
    """

    arm: Arm
    kept: tuple[int, ...]
    added: int


def joint_lines(arm: Arm) -> JointLines:
    """Return the axes of the joints that are not fixed, at zero pose."""
    pose = np.array(arm.base)
    points, directions = [], []
    for joint in arm.joints:
        if joint.kind != "fixed":
            points.append(pose[:3, 3])
            directions.append(pose[:3, 2])
        row = (joint.offset, joint.d, joint.a, joint.alpha)
        pose = pose @ row_matrix(*(float(value) for value in row))
    return JointLines(np.array(points), np.array(directions), np.asarray(pose @ arm.tool))


def completed(arm: Arm, task: Task) -> CompletedArm:
    """Return an arm completed to a whole pose.

    Args:
        arm: With numbers for all dimensions.
        task: "position" or "direction".

    Raises:
        UnsupportedError: When no joint moves anything of the part, or for symbols.
    """
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has no numbers yet for {', '.join(arm.symbols)}; "
            f"the task '{task}' needs them (arm.with_values(...))"
        )
    lines, moving = joint_lines(arm), arm.moving
    count = len(moving)
    while count and _is_idle(lines, moving[count - 1], count - 1, task):
        count -= 1
    if not count:
        raise UnsupportedError(f"no joint of arm '{arm.name}' moves the tool's {task}")
    added = _added_axes(lines, moving[count - 1], count - 1, task)
    turns: list[JointKind] = ["revolute"] * len(added)
    kinds = [joint.kind for joint in moving[:count]] + turns
    points = np.vstack([lines.points[:count], np.tile(lines.tool[:3, 3], (len(added), 1))])
    directions = np.vstack([lines.directions[:count], added])
    placed = place_frames(kinds, points, directions, lines.tool)
    names = [joint.name for joint in moving[:count]] + list(FREE_NAMES[: len(added)])
    limits = [joint.limits for joint in moving[:count]] + [None] * len(added)
    joints = tuple(
        Joint(kind, d=row.d, a=row.a, alpha=row.alpha, offset=row.offset, limits=pair, name=name)
        for kind, row, pair, name in zip(kinds, placed.rows, limits, names, strict=True)
    )
    whole = Arm(joints, f"{arm.name}_{task}", placed.base, placed.tool)
    return CompletedArm(whole, tuple(range(count)), len(added))


def _is_idle(lines: JointLines, joint: Joint, index: int, task: Task) -> bool:
    """Whether the last joint turns about the tool point, or about the tool's own axis."""
    if joint.kind != "revolute":
        return False
    axis = lines.directions[index]
    away = np.cross(lines.tool[:3, 3] - lines.points[index], axis)
    if np.linalg.norm(away) > ON_AXIS:
        return False
    return task == "position" or bool(np.linalg.norm(np.cross(lines.tool[:3, 2], axis)) < ON_AXIS)


def _added_axes(lines: JointLines, joint: Joint, index: int, task: Task) -> Array:
    """Return directions for the joints behind the tool; the first is across the last joint's."""
    if task == "direction":
        return lines.tool[None, :3, 2]
    axis = lines.directions[index]
    if joint.kind == "revolute":
        away = lines.tool[:3, 3] - lines.points[index]
        first = np.cross(axis, away - (away @ axis) * axis)
    else:
        beside = lines.tool[:3, int(np.argmin(np.abs(axis @ lines.tool[:3, :3])))]
        first = beside - (beside @ axis) * axis
    first = first / np.linalg.norm(first)
    return np.array([first, axis, first])
