"""``armwerk derive``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armwerk.cli import app

RUN = CliRunner()
WIDE = {"COLUMNS": "140"}


def test_writes_and_sums_up(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["derive", "scara", "--out", str(tmp_path / "a")], env=WIDE)
    assert result.exit_code == 0, result.stderr
    for text in ("direct kinematics", "2 solutions by rules", "elbow (outer)", "seconds"):
        assert text in result.stdout
    assert "unknown joints: 26 25" in result.stdout
    assert sorted(os.listdir(tmp_path / "a")) == ["scara.c", "scara.h", "scara.py", "scara.tex"]


def test_without_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = RUN.invoke(app, ["derive", "planar_rr", "--explain"])
    assert result.exit_code == 0, result.stderr
    assert "found by rules" in result.stdout
    assert os.listdir(tmp_path) == []


def test_method(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["derive", "puma560", "--method", "twists"], env=WIDE)
    assert "8 solutions by twists" in result.stdout


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("is_relative", [False, True])
def test_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_relative: bool) -> None:
    monkeypatch.chdir(tmp_path)
    out = Path("a/b") if is_relative else tmp_path / "a" / "b"
    words = ["derive", "planar_rr", "--out", str(out), "--formats", "latex", "--pdf"]
    result = RUN.invoke(app, words)
    assert result.exit_code == 0, result.stderr
    assert sorted(os.listdir(tmp_path / "a" / "b")) == ["planar_rr.pdf", "planar_rr.tex"]
    assert (tmp_path / "a" / "b" / "planar_rr.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma56"], "did you mean 'puma560'?"),
        (
            ["scara", "--formats", "c,pascal"],
            "no 'pascal' (allowed: latex, c, python, short, motion)",
        ),
        (["scara", "--pdf"], "--pdf needs --out"),
        (["scara", "--pdf", "--out", "x", "--formats", "c"], "--pdf needs latex"),
        (["scara", "--method", "magic"], "'magic'"),
        (["stewart"], "stewart is an assembly of parts"),
        (["scara", "--out", "/dev/null/x"], "/dev/null"),
    ],
)
def test_errors_are_one_sentence(words: list[str], message: str) -> None:
    result = RUN.invoke(app, ["derive", *words])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
