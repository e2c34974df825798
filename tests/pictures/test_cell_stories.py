"""What happens in a shipped cell can be seen in its picture."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import mujoco
import numpy as np
import pytest

import armwerk as aw
from armwerk.cell.moments import Moments, drawn_robots
from armwerk.physics import Simulation
from armwerk.pictures.cell import SIZE, VIEW, CellPicture, Moment, start_of
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


def _inside(name: str, moment: Moment) -> bool:
    scene = read_scene(name)
    robots, _ = drawn_robots(scene)
    picture = CellPicture(scene, robots)
    points = triangles(picture.solids(moment)).corners.reshape(-1, 3)
    focal = min(SIZE) / 2 / np.tan(VIEW / 2)
    seen = picture.eye.project(points) / picture.eye.distance * focal
    return bool((np.abs(seen) <= np.array(SIZE) / 2).all())


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("ramp", 8.0), ("drop_and_bounce", 5.0), ("tripod", 12.0), ("handover", 8)],
)
def test_everything_that_moves_is_in_the_last_picture(name: str, seconds: float) -> None:
    with aw.World.load(name) as world:
        world.run(seconds)
        assert _inside(name, Moments(world).now())


def _pixels(name: str, thing: str, moment: Moment) -> int:
    """How many pixels of the picture belong to a thing: those that change when it is far away."""
    scene = read_scene(name)
    robots, _ = drawn_robots(scene)
    index = list(scene.names()).index(thing)
    away = moment.positions.copy()
    away[index, 2] -= 10.0  # under the floor
    pictures = [
        CellPicture(scene, robots).draw(one).astype(int)
        for one in (moment, replace(moment, positions=away))
    ]
    colour = np.array(list(bytes.fromhex(scene.things[index].colour)))
    changed = np.abs(pictures[0] - pictures[1]).max(axis=-1) > 24
    strongest = int(colour.argmax())  # its shadow changes too, but is grey
    return int((changed & (pictures[0].argmax(axis=-1) == strongest)).sum())


@pytest.mark.parametrize("thing", ["cuboid0", "cuboid3", "cuboid7"])
def test_cuboids_of_the_gantry_are_seen(thing: str) -> None:
    assert _pixels("linear_axes", thing, start_of(read_scene("linear_axes"))) >= 60


@pytest.mark.parametrize(("thing", "x", "y"), [("red1", 0.45, -0.64), ("blue1", -0.42, 0.05)])
def test_balls_in_their_bins_are_seen(thing: str, x: float, y: float) -> None:
    scene = read_scene("sorting")
    moment = start_of(scene)
    positions = moment.positions.copy()
    positions[list(scene.names()).index(thing)] = x, y, 0.025
    assert _pixels("sorting", thing, replace(moment, positions=positions)) >= 20


def _nearest(simulation: Simulation, ones: list[int], others: list[int]) -> float:
    model, data = simulation.model, simulation.data
    return min(
        float(mujoco.mj_geomDistance(model, data, one, other, 1.0, None))
        for one in ones
        for other in others
    )


def _geoms(simulation: Simulation, body: str) -> list[int]:
    model = simulation.model
    bodies = [model.body(model.geom_bodyid[geom]).name for geom in range(model.ngeom)]
    return [geom for geom, name in enumerate(bodies) if name.startswith(body)]


def test_arms_of_the_handover_start_apart() -> None:
    with aw.World.load("handover") as world:
        simulation = world.simulation
        ones, others = _geoms(simulation, "r0"), _geoms(simulation, "r1")
        assert _nearest(simulation, ones, others) > 0.1


def test_legs_of_the_tripod_stay_clear_of_the_plates() -> None:
    with aw.World.load("tripod") as world:
        simulation = world.simulation
        names = list(world.scene.obstacle_names())[:2]
        plates = [simulation.model.geom(f"obstacle/{name}").id for name in names]
        legs = _geoms(simulation, "r0_")
        least: list[float] = []
        world.observe(lambda: least.append(_nearest(simulation, legs, plates)), 0.05)
        world.run(10.0)
        assert min(least) > 0.002
