"""Programs with habits: what they may do while they unwind, and what they may be made of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from cell_programs import program, robots, world

import armwerk as aw
from armwerk.physics import SimulationSettings
from armwerk.scene import Scene

BELT = "CONVEYOR 30 RUN 5 5 x 10 0 404040 RECT 0 100 40 20 ENDCONVEYOR"


def test_a_program_that_unwinds_may_write_and_send_but_not_move() -> None:
    said: list[str] = []

    def run(self: Any) -> None:
        try:
            self.wait(10)
        finally:
            self.debug("robot", self.instance, "leaves at", round(self.time, 3))
            self.send_trigger(30, "STOP")
            try:
                self.set([0.5, 0.0, 0.0])
            except BaseException as error:
                said.append(type(error).__name__)

    with world(run, more=BELT) as cell:
        cell.run(seconds=0.1)
        cell.stop()
        cell.run(seconds=0.1)
        assert [note.text for note in cell.notes] == ["robot 0 leaves at 0.1"]
        assert not cell.simulation.belts[0].running
        assert said == ["Stopped"]
        assert cell.robots[0].state == "stopped"
        assert cell.robots[0].q[0] == pytest.approx(0.0, abs=1e-9)


def _raises(self: Any) -> str:
    raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("sorts", "sorts"),
        (lambda self: "sorts, too", "sorts, too"),
        (property(lambda self: "sorts as well"), "sorts as well"),
        (property(_raises), ""),
        (_raises, ""),
        (None, ""),
        (7, "7"),
    ],
)
def test_descriptions_are_told_whatever_they_are(description: Any, told: str) -> None:
    with world(program(lambda self: None, description=description)) as cell:
        assert cell.robots[0].description == told
        assert cell.run().ok


def test_a_run_that_nobody_would_run_is_refused() -> None:
    async def waits(self: Any) -> None:
        pass

    def yields(self: Any) -> Any:
        yield 1

    async def both(self: Any) -> Any:
        yield 1

    with world(waits, yields, both, lambda self: self.wait(0.1)) as cell:
        report = cell.run()
        assert [one.state for one in report.robots] == ["failed", "failed", "failed", "done"]
        assert all("plain method" in one.error for one in report.robots[:3])


def test_a_run_waits_for_an_order_that_another_thread_carries_out() -> None:
    """A button pressed between two short runs must not make the second one fail."""
    begun = threading.Event()

    class Slow(aw.RobotController):
        def run(self) -> None:
            self.wait(100)

        def stop(self) -> None:
            begun.set()
            time.sleep(0.3)

    with world(Slow) as cell:
        cell.run(seconds=0.1)
        presses = threading.Thread(target=cell.stop)
        presses.start()
        assert begun.wait(10)
        cell.run(seconds=0.1)
        presses.join()
        assert cell.robots[0].state == "stopped"
        assert cell.time == pytest.approx(0.2)


def test_orders_in_a_storm_break_nothing() -> None:
    def run(self: Any) -> None:
        while self.is_running():
            self.set([0.3, 0.0, 0.0])
            self.wait(0.02)
            self.send_trigger(-1, "x")

    errors: list[str] = []
    over = threading.Event()

    def storm(cell: aw.World, seed: int) -> None:
        orders: list[Callable[[], None]] = [
            cell.stop,
            cell.start,
            cell.pause,
            cell.reset,
            lambda: cell.send_line(0, "x"),
        ]
        count = seed
        while not over.is_set():
            count += 1
            try:
                orders[count * 7 % 5 if seed else count % 3]()
            except Exception as error:
                errors.append(repr(error))
            time.sleep(0.001)

    handled = {"receive_trigger": lambda self, text: self.wait(0.01)}
    kind = program(run, **handled)
    with world(kind, kind) as cell:
        threads = [threading.Thread(target=storm, args=(cell, seed)) for seed in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(40):
            cell.run(seconds=0.02)
        over.set()
        for thread in threads:
            thread.join()
        cell.reset()
        cell.run(seconds=0.1)
        assert errors == []
        assert cell.problems == []
        assert cell.time == pytest.approx(0.1)
        assert {robot.state for robot in cell.robots.values()} == {"running"}


def test_orders_of_the_last_step_come_before_later_ones() -> None:
    def run(self: Any) -> None:
        while self.is_running():
            self.wait(0.02)

    with world(program(run)) as cell:
        # Paused from within the last step: the order waits until somebody serves it.
        cell._runtime.observe(lambda: cell.pause() if cell.time > 0.0999 else None, 1e-3)
        cell.run(seconds=0.1)
        cell.reset()
        cell.run(seconds=0.05)
        assert cell.robots[0].state == "running"
        assert cell.time == pytest.approx(0.05)


def test_random_numbers_follow_the_seed() -> None:
    class Draws(aw.RobotController):
        def run(self) -> None:
            self.debug(*self.random.integers(0, 1000, 5))

    def drawn(seed: int) -> list[str]:
        with aw.World(
            robots(2), robots={0: Draws, 1: Draws}, settings=SimulationSettings(seed=seed)
        ) as cell:
            cell.run()
            first = [note.text for note in cell.notes]
            cell.reset()
            cell.run()
            assert [note.text for note in cell.notes] == first
            return first

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)
    one, two = drawn(3)
    assert one != two, "every program draws its own"


def test_a_processor_draws_too() -> None:
    class Dice(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            self.debug(int(self.random.integers(1, 7)))

    def thrown(seed: int) -> list[str]:
        with aw.World(
            Scene(), processors={20: Dice}, settings=SimulationSettings(seed=seed)
        ) as cell:
            for _ in range(20):
                cell.send_trigger(20, "throw")
            cell.run(0.1)
            return [note.text for note in cell.notes]

    assert len(thrown(1)) == 20
    assert thrown(1) == thrown(1)
    assert thrown(1) != thrown(2)
