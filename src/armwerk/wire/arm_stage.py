"""An arm that viewers see without a world around it: joint values come in, poses go out.

The geometry is made once; after that a configuration is one row of numbers for each of its bodies.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.body import Body, Region
from armwerk.collision.body_solids import body_colour, body_solids
from armwerk.errors import ShapeError
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.physics.mechanism import mechanism
from armwerk.physics.mechanism.members import ROOT, Mechanism, Member
from armwerk.pictures.cell import camera_of
from armwerk.pictures.cell_robot import DrawnRobot
from armwerk.pictures.cell_scene import floor_of
from armwerk.protocol.viewing import ViewedGeometry
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import Scene
from armwerk.wire.geometry import GeometryBuilder, MountedRobot

ROBOT = "arm"
"""What the arm is called in its geometry."""
_FARTHEST = 20.0  # [m] of bodies that the camera takes in


class ArmStage:
    """An arm among bodies, as viewers see it.

    Args:
        arm: Without symbols.
        bodies: What stands around it, in world coordinates; numbered as in maps.
        version: Of the geometry.

    Attributes:
        geometry: What is seen; its motors are the arm's moving joints, in their order.
        mechanism: The arm as a tree of members.
    """

    def __init__(self, arm: Arm | Assembly, bodies: Iterable[Body] = (), version: int = 1) -> None:
        self.arm = arm
        self.mechanism: Mechanism = mechanism(arm)
        drawn = DrawnRobot(arm)
        builder = GeometryBuilder()
        builder.add_robot(MountedRobot(ROBOT, drawn, self.mechanism, (arm.name,)))
        around = tuple(bodies)
        scene = Scene()
        size = float(camera_of(scene, [drawn]).distance) / 2
        for number, body in enumerate(around):
            solids = body_solids(body, body_colour(number), size)
            builder.add_still(solids, "obstacle", body.name)
        camera = camera_of(scene, [drawn], seen=_corners(around))
        title = arm.title or arm.name
        self.geometry: ViewedGeometry = builder.build(version, title, floor_of(scene), camera)

    @property
    def rest(self) -> Array:
        """Values to begin with: 0 where the limits allow it, else their middle. Shape (n,)."""
        return self.mechanism.rest()

    def poses(self, Q: ArrayLike) -> Array:
        """Return where all bodies are, x y z [m] and w x y z. Shape (m, bodies, 7).

        Args:
            Q: Joint values [rad or m]. Shape (m, n).

        Raises:
            ShapeError: For another number of joints.
            UnsupportedError: When a closed chain cannot close.
        """
        rows = np.asarray(Q, dtype=np.float64)
        count = len(self.mechanism.motors)
        if rows.ndim != 2 or rows.shape[1] != count:
            raise ShapeError(f"joint values must have shape (m, {count}), got {rows.shape}")
        frames = self._frames(rows)
        result = np.empty((*frames.shape[:2], 7))
        result[..., :3] = frames[..., :3, 3]
        result[..., 3:] = quaternion_from_rotation(frames[..., :3, :3])
        return result

    def packed(self, Q: ArrayLike) -> str:
        """Return `poses` as a viewer is sent them: base64 of 32-bit numbers."""
        return packed_numbers(self.poses(Q))

    def _frames(self, rows: Array) -> Array:
        """Return T_world_member. Shape (m, members, 4, 4)."""
        members = self.mechanism.members
        if self.mechanism.sources:
            made = [self.mechanism.poses(self.mechanism.start(row)) for row in rows]
            return np.array(made).reshape(len(rows), len(members), 4, 4)
        frames = np.empty((len(rows), len(members), 4, 4))
        values = {index: rows[:, place] for place, index in enumerate(self.mechanism.motors)}
        axes = self.mechanism.axes
        if axes is not None:
            angles = rows[:, : axes.matrix.shape[1]] @ axes.matrix.T
            values |= dict(zip(axes.members, angles.T, strict=True))
        for index, member in enumerate(members):
            before = np.eye(4) if member.parent == ROOT else frames[:, member.parent]
            frames[:, index] = before @ member.pose @ _motions(member, values[index])
        return frames


def packed_numbers(values: ArrayLike) -> str:
    """Return numbers as base64 of 32-bit floating-point ones, least byte first."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def _motions(member: Member, values: Array) -> Array:
    """Return the transforms that a joint's values make. Shape (m, 4, 4)."""
    result = np.tile(np.eye(4), (len(values), 1, 1))
    x, y, z = axis = np.array(member.axis)
    if member.joint == "prismatic":
        result[:, :3, 3] = values[:, None] * axis
        return result
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, versine = np.sin(values)[:, None, None], (1 - np.cos(values))[:, None, None]
    result[:, :3, :3] += sine * cross + versine * (cross @ cross)
    return result


def _corners(bodies: Iterable[Body]) -> Array | None:
    """Return corners of the bodies that have an end, for the camera. Shape (m, 3)."""
    shapes = [body.shape if isinstance(body, Region) else body for body in bodies]
    bounds = [shape.bounds for shape in shapes]
    near = [one for one in bounds if np.abs(one).max() < _FARTHEST]
    return np.vstack(near) if near else None
