"""Servo control on the world's drives: fed forward, adapting, watched, every part replaceable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.control.servo import (
    AxisInterpolation,
    CurrentLoop,
    HandLoad,
    LoadEstimator,
    ModelFeedForward,
    NearestInverse,
    NoFeedForward,
    PositionLoop,
    ServoController,
    SetPointGenerator,
    SplineInterpolation,
    StraightInterpolation,
    Supervisor,
    ToolInterpolation,
    VelocityLoop,
    load_forces,
)
from armwerk.errors import DescriptionError, MotionError, UnsupportedError
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Limits
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.drives import JointController
from armwerk.robot import Arm, Link, load
from armwerk.scene import Scene

HIGH = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5], [0, 0, 0, 1]])
HOME = np.zeros(6)
GOALS = np.deg2rad([[80, -40, 30, 45, 60, -90], [-80, 100, -100, -45, -60, 90], [0] * 6])
DT = 0.002


def puma() -> Arm:
    arm = load("puma560")
    assert isinstance(arm, Arm)
    return arm


def model_of(arm: Arm) -> SerialModel:
    model = aw.model(arm, ik="numeric")
    assert isinstance(model, SerialModel)
    return model


def carrying(arm: Arm, mass: float, centre: tuple[float, float, float]) -> Arm:
    """Return an arm whose last link has a ball of 3 cm radius of gyration built into it."""
    last = arm.joints[-1]
    own, at = last.link, np.array(centre)
    whole = float(own.mass) + mass
    first = np.array([float(c) for c in own.com])
    com = (first * float(own.mass) + mass * at) / whole

    def moved(m: float, d: Array) -> Array:
        return np.asarray(m * (d @ d * np.eye(3) - np.outer(d, d)))

    matrix = own.inertia_matrix() + moved(float(own.mass), first - com) + moved(mass, at - com)
    matrix = matrix + mass * 0.03**2 * np.eye(3)
    xx, yy, zz, xy, xz, yz = matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    link = Link(whole, (com[0], com[1], com[2]), (xx, yy, zz, xy, xz, yz))
    return replace(arm, joints=(*arm.joints[:-1], replace(last, link=link)))


def mounted(controller: JointController, arm: Arm | None = None) -> Simulation:
    placement = RobotPlacement(arm or puma(), None, HIGH, q=HOME, controller=controller)
    return Simulation(Scene(), [placement], SimulationSettings(dt=DT))


def peaks(controller: JointController, arm: Arm | None = None, rounds: int = 1) -> Array:
    """Return the peak tracking error of every motion at full speed [rad]."""
    sim = mounted(controller, arm)
    robot, model = sim.robots[0], model_of(puma())
    sim.run(1.0)
    worst = []
    for goal in np.vstack([GOALS] * rounds):
        rows = aw.ptp(model, robot.setpoints, goal).sampled(DT)[1][1:]
        robot.follow(rows)
        peak = 0.0
        for row in rows:
            sim.step()
            peak = max(peak, float(np.abs(robot.q - row).max()))
        worst.append(peak)
        sim.run(0.3)
    assert not robot.blocked
    np.testing.assert_allclose(robot.q, HOME, atol=1e-3)
    return np.array(worst)


def test_feed_forward_cuts_the_error_of_the_puma_at_full_speed_to_a_hundredth() -> None:
    model = model_of(puma())
    without = peaks(ServoController.of(model, feed_forward=False))
    speeds = peaks(ServoController(ServoController.of(model).velocity, PositionLoop()))
    whole = peaks(ServoController.of(model))
    assert without.min() > 0.03
    assert whole.max() < 0.01 * without.min()
    # the model's share of it: the same loops, speeds fed forward as well
    assert whole.max() < 0.15 * speeds.min()


def test_the_arm_reaches_full_speed_in_that_comparison() -> None:
    for goal in GOALS[:2]:
        motion = aw.ptp(puma(), HOME, goal)
        assert (motion.summary().fractions[:, 0]).max() > 0.99


def test_an_unknown_load_is_found_and_adapted_to() -> None:
    model, arm = model_of(puma()), carrying(puma(), 2.5, (0.02, 0.0, 0.08))
    alone = peaks(ServoController.of(model))
    stubborn = peaks(ServoController.of(model), arm)
    servo = ServoController.of(model, adapt=True)
    adapted = peaks(servo, arm, rounds=2)[3:]
    assert servo.load.mass == pytest.approx(2.5, rel=0.02)
    np.testing.assert_allclose(servo.load.com, (0.02, 0.0, 0.08), atol=2e-3)
    assert stubborn.max() > 2.0 * alone.max()
    assert adapted.max() < 1.1 * alone.max()
    assert servo.estimator is not None
    assert servo.estimator.uncertainty < 0.1


def test_no_load_is_not_mistaken_for_one() -> None:
    servo = ServoController.of(model_of(puma()), adapt=True)
    peaks(servo)
    assert servo.load.mass < 0.05


def test_forces_of_a_load_are_those_of_an_arm_that_has_it_built_in() -> None:
    arm = puma()
    model, whole = model_of(arm), model_of(carrying(arm, 3.0, (0.05, -0.02, 0.1)))
    c = np.array([0.05, -0.02, 0.1])
    matrix = 3.0 * ((c @ c) * np.eye(3) - np.outer(c, c) + 0.03**2 * np.eye(3))
    inertia = matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    numbers = HandLoad(3.0, c, inertia).numbers()
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, qd, qdd = rng.normal(size=(3, 6))
        expected = whole.inverse_dynamics(q, qd, qdd) - model.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(load_forces(model, q, qd, qdd) @ numbers, expected, atol=1e-6)


def test_the_current_loop_lags_and_keeps_its_limit() -> None:
    loop = CurrentLoop(time_constant=0.001, torque_constant=2.0, max_current=5.0)
    full = np.array([100.0])
    first = loop.forces(np.array([8.0]), full, 0.001)
    assert loop.currents[0] == pytest.approx(4.0 * (1.0 - np.exp(-1.0)))
    assert 0.0 < first[0] < 2.0 * loop.currents[0]
    for _ in range(50):
        given = loop.forces(np.array([80.0]), full, 0.001)
    assert given[0] == pytest.approx(10.0)
    assert loop.forces(np.array([80.0]), np.array([3.0]), 1.0)[0] == pytest.approx(3.0, rel=0.01)


def test_a_weak_amplifier_cannot_hold_the_arm_and_a_strong_one_can() -> None:
    model = model_of(puma())
    for current, holds in ((2.0, False), (200.0, True)):
        servo = ServoController.of(model)
        servo.current = CurrentLoop(max_current=current)
        sim = mounted(servo)
        sim.run(0.3)
        assert (np.abs(sim.robots[0].q).max() < 1e-3) == holds


class Stubborn:
    """A part of a user: feeds nothing forward, and counts how often it is asked."""

    asked = 0

    def forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        self.asked += 1
        return np.zeros(len(q))


def test_a_user_puts_in_parts_of_his_own() -> None:
    model, own = model_of(puma()), Stubborn()
    servo = ServoController(VelocityLoop(np.ones(6)), feed_forward=own)
    mounted(servo).run(0.1)
    assert own.asked == 50
    with pytest.raises(UnsupportedError, match="ModelFeedForward"):
        ServoController(VelocityLoop(np.ones(6)), feed_forward=own, estimator=LoadEstimator(model))


def test_a_line_of_the_tool_passes_interpolation_inverse_and_fine_interpolation() -> None:
    model = aw.model("puma560")
    start = np.deg2rad([0, 30, -60, 10, 40, 0])
    T = model.fk(start)
    T[:3, 3] += (-0.1, 0.15, -0.05)
    motion = aw.Path(speed=0.5).lin(T).plan(model, start)
    rows = SetPointGenerator.of(model).set_points(motion, DT, start).positions
    times = np.minimum(np.arange(1, len(rows) + 1) * DT, motion.duration)
    np.testing.assert_allclose(rows, motion.sample(times)[0], atol=2e-6)
    assert np.allclose(rows[-1], motion.sample(motion.duration)[0], atol=1e-9)
    rough = SetPointGenerator(
        ToolInterpolation(0.05), NearestInverse(model), StraightInterpolation()
    ).set_points(motion, DT, start)
    away = np.abs(rough.positions - motion.sample(times)[0]).max()
    assert 1e-5 < away < 1e-2
    joints = SetPointGenerator(AxisInterpolation()).set_points(motion, DT, start).positions
    np.testing.assert_allclose(joints, rows, atol=2e-6)


def test_a_motion_that_cannot_be_turned_into_set_points_says_why() -> None:
    model = aw.model("puma560")
    motion = aw.ptp(model, HOME, GOALS[0])
    with pytest.raises(UnsupportedError, match="inverse stage"):
        SetPointGenerator(ToolInterpolation()).set_points(motion, DT, HOME)
    far = np.eye(4)
    far[0, 3] = 5.0
    with pytest.raises(MotionError, match=r"5\.0000.*out of reach"):
        NearestInverse(model).joints(far[None], HOME)
    with pytest.raises(DescriptionError, match=r"cycle.*s"):
        ToolInterpolation(0.0)


def test_the_fine_interpolation_starts_and_ends_at_rest() -> None:
    times, joints = np.array([0.0, 0.1, 0.2]), np.array([[0.0], [0.5], [1.0]])
    fine = SplineInterpolation().fill(times, joints, 0.001)
    assert fine[0, 0] < 1e-3
    assert fine[-1, 0] - fine[-2, 0] < 1e-3
    assert SplineInterpolation().fill(times, joints, 0.3).tolist() == [[1.0]]


def watched(model: SerialModel) -> tuple[ServoController, Simulation]:
    servo = ServoController.of(model, supervisor=Supervisor.of(Limits.of(puma())))
    sim = mounted(servo)
    sim.run(0.5)
    return servo, sim


def test_monitors_have_nothing_to_say_of_a_good_motion() -> None:
    servo = ServoController.of(model_of(puma()), supervisor=Supervisor.of(Limits.of(puma())))
    peaks(servo)
    assert servo.alarm is None


def test_a_source_that_moves_though_told_to_rest_is_stopped_and_held() -> None:
    servo, sim = watched(model_of(puma()))
    robot = sim.robots[0]
    assert servo.supervisor is not None
    servo.supervisor.expect("rest")
    robot.set_goal(0, 1.0)
    sim.run(1.0)
    assert servo.alarm is not None
    assert str(servo.alarm).startswith("standstill: axis 'waist' at ")
    assert "rad (allowed: 0.0001 rad)" in str(servo.alarm)
    assert abs(robot.q[0]) < 0.01
    assert np.abs(robot.qd).max() < 1e-3
    servo.acknowledge()
    sim.run(2.0)
    assert servo.alarm is None
    assert robot.q[0] == pytest.approx(1.0, abs=1e-4)


def test_a_source_that_does_not_brake_is_stopped() -> None:
    servo, sim = watched(model_of(puma()))
    robot = sim.robots[0]
    robot.set_goal(0, 2.0)
    sim.run(0.5)
    assert servo.supervisor is not None
    servo.supervisor.expect("brake")
    sim.run(0.5)
    assert servo.alarm is not None
    assert servo.alarm.monitor == "brake ramp"
    assert abs(robot.qd[0]) < 1e-3
    servo.acknowledge()
    robot.halt()
    servo.supervisor.expect("brake")
    sim.run(0.5)
    assert servo.alarm is None


def test_speed_and_range_are_told_with_axis_value_and_limit() -> None:
    limits = Limits.of(puma())
    zero = np.zeros(6)
    for axis, side in ((0, 1.0), (2, -1.0)):
        fast = np.eye(6)[axis] * side * limits.velocity[axis] * 1.01
        alarm = Supervisor.of(limits).look(0.0, DT, zero, fast)
        assert alarm is not None
        assert (alarm.monitor, alarm.axis) == ("speed", limits.names[axis])
        end = limits.highest if side > 0 else limits.lowest
        at_end = np.eye(6)[axis] * end[axis]
        assert Supervisor.of(limits).look(0.0, DT, at_end, zero) is None
        alarm = Supervisor.of(limits).look(0.0, DT, at_end * (1 + 1e-4), zero)
        assert alarm is not None
        assert alarm.monitor == "joint range"
        assert alarm.value == pytest.approx(end[axis] * (1 + 1e-4))
        # still inside, too fast to stop before the end
        near = np.eye(6)[axis] * (end[axis] - side * 0.01)
        alarm = Supervisor.of(limits).look(0.0, DT, near, fast / 1.02)
        assert alarm is not None
        assert alarm.monitor == "joint range"


def test_bad_gains_are_refused_with_their_units() -> None:
    with pytest.raises(DescriptionError, match=r"position loop.*1/s"):
        PositionLoop(gain=-1.0)
    with pytest.raises(DescriptionError, match=r"velocity loop.*1/s²"):
        VelocityLoop(np.ones(6), integral=np.nan)
    with pytest.raises(DescriptionError, match=r"N m/A"):
        CurrentLoop(torque_constant=0.0)
    with pytest.raises(UnsupportedError, match="serial arm"):
        ServoController.of(aw.model("stewart"))


def test_reset_forgets_the_load() -> None:
    model = model_of(puma())
    servo = ServoController.of(model, adapt=True)
    assert isinstance(servo.feed_forward, ModelFeedForward)
    servo.feed_forward.load = HandLoad(3.0)
    servo.reset()
    assert servo.load.mass == 0.0
    assert NoFeedForward().forces(HOME, HOME, HOME).tolist() == [0.0] * 6
