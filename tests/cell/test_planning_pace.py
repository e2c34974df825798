"""Planning in paced runs: the world goes on while a program plans, and only there."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from cell_programs import program

import armwerk as aw
from armwerk.motion.point_to_point import ptp
from armwerk.protocol import TimedMessage
from armwerk.scene import parse_scene

SLOW = 0.15  # [s] of real time that planning takes here
TWO = "MULTIROBOT 2\nROBOT0 0 0 0\nROBOT1 300 0 0\n"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make planning slow without holding Python's lock, as kernels do."""

    def slow_ptp(*args: Any, **options: Any) -> Any:
        time.sleep(SLOW)
        return ptp(*args, **options)

    monkeypatch.setattr("armwerk.control.motions.ptp", slow_ptp)


def mover(self: Any) -> None:
    self.wait(0.1)
    begin = self.time
    self.move([0.2, 0.1, 0.0], wait=False)
    self.debug(f"{self.time - begin:.3f}")
    self.wait_motion()


def ticker(self: Any) -> None:
    for _ in range(30):
        self.wait(0.02)
        self.debug("tick")


def state(world: aw.World) -> str:
    return world.robots[0].state


def gaps(pace: float | None) -> tuple[float, aw.World]:
    """Return the longest real time between two steps, and the closed world."""
    with aw.World(parse_scene(TWO), robots={0: program(mover), 1: program(ticker)}) as world:
        seen: list[float] = []
        world.observe(lambda: seen.append(time.perf_counter()))
        world.run(1.2, pace=pace)
        assert state(world) == "done", world.robots[0].error
        return float(np.diff(seen).max()), world


@pytest.mark.usefixtures("slow")
def test_a_paced_world_goes_on_while_a_program_plans() -> None:
    longest, world = gaps(1.0)
    assert longest < 0.5 * SLOW
    (planned,) = [note for note in world.notes if note.instance == 0]
    assert 0.5 * SLOW < float(planned.text) < 1.0  # time has passed meanwhile
    ticks = [note.time for note in world.notes if note.instance == 1]
    assert np.diff(ticks).max() == pytest.approx(0.02, abs=world.dt)


@pytest.mark.usefixtures("slow")
def test_an_unpaced_world_waits_for_the_plan() -> None:
    longest, world = gaps(None)
    assert longest >= SLOW
    (planned,) = [note for note in world.notes if note.instance == 0]
    assert float(planned.text) == 0.0


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("how", ["stop", "reset", "close", "unpaced"])
def test_a_run_may_end_while_somebody_plans(how: str) -> None:
    with aw.World(parse_scene(TWO), robots={0: program(mover), 1: program(ticker)}) as world:
        world.run(0.15, pace=1.0)  # ends 0.05 s into the plan
        assert state(world) == "running"
        assert not world.robots[0].moving
        if how == "stop":
            world.stop(0)
            assert state(world) == "stopped"
            world.run(0.3)
            assert not world.robots[0].moving
        elif how == "reset":
            world.reset()
            assert state(world) == "idle"
            world.run(1.2)
            assert state(world) == "done"
        elif how == "unpaced":
            world.run(1.0)
            assert state(world) == "done"
            assert world.robots[0].q == pytest.approx([0.2, 0.1, 0.0], abs=1e-6)


@pytest.mark.usefixtures("slow")
def test_an_arm_that_a_handler_moved_meanwhile_is_planned_anew() -> None:
    def shove(self: Any, text: str) -> None:
        self.set([0.05, 0.0, 0.0])
        self.wait_motion()

    both = program(mover, receive_trigger=shove)
    with aw.World(parse_scene("ROBOT 0 0 0\n"), robots={0: both}) as world:
        leaps: list[Any] = []
        world.observe(lambda: leaps.append(world.robots[0].body.setpoints.copy()))
        world.run(1.5, pace=1.0, schedule=[TimedMessage(0.12, "trigger", 0, "x")])
        assert state(world) == "done", world.robots[0].error
        assert np.abs(np.diff(leaps, axis=0)).max() < 0.02
        assert world.robots[0].q == pytest.approx([0.2, 0.1, 0.0], abs=1e-6)
