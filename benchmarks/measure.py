"""What every benchmark uses: rows of a table, and timing that treats all sides alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from armwerk.compiled import use_numba

use_numba()  # what is measured is how fast kernels are in the long run


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a thing measured for us and for a peer in the same run.

    Args:
        what: What was measured.
        ours: Our figure.
        peer: Name of the peer; empty when there is none.
        theirs: The peer's figure; None when there is none.
        unit: Of both figures.
        lower_is_better: Whether small figures win.
        wanted: The least ratio that was promised, ours against theirs, above 1 meaning that we
            are better; None: nothing was promised.
        note: What else should be known.
    """

    what: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    unit: str = "µs"
    lower_is_better: bool = True
    wanted: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better we are; below 1 the peer is."""
        if self.theirs is None or not self.ours or not self.theirs:
            return None
        return self.theirs / self.ours if self.lower_is_better else self.ours / self.theirs

    @property
    def kept(self) -> bool | None:
        """Whether the promise holds; None without one."""
        if self.wanted is None or self.ratio is None:
            return None
        return bool(self.ratio >= self.wanted)


def typical(calls: Mapping[str, Callable[[], object]], repeats: int = 31) -> dict[str, float]:
    """Return the median of the processor time of one call of each, all threads together [s].

    Processor time does not count what others do on a busy machine. The calls take turns.

    Args:
        calls: What to time, by name.
        repeats: Calls of each.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, call in calls.items():
                begin = time.process_time()
                call()
                seconds[name].append(time.process_time() - begin)
    finally:
        if enabled:
            gc.enable()
    return {name: median(times) for name, times in seconds.items()}


def best(
    calls: Mapping[str, Callable[[], object]], number: int = 1, repeats: int = 7
) -> dict[str, float]:
    """Return the shortest time of one call of each [s].

    The calls take turns within every repeat, so that a busy machine troubles them all.

    Args:
        calls: What to time, by name.
        number: Calls in a row between two looks at the clock.
        repeats: Looks; the best one counts.
    """
    shortest = dict.fromkeys(calls, float("inf"))
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, call in calls.items():
                begin = time.perf_counter()
                for _ in range(number):
                    call()
                shortest[name] = min(shortest[name], (time.perf_counter() - begin) / number)
    finally:
        if enabled:
            gc.enable()
    return shortest
