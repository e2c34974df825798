"""A trigger processor at work: a queue of texts and a thread that takes them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf

from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import Task, TaskEnd
from armwerk.control.processor import TriggerProcessor

_PROCESSOR = 2  # at the same number robots come first


class CellProcessor:
    """One trigger processor of a cell.

    Args:
        instance: The number under which it receives.
        program: What the user wrote.
        scheduler: Whose round it takes part in.
        report: Called with number and text when something goes wrong.
    """

    def __init__(
        self,
        instance: int,
        program: TriggerProcessor,
        scheduler: Scheduler,
        report: Callable[[int, str], None],
    ) -> None:
        self.instance = instance
        self.program = program
        self.error = ""
        self.events: deque[str] = deque()
        self._scheduler = scheduler
        self._report = report
        self._task: Task | None = None

    @property
    def state(self) -> str:
        """Either "running" or "failed"."""
        return "failed" if self.error else "running"

    def receive(self, text: str) -> bool:
        """Take a trigger; return whether anybody will look at it."""
        if self.error:
            return False
        self.events.append(text)
        if self._task is None or self._task.end is not None:
            name = f"trigger processor {self.instance}"
            self._task = Task(name, (self.instance, _PROCESSOR), self._work, self._ended)
            self._scheduler.add(self._task)
        return True

    def forget(self, program: TriggerProcessor) -> None:
        """Begin anew with a fresh program."""
        self.program, self.error = program, ""
        self.events.clear()

    def _work(self, task: Task) -> None:
        while True:
            while self.events:
                self.program.receive_trigger(self.events.popleft())
            task.suspend("receive_trigger", inf, self._has_events)

    def _has_events(self) -> bool:
        return bool(self.events)

    def _ended(self, end: TaskEnd) -> None:
        if end.outcome != "ended":
            self.error = end.error
            self.events.clear()
            self._report(self.instance, end.error)
