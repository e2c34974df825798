"""Triggers: light barriers, a belt that they switch, and a processor in between.

Shows:
    - a trigger processor: triggers in, other triggers out, with a memory
    - a belt that listens to RUN and STOP
    - a shipped cell, run by name, and what its programs told each other

Run: python examples/world/03_triggers.py
"""

import armwerk as aw
from armwerk.scene import parse_scene

CELL = """
CONVEYOR 10 RUN 20 20 x 30 5 505860     // listens as 10, 30 cm/s, drift to the middle 5 cm/s
RECT 0 0 200 20
ENDCONVEYOR
CUBOID -80 3 22 4 4 4 C03030
CUBOID -95 -3 22 4 4 4 3060C0
TRIGGER CUBOIDBARRIER 50 SEEN 0 -10 0 10 40 *
TRIGGERPROCESSOR 50 counter.Counter
"""


class Counter(aw.TriggerProcessor):
    """Lets the first cuboid pass and stops the belt at the second."""

    def __init__(self) -> None:
        self.seen = 0

    def receive_trigger(self, text: str) -> None:
        self.seen += 1
        self.debug(f"{text}, number {self.seen}")
        if self.seen == 2:
            self.send_trigger(10, "STOP")


def main() -> None:
    # The class could stand in counter.py beside a cell file; here it is handed over.
    with aw.World(parse_scene(CELL), processors={50: Counter}) as world:
        world.run(seconds=5.0)
        for time, instance, text in world.triggers:
            print(f"{time:6.3f} s, to {instance:2}: {text}")
        for name, thing in world.objects.items():
            print(name, thing.position.round(3), "m, at", thing.velocity.round(3), "m/s")

    with aw.World.load("handover") as world:
        world.run()
        print("\nhandover:", {nr: robot.state for nr, robot in world.robots.items()})
        for time, instance, text in world.triggers:
            print(f"{time:6.3f} s, to {instance:2}: {text}")


if __name__ == "__main__":
    main()
