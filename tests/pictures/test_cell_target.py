"""Cameras that look at something and go along with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.pictures.cell import CellPicture, Pixels, camera_of, start_of, target_of
from armwerk.pictures.cell_robot import DrawnRobot
from armwerk.robot import load
from armwerk.scene import parse_scene
from armwerk.scene.scene import Scene

CELL = """
BORDER -100 -100 100 100
ROBOT 50 50 0
MANIPULATOR scara
GRIPPER none
DEBUGNAME post
STEP 40 808080
RECT -50 50 10 10
ENDSTEP
DEBUGNAME apple
BALL 30 -40 20 10 0 0 FF0000
"""
SIZE = (160, 120)


def cell() -> tuple[Scene, list[DrawnRobot]]:
    scene = parse_scene(CELL)
    base = np.eye(4)
    base[:3, 3] = (0.5, 0.5, 0.0)
    return scene, [DrawnRobot(load("scara"), base=base)]


def red_place(pixels: Pixels) -> Array:
    wide = pixels.astype(int)
    found = np.argwhere(wide[..., 0] - wide[..., 1:].max(axis=-1) > 60)
    return np.asarray(found.mean(axis=0) + 0.5, dtype=np.float64)


def test_targets_by_name_and_point() -> None:
    scene, robots = cell()
    assert target_of(scene, robots, (1, 2, 3)).start.tolist() == [1, 2, 3]
    apple = target_of(scene, robots, "apple")
    assert np.allclose(apple.start, scene.things[0].centre)
    assert np.allclose(target_of(scene, robots, "post").start, (-0.5, 0.5, 0.2))
    number = scene.robots[0].number
    for name in (f"robot {number}", f"robot{number}"):
        robot = target_of(scene, robots, name)
        assert np.allclose(robot.start[:2], (0.5, 0.5), atol=0.6)
        one, two = (
            robot.at(replace(start_of(scene), motors=[{robots[0].arm.moving[0].name: q}]))
            for q in (0.0, 1.0)
        )
        assert np.linalg.norm(one - two) > 0.1  # the hand
    with pytest.raises(DescriptionError, match=r"'?pear'?.*apple, post, robot"):
        target_of(scene, robots, "pear")
    for wrong in ((1, 2), (1, 2, float("nan")), ("a", "b", "c")):
        with pytest.raises(DescriptionError, match="not a point"):
            target_of(scene, robots, wrong)  # type: ignore[arg-type]


def test_the_target_is_in_the_middle_and_a_follower_goes_along() -> None:
    scene, robots = cell()
    apple = target_of(scene, robots, "apple")
    eye = camera_of(scene, robots, SIZE, target=apple.start)
    assert eye.distance == pytest.approx(camera_of(scene, robots, SIZE).distance / 2)
    assert camera_of(scene, robots, SIZE, target=apple.start, distance=3.0).distance == 3.0
    start = start_of(scene)
    middle = np.array([SIZE[1] / 2, SIZE[0] / 2])
    standing = CellPicture(scene, robots, SIZE, eye)
    assert np.allclose(red_place(standing.draw(start)), middle, atol=1.0)
    going = CellPicture(scene, robots, SIZE, eye, follow=apple)
    for shift in ((0.0, 0.0, 0.0), (0.3, 0.1, 0.4), (-0.5, 0.2, 0.1), (0.0, 0.0, 0.0)):
        moment = replace(start, positions=start.positions + shift)
        assert np.allclose(red_place(going.draw(moment)), middle, atol=1.0)
    moved = replace(start, positions=start.positions + np.array([0.3, 0.1, 0.4]))
    assert not np.allclose(red_place(standing.draw(moved)), middle, atol=5.0)
    lost = replace(start, positions=np.full((1, 3), np.nan))
    assert np.allclose(going.eye_at(lost).target, apple.start)


def test_a_world_draws_what_it_is_asked_to_look_at(tmp_path: Path) -> None:
    with aw.World(
        parse_scene("DEBUGNAME apple\nBALL 0 0 100 10 0 0 FF0000\nBORDER -99 -99 99 99")
    ) as world:
        world.run(0.2)
        below = np.asarray(Image.open(world.draw(tmp_path / "a.png", target="apple", size=SIZE)))
        along = np.asarray(Image.open(world.draw(tmp_path / "b.png", follow="apple", size=SIZE)))
        assert np.allclose(red_place(along), (60, 80), atol=1.0)
        assert red_place(below)[0] > 64
        with pytest.raises(DescriptionError, match="two targets"):
            world.draw(tmp_path / "c.png", target="apple", follow="apple")
        with pytest.raises(DescriptionError, match="distance"):
            world.draw(tmp_path / "c.png", distance=-1.0)
        with pytest.raises(DescriptionError, match="apple"):
            world.draw(tmp_path / "c.png", target="pear")
