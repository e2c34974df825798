"""How the tool moves while the joints do: its pose and velocity for many samples at once.

Numpy only, with a walk along the arm of its own, so that a file or a picture of a motion compiles
and loads no kernel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.robot.arm import Arm


class ToolMotion(NamedTuple):
    """The tool at m moments.

    Attributes:
        pose: T_world_tool. Shape (m, 4, 4).
        velocity: Of the tool point [m/s], world axes. Shape (m, 3).
        rotation: Angular velocity [rad/s], world axes. Shape (m, 3).
    """

    pose: Array
    velocity: Array
    rotation: Array

    @property
    def speed(self) -> Array:
        """Of the tool point [m/s]. Shape (m,)."""
        return np.asarray(np.linalg.norm(self.velocity, axis=1))

    @property
    def rotation_speed(self) -> Array:
        """How fast the tool turns [rad/s]. Shape (m,)."""
        return np.asarray(np.linalg.norm(self.rotation, axis=1))

    @property
    def angles(self) -> Array:
        """Z-Y'-X'' angles a, b, c [rad], without jumps by whole turns. Shape (m, 3)."""
        R = self.pose[:, :3, :3]
        flat = np.hypot(R[:, 0, 0], R[:, 1, 0])
        a = np.arctan2(R[:, 1, 0], R[:, 0, 0])
        c = np.arctan2(R[:, 2, 1], R[:, 2, 2])
        # straight up or down only a and c together are known
        upright = flat < 1e-9
        a = np.where(upright, np.arctan2(-R[:, 0, 1], R[:, 1, 1]), a)
        c = np.where(upright, 0.0, c)
        b = np.arctan2(-R[:, 2, 0], flat)
        return np.asarray(np.unwrap(np.column_stack([a, b, c]), axis=0))


def tool_motion(arm: Arm, q: Array, qd: Array) -> ToolMotion:
    """Return how the tool of an arm moves.

    With z_i the axis of joint i, o_i a point of it and p the tool point, a turning joint adds
    qd_i z_i x (p - o_i) to the velocity and qd_i z_i to the angular velocity, a sliding one
    qd_i z_i to the velocity.

    Args:
        arm: Without symbols.
        q: Joint values [rad or m]. Shape (m, n).
        qd: Their rates. Shape (m, n).
    """
    arm, q, qd = arm.free_chain, arm.angles(q), arm.angles(qd)
    m = len(q)
    frame = np.broadcast_to(arm.base, (m, 4, 4)).copy()
    axes: list[tuple[str, Array, Array]] = []
    column = 0
    for joint in arm.joints:
        theta, d = np.full(m, float(joint.offset)), np.full(m, float(joint.d))
        if joint.is_moving:
            axes.append((joint.kind, frame[:, :3, 2], frame[:, :3, 3]))
            (theta if joint.kind == "revolute" else d)[:] += q[:, column]
            column += 1
        frame = frame @ _rows(theta, d, float(joint.a), float(joint.alpha))
    pose = frame @ arm.tool
    velocity, rotation = np.zeros((m, 3)), np.zeros((m, 3))
    for index, (kind, axis, origin) in enumerate(axes):
        rate = qd[:, index, None] * axis
        if kind == "revolute":
            velocity += np.cross(rate, pose[:, :3, 3] - origin)
            rotation += rate
        else:
            velocity += rate
    return ToolMotion(pose, velocity, rotation)


def _rows(theta: Array, d: Array, a: float, alpha: float) -> Array:
    """Return Rot z theta, Trans z d, Trans x a, Rot x alpha. Shape (m, 4, 4)."""
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    T = np.zeros((len(theta), 4, 4))
    T[:, 0] = np.stack([ct, -ca * st, sa * st, a * ct], axis=-1)
    T[:, 1] = np.stack([st, ca * ct, -sa * ct, a * st], axis=-1)
    T[:, 2, 1], T[:, 2, 2], T[:, 2, 3] = sa, ca, d
    T[:, 3, 3] = 1.0
    return T
