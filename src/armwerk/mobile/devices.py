"""What a mobile robot carries: sensors, bumpers, camera, compass, a gripper with two hands.

Plain frozen data in SI units and radians. Poses are those in the frame of the robot, which lies on
the ground below the middle of its wheels: x forwards, y to the left, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.arguments import transform_argument
from armwerk.geometry.shape import Shape


def unmoved() -> Array:
    """Return the transform that moves nothing. Shape (4, 4)."""
    return np.eye(4)


def frozen_pose(pose: Array, element: str) -> Array:
    """Return a read-only copy of a rigid transform (4, 4)."""
    copy: Array = transform_argument(pose, element).copy()
    copy.setflags(write=False)
    return copy


def within(element: str, value: float, low: float, high: float, unit: str) -> None:
    """Refuse a number that is not finite or out of bounds.

    Raises:
        DescriptionError: Naming element, value and bounds.
    """
    if not (math.isfinite(value) and low <= value <= high):
        raise DescriptionError(
            "out of range",
            element=element,
            value=value,
            allowed=f"{low:g} to {high:g} {unit}".strip(),
        )


@dataclass(frozen=True, slots=True)
class SensorError:
    """How a reading differs from the truth; all zero: not at all.

    The reading is value + bias + deviation · n + share · value · n', with n and n' drawn from the
    normal distribution; with the probability ``missing`` nothing is seen at all, with the
    probability ``wild`` the reading is anything within the range.

    Args:
        deviation: Standard deviation, in the unit of the reading.
        share: Standard deviation as a share of the value.
        bias: Added to every reading, in its unit.
        missing: Probability that nothing is seen, 0 to 1.
        wild: Probability of a reading that means nothing, 0 to 1.
    """

    deviation: float = 0.0
    share: float = 0.0
    bias: float = 0.0
    missing: float = 0.0
    wild: float = 0.0

    def __post_init__(self) -> None:
        within("sensor error, deviation", self.deviation, 0.0, 1e6, "")
        within("sensor error, share", self.share, 0.0, 1e3, "")
        within("sensor error, bias", self.bias, -1e6, 1e6, "")
        within("sensor error, missing", self.missing, 0.0, 1.0, "")
        within("sensor error, wild", self.wild, 0.0, 1.0, "")


@dataclass(frozen=True, slots=True, eq=False)
class DistanceSensor:
    """Measures the distance to the nearest surface along its own x axis.

    Args:
        name: Unique in its robot.
        pose: T_robot_sensor; it looks along x. Shape (4, 4).
        reach: Longest distance it sees [m]; beyond, the distance is ``reach``.
        characteristic: Pairs of distance [m] and reading, distances rising: what the electronics
            make of a distance, straight between the pairs and constant outside; empty: the
            reading is the distance itself.
        error: Of the reading; None: exact.
    """

    name: str
    pose: Array = field(default_factory=unmoved)
    reach: float = 0.5
    characteristic: tuple[tuple[float, float], ...] = ()
    error: SensorError | None = None

    def __post_init__(self) -> None:
        element = f"sensor '{self.name}'"
        object.__setattr__(self, "pose", frozen_pose(self.pose, f"{element}, pose"))
        within(f"{element}, reach", self.reach, 1e-4, 1e4, "m")
        distances = [pair[0] for pair in self.characteristic]
        if any(one >= two for one, two in pairwise(distances)):
            raise DescriptionError(
                "distances do not rise",
                element=f"{element}, characteristic",
                value=distances,
                allowed="pairs of distance [m] and reading, each distance above the one before",
            )

    def reading(self, distance: float) -> float:
        """Return what the sensor says of a distance [m], without errors."""
        if not self.characteristic:
            return distance
        distances, readings = zip(*self.characteristic, strict=True)
        return float(np.interp(distance, distances, readings))


@dataclass(frozen=True, slots=True)
class Bumper:
    """Feels contact on a sector of the robot's outline.

    Args:
        name: Unique in its robot.
        direction: Middle of the sector, 0 is forwards, counter-clockwise [rad].
        width: Angle of the whole sector [rad].
    """

    name: str
    direction: float = 0.0
    width: float = math.pi / 2

    def __post_init__(self) -> None:
        within(f"bumper '{self.name}', direction", self.direction, -7.0, 7.0, "rad")
        within(f"bumper '{self.name}', width", self.width, 1e-3, 2 * math.pi, "rad")


@dataclass(frozen=True, slots=True, eq=False)
class RobotCamera:
    """Takes pictures along its own x axis, z up.

    Args:
        pose: T_robot_camera. Shape (4, 4).
        size: Columns and rows of a picture [pixels].
        angle: Of view, from left to right [rad].
        error: In levels of 0 to 255; `SensorError.wild` is the share of pixels that mean nothing.
    """

    pose: Array = field(default_factory=unmoved)
    size: tuple[int, int] = (80, 60)
    angle: float = math.radians(60.0)
    error: SensorError | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", frozen_pose(self.pose, "camera, pose"))
        within("camera, columns", self.size[0], 1, 1920, "pixels")
        within("camera, rows", self.size[1], 1, 1080, "pixels")
        within("camera, angle of view", self.angle, 0.01, 3.0, "rad")


@dataclass(frozen=True, slots=True)
class Compass:
    """Says where the robot looks: 0 along +x of the world, counter-clockwise [rad].

    Args:
        error: Of the heading [rad]; None: exact.
    """

    error: SensorError | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """One of the two hands of a gripper, as it stands when open.

    Args:
        name: Unique in its gripper.
        solids: In the frame of the gripper.
    """

    name: str
    solids: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HandGripper:
    """A gripper arm with two hands that close along y of its frame and take what is between them.

    Args:
        name: For messages.
        hands: The one on the side of +y first, both as they stand when open.
        pose: T_robot_gripper. Shape (4, 4).
        opening: Distance between the open hands [m]; what is wider cannot be taken.
        force: With which the hands close [N].
        lift: How far the closed hands are lifted [m]; 0: they are not.
        lifting_force: The most the arm lifts [N].
        friction: Of the hands, 0 to 1.
        speed: Of hands and lifting [m/s].
    """

    name: str
    hands: tuple[Hand, Hand]
    pose: Array = field(default_factory=unmoved)
    opening: float = 0.06
    force: float = 5.0
    lift: float = 0.03
    lifting_force: float = 5.0
    friction: float = 1.0
    speed: float = 0.1

    def __post_init__(self) -> None:
        element = f"gripper '{self.name}'"
        object.__setattr__(self, "pose", frozen_pose(self.pose, f"{element}, pose"))
        if len(self.hands) != 2:
            raise DescriptionError(
                "needs two hands", element=element, value=len(self.hands), allowed="2"
            )
        within(f"{element}, opening", self.opening, 1e-4, 10.0, "m")
        within(f"{element}, force", self.force, 1e-3, 1e5, "N")
        within(f"{element}, lift", self.lift, 0.0, 10.0, "m")
        within(f"{element}, lifting force", self.lifting_force, 1e-3, 1e5, "N")
        within(f"{element}, friction", self.friction, 0.0, 1.0, "")
        within(f"{element}, speed", self.speed, 1e-4, 10.0, "m/s")
