"""Chains made of chains: an arm on a carrier, and a tool seen from a work piece on a table.

In: arms. Out: an arm.

A chain that carries another is in front of it, with the constant transform between them as fixed
rows. A chain that carries the work piece is walked backwards: with M(q) for the motion of a joint,

    T_piece_world = (C0 M1(q1) C1 M2(q2) C2)^-1 = C2^-1 M2(-q2) C1^-1 M1(-q1) C0^-1

and M(-q) is the same motion about the reversed axis, so joints keep their values and limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import inverse
from armwerk.mechanics.completed import JointLines, joint_lines
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.axes import SNAP, place_frames, snap_angle
from armwerk.robot.joint import Joint


def mounted(carrier: Arm, arm: Arm, name: str | None = None) -> Arm:
    """Return the arm that stands on another: a rail, a gantry, a column.

    Masses, limits and drives of both stay as they are.

    Args:
        carrier: What carries it; its tool is where the arm's own world is.
        arm: What stands on it. Its tool, gravity and motion settings are those of the result.
        name: Short name; None: both names.

    Raises:
        DescriptionError: When a joint of one has the name of a joint of the other.
    """
    refuse_same_names(carrier, arm)
    between = fixed_rows(carrier.tool @ arm.base)
    return replace(
        arm,
        joints=(*carrier.joints, *between, *arm.joints),
        name=f"{arm.name}_{carrier.name}" if name is None else name,
        base=carrier.base,
        title=f"{arm.title or arm.name} on {carrier.title or carrier.name}",
        assumed=tuple(dict.fromkeys((*carrier.assumed, *arm.assumed))),
        file="",
        srdf="",
    )


def refuse_same_names(one: Arm, two: Arm) -> None:
    """Refuse two chains that have a name of a joint in common."""
    names = {joint.name for joint in one.moving}
    for joint in two.moving:
        if joint.name in names:
            raise DescriptionError(
                f"'{one.name}' has a joint of that name too",
                element=f"arm '{two.name}', joint '{joint.name}'",
                value=joint.name,
                allowed="a name of its own for each joint of a station",
            )


def fixed_rows(pose: Array) -> tuple[Joint, ...]:
    """Return at most two fixed joints whose rows make a constant transform. Shape (4, 4)."""
    R, p = pose[:3, :3], pose[:3, 3]
    if np.abs(pose - np.eye(4)).max() < SNAP:
        return ()
    sine = math.hypot(R[0, 2], R[1, 2])
    alpha = math.atan2(sine, R[2, 2])
    if sine > SNAP:
        theta = math.atan2(R[0, 2], -R[1, 2])
        x = np.array([math.cos(theta), math.sin(theta), 0.0])
        y = np.array([-x[1], x[0], 0.0])
        a, beyond = float(p @ x), -float(p @ y) / sine
        d = float(p[2]) - beyond * math.cos(alpha)
    else:
        theta, a = math.atan2(p[1], p[0]), math.hypot(p[0], p[1])
        theta = theta if a > SNAP else 0.0
        d, beyond = float(p[2]), 0.0
    theta, alpha = snap_angle(theta), snap_angle(alpha)
    first = row_matrix(theta, d, a, alpha)
    rest = inverse(first) @ pose
    last = snap_angle(math.atan2(rest[1, 0], rest[0, 0]))
    rows = [Joint("fixed", d=d, a=a, alpha=alpha, offset=theta)]
    if abs(last) > SNAP or abs(beyond) > SNAP:
        rows.append(Joint("fixed", d=beyond, offset=last))
    return tuple(rows)


def relative_chain(arm: Arm, table: Arm, name: str) -> Arm:
    """Return the chain from a work piece over its table and the arm to the tool.

    Its "world" is the work piece: direct kinematics give T_piece_tool. Joints are those of the
    table from the work piece inwards, then those of the arm, each with its values and limits.
    Masses are left out: the work piece is no frame that rests.

    Args:
        arm: In the world, with what carries it.
        table: In the world, its tool is the frame of the work piece.
        name: Short name of the chain.

    Raises:
        DescriptionError: When a joint of one has the name of a joint of the other, or the last
            axis of the table is the first of the arm.
    """
    refuse_same_names(table, arm)
    carrying, holding = joint_lines(table), joint_lines(arm)
    to_piece = inverse(carrying.tool)
    backwards = JointLines(carrying.points[::-1], -carrying.directions[::-1], carrying.tool)
    points = np.vstack([backwards.points, holding.points]) @ to_piece[:3, :3].T + to_piece[:3, 3]
    directions = np.vstack([backwards.directions, holding.directions]) @ to_piece[:3, :3].T
    own = (joint for joint in arm.joints if joint.kind != "fixed")
    joints = (*reversed(table.moving), *own)
    kinds = [joint.kind for joint in joints]
    names = [joint.name for joint in joints]
    placed = place_frames(kinds, points, directions, to_piece @ holding.tool, names)
    rows = tuple(
        Joint(
            joint.kind,
            d=row.d,
            a=row.a,
            alpha=row.alpha,
            offset=row.offset,
            limits=joint.limits,
            max_velocity=joint.max_velocity,
            max_acceleration=joint.max_acceleration,
            max_jerk=joint.max_jerk,
            max_force=joint.max_force,
            name=joint.name,
            coupling=joint.coupling,
        )
        for joint, row in zip(joints, placed.rows, strict=True)
    )
    return Arm(rows, name, placed.base, placed.tool, motion=arm.motion)


def own_part(arm: Arm, external: int) -> Arm:
    """Return an arm without what carries it, standing as it does with its carrier at zero.

    Args:
        arm: With its carrier.
        external: How many of its moving joints carry it.
    """
    first = _behind(arm.joints, external)
    name = f"{arm.name}_own" if external else arm.name
    return replace(
        arm, joints=arm.joints[first:], name=name, base=_mount(arm, first), file="", srdf=""
    )


def carrier_part(arm: Arm, external: int) -> Arm:
    """Return what carries an arm; its tool is the frame that is the world with all joints at zero.

    That frame is the arm's mount: what stands on the carrier stands in it as `own_part` does.
    """
    first = _behind(arm.joints, external)
    tool = inverse(_mount(arm, first))
    return replace(
        arm, joints=arm.joints[:first], name=f"{arm.name}_carrier", tool=tool, file="", srdf=""
    )


def _mount(arm: Arm, first: int) -> Array:
    """Return the pose of the frame before a joint, with all joints at zero. Shape (4, 4)."""
    pose = np.array(arm.base)
    for joint in arm.joints[:first]:
        row = (joint.offset, joint.d, joint.a, joint.alpha)
        pose = pose @ row_matrix(*(float(value) for value in row))
    return pose


def _behind(joints: Iterable[Joint], external: int) -> int:
    """Return the place behind the given number of moving joints and fixed ones after them."""
    count = 0
    for place, joint in enumerate(joints):
        if joint.is_moving:
            if count == external:
                return place
            count += 1
    return len(tuple(joints))
