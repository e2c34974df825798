"""Simulated against real time, with a clock that we wind ourselves."""

from __future__ import annotations

from typing import Any

import pytest
from cell_programs import world

from armwerk.cell.pace import SHORT, SLACK, FakeClock, Pace, RealClock
from armwerk.errors import DescriptionError


@pytest.mark.parametrize("ratio", [0.1, 1.0, 3.0])
def test_the_pace_is_kept_without_drift(ratio: float) -> None:
    clock = FakeClock(late=0.0003)
    pace = Pace(ratio, clock)
    pace.start(5.0)
    dt = 0.002
    for k in range(1, 5001):
        clock.time += 0.0001  # what a step costs
        pace.keep(5.0 + k * dt)
    assert clock.time == pytest.approx(10.0 / ratio, abs=0.002)
    assert pace.lost == 0.0


def test_a_short_delay_is_made_up_for_and_a_long_one_is_not() -> None:
    clock = FakeClock()
    pace = Pace(1.0, clock)
    pace.start(0.0)
    clock.time += 0.2
    pace.keep(0.1)
    assert clock.slept == []
    pace.keep(0.3)
    assert clock.time == pytest.approx(0.3)
    clock.time += 5.0
    pace.keep(0.4)
    assert pace.lost == pytest.approx(4.9 - SLACK)
    pace.keep(0.4 + SLACK + 0.1)
    assert clock.time == pytest.approx(5.3 + 0.1)


def test_a_long_wait_listens_in_between() -> None:
    clock = FakeClock()
    pace = Pace(0.001, clock)
    pace.start(0.0)
    asked = 0

    def hurry() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    pace.keep(1.0, hurry)
    assert clock.time < 1.0
    assert max(clock.slept) <= 0.1


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("inf"), float("nan"), True])
def test_bad_ratios_are_refused(ratio: Any) -> None:
    with pytest.raises(DescriptionError, match="pace"):
        Pace(ratio)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_a_world_keeps_the_pace(ratio: float) -> None:
    """Computing costs nothing on this clock, so all that passes is what the pace waits for."""
    clock = FakeClock()
    with world() as cell:
        cell.step()
        report = cell.run(0.6, pace=Pace(ratio, clock))
        assert report.seconds == pytest.approx(0.6, abs=1e-12)
        assert -1e-9 <= 0.6 / ratio - clock.time < SHORT
        assert report.wall == clock.time


def test_progress_and_pace_share_one_clock() -> None:
    clock = FakeClock()
    told: list[float] = []
    with world() as cell:
        cell.run(0.45, pace=Pace(1.0, clock), progress=lambda _: told.append(clock.time))
    assert told == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.45], abs=0.01)


def test_a_number_keeps_real_time() -> None:
    real = RealClock()
    with world() as cell:
        cell.step()
        begin = real.now()
        cell.run(0.2, pace=2.0)
        assert real.now() - begin >= 0.1 - SHORT  # it may be late, but never early
