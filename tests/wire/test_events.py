"""Events: everybody hears of everything in order, or is told how much it missed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

import armwerk as aw
from armwerk.scene import parse_scene
from armwerk.wire import EventLog, EventTap

TALKING = """BORDER -100 -100 100 100
BALL 50 50 20 5 0 0.5 FF0000
ROBOT0 0 0 0
"""


class Talker(aw.RobotController):
    """Says three lines, sends a trigger and ends."""

    def run(self) -> None:
        for k in range(3):
            self.debug(f"line {k}")
            self.wait(0.1)
        self.send_trigger(7, "HELLO")


@pytest.fixture
def talking() -> Iterator[aw.World]:
    """A world with a robot that talks and a ball that falls."""
    with aw.World(parse_scene(TALKING), robots={0: Talker}) as world:
        yield world


def test_a_world_tells_everything_once_and_in_order(talking: aw.World) -> None:
    log = EventLog()
    tap = EventTap(talking, log)
    listener = log.listen(history=100)
    told = listener.take()
    for _ in range(10):
        talking.run(seconds=0.1)
        tap.look()
        told += listener.take()
    assert [one.text for one in told if one.kind == "note"] == ["line 0", "line 1", "line 2"]
    (trigger,) = (one for one in told if one.kind == "trigger")
    assert (trigger.instance, trigger.text) == (7, "HELLO")
    states = [one.text for one in told if one.kind == "state"]
    assert states == ["idle", "running", "done"]
    contacts = [one for one in told if one.kind == "contact"]
    assert contacts[0].point is not None
    assert contacts[0].point[2] == pytest.approx(0.0, abs=1e-3)
    assert contacts[0].force is not None
    assert contacts[0].force > 0
    assert [one.number for one in told] == sorted(one.number for one in told)
    assert not any(listener.dropped.values())
    assert not listener.take()


def test_a_reset_is_told_and_everything_is_told_anew(talking: aw.World) -> None:
    log = EventLog()
    tap = EventTap(talking, log)
    talking.run(seconds=0.5)
    tap.look()
    listener = log.listen()
    talking.reset()
    talking.run(seconds=0.5)
    tap.look()
    told = listener.take()
    assert (told[0].kind, told[0].text) == ("clock", "reset")
    assert [one.text for one in told if one.kind == "note"] == ["line 0", "line 1", "line 2"]


def test_a_tap_that_is_closed_is_silent(talking: aw.World) -> None:
    log = EventLog()
    EventTap(talking, log).close()
    before = log.count
    talking.run(seconds=0.5)
    assert log.count == before


def test_a_problem_of_a_program_is_told() -> None:
    class Broken(aw.RobotController):
        def run(self) -> None:
            raise RuntimeError("out of oil")

    with aw.World(parse_scene(TALKING), robots={0: Broken}) as world:
        log = EventLog()
        tap = EventTap(world, log)
        world.run(seconds=0.1)
        tap.look()
        told = log.listen(history=10).take()
        assert any(one.kind == "problem" and "out of oil" in one.text for one in told)
        assert [one.text for one in told if one.kind == "state"][-1] == "failed"


def test_a_slow_listener_is_told_how_much_it_missed() -> None:
    log = EventLog(kept=10)
    listener = log.listen()
    for k in range(25):
        log.push("note", 0.0, 0, str(k))
    log.push("problem", 0.0, 0, "the one that counts")
    told = listener.take()
    assert [one.text for one in told] == [*map(str, range(15, 25)), "the one that counts"]
    assert listener.dropped["note"] == 15
    assert listener.dropped["problem"] == 0


def test_listeners_have_places_of_their_own() -> None:
    log = EventLog()
    one, other = log.listen(), log.listen()
    log.push("note", 0.0, 0, "a")
    assert len(one.take()) == 1
    log.push("note", 0.0, 0, "b")
    assert [event.text for event in one.take()] == ["b"]
    assert [event.text for event in other.take()] == ["a", "b"]
    assert [event.text for event in log.listen(history=1).take()] == ["b"]


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 8))
def test_what_is_heard_and_what_is_missed_is_all_there_was(pushes: list[int], most: int) -> None:
    log = EventLog(kept=7)
    listener, heard, pushed = log.listen(), 0, 0
    for count in pushes:
        for _ in range(count):
            log.push("note", 0.0, 0, str(pushed))
            pushed += 1
        heard += len(listener.take(most))
    while news := listener.take(most):
        heard += len(news)
    assert heard + listener.dropped["note"] == pushed


def test_memory_is_bounded_whatever_happens() -> None:
    log = EventLog(kept=50)
    for k in range(5_000):
        log.push("contact", 0.0, -1, f"{k}" * 10)
    assert len(log.listen(history=10_000).take(10_000)) == 50


def push_many(log: EventLog, count: int) -> None:
    """Tell of something many times."""
    for _ in range(count):
        log.push("note", 0.0, 0, "x")


def test_many_threads_write_and_one_reads() -> None:
    log = EventLog(kept=64)
    listener = log.listen()
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        writers = [threading.Thread(target=push_many, args=(log, 2_000)) for _ in range(3)]
        for writer in writers:
            writer.start()
        numbers: list[int] = []
        while any(writer.is_alive() for writer in writers):
            numbers += [event.number for event in listener.take(16)]
        while news := listener.take(16):
            numbers += [event.number for event in news]
    finally:
        sys.setswitchinterval(switching)
    assert numbers == sorted(set(numbers))
    assert len(numbers) + listener.dropped["note"] == 6_000
