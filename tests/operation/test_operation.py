"""An arm that is operated: queue and buttons, at every moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.collision import Bodies
from armwerk.errors import ArmwerkError, MotionError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion import Limits, Table
from armwerk.motion.table.rows import HelpPoint, TableRow
from armwerk.motors import MotorModules, SteppedElsewhere, WorldPort
from armwerk.operation import (
    ControlThread,
    MasterSlave,
    MotionRecorder,
    Operation,
    OperationReport,
    PlanningDesk,
    Player,
    QueuedMotion,
    Teaching,
    apart,
    cooperate,
    interpolated,
    play_together,
)
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.robot import Arm, load, load_assembly
from armwerk.scene import Scene

HOME = np.deg2rad([0, 40, -20, 0, 50, 0])
SIDE = np.deg2rad([40, 30, -30, 10, 40, -20])


@cache
def model() -> ArmModel:
    return aw.model("puma560")


def simulation(gripper: bool = False, dt: float = 0.002) -> Simulation:
    hand = load_assembly("parallel_gripper") if gripper else None
    placement = RobotPlacement(load("puma560"), hand, np.eye(4), q=HOME)
    return Simulation(Scene(), [placement], SimulationSettings(dt=dt))


def operated(
    sim: Simulation | None = None, heard: list[OperationReport] | None = None
) -> Operation:
    sim = sim or simulation()
    motors = MotorModules(WorldPort(sim, sim.robots[0]))
    return Operation(motors, PlanningDesk(model()), None if heard is None else heard.append)


@cache
def round_trip() -> tuple[QueuedMotion, ...]:
    """Three motions from home and back to it, planned once."""
    desk, q, motions = PlanningDesk(model()), HOME, []
    T = model().fk(SIDE)
    line = TableRow("linear", tuple(T[:3, 3] + np.array((-0.05, 0.05, -0.15))), name="line")
    for request in (SIDE, line, HOME):
        motions.append(desk.plan(request, q))
        q = motions[-1].end
    return tuple(motions)


def test_points_are_as_many_as_asked_for_at_equal_distances() -> None:
    motion = round_trip()[1]
    points = interpolated(motion.trajectory, model(), 7)
    assert len(points) == 8
    places = np.array([model().fk(motion.trajectory.sample(0.0)[0])[:3, 3]])
    places = np.vstack([places, [one.position for one in points]])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-2)
    assert sum(one.time for one in points) == pytest.approx(motion.trajectory.duration)
    assert points[-1].speed == pytest.approx(0.0, abs=1e-6)
    assert max(one.speed for one in points) == pytest.approx(0.25, rel=1e-3)
    pose = model().fk(points[3].q)
    assert points[3].inclination == pytest.approx(np.arcsin(pose[2, 2]))
    np.testing.assert_allclose(pose[:3, 3], points[3].position, atol=1e-12)
    assert len(motion.points) == 21  # 20 between start and goal unless the row says otherwise


def test_the_queue_is_played_in_order_and_exactly() -> None:
    heard: list[OperationReport] = []
    operation = operated(heard=heard)
    for motion in round_trip():
        operation.accept(motion)
    worst = 0.0
    operation.start()
    while operation.state == "running":
        operation.cycle()
        if operation.player.loaded:
            front = operation.queue[0].trajectory
            wanted = front.sample(operation.player.time)[0]
            worst = max(worst, float(np.abs(operation.player.q - wanted).max()))
    assert worst < 1e-6
    np.testing.assert_allclose(operation.player.q, HOME, atol=1e-6)
    assert [one.kind for one in heard] == ["planned"] * 3 + ["begun", "done"] * 3
    assert operation.queue == ()


def test_what_fails_is_discarded_alone_and_says_why() -> None:
    heard: list[OperationReport] = []
    operation = operated(heard=heard)
    assert operation.send(SIDE) is not None
    assert operation.send(TableRow("linear", (5.0, 0.0, 0.0), name="far")) is None
    assert operation.send(TableRow("circle", (0.4, 0.0, 0.8))) is None
    assert operation.send([0.0, 99.0, 0, 0, 0, 0]) is None
    assert operation.send([0.0, 1.0]) is None
    assert operation.send(HOME) is not None
    refused = [one.text for one in heard if one.kind == "refused"]
    assert "out of reach" in refused[0]
    assert "help point" in refused[1]
    assert len(refused) == 4
    assert len(operation.queue) == 2
    operation.start()
    assert operation.wait()
    np.testing.assert_allclose(operation.player.q, HOME, atol=1e-6)


def test_safe_areas_refuse_a_trajectory_and_bodies_may_change_between() -> None:
    heard: list[OperationReport] = []
    operation = operated(heard=heard)
    middle = model().fk(0.5 * (HOME + SIDE))[:3, 3]
    box = aw.Box(size=(0.1, 0.1, 0.1), position=tuple(middle), name="crate")
    operation.set_bodies([box])
    assert operation.send(SIDE) is None
    assert "crate" in heard[-1].text
    operation.set_bodies([])
    assert operation.send(SIDE) is not None
    operation.set_bodies(Bodies((box,)))
    with pytest.raises(MotionError, match="crate"):
        operation.start()
    assert len(operation.queue) == 1
    operation.set_bodies([])
    operation.start()
    assert operation.wait()
    np.testing.assert_allclose(operation.player.q, SIDE, atol=1e-6)


def test_curves_of_rows_find_their_help_points() -> None:
    T = model().fk(HOME)
    start = T[:3, 3]
    via, goal, centre = (
        start + np.array(by) for by in ((-0.05, 0.05, 0), (0, 0.1, 0), (0, 0.05, 0))
    )
    desk = PlanningDesk(model(), help_points=(HelpPoint("H", tuple(via)),))
    motion = desk.plan(TableRow("circle", tuple(goal), help="H", points=9), HOME)
    for one in motion.points:
        assert np.linalg.norm(one.position - centre) == pytest.approx(0.05, abs=1e-6)
    assert len(motion.points) == 10


def at_rest(operation: Operation) -> bool:
    operation.run(0.02)
    return bool(np.abs(operation.player.qd).max() < 1e-6)


def back_home(operation: Operation) -> None:
    """Go home by ramps; the motions of the queue begin there again."""
    operation.clear()
    operation.one_motion(HOME)
    assert operation.wait()
    np.testing.assert_allclose(operation.player.q, HOME, atol=1e-6)


def interrupted(moments: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = sum(motion.trajectory.duration for motion in round_trip())
    sim = simulation(dt=0.005)
    operation = operated(sim)
    for moment in rng.uniform(0.0, whole, moments):
        for motion in round_trip():
            operation.accept(motion)
        operation.start()
        operation.run(moment)
        assert operation.state == ("running" if operation.queue else "idle")
        before, way = operation.queue, rng.choice(["stop", "halt", "kill", "twice"])
        if way == "kill":
            # nobody feeds the motors any more; the drives are left to themselves
            robot = sim.robots[0]
            sim.run(1.0)
            assert np.abs(robot.qd).max() < 1e-6
            operation = operated(sim)
            assert operation.queue == ()
        elif way == "halt":
            operation.halt()
            assert operation.wait()
            assert operation.queue == ()
            with pytest.raises(MotionError, match=r"reset\(\)"):
                operation.start()
            operation.reset()
        else:
            operation.stop()
            assert operation.wait()
            finished = len(before) - len(operation.queue)
            assert operation.queue == before[finished:]
            assert finished <= 1  # it may have been on its last millimetre
            if operation.state == "stopped" and operation.player.loaded:
                wanted = operation.queue[0].trajectory.sample(operation.player.time)[0]
                np.testing.assert_allclose(operation.player.q, wanted, atol=1e-6)
            if way == "twice" and operation.queue:
                operation.start()
                assert operation.wait()
                np.testing.assert_allclose(operation.player.q, HOME, atol=1e-6)
                assert operation.queue == ()
        assert at_rest(operation)
        back_home(operation)


def test_stopped_halted_and_killed_at_any_moment() -> None:
    interrupted(50, seed=5)


@pytest.mark.soak
def test_stopped_halted_and_killed_at_a_thousand_moments() -> None:
    interrupted(1000, seed=6)


def test_a_halt_empties_a_queue_that_waits() -> None:
    operation = operated()
    for stopped in (False, True):
        for motion in round_trip():
            operation.accept(motion)
        if stopped:
            operation.start()
            operation.run(0.1)
            operation.stop()
            assert operation.wait()
            assert len(operation.queue) == 3
        operation.halt()
        assert operation.queue == ()
        assert operation.wait()
        operation.reset()
        back_home(operation)


def test_a_stop_does_not_jerk() -> None:
    operation = operated()
    operation.accept(round_trip()[0])
    operation.start()
    operation.run(0.4 * round_trip()[0].trajectory.duration)
    speeds = [operation.player.qd]
    operation.stop()
    for _ in range(1000):
        operation.cycle()
        speeds.append(operation.player.qd)
    assert operation.state == "stopped"
    swings = np.abs(np.diff(speeds, axis=0)).max(axis=0) / operation.motors.dt
    assert (swings < 1.6 * Limits.of(model()).acceleration).all()


def test_buttons_are_refused_where_they_make_no_sense() -> None:
    sim = simulation(gripper=True)
    operation = operated(sim)
    operation.accept(round_trip()[0])
    operation.start()
    operation.run(0.1)
    for call in (
        operation.reference,
        operation.clear,
        lambda: operation.one_motion(HOME),
    ):
        with pytest.raises(MotionError, match=r"running|stop"):
            call()
    operation.stop()
    operation.wait()
    with pytest.raises(MotionError, match="stopped"):
        operation.one_motion(HOME)
    operation.clear()
    with pytest.raises(ArmwerkError, match="out of range"):
        operation.one_motion([0, 99, 0, 0, 0, 0])
    operation.reference()
    assert operation.wait()
    assert operation.motors.status(7).referenced
    operation.one_motion(0.01, module=7)
    assert operation.wait()
    assert operation.motors.status(7).position == pytest.approx(0.01, abs=1e-5)


def test_a_fault_of_a_motor_empties_the_queue_and_is_told() -> None:
    heard: list[OperationReport] = []
    operation = operated(heard=heard)
    for motion in round_trip():
        operation.accept(motion)
    operation.start()
    operation.run(0.2)
    operation.motors.halt(3)
    assert operation.wait()
    assert operation.state == "halted"
    assert operation.queue == ()
    assert "module 3 is halted" in heard[-1].text
    operation.reset()
    back_home(operation)


@pytest.fixture
def thread() -> Iterator[ControlThread]:
    sim = simulation()
    motors = MotorModules(WorldPort(sim, sim.robots[0]))
    with ControlThread(motors, PlanningDesk(model())) as control:
        yield control


def test_the_thread_plans_beside_the_motion(thread: ControlThread) -> None:
    thread.send(SIDE)
    thread.start()  # as soon as it is planned
    thread.send(TableRow("linear", (9.0, 0.0, 0.0)))
    thread.send(HOME)
    assert thread.wait_planned()
    thread.start()
    assert thread.wait()
    np.testing.assert_allclose(thread.q, HOME, atol=1e-6)
    kinds = [one.kind for one in thread.reports]
    assert kinds.count("planned") == kinds.count("done") == 2
    assert kinds.count("refused") == 1


def test_a_halt_of_the_thread_gives_up_what_is_not_planned_yet(thread: ControlThread) -> None:
    for _ in range(5):
        thread.send(SIDE)
        thread.send(HOME)
    thread.start()
    thread.halt()
    assert thread.wait()
    assert thread.queue == ()
    assert thread.state == "halted"
    thread.start()
    assert thread.wait()
    assert "reset()" in thread.reports[-1].text
    thread.reset()
    thread.send(SIDE)
    thread.start()
    assert thread.wait()
    np.testing.assert_allclose(thread.q, SIDE, atol=1e-6)


def test_a_thread_that_is_killed_leaves_the_arm_at_rest_and_another_takes_over() -> None:
    sim = simulation()
    for _ in range(3):
        motors = MotorModules(WorldPort(sim, sim.robots[0]))
        control = ControlThread(motors, PlanningDesk(model()))
        control.send(SIDE if np.abs(sim.robots[0].q - SIDE).max() > 0.1 else HOME)
        control.start()
        assert control.wait_planned()
        while control.state != "running" and control.reports[-1].kind != "done":
            pass
        control.kill()
        sim.run(1.0)
        assert np.abs(sim.robots[0].qd).max() < 1e-6
    with ControlThread(MotorModules(WorldPort(sim, sim.robots[0])), PlanningDesk(model())) as last:
        last.send(HOME)
        last.start()
        assert last.wait()
        np.testing.assert_allclose(last.q, HOME, atol=1e-6)


def test_teach_in_stores_places_that_can_be_played(tmp_path: Path) -> None:
    operation = operated()
    teaching = Teaching(operation)
    teaching.store("home")
    teaching.jog(1, 0.3)
    left = operation.player.q
    row = teaching.store("left", joints=True)
    assert row.joints == tuple(left)
    with pytest.raises(MotionError, match="stored as 'ptp'"):
        teaching.store("wrong", kind="linear", joints=True)
    teaching.move_tool((0.0, 0.0, -0.05))
    low = operation.player.q
    teaching.store("low", kind="linear", speed=0.1)
    teaching.store("mistake")
    teaching.forget()
    with pytest.raises(ArmwerkError, match="out of range"):
        teaching.jog(1, 9.0)
    file = teaching.save(tmp_path / "taught.toml")
    table = Table.load(file)
    assert [row.name for row in table.rows] == ["home", "left", "low"]
    assert table.rows[1].joints == tuple(left)
    assert teaching.joints.shape == (3, 6)
    operation.one_motion(HOME)
    operation.wait()
    for row in table.rows[1:]:
        assert operation.send(row) is not None
    operation.start()
    assert operation.wait()
    np.testing.assert_allclose(operation.player.q, low, atol=1e-5)


def test_what_was_guided_is_played_back_within_the_limits() -> None:
    sim = simulation()
    motors = MotorModules(WorldPort(sim, sim.robots[0]))
    recorder = MotionRecorder(motors, 6)
    with pytest.raises(MotionError, match="nothing has moved"):
        recorder.trajectory(model())
    sim.robots[0].set_goal(slice(0, 6), SIDE)  # somebody else moves the arm
    guided = []
    for _ in range(1200):
        sim.step()
        recorder.look()
        guided.append(sim.robots[0].q)
    played = recorder.trajectory(model())
    assert (played.extremes().velocity <= Limits.of(model()).velocity * 1.001).all()
    np.testing.assert_allclose(played.sample(0.0)[0], HOME, atol=1e-3)
    np.testing.assert_allclose(played.sample(played.duration)[0], SIDE, atol=1e-4)
    track = np.array(guided)
    for q in played.sample(np.linspace(0, played.duration, 50))[0]:
        # a flange at 4 rad/s is up to 4 mrad from the nearest of the samples every 2 ms
        assert np.abs(track - q).max(axis=1).min() < 4e-3


def test_a_slave_does_what_its_master_does_and_can_repeat_it() -> None:
    first, second = simulation(), simulation()
    master = MotorModules(WorldPort(first, first.robots[0]))
    slave = MotorModules(WorldPort(second, second.robots[0]))
    pair = MasterSlave(master, slave, 6)
    for module, by in ((1, 0.4), (2, -0.2), (5, 0.3)):
        master.exec_motion(module, "ramp", HOME[module - 1] + by)
    for _ in range(1500):
        pair.cycle()
    led = Player(master, 6).q
    np.testing.assert_allclose(Player(slave, 6).q, led, atol=1e-6)
    again = pair.recorder.trajectory(model())
    np.testing.assert_allclose(again.sample(again.duration)[0], led, atol=1e-4)


def standing(x: float, turned: bool) -> Arm:
    arm = load("puma560")
    assert isinstance(arm, Arm)
    base = np.eye(4)
    if turned:
        base[:2, :2] *= -1.0
    base[0, 3] = x
    return replace(arm, base=base)


def test_one_arm_leads_and_the_other_follows_relative_to_it() -> None:
    one, two = aw.model(standing(0.0, False)), aw.model(standing(1.4, True))
    T = one.fk(HOME)
    T[:3, 3] += (-0.05, 0.1, -0.05)
    motion = aw.Path(speed=0.4).lin(T).plan(one, HOME)
    pair = cooperate(one, motion, two, HOME)
    assert apart(pair, one, two).max() < 1e-5
    assert pair.leader.duration == pytest.approx(pair.follower.duration)
    assert (pair.follower.extremes().velocity <= Limits.of(two).velocity * 1.001).all()
    np.testing.assert_allclose(
        pair.leader.sample(pair.leader.duration)[0], motion.sample(motion.duration)[0], atol=1e-9
    )
    bases = [arm.base for arm in (standing(0.0, False), standing(1.4, True))]
    arm = load("puma560")
    sim = Simulation(Scene(), [RobotPlacement(arm, None, base, q=HOME) for base in bases])
    leader = Player(MotorModules(WorldPort(sim, sim.robots[0])), 6)
    follower = Player(MotorModules(WorldPort(SteppedElsewhere(), sim.robots[1])), 6)
    assert play_together(pair, leader, follower) == ""
    np.testing.assert_allclose(leader.q, pair.leader.sample(99.0)[0], atol=1e-5)
    pair = cooperate(two, pair.follower, one, HOME)  # and the other way round
    with pytest.raises(MotionError, match="beside its place"):
        cooperate(one, motion, two, SIDE, relation=np.linalg.inv(one.fk(HOME)) @ two.fk(HOME))


def test_a_follower_that_cannot_keep_up_makes_both_slower() -> None:
    one, two = aw.model(standing(0.0, False)), aw.model(standing(1.4, True))
    motion = aw.ptp(one, HOME, HOME + np.deg2rad([12, 0, 0, 0, 0, 0]))
    pair = cooperate(one, motion, two, HOME)
    assert pair.stretch >= 1.0
    assert pair.leader.duration == pytest.approx(pair.stretch * motion.duration)


def test_when_one_cannot_go_on_both_stop() -> None:
    one, two = aw.model(standing(0.0, False)), aw.model(standing(1.4, True))
    T = one.fk(HOME)
    T[:3, 3] += (0.0, 0.1, 0.0)
    pair = cooperate(one, aw.Path(speed=0.2).lin(T).plan(one, HOME), two, HOME)
    sims = [simulation(), simulation()]
    leader, follower = (Player(MotorModules(WorldPort(s, s.robots[0])), 6) for s in sims)

    def trip(status: object) -> None:
        if leader.time > 0.2:
            follower.motors.halt(4)

    leader.motors.add_status_callback(trip)
    assert "module 4 is halted" in play_together(pair, leader, follower)
    for player in (leader, follower):
        for _ in range(300):
            player.motors.cycle()
        assert np.abs(player.qd).max() < 1e-6
