"""A robot of a cell with its program: what state it is in, and how it gets into another."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from math import inf
from typing import TYPE_CHECKING, Literal

import numpy as np

from armwerk.arrays import Array
from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import Task, TaskEnd
from armwerk.cell.traces import error_text, last_line
from armwerk.control.context import Stopped
from armwerk.control.controller import RobotController, is_written
from armwerk.errors import UnsupportedError
from armwerk.protocol import RobotState

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody

_OVER = ("failed", "stuck")
_HANDLER, _RUN = 0, 1  # of one robot the handler comes before the run


class CellRobot:
    """One robot.

    Args:
        number: 0 to 99.
        body: The simulated robot.
        controller: Its program; None: nobody steers.
        scheduler: Whose round its program takes part in.
        report: Called with number and text when something goes wrong.

    Attributes:
        state: "idle" until started, "running", then "done", "failed", "stuck", "stopped" or
            "paused".
        error: What went wrong, with traceback; empty: nothing.
    """

    def __init__(
        self,
        number: int,
        body: RobotBody,
        controller: RobotController | None,
        scheduler: Scheduler,
        report: Callable[[int, str], None],
    ) -> None:
        self.number = number
        self.body = body
        self.controller = controller
        self.state: RobotState = "idle"
        self.error = ""
        self.mailbox: deque[str] = deque()
        self.events: deque[tuple[str, str]] = deque()
        self._scheduler = scheduler
        self._report = report
        self._wish: RobotState | None = None
        self._task: Task | None = None
        self._handler: Task | None = None
        self._handling = False

    # what the user sees -----------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Values of the arm's motors [rad or m]. Shape (n,)."""
        return np.array(self.body.q)

    @property
    def values(self) -> Array:
        """Values of all motors, the gripper's last [rad or m]. Shape (motors,)."""
        return np.array(self.body.values)

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of all motors."""
        return tuple(self.body.motors)

    @property
    def pose(self) -> Array:
        """The grip point, T_world_tool. Shape (4, 4)."""
        return np.array(self.body.pose)

    @property
    def moving(self) -> bool:
        """Whether its arm is on its way."""
        return bool(self.body.moving)

    @property
    def description(self) -> str:
        """What its program says about itself; nothing when it cannot."""
        try:
            said: object = "" if self.controller is None else self.controller.description
            return str((said() if callable(said) else said) or "")
        except Exception:
            return ""

    @property
    def place(self) -> str:
        """Where in its program its run is: ", in pick.py line 12 (run): …"; empty: nowhere."""
        if self._task is None:
            return ""
        own = "" if self.controller is None else self.controller._place
        return own or self._task.place

    @property
    def is_busy(self) -> bool:
        """Whether its run or a handler has begun something and not ended it."""
        return self.state == "running" or self._handling

    def __repr__(self) -> str:
        program = "no controller" if self.controller is None else self.controller._title
        return f"<Robot {self.number} {program}, {self.state}>"

    # starting and stopping --------------------------------------------------------------------

    def start(self) -> None:
        """Begin the run in the next round; a run that goes on already stays as it is.

        Raises:
            UnsupportedError: When an earlier run was given up and still holds its thread.
        """
        if self.controller is None or self.state == "running":
            return
        if self.state == "stuck" and self._task is not None and self._task.is_alive:
            raise UnsupportedError(
                f"robot {self.number} is stuck: its last run has not ended and may still use the "
                "controller; World.reset makes a new one"
            )
        if self.state not in {"idle", "paused"}:
            self.mailbox.clear()
        self.state, self.error, self._wish = "running", "", None
        self._task = Task(f"robot {self.number}", (self.number, _RUN), self._run, self._ended)
        self._scheduler.add(self._task)

    def end(self, wish: Literal["stopped", "paused"]) -> None:
        """Ask run and handler to end in their next turns."""
        if wish == "stopped":
            self.mailbox.clear()
            self.events.clear()
        tasks = [self._handler if self._handling else None]
        if self.state == "running":
            self._wish = wish
            tasks.append(self._task)
        elif wish == "stopped" and self.state in {"paused", "done"}:
            if self.state == "paused":
                self._scheduler.add(self._resetting())
            self.state = "stopped"
        asked = tuple(task for task in tasks if task is not None and task.end is None)
        for task in asked:
            self._scheduler.interrupt(task)
        if asked:
            self.body.halt()

    def _resetting(self) -> Task:
        """Return a task that brings a paused program back to its beginning."""

        def reset(task: Task) -> None:
            assert self.controller is not None
            task.may_wait = False
            self.controller.stop()

        self._task = Task(f"robot {self.number}", (self.number, _RUN), reset, self._ended)
        return self._task

    def forget(self, controller: RobotController | None) -> None:
        """Go back to the very beginning, with another controller when one is given."""
        if controller is not None:
            self.controller = controller
        self.state, self.error, self._wish = "idle", "", None
        self.mailbox.clear()
        self.events.clear()

    @property
    def is_ending(self) -> bool:
        """Whether it was asked to stop or pause."""
        return self._wish is not None

    @property
    def own_tasks(self) -> tuple[Task | None, Task | None]:
        """Handler and run, ended or not."""
        return self._handler, self._task

    @property
    def busy_tasks(self) -> tuple[Task, ...]:
        """Its tasks that have something to do: the run, and a handler with a message."""
        idle = self._handler if not self._handling else None
        return tuple(task for task in self.tasks if task is not idle)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Its tasks that have not ended."""
        both = (self._handler, self._task)
        return tuple(task for task in both if task is not None and task.end is None)

    # what comes in ----------------------------------------------------------------------------

    def receive(self, text: str) -> bool:
        """Take a trigger; return whether anybody will look at it."""
        if self.controller is None or self.state in {*_OVER, "stopped"}:
            return False
        if self.state != "done":
            self.mailbox.append(text)
        handled = is_written(self.controller, "receive_trigger", RobotController)
        if handled:
            self.add_event("trigger", text)
        return handled or self.state != "done"

    def receive_line(self, text: str) -> None:
        """Take a line of the commander."""
        if self.controller is not None and self.state not in {*_OVER, "stopped"}:
            self.add_event("line", text)

    def add_event(self, kind: str, text: str) -> None:
        """Put a trigger or a line before the handler."""
        self.events.append((kind, text))
        if self._handler is None or self._handler.end is not None:
            name = f"handler of robot {self.number}"
            order = (self.number, _HANDLER)
            self._handler = Task(name, order, self._handle, self._handler_ended)
            self._scheduler.add(self._handler)

    def take(self, text: str | None) -> str | None:
        """Return the oldest trigger, or the oldest of that text, and forget it; None: none."""
        if text is None:
            return self.mailbox.popleft() if self.mailbox else None
        if text not in self.mailbox:
            return None
        self.mailbox.remove(text)
        return text

    # the jobs of its two threads --------------------------------------------------------------

    def _run(self, task: Task) -> None:
        assert self.controller is not None
        problem: BaseException | None = None
        try:
            _check_ran(self.controller.run())  # type: ignore[func-returns-value]
        except Stopped:
            if task.abandoned:
                raise
        except BaseException as error:
            problem = error
        task.interrupted, task.may_wait = False, False
        try:
            (self.controller.pause if self._wish == "paused" else self.controller.stop)()
        except BaseException as error:
            if problem is None or isinstance(error, Stopped):
                raise
        if problem is not None:
            raise problem

    def _handle(self, task: Task) -> None:
        while self.state not in _OVER:
            task.interrupted = False
            try:
                if not self._has_events():
                    task.suspend("receive_trigger", inf, self._has_events)
                kind, text = self.events.popleft()
                self._handling = True
                self._call(kind, text)
            except Stopped:
                if task.abandoned:
                    raise
            finally:
                self._handling = False

    def _call(self, kind: str, text: str) -> None:
        assert self.controller is not None
        if kind == "trigger":
            self.controller.receive_trigger(text)
            return
        try:
            self.controller.receive_line(text)
        except Exception as error:  # a person mistyped; that ends no program
            told = last_line(error_text(error))
            self._report(self.number, f"the line {text!r:.60} was refused: {told}")

    def _has_events(self) -> bool:
        return bool(self.events) and self.state in {"running", "done"}

    def _ended(self, end: TaskEnd) -> None:
        if end.outcome != "ended":
            self._fail(end)
        elif self.state == "running":
            self.state = self._wish or "done"

    def _handler_ended(self, end: TaskEnd) -> None:
        self._handling = False
        if end.outcome != "ended":
            self._fail(end)

    def _fail(self, end: TaskEnd) -> None:
        """End everything of this robot because one of its threads failed or got stuck."""
        if self.state not in _OVER:
            self.state = "stuck" if end.outcome == "stuck" else "failed"
            self.error = end.error
        self.body.halt()
        self.events.clear()
        self._report(self.number, end.error)
        for task in self.tasks:
            self._scheduler.interrupt(task)


def _check_ran(result: object) -> None:
    """Refuse a run that has only made something to be run by somebody else."""
    if isinstance(result, Coroutine | Generator | AsyncGenerator):
        if not isinstance(result, AsyncGenerator):
            result.close()
        raise UnsupportedError(
            "run must be a plain method: one with async or yield does nothing when it is called"
        )
