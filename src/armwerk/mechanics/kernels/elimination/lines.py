"""The fourteen products of a line, and what the eliminated joints make of them.

A line through p with direction l gives l, p, p·p, p·l, p × l and (p·p) l - 2 (p·l) p. Seen through
joints that turn, each of these is linear in (1, cos, sin) of every joint, and quadratic in the way
of one that slides (Raghavan and Roth 1990). So three samples per joint give the coefficients.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import inner
from armwerk.mechanics.kernels.direct import advance
from armwerk.mechanics.kernels.elimination.views import PRODUCTS, D, E, F

_THIRD = 2.0 * math.pi / 3.0
_ROOT = 1.0 / math.sqrt(3.0)


@inner
def products(px: float, py: float, pz: float, lx: float, ly: float, lz: float, out: Array) -> None:
    """Fill the products of a line. Shape (14,)."""
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    out[0], out[1], out[2] = lx, ly, lz
    out[3], out[4], out[5] = px, py, pz
    out[6], out[7] = pp, pl
    out[8], out[9], out[10] = py * lz - pz * ly, pz * lx - px * lz, px * ly - py * lx
    out[11] = pp * lx - 2.0 * pl * px
    out[12] = pp * ly - 2.0 * pl * py
    out[13] = pp * lz - 2.0 * pl * pz


@inner
def sample(revolute: bool, k: int) -> float:
    """Return the k-th of three values of a joint: 0 and thirds of a turn, or 0 and ±1 scale."""
    if k == 0:
        return 0.0
    size = _THIRD if revolute else 1.0
    return size if k == 1 else -size


@inner
def fill_right(links: Array, revolute: Flags, Q: Array, constant: Array) -> None:
    """Fill the products of the line seen through e and f: Q (14, 8) times unknowns, and a constant.

    Unknowns are (1, u_f, v_f) ⊗ (1, u_e, v_e) without the first, with u = cos and v = sin of an
    angle, or u = d and v = d² of a way.
    """
    near, far = np.empty((3, 4)), np.empty((3, 4))
    values = np.empty((9, PRODUCTS))
    for i in range(3):
        for r in range(3):
            for c in range(4):
                near[r, c] = links[D, r, c]
        advance(near, revolute[E], sample(revolute[E], i), links[E])
        for j in range(3):
            for r in range(3):
                for c in range(4):
                    far[r, c] = near[r, c]
            advance(far, revolute[F], sample(revolute[F], j), links[F])
            x, y, z = far[0, 3], far[1, 3], far[2, 3]
            products(
                -(far[0, 0] * x + far[1, 0] * y + far[2, 0] * z),
                -(far[0, 1] * x + far[1, 1] * y + far[2, 1] * z),
                -(far[0, 2] * x + far[1, 2] * y + far[2, 2] * z),
                far[2, 0],
                far[2, 1],
                far[2, 2],
                values[3 * j + i],
            )
    for j in range(3):
        _terms(revolute[E], values, 3 * j, 1)
    for i in range(3):
        _terms(revolute[F], values, i, 3)
    for r in range(PRODUCTS):
        constant[r] = values[0, r]
        for k in range(8):
            Q[r, k] = values[k + 1, r]


@inner
def _terms(revolute: bool, values: Array, first: int, step: int) -> None:
    """Turn three samples into the coefficients of 1, u and v, in place."""
    for r in range(PRODUCTS):
        zero, plus, minus = values[first, r], values[first + step, r], values[first + 2 * step, r]
        if revolute:
            values[first, r] = (zero + plus + minus) / 3.0
            values[first + step, r] = (2.0 * zero - plus - minus) / 3.0
            values[first + 2 * step, r] = (plus - minus) * _ROOT
        else:
            values[first + step, r] = 0.5 * (plus - minus)
            values[first + 2 * step, r] = 0.5 * (plus + minus) - zero
