"""The parameter of a followed path: arc length of the tool, and near singularities of the joints.

Beside a singularity joints turn far while the tool hardly moves: derivatives by the tool's arc
length s grow without bound. By a parameter u with

    du = ρ ds,    ρ = (1 + (|q'| / κ)^4)^(1/4),

they do not: where the joints move at ordinary rates u is s, where they race u counts their turning,
1 / κ metres for each radian. In u the way beside a singularity is what it is to the arm: a turn
with the tool nearly standing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array

RACING = 4.0
"""Times κ that joints must move at for u to be other than s."""
_LEAST = 0.01  # [rad/m] that κ is at least: joints that stand but for rounding do not race
_SLOW = 0.7  # ds/du below which joints, not the tool, tell how long a step of u is
_STANDING = 1e-9  # [rad] of joints that tell nothing
_NEWTON = 4  # steps of Newton's method
_USUAL = 3.0  # times the median of a path's joint rates that counts as κ


class PathParameter(NamedTuple):
    """Arc length of the tool by the parameter, at points of a path.

    Args:
        u: Values of the parameter [m]. Shape (m,).
        arcs: s and its derivatives by u. Shape (m, 4).
    """

    u: Array
    arcs: Array


def usual_rate(s: Array, motions: Array, weights: Array) -> float:
    """Return κ, the rate of all joints together that counts as ordinary [rad/m], or infinity.

    Args:
        s: Arc lengths [m]. Shape (m,).
        motions: q, q', q'', q''' by arc length. Shape (m, 4, n).
        weights: Of each joint, 1 for radians. Shape (n,).
    """
    rates = np.linalg.norm(motions[:, 1] * weights, axis=1)
    cells = 0.5 * (rates[1:] + rates[:-1])
    order = np.argsort(cells)
    way = np.cumsum(np.diff(s)[order])
    median = float(cells[order][np.searchsorted(way, 0.5 * way[-1])])
    usual = max(_USUAL * median, _LEAST)
    return usual if float(rates.max()) > RACING * usual else float("inf")


def parametrise(s: Array, motions: Array, weights: Array, usual: float) -> PathParameter:
    """Return the parameter at points of a path; see `usual_rate` for the arguments."""
    arcs = np.zeros((len(s), 4))
    arcs[:, 0] = s
    arcs[:, 1] = 1.0
    if not np.isfinite(usual):
        return PathParameter(s, arcs)
    one, two, three = (motions[:, k] * weights / usual for k in (1, 2, 3))
    # z = (|q'| / κ)² and its derivatives by s
    z = (one * one).sum(axis=1)
    z1 = 2.0 * (one * two).sum(axis=1)
    z2 = 2.0 * (two * two + one * three).sum(axis=1)
    F = 1.0 + z * z
    rho = F**0.25
    rho1 = 0.5 * F**-0.75 * z * z1
    rho2 = 0.5 * (F**-0.75 * (z1 * z1 + z * z2) - 1.5 * F**-1.75 * (z * z1) ** 2)
    h = np.diff(s)
    # Hermite's rule for the integral of ρ, held between what ρ is at both ends
    step = h * (
        0.5 * (rho[1:] + rho[:-1])
        + h / 10.0 * (rho1[:-1] - rho1[1:])
        + h * h / 120.0 * (rho2[:-1] + rho2[1:])
    )
    low, high = np.minimum(rho[1:], rho[:-1]), np.maximum(rho[1:], rho[:-1])
    step = np.where(np.isfinite(step), step, h * low)
    step = np.clip(step, 0.5 * h * low, 1.5 * h * high)
    # u counts no less than the joints' turning, whatever rounding makes of their rates
    q = motions[:, 0] * weights
    step = np.maximum(step, np.linalg.norm(np.diff(q, axis=0), axis=1) / usual)
    arcs[:, 1] = 1.0 / rho
    arcs[:, 2] = -rho1 / rho**3
    arcs[:, 3] = (3.0 * rho1**2 - rho * rho2) / rho**5
    step = _by_joints(step, q, by_parameter(motions[:, 1:], arcs) * weights, arcs[:, 1])
    return PathParameter(np.append(0.0, np.cumsum(step)), arcs)


def _by_joints(steps: Array, q: Array, rates: Array, slowness: Array) -> Array:
    """Return steps of the parameter that fit to the way of racing joints, by Newton's method.

    Where joints race the tool hardly moves, and its arc length tells little of how far they turn;
    their own rates by the parameter are even there, and Hermite's rule for them is exact but for
    rounding. Values, rates and steps that agree leave nothing for polynomials to make up for.

    Args:
        steps: By the arc length [m]. Shape (m - 1,).
        q: Joint values, weighted [rad]. Shape (m, n).
        rates: Their first to third derivatives by the parameter. Shape (m, 3, n).
        slowness: ds/du. Shape (m,).
    """
    way = np.diff(q, axis=0)
    far = np.linalg.norm(way, axis=1)
    racing = (np.maximum(slowness[1:], slowness[:-1]) < _SLOW) & (far > _STANDING)
    along = way / np.maximum(far, _STANDING)[:, None]
    low, high = (np.einsum("mkn,mn->km", side, along) for side in (rates[:-1], rates[1:]))
    a, b, c = 0.5 * (low[0] + high[0]), (low[1] - high[1]) / 10.0, (low[2] + high[2]) / 120.0
    h = steps.copy()
    for _ in range(_NEWTON):
        slope = a + h * (2.0 * b + 3.0 * h * c)
        h -= (h * (a + h * (b + h * c)) - far) / np.where(slope > 0.0, slope, np.inf)
    fits = racing & (h > 0.5 * steps) & (h < 2.0 * steps)
    return np.where(fits, h, steps)


def by_parameter(rows: Array, arcs: Array) -> Array:
    """Return first to third derivatives by u from those by s. Shape (m, 3, d).

    Args:
        rows: Derivatives by s. Shape (m, 3, d).
        arcs: s and its derivatives by u. Shape (m, 4).
    """
    s1, s2, s3 = (arcs[:, k, None] for k in (1, 2, 3))
    one, two, three = rows[:, 0], rows[:, 1], rows[:, 2]
    out = np.empty(rows.shape)
    out[:, 0] = one * s1
    out[:, 1] = two * s1 * s1 + one * s2
    out[:, 2] = three * s1**3 + 3.0 * two * s1 * s2 + one * s3
    return out


def by_arc_length(rows: Array, arcs: Array) -> Array:
    """Return first to third derivatives by s from those by u; the way back of `by_parameter`."""
    s1, s2, s3 = (arcs[:, k, None] for k in (1, 2, 3))
    one = rows[:, 0] / s1
    two = (rows[:, 1] - one * s2) / (s1 * s1)
    three = (rows[:, 2] - 3.0 * two * s1 * s2 - one * s3) / s1**3
    return np.stack([one, two, three], axis=1)
