"""Arms to derive and independent numbers to hold the derivations against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armwerk.robot import Arm, Joint, Link, library, load

Array = NDArray[np.float64]


def serial_arms() -> tuple[str, ...]:
    """Names of all library arms that are a single chain, each joint with its own drive."""
    arms = {name: load(name) for name in library()}
    return tuple(n for n, arm in arms.items() if isinstance(arm, Arm) and not arm.is_coupled)


def with_random_links(arm: Arm, seed: int = 3) -> Arm:
    """Return the arm with a different full-blown body on every moving joint, and a motor."""
    random = np.random.default_rng(seed)

    def body(joint: Joint) -> Joint:
        if not joint.is_moving:
            return replace(joint, link=Link())
        root = random.normal(size=(3, 3))
        tensor = root @ root.T + 0.1 * np.eye(3)
        entries = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        link = Link(random.uniform(1, 5), tuple(random.normal(size=3)), tuple(entries))
        return replace(joint, link=link, armature=random.uniform(0, 0.5))

    return replace(arm, joints=tuple(body(joint) for joint in arm.joints))


def row(joint: Joint, q: float = 0.0) -> Array:
    """Return Rot(z) Trans(z) Trans(x) Rot(x), multiplied out of elementary matrices."""
    theta = float(joint.offset) + (q if joint.kind == "revolute" else 0.0)
    d = float(joint.d) + (q if joint.kind == "prismatic" else 0.0)
    about_z, about_x = np.eye(4), np.eye(4)
    about_z[:3, :3] = pin.AngleAxis(float(theta), np.array([0.0, 0.0, 1.0])).matrix()
    about_x[:3, :3] = pin.AngleAxis(float(joint.alpha), np.array([1.0, 0.0, 0.0])).matrix()
    about_z[2, 3], about_x[0, 3] = d, joint.a
    return about_z @ about_x


def chain_pose(arm: Arm, q: Array) -> Array:
    """Return the last moving joint's frame in the frame in front of the first moving joint."""
    pose = np.eye(4)
    for joint, value in zip(arm.moving, q, strict=True):
        pose = pose @ row(joint, float(value))
    return pose


def pin_model(arm: Arm) -> Any:
    """Return the arm as a pinocchio model, in world coordinates."""
    model = pin.Model()
    model.gravity.linear = np.array(arm.gravity)
    number, place = 0, np.array(arm.base)
    for joint in arm.joints:
        if joint.is_moving:
            kind = pin.JointModelRZ() if joint.kind == "revolute" else pin.JointModelPZ()
            number = model.addJoint(number, kind, pin.SE3(place), joint.name)
            model.armature[number - 1] = float(joint.armature)
            place = np.eye(4)
        place = place @ row(joint)
        if number:
            centre = np.array([float(v) for v in joint.link.com])
            inertia = pin.Inertia(float(joint.link.mass), centre, joint.link.inertia_matrix())
            model.appendBodyToJoint(number, inertia, pin.SE3(place))
    return model


def random_joints(arm: Arm, seed: int) -> Array:
    """Return joint values anywhere. Shape (n,)."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, arm.dof)


def generator_values(ring: Any, q: Array) -> dict[str, float]:
    """Return the number of every generator of a numeric arm's ring but the pose."""
    values = dict(ring.known_values())
    joints = ring.arm.moving
    for number, name in ring.slides.items():
        values[name] = float(q[number - 1])
    for angle in ring.angles:
        theta = sum(sign * (q[i - 1] + float(joints[i - 1].offset)) for i, sign in angle.terms)
        values[angle.cos], values[angle.sin] = float(np.cos(theta)), float(np.sin(theta))
    return values
