"""A controller of one's own: an arm grips a cuboid and turns it by a quarter.

Shows:
    - a class with `run`, given to a robot of a cell
    - point to point and straight motions, gripping by friction
    - debug lines, and checking the result in the end
    - what a run reports, and that a program that fails hurts nobody

Run: python examples/world/02_controller.py
"""

from math import pi

import armwerk as aw
from armwerk.scene import parse_scene

CELL = """
ROBOT 0 0 -90                           // looks along +x
MANIPULATOR irb120
GRIPPER parallel_gripper
DEBUGNAME brick
CUBOID 40 0 2 4 8 4 C03030              // longer along y
"""


class QuarterTurn(aw.RobotController):
    """Turns the brick so that its long side lies along x."""

    description = "turns a brick"

    def run(self) -> None:
        x, y, z = self.see("brick").position
        over = z + 0.1
        self.grip.open(wait=False)  # while the arm moves
        self.move_to(aw.pointing_down(x, y, over))
        self.line_to(aw.pointing_down(x, y, z))
        self.grip.close(force=10.0)
        self.debug(f"holding it, jaws {self.grip.width * 1000:.1f} mm apart")

        self.line_to(aw.pointing_down(x, y, over))
        self.move_to(aw.pointing_down(x, y, over, yaw=pi / 2))
        self.line_to(aw.pointing_down(x, y, z, yaw=pi / 2))
        self.grip.open()
        self.line_to(aw.pointing_down(x, y, over, yaw=pi / 2))

        long_side = self.see("brick").rotation[:, 1]
        if abs(long_side[0]) < 0.999:
            raise RuntimeError(f"the brick's long side points along {long_side.round(2)}")
        self.debug("turned")


class Dreamer(aw.RobotController):
    """Reaches for the sky; its robot fails, and the world says why."""

    def run(self) -> None:
        self.move_to(aw.pointing_down(0.0, 0.0, 100.0))


def main() -> None:
    scene = parse_scene(CELL)
    with aw.World(scene, robots={0: QuarterTurn}) as world:
        world.run()  # until the program has ended
        for time, robot, text in world.notes:
            print(f"{time:6.3f} s, robot {robot}: {text}")
        print(f"robot 0 is {world.robots[0].state} after {world.time:.2f} s")
        print("brick at", world.objects["brick"].position.round(4))

    with aw.World(scene, robots={0: Dreamer}) as world:
        world.run()
        print(f"robot 0 has {world.robots[0].state}:", world.robots[0].error.splitlines()[-1])


if __name__ == "__main__":
    main()
