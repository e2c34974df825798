"""Whether joints that reach a pose to rounding have a true solution beside them.

Newton's method shows it on the arm itself (Kantorovich): with F(q) what a pose is missed by,
β ≥ ‖J⁻¹‖ at these joints, K ≥ ‖F''‖ everywhere and η ≥ ‖J⁻¹ F‖,

    2 β K η ≤ 1    gives one solution within 2 η.

F is the way to the pose in scales and the axis of the turn to it times its sine, so that K² is the
sum of (2 j - 1) (way from axis j to the tool)² and of 36. Rounding of F is bounded by what each
joint adds to the error of a direction, 20 units, and by what is left of the way; the stored
rotations add their distance from true ones, and so does that of the pose.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.descent import scale_jacobian
from armwerk.mechanics.kernels.elimination.views import UNIT
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import is_revolute, length_scale

_WIDEST = 0.5  # [rad or scales] of a neighbourhood: no turn within it reaches half a turn
_RESIDUAL = 0.1  # of an inverse of J


@inner
def distance_to_solution(arm: Array, defect: Array, T: Array, q: Array, goal: float) -> float:
    """Return within what distance of q there is a true solution; infinite: that is not proved.

    [rad or scales], Euclidean norm of all joints.

    Args:
        arm: Packed constants. Shape (7, 4, 4).
        defect: How far their rotations are from true ones. Shape (7,).
        T: The pose. Shape (4, 4).
        q: Joints that reach it to rounding. Shape (6,).
        goal: Bound of the error of the rotation in T.
    """
    scale = length_scale(arm)
    pose, J, e, X = np.empty((3, 4)), np.empty((6, 6)), np.empty(6), np.zeros((6, 6))
    walk(arm, q, pose, J)
    pose_error(T, pose, 6, scale, e)
    scale_jacobian(arm, J, scale)
    missed = wrong = bend = far = 0.0
    for i in range(6):
        missed += e[i] * e[i]
    for i in range(6, -1, -1):  # from the tool to the base
        way = 0.0
        for r in range(3):
            way += arm[i, r, 3] * arm[i, r, 3]
        far += math.sqrt(way) / scale
        wrong += defect[i] + 20.0 * UNIT
        if i > 0:
            if not is_revolute(arm, i - 1):
                far += abs(q[i - 1]) / scale + 1.0
            bend += (2.0 * i - 1.0) * far * far
    bend = math.sqrt(bend + 36.0)
    place = 0.0
    for r in range(3):
        place += T[r, 3] * T[r, 3]
    far += math.sqrt(place) / scale + 1.0
    wrong = (wrong + goal + 60.0 * UNIT) * far
    missed = math.sqrt(missed) + wrong
    inverse = _inverse_norm(J, X, 8.0 * missed)
    eta = inverse * missed
    if not 2.0 * inverse * bend * eta < 1.0:
        return math.inf
    return 2.0 * eta if eta < _WIDEST else math.inf


@inner
def _inverse_norm(J: Array, X: Array, wrong: float) -> float:
    """Return a bound of ‖J⁻¹‖, for J (6, 6) that is wrong by a matrix of norm ``wrong``.

    X is zero and used up. Whatever X is, ‖J⁻¹‖ ≤ ‖X‖ / (1 - ‖X J - 1‖).
    """
    W = J.copy()
    for k in range(6):
        X[k, k] = 1.0
    for k in range(6):  # Gauss and Jordan
        best, place = abs(W[k, k]), k
        for r in range(k + 1, 6):
            if abs(W[r, k]) > best:
                best, place = abs(W[r, k]), r
        if not best > 0.0:
            return math.inf
        if place != k:
            for c in range(6):
                W[k, c], W[place, c] = W[place, c], W[k, c]
                X[k, c], X[place, c] = X[place, c], X[k, c]
        pivot = 1.0 / W[k, k]
        for c in range(6):
            W[k, c] *= pivot
            X[k, c] *= pivot
        for r in range(6):
            if r != k:
                share = W[r, k]
                for c in range(6):
                    W[r, c] -= share * W[k, c]
                    X[r, c] -= share * X[k, c]
    size = total = missed = 0.0
    for r in range(6):
        for c in range(6):
            value = -1.0 if r == c else 0.0
            for k in range(6):
                value += X[r, k] * J[k, c]
            missed += value * value
            size += J[r, c] * J[r, c]
            total += X[r, c] * X[r, c]
    total = math.sqrt(total)
    missed = math.sqrt(missed) + total * (8.0 * UNIT * math.sqrt(size) + wrong)
    return total / (1.0 - _RESIDUAL) if missed < _RESIDUAL else math.inf
