"""A world of mobile robots that lives in a thread of its own, and its log."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple, TypeVar

from armwerk.errors import DescriptionError
from armwerk.mobile.events import MobileEvent
from armwerk.mobile.world import MeasuredRay, MobileState, MobileWorld

SLOWEST, FASTEST = 0.01, 100.0  # simulated per real time
MOST_EVENTS = 20_000
"""That are kept for the log."""
_AT_ONCE = 500  # events told at once
_LATE = 0.25  # [s] of real time that is made up for
_PAUSE = 1e-4  # [s] in which others get the world, between two steps
_MEASURED = 0.5  # [s] of real time over which the rate is measured
_UNSEEN = 5.0  # [s] after which a world that nobody looks at stands still
_PATIENCE = 5.0  # [s] for which closing waits

T = TypeVar("T")


class MobileNews(NamedTuple):
    """How a world stands, for somebody who knows some events already.

    Attributes:
        state: Where everything is.
        running: Whether time passes.
        speed: Simulated per real time, as chosen; 0: as fast as possible.
        rate: The same as measured.
        problem: Why time was stopped; empty: nothing is wrong.
        log: How often the log was emptied.
        known: Number of events that are known then.
        missed: Of them, those that are not kept any more.
        events: Those that are news.
        rays: What the distance sensors see.
    """

    state: MobileState
    running: bool
    speed: float
    rate: float
    problem: str
    log: int
    known: int
    missed: int
    events: tuple[MobileEvent, ...]
    rays: tuple[MeasuredRay, ...]


class MobileRunner:
    """Moves a world, as fast as it is told; begins at a halt.

    All methods may be called from any thread. Time stands still when nobody has looked on for 5 s.

    Args:
        world: What is moved; nobody else may move it.
        speed: Simulated per real time; 0: as fast as possible.
    """

    def __init__(self, world: MobileWorld, speed: float = 1.0) -> None:
        self._world = world
        self._turn = threading.Condition()  # who holds it has the world
        self._speed = speed
        self._running = self._closing = False
        self._due = self._seen = 0.0
        self._rate = 0.0
        self._measured = (0.0, 0.0)  # real and simulated time
        self._problem = ""
        self._log: deque[MobileEvent] = deque(maxlen=MOST_EVENTS)
        self._count = self._emptied = 0
        self._take_events()
        self._thread = threading.Thread(target=self._live, name="armwerk mobile", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether time passes."""
        return self._running

    @property
    def speed(self) -> float:
        """Simulated per real time, as chosen; 0: as fast as possible."""
        return self._speed

    def start(self) -> None:
        """Let time pass."""
        with self._turn:
            if self._problem:
                raise DescriptionError(
                    f"was stopped: {self._problem}", element="world", allowed="reset it first"
                )
            now = time.perf_counter()
            self._due = self._seen = now
            self._measured, self._rate = (now, self._world.time), 0.0
            self._running = True
            self._turn.notify_all()

    def stop(self) -> None:
        """Let time stand."""
        with self._turn:
            self._running = False

    def step(self) -> None:
        """Let time stand after one step of the programs."""
        with self._turn:
            self._running = False
            if not self._problem:
                self._advance()

    def reset(self) -> None:
        """Go back to the beginning, with an empty log; time goes on, or stands, as before."""
        with self._turn:
            self._problem = ""
            self._world.reset()
            self._empty()
            self._take_events()
            now = time.perf_counter()
            self._due, self._measured = now, (now, self._world.time)

    def set_speed(self, speed: float) -> None:
        """Choose how fast time passes.

        Args:
            speed: Simulated per real time; 0: as fast as possible.

        Raises:
            DescriptionError: When it is out of range.
        """
        if not (speed == 0.0 or SLOWEST <= speed <= FASTEST):
            raise DescriptionError(
                "out of range",
                element="speed",
                value=speed,
                allowed=f"{SLOWEST} to {FASTEST:g}, or 0: as fast as possible",
            )
        with self._turn:
            self._speed = speed
            self._due = time.perf_counter()
            self._turn.notify_all()

    def clear(self) -> None:
        """Empty the log."""
        with self._turn:
            self._empty()

    def events(self) -> list[MobileEvent]:
        """Return what is in the log."""
        with self._turn:
            return list(self._log)

    def do(self, what: Callable[[MobileWorld], T]) -> T:
        """Do something with the world between two steps."""
        with self._turn:
            return what(self._world)

    def news(self, seen: int) -> MobileNews:
        """Return how the world stands.

        Args:
            seen: Number of events of this log that are known.
        """
        with self._turn:
            self._seen = time.perf_counter()
            missed = self._count - len(self._log)
            first = min(max(0, seen - missed), len(self._log))
            events = tuple(islice(self._log, first, first + _AT_ONCE))
            rate = self._rate if self._running else 0.0
            return MobileNews(
                self._world.state,
                self._running,
                self._speed,
                rate,
                self._problem,
                self._emptied,
                missed + first + len(events),
                missed,
                events,
                self._world.rays(),
            )

    def close(self) -> None:
        """End the thread and wait for it."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        self._thread.join(_PATIENCE)

    # in its thread ------------------------------------------------------------------------------

    def _live(self) -> None:
        while True:
            with self._turn:
                while not self._closing and (wait := self._waiting()) is not None:
                    self._turn.wait(None if wait < 0.0 else wait)
                if self._closing:
                    return
                self._advance()
            time.sleep(_PAUSE)

    def _waiting(self) -> float | None:
        """Return how long to wait [s]; negative: until there is news; None: a step is due."""
        now = time.perf_counter()
        if self._running and now - self._seen > _UNSEEN:
            self._running = False
        if not self._running:
            return -1.0
        if self._speed == 0.0 or now >= self._due:
            return None
        return min(self._due - now, _UNSEEN)

    def _advance(self) -> None:
        try:
            self._world.step()
        except Exception as error:  # anybody's program may be at work
            self._running = False
            notes = getattr(error, "__notes__", [])
            self._problem = "; ".join([str(error) or type(error).__name__, *notes])
        self._take_events()
        now = time.perf_counter()
        if self._speed > 0.0:
            self._due = max(self._due + self._world.scene.step / self._speed, now - _LATE)
        real, simulated = self._measured
        if now - real > _MEASURED:
            self._rate = (self._world.time - simulated) / (now - real)
            self._measured = (now, self._world.time)

    def _empty(self) -> None:
        self._log.clear()
        self._count = 0
        self._emptied += 1

    def _take_events(self) -> None:
        self._log.extend(self._world.events)
        self._count += len(self._world.events)
        self._world.clear_events()
