"""``armwerk program --cell``: a robot program in a simulated cell."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from armwerk.cli.app import app

CELL = """ROBOT 0 0 -90
MANIPULATOR irb120
GRIPPER parallel_gripper
CONTROLLER other.Class
CONFIG only=for another
"""
PROGRAM = """program Lift;
begin
  move ptp ((350, 0, 250), orizyx(0, 180, 0));
  writeln('up');
  move_inc lin (0, 0, {lift});
endprogram;
"""


def run(folder: Path, *words: str, lift: float = 50.0) -> tuple[int, str]:
    """Return exit code and output of the command in a folder with a cell and a program."""
    (folder / "cell.env").write_text(CELL, encoding="utf-8")
    (folder / "lift.irl").write_text(PROGRAM.format(lift=lift), encoding="utf-8")
    given = [str(folder / "lift.irl"), "--cell", str(folder / "cell.env"), *words]
    result = CliRunner().invoke(app, ["program", *given])
    return result.exit_code, result.output


def test_a_program_runs_instead_of_the_controller_of_the_cell(tmp_path: Path) -> None:
    code, output = run(tmp_path)
    assert code == 0, output
    assert output.startswith("up\nLift: ")
    assert "2 motions" in output


def test_lines_are_traced(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--trace")
    assert code == 0
    assert "4 |   writeln('up');" in output


def test_json_tells_how_it_ended(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--json", lift=5000.0)
    assert code == 1
    told = json.loads(output)
    assert told["state"] == "failed"
    assert told["output"] == "up\n"
    assert "lift.irl:5:3" in told["error"]
    assert told["time"] > 0.5


def test_what_cannot_be_driven_is_shown_with_its_line(tmp_path: Path) -> None:
    code, output = run(tmp_path, lift=5000.0)
    assert code == 1
    assert "move_inc lin (0, 0, 5000.0);" in output


def test_a_program_that_does_not_end_is_left(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--seconds", "0.3")
    assert code == 1
    assert "not ended after 0.300 s" in output
    assert "in lift.irl line 3: move ptp" in output


def test_run_takes_a_program_as_controller(tmp_path: Path) -> None:
    run(tmp_path, "--seconds", "0")
    words = [str(tmp_path / "cell.env"), "--controller", f"0={tmp_path / 'lift.irl'}"]
    result = CliRunner().invoke(app, ["run", *words, "--config", "0="])
    assert "lift.irl" in result.output


def test_a_robot_that_the_cell_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cell.env").write_text(CELL, encoding="utf-8")
    (tmp_path / "lift.irl").write_text(PROGRAM.format(lift=1), encoding="utf-8")
    words = [str(tmp_path / "lift.irl"), "--cell", str(tmp_path / "cell.env"), "--robot", "3"]
    result = CliRunner().invoke(app, ["program", *words])
    assert result.exit_code != 0
    assert "no robot of the cell is called '3'" in str(result.exception) + result.output
