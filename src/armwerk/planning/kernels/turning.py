"""Cosines and sines that round the same on every machine, an accelerator among them.

x is brought to |r| <= π/4 by a multiple of π/2 in three parts, the first two of 33 bits so that the
products are exact; then come the series of sine and cosine, to the last digit or the one before.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner

QUARTERS = 2.0 / math.pi
FIRST, SECOND, THIRD = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
"""Of π/2."""
SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(1, 10))


@inner
def cosine_and_sine(x: float) -> tuple[float, float]:
    """Return both; |x| below a million."""
    n = math.floor(x * QUARTERS + 0.5)
    r = ((x - n * FIRST) - n * SECOND) - n * THIRD
    z = r * r
    sine, cosine = SINE[7], COSINE[8]
    for k in range(6, -1, -1):
        sine = sine * z + SINE[k]
    for k in range(7, -1, -1):
        cosine = cosine * z + COSINE[k]
    sine, cosine = r + r * z * sine, 1.0 + z * cosine
    quadrant = n - 4.0 * math.floor(n * 0.25)
    if abs(quadrant - 2.0) == 1.0:
        sine, cosine = cosine, -sine
    if quadrant >= 2.0:
        sine, cosine = -sine, -cosine
    return cosine + 0.0, sine + 0.0


@entry("void(float64[:,::1], boolean[::1], float64[:,::1])")
def fill_table(Q: Array, turns: Flags, table: Array) -> None:
    """Fill cosine, sine and shift [m] of every joint of every configuration.

    Args:
        Q: Configurations. Shape (m, n).
        turns: Which joints turn. Shape (n,).
        table: Row j m + k: joint j of configuration k. Shape (n m, 3).
    """
    m, n = Q.shape
    for j in range(n):
        for k in range(m):
            row = table[j * m + k]
            row[0], row[1], row[2] = 1.0, 0.0, Q[k, j]
            if turns[j]:
                row[0], row[1] = cosine_and_sine(Q[k, j])
                row[2] = 0.0
