"""Robots and programs that several tests of mobile worlds use."""

from __future__ import annotations

from collections.abc import Callable

from armwerk.geometry import Box, Cylinder, transform
from armwerk.mobile import (
    Answer,
    Hand,
    HandGripper,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    Senses,
    WheelSpeeds,
)


class Script:
    """A program that is one function of what it senses."""

    def __init__(self, answer: Callable[[Senses], Answer | None]) -> None:
        self.answer = answer
        self.heard: list[Senses] = []

    def start(self, robot: MobileRobot) -> None:
        """Nothing to prepare."""

    def step(self, senses: Senses) -> Answer | None:
        self.heard.append(senses)
        return self.answer(senses)


def two_hands(
    opening: float = 0.044, force: float = 5.0, lifting_force: float = 5.0
) -> HandGripper:
    """Return a gripper in front of a small robot."""
    place = 0.5 * opening + 0.002
    hands = [
        Hand(name, (Box((0.03, 0.004, 0.014), (0.0465, y, 0.012)),))
        for name, y in (("left", place), ("right", -place))
    ]
    return HandGripper(
        "gripper",
        (hands[0], hands[1]),
        opening=opening,
        force=force,
        lifting_force=lifting_force,
    )


def carrying(senses: Senses) -> Answer:
    """Close, drive, turn, open, back off."""
    time = senses.time
    if time < 0.45:
        return WheelSpeeds(0.0, 0.0)
    if time < 1.45:
        return WheelSpeeds(0.0, 0.0, "close")
    if time < 2.95:
        return WheelSpeeds(0.1, 0.1)
    if time < 3.95:
        return WheelSpeeds(-0.04, 0.04)
    if time < 4.95:
        return WheelSpeeds(0.0, 0.0, "open")
    return WheelSpeeds(-0.1, -0.1)


def can_in_reach(radius: float, mass: float, x: float = 0.046) -> MobileWorld:
    """Return a robot with a gripper in front of a can, about to carry it."""
    solid = Cylinder(radius, 0.05)
    can = MobileBody("can", (solid,), pose=transform(None, (x, 0.0, 0.025)), mass=mass)
    robot = MobileRobot("it", gripper=two_hands(), mass=0.2)
    scene = MobileScene(bodies=(can,), robots=(robot,))
    return MobileWorld(scene, {"it": Script(carrying)})
