"""Impacts: momentum, energy, rebounds, and the law of the old simulator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mobile_scenes import Script

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import Box, Cylinder, Shape, Sphere, rotation_z, transform
from armwerk.mobile import (
    GoalArea,
    GoalScored,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    WheelSpeeds,
)
from armwerk.mobile.physical.masses import mass_properties
from armwerk.mobile.scene import ImpactLaw

SHAPES: dict[str, Shape] = {
    "box": Box((0.1, 0.1, 0.1)),
    "cylinder": Cylinder(0.05, 0.1),
    "ball": Sphere(0.05),
}
MASSES = (1.0, 0.5)


def balance(world: MobileWorld) -> tuple[Array, float]:
    """Return momentum [N s] and kinetic energy [J] of all bodies, by textbook formulas."""
    momentum, energy = np.zeros(3), 0.0
    for body, mass in zip(world.scene.bodies, MASSES, strict=True):
        velocity, turn = world.velocity(body.name), world.pose(body.name)[:3, :3]
        weight = mass_properties("", body.solids, mass, None)
        spin = weight.main[:3, :3].T @ turn.T @ velocity[3:]
        momentum += mass * velocity[:3]
        energy += 0.5 * mass * float(velocity[:3] @ velocity[:3])
        energy += 0.5 * float(weight.inertia @ spin**2)
    return momentum, energy


@pytest.mark.parametrize("bounce", [1.0, 0.5, 0.0])
@pytest.mark.parametrize(
    "pair", [("box", "box"), ("cylinder", "box"), ("cylinder", "cylinder"), ("ball", "cylinder")]
)
def test_impacts_keep_momentum_and_elastic_ones_energy(
    pair: tuple[str, str], bounce: float
) -> None:
    poses = (np.eye(4), transform(rotation_z(0.4), (0.5, 0.03, 0.02)))
    bodies = tuple(
        MobileBody(f"b{k}", (SHAPES[kind],), pose=pose, mass=mass, friction=0.0, bounce=bounce)
        for k, (kind, pose, mass) in enumerate(zip(pair, poses, MASSES, strict=True))
    )
    world = MobileWorld(MobileScene(bodies=bodies, gravity=0.0, floor=False))
    world.launch("b0", (1.0, 0.2, 0.0), (0.0, 0.0, 1.0))
    before, energy = balance(world)
    world.run(1.0)
    after, left = balance(world)
    assert float(world.velocity("b1")[0]) > 0.2  # they met
    assert np.abs(after - before).max() < 1e-6 * float(np.linalg.norm(before))
    assert left <= energy * (1.0 + 1e-9)
    if bounce == 1.0:
        assert left == pytest.approx(energy, rel=0.01)
    else:
        assert left < 0.95 * energy


def walled(*bodies: MobileBody, robots: tuple[MobileRobot, ...] = ()) -> MobileScene:
    wall = MobileBody("wall", (Box((0.1, 4.0, 0.4), (0.55, 0.0, 0.2)),), kind="immovable")
    return MobileScene(bodies=(wall, *bodies), robots=robots, impact="source")


@pytest.mark.parametrize("kind", ["box", "ball"])
def test_by_the_source_bodies_are_reflected(kind: str) -> None:
    puck = MobileBody("puck", (SHAPES[kind],), pose=transform(None, (0.0, 0.0, 1.0)))
    scene = walled(puck)
    scene = MobileScene(bodies=scene.bodies, gravity=0.0, floor=False, impact="source")
    world = MobileWorld(scene)
    world.move("puck", (0.0, 0.0, 0.2))
    world.launch("puck", (1.0, 0.7, 0.0))
    world.run(1.0)
    assert world.velocity("puck")[:3] == pytest.approx([-1.0, 0.7, 0.0], abs=1e-3)


def test_by_the_source_standing_robots_are_not_pushed() -> None:
    def hit(law: ImpactLaw) -> MobileWorld:
        block = MobileBody(
            "block", (Box((0.05, 0.05, 0.03)),), pose=transform(None, (-0.3, 0.0, 0.015)),
            mass=0.5, friction=0.0, bounce=1.0,
        )  # fmt: skip
        robot = MobileRobot("it", mass=0.1)
        world = MobileWorld(MobileScene(bodies=(block,), robots=(robot,), impact=law))
        world.run(0.2)
        world.launch("block", (1.0, 0.0, 0.0))
        world.run(0.8)
        return world

    source, contact = hit("source"), hit("contact")
    assert np.abs(source.pose("it")[:2, 3]).max() < 1e-3
    assert source.velocity("block")[0] == pytest.approx(-1.0, abs=0.05)
    assert contact.pose("it")[0, 3] > 0.02  # by real contact it is


def test_by_the_source_a_robot_keeps_the_heading_it_has_at_a_wall() -> None:
    def driven(law: ImpactLaw) -> float:
        robot = MobileRobot("it", pose=transform(rotation_z(0.6), (0.3, 0.0, 0.0)), friction=0.9)
        scene = walled(robots=(robot,))
        scene = MobileScene(bodies=scene.bodies, robots=(robot,), impact=law)
        world = MobileWorld(scene, {"it": Script(lambda senses: WheelSpeeds(0.2, 0.2))})
        world.run(3.0)
        pose = world.pose("it")
        return math.atan2(pose[1, 0], pose[0, 0])

    assert driven("source") == pytest.approx(0.6, abs=0.01)


def test_a_body_moved_by_hand_while_the_world_runs_falls_and_comes_to_rest() -> None:
    can = MobileBody("can", (Cylinder(0.02, 0.05),), pose=transform(None, (0.2, 0.0, 0.025)))
    world = MobileWorld(MobileScene(bodies=(can,), robots=(MobileRobot("it"),)))
    world.run(0.2)
    world.move("can", (0.5, 0.3, 0.1))
    world.run(1.0)
    assert world.pose("can")[:3, 3] == pytest.approx([0.5, 0.3, 0.025], abs=1e-3)
    world.move("it", (1.0, 0.0, 0.0), heading=1.0)
    world.run(0.2)
    assert world.pose("it")[:2, 3] == pytest.approx([1.0, 0.0], abs=1e-4)
    with pytest.raises(UnknownNameError, match="nothing"):
        world.move("nothing", (0.0, 0.0, 0.0))
    with pytest.raises(DescriptionError, match="not a place"):
        world.move("can", (0.0, math.nan, 0.0))


def test_immovable_bodies_cannot_be_moved_and_groups_not_be_movable() -> None:
    world = MobileWorld(walled())
    with pytest.raises(DescriptionError, match="body 'wall': is immovable"):
        world.move("wall", (0.0, 0.0, 0.0))
    with pytest.raises(DescriptionError, match="a group of several objects cannot be movable"):
        MobileBody("group", (Box((0.1, 0.1, 0.1)),), is_group=True)


def test_a_goal_is_counted_once_and_the_ball_put_back() -> None:
    ball = MobileBody("ball", (Sphere(0.02),), pose=transform(None, (0.0, 0.0, 0.02)), rolling=0.1)
    goal = GoalArea("east", (1.0, -0.2, 0.0), (1.2, 0.2, 0.2), ("ball",), (0.0, 0.0, 0.02))
    world = MobileWorld(MobileScene(bodies=(ball,), goals=(goal,)))
    world.run(0.1)
    world.launch("ball", (4.0, 0.0, 0.0))  # through the goal within two steps
    world.run(1.0)
    goals = [event for event in world.events if isinstance(event, GoalScored)]
    assert [(event.goal, event.body) for event in goals] == [("east", "ball")]
    assert world.pose("ball")[:3, 3] == pytest.approx([0.0, 0.0, 0.02], abs=1e-3)
