"""What a robot's program is told in each step and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.mobile.events import MobileEvent, Point3, RobotMessage
from armwerk.mobile.scene import MobileRobot

GripperCommand: TypeAlias = Literal["open", "close"]
Picture: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message about to be sent.

    Args:
        receiver: Name of a robot; "*": all others.
        text: What it says.
    """

    receiver: str
    text: str


@dataclass(frozen=True, slots=True)
class GroundPose:
    """Where something is on the ground.

    Args:
        x: [m].
        y: [m].
        heading: 0 along +x, counter-clockwise [rad], in (-pi, pi].
    """

    x: float
    y: float
    heading: float


@dataclass(frozen=True, slots=True)
class SeenObject:
    """A movable body or robot as someone sees it who looks on from above.

    Args:
        place: Of a body's middle, of a robot's frame [m].
        heading: Of a robot; of a body that of its x axis [rad].
        velocity: Along x and y of the world [m/s].
    """

    place: Point3
    heading: float
    velocity: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Senses:
    """All that a program is told at the beginning of a step.

    Args:
        time: Simulated [s].
        step: Until it is asked again [s].
        distances: Readings of the distance sensors by name: metres, or what their
            characteristics make of them.
        bumpers: By name, whether something touches there.
        odometry: Where the robot would be if its wheels had never slipped, counted from its start.
        wheel_speeds: Of the wheels' rims, in the order of the base [m/s].
        compass: Heading [rad]; None: it has no compass.
        picture: Of the camera, rows by columns by red, green, blue; None: none was taken.
        holding: Whether something is between the hands.
        gripper: What the gripper was last told.
        place: Of the middle of its wheels on the ground [m]; None: it is not reported.
        heading: [rad]; None: it is not reported.
        seen: All movable bodies and all robots by name, as from above; empty: not reported.
        events: Those it wishes to be told, since the last step.
        messages: From other robots, since the last step.
    """

    time: float
    step: float
    distances: Mapping[str, float]
    bumpers: Mapping[str, bool] = field(default_factory=dict)
    odometry: GroundPose = field(default_factory=lambda: GroundPose(0.0, 0.0, 0.0))
    wheel_speeds: tuple[float, ...] = ()
    compass: float | None = None
    picture: Picture | None = None
    holding: bool = False
    gripper: GripperCommand = "open"
    place: Point3 | None = None
    heading: float | None = None
    seen: Mapping[str, SeenObject] = field(default_factory=dict)
    events: tuple[MobileEvent, ...] = ()
    messages: tuple[RobotMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class WheelSpeeds:
    """Turn the wheels: speeds of the rims of the left and of the right ones [m/s].

    Args:
        left: Of the wheels on the left [m/s].
        right: Of the wheels on the right [m/s].
        gripper: What the hands are to do; None: as before.
        messages: To other robots.
    """

    left: float
    right: float
    gripper: GripperCommand | None = None
    messages: tuple[Outgoing, ...] = ()


@dataclass(frozen=True, slots=True)
class BaseVelocity:
    """Drive with a velocity in the frame of the robot.

    Args:
        forwards: [m/s].
        sideways: To the left [m/s]; only omnidirectional bases can.
        turning: Counter-clockwise [rad/s].
        gripper: What the hands are to do; None: as before.
        messages: To other robots.
    """

    forwards: float
    sideways: float = 0.0
    turning: float = 0.0
    gripper: GripperCommand | None = None
    messages: tuple[Outgoing, ...] = ()


@dataclass(frozen=True, slots=True)
class Displacement:
    """Change place and heading within this step, as programs of the old simulator say it.

    With physics the wheels are turned so that they would bring this about within the step.

    Args:
        forwards: In the frame of the robot [m].
        sideways: To the left [m].
        turning: Counter-clockwise [rad].
        gripper: What the hands are to do; None: as before.
        messages: To other robots.
    """

    forwards: float
    sideways: float = 0.0
    turning: float = 0.0
    gripper: GripperCommand | None = None
    messages: tuple[Outgoing, ...] = ()


Answer: TypeAlias = WheelSpeeds | BaseVelocity | Displacement


class MobileProgram(Protocol):
    """What steers a robot: asked once per step, while time stands still."""

    def start(self, robot: MobileRobot) -> None:
        """Be told which robot is steered, before the first step and after each reset."""

    def step(self, senses: Senses) -> Answer | None:
        """Return what the robot is to do until the next step; None: go on as before."""
