"""Contacts of a cell: programs wait for them, worlds, logs and recordings keep them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cell.observers import Observer
from armwerk.cell.record import Recording
from armwerk.cli.app import app
from armwerk.errors import MotionError, UnknownNameError
from armwerk.protocol import ContactEvent, PairContact
from armwerk.protocol.messages import WORLD
from armwerk.scene import cells, parse_scene

BALL = """
DEBUGNAME rubber
BALL 40 40 30 2 0.5 0.8 3060C0
"""
FEELING = f"""
ROBOT 0 0 -90
MANIPULATOR irb120
GRIPPER parallel_gripper
DEBUGNAME brick
CUBOID 40 0 2 4 8 4 C03030
{BALL}
"""


class Feeler(aw.RobotController):
    """Goes down until it feels the brick."""

    def __init__(self) -> None:
        self.touch: PairContact | None = None
        self.ball: PairContact | None = None
        self.nothing: PairContact | None = None
        self.errors: list[str] = []
        self.waited = 0.0

    def run(self) -> None:
        self.ball = self.wait_for_contact("floor", of="rubber")
        for name, force in (("bric", 0.0), ("brick", -1.0), ("brick", "x")):
            try:
                self.wait_for_contact(name, force)  # type: ignore[arg-type]
            except (UnknownNameError, MotionError) as error:
                self.errors.append(str(error))
        self.grip.close(force=5.0)
        self.move_to(aw.pointing_down(0.4, 0.0, 0.12))
        begin = self.time
        self.nothing = self.wait_for_contact("brick", timeout=0.1)
        self.waited = self.time - begin
        self.line_to(aw.pointing_down(0.4, 0.0, 0.02), speed=0.02, wait=False)
        self.touch = self.wait_for_contact(force=0.5, timeout=10.0)
        self.halt()
        self.wait_motion()
        self.line_to(aw.pointing_down(0.4, 0.0, 0.12))


@pytest.fixture(scope="module")
def felt() -> tuple[Feeler, list[ContactEvent], float]:
    feeler = Feeler()
    with aw.World(parse_scene(FEELING), robots={0: feeler}) as world:
        report = world.run()
        assert report.ok, world.robots[0].error
        return feeler, world.contact_events, world.dt


def test_program_waits_until_its_robot_touches(
    felt: tuple[Feeler, list[ContactEvent], float],
) -> None:
    feeler, events, dt = felt
    touch = feeler.touch
    assert touch is not None
    assert touch.names == ("brick", "robot 0")
    assert touch.sides[1].part.startswith("jaw")
    assert touch.point[2] == pytest.approx(0.04, abs=1e-3)
    assert touch.normal[2] == pytest.approx(-1.0, abs=1e-2)
    assert touch.force >= 0.5
    began = next(event for event in events if event.names == touch.names)
    assert began.change == "started"
    assert 0.0 <= touch.since - began.time < dt


def test_program_waits_for_others_in_vain_and_with_wrong_words(
    felt: tuple[Feeler, list[ContactEvent], float],
) -> None:
    feeler, _, dt = felt
    assert feeler.ball is not None
    assert feeler.ball.names == ("rubber", "floor")
    assert feeler.nothing is None
    assert feeler.waited == pytest.approx(0.1, abs=2 * dt)
    assert "'bric'" in feeler.errors[0]
    assert "brick" in feeler.errors[0]
    assert "a force to wait for must be 0 N or more, got -1.0" in feeler.errors[1]
    assert "got 'x'" in feeler.errors[2]


class Listener(Observer):
    """Hears of contacts and problems."""

    def __init__(self) -> None:
        self.heard: list[ContactEvent] = []

    def contact(self, event: ContactEvent) -> None:
        """Keep it."""
        self.heard.append(event)


def test_observers_hear_every_event_and_reset_forgets(tmp_path: Path) -> None:
    listener = Listener()
    with aw.World(parse_scene(BALL)) as world:
        world.run(2.0, observers=[listener])
        events = world.contact_events
        assert sorted(listener.heard) == sorted(events)
        assert [event.names for event in events] == [("rubber", "floor")] * len(events)
        assert len(events) > 5
        assert [pair.names for pair in world.contacts] in ([], [("rubber", "floor")])
        world.save(tmp_path / "state.npz")
        world.reset()
        assert world.contact_events == []
        world.run(2.0)
        assert world.contact_events == events
        world.run(0.5)
        world.resume(tmp_path / "state.npz")
        assert world.contact_events == events
        assert isinstance(world.contact_events[0].sides[0].kind, str)


def test_what_is_too_deep_is_a_problem_of_the_world() -> None:
    with aw.World(parse_scene(BALL)) as world:
        world.run(3.0)
        assert world.problems == []
        world.objects["rubber"].place((0.4, 0.4, 0.015))
        report = world.run(0.5)
        ((time, instance, text),) = world.problems
        assert time == pytest.approx(3.0)
        assert instance == WORLD
        assert text.startswith("rubber is 5.00 mm deep in floor")
        assert report.problems == tuple(world.problems)
        assert "at 3.000 s: rubber is 5.00 mm deep in floor" in str(report)
        assert report.ok  # no program failed


def test_command_logs_and_records_contacts(tmp_path: Path) -> None:
    cell = tmp_path / "ball.env"
    deep = BALL + "DEBUGNAME deep\nCUBOID 0 0 1.5 4 4 4 3060C0\n"
    cell.write_text(deep, encoding="utf-8")
    record = tmp_path / "ball.jsonl"
    arguments = ["run", str(cell), "--seconds", "1", "--contacts", "--log-system"]
    arguments += ["--log-dir", str(tmp_path), "--record", str(record)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "world, at 0.000 s: deep is 5.00 mm deep in floor" in done.output.replace("\n", " ")
    assert "world: deep is 5.00 mm" in (tmp_path / "syslog.out").read_text(encoding="utf-8")
    lines = (tmp_path / "contacts.out").read_text(encoding="utf-8").splitlines()
    recording = Recording.load(record)
    assert len(lines) == len(recording.contact_events) > 3
    assert any("rubber and floor touch at (0.4000, 0.4000" in line for line in lines)
    with aw.World.load(cell) as world:
        world.run(1.0)
        assert sorted(recording.contact_events) == sorted(world.contact_events)


@pytest.mark.parametrize("name", sorted(set(cells()) - {"stress", "ten_arms"}))
def test_nothing_is_too_deep_in_shipped_cells(name: str) -> None:
    with aw.World.load(name) as world:
        world.run(8.0)
        assert world.problems == []
