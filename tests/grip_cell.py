"""A small cell for tests of robots: an arm with a gripper, one thing, and a few ways to move."""

from __future__ import annotations

from typing import Any

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.mechanism import tooled
from armwerk.robot import Assembly, load, load_assembly
from armwerk.scene.scene import Ball, Cuboid, Obstacle, Scene, Thing

RED = "FF0000"


def cuboid(side: float = 0.04, centre: tuple[float, float, float] = (0.5, 0.0, 0.02)) -> Cuboid:
    return Cuboid(centre, (side, side, side), RED)


def ball(radius: float = 0.02, centre: tuple[float, float, float] = (0.5, 0.0, 0.02)) -> Ball:
    return Ball(centre, radius, 0.0, 0.0, RED)


def down(x: float, y: float, z: float, yaw: float = 0.0) -> Array:
    """Return T_world_tool with z pointing to the floor."""
    c, s = np.cos(yaw), np.sin(yaw)
    pose = np.eye(4)
    pose[:3, :3] = [[c, s, 0], [s, -c, 0], [0, 0, -1]]
    pose[:3, 3] = x, y, z
    return pose


class GripCell:
    """One arm at the origin, one gripper, one thing."""

    def __init__(
        self,
        thing: Thing | None = None,
        gripper: str | Assembly | None = "parallel_gripper",
        arm: str = "puma560",
        at: Array | None = None,
        obstacles: tuple[Obstacle, ...] = (),
        **settings: Any,
    ) -> None:
        self.arm = load(arm)
        self.hand = None if gripper is None else load_assembly(gripper)
        self.model = aw.model(tooled(self.arm, self.hand))
        start = down(0.5, 0.0, 0.2) if at is None else at
        q = self.solve(start, np.zeros(self.model.dof))
        mounted = RobotPlacement(self.arm, self.hand, np.eye(4), q)
        things = () if thing is None else (thing,)
        scene = Scene(obstacles=obstacles, things=things)
        self.world = Simulation(scene, [mounted], SimulationSettings(**settings))
        self.robot = self.world.robots[0]
        self.grip: Any = self.robot.grip
        self.dof = self.robot.dof

    def solve(self, pose: Array, near: Array) -> Array:
        q = self.model.ik_nearest(pose, near)
        assert q is not None
        return q

    def go(self, pose: Array) -> None:
        """Run to a pose by goals and wait for it."""
        self.robot.set_goal(slice(0, self.dof), self.solve(pose, self.robot.q))
        while self.robot.moving:
            self.world.step()

    def line(self, pose: Array, pieces: int = 10) -> None:
        """Run to a pose of the same orientation in a nearly straight line, by goals."""
        start = self.robot.pose[:3, 3]
        for fraction in np.linspace(0, 1, pieces + 1)[1:]:
            via = pose.copy()
            via[:3, 3] = start + fraction * (pose[:3, 3] - start)
            self.go(via)

    def fingers(self) -> None:
        """Wait until the fingers have done what they could."""
        while self.grip.moving:
            self.world.step()

    def pick(self, height: float = 0.02, force: float | None = None, up: float = 0.2) -> None:
        """Take the thing from the floor below the hand and lift it."""
        x, y, _ = self.robot.pose[:3, 3]
        self.line(down(x, y, height))
        self.grip.close(force)
        self.fingers()
        self.line(down(x, y, up))

    def held(self) -> tuple[Array, Array]:
        """Return place and rotation of the thing in the frame of the hand."""
        pose, thing = self.robot.pose, self.world.thing(0)
        turn = pose[:3, :3].T
        return turn @ (thing.position - pose[:3, 3]), turn @ thing.rotation
