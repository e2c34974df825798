"""Every shipped cell does what its first line says, judged by where things end up."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.cells.seam import RADIUS, the_station
from armwerk.files import write_texts
from armwerk.language.exporting.export import ExportTarget
from armwerk.physics import SimulationSettings
from armwerk.scene import cells, parse_scene, read_scene, write_scene

# Simulated time within which a cell has done its task [s]; without robots: how long it is run.
TIME = {
    "drop_and_bounce": 1.2,
    "handover": 30.0,
    "ik_closed": 20.0,
    "ik_jacobian": 20.0,
    "ik_pref": 20.0,
    "ik_simplex": 20.0,
    "labyrinth": 12.0,
    "linear_axes": 60.0,
    "palletising": 120.0,
    "pick_and_place": 15.0,
    "ramp": 3.0,
    "seam": 20.0,
    "sheets": 60.0,
    "sorting": 60.0,
    "stress": 2.0,
    "ten_arms": 40.0,
    "tower": 50.0,
    "tripod": 30.0,
}
WITHOUT_ROBOTS = {"drop_and_bounce", "labyrinth", "ramp", "stress"}
Places = dict[str, np.ndarray]


class Ended:
    """What is left of a cell that has run: its world is closed, these are copies."""

    def __init__(self, world: aw.World) -> None:
        self.time = world.time
        self.places: Places = {
            name: np.array(thing.position) for name, thing in world.objects.items()
        }
        self.states = {robot.state for robot in world.robots.values()}
        self.errors = [robot.error for robot in world.robots.values() if robot.error]
        self.triggers = list(world.triggers)
        self.notes = list(world.notes)

    def texts(self) -> list[str]:
        return [text for _, _, text in self.triggers]


def run(name: str) -> Ended:
    with aw.World.load(name) as world:
        world.run(seconds=TIME[name], until=is_over)
        return Ended(world)


def is_over(world: aw.World) -> bool:
    robots = world.robots.values()
    return bool(robots) and all(robot.state != "running" for robot in robots)


@cache
def ended(name: str) -> Ended:
    return run(name)


def test_every_cell_is_known_here() -> None:
    assert set(cells()) == set(TIME)


@pytest.mark.parametrize("name", sorted(TIME))
def test_the_first_line_says_what_it_is(name: str) -> None:
    path = read_scene(name).file
    assert path is not None
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("// ")
    assert 20 < len(first) <= 100


@pytest.mark.parametrize("name", sorted(TIME))
def test_a_cell_written_reads_back_equal(name: str) -> None:
    scene = read_scene(name)
    assert parse_scene(write_scene(scene)) == scene


@pytest.mark.parametrize("name", sorted(set(TIME) - WITHOUT_ROBOTS))
def test_controllers_end_in_time_and_are_content(name: str) -> None:
    end = ended(name)
    assert end.errors == []
    assert end.states == {"done"}
    assert end.time < TIME[name]


def near(place: np.ndarray, *goal: float, within: float) -> bool:
    return bool(np.abs(place - np.array(goal)).max() < within)


def in_box(place: np.ndarray, x: float, y: float, side: float, top: float) -> bool:
    return bool(
        abs(place[0] - x) < side / 2 and abs(place[1] - y) < side / 2 and 0 < place[2] < top
    )


def test_balls_rise_to_the_square_of_their_bounce() -> None:
    peaks = {"clay": 0.3**2, "rubber": 0.6**2, "glass": 0.9**2}
    landing = np.sqrt(2 * 1.0 / 9.81)
    highest = dict.fromkeys(peaks, 0.0)
    with aw.World.load("drop_and_bounce") as world:
        world.run(seconds=landing + 0.02)
        while world.time < landing * 3 - 0.05:  # until the liveliest comes down again
            world.step()
            for name, peak in peaks.items():
                if world.time < landing + 1.9 * landing * np.sqrt(peak):  # before it lands again
                    height = world.objects[name].position[2] - 0.04
                    highest[name] = max(highest[name], float(height))
        brick = np.array(world.objects["brick"].position)
    assert highest == pytest.approx(peaks, rel=0.01)
    assert near(brick, 0.6, 0.0, 0.03, within=0.002)


def test_the_ramp_obeys_the_laws_of_rolling_and_sliding() -> None:
    end = ended("ramp")
    moments = {text: time for time, _, text in end.triggers}
    angle = np.arctan(0.25)
    rolling = 5 / 7 * 9.81 * np.sin(angle)
    ways = np.array([0.10, 0.90]) / np.cos(angle)  # from the start to the two barriers
    expected = np.sqrt(2 * ways / rolling)
    measured = [moments["UPPER"], moments["LOWER"]]
    assert measured == pytest.approx(expected, rel=0.01)
    x, y, z = end.places["resting"]
    assert near(end.places["resting"][:2], -0.40, -0.10, within=0.01)
    assert z > 0.2
    x, y, z = end.places["sliding"]
    assert x > 0.15  # at the foot
    assert z < 0.05
    assert abs(y - 0.6) < 0.05


def test_the_ball_leaves_the_labyrinth() -> None:
    end = ended("labyrinth")
    assert end.texts() == ["GOAL"]
    place = end.places["marble"]
    assert near(place[:2], -0.80, 0.0, within=0.12)
    assert 0.029 < place[2] < 0.045


def test_two_hundred_things_come_to_rest_where_they_may() -> None:
    end = ended("stress")
    places = np.array(list(end.places.values()))
    assert len(places) == 200
    assert np.isfinite(places).all()
    assert np.abs(places[:, :2]).max() < 1.3
    assert places[:, 2].min() > 0.02  # nothing sank in
    assert places[:, 2].max() < 0.35  # everything fell


def _pick_and_place(end: Ended) -> bool:
    return in_box(end.places["ball"], 0.25, 0.35, 0.16, 0.04)


def _tower(end: Ended) -> bool:
    return all(
        near(end.places[f"cuboid{k}"], 0.38, -0.12, 0.02 + 0.04 * k, within=0.003) for k in range(5)
    )


def _sorting(end: Ended) -> bool:
    red = [end.places[f"red{k}"] for k in (1, 2, 3)]
    blue = [end.places[f"blue{k}"] for k in (1, 2, 3)]
    return all(in_box(place, 0.45, -0.64, 0.22, 0.2) for place in red) and all(
        in_box(place, -0.42, 0.05, 0.22, 0.2) for place in blue
    )


def _handover(end: Ended) -> bool:
    return near(end.places["bar"], 0.30, 0.28, 0.095, within=0.005)


def _sheets(end: Ended) -> bool:
    piles = {"wood2": -0.33, "wood1": -0.33, "steel2": 0.33, "steel1": 0.33}
    heights = {"wood2": 0.065, "wood1": 0.075, "steel2": 0.065, "steel1": 0.075}
    return all(near(end.places[k], x, 0.27, heights[k], within=0.002) for k, x in piles.items())


def _linear_axes(end: Ended) -> bool:
    goals = {(x, y, z) for x in (1.24, 1.36) for y in (0.555, 0.645) for z in (0.575, 0.625)}
    found = {
        goal for goal in goals for place in end.places.values() if near(place, *goal, within=0.003)
    }
    return found == goals


def _palletising(end: Ended) -> bool:
    goals = [
        (0.33 + (k - 1.5) * 0.078, 0.19 + (j - 1.0) * 0.058, 0.075 + i * 0.03)
        for i in range(2)
        for j in range(3)
        for k in range(4)
    ]
    return len(end.places) == 24 and all(
        sum(near(place, *goal, within=0.003) for place in end.places.values()) == 1
        for goal in goals
    )


def _ten_arms(end: Ended) -> bool:
    good = 0
    for robot in range(10):
        for k in range(5):
            x = robot % 5 * 0.8 + (k - 2) * 0.08
            y = robot // 5 * 0.9 + 0.40
            upper, lower = (end.places[f"cuboid{10 * robot + k + add}"] for add in (0, 5))
            good += near(upper, x, y, 0.0525, within=0.003)
            good += near(lower, x, y, 0.0175, within=0.003)
    return good == 100


def _tripod(end: Ended) -> bool:
    return all(in_box(place, -0.27, 0.0, 0.28, 0.08) for place in end.places.values())


def _ik(height: float) -> Callable[[Ended], bool]:
    return lambda end: near(end.places["cuboid0"], 0.42, 0.15, height, within=0.005)


TASKS: dict[str, Callable[[Ended], bool]] = {
    "handover": _handover,
    "ik_closed": _ik(0.22),
    "ik_jacobian": _ik(0.22),
    "ik_pref": _ik(0.22),
    "ik_simplex": _ik(0.62),
    "linear_axes": _linear_axes,
    "palletising": _palletising,
    "pick_and_place": _pick_and_place,
    "sheets": _sheets,
    "sorting": _sorting,
    "ten_arms": _ten_arms,
    "tower": _tower,
    "tripod": _tripod,
}


@pytest.mark.parametrize("name", sorted(TASKS))
def test_the_task_is_done(name: str) -> None:
    end = ended(name)
    places = {name: place.round(4).tolist() for name, place in end.places.items()}
    assert TASKS[name](end), places


@pytest.mark.parametrize("maker", ["krl", "rapid", "urscript"])
def test_the_program_palletises_after_its_way_through(maker: ExportTarget, tmp_path: Path) -> None:
    scene = read_scene("palletising")
    assert scene.file is not None
    files = aw.irl.load(scene.file.with_suffix(".irl")).export(maker)
    program = write_texts(tmp_path, files)[0]
    with aw.World(scene, robots={0: str(program)}) as world:
        world.run(seconds=TIME["palletising"], until=is_over)
        end = Ended(world)
    assert end.errors == []
    assert _palletising(end)


def test_fingers_that_press_on_a_ball_come_to_rest_at_once() -> None:
    """Six balls; a program that waits long for its fingers takes twice the time."""
    assert ended("sorting").time < 30.0


def test_the_handover_is_agreed_on_by_triggers() -> None:
    said = [(instance, text) for _, instance, text in ended("handover").triggers]
    assert said == [(1, "HOLDING"), (0, "MINE"), (1, "YOURS")]


def test_the_sorting_processor_stops_its_belts() -> None:
    sent = [(instance, text) for _, instance, text in ended("sorting").triggers]
    feeder = [text for instance, text in sent if instance == 10]
    outlet = [text for instance, text in sent if instance == 11]
    assert feeder == ["STOP", "RUN"] * 6
    assert outlet[-1] == "STOP"
    assert outlet.count("RUN") == 3


@pytest.mark.parametrize("name", ["pick_and_place", "sorting"])
def test_two_runs_are_equal_to_the_last_bit(name: str) -> None:
    first, second = ended(name), run(name)
    assert first.time == second.time
    assert first.triggers == second.triggers
    for thing, place in first.places.items():
        assert place.tobytes() == second.places[thing].tobytes()


def test_after_a_reset_the_same_happens_again() -> None:
    with aw.World.load("handover") as world:
        world.run(seconds=2.0)  # in the middle of it
        world.reset()
        world.run(seconds=TIME["handover"], until=is_over)
        again = Ended(world)
    first = ended("handover")
    assert again.states == {"done"}
    assert again.triggers == first.triggers
    assert again.places["bar"].tobytes() == first.places["bar"].tobytes()


@pytest.mark.parametrize("name", ["pick_and_place", "tower", "handover", "sorting", "ik_pref"])
def test_without_friction_the_controllers_notice_that_they_failed(name: str) -> None:
    """Nothing is glued to a gripper, and no controller is content with a task not done."""
    with aw.World.load(name, settings=SimulationSettings(pad_friction=0.0)) as world:
        world.run(seconds=TIME[name] + 40.0, until=is_over)
        assert "failed" in {robot.state for robot in world.robots.values()}


def test_pick_and_place_understands_lines() -> None:
    with aw.World.load("pick_and_place") as world:
        world.run(seconds=0.1)
        world.send_line(0, "where")
        world.send_line(0, "speed 20")
        world.send_line(0, "dance")
        world.run(seconds=0.1)
        texts = [note.text for note in world.notes]
        assert any("ball at" in text for text in texts)
        assert any("speed 20%" in text for text in texts)
        assert any("I understand" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "could not convert string to float: '', got ''"),
        ("box=", "could not convert string to float: ''"),
        ("box=1", "not enough values to unpack"),
        ("bin=1,2", "CONFIG is 'box=x,y' in cm, got 'bin=1,2'"),
    ],
)
def test_a_wrong_configuration_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = read_scene("pick_and_place").file
    assert path is not None
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.startswith("CONFIG")]
    (tmp_path / "mine.env").write_text("\n".join([*lines, f"CONFIG {text}".rstrip()]) + "\n")
    (tmp_path / "pick_and_place.py").write_text(path.with_suffix(".py").read_text())
    with pytest.raises(aw.ArmwerkError, match=re.escape(why)):
        aw.World.load(tmp_path / "mine.env")


def test_the_torch_stays_on_the_ring_while_table_and_rail_move() -> None:
    station = the_station(1.25, 0.03)
    off, angles, rides = [], [], []
    with aw.World.load("seam") as world:
        world.run(seconds=TIME["seam"], until=lambda w: len(w.triggers) == 2)  # both are ready
        for _ in range(40):
            world.run(seconds=0.1, until=is_over)
            arm = world.robots[1].q
            tool = station.world(np.concatenate([[0.0, 0.0], arm])).tool[:3, 3]
            ring = world.objects["ring"]
            point = ring.rotation.T @ (tool - ring.position)  # on the work piece
            off.append([abs(np.hypot(*point[:2]) - RADIUS), abs(point[2] - 0.015)])
            angles.append(np.arctan2(point[1], point[0]))
            rides.append(arm[0])
    assert np.max(off) < 5e-4
    assert np.ptp(np.unwrap(angles)) > 2.0
    assert np.ptp(rides) > 0.05
