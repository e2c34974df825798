"""Removing the eliminated joints: fourteen equations become six without them.

With Q z = L m, where z holds the eight products of the eliminated joints and m the twenty-seven of
the others, reflections turn Q into a triangle R over zeros. The six rows below it read 0 = P m; the
eight above give z, once m is known. All lengths are in scales, so every number is near 1.

The error of P is bounded by what is known of rounding: that of Q and L by a multiple of the unit,
and an error of Q tilts the six rows by that over the smallest singular value of R.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.views import PRODUCTS, TERMS, UNKNOWNS

UNIT = 2.0**-53
ROUNDING = 2.0
"""Units by which Q and L are wrong, relative to their norms. The bound of the determinant that
follows is a thousand times the largest error met in comparisons with 40 digits: see the tests."""


@inner
def reduce_products(Q: Array, L: Array, inverse: Array) -> float:
    """Turn Q into a triangle over zeros, L alongside; return a bound of the error of P.

    Args:
        Q: Shape (14, 8); its triangle R comes back.
        L: Shape (14, 27); its last six rows are P afterwards.
        inverse: Filled with the inverse of R. Shape (8, 8).

    Returns:
        Bound of the Frobenius norm of the error of P; infinite where R is singular.
    """
    size = _norm(Q)
    total = _norm(L)
    for k in range(UNKNOWNS):
        square = 0.0
        for r in range(k, PRODUCTS):
            square += Q[r, k] * Q[r, k]
        length = math.sqrt(square)
        if length < 1e-200:
            return math.inf
        head = -length if Q[k, k] > 0.0 else length
        Q[k, k] -= head
        factor = 1.0 / (head * Q[k, k])  # minus two over the square of the vector
        for c in range(k + 1, UNKNOWNS):
            _reflect(Q, k, Q, c, factor)
        _reflect_rows(Q, k, L, factor)
        for r in range(k + 1, PRODUCTS):
            Q[r, k] = 0.0
        Q[k, k] = head
    square = 0.0
    for c in range(UNKNOWNS):
        for r in range(UNKNOWNS):
            inverse[r, c] = 0.0
        inverse[c, c] = 1.0 / Q[c, c]
        for r in range(c - 1, -1, -1):
            value = 0.0
            for k in range(r + 1, c + 1):
                value -= Q[r, k] * inverse[k, c]
            inverse[r, c] = value / Q[r, r]
        for r in range(c + 1):
            square += inverse[r, c] * inverse[r, c]
    return ROUNDING * UNIT * total * (1.0 + size * math.sqrt(square))


@inner
def _norm(matrix: Array) -> float:
    total = 0.0
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            total += matrix[r, c] * matrix[r, c]
    return math.sqrt(total)


@inner
def _reflect(Q: Array, k: int, target: Array, c: int, factor: float) -> None:
    along = 0.0
    for r in range(k, PRODUCTS):
        along += Q[r, k] * target[r, c]
    along *= factor
    for r in range(k, PRODUCTS):
        target[r, c] += along * Q[r, k]


@inner
def _reflect_rows(Q: Array, k: int, L: Array, factor: float) -> None:
    for c in range(TERMS):
        along = 0.0
        for r in range(k, PRODUCTS):
            along += Q[r, k] * L[r, c]
        along *= factor
        for r in range(k, PRODUCTS):
            L[r, c] += along * Q[r, k]
