"""Simulated against real time, with a clock that we wind ourselves."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cell_programs import world

from armwerk.cell.pace import SLACK, Pace
from armwerk.errors import DescriptionError


class Clock:
    """Real time of our own; sleeping takes a little longer than asked, as real sleeps do."""

    def __init__(self, late: float = 0.0) -> None:
        self.now = 100.0
        self.late = late
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds + self.late


@pytest.mark.parametrize("ratio", [0.1, 1.0, 3.0])
def test_the_pace_is_kept_without_drift(ratio: float) -> None:
    clock = Clock(late=0.0003)
    pace = Pace(ratio, clock, clock.sleep)
    pace.start(5.0)
    dt = 0.002
    for k in range(1, 5001):
        clock.now += 0.0001  # what a step costs
        pace.keep(5.0 + k * dt)
    assert clock.now - 100.0 == pytest.approx(10.0 / ratio, abs=0.002)
    assert pace.lost == 0.0


def test_a_short_delay_is_made_up_for_and_a_long_one_is_not() -> None:
    clock = Clock()
    pace = Pace(1.0, clock, clock.sleep)
    pace.start(0.0)
    clock.now += 0.2
    pace.keep(0.1)
    assert clock.slept == []
    pace.keep(0.3)
    assert clock.now == pytest.approx(100.3)
    clock.now += 5.0
    pace.keep(0.4)
    assert pace.lost == pytest.approx(4.9 - SLACK)
    pace.keep(0.4 + SLACK + 0.1)
    assert clock.now == pytest.approx(105.3 + 0.1)


def test_a_long_wait_listens_in_between() -> None:
    clock = Clock()
    pace = Pace(0.001, clock, clock.sleep)
    pace.start(0.0)
    asked = 0

    def hurry() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    pace.keep(1.0, hurry)
    assert clock.now - 100.0 < 1.0
    assert max(clock.slept) <= 0.1


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("inf"), float("nan"), True])
def test_bad_ratios_are_refused(ratio: Any) -> None:
    with pytest.raises(DescriptionError, match="pace"):
        Pace(ratio)


def test_a_world_keeps_the_pace() -> None:
    with world() as cell:
        cell.step()
        begin = time.perf_counter()
        report = cell.run(0.6, pace=3.0)
        assert time.perf_counter() - begin >= 0.19
        assert report.ratio == pytest.approx(3.0, rel=0.25)
