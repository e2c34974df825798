"""Worlds: lock-step, states, reports, and programs that misbehave."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_programs import program, robots, world

import armwerk as aw
from armwerk.cell.programs.task import Task
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError

BALL = "BALL 30 60 20 3 0.1 0.5 FF0000\n"


@pytest.fixture
def own_threads() -> Callable[[], set[str]]:
    """Return a function that names the threads of programs which this test has started."""
    before = set(threading.enumerate())

    def names() -> set[str]:
        return {thread.name for thread in set(threading.enumerate()) - before}

    return names


# lock-step ----------------------------------------------------------------------------------------


def test_computing_long_takes_no_simulated_time() -> None:
    seen: list[Any] = []

    def run(self: Any) -> None:
        before = self.time, self.see("ball0").position[2]
        time.sleep(0.3)
        seen.append((before, (self.time, self.see("ball0").position[2])))
        self.wait(0.1)
        seen.append(self.time)

    with world(run, more=BALL) as cell:
        report = cell.run()
    assert seen[0][0] == seen[0][1]
    assert seen[1] == pytest.approx(0.1)
    assert report.wall >= 0.3
    assert report.seconds == pytest.approx(0.1, abs=2 * cell.dt)


def record(patience: float = 5.0) -> tuple[Any, ...]:
    """Two programs that wait, move, send and look; everything they see, to the last bit."""
    seen: list[Any] = []

    def run(self: Any) -> None:
        rng = np.random.default_rng(self.instance)
        for k in range(6):
            time.sleep(rng.random() * 0.002)  # real time must not matter
            seen.append((self.instance, k, self.time, self.q.tobytes()))
            self.send_trigger(1 - self.instance, f"{self.instance}:{k}")
            self.move(rng.uniform(-0.8, 0.8, 3), wait=bool(k % 2))
            self.wait(float(rng.uniform(0.0, 0.05)))
            seen.append(self.see("ball0").position.tobytes())

    with world(
        run, program(run, receive_trigger=lambda self, text: seen.append(text)), more=BALL
    ) as cell:
        cell.run()
        return tuple(seen), tuple(cell.triggers), cell.simulation.data.qpos.tobytes()


def test_runs_are_equal_to_the_last_bit() -> None:
    first = record()
    assert len(first[0]) > 20
    assert all(record() == first for _ in range(19))


def test_waiting_for_a_long_time_switches_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 0

    def run(self: Any) -> None:
        self.wait(3.0)

    with world(run, run) as cell:
        original = cell._runtime.scheduler.round

        def counted(time: float, only: tuple[Task, ...] | None = None) -> None:
            nonlocal turns
            turns += 1
            original(time, only)

        monkeypatch.setattr(cell._runtime.scheduler, "round", counted)
        report = cell.run()
        assert report.steps > 1000
        assert turns == 2


def test_controllers_begin_at_time_zero_in_order_of_their_numbers() -> None:
    seen: list[tuple[int, float]] = []
    with world(*[lambda self: seen.append((self.instance, self.time))] * 4) as cell:
        cell.step()
    assert seen == [(k, 0.0) for k in range(4)]


def test_wait_takes_at_least_a_step_and_is_on_time() -> None:
    times: list[float] = []

    def run(self: Any) -> None:
        for pause in (0.0, 0.01, 0.25, 1e-9):
            self.wait(pause)
            times.append(self.time)

    with world(run) as cell:
        cell.run()
        dt = cell.dt
    assert np.diff([0.0, *times]) == pytest.approx([dt, 0.01, 0.25, dt], abs=1e-9)


def test_wait_until_and_timeouts() -> None:
    seen: list[Any] = []

    def run(self: Any) -> None:
        seen.append(
            self.wait_until(lambda: self.see("ball0").position[2] < 0.15, timeout=5, every=0)
        )
        seen.append(self.see("ball0").position[2])
        begin = self.time
        seen.append(self.wait_until(lambda: False, timeout=0.2))
        seen.append(self.wait_trigger("NEVER", timeout=0.1))
        seen.append(round(self.time - begin, 6))
        seen.append(self.wait_motion(timeout=1.0))

    with world(run, more=BALL) as cell:
        assert cell.run().ok
    assert seen[0] is True
    assert seen[1] == pytest.approx(0.15, abs=0.01)
    assert seen[2:] == [False, None, 0.3, True]


# programs that misbehave --------------------------------------------------------------------------


def spin(self: Any) -> None:
    while True:
        pass


def sleep(self: Any) -> None:
    time.sleep(1e6)


def lock(self: Any) -> None:
    one = threading.Lock()
    one.acquire()
    one.acquire()


def worker(self: Any) -> None:
    for _ in range(5):
        self.wait(0.1)
    self.debug("worked", f"{self.time:.3f}")


@pytest.mark.parametrize("bad", [spin, sleep, lock])
def test_a_stuck_program_does_not_hurt_the_others(bad: Any) -> None:
    with world(worker, bad, worker, patience=0.15) as cell:
        report = cell.run()
        assert [robot.state for robot in report.robots] == ["done", "stuck", "done"]
        assert "robot 1 kept the world waiting" in report.robots[1].error
        assert "in test_world.py line" in report.robots[1].error
        assert f"({bad.__name__})" in report.robots[1].error
        assert [note.text for note in cell.notes] == ["worked 0.500"] * 2
        assert [problem.instance for problem in cell.problems] == [1]
        assert not report.ok


def test_a_stuck_program_halts_its_arm() -> None:
    def run(self: Any) -> None:
        self.move([1.0, 0.5, -0.5], wait=False)
        self.wait(0.1)
        time.sleep(1e6)

    with world(run, patience=0.15) as cell:
        cell.run(1.5)
        assert cell.robots[0].state == "stuck"
        assert not cell.robots[0].moving
        assert 0.0 < cell.robots[0].q[0] < 0.5


def test_a_late_program_can_no_longer_command_its_arm() -> None:
    released = threading.Event()
    tried = threading.Event()

    def run(self: Any) -> None:
        while not released.is_set():
            try:
                released.wait(0.01)
            except BaseException:
                continue
        attempts: tuple[Callable[[], None], ...] = (
            lambda: self.set([1, 1, 1]),
            lambda: self.motors["stand"].set(1.0),
            lambda: self.move([1, 1, 1]),
            lambda: self.send_trigger(0, "late"),
            lambda: self.debug("late"),
            lambda: self.wait(1),
        )
        for attempt in attempts:
            try:
                attempt()
            except BaseException:
                continue
        tried.set()

    with world(run, patience=0.15) as cell:
        cell.run(0.1)
        assert cell.robots[0].state == "stuck"
        released.set()
        assert tried.wait(5)
        cell.run(0.5)
        assert cell.robots[0].q == pytest.approx([0, 0, 0], abs=1e-12)
        assert cell.triggers == []
        assert cell.notes == []


def test_a_program_that_raises_is_reported_with_its_line() -> None:
    def bad(self: Any) -> None:
        self.wait(0.05)
        raise ValueError("no cheese")

    with world(bad, worker) as cell:
        report = cell.run()
        assert [robot.state for robot in report.robots] == ["failed", "done"]
        assert "ValueError: no cheese" in report.robots[0].error
        assert 'raise ValueError("no cheese")' in report.robots[0].error
        assert "task.py" not in report.robots[0].error
        assert "robot 0: failed (ValueError: no cheese)" in str(report)
        assert cell.problems[0].time == pytest.approx(0.05)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_leaving_a_program_by_force_ends_only_that(error: type[BaseException]) -> None:
    def bad(self: Any) -> None:
        raise error

    with world(bad, worker) as cell:
        states = [robot.state for robot in cell.run().robots]
    assert states == ["failed", "done"]


def test_a_handler_that_raises_ends_its_robot_and_spares_the_sender() -> None:
    def send(self: Any) -> None:
        self.send_trigger(1, "X")
        self.wait(0.1)
        self.send_trigger(1, "Y")
        self.wait(0.1)

    def refuse(self: Any, text: str) -> None:
        raise RuntimeError(f"refused {text}")

    with world(send, program(worker, receive_trigger=refuse)) as cell:
        report = cell.run()
        assert [robot.state for robot in report.robots] == ["done", "failed"]
        assert "refused X" in report.robots[1].error
        assert report.undelivered == 1
        assert cell.notes == []


# start, stop, pause, reset ------------------------------------------------------------------------


class Counting(aw.RobotController):
    """Counts to ten, a step every 0.1 s; goes on after a pause, starts anew after a stop."""

    def __init__(self) -> None:
        self.count = 0
        self.calls: list[str] = []

    def run(self) -> None:
        self.calls.append("run")
        while self.count < 10:
            self.wait(0.1)
            self.count += 1

    def stop(self) -> None:
        self.calls.append("stop")
        self.count = 0

    def pause(self) -> None:
        self.calls.append("pause")


def test_stop_goes_back_to_the_beginning_and_pause_does_not() -> None:
    with world(Counting) as cell:
        robot = cell.robots[0]
        program: Any = robot.controller
        assert robot.state == "idle"
        cell.run(0.35)
        assert (robot.state, program.count) == ("running", 3)
        cell.pause()
        assert (robot.state, program.count) == ("paused", 3)
        cell.run(0.5)
        assert (robot.state, program.count) == ("paused", 3)
        cell.start()
        cell.run(0.25)
        assert (robot.state, program.count) == ("running", 5)
        cell.stop(0)
        assert (robot.state, program.count) == ("stopped", 0)
        cell.stop(0)
        cell.start(0)
        cell.start(0)
        cell.run()
        assert (robot.state, program.count) == ("done", 0)
        assert program.calls == ["run", "pause", "run", "stop", "run", "stop"]
        assert robot.controller is program


def test_stopping_a_paused_program_resets_it() -> None:
    with world(Counting) as cell:
        cell.run(0.35)
        cell.pause()
        cell.stop()
        program: Any = cell.robots[0].controller
        assert (cell.robots[0].state, program.count) == ("stopped", 0)
        assert program.calls == ["run", "pause", "stop"]


def test_pause_is_stop_unless_written() -> None:
    calls: list[str] = []
    with world(program(worker, stop=lambda self: calls.append("stop"))) as cell:
        cell.run(0.15)
        cell.pause()
        assert cell.robots[0].state == "paused"
    assert calls == ["stop", "stop"]


def test_stopping_halts_the_arm_and_unwinds_the_program() -> None:
    said: list[Any] = []

    def run(self: Any) -> None:
        try:
            self.move([1.5, 0.5, -0.5])
        finally:
            said.append(self.is_running())

    with world(run) as cell:
        cell.run(0.3)
        cell.stop()
        assert said == [False]
        cell.run(1.0)
        assert cell.robots[0].state == "stopped"
        assert 0.0 < cell.robots[0].q[0] < 1.0


def test_stop_must_not_wait() -> None:
    with world(program(worker, stop=lambda self: self.wait(1))) as cell:
        report = cell.run()
        assert report.robots[0].state == "failed"
        assert "wait waits, which stop and pause must not" in report.robots[0].error


def test_stop_may_command_motors() -> None:
    with world(program(worker, stop=lambda self: self.set([0.2, 0.0, 0.0]))) as cell:
        cell.run(0.1)
        cell.stop()
        cell.run(1.0)
        assert cell.robots[0].q == pytest.approx([0.2, 0, 0])


def test_a_program_that_catches_stopped_still_ends() -> None:
    def run(self: Any) -> None:
        while self.is_running():
            try:
                self.wait(0.1)
            except BaseException:
                self.is_running()

    with world(run) as cell:
        cell.run(0.3)
        cell.stop()
        assert cell.robots[0].state == "stopped"


def test_reset_puts_everything_back_and_runs_are_equal() -> None:
    def run(self: Any) -> None:
        self.move([0.5, 0.2, 0.1])
        self.send_trigger(0, "done")
        self.debug("done")

    with world(run, more=BALL) as cell:
        first = cell.run(1.0)
        end = cell.simulation.data.qpos.tobytes()
        kept = list(cell.triggers), list(cell.notes)
        cell.reset()
        assert cell.time == 0.0
        assert cell.robots[0].state == "idle"
        assert (cell.triggers, cell.notes) == ([], [])
        assert cell.robots[0].q == pytest.approx([0, 0, 0])
        second = cell.run(1.0)
        assert cell.simulation.data.qpos.tobytes() == end
        assert (cell.triggers, cell.notes) == kept
        assert second.robots == first.robots


def test_reset_gives_a_stuck_robot_a_new_controller() -> None:
    attempts: list[int] = []

    class Slow(aw.RobotController):
        requires_configuration = True

        def configure(self, text: str) -> None:
            self.text = text

        def run(self) -> None:
            attempts.append(id(self))
            if len(attempts) == 1:
                time.sleep(1e6)
            self.debug(self.text)

    scene = robots(1, "CONFIG hello")
    with aw.World(scene, robots={0: Slow}, patience=0.15) as cell:
        cell.run(0.1)
        old = cell.robots[0].controller
        assert cell.robots[0].state == "stuck"
        with pytest.raises(UnsupportedError, match="reset makes a new one"):
            cell.start()
        cell.reset()
        assert cell.robots[0].controller is not old
        assert cell.run().robots[0].state == "done"
        assert cell.notes[0].text == "hello"


def test_orders_from_another_thread_take_effect_with_the_next_step() -> None:
    with world(Counting) as cell:
        states: list[str] = []

        def later() -> None:
            while cell.time < 0.2:
                time.sleep(0.001)
            cell.stop()
            cell.send_line(0, "hello")

        thread = threading.Thread(target=later)
        thread.start()

        def stopped(seen: aw.World) -> bool:
            states.append(seen.robots[0].state)
            return states[-1] == "stopped"

        report = cell.run(1e4, until=stopped)
        thread.join()
        assert report.why == "until"
        with pytest.raises(UnknownNameError, match="robot"):
            cell.stop(5)


def test_stopped_robots_ignore_triggers_and_paused_ones_keep_them() -> None:
    got: list[str] = []

    def run(self: Any) -> None:
        while True:
            got.append(self.wait_trigger())

    with world(run) as cell:
        cell.run(0.1)
        cell.pause()
        cell.send_trigger(0, "kept")
        cell.run(0.1)
        assert got == []
        cell.start()
        cell.run(0.1)
        assert got == ["kept"]
        cell.stop()
        cell.send_trigger(0, "lost")
        cell.run(0.1)
        cell.start()
        cell.run(0.1)
        assert got == ["kept"]


def test_a_handler_that_waits_is_interrupted_by_stop() -> None:
    said: list[str] = []

    def handle(self: Any, text: str) -> None:
        said.append(f"{text} begins")
        self.wait(10)
        said.append(f"{text} ends")

    with world(program(lambda self: self.wait(20), receive_trigger=handle)) as cell:
        cell.send_trigger(0, "A")
        cell.run(0.1)
        cell.stop()
        cell.start()
        cell.run(0.1)
        cell.send_trigger(0, "B")
        cell.run(0.1)
    assert said == ["A begins", "B begins"]


# lines, configuration, reports --------------------------------------------------------------------


def test_commander_lines_reach_the_controller_and_bad_ones_end_nothing() -> None:
    def receive_line(self: Any, text: str) -> None:
        self.set([float(text), 0.0, 0.0])
        self.debug("going to", text)

    with world(program(lambda self: self.wait(2), receive_line=receive_line)) as cell:
        cell.send_line(0, "0.4")
        cell.send_line(0, "nonsense")
        report = cell.run()
        assert report.robots[0].state == "done"
        assert cell.robots[0].q[0] == pytest.approx(0.4)
        assert [note.text for note in cell.notes] == ["going to 0.4"]
        assert "'nonsense' was refused: ValueError" in cell.problems[0].text
        with pytest.raises(UnknownNameError, match="robot"):
            cell.send_line(3, "x")


class Configured(aw.RobotController):
    requires_configuration = True
    calls = 0

    def configure(self, text: str) -> None:
        type(self).calls += 1
        self.numbers = [float(word) for word in text.split(";")]
        if len(self.numbers) != 2:
            raise ValueError(f"two numbers are needed, got {len(self.numbers)}")

    def run(self) -> None:
        self.debug(*self.numbers)


def test_configuration_is_given_once() -> None:
    with aw.World(robots(1, "CONFIG 1;2"), robots={0: Configured}) as cell:
        cell.run()
        cell.start()
        cell.run()
        assert [note.text for note in cell.notes] == ["1.0 2.0"] * 2
        assert Configured.calls == 1


def test_a_missing_or_wrong_configuration_is_told_before_anything_starts(
    own_threads: Callable[[], set[str]],
) -> None:
    with pytest.raises(DescriptionError, match="robot 1: 'Configured' needs a configuration"):
        aw.World(robots(2), robots={1: Configured})
    with pytest.raises(DescriptionError, match=r"robot 0.*two numbers are needed, got 3"):
        aw.World(robots(1), robots={0: {"controller": Configured, "config": "1;2;3"}})
    assert not own_threads()


def test_a_report_says_how_it_went() -> None:
    def run(self: Any) -> None:
        self.debug("two\nlines")
        self.send_trigger(77, "nobody")
        self.wait(0.5)

    with world(run, Counting) as cell:
        report = cell.run(0.6)
        assert report.why == "time"
        assert report.seconds == pytest.approx(0.6)
        assert report.time == pytest.approx(0.6)
        assert report.ratio == pytest.approx(report.seconds / report.wall)
        assert (report.triggers, report.undelivered, report.notes) == (1, 1, 2)
        assert [(one.controller, one.state) for one in report.robots] == [
            ("Program", "done"), ("Counting", "running"),
        ]  # fmt: skip
        assert report.ok
        assert "times real time" in str(report)
        assert cell.run(until=lambda w: w.time > 0.8).why == "until"
        assert cell.run().why == "ended"
        assert cell.report.why == "ended"


def test_run_needs_an_end() -> None:
    with world(more=BALL) as cell:
        with pytest.raises(DescriptionError, match=r"run\(seconds"):
            cell.run()
        with pytest.raises(DescriptionError, match="seconds"):
            cell.run(-1)
        assert cell.run(0).steps == 0


def test_progress_and_observers() -> None:
    told: list[float] = []
    seen: list[float] = []
    with world(more=BALL) as cell:
        end = cell.observe(lambda: seen.append(cell.time), every=0.04)
        cell.run(0.2, pace=0.5, progress=lambda w: told.append(w.time))
        assert seen == pytest.approx([0.04, 0.08, 0.12, 0.16, 0.2])
        assert len(told) >= 2
        assert told[-1] == pytest.approx(0.2)
        end()
        cell.run(0.1)
        assert len(seen) == 5


def test_objects() -> None:
    with world(more=BALL + "DEBUGNAME box\nCUBOID 60 60 5 10 10 10 00FF00\n") as cell:
        assert list(cell.objects) == ["ball0", "box"]
        ball = cell.objects["ball0"]
        assert (ball.kind, cell.objects["box"].kind) == ("ball", "cuboid")
        assert ball.position == pytest.approx([0.3, 0.6, 0.2])
        cell.run(0.1)
        assert ball.velocity[2] == pytest.approx(-9.81 * 0.1, rel=0.02)
        ball.place([0.3, 0.9, 0.5])
        assert ball.position == pytest.approx([0.3, 0.9, 0.5])
        with pytest.raises(UnknownNameError, match=r"thing in the cell is called 'bal0'.*ball0"):
            _ = cell.objects["bal0"]


# threads ------------------------------------------------------------------------------------------


def test_close_leaves_no_threads_and_stops_programs(own_threads: Callable[[], set[str]]) -> None:
    calls: list[str] = []

    def handle(self: Any, text: str) -> None:
        self.wait(100)

    cell = world(
        program(
            lambda self: self.wait(100),
            receive_trigger=handle,
            stop=lambda self: calls.append("stop"),
        ),
        worker,
    )
    cell.send_trigger(0, "X")
    cell.run(0.1)
    assert own_threads() == {"robot 0", "robot 1", "handler of robot 0"}
    cell.close()
    assert calls == ["stop"]
    assert not own_threads()
    cell.close()
    for forbidden in (
        cell.step,
        cell.start,
        lambda: cell.run(1),
        lambda: cell.send_trigger(0, "x"),
    ):
        with pytest.raises(UnsupportedError, match="closed"):
            forbidden()


def test_a_world_that_nobody_holds_leaves_no_threads(own_threads: Callable[[], set[str]]) -> None:
    cell = world(lambda self: self.wait(100), worker)
    cell.run(0.1)
    assert own_threads()
    gone = weakref.ref(cell)
    del cell
    gc.collect()
    assert gone() is None
    deadline = time.monotonic() + 5.0
    while own_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not own_threads()


def test_only_one_thread_moves_the_world() -> None:
    errors: list[str] = []

    def run(self: Any) -> None:
        try:
            cell.step()
        except UnsupportedError as error:
            errors.append(str(error))

    with world(run) as cell:
        cell.step()
    assert "moved already" in errors[0]


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals")
@pytest.mark.parametrize("bad", [None, spin])
def test_ctrl_c_ends_cleanly(bad: Any) -> None:
    said: list[str] = []

    def run(self: Any) -> None:
        try:
            self.wait(1e6)
        finally:
            said.append("unwound")

    with world(run, *([bad] if bad else [])) as cell:
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            cell.run(pace=None if bad else 1.0)
        assert time.monotonic() - begin < 3.0
        assert said == ["unwound"]
        assert cell.robots[0].state == "stopped"
        assert cell.report.why == "interrupted"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        cell.run(0.1)


def test_load_finds_shipped_cells_and_files(tmp_path: Path) -> None:
    (tmp_path / "one.env").write_text(BALL)
    with aw.World.load(tmp_path / "one.env") as cell:
        cell.run(0.05)
        assert "one.env" in repr(cell)
        assert cell.scene.things[0].kind == "ball"
    with pytest.raises(UnknownNameError, match="cell"):
        aw.World.load("no_such_cell")
