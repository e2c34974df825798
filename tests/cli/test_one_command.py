"""A program that was asked for one command builds no other, and answers as the whole one does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from armwerk.cli.app import COMMANDS, app, shell_with


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("words", [["--help"], ["--no-such-option"]])
def test_it_answers_as_the_whole_program_does(name: str, words: list[str]) -> None:
    alone = CliRunner().invoke(shell_with([name]), [name, *words], prog_name="armwerk")
    whole = CliRunner().invoke(app, [name, *words], prog_name="armwerk")
    assert (alone.exit_code, alone.output) == (whole.exit_code, whole.output)


def test_a_name_that_no_command_has_is_answered_with_those_there_are() -> None:
    command = [sys.executable, "-m", "armwerk", "rum"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "run" in done.stderr
