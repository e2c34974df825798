"""Coupled axes of an arm in MuJoCo: tendons that measure what motors do, and rods.

MuJoCo's joints are the angles between links. The value of a motor is a fixed tendon, a sum of such
angles; its armature and its stops stand there. A joint without a motor is held by a tendon whose
length is to stay what it is: the rods.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.physics.build import SOLIMP, SOLREF
from armwerk.physics.mechanism.members import Mechanism

STOP = 5e-5
"""[rad or m] behind its limits a joint stands against a stop."""
TIE_STIFFNESS = 0.9999  # fraction of the constraint force that holds a tie; 1 would be rigid
TIE_HASTE = 0.8  # fraction of a gap that a tie closes within a step


def make_stiff(equality: mujoco.MjsEquality, dt: float) -> None:
    """Let a tie close within about a step of time [s]."""
    equality.solref = (-TIE_HASTE / dt**2, -1.0 / dt)
    equality.solimp = (TIE_STIFFNESS, TIE_STIFFNESS, 0.001, 0.5, 2.0)


def motor_rows(robot: Mechanism) -> Array:
    """Return what makes motor values of joint angles; 0 for joints without a motor. (n, k)."""
    assert robot.axes is not None
    driven = [index in robot.arm_motors for index in robot.axes.members]
    rows = np.zeros(robot.axes.matrix.shape[::-1])
    rows[:, driven] = np.linalg.inv(robot.axes.matrix[driven])
    return rows


def armature_of(robot: Mechanism, index: int) -> float:
    """Return the armature of a joint whose angle is its motor's value; else 0: a tendon has it.

    Args:
        robot: With coupled joints.
        index: Of a member.
    """
    if index not in robot.arm_motors:
        return 0.0
    is_own = np.count_nonzero(motor_rows(robot)[robot.arm_motors.index(index)]) == 1
    return robot.members[index].armature if is_own else 0.0


def add_axes(spec: mujoco.MjSpec, robot: Mechanism, joints: Sequence[str]) -> None:
    """Add the tendons of motors that turn with others, and those of rods.

    Args:
        spec: Grows; its time step must be set.
        robot: With coupled joints.
        joints: Name of each member's joint.
    """
    axes = robot.axes
    assert axes is not None
    rows = motor_rows(robot)
    for index, row in zip(robot.arm_motors, rows, strict=True):
        if np.count_nonzero(row) == 1:
            continue
        member = robot.members[index]
        tendon = _tendon(spec, f"{joints[index]}_axis", row, axes.members, joints)
        tendon.armature = member.armature
        if np.isfinite(member.limits).all():
            low, high = member.limits
            tendon.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            tendon.range = (low - STOP, high + STOP)
            tendon.solref_limit, tendon.solimp_limit = SOLREF, SOLIMP
    for place, index in enumerate(axes.members):
        if index in robot.arm_motors:
            continue
        row = -axes.matrix[place] @ rows
        row[place] += 1.0
        tendon = _tendon(spec, f"{joints[index]}_rods", row, axes.members, joints)
        rods = spec.add_equality(type=mujoco.mjtEq.mjEQ_TENDON, name1=tendon.name)
        make_stiff(rods, spec.option.timestep)


def _tendon(
    spec: mujoco.MjSpec, name: str, row: Array, members: Sequence[int], joints: Sequence[str]
) -> mujoco.MjsTendon:
    """Add a tendon whose length is a sum of joint angles."""
    tendon = spec.add_tendon(name=name)
    for index, factor in zip(members, row.tolist(), strict=True):
        if factor:
            tendon.wrap_joint(joints[index], factor)
    return tendon
