"""A cell in which nobody can go on says so and ends; one that can goes on."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from cell_programs import world
from typer.testing import CliRunner

from armwerk.cell.observers import Observer
from armwerk.cell.world import World
from armwerk.cli.app import app
from armwerk.protocol import TimedMessage


def waits_for_go(self: Any) -> None:
    self.wait(0.3)
    self.wait_trigger("GO")
    self.debug("went")


def waits_for_both(self: Any) -> None:
    self.wait_trigger("FIRST")
    self.send_trigger(0, "GO")


def test_two_that_wait_for_each_other_end() -> None:
    with world(waits_for_go, waits_for_both) as cell:
        report = cell.run()
        assert report.why == "waiting"
        assert not report.ok
        assert 1.0 < cell.time < 3.0
        first, second = (robot.waits for robot in report.robots)
        assert first.startswith("waits for the trigger 'GO' since 0.300 s, in test_standstill.py")
        assert 'self.wait_trigger("GO")' in first
        assert second.startswith("waits for the trigger 'FIRST' since 0.000 s")
        assert "nobody can go on" in str(report)
        assert first in str(report)


def test_a_trigger_afterwards_lets_them_go_on() -> None:
    with world(waits_for_go, waits_for_both) as cell:
        assert cell.run().why == "waiting"
        cell.send_trigger(1, "FIRST")
        report = cell.run()
        assert report.why == "ended"
        assert report.ok
        assert [note.text for note in cell.notes] == ["went"]


def test_conditions_and_contacts_that_never_come() -> None:
    def condition(self: Any) -> None:
        self.wait_until(lambda: self.see("ball0").position[0] > 5.0)

    def contact(self: Any) -> None:
        self.wait_for_contact("ball0")

    with world(condition, contact, more="BALL 200 200 5 5 0.5 0 FF0000\n") as cell:
        report = cell.run()
        assert report.why == "waiting"
        assert "a condition" in report.robots[0].waits
        assert "a contact with ball0" in report.robots[1].waits


def test_what_holds_by_itself_is_waited_for() -> None:
    def by_time(self: Any) -> None:
        self.wait_until(lambda: self.time > 4.0)

    def by_chance(self: Any) -> None:
        self.wait_until(lambda: self.random.random() > 0.9995)

    def by_timeout(self: Any) -> None:
        assert self.wait_trigger("NEVER", timeout=3.0) is None

    for run in (by_time, by_chance, by_timeout):
        with world(run) as cell:
            assert cell.run().why == "ended", run
            assert cell.time > 1.5


def test_somebody_who_works_wakes_the_others() -> None:
    def works(self: Any) -> None:
        self.wait(5.0)
        self.send_trigger(0, "GO")

    with world(waits_for_go, works) as cell:
        assert cell.run().why == "ended"
        assert cell.time >= 5.0


def test_a_condition_that_is_rarely_looked_at_is_looked_at() -> None:
    asked_at: list[float] = []

    def rarely(self: Any) -> None:
        def asked() -> bool:
            asked_at.append(cell.time)
            return bool(opened)

        self.wait_until(asked, every=4.0)

    opened: list[bool] = []

    def opens(self: Any) -> None:
        self.wait(0.1)
        opened.append(True)

    with world(rarely, opens) as cell:
        assert cell.run().why == "ended"  # though all stood still from 0.1 s on
        assert asked_at == [0.0, pytest.approx(4.0, abs=0.01)]


def test_what_is_planned_or_may_come_from_outside_is_waited_for() -> None:
    with world(waits_for_go) as cell:
        message = TimedMessage(6.0, "trigger", 0, "GO")
        assert cell.run(schedule=[message]).why == "ended"

    class Sender(Observer):
        only_looks = False

        def look(self, world: World) -> None:
            if world.time > 4.0:
                world.send_trigger(0, "GO")

    with world(waits_for_go) as cell:
        assert cell.run(observers=[Sender()]).why == "ended"
        problems = [problem.text for problem in cell.problems]
        assert len(problems) == 1
        assert "nobody can go on by himself: robot 0 waits for the trigger 'GO'" in problems[0]
    with world(waits_for_go) as cell:
        cell.observe(lambda: cell.send_trigger(0, "GO") if cell.time > 4.0 else None, 0.5)
        assert cell.run().why == "ended"


def test_another_thread_may_send() -> None:
    with world(waits_for_go) as cell:

        def send() -> None:
            while cell.time < 2.5:
                time.sleep(0.01)
            cell.send_trigger(0, "GO")

        thread = threading.Thread(target=send)
        thread.start()
        try:
            assert cell.run(pace=20.0).why == "ended"
        finally:
            thread.join()


def test_with_a_time_the_time_is_kept_and_waits_are_told() -> None:
    with world(waits_for_go) as cell:
        report = cell.run(seconds=4.0)
        assert report.why == "time"
        assert report.ok
        assert "the trigger 'GO' since 0.300 s" in report.robots[0].waits


PROGRAM = """program P;
signal input bool: ready;
begin
  wait 0.5 sec;
  wait for ready;
endprogram;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.irl").write_text(PROGRAM, encoding="utf-8")
    text = "ROBOT 0 0 -90\nMANIPULATOR irb120\nCONTROLLER p.irl\n"
    (tmp_path / "c.env").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_robot_program_that_waits_for_nobody(folder: Path) -> None:
    with World.load(folder / "c.env") as cell:
        report = cell.run()
        assert report.why == "waiting"
        assert "a condition since 0.5" in report.robots[0].waits
        assert "in p.irl line 5: wait for ready;" in report.robots[0].waits
    clock = PROGRAM.replace("ready;\nend", "ready or (r_time > 4.0);\nend")
    assert clock != PROGRAM
    (folder / "p.irl").write_text(clock, encoding="utf-8")
    with World.load(folder / "c.env") as cell:
        assert cell.run().why == "ended"
        assert cell.time > 4.0


def test_the_commands_say_so_and_end_with_1(folder: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(folder / "c.env"), "--no-commander"])
    assert result.exit_code == 1
    assert "nobody can go on" in result.stdout
    assert "robot 0: running, waits for a condition since 0.5" in result.stdout
    assert "p.irl line 5" in result.stdout
    words = ["program", str(folder / "p.irl"), "--cell", str(folder / "c.env")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "waits for a condition" in result.stdout
    assert "not ended after 1." in result.stdout
