"""Names of things and obstacles: whatever a cell calls them, the engine keeps them apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.cell.moments import Moments, header_of
from armwerk.cell.record import Recorder, Recording
from armwerk.errors import DescriptionError
from armwerk.physics.names import obstacle_name, spoken_name, thing_name
from armwerk.scene import parse_scene
from armwerk.scene.scene import Ball, Circle, Polygon, Scene, Step

NASTY = [
    "floor",
    "world",
    "worldbody",
    "cell",
    "border_left",
    "border_back",
    "r0",
    "r0_hand",
    "r0_touch0",
    "r0_q1",
    "r0_tie0a",
    "step0",
    "step1",
    "ball0",
    "ball1",
    "cuboid0",
    "step0.1",
    "thing/floor",
    "obstacle/x",
    "obstacle1/x",
    "x",
    "x.1",
    "x.y",
    "0",
    "-1",
    "nan",
    "None",
    "[b]",
    "%s{0}",
    "ü",
    "漢字",
    "🤖",
    "a" * 60,
]
HEAD = "BORDER -300 -300 300 300\nROBOT 0 -60 0\nGRIPPER parallel_gripper\n"


def bodies(kind: str, k: int) -> str:
    x, y = -250 + 15 * k, 100
    if kind == "BALL":
        return f"BALL {x} {y} 20 3 0.1 0.5 FF0000\n"
    if kind == "CUBOID":
        return f"CUBOID {x} {y} 20 4 4 4 FF0000\n"
    if kind == "POLY":  # not convex: two pieces of the engine
        y += 60
        corners = f"{x} {y} {x + 8} {y} {x + 8} {y + 8} {x + 4} {y + 2} {x} {y + 8}"
        return f"STEP 10 808080 POLY 5 {corners} ENDSTEP\n"
    return f"CONVEYOR 20 RUN 5 8 x 10 0 808080 RECT {x} {y} 8 8 ENDCONVEYOR\n"


@pytest.mark.parametrize("kind", ["BALL", "CUBOID", "POLY", "CONVEYOR"])
def test_every_name_builds_runs_records_and_draws(kind: str, tmp_path: Path) -> None:
    text = HEAD + "".join(f"DEBUGNAME {n}\n{bodies(kind, k)}" for k, n in enumerate(NASTY))
    text += bodies("BALL", 35) + bodies("POLY", 36)  # without names: they give way
    scene = parse_scene(text)
    with aw.World(scene) as world:
        world.run(0.02)
        if kind in {"BALL", "CUBOID"}:
            assert [name for name in world.objects][: len(NASTY)] == NASTY
            for k, name in enumerate(NASTY):
                assert world.objects[name].position[0] == pytest.approx(-2.5 + 0.15 * k)
        moments = Moments(world)
        path = tmp_path / "run.jsonl"
        with Recorder(path, header_of(world, "nasty")) as recorder:
            recorder.state(moments.now())
        recording = Recording.load(path)
        assert recording.header.things == tuple(scene.names())
        again = parse_scene(recording.header.environment)
        assert list(again.obstacle_names()) == list(scene.obstacle_names())
        assert world.draw(tmp_path / "nasty.png", size=(64, 48)).stat().st_size > 0


def ball(name: str, x: float) -> Ball:
    return Ball((x, 0.0, 0.1), 0.05, 0.1, 0.5, "FF0000", name)


def test_a_thing_and_an_obstacle_of_one_name_stay_two() -> None:
    step = Step(Circle((1.0, 1.0), 0.1), 0.1, "808080", "same")
    with aw.World(Scene(things=(ball("same", 0.0),), obstacles=(step,))) as world:
        world.run(0.1)
        np.testing.assert_allclose(world.objects["same"].position[:2], 0.0, atol=1e-12)
        model = world.simulation.model
        assert model.geom("thing/same").id != model.geom("obstacle/same").id


@pytest.mark.parametrize("name", ["a b", "", " ", "a/b", "'", '"', "\\"])
def test_names_no_file_can_hold_work_in_code(name: str) -> None:
    with aw.World(Scene(things=(ball(name, 0.0), ball("floor", 1.0)))) as world:
        world.run(0.01)
        assert (name or "ball0") in world.objects


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "\ud800"])
def test_names_the_engine_cannot_hold_are_refused(name: str) -> None:
    with pytest.raises(DescriptionError, match="cannot be written"):
        aw.World(Scene(things=(ball(name, 0.0),)))


def test_a_name_given_twice_is_refused_with_the_name() -> None:
    with pytest.raises(DescriptionError, match=r"'twin'.*2 bodies"):
        aw.World(Scene(things=(ball("twin", 0.0), ball("twin", 1.0))))
    hexagon = Polygon(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
    one = Step(hexagon, 0.1, "808080", "twin")
    with pytest.raises(DescriptionError, match=r"'twin'.*3 bodies"):
        aw.World(Scene(obstacles=(one, replace(one, height=0.2), replace(one, height=0.3))))


@pytest.mark.parametrize("name", [*NASTY, "a\nb"])
def test_names_come_back_from_the_engine_as_they_were(name: str) -> None:
    assert spoken_name(thing_name(name)) == name
    assert spoken_name(obstacle_name(name)) == name
    assert spoken_name(obstacle_name(name, 12)) == name
    assert obstacle_name("x.1") != obstacle_name("x", 1)
