"""What happens in a shipped cell can be seen in its picture."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from armwerk.cell.moments import drawn_robots
from armwerk.pictures.cell import SIZE, VIEW, CellPicture, start_of
from armwerk.pictures.cell_solids import triangles
from armwerk.scene import cells, read_scene


@pytest.mark.parametrize("name", cells())
def test_everything_that_moves_is_in_the_first_picture(name: str) -> None:
    scene = read_scene(name)
    robots, missing = drawn_robots(scene)
    assert not missing
    picture = CellPicture(scene, robots)
    points = triangles(picture.solids(start_of(scene))).corners.reshape(-1, 3)
    focal = min(SIZE) / 2 / np.tan(VIEW / 2)
    seen = picture.eye.project(points) / picture.eye.distance * focal
    assert (np.abs(seen) <= np.array(SIZE) / 2).all()


def test_robots_of_one_cell_have_colours_that_differ() -> None:
    robots, _ = drawn_robots(read_scene("ten_arms"))
    for one, two in combinations(robots, 2):
        assert np.linalg.norm(np.subtract(one.tint, two.tint)) > 0.2, (one.index, two.index)


@pytest.mark.parametrize("name", ["ik_pref", "ik_closed", "ik_jacobian", "ik_simplex"])
def test_the_goal_on_the_table_is_seen(name: str) -> None:
    scene = read_scene(name)
    pixels = CellPicture(scene, size=SIZE).draw(start_of(scene)).astype(int)
    green = pixels[..., 1] - pixels[..., [0, 2]].max(axis=-1) > 40
    assert green.sum() > 60
