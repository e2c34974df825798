"""A clock that can be steered while it runs: a world moved by a thread of its own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from armwerk.cell import Pace, RealClock, World
from armwerk.errors import DescriptionError
from armwerk.motion.limits import is_number
from armwerk.protocol.viewing import ClockStatus

SLOWEST, FASTEST = 0.001, 1000.0  # simulated per real time
_MEASURED = 0.5  # [s] of real time over which the rate is measured
_PATIENCE = 5.0  # [s] for which closing waits


def checked_speed(speed: float) -> float:
    """Return a speed of time that can be chosen; 0: as fast as possible.

    Raises:
        DescriptionError: For a speed below 0.001, except 0, or above 1000.
    """
    if not is_number(speed) or not (speed == 0.0 or SLOWEST <= speed <= FASTEST):
        raise DescriptionError(
            "out of range",
            element="speed",
            value=speed,
            allowed=f"{SLOWEST} to {FASTEST:g}, or 0: as fast as possible",
        )
    return float(speed)


class _Interruptible(RealClock):
    """The clock of the computer, whose sleep ends when there is news."""

    def __init__(self, news: threading.Event) -> None:
        self._news = news

    def sleep(self, seconds: float) -> None:
        """Wait [s], or until there is news."""
        self._news.wait(seconds)


class SteeredPace(Pace):
    """A pace that does not sleep through news, and says how late the world is.

    Args:
        ratio: Simulated seconds per real second.
        news: Set when somebody wants something.
    """

    def __init__(self, ratio: float, news: threading.Event) -> None:
        super().__init__(ratio, _Interruptible(news))
        self._news = news
        self.behind = 0.0  # [s] of real time

    def keep(self, simulated: float, hurry: Callable[[], bool] = lambda: False) -> None:
        """Wait until a simulated time is due [s], or there is news."""
        due = self._real + (simulated - self._simulated) / self.ratio
        self.behind = max(0.0, self.clock.now() - due)
        super().keep(simulated, lambda: self._news.is_set() or hurry())


class WorldClock:
    """Moves a world in a thread of its own; begins at a halt.

    All methods may be called from any thread; they take effect between two steps, in the order in
    which they came. `carry_out` waits for that, the others return at once.

    Args:
        world: What is moved; nobody else may move it.
        halted: Called by that thread whenever time has come to a halt, and after every order.
    """

    def __init__(self, world: World, halted: Callable[[], None] = lambda: None) -> None:
        self._world = world
        self._halted = halted
        self._news = threading.Event()
        self._orders: deque[Callable[[], None]] = deque()
        self._running = False
        self._speed = 1.0
        self._problem = ""
        self._pace: SteeredPace | None = None
        self._rate = 0.0
        self._measured = (0.0, 0.0)  # real and simulated time
        self._closing = False
        self._thread = threading.Thread(target=self._live, name="armwerk world", daemon=True)
        self._thread.start()

    # what it is told ----------------------------------------------------------------------------

    def run(self) -> None:
        """Let time pass."""
        self.do(lambda: self._go(True))

    def pause(self) -> None:
        """Let time stand."""
        self.do(lambda: self._go(False))

    def step(self, steps: int = 1) -> None:
        """Make some physics steps and stand.

        Raises:
            DescriptionError: For fewer than one step, or more than 100,000.
        """
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= 100_000:
            raise DescriptionError(
                "out of range", element="steps", value=steps, allowed="1 to 100000"
            )
        self.do(lambda: self._make(steps))

    def set_speed(self, speed: float) -> None:
        """Choose how fast time passes: simulated per real time; 0: as fast as possible.

        Raises:
            DescriptionError: For a speed below 0.001, except 0, or above 1000.
        """
        chosen = checked_speed(speed)
        self.do(lambda: self._choose(chosen))

    def carry_out(self, what: Callable[[], None], patience: float | None = None) -> None:
        """Have something done between two steps, wait for it, and raise what it raises.

        Args:
            what: Is called by the thread of the clock.
            patience: How long to wait at most [s]; None: as long as it takes.

        Raises:
            TimeoutError: When it is not done by then.
        """
        done, problems = threading.Event(), list[Exception]()

        def carried_out() -> None:
            try:
                what()
            except Exception as error:
                problems.append(error)
            finally:
                done.set()

        self.do(carried_out)
        if not done.wait(patience):
            raise TimeoutError("the cell does not answer; a program keeps it waiting")
        if problems:
            raise problems[0]

    def reset(self) -> None:
        """Put everything back to the beginning; time goes on, or stands, as before."""
        self.do(self._reset)

    def do(self, what: Callable[[], None]) -> None:
        """Have something done between two steps, by the thread that moves the world."""
        self._orders.append(what)
        self._news.set()

    def close(self) -> None:
        """End the thread and wait for it; the world stays open."""
        self._closing = True
        self._news.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)

    def replace(self, world: World) -> None:
        """Move another world from now on; only for orders given with `do`."""
        self._world = world
        self._problem = ""

    # what it says -------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether time passes."""
        return self._running

    @property
    def status(self) -> ClockStatus:
        """How time goes."""
        pace, running = self._pace, self._running
        lag = 0.0 if pace is None or not running else pace.lost + pace.behind
        return ClockStatus(
            "failed" if self._problem else "running" if running else "paused",
            self._world.time,
            self._speed,
            self._rate if running else 0.0,
            lag,
            self._problem,
        )

    # in its thread ------------------------------------------------------------------------------

    def _live(self) -> None:
        while not self._closing:
            self._news.wait()
            self._news.clear()
            while self._orders and not self._closing:
                self._guarded(self._orders.popleft())
                self._halted()
            if self._running and not self._closing:
                self._guarded(self._run)
                self._halted()

    def _guarded(self, what: Callable[[], None]) -> None:
        """Do something; what goes wrong stops the clock and is told."""
        try:
            what()
        except Exception as error:  # whatever it is, the clock must go on listening
            self._running = False
            self._problem = str(error) or type(error).__name__

    def _run(self) -> None:
        self._pace = None if self._speed == 0.0 else SteeredPace(self._speed, self._news)
        self._measured = (time.perf_counter(), self._world.time)
        self._world.run(until=self._has_news, pace=self._pace)

    def _has_news(self, world: World) -> bool:
        now = time.perf_counter()
        real, simulated = self._measured
        if now - real > _MEASURED:
            self._rate = max(0.0, world.time - simulated) / (now - real)
            self._measured = (now, world.time)
        return self._news.is_set()

    def _go(self, running: bool) -> None:
        self._running = running and not self._problem

    def _make(self, steps: int) -> None:
        self._running = False
        for _ in range(steps):
            if self._problem or self._closing:
                return
            self._world.step()

    def _choose(self, speed: float) -> None:
        self._speed = speed

    def _reset(self) -> None:
        self._problem = ""
        self._world.reset()
