"""How far an arm gets: the largest value of anything over all configurations within limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array

_BEST, _CHILDREN = 8, 10  # survivors of a round, and trials around each
_WIDTH = 0.25  # of the first steps around a survivor, a share of the joint ranges


@dataclass(frozen=True, slots=True, eq=False)
class ReachEstimate:
    """Where the tool point gets to, in the world.

    Args:
        radius: Largest distance from the arm's base [m]; infinite when a prismatic joint has no
            limits, as for the corners.
        lower: Least coordinates met [m]. Shape (3,).
        upper: Largest coordinates met [m]. Shape (3,).
    """

    radius: float
    lower: Array
    upper: Array


def search_maximum(
    score: Callable[[Array], Array],
    limits: Array,
    *,
    trials: int,
    rounds: int,
    shrink: float = 0.78,
) -> float:
    """Return the largest score over configurations within limits, by sampling and refining.

    Each round keeps the best few and tries steps around them, shorter every time; the same
    question gets the same answer.

    Args:
        score: From configurations (m, n) to numbers (m,); nan where there is none.
        limits: Finite. Shape (n, 2).
        trials: Random configurations looked at first.
        rounds: How often the best are refined.
        shrink: Length of a round's steps, a share of those before.
    """
    random = np.random.default_rng(1)
    low, high = limits.T

    def scored(q: Array) -> Array:
        found = score(q)
        return np.where(np.isnan(found), -np.inf, found)

    q = random.uniform(low, high, (trials, len(limits)))
    values = scored(q)
    width = _WIDTH
    for _ in range(rounds):
        best = np.argsort(-values, kind="stable")[:_BEST]
        q, values = q[best], values[best]
        steps = random.normal(0.0, width, (_CHILDREN, *q.shape)) * (high - low)
        children = np.clip(q + steps, low, high).reshape(-1, len(limits))
        q = np.vstack([q, children])
        values = np.concatenate([values, scored(children)])
        width *= shrink
    return float(values.max())
