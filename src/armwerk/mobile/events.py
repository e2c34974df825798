"""What happens in a world of mobile robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

OtherKind: TypeAlias = Literal["immovable", "movable", "robot"]
EventKind: TypeAlias = Literal[
    "collision", "gripped", "grip failed", "released", "goal", "tipped", "message", "notice"
]
Point3: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Collision:
    """A robot has run into something, or something into it.

    Args:
        time: At which they touched [s].
        within: The same, counted from the beginning of the program's step [s].
        robot: Whose collision it is.
        other: Name of the body or robot it touched.
        other_kind: What that is.
        point: Where, in the world [m].
        speed: With which they met along the normal of the contact [m/s].
    """

    time: float
    within: float
    robot: str
    other: str
    other_kind: OtherKind
    point: Point3
    speed: float = 0.0

    kind: ClassVar[EventKind] = "collision"


@dataclass(frozen=True, slots=True)
class Gripped:
    """The hands of a robot have closed around something."""

    time: float
    robot: str
    body: str

    kind: ClassVar[EventKind] = "gripped"


@dataclass(frozen=True, slots=True)
class GripFailed:
    """A robot has not got hold of something.

    Args:
        time: [s].
        robot: Whose hands.
        body: What it was about; empty: nothing was there.
        reason: "too wide", "too heavy", "nothing between the hands", "slipped out".
    """

    time: float
    robot: str
    body: str
    reason: str

    kind: ClassVar[EventKind] = "grip failed"


@dataclass(frozen=True, slots=True)
class Released:
    """A robot has let go of what it held."""

    time: float
    robot: str
    body: str

    kind: ClassVar[EventKind] = "released"


@dataclass(frozen=True, slots=True)
class GoalScored:
    """A body has come into a goal."""

    time: float
    goal: str
    body: str

    kind: ClassVar[EventKind] = "goal"


@dataclass(frozen=True, slots=True)
class Tipped:
    """A robot has fallen over."""

    time: float
    robot: str

    kind: ClassVar[EventKind] = "tipped"


@dataclass(frozen=True, slots=True)
class RobotMessage:
    """A text from one robot to another.

    Args:
        time: At which it was sent [s].
        sender: Name of the robot.
        receiver: Name of the robot; "*": all others.
        text: What it says.
    """

    time: float
    sender: str
    receiver: str
    text: str

    kind: ClassVar[EventKind] = "message"


@dataclass(frozen=True, slots=True)
class SceneNotice:
    """Something about the world that its user should know, in a sentence."""

    time: float
    text: str

    kind: ClassVar[EventKind] = "notice"


MobileEvent: TypeAlias = (
    Collision | Gripped | GripFailed | Released | GoalScored | Tipped | RobotMessage | SceneNotice
)
