"""Who looks on while a cell runs, and everything a run opens and must close again.

Progress line, debug lines, logs, recorder and camera look on; the commander hands on lines that a
person types, or a pipe brings, for the controllers.
"""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from armwerk.cell.moments import Moments, header_of
from armwerk.cell.observers import Observer
from armwerk.cell.record import Recorder
from armwerk.cell.record_observers import BeltObserver, RecordObserver
from armwerk.cell.traces import last_line
from armwerk.cli.console import err, out
from armwerk.cli.run.film import FilmCamera
from armwerk.cli.run.logs import STATE_EVERY, Logs
from armwerk.errors import ArmwerkError
from armwerk.protocol import ContactEvent, Note, Trigger
from armwerk.protocol.messages import WORLD

if TYPE_CHECKING:
    from armwerk.cell.world import World
    from armwerk.cli.run.command import RunRequest
    from armwerk.cli.run.report import RunData

_CLEAR = "\r\x1b[2K"
_SHORT = 40  # letters of a trigger shown in the progress line
_NUMBERED = re.compile(r"\s*(\d+)\s*:\s*(.*)", re.DOTALL)
_CHUNK = 4096  # bytes read in one go; nobody types faster
_MAX_LENGTH = 100_000  # bytes of a line; what is longer is no line


class Screen(Observer):
    """Prints debug lines and problems, and a live progress line where stderr is a terminal.

    Args:
        notes: Whether they are printed.
    """

    def __init__(self, notes: bool) -> None:
        self.notes = notes
        self.live = err().is_terminal
        self._begin = time.perf_counter()
        self._trigger = ""

    def now_and_then(self, world: World) -> None:
        """Refresh the progress line."""
        if self.live:
            text = self.line(world, time.perf_counter() - self._begin)[: err().width - 1]
            sys.stderr.write(f"{_CLEAR}{text}")
            sys.stderr.flush()

    def line(self, world: World, real: float) -> str:
        """Return simulated time, its ratio to real time, states, and the last trigger."""
        states = " ".join(f"{nr}:{robot.state}" for nr, robot in sorted(world.robots.items()))
        parts = [f"{world.time:8.2f} s", f"x{world.time / max(real, 1e-9):.1f}", states]
        return "  ".join(part for part in (*parts, self._trigger) if part)

    def trigger(self, trigger: Trigger) -> None:
        """Keep the last trigger."""
        self._trigger = f"{trigger.instance}<{trigger.text[:_SHORT]}"

    def note(self, note: Note) -> None:
        """Print a debug line with time and number."""
        self._print(note, note.text)

    def problem(self, problem: Note) -> None:
        """Print in one line what went wrong; the report at the end has all of it."""
        self._print(problem, last_line(problem.text))

    def notice(self, text: str) -> None:
        """Say something to the person at the terminal."""
        self.clear()
        err().print(text, markup=False, highlight=False, soft_wrap=True)

    def _print(self, entry: Note, text: str) -> None:
        if self.notes:
            self.clear()
            who = "world" if entry.instance == WORLD else entry.instance
            line = f"{entry.time:9.3f} s  {who}: {text}"
            out().print(line, markup=False, soft_wrap=True)

    def clear(self) -> None:
        """Take the progress line away."""
        if self.live:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()


class LogObserver(Observer):
    """Fills the logs."""

    period = STATE_EVERY

    def __init__(self, logs: Logs) -> None:
        self.logs = logs

    def look(self, world: World) -> None:
        """Write states and their changes."""
        self.logs.observe(world)

    def trigger(self, trigger: Trigger) -> None:
        """Write a trigger to the messages."""
        self.logs.trigger(trigger)

    def note(self, note: Note) -> None:
        """Write a debug line."""
        self.logs.note(note)

    def problem(self, problem: Note) -> None:
        """Write what went wrong to the messages."""
        who = "world" if problem.instance == WORLD else f"instance {problem.instance}"
        self.logs.message(problem.time, f"{who}: {problem.text}")

    def contact(self, event: ContactEvent) -> None:
        """Write a beginning or end of a contact."""
        self.logs.contact(event)


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

    @property
    def only_looks(self) -> bool:  # type: ignore[override]  # it changes with the input's end
        """Whether no line can come any more."""
        return self._source is None

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


class RunOutputs:
    """Opens what was asked for, and closes it however the run ends.

    Args:
        world: The world that is run.
        request: What is wanted.
        cell: Name of the cell.
    """

    def __init__(self, world: World, request: RunRequest, cell: str) -> None:
        self.world = world
        self.screen = Screen(notes=not (request.quiet or request.as_json))
        self.observers: list[Observer] = [self.screen]
        self.notices: list[str] = []
        self._stack = ExitStack()
        self._recorder: Recorder | None = None
        self._last: list[Observer] = []  # who also looks at how it ended
        self._camera: FilmCamera | None = None
        self._files: list[Path] = []
        self._logs: Logs | None = None
        with ExitStack() as guard:
            guard.callback(self._stack.close)
            self._open(request, cell)
            guard.pop_all()

    def _open(self, request: RunRequest, cell: str) -> None:
        source = standard_input(request.commander)
        if source is not None:
            self.observers.append(Commander(source, self.screen.notice))
        if request.logs:
            self._logs = Logs(request.logs, request.log_dir, request.log_names)
            self._stack.callback(self._logs.close)
            self._files += self._logs.paths.values()
            self._last.append(LogObserver(self._logs))
            self._logs.message(self.world.time, f"cell {cell}, step {self.world.dt * 1000:g} ms")
        if request.record is not None or request.film.wanted:
            self._open_pictures(request, cell)
        self.observers += self._last

    def _open_pictures(self, request: RunRequest, cell: str) -> None:
        moments = Moments(self.world)
        self.observers.append(BeltObserver(moments))
        if request.record is not None:
            header = header_of(self.world, cell, request.record_rate)
            self._recorder = self._stack.enter_context(Recorder(request.record, header))
            self._files.append(request.record)
            self._last.append(RecordObserver(self._recorder, moments, request.record_rate))
        if request.film.wanted:
            self._camera = FilmCamera(self.world.scene, request.film, cell, moments=moments)
            self.notices += self._camera.missing
            self.observers.append(self._camera)

    def finish(self) -> list[Path]:
        """Look a last time and finish films; return all files that were written."""
        for observer in self._last:
            observer.look(self.world)
        if self._camera is not None:
            camera, self._camera = self._camera, None
            self._files += camera.close()
        return self._files

    def report(self, data: RunData) -> None:
        """Write how it went to recording and log."""
        if self._recorder is not None:
            known = ("triggers", "notes")  # they have lines of their own
            self._recorder.report({key: one for key, one in data.items() if key not in known})
        if self._logs is not None:
            state = "stopped by the user" if data["stopped"] else "ended"
            self._logs.message(
                data["time"], f"{state} after {data['real_time']:.3f} s of real time"
            )

    def __enter__(self) -> RunOutputs:
        return self

    def __exit__(self, *_: object) -> None:
        if self._camera is not None:
            with suppress(Exception):  # the error that brought us here is the one to tell
                self._camera.close()
        self._stack.close()
