"""Arms with coupled joints in a world: they follow, press, keep their energy and their rods."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.drives import CascadeController
from armwerk.physics.mechanism import tooled
from armwerk.physics.settings import DriveKind
from armwerk.robot import load_arm, load_assembly
from armwerk.scene.scene import Rectangle, Scene, Step

COUPLED = ["irb2400", "irb660", "coupled_puma"]
HIGH = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5], [0, 0, 0, 1]])  # nothing in reach


def inside(arm: aw.Arm, count: int, seed: int) -> Array:
    """Return axis values well within all limits."""
    low, high = np.clip(arm.limits, -np.pi, np.pi).T
    rows = np.random.default_rng(seed).uniform(0.9 * low, 0.9 * high, (50 * count, arm.dof))
    return np.asarray(rows[arm.keeps_limits(rows, -0.05)][:count])


def settings(drives: DriveKind = "limited", dt: float = 0.002) -> SimulationSettings:
    return SimulationSettings(dt=dt, drives=drives)


@pytest.mark.parametrize("drives", ["limited", "stiff"])
@pytest.mark.parametrize("gripper", [None, "parallel_gripper"])
@pytest.mark.parametrize("name", COUPLED)
def test_an_arm_follows_its_axes_at_full_speed(
    name: str, gripper: str | None, drives: DriveKind
) -> None:
    arm, hand = load_arm(name), None if gripper is None else load_assembly(gripper)
    start, goal = inside(arm, 2, seed=2)
    placement = RobotPlacement(arm, hand, HIGH, start)
    sim = Simulation(Scene(), [placement], settings(drives))
    robot, model = sim.robots[0], aw.model(tooled(arm, hand))
    np.testing.assert_allclose(robot.q, start, atol=1e-12)
    _, rows, _, _ = aw.ptp(model, start, goal, sync="full").sampled(0.002)
    robot.follow(rows[1:])
    worst = 0.0
    for row in rows[1:]:
        sim.step()
        worst = max(worst, float(np.linalg.norm((robot.pose - HIGH @ model.fk(row))[:3, 3])))
    assert worst < 1e-4
    assert (np.abs(robot.forces) <= robot.max_forces).all()
    np.testing.assert_allclose(robot.q, goal, atol=1e-4)


@pytest.mark.parametrize("name", COUPLED)
def test_mass_and_weight_in_the_world_are_those_of_the_model(name: str) -> None:
    arm = load_arm(name)
    sim = Simulation(Scene(), [RobotPlacement(arm, None, HIGH)], settings())
    model, C = aw.model(arm), arm.coupling_matrix
    rng = np.random.default_rng(3)
    for q in inside(arm, 4, seed=4):
        qd, qdd = rng.normal(size=(2, arm.dof))
        sim.data.qpos[: len(C)], sim.data.qvel[: len(C)] = C @ q, C @ qd
        mujoco.mj_forward(sim.model, sim.data)
        full = np.zeros((sim.model.nv, sim.model.nv))
        mujoco.mj_fullM(sim.model, sim.data, full)
        tau = C.T @ (full @ (C @ qdd) + sim.data.qfrc_bias)
        expected = model.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(tau, expected, atol=0.05, rtol=2e-3)
        np.testing.assert_allclose(sim.robots[0].q, q, atol=1e-12)
        np.testing.assert_allclose(sim.robots[0].qd, qd, atol=1e-12)


class _NoForce:
    """Motors that give nothing."""

    def forces(self, feedback: aw.physics.drives.JointFeedback) -> Array:
        return np.zeros_like(feedback.q)

    def reset(self) -> None:
        pass


@pytest.mark.parametrize("name", ["irb2400", "irb660"])
def test_an_arm_without_forces_falls_as_its_model_and_keeps_its_energy(name: str) -> None:
    arm = load_arm(name)
    start = inside(arm, 1, seed=8)[0]
    dt = 0.0005
    placement = RobotPlacement(arm, None, HIGH, start, controller=_NoForce())
    sim = Simulation(Scene(), [placement], settings(dt=dt))
    robot, model = sim.robots[0], aw.model(arm)
    q, qd = start.copy(), np.zeros(arm.dof)
    before = sum(float(one) for one in model.energy(q, qd))
    for _ in range(200):
        sim.step()
        k1 = model.forward_dynamics(q, qd, np.zeros(arm.dof))
        half = qd + 0.5 * dt * k1
        k2 = model.forward_dynamics(q + 0.5 * dt * qd, half, np.zeros(arm.dof))
        q, qd = q + dt * half, qd + dt * k2
    np.testing.assert_allclose(robot.q, q, atol=2e-3)
    after = sum(float(one) for one in model.energy(robot.q, robot.qd))
    moved = float(model.energy(robot.q, robot.qd)[0])
    assert moved > 0.1
    assert abs(after - before) < 0.02 * moved
    angles = sim.data.qpos[: arm.free_chain.dof]
    np.testing.assert_allclose(angles, arm.angles(robot.q), atol=1e-6)  # the rods hold


def test_an_arm_presses_with_what_its_drives_give_and_its_rods_hold() -> None:
    arm = load_arm("irb660")
    start = np.array([0.0, 0.2, 0.4, 0.0])
    model = aw.model(arm)
    height = float(model.fk(start)[2, 3])
    table = Step(Rectangle((1.9, 0.0), (1.5, 1.0)), height - 0.05, "808080")
    sim = Simulation(Scene(obstacles=(table,)), [RobotPlacement(arm, None, np.eye(4), start)])
    robot = sim.robots[0]
    robot.set_goal(slice(0, 4), start + np.array([0.0, 0.1, 0.3, 0.0]))
    most, level = 0.0, 0.0
    for _ in range(1500):
        sim.step()
        share = np.abs(robot.forces[:4]) / robot.max_forces[:4]
        most = max(most, float(share.max()))
        level = max(level, abs(float(robot.pose[2, 2]) + 1.0))
        assert (share <= 1.0 + 1e-12).all()
    assert most == pytest.approx(1.0)
    assert robot.blocked
    assert robot.pose[2, 3] > height - 0.06
    assert level < 1e-6  # 1 - cos of the flange's lean


def test_a_cascade_drives_coupled_axes() -> None:
    arm = load_arm("irb2400")
    start, goal = inside(arm, 2, seed=5)
    goal = start + 0.1 * (goal - start)
    placement = RobotPlacement(arm, None, HIGH, start, controller=CascadeController())
    sim = Simulation(Scene(), [placement], settings())
    robot = sim.robots[0]
    robot.set_goal(slice(0, 6), goal)
    sim.run(3.0)
    np.testing.assert_allclose(robot.q, goal, atol=2e-3)


def test_beyond_the_limits_of_a_coupled_joint_nothing_is_sent() -> None:
    arm = load_arm("irb2400")
    sim = Simulation(Scene(), [RobotPlacement(arm, None, HIGH)], settings())
    robot = sim.robots[0]
    wrong = np.array([0.0, -1.0, 1.0, 0.0, 0.0, 0.0])
    with pytest.raises(DescriptionError, match=r"axis_3.*-1\.04.* to 1\.22.* rad"):
        robot.set_goal(slice(0, 6), wrong)
    with pytest.raises(DescriptionError, match="axis_3"):
        robot.follow(np.linspace(0.0, 1.0, 2000)[:, None] * wrong)
    with pytest.raises(DescriptionError, match="axis_3"):
        Simulation(Scene(), [RobotPlacement(arm, None, HIGH, wrong)], settings())
    assert not robot.moving
