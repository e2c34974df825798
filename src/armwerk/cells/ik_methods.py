"""The same task with any method of inverse kinematics, named by the cell's configuration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import armwerk as aw
from armwerk.mechanics import inverse_method

CLEARANCE = 0.07  # [m]


class Mover(aw.RobotController):
    """Carries ``cuboid0`` to a place, choosing joint values by a solver of its own.

    CONFIG ``method=M x=X y=Y`` with M one of pref, closed, numeric, jacobian, simplex; X and Y in
    cm. The cuboid is set down at the height at which it lay.
    """

    description = "carries a cuboid, solving inverse kinematics by the configured method"
    requires_configuration = True

    def configure(self, text: str) -> None:
        words = dict(word.split("=", 1) for word in text.split())
        self.method = inverse_method(words["method"])
        self.goal = (float(words["x"]) / 100, float(words["y"]) / 100)
        # The description of the arm, its tool at the grip point, with another solver.
        self.solver = aw.model(self.arm.arm, ik=self.method)

    def go(self, x: float, y: float, z: float, speed: float = 1.0) -> None:
        """Move to a place, the gripper pointing down."""
        T_base_tool = np.linalg.solve(self.base, aw.pointing_down(x, y, z))
        q: NDArray[np.float64] | None = self.solver.ik_nearest(T_base_tool, self.q)
        if q is None:
            raise RuntimeError(f"{self.method} finds no way to ({x:.2f}, {y:.2f}, {z:.2f}) m")
        off = self.arm.fk(q) - T_base_tool
        self.debug(f"{self.method}: {np.abs(off[:3, 3]).max() * 1e6:.3f} µm off")
        self.move(q, speed=speed)

    def run(self) -> None:
        x, y, z = self.see("cuboid0").position
        self.grip.open(wait=False)
        self.go(x, y, z + CLEARANCE)
        self.go(x, y, z, speed=0.3)
        self.grip.close()
        self.go(x, y, z + CLEARANCE, speed=0.3)
        self.go(*self.goal, z + CLEARANCE)
        self.go(*self.goal, z + 0.0005, speed=0.3)
        self.grip.open()
        self.go(*self.goal, z + CLEARANCE, speed=0.3)
        self.wait(0.5)
        off = np.abs(self.see("cuboid0").position - (*self.goal, z)).max()
        if off > 0.005:
            raise RuntimeError(f"the cuboid lies {off * 1000:.1f} mm off its place")
