"""No trigger is lost, and the order of each sender is kept."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from cell_programs import program, robots, world

import armwerk as aw
from armwerk.cell.trigger_bus import TriggerBus
from armwerk.errors import DescriptionError
from armwerk.protocol import Trigger

BURST = 10_000


def in_order_per_sender(texts: list[str]) -> bool:
    numbers: dict[str, list[int]] = defaultdict(list)
    for text in texts:
        sender, number = text.split(":")
        numbers[sender].append(int(number))
    return all(found == list(range(len(found))) for found in numbers.values())


def test_a_burst_from_four_senders_arrives_in_order_per_sender() -> None:
    """A program, a handler, a trigger processor and another thread send 2,500 each."""
    got: list[str] = []
    handled: list[str] = []
    share = BURST // 4

    def send_all(self: Any) -> None:
        self.send_trigger(1, "GO")
        self.send_trigger(7, "GO")
        for k in range(share):
            self.send_trigger(2, f"run:{k}")
            if k % 100 == 0:
                self.wait(0.002)

    def on_go(self: Any, text: str) -> None:
        for k in range(share):
            self.send_trigger(2, f"handler:{k}")
            if k % 500 == 0:
                self.wait(0.01)

    def take_all(self: Any) -> None:
        while len(got) < BURST:
            got.append(self.wait_trigger())

    class Multiplier(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            for k in range(share):
                self.send_trigger(2, f"processor:{k}")

    with aw.World(
        robots(3),
        robots={
            0: program(send_all),
            1: program(lambda self: self.wait(1.0), receive_trigger=on_go),
            2: program(take_all, receive_trigger=lambda self, text: handled.append(text)),
        },
        processors={7: Multiplier},
    ) as cell:

        def from_outside() -> None:
            for k in range(share):
                cell.send_trigger(2, f"outside:{k}")

        thread = threading.Thread(target=from_outside)
        thread.start()
        report = cell.run(seconds=20, until=lambda w: len(got) == BURST)
        thread.join()
        assert report.ok, report
        assert len(got) == len(set(got)) == BURST
        assert got == handled
        assert in_order_per_sender(got)
        times = [trigger.time for trigger in cell.triggers]
        assert times == sorted(times)
        assert sum(trigger.instance == 2 for trigger in cell.triggers) == BURST


def test_minus_one_reaches_all_robots_and_nobody_else() -> None:
    got: dict[int, list[str]] = defaultdict(list)
    processed: list[str] = []

    class Listener(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            processed.append(text)

    def listen(self: Any) -> None:
        if self.instance == 0:
            self.send_trigger(-1, "ALL")
            self.send_trigger(1, "ONE")
        while True:
            got[self.instance].append(self.wait_trigger(timeout=0.1))

    belt = "CONVEYOR -1 RUN 10 10 x 10 0 808080\nRECT 0 100 50 20\nENDCONVEYOR"
    with world(listen, listen, listen, more=belt, processors={9: Listener}) as cell:
        cell.send_trigger(-1, "STOP")
        cell.run(0.05)
        assert got == {0: ["STOP", "ALL"], 1: ["STOP", "ALL", "ONE"], 2: ["STOP", "ALL"]}
        assert processed == []
        assert cell.simulation.belts[0].running
        assert [trigger[1:] for trigger in cell.triggers] == [
            (-1, "STOP"), (-1, "ALL"), (1, "ONE"),
        ]  # fmt: skip


def test_belts_are_switched_by_their_number() -> None:
    belt = "CONVEYOR {} {} 10 10 x 10 0 808080\nRECT 0 {} 50 20\nENDCONVEYOR\n"
    more = belt.format(5, "RUN", 100) + belt.format(5, "STOP", 200) + belt.format(6, "RUN", 300)
    with world(more=more) as cell:

        def running() -> list[bool]:
            return [one.running for one in cell.simulation.belts]

        assert running() == [True, False, True]
        cell.send_trigger(5, "STOP")
        assert running() == [True, False, True], "it takes effect with the next step"
        cell.step()
        assert running() == [False, False, True]
        cell.send_trigger(5, "RUN")
        cell.send_trigger(6, "stop")
        cell.step()
        assert running() == [True, True, True]
        assert cell.triggers == [Trigger(0.0, 5, "STOP"), (cell.dt, 5, "RUN"), (cell.dt, 6, "stop")]


def test_a_processor_keeps_state_and_is_configured() -> None:
    class Third(aw.TriggerProcessor):
        description = "lets every third through"
        requires_configuration = True

        def configure(self, text: str) -> None:
            self.every, self.count = int(text), 0

        def receive_trigger(self, text: str) -> None:
            self.count += 1
            if self.count % self.every == 0:
                self.send_trigger(0, f"{self.instance}:{text}:{self.time:.3f}")
                self.debug("passed on", text)

    got: list[str] = []
    scene = robots(1, "TRIGGERPROCESSOR 40 nowhere.Third\nTPCONFIG 3")

    def take_two(self: Any) -> None:
        for _ in range(2):
            got.append(self.wait_trigger())

    take = program(take_two)
    with aw.World(scene, robots={0: take}, processors={40: Third}) as cell:
        for k in range(7):
            cell.send_trigger(40, f"t{k}")
        cell.run()
        assert got == ["40:t2:0.000", "40:t5:0.000"]
        assert [(note.instance, note.text) for note in cell.notes] == [
            (40, "passed on t2"), (40, "passed on t5"),
        ]  # fmt: skip


def test_a_processor_that_fails_is_ended_and_the_sender_goes_on() -> None:
    class Bad(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            raise RuntimeError(f"cannot bear {text}")

    def send(self: Any) -> None:
        for k in range(3):
            self.send_trigger(8, f"t{k}")
            self.wait(0.1)
        self.debug("sent")

    with world(send, processors={8: Bad}) as cell:
        report = cell.run()
        assert report.robots[0].state == "done"
        assert [number for number, _ in report.processors] == [8]
        assert "RuntimeError: cannot bear t0" in report.processors[0][1]
        assert len(cell.problems) == 1
        assert report.undelivered == 2
        assert not report.ok
        assert "trigger processor 8: failed (RuntimeError: cannot bear t0)" in str(report)


def test_a_stuck_processor_is_given_up() -> None:
    class Endless(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            while True:
                pass

    with world(lambda self: self.wait(0.2), processors={8: Endless}, patience=0.15) as cell:
        cell.send_trigger(8, "X")
        report = cell.run()
        assert report.robots[0].state == "done"
        assert "trigger processor 8 kept the world waiting" in report.processors[0][1]


def test_triggers_that_play_ping_pong_do_not_stop_time() -> None:
    class Echo(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            self.send_trigger(21 - self.instance, text)

    with world(processors={10: Echo, 11: Echo}) as cell:
        cell.send_trigger(10, "ball")
        cell.run(0.1)
        assert cell.time == pytest.approx(0.1)
        assert [one.instance for one in cell.triggers[:4]] == [10, 11, 10, 11]
        assert np.diff([one.time for one in cell.triggers[1:]]) == pytest.approx(cell.dt)


def test_zones_and_barriers_send_triggers() -> None:
    got: list[tuple[float, str]] = []

    def run(self: Any) -> None:
        for _ in range(2):
            text = self.wait_trigger()
            got.append((self.time, text))

    more = (
        "CONVEYOR 5 RUN 10 10 x 20 0 808080\nRECT 50 100 200 20\nENDCONVEYOR\n"
        "CUBOID 0 100 12 4 4 4 FF0000\n"
        "TRIGGER CUBOIDENTERS 0 IN 30 100 5 10 *\n"
        "TRIGGER CUBOIDBARRIER 0 CROSSED 40 90 40 110 10 *\n"
        "TRIGGER CUBOIDBARRIER 0 NEVER 40 110 40 90 10 *\n"
    )
    # seen from (40, 90) to (40, 110), a thing that moves along +x goes from left to right
    with world(run, more=more) as cell:
        cell.run(5)
        assert [text for _, text in got] == ["IN", "CROSSED"]
        assert got[0][0] == pytest.approx(0.25 / 0.2, abs=0.05)
        assert got[1][0] - got[0][0] == pytest.approx(0.15 / 0.2, abs=0.02)


def test_sending_is_safe_from_many_threads() -> None:
    clock = itertools.count()
    bus = TriggerBus(lambda: float(next(clock)))
    got: list[str] = []

    def take(text: str) -> bool:
        got.append(text)
        return True

    def send_many(sender: int) -> None:
        for k in range(500):
            bus.send(1, f"{sender}:{k}")

    bus.register(1, take)
    threads = [threading.Thread(target=send_many, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        bus.deliver()
    bus.deliver()
    assert len(got) == 4000
    assert in_order_per_sender(got)
    assert [trigger.time for trigger in bus.sent] == list(range(4000))


@pytest.mark.parametrize(("instance", "text"), [(-2, "x"), (1.5, "x"), (True, "x"), (0, 3)])
def test_bad_triggers_are_refused(instance: Any, text: Any) -> None:
    with pytest.raises(DescriptionError, match="trigger"):
        TriggerBus(lambda: 0.0).send(instance, text)


def test_unknown_numbers_are_recorded_and_counted() -> None:
    bus = TriggerBus(lambda: 1.5)
    bus.send(99, "hello")
    bus.deliver()
    assert bus.sent == [(1.5, 99, "hello")]
    assert bus.undelivered == 1


def test_what_is_sent_while_the_post_is_delivered_waits_for_the_next_time() -> None:
    bus = TriggerBus(lambda: 0.0)
    got: list[str] = []

    def answers(text: str) -> bool:
        got.append(text)
        if len(got) < 50:
            bus.send(7, text + "!")
        return True

    bus.register(7, answers)
    bus.send(7, "a")
    bus.deliver()
    assert got == ["a"]
    bus.deliver()
    assert got == ["a", "a!"]


def test_a_new_run_does_not_see_the_triggers_of_the_last_one() -> None:
    def run(self: Any) -> None:
        self.debug(self.wait_trigger(timeout=0.05))

    with world(run) as cell:
        cell.send_trigger(0, "first")
        cell.send_trigger(0, "too many")
        cell.run()
        cell.start()
        cell.run()
        assert [note.text for note in cell.notes] == ["first", "None"]


def test_a_handler_that_was_interrupted_works_after_the_next_start() -> None:
    def handle(self: Any, text: str) -> None:
        self.wait(0.05)
        self.debug("handled", text)

    kind = program(lambda self: self.wait(1.0), receive_trigger=handle)
    with world(kind) as cell:
        cell.send_trigger(0, "interrupted")
        cell.run(seconds=0.02)
        cell.stop()
        cell.start()
        cell.send_trigger(0, "fine")
        cell.run(seconds=0.2)
        assert [note.text for note in cell.notes] == ["handled fine"]
        assert cell.problems == []
        assert cell.robots[0].state == "running"
