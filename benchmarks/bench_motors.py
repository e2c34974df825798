"""Six axes on a CAN bus at 1 kHz: how well SYNC is kept, and what a cycle costs.

Master and modules run on the same machine and in the same process, on python-can's virtual bus, so
both halves of the work are counted. Lateness is real time: it says as much of the machine as of us.
"""

from __future__ import annotations

import time

from measure import Row

from armwerk.motors import (
    CanPort,
    CycleClock,
    ModuleSimulator,
    MotorModules,
    module_configs,
    take_priority,
)
from armwerk.motors.module_simulator import END_OF_CYCLE, open_bus
from armwerk.robot import Arm, load

PERIOD = 0.001  # [s]
SECONDS = 10.0


def run() -> list[Row]:
    """Measure a stream of set points to six axes."""
    arm = load("puma560")
    assert isinstance(arm, Arm)
    first = take_priority()
    clock = CycleClock(PERIOD)
    with ModuleSimulator.of(module_configs(arm, gripper=False), "bench"):
        port = CanPort(
            open_bus("virtual", "bench"), period=PERIOD, clock=clock, end_of_cycle=END_OF_CYCLE
        )
        with MotorModules(port) as motors:
            for one in motors.modules():
                motors.exec_motion(one.number, "step", 0.5, SECONDS - 1.0)
            motors.run(SECONDS)
            lost = port.counts.lost
            arrived = all(abs(motors.status(k).position - 0.5) < 2e-6 for k in range(1, 7))
    report, spent = clock.report(), _cost(arm)
    note = f"{report.missed} of {report.cycles} cycles missed, {lost} frames lost"
    note += ", all arrived" if arrived else ", NOT all arrived"
    note += ", real-time priority" if first else ", ordinary priority"
    return [
        Row("SYNC at 1 kHz, lateness in the mean", 1e6 * report.mean, note=note),
        Row("SYNC at 1 kHz, 99 % within", 1e6 * report.percentile),
        Row("SYNC at 1 kHz, worst", 1e6 * report.worst),
        Row(
            "a cycle of six axes, both ends, CPU",
            1e6 * spent,
            "a cycle at 1 kHz",
            1000.0,
            wanted=1.0,
        ),
    ]


def _cost(arm: Arm) -> float:
    """Return the processor time of a cycle, the least of several runs without a clock [s]."""
    with ModuleSimulator.of(module_configs(arm, gripper=False), "cost"):
        port = CanPort(open_bus("virtual", "cost"), period=PERIOD, end_of_cycle=END_OF_CYCLE)
        with MotorModules(port) as motors:
            times = []
            for _ in range(5):
                before = time.process_time()
                for _ in range(400):
                    motors.cycle()
                times.append((time.process_time() - before) / 400)
    return min(times)
