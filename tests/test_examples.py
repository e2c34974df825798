"""Every example runs to its end, without a display and without leaving files about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("**/*.py"))


def run_python(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in ``folder``, warnings being errors, no display."""
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONWARNINGS": "error"}
    environment["PYTHONWARNINGS"] += ",ignore::DeprecationWarning"
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_there_are_examples() -> None:
    assert {path.parent.name for path in EXAMPLES} >= {"robot"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_example_runs(path: Path, tmp_path: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in (ROOT / "examples").rglob("*.*")}
    result = run_python([str(path)], tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip(), "an example shows something"
    after = {file: file.stat().st_mtime_ns for file in (ROOT / "examples").rglob("*.*")}
    assert after == before


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_example_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""'), "its first line is its title"
    assert len(text.splitlines()) <= 120
