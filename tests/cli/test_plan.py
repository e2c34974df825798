"""``armwerk plan``: paths, files, JSON, and what is said when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli import app
from armwerk.collision import Checker
from armwerk.pictures.palette import WHITE, mixed, solution_colour

RUN = CliRunner()
START, GOAL = "-60 -90 90 -90 -90 0", "60 -90 90 -90 -90 0"
TOOL_OF_START = aw.model("ur5e").fk(np.deg2rad([-60, -90, 90, -90, -90, 0]))[:3, 3]


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    wall = aw.Box((0.04, 0.6, 0.9), (-0.45, 0.0, 0.45), name="wall")
    aw.Bodies([wall]).save(tmp_path / "cell.toml")
    return tmp_path / "cell.toml"


def test_a_table_a_trajectory_and_a_picture(cell: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "way.csv", tmp_path / "way.png"
    words = ["plan", "ur5e", "--bodies", str(cell), "--from", START, "--to", GOAL]
    result = RUN.invoke(app, [*words, "--out", str(out), "--plot", str(plot)])
    assert result.exit_code == 0, result.stderr
    assert "waypoints" in result.stdout
    assert "found by rrt-connect in" in result.stdout
    assert "to wall at" in result.stdout
    with Image.open(plot) as picture:
        image = np.asarray(picture.convert("RGB"), dtype=np.float64) / 255.0
    ratio = image / np.array(mixed(solution_colour(0), WHITE, 0.55))  # shades of the wall's colour
    wall = (np.ptp(ratio, axis=2) < 0.02) & (ratio.min(axis=2) > 0.2)
    assert np.count_nonzero(wall) > 20_000
    arm = aw.load("ur5e")
    motion = aw.Trajectory.load(out, arm)
    assert aw.check(motion, arm, aw.Bodies.load(cell)).free


def test_json_and_seeds(cell: Path) -> None:
    words = ["plan", "ur5e", "--bodies", str(cell), "--from", START, "--to", GOAL, "--json"]
    one, two = (json.loads(RUN.invoke(app, [*words, "--seed", "3"]).stdout) for _ in range(2))
    assert one["waypoints"] == two["waypoints"]
    assert one["free"] is True
    assert one["smallest_distance"]["body"] == "wall"
    checker = Checker(aw.load("ur5e"), aw.Bodies.load(cell))
    assert not checker.contacts(np.array(one["waypoints"])).any()
    kept = json.loads(RUN.invoke(app, [*words, "--margin", "30", "--mm"]).stdout)
    assert kept["smallest_distance"]["value"] > 0.03


def test_a_pose_without_bodies() -> None:
    words = ["plan", "ur5e", "--from", START, "--pose", "-0.4 0.3 0.4 0 180 0", "--json"]
    result = RUN.invoke(app, words)
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    tool = aw.model("ur5e").fk(np.array(data["waypoints"][-1]))
    np.testing.assert_allclose(tool[:3, 3], [-0.4, 0.3, 0.4], atol=1e-9)
    assert data["smallest_distance"] is None


def test_no_path_is_exit_code_1(tmp_path: Path) -> None:
    aw.Bodies([aw.Sphere(0.05, TOOL_OF_START, name="ball")]).save(tmp_path / "ball.toml")
    words = ["plan", "ur5e", "--bodies", str(tmp_path / "ball.toml"), "--from", START]
    result = RUN.invoke(app, [*words, "--to", GOAL])
    assert result.exit_code == 1
    assert "the start is in contact: link" in result.stderr
    result = RUN.invoke(app, ["plan", "ur5e", "--from", START, "--pose", "3 0 0"])
    assert result.exit_code == 1
    assert "no inverse solution" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "0 0"], "needs 6 numbers"),
        (["--to", "0 0 0 0 0 nan"], "not finite"),
        ([], "give a goal by --to"),
        (["--to", GOAL, "--pose", "0 0 0"], "and not by both"),
        (["--to", GOAL, "--bodies", "nowhere.toml"], "nowhere.toml"),
        (["--to", GOAL, "--out", "way.txt"], "unknown ending"),
        (["--to", GOAL, "--plot", "way.gif"], "picture"),
        (["--to", GOAL, "--planner", "best"], "rrt-connect"),
        (["--to", GOAL, "--seconds", "0"], "seconds"),
        (["--to", GOAL, "--axes", "a,b"], "--axes"),
        (["--to", "0 0 900 0 0 0"], "beyond its limits"),
    ],
)
def test_bad_input_is_exit_code_2(words: list[str], said: str) -> None:
    result = RUN.invoke(app, ["plan", "ur5e", "--from", START, *words])
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_help_shows_an_example() -> None:
    result = RUN.invoke(app, ["plan", "--help"])
    assert result.exit_code == 0
    assert "armwerk plan ur5e --from" in result.stdout
