"""Leaving: quickly, with the right exit code, and with everything done that had to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import atexit, pathlib, sys, threading, time
from armwerk.cli import main
atexit.register(lambda: pathlib.Path("ended.txt").write_text("yes"))
def late():
    time.sleep(0.3)
    sys.stdout.write("late\\n")
threading.Thread(target=late).start()
class Heavy:
    def __del__(self):
        sys.stdout.write("object by object\\n")
        sys.stdout.flush()
heavy = Heavy()
sys.argv[1:] = {words}
main()
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(words=list(words))
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )


def test_threads_and_what_was_asked_for_at_the_end_come_first(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert done.returncode == 0
    version, late = sorted(done.stdout.splitlines())  # and no object is taken apart
    assert version.startswith("armwerk ")
    assert late == "late"
    assert (tmp_path / "ended.txt").read_text() == "yes"


def test_the_exit_code_stays(tmp_path: Path) -> None:
    done = run(tmp_path, "show", "no_such_arm")
    assert done.returncode == 2
    assert "no_such_arm" in done.stderr
    unreachable = ("ik", "puma560", "--pose", "9 9 9 0 0 0")
    assert run(tmp_path, *unreachable).returncode == 1


def test_whoever_only_loads_the_command_line_ends_as_always() -> None:
    program = "import armwerk.cli, sys; sys.exit(7)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7
