"""One open chain of an assembly as the axes of a serial arm.

Each servo becomes a revolute joint about its z axis, each linear motor a prismatic one along its
x axis, both where they stand with all motors at zero; `armwerk.robot.axes` finds the rows. What
hangs rigidly behind a motor makes up its link: segments as thin rods, all else as points.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.axes import Axis, six_moments
from armwerk.robot.joint import Link
from armwerk.robot.loops import Platform
from armwerk.robot.part import Motor, Passive, Segment, Servo
from armwerk.robot.parts import Assembly


def axes_of_chain(assembly: Assembly, tip: str | None = None) -> tuple[list[Axis], Array]:
    """Return the axes of the motors from the body to a part, and T_body_part at zero.

    Args:
        assembly: Where the chain is.
        tip: Name of the part at its end; None: the hand of the assembly.

    Raises:
        DescriptionError: When the chain has a passive element, stands on a platform, or has no
            motor.
    """
    path = assembly.path(assembly.hand if tip is None else tip)
    _refuse_closed(assembly, path)
    poses = _poses_at_zero(assembly)
    motors = [part for name in path[:-1] if isinstance(part := assembly.tree[name].part, Motor)]
    if not motors:
        raise DescriptionError(
            "no motor on the chain",
            element=f"assembly '{assembly.name}', chain to '{path[-1]}'",
            allowed="at least one Servo or LinearMotor",
        )
    axes = []
    before = np.zeros(3)
    for motor in motors:
        pose = poses[motor.name]
        axes.append(
            Axis(
                motor.joint_kind,
                tuple(pose[:3, 2 if isinstance(motor, Servo) else 0].tolist()),
                tuple((pose[:3, 3] - before).tolist()),
                name=motor.name,
                limits=motor.limits,
                max_velocity=motor.max_velocity,
                max_acceleration=motor.max_acceleration,
                max_jerk=motor.max_jerk,
                max_force=motor.max_force,
                link=_link(assembly, poses, motor, motors),
            )
        )
        before = pose[:3, 3]
    return axes, poses[path[-1]]


def _refuse_closed(assembly: Assembly, path: tuple[str, ...]) -> None:
    element = f"assembly '{assembly.name}', chain to '{path[-1]}'"
    for name in path[:-1]:
        if isinstance(assembly.tree[name].part, Passive | Platform):
            raise DescriptionError(
                "belongs to a closed chain",
                element=element,
                value=name,
                allowed="servos, linear motors and rigid parts; AssemblyModel moves closed chains",
            )


def _poses_at_zero(assembly: Assembly) -> dict[str, Array]:
    """Return T_body_part of every part with all motors and passive elements at zero."""
    poses: dict[str, Array] = {}
    for name, place in assembly.tree.items():
        fix = np.eye(4) if place.fix is None else poses[place.fix]
        poses[name] = fix @ place.at.matrix()
    return poses


def _link(assembly: Assembly, poses: dict[str, Array], motor: Motor, motors: list[Motor]) -> Link:
    """Return mass, centre of mass and inertia of what moves with one motor only.

    The centre of mass is measured from the motor, in directions of the body.
    """
    others = {other.name for other in motors} - {motor.name}
    masses, centres, tensors = [], [], []
    for name, place in assembly.tree.items():
        above = assembly.path(name)[:-1]
        if motor.name not in above or others & set(above[above.index(motor.name) :]):
            continue
        if place.part.mass > 0:
            centre, tensor = _lump(assembly, poses, name)
            masses.append(place.part.mass)
            centres.append(centre)
            tensors.append(tensor)
    if not masses:
        return Link()
    weights, places = np.array(masses), np.array(centres)
    middle = weights @ places / weights.sum()
    inertia = np.zeros((3, 3))
    for mass, place_of, tensor in zip(weights, places, tensors, strict=True):
        arm = place_of - middle
        inertia += tensor + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    com = middle - poses[motor.name][:3, 3]
    return Link(float(weights.sum()), tuple(com.tolist()), six_moments(inertia))


def _lump(assembly: Assembly, poses: dict[str, Array], name: str) -> tuple[Array, Array]:
    """Return the centre of mass of one part and its inertia about it."""
    part, start = assembly.tree[name].part, poses[name][:3, 3]
    if not isinstance(part, Segment) or not part.connections:
        return start, np.zeros((3, 3))
    rod = poses[part.connections[0].part.name][:3, 3] - start
    tensor = part.mass / 12 * (rod @ rod * np.eye(3) - np.outer(rod, rod))
    return start + rod / 2, tensor
