"""What moves the bodies and robots of a scene: with physics, or without."""

from __future__ import annotations

from typing import Protocol

from armwerk.arrays import Array
from armwerk.mobile.devices import RobotCamera
from armwerk.mobile.events import MobileEvent
from armwerk.mobile.program import GripperCommand, GroundPose, Picture


class MobileEngine(Protocol):
    """Moves a scene through time; `MobileWorld` asks the programs and hands on what they answer."""

    @property
    def time(self) -> float:
        """Simulated [s]."""

    def advance(self, seconds: float) -> None:
        """Go on for the time between two steps of the programs [s]."""

    def reset(self) -> None:
        """Go back to the beginning."""

    def pose(self, name: str) -> Array:
        """Return T_world_body of a body or robot. Shape (4, 4)."""

    def velocity(self, name: str) -> Array:
        """Return the velocity of its origin and its angular velocity, in the world. Shape (6,)."""

    def move(self, name: str, pose: Array) -> None:
        """Put a movable body or a robot somewhere, at rest."""

    def launch(self, name: str, velocity: Array) -> None:
        """Give a movable body a velocity and an angular velocity, in the world. Shape (6,)."""

    def drive(self, robot: str, twist: Array) -> None:
        """Have a robot drive: forwards [m/s], to the left [m/s], turning [rad/s]. Shape (3,)."""

    def grip(self, robot: str, command: GripperCommand) -> None:
        """Have the hands of a robot open or close."""

    def holding(self, robot: str) -> str:
        """Return the name of what a robot has in its hands; empty: nothing."""

    def distances(self, robot: str) -> list[float]:
        """Return how far each of its sensors sees: to the nearest surface or its reach [m]."""

    def picture(self, robot: str, camera: RobotCamera) -> Picture:
        """Return what its camera sees. Shape (rows, columns, 3)."""

    def touched(self, robot: str, direction: float, width: float) -> bool:
        """Whether a sector of its outline [rad] was touched since the last step of the programs."""

    def odometry(self, robot: str) -> GroundPose:
        """Return where its wheels say it is, counted from its start."""

    def rim_speeds(self, robot: str) -> tuple[float, ...]:
        """Return how fast the rims of its wheels go [m/s]."""

    def take_events(self) -> list[MobileEvent]:
        """Return what has happened since this was last asked, in the order of time."""
