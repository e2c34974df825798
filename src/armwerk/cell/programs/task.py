"""A task: one program in a thread of its own, which runs only while it holds the token.

A task has two locks of its own. ``go`` is released by the driver to hand the token over, and
``back`` by the task to return it. Since they are its own, a task that was given up can neither
take part again nor hold up anybody else.

A task that plans a motion may be left behind in a paced run: the driver goes on without its token,
and the task, once it has its plan, waits to be handed the token again.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Literal

from armwerk.cell.traces import error_text, where_now
from armwerk.control.context import Awaited, Stopped
from armwerk.errors import UnsupportedError

EARLY = 1e-9  # [s] by which a wake-up time may be missed, being a sum of rounded steps
_LOOK = 0.1  # [s] between two looks at a task that keeps the token
_LONG = 1.0  # [s] a computation of armwerk that takes longer than this is not held against a task
_PEEK = 0.0005  # [s] likewise, where a task that plans may be left behind
_HURRY = 0.5  # [s] of patience once the user wants to leave

_here = threading.local()

Outcome = Literal["", "ended", "failed", "stuck"]


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How a task ended.

    Args:
        outcome: "ended" by itself, "failed" by an exception, or "stuck".
        error: What to tell the user; empty for one that simply ended.
    """

    outcome: Outcome
    error: str = ""


class Task:
    """One program and its thread, which is started when it first gets the token.

    Args:
        name: For messages ("robot 0").
        order: Place among the others; lower ones run first.
        job: What to do; gets the task.
        on_end: Called by the driver once the task is over.
    """

    def __init__(
        self,
        name: str,
        order: tuple[int, int],
        job: Callable[[Task], None],
        on_end: Callable[[TaskEnd], None],
    ) -> None:
        self.name = name
        self.order = order
        self.interrupted = False  # its waits and services raise Stopped from now on
        self.may_wait = True
        self.abandoned = False
        self.end: TaskEnd | None = None
        self.awaited: Awaited | None = None  # what it waits for, if others must bring it about
        self._job = job
        self.on_end = on_end
        self._wake = -inf  # simulated time at which it wants the token again
        self._condition: Callable[[], bool] | None = None
        self._fulfilled = False
        self._go, self._back = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._back.acquire()
        self._touching = threading.Lock()
        self._thread: threading.Thread | None = None
        self._computing_since = inf
        self._plans = False  # it does nothing but plan, and may be left behind
        self._is_behind = False  # the driver has gone on without it
        self._is_back = False  # it has its plan and wants the token again
        self._credit = 0.0  # [s] spent in long computations during the present turn

    # called by the task's own thread ----------------------------------------------------------

    def suspend(
        self,
        service: str,
        until: float,
        condition: Callable[[], bool] | None,
        awaited: Awaited | None = None,
    ) -> bool:
        """Return the token until a time or a condition; see `RobotContext.suspend`."""
        self._only_here(service)
        self.check()
        if not self.may_wait:
            raise UnsupportedError(f"{self.name}: {service} waits, which stop and pause must not")
        self._wake, self._condition, self._fulfilled = until, condition, False
        self.awaited = awaited
        self._return_token()
        self._go.acquire()
        self.awaited = None
        self.check()
        return self._fulfilled

    def check(self) -> None:
        """Raise `Stopped` when the task is to end."""
        if self.abandoned or self.interrupted:
            raise Stopped

    @contextmanager
    def touch(self, service: str) -> Iterator[None]:
        """Change the world; never once the task has been given up, not even a moment later."""
        self._only_here(service)
        with self._touching:
            self.check()
            yield

    @contextmanager
    def compute(self) -> Iterator[None]:
        """Compute something of armwerk that may take long the first time."""
        outer = self._computing_since
        if outer < inf:
            yield
            return
        self._computing_since = begin = monotonic()
        try:
            yield
        finally:
            self._computing_since = inf
            spent = monotonic() - begin
            if spent > _LONG:
                self._credit += spent
        self.check()

    @contextmanager
    def plan(self, lock: threading.Lock) -> Iterator[None]:
        """Compute a motion; in a paced run the driver may go on meanwhile.

        Args:
            lock: Of all who plan, for two at a time would only take the time of the driver.
        """
        with self.compute():
            self._plans = True
            try:
                with lock:
                    yield
            finally:
                with self._touching:
                    self._plans = False
                    self._is_back = behind = self._is_behind
                if behind:
                    self._go.acquire()
                    self._is_behind = self._is_back = False

    def _only_here(self, service: str) -> None:
        if current() is not self:
            raise UnsupportedError(
                f"{self.name}: {service} may only be called in the thread of its run or handlers"
            )

    def _main(self) -> None:
        _here.task = self
        self._go.acquire()
        end = TaskEnd("ended")
        try:
            self.check()
            self._job(self)
        except Stopped:
            pass
        except BaseException as error:  # a program may even call sys.exit
            end = TaskEnd("failed", error_text(error))
        finally:
            self._return_token(end)

    def _return_token(self, end: TaskEnd | None = None) -> None:
        with self._touching:
            if not self.abandoned:
                self.end = end
                self._back.release()

    # called by the driver ------------------------------------------------------------------

    @property
    def wake(self) -> float:
        """Simulated time at which it is due, whatever its condition [s]."""
        if self.interrupted:
            return -inf
        return inf if self._is_behind else self._wake

    @property
    def condition(self) -> Callable[[], bool] | None:
        """What makes it due before that; None: nothing."""
        return self._has_plan if self._is_behind else self._condition

    @property
    def is_behind(self) -> bool:
        """Whether the driver has gone on without it."""
        return self._is_behind

    def _has_plan(self) -> bool:
        return self._is_back

    def is_due(self, time: float) -> bool:
        """Whether it wants the token now."""
        if time >= self.wake - EARLY:
            return True
        condition = self.condition
        return condition is not None and condition()

    def resume(
        self, patience: float, in_hurry: Callable[[], bool], leave: float | None = None
    ) -> None:
        """Hand over the token and wait for its return; give the task up when it does not come.

        Args:
            patience: Real time for which it may keep the token [s].
            in_hurry: Whether the user wants to leave.
            leave: Real time after which a task that plans is left behind [s]; None: never.
        """
        if not self._is_behind:
            condition = self._condition
            self._fulfilled = condition is not None and condition()
            self._condition = None
        self._credit = 0.0
        begin = monotonic()
        if self._thread is None and not self._begin():
            return
        self._go.release()
        try:
            look = _LOOK if leave is None else leave
            while not self._back.acquire(timeout=min(patience, look)):
                if leave is not None:
                    if self._left_behind():
                        return
                    look = _PEEK
                spent = monotonic() - begin
                allowed = min(patience, _HURRY) if in_hurry() else patience
                if spent - self._credit >= allowed and not self._computes_long():
                    self._give_up(spent)
                    return
        except BaseException:  # somebody else's signal handler: the token is lost
            self._give_up(monotonic() - begin)
            raise

    def _left_behind(self) -> bool:
        """Go on without the task if it plans; return whether that is so."""
        with self._touching:
            self._is_behind = self._plans
            return self._plans

    def _begin(self) -> bool:
        thread = threading.Thread(target=self._main, name=self.name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the system has no thread left for it
            self.end = TaskEnd("failed", f"{self.name} cannot be started: {error}")
            return False
        self._thread = thread
        return True

    def _computes_long(self) -> bool:
        return monotonic() - self._computing_since > _LONG

    def _give_up(self, spent: float) -> None:
        assert self._thread is not None
        place = self.place
        with self._touching:
            if self._back.acquire(blocking=False):
                return  # it came back just now
            self.abandoned = True
        self.end = TaskEnd(
            "stuck",
            f"{self.name} kept the world waiting for {spent:.1f} s of real time without a wait or "
            f"a motion and was given up{place}; simulated time passes only in self.wait, "
            "self.wait_motion, self.wait_trigger, self.wait_until and self.wait_for_contact",
        )
        _raise_in(self._thread)

    def dismiss(self) -> None:
        """Let the thread unwind by itself, without a turn; it can no longer touch anything."""
        with self._touching:
            waiting = not self.abandoned and self.end is None
            self.abandoned = True
        if waiting and self._thread is not None:
            self._go.release()

    def join(self, seconds: float) -> bool:
        """Wait for the thread to end, in real time; return whether it has."""
        if self._thread is None or self._thread is threading.current_thread():
            return True
        self._thread.join(max(seconds, 0.0))
        return not self._thread.is_alive()

    @property
    def is_alive(self) -> bool:
        """Whether its thread still exists."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def place(self) -> str:
        """Where in its program the thread is, see `where_now`; empty: it has ended."""
        return where_now(self._thread.ident) if self._thread and self.is_alive else ""

    def raise_stopped(self) -> None:
        """Send `Stopped` to a thread that was given up and is still alive."""
        if self.is_alive:
            assert self._thread is not None
            _raise_in(self._thread)


def current() -> Task | None:
    """Return the task whose thread this is; None: somebody else's thread."""
    found: Task | None = getattr(_here, "task", None)
    return found


def _raise_in(thread: threading.Thread) -> None:
    """Send `Stopped` to a thread; it arrives when the thread next runs Python code."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped)
        )
