"""``armwerk station``: axes, solutions, motions of arm, rail and table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli import app
from armwerk.cli.arguments import goal
from armwerk.cli.units import Units

RUN = CliRunner()
SEAM = str(Path(__file__).parents[2] / "examples" / "stations" / "seam.toml")
POSE = "0.1 0 0.2 0 120 0"


def answered(*words: str, code: int = 0) -> dict[str, Any]:
    result = RUN.invoke(app, ["station", *words, "--json"])
    assert result.exit_code == code, result.stderr + result.stdout
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_stations_are_listed_and_shown(tmp_path: Path) -> None:
    assert set(answered()) == {"rail_station", "welding_station"}
    assert "turn, tilt, rail" in RUN.invoke(app, ["station"]).stdout
    axes = answered("rail_station")["axes"]
    assert [axis["external"] for axis in axes] == [True] * 3 + [False] * 6
    picture = tmp_path / "station.png"
    shown = RUN.invoke(app, ["station", "rail_station", "--plot", str(picture)])
    assert "carries the arm" in shown.stdout
    with Image.open(picture) as image:
        assert image.size[0] > 400


def test_the_way_to_the_solutions_is_explained() -> None:
    words = RUN.invoke(app, ["station", "kr16_rail", "--explain"]).stdout
    assert "T_mount_tool = T_mount_piece(e) T_piece_tool" in words
    assert "-rail" in words
    assert "theta" in words or "θ1" in words
    assert answered("kr16_rail", "--explain")["explanation"]


def test_every_solution_for_table_angles() -> None:
    data = answered("welding_station", "--pose", POSE, "--external", "turn=30 tilt=45")
    model = aw.StationModel("welding_station")
    for row in data["solutions"]:
        assert row[:2] == pytest.approx(np.deg2rad([30, 45]))
        np.testing.assert_allclose(model.fk(row), goal(POSE, Units()), atol=1e-9)
    assert len(data["solutions"]) == 2


def test_no_solution_says_where_the_rail_may_stand() -> None:
    words = ["kr16_rail", "--pose", "1.2 0.5 0.9 0 90 0", "--external", "rail=-1.9"]
    ((low, high),) = answered(*words, code=1)["reaching"]["rail"]
    assert low < 0.5 < high
    result = RUN.invoke(app, ["station", *words])
    assert result.exit_code == 1
    assert f"rail from {low:.6f} to {high:.6f} m would reach it" in result.stdout


def test_a_table_of_trajectories_in_flat_position(tmp_path: Path) -> None:
    file = tmp_path / "seam.csv"
    data = answered("welding_station", "--move", SEAM, "--external", "flat", "--save", str(file))
    assert [axis["name"] for axis in data["axes"]][:2] == ["turn", "tilt"]
    assert data["tool"]["speed"] == pytest.approx(0.02, rel=1e-2)
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    model = aw.StationModel("welding_station")
    q = rows[:, 1:9]
    np.testing.assert_allclose(q[0], data["start"], atol=1e-12)
    assert np.rad2deg(np.arccos(np.clip(-model.world(q).tool[:, 2, 2], -1, 1))).max() < 0.2


def test_values_along_the_path() -> None:
    words = ["welding_station", "--move", SEAM, "--external", "turn=120,140,170 tilt=30"]
    travel = {axis["name"]: axis["travel"] for axis in answered(*words)["axes"]}
    assert travel["turn"] == pytest.approx(np.deg2rad(50))
    assert travel["tilt"] == 0.0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing"], "welding_station"),
        (["kr16"], "no external axes"),
        (["welding_station", "--external", "lift=3"], "turn, tilt"),
        (["welding_station", "--external", "turn=x"], "numbers"),
        (["welding_station", "--external", "flat"], "--move"),
        (["welding_station", "--pose", "0 0 1"], "six numbers"),
        (["welding_station", "--pose", POSE, "--external", "turn=1,2"], "one value"),
        (["welding_station", "--pose", POSE, "--move", SEAM], "take one"),
        (["welding_station", "--move", "none.toml"], "none.toml"),
        (["welding_station", "--plot", "station.gif"], ".png"),
    ],
)
def test_wrong_words_are_refused(words: list[str], told: str) -> None:
    result = RUN.invoke(app, ["station", *words])
    assert result.exit_code == 2, result.stdout
    assert told in result.stderr
