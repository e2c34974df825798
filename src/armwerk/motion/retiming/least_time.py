"""The least time of a run: laws are looked for with growing care until one is good enough.

In: a run with its grid, and by what factor a law must be slowed to keep all limits. Out: the law,
slowed by that factor, or None where none was found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.retiming.drive_loads import DriveLoads
from armwerk.motion.retiming.path_grid import PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import CAREFUL, QUICK, quickest_law

_NEAR = 1.02  # factor by which a law found quickly may be slowed


def least_time(
    run: Run,
    grid: PathGrid,
    law: PathLaw,
    slowing: Callable[[PathLaw], float],
    careful: bool,
    drives: DriveLoads | None = None,
) -> PathLaw | None:
    """Return the quickest law found that keeps every limit.

    Args:
        run: What is driven.
        grid: Its grid with all limits.
        law: About how it may be driven from rest to rest; it need not keep the limits.
        slowing: By what factor a law must be slowed to keep them, at least 1.
        careful: Whether the last per cent is looked for too, at three times the cost.
        drives: What the drives can do, in place of the joints' limits of acceleration.
    """

    def kept(law: PathLaw) -> PathLaw | None:
        factor = slowing(law)
        return law.slowed(factor) if np.isfinite(factor) else None

    quick = quickest_law(run, grid, law, QUICK, drives)
    if quick is None:
        return None
    first = kept(quick)
    if first is not None and first.duration <= _NEAR * quick.duration and not careful:
        return first
    finer = quickest_law(run, grid, quick, CAREFUL, drives)
    second = None if finer is None else kept(finer)
    return min((law for law in (first, second) if law), key=lambda law: law.duration, default=None)
