"""Running a world: what is sent meanwhile, and who looks on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from armwerk.cli.run_options import Event
from armwerk.protocol import Note, Trigger

LOOK = 0.05  # [s] simulated, between two looks of those who do not say how often
ALONE = 10.0  # [s] a cell without controllers is run


class Watcher(Protocol):
    """Somebody who looks on while a cell runs."""

    period: float  # [s] simulated, between two looks

    def look(self, world: Any) -> None:
        """See the world between two steps."""
        ...

    def now_and_then(self, world: Any) -> None:
        """See the world about ten times per real second, and at the end."""
        ...

    def trigger(self, trigger: Trigger) -> None:
        """Hear of a trigger that was sent."""
        ...

    def note(self, note: Note) -> None:
        """Hear of a debug line."""
        ...

    def problem(self, problem: Note) -> None:
        """Hear of something that went wrong with a program."""
        ...


@dataclass(slots=True)
class Loop:
    """Runs a world once.

    Args:
        world: A `World`.
        seconds: Simulated time [s]; None: until all controllers have ended, or `ALONE` without.
        pace: Simulated per real time; None: as fast as possible.
        events: What to send, by time.
        watchers: Who looks on.

    Attributes:
        real: How long it took [s].
        watched: How much of that those who look on took, the camera above all [s].
        stopped: Whether the user stopped it by Ctrl-C.
    """

    world: Any
    seconds: float | None = None
    pace: float | None = None
    events: Sequence[Event] = ()
    watchers: Sequence[Watcher] = ()
    real: float = 0.0
    watched: float = 0.0
    stopped: bool = False
    _sent: int = 0
    _heard: dict[str, int] = field(default_factory=dict)

    def run(self) -> None:
        """Go on until the time is over, all controllers have ended, or the user stops it."""
        seconds = self.seconds
        if seconds is None and not has_controllers(self.world):
            seconds = ALONE
        ends = [self.world.observe(self._tell, LOOK)]
        ends += [self.world.observe(self._look(one), one.period) for one in self.watchers]
        if self.events:
            ends.append(self.world.observe(self._send))
        for watcher in self.watchers:
            watcher.look(self.world)
        self._send()
        begin = time.perf_counter()
        try:
            self.world.run(seconds, pace=self.pace, progress=self._now_and_then)
        except KeyboardInterrupt:
            self.stopped = True
        finally:
            self.real = time.perf_counter() - begin
            for end in ends:
                end()
            self._tell()

    def _look(self, watcher: Watcher) -> Callable[[], None]:
        def look() -> None:
            begin = time.perf_counter()
            watcher.look(self.world)
            self.watched += time.perf_counter() - begin

        return look

    def _now_and_then(self, world: Any) -> None:
        for watcher in self.watchers:
            watcher.now_and_then(world)

    def _send(self) -> None:
        while self._sent < len(self.events):
            event = self.events[self._sent]
            if event.time > self.world.time + self.world.dt / 2:
                return
            self._sent += 1
            if event.kind == "trigger":
                self.world.send_trigger(event.instance, event.text)
            else:
                self.world.send_line(event.instance, event.text)

    def _tell(self) -> None:
        """Pass on what was sent and written since the last time, in order of time."""
        news = [
            (entry.time, kind, entry)
            for kind in ("trigger", "note", "problem")
            for entry in self._new(kind)
        ]
        for _, kind, entry in sorted(news, key=lambda one: one[0]):
            for watcher in self.watchers:
                getattr(watcher, kind)(entry)

    def _new(self, kind: str) -> Sequence[Any]:
        entries: Sequence[Any] = getattr(self.world, f"{kind}s")
        first = self._heard.get(kind, 0)
        self._heard[kind] = len(entries)
        return entries[first:]


def has_controllers(world: Any) -> bool:
    """Say whether anybody steers."""
    return any(robot.controller is not None for robot in world.robots.values())
