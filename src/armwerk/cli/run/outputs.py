"""Everything a run opens and must close again: logs, recording, films."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.cell.moments import Moments, header_of
from armwerk.cell.observers import Observer
from armwerk.cell.record import Recorder
from armwerk.cli.run.film import FilmCamera
from armwerk.cli.run.logs import Logs
from armwerk.cli.run.observers import (
    BeltObserver,
    Commander,
    LogObserver,
    RecordObserver,
    Screen,
    standard_input,
)

if TYPE_CHECKING:
    from armwerk.cell.world import World
    from armwerk.cli.run.command import RunRequest
    from armwerk.cli.run.report import RunData


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
