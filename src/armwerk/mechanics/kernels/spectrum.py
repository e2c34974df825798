"""Singular values and eigenvalues of small matrices, by rotations.

One-sided rotations of columns tell small singular values to as many digits as large ones.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner

_ROUNDS = 30  # over all pairs, of which six or seven do
_LEVEL = 1e-15  # cosine of two columns that are across each other


@inner
def _tangent(one: float, two: float, both: float) -> float:
    """Return the tangent of the turn that levels [[one, both], [both, two]], the smaller one."""
    ratio = (two - one) / (2.0 * both)
    size = 1.0 / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
    return size if ratio >= 0.0 else -size


@inner
def _identity(out: Array) -> None:
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = 1.0 if r == c else 0.0


@inner
def _turn(columns: Array, a: int, b: int, cosine: float, sine: float) -> None:
    """Turn two columns of a matrix."""
    for r in range(columns.shape[0]):
        x, y = columns[r, a], columns[r, b]
        columns[r, a], columns[r, b] = cosine * x - sine * y, sine * x + cosine * y


@inner
def decompose(A: Array, turns: Array, sizes: Array) -> None:
    """Take a matrix A (m, n) apart, A turns = U diag(sizes), in no order.

    Args:
        A: Becomes U diag(sizes). Shape (m, n).
        turns: Filled with right singular vectors as columns. Shape (n, n).
        sizes: Filled with singular values. Shape (n,).
    """
    m, n = A.shape
    _identity(turns)
    for _ in range(_ROUNDS):
        level = True
        for a in range(n - 1):
            for b in range(a + 1, n):
                one = two = both = 0.0
                for r in range(m):
                    one += A[r, a] * A[r, a]
                    two += A[r, b] * A[r, b]
                    both += A[r, a] * A[r, b]
                if not abs(both) > _LEVEL * math.sqrt(one * two):
                    continue
                level = False
                tangent = _tangent(one, two, both)
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                _turn(A, a, b, cosine, cosine * tangent)
                _turn(turns, a, b, cosine, cosine * tangent)
        if level:
            break
    for c in range(n):
        square = 0.0
        for r in range(m):
            square += A[r, c] * A[r, c]
        sizes[c] = math.sqrt(square)


@inner
def diagonalise(A: Array, vectors: Array) -> None:
    """Bring a symmetric matrix to its eigenvalues, on its diagonal, in no order.

    Args:
        A: Shape (n, n).
        vectors: Filled with eigenvectors as columns. Shape (n, n).
    """
    n = A.shape[0]
    _identity(vectors)
    for _ in range(_ROUNDS):
        level = True
        for a in range(n - 1):
            for b in range(a + 1, n):
                both = A[a, b]
                if not abs(both) > _LEVEL * math.sqrt(abs(A[a, a] * A[b, b])) + 1e-300:
                    continue
                level = False
                tangent = _tangent(A[a, a], A[b, b], both)
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                _turn(A, a, b, cosine, sine)
                for c in range(n):
                    x, y = A[a, c], A[b, c]
                    A[a, c], A[b, c] = cosine * x - sine * y, sine * x + cosine * y
                A[a, b] = A[b, a] = 0.0
                _turn(vectors, a, b, cosine, sine)
        if level:
            break


@inner
def fill_complement(columns: Array, out: Array) -> None:
    """Fill unit vectors across each other and across given ones, which are so themselves.

    Args:
        columns: Of which those before as many as ``out`` leaves room for count. Shape (n, k).
        out: Shape (n, r), with k + r at least n.
    """
    n, r = out.shape
    k = n - r
    rest = np.empty(n)
    for count in range(r):
        most, best = -1.0, 0
        for axis in range(n):
            # what is left of a unit vector: the longest rest loses fewest digits
            square = 1.0
            for c in range(k):
                square -= columns[axis, c] * columns[axis, c]
            for c in range(count):
                square -= out[axis, c] * out[axis, c]
            if square > most:
                most, best = square, axis
        for row in range(n):
            rest[row] = 1.0 if row == best else 0.0
        for _ in range(2):
            for c in range(k + count):
                share = 0.0
                for row in range(n):
                    share += rest[row] * (columns[row, c] if c < k else out[row, c - k])
                for row in range(n):
                    rest[row] -= share * (columns[row, c] if c < k else out[row, c - k])
        square = 0.0
        for row in range(n):
            square += rest[row] * rest[row]
        for row in range(n):
            out[row, count] = rest[row] / math.sqrt(square)
