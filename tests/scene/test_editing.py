"""Edits of a cell's text: one statement changes, the rest stays as it was written."""

from __future__ import annotations

import pytest

from armwerk.errors import DescriptionError, SceneError, UnknownNameError
from armwerk.scene import (
    added,
    cells,
    moved,
    parse_scene,
    read_scene,
    removed,
    resized,
    with_another_robot,
)
from armwerk.scene.editing import statements
from armwerk.scene.files import find_cell
from armwerk.scene.scene import Ball, Conveyor, Cuboid, Rectangle, Step

TEXT = """// a cell for tests
NUMBER S 4   // side
BORDER -100 -100 100 100
MULTIROBOT 2
ROBOT0 0 0 0
ROBOT1 50 0 90  // the second
CONTROLLER1 my.Program

DEBUGNAME block
MASS 0.5
CUBOID 2*S 10 S/2 S S S FF0000   // red
BALL 30 0 5 2 0 0.5 00FF00
CONVEYOR 3 RUN 10 10 x 5 0 333333
  RECT 0 60 80 20
ENDCONVEYOR
STEP 5 777777 POLY 3 0 -50 20 -50 0 -30 ENDSTEP
SPHERE -50 -50 10 5 AAAAAA
"""


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that are only in the second text."""
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_a_thing_is_moved_and_everything_else_stays_as_it_was() -> None:
    text = moved(TEXT, "block", (0.1, -0.2, 0.02))
    assert changed_lines(TEXT, text) == ["CUBOID 10 -20 2 4 4 4 FF0000   // red"]
    scene = parse_scene(text)
    assert scene.things[0].centre == (0.1, -0.2, 0.02)
    assert scene.things[0].mass == 0.5
    assert scene.things[1] == parse_scene(TEXT).things[1]


def test_a_ball_a_belt_a_step_and_a_sphere_are_moved() -> None:
    scene = parse_scene(moved(TEXT, "ball0", (1.0, 0.5)))
    assert scene.things[1].centre == (1.0, 0.5, 0.05)
    belt, step, sphere = parse_scene(TEXT).obstacle_names()
    text = moved(TEXT, belt, (0.1, 0.1))
    conveyor = parse_scene(text).obstacles[0]
    assert isinstance(conveyor, Conveyor)
    assert conveyor.outline.centre == (0.1, 0.1)
    assert conveyor.instance == 3
    poly = parse_scene(moved(TEXT, step, (0.0, 0.0))).obstacles[1]
    assert isinstance(poly, Step)
    assert "POLY 3" in moved(TEXT, step, (0.0, 0.0))
    assert parse_scene(moved(TEXT, sphere, (0, 0, 1))).obstacles[2].centre == (0, 0, 1)  # type: ignore[union-attr]


def test_a_robot_is_moved_and_turned() -> None:
    text = moved(TEXT, "robot 1", (0.25, 0.5), angle=0.0)
    assert changed_lines(TEXT, text) == ["ROBOT1 25 50 0  // the second"]
    assert parse_scene(text).robots[1].controller == "my.Program"


def test_a_robot_without_a_line_gets_one() -> None:
    assert parse_scene(moved("MULTIROBOT 2\n", "robot 1", (1.0, 2.0))).robots[1].position == (1, 2)


def test_sizes_change() -> None:
    scene = parse_scene(resized(TEXT, "block", (0.1, 0.2, 0.3)))
    assert isinstance(scene.things[0], Cuboid)
    assert scene.things[0].size == (0.1, 0.2, 0.3)
    ball = parse_scene(resized(TEXT, "ball0", (0.07,))).things[1]
    assert isinstance(ball, Ball)
    assert ball.radius == 0.07
    belt, step, _ = parse_scene(TEXT).obstacle_names()
    conveyor = parse_scene(resized(TEXT, belt, (1.0, 0.5, 0.2))).obstacles[0]
    assert isinstance(conveyor, Conveyor)
    assert conveyor.outline == Rectangle((0.0, 0.6), (1.0, 0.5))
    assert conveyor.heights == (0.2, 0.2)
    larger = parse_scene(resized(TEXT, step, (0.4, 0.4, 0.1))).obstacles[1]
    assert isinstance(larger, Step)
    assert larger.height == 0.1


def test_what_is_removed_takes_its_name_and_mass_along() -> None:
    text = removed(TEXT, "block")
    assert "block" not in text
    assert "MASS" not in text
    assert "// a cell for tests" in text
    assert [thing.kind for thing in parse_scene(text).things] == ["ball"]
    for name in parse_scene(TEXT).obstacle_names():
        assert len(parse_scene(removed(TEXT, name)).obstacles) == 2


def test_the_last_robot_can_be_removed_and_no_other() -> None:
    text = removed(TEXT, "robot 1")
    assert len(parse_scene(text).robots) == 1
    assert "my.Program" not in text
    with pytest.raises(DescriptionError, match="robot 1, the last one"):
        removed(TEXT, "robot 0")


def test_a_robot_is_added() -> None:
    text = with_another_robot(TEXT, (1.0, 2.0), manipulator="irb120", gripper="parallel_gripper")
    robot = parse_scene(text).robots[2]
    assert (robot.manipulator, robot.gripper, robot.position) == (
        *("irb120", "parallel_gripper"),
        (1.0, 2.0),
    )
    first = parse_scene(with_another_robot("", (0.0, 0.0)))
    assert len(first.robots) == 1


def test_statements_are_added() -> None:
    text = added(TEXT, "BALL 0 0 50 3 0 0.5 0000FF")
    assert text.startswith(TEXT.rstrip())
    assert len(parse_scene(text).things) == 3
    with pytest.raises(SceneError, match="colour"):
        added(TEXT, "BALL 0 0 50 3 0 0.5")


@pytest.mark.parametrize("edit", [moved, resized])
def test_names_and_numbers_are_checked(edit: type) -> None:
    with pytest.raises(UnknownNameError, match="ball0"):
        edit(TEXT, "ball7", (0.1, 0.1, 0.1))
    for wrong in ((), (1.0,) * 5, ("x", 1, 2), (float("nan"), 0.0, 0.0)):
        with pytest.raises(DescriptionError, match="finite numbers"):
            edit(TEXT, "block", wrong)


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(DescriptionError, match="not above 0"):
        resized(TEXT, "block", (0.0, 1.0, 1.0))


@pytest.mark.parametrize("cell", cells())
def test_every_body_of_a_shipped_cell_is_found_by_its_name(cell: str) -> None:
    """Moving something to where it is changes nothing but how it is written."""
    text, scene = find_cell(cell).read_text(), read_scene(cell)
    assert len(statements(text)) > 0
    for name, thing in list(zip(scene.names(), scene.things, strict=True))[:20]:
        assert parse_scene(moved(text, name, thing.centre)).things == scene.things
    for robot in scene.robots[:3]:
        again = parse_scene(moved(text, f"robot {robot.number}", robot.position))
        assert again.robots == scene.robots
    for name in list(scene.obstacle_names())[:20]:
        gone = parse_scene(removed(text, name)).obstacles
        kept = tuple(one for key, one in scene.obstacle_names().items() if key != name)
        assert gone == kept
