"""Those who look on while a world runs, and how they hear of what happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from armwerk.protocol import ContactEvent, Note, TimedMessage, Trigger

if TYPE_CHECKING:
    from armwerk.cell.pace import Clock
    from armwerk.cell.world import World

LOOK = 0.05  # [s] simulated, between two looks of those who do not say how often


class Observer:
    """Looks on while a world runs; write a class of your own with what you want to see.

    None of its methods may move the world.
    """

    period: float = LOOK
    """Simulated time between two looks [s]."""

    only_looks: bool = True
    """False: it may send triggers or lines, so that a cell in which all wait is not at its end."""

    def look(self, world: World) -> None:
        """See the world before the first step, and then between steps, every ``period``."""

    def now_and_then(self, world: World) -> None:
        """See the world about ten times per real second, and at the end."""

    def trigger(self, trigger: Trigger) -> None:
        """Hear of a trigger that was sent."""

    def note(self, note: Note) -> None:
        """Hear of a debug line."""

    def problem(self, problem: Note) -> None:
        """Hear of something that went wrong with a program, or in the world (instance -1)."""

    def contact(self, event: ContactEvent) -> None:
        """Hear that two have begun to touch, or touch no longer."""


class Audience:
    """All observers of one run, and what is sent meanwhile.

    Args:
        world: What they look at.
        observers: Who looks on.
        schedule: What to send; in any order.
        clock: Measures how long they take.

    Attributes:
        seconds: Real time that the looks took, the camera's above all [s].
    """

    def __init__(
        self,
        world: World,
        observers: Sequence[Observer],
        schedule: Sequence[TimedMessage],
        clock: Clock,
    ) -> None:
        self.seconds = 0.0
        self._world = world
        self._observers = tuple(observers)
        self._schedule = sorted(schedule, key=lambda message: message.time)
        self._clock = clock
        self._sent = 0
        self._epoch = world.epoch
        self._heard = {"trigger": 0, "note": 0, "problem": 0, "contact": 0}

    @contextmanager
    def seated(self) -> Iterator[None]:
        """Have the observers look and hear for as long as the context lasts."""
        world = self._world
        ends: list[Callable[[], None]] = []
        if self._observers:
            seat = world._runtime.observe
            ends.append(seat(self._tell, LOOK, _never))
            ends += [seat(self._looking(one), one.period, _sends(one)) for one in self._observers]
        if self._schedule:
            ends.append(world._runtime.observe(self._send, 0.0, self._is_more_to_come))
        try:
            for observer in self._observers:
                observer.look(world)
            self.seconds = 0.0  # the first look is before the run
            self._send()
            yield
        finally:
            for end in ends:
                end()
            self._tell()

    def now_and_then(self) -> None:
        """Let everybody see the world, in real time."""
        for observer in self._observers:
            observer.now_and_then(self._world)

    def _looking(self, observer: Observer) -> Callable[[], None]:
        def look() -> None:
            begin = self._clock.now()
            observer.look(self._world)
            self.seconds += self._clock.now() - begin

        return look

    def _is_more_to_come(self) -> bool:
        return self._sent < len(self._schedule)

    def _notice_reset(self) -> None:
        """Begin anew with what is heard and sent when time was set back."""
        if self._epoch != self._world.epoch:
            self._epoch = self._world.epoch
            self._sent = 0
            self._heard = dict.fromkeys(self._heard, 0)

    def _send(self) -> None:
        self._notice_reset()
        world = self._world
        while self._sent < len(self._schedule):
            message = self._schedule[self._sent]
            if message.time > world.time + world.dt / 2:
                return
            self._sent += 1
            send = world.send_trigger if message.kind == "trigger" else world.send_line
            send(message.instance, message.text)

    def _tell(self) -> None:
        """Pass on what was sent and said since the last time, in order of time."""
        self._notice_reset()
        world, heard = self._world, self._heard
        news: list[tuple[float, str, Trigger | Note | ContactEvent]] = []
        for kind, entries in (
            ("trigger", world.triggers),
            ("note", world.notes),
            ("problem", world.problems),
        ):
            news += [(entry.time, kind, entry) for entry in entries.since(heard[kind])]
            heard[kind] = entries.total
        touches = world.simulation.touches
        fresh = min(touches.count - heard["contact"], len(touches.events))
        if fresh > 0:
            news += [(event.time, "contact", event) for event in world.contact_events[-fresh:]]
        heard["contact"] = touches.count
        news.sort(key=lambda one: one[0])
        for _, kind, entry in news:
            for observer in self._observers:
                if isinstance(entry, Trigger):
                    observer.trigger(entry)
                elif isinstance(entry, ContactEvent):
                    observer.contact(entry)
                elif kind == "note":
                    observer.note(entry)
                else:
                    observer.problem(entry)


def _never() -> bool:
    return False


def _sends(observer: Observer) -> Callable[[], bool]:
    return lambda: not observer.only_looks
