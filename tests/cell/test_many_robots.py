"""Cells with more robots than a digit can count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_programs import program

import armwerk as aw
from armwerk.cli.run.overrides import changed_robots, robot_changes
from armwerk.errors import DescriptionError
from armwerk.scene import parse_scene, write_scene

COUNT = 30
CELL = f"MULTIROBOT {COUNT}\n" + "".join(
    f"ROBOT{k} {150 * (k % 6)} {150 * (k // 6)} {12 * k}\nCONFIG{k} {k}\n" for k in range(COUNT)
)


def relay(self: Any) -> None:
    """Move, then pass a trigger on to the next robot."""
    self.move([0.1 + 0.01 * self.instance, 0.2, 0.1], wait=False)
    if self.instance:
        self.wait_trigger("go")
    self.debug(f"robot {self.instance}")
    if self.instance < COUNT - 1:
        self.send_trigger(self.instance + 1, "go")
    self.wait_motion()


def test_thirty_robots_run_pass_triggers_on_and_are_drawn(tmp_path: Path) -> None:
    scene = parse_scene(CELL)
    assert [robot.config for robot in scene.robots] == [str(k) for k in range(COUNT)]
    assert parse_scene(write_scene(scene)).robots == scene.robots
    with aw.World(scene, robots=dict.fromkeys(range(COUNT), program(relay))) as world:
        report = world.run(5.0, until=lambda w: all(r.state == "done" for r in w.robots.values()))
        assert report.why == "until", [robot for robot in report.robots if robot.state != "done"]
        assert [note.text for note in world.notes] == [f"robot {k}" for k in range(COUNT)]
        for k, robot in world.robots.items():
            assert robot.q[0] == pytest.approx(0.1 + 0.01 * k, abs=1e-6)
            np.testing.assert_allclose(robot.pose[:2, 3] - scene.robots[k].position, 0.0, atol=1.5)
        assert world.draw(tmp_path / "thirty.png", size=(64, 48)).is_file()


def test_options_reach_every_robot() -> None:
    scene = parse_scene(CELL)
    changes = robot_changes(
        ["scara", "10-19=irb120", "4,25-26=puma560", "12=ur5e"],
        [],
        ["*=pick.Pick", "0-9=pick.First"],
        ["29=last"],
        ["28=10 20 30"],
    )
    robots = changed_robots(scene, changes).robots
    arms = {robot.number: robot.manipulator for robot in robots}
    assert {number for number, arm in arms.items() if arm == "irb120"} == set(range(10, 20))
    assert {number for number, arm in arms.items() if arm == "puma560"} == {4, 25, 26}
    assert {number for number, arm in arms.items() if arm == "ur5e"} == {1, 2}  # a list of digits
    assert arms[29] == "scara"
    assert [robot.controller for robot in robots] == ["pick.First"] * 10 + ["pick.Pick"] * 20
    assert robots[29].config == "last"
    assert robots[28].position == pytest.approx((0.1, 0.2))
    few = changed_robots(
        parse_scene("MULTIROBOT 3\n"), robot_changes(["0-9=scara"], [], [], [], [])
    )
    assert [robot.manipulator for robot in few.robots] == ["scara"] * 3
    with pytest.raises(DescriptionError, match="0 to 29"):
        changed_robots(scene, robot_changes(["30-31=scara"], [], [], [], []))
