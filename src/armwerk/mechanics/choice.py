"""Choosing among solutions: full turns, joint limits, distances.

Every inverse solver needs these, whichever way it finds its solutions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.kernels.turns import TURN, fit_rows

SAME = 1e-4  # [rad or scales] solutions nearer to each other than this count as one


class JointSpace(NamedTuple):
    """What choosing needs to know of joints; a `Chain` has the same three.

    Args:
        limits: [rad or m], infinite where free. Shape (n, 2).
        revolute: Which joints turn. Shape (n,).
        metric: Weight of each joint in a distance. Shape (n,).
    """

    limits: Array
    revolute: Flags
    metric: Array


def wrap(chain: Chain, q: Array) -> Array:
    """Return q with angles in (-π, π]. Shape as q."""
    turned = q - TURN * np.ceil((q - np.pi) / TURN)
    return np.where(chain.revolute, turned, q)


def fit(chain: Chain | JointSpace, q: Array, near: Array) -> tuple[Array, Flags]:
    """Shift angles by full turns next to ``near`` but within limits, or as little outside as goes.

    Args:
        chain: The arm.
        q: Solutions. Shape (n,) or (k, n).
        near: Where to be close to. Shape (n,).

    Returns:
        The shifted solutions, and whether each keeps all limits. Shapes (…, n) and (…,).
    """
    shifted = np.atleast_2d(np.array(q, dtype=np.float64, order="C"))
    limits, wanted = (np.require(one, np.float64, ["C", "W"]) for one in (chain.limits, near))
    inside = fit_rows(limits, np.require(chain.revolute, bool, ["C", "W"]), shifted, wanted)
    return (shifted[0], inside[0]) if q.ndim == 1 else (shifted, inside)


def distance(chain: Chain | JointSpace, q: Array, near: Array) -> Array:
    """Return the distance of configurations, metres counted in length scales. Shape (…,)."""
    return np.asarray(np.linalg.norm((q - near) * chain.metric, axis=-1))


def nearest(chain: Chain | JointSpace, solutions: Array, near: Array) -> Array | None:
    """Return the solution nearest to ``near`` that keeps the limits; None when none does."""
    if len(solutions) == 0:
        return None
    shifted, inside = fit(chain, solutions, near)
    if not inside.any():
        return None
    candidates = shifted[inside]
    return np.asarray(candidates[np.argmin(distance(chain, candidates, near))])


def is_new(chain: Chain, q: Array, known: list[Array]) -> bool:
    """Whether q differs from all known solutions, full turns not counted."""
    for other in known:
        apart = np.where(chain.revolute, wrap(chain, q - other), q - other)
        if np.abs(apart * chain.metric).max() < SAME:
            return False
    return True


def in_order(solutions: Array) -> Array:
    """Return the rows sorted by the first joint, then the second, … Shape (k, n)."""
    if len(solutions) < 2:
        return solutions
    return solutions[np.lexsort(np.round(solutions, 6).T[::-1])]
