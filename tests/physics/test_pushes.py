"""Every arm of the library with each gripper, pushed against wall, floor, pile and another arm."""

from __future__ import annotations

import os
import random
import time
from itertools import product

import numpy as np
import pytest
from push_runs import BODIES, Body, PushAccount, PushRun, hands_of, serial_arms

from armwerk.geometry import transform_from_pose
from armwerk.physics import RobotPlacement, Simulation
from armwerk.robot import load, load_assembly
from armwerk.scene import Scene
from armwerk.scene.scene import Cuboid

WAYS = 200  # of each arm, gripper and body
SHARE = (("irb120", "parallel_gripper"), ("puma560", ""), ("simple_arm", "two_finger_gripper"))
DEEPEST = 1e-3  # [m]
GAIN = 0.01  # of the largest kinetic energy: what steps of 2 ms make of it


def check(account: PushAccount) -> None:
    """Assert what must hold whatever the way."""
    assert not account.lost, f"{account.what}: {account.lost}"
    assert not account.too_deep, f"{account.what}: {account.too_deep}"
    assert account.robot_depth <= DEEPEST, f"{account.what}: {account.robot_depth} m deep"
    assert account.thing_depth <= DEEPEST, f"{account.what}: things {account.thing_depth} m deep"
    assert account.gained <= GAIN, f"{account.what}: gains {account.gained}"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("arm", "hand"), SHARE)
def test_nothing_passes_through_anything(arm: str, hand: str, body: Body) -> None:
    blocked = 0
    for seed in (0, 2, 3) if body == "arm" else range(3):  # 1 stands below
        account = PushRun(arm, hand, body, seed).run()
        check(account)
        blocked += account.blocked
    assert arm != "irb120" or body in {"pile", "arm"} or blocked


@pytest.mark.parametrize("body", BODIES)
def test_nothing_stops_a_tool_on_a_line_but_what_is_in_its_way(body: Body) -> None:
    for seed in (4, 5):
        account = PushRun("irb120", "parallel_gripper", body, seed, straight=True).run()
        check(account)


@pytest.mark.parametrize(
    ("arm", "hand", "body", "seed"),
    [
        pytest.param("irb120", "parallel_gripper", "arm", 1, id="edge of a jaw swings in"),
        pytest.param("scara", "", "arm", 70, id="bars side by side"),
        pytest.param("kr6_r900", "three_finger_gripper", "arm", 175, id="tips whip about"),
        pytest.param("xarm6", "three_finger_gripper", "arm", 139, id="finger past finger"),
        pytest.param("scara", "three_finger_gripper", "wall", 86, id="round a corner"),
        pytest.param("lrmate200id", "two_finger_gripper", "pile", 195, id="fingers among cuboids"),
        pytest.param("ur5e", "three_finger_gripper", "pile", 119, id="cuboid after cuboid"),
        pytest.param("typ1", "suction_gripper", "wall", 73, id="a cup turns along a wall"),
    ],
)
def test_what_turns_far_within_a_step_goes_in_no_deeper(
    arm: str, hand: str, body: Body, seed: int
) -> None:
    check(PushRun(arm, hand, body, seed).run())


@pytest.mark.parametrize(
    ("arm", "hand", "body", "seed"),
    [
        ("ur3e", "two_finger_gripper", "floor", 77),
        ("ur5e", "suction_gripper", "wall", 164),
        ("simple_arm_gripper", "", "floor", 74),
    ],
)
def test_an_arm_that_swings_to_and_fro_and_gets_no_further_is_blocked(
    arm: str, hand: str, body: Body, seed: int
) -> None:
    account = PushRun(arm, hand, body, seed).run()
    check(account)
    assert account.blocked


@pytest.mark.parametrize(
    ("arm", "hand", "seed"), [("irb140", "magnet_gripper", 8), ("tx60", "", 15)]
)
def test_arms_that_lean_on_each_other_arrive_or_are_blocked(arm: str, hand: str, seed: int) -> None:
    check(PushRun(arm, hand, "arm", seed).run())


def test_fingers_that_start_inside_a_thing_are_told() -> None:
    """They are pushed apart, for a hand must be able to touch things; a hair is not told."""

    def notices(depth: float) -> list[str]:
        arm, hand = load("cartesian"), load_assembly("parallel_gripper")
        bare = Simulation(Scene(), [RobotPlacement(arm, hand, np.eye(4))])
        pad = bare.robots[0].touch_geoms[0]
        x, y, z = bare.data.geom_xpos[pad].tolist()
        low = z - float(
            np.abs(bare.data.geom_xmat[pad].reshape(3, 3)[2]) @ bare.model.geom_size[pad]
        )
        cube = Cuboid((x, y, low + depth - 0.02), (0.2, 0.2, 0.04), "FF0000", name="cube")
        sim = Simulation(Scene(things=(cube,)), [RobotPlacement(arm, hand, np.eye(4))])
        return [text for text in sim.notices if "starts inside" in text]

    assert not notices(5e-4)
    (told,) = notices(5e-3)
    assert told.startswith("robot 0: starts inside 'cube', 'jaw_")
    assert "by 5 mm" in told
    assert told.endswith("what overlaps is pushed apart")


@pytest.mark.soak
@pytest.mark.parametrize("arm", serial_arms())
def test_every_arm_with_each_gripper_in_many_ways(arm: str) -> None:
    """A share of all ways, in an order that PUSH_SEED draws; PUSH_SECONDS=inf: all of them."""
    seconds = float(os.environ.get("PUSH_SECONDS", "60"))  # of computing, for each arm
    ways = list(product(hands_of(arm), BODIES, range(WAYS)))
    random.Random(f"{os.environ.get('PUSH_SEED', '0')} {arm}").shuffle(ways)
    failed, tried, end = [], 0, time.process_time() + seconds
    for hand, body, seed in ways:
        if time.process_time() > end:
            break
        tried += 1
        try:
            check(PushRun(arm, hand, body, seed, straight=bool(seed % 2)).run())
        except AssertionError as error:
            failed.append(str(error).splitlines()[0])
    told = f"{arm}: {len(failed)} of {tried} failed, of {len(ways)} ways in all"
    print(told)  # noqa: T201  # shown by pytest -s
    assert not failed, told + "\n" + "\n".join(failed)


@pytest.mark.parametrize("arm", serial_arms())
def test_every_part_has_a_side_that_contacts_name(arm: str) -> None:
    """Also where a joint is called as the base is, five_axis's for one."""
    places = (transform_from_pose([x, 0.0, 0.0, 0.0, 0.0, 0.0]) for x in (0.0, 3.0))
    robots = [RobotPlacement(load(arm), None, place) for place in places]
    sides = Simulation(Scene(), robots).sides
    assert sides.of_geom.max() < len(sides.sides)
    assert len(set(sides.sides)) == len(sides.sides)
