"""A world that is run, halted, stepped, slowed, quickened and reset while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

import armwerk as aw
from armwerk.errors import DescriptionError
from armwerk.scene import parse_scene
from armwerk.wire import WorldClock
from armwerk.wire.clock import SteeredPace

CELL = """BORDER -100 -100 100 100
BALL 50 50 20 5 0 0.5 FF0000
ROBOT0 0 0 0
"""


class Worker(aw.RobotController):
    """Works without end."""

    def run(self) -> None:
        while True:
            self.wait(0.1)


def wait_for(what: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.002)


@pytest.fixture
def world() -> Iterator[aw.World]:
    """A ball that falls, and a robot that works."""
    with aw.World(parse_scene(CELL), robots={0: Worker}) as world:
        yield world


@pytest.fixture
def clock(world: aw.World) -> Iterator[WorldClock]:
    """Its clock, at a halt."""
    clock = WorldClock(world)
    yield clock
    clock.close()


def done(clock: WorldClock) -> None:
    """Wait until everything that was ordered is done."""
    over = threading.Event()
    clock.do(over.set)
    assert over.wait(20.0)


def test_time_stands_until_it_is_told_to_run(world: aw.World, clock: WorldClock) -> None:
    time.sleep(0.05)
    assert world.time == 0.0
    assert not clock.is_running
    clock.run()
    wait_for(lambda: world.time > 0.1)
    assert clock.status.state == "running"
    assert clock.is_running


def test_a_halt_stays_one(world: aw.World, clock: WorldClock) -> None:
    clock.run()
    wait_for(lambda: world.time > 0.02)
    clock.pause()
    done(clock)
    stands = world.time
    time.sleep(0.1)
    assert world.time == stands
    assert clock.status == clock.status
    assert clock.status.rate == 0.0


def test_steps_are_counted(world: aw.World, clock: WorldClock) -> None:
    clock.step()
    done(clock)
    assert world.time == pytest.approx(world.dt)
    clock.step(10)
    done(clock)
    assert world.time == pytest.approx(11 * world.dt)
    assert world.robots[0].state == "running"


def test_a_step_halts_a_clock_that_runs(world: aw.World, clock: WorldClock) -> None:
    clock.run()
    clock.step(3)
    done(clock)
    assert clock.status.state == "paused"


def test_slow_time_is_slow_and_quick_time_is_quick(world: aw.World, clock: WorldClock) -> None:
    clock.set_speed(0.05)
    clock.run()
    begin = time.monotonic()
    time.sleep(0.4)
    assert world.time <= 0.05 * (time.monotonic() - begin) + 2 * world.dt
    clock.set_speed(0)
    wait_for(lambda: world.time > 3.0)
    assert world.time > 2 * (time.monotonic() - begin) or clock.status.rate > 0


def test_a_pause_is_heard_in_the_middle_of_a_long_sleep(world: aw.World, clock: WorldClock) -> None:
    clock.set_speed(0.001)  # a step lasts a second or more
    clock.run()
    time.sleep(0.1)
    begin = time.monotonic()
    clock.pause()
    done(clock)
    assert time.monotonic() - begin < 0.5 * world.dt / 0.001


def test_a_reset_while_it_runs(world: aw.World, clock: WorldClock) -> None:
    clock.set_speed(0)
    clock.run()
    wait_for(lambda: world.time > 2.0)
    clock.set_speed(0.01)
    clock.reset()
    done(clock)
    assert world.time < 0.5
    assert world.epoch == 1
    before = world.time
    wait_for(lambda: world.time > before)
    assert world.robots[0].state == "running"


def test_a_reset_at_a_halt(world: aw.World, clock: WorldClock) -> None:
    clock.step(20)
    clock.reset()
    done(clock)
    assert world.time == 0.0
    assert clock.status.state == "paused"


def test_it_says_how_far_it_lags() -> None:
    news = threading.Event()
    pace = SteeredPace(1.0, news)
    pace.start(0.0)
    pace.keep(0.0)
    assert pace.behind < 0.05
    time.sleep(0.12)
    pace.keep(0.02)
    assert 0.09 <= pace.behind < 5.0


def test_a_world_that_cannot_keep_up_lags(world: aw.World, clock: WorldClock) -> None:
    world.observe(lambda: time.sleep(0.01))
    clock.run()
    wait_for(lambda: clock.status.lag > 0.2)
    wait_for(lambda: 0.0 < clock.status.rate < 0.9)


def test_what_fails_is_told_and_a_reset_helps(world: aw.World, clock: WorldClock) -> None:
    def explode() -> None:
        if world.time > 0.05:
            raise RuntimeError("it flew apart")

    end = world.observe(explode)
    clock.run()
    wait_for(lambda: clock.status.state == "failed")
    assert "it flew apart" in clock.status.problem
    clock.run()
    done(clock)
    assert clock.status.state == "failed"
    end()
    clock.reset()
    clock.run()
    wait_for(lambda: world.time > 0.1)
    assert clock.status.problem == ""


def test_halts_are_told() -> None:
    with aw.World(parse_scene(CELL)) as world:
        halts: list[float] = []
        clock = WorldClock(world, lambda: halts.append(world.time))
        clock.step(5)
        done(clock)
        clock.close()
        assert halts[0] == pytest.approx(5 * world.dt)


@pytest.mark.parametrize("speed", [-1.0, 1e-9, float("nan"), float("inf"), "fast", None, 1e6])
def test_speeds_that_are_none_are_refused(clock: WorldClock, speed: float) -> None:
    with pytest.raises(DescriptionError, match="speed"):
        clock.set_speed(speed)


@pytest.mark.parametrize("steps", [0, -1, True, 1.5, 10**9])
def test_steps_that_are_none_are_refused(clock: WorldClock, steps: int) -> None:
    with pytest.raises(DescriptionError, match="steps"):
        clock.step(steps)


def test_orders_from_many_threads_are_all_carried_out(world: aw.World, clock: WorldClock) -> None:
    def order() -> None:
        for _ in range(50):
            clock.step()

    threads = [threading.Thread(target=order) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done(clock)
    assert world.time == pytest.approx(200 * world.dt)
