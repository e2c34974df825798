"""``armwerk ptp``: summary, files, units, reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli import app
from armwerk.pictures.palette import solution_colour
from seen import mask, runs_along

RUN = CliRunner()
WIDE = {"COLUMNS": "160"}
START, GOAL = "0 0 0 0 0 0", "90 -45 30 0 60 0"


def answered(*words: str) -> dict[str, Any]:
    result = RUN.invoke(app, ["ptp", *words, "--json"])
    assert result.exit_code == 0, result.stderr + result.stdout
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_the_table_shows_duration_peaks_and_the_leading_axis() -> None:
    result = RUN.invoke(app, ["ptp", "puma560", "--from", START, "--to", GOAL], env=WIDE)
    assert result.exit_code == 0, result.stderr
    expected = aw.ptp("puma560", np.zeros(6), np.deg2rad([90, -45, 30, 0, 60, 0])).duration
    assert f"{expected:.4f} s" in result.stdout
    leading = next(line for line in result.stdout.splitlines() if "waist *" in line)
    assert leading.split()[-3:] == ["100.0", "100.0", "100.0"]
    assert "90.0000" in leading


def test_json_is_in_radians_and_shares() -> None:
    data = answered("puma560", "--from", START, "--to", GOAL, "--sync", "full", "--profile", "sine")
    goal = np.deg2rad([90, -45, 30, 0, 60, 0])
    expected = aw.ptp("puma560", np.zeros(6), goal, "full", "sine")
    assert data["duration"] == pytest.approx(expected.duration)
    assert data["leading"] == "waist"
    assert [axis["travel"] for axis in data["axes"]] == pytest.approx(np.abs(goal))
    assert max(axis["share"]["velocity"] for axis in data["axes"]) == pytest.approx(1.0)


def test_units_of_turning_and_sliding_joints() -> None:
    degrees = answered("scara", "--from", "0 0 0 0", "--to", "60 -40 0.1 90")
    goal = f"{np.deg2rad(60)} {np.deg2rad(-40)} 100 {np.deg2rad(90)}"
    radians = answered("scara", "--from", "0 0 0 0", "--to", goal, "--radians", "--mm")
    assert degrees == radians
    assert [axis["unit"] for axis in degrees["axes"]] == ["rad", "rad", "m", "rad"]
    assert degrees["axes"][2]["travel"] == pytest.approx(0.1)


def test_overrides_and_wished_duration() -> None:
    quick = answered("puma560", "--from", START, "--to", GOAL)["duration"]
    slow = answered("puma560", "--from", START, "--to", GOAL, "--speed", "0.5")["duration"]
    assert slow > 1.5 * quick
    assert answered("puma560", "--from", START, "--to", GOAL, "--duration", "3")[
        "duration"
    ] == pytest.approx(3.0)
    soft = answered("puma560", "--from", START, "--to", GOAL, "--acceleration", "0.3")
    assert soft["duration"] > quick


def test_an_early_axis_with_velocity_is_noticed() -> None:
    words = ("planar_rr", "--from", "0 0", "--to", "90 20", "--sync", "async", "--v1", "0 10")
    data = answered(*words)
    assert len(data["notices"]) == 1
    assert "beyond it at the end" in data["notices"][0]
    result = RUN.invoke(app, ["ptp", *words], env=WIDE)
    assert "notice: " in result.stdout


def test_files_are_written(tmp_path: Path) -> None:
    table, picture = tmp_path / "ptp.csv", tmp_path / "ptp.png"
    words = ["ptp", "puma560", "--from", START, "--to", GOAL, "--cycle", "0.01"]
    result = RUN.invoke(app, [*words, "--save", str(table), "--plot", str(picture)])
    assert result.exit_code == 0, result.stderr
    assert f"trajectory: {table}" in result.stdout.replace("\n", "")
    for joint in (0, 1, 2, 4):  # those that move; the curves of the others lie over each other
        assert runs_along(mask(picture, solution_colour(joint)), 200) >= 1
    motion = aw.Trajectory.load(table)
    assert motion.sample(motion.duration)[0][:2] == pytest.approx(np.deg2rad([90, -45]))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--from", START, "--to", "500 0 0 0 0 0"], "joint 'waist': q1 = 8.72665 is beyond"),
        (["--from", START, "--to", "1 2 3"], "needs 6 numbers"),
        (["--from", START, "--to", GOAL, "--duration", "0.1"], "shortest possible is 1.555"),
        (["--from", START, "--to", GOAL, "--speed", "2"], "speed must be above 0 and at most 1"),
        (["--from", START, "--to", GOAL, "--save", "x.txt"], "unknown ending"),
        (["--from", START, "--to", GOAL, "--plot", "x.txt"], "unknown picture format"),
        (["--from", START, "--to", GOAL, "--sync", "both"], "both"),
    ],
)
def test_wrong_input_ends_with_2(words: list[str], reason: str) -> None:
    result = RUN.invoke(app, ["ptp", "puma560", *words], env=WIDE)
    assert result.exit_code == 2, result.stdout
    assert reason in " ".join(result.stderr.split())


def test_help_has_an_example() -> None:
    result = RUN.invoke(app, ["ptp", "--help"])
    assert "armwerk ptp puma560 --from" in result.stdout
