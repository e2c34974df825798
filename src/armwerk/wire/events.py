"""Events: what happens in a world, kept for listeners that come and go.

Each kind has a ring of its own, so that a thousand contacts do not push out the one line that says
what went wrong. A listener has its own place in each ring; what it was too slow for is counted.
Listeners never hold up whoever writes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

from armwerk.protocol import ContactEvent, Note, Trigger
from armwerk.protocol.contacts import Vector
from armwerk.protocol.viewing import EventKind, ViewedEvent

if TYPE_CHECKING:
    from armwerk.cell import World

KEPT = 2_000  # events of each kind
EVERY = 0.02  # [s] simulated, between two looks at what a world has to tell
KINDS: tuple[EventKind, ...] = get_args(EventKind)


class _Ring:
    """The last events of one kind; written under a lock, read without one."""

    def __init__(self, kept: int) -> None:
        self.slots: list[ViewedEvent | None] = [None] * kept
        self.count = 0

    def push(self, event: ViewedEvent) -> None:
        self.slots[self.count % len(self.slots)] = event
        self.count += 1


class EventLog:
    """The last events of a world.

    Args:
        kept: How many of each kind.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._rings: Mapping[EventKind, _Ring] = {kind: _Ring(kept) for kind in KINDS}
        self._writing = threading.Lock()
        self.count = 0

    def push(
        self,
        kind: EventKind,
        time: float,
        instance: int,
        text: str,
        point: Vector | None = None,
        force: float | None = None,
    ) -> None:
        """Tell of something; arguments as of `ViewedEvent`. May be called by any thread."""
        with self._writing:
            event = ViewedEvent(self.count, kind, time, instance, text, point, force)
            self._rings[kind].push(event)
            self.count += 1

    def listen(self, history: int = 0) -> EventListener:
        """Return a listener that hears of what comes, and first of the last of each kind.

        Args:
            history: How many events of each kind that were before.
        """
        return EventListener(self._rings, history)


class EventListener:
    """One who listens, with its own place in the log; made by `EventLog.listen`.

    Args:
        rings: Where events are kept.
        history: How many of each kind it hears of that were before.

    Attributes:
        dropped: Events of each kind it was too slow for.
    """

    def __init__(self, rings: Mapping[EventKind, _Ring], history: int) -> None:
        self._rings = rings
        self._next = {kind: max(0, ring.count - history) for kind, ring in rings.items()}
        self.dropped: dict[EventKind, int] = dict.fromkeys(rings, 0)
        for kind, ring in rings.items():  # what is no longer there was never promised
            self._next[kind] = max(self._next[kind], ring.count - len(ring.slots))

    def take(self, most: int = 500) -> list[ViewedEvent]:
        """Return what has happened since the last time, in order; the rest comes next time.

        Args:
            most: How many events of each kind.
        """
        news: list[ViewedEvent] = []
        for kind, ring in self._rings.items():
            count, first = ring.count, self._next[kind]
            if first == count:
                continue
            oldest = max(first, count - len(ring.slots))
            self.dropped[kind] += oldest - first
            last = min(count, oldest + most)
            taken = [ring.slots[place % len(ring.slots)] for place in range(oldest, last)]
            # whoever writes may have gone round meanwhile: what was overwritten is lost too
            lost = max(0, ring.count - len(ring.slots) - oldest)
            self.dropped[kind] += min(lost, last - oldest)
            news += [event for event in taken[lost:] if event is not None]
            self._next[kind] = last
        news.sort(key=lambda event: event.number)
        return news


class EventTap:
    """Passes on what a world has to tell.

    Args:
        world: Who is listened to.
        log: Where it goes.
    """

    def __init__(self, world: World, log: EventLog) -> None:
        self._world = world
        self._log = log
        self._epoch = world.epoch
        self._notes = self._triggers = self._problems = self._touches = 0
        self._states: dict[int, str] = {}
        self._end = world.observe(self.look, EVERY)
        self.look()

    def look(self) -> None:
        """Pass on what is new; to be called by the thread that moves the world, or at a halt."""
        world, log = self._world, self._log
        if world.epoch != self._epoch:
            self._epoch = world.epoch
            self._notes = self._triggers = self._problems = self._touches = 0
            log.push("clock", world.time, -1, "reset")
        touches = world.simulation.touches
        news: list[tuple[float, EventKind, Note | Trigger | ContactEvent]] = []
        sent, notes, problems = world.triggers, world.notes, world.problems
        if sent.total > self._triggers:
            news += [(one.time, "trigger", one) for one in sent.since(self._triggers)]
            self._triggers = sent.total
        if notes.total > self._notes:
            news += [(one.time, "note", one) for one in notes.since(self._notes)]
            self._notes = notes.total
        if problems.total > self._problems:
            news += [(one.time, "problem", one) for one in problems.since(self._problems)]
            self._problems = problems.total
        if touches.count > self._touches:
            fresh = min(touches.count - self._touches, len(touches.events))
            news += [(one.time, "contact", one) for one in world.contact_events[-fresh:]]
            self._touches = touches.count
        if len(news) > 1:
            news.sort(key=lambda one: one[0])
        for time, kind, one in news:
            if isinstance(one, ContactEvent):
                force = one.force if one.change == "started" else None
                log.push("contact", time, -1, str(one), one.point, force)
            else:
                log.push(kind, time, one.instance, one.text)
        for number, robot in world.robots.items():
            if self._states.get(number) != robot.state:
                self._states[number] = robot.state
                log.push("state", world.time, number, robot.state)

    def close(self) -> None:
        """Listen no more."""
        self._end()
