"""Contacts as events: an arm feels its way down to a brick of unknown height.

Shows:
    - a program that waits for its robot to touch something
    - what touches now, and all beginnings and ends of contacts afterwards
    - a ball whose blows tell its mass

Run: python examples/world/05_contacts.py
"""

import armwerk as aw
from armwerk.scene import parse_scene

CELL = """
ROBOT 0 0 -90                           // looks along +x
MANIPULATOR irb120
GRIPPER parallel_gripper
DEBUGNAME brick
CUBOID 40 0 2 4 8 4 C03030
DEBUGNAME rubber
BALL 40 40 30 2 0.5 0.8 3060C0            // falls from 28 cm, keeps 80 % of its speed
"""


class Feeler(aw.RobotController):
    """Goes down with closed jaws until it feels something."""

    def run(self) -> None:
        self.grip.close(force=5.0)
        self.move_to(aw.pointing_down(0.4, 0.0, 0.12))
        self.line_to(aw.pointing_down(0.4, 0.0, 0.02), speed=0.02, wait=False)
        touch = self.wait_for_contact("brick", timeout=10.0)
        self.halt()
        self.wait_motion()
        if touch is None:
            raise RuntimeError("there is nothing")
        self.debug(f"the brick is {touch.point[2] * 1000:.1f} mm high")
        self.line_to(aw.pointing_down(0.4, 0.0, 0.12))


def main() -> None:
    with aw.World(parse_scene(CELL), robots={0: Feeler}) as world:
        world.run()
        for note in world.notes:
            print(f"{note.time:6.3f} s: {note.text}")
        print("touching now:", [pair.names for pair in world.contacts])

        ball = [event for event in world.contact_events if event.names == ("rubber", "floor")]
        for event in ball[:4]:
            print(f"{event.time:6.3f} s: {event}")
        first = ball[0]
        speed = (2 * 9.81 * 0.28) ** 0.5
        mass = first.force * world.dt / (1.8 * speed)  # impulse = (1 + 0.8) m v
        print(f"the ball weighs {mass * 1000:.1f} g")


if __name__ == "__main__":
    main()
