"""``armwerk demo``: the main job, quick and complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from armwerk.cli import app
from armwerk.cli.demo import STEPS, _own_name

RUN = CliRunner()


def test_demo_prints_and_draws(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["demo", "--out", str(tmp_path / "here")], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.stderr
    for title, _ in STEPS:
        assert title in result.stdout
    assert "Unimation Puma 560" in result.stdout
    assert "431.8" in result.stdout
    assert "8 solutions for puma560" in result.stdout
    assert "found by rules in 252 equations" in result.stdout
    assert (tmp_path / "here" / "derivation" / "puma560.c").exists()
    for name in ("solutions.png", "motion.png", "path.png"):
        path = tmp_path / "here" / name
        assert str(path) in result.stdout
        with Image.open(path) as image:
            colours = image.convert("RGB").getcolors(maxcolors=1 << 24)
        assert len(colours or []) > 500


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = RUN.invoke(app, ["demo", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_next_steps_can_be_typed_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv" / "bin" / "armwerk"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program), "demo"])
    monkeypatch.setenv("PATH", "")
    assert _own_name() == ".venv/bin/armwerk"
    monkeypatch.setenv("PATH", str(program.parent))
    assert _own_name() == "armwerk"
