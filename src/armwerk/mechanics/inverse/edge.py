"""Poses at the edge of the reach, where first-order methods crawl.

A stretched arm just reaches its pose: in one direction u, the one that the Jacobian J has lost, the
tool's way f ends there, and the error grows with the square of joint motions, along some of them,
elbows with small offsets, ten thousand times less than along others. A descent swings across such
a valley instead of going along it. So the edge itself is looked for, which is a regular problem:
with N the motions that J takes to u or to nothing,

    the other five directions are reached:    J dq = e  but for u
    the way along u is stationary:            Nᵀ Jᵀ u + Nᵀ (Σ u_k ∂²f_k) N t = 0,   dq += N t

by Newton's method, whose steps square the error; with the magnitudes of the second derivatives,
so that the way along u leads towards the pose, not to the nearest edge of the other side. Where
the edge is found, the pose is on it or not.
The second derivatives are exact for positions and good to first order for rotations,

    ∂v_i/∂q_j = w_min × v_max,    ∂w_i/∂q_j ≈ ½ w_min × w_max,

with v and w the columns of J, and min and max the earlier and the later of joints i and j.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import TOLERANCE
from armwerk.mechanics.kernels.jacobian import jacobian, remaining

NEAR_MISS = 1e-3  # [m + rad] a descent that ends this near may be at the edge of the reach
_STEPS = 30
_LONGEST = 0.3  # [rad or scales] of one step
_DONE = 1e-12  # [rad or scales] a step that is rounding
_FLAT = 1e-6  # share of the largest second derivative below which the way along u does not change


def at_edge(chain: Chain, T: Array, q: Array) -> tuple[Array, bool, bool]:
    """Return where the search for an edge from q ends, whether on the pose, and whether on an edge.

    Limits are not looked at.

    Args:
        chain: The arm.
        T: The pose, rigid. Shape (4, 4).
        q: Where a descent ended; six joints at least. Shape (n,).
    """
    units = np.where(chain.revolute, 1.0, chain.scale)
    J = np.empty((6, chain.dof))
    best, least, solved, settled = q, np.inf, False, False
    for _ in range(_STEPS):
        left = remaining(chain.constants, T, q, 6)
        if left[6] + left[7] < least:
            best, least = q, left[6] + left[7]
            solved = bool(left[6] <= TOLERANCE and left[7] <= TOLERANCE)
        jacobian(chain.constants, q, J)
        step = _step(J, left[:6], chain.scale, units)
        longest = float(np.abs(step).max())
        if not longest > _DONE:
            settled = True
            break
        q = q + units * step * min(1.0, _LONGEST / longest)
    return best, solved, settled


def _step(J: Array, e: Array, scale: float, units: Array) -> Array:
    """Return the step towards the edge [rad or scales]. Shape (n,)."""
    scaled = J * units
    scaled[:3] /= scale
    U, S, Vt = np.linalg.svd(scaled)
    u, N = U[:, 5], Vt[5:].T
    # (w_i × v_j) · u = w_i · (v_j × u), of which those with i the earlier count
    triple = J[3:].T @ (_cross_with(u[:3]) @ (J[:3] / scale) + _cross_with(0.5 * u[3:]) @ J[3:])
    joints = np.arange(len(units))
    bent = np.where(joints[:, None] <= joints, triple, triple.T)
    values, vectors = np.linalg.eigh(N.T @ (bent * (units[:, None] * units)) @ N)
    sizes = np.abs(values)
    curved = sizes > _FLAT * sizes.max(initial=1e-300)
    inverse = np.where(curved, 1.0 / np.where(curved, sizes, 1.0), 0.0)
    along = np.sign(u @ e) * vectors @ (inverse * (vectors.T @ (N.T @ (scaled.T @ u))))
    reached = Vt[:5].T @ ((U[:, :5].T @ e) / S[:5])
    result: Array = reached + N @ along
    return result


def _cross_with(u: Array) -> Array:
    """Return the matrix that takes x to x × u. Shape (3, 3)."""
    return np.array([[0.0, u[2], -u[1]], [-u[2], 0.0, u[0]], [u[1], -u[0], 0.0]])
