"""What most controllers of the shipped cells share: pick something up, put it down."""

from __future__ import annotations

import armwerk as aw


class Picker(aw.RobotController):
    """A controller whose arm can stand its gripper upright over a place.

    Places are points of the world [m]: the middle of what is gripped.
    """

    clearance = 0.10  # [m] between where the hand travels and where it grips
    speed = 0.25  # [m/s] of the straight ways down and up
    force = 15.0  # [N] of each jaw; holds 3 kg at a friction of 1

    def above(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Go to a place over (x, y, z), the quickest way."""
        self.move_to(aw.pointing_down(x, y, z + self.clearance, yaw))

    def pick(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Grip what lies at (x, y, z) and lift it straight up."""
        self.grip.open(wait=False)
        self.above(x, y, z, yaw)
        self.line_to(aw.pointing_down(x, y, z, yaw), speed=self.speed)
        self.grip.close(self.force)
        self.line_to(aw.pointing_down(x, y, z + self.clearance, yaw), speed=self.speed)

    def place(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Set what is held down at (x, y, z), let go and leave straight up."""
        self.above(x, y, z, yaw)
        self.line_to(aw.pointing_down(x, y, z, yaw), speed=self.speed)
        self.grip.open()
        self.line_to(aw.pointing_down(x, y, z + self.clearance, yaw), speed=self.speed)
