"""The determinant that vanishes at solutions, as a function of the hidden angle.

At a hidden angle θ the six equations P m = 0 read E_0 + E_1 x + E_2 x² = 0 with x of the first
kept joint and E_i of shape (6, 3), columns for 1, y, y² of the second. Each times 1 and times x:

    [E_0 E_1 E_2  0 ]
    [ 0  E_0 E_1 E_2] (1, x, x², x³) ⊗ (1, y, y²) = 0,

twelve equations M w = 0, twelve products (Raghavan and Roth). Reflections clear the first three
columns of the upper half and the last three of the lower; what is left is a 6 by 6 matrix S of the
middle ones, and the determinant is that of S times two triangles'. For a true P it is a
trigonometric polynomial of degree 8: sixteen solutions at most, and no angle at infinity. For any
other it is one of degree 12.

What rounding does is told by M itself: the numbers that come out belong exactly to a matrix beside
it. A reflection of m rows, by the vector that is stored, is applied to b with an error of
(3 m + 13) units of ‖b‖: m for the product of both, m/2 + 4 for the factor, 2 for the rest, twice
all that as a reflection doubles, and 1 for the sum. That is 84 units of ‖E‖ for three. The sums
that make E are wrong by 14 units of ‖P‖, those of cosine and sine included, and the factors of S by
six units of their norms' product. A matrix that is wrong by D has a determinant that is wrong by
|det| (exp(‖M⁻¹‖ ‖D‖) - 1) at most, Frobenius norms.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.views import UNIT

SUMMED = 14.0 * UNIT
REFLECTED = 86.0 * UNIT
FACTORED = 7.0 * UNIT
_TINY = 1e-100  # instead of a pivot that is exactly zero
_CLEAR = 0.01  # relative error of an inverse that is still good for a bound


@inner
def at_angle(P: Array, cosine: float, sine: float, E: Array) -> None:
    """Fill E of shape (6, 9) at a hidden angle from the six rows P (6, 27)."""
    for r in range(6):
        for k in range(9):
            E[r, k] = P[r, k] + cosine * P[r, 9 + k] + sine * P[r, 18 + k]


@inner
def norm(matrix: Array) -> float:
    """Return the Frobenius norm."""
    total = 0.0
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            total += matrix[r, c] * matrix[r, c]
    return math.sqrt(total)


@inner
def _clear(W: Array, first: int, size: float) -> tuple[float, float, float]:
    """Reflect three columns of W (6, 9) to a triangle.

    Returns:
        Its determinant, a bound of ‖inverse‖, and one of ‖inverse times what stands beside it‖.
    """
    determinant = 1.0
    for k in range(3):
        c = first + k
        square = 0.0
        for r in range(k, 6):
            square += W[r, c] * W[r, c]
        length = math.sqrt(square)
        head = -length if W[k, c] > 0.0 else length
        determinant *= head
        if length < _TINY:
            return 0.0, math.inf, math.inf
        W[k, c] -= head
        factor = 1.0 / (head * W[k, c])
        for other in range(9):
            if first <= other <= c:
                continue
            along = 0.0
            for r in range(k, 6):
                along += W[r, c] * W[r, other]
            along *= factor
            for r in range(k, 6):
                W[r, other] += along * W[r, c]
        W[k, c] = head
    a, d, f = 1.0 / W[0, first], 1.0 / W[1, first + 1], 1.0 / W[2, first + 2]
    b = -a * W[0, first + 1] * d
    e = -d * W[1, first + 2] * f
    c0 = -a * (W[0, first + 1] * e + W[0, first + 2] * f)
    inverse = math.sqrt(a * a + b * b + c0 * c0 + d * d + e * e + f * f)
    beside = 0.0
    for k in range(6):
        other = 3 + k if first == 0 else k
        x, y, z = W[0, other], W[1, other], W[2, other]
        beside += (a * x + b * y + c0 * z) ** 2 + (d * y + e * z) ** 2 + (f * z) ** 2
    wrong = 10.0 * UNIT * size * inverse  # relative error of the inverse
    if not wrong < _CLEAR:
        return determinant, math.inf, math.inf
    return (
        determinant,
        (1.0 + 2.0 * wrong) * inverse,
        math.sqrt(beside) + 3.0 * wrong * inverse * size,
    )


@inner
def middle(E: Array, W: Array, S: Array, size: float) -> tuple[float, float, float]:
    """Fill S (6, 6).

    Args:
        E: Shape (6, 9).
        W: Room. Shape (6, 9).
        S: Filled. Shape (6, 6).
        size: ‖E‖.

    Returns:
        The determinant of both triangles, and two numbers with which ‖w‖ ≤ (edge + spread s) ‖r‖
        for M w = r, when ‖S⁻¹‖ is s.
    """
    for r in range(6):
        for k in range(9):
            W[r, k] = E[r, k]
    upper, above, left = _clear(W, 0, size)
    for r in range(3):
        for k in range(6):
            S[r, k] = W[3 + r, 3 + k]
    for r in range(6):
        for k in range(9):
            W[r, k] = E[r, k]
    lower, below, right = _clear(W, 6, size)
    for r in range(3):
        for k in range(6):
            S[3 + r, k] = W[3 + r, k]
    edge, spread = math.sqrt(above * above + below * below), math.sqrt(1.0 + left**2 + right**2)
    return upper * lower, edge, spread


@inner
def _inverse_norm(S: Array) -> tuple[float, float]:
    """Return bounds of ‖(L U)⁻¹‖, infinite where digits are lost, and of ‖L‖ ‖U‖; both are in S."""
    U, V = np.zeros((6, 6)), np.zeros((6, 6))  # inverses of U and of L
    upper, lower, above, below, total = 0.0, 6.0, 0.0, 0.0, 0.0
    for c in range(6):
        for r in range(6):
            if r <= c:
                upper += S[r, c] * S[r, c]
            else:
                lower += S[r, c] * S[r, c]
        U[c, c], V[c, c] = 1.0 / S[c, c], 1.0
        for r in range(c - 1, -1, -1):
            value = 0.0
            for k in range(r + 1, c + 1):
                value -= S[r, k] * U[k, c]
            U[r, c] = value / S[r, r]
        for r in range(c + 1, 6):
            value = 0.0
            for k in range(c, r):
                value -= S[r, k] * V[k, c]
            V[r, c] = value
    for r in range(6):
        for c in range(6):
            above += U[r, c] * U[r, c]
            below += V[r, c] * V[r, c]
            value = 0.0
            for k in range(max(r, c), 6):
                value += U[r, k] * V[k, c]
            total += value * value
    upper, lower = math.sqrt(upper), math.sqrt(lower)
    above, below = math.sqrt(above), math.sqrt(below)
    wrong = 8.0 * UNIT * (upper * above + lower * below)  # relative error of either inverse
    if not wrong < _CLEAR:
        return math.inf, lower * upper
    return math.sqrt(total) + 3.0 * wrong * above * below, lower * upper


@inner
def determinant(E: Array, W: Array, S: Array) -> tuple[float, float, float]:
    """Return the determinant of M, ‖M⁻¹‖ at most, and how wrong the matrix may be that has them.

    Frobenius norms. E (6, 9), and room: W (6, 9) and S (6, 6).
    """
    size = norm(E)
    value, edge, spread = middle(E, W, S, size)
    for k in range(6):
        best, place = -1.0, k
        for r in range(k, 6):
            if abs(S[r, k]) > best:
                best, place = abs(S[r, k]), r
        if place != k:
            value = -value
            for c in range(6):
                S[k, c], S[place, c] = S[place, c], S[k, c]
        if best < _TINY:
            return 0.0, math.inf, 0.0
        value *= S[k, k]
        for r in range(k + 1, 6):
            S[r, k] /= S[k, k]
            for c in range(k + 1, 6):
                S[r, c] -= S[r, k] * S[k, c]
    inverse, factors = _inverse_norm(S)
    back = math.sqrt(2.0) * REFLECTED * size + FACTORED * factors
    return value, edge + spread * inverse, back


@inner
def null_vector(S: Array, w: Array) -> None:
    """Fill w (6,) with what the nearly singular S (6, 6) takes to nothing; S is used up."""
    place, values = np.arange(6), np.zeros(6)
    for k in range(5):
        best, row, column = -1.0, k, k
        for r in range(k, 6):
            for c in range(k, 6):
                if abs(S[r, c]) > best:
                    best, row, column = abs(S[r, c]), r, c
        if row != k:
            for c in range(6):
                S[k, c], S[row, c] = S[row, c], S[k, c]
        if column != k:
            for r in range(6):
                S[r, k], S[r, column] = S[r, column], S[r, k]
            place[k], place[column] = place[column], place[k]
        if best < _TINY:
            break
        for r in range(k + 1, 6):
            share = S[r, k] / S[k, k]
            for c in range(k, 6):
                S[r, c] -= share * S[k, c]
    values[5] = 1.0
    for k in range(4, -1, -1):
        total = 0.0
        for c in range(k + 1, 6):
            total -= S[k, c] * values[c]
        values[k] = total / S[k, k] if abs(S[k, k]) > _TINY else 0.0
    for k in range(6):
        w[place[k]] = values[k]
