"""Members of an arm that is described by Denavit-Hartenberg rows."""

from __future__ import annotations

import numpy as np

from armwerk.physics.mechanism.members import ROOT, CoupledMembers, JointMotion
from armwerk.physics.mechanism.tree import MemberFrame, MemberTree, MotorLimits
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.joint import Joint
from armwerk.robot.part import DEFAULT_RADIUS, Motor

TAPER = 0.6  # fraction of its thickness that an arm loses from its foot to its hand


def add_rows(tree: MemberTree, arm: Arm, *, bare: bool) -> None:
    """Add one member per moving joint, and the tool frame as the hand.

    Args:
        tree: Grows.
        arm: Without symbols.
        bare: Whether nothing hangs on the arm; its tool point then touches things as a
            TouchPoint does.
    """
    reach = sum(abs(float(joint.a)) + abs(float(joint.d)) for joint in arm.joints)
    tree.thickness = thickness(reach)
    spot = MemberFrame(ROOT, np.array(arm.base))
    tree.draw(spot, "cylinder", (0, 0, 0), (0, 0, tree.thickness), 2 * tree.thickness, "foot")
    thick = tree.thickness
    first = len(tree.members)
    for number, joint in enumerate(arm.joints):
        spot = _add_row(tree, spot, joint)
        tree.thickness = thick * (1.0 - TAPER * (number + 1) / len(arm.joints))
    if arm.is_coupled:
        tree.axes = CoupledMembers(tuple(range(first, len(tree.members))), arm.coupling_matrix)
    tree.hand = spot.at(arm.tool)
    offset = tuple(arm.tool[:3, 3].tolist())
    tree.draw(spot, "capsule", (0, 0, 0), offset, tree.thickness, "link")
    if bare:
        tree.touching(tree.hand, (0, 0, 0), (0, 0, 0), DEFAULT_RADIUS)


def _add_row(tree: MemberTree, spot: MemberFrame, joint: Joint) -> MemberFrame:
    """Add Rot(z, offset) · joint · Trans(z, d) Trans(x, a) Rot(x, alpha)."""
    d, a = float(joint.d), float(joint.a)
    spot = spot.at(row_matrix(float(joint.offset), 0.0, 0.0, 0.0))
    thick = tree.thickness
    if joint.kind != "fixed":
        if joint.kind == "prismatic":
            low, high = (0.0, 0.5) if joint.limits is None else joint.limits
            ends = ((0.0, 0.0, min(low + d, 0.0)), (0.0, 0.0, max(high + d, 0.0)))
            tree.draw(spot, "box", *ends, 0.8 * thick, "rod")
        kind: JointMotion = "prismatic" if joint.kind == "prismatic" else "revolute"
        spot = tree.add(spot, joint.name, kind, motor=joint.is_moving, **limits_of(joint))
        if joint.is_moving:
            tree.arm_motors.append(spot.member)
    if joint.kind == "revolute":
        tree.draw(spot, "cylinder", (0, 0, -1.3 * thick), (0, 0, 1.3 * thick), 1.2 * thick, "joint")
        tree.draw(spot, "capsule", (0, 0, 0), (0, 0, d), 0.9 * thick, "link")
    if joint.kind == "prismatic":
        tree.draw(spot, "box", (0, 0, d - 1.3 * thick), (0, 0, d + 1.3 * thick), thick, "joint")
    tree.draw(spot, "capsule", (0, 0, d), (a, 0, d), 0.9 * thick, "link")
    spot = spot.at(row_matrix(0.0, d, a, float(joint.alpha)))
    x, y, z = (float(value) for value in joint.link.com)
    tree.weigh(spot, float(joint.link.mass), (x, y, z), joint.link.inertia_matrix())
    return spot


def limits_of(motor: Joint | Motor) -> MotorLimits:
    """Return the limits of a joint or motor as fields of a member; None becomes infinity."""
    found = MotorLimits(
        max_velocity=_or_infinite(motor.max_velocity),
        max_acceleration=_or_infinite(motor.max_acceleration),
        max_force=_or_infinite(motor.max_force),
    )
    if isinstance(motor, Joint):
        forward, backward = motor.coulomb_friction
        found["armature"] = float(motor.armature)
        found["viscous_friction"] = float(motor.viscous_friction)
        found["coulomb_friction"] = (float(forward), float(backward))
        if motor.coupling is not None:
            found["coupled"] = True
            found["angle_limits"] = motor.coupling.limits or (-np.inf, np.inf)
    if motor.limits is not None:
        found["limits"] = (float(motor.limits[0]), float(motor.limits[1]))
    return found


def _or_infinite(value: float | None) -> float:
    return np.inf if value is None else float(value)


def thickness(reach: float) -> float:
    """Return the radius of the bars of a mechanism that is ``reach`` long [m]."""
    return float(np.clip(0.03 * reach, 0.008, 0.06))
