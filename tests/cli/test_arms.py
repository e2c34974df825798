"""``armwerk arms``: the library as a table."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from armwerk.cli import app
from armwerk.cli.arms import dynamics, structure
from armwerk.robot import Arm, Joint, Link, library, load

RUN = CliRunner()


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, object]]:
    result = RUN.invoke(app, ["arms", "--json"])
    assert result.exit_code == 0
    return {row["name"]: row for row in json.loads(result.stdout)["arms"]}


def test_every_arm_has_a_row(rows: dict[str, dict[str, object]]) -> None:
    assert tuple(sorted(rows)) == library()
    assert rows["puma560"]["structure"] == "RRR RRR"
    assert rows["stanford"]["structure"] == "RRT RRR"
    assert rows["iiwa7"]["structure"] == "RRR RRR R"
    assert rows["iiwa7"]["dof"] == 7
    assert "tripod" in str(rows["tripod"]["structure"])
    assert "stewart" in str(rows["stewart"]["structure"])


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("irb140", 0.810 + 0.065),  # ABB: reach to the wrist centre, and the flange behind it
        ("kr6_r900", 0.9015 + 0.080),
        ("kr16", 1.611 + 0.158),
        ("scara", 0.800),
        ("planar_rr", 0.410),
    ],
)
def test_reach_agrees_with_data_sheets(
    rows: dict[str, dict[str, object]], name: str, published: float
) -> None:
    assert rows[name]["reach"] == pytest.approx(published, abs=0.003)


def test_table_is_complete_when_narrow() -> None:
    result = RUN.invoke(app, ["arms"], env={"COLUMNS": "60"})
    assert result.exit_code == 0
    assert "reach [m]" in result.stdout
    assert "…" not in result.stdout
    for name in library():
        assert name in result.stdout


def test_structure_in_groups_of_three() -> None:
    assert structure(load("cartesian")) == "TTT RR"


def test_dynamics_says_where_masses_are_from() -> None:
    rows = [Joint("revolute", a=1.0)]
    assert dynamics(Arm.from_dh(rows)) == "none"
    heavy = [Joint("revolute", a=1.0, link=Link(mass=2.0))]
    assert dynamics(Arm.from_dh(heavy)) == "published"
    assert dynamics(Arm.from_dh(heavy, assumed=("masses",))) == "assumed"
    assert dynamics(Arm.from_dh(heavy, assumed=("inertia of link 6",))) == "partly assumed"
    assert dynamics(load("puma560")) == "published"
