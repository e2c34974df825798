"""Poses given by the user: are they rigid transforms, and if nearly, made exactly so."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

RIGID, NOT_RIGID, NOT_FINITE = 0, 1, 2
_LOOSE = 1e-6  # how far a given pose may be from rigid: six printed digits pass


@inner
def _excess(T: Array, S: Array) -> float:
    """Fill S = 3 - RᵀR and return the largest element of RᵀR - 1."""
    worst = 0.0
    for r in range(3):
        for c in range(3):
            S[r, c] = 3.0 if r == c else 0.0
            for k in range(3):
                S[r, c] -= T[k, r] * T[k, c]
            worst = max(worst, abs(S[r, c] - (2.0 if r == c else 0.0)))
    return worst


@inner
def _straighten(T: Array, S: Array) -> int:
    """Move the rotation in T to the nearest exact one by Newton's R <- R (3 - RᵀR) / 2."""
    for r in range(4):
        for c in range(4):
            if not math.isfinite(T[r, c]):
                return NOT_FINITE
            if r == 3 and abs(T[r, c] - (1.0 if c == 3 else 0.0)) > _LOOSE:
                return NOT_RIGID
    worst = _excess(T, S)
    if worst > _LOOSE:
        return NOT_RIGID
    for _ in range(3):
        if worst < 1e-15:
            break
        for r in range(3):
            x, y, z = T[r, 0], T[r, 1], T[r, 2]
            for c in range(3):
                T[r, c] = 0.5 * (x * S[0, c] + y * S[1, c] + z * S[2, c])
        worst = _excess(T, S)
    determinant = (
        T[0, 0] * (T[1, 1] * T[2, 2] - T[1, 2] * T[2, 1])
        - T[0, 1] * (T[1, 0] * T[2, 2] - T[1, 2] * T[2, 0])
        + T[0, 2] * (T[1, 0] * T[2, 1] - T[1, 1] * T[2, 0])
    )
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
    return RIGID if determinant > 0.0 else NOT_RIGID


@entry("Tuple((int64, int64))(float64[:,:,::1])")
def straighten(Ts: Array) -> tuple[int, int]:
    """Make poses exactly rigid in place; return what is wrong and with which, or RIGID and -1."""
    S = np.empty((3, 3))
    for k in range(Ts.shape[0]):
        status = _straighten(Ts[k], S)
        if status != RIGID:
            return status, k
    return RIGID, -1
