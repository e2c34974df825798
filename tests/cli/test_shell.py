"""Errors, exit codes, pipes and import times of the whole program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import armwerk
from armwerk.cli import app
from armwerk.cli.app import COMMANDS

RUN = CliRunner()
ARMWERK = [sys.executable, "-m", "armwerk"]


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = subprocess.run(  # type: ignore[call-overload]
        [*ARMWERK, *words], capture_output=True, text=True, check=False, timeout=60, **more
    )
    return done


def test_version() -> None:
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout == f"armwerk {armwerk.__version__}\n"


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_an_example_and_units(name: str) -> None:
    result = RUN.invoke(app, [*([name] if name else []), "--help"])
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"armwerk {name}" in result.stdout
    assert "metres" in result.stdout


def test_no_words_show_the_help() -> None:
    result = run()
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: armwerk")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sho"], "No such command 'sho'"),
        (["show"], "Missing argument"),
        (["show", "puma56"], "did you mean 'puma560'?"),
        (["show", "no/such.toml"], "no/such.toml"),
        (["show", ""], "no arm of the library is called ''"),
        (["show", "."], "unknown file ending"),
        (["show", "arm.step"], "unknown file ending, got '.step'"),
        (["show", "puma560", "--plot", "x.gif"], "got '.gif' (allowed: .png or .svg)"),
        (["show", "puma560", "--no-such"], "No such option"),
        (["ik", "puma560"], "Missing option '--pose'"),
        (["ik", "puma560", "--pose", "1 2 3 4"], "--pose: needs 6 numbers (x y z a b c), got 4"),
        (["ik", "puma560", "--pose", "1 2 3 4 5 six"], "--pose: 'six' is not a number"),
        (["ik", "puma560", "--pose", "1 2 3 nan 5 6"], "--pose: 'nan' is not finite"),
        (["ik", "puma560", "--pose", ""], "needs 6 numbers"),
        (["ik", "puma560", "--pose", "1 2 3 4 5 6", "--near", "0 0"], "--near: needs 6 numbers"),
        (["ik", "puma560", "--pose", "1 2 3 4 5 6", "--method", "magic"], "'magic' is not one of"),
        (["ik", "nobody", "--pose", "1 2 3 4 5 6"], "no arm of the library is called 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: list[str], message: str) -> None:
    result = RUN.invoke(app, words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("armwerk: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_bad_input_through_the_real_program(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('name = "x"\n[[joint]]\nkind = "bent"\n')
    result = run("show", str(broken))
    assert result.returncode == 2
    assert "broken.toml" in result.stderr
    assert "'bent'" in result.stderr
    assert "revolute, prismatic, fixed" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_unwritable_picture(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = RUN.invoke(app, ["show", "planar_rr", "--plot", str(tmp_path / "file" / "x.png")])
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_unexpected_fault_is_short_unless_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("armwerk.robot.library", broken)
    result = RUN.invoke(app, ["arms"])
    assert result.exit_code == 3
    assert result.stderr == (
        "armwerk: unexpected ZeroDivisionError: a fault of ours; --debug shows where\n"
    )
    for words in (["arms", "--debug"], ["--debug", "arms"]):
        result = RUN.invoke(app, words)
        assert result.exit_code == 3
        assert "Traceback" in result.stderr
        assert "a fault of ours" in result.stderr


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("armwerk.robot.library", stopped)
    result = RUN.invoke(app, ["arms"])
    assert result.exit_code == 130
    assert result.stderr == ""


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "armwerk.cli.show":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
from armwerk.cli import main
"""
INTERRUPTED_AT_WORK = """
import os, signal, sys, time
import armwerk.robot
def stop():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)
armwerk.robot.library = stop
sys.argv[1:] = ["arms"]
from armwerk.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("code", [INTERRUPTED_WHILE_LOADING, INTERRUPTED_AT_WORK])
def test_a_real_interrupt_is_quiet(code: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=15
    )
    assert result.returncode == 130
    assert result.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_closed_streams_are_no_fault(closed: str) -> None:
    line = f'"{sys.executable}" -m armwerk show planar_rr {closed}'
    result = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run(
            [*ARMWERK, "arms", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr == "armwerk: No space left on device\n"


def test_neither_home_nor_environment_is_needed(tmp_path: Path) -> None:
    result = run("show", "planar_rr", "--plot", str(tmp_path / "x.png"), env={})
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "x.png").exists()


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)  # nobody will ever read
    process = subprocess.run(
        [*ARMWERK, "show", "ur5e"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert process.stderr == ""
    assert process.returncode == 128 + signal.SIGPIPE


def test_plain_text_when_not_a_terminal() -> None:
    result = run("show", "ur5e", env={**os.environ, "COLUMNS": "120"})
    assert result.returncode == 0
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 120
    assert not any(row.endswith(" ") for row in result.stdout.splitlines())


def test_terminal_without_unicode_does_not_fail() -> None:
    result = run("show", "tripod", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert result.stderr == ""


HEAVY = ("numba", "scipy", "matplotlib", "sympy", "lxml", "flint", "symengine")


def test_light_commands_import_nothing_heavy() -> None:
    commands = [["--help"], ["arms"], ["show", "puma560"], ["show", "stewart"], ["ik", "--help"]]
    code = (
        "import sys\n"
        "from armwerk.cli import app\n"
        f"for words in {commands!r}:\n"
        "    try:\n        app(words, prog_name='armwerk')\n"
        "    except SystemExit as leaving:\n        assert not leaving.code\n"
        f"    heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    assert not heavy, (words, heavy)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr


def test_import_is_quick() -> None:
    """Counts processor time of our own modules, typer and rich being loaded already."""
    code = (
        "import rich.console, rich.table, rich.tree, typer, typer.core, numpy, time\n"
        "start = time.process_time()\n"
        "import armwerk.cli\n"
        "print(time.process_time() - start)\n"
    )
    spent = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(spent) < 0.5
