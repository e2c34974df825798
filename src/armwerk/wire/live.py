"""A cell that lives and can be edited: its text, its world, and what viewers see of it.

What is edited is the text. After every edit the world is built anew from it, and what has not been
edited goes on as it was: places and speeds of things, belts, and time. Programs begin again, and
with them the robots: a program is in the middle of something that cannot be carried over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from difflib import SequenceMatcher
from pathlib import Path
from typing import Unpack

from armwerk.cell import World
from armwerk.cell.record import RATE
from armwerk.cell.world import WorldOptions
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.scene import (
    added,
    moved,
    parse_scene,
    programmed,
    removed,
    resized,
    shifted,
    with_another_robot,
)
from armwerk.scene.files import find_cell
from armwerk.scene.scene import Conveyor, Scene
from armwerk.scene.writer import write_scene
from armwerk.wire.clock import WorldClock
from armwerk.wire.events import EventLog, EventTap
from armwerk.wire.feed import WorldFeed
from armwerk.wire.recording import LiveRecording

_REMEMBERED = 200  # edits that can be undone


class LiveCell:
    """A cell that runs, is watched, steered and edited.

    All methods may be called from any thread. Edits return when the new world stands; the text is
    as it was when they raise.

    Args:
        text: Of the cell.
        file: Where it is from, to find programs and arms beside it; None: not from a file.
        version: Of its first geometry.
        **options: Of the world, see `armwerk.cell.World`.

    Attributes:
        events: What happened.
        clock: Steers time.

    Raises:
        SceneError: When the text has problems.
        DescriptionError: When something the cell names is missing or wrong.
    """

    def __init__(
        self,
        text: str,
        file: str | Path | None = None,
        version: int = 1,
        **options: Unpack[WorldOptions],
    ) -> None:
        self._file = file
        self._options = options
        self._text = text
        self._undo: list[str] = []
        self._redo: list[str] = []
        self._editing = threading.RLock()
        self._watchers = self._contact_watchers = 0
        self._recording: LiveRecording | None = None
        self._audiences: list[Callable[[World], AbstractContextManager[None]]] = []
        self._seats = ExitStack()
        self.events = EventLog()
        self._world = World(parse_scene(text, file), **options)
        self._feed = WorldFeed(self._world, version)
        self._tap = EventTap(self._world, self.events)
        self.clock = WorldClock(self._world, self._halted)

    @classmethod
    def load(
        cls, cell: str | Path | Scene, version: int = 1, **options: Unpack[WorldOptions]
    ) -> LiveCell:
        """Return the living cell of an environment file, a shipped cell by name, or a scene."""
        if isinstance(cell, Scene):
            return cls(write_scene(cell), cell.file, version, **options)
        path = find_cell(cell)
        return cls(path.read_text(encoding="utf-8"), path, version, **options)

    # what there is ------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The world of now; another one after an edit."""
        return self._world

    @property
    def feed(self) -> WorldFeed:
        """Geometry and frames of now; another one after an edit."""
        return self._feed

    @property
    def text(self) -> str:
        """The cell as it is written."""
        return self._text

    @property
    def file(self) -> Path | None:
        """Where the text is from, or was last written to; None: nowhere."""
        return None if self._file is None else Path(self._file)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return bool(self._redo)

    def watch(self) -> None:
        """Have frames taken; once more for every viewer."""
        with self._editing:
            self._watchers += 1
            self._feed.watch()

    def unwatch(self) -> None:
        """Say that a viewer has gone."""
        with self._editing:
            self._watchers -= 1
            self._feed.unwatch()

    def watch_contacts(self) -> None:
        """Have contacts taken too; once more for every viewer who wants them."""
        with self._editing:
            self._contact_watchers += 1
            self._feed.contact_watchers = self._contact_watchers

    def unwatch_contacts(self) -> None:
        """Say that a viewer wants them no longer."""
        with self._editing:
            self._contact_watchers -= 1
            self._feed.contact_watchers = self._contact_watchers

    def attend(self, audience: Callable[[World], AbstractContextManager[None]]) -> None:
        """Have somebody look on for as long as a world lives, and at every one that follows.

        Args:
            audience: Makes a context for a world, such as `armwerk.cell.observers.Audience.seated`;
                entered and left by the thread of the clock.
        """

        def sit() -> None:
            self._audiences.append(audience)
            self._seats.enter_context(audience(self._world))

        self.clock.carry_out(sit)

    # recording ----------------------------------------------------------------------------------

    @property
    def recording(self) -> Path | None:
        """The file that is being recorded; None: none is."""
        recording = self._recording
        if recording is None:
            return None
        if recording.problem:
            self.clock.do(self._close_recording)
        return recording.path

    def record(self, path: Path, name: str = "cell", rate: float = RATE) -> None:
        """Record to a file, see `armwerk.wire.recording`; an edit or a reset ends it.

        Args:
            path: Of the file, which must not exist.
            name: Of the cell.
            rate: States per simulated second.

        Raises:
            DescriptionError: When the file exists or cannot be written.
            UnsupportedError: When something is being recorded.
        """

        def begin() -> None:
            if self._recording is not None:
                raise UnsupportedError(f"{self._recording.path.name} is being recorded")
            self._recording = LiveRecording(self._world, path, name, rate)
            self.events.push("clock", self._world.time, -1, f"recording {path.name}")

        self.clock.carry_out(begin)

    def stop_recording(self) -> tuple[Path, float]:
        """End the recording; return its file and how long it is [s].

        Raises:
            UnsupportedError: When nothing is being recorded.
        """
        ended: list[tuple[Path, float]] = []

        def end() -> None:
            if self._recording is None:
                raise UnsupportedError("nothing is being recorded")
            ended.append(self._end_recording())

        self.clock.carry_out(end)
        return ended[0]

    def _close_recording(self, why: str = "") -> None:
        if self._recording is not None:
            self._end_recording(why)

    def _end_recording(self, why: str = "") -> tuple[Path, float]:
        """End the recording, if there is one; in the thread of the clock."""
        recording, self._recording = self._recording, None
        if recording is None:
            return Path(), 0.0
        seconds = recording.end()
        why = recording.problem or why
        said = f"recorded {seconds:.2f} s to {recording.path.name}" + (f"; {why}" if why else "")
        self.events.push("problem" if why else "clock", self._world.time, -1, said)
        return recording.path, seconds

    # edits --------------------------------------------------------------------------------------

    def move(self, name: str, position: Sequence[float], angle: float | None = None) -> None:
        """Put something elsewhere, see `armwerk.scene.moved`."""
        self._edit(lambda text: moved(text, name, position, angle))

    def shift(self, name: str, offset: Sequence[float]) -> None:
        """Move something by an offset, see `armwerk.scene.shifted`."""
        self._edit(lambda text: shifted(text, name, offset))

    def resize(self, name: str, size: Sequence[float]) -> None:
        """Make something larger or smaller, see `armwerk.scene.resized`."""
        self._edit(lambda text: resized(text, name, size))

    def remove(self, name: str) -> None:
        """Take something away, see `armwerk.scene.removed`."""
        self._edit(lambda text: removed(text, name))

    def add(self, lines: str) -> None:
        """Add statements, see `armwerk.scene.added`."""
        self._edit(lambda text: added(text, lines))

    def add_robot(
        self,
        position: Sequence[float],
        angle: float = 0.0,
        manipulator: str | None = None,
        gripper: str | None = None,
    ) -> None:
        """Add a robot, see `armwerk.scene.with_another_robot`."""
        self._edit(lambda text: with_another_robot(text, position, angle, manipulator, gripper))

    def set_program(self, number: int, controller: str, config: str) -> None:
        """Give a robot another program, see `armwerk.scene.programmed`."""
        self._edit(lambda text: programmed(text, number, controller, config))

    def rewrite(self, text: str) -> None:
        """Put another text in the place of the whole."""
        self._edit(lambda _: text)

    def check(self, text: str) -> None:
        """Read a text as `rewrite` would, and change nothing.

        Raises:
            SceneError: When it has problems.
        """
        parse_scene(text, self._file)

    def place(self, name: str, position: Sequence[float]) -> None:
        """Put a thing elsewhere in the world of now, at rest; the text stays as it is.

        Raises:
            UnknownNameError: When no thing has that name.
        """

        def put() -> None:
            names = list(self._world.scene.names())
            if name not in names:
                raise UnknownNameError("thing in the cell", name, names)
            self._world.simulation.place(names.index(name), position)

        self.clock.carry_out(put)

    def undo(self) -> None:
        """Take back the last edit.

        Raises:
            UnsupportedError: When there is none.
        """
        self._back_and_forth(self._undo, self._redo, "undo")

    def redo(self) -> None:
        """Make the edit again that was taken back last.

        Raises:
            UnsupportedError: When there is none.
        """
        self._back_and_forth(self._redo, self._undo, "redo")

    def _edit(self, change: Callable[[str], str]) -> None:
        with self._editing:
            before, after = self._text, change(self._text)
            if after == before:
                return
            self._rebuild(after)
            self._undo = [*self._undo, before][-_REMEMBERED:]
            self._redo.clear()

    def _back_and_forth(self, source: list[str], other: list[str], what: str) -> None:
        with self._editing:
            if not source:
                raise UnsupportedError(f"there is nothing to {what}")
            before = self._text
            self._rebuild(source[-1])
            source.pop()
            other.append(before)

    # the world anew -----------------------------------------------------------------------------

    def _rebuild(self, text: str) -> None:
        world = World(parse_scene(text, self._file), **self._options)
        try:
            feed = WorldFeed(world, self._feed.geometry.version + 1)
        except BaseException:
            world.close()
            raise

        def swap() -> None:
            self._swap(world, feed)
            self._text = text

        self.clock.carry_out(swap)

    def _swap(self, world: World, feed: WorldFeed) -> None:
        """Put a world in the place of another; in the thread of the clock."""
        old, old_feed, old_tap = self._world, self._feed, self._tap
        self._close_recording("the cell was edited")
        self._seats.close()
        carry_over(old, world)
        for _ in range(self._watchers):
            feed.watch()
        feed.contact_watchers = self._contact_watchers
        feed.take()
        self._world, self._feed = world, feed
        self._tap = EventTap(world, self.events)
        self.clock.replace(world)
        for audience in self._audiences:
            self._seats.enter_context(audience(world))
        old_tap.close()
        old_feed.close()
        old.close()

    def _halted(self) -> None:
        """See to it that viewers see a halt as it is; in the thread of the clock."""
        self._feed.take()
        self._tap.look()

    def close(self) -> None:
        """End the clock and the world."""
        with self._editing:
            self.clock.close()
            self._close_recording()
            self._seats.close()
            self._tap.close()
            self._feed.close()
            self._world.close()

    def __enter__(self) -> LiveCell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def carry_over(old: World, new: World) -> list[str]:
    """Let things that are described alike go on in a new world as they were in an old one.

    Time goes on, too, and belts that are the same run or stand as they did. Nobody may move either
    world meanwhile.

    Returns:
        The names of the things that went on, in the new world.
    """
    before, after = old.scene.things, new.scene.things
    names = list(new.scene.names())
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    went_on: list[str] = []
    new.simulation.data.time = old.simulation.data.time
    for start, target, count in matcher.get_matching_blocks():
        for offset in range(count):
            state = old.simulation.thing(start + offset)
            new.simulation.place(
                *(target + offset, state.position, state.rotation, state.velocity, state.spin)
            )
            went_on.append(names[target + offset])
    belts = [one for one in old.scene.obstacles if isinstance(one, Conveyor)]
    running = dict(zip(belts, (belt.running for belt in old.simulation.belts), strict=True))
    fresh = [one for one in new.scene.obstacles if isinstance(one, Conveyor)]
    for conveyor, belt in zip(fresh, new.simulation.belts, strict=True):
        if conveyor in running:
            belt.running = running[conveyor]
    return went_on
