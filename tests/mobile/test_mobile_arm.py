"""An arm on a mobile base, and mobile robots among things of an environment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mobile_scenes import Script

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, rotation_x, rotation_z, transform
from armwerk.mobile import (
    Answer,
    BaseVelocity,
    CarriedArm,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    OmniBase,
    Senses,
    WheelSpeeds,
)
from armwerk.mobile.physical.engine import PhysicalEngine
from armwerk.physics import RobotPlacement
from armwerk.robot import Arm, Assembly
from armwerk.scene.scene import Conveyor, Cuboid, Rectangle, Scene

MOUNT = transform(None, (0.0, 0.0, 0.255))


def arm_and_gripper() -> tuple[Arm, Assembly]:
    arm, gripper = aw.load("puma560"), aw.load("parallel_gripper")
    assert isinstance(arm, Arm)
    assert isinstance(gripper, Assembly)
    return arm, gripper


class Guide:
    """Drives the carrier to a place on the ground by its own position."""

    def __init__(self) -> None:
        self.goal: tuple[float, float] = (0.0, 0.0)
        self.arrived = False

    def start(self, robot: MobileRobot) -> None:
        """Nothing to prepare."""

    def step(self, senses: Senses) -> Answer:
        assert senses.place is not None
        assert senses.heading is not None
        x, y = self.goal[0] - senses.place[0], self.goal[1] - senses.place[1]
        self.arrived = math.hypot(x, y) < 0.002
        c, s = math.cos(senses.heading), math.sin(senses.heading)
        speed = min(1.0, 0.4 / max(2.0 * math.hypot(x, y), 1e-9))
        return BaseVelocity(
            2.0 * speed * (c * x + s * y), 2.0 * speed * (c * y - s * x), -2.0 * senses.heading
        )


def test_an_arm_on_wheels_drives_reaches_grips_drives_and_puts_down() -> None:
    arm, gripper = arm_and_gripper()
    base = OmniBase(
        wheel_radius=0.1, distance=0.5, top_speed=1.0, acceleration=1.0,
        angles=tuple(math.radians(angle) for angle in (45, 135, 225, 315)),
    )  # fmt: skip
    tucked = np.zeros(6)
    carrier = MobileRobot(
        "carrier",
        base,
        solids=(Box((0.8, 0.6, 0.15), (0.0, 0.0, 0.18)),),
        mass=80.0,
        arm=CarriedArm(arm, MOUNT, gripper, tucked),
    )
    tables = tuple(
        MobileBody(name, (Box((0.4, 0.4, 0.5), (x, 0.0, 0.25)),), kind="immovable")
        for name, x in (("one", 2.0), ("two", -1.5))
    )
    can = MobileBody(
        "can", (Box((0.03, 0.03, 0.06)),), pose=transform(None, (1.95, 0.0, 0.53)), mass=0.2,
        friction=0.9,
    )  # fmt: skip
    guide = Guide()
    world = MobileWorld(MobileScene(bodies=(*tables, can), robots=(carrier,)), {"carrier": guide})
    engine = world.engine
    assert isinstance(engine, PhysicalEngine)
    hand, model = engine.arms["carrier"], aw.model(arm)
    flange = model.fk(hand.q)
    tool = np.linalg.inv(world.pose("carrier") @ MOUNT @ flange) @ hand.pose

    def drive(x: float, y: float) -> None:
        guide.goal, guide.arrived = (x, y), False
        world.run(20.0, lambda world: guide.arrived)
        assert guide.arrived
        world.run(0.5)

    def reach(place: tuple[float, float, float]) -> None:
        down = transform(rotation_x(math.pi), place)
        inside = np.linalg.inv(world.pose("carrier") @ MOUNT) @ down @ np.linalg.inv(tool)
        q = model.ik_nearest(inside, hand.q)
        assert q is not None, f"{place} m is out of reach"
        hand.set_goal(slice(0, hand.dof), q)
        world.run(10.0, lambda world: not hand.moving)
        world.run(0.2)

    def tuck() -> None:
        hand.set_goal(slice(0, hand.dof), tucked)
        world.run(10.0, lambda world: not hand.moving)

    assert hand.fingers is not None
    drive(1.3, 0.0)
    hand.fingers.open()
    x, y, z = world.pose("can")[:3, 3].tolist()
    reach((x, y, z + 0.15))
    reach((x, y, z + 0.02))
    hand.fingers.close()
    world.run(1.0)
    assert hand.fingers.held == frozenset({"can"})
    reach((x, y, z + 0.2))
    tuck()
    drive(-0.8, 0.05)
    assert hand.fingers.held == frozenset({"can"})
    assert world.pose("can")[0, 3] < 0.0  # it came along
    reach((-1.45, 0.1, 0.75))
    reach((-1.45, 0.1, 0.5502))
    hand.fingers.open()
    world.run(1.0)
    for height in (0.57, 0.6, 0.65):  # straight up, so that no finger knocks it over
        reach((-1.45, 0.1, height))
    assert world.pose("can")[:3, 3] == pytest.approx([-1.45, 0.1, 0.53], abs=0.01)
    assert np.abs(world.velocity("can")).max() < 1e-3
    pose, odometry = world.pose("carrier"), engine.odometry("carrier")
    assert pose[2, 2] > 0.9999  # it stood firmly
    assert (odometry.x, odometry.y) == pytest.approx((pose[0, 3], pose[1, 3]), abs=0.005)


def test_robots_arms_belts_and_things_share_a_world() -> None:
    arm, gripper = arm_and_gripper()
    belt = Conveyor(Rectangle((0.0, 1.0), (1.0, 0.2)), (0.02, 0.02), "x", "404040", speed=0.1)
    cuboid = Cuboid((-0.3, 1.0, 0.045), (0.05, 0.05, 0.05), "FF0000", "parcel", mass=0.1)
    pushed = Cuboid((0.2, 0.0, 0.02), (0.04, 0.04, 0.04), "00FF00", "block", mass=0.02)
    surroundings = Scene(obstacles=(belt,), things=(cuboid, pushed))
    standing = RobotPlacement(arm, gripper, transform(None, (0.0, -1.5, 0.0)))
    program = Script(lambda senses: WheelSpeeds(0.1, 0.1))
    robot = MobileRobot("it", mass=0.5)
    can = MobileBody("can", (Box((0.03, 0.03, 0.05)),), pose=transform(None, (0.0, 0.3, 0.025)))
    world = MobileWorld(
        MobileScene(bodies=(can,), robots=(robot,)),
        {"it": program},
        surroundings=surroundings,
        arms=(standing,),
    )
    engine = world.engine
    assert isinstance(engine, PhysicalEngine)
    engine.simulation.robots[0].set_goal(0, 1.0)
    world.run(3.0)
    assert world.pose("parcel")[0, 3] == pytest.approx(0.0, abs=0.02)  # the belt took it along
    assert world.pose("block")[0, 3] > 0.25  # the robot pushed it
    assert world.pose("can")[:3, 3] == pytest.approx([0.0, 0.3, 0.025], abs=1e-4)
    assert engine.simulation.robots[0].q[0] == pytest.approx(1.0, abs=1e-3)


def test_names_of_both_worlds_must_differ() -> None:
    surroundings = Scene(things=(Cuboid((0.0, 0.0, 0.1), (0.1, 0.1, 0.1), "FF0000", "it"),))
    with pytest.raises(DescriptionError, match="'it'"):
        MobileWorld(MobileScene(robots=(MobileRobot("it"),)), surroundings=surroundings)


def moved_apart(world: MobileWorld) -> Array:
    """Return where all things of a world are [m]. Shape (n, 3)."""
    return np.array([pose[:3, 3] for pose in world.state.poses.values()])


def test_a_carried_arm_pushes_its_base_only_as_far_as_grip_allows() -> None:
    arm, gripper = arm_and_gripper()
    carrier = MobileRobot(
        "it",
        OmniBase(wheel_radius=0.1, distance=0.5),
        transform(rotation_z(0.3), (1.0, 2.0, 0.0)),
        solids=(Box((0.8, 0.6, 0.15), (0.0, 0.0, 0.18)),),
        mass=80.0,
        arm=CarriedArm(arm, MOUNT, gripper),
    )
    world = MobileWorld(MobileScene(robots=(carrier,)))
    engine = world.engine
    assert isinstance(engine, PhysicalEngine)
    before = moved_apart(world)
    engine.arms["it"].set_goal(0, 1.5)
    world.run(3.0)
    assert engine.arms["it"].q[0] == pytest.approx(1.5, abs=1e-3)
    assert np.abs(moved_apart(world) - before).max() < 1e-3
