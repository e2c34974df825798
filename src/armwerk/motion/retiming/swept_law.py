"""The law of nearly least time of a very long run, found window by window.

A known law is cut into cells, as many as make it quicker, and `swept_speeds` finds how much faster
each may be driven. The law is then held against all limits, block by block. Where one is passed
speeds are lowered about the place, and it is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.kernels.cell_use import largest_use
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.known_law import smooth_law
from armwerk.motion.retiming.limit_check import LimitExcess
from armwerk.motion.retiming.lowered_speeds import BETWEEN, lowered_speeds, slower
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import Round
from armwerk.motion.retiming.swept_cells import SweptCells, blocks
from armwerk.motion.retiming.swept_speeds import mended_speeds, swept_speeds, trial_time

CARE = Round(100, 0, 1.6, 1.6, (0.004,), 3, 1, at_points=False)
"""How carefully a law is looked for."""
SPARING = CARE._replace(per_point=1.1)
"""The same where more cells would hardly make it quicker."""
_TRIED = 20_000  # points of a grid from which on it is tried whether they would
_TRIALS = 8  # stretches on which that is tried
_TRIAL = 500  # points of each
_WORTH = 1.015  # factor of time that more cells must save
_BLOCK = 4_000  # cells that are held against limits at once
_CHECKS = 3  # times that a whole law is held against limits
_LITTLE = 1.001  # factor by which it may as well be slowed as a whole
_ROUNDS = 8  # in which places that pass a limit are slowed
_GENTLE = 4.0  # windows of the mean over which b is lowered
_LEAST = 12  # even cells over which it is lowered at least


class SweptLaw(NamedTuple):
    """What was found.

    Args:
        law: From rest to rest.
        excess: By what factor it must be slowed to keep all limits; 1: not at all.
        lost: By what factor it takes longer than what was found at first, which passed limits
            between the points it was looked at.
    """

    law: PathLaw
    excess: float
    lost: float


def swept_law(
    run: Run,
    grid: RunGrid,
    rough: PathLaw,
    window: float,
    check: Callable[[PathLaw], LimitExcess],
) -> SweptLaw | None:
    """Return a law of nearly least time; None where none was found.

    Args:
        run: What is driven.
        grid: Of it, with the limits.
        rough: About how it may be driven from rest to rest; it need not keep the limits.
        window: Time in which accelerations rise [s].
        check: Where a law passes limits, and by how much.
    """
    cells = _cells(run, grid, rough)
    c = swept_speeds(cells)
    if c is None:
        return None
    known = cells.known
    width = max(_GENTLE * window, _LEAST * rough.duration / cells.count)
    quickest = _time(cells, c)
    c, changed = mended_speeds(cells, c, width)
    left = _CHECKS
    while True:
        left -= 1
        c, excess = _kept(cells, c, changed, width)
        law = cells.law(c)
        if law is None or not np.isfinite(excess):
            return None
        found = check(law)
        excess = max(excess, found.factor * BETWEEN)
        if left == 0 or not _LITTLE < excess < np.inf:
            return SweptLaw(law, max(excess, 1.0), _time(cells, c) / quickest)
        # what knots did not show holds back its surroundings, not all of a long run
        ends = np.ascontiguousarray(known.states[:, 0])
        needed = slower(largest_use(found.s, found.used, ends))
        c, changed = lowered_speeds(known, c, needed, width)


def _cells(run: Run, grid: RunGrid, rough: PathLaw) -> SweptCells:
    """Return a long run cut into as many cells as make it quicker by what they cost."""
    borders = grid.s[:-1][np.diff(grid.s) <= 0.0]

    def cut(care: Round) -> SweptCells:
        count = max(care.cells, int(care.per_point * len(grid)))
        return SweptCells(run, grid, smooth_law(borders, rough, count), care)

    fine = cut(CARE)
    if len(grid) <= _TRIED:
        return fine
    few = cut(SPARING)
    return fine if _trial(few, len(grid)) > _WORTH * _trial(fine, len(grid)) else few


def _trial(cells: SweptCells, points: int) -> float:
    """Return how long some stretches of a run take at least [s]; infinite: nothing was found."""
    times = cells.known.times
    share = np.linspace(0.0, 1.0, _TRIALS + 2)[1:-1]
    half = 0.5 * _TRIAL / points
    lows, highs = (
        np.searchsorted(times, np.clip(share + side * half, 0.0, 1.0) * times[-1]).tolist()
        for side in (-1.0, 1.0)
    )
    return sum(trial_time(cells, low, high) for low, high in zip(lows, highs, strict=True))


def _time(cells: SweptCells, c: Array) -> float:
    """Return how long a law takes [s]."""
    return sum(cells.time(c, low, high) for low, high in blocks(0, cells.count, _BLOCK))


def _ranges(marked: Flags) -> list[tuple[int, int]]:
    """Return where cells are marked, as (first, behind the last)."""
    ends = np.flatnonzero(np.diff(marked, prepend=False, append=False)).tolist()
    return list(zip(ends[::2], ends[1::2], strict=True))


def _kept(cells: SweptCells, c: Array, changed: Flags, width: float) -> tuple[Array, float]:
    """Return lower coefficients of b where limits are passed. Shape (k + 2,).

    Args:
        cells: Of the run.
        c: Coefficients [1/s²]. Shape (k + 2,).
        changed: Which of them have not been held against limits. Shape (k + 2,).
        width: Within which b comes down [s].

    Returns:
        The coefficients, and by what factor all of it must be slowed yet.
    """
    needed = np.ones(cells.count)
    for left in range(_ROUNDS - 1, -1, -1):
        for low, high in _ranges(changed[:-2] | changed[1:-1] | changed[2:]):
            needed[low:high] = slower(cells.used(c, low, high))
        if left == 0 or not 1.0 < needed.max() < np.inf:
            break
        c, changed = lowered_speeds(cells.known, c, needed, width)
    return c, float(needed.max())
