"""Grippers with two hands: what they take, what they leave, and what they say of it."""

from __future__ import annotations

import numpy as np
import pytest
from mobile_scenes import can_in_reach, two_hands

from armwerk.errors import DescriptionError
from armwerk.mobile import GripFailed, Gripped, MobileRobot, MobileScene, MobileWorld, Released


def test_a_can_is_taken_lifted_carried_and_put_down() -> None:
    world = can_in_reach(0.015, 0.02)
    world.run(1.45)
    assert world.state.holding == {"it": "can"}
    assert world.pose("can")[2, 3] == pytest.approx(0.025 + 0.03, abs=1e-3)
    relative = np.linalg.inv(world.pose("it")) @ world.pose("can")
    world.run(2.5)
    after = np.linalg.inv(world.pose("it")) @ world.pose("can")
    assert np.abs(after - relative)[:3, 3].max() < 1e-3  # it went along
    assert world.pose("it")[0, 3] > 0.1
    world.run(2.0)
    assert world.state.holding == {}
    assert world.pose("can")[2, 3] == pytest.approx(0.025, abs=2e-4)
    kinds = [type(event) for event in world.events if isinstance(event, Gripped | Released)]
    assert kinds == [Gripped, Released]
    before = world.pose("can")
    world.run(1.0)
    assert np.abs(world.pose("can") - before).max() < 1e-3  # the robot has gone without it


def test_a_too_heavy_can_is_not_lifted_and_the_event_says_so() -> None:
    world = can_in_reach(0.015, 2.0)
    world.run(1.45)
    failed = [event for event in world.events if isinstance(event, GripFailed)]
    assert [(event.body, event.reason) for event in failed] == [("can", "too heavy")]
    assert world.pose("can")[2, 3] < 0.03


def test_a_too_wide_can_is_not_taken_and_the_event_says_so() -> None:
    world = can_in_reach(0.03, 0.02, x=0.095)
    world.run(1.45)
    failed = [event for event in world.events if isinstance(event, GripFailed)]
    assert [(event.body, event.reason) for event in failed] == [("can", "too wide")]
    assert world.state.holding == {}
    assert world.pose("can")[:3, 3] == pytest.approx([0.095, 0.0, 0.025], abs=1e-3)


def test_hands_that_close_on_nothing_say_so() -> None:
    world = can_in_reach(0.015, 0.02, x=0.4)
    world.run(1.45)
    failed = [event for event in world.events if isinstance(event, GripFailed)]
    assert [(event.body, event.reason) for event in failed] == [("", "nothing between the hands")]


def test_a_heavy_load_tips_a_light_robot() -> None:
    world = can_in_reach(0.015, 0.4)  # twice the weight of the robot, in front of its wheels
    world.run(1.45)
    assert world.state.holding == {"it": "can"}
    assert world.pose("it")[2, 0] < -0.02  # its nose goes down


def test_a_robot_without_hands_cannot_grip() -> None:
    world = MobileWorld(MobileScene(robots=(MobileRobot("it"),)))
    with pytest.raises(DescriptionError, match="robot 'it': has no gripper"):
        world.engine.grip("it", "close")


def test_a_reset_world_does_the_same_again() -> None:
    world = can_in_reach(0.015, 0.02)
    world.run(2.0)
    first, events = world.pose("can"), list(world.events)
    world.reset()
    assert world.time == 0.0
    world.run(2.0)
    assert np.array_equal(world.pose("can"), first)
    assert world.events == events


def test_a_gripper_needs_two_hands() -> None:
    gripper = two_hands()
    with pytest.raises(DescriptionError, match="needs two hands"):
        type(gripper)("gripper", gripper.hands[:1])  # type: ignore[arg-type]
