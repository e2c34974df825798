"""Many polynomials in joint space, evaluated together."""

from __future__ import annotations

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry


@entry("void(float64[:,:,::1], int64[::1], float64[::1], float64[:,:,::1])")
def powers_at(coefficients: Array, which: Integers, at: Array, out: Array) -> None:
    """Fill value and three derivatives of polynomials; rows of none are left as they are.

    Args:
        coefficients: Lowest power first. Shape (j, p, n).
        which: Of the polynomials; below 0: none. Shape (m,).
        at: Where. Shape (m,).
        out: Shape (m, 4, n).
    """
    highest = coefficients.shape[1] - 1
    for k in range(at.shape[0]):
        if which[k] < 0:
            continue
        c, x = coefficients[which[k]], at[k]
        for i in range(c.shape[1]):
            # Horner's rule with its derivatives, each over the factorial of its order
            value = first = second = third = 0.0
            for power in range(highest, -1, -1):
                third = third * x + second
                second = second * x + first
                first = first * x + value
                value = value * x + c[power, i]
            out[k, 0, i], out[k, 1, i] = value, first
            out[k, 2, i], out[k, 3, i] = 2.0 * second, 6.0 * third
