"""The scheduler: many programs, each in a thread of its own, of which exactly one runs at a time.

The thread that moves the world is the driver. It hands the token to one program after the
other, in a fixed order, and waits until it comes back: when the program waits for something, or
ends. Simulated time stands still meanwhile, so the result does not depend on how quick anybody
is. Only a paced run does not wait for a program that plans a motion: the driver leaves it behind
and hands it the token again once it has its plan. A program that keeps the token too long is given
up: it is reported as stuck, is sent an exception, and from then on every service it calls raises
`Stopped`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf
from time import monotonic

from armwerk.cell.programs.task import EARLY, Task
from armwerk.errors import DescriptionError
from armwerk.motion.limits import is_number

LEAVE = 0.003  # [s] of real time for all planning in one round of a paced run
_AT_LEAST = 0.0002  # [s] of it for each
_CLOSING = 2.0  # [s] given to threads to unwind when the scheduler is closed


class Scheduler:
    """Hands the token to the tasks, one after the other.

    Args:
        patience: Real time for which a task may keep the token [s].
    """

    def __init__(self, patience: float) -> None:
        if not is_number(patience) or not 0.0 < patience < inf:
            raise DescriptionError(
                "out of range", element="patience", value=patience, allowed="above 0 s"
            )
        self.patience = patience
        self.is_paced = False  # whether who plans is left behind
        self.planning = threading.Lock()  # of those who plan
        self._in_hurry: Callable[[], bool] = _never
        self._tasks: list[Task] = []
        self._given_up: list[Task] = []
        self._next = inf
        self._is_any_behind = False
        self._watching: tuple[Callable[[], bool], ...] = ()

    def add(self, task: Task) -> None:
        """Take up a task; it gets the token in the next round."""
        self._tasks.append(task)
        self._tasks.sort(key=lambda one: one.order)
        self._next = -inf

    def interrupt(self, task: Task) -> None:
        """Have a task's wait raise `Stopped` in the next round."""
        task.interrupted = True
        self._next = -inf

    def hurry_when(self, asked: Callable[[], bool] | None) -> None:
        """Have little patience once a function says that the user wants to leave; None: never."""
        self._in_hurry = asked or _never

    def is_due(self, time: float) -> bool:
        """Whether anybody wants the token; quick, for it is asked before every step."""
        if time >= self._next - EARLY:
            return True
        if self._is_any_behind and not self.is_paced:
            return True
        for condition in self._watching:  # noqa: SIM110 - no generator in every step
            if condition():
                return True
        return False

    def round(self, time: float, only: tuple[Task, ...] | None = None) -> None:
        """Give every task that is due its turn, in order.

        Args:
            time: Simulated time [s].
            only: Just these tasks; None: all.
        """
        begin = monotonic()
        for task in tuple(self._tasks):
            # without a pace everybody is waited for, so that nothing depends on real time
            late = task.is_behind and not self.is_paced
            if task.end is None and (only is None or task in only) and (late or task.is_due(time)):
                leave = None
                if self.is_paced and not task.interrupted:
                    leave = max(begin + LEAVE - monotonic(), _AT_LEAST)
                task.resume(self.patience, self._in_hurry, leave)
                if task.end is not None:
                    self._retire(task)
        self._look_ahead()

    def close(self) -> None:
        """End all tasks without a turn; wait a moment for their threads."""
        self.dismiss()
        deadline = monotonic() + _CLOSING
        for task in self._given_up:
            if task.end is not None and task.end.outcome == "stuck":
                task.raise_stopped()
                task.join(min(0.05, deadline - monotonic()))
            else:
                task.join(deadline - monotonic())
        self._given_up = [task for task in self._given_up if task.is_alive]

    def dismiss(self) -> None:
        """Let all threads unwind by themselves, without waiting for them."""
        for task in self._tasks:
            task.dismiss()
        self._given_up += self._tasks
        self._tasks = []
        self._look_ahead()

    @property
    def stuck(self) -> tuple[str, ...]:
        """Names of tasks that were given up and whose threads still exist."""
        self._given_up = [task for task in self._given_up if task.is_alive]
        return tuple(task.name for task in self._given_up)

    def _retire(self, task: Task) -> None:
        assert task.end is not None
        self._tasks.remove(task)
        if task.abandoned:
            self._given_up.append(task)
        else:
            task.join(_CLOSING)
        task.on_end(task.end)

    def _look_ahead(self) -> None:
        self._next = min((task.wake for task in self._tasks), default=inf)
        self._is_any_behind = any(task.is_behind for task in self._tasks)
        self._watching = tuple(task.condition for task in self._tasks if task.condition is not None)


def _never() -> bool:
    return False
