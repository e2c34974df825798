"""The example scenes as files: as the script makes them, without problems, with their settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from armwerk.errors import UnknownNameError
from armwerk.geometry import Cylinder, Sphere
from armwerk.mobile import (
    find_mobile_scene,
    find_program,
    list_settings,
    mobile_scenes,
    open_scene,
    read_settings,
    settings_folder,
)
from armwerk.mobile.examples.scenes import FRICTIONS
from armwerk.mobile.examples.shipped import FOLDER, write_scenes

NAMES = ["collision", "football", "football11", "gripping", "slope", "together"]


def test_the_files_are_those_the_script_makes(tmp_path: Path) -> None:
    for made in write_scenes(tmp_path):
        kept = FOLDER / made.relative_to(tmp_path)
        assert kept.read_bytes() == made.read_bytes(), f"run scripts/mobile_scenes.py: {kept.name}"


def test_all_scenes_are_listed() -> None:
    assert mobile_scenes() == [f"mobile/{name}" for name in NAMES]
    with pytest.raises(UnknownNameError, match="did you mean 'mobile/football'"):
        find_mobile_scene("mobile/footbal")


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_opens_without_problems_and_its_programs_exist(name: str) -> None:
    scene = open_scene(find_mobile_scene(name)).scene()
    assert scene.problems == ()
    assert scene.robots
    for robot in scene.robots:
        if robot.program:
            find_program(robot.program).start(robot)


def test_three_frictions_of_the_slope_are_settings_of_it() -> None:
    path = find_mobile_scene("mobile/slope")
    file = open_scene(path)
    listed = list_settings(settings_folder(path), file.digest)
    assert list(listed) == [f"friction {friction:g}" for friction in FRICTIONS]
    for friction, place in zip(FRICTIONS, listed.values(), strict=True):
        scene = file.with_settings(read_settings(place))
        assert {body.friction for body in scene.bodies} == {friction}


def test_balls_and_cylinders_are_known_as_such() -> None:
    ball = open_scene(find_mobile_scene("football")).scene().body("ball")
    assert isinstance(ball.solids[0], Sphere)
    assert ball.solids[0].radius == pytest.approx(0.0215)
    assert (ball.rolling, ball.bounce) == (0.5, 0.8)
    can = open_scene(find_mobile_scene("gripping")).scene().body("cylinder 1")
    assert isinstance(can.solids[0], Cylinder)
    assert can.solids[0].length == pytest.approx(0.03)


@pytest.mark.parametrize(("name", "count"), [("football", 8), ("football11", 22)])
def test_teams_are_complete(name: str, count: int) -> None:
    robots = open_scene(find_mobile_scene(name)).scene().robots
    assert len(robots) == count
    for team, side in (("blue", "left"), ("yellow", "right")):
        mine = [robot for robot in robots if robot.name.startswith(f"{team} ")]
        assert len(mine) == count // 2
        assert sum("role=keeper" in robot.program for robot in mine) == 1
        assert all(f"side={side}" in robot.program for robot in mine)
