"""Follows walls: looks for one, then keeps it at a distance on its right or left."""

from __future__ import annotations

import math

from armwerk.errors import DescriptionError
from armwerk.mobile.program import BaseVelocity, Senses
from armwerk.mobile.scene import MobileRobot


class WallFollower:
    """Drives along a wall.

    Args:
        side: On which the wall is kept, "left" or "right".
        distance: Kept to it [m]; 0: half of what its sensors see.
        speed: [m/s].
    """

    def __init__(self, side: str = "right", distance: float = 0.0, speed: float = 0.1) -> None:
        if side not in {"left", "right"}:
            raise DescriptionError(
                "unknown side", element="wall follower", value=side, allowed="left, right"
            )
        self.sign = 1.0 if side == "left" else -1.0
        self.distance, self.speed = distance, speed
        self._kept = distance
        self._ahead: list[str] = []
        self._beside: list[str] = []
        self._before: list[str] = []  # between ahead and beside
        self._reach = 1.0
        self._found = False

    def start(self, robot: MobileRobot) -> None:
        """Sort the sensors by where they look."""
        angles = {
            sensor.name: math.atan2(sensor.pose[1, 0], sensor.pose[0, 0]) * self.sign
            for sensor in robot.sensors
        }
        self._ahead = [name for name, angle in angles.items() if abs(angle) < math.radians(30)]
        self._before = [
            name for name, a in angles.items() if math.radians(30) <= a <= math.radians(65)
        ]
        self._beside = [
            name for name, a in angles.items() if math.radians(65) < a < math.radians(115)
        ]
        self._reach = min((sensor.reach for sensor in robot.sensors), default=1.0)
        self._kept = self.distance or self._reach / 2
        self._found = False

    def step(self, senses: Senses) -> BaseVelocity:
        """Return the next velocity."""

        def nearest(names: list[str]) -> float:
            return min((senses.distances[name] for name in names), default=self._reach)

        ahead, beside, before = (nearest(n) for n in (self._ahead, self._beside, self._before))
        if min(ahead, before) < 1.2 * self._kept:
            self._found = True
            tight = max(0.0, min(ahead, before) / self._kept - 0.6)
            return BaseVelocity(self.speed * min(1.0, tight), 0.0, -self.sign * 2.0)
        if beside < self._reach:
            self._found = True
            error = beside - self._kept
            rate = max(-1.5, min(1.5, 25.0 * error))
            return BaseVelocity(self.speed, 0.0, self.sign * rate)
        if self._found:
            # the wall has ended: around its corner, in an arc as wide as the distance kept
            return BaseVelocity(0.7 * self.speed, 0.0, self.sign * 0.7 * self.speed / self._kept)
        return BaseVelocity(self.speed)
