"""Arms with closed chains in programs: sent there, or told why not, before anything moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cell_programs import program, robots

import armwerk as aw
from armwerk.cell import World
from armwerk.errors import MotionError
from armwerk.physics.robots.motor_table import GOAL

LONG, SHORT = 0.82, 0.52
IMPOSSIBLE = [LONG, LONG, SHORT, SHORT, LONG, SHORT]
Run = Callable[[Any], None]


def cell(*runs: Run) -> World:
    """A cell with a Stewart platform and, if there are two programs, a tripod beside it."""
    arms = ("stewart", "tripod")
    chosen: dict[int, Any] = {
        k: {"controller": program(run), "manipulator": arms[k]} for k, run in enumerate(runs)
    }
    return World(robots(len(runs)), robots=chosen)


def caught(action: Run, wait: bool = False) -> tuple[str, World]:
    """Return what a program is told that does something to a platform."""
    told: list[str] = []

    def run(self: Any) -> None:
        try:
            action(self)
            if wait:
                self.wait_motion()
        except MotionError as error:
            told.append(str(error))

    world = cell(run)
    begin = world.robots[0].q
    world.run()
    assert world.robots[0].state == "done", world.robots[0].error
    np.testing.assert_allclose(world.robots[0].q, begin, atol=1e-12)
    return "".join(told), world


@pytest.mark.parametrize(
    "action",
    [
        lambda self: self.set(IMPOSSIBLE),
        lambda self: self.move(IMPOSSIBLE),
        lambda self: self.follow(aw.ptp(self.arm.arm, self.q, IMPOSSIBLE)),
    ],
    ids=["set", "move", "follow"],
)
def test_a_program_is_told_before_anything_moves(action: Run) -> None:
    told, world = caught(action)
    assert "platform 'plate': its legs no longer hold the plate" in told
    assert " m; nothing has moved" in told
    assert world.time < 0.01


def test_motors_that_are_set_one_by_one_are_told_when_waiting() -> None:
    def legs(self: Any) -> None:
        for motor, value in zip(self.motors.values(), IMPOSSIBLE, strict=True):
            motor.set(value)

    told, _ = caught(legs, wait=True)
    assert told.startswith("wait_motion: robot 0 'stewart', at 0.")
    assert told.endswith("nothing has moved")


def test_a_program_that_does_not_listen_fails_with_the_reason() -> None:
    with cell(lambda self: self.move(IMPOSSIBLE)) as world:
        world.run()
        assert world.robots[0].state == "failed"
        assert "its legs no longer hold the plate" in world.robots[0].error


def test_a_robot_that_fails_is_told_and_the_others_go_on() -> None:
    def broken(self: Any) -> None:
        body = self._context.body
        body.drive.motors[body.rows, GOAL] = [SHORT, SHORT, LONG, SHORT, SHORT, LONG]
        self.wait_motion()

    def other(self: Any) -> None:
        self.wait(0.5)
        self.move([0.6, 0.4, 0.5])

    with cell(broken, other) as world:
        world.run()
        assert [robot.state for robot in world.robots.values()] == ["failed", "done"]
        np.testing.assert_allclose(world.robots[1].q, [0.6, 0.4, 0.5], atol=1e-9)
        assert world.time > 0.5
        texts = [text for _, number, text in world.problems if number == 0]
        assert any(text.startswith("'stewart' has failed at 0.") for text in texts)
        assert "stands still from now on" in world.robots[0].error
