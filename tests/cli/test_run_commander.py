"""Lines from the standard input to the controllers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from armwerk.cli.run.outputs import Commander, standard_input
from armwerk.errors import UnknownNameError

Pipe: TypeAlias = tuple[int, Callable[[bytes | None], None]]


class World:
    """Takes lines for robots 0 and 2."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []

    def send_line(self, nr: int, text: str) -> None:
        if nr not in {0, 2}:
            raise UnknownNameError("robot", str(nr), ("0", "2"))
        self.lines.append((nr, text))


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    open_ends = set(ends)

    def write(content: bytes | None) -> None:
        if content is None:
            os.close(ends[1])
            open_ends.discard(ends[1])
        else:
            os.write(ends[1], content)

    yield ends[0], write
    for end in open_ends:
        os.close(end)


def test_lines_go_to_the_robot_they_name(pipe: Pipe) -> None:
    source, write = pipe
    world = World()
    told: list[str] = []
    commander = Commander(source, told.append)
    commander.look(world)  # nothing has come, and nobody waits for it
    write(b"speed 20\n2: go on: now\n\n  \n 0:x\r\n7: nobody\nbeg")
    commander.look(world)
    assert world.lines == [(0, "speed 20"), (2, "go on: now"), (0, "x")]
    assert "no robot is called '7'" in told[0]
    write("un ü\n2:".encode() + b"\xff\nlast")
    commander.now_and_then(world)
    assert world.lines[3:] == [(0, "begun ü"), (2, "\ufffd")]
    write(None)
    commander.look(world)
    assert world.lines[5:] == [(0, "last")]
    commander.look(world)  # it has ended
    assert len(world.lines) == 6


def test_what_never_ends_is_no_line() -> None:
    with open("/dev/zero", "rb") as endless:
        commander, world = Commander(endless.fileno(), print), World()
        for _ in range(60):
            commander.look(world)
        assert len(commander._begun) <= 100_000
    assert world.lines == []


def test_a_closed_input_is_an_ended_one(pipe: Pipe) -> None:
    source, _ = pipe
    commander, world = Commander(source, print), World()
    commander._source = 10_000
    commander.look(world)
    assert commander._source is None


def test_only_a_terminal_is_listened_to_unasked(
    monkeypatch: pytest.MonkeyPatch, pipe: Pipe
) -> None:
    with os.fdopen(os.dup(pipe[0])) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert standard_input(None) is None
        assert standard_input(False) is None
        assert standard_input(True) == stream.fileno()
    monkeypatch.setattr(sys, "stdin", None)
    assert standard_input(True) is None


def test_from_a_pipe_to_the_controller(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(
        "import armwerk as aw\n"
        "class Hears(aw.RobotController):\n"
        "    def receive_line(self, text):\n"
        "        self.debug('heard', text)\n"
    )
    path = tmp_path / "cell.env"
    path.write_text("MULTIROBOT 2\n")
    command = [
        sys.executable,
        "-m",
        "armwerk",
        "run",
        str(path),
        "-c",
        "prog.Hears",
        "--seconds",
        "0.2",
    ]
    said = subprocess.run(
        [*command, "--commander"],
        input="one\n1: two\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    assert "0: heard one" in said
    assert "1: heard two" in said
