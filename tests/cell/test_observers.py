"""Those who look on: what they see, what they hear, and what is sent meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from cell_programs import program, world

from armwerk.cell import FakeClock, Observer, Pace, World
from armwerk.errors import UnknownNameError
from armwerk.protocol import Note, TimedMessage, Trigger


class Everything(Observer):
    """Keeps all that it sees and hears."""

    def __init__(self, period: float, clock: FakeClock | None = None, cost: float = 0.0) -> None:
        self.period = period
        self.looks: list[float] = []
        self.heard: list[tuple[str, Trigger | Note]] = []
        self.real = 0
        self._clock, self._cost = clock, cost

    def look(self, world: World) -> None:
        self.looks.append(round(world.time, 9))
        if self._clock is not None:
            self._clock.time += self._cost

    def now_and_then(self, world: World) -> None:
        self.real += 1

    def trigger(self, trigger: Trigger) -> None:
        self.heard.append(("trigger", trigger))

    def note(self, note: Note) -> None:
        self.heard.append(("note", note))

    def problem(self, problem: Note) -> None:
        self.heard.append(("problem", problem))


def test_observers_look_in_simulated_time() -> None:
    often, seldom = Everything(0.01), Everything(0.1)
    with world() as cell:
        cell.run(0.3, observers=[often, seldom])
        cell.run(0.3)
    assert often.looks == pytest.approx([0.01 * k for k in range(31)])
    assert seldom.looks == pytest.approx([0.0, 0.1, 0.2, 0.3]), "and nothing of the second run"
    assert often.real == 1, "at least at the end"


def test_they_hear_everything_once_and_in_order() -> None:
    def run(self: Any) -> None:
        self.debug("one")
        self.wait(0.02)
        self.send_trigger(0, "two")
        self.wait(0.2)
        raise RuntimeError("three")

    seen = Everything(0.05)
    with world(run) as cell:
        cell.run(observers=[seen])
    kinds = [kind for kind, _ in seen.heard]
    times = [entry.time for _, entry in seen.heard]
    assert kinds == ["note", "trigger", "problem"]
    assert times == sorted(times)
    assert seen.heard[-1][1].text.endswith("RuntimeError: three")


def test_what_is_scheduled_is_sent_in_its_time() -> None:
    lines: list[tuple[float, str]] = []

    def run(self: Any) -> None:
        for _ in range(2):
            self.debug(self.wait_trigger(), round(self.time, 6))

    def receive_line(self: Any, text: str) -> None:
        lines.append((round(self.time, 6), text))

    schedule = [
        TimedMessage(0.2, "trigger", 0, "late"),
        TimedMessage(0.0, "trigger", 0, "first"),
        TimedMessage(0.1, "line", 0, "go"),
    ]
    with world(program(run, receive_line=receive_line)) as cell:
        cell.run(schedule=schedule)
        assert [note.text for note in cell.notes] == ["first 0.0", f"late {0.2:g}"]
        assert lines == [(0.1, "go")]
        assert [trigger.time for trigger in cell.triggers] == pytest.approx([0.0, 0.2])
        with pytest.raises(UnknownNameError, match="robot"):
            cell.run(0.1, schedule=[TimedMessage(0.0, "line", 7, "nobody")])


def test_the_report_says_what_looking_cost() -> None:
    clock = FakeClock()
    slow = Everything(0.1, clock, cost=0.01)
    with world() as cell:
        report = cell.run(0.5, pace=Pace(1000.0, clock), observers=[slow])
    assert len(slow.looks) == 6, "the first is before the run"
    assert report.observed == pytest.approx(0.05)
    assert report.wall == pytest.approx(0.05, abs=1e-3)


def test_an_observer_that_fails_ends_the_run_and_leaves_nothing_behind() -> None:
    class Broken(Observer):
        def look(self, world: World) -> None:
            if world.time > 0.1:
                raise OSError("the disk is full")

    with world() as cell:
        with pytest.raises(OSError, match="disk is full"):
            cell.run(0.5, observers=[Broken()])
        cell.run(0.5)
        assert cell._runtime.observations == []
