"""About how a very long run may be driven, found stretch by stretch.

In: the grid of a run. Out: what `rough_law` says of a short one, with the memory of a stretch.
"""

from __future__ import annotations

import numpy as np

from armwerk.motion.path.stop_to_stop import RunGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.time_law import (
    AT_REST,
    TimedLaw,
    ceilings,
    nearest_rows,
    smoothed,
    speeds_under,
    window_choices,
    without_joints,
)

_POINTS = 20_000  # of a stretch
_BESIDE = 1_000  # points on either side of it, from where braking for it may begin
_PARTS = 8  # that tell the window of the mean
_TRIAL = 800  # points of each


def usual_window(grid: RunGrid) -> float:
    """Return the window of the mean that parts of a run ask for, the median of them [s]."""
    size = min(_TRIAL, len(grid))
    places = np.linspace(0, len(grid) - size, _PARTS).astype(int).tolist()
    parts = [grid.between(first, first + size) for first in places]
    return float(np.median([window_choices(part, "trapezoid")[0] for part in parts]))


def rough_sweep(grid: RunGrid, window: float) -> TimedLaw:
    """Return about how a run may be driven; limits of jerk may be passed.

    Args:
        grid: Of the run.
        window: Of the mean over the speeds [s].
    """
    count = len(grid)
    speed, free = np.zeros(count), np.zeros(count)
    for first in range(0, count, _POINTS):
        low, high = max(first - _BESIDE, 0), min(first + _POINTS + _BESIDE, count)
        part = grid.between(low, high)
        part = part._replace(s=part.s - part.s[0])
        squares = speeds_under(
            part,
            ceilings(part),
            np.ones(high - low),
            window,
            "trapezoid",
            AT_REST if low == 0 else AT_REST[:0],
            ends=high == count,
        )
        new = slice(first - low, min(first + _POINTS, count) - low)
        here = slice(first, first + _POINTS)
        speed[here] = np.sqrt(squares[new])
        free[here] = without_joints(part, (low == 0, high == count))[new]
    law = smoothed(grid.s, speed**2, window, "trapezoid")
    rows = np.zeros(count, dtype=np.int64)
    for first in range(0, count, _POINTS):
        part = grid.between(first, min(first + _POINTS, count))
        begin, end = np.searchsorted(law.states[:, 0], part.s[[0, -1]], "right")
        begin = max(int(begin) - 1, 0)
        pieces = slice(begin, max(int(end), begin + 1))
        own = PathLaw(law.times[begin : pieces.stop + 1], law.states[pieces], law.length)
        rows[first : first + _POINTS] = nearest_rows(part, own)
    return TimedLaw(law, speed, free, rows, 1.0)
