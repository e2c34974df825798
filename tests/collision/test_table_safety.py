"""Speeds near bodies that tables ask for, in the queue of an arm and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.collision.safety import NEAR, SafetySettings
from armwerk.collision.table_safety import with_table
from armwerk.motion.table.rows import TableSettings
from armwerk.motion.table.table import Table
from armwerk.operation.planning_desk import PlanningDesk

TABLE = """
[settings]
speed = 0.2
{said}

[[trajectory]]
kind = "start"
point = [0.4, 0.0, 0.3]
inclination = "-35 deg"

[[trajectory]]
kind = "linear"
point = [0.4, 0.2, 0.3]
inclination = "-35 deg"
"""
SLOW = 'near = "60 mm"\nnear_speed = 0.1\nfar = "200 mm"\nfar_speed = 0.5'
WALL = """kind = "bodies"
[[body]]
kind = "box"
name = "wall"
size = [0.02, 1.0, 0.5]
position = [0.62, 0.0, 0.3]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wall.toml").write_text(WALL, encoding="utf-8")
    (tmp_path / "plain.toml").write_text(TABLE.format(said=""), encoding="utf-8")
    (tmp_path / "slow.toml").write_text(TABLE.format(said=SLOW), encoding="utf-8")
    return tmp_path


def moved(folder: Path, table: str, *more: str) -> tuple[float, str]:
    words = ["move", str(folder / table), "--arm", "five_axis", "--json"]
    words += ["--bodies", str(folder / "wall.toml"), *more]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    return float(told["duration"]), " ".join(told["notices"])


def test_the_slower_of_two_laws_counts_everywhere() -> None:
    cell = SafetySettings(speeds=((0.01, 0.3), (0.05, 0.4), (0.3, 1.0)))
    table = TableSettings(near=0.02, near_speed=0.1, far=0.1, far_speed=1.0)
    both = with_table(cell, table)
    own = with_table(SafetySettings(), table)
    assert own.speeds == ((0.02, 0.1), (0.1, 1.0))
    places = np.linspace(0.0, 0.5, 5001)
    np.testing.assert_allclose(
        both.share(places), np.minimum(cell.share(places), own.share(places)), atol=1e-12
    )


def test_what_a_table_leaves_out_is_the_usual() -> None:
    plain = SafetySettings()
    assert with_table(plain, TableSettings()) is plain
    assert with_table(plain, TableSettings(near_speed=0.5)).speeds == ((0.02, 0.5), (0.1, 1.0))
    assert with_table(plain, TableSettings(far=0.01)).speeds == ((0.005, 0.2), (0.01, 1.0))
    assert with_table(plain, TableSettings(near=0.3)).speeds == ((0.3, 0.2), (0.6, 1.0))
    step = with_table(plain, TableSettings(near=0.1, far=0.1)).speeds
    assert step[0][0] < step[1][0] == 0.1
    assert plain.speeds == NEAR


def test_move_slows_down_as_the_table_says(folder: Path) -> None:
    before, silent = moved(folder, "plain.toml")
    after, told = moved(folder, "slow.toml")
    assert "slowed" not in silent
    assert "slowed down near 'wall'" in told
    assert after > 1.9 * before  # half the speed at most, wherever it is
    (folder / "cell.toml").write_text(
        'kind = "safety"\n[slowing]\ndistances = ["10 mm", "2 m"]\nshares = [0.05, 0.06]\n',
        encoding="utf-8",
    )
    ruled, _ = moved(folder, "slow.toml", "--safety", str(folder / "cell.toml"))
    assert ruled > 2.0 * after  # the demands of the cell are slower still


def test_without_bodies_nothing_is_slowed(folder: Path) -> None:
    words = ["move", str(folder / "slow.toml"), "--arm", "five_axis", "--json"]
    result = CliRunner().invoke(app, words)
    assert "slowed" not in result.stdout
    assert result.exit_code == 0


def test_queued_tables_are_slowed_as_they_say(folder: Path) -> None:
    model = aw.model("five_axis")
    bodies = aw.Bodies.load(folder / "wall.toml")
    desk = PlanningDesk(model, bodies)
    plain, slow = Table.load(folder / "plain.toml"), Table.load(folder / "slow.toml")
    start = plain.path().plan(model).sample(0.0)[0]
    quick = desk.plan(plain, start).trajectory.duration
    late = desk.plan(slow, start).trajectory.duration
    assert late > 1.5 * quick
    # rows that are sent one by one take over the settings of the desk
    by_rows = PlanningDesk(model, bodies, settings=slow.settings)
    assert by_rows.plan(slow.rows[1], start).trajectory.duration == pytest.approx(late, rel=1e-6)
