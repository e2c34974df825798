"""How mobile robots drive, slide and stand: against kinematics and Coulomb's law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ramps import on_a_slope

from armwerk.geometry import Box, Sphere, rotation_y, transform
from armwerk.mobile import (
    Answer,
    BaseVelocity,
    Collision,
    DifferentialBase,
    Displacement,
    FourWheelBase,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    OmniBase,
    Senses,
    WheelSpeeds,
)

G = 9.81


class Says:
    """Answers the same in every step."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def start(self, robot: MobileRobot) -> None:
        """Nothing to prepare."""

    def step(self, senses: Senses) -> Answer:
        return self.answer


def driven(answer: Answer, seconds: float, robot: MobileRobot | None = None) -> MobileWorld:
    scene = MobileScene(robots=(robot or MobileRobot("it"),))
    world = MobileWorld(scene, {"it": Says(answer)})
    world.run(seconds)
    return world


@pytest.mark.parametrize("what", ["robot", "box", "cylinder"])
@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
def test_sliding_begins_at_the_angle_of_friction(what: str, friction: float) -> None:
    limit = math.atan(friction)
    world = MobileWorld(on_a_slope(limit - math.radians(0.5), friction, what))
    world.run(0.5)
    before = world.pose("it")[:3, 3]
    world.run(2.0)
    assert np.linalg.norm(world.pose("it")[:3, 3] - before) < 5e-4
    angle = limit + math.radians(0.5)
    world = MobileWorld(on_a_slope(angle, friction, what))
    world.run(0.5)
    before = world.velocity("it")[:3]
    world.run(1.5)
    gained = float(np.linalg.norm(world.velocity("it")[:3] - before))
    assert gained == pytest.approx(
        1.5 * G * (math.sin(angle) - friction * math.cos(angle)), rel=0.02
    )


@pytest.mark.parametrize("what", ["robot", "box", "cylinder"])
def test_a_minute_on_a_slope_creeps_less_than_a_tenth_of_a_millimetre(what: str) -> None:
    world = MobileWorld(on_a_slope(math.radians(10.0), 0.5, what))
    world.run(1.0)
    before = world.pose("it")[:3, 3]
    world.run(60.0)
    assert np.linalg.norm(world.pose("it")[:3, 3] - before) < 1e-4


@pytest.mark.soak
@pytest.mark.parametrize("what", ["robot", "box", "cylinder"])
def test_ten_minutes_on_a_slope_creep_less_than_a_millimetre(what: str) -> None:
    world = MobileWorld(on_a_slope(math.radians(10.0), 0.5, what))
    world.run(1.0)
    before = world.pose("it")[:3, 3]
    world.run(600.0)
    assert np.linalg.norm(world.pose("it")[:3, 3] - before) < 1e-3


@pytest.mark.parametrize("speed", [0.05, 0.5, -0.3])
def test_equal_wheels_drive_straight(speed: float) -> None:
    world = driven(WheelSpeeds(speed, speed), 2.0 / abs(speed))
    x, y, _ = world.pose("it")[:3, 3]
    assert x == pytest.approx(math.copysign(2.0, speed), abs=0.002 + abs(speed) * 0.05)
    assert abs(y) < 0.001 * abs(x)


def test_a_circle_of_a_metre_is_round() -> None:
    speed = 0.3
    world = MobileWorld(
        MobileScene(robots=(MobileRobot("it"),)), {"it": Says(BaseVelocity(speed, 0.0, speed))}
    )
    places = []
    for _ in range(round(2 * math.pi / speed / 0.05)):
        world.step()
        places.append(world.pose("it")[:2, 3])
    centre = np.array([0.0, 1.0])
    radii = np.linalg.norm(np.array(places) - centre, axis=1)
    assert np.abs(radii - 1.0).max() < 0.01


@pytest.mark.parametrize("turning", [1.0, -4.0])
def test_turning_on_the_spot(turning: float) -> None:
    seconds = 5.0
    world = driven(BaseVelocity(0.0, 0.0, turning), seconds)
    pose = world.pose("it")
    ramp = abs(turning) * 0.5 * DifferentialBase().track / DifferentialBase().acceleration
    turned = turning * (seconds - 0.5 * ramp)
    off = math.remainder(math.atan2(pose[1, 0], pose[0, 0]) - turned, 2 * math.pi)
    assert abs(off) < 0.01 * abs(turned)
    assert np.linalg.norm(pose[:2, 3]) < 0.001


def test_a_displacement_per_step_is_what_the_wheels_make_of_it() -> None:
    world = driven(Displacement(0.005, 0.0, 0.02), 4.0)
    twist = driven(BaseVelocity(0.1, 0.0, 0.4), 4.0)
    assert np.abs(world.pose("it") - twist.pose("it")).max() < 1e-9


def test_an_omnidirectional_base_goes_sideways_and_a_differential_one_does_not() -> None:
    omni = MobileRobot("it", OmniBase(), mass=2.0)
    world = driven(BaseVelocity(0.0, 0.5, 0.0), 2.0, omni)
    assert world.pose("it")[:2, 3] == pytest.approx([0.0, 1.0], abs=0.02)
    world = driven(BaseVelocity(0.0, 0.5, 0.0), 2.0)
    assert world.pose("it")[:2, 3] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_four_wheels_skid_when_they_turn() -> None:
    robot = MobileRobot("it", FourWheelBase(), mass=3.0, friction=0.8)
    straight = driven(WheelSpeeds(0.4, 0.4), 3.0, robot)
    assert straight.pose("it")[0, 3] == pytest.approx(1.2, abs=0.02)
    assert abs(straight.pose("it")[1, 3]) < 1e-3
    turning = driven(WheelSpeeds(-0.2, 0.2), 1.0, robot)
    pose = turning.pose("it")
    turned = math.atan2(pose[1, 0], pose[0, 0])
    assert 0.1 < turned < 2.0  # less than the rims alone would turn it
    assert np.linalg.norm(pose[:2, 3]) < 0.01


def test_a_robot_climbs_more_slowly_and_not_at_all_where_friction_ends() -> None:
    def climbed(degrees: float, friction: float) -> float:
        scene = on_a_slope(math.radians(degrees), friction, "robot")
        world = MobileWorld(scene, {"it": Says(WheelSpeeds(0.2, 0.2))})
        world.run(3.0)
        return float(world.pose("it")[:3, 3] @ rotation_y(-math.radians(degrees))[:, 0])

    level, gentle, steep = climbed(0.0, 0.8), climbed(10.0, 0.8), climbed(25.0, 0.8)
    assert level > 1.02 * gentle > 1.02 * 1.02 * steep > 0.0
    assert climbed(25.0, 0.3) < 0.0


def test_an_inactive_robot_ignores_its_program() -> None:
    robot = MobileRobot("it", active=False)
    world = driven(WheelSpeeds(0.2, 0.2), 1.0, robot)
    assert np.linalg.norm(world.pose("it")[:2, 3]) < 1e-6
    world.activate("it")
    world.run(1.0)
    assert world.pose("it")[0, 3] > 0.15


def test_a_wall_stops_a_robot_and_the_event_tells_where_and_when() -> None:
    wall = MobileBody("wall", (Box((0.1, 1.0, 0.2), (0.55, 0.0, 0.1)),), kind="immovable")
    scene = MobileScene(bodies=(wall,), robots=(MobileRobot("it"),))
    world = MobileWorld(scene, {"it": Says(WheelSpeeds(0.2, 0.2))})
    world.run(6.0)
    assert world.pose("it")[0, 3] < 0.5
    collisions = [event for event in world.events if isinstance(event, Collision)]
    assert len(collisions) == 1
    event = collisions[0]
    assert (event.robot, event.other, event.other_kind) == ("it", "wall", "immovable")
    assert event.point[0] == pytest.approx(0.5, abs=1e-3)
    assert event.speed == pytest.approx(0.2, rel=0.02)
    stands = float(world.pose("it")[0, 3])
    assert event.time == pytest.approx(stands / 0.2 + 0.01, abs=0.01)
    assert 0.0 <= event.within <= scene.step


def test_a_ball_of_the_league_slides_rolls_and_rebounds_as_it_states() -> None:
    radius, slide, roll, bounce = 0.0215, 6.9, 0.5, 0.8
    ball = MobileBody(
        "ball", (Sphere(radius),), pose=transform(None, (0.0, 0.0, radius)), mass=0.046,
        friction=slide / G, bounce=bounce, rolling=roll,
    )  # fmt: skip
    world = MobileWorld(MobileScene(bodies=(ball,)))
    world.run(0.2)
    start = world.pose("ball")[0, 3]
    v = 3.0
    world.launch("ball", (v, 0.0, 0.0))
    world.run(0.1)
    assert world.velocity("ball")[0] == pytest.approx(v - slide * 0.1, rel=0.02)
    world.run(1.0)
    first = float(world.velocity("ball")[0])
    world.run(1.0)
    assert first - float(world.velocity("ball")[0]) == pytest.approx(roll, rel=0.02)
    world.run(8.0)
    rolling = v * 5 / 7  # where a ball that slid begins to roll
    way = (v**2 - rolling**2) / (2 * slide) + rolling**2 / (2 * roll)
    assert world.pose("ball")[0, 3] - start == pytest.approx(way, rel=0.02)
    assert np.linalg.norm(world.velocity("ball")) < 1e-3
    world.move("ball", (0.0, 0.0, 0.5 + radius))
    highest = 0.0
    bounced = False
    for _ in range(40):
        world.step()
        height = float(world.pose("ball")[2, 3]) - radius
        bounced = bounced or float(world.velocity("ball")[2]) > 0.0
        highest = max(highest, height) if bounced else highest
    assert highest == pytest.approx(0.5 * bounce**2, rel=0.04)
