"""The rules of motor modules: the same for drives of a world and for modules on a CAN bus."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from typing import Literal, cast

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.errors import ArmwerkError, DescriptionError, MotionError, UnknownNameError
from armwerk.motors import (
    CanPort,
    ModuleSimulator,
    ModuleStatus,
    MotorModules,
    WorldPort,
    module_configs,
)
from armwerk.motors.interface import MotionKind
from armwerk.motors.module_simulator import END_OF_CYCLE, open_bus
from armwerk.physics import RobotPlacement, Simulation
from armwerk.robot import Arm, load, load_assembly
from armwerk.scene import Scene
from armwerk.scene.scene import Rectangle, Step

HIGH = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]])
_channels = itertools.count()


def world_port(scene: Scene | None = None, base: Array = HIGH) -> WorldPort:
    placement = RobotPlacement(load("puma560"), load_assembly("parallel_gripper"), base)
    sim = Simulation(scene or Scene(), [placement])
    robot = sim.robots[0]
    assert robot.grip is not None
    robot.grip.close()
    sim.run(1.0)
    return WorldPort(sim, robot)


@pytest.fixture(params=["world", "can"])
def motors(request: pytest.FixtureRequest) -> Iterator[MotorModules]:
    if cast(Literal["world", "can"], request.param) == "world":
        with MotorModules(world_port()) as modules:
            yield modules
        return
    arm = load("puma560")
    assert isinstance(arm, Arm)
    channel = f"rules{next(_channels)}"
    with ModuleSimulator.of(module_configs(arm), channel):
        port = CanPort(open_bus("virtual", channel), period=0.002, end_of_cycle=END_OF_CYCLE)
        with MotorModules(port) as modules:
            yield modules


def speeds(motors: MotorModules, module: int, seconds: float) -> list[float]:
    found = []
    for _ in range(round(seconds / motors.dt)):
        motors.cycle()
        found.append(motors.status(module).velocity)
    return found


def test_a_ramp_arrives_with_half_of_speed_and_acceleration(motors: MotorModules) -> None:
    config = motors.module_config(1)
    motors.exec_motion(1, "ramp", 1.5)
    found = np.array(speeds(motors, 1, 3.5))
    assert motors.status(1).position == pytest.approx(1.5, abs=2e-6)
    assert motors.status(1).state == "ready"
    assert found.max() == pytest.approx(0.5 * config.max_velocity, rel=1e-3)
    swing = np.abs(np.diff(found, prepend=0.0)).max() / motors.dt
    assert swing == pytest.approx(0.5 * config.max_acceleration, rel=0.01)
    assert not motors.moving


def test_speed_and_acceleration_can_be_set_up_to_the_limits(motors: MotorModules) -> None:
    config = motors.module_config(3)
    motors.set_target_velocity(3, config.max_velocity)
    motors.set_target_acceleration(3, config.max_acceleration)
    motors.exec_motion(3, "ramp", -2.0)
    assert -min(speeds(motors, 3, 1.0)) == pytest.approx(config.max_velocity, rel=1e-3)
    with pytest.raises(DescriptionError, match=r"module 3 'elbow', velocity.*rad/s"):
        motors.set_target_velocity(3, 1.01 * config.max_velocity)
    with pytest.raises(DescriptionError, match=r"acceleration.*rad/s²"):
        motors.set_target_acceleration(3, 0.0)


def test_a_step_is_there_in_its_time_and_one_too_quick_is_refused(motors: MotorModules) -> None:
    motors.exec_motion(2, "step", 0.3, time=1.0)
    motors.run(1.0)
    assert motors.status(2).position == pytest.approx(0.3, abs=2e-6)
    with pytest.raises(DescriptionError, match=r"module 2 'shoulder', step: .*rad/s²"):
        motors.exec_motion(2, "step", 0.7, time=0.7)
    with pytest.raises(DescriptionError, match=r"time.*s, above 0"):
        motors.exec_motion(2, "step", 0.3)
    assert motors.status(2).state == "ready"


def test_steps_in_a_row_follow_a_curve(motors: MotorModules) -> None:
    piece, worst = 0.02, 0.0
    for k in range(1, 76):
        s = k * piece / 1.5
        goal, rate = 0.5 * (1 - np.cos(np.pi * s)) / 2, 0.25 * np.pi / 1.5 * np.sin(np.pi * s)
        motors.exec_motion(1, "step", goal, piece, velocity=rate)
        motors.run(piece)
        worst = max(worst, abs(motors.status(1).position - goal))
    assert worst < 2e-5
    motors.run(0.1)
    assert motors.status(1).position == pytest.approx(0.5, abs=1e-5)


def test_a_step_that_nobody_follows_up_ends_in_a_brake(motors: MotorModules) -> None:
    motors.exec_motion(1, "step", 0.05, 0.2, velocity=0.4)
    assert motors.wait(3.0)
    assert 0.05 < motors.status(1).position < 0.2
    assert motors.status(1).state == "ready"


def test_a_halt_needs_a_reset(motors: MotorModules) -> None:
    motors.exec_motion(1, "ramp", 2.0)
    motors.run(0.6)
    speed = motors.status(1).velocity
    before = motors.status(1).position
    motors.halt()
    assert motors.wait(5.0)
    way = motors.status(1).position - before
    assert 0 < way < 1.1 * speed**2 / (2 * motors.module_config(1).max_acceleration) + 0.01
    assert {motors.status(one.number).state for one in motors.modules()} == {"halted"}
    with pytest.raises(MotionError, match=r"module 1 'waist'.*halted; reset\(\) comes first"):
        motors.exec_motion(1, "ramp", 0.0)
    motors.reset()
    motors.exec_motion(1, "ramp", 0.0)
    assert motors.wait(5.0)
    assert motors.status(1).position == pytest.approx(0.0, abs=2e-6)


def test_a_soft_stop_needs_none(motors: MotorModules) -> None:
    for kind, time in (("ramp", None), ("step", 2.0)):
        motors.exec_motion(1, cast(MotionKind, kind), 1.0 - motors.status(1).position, time)
        motors.run(0.5)
        motors.soft_stop(1)
        assert motors.wait(3.0)
        assert motors.status(1).state == "ready"
        assert 0.02 < motors.status(1).position < 0.98


def test_synchronous_motion_begins_together_and_switches_itself_off(motors: MotorModules) -> None:
    motors.set_sync_motion(True)
    for module, goal in ((1, 0.4), (2, 0.5), (4, -0.6)):
        motors.exec_motion(module, "ramp", goal)
        motors.run(0.05)
    assert all(abs(motors.status(one.number).velocity) < 1e-9 for one in motors.modules())
    motors.exec_sync_motion()
    assert not motors.sync_motion
    began: dict[int, int] = {}
    for k in range(200):
        motors.cycle()
        for module in (1, 2, 4):
            if abs(motors.status(module).velocity) > 1e-4:
                began.setdefault(module, k)
    assert len(set(began.values())) == 1
    with pytest.raises(MotionError, match="not on"):
        motors.exec_sync_motion()
    assert motors.wait(5.0)
    for module, goal in ((1, 0.4), (2, 0.5), (4, -0.6)):
        assert motors.status(module).position == pytest.approx(goal, abs=2e-6)


def test_one_that_cannot_go_keeps_all_of_a_synchronous_motion(motors: MotorModules) -> None:
    motors.set_sync_motion(True)
    motors.exec_motion(1, "ramp", 0.4)
    motors.exec_motion(2, "ramp", 0.4)
    motors.port.halt(1)  # behind the back of the rules
    with pytest.raises(MotionError, match="module 2"):
        motors.exec_sync_motion()
    motors.run(0.3)
    assert abs(motors.status(1).position) < 1e-9
    motors.port.reset(1)
    motors.exec_sync_motion()
    assert motors.wait(5.0)
    assert motors.status(2).position == pytest.approx(0.4, abs=2e-6)


def test_the_gripper_is_referenced_before_it_moves_and_nobody_else_is(motors: MotorModules) -> None:
    with pytest.raises(MotionError, match=r"'gripper'.*reference\(\) comes first"):
        motors.exec_motion(7, "ramp", 0.02)
    with pytest.raises(MotionError, match=r"'waist'.*unexpectedly"):
        motors.reference(1)
    motors.reference()
    motors.cycle()
    assert motors.status(7).state == "referencing"
    assert motors.wait(20.0)
    assert motors.status(7).referenced
    assert abs(motors.status(1).position) < 1e-9
    motors.exec_motion(7, "ramp", 0.02)
    assert motors.wait(5.0)
    assert motors.status(7).position == pytest.approx(0.02, abs=1e-5)


def test_a_reference_run_that_is_halted_leaves_the_gripper_unreferenced(
    motors: MotorModules,
) -> None:
    motors.reference()
    motors.run(0.2)
    motors.halt()
    motors.run(0.2)
    motors.reset()
    motors.run(0.2)
    assert not motors.status(7).referenced
    assert motors.status(7).state == "ready"


def test_callbacks_are_told_and_can_be_removed(
    motors: MotorModules, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[ModuleStatus] = []
    everybody: list[ModuleStatus] = []

    def broken(status: ModuleStatus) -> None:
        raise RuntimeError("no")

    motors.add_status_callback(heard.append, module=2)
    motors.add_status_callback(everybody.append)
    motors.add_status_callback(broken)
    with caplog.at_level(logging.CRITICAL):
        motors.exec_motion(1, "ramp", 0.05)
        motors.exec_motion(2, "ramp", 0.05)
        assert motors.wait(3.0)
        assert {one.module for one in heard} == {2}
        assert {one.module for one in everybody} >= {1, 2}
        assert heard[0].state == "moving"
        assert heard[-1].state == "ready"
        assert len(heard) > 5
        count = len(heard)
        motors.remove_status_callback(heard.append)
        motors.exec_motion(2, "ramp", 0.0)
        assert motors.wait(3.0)
        assert len(heard) == count
    with pytest.raises(UnknownNameError):
        motors.remove_status_callback(heard.append)


def test_what_is_wrong_is_refused_and_nothing_moves(motors: MotorModules) -> None:
    for call in (
        lambda: motors.exec_motion(1, "ramp", 9.0),
        lambda: motors.exec_motion(1, "ramp", float("nan")),
        lambda: motors.exec_motion(1, cast(MotionKind, "jump"), 0.0),
        lambda: motors.exec_motion(0, "ramp", 1.0),  # the gripper cannot
        lambda: motors.exec_motion(9, "ramp", 0.0),
        lambda: motors.exec_motion(1, "step", 0.1, 1.0, velocity=99.0),
        lambda: motors.status(0),
        lambda: MotorModules(motors.port, velocity_share=0.6),
        lambda: MotorModules(motors.port, update_interval=-1.0),
    ):
        with pytest.raises(ArmwerkError):
            call()
    motors.run(0.1)
    assert all(abs(motors.status(one.number).position) < 1e-9 for one in motors.modules()[:6])


def test_limits_themselves_can_be_reached(motors: MotorModules) -> None:
    low, high = motors.module_config(5).limits
    motors.set_target_velocity(5, motors.module_config(5).max_velocity)
    for goal in (low, high):
        motors.exec_motion(5, "ramp", goal)
        assert motors.wait(10.0)
        assert motors.status(5).position == pytest.approx(goal, abs=2e-6)


def test_an_arm_that_something_stands_in_the_way_of_is_in_fault_until_reset() -> None:
    wall = Step(Rectangle((0.3, 0.4), (1.4, 0.1)), 1.5, "808080")
    with MotorModules(world_port(Scene(obstacles=(wall,)), np.eye(4))) as motors:
        motors.exec_motion(1, "ramp", 2.0)
        assert motors.wait(6.0)
        status = motors.status(1)
        assert status.state == "fault"
        assert "waist" in status.error
        assert status.position < 1.9
        with pytest.raises(MotionError, match="fault"):
            motors.exec_motion(1, "ramp", 0.0)
        motors.reset()
        motors.exec_motion(1, "ramp", 0.0)
        assert motors.wait(6.0)
        assert motors.status(1).position == pytest.approx(0.0, abs=1e-5)


def test_forces_are_refused_in_a_world() -> None:
    with MotorModules(world_port()) as motors, pytest.raises(ArmwerkError, match="positions"):
        motors.exec_motion(1, "force", 5.0, 0.1)
