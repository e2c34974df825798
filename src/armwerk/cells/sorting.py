"""Sorting by colour: the arm's controller, and the processor that runs the belts."""

from __future__ import annotations

import armwerk as aw
from armwerk.cells.picker import Picker

BLUE = "3050C0"  # as in the cell


def settings(text: str) -> dict[str, str]:
    """Return the words ``key=value`` of a configuration text."""
    return dict(word.split("=", 1) for word in text.split())


class Sorter(Picker):
    """Takes a ball from the feeder whenever it is told its colour, until told FINISHED."""

    description = "puts red balls onto the outlet belt and blue ones into their bin"
    requires_configuration = True
    clearance = 0.07

    def configure(self, text: str) -> None:
        words = settings(text)
        self.processor = int(words["processor"])
        self.height = float(words["height"]) / 100
        self.places = {name: self.point(words[name]) for name in ("pick", "red", "blue")}

    def point(self, text: str) -> tuple[float, float, float]:
        """Return the place that a text ``x,y`` in cm names, at the height of the belts [m]."""
        x, y = (float(value) / 100 for value in text.split(","))
        return x, y, self.height

    def run(self) -> None:
        self.above(*self.places["pick"])
        # Triggers that come while the arm is busy wait in line; none is lost.
        while (colour := self.wait_trigger(timeout=30.0)) != "FINISHED":
            if colour is None:
                raise RuntimeError("nothing came along for 30 s")
            self.pick(*self.places["pick"])
            self.send_trigger(self.processor, "TAKEN")  # the next ball may come
            self.place(*self.places[colour.lower()])
            self.send_trigger(self.processor, f"PLACED_{colour}")
        self.wait(1.0)  # the last one still falls
        self.check()
        self.debug("all balls are sorted")

    def check(self) -> None:
        """Look where the balls are: blue ones on the left, red ones on the right, all low."""
        for name in self.things():
            ball = self.see(name)
            x, _, z = ball.position
            if z > 0.3 or (x < 0) != (ball.colour == BLUE):
                raise RuntimeError(f"{name} is not in its bin but at {ball.position}")


class Dispatcher(aw.TriggerProcessor):
    """Switches the belts and counts.

    State: how many balls lie on the outlet, and how many of each colour have arrived.
    """

    def configure(self, text: str) -> None:
        words = {key: int(value) for key, value in settings(text).items()}
        self.robot, self.feeder, self.outlet = words["robot"], words["feeder"], words["outlet"]
        self.missing = {"RED": words["red"], "BLUE": words["blue"]}
        self.on_outlet = 0

    def receive_trigger(self, text: str) -> None:
        match text.split("_"):
            case ["SEEN", colour]:  # hold it where the arm can take it
                self.send_trigger(self.feeder, "STOP")
                self.send_trigger(self.robot, colour)
            case ["TAKEN"]:
                self.send_trigger(self.feeder, "RUN")
            case ["PLACED", "RED"]:
                self.on_outlet += 1
                self.send_trigger(self.outlet, "RUN")
            case ["PLACED", "BLUE"]:
                self.arrived("BLUE")
            case ["LEFT", "OUTLET"]:
                self.on_outlet -= 1
                if self.on_outlet == 0:  # nothing left to carry
                    self.send_trigger(self.outlet, "STOP")
                self.arrived("RED")

    def arrived(self, colour: str) -> None:
        """Count a ball that is where it belongs."""
        self.missing[colour] -= 1
        if not any(self.missing.values()):
            self.send_trigger(self.robot, "FINISHED")
