"""A tripod at work: only its tip can be commanded, three numbers for three motors."""

from __future__ import annotations

import armwerk as aw


class Pusher(aw.RobotController):
    """Pushes the balls in the slot over its end."""

    description = "pushes balls along a slot from below"
    requires_configuration = True

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.balls = int(words.pop("balls"))
        self.at = {key: value / 100 for key, value in words.items()}

    def run(self) -> None:
        start, end = self.at["start"], self.at["end"]
        below, push = self.at["below"], self.at["push"]
        x = float(self.direct()[0, 3])
        # A point instead of a pose: whichever way the tip then looks.
        self.move_to((x, 0.0, below))
        self.move_to((start, 0.0, below))  # under the balls to the other end of the slot
        self.move_to((start, 0.0, push))
        self.line_to((end, 0.0, push), speed=0.08)
        for number in range(self.balls):
            if self.wait_trigger("GONE", timeout=2.0) is None:
                raise RuntimeError(f"only {number} of {self.balls} balls fell into the bin")
        self.move_to((end, 0.0, below))
        self.wait(1.0)
        high = [name for name in self.things() if self.see(name).position[2] > 0.08]
        if high:
            raise RuntimeError(f"not in the bin: {', '.join(high)}")
        self.debug(f"{self.balls} balls in the bin")
