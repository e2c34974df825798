"""Drives with forces: exact when free, at their limits when blocked, never more."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.drives import CascadeController, JointController, JointFeedback
from armwerk.physics.mechanism import mechanism, tooled
from armwerk.robot import Arm, Joint, library, load, load_assembly
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import Cuboid, Rectangle, Scene, Step

SERIAL = [  # coupled joints have tests of their own
    name for name in library() if isinstance(arm := load(name), Arm) and not arm.is_coupled
]
HIGH = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5], [0, 0, 0, 1]])  # nothing in reach
WALL = Step(Rectangle((0.62, 0.0), (0.04, 2.0)), 2.0, "808080")


def alone(name: str, gripper: str | None = None, dt: float = 0.002) -> Simulation:
    hand = None if gripper is None else load_assembly(gripper)
    placement = RobotPlacement(load(name), hand, HIGH)
    return Simulation(Scene(), [placement], SimulationSettings(dt=dt))


def spread(sim: Simulation, seed: int) -> Array:
    robot = sim.robots[0]
    low, high = np.clip(robot.limits[: robot.dof], -np.pi, np.pi).T
    middle, half = (low + high) / 2, 0.45 * (high - low)
    return np.asarray(middle + half * np.random.default_rng(seed).uniform(-1, 1, robot.dof))


@pytest.mark.parametrize("name", SERIAL)
def test_the_members_weigh_what_the_description_says(name: str) -> None:
    arm = load(name)
    assert isinstance(arm, Arm)
    sim = Simulation(Scene(), [RobotPlacement(arm, None, HIGH)])
    robot, model = sim.robots[0], aw.model(arm, ik="numeric")
    rng = np.random.default_rng(3)
    for seed in range(4):
        q, qd, qdd = spread(sim, seed), *rng.normal(size=(2, robot.dof))
        for k in range(robot.dof):
            position, dof = robot.place(k)
            sim.data.qpos[position], sim.data.qvel[dof] = q[k], qd[k]
        mujoco_forward(sim)
        tau = full_mass(sim) @ qdd + sim.data.qfrc_bias
        expected = model.inverse_dynamics(q, qd, qdd)
        # members without mass have a gram
        np.testing.assert_allclose(tau, expected, atol=0.05, rtol=2e-3)


def mujoco_forward(sim: Simulation) -> None:
    import mujoco

    mujoco.mj_forward(sim.model, sim.data)


def full_mass(sim: Simulation) -> Array:
    import mujoco

    full = np.zeros((sim.model.nv, sim.model.nv))
    mujoco.mj_fullM(sim.model, sim.data, full)
    return full


@pytest.mark.parametrize("name", SERIAL)
@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_a_free_arm_is_where_its_model_says_at_full_speed(name: str, dt: float) -> None:
    sim = alone(name, "parallel_gripper", dt)
    robot = sim.robots[0]
    model = aw.model(tooled(load(name), load_assembly("parallel_gripper")), ik="numeric")
    motion = aw.ptp(model, robot.q, spread(sim, 1))
    _, rows, _, _ = motion.sampled(dt)
    robot.follow(rows[1:])
    worst = 0.0
    for row in rows[1:]:
        sim.step()
        worst = max(worst, float(np.linalg.norm((robot.pose - HIGH @ model.fk(row))[:3, 3])))
    assert worst < 1e-4
    sim.run(0.2)
    assert np.linalg.norm((robot.pose - HIGH @ model.fk(rows[-1]))[:3, 3]) < 1e-6
    assert not robot.blocked


# forces and accelerations of the panda are both the maker's; it cannot have all of them at once
@pytest.mark.parametrize("name", [name for name in SERIAL if name != "panda"])
@pytest.mark.parametrize("gripper", ["parallel_gripper", "two_finger_gripper"])
def test_every_arm_of_the_library_can_do_what_it_promises(name: str, gripper: str) -> None:
    sim = alone(name, gripper)
    robot, rng = sim.robots[0], np.random.default_rng(7)
    members = [robot.member(k) for k in range(robot.dof)]
    fastest = np.array([member.max_acceleration for member in members])
    dofs = [robot.place(k)[1] for k in range(robot.dof)]
    for seed in range(60):
        for k, value in enumerate(spread(sim, seed)):
            sim.data.qpos[robot.place(k)[0]] = value
        mujoco_forward(sim)
        push = full_mass(sim)[np.ix_(dofs, dofs)] @ (fastest * rng.choice([-1, 1], robot.dof))
        needed = np.abs(push + sim.data.qfrc_bias[dofs])
        lacking = needed > robot.max_forces[: robot.dof]
        assert not lacking.any(), (needed, robot.max_forces)


def test_an_arm_whose_named_forces_do_not_reach_says_so_and_arrives_all_the_same() -> None:
    sim = alone("panda", "parallel_gripper")
    (said,) = [text for text in sim.notices if "'panda' names" in text]
    assert "87 N m for joint_2" in said
    assert "may need" in said
    assert not any("may need" in text for text in alone("ur5e", "parallel_gripper").notices)
    robot = sim.robots[0]
    low, high = robot.limits[:7].T
    for share in (0.9, 0.1, 0.9):
        goal = low + share * (high - low)
        robot.set_goal(slice(0, 7), goal)
        while robot.moving and sim.time < 20.0:
            sim.step()
        sim.run(0.3)
        assert not robot.blocked
        np.testing.assert_allclose(robot.q, goal, atol=1e-6)


@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_a_blocked_arm_presses_with_what_its_motors_give(dt: float) -> None:
    arm = Arm.from_dh(
        [Joint("prismatic", alpha=0.0, limits=(0, 1.0), max_velocity=0.5, max_acceleration=2.0,
               max_force=150.0, link=aw.Link(mass=4.0))],
        name="ram",
    )  # fmt: skip
    base = np.array([[0, 0, 1.0, 0.2], [0, 1, 0, 0], [-1, 0, 0, 0.3], [0, 0, 0, 1]])
    cube = Cuboid((0.58, 0.0, 0.3), (0.04, 0.2, 0.2), "FF0000")
    sim = Simulation(
        Scene(obstacles=(WALL,), things=(cube,)),
        [RobotPlacement(arm, None, base)],
        SimulationSettings(dt=dt, gravity=0.0),
    )
    robot = sim.robots[0]
    robot.set_goal(0, 0.9)
    sim.run(1.0)
    while np.abs(robot.qd).max() > 1e-4:
        sim.step()
    assert robot.forces[0] == pytest.approx(150.0)
    assert robot.max_forces[0] == 150.0


class Nothing:
    """A controller that gives up."""

    def forces(self, feedback: JointFeedback) -> Array:
        return np.zeros(len(feedback.q))

    def reset(self) -> None:
        pass


def steered(controller: JointController | None) -> Simulation:
    placement = RobotPlacement(load("irb120"), None, HIGH, controller=controller)
    return Simulation(Scene(), [placement])


def test_without_forces_an_arm_falls() -> None:
    sim = steered(Nothing())
    sim.run(0.3)
    assert np.abs(sim.robots[0].q - sim.robots[0].setpoints).max() > 0.1


def test_a_cascade_takes_the_place_of_the_exact_controller_and_lags() -> None:
    sim, exact = steered(CascadeController()), steered(None)
    goal = np.array([0.5, 0.3, -0.2, 0.4, 0.3, 0.5])
    lag = []
    for one in (sim, exact):
        one.robots[0].set_goal(slice(0, 6), goal)
        worst = 0.0
        while one.robots[0].moving:
            one.step()
            robot = one.robots[0]
            worst = max(worst, float(np.abs(robot.q - robot.setpoints).max()))
        lag.append(worst)
    assert lag[0] > 1e-3
    assert lag[1] < 1e-9
    sim.run(2.0)
    np.testing.assert_allclose(sim.robots[0].q, goal, atol=1e-4)
    assert (np.abs(sim.robots[0].forces) <= sim.robots[0].max_forces).all()


def test_a_description_without_masses_and_forces_gets_sensible_ones_and_says_so() -> None:
    arm = Arm.from_dh([Joint("revolute", a=0.3), Joint("revolute", a=0.3)], name="bare")
    sim = Simulation(Scene(), [RobotPlacement(arm, None, HIGH)])
    said = "\n".join(sim.notices)
    assert "'bare' names no masses" in said
    assert "kg/m³" in said
    assert "names no forces for q1" in said
    assert np.isfinite(sim.robots[0].max_forces).all()
    assert sum(member.mass for member in mechanism(arm).members) > 0.1
    sim.robots[0].set_goal(slice(0, 2), [1.0, -1.0])
    sim.run(2.0)
    np.testing.assert_allclose(sim.robots[0].q, [1.0, -1.0], atol=1e-8)
    assert not alone("irb120").notices


def test_an_arm_of_parts_has_the_masses_of_its_parts() -> None:
    arm = load("simple_arm_gripper")
    assert isinstance(arm, Assembly)
    total = sum(part.mass for part in arm.parts)
    members = mechanism(arm).members
    assert 0.5 * total < sum(member.mass for member in members) <= total * (1 + 1e-9)
    assert all(member.mass == 0.0 for member in members if member.gripper)
