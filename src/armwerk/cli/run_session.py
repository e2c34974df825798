"""Everything a run opens and must close again: logs, recording, films."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armwerk.cell.moments import Moments, header_of
from armwerk.cell.record import Recorder
from armwerk.cli.run_commander import Commander, standard_input
from armwerk.cli.run_film import Camera
from armwerk.cli.run_logs import Logs
from armwerk.cli.run_loop import Watcher
from armwerk.cli.run_watchers import BeltWatcher, LogWatcher, RecordWatcher, Screen

if TYPE_CHECKING:
    from armwerk.cli.run import Plan


class Session:
    """Opens what a plan wants, and closes it however the run ends.

    Args:
        world: The world that is run.
        plan: What is wanted.
        cell: Name of the cell.
    """

    def __init__(self, world: Any, plan: Plan, cell: str) -> None:
        self.world = world
        self.screen = Screen(notes=not (plan.quiet or plan.as_json))
        self.watchers: list[Watcher] = [self.screen]
        self.notices: list[str] = []
        self._stack = ExitStack()
        self._recorder: Recorder | None = None
        self._last: list[Watcher] = []  # who also looks at how it ended
        self._camera: Camera | None = None
        self._files: list[Path] = []
        self._logs: Logs | None = None
        with ExitStack() as guard:
            guard.callback(self._stack.close)
            self._open(plan, cell)
            guard.pop_all()

    def _open(self, plan: Plan, cell: str) -> None:
        source = standard_input(plan.commander)
        if source is not None:
            self.watchers.append(Commander(source, self.screen.notice))
        if plan.logs:
            self._logs = Logs(plan.logs, plan.log_dir, plan.log_names)
            self._stack.callback(self._logs.close)
            self._files += self._logs.paths.values()
            self._last.append(LogWatcher(self._logs))
            self._logs.message(self.world.time, f"cell {cell}, step {self.world.dt * 1000:g} ms")
        if plan.record is not None or plan.shooting.wanted:
            self._open_pictures(plan, cell)
        self.watchers += self._last

    def _open_pictures(self, plan: Plan, cell: str) -> None:
        moments = Moments(self.world)
        self.watchers.append(BeltWatcher(moments))
        if plan.record is not None:
            header = header_of(self.world, cell, plan.record_rate)
            self._recorder = self._stack.enter_context(Recorder(plan.record, header))
            self._files.append(plan.record)
            self._last.append(RecordWatcher(self._recorder, moments, plan.record_rate))
        if plan.shooting.wanted:
            self._camera = Camera(self.world.scene, plan.shooting, cell, moments=moments)
            self.notices += self._camera.missing
            self.watchers.append(self._camera)

    def finish(self) -> list[Path]:
        """Look a last time and finish films; return all files that were written."""
        for watcher in self._last:
            watcher.look(self.world)
        if self._camera is not None:
            camera, self._camera = self._camera, None
            self._files += camera.close()
        return self._files

    def report(self, data: dict[str, Any]) -> None:
        """Write how it went to recording and log."""
        if self._recorder is not None:
            known = ("triggers", "notes")  # they have lines of their own
            self._recorder.report({key: data[key] for key in data if key not in known})
        if self._logs is not None:
            state = "stopped by the user" if data["stopped"] else "ended"
            self._logs.message(
                data["time"], f"{state} after {data['real_time']:.3f} s of real time"
            )

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self._camera is not None:
            with suppress(Exception):  # the error that brought us here is the one to tell
                self._camera.close()
        self._stack.close()
