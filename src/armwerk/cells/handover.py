"""Two controllers that talk by triggers: HOLDING, MINE, YOURS."""

from __future__ import annotations

from math import pi

import armwerk as aw
from armwerk.cells.picker import Picker

ACROSS = pi / 2  # the bar lies along x, so the jaws close along y


class Partner(Picker):
    """What both have in common: whom they talk to and where they hold the bar."""

    requires_configuration = True
    patience = 30.0  # [s] for an answer

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.partner = int(words["partner"])
        self.grip_at = words["grip"] / 100  # along the bar, from its middle [m]
        self.meeting = (self.grip_at, 0.0, words["height"] / 100)  # the middle of the bar at x = 0
        self.goal = tuple(words.get(axis, 0.0) / 100 for axis in "xyz")

    def hear(self, text: str) -> None:
        """Wait for a word of the partner."""
        if self.wait_trigger(text, timeout=self.patience) is None:
            raise RuntimeError(f"robot {self.partner} did not say {text}")


class Giver(Partner):
    """Fetches the bar and holds it out until the other one has it."""

    description = "brings the bar"

    def run(self) -> None:
        x, y, z = self.see("bar").position
        self.pick(x + self.grip_at, y, z, ACROSS)
        self.move_to(aw.pointing_down(*self.meeting, ACROSS))
        self.send_trigger(self.partner, "HOLDING")
        self.hear("MINE")
        self.grip.open()
        x, y, z = self.meeting
        self.straight(x, y, z + self.clearance, ACROSS)  # out of the way first
        self.send_trigger(self.partner, "YOURS")


class Taker(Partner):
    """Takes the bar at its other end and puts it onto the second table."""

    description = "takes the bar"

    def run(self) -> None:
        x, y, z = self.meeting
        self.grip.open(wait=False)
        self.move_to(aw.pointing_down(x, y, z + self.clearance, ACROSS))
        self.hear("HOLDING")
        self.straight(x, y, z, ACROSS)
        self.grip.close()
        self.send_trigger(self.partner, "MINE")
        self.hear("YOURS")  # pulling earlier would tear it out of the other's hand
        self.debug("the bar is mine at", self.see("bar").position.round(3))

        x, y, z = self.goal
        self.place(x + self.grip_at, y, z, ACROSS)
        self.wait(0.5)
        off = abs(self.see("bar").position - self.goal).max()
        if off > 0.01:
            raise RuntimeError(f"the bar lies {off * 1000:.0f} mm off its place")
