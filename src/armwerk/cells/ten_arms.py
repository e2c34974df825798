"""One program for many robots: it works in the frame of its own robot."""

from __future__ import annotations

import numpy as np

from armwerk.cells.picker import Picker


class Stacker(Picker):
    """Stacks cuboid ``first + k`` on ``first + count + k`` for every k below ``count``."""

    description = "stacks one row of cuboids on another"
    requires_configuration = True
    clearance = 0.06
    speed = 0.4

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.first, self.count = int(words["first"]), int(words["count"])
        self.side = words["side"] / 100

    def run(self) -> None:
        upper = [f"cuboid{self.first + k}" for k in range(self.count)]
        lower = [f"cuboid{self.first + self.count + k}" for k in range(self.count)]
        forward = self.base[:2, 0]  # the jaws open along it, where there is room between the rows
        yaw = float(np.arctan2(forward[1], forward[0]))
        for name, under in zip(upper, lower, strict=True):
            x, y, z = self.see(name).position
            self.pick(x, y, z, yaw)
            x, y, z = self.see(under).position
            self.place(x, y, z + self.side + 0.0005, yaw)  # a hair above contact
        self.wait(0.5)
        for name, under in zip(upper, lower, strict=True):
            off = self.see(name).position - self.see(under).position - (0.0, 0.0, self.side)
            if abs(off).max() > 0.005:
                raise RuntimeError(f"{name} does not stand on {under}: {off.round(3)} m off")
        self.debug(f"robot {self.instance} has stacked {self.count} cuboids")
