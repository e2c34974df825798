"""``armwerk move``: a table on the command line."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from armwerk.cli.app import app
from armwerk.pictures.palette import solution_colour
from seen import mask

TEXT = """
[settings]
speed = 0.2
blend = "10 mm"

[[help_point]]
name = "H1"
point = [0.38, 0.2, 0.32]

[[trajectory]]
kind = "start"
point = [0.4, 0.0, 0.3]
inclination = "-35 deg"

[[trajectory]]
kind = "linear"
point = [0.4, 0.1, 0.3]
inclination = "-30 deg"

[[trajectory]]
kind = "circle"
point = [0.3, 0.3, 0.3]
inclination = "-30 deg"
help = "H1"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["move", *map(str, words)])


def test_table_and_files(file: Path, tmp_path: Path) -> None:
    picture, saved = tmp_path / "move.png", tmp_path / "move.csv"
    words = ["--arm", "five_axis", "--plot", picture, "--save", saved, "--cycle", "0.01"]
    result = run(file, *words)
    assert result.exit_code == 0, result.output
    assert "inclination" in result.output
    assert re.search(r"tool: up to 0\.(2|19\d*) m/s", result.output)
    for joint in range(5):  # a curve each
        assert mask(picture, solution_colour(joint)).sum() > 300
    assert saved.read_text(encoding="utf-8").count("\n") > 50


def test_json(file: Path) -> None:
    result = run(file, "--arm", "five_axis", "--json", "--profile", "sine")
    assert result.exit_code == 0, result.output
    data = json.loads(result.output)
    assert data["duration"] > 1.0
    assert 0.0 < data["tool"]["speed"] <= 0.2 * (1 + 1e-9)
    for axis in data["axes"]:
        assert max(axis["share"].values()) <= 1.0 + 1e-6


def test_errors_are_one_line(file: Path) -> None:
    file.write_text(TEXT.replace('help = "H1"', 'help = "H7"'), encoding="utf-8")
    result = run(file, "--arm", "five_axis")
    assert result.exit_code != 0
    assert "help point 'H7' is missing" in result.output
    assert "Traceback" not in result.output
    file.write_text(TEXT.replace("kind", "kinds"), encoding="utf-8")
    result = run(file, "--arm", "five_axis")
    assert "table.toml:11" in result.output


@pytest.mark.parametrize("cycle", ["0", "-1", "nan", "1e-12"])
def test_a_wrong_cycle_is_refused(file: Path, cycle: str) -> None:
    result = run(file, "--arm", "five_axis", "--cycle", cycle)
    assert result.exit_code == 2
    assert "the cycle must be" in result.output


def test_the_start_is_chosen_and_said(file: Path, tmp_path: Path) -> None:
    result = run(file, "--arm", "five_axis")
    assert "start: chosen " in result.output
    assert "within the limits" in result.output
    data = json.loads(run(file, "--arm", "five_axis", "--json").output)
    assert len(data["start"]) == 5
    words = " ".join(str(57.29577951308232 * value) for value in data["start"])
    again = json.loads(run(file, "--arm", "five_axis", "--json", "--near", words).output)
    assert again["start"] == pytest.approx(data["start"], abs=1e-6)
    both = run(file, "--arm", "five_axis", "--near", words, "--from", words)
    assert both.exit_code == 2
    bodies = tmp_path / "bodies.toml"
    box = 'kind = "bodies"\n[[body]]\nkind = "box"\nname = "{}"\nsize = [0.1, 0.1, 0.1]\n'
    bodies.write_text(box.format("far") + "position = [2, 0, 0]\n", encoding="utf-8")
    result = run(file, "--arm", "five_axis", "--bodies", bodies)
    assert result.exit_code == 0
    assert "bodies: free; smallest distance" in result.output
    bodies.write_text(box.format("post") + "position = [0.3, 0.3, 0.3]\n", encoding="utf-8")
    result = run(file, "--arm", "five_axis", "--bodies", bodies)
    assert result.exit_code != 0
    assert "touches 'post'" in result.output


def test_the_list_of_points_is_written_as_rows_ask_for_it(file: Path, tmp_path: Path) -> None:
    text = TEXT.replace('inclination = "-30 deg"\n', 'inclination = "-30 deg"\npoints = 2\n', 1)
    file.write_text(text.replace("[settings]", "[settings]\npoints = 7"), encoding="utf-8")
    out = tmp_path / "points.csv"
    result = run(file, "--arm", "five_axis", "--points", out)
    assert result.exit_code == 0, result.output
    assert "points.csv" in result.output
    with out.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    # points between the ends, and the end: one more piece than points
    assert [row["segment"] for row in rows] == ["1"] * 3 + ["2"] * 8
    last = {key: float(value) for key, value in rows[-1].items()}
    assert [last["x [m]"], last["y [m]"], last["z [m]"]] == pytest.approx([0.3, 0.3, 0.3])
    assert last["inclination [deg]"] == pytest.approx(-30.0, abs=1e-6)
    assert last["phi [deg]"] == pytest.approx(45.0)
    assert last["speed [m/s]"] == pytest.approx(0.0, abs=1e-6)
    duration = json.loads(run(file, "--arm", "five_axis", "--json").output)["duration"]
    assert sum(float(row["time [s]"]) for row in rows) == pytest.approx(duration, rel=1e-6)
    assert "roll [rad]" in last


def test_orientation_of_all_rows(tmp_path: Path) -> None:
    """Three joints cannot incline their tool as a row says; they drive its place alone."""
    table = tmp_path / "table.toml"
    rows = "\n".join(
        f"[[trajectory]]\nkind = '{kind}'\npoint = {point}\ninclination = '-20 deg'\n"
        for kind, point in (("start", [0.3, 0.0, 0.3]), ("linear", [0.3, 0.1, 0.3]))
    )
    table.write_text(rows)
    runner = CliRunner()
    refused = runner.invoke(app, ["move", str(table), "--arm", "simple_arm"])
    assert refused.exit_code != 0
    driven = runner.invoke(
        app, ["move", str(table), "--arm", "simple_arm", "--orientation", "free", "--json"]
    )
    assert driven.exit_code == 0, driven.output
    assert any("freedoms" in words for words in json.loads(driven.stdout)["notices"])
