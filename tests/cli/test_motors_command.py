"""``armwerk motors`` on the virtual bus."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from armwerk.cli.app import app


def told(*words: str) -> str:
    result = CliRunner().invoke(app, ["motors", *words], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words: str) -> str:
    result = CliRunner().invoke(app, ["motors", *words])
    assert result.exit_code == 2
    return result.output


def test_modules_are_listed_with_state_and_limits() -> None:
    text = told("list", "--bus", "virtual", "--channel", "list")
    assert "wrist_pitch" in text
    assert "ready, not referenced" in text
    assert "-160" in text


def test_a_module_moves_to_degrees_or_metres() -> None:
    data = json.loads(told("move", "--module", "2", "--to", "30", "--channel", "move", "--json"))
    module = data["modules"][1]
    assert module["position"] == pytest.approx(0.523599, abs=2e-6)
    assert module["state"] == "ready"
    assert data["sync"] is None
    assert data["frames"]["lost"] == 0


def test_the_gripper_is_referenced() -> None:
    data = json.loads(told("reference", "--channel", "reference", "--json"))
    assert [one["referenced"] for one in data["modules"]] == [True] * 7
    assert data["modules"][6]["position"] == pytest.approx(0.08)


def test_a_monitor_reports_jitter_and_frames() -> None:
    text = told("monitor", "--seconds", "0.2", "--rate", "100", "--channel", "monitor")
    assert "SYNC every 10 ms" in text
    assert "0 lost" in text


def test_what_is_wrong_is_told_in_one_sentence() -> None:
    assert "--module 1 --to 30" in refused("move")
    assert "out of range" in refused("move", "--module", "1", "--to", "999", "--channel", "x1")
    assert "no module is called '9'" in refused(
        "move", "--module", "9", "--to", "1", "--channel", "x2"
    )
    assert "bus 'nothing'" in refused("list", "--bus", "nothing")
    assert "parts" in refused("list", "--arm", "stewart", "--channel", "x3")
    assert "velocity_share" in refused("list", "--speed", "0.7", "--channel", "x4")
