"""A cell in which nobody can go on: every program waits, and nothing is left that could change.

Nobody can go on when every program that runs waits without an end for something that others must
bring about, nothing in the world moves, no trigger is under way or planned, and nobody outside can
send one. All of it must hold for a while, for a ball that has just been let go stands still, too.
"""

from __future__ import annotations

import threading
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from armwerk.cell.programs.robot import CellRobot
    from armwerk.cell.runtime import CellRuntime
    from armwerk.control.context import Awaited

_STILL = 1.0  # [s] of simulated time for which nothing may have moved
_EVERY = 0.1  # [s] of simulated time between two looks
_CREEP = 1e-3  # [m/s, rad/s] below which something counts as standing


class Standstill:
    """Watches a run for the moment from which nothing can change any more.

    Args:
        runtime: The cell.
    """

    def __init__(self, runtime: CellRuntime) -> None:
        self._runtime = runtime
        self._since = inf
        self._next = -inf
        self.is_told = False
        """Whether somebody has been told of it."""

    def look(self) -> bool:
        """Return whether nobody inside the cell can go on; called before every step."""
        time = self._runtime.time
        if self._next - _EVERY <= time < self._next:
            return False
        self._next = time + _EVERY
        if not (is_everybody_waiting(self._runtime) and self._is_still()):
            self._since, self.is_told = inf, False
            return False
        self._since = min(self._since, time)
        asked = min(one.asked for one in _awaited(self._runtime))
        return time - self._since >= _STILL and asked >= self._since

    def _is_still(self) -> bool:
        simulation = self._runtime.simulation
        speeds = np.asarray(simulation.data.qvel)
        return bool(
            not any(robot.body.moving for robot in self._runtime.robots.values())
            and (np.abs(speeds) < _CREEP).all()
        )


def is_everybody_waiting(runtime: CellRuntime) -> bool:
    """Whether all programs that run wait for others, for ever, and no trigger is under way."""
    if runtime.bus.has_pending or runtime.has_orders or not _awaited(runtime):
        return False
    for robot in runtime.robots.values():
        for task in robot.busy_tasks:
            if task.awaited is None or task.awaited.until < inf:
                return False
            condition = task.condition
            if task.is_behind or task.interrupted or (condition is not None and condition()):
                return False
    return True


def _awaited(runtime: CellRuntime) -> list[Awaited]:
    tasks = (task for robot in runtime.robots.values() for task in robot.busy_tasks)
    return [task.awaited for task in tasks if task.awaited is not None]


def can_others_send(runtime: CellRuntime) -> bool:
    """Whether a thread of somebody else might send something, or one who looks on might.

    Threads of programs are daemons, and so are those of notebooks and debuggers; a person's own
    are not, unless he says so.
    """
    here = threading.current_thread()
    others = (one for one in threading.enumerate() if not one.daemon and one is not here)
    return runtime.has_visitors or any(others)


def waits(robot: CellRobot) -> str:
    """Return what a robot's program waits for, since when and in which line; empty: nothing."""
    task = next((task for task in robot.busy_tasks if task.awaited is not None), None)
    if robot.state != "running" or task is None or task.awaited is None:
        return ""
    what, since, until, _ = task.awaited
    end = "" if until == inf else f", until {until:.3f} s"
    return f"waits for {what} since {since:.3f} s{end}{robot.place}"
