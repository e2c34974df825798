"""Sine and cosine together, in operations that the compiler can do for many numbers at once.

The angle is brought to [-π/4, π/4] by multiples of π/2 kept in three parts (Cody and Waite), then
both functions are polynomials there; the coefficients are those of the freely usable fdlibm. Right
to about one unit in the last place, and the same bits alone or among many.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.compiled import inner

LARGE = 1e5  # [rad] beyond this the three parts of π/2 no longer do
_TWO_OVER_PI = 0.6366197723675814
_PI_1, _PI_2, _PI_3 = 1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21
_S1, _S2, _S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
_S4, _S5, _S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
_C1, _C2, _C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
_C4, _C5, _C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@inner(inline=True)
def small_sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine of an angle below `LARGE` without a branch."""
    k = np.rint(x * _TWO_OVER_PI)
    r = ((x - k * _PI_1) - k * _PI_2) - k * _PI_3
    z = r * r
    sine = r + r * z * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * _S6)))))
    h = 0.5 * z
    w = 1.0 - h
    tail = z * z * (_C1 + z * (_C2 + z * (_C3 + z * (_C4 + z * (_C5 + z * _C6)))))
    cosine = w + (((1.0 - w) - h) + tail)
    half = np.floor(0.5 * k)
    odd = k - 2.0 * half  # an odd number of quarter turns swaps the two
    sign = 1.0 - 2.0 * (half - 2.0 * np.floor(0.5 * half))  # a half turn changes both signs
    first = cosine if odd > 0.5 else sine
    second = -sine if odd > 0.5 else cosine
    return sign * first, sign * second


@inner(inline=True)
def sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine of any angle."""
    if abs(x) < LARGE:
        sine, cosine = small_sincos(x)
    else:
        sine, cosine = math.sin(x), math.cos(x)
    return sine, cosine
