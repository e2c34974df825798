"""Closed chains in the world: tied points stay together at full speed, hands stand right."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import UnsupportedError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.physics import RobotPlacement, Simulation
from armwerk.physics.mechanism import tooled
from armwerk.robot import Assembly, library, load, load_assembly
from armwerk.robot.parts import (
    Body,
    Connection,
    LinearMotor,
    Passive,
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
        if not np.isfinite(model.fk(goal)).all():
            continue
        robot.set_goal(slice(None), goal)
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


def test_an_arm_sent_where_its_chains_cannot_close_jams_and_goes_on() -> None:
    sim = Simulation(
        Scene(), [RobotPlacement(load(n), None, np.eye(4)) for n in ("stewart", "tripod")]
    )
    stewart, other = sim.robots
    limits = stewart.limits
    goal = np.where([1, 1, 0, 0, 1, 0], limits[:, 1], limits[:, 0])
    assert not np.isfinite(AssemblyModel(load("stewart")).fk(goal)).all()
    stewart.set_goal(slice(None), goal)
    other.set_goal(slice(None), [0.6, 0.4, 0.5])
    for _ in range(2000):
        sim.step()
        assert stewart.gap() < 0.02
    assert stewart.jammed
    assert not stewart.moving
    assert not other.jammed
    assert other.gap() < 1e-6
    stewart.set_goal(slice(None), limits.mean(axis=1))
    sim.run(2.0)
    assert not stewart.jammed
    np.testing.assert_allclose(stewart.q, limits.mean(axis=1), atol=1e-9)
    assert stewart.gap() < 1e-6
    assert not any(warning.number for warning in sim.data.warning)


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
