"""Logs of a run: debug lines, states of the controllers, messages, and where threads are."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from armwerk.errors import DescriptionError
from armwerk.protocol import ContactEvent, Note, Trigger

if TYPE_CHECKING:
    from armwerk.cell.programs.robot import CellRobot
    from armwerk.cell.world import World

FILES = {
    "debug": "debug.out",
    "state": "state.out",
    "system": "syslog.out",
    "messages": "mss.out",
    "threads": "simthreads.out",
    "contacts": "contacts.out",
}
STATE_EVERY = 0.1  # [s] simulated
THREADS_EVERY = 0.5  # [s] real: a thread that is stuck stops simulated time
_DEPTH = 6  # frames shown of a thread, the innermost


class Logs:
    """The log files of one run; each line is on disk as soon as it is written.

    Args:
        which: Names from `FILES`.
        folder: Made when missing.
        suffix: Put behind the stem of every file ("state_abc.out"); empty: nothing.
    """

    def __init__(self, which: Collection[str], folder: Path, suffix: str = "") -> None:
        self.paths: dict[str, Path] = {}
        self._files: dict[str, IO[str]] = {}
        self._begin = time.monotonic()
        self._states: dict[int, str] = {}
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        for name in FILES:
            if name in which:
                self._open(name, folder, suffix)
        if "threads" in self._files:
            self._thread = threading.Thread(target=self._watch, name="thread log", daemon=True)
            self._thread.start()

    def _open(self, name: str, folder: Path, suffix: str) -> None:
        plain = Path(FILES[name])
        path = folder / (f"{plain.stem}_{suffix}{plain.suffix}" if suffix else plain.name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._files[name] = open(  # noqa: SIM115
                path, "w", encoding="utf-8", errors="backslashreplace", buffering=1
            )
        except OSError as error:
            self.close()
            raise _unusable(path, error) from None
        self.paths[name] = path

    def _write(self, name: str, line: str) -> None:
        file = self._files.get(name)
        if file is not None:
            try:
                file.write(line + "\n")
            except OSError as error:
                raise _unusable(self.paths[name], error) from None

    def note(self, note: Note) -> None:
        """Write a debug line."""
        self._write("debug", f"{note.time:10.3f} {note.instance:3d}  {note.text}")

    def message(self, sim_time: float, text: str) -> None:
        """Write a message of the system, with simulated and real time."""
        real = time.monotonic() - self._begin
        for line in text.splitlines():
            self._write("system", f"{sim_time:10.3f} s  {real:9.3f} s real  {line}")

    def contact(self, event: ContactEvent) -> None:
        """Write a beginning or end of a contact."""
        self._write("contacts", f"{event.time:10.3f}  {event}")

    def trigger(self, trigger: Trigger) -> None:
        """Write a trigger to the messages between instances and to those of the system."""
        self._write("messages", f"{trigger.time:10.3f} {trigger.instance:3d}  {trigger.text!r}")
        self.message(trigger.time, f"trigger to {trigger.instance}: {trigger.text}")

    def observe(self, world: World) -> None:
        """Write the controllers' states, and their changes to the messages."""
        if not {"state", "system"} & set(self._files):
            return
        for number, robot in _robots(world):
            state = str(robot.state)
            if self._states.get(number) != state:
                self.message(world.time, f"robot {number} is {state}")
                self._states[number] = state
            self._write("state", f"{world.time:10.3f} {number:3d}  {state_words(robot)}")

    def _watch(self) -> None:
        """Write where every thread is, until the logs are closed; runs in a thread of its own."""
        while not self._ending.wait(THREADS_EVERY):
            self.threads()

    def threads(self) -> None:
        """Write where every thread of the process is, its innermost calls last."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        own = self._thread.ident if self._thread is not None else None
        lines = [f"--- {time.monotonic() - self._begin:.3f} s real"]
        for ident, frame in sorted(sys._current_frames().items()):
            if ident == own:
                continue
            lines.append(f"{names.get(ident, 'thread')} ({ident})")
            lines += [
                f"    {Path(entry.filename).name}:{entry.lineno} {entry.name}: {entry.line or ''}"
                for entry in traceback.extract_stack(frame)[-_DEPTH:]
            ]
        with suppress(ValueError, DescriptionError):  # closed a moment ago, or a full disk
            self._write("threads", "\n".join(lines))

    def close(self) -> None:
        """Close all files; may be called again."""
        if self._thread is not None and not self._ending.is_set():
            self.threads()  # a short run leaves at least this
        self._ending.set()
        if self._thread is not None:
            self._thread.join(2 * THREADS_EVERY)
        for file in self._files.values():
            with suppress(OSError):  # what could not be written has been told
                file.close()


def _unusable(path: Path, error: OSError) -> DescriptionError:
    return DescriptionError(
        f"cannot be written: {error.strerror or error}", element=f"log '{path}'"
    )


def _robots(world: World) -> list[tuple[int, CellRobot]]:
    return sorted(world.robots.items())


def state_words(robot: CellRobot) -> str:
    """Return what a robot's controller does, and at which line of its program it waits."""
    return f"{robot.state}{', arm moving' if robot.moving else ''}{robot.place}"
