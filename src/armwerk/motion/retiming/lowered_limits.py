"""Limits lowered where a law passes them between the points that were looked at, and the search on.

In: what was to be solved, what its answer uses of the limits cell by cell. Out: a better answer.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.speed_barrier import limits_used, quickest_speeds
from armwerk.motion.kernels.speed_rows import SpeedProblem

PATIENCE = 40
"""Steps for each weight of the barriers."""
_FULL = 0.99  # of a lowered limit that b may use where a search goes on from it
_WORTH = 1.003  # of a limit that a place must use to be looked at from then on


def searched_on(
    given: SpeedProblem, used: Array, c: Array, weights: Array, held: tuple[int, int] = (0, 0)
) -> Array:
    """Return coefficients of b that take the least time when limits are lowered.

    They come down as far as what the search goes on from keeps them.

    Args:
        given: Path and limits.
        used: What was used of limits, from velocity to jerk, by cell; at least 1. Shape (k, 3).
        c: Coefficients that keep the limits of the path with room to spare [1/s²]. Shape (k + 2,).
        weights: Of the barriers, falling [s]. Shape (l,).
        held: How many coefficients are held, of the first and of the last.
    """
    speeds, rates = limits_used(given, c)
    tight = used[given.cell]
    with np.errstate(divide="ignore"):
        ceiling = given.ceiling / np.minimum(tight[:, 0] ** 2, _FULL / speeds)
        factor = np.minimum(tight[:, 1:, None], _FULL / rates)
    lowered = with_lower_rates(given._replace(ceiling=ceiling), factor)
    return quickest_speeds(lowered, c, weights, PATIENCE, held)[0]


def with_lower_rates(given: SpeedProblem, factor: Array) -> SpeedProblem:
    """Return a problem with the limits of accelerations and jerks divided by factors.

    Args:
        given: Path and limits.
        factor: For each joint, the tool's point and its turn. Shape (p, 2, n + 2) or (1, 2, n + 2).
    """
    n = given.joints.shape[2]
    joints = given.joints * np.repeat(factor[:, :, :n], (2, 3), axis=1)
    tool = given.tool * np.repeat(np.moveaxis(factor[:, :, n:], 1, 2) ** 2, (3, 6), axis=2)
    return given._replace(joints=joints, tool=tool)


def worst_places(ends: Array, s: Array, used: Array) -> Array:
    """Return the place of each cell where most is used of a limit that is passed [m]. Shape (l,).

    Args:
        ends: Arc lengths at which cells begin, and the end of the last [m]. Shape (k + 1,).
        s: Places of a law [m]. Shape (m,).
        used: Fractions of the limits there. Shape (m, 3).
    """
    worst = used.max(axis=1)
    passed = np.flatnonzero(worst > _WORTH)
    passed = passed[np.argsort(-worst[passed])]
    _, first = np.unique(np.searchsorted(ends, s[passed], "right"), return_index=True)
    return np.asarray(s[passed[first]])
