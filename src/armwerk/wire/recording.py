"""A running world that is recorded until somebody ends it, or time is set back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from math import inf
from pathlib import Path

from armwerk.cell import World
from armwerk.cell.moments import Moments, header_of
from armwerk.cell.observers import Audience
from armwerk.cell.pace import RealClock
from armwerk.cell.record import RATE, Recorder
from armwerk.cell.record_observers import BeltObserver, RecordObserver
from armwerk.errors import DescriptionError
from armwerk.protocol import ContactEvent, Note, Trigger

MOST_BYTES = 200_000_000  # of a file, an eighth of it when compressed: nobody fills a disk unawares
_LOOKS = 50  # between two looks at how large the file is


class _CarefulObserver(RecordObserver):
    """Writes while it can; a full disk ends the recording and not the world."""

    def __init__(self, recorder: Recorder, moments: Moments, rate: float, epoch: int) -> None:
        super().__init__(recorder, moments, rate)
        self.epoch = epoch
        self.trouble = ""
        self.begun: float | None = None
        self.most = MOST_BYTES // (8 if recorder.path.suffix == ".gz" else 1)
        self._looks = 0

    def look(self, world: World) -> None:
        """Write a state."""
        if world.epoch != self.epoch:
            self.trouble = self.trouble or "the cell was reset"
        if self.begun is None:
            self.begun = world.time
        self._looks += 1
        if self._looks % _LOOKS == 0 and self.recorder.path.stat().st_size > self.most:
            self.trouble = self.trouble or f"it has become larger than {self.most / 1e6:.0f} MB"
        self._write(world.time, lambda: super(_CarefulObserver, self).look(world))

    def trigger(self, trigger: Trigger) -> None:
        """Write a trigger of the time that is recorded."""
        self._write(trigger.time, lambda: self.recorder.trigger(trigger))

    def note(self, note: Note) -> None:
        """Write a debug line, likewise."""
        self._write(note.time, lambda: self.recorder.note(note))

    def contact(self, event: ContactEvent) -> None:
        """Write a contact, likewise."""
        self._write(event.time, lambda: self.recorder.contact(event))

    def finish(self, report: Mapping[str, object]) -> None:
        """Write how it ended."""
        self._write(inf, lambda: self.recorder.report(report))

    def _write(self, time: float, what: Callable[[], None]) -> None:
        if self.trouble or self.begun is None or time < self.begun:
            return
        try:
            what()
        except DescriptionError as error:
            self.trouble = str(error)


class LiveRecording:
    """Records a world; all methods are called by the thread that moves it, or at a halt.

    Args:
        world: What is recorded.
        path: Of the file, which must not exist.
        cell: Name of the cell.
        rate: States per simulated second.

    Raises:
        DescriptionError: When the file exists, or cannot be written.
    """

    def __init__(self, world: World, path: Path, cell: str, rate: float = RATE) -> None:
        if path.exists():
            raise DescriptionError(
                "exists already", element=f"recording '{path.name}'", allowed="another name"
            )
        self.path = path
        self._world = world
        self._stack = ExitStack()
        self._looking = ExitStack()
        moments = Moments(world)
        self._recorder = self._stack.enter_context(Recorder(path, header_of(world, cell, rate)))
        self._observer = _CarefulObserver(self._recorder, moments, rate, world.epoch)
        audience = Audience(world, (BeltObserver(moments), self._observer), (), RealClock())
        self._looking.enter_context(audience.seated())

    @property
    def problem(self) -> str:
        """Why it cannot go on; empty: it can."""
        return self._observer.trouble

    def end(self) -> float:
        """Write the last state and close the file; return how much was recorded [s]."""
        world, observer = self._world, self._observer
        observer.look(world)
        self._looking.close()
        seconds = world.time - (world.time if observer.begun is None else observer.begun)
        if not observer.trouble:
            robots = [{"number": nr, "state": one.state} for nr, one in world.robots.items()]
            problems = [tuple(one) for one in world.problems if one.time >= (observer.begun or 0.0)]
            observer.finish({"time": world.time, "robots": robots, "problems": problems})
        try:
            self._stack.close()
        except DescriptionError as error:
            observer.trouble = observer.trouble or str(error)
        return max(0.0, seconds)
