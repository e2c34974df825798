"""The commander: lines that a person types, or a pipe brings, for the controllers."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from armwerk.cell.observers import Observer
from armwerk.errors import ArmwerkError

_NUMBERED = re.compile(r"\s*(\d+)\s*:\s*(.*)", re.DOTALL)
_CHUNK = 4096  # bytes read in one go; nobody types faster
_MAX_LENGTH = 100_000  # bytes of a line; what is longer is no line


class TakesLines(Protocol):
    """What a commander needs of a world."""

    def send_line(self, nr: int, text: str) -> None:
        """Give a robot a line."""
        ...


class Commander(Observer):
    """Hands lines on to the controllers: "2: text" is for robot 2, "text" for robot 0.

    Looks for input without ever waiting for it.

    Args:
        source: File descriptor to read from.
        tell: Takes a sentence for the user.
    """

    def __init__(self, source: int, tell: Callable[[str], None]) -> None:
        self._source: int | None = source
        self._tell = tell
        self._begun = b""  # of a line whose end has not come

    def look(self, world: TakesLines) -> None:
        """Send what has come."""
        self._listen(world)

    def now_and_then(self, world: TakesLines) -> None:
        """Send what has come, also where simulated time goes slowly."""
        self._listen(world)

    def _listen(self, world: TakesLines) -> None:
        content = self._read()
        if content is None:
            return
        *lines, self._begun = (self._begun + content).split(b"\n")
        if not content:  # the end; a last line need not be ended
            lines.append(self._begun)
            self._source, self._begun = None, b""
        if len(self._begun) > _MAX_LENGTH:
            self._begun = b""
        for line in lines:
            self._send(world, line.decode(errors="replace").rstrip("\r"))

    def _read(self) -> bytes | None:
        """Return what has come; None: nothing, empty: the end."""
        if self._source is None:
            return None
        try:
            ready, _, _ = select.select([self._source], [], [], 0.0)
            return os.read(self._source, _CHUNK) if ready else None
        except (OSError, ValueError):  # nothing to be had from it on this system
            return b""

    def _send(self, world: TakesLines, line: str) -> None:
        if not line.strip():
            return
        match = _NUMBERED.fullmatch(line)
        number, text = (int(match[1]), match[2]) if match else (0, line)
        try:
            world.send_line(number, text)
        except ArmwerkError as error:
            self._tell(str(error))


def standard_input(wanted: bool | None) -> int | None:
    """Return the descriptor to read commands from; None: there is none.

    Args:
        wanted: Whether lines are wanted, from wherever; None: only those of a person at a
            terminal who has this program in the foreground.
    """
    if wanted is False:
        return None
    with suppress(OSError, ValueError, AttributeError):
        descriptor = sys.stdin.fileno()
        if wanted or (os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp()):
            return descriptor
    return None
