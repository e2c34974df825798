"""Lists of a world that do not grow for ever."""

from __future__ import annotations

import copy

import armwerk as aw
from armwerk.cell.history import History
from armwerk.wire import EventLog, EventTap


def test_the_oldest_are_forgotten_and_counted() -> None:
    history: History[int] = History(kept=100)
    heard, seen = 0, []
    for number in range(1000):
        history.append(number)
        assert len(history) <= 125
        if number % 7 == 0:
            seen += history.since(heard)
            heard = history.total
    seen += history.since(heard)
    assert seen == list(range(1000))
    assert history.total == 1000
    assert history[-100:] == list(range(900, 1000))
    assert history.since(0) == list(history)
    assert copy.deepcopy(history) == history
    history.extend(range(1000, 1500))
    assert len(history) == 100
    history.refill([1, 2])
    assert (history.total, list(history)) == (2, [1, 2])


def test_those_who_listen_miss_nothing_when_a_world_forgets() -> None:
    with aw.World.load("ramp") as world:
        world.triggers.kept = 40
        log = EventLog()
        tap = EventTap(world, log)
        listener = log.listen()
        heard: list[str] = []
        for number in range(60):
            world.send_trigger(5, f"{number} a")
            world.send_trigger(5, f"{number} b")
            if number % 5 == 4:
                tap.look()
                heard += [event.text for event in listener.take() if event.kind == "trigger"]
        assert heard == [f"{number} {letter}" for number in range(60) for letter in "ab"]
        assert len(world.triggers) <= 50
        assert world.triggers.total == 120
        world.step()
        world.reset()
        assert world.triggers.total == 0
