"""Braitenberg's vehicle: every sensor is wired to both wheels, and that is all.

Nearness on one side speeds up the wheel on that side and slows down the other, so the robot turns
away from what it sees: his vehicle 3b, an explorer that never stops.
"""

from __future__ import annotations

import math

from armwerk.mobile.program import Senses, WheelSpeeds
from armwerk.mobile.scene import MobileRobot


class Braitenberg:
    """Drives about and avoids what its sensors see.

    Args:
        speed: When nothing is seen [m/s].
        gain: By how much a sensor that touches something changes a wheel [m/s].
    """

    def __init__(self, speed: float = 0.1, gain: float = 0.3) -> None:
        self.speed, self.gain = speed, gain
        self._wires: dict[str, tuple[float, float, float]] = {}

    def start(self, robot: MobileRobot) -> None:
        """Wire the sensors of a robot by where they look."""
        self._wires = {}
        for sensor in robot.sensors:
            angle = math.atan2(sensor.pose[1, 0], sensor.pose[0, 0])
            ahead = max(0.0, math.cos(angle))  # what looks backwards does not count
            side = 1.0 if angle >= 0 else -1.0
            sharp = ahead * (1.0 + 0.5 * ahead)
            self._wires[sensor.name] = (sensor.reach, side * sharp, 0.6 * ahead * ahead)

    def step(self, senses: Senses) -> WheelSpeeds:
        """Return the sums that arrive at the wheels."""
        turn = brake = 0.0
        for name, (reach, side, straight) in self._wires.items():
            near = 1.0 - min(1.0, max(0.0, senses.distances[name] / reach))
            turn += side * near
            brake += straight * near
        if brake > 0.2 and abs(turn) < 0.05:
            turn = 0.2  # a wall straight ahead: to one side, whichever
        ahead = self.speed * max(-0.5, 1.0 - brake)
        return WheelSpeeds(ahead + self.gain * turn, ahead - self.gain * turn)
