"""What takes more than a second says so on stderr, terminal or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import sys, time
import armwerk.compiling
armwerk.compiling.SILENCE = 0.2
from armwerk.compiled import entry, use_numba
use_numba()

@entry("float64(float64)")
def kernel(x):
    return x + 1.0

kernel.py_func.__module__ = "armwerk.trial"
from numba.core import event
with event.trigger_event("numba:compile", data={"dispatcher": kernel}):
    time.sleep(float(sys.argv[1]))
with event.trigger_event("numba:compile", data={"dispatcher": kernel}):
    time.sleep(float(sys.argv[1]))
"""
WAIT = """
import sys, time
from armwerk.cli import console
console._SILENCE, console._PAUSE = 0.2, 0.3
with console.working("thinking"):
    time.sleep(float(sys.argv[1]))
with console.progress_bar("sweeping") as progress:
    progress(0.25)
    time.sleep(float(sys.argv[1]))
"""


def said(folder: Path, program: str, seconds: float, **settings: str) -> str:
    """Return what a program in a process of its own says on stderr."""
    environment = {name: text for name, text in os.environ.items() if name != "ARMWERK_PROGRESS"}
    (folder / "trial.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "trial.py", str(seconds)],
        cwd=folder,
        env={**environment, "NUMBA_CACHE_DIR": str(folder), **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    return done.stderr


def test_compiling_is_told_once(tmp_path: Path) -> None:
    assert said(tmp_path, KERNEL, 0.6).count("compiling, once for this machine") == 1


def test_short_pieces_are_added_up(tmp_path: Path) -> None:
    assert said(tmp_path, KERNEL, 0.15).count("compiling, once for this machine") == 1


def test_what_is_quick_is_not_told(tmp_path: Path) -> None:
    assert said(tmp_path, KERNEL, 0.0) == ""
    assert said(tmp_path, WAIT, 0.0) == ""


def test_lines_tell_of_the_work_where_there_is_no_terminal(tmp_path: Path) -> None:
    lines = said(tmp_path, WAIT, 0.9).splitlines()
    assert lines[0] == "thinking …"
    assert lines[1].startswith("thinking … ")
    assert lines[1].endswith(" s")
    assert "sweeping … 25 %" in lines


@pytest.mark.parametrize("program", [KERNEL, WAIT])
def test_silence_can_be_had(tmp_path: Path, program: str) -> None:
    assert said(tmp_path, program, 0.6, ARMWERK_PROGRESS="no") == ""
