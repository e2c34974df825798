"""Modules on python-can's virtual bus: CiA 402 against canopen, and frames that go wrong."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager

import canopen
import numpy as np
import pytest
from canopen.profiles.p402 import BaseNode402

from armwerk.errors import DescriptionError, MotionError, UnsupportedError
from armwerk.motors import (
    CanPort,
    CycleClock,
    FrameFaults,
    ModuleConfig,
    ModuleSimulator,
    MotorModules,
    SimulatedModule,
    drive_profile as profile,
    module_configs,
)
from armwerk.motors.module_simulator import END_OF_CYCLE, open_bus
from armwerk.robot import Arm, load

_channels = itertools.count()
AXIS = ModuleConfig(1, "axis", "rad", (-3.0, 3.0), 2.0, 8.0, 50.0)


def puma_modules() -> tuple[ModuleConfig, ...]:
    arm = load("puma560")
    assert isinstance(arm, Arm)
    return module_configs(arm, gripper=False)


@contextmanager
def line(
    configs: tuple[ModuleConfig, ...] | None = None, faults: FrameFaults | None = None
) -> Iterator[tuple[MotorModules, ModuleSimulator]]:
    """Give six modules on a bus of their own, and who plays them."""
    channel = f"line{next(_channels)}"
    with ModuleSimulator.of(configs or puma_modules(), channel, faults) as simulator:
        port = CanPort(open_bus("virtual", channel), period=0.002, end_of_cycle=END_OF_CYCLE)
        with MotorModules(port) as motors:
            yield motors, simulator


def port_of(motors: MotorModules) -> CanPort:
    assert isinstance(motors.port, CanPort)
    return motors.port


def test_modules_are_found_and_described_by_themselves() -> None:
    with line() as (motors, simulator):
        assert [one.name for one in motors.modules()] == [one.name for one in puma_modules()]
        for found, built in zip(motors.modules(), puma_modules(), strict=True):
            assert found.unit == built.unit
            np.testing.assert_allclose(found.limits, built.limits, atol=1e-6)
            assert found.max_velocity == pytest.approx(built.max_velocity, abs=1e-6)
            assert found.max_force == pytest.approx(built.max_force, abs=1e-3)
        assert {module.state for module in simulator.modules} == {"operation enabled"}


def test_nobody_on_the_bus_is_told() -> None:
    with pytest.raises(DescriptionError, match="nobody answers"):
        CanPort(open_bus("virtual", f"line{next(_channels)}"))
    with pytest.raises(UnsupportedError, match="bus 'nothing'"):
        open_bus("nothing", "x")


def test_a_force_moves_for_its_time_and_the_module_brakes_then() -> None:
    with line() as (motors, simulator):
        motors.exec_motion(2, "force", 18.6, 0.1)
        motors.run(0.05)
        assert motors.status(2).state == "moving"
        assert motors.status(2).current == pytest.approx(18.6, rel=0.01)
        assert motors.status(2).velocity > 0.1
        assert motors.wait(3.0)
        assert simulator.modules[1].axis.velocity == 0.0
        assert motors.status(2).state == "ready"
        with pytest.raises(DescriptionError, match="N m"):
            motors.exec_motion(2, "force", 1e4, 0.1)


@pytest.mark.parametrize(
    ("lost", "late", "doubled"), [(0.03, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.3)]
)
def test_single_frames_that_go_wrong_do_no_harm(lost: float, late: float, doubled: float) -> None:
    faults = FrameFaults(lost, late, doubled, seed=3)
    with line(faults=faults) as (motors, simulator):
        goals = {1: 0.6, 2: 0.5, 4: -1.0}
        for module, goal in goals.items():
            motors.exec_motion(module, "ramp", goal)
        assert motors.wait(6.0)
        for module, goal in goals.items():
            motors.exec_motion(module, "step", goal + 0.3, 1.0)
        previous = [module.axis.position for module in simulator.modules]
        for _ in range(600):
            motors.cycle()
            now = [module.axis.position for module in simulator.modules]
            for before, after, config in zip(previous, now, motors.modules(), strict=True):
                # up to five set points in a row may be missing before somebody is silent
                assert abs(after - before) < 5 * config.max_velocity * motors.dt
            previous = now
        for module, goal in goals.items():
            assert motors.status(module).position == pytest.approx(goal + 0.3, abs=2e-6)
        assert {motors.status(one.number).state for one in motors.modules()} == {"ready"}
        counts = port_of(motors).counts
        assert (counts.lost > 0) == (lost + late > 0)
        assert (counts.late > 0) == (late > 0)
        # a frame does not say of which cycle it is: two late ones in a row look like a double
        assert (counts.doubled > 0.1 * counts.late) == (doubled > 0)
        faults.lost = faults.late = faults.doubled = 0.0


def test_nothing_is_counted_where_nothing_goes_wrong() -> None:
    with line() as (motors, _):
        motors.run(0.5)
        counts = port_of(motors).counts
        assert (counts.lost, counts.late, counts.doubled) == (0, 0, 0)
        assert counts.received == 12 * counts.cycles


def test_a_module_that_falls_silent_halts_the_others_until_it_is_back() -> None:
    with line() as (motors, simulator):
        for one in motors.modules():
            motors.exec_motion(one.number, "ramp", 0.7)
        motors.run(0.3)
        simulator.silence(3)
        motors.run(0.1)
        assert motors.status(3).state == "silent"
        assert "5 cycles" in motors.status(3).error
        motors.run(0.5)
        assert {motors.status(k).state for k in (1, 2, 4, 5, 6)} == {"halted"}
        assert all(module.axis.velocity == 0.0 for module in simulator.modules)
        with pytest.raises(MotionError, match=r"module 3 'elbow'.*silent"):
            motors.exec_motion(3, "ramp", 0.0)
        motors.reset(1)
        motors.run(0.1)
        assert motors.status(1).state == "ready"
        simulator.silence(3, silent=False)
        motors.reset()
        motors.run(0.1)
        assert {motors.status(one.number).state for one in motors.modules()} == {"ready"}
        motors.exec_motion(3, "ramp", 0.0)
        assert motors.wait(5.0)
        assert motors.status(3).position == pytest.approx(0.0, abs=2e-6)


def test_a_module_that_stays_silent_stays_so_after_a_reset() -> None:
    with line() as (motors, simulator):
        simulator.silence(2)
        motors.run(0.1)
        motors.reset(2)
        motors.run(0.05)
        assert motors.status(2).state == "silent"


def test_an_error_of_a_module_is_told_in_words_and_can_be_reset() -> None:
    with line() as (motors, simulator):
        motors.exec_motion(1, "ramp", 1.0)
        motors.run(0.3)
        simulator.trip(1, 0x4210)
        motors.run(0.5)
        status = motors.status(1)
        assert (status.state, status.error) == ("fault", "error 0x4210: too hot")
        assert status.velocity == 0.0
        motors.reset(1)
        motors.exec_motion(1, "ramp", 0.2)
        assert motors.wait(5.0)
        assert motors.status(1).position == pytest.approx(0.2, abs=2e-6)


def test_modules_stop_by_themselves_when_their_master_dies() -> None:
    with line() as (motors, simulator):
        for module, kind in ((1, "ramp"), (2, "step")):
            motors.exec_motion(module, "ramp" if kind == "ramp" else "step", 0.7, 2.0)
        motors.run(0.5)
        assert simulator.modules[0].axis.velocity > 0.1
        simulator.pass_time(1.0)  # nobody says SYNC
        assert all(module.axis.velocity == 0.0 for module in simulator.modules)
        assert simulator.modules[0].axis.position < 0.7
        assert simulator.modules[0].state == "fault"
        motors.run(0.1)
        assert "heartbeat" in motors.status(1).error
        motors.reset()
        motors.exec_motion(1, "ramp", 0.0)
        assert motors.wait(5.0)


def test_a_jump_of_the_set_point_is_a_following_error() -> None:
    with line() as (motors, simulator):
        motors.port.step(0, 2.0, motors.dt, None)
        motors.run(0.05)
        assert motors.status(1).error == "error 0x8611: following error"
        assert abs(simulator.modules[0].axis.position) < 0.01


def test_closing_stops_what_moves() -> None:
    with line() as (motors, simulator):
        motors.exec_motion(1, "ramp", 2.0)
        motors.run(0.4)
    assert simulator.modules[0].axis.velocity == 0.0
    assert simulator.modules[0].axis.position < 1.0


def test_the_simulated_module_is_what_canopen_takes_for_a_drive() -> None:
    """Drive it with canopen's own state machine of the profile, which nobody here wrote."""
    channel = f"line{next(_channels)}"
    with ModuleSimulator([SimulatedModule(5, AXIS)], channel):
        network = canopen.Network(open_bus("virtual", channel))
        network.connect()
        try:
            dictionary = canopen.ObjectDictionary()
            for thing, kind in (
                (profile.CONTROL, canopen.objectdictionary.UNSIGNED16),
                (profile.STATUS, canopen.objectdictionary.UNSIGNED16),
                (profile.MODE, canopen.objectdictionary.INTEGER8),
                (profile.MODE_SHOWN, canopen.objectdictionary.INTEGER8),
                (profile.TARGET, canopen.objectdictionary.INTEGER32),
                (profile.POSITION, canopen.objectdictionary.INTEGER32),
                (profile.SUPPORTED_MODES, canopen.objectdictionary.UNSIGNED32),
            ):
                name = f"0x{thing.address:04X}"
                variable = canopen.objectdictionary.ODVariable(name, thing.address, thing.member)
                variable.data_type = kind
                dictionary.add_object(variable)
            node = BaseNode402(5, dictionary)
            network.add_node(node)
            assert node.state == "SWITCH ON DISABLED"
            assert node.is_op_mode_supported("CYCLIC SYNCHRONOUS POSITION")
            node.op_mode = "PROFILED POSITION"
            node.state = "OPERATION ENABLED"
            assert node.state == "OPERATION ENABLED"
            node.sdo[0x607A].raw = 400_000
            node.controlword = 0x3F
            for _ in range(3000):
                network.send_message(0x80, b"")
            deadline = time.monotonic() + 20.0
            while node.sdo[0x6064].raw != 400_000 and time.monotonic() < deadline:
                time.sleep(0.01)
            assert node.sdo[0x6064].raw == 400_000
            node.state = "QUICK STOP ACTIVE"
            assert node.state == "QUICK STOP ACTIVE"
            with pytest.raises(canopen.SdoAbortedError, match="does not exist"):
                node.sdo.upload(0x5000, 0)
            with pytest.raises(canopen.SdoAbortedError, match="read"):
                node.sdo.download(0x6041, 0, b"\x00\x00")
            with pytest.raises(canopen.SdoAbortedError, match="length"):
                node.sdo.download(0x607A, 0, b"\x00\x00")
            assert node.sdo.upload(0x1008, 0) == b"axis"
        finally:
            network.disconnect()


def test_states_follow_the_profile() -> None:
    for state in (
        "not ready",
        "switch on disabled",
        "ready to switch on",
        "switched on",
        "operation enabled",
        "quick stop active",
        "fault reaction",
        "fault",
    ):
        word = profile.status_word(state)
        assert profile.state_of(word | 0x1600) == state
    assert profile.next_state("operation enabled", 0x00, 0x0F) == "switch on disabled"
    assert profile.next_state("operation enabled", 0x02, 0x0F) == "quick stop active"
    assert profile.next_state("quick stop active", 0x0F, 0x02) == "quick stop active"
    assert profile.next_state("operation enabled", 0x07, 0x0F) == "switched on"
    assert profile.next_state("fault", 0x80, 0x80) == "fault"
    assert profile.next_state("fault", 0x80, 0x00) == "switch on disabled"


def test_a_clock_counts_what_it_missed() -> None:
    clock = CycleClock(0.002)
    for k in range(20):
        clock.wait()
        if k == 10:
            time.sleep(0.02)
    report = clock.report()
    assert report.cycles == 20
    assert report.worst > 0.015
    assert report.missed >= 7
    assert "SYNC every 2 ms, 20 cycles" in str(report)
    with pytest.raises(DescriptionError, match="s, above 0"):
        CycleClock(0.0)


def test_six_axes_in_real_time_are_counted_and_their_jitter_is_reported() -> None:
    channel = f"line{next(_channels)}"
    with ModuleSimulator.of(puma_modules(), channel):
        clock = CycleClock(0.005)
        # answers are waited for as long as a busy machine needs; the clock tells how late it is
        port = CanPort(open_bus("virtual", channel), period=0.005, clock=clock, timeout=1.0)
        with MotorModules(port) as motors:
            motors.exec_motion(1, "ramp", 0.1)
            assert motors.wait(5.0)
            assert motors.status(1).position == pytest.approx(0.1, abs=2e-6)
            assert port.counts.lost == 0
        assert clock.report().cycles == port.counts.cycles
