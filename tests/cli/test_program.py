"""``armwerk program``: checking and running robot programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from armwerk.cli.app import app

TEXT = """program Lift;
begin
  move ptp joint(0, -3, -130, 0, 87, 0);
  move_inc lin (0, 0, 50) c_cp;
  move_inc lin (0, 50, 0);
  writeln('done');
endprogram;
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lift.irl"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["program", *map(str, words)])


def test_a_program_runs_on_an_arm(file: Path) -> None:
    result = run(file, "--arm", "puma560")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("done\n")
    assert "4, 5" in result.output


def test_check_runs_nothing(file: Path) -> None:
    result = run(file, "--check")
    assert result.exit_code == 0
    assert result.output.endswith("no mistakes\n")


def test_mistakes_are_shown_with_their_places_and_exit_code_1(file: Path) -> None:
    file.write_text(TEXT.replace("move_inc", "mvoe_inc"), encoding="utf-8")
    result = run(file, "--check")
    assert result.exit_code == 1
    assert "lift.irl:4:3: unexpected 'mvoe_inc'; did you mean 'move_inc'?" in result.output
    assert "lift.irl:5:3:" in result.output
    assert "     4 |   mvoe_inc lin (0, 0, 50) c_cp;\n       |   ^^^^^^^^" in result.output


def test_what_cannot_be_driven_is_exit_code_1(file: Path) -> None:
    file.write_text(TEXT.replace("(0, 50, 0)", "(0, 5000, 0)"), encoding="utf-8")
    result = run(file, "--arm", "puma560")
    assert result.exit_code == 1
    assert "lift.irl:5:3:" in result.output


def test_trace_and_rehearsal(file: Path) -> None:
    result = run(file, "--trace")
    assert result.exit_code == 0
    assert "0.000 s     3 |   move ptp joint" in result.output
    assert "Lift: 3.000 s" in result.output


def test_json(file: Path) -> None:
    data = json.loads(run(file, "--arm", "puma560", "--json").output)
    assert data["output"] == "done\n"
    assert [motion["lines"] for motion in data["motions"]] == [[3], [4, 5]]


def test_start_base_and_declarations(file: Path, tmp_path: Path) -> None:
    module = tmp_path / "more.irl"
    module.write_text("module M; procedure Hello; begin writeln('hello'); endproc; endmodule;")
    file.write_text(
        "program P; begin Hello; writeln(r_base.pos, r_joint_act.m_joint.a1); endprogram;",
        encoding="utf-8",
    )
    words = ["--declarations", module, "--base", "1 2 3 0 0 0", "--from", "10 0 0 0 0 0"]
    result = run(file, "--arm", "puma560", *words)
    assert result.output.startswith("hello\n(1.0, 2.0, 3.0)10.0\n"), result.output


def test_format(file: Path) -> None:
    file.write_text("PROGRAM p; BEGIN halt; ENDPROGRAM", encoding="utf-8")
    assert run(file, "--format").output == "program p;\nbegin\n  halt;\nendprogram\n"


def test_help_shows_an_example() -> None:
    assert "armwerk program pick.irl --check" in run("--help").output


def test_lint_shows_warnings_and_draws_their_places(file: Path, tmp_path: Path) -> None:
    file.write_text(TEXT.replace("(0, 50, 0)", "(0, 5000, 0)"), encoding="utf-8")
    result = run(file, "--arm", "puma560", "--lint", "--pictures", tmp_path / "places")
    assert result.exit_code == 1
    assert "lift.irl:4:3: the tool is never set (r_tool)" in result.output
    assert "lift.irl:5:3:" in result.output
    assert "Lift: 3 warnings" in result.output
    assert list((tmp_path / "places").glob("*-line5.png"))


def test_export_writes_files_and_shows_what_cannot_be_said(file: Path, tmp_path: Path) -> None:
    result = run(file, "--export", tmp_path / "out", "--for", "rapid")
    assert result.exit_code == 0, result.output
    assert "MoveL Offs(" in (tmp_path / "out" / "Lift.mod").read_text(encoding="utf-8")
    file.write_text("program P; begin move spline [(1, 2, 3)]; endprogram;", encoding="utf-8")
    result = run(file, "--export", tmp_path / "out", "--for", "krl")
    assert result.exit_code == 1
    assert "lift.irl:1:18: KRL cannot say this: 'spline'" in result.output


@pytest.mark.parametrize("place", ["/", ".", ""])
def test_a_folder_is_no_program(place: str) -> None:
    result = CliRunner().invoke(app, ["program", place, "--arm", "puma560"])
    assert result.exit_code == 2
    assert "Is a directory" in result.stderr
