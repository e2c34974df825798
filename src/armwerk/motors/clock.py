"""A cycle in real time, and how well it was kept."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from armwerk.errors import DescriptionError

_KEPT = 100_000  # cycles whose lateness is remembered, the latest
_SPIN = 0.0002  # [s] before a cycle that is waited for awake: sleeping is coarser than that


@dataclass(frozen=True, slots=True)
class JitterReport:
    """How far the beginnings of cycles were from where they should be.

    Args:
        period: [s].
        cycles: How many were measured.
        mean: Of the lateness [s].
        deviation: Standard deviation of the lateness [s].
        percentile: Lateness that 99 of 100 cycles keep [s].
        worst: Largest lateness [s].
        missed: Cycles that began more than a period late.
    """

    period: float
    cycles: int
    mean: float
    deviation: float
    percentile: float
    worst: float
    missed: int

    def __str__(self) -> str:
        mean, deviation, high, worst = (
            1e6 * value for value in (self.mean, self.deviation, self.percentile, self.worst)
        )
        return (
            f"SYNC every {self.period * 1e3:g} ms, {self.cycles} cycles: late by {mean:.0f} µs in "
            f"the mean, deviation {deviation:.0f} µs, 99 % within {high:.0f} µs, worst "
            f"{worst:.0f} µs, {self.missed} missed"
        )


def take_priority(priority: int = 20) -> bool:
    """Ask the system to run this thread, and those it starts, before all ordinary ones.

    Args:
        priority: Of real-time scheduling, 1 to 99.

    Returns:
        Whether the system allows it; mostly it does so to root alone.
    """
    if not hasattr(os, "sched_setscheduler"):  # Linux has it
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (OSError, ValueError):
        return False
    return True


@dataclass(slots=True)
class CycleClock:
    """Waits for the beginning of every cycle in real time.

    A cycle that is missed is not made up for: the next one begins on the grid.

    Args:
        period: [s].
    """

    period: float
    _next: float | None = field(init=False, default=None)
    _late: deque[float] = field(init=False, default_factory=lambda: deque(maxlen=_KEPT))
    _cycles: int = field(init=False, default=0)
    _missed: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.period) and self.period > 0.0):
            raise DescriptionError(
                "out of range", element="period", value=self.period, allowed="s, above 0"
            )

    def wait(self) -> None:
        """Return when the next cycle begins."""
        now = time.perf_counter()
        due = now if self._next is None else self._next
        if due - now > _SPIN:
            time.sleep(due - now - _SPIN)
        while (now := time.perf_counter()) < due:
            time.sleep(0)  # others of this process may have their turn
        late = now - due
        self._late.append(late)
        self._cycles += 1
        skipped = int(late / self.period)
        self._missed += skipped
        self._next = due + (skipped + 1) * self.period

    def report(self) -> JitterReport:
        """Return how well the cycles so far were kept; lateness of the last 100,000."""
        late = np.array(self._late or [0.0])
        return JitterReport(
            self.period,
            self._cycles,
            float(late.mean()),
            float(late.std()),
            float(np.percentile(late, 99)),
            float(late.max()),
            self._missed,
        )
