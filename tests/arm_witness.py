"""The same arms in other people's hands: plain matrix products and pinocchio.

Everything here is built from the Denavit-Hartenberg rows of the description, never from the
packed arrays of the code under test.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armwerk.robot import Arm, Joint, library, load

Array = NDArray[np.float64]


@cache
def serial_arms() -> dict[str, Arm]:
    """Return every serial arm of the library that has numbers for all its dimensions.

    Those with coupled joints have tests of their own.
    """
    arms = {name: load(name) for name in library()}
    serial = {n: a for n, a in arms.items() if isinstance(a, Arm)}
    return {n: a for n, a in serial.items() if not a.is_symbolic and not a.is_coupled}


def names(at_least: int = 1, at_most: int = 64) -> list[str]:
    """Return the names of the serial arms with that many joints."""
    return [n for n, arm in serial_arms().items() if at_least <= arm.dof <= at_most]


def random_joints(arm: Arm, count: int, seed: int = 0) -> Array:
    """Return joint values within limits, within a turn or half a metre where there are none."""
    low, high = arm.limits.T
    free = np.array([np.pi if joint.kind == "revolute" else 0.5 for joint in arm.moving])
    low = np.where(np.isfinite(low), low, -free)
    high = np.where(np.isfinite(high), high, free)
    return np.random.default_rng(seed).uniform(low, high, (count, arm.dof))


def turn_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def turn_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def shift(x: float, y: float, z: float) -> Array:
    result = np.eye(4)
    result[:3, 3] = x, y, z
    return result


def row(joint: Joint, q: float) -> Array:
    """Return Rot z, Trans z, Trans x, Rot x of one row, as four matrices multiplied."""
    theta = float(joint.offset) + (q if joint.kind == "revolute" else 0.0)
    d = float(joint.d) + (q if joint.kind == "prismatic" else 0.0)
    return turn_z(theta) @ shift(0, 0, d) @ shift(float(joint.a), 0, 0) @ turn_x(float(joint.alpha))


def frames_by_product(arm: Arm, q: Array) -> list[Array]:
    """Return base, the frame behind each row, and tool."""
    frames = [np.array(arm.base)]
    values = iter(q)
    for joint in arm.joints:
        frames.append(frames[-1] @ row(joint, next(values) if joint.is_moving else 0.0))
    return [*frames, frames[-1] @ arm.tool]


class PinArm:
    """The arm as a pinocchio model, built joint by joint."""

    def __init__(self, arm: Arm) -> None:
        self.model = pin.Model()
        self.model.gravity.linear = np.array(arm.gravity)
        parent, place = 0, np.array(arm.base)
        for joint in arm.joints:
            if joint.is_moving:
                kind = pin.JointModelRZ() if joint.kind == "revolute" else pin.JointModelPZ()
                parent = self.model.addJoint(parent, kind, pin.SE3(place), joint.name)
                place = np.eye(4)
            place = place @ row(joint, 0.0)
            if parent:
                com = np.array([float(c) for c in joint.link.com])
                body = pin.Inertia(float(joint.link.mass), com, joint.link.inertia_matrix())
                self.model.appendBodyToJoint(parent, body, pin.SE3(place))
        self.model.armature = np.array([float(joint.armature) for joint in arm.moving])
        self.tool = self.model.addFrame(
            pin.Frame("tool", parent, 0, pin.SE3(place @ arm.tool), pin.FrameType.OP_FRAME)
        )
        self.data = self.model.createData()

    def fk(self, q: Array) -> Array:
        pin.framesForwardKinematics(self.model, self.data, q)
        return np.array(self.data.oMf[self.tool].homogeneous)

    def jacobian(self, q: Array) -> Array:
        where = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(pin.computeFrameJacobian(self.model, self.data, q, self.tool, where))

    def inverse(self, q: Array, qd: Array, qdd: Array) -> Array:
        return np.array(pin.rnea(self.model, self.data, q, qd, qdd))

    def forward(self, q: Array, qd: Array, tau: Array) -> Array:
        return np.array(pin.aba(self.model, self.data, q, qd, tau))

    def mass(self, q: Array) -> Array:
        upper = np.triu(pin.crba(self.model, self.data, q))
        return np.array(upper + np.triu(upper, 1).T)

    def gravity(self, q: Array) -> Array:
        return np.array(pin.computeGeneralizedGravity(self.model, self.data, q))

    def potential(self, q: Array) -> float:
        return float(pin.computePotentialEnergy(self.model, self.data, q))


@cache
def pin_arm(name: str) -> PinArm:
    """Return the pinocchio model of a library arm."""
    return PinArm(serial_arms()[name])


def pose_gap(one: Array, two: Array) -> tuple[float, float]:
    """Return distance [m] and angle [rad] between two poses, by pinocchio's logarithm."""
    turned = one[:3, :3].T @ two[:3, :3]
    return float(np.linalg.norm(one[:3, 3] - two[:3, 3])), float(np.linalg.norm(pin.log3(turned)))
