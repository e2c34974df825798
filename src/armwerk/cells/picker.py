"""What most controllers of the shipped cells share: pick something up, put it down."""

from __future__ import annotations

import armwerk as aw


class Picker(aw.RobotController):
    """A controller whose arm can stand its gripper upright over a place.

    Places are points of the world [m]: the middle of what is gripped.
    """

    clearance = 0.10  # [m] between where the hand travels and where it grips
    force = 15.0  # [N] of each jaw; holds 3 kg at a friction of 1
    speed = 0.25  # [m/s] of the straight ways down and up
    acceleration = 2.0  # [m/s²] of the same
    jerk = 40.0  # [m/s³]

    def above(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Go to a place over (x, y, z), the quickest way."""
        self.move_to(aw.pointing_down(x, y, z + self.clearance, yaw))

    def straight(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Go to (x, y, z) on a straight line."""
        goal = aw.pointing_down(x, y, z, yaw)
        self.line_to(goal, speed=self.speed, acceleration=self.acceleration, jerk=self.jerk)

    def pick(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Grip what lies at (x, y, z) and lift it straight up."""
        self.grip.open(wait=False)  # on the way
        self.above(x, y, z, yaw)
        self.straight(x, y, z, yaw)
        self.grip.close(self.force)
        self.straight(x, y, z + self.clearance, yaw)

    def place(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Set what is held down at (x, y, z), let go and leave straight up."""
        self.above(x, y, z, yaw)
        self.straight(x, y, z, yaw)
        self.grip.open()
        self.straight(x, y, z + self.clearance, yaw)
