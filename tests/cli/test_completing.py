"""What the Tab key offers, also in a real bash."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armwerk.cli.app import app
from armwerk.robot import library
from armwerk.scene.files import cells


def offered(*words: str, folder: Path | None = None) -> list[str]:
    """Return what a shell is told for a line whose last word is half written."""
    env = os.environ | {
        "_ARMWERK_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(("armwerk", *words)),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-m", "armwerk"]
    done = subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


def test_names_of_arms_and_their_files(tmp_path: Path) -> None:
    (tmp_path / "puma_mine.toml").write_text("")
    (tmp_path / "puma.txt").write_text("")
    assert offered("show", "pum", folder=tmp_path) == ["puma560", "puma_mine.toml"]
    (tmp_path / "puma_mine.toml").unlink()
    assert offered("move", "table.toml", "--arm", "", folder=tmp_path) == list(library())


def test_names_of_cells_and_problems() -> None:
    assert offered("run", "") == cells()
    assert offered("cspace", "")[:2] == ["tt", "rr"]
    assert set(offered("studio", "")) >= {*cells(), *library()}
    assert offered("run", "x.env", "--manipulator", "0-2=ur5") == ["0-2=ur5e"]
    assert offered("reach", "ur5e", "--cell", "") == []  # a length, not a cell


def test_commands_options_and_their_choices() -> None:
    assert offered("cs") == ["cspace"]
    assert offered("ik", "puma560", "--po") == ["--pose"]
    assert offered("ptp", "puma560", "--sync", "") == ["async", "sync", "full"]


def read_until(terminal: int, words: str, seconds: float = 30.0) -> str:
    """Return what a terminal shows until certain words stand there."""
    shown = ""
    end = time.monotonic() + seconds
    while words not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096).decode("utf-8", "replace")
    return shown


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_line_in_the_help_works_in_a_real_bash(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "armwerk"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m armwerk "$@"\n')
    program.chmod(0o755)
    env = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    env |= {"PS1": "ready>", "HOME": str(tmp_path)}
    mine, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=env,
        start_new_session=True,
    )
    try:
        os.close(theirs)
        os.write(mine, b'eval "$(armwerk --show-completion)"; echo pre""pared\n')
        assert "prepared" in read_until(mine, "prepared")
        os.write(mine, b"armwerk show pum\t")
        assert "armwerk show puma560 " in read_until(mine, "puma560 ")
        os.write(mine, b"--plo\t")
        assert "--plot " in read_until(mine, "--plot ")
    finally:
        shell.kill()
        shell.wait()
        os.close(mine)


def test_it_can_be_installed(tmp_path: Path) -> None:
    env = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    (tmp_path / ".bashrc").write_text("# mine: ä\n", encoding="utf-8")
    command = [sys.executable, "-m", "armwerk", "--install-completion", "bash"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
    assert "installed in" in done.stdout
    rc = (tmp_path / ".bashrc").read_text(encoding="utf-8")
    assert rc.startswith("# mine: ä\n")
    assert str(tmp_path) in rc


def test_help_says_how() -> None:
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).stdout
