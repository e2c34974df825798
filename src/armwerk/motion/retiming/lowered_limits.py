"""Limits lowered where a law passes them between the points that were looked at, and the search on.

In: what was to be solved, what its answer uses of the limits cell by cell. Out: a better answer.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.speed_barrier import SpeedProblem, limits_used, quickest_speeds

PATIENCE = 40
"""Steps for each weight of the barriers."""
_FULL = 0.99  # of a lowered limit that b may use where a search goes on from it
_FAR = 0.1  # of a limit that is nowhere used by more: it is not felt


def searched_on(
    given: SpeedProblem, used: Array, c: Array, weight: float, held: tuple[int, int]
) -> Array:
    """Return coefficients of b that take the least time when limits are lowered.

    They come down as far as what the search goes on from keeps them.

    Args:
        given: Path and limits.
        used: What was used of limits, from velocity to jerk, by cell; at least 1. Shape (k, 3).
        c: Coefficients that keep every limit of the path with room to spare [1/s²]. Shape (k + 2,).
        weight: Of the barriers [s].
        held: How many coefficients are held, of the first and of the last.
    """
    speeds, rates = limits_used(given, c)
    tight = used[given.cell]
    with np.errstate(divide="ignore"):
        ceiling = given.ceiling / np.minimum(tight[:, 0] ** 2, np.maximum(_FULL / speeds, 1.0))
        factor = np.minimum(tight[:, 1:, None], np.maximum(_FULL / rates, 1.0))
    felt = rates.max(axis=0) > _FAR
    given = given._replace(ceiling=ceiling, inverse=given.inverse * factor * felt)
    return quickest_speeds(given, c, np.array([weight]), PATIENCE, held)[0]
