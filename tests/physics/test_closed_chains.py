"""Closed chains in the world: tied points stay together at full speed, hands stand right."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from law_scenes import ball

import armwerk as aw
from armwerk.errors import MotionError, PhysicsError, UnsupportedError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.assembly.stewart import leg_jacobian
from armwerk.physics import RobotPlacement, Simulation
from armwerk.physics.mechanism import tooled
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.robots.motor_table import GOAL
from armwerk.robot import Assembly, library, load, load_assembly
from armwerk.robot.parts import (
    Body,
    Connection,
    LinearMotor,
    Passive,
    Platform,
    TerminationPoint,
    Union,
    at,
    chain,
)
from armwerk.scene.scene import Scene

MOST_GAP = 1e-4  # [m]
CLOSED = [
    name for name in library() if isinstance(arm := load(name), Assembly) and len(arm.loops) > 0
]
TURNED = np.array([[0, -1, 0, 0.3], [1, 0, 0, -0.2], [0, 0, 1, 0.1], [0, 0, 0, 1.0]])


def start(name: str, base: np.ndarray = TURNED) -> Simulation:
    return Simulation(Scene(), [RobotPlacement(load(name), None, base)])


def test_the_library_has_all_patterns() -> None:
    patterns = {loop.pattern for name in CLOSED for loop in load_assembly(name).loops}
    assert patterns == {"TRIPOD", "TIGHT_LEN", "TIGHT_ROT", "TIGHT_PSEUDO", "STEWART"}


@pytest.mark.parametrize("name", CLOSED)
def test_tied_points_stay_together_at_full_speed(name: str) -> None:
    sim = start(name)
    robot = sim.robots[0]
    model = AssemblyModel(load_assembly(name))
    assert robot.gap() < 1e-9
    limits = np.where(np.isfinite(robot.limits), robot.limits, [-3.0, 3.0])
    rng = np.random.default_rng(11)
    most = np.array([robot.member(k).max_velocity for k in range(robot.dof)])
    worst = fastest = 0.0
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(4):
        share = rng.integers(0, 2, robot.dof) * 0.9 + 0.05  # from one end of the range to another
        goal = limits[:, 0] + share * np.diff(limits, axis=1)[:, 0]
        try:
            robot.set_goal(slice(None), goal)
        except MotionError:
            continue
        while robot.moving:
            sim.step()
            worst = max(worst, robot.gap())
            fastest = max(fastest, float((np.abs(robot.qd) / most).max()))
            seen.append((robot.q, robot.pose))
        assert np.abs(robot.q - goal).max() < 1e-9
    assert worst < MOST_GAP
    some = seen[::10]
    expected = TURNED @ model.fk([q for q, _ in some])
    np.testing.assert_allclose([pose for _, pose in some], expected, atol=MOST_GAP)
    assert 0.8 < fastest <= 1 + 1e-6
    sim.run(0.2)  # at rest nothing is left of the gap
    assert robot.gap() < 1e-6
    np.testing.assert_allclose(robot.pose, TURNED @ model.fk(robot.q), atol=1e-6)


@pytest.mark.parametrize("name", CLOSED)
def test_a_start_position_is_taken_as_it_is_given(name: str) -> None:
    arm = load(name)
    model = aw.model(tooled(arm))
    limits = np.where(np.isfinite(arm.limits), arm.limits, [-1.0, 1.0])
    q = limits @ (0.4, 0.6)
    sim = Simulation(Scene(), [RobotPlacement(arm, None, np.eye(4), q)])
    robot = sim.robots[0]
    np.testing.assert_allclose(robot.q, q, atol=1e-12)
    np.testing.assert_allclose(robot.pose, model.fk(q), atol=1e-9)
    sim.run(0.5)
    np.testing.assert_allclose(robot.q, q, atol=1e-9)
    np.testing.assert_allclose(robot.pose, model.fk(q), atol=1e-5)


def test_a_stewart_platform_carries_its_plate_everywhere() -> None:
    sim = start("stewart", np.eye(4))
    robot = sim.robots[0]
    model = aw.model("stewart")
    pose = robot.pose
    for shift in ((0.05, 0.0, 0.0), (0.0, 0.06, 0.04), (-0.04, -0.02, -0.03)):
        goal = pose.copy()
        goal[:3, 3] += shift
        q = model.ik_nearest(goal, robot.q)
        assert q is not None
        robot.set_goal(slice(None), q)
        while robot.moving:
            sim.step()
        sim.run(0.05)
        np.testing.assert_allclose(robot.pose, goal, atol=1e-5)


def corners(robot: RobotBody) -> np.ndarray:
    """All corners of the limits. Shape (2^n, n)."""
    return np.array(list(product(*robot.limits.tolist())))


def sent(sim: Simulation, robot: RobotBody, model: AssemblyModel, goal: np.ndarray) -> bool:
    """Send an arm somewhere: it is moved there exactly, or refused before anything moves."""
    before = robot.setpoints, robot.goals, robot.pose
    refusal: MotionError | None = None
    try:
        robot.set_goal(slice(None), goal)
    except MotionError as error:
        refusal = error
    if refusal is not None:
        assert "nothing has moved" in str(refusal)
        assert " s of " in refusal.place
        sim.step()
        np.testing.assert_array_equal(robot.setpoints, before[0])
        np.testing.assert_array_equal(robot.goals, before[1])
        np.testing.assert_allclose(robot.pose, before[2], atol=1e-6)
        return False
    worst, mode = 0.0, margin(model, robot)
    while robot.moving:
        sim.step()
        worst = max(worst, robot.gap())
    assert worst < MOST_GAP
    sim.run(0.05)
    assert not robot.jammed
    np.testing.assert_allclose(robot.q, goal, atol=1e-9)
    np.testing.assert_allclose(robot.pose, model.fk(goal), atol=MOST_GAP)
    assert margin(model, robot) * mode > 0.0
    return True


def margin(model: AssemblyModel, robot: RobotBody) -> float:
    """Determinant of the closure of a platform or tripod as it stands in the world."""
    loop = model.assembly.loops[0]
    if isinstance(loop.tie, Platform):
        anchors = np.array([anchor for _, anchor in loop.tie.legs])
        feet = np.array([model.frames(robot.q)[chain.passives[0]][:3, 3] for chain in loop.chains])
        return float(np.linalg.det(leg_jacobian(feet, anchors, robot.pose)))
    feet = np.array([model.frames(robot.q)[chain.passives[0]][:3, 3] for chain in loop.chains])
    return float(np.linalg.det(robot.pose[:3, 3] - feet))


@pytest.mark.parametrize(("name", "reached"), [("stewart", 32), ("tripod", 8)])
def test_every_corner_of_the_limits_is_reached_or_refused(name: str, reached: int) -> None:
    sim = start(name, np.eye(4))
    robot, model = sim.robots[0], AssemblyModel(load_assembly(name))
    begin = sim.capture()
    count = 0
    for goal in corners(robot):
        sim.restore(begin)
        closes = bool(np.isfinite(model.fk(goal)).all())
        moved = sent(sim, robot, model, goal)
        assert closes or not moved
        count += moved
    assert count == reached


@pytest.mark.parametrize("name", ["stewart", "tripod"])
@pytest.mark.parametrize(
    ("count", "seed"), [(40, 1), pytest.param(1000, 2, marks=pytest.mark.soak)]
)
def test_random_lengths_are_reached_or_refused(name: str, count: int, seed: int) -> None:
    sim = start(name, np.eye(4))
    robot, model = sim.robots[0], AssemblyModel(load_assembly(name))
    rng = np.random.default_rng(seed)
    low, high = robot.limits.T
    moved = 0
    for k in range(count):
        goal = rng.uniform(low, high)
        at_limit = rng.random(robot.dof) < (k % 3) / 2  # none, half and all of them
        goal = np.where(at_limit, np.where(rng.random(robot.dof) < 0.5, low, high), goal)
        moved += sent(sim, robot, model, goal)
    assert moved > count // 3


def test_a_refusal_says_which_leg_where_and_by_how_much() -> None:
    sim = start("stewart", np.eye(4))
    robot = sim.robots[0]
    goal = np.where([1, 1, 0, 0, 1, 0], robot.limits[:, 1], robot.limits[:, 0])
    with pytest.raises(
        MotionError,
        match=r"robot 0 'stewart', at 0\.\d+ s of 0\.654 s: platform 'plate'.* 'leg\d' would be "
        r"too (short|long) by 0\.0\d+ m; nothing has moved",
    ):
        robot.set_goal(slice(None), goal)
    assert not robot.moving
    near = np.where([0, 0, 0, 1, 0, 1], robot.limits[:, 1], robot.limits[:, 0])
    with pytest.raises(MotionError, match=r"margin 0\.0\d+, at least 0\.050 is needed"):
        robot.set_goal(slice(None), near)


def test_a_table_that_leads_through_an_open_chain_is_refused() -> None:
    sim = start("stewart", np.eye(4))
    robot = sim.robots[0]
    goal = np.where([1, 1, 0, 0, 1, 0], robot.limits[:, 1], robot.limits[:, 0])
    there = robot.q + np.linspace(0.0, 1.0, 1000)[1:, None] * (goal - robot.q)
    table = np.vstack([there, there[::-1]])  # the end is where it stands
    with pytest.raises(MotionError, match=r"at 1\.[0-9]+ s of 3\.996 s.*can be had, but not"):
        robot.follow(table)
    assert not robot.moving
    robot.follow(np.vstack([there[:300], there[299::-1]]))
    assert robot.moving


def test_legs_that_are_sent_one_by_one_are_looked_at_together() -> None:
    sim = start("stewart", np.eye(4))
    robot, model = sim.robots[0], AssemblyModel(load_assembly("stewart"))
    goal = robot.limits[:, 1]  # all long: closes; one long alone does not
    for k in (0, 1, 2):
        robot.set_goal(k, goal[k])
        assert robot.moving
    for k in (3, 4, 5):
        robot.set_goal(k, goal[k])
    while robot.moving:
        sim.step()
    assert robot.refused == ""
    sim.run(0.05)
    np.testing.assert_allclose(robot.pose, model.fk(goal), atol=1e-6)
    before = robot.q
    for k in (1, 3, 5):
        robot.set_goal(k, robot.limits[k, 0])
    sim.step()
    assert not robot.moving
    assert "nothing has moved" in robot.refused
    np.testing.assert_allclose(robot.q, before, atol=1e-12)
    robot.set_goal(slice(None), robot.limits.mean(axis=1))
    assert robot.refused == ""


def test_a_check_of_a_second_of_motion_is_quick() -> None:
    robot = start("stewart").robots[0]
    chains = robot.chains
    assert chains is not None
    way = np.linspace(0.0, 1.0, 500)[:, None]
    rows = robot.q + way * (robot.limits @ (0.2, 0.8) - robot.q)
    assert chains.problem(robot.setpoints, rows, 0.002) is None
    times = []
    for _ in range(10):
        begin = time.perf_counter()
        chains.problem(robot.setpoints, rows, 0.002)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.02


def torn(sim: Simulation, robot: RobotBody) -> None:
    """Lead a platform past every check to where its legs cannot be."""
    ends = np.where([0, 0, 1, 0, 0, 1], robot.limits[:, 1], robot.limits[:, 0])
    robot.drive.motors[robot.rows, GOAL] = ends
    for _ in range(600):
        sim.step()


def test_chains_that_break_stop_their_robot_alone() -> None:
    placements = [RobotPlacement(load(name), None, np.eye(4)) for name in ("stewart", "tripod")]
    alone = Simulation(Scene(), placements[1:])
    sim = Simulation(Scene(), placements)
    begin = sim.capture()
    stewart, tripod = sim.robots
    for robot in (tripod, alone.robots[0]):
        robot.set_goal(slice(None), [0.6, 0.4, 0.5])
    alone.run(1.2)
    torn(sim, stewart)
    assert sim.time == pytest.approx(1.2)
    assert "'stewart' has failed at 0." in stewart.failed
    assert stewart.jammed
    assert not stewart.moving
    assert stewart.gap() < 1e-3
    assert np.isfinite(sim.data.qpos).all()
    np.testing.assert_allclose(tripod.q, alone.robots[0].q, atol=1e-9)
    np.testing.assert_allclose(tripod.pose, alone.robots[0].pose, atol=1e-6)
    place = stewart.pose
    tripod.set_goal(slice(None), [0.4, 0.4, 0.4])
    sim.run(1.5)
    np.testing.assert_allclose(tripod.q, 0.4, atol=1e-9)
    np.testing.assert_allclose(stewart.pose, place, atol=1e-5)
    with pytest.raises(MotionError, match="robot 0: 'stewart' has failed at 0"):
        stewart.set_goal(slice(None), stewart.q)
    broken = sim.capture()
    sim.restore(begin)
    assert stewart.failed == ""
    stewart.set_goal(slice(None), stewart.limits[:, 1])
    sim.run(1.0)
    np.testing.assert_allclose(stewart.q, stewart.limits[:, 1], atol=1e-9)
    sim.restore(broken)
    assert stewart.failed
    sim.run(0.1)
    np.testing.assert_allclose(stewart.pose, place, atol=1e-5)


@pytest.mark.parametrize(("shift", "breaks"), [(0.02, True), (1e-4, False)])
def test_chains_pulled_apart_fail_though_all_numbers_are_good(shift: float, breaks: bool) -> None:
    """The solver would close such a gap again within some steps, as if nothing had been."""
    placements = [RobotPlacement(load(name), None, np.eye(4)) for name in ("stewart", "tripod")]
    sim = Simulation(Scene(), placements)
    stewart, tripod = sim.robots
    tripod.set_goal(slice(None), [0.6, 0.4, 0.5])
    sim.run(0.1)
    sim.data.qpos[stewart.place(2)[0]] += shift
    sim.step()
    assert ("its closed chains came apart by 0.02 m" in stewart.failed) is breaks
    sim.run(1.9)
    assert bool(stewart.failed) is breaks
    assert stewart.gap() < 1e-6
    assert tripod.failed == ""
    np.testing.assert_allclose(tripod.q, [0.6, 0.4, 0.5], atol=1e-9)


def test_numbers_that_are_none_stop_the_robot_they_come_from_alone() -> None:
    scene = Scene(things=(ball(1.0, 1.0, 0.5),))
    placements = [RobotPlacement(load(name), None, np.eye(4)) for name in ("tripod", "stewart")]
    sim = Simulation(scene, placements)
    tripod, stewart = sim.robots
    tripod.set_goal(slice(None), [0.6, 0.4, 0.5])
    sim.run(0.1)
    sim.data.qvel[stewart.place(2)[1]] = 1e11
    sim.run(1.9)
    assert "no number below 1e10" in stewart.failed
    assert tripod.failed == ""
    np.testing.assert_allclose(tripod.q, [0.6, 0.4, 0.5], atol=1e-9)
    assert sim.positions[0, 2] == pytest.approx(0.02, abs=1e-3)
    sim.data.qvel[0] = np.nan  # of the ball: nobody's robot
    with pytest.raises(PhysicsError, match="ball"):
        sim.run(0.1)


def test_a_platform_that_is_halted_stays_whole() -> None:
    sim = start("stewart", np.eye(4))
    robot, model = sim.robots[0], AssemblyModel(load_assembly("stewart"))
    rng = np.random.default_rng(4)
    for _ in range(12):
        try:
            robot.set_goal(slice(None), rng.uniform(*robot.limits.T))
        except MotionError:
            continue
        sim.run(rng.uniform(0.0, 0.4))
        robot.halt()
        worst = 0.0
        while robot.moving:
            sim.step()
            worst = max(worst, robot.gap())
        assert worst < MOST_GAP
        sim.run(0.05)
        np.testing.assert_allclose(robot.pose, model.fk(robot.q), atol=MOST_GAP)


def test_a_chain_that_cannot_close_is_refused_at_the_start() -> None:
    def leg(number: int, angle: float) -> Connection:
        motor = LinearMotor(f"leg{number}", limits=(0.1, 0.8))
        links = chain(Passive(f"foot{number}"), motor, TerminationPoint(f"end{number}"))
        return at(links.part, 0.3 * np.cos(angle), 0.3 * np.sin(angle), b=np.pi / 2)

    body = Body(tails=[leg(k, 2 * np.pi * k / 3) for k in range(3)])
    arm = Assembly("short_legs", body, (Union("apex", ("end0", "end1", "end2")),), tip="end0")
    Simulation(Scene(), [RobotPlacement(arm, None, np.eye(4), np.full(3, 0.5))])
    with pytest.raises(UnsupportedError, match=r"'short_legs' cannot stand at \[0.2, 0"):
        Simulation(Scene(), [RobotPlacement(arm, None, np.eye(4), np.full(3, 0.2))])
