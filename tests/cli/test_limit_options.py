"""--max-velocity, --max-acceleration and --max-jerk, wherever a motion is planned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.motion.assumed import SILENCING

PROGRAM = "program Turn;\nbegin\n  move ptp joint(0, -3, -130, 0, 87, 0);\nendprogram;\n"
TABLE = """
[[trajectory]]
kind = "start"
point = [0.4, 0.0, 0.3]
inclination = "-35 deg"

[[trajectory]]
kind = "linear"
point = [0.4, 0.1, 0.3]
inclination = "-30 deg"
"""


@pytest.fixture
def bare(tmp_path: Path) -> str:
    joints = [aw.Joint("revolute", a=0.4, max_velocity=2.0, limits=(-3.0, 3.0)) for _ in range(2)]
    file = tmp_path / "bare.toml"
    aw.Arm.from_dh(joints, name="bare").save(file)
    return str(file)


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*words])
    assert result.exit_code == code, result.output
    return result.output


def spoken(text: str) -> str:
    return " ".join(text.split())


def test_an_arm_without_rates_moves_and_says_what_was_assumed(bare: str) -> None:
    words = spoken(run("ptp", bare, "--from", "0 0", "--to", "90 90"))
    assert words.count("notice:") == 1
    assert "acceleration 8 rad/s²; jerk 80 rad/s³" in words
    words = spoken(run("plan", bare, "--from", "0 10", "--to", "90 90"))
    assert words.count("notice:") == 1
    assert "jerk 80 rad/s³" in words


def test_given_rates_are_kept_and_nothing_is_said(bare: str) -> None:
    rates = ["--max-velocity", "60", "--max-acceleration", "90", "--max-jerk", "900"]
    for command in ("ptp", "plan"):
        told = json.loads(run(command, bare, "--from", "0 10", "--to", "90 90", *rates, "--json"))
        assert told["notices"] == []
        assert 90 / 60 + 60 / 90 <= told["duration"] < 90 / 60 + 60 / 90 + 0.11


def test_one_for_each_joint(bare: str) -> None:
    plain = json.loads(run("ptp", bare, "--from", "0 0", "--to", "90 90", "--json"))
    slow = json.loads(
        run("ptp", bare, "--from", "0 0", "--to", "90 90", "--max-velocity", "30 300", "--json")
    )
    assert slow["duration"] > 3.0 > plain["duration"]


def test_words_of_the_command_line_can_be_silenced(
    bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SILENCING, "no")
    assert "notice" not in run("ptp", bare, "--from", "0 0", "--to", "90 90")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("fast", "--max-jerk: 'fast' is not a number"),
        ("-3", "--max-jerk: -3 must be above 0"),
        ("1 2 3", "--max-jerk: needs 2 numbers"),
    ],
)
def test_rates_that_are_none(bare: str, given: str, words: str) -> None:
    result = CliRunner().invoke(
        app, ["ptp", bare, "--from", "0 0", "--to", "9 9", f"--max-jerk={given}"]
    )
    assert result.exit_code == 2
    assert words in spoken(result.output)


def test_one_number_cannot_hold_for_metres_and_degrees() -> None:
    result = CliRunner().invoke(
        app, ["ptp", "scara", "--from", "0 0 0 0", "--to", "9 9 0 0", "--max-velocity", "10"]
    )
    assert result.exit_code == 2
    assert "give 4 numbers, one for each joint" in spoken(result.output)


def test_tables_and_programs_take_them(tmp_path: Path) -> None:
    table, program = tmp_path / "table.toml", tmp_path / "turn.irl"
    table.write_text(TABLE, encoding="utf-8")
    program.write_text(PROGRAM, encoding="utf-8")
    rates = ["--max-velocity", "20", "--max-acceleration", "30", "--max-jerk", "300"]
    for words, key in (
        (["program", str(program), "--arm", "puma560"], "time"),
        (["move", str(table), "--arm", "five_axis"], "duration"),
    ):
        quick = json.loads(run(*words, "--json"))
        slow = json.loads(run(*words, *rates, "--json"))
        assert slow[key] > 1.3 * quick[key]
