"""Grip a ball and drop it into a box, with the plain services of a controller."""

from __future__ import annotations

import armwerk as aw

OVER = 0.12  # [m] how far above ball and box the hand travels
DROP = 0.16  # [m] height of the ball when it is let go, above the walls of the box
FLOOR = 0.05  # [m] a ball in the box has its centre below this


class PickAndPlace(aw.RobotController):
    """Puts the ball ``ball`` into the box at the place given by CONFIG ``box=x,y`` [cm].

    While it works it understands the commander lines ``where`` and ``speed PERCENT``.
    """

    description = "grips a ball and drops it into the box"
    requires_configuration = True
    speed = 1.0  # fraction of what the motors can do

    def configure(self, text: str) -> None:
        key, _, values = text.partition("=")
        x, y = (float(value) / 100 for value in values.split(","))  # an error reaches the user
        if key != "box":
            raise ValueError(f"CONFIG is 'box=x,y' in cm, got '{text}'")
        self.box = (x, y)

    def run(self) -> None:
        x, y, z = self.see("ball").position
        self.grip.open(wait=False)  # opens on the way
        self.move_to(aw.pointing_down(x, y, z + OVER), speed=self.speed)
        self.line_to(aw.pointing_down(x, y, z))  # straight down, so that the fingers pass the ball
        self.grip.close()
        self.line_to(aw.pointing_down(x, y, z + OVER))
        self.debug("holding the ball")

        self.move_to(aw.pointing_down(*self.box, DROP + OVER), speed=self.speed)
        self.line_to(aw.pointing_down(*self.box, DROP))
        self.grip.open()
        # The trigger zone is flat: it reported when the ball came over the box. That it lies in
        # it is another question.
        if self.wait_trigger("OVER_THE_BOX", timeout=1.0) is None:
            raise RuntimeError("the ball never came over the box")
        self.move_to(aw.pointing_down(*self.box, DROP + OVER), speed=self.speed)
        if not self.wait_until(self.in_the_box, timeout=2.0):
            raise RuntimeError(f"the ball is not in the box but at {self.see('ball').position}")
        self.debug("the ball is in the box")

    def in_the_box(self) -> bool:
        ball = self.see("ball")
        x, y, z = ball.position
        inside = abs(x - self.box[0]) < 0.08 and abs(y - self.box[1]) < 0.08 and z < FLOOR
        return bool(inside and abs(ball.velocity[2]) < 0.01)  # not just flying past

    def receive_line(self, text: str) -> None:
        match text.split():
            case ["where"]:
                self.debug("ball at", self.see("ball").position.round(3))
            case ["speed", percent]:
                self.speed = min(max(float(percent) / 100, 0.05), 1.0)
                self.debug(f"speed {self.speed:.0%} from the next motion on")
            case _:
                self.debug("I understand: where | speed PERCENT")
