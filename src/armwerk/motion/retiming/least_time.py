"""The least time of a run: laws are looked for with growing care until one is good enough.

In: a run with its grid, and where and by how much a law passes limits. Out: the law, slowed by that
factor, or None where none was found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.retiming.drive_loads import DriveLoads
from armwerk.motion.retiming.limit_check import LimitExcess
from armwerk.motion.retiming.path_grid import PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import (
    CAREFUL,
    PLAIN,
    QUICK,
    SKETCH,
    THOROUGH,
    QuickLaw,
    Round,
    mended_law,
    quickest_law,
)

_NEAR = 1.025  # factor by which a law may be slowed without another being looked for
_GOOD = 1.002  # factor by which a law may be slowed without being mended
_GOOD_ENOUGH = 1.015  # the same on very many points
_HOPELESS = 1.1  # factor from which on points looked at lie too far apart for mending
_MANY = 1_000  # points of a grid above which a line must not cost much unasked
_VERY_MANY = 3_000  # points above which a law is mended at any rate
_MENDS = 3
_MORE_MENDS = 6  # of so many, where another search costs more than all of them
_BETWEEN = 1.0 + 5e-4  # for what may lie between the times of the check


def least_time(
    run: Run,
    grid: PathGrid,
    law: PathLaw,
    check: Callable[[PathLaw], LimitExcess],
    careful: bool,
    drives: DriveLoads | None = None,
) -> PathLaw | None:
    """Return the quickest law found that keeps every limit.

    Args:
        run: What is driven.
        grid: Its grid with all limits.
        law: About how it may be driven from rest to rest; it need not keep the limits.
        check: Where a law passes limits, and by how much.
        careful: Whether the last per cent is looked for too, at three times the cost.
        drives: What the drives can do, in place of the joints' limits of acceleration.
    """
    best: PathLaw | None = None
    for care in _cares(len(grid.s), careful):
        found = quickest_law(run, grid, law, care, drives)
        if found is None:
            break
        law = found.law
        if care is SKETCH:
            continue
        kept, factor = _kept(found, run, grid, check, drives)
        if kept is not None and (best is None or kept.duration < best.duration):
            best = kept
        if factor <= _NEAR and not (careful and care is QUICK):
            break
    return best


def _cares(points: int, careful: bool) -> tuple[Round, ...]:
    """Return how carefully laws are looked for, one after the other."""
    if careful:
        return (SKETCH, QUICK, CAREFUL, THOROUGH)
    if points > _VERY_MANY:
        return (PLAIN,)
    return (SKETCH, QUICK, CAREFUL) if points <= _MANY else (PLAIN, CAREFUL)


def _kept(
    found: QuickLaw,
    run: Run,
    grid: PathGrid,
    check: Callable[[PathLaw], LimitExcess],
    drives: DriveLoads | None,
) -> tuple[PathLaw | None, float]:
    """Return the quickest of a law and what it becomes when mended, slowed to keep its limits.

    Returns:
        That law, None where limits could not be told; by what factor the last one was slowed.
    """
    best: PathLaw | None = None
    factor = np.inf
    mends = _MORE_MENDS if found.care is PLAIN else _MENDS
    good, hopeless = _GOOD, _HOPELESS
    if found.care is PLAIN and len(grid.s) > _VERY_MANY:
        good, hopeless = _GOOD_ENOUGH, np.inf
    for left in range(mends, -1, -1):
        excess = check(found.law)
        factor = max(excess.factor * _BETWEEN, 1.0)
        if np.isfinite(factor):
            slowed = found.law.slowed(factor)
            if best is None or slowed.duration < best.duration:
                best = slowed
        if left == 0 or not good < factor < hopeless:
            break
        mended = mended_law(found, excess, run, grid, drives)
        if mended is None:
            break
        found = mended
    return best, factor
