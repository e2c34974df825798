"""``armwerk reach``: table, JSON, files, units, reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli import app
from armwerk.geometry import Box

RUN = CliRunner()
WIDE = {"COLUMNS": "160"}


def answered(*words: str) -> dict[str, Any]:
    result = RUN.invoke(app, ["reach", *words, "--json"])
    assert result.exit_code == 0, result.stderr + result.stdout
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_the_table_says_what_is_reached() -> None:
    result = RUN.invoke(app, ["reach", "planar_rr", "--samples", "5000"], env=WIDE)
    assert result.exit_code == 0, result.stderr
    found = aw.reach("planar_rr", samples=5000)
    assert f"{found.reached:,} of 50 mm" in result.stdout
    assert "best manipulability [m²]" in result.stdout


def test_json_and_options(tmp_path: Path) -> None:
    table = tmp_path / "cell.toml"
    aw.Bodies([Box((0.3, 0.3, 0.4), (0.5, 0.1, 0.3))]).save(table)
    words = ["ur5e", "--bodies", str(table), "--cell", "10cm", "--steps", "4,4,4,3,2,1"]
    data = answered(*words, "--workers", "1", "--out", str(tmp_path / "reach.npz"))
    found = aw.reach("ur5e", aw.Bodies.load(table), cell=0.1, steps=(4, 4, 4, 3, 2, 1))
    assert data["tried"] == 384
    assert (data["touching"], data["reached"]) == (found.touching, found.reached)
    assert data["contact"] == "spheres"
    assert data["cell"] == pytest.approx(0.1)
    with np.load(tmp_path / "reach.npz") as kept:
        assert (kept["counts"] == found.counts).all()
    assert answered(*words, "--contact", "exact")["contact"] == "exact"


def test_inverse() -> None:
    data = answered("puma560", "--method", "inverse", "--cell", "250mm", "--orientations", "3")
    assert data["orientations"] == 3
    assert data["ways"] > 0
    assert answered("puma560", "--method", "inverse", "--cell", "0.25", "--orientations", "down")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["ur5e", "--cell", "5 miles"], "not a length"),
        (["ur5e", "--cell", "0"], "above 0 m"),
        (["ur5e", "--cell", "nan"], "not a length"),
        (["ur5e", "--cell", "0.01mm"], "voxels take"),
        (["ur5e", "--steps", "a,b"], "whole numbers"),
        (["ur5e", "--engine", "cloud"], "local, dask, or tcp://host:port"),
        (["nobody"], "nobody"),
        (["ur5e", "--out", "x.txt"], ".png, .svg, .npz"),
        (["ur5e", "--bodies", "missing.toml"], "missing.toml"),
    ],
)
def test_reasons(words: list[str], reason: str) -> None:
    result = RUN.invoke(app, ["reach", *words], env=WIDE)
    assert result.exit_code != 0
    assert reason in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr


def test_help_has_an_example() -> None:
    result = RUN.invoke(app, ["reach", "--help"])
    assert "armwerk reach ur5e --save reach.png" in result.stdout
