"""Drives: set points met exactly, limits kept, no overshoot, tables and goals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from armwerk.errors import DescriptionError, ShapeError, UnknownNameError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.robots.set_points import braking_speed, stopping_distance
from armwerk.physics.settings import DriveKind
from armwerk.robot import Arm, Joint, load
from armwerk.scene.scene import Scene

FOLLOWED = 1e-9  # [rad or m]


def world(
    arm: object, q: object = None, count: int = 1, drives: DriveKind = "limited"
) -> Simulation:
    base = np.eye(4)
    base[2, 3] = 3.0  # high over the floor, and far from each other
    bases = [base + 4.0 * k * np.eye(4, k=3) for k in range(count)]
    robots = [RobotPlacement(arm, None, base, q) for base in bases]  # type: ignore[arg-type]
    return Simulation(Scene(), robots, SimulationSettings(drives=drives))


def one_joint(**limits: object) -> Arm:
    return Arm.from_dh([Joint("revolute", a=0.3, **limits)], name="one")  # type: ignore[arg-type]


def run_to_rest(sim: Simulation, most: int = 20000) -> np.ndarray:
    """Return the values of robot 0 after every step, the first one before them."""
    robot = sim.robots[0]
    rows = [robot.q]
    while robot.moving:
        sim.step()
        rows.append(robot.q)
        assert len(rows) < most
    return np.array(rows)


@given(
    goal=st.floats(-2, 2),
    speed=st.floats(0.2, 5),
    acceleration=st.floats(0.1, 50),
)
@settings(max_examples=25, deadline=None)
def test_a_goal_is_reached_in_least_time_within_limits_and_without_overshoot(
    goal: float, speed: float, acceleration: float
) -> None:
    sim = world(one_joint(max_velocity=speed, max_acceleration=acceleration))
    sim.robots[0].set_goal(0, goal)
    q = run_to_rest(sim)[:, 0]
    rate = np.diff(q) / sim.dt
    assert np.abs(rate).max(initial=0.0) <= speed * (1 + 1e-6) + 1e-6
    change = np.abs(np.diff(np.concatenate([[0.0], rate, [0.0]]))) / sim.dt
    assert change.max() <= acceleration * (1 + 1e-6) + 1e-3
    assert (np.sign(goal) * (q - goal) <= FOLLOWED).all()
    assert q[-1] == pytest.approx(goal, abs=FOLLOWED)
    way = abs(goal)
    peak = min(speed, np.sqrt(way * acceleration))
    least = way / peak + peak / acceleration if way else 0.0  # of a trapezoid
    assert (len(q) - 1) * sim.dt <= least + 4 * sim.dt


def test_without_a_limit_of_acceleration_only_the_speed_counts() -> None:
    sim = world(one_joint(max_velocity=1.0), drives="stiff")
    sim.robots[0].set_goal(0, 0.5)
    q = run_to_rest(sim)[:, 0]
    np.testing.assert_allclose(np.diff(q)[:-2], sim.dt, rtol=1e-6)
    assert len(q) == pytest.approx(0.5 / sim.dt, abs=2)


def test_without_any_limit_a_goal_is_met_in_one_step() -> None:
    sim = world(one_joint(), drives="stiff")
    sim.robots[0].set_goal(0, 0.5)
    sim.step()
    assert sim.robots[0].q[0] == pytest.approx(0.5, abs=FOLLOWED)


def test_a_goal_changed_on_the_way_turns_the_motor_round() -> None:
    sim = world(one_joint(max_velocity=1.0, max_acceleration=2.0))
    robot = sim.robots[0]
    robot.set_goal(0, 1.0)
    for _ in range(300):
        sim.step()
    robot.set_goal(0, -0.3)
    q = run_to_rest(sim)[:, 0]
    change = np.diff(q, 2) / sim.dt**2
    assert np.abs(change).max() <= 2.0 + 1e-3
    assert q.min() >= -0.3 - FOLLOWED
    assert q[-1] == pytest.approx(-0.3, abs=FOLLOWED)


@pytest.mark.parametrize("name", ["puma560", "panda", "stanford", "cartesian"])
def test_all_motors_of_an_arm_meet_their_set_points(name: str) -> None:
    sim = world(load(name))
    robot = sim.robots[0]
    limits = np.clip(robot.limits, -3, 3)
    most = np.array([robot.member(k).max_velocity for k in range(robot.dof)])
    for goal in (limits[:, 1], limits[:, 0], limits.mean(axis=1)):
        robot.set_goal(slice(None), goal)
        while robot.moving:
            before = robot.q
            sim.step()
            assert np.abs(robot.q - robot.setpoints).max() < FOLLOWED
            assert (np.abs(robot.q - before) / sim.dt <= most * (1 + 1e-6)).all()
            assert (np.abs(robot.qd) <= most * (1 + 1e-6)).all()
        np.testing.assert_allclose(robot.q, goal, atol=FOLLOWED)


@pytest.mark.parametrize("drives", ["limited", "stiff"])
def test_a_table_is_followed_row_by_row(drives: DriveKind) -> None:
    sim = world(load("puma560"), count=2, drives=drives)
    first, second = sim.robots
    times = sim.dt * np.arange(1, 501)
    shape = np.sin(2 * times) if drives == "stiff" else 1.0 - np.cos(2 * times)  # limited: at rest
    wave = 0.2 * shape[:, None] * np.linspace(0.2, 1.0, 6)
    first.follow(wave)
    for row in range(200):
        sim.step()
        np.testing.assert_allclose(first.q, wave[row], atol=FOLLOWED)
    second.follow(-wave, first=0)
    for row in range(200, 500):
        sim.step()
        np.testing.assert_allclose(first.q, wave[row], atol=FOLLOWED)
        np.testing.assert_allclose(second.q, -wave[row - 200], atol=FOLLOWED)
    assert second.moving
    while first.moving or second.moving:
        sim.step()
    np.testing.assert_allclose(first.q, wave[-1], atol=FOLLOWED)
    np.testing.assert_allclose(second.q, -wave[-1], atol=FOLLOWED)


def test_a_goal_ends_a_table_and_the_other_motors_brake() -> None:
    sim = world(load("puma560"))
    robot = sim.robots[0]
    times = sim.dt * np.arange(1, 1001)
    robot.follow(np.repeat(0.3 * (1 - np.cos(times))[:, None], 6, axis=1))
    sim.run(1.0)
    speed = robot.qd[1]
    robot.set_goal(0, 1.0)
    brake = [robot.qd]
    while robot.moving:
        sim.step()
        brake.append(robot.qd)
    change = np.abs(np.diff(brake, axis=0)) / sim.dt
    most = [robot.member(k).max_acceleration for k in range(6)]
    assert (change.max(axis=0) <= np.array(most) * (1 + 1e-3)).all()
    assert robot.q[0] == pytest.approx(1.0, abs=FOLLOWED)
    way = speed**2 / 2 / most[1]
    assert robot.q[1] - 0.3 * (1 - np.cos(1.0)) == pytest.approx(way, abs=2 * speed * sim.dt)


def test_halt_stops_within_the_accelerations() -> None:
    sim = world(one_joint(max_velocity=1.0, max_acceleration=2.0))
    robot = sim.robots[0]
    robot.set_goal(0, 2.0)
    sim.run(0.8)
    start, speed = robot.q[0], robot.qd[0]
    robot.halt()
    q = run_to_rest(sim)[:, 0]
    assert q[-1] - start == pytest.approx(speed**2 / 4.0, abs=speed * sim.dt)
    assert (np.abs(np.diff(q, 2)) / sim.dt**2 <= 2.0 + 1e-3).all()
    assert (np.diff(q) >= -FOLLOWED).all()


@given(st.floats(1e-6, 10), st.floats(0.01, 100))
def test_braking_speed_stops_exactly_at_the_distance(distance: float, acceleration: float) -> None:
    dt, way = 0.002, 0.0
    speed = braking_speed(distance, acceleration, dt)
    for _ in range(100000):
        if speed <= 0:
            break
        way += speed * dt
        speed -= acceleration * dt
    assert way == pytest.approx(distance, rel=1e-9)


def test_stopping_distance_is_what_braking_takes() -> None:
    dt, acceleration, speed = 0.001, 3.0, 1.2345
    way, v = 0.0, speed
    while (v := v - acceleration * dt) > 0:
        way += v * dt
    assert stopping_distance(speed, acceleration, dt) == pytest.approx(way, rel=1e-9)
    assert stopping_distance(-speed, acceleration, dt) == pytest.approx(way, rel=1e-9)
    assert stopping_distance(speed, np.inf, dt) == 0.0


def test_bad_commands_are_refused_and_change_nothing() -> None:
    sim = world(load("puma560"))
    robot = sim.robots[0]
    goals = robot.goals
    with pytest.raises(DescriptionError, match=r"motor 'shoulder'.*9.*-0.785398 to 3.92699 rad"):
        robot.set_goal(slice(0, 6), [0.1, 9.0, 0, 0, 0, 0])
    with pytest.raises(DescriptionError, match="nan"):
        robot.set_goal(0, np.nan)
    with pytest.raises(ShapeError, match=r"\(6,\)"):
        robot.set_goal(slice(0, 6), [1.0, 2.0])
    with pytest.raises(UnknownNameError, match="waist"):
        robot.set_goal("wasit", 1.0)
    with pytest.raises(ShapeError, match=r"\(steps, 6\)"):
        robot.follow(np.zeros((5, 3)))
    with pytest.raises(DescriptionError, match="beyond its limits"):
        robot.follow(np.full((5, 6), 9.0))
    with pytest.raises(DescriptionError, match=r"row 0 asks for .* rad/s.*up to 1.43117 rad/s"):
        robot.follow(np.full((5, 6), 0.3))
    np.testing.assert_array_equal(robot.goals, goals)
    assert not robot.moving


def test_motors_are_named_and_set_by_name() -> None:
    sim = world(load("puma560"))
    robot = sim.robots[0]
    assert robot.motors == ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "flange")
    robot.set_goal("elbow", -0.2)
    assert robot.goals[2] == -0.2
    run_to_rest(sim)
    np.testing.assert_allclose(robot.q, [0, 0, -0.2, 0, 0, 0], atol=FOLLOWED)


def test_captured_drives_go_on_to_the_last_bit() -> None:
    sim = world(load("ur5e"), count=2)
    times = sim.dt * np.arange(1, 401)
    sim.robots[0].follow(np.repeat(0.2 * np.sin(times)[:, None], 6, axis=1))
    sim.robots[1].set_goal(slice(None), 0.7)
    sim.run(0.3)
    state = sim.capture()

    def rest() -> list[bytes]:
        found = []
        for _ in range(6):  # in the table, and behind its end
            sim.run(0.1)
            found.append(sim.data.qpos.tobytes() + sim.data.qvel.tobytes())
        return found

    first = rest()
    sim.restore(state)
    assert rest() == first
