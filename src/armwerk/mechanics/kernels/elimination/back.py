"""From a hidden angle back to all six joints, and Newton's method on the arm itself."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.descent import TOLERANCE, scale_jacobian
from armwerk.mechanics.kernels.direct import advance
from armwerk.mechanics.kernels.elimination.determinant import at_angle, middle, norm, null_vector
from armwerk.mechanics.kernels.elimination.reduction import unknowns_of
from armwerk.mechanics.kernels.elimination.views import (
    PHASE_A,
    PHASE_B,
    PHASE_H,
    PRODUCTS,
    UNKNOWNS,
    A,
    B,
    D,
    E,
    F,
    H,
    LoopViews,
)
from armwerk.mechanics.kernels.jacobian import pose_error, walk
from armwerk.mechanics.kernels.packed import joint_unit, length_scale
from armwerk.mechanics.kernels.turns import wrap

_STEPS = 12
_SHARP = 4e-14  # [rad or scales] an error that is rounding
_LONGEST = 0.5  # [rad or scales] of one step


@inner
def root_vector(P: Array, angle: float, w: Array) -> None:
    """Fill w (6,) = (x, x²) ⊗ (1, y, y²) of a root of the determinant, good to a few digits."""
    matrix, W, S = np.empty((6, 9)), np.empty((6, 9)), np.empty((6, 6))
    at_angle(P, math.cos(angle), math.sin(angle), matrix)
    middle(matrix, W, S, norm(matrix))
    null_vector(S, w)


@inner
def joints_of(
    views: LoopViews,
    v: int,
    links: Array,
    L: Array,
    Q: Array,
    factors: Array,
    inverse: Array,
    angle: float,
    w: Array,
    q: Array,
) -> None:
    """Fill the joints q (6,) of a hidden angle [rad] and w (6,) = (x, x²) ⊗ (1, y, y²)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    one = two = mixed = 0.0
    for k in range(3):
        one += w[k] * w[k]
        two += w[3 + k] * w[3 + k]
        mixed += w[k] * w[3 + k]
    first = 0 if one >= two else 3
    top, bottom = (mixed, one) if one >= two else (two, mixed)
    right, under = w[first + 1], w[first]
    if abs(w[first + 2]) > abs(w[first]):
        right, under = w[first + 2], w[first + 1]
    value = np.empty(6)
    a, b = np.empty(3), np.empty(3)
    value[H] = angle + PHASE_H
    value[A] = _kept(views.revolute[v, A], top, bottom, PHASE_A, a)
    value[B] = _kept(views.revolute[v, B], right, under, PHASE_B, b)
    z, right = np.empty(UNKNOWNS), np.empty(PRODUCTS)
    for r in range(PRODUCTS):
        total = 0.0
        for i in range(3):
            for j in range(3):
                k = 3 * i + j
                total += (L[r, k] + cosine * L[r, 9 + k] + sine * L[r, 18 + k]) * a[i] * b[j]
        right[r] = total
    unknowns_of(Q, factors, inverse, right, z)
    value[E] = math.atan2(z[1], z[0]) if views.revolute[v, E] else z[0]
    value[F] = math.atan2(z[5], z[2]) if views.revolute[v, F] else z[2]
    value[D] = _closing(views, v, links, value)
    scale = length_scale(views.arm)
    for k in range(6):
        unit = views.sign[v] if views.revolute[v, k] else views.sign[v] * scale
        q[views.order[v, k]] = unit * value[k]


@inner
def _kept(revolute: bool, top: float, bottom: float, phase: float, powers: Array) -> float:
    """Return a kept joint from x = top / bottom, and fill (1, x, x²), over 1 + x² if it turns."""
    if revolute:
        half = math.atan2(top, bottom)
        c, s = math.cos(half), math.sin(half)
        powers[0], powers[1], powers[2] = c * c, c * s, s * s
        return phase + 2.0 * half
    x = top / bottom if bottom != 0.0 else 0.0
    powers[0], powers[1], powers[2] = 1.0, x, x * x
    return phase + x


@inner
def _closing(views: LoopViews, v: int, links: Array, value: Array) -> float:
    """Return the angle of joint d that closes the loop: M_d⁻¹ = C_d M_e C_e M_f C_f M_h … C_b."""
    X = np.empty((3, 4))
    for r in range(3):
        for c in range(4):
            X[r, c] = links[D, 0, r, c]
    for k in (E, F, H, A, B):
        advance(X, views.revolute[v, k], value[k], links[k, 0])
    return math.atan2(X[0, 1] - X[1, 0], X[0, 0] + X[1, 1])


@inner
def polish(arm: Array, T: Array, q: Array) -> bool:
    """Bring q onto the pose by Newton's method; whether it is there to tolerance."""
    scale = length_scale(arm)
    pose, J, e = np.empty((3, 4)), np.empty((6, 6)), np.empty(6)
    best = np.empty(6)
    least, position, rotation = math.inf, math.inf, math.inf
    for _ in range(_STEPS):
        walk(arm, q, pose, J)
        along, turned = pose_error(T, pose, 6, scale, e)
        error = along / scale + turned
        if error < least:
            stalled = error > 0.25 * least
            least, position, rotation = error, along, turned
            for i in range(6):
                best[i] = q[i]
            if error < _SHARP or (stalled and error < 1e-11):
                break
        elif least < 1e-11 or error > 1e3 * least:
            break
        scale_jacobian(arm, J, scale)
        _solve(J, e)
        longest = 0.0
        for i in range(6):
            longest = max(longest, abs(e[i]))
        if not longest < math.inf:
            break
        share = min(1.0, _LONGEST / longest) if longest > 0.0 else 1.0
        for i in range(6):
            q[i] += share * e[i] * joint_unit(arm, i)
    for i in range(6):
        q[i] = best[i]
    wrap(arm, q)
    return position <= TOLERANCE and rotation <= TOLERANCE


@inner
def _solve(J: Array, e: Array) -> None:
    """Solve J x = e in place by elimination with row exchanges; x stands in e."""
    for k in range(6):
        best, place = abs(J[k, k]), k
        for r in range(k + 1, 6):
            if abs(J[r, k]) > best:
                best, place = abs(J[r, k]), r
        if place != k:
            e[k], e[place] = e[place], e[k]
            for c in range(k, 6):
                J[k, c], J[place, c] = J[place, c], J[k, c]
        if best < 1e-15:
            J[k, k] = 1e-15
        for r in range(k + 1, 6):
            share = J[r, k] / J[k, k]
            e[r] -= share * e[k]
            for c in range(k + 1, 6):
                J[r, c] -= share * J[k, c]
    for k in range(5, -1, -1):
        value = e[k]
        for c in range(k + 1, 6):
            value -= J[k, c] * e[c]
        e[k] = value / J[k, k]
