"""The token: one runs at a time, in order, and nobody can hold up the others for good."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import Task, TaskEnd, current
from armwerk.control import Stopped
from armwerk.errors import DescriptionError, UnsupportedError

QUICK = 0.15  # [s] of patience


def waits_for_ever(task: Task) -> None:
    task.suspend("wait", inf, None)


class Round:
    """A scheduler with tasks whose ends are kept by name."""

    def __init__(self, patience: float = 5.0) -> None:
        self.scheduler = Scheduler(patience)
        self.ends: dict[str, TaskEnd] = {}
        self.tasks: dict[str, Task] = {}

    def add(self, name: str, order: int, job: Callable[[Task], None]) -> Task:
        task = Task(name, (order, 0), job, lambda end: self.ends.__setitem__(name, end))
        self.tasks[name] = task
        self.scheduler.add(task)
        return task

    def run(self, until: float, dt: float = 0.1) -> int:
        """Let time pass; return how often somebody had a turn."""
        rounds = 0
        for step in range(round(until / dt) + 1):
            if self.scheduler.is_due(step * dt):
                rounds += 1
                self.scheduler.round(step * dt)
        return rounds


def test_order_is_by_number_and_not_by_who_came_first() -> None:
    said: list[str] = []
    both = Round()
    for name, order in (("c", 2), ("a", 0), ("b", 1)):

        def job(task: Task, name: str = name) -> None:
            for k in range(3):
                said.append(f"{name}{k}")
                task.suspend("wait", k + 0.1, None)

        both.add(name, order, job)
    both.run(4.0)
    assert said == [f"{name}{k}" for k in range(3) for name in "abc"]
    assert both.ends == {name: TaskEnd("ended") for name in "abc"}


def test_only_one_runs_at_a_time() -> None:
    running = 0
    most = 0

    def job(task: Task) -> None:
        nonlocal running, most
        for k in range(5):
            running += 1
            most = max(most, running)
            time.sleep(0.002)  # lets other threads run, if they could
            running -= 1
            task.suspend("wait", 0.1 * k, None)

    several = Round()
    for k in range(4):
        several.add(f"t{k}", k, job)
    several.run(2.0)
    assert most == 1


def test_nobody_has_a_turn_before_the_time_has_come() -> None:
    one = Round()

    def job(task: Task) -> None:
        for wake in (1.0, 2.0):
            task.suspend("wait", wake, None)

    one.add("sleeper", 0, job)
    assert one.run(5.0) == 3  # the beginning and two wake-ups; 48 steps cost no switch


def test_a_condition_wakes_before_the_deadline_and_says_so() -> None:
    found: list[bool] = []
    ready = False

    def job(task: Task) -> None:
        found.append(task.suspend("wait", inf, lambda: ready))
        found.append(task.suspend("wait", 2.0, lambda: False))

    one = Round()
    one.add("one", 0, job)
    one.scheduler.round(0.0)
    assert not one.scheduler.is_due(1.0)
    ready = True
    assert one.scheduler.is_due(1.0)
    one.scheduler.round(1.0)
    one.scheduler.round(2.0)
    assert found == [True, False]


@pytest.mark.parametrize("error", [ValueError("bad luck"), SystemExit(3), KeyboardInterrupt()])
def test_one_that_raises_is_reported_with_its_line(error: BaseException) -> None:
    def job(task: Task) -> None:
        raise error

    two = Round()
    two.add("bad", 0, job)
    two.add("good", 1, lambda task: None)
    two.run(0.1)
    assert two.ends["good"] == TaskEnd("ended")
    assert two.ends["bad"].outcome == "failed"
    assert type(error).__name__ in two.ends["bad"].error
    assert Path(__file__).name in two.ends["bad"].error


def spin(task: Task) -> None:
    while True:
        pass


def sleep_long(task: Task) -> None:
    time.sleep(1e6)


def lock_up(task: Task) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@pytest.mark.parametrize("job", [spin, sleep_long, lock_up])
def test_one_that_is_stuck_is_given_up(job: Callable[[Task], None]) -> None:
    seen: list[float] = []

    def good(task: Task) -> None:
        for k in range(3):
            seen.append(k)
            task.suspend("wait", 0.1 * (k + 1), None)

    two = Round(QUICK)
    two.add("bad", 0, job)
    two.add("good", 1, good)
    begin = time.monotonic()
    two.run(1.0)
    assert time.monotonic() - begin < QUICK + 2.0
    assert seen == [0, 1, 2]
    end = two.ends["bad"]
    assert end.outcome == "stuck"
    assert "bad kept the world waiting" in end.error
    assert f"{Path(__file__).name} line" in end.error
    assert job.__name__ in end.error
    if job is spin:
        assert two.tasks["bad"].join(2.0), "the exception ends a loop of Python code"
    two.scheduler.close()


def test_one_that_was_given_up_can_touch_nothing_afterwards() -> None:
    touched: list[str] = []
    release = threading.Event()
    over = threading.Event()

    def job(task: Task) -> None:
        while not release.is_set():  # a program that swallows even Stopped
            with contextlib.suppress(BaseException):
                release.wait(0.01)
        for attempt in ("wait", "touch", "compute"):
            try:
                if attempt == "wait":
                    task.suspend("wait", 0.0, None)
                elif attempt == "touch":
                    with task.touch("set"):
                        touched.append("touched")
                else:
                    with task.compute():
                        pass
                touched.append("passed")
            except Stopped:
                touched.append("stopped")
        over.set()

    one = Round(QUICK)
    one.add("late", 0, job)
    one.run(0.1)
    assert one.ends["late"].outcome == "stuck"
    release.set()
    assert over.wait(5.0)
    assert touched == ["stopped"] * 3
    assert one.ends["late"].outcome == "stuck"


def test_an_interrupted_wait_raises_stopped_and_finally_runs() -> None:
    said: list[str] = []

    def job(task: Task) -> None:
        try:
            task.suspend("wait", inf, None)
        finally:
            said.append("cleaned up")

    one = Round()
    task = one.add("one", 0, job)
    one.scheduler.round(0.0)
    one.scheduler.interrupt(task)
    one.scheduler.round(0.0)
    assert said == ["cleaned up"]
    assert one.ends["one"] == TaskEnd("ended")


def test_stopped_passes_except_exception() -> None:
    def job(task: Task) -> None:
        while True:
            try:
                task.suspend("wait", inf, None)
            except Exception:
                pytest.fail("Stopped is no Exception")

    one = Round()
    task = one.add("one", 0, job)
    one.scheduler.round(0.0)
    one.scheduler.interrupt(task)
    one.scheduler.round(0.0)
    assert one.ends["one"].outcome == "ended"


def test_long_computations_of_armwerk_are_not_held_against_a_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("armwerk.cell.programs.task._LONG", 0.05)

    def job(task: Task) -> None:
        with task.compute():
            time.sleep(0.6)

    one = Round(QUICK)
    one.add("one", 0, job)
    one.scheduler.round(0.0)
    assert one.ends["one"].outcome == "ended"


def test_nor_when_the_task_goes_on_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armwerk.cell.programs.task._LONG", 0.05)
    monkeypatch.setattr("armwerk.cell.programs.task._LOOK", 0.02)

    def job(task: Task) -> None:
        with task.compute():
            time.sleep(1.0)
        time.sleep(0.1)

    one = Round(0.6)
    one.add("one", 0, job)
    one.scheduler.round(0.0)
    assert one.ends["one"].outcome == "ended"


def test_many_short_computations_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def job(task: Task) -> None:
        while True:
            with task.compute():
                time.sleep(0.01)

    one = Round(QUICK)
    one.add("one", 0, job)
    one.scheduler.round(0.0)
    assert one.ends["one"].outcome == "stuck"


def test_waiting_in_somebody_elses_thread_is_refused() -> None:
    one = Round()
    task = one.add("one", 0, waits_for_ever)
    with pytest.raises(UnsupportedError, match="one: wait may only be called"):
        task.suspend("wait", 1.0, None)
    assert current() is None
    one.scheduler.close()


def test_close_ends_waiting_threads() -> None:
    several = Round()
    names = {f"waiting {k}" for k in range(5)}
    for k, name in enumerate(sorted(names)):
        several.add(name, k, waits_for_ever)
    several.scheduler.round(0.0)
    assert {thread.name for thread in threading.enumerate()} >= names
    several.scheduler.close()
    assert not {thread.name for thread in threading.enumerate()} & names
    assert several.scheduler.stuck == ()


def test_a_burst_of_turns_leaves_no_garbage_threads() -> None:
    for _ in range(50):
        one = Round()
        one.add("short-lived", 0, lambda task: None)
        one.scheduler.round(0.0)
    assert "short-lived" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("patience", [0.0, -1.0, inf, float("nan")])
def test_patience_must_be_positive(patience: float) -> None:
    with pytest.raises(DescriptionError, match="patience"):
        Scheduler(patience)


def test_every_wait_costs_one_turn_and_nothing_else_does() -> None:
    """What a turn costs in time is measured in benchmarks/bench_cells.py."""
    waits = 200
    seen: list[float] = []

    def job(task: Task) -> None:
        for k in range(waits):
            seen.append(now)
            task.suspend("wait", float(k + 1), None)

    one = Round()
    one.add("one", 0, job)
    rounds, now = 0, 0.0
    for step in range(10 * waits + 1):
        now = step / 10
        if one.scheduler.is_due(now):
            rounds += 1
            one.scheduler.round(now)
    assert one.ends["one"].outcome == "ended"
    assert seen == [float(k) for k in range(waits)]
    assert rounds == waits + 1


def test_error_text_begins_with_the_users_own_line() -> None:
    def job(task: Task) -> Any:
        return dict[str, int]()["missing"]

    one = Round()
    one.add("one", 0, job)
    one.scheduler.round(0.0)
    lines = one.ends["one"].error.splitlines()
    assert "test_scheduler.py" in lines[1]
    assert sys.exc_info() == (None, None, None)
