"""Whether a gap can hold a solution at all.

In a gap the twelve equations M w = 0 may have several solutions at once, and often these are pairs
of complex ones that sit on the circle for every pose: an arm whose wrist axes meet has such pairs
at 0 and 180 degrees. A solution in the gap is w = (1, x, x², x³) ⊗ (1, y, y²) with a real x, and at
the gap's middle m

    ‖M(m) w‖ ≤ (half-width of the gap times ‖M'‖ + what solutions may miss) ‖w‖.

With M Π = Q R, pivots in falling order, R_1 the first rows and columns but for one to four and R_2
the rest of these rows, w is N u, N an orthonormal basis of Π (-R_1⁻¹ R_2; 1), but for η = ‖R_1⁻¹‖
times that. And with N↓, N↑ the rows of N for 1, x, x² and for x, x², x³,

    ‖(cos φ N↑ - sin φ N↓) u‖ ≤ √2 η ‖w‖,    x = tan φ.

If the left side is greater for all φ and all u, no solution is in the gap.

Rounding: twelve reflections are wrong by 400 units of ‖M‖; solving with R_1 belongs to a matrix
that is wrong by twelve units, which N shows times ‖R_1⁻¹ R_2‖; a basis by Gram and Schmidt, done
twice, by less than 1000 units of the square of that.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.determinant import SUMMED, at_angle, norm
from armwerk.mechanics.kernels.elimination.views import TERMS, UNIT

_ANGLES = 90  # at which φ is looked at; between them the left side changes by a bounded amount
_PHI = math.pi * np.arange(_ANGLES) / _ANGLES
_COSINE, _SINE = np.cos(_PHI), np.sin(_PHI)
_BETWEEN = 0.5 * math.pi / _ANGLES * math.sqrt(2.0)
_REFLECTED = 400.0 * UNIT
_SOLVED = 13.0 * UNIT
_BASIS = 1000.0 * UNIT
_OVERLAP = 1e-14  # [rad] by which parts are taken as wider, as their middles are rounded
_MOST = 4  # solutions at once that are looked at
_PARTS = 64  # of a gap, before it counts as one that may hold a solution
_CLEAR = (
    0.02  # a part that is not seen to be empty with η below this holds a solution, or nearly so
)


@inner
def speed(P: Array) -> float:
    """Return how fast ‖M w‖ / ‖w‖ of solutions can change with the hidden angle, at most."""
    total = 0.0
    for r in range(6):
        for k in range(9, TERMS):
            total += P[r, k] * P[r, k]
    return 1.23 * math.sqrt(total)  # √(3/2) between (1, x, x²) and (1, x, x², x³), each normed


@inner
def is_empty(P: Array, low: float, high: float, missed: float) -> bool:
    """Whether a gap of the hidden angle holds no solution; a wide one is looked at in parts.

    Args:
        P: The six rows. Shape (6, 27).
        low, high: Where the gap begins and ends [rad].
        missed: Bound of ‖M w‖ / ‖w‖ at solutions.
    """
    fast = speed(P)
    missed += math.sqrt(2.0) * SUMMED * norm(P)
    start, width = low, high - low
    for _ in range(_PARTS):
        width = min(width, high - start)
        reach = 0.5 * width + _OVERLAP
        empty, slack = _part(P, start + 0.5 * width, reach * fast + missed)
        if empty:
            start += width
            if start >= high - _OVERLAP:
                return True
            width *= 2.0
        elif slack < _CLEAR:
            return False
        else:
            width *= 0.4
    return False


@inner
def _part(P: Array, middle: float, miss: float) -> tuple[bool, float]:
    """Return whether a part of a gap is empty, and the smallest η below which that was not seen."""
    matrix, M = np.empty((6, 9)), np.zeros((12, 12))
    at_angle(P, math.cos(middle), math.sin(middle), matrix)
    for r in range(6):
        for k in range(9):
            M[r, k] = M[6 + r, 3 + k] = matrix[r, k]
    place, N = np.arange(12), np.empty((12, _MOST))
    size = norm(M)
    miss += _REFLECTED * size
    _triangle(M, place)
    eta = math.inf
    for number in range(1, _MOST + 1):
        inverse = _inverse_norm(M, 12 - number, size)
        if inverse * miss < 0.25:
            spread = _null_space(M, place, number, N)
            eta = inverse * (miss + _SOLVED * size * spread)
            if eta < 0.25 and _exceeds(
                N, number, _BETWEEN + 1.42 * eta / (1.0 - eta) + _BASIS * (1.0 + spread) ** 2
            ):
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
def _inverse_norm(M: Array, rank: int, size: float) -> float:
    """Return a bound of ‖R_1⁻¹‖ of the first rows and columns; ``size`` is ‖M‖."""
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
    total = math.sqrt(total)
    return 1.02 * total if _SOLVED * size * total < 0.01 else math.inf


@inner
def _null_space(M: Array, place: Integers, number: int, N: Array) -> float:
    """Fill the first columns of N (12, 4) with an orthonormal basis of what R_1 and R_2 leave.

    Returns:
        ‖R_1⁻¹ R_2‖.
    """
    rank, spread = 12 - number, 0.0
    for c in range(number):
        for r in range(12):
            N[r, c] = 0.0
        N[place[rank + c], c] = 1.0
        for r in range(rank - 1, -1, -1):
            value = M[r, rank + c]
            for k in range(r + 1, rank):
                value += M[r, k] * N[place[k], c]
            N[place[r], c] = -value / M[r, r]
            spread += N[place[r], c] ** 2
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
    return math.sqrt(spread)


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
                    value -= least * least + 1e-13
                for m in range(j):
                    value -= G[i, m] * G[j, m]
                if i == j:
                    if not value > 0.0:
                        return False
                    G[i, i] = math.sqrt(value)
                else:
                    G[i, j] = value / G[j, j]
    return True


@inner
def pair_basis(P: Array, angle: float, N: Array) -> None:
    """Fill the first two columns of N (12, 4) with a basis of what M nearly takes to nothing."""
    matrix, M = np.empty((6, 9)), np.zeros((12, 12))
    at_angle(P, math.cos(angle), math.sin(angle), matrix)
    for r in range(6):
        for k in range(9):
            M[r, k] = M[6 + r, 3 + k] = matrix[r, k]
    place = np.arange(12)
    _triangle(M, place)
    _null_space(M, place, 2, N)


@inner
def pair_vector(N: Array, step: int, side: int, w: Array) -> None:
    """Fill w (6,) = (x, x²) ⊗ (1, y, y²) of one of two solutions with the same hidden angle.

    Args:
        N: Basis in which both lie, so that N↑ u = x N↓ u, and the same for y. Shape (12, 4).
        step: 3: they differ in x, 1: they differ in y.
        side: Which of both.
        w: Filled. Shape (6,).
    """
    up, down = np.zeros((2, 2)), np.zeros((2, 2))  # N↓ᵀ N↑ and N↓ᵀ N↓
    for i in range(2):
        for j in range(2):
            for r in range(12 - step):
                if step == 3 or r % 3 < 2:
                    up[i, j] += N[r, i] * N[step + r, j]
                    down[i, j] += N[r, i] * N[r, j]
    square = down[0, 0] * down[1, 1] - down[0, 1] * down[1, 0]
    line = up[0, 0] * down[1, 1] + up[1, 1] * down[0, 0]
    line -= up[0, 1] * down[1, 0] + up[1, 0] * down[0, 1]
    rest = up[0, 0] * up[1, 1] - up[0, 1] * up[1, 0]
    root = math.sqrt(max(0.0, line * line - 4.0 * square * rest))
    x = (line + (root if side == 0 else -root)) / (2.0 * square) if square > 0.0 else 0.0
    first, second = 1.0, 0.0
    most = -1.0
    for i in range(2):
        one, two = up[i, 0] - x * down[i, 0], up[i, 1] - x * down[i, 1]
        if one * one + two * two > most:
            most, first, second = one * one + two * two, -two, one
    for k in range(6):
        w[k] = N[3 + k, 0] * first + N[3 + k, 1] * second
