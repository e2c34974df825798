"""The fourteen products of a line, and what the eliminated joints make of them.

A line through p with direction l gives l, p, p·p, p·l, p × l and (p·p) l - 2 (p·l) p. Seen through
joints that turn, each of these is linear in (1, cos, sin) of every joint, and quadratic in the way
of one that slides (Raghavan and Roth 1990). So three samples per joint give the coefficients.

A direction that is wrong by ε and a place, at most ℓ away, that is wrong by λ make the products
wrong by ε, λ, 2 ℓ λ, ℓ ε + λ (p·l and p × l together: they are a product of quaternions) and
2 ℓ λ + ℓ² ε (the last is ℓ² times a reflection of l, and as a function of p its derivative is 2 ℓ
times an orthogonal matrix). All is computed in numbers of twice the digits and rounded at the end.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.twofold import (
    add,
    invert,
    multiply,
    product,
)
from armwerk.mechanics.kernels.elimination.views import PRODUCTS, D, E, F

_THIRD = (1.0 / 3.0, 1.850371707708594e-17)  # twofold numbers
_SINE = (
    0.8660254037844386,
    5.0175421109034514e-17,
)  # √3/2, of a third of a turn; its cosine is -1/2
_ROOT = (0.5773502691896257, 3.3450280739356345e-17)  # 1/√3
_TURNED, _SLID = 0.8165, 1.5103  # ‖samples to coefficients‖ of a joint that turns, or slides
_LOOSE = 1e-4  # an error of the pose whose square is not a hundredth of it


@inner
def _products(X: Array, out: Array) -> None:
    """Fill the products of the line that is the z axis of a twofold pose. Shape (2, 14)."""
    for k in range(3):
        for i in range(2):
            out[i, k], out[i, 3 + k] = X[i, k, 2], X[i, k, 3]
    pp, pp2, pl, pl2 = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        one, two = multiply(out[0, 3 + k], out[1, 3 + k], out[0, 3 + k], out[1, 3 + k])
        pp, pp2 = add(pp, pp2, one, two)
        one, two = multiply(out[0, 3 + k], out[1, 3 + k], out[0, k], out[1, k])
        pl, pl2 = add(pl, pl2, one, two)
    out[0, 6], out[1, 6], out[0, 7], out[1, 7] = pp, pp2, pl, pl2
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        one, two = multiply(out[0, 3 + i], out[1, 3 + i], out[0, j], out[1, j])
        less, rest = multiply(out[0, 3 + j], out[1, 3 + j], out[0, i], out[1, i])
        out[0, 8 + k], out[1, 8 + k] = add(one, two, -less, -rest)
        one, two = multiply(pp, pp2, out[0, k], out[1, k])
        less, rest = multiply(2.0 * pl, 2.0 * pl2, out[0, 3 + k], out[1, 3 + k])
        out[0, 11 + k], out[1, 11 + k] = add(one, two, -less, -rest)


@inner
def _advance(pose: Array, revolute: bool, k: int, K: Array, out: Array) -> None:
    """Fill a pose times the k-th sample of a joint and the link behind it; all (2, 3, 4), twofold.

    Samples are 0 and thirds of a turn to either side, or 0 and one scale.
    """
    turned = np.empty((2, 3, 4))
    for r in range(3):
        for c in range(4):
            for i in range(2):
                turned[i, r, c] = pose[i, r, c]
        if k == 0:
            continue
        if revolute:
            x, x2, y, y2 = pose[0, r, 0], pose[1, r, 0], pose[0, r, 1], pose[1, r, 1]
            sign = 1.0 if k == 1 else -1.0
            one, two = multiply(x, x2, sign * _SINE[0], sign * _SINE[1])
            turned[0, r, 1], turned[1, r, 1] = add(-0.5 * y, -0.5 * y2, -one, -two)
            one, two = multiply(y, y2, sign * _SINE[0], sign * _SINE[1])
            turned[0, r, 0], turned[1, r, 0] = add(-0.5 * x, -0.5 * x2, one, two)
        else:
            step = 1.0 if k == 1 else -1.0
            turned[0, r, 3], turned[1, r, 3] = add(
                pose[0, r, 3], pose[1, r, 3], step * pose[0, r, 2], step * pose[1, r, 2]
            )
    product(turned, K, out)


@inner
def fill_right(links: Array, revolute: Flags, Q: Array, constant: Array) -> None:
    """Fill the products of the line seen through e and f: Q (14, 8) times unknowns, and a constant.

    Unknowns are (1, u_f, v_f) ⊗ (1, u_e, v_e) without the first, with u = cos and v = sin of an
    angle, or u = d and v = d² of a way.
    """
    near, far, seen = np.empty((2, 3, 4)), np.empty((2, 3, 4)), np.empty((2, 3, 4))
    values = np.empty((9, 2, PRODUCTS))
    for i in range(3):
        _advance(links[D], revolute[E], i, links[E], near)
        for j in range(3):
            _advance(near, revolute[F], j, links[F], far)
            invert(far, seen)
            _products(seen, values[3 * j + i])
    for j in range(3):
        _terms(revolute[E], values, 3 * j, 1)
    for i in range(3):
        _terms(revolute[F], values, i, 3)
    for r in range(PRODUCTS):
        constant[r] = values[0, 0, r]
        for k in range(8):
            Q[r, k] = values[k + 1, 0, r]


@inner
def _terms(revolute: bool, values: Array, first: int, step: int) -> None:
    """Turn three samples into the coefficients of 1, u and v, in place."""
    zero, plus, minus = values[first], values[first + step], values[first + 2 * step]
    for r in range(PRODUCTS):
        z, z2 = zero[0, r], zero[1, r]
        total, total2 = add(plus[0, r], plus[1, r], minus[0, r], minus[1, r])
        less, less2 = add(plus[0, r], plus[1, r], -minus[0, r], -minus[1, r])
        if revolute:
            total, total2 = add(total, total2, z, z2)
            total, total2 = multiply(total, total2, _THIRD[0], _THIRD[1])
            zero[0, r], zero[1, r] = total, total2
            plus[0, r], plus[1, r] = add(z, z2, -total, -total2)
            minus[0, r], minus[1, r] = multiply(less, less2, _ROOT[0], _ROOT[1])
        else:
            plus[0, r], plus[1, r] = 0.5 * less, 0.5 * less2
            minus[0, r], minus[1, r] = add(0.5 * total, 0.5 * total2, -z, -z2)


@inner
def right_error(
    links: Array, revolute: Flags, slot: int, link_wrong: float, turned: float, moved: float
) -> float:
    """Return a bound of the error of Q and the constant together, but for their last rounding.

    Frobenius norm.

    Args:
        links: Shape (6, 2, 3, 4).
        revolute: Shape (6,).
        slot: Place of the pose's link.
        link_wrong: Bound of the error of other links, relative to their lengths.
        turned, moved: Bounds of the error of the pose's rotation, Frobenius norm, and of its way.
    """
    if turned > _LOOSE or moved > _LOOSE:
        return math.inf
    wrong = placed = reach = 0.0  # ε, λ and ℓ
    spread = 3.0  # of nine samples
    for k in (D, E, F):
        way = 0.0
        for r in range(3):
            way += links[k, 0, r, 3] * links[k, 0, r, 3]
        way = math.sqrt(way)
        if k > D:
            spread *= _TURNED if revolute[k] else _SLID
            way += 0.0 if revolute[k] else 1.0
        placed += wrong * way
        placed += moved if k == slot else link_wrong * (1.0 + way)
        wrong += turned if k == slot else link_wrong
        reach += way
    placed += wrong * reach  # seen from the other end
    square = reach * reach
    line = wrong * wrong + placed * placed
    line += (2.0 * reach * placed) ** 2
    line += (reach * wrong + placed) ** 2
    line += (2.0 * reach * placed + square * wrong) ** 2
    return spread * (1.01 * math.sqrt(line) + 1e-24 * (1.0 + square))
