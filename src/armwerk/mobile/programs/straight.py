"""Drives straight on, whatever comes."""

from __future__ import annotations

from armwerk.mobile.program import BaseVelocity, Senses
from armwerk.mobile.scene import MobileRobot


class Straight:
    """Drives straight on.

    Args:
        speed: [m/s].
    """

    def __init__(self, speed: float = 0.15) -> None:
        self.speed = speed

    def start(self, robot: MobileRobot) -> None:
        """Nothing has to be known."""

    def step(self, senses: Senses) -> BaseVelocity:
        """Return the velocity."""
        return BaseVelocity(self.speed)
