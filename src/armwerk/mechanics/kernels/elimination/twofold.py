"""Numbers of twice the digits: each is the sum of two, the second below a unit of the first.

Sums and products are exact but for their last few bits, about 1e-31 of their terms (Dekker 1971,
Knuth). The links of a loop and the products of lines are made of them, so that what is left of
rounding there is that of the result.
"""

from __future__ import annotations

from armwerk.arrays import Array
from armwerk.compiled import inner

_SPLIT = 2.0**27 + 1.0


@inner(flatten=True)
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b as two numbers."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@inner(flatten=True)
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a b as two numbers."""
    product = a * b
    left, right = _SPLIT * a, _SPLIT * b
    a1 = left - (left - a)
    b1 = right - (right - b)
    a2, b2 = a - a1, b - b1
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


@inner(flatten=True)
def add(a: float, a2: float, b: float, b2: float) -> tuple[float, float]:
    """Return the sum of two twofold numbers."""
    total, rest = two_sum(a, b)
    return two_sum(total, rest + (a2 + b2))


@inner(flatten=True)
def multiply(a: float, a2: float, b: float, b2: float) -> tuple[float, float]:
    """Return the product of two twofold numbers."""
    product, rest = two_product(a, b)
    return two_sum(product, rest + (a * b2 + a2 * b))


@inner(flatten=True)
def quotient(a: float, b: float) -> tuple[float, float]:
    """Return a / b as two numbers."""
    first = a / b
    product, rest = two_product(first, b)
    return two_sum(first, ((a - product) - rest) / b)


@inner
def product(X: Array, Y: Array, out: Array) -> None:
    """Fill the product of two twofold transforms, their upper three rows. Shapes (2, 3, 4)."""
    for r in range(3):
        for c in range(4):
            total, rest = (X[0, r, 3], X[1, r, 3]) if c == 3 else (0.0, 0.0)
            for k in range(3):
                one, two = multiply(X[0, r, k], X[1, r, k], Y[0, k, c], Y[1, k, c])
                total, rest = add(total, rest, one, two)
            out[0, r, c], out[1, r, c] = total, rest


@inner
def invert(X: Array, out: Array) -> None:
    """Fill the inverse of a twofold rigid transform. Shapes (2, 3, 4)."""
    for r in range(3):
        total, rest = 0.0, 0.0
        for c in range(3):
            out[0, r, c], out[1, r, c] = X[0, c, r], X[1, c, r]
            one, two = multiply(X[0, c, r], X[1, c, r], X[0, c, 3], X[1, c, 3])
            total, rest = add(total, rest, -one, -two)
        out[0, r, 3], out[1, r, 3] = total, rest
