"""Whether a gap can hold a solution at all.

In a gap the twelve equations M v = 0 may have several solutions at once, and often these are pairs
of complex ones that sit on the circle for every pose: an arm whose wrist axes meet has such pairs
at 0 and 180 degrees. A solution in the gap is v = (1, x, x², x³) ⊗ (1, y, y²) with a real x, and

    ‖M(m) v‖ ≤ (half-width of the gap times ‖M'‖ + error of M) ‖v‖

at its middle m. With M Π = Q R, pivots in falling order, R_1 the first rows and columns but for one
to four and R_2 the rest of these rows, v is N u, N an orthonormal basis of Π (-R_1⁻¹ R_2; 1), but
for η = ‖R_1⁻¹‖ times that. And with N↓, N↑ the rows of N for 1, x, x² and for x, x², x³,

    ‖(cos φ N↑ - sin φ N↓) u‖ ≤ 2 η ‖v‖,    x = tan φ.

If the left side is greater for all φ and all u, no solution is in the gap.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.determinant import at_angle
from armwerk.mechanics.kernels.elimination.views import PRODUCTS, TERMS

_ANGLES = 90  # at which φ is looked at; between them the left side changes by a bounded amount
_PHI = math.pi * np.arange(_ANGLES) / _ANGLES
_COSINE, _SINE = np.cos(_PHI), np.sin(_PHI)
_BETWEEN = 0.5 * math.pi / _ANGLES * math.sqrt(2.0)
_MOST = 4  # solutions at once that are looked at
_PARTS = 64  # of a gap, before it counts as one that may hold a solution
_CLEAR = (
    0.02  # a part that is not seen to be empty with η below this holds a solution, or nearly so
)


@inner
def is_empty(L: Array, low: float, high: float, wrong: float) -> bool:
    """Whether a gap of the hidden angle holds no solution; a wide one is looked at in parts.

    Args:
        L: As reduced; the last six rows are P.
        low, high: Where the gap begins and ends [rad].
        wrong: Bound of the error of P.
    """
    speed = 0.0
    for r in range(8, PRODUCTS):
        for k in range(9, TERMS):
            speed += L[r, k] * L[r, k]
    speed = math.sqrt(2.0 * speed)
    start, width = low, high - low
    for _ in range(_PARTS):
        width = min(width, high - start)
        empty, slack = _part(L, start + 0.5 * width, 0.5 * width * speed + 2.0 * wrong)
        if empty:
            start += width
            if start >= high - 1e-15:
                return True
            width *= 2.0
        elif slack < _CLEAR:
            return False
        else:
            width *= 0.4
    return False


@inner
def _part(L: Array, middle: float, miss: float) -> tuple[bool, float]:
    """Return whether a part of a gap is empty, and the smallest η below which that was not seen."""
    matrix, M = np.empty((6, 9)), np.zeros((12, 12))
    at_angle(L, math.cos(middle), math.sin(middle), matrix)
    for r in range(6):
        for k in range(9):
            M[r, k] = M[6 + r, 3 + k] = matrix[r, k]
    place, N = np.arange(12), np.empty((12, _MOST))
    _triangle(M, place)
    eta = math.inf
    for number in range(1, _MOST + 1):
        eta = _inverse_norm(M, 12 - number) * miss
        if eta < 0.25:
            _null_space(M, place, number, N)
            if _exceeds(N, number, _BETWEEN + 2.0 * eta / (1.0 - eta)):
                return True, eta
    return False, eta


@inner
def _triangle(M: Array, place: Integers) -> None:
    """Reflect M to a triangle, the longest column first."""
    for k in range(12):
        best, column = -1.0, k
        for c in range(k, 12):
            square = 0.0
            for r in range(k, 12):
                square += M[r, c] * M[r, c]
            if square > best:
                best, column = square, c
        if column != k:
            place[k], place[column] = place[column], place[k]
            for r in range(12):
                M[r, k], M[r, column] = M[r, column], M[r, k]
        length = max(math.sqrt(best), 1e-100)
        head = -length if M[k, k] > 0.0 else length
        M[k, k] -= head
        factor = 1.0 / (head * M[k, k])
        for c in range(k + 1, 12):
            along = 0.0
            for r in range(k, 12):
                along += M[r, k] * M[r, c]
            along *= factor
            for r in range(k, 12):
                M[r, c] += along * M[r, k]
        M[k, k] = head


@inner
def _inverse_norm(M: Array, rank: int) -> float:
    """Return ‖R_1⁻¹‖ of the first rows and columns."""
    total = 0.0
    column = np.empty(12)
    for c in range(rank):
        column[c] = 1.0 / M[c, c]
        total += column[c] ** 2
        for r in range(c - 1, -1, -1):
            value = 0.0
            for k in range(r + 1, c + 1):
                value -= M[r, k] * column[k]
            column[r] = value / M[r, r]
            total += column[r] ** 2
    return math.sqrt(total)


@inner
def _null_space(M: Array, place: Integers, number: int, N: Array) -> None:
    """Fill the first columns of N (12, 4) with an orthonormal basis of what R_1 and R_2 leave."""
    rank = 12 - number
    for c in range(number):
        for r in range(12):
            N[r, c] = 0.0
        N[place[rank + c], c] = 1.0
        for r in range(rank - 1, -1, -1):
            value = M[r, rank + c]
            for k in range(r + 1, rank):
                value += M[r, k] * N[place[k], c]
            N[place[r], c] = -value / M[r, r]
    for c in range(number):
        for before in range(2 * c):  # twice, for the digits
            along = 0.0
            for r in range(12):
                along += N[r, c] * N[r, before % c]
            for r in range(12):
                N[r, c] -= along * N[r, before % c]
        square = 0.0
        for r in range(12):
            square += N[r, c] * N[r, c]
        for r in range(12):
            N[r, c] /= math.sqrt(square)


@inner
def _exceeds(N: Array, number: int, least: float) -> bool:
    """Whether cos φ N↑ - sin φ N↓ makes every u longer than ``least``, at all angles looked at."""
    upper, cross, lower = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    G = np.empty((4, 4))
    for i in range(number):
        for j in range(i + 1):
            for r in range(9):
                upper[i, j] += N[3 + r, i] * N[3 + r, j]
                lower[i, j] += N[r, i] * N[r, j]
                cross[i, j] += N[3 + r, i] * N[r, j] + N[r, i] * N[3 + r, j]
    for k in range(_ANGLES):
        c, s = _COSINE[k], _SINE[k]
        for i in range(number):  # Cholesky: positive if and only if the smallest is
            for j in range(i + 1):
                value = c * c * upper[i, j] - c * s * cross[i, j] + s * s * lower[i, j]
                if i == j:
                    value -= least * least
                for m in range(j):
                    value -= G[i, m] * G[j, m]
                if i == j:
                    if not value > 0.0:
                        return False
                    G[i, i] = math.sqrt(value)
                else:
                    G[i, j] = value / G[j, j]
    return True
