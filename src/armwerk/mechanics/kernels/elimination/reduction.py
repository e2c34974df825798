"""Removing the eliminated joints: fourteen equations become six without them.

With Q z + k = left m, where z holds the eight products of the eliminated joints and m the
twenty-seven of the others, reflections turn Q into a triangle R over zeros; the last six rows of
their product are N, with N Q = 0. What is left is P m = 0 with P = N L and L = left - k. All
lengths are in scales, so every number is near 1.

In numbers N Q is not quite 0. But whatever N is, a true solution has

    N Q z + N k = N left m    exactly, so that
    ‖P m‖ ≤ ‖N Q‖ ‖z‖ + ‖N‖ (errors of Q, k, L) + ‖N L - P‖,

and ‖z‖, ‖m‖ are known, as they are made of cosines and sines. So the first term is looked at once
N and Q are there, and neither the size of Q's inverse nor any property of reflections matters. A
sum of fourteen products, in two halves, is wrong by eight units of Σ n_k l_k at most, n_k the norms
of N's columns and l_k those of the rows that it meets.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.views import PRODUCTS, TERMS, UNIT, UNKNOWNS

_DOT = 8.0 * UNIT
_LEFT = PRODUCTS - UNKNOWNS
_NORM = 1.0 + 1e-12  # bound of ‖N‖: eight reflections are wrong by a thousand units at most
SMALLEST = 0.61
"""Smallest norm of the twelve products (1, x, x², x³) ⊗ (1, y, y²) of a solution, in the scale in
which ‖(1, x, x²) ⊗ (1, y, y²)‖ is at most 1, x = tan φ: √(1 - 2 c² s²) √(1 - c² s²) ≥ √(3/8)."""


@inner
def reduce_products(Q: Array, factors: Array, inverse: Array) -> bool:
    """Turn Q into a triangle over the vectors of the reflections that make it.

    Args:
        Q: Shape (14, 8); its triangle R comes back, the vectors below it but for their heads.
        factors: Filled with minus two over squares of the vectors, and their heads. Shape (8, 2).
        inverse: Filled with the inverse of R. Shape (8, 8).

    Returns:
        Whether R is regular.
    """
    for k in range(UNKNOWNS):
        square = 0.0
        for r in range(k, PRODUCTS):
            square += Q[r, k] * Q[r, k]
        length = math.sqrt(square)
        if length < 1e-200:
            return False
        head = -length if Q[k, k] > 0.0 else length
        Q[k, k] -= head
        factor = 1.0 / (head * Q[k, k])
        for c in range(k + 1, UNKNOWNS):
            along = 0.0
            for r in range(k, PRODUCTS):
                along += Q[r, k] * Q[r, c]
            along *= factor
            for r in range(k, PRODUCTS):
                Q[r, c] += along * Q[r, k]
        factors[k, 0], factors[k, 1] = factor, Q[k, k]
        Q[k, k] = head
    for c in range(UNKNOWNS):
        for r in range(UNKNOWNS):
            inverse[r, c] = 0.0
        inverse[c, c] = 1.0 / Q[c, c]
        for r in range(c - 1, -1, -1):
            value = 0.0
            for k in range(r + 1, c + 1):
                value -= Q[r, k] * inverse[k, c]
            inverse[r, c] = value / Q[r, r]
    return True


@inner
def fill_rows(
    before: Array,
    Q: Array,
    factors: Array,
    L: Array,
    P: Array,
    unknowns: float,
    right_wrong: float,
    left_wrong: float,
    amplified: float,
) -> tuple[float, float]:
    """Fill P (6, 27); return bounds of ‖P m‖ at solutions, and of the distance to true rows.

    The first is for m of norm √2 at most. The second, Frobenius norm, is that of P to N' L with the
    true L and N' = N - N Q Q⁺, which is N' Q = 0.

    Args:
        before: Q before it was reduced. Shape (14, 8).
        Q, factors: As reduced.
        L: Shape (14, 27).
        P: Filled. Shape (6, 27).
        unknowns: Bound of ‖z‖.
        right_wrong: Bound of the error of Q and k together, Frobenius norm.
        left_wrong: The same of the left side.
        amplified: Bound of ‖Q⁺ L‖.
    """
    N = np.zeros((_LEFT, PRODUCTS))
    for i in range(_LEFT):
        N[i, UNKNOWNS + i] = 1.0
        for k in range(UNKNOWNS - 1, -1, -1):
            along = N[i, k] * factors[k, 1]
            for r in range(k + 1, PRODUCTS):
                along += N[i, r] * Q[r, k]
            along *= factors[k, 0]
            N[i, k] += along * factors[k, 1]
            for r in range(k + 1, PRODUCTS):
                N[i, r] += along * Q[r, k]
    half = PRODUCTS // 2
    other = np.empty(TERMS)
    residual = 0.0
    for i in range(_LEFT):
        for c in range(TERMS):
            P[i, c] = other[c] = 0.0
        for k in range(half):
            for c in range(TERMS):
                P[i, c] += N[i, k] * L[k, c]
                other[c] += N[i, half + k] * L[half + k, c]
        for c in range(TERMS):
            P[i, c] += other[c]
        for c in range(UNKNOWNS):
            one = two = 0.0
            for k in range(half):
                one += N[i, k] * before[k, c]
                two += N[i, half + k] * before[half + k, c]
            residual += (one + two) ** 2
    rows = met = size = 0.0
    for k in range(PRODUCTS):
        column = of_left = of_right = 0.0
        for i in range(_LEFT):
            column += N[i, k] * N[i, k]
        for c in range(TERMS):
            of_left += L[k, c] * L[k, c]
        for c in range(UNKNOWNS):
            of_right += before[k, c] * before[k, c]
        size += of_left
        rows += math.sqrt(column * of_left)
        met += math.sqrt(column * of_right)
    tilted = math.sqrt(residual) + _DOT * met
    left = _NORM * (left_wrong + UNIT * math.sqrt(size)) + _DOT * rows
    missed = unknowns * tilted + math.sqrt(2.0) * left
    missed += math.sqrt(1.0 + unknowns * unknowns) * _NORM * right_wrong
    wrong = (tilted + _NORM * right_wrong) * (amplified + 2.0) + left
    return 1.001 * missed, 1.001 * wrong


@inner
def unknowns_of(Q: Array, factors: Array, inverse: Array, right: Array, z: Array) -> None:
    """Fill z (8,) from what Q z is to be (14,), which is used up."""
    for k in range(UNKNOWNS):
        along = right[k] * factors[k, 1]
        for r in range(k + 1, PRODUCTS):
            along += right[r] * Q[r, k]
        along *= factors[k, 0]
        right[k] += along * factors[k, 1]
        for r in range(k + 1, PRODUCTS):
            right[r] += along * Q[r, k]
    for k in range(UNKNOWNS):
        z[k] = 0.0
        for r in range(k, UNKNOWNS):
            z[k] += inverse[k, r] * right[r]
