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
from armwerk.motion.retiming.quickest_law import CAREFUL, QUICK, THOROUGH, quickest_law

_NEAR = 1.025  # factor by which a law may be slowed without another being looked for


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
    best: PathLaw | None = None
    for care in (QUICK, CAREFUL, THOROUGH) if careful else (QUICK, CAREFUL):
        found = quickest_law(run, grid, law, care, drives)
        if found is None:
            break
        law, factor = found, slowing(found)
        if np.isfinite(factor) and (best is None or factor * found.duration < best.duration):
            best = found.slowed(factor)
        if factor <= _NEAR and not (careful and care is QUICK):
            break
    return best
