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

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.descent import TOLERANCE, copy
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import joint_unit, length_scale
from armwerk.mechanics.kernels.spectrum import decompose, diagonalise, fill_complement

_STEPS = 30
_LONGEST = 0.3  # [rad or scales] of one step
_DONE = 1e-12  # [rad or scales] a step that is rounding
_FLAT = 1e-6  # share of the largest second derivative below which the way along u does not change


class EdgePlace(NamedTuple):
    """Where a search for an edge ends.

    Args:
        on_pose: Whether the pose is met there.
        on_edge: Whether an edge is there.
        q: Joint values that came nearest to the pose. Shape (n,).
    """

    on_pose: bool
    on_edge: bool
    q: Array


_PLACE = RecordText(EdgePlace, on_pose="boolean", on_edge="boolean", q="float64[::1]")


@inner
def _bent_along(J: Array, u: Array, i: int, j: int, scale: float) -> float:
    """Return the second derivative by two joints, i not behind j, of the tool's way along u."""
    # (w_i × v_j) · u, and half of (w_i × w_j) · u
    x = J[4, i] * J[2, j] - J[5, i] * J[1, j]
    y = J[5, i] * J[0, j] - J[3, i] * J[2, j]
    z = J[3, i] * J[1, j] - J[4, i] * J[0, j]
    total = (x * u[0] + y * u[1] + z * u[2]) / scale
    x = J[4, i] * J[5, j] - J[5, i] * J[4, j]
    y = J[5, i] * J[3, j] - J[3, i] * J[5, j]
    z = J[3, i] * J[4, j] - J[4, i] * J[3, j]
    total += 0.5 * (x * u[3] + y * u[4] + z * u[5])
    return float(total)


@inner
def _fill_step(arm: Array, J: Array, e: Array, step: Array) -> None:
    """Fill the step towards the edge [rad or scales]. Shape (n,)."""
    n, scale = step.shape[0], length_scale(arm)
    A, turns, sizes = np.empty((n, 6)), np.empty((6, 6)), np.empty(6)
    for c in range(n):
        for r in range(6):
            A[c, r] = J[r, c] * joint_unit(arm, c) / (scale if r < 3 else 1.0)
    decompose(A, turns, sizes)
    lost = 0
    for k in range(6):
        if sizes[k] < sizes[lost]:
            lost = k
    u, slope, ahead = np.empty(6), np.zeros(n), 0.0
    for r in range(6):
        u[r] = turns[r, lost]
        ahead += u[r] * e[r]
    for c in range(n):
        step[c] = 0.0
        slope[c] = A[c, lost]  # how the joints move the tool along u
    kept = np.empty((n, 5))
    for k in range(6):
        if k == lost:
            continue
        share, place = 0.0, k - (k > lost)
        for r in range(6):
            share += turns[r, k] * e[r]
        for c in range(n):
            kept[c, place] = A[c, k] / sizes[k]
            step[c] += kept[c, place] * share / sizes[k]
    free = n - 5
    N, H, vectors = np.empty((n, free)), np.zeros((free, free)), np.empty((free, free))
    fill_complement(kept, N)
    for i in range(n):
        for j in range(i, n):
            bent = joint_unit(arm, i) * joint_unit(arm, j) * _bent_along(J, u, i, j, scale)
            for a in range(free):
                for b in range(free):
                    both = N[i, a] * N[j, b]
                    H[a, b] += bent * (both if i == j else both + N[j, a] * N[i, b])
    diagonalise(H, vectors)
    largest = 1e-300
    for k in range(free):
        largest = max(largest, abs(H[k, k]))
    for k in range(free):
        if not abs(H[k, k]) > _FLAT * largest:
            continue
        share = 0.0
        for c in range(n):
            for a in range(free):
                share += slope[c] * N[c, a] * vectors[a, k]
        share *= (1.0 if ahead > 0.0 else -1.0 if ahead < 0.0 else 0.0) / abs(H[k, k])
        for c in range(n):
            for a in range(free):
                step[c] += share * N[c, a] * vectors[a, k]


@entry("PLACE(float64[:,:,::1], float64[:,::1], float64[::1])", PLACE=_PLACE)
def find_edge(arm: Array, T: Array, start: Array) -> EdgePlace:
    """Return where the search for an edge ends. Limits are not looked at.

    Args:
        arm: Packed constants.
        T: The pose, rigid. Shape (4, 4).
        start: Where a descent ended; six joints at least. Shape (n,).
    """
    n = start.shape[0]
    pose, J, e = np.empty((3, 4)), np.empty((6, n)), np.empty(6)
    q, best, step = start.copy(), start.copy(), np.empty(n)
    least, on_pose = math.inf, False
    for _ in range(_STEPS):
        walk(arm, q, pose, J)
        position, rotation = pose_error(T, pose, 6, length_scale(arm), e)
        if position + rotation < least:
            copy(q, best)
            least = position + rotation
            on_pose = position <= TOLERANCE and rotation <= TOLERANCE
        _fill_step(arm, J, e, step)
        longest = 0.0
        for c in range(n):
            longest = max(longest, abs(step[c]))
        if not longest > _DONE:
            return EdgePlace(on_pose, True, best)
        share = min(1.0, _LONGEST / longest)
        for c in range(n):
            q[c] += joint_unit(arm, c) * step[c] * share
    return EdgePlace(on_pose, False, best)
