"""The determinant that vanishes at solutions, as a function of the hidden angle.

At a hidden angle θ the six equations P m = 0 read E_0 + E_1 x + E_2 x² = 0 with x of the first
kept joint and E_i of shape (6, 3), columns for 1, y, y² of the second. Each times 1 and times x:

    [E_0 E_1 E_2  0 ]
    [ 0  E_0 E_1 E_2] (1, x, x², x³) ⊗ (1, y, y²) = 0,

twelve equations, twelve products (Raghavan and Roth). Reflections clear the first three columns of
the upper half and the last three of the lower; what is left is a 6 by 6 matrix S of the middle
ones, and the determinant is that of S times two triangles'. As a function of θ it is a
trigonometric polynomial of degree 8: sixteen solutions at most, and no angle at infinity.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner

_TINY = 1e-100  # instead of a pivot that is exactly zero


@inner
def at_angle(L: Array, cosine: float, sine: float, E: Array) -> None:
    """Fill E of shape (6, 9) at a hidden angle from the last six rows of L."""
    for r in range(6):
        for k in range(9):
            E[r, k] = L[8 + r, k] + cosine * L[8 + r, 9 + k] + sine * L[8 + r, 18 + k]


@inner
def _clear(W: Array, first: int) -> tuple[float, float]:
    """Reflect three columns of W (6, 9) to a triangle; return its determinant and ‖inverse‖."""
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
            return 0.0, 1.0 / _TINY
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
    return determinant, math.sqrt(a * a + b * b + c0 * c0 + d * d + e * e + f * f)


@inner
def middle(E: Array, W: Array, S: Array) -> tuple[float, float]:
    """Fill S (6, 6); return the determinant of both triangles and the sum of ‖inverses‖."""
    for r in range(6):
        for k in range(9):
            W[r, k] = E[r, k]
    upper, above = _clear(W, 0)
    for r in range(3):
        for k in range(6):
            S[r, k] = W[3 + r, 3 + k]
    for r in range(6):
        for k in range(9):
            W[r, k] = E[r, k]
    lower, below = _clear(W, 6)
    for r in range(3):
        for k in range(6):
            S[3 + r, k] = W[3 + r, k]
    return upper * lower, above + below


@inner
def determinant(E: Array, W: Array, S: Array) -> tuple[float, float]:
    """Return the determinant, and by how much it changes per change of the matrix at most.

    The second is |det| times a bound of ‖inverse‖.
    """
    triangles, edges = middle(E, W, S)
    size = 0.0
    for r in range(6):
        for k in range(9):
            size += E[r, k] * E[r, k]
    value = triangles
    for k in range(6):  # Gauss and Jordan: S becomes its inverse
        best, place = -1.0, k
        for r in range(k, 6):
            if abs(S[r, k]) > best:
                best, place = abs(S[r, k]), r
        if place != k:
            value = -value
            for c in range(6):
                S[k, c], S[place, c] = S[place, c], S[k, c]
        pivot = S[k, k]
        if abs(pivot) < _TINY:
            pivot = _TINY
        value *= pivot
        S[k, k] = 1.0
        for c in range(6):
            S[k, c] /= pivot
        for r in range(6):
            if r != k:
                share = S[r, k]
                S[r, k] = 0.0
                for c in range(6):
                    S[r, c] -= share * S[k, c]
    square = 0.0
    for r in range(6):
        for c in range(6):
            square += S[r, c] * S[r, c]
    inverse = math.sqrt(square)
    return value, abs(value) * (inverse + edges * (1.0 + math.sqrt(size) * inverse))


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
