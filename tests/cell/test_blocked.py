"""Arms that something stands in the way of: they stop there, say so, and are free again."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import BlockedError, MotionError
from armwerk.scene import parse_scene

# a cube in front of a wall whose near side is at x = 0.52 m
CELL = """ROBOT 0 0 0
MANIPULATOR irb120
GRIPPER parallel_gripper
DEBUGNAME box
CUBOID 46 0 5 10 10 10 FF0000
DEBUGNAME wall
STEP 50 808080 RECT 62 0 20 60 ENDSTEP
"""


class Pusher(aw.RobotController):
    """Pushes the box against the wall, and draws back."""

    caught: BlockedError | None = None
    away = np.inf

    def run(self) -> None:
        self.grip.close()
        self.move_to(aw.pointing_down(0.3, 0.0, 0.3))
        self.line_to(aw.pointing_down(0.3, 0.0, 0.05))
        try:
            self.line_to(aw.pointing_down(0.55, 0.0, 0.05))
        except BlockedError as error:
            self.caught = error
        back = aw.pointing_down(0.3, 0.0, 0.05)
        self.line_to(back)
        self.wait(0.2)
        self.away = float(np.linalg.norm(self.direct()[:3, 3] - back[:3, 3]))


class Careless(Pusher):
    """Does not look."""

    def run(self) -> None:
        self.grip.close()
        self.move_to(aw.pointing_down(0.3, 0.0, 0.3))
        self.line_to(aw.pointing_down(0.3, 0.0, 0.05))
        self.line_to(aw.pointing_down(0.55, 0.0, 0.05))


def test_a_block_ends_the_motion_names_the_culprit_and_leaves_the_arm_free() -> None:
    program = Pusher()
    with aw.World(parse_scene(CELL), robots={0: program}) as world:
        report = world.run(20.0)
        assert report.ok
        robot = world.robots[0]
        error = program.caught
        assert error is not None
        assert error.robot == "robot 0"
        assert error.by == "box, against wall"
        assert error.link in {"jaw_left", "jaw_right"}
        place = robot.motors.index(error.joint)
        assert error.limit == robot.body.max_forces[place]
        assert error.unit == "N m"
        assert error.point is not None
        assert error.normal is not None
        assert error.point[0] == pytest.approx(0.42, abs=0.01)
        assert error.normal[0] < -0.9  # pushed back
        assert error.force > 50.0
        told = [note for note in world.problems if "blocked by box, against wall" in note.text]
        assert len(told) == 1
        assert told[0].instance == 0
        assert f"'{error.joint}' stood at its limit of {error.limit:.4g} N m" in told[0].text
        assert world.objects["box"].position[0] < 0.48  # on this side of the wall
        assert program.away < 1e-6
        assert not robot.body.blocked
        assert robot.body.block is None


def test_what_is_pressed_against_a_wall_stays_out_of_it() -> None:
    deepest = 0.0
    with aw.World(parse_scene(CELL), robots={0: Pusher}) as world:

        def look() -> None:
            nonlocal deepest
            points = world.simulation.contact_points()
            deepest = max([deepest, *(one.depth for one in points)])

        world.observe(look, every=world.dt)
        world.run(20.0)
        assert not any("deep in" in problem.text for problem in world.problems)
    assert 0.0 < deepest <= 1e-3


def test_a_block_that_nobody_catches_ends_the_program() -> None:
    with aw.World(parse_scene(CELL), robots={0: Careless}) as world:
        world.run(20.0)
        robot = world.robots[0]
        assert robot.state == "failed"
        assert "BlockedError" in robot.error
        assert "blocked by box, against wall" in robot.error
        assert issubclass(BlockedError, MotionError)


def test_stiff_arms_are_never_blocked() -> None:
    with aw.World(parse_scene(CELL), robots={0: Careless}, drives="stiff") as world:
        world.run(20.0)
        assert world.robots[0].state == "done"
