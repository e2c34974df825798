"""Splines through points, by B-splines: what their coefficients are, and their values and rates.

In: places and values. Out: a spline of odd degree through them, not-a-knot at its ends. The
equations of its coefficients have a band of non-negative numbers all of whose minors are
non-negative too, so that elimination without any exchange of rows is stable (de Boor and Pinkus).
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

RATES = 4
"""Value and first to third derivative."""


@inner
def _span(knots: Array, degree: int, place: float) -> int:
    """Return the span between knots in which a place lies; at a knot the one behind it."""
    low, high = degree, knots.shape[0] - degree - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@inner
def _fill_basis(knots: Array, degree: int, span: int, place: float, out: Array) -> None:
    """Fill the B-splines (degree + 1,) that are not zero in a span."""
    out[0] = 1.0
    for order in range(1, degree + 1):
        saved = 0.0
        for j in range(order):
            low, high = knots[span + 1 - order + j], knots[span + 1 + j]
            part = out[j] / (high - low)
            out[j] = saved + (high - place) * part
            saved = (place - low) * part
        out[order] = saved


@entry("float64[:,::1](float64[::1], int64, float64[::1], float64[:,::1])")
def spline_coefficients(knots: Array, degree: int, places: Array, values: Array) -> Array:
    """Return the coefficients of the spline that has values at places. Shape (m, d).

    Args:
        knots: Rising, ``degree + 1`` of them equal at both ends. Shape (m + degree + 1,).
        degree: Of the polynomials between knots.
        places: Rising, one within the support of each B-spline. Shape (m,).
        values: Shape (m, d).
    """
    count, columns = values.shape
    width = 2 * degree + 1
    band, basis = np.zeros((count, width)), np.empty(degree + 1)
    out = values.copy()
    for i in range(count):
        span = _span(knots, degree, places[i])
        _fill_basis(knots, degree, span, places[i], basis)
        for j in range(degree + 1):
            column = span - degree + j - i + degree  # from the left end of the band
            if 0 <= column < width:
                band[i, column] = basis[j]
    for k in range(count):
        for i in range(k + 1, min(k + degree + 1, count)):
            share = band[i, k - i + degree] / band[k, degree]
            if share != 0.0:
                for j in range(k + 1, min(k + degree + 1, count)):
                    band[i, j - i + degree] -= share * band[k, j - k + degree]
                for c in range(columns):
                    out[i, c] -= share * out[k, c]
    for k in range(count - 1, -1, -1):
        for c in range(columns):
            total = out[k, c]
            for j in range(k + 1, min(k + degree + 1, count)):
                total -= band[k, j - k + degree] * out[j, c]
            out[k, c] = total / band[k, degree]
    return out


@entry("float64[:,:,::1](float64[::1], int64, float64[:,::1], float64[::1])")
def spline_rates(knots: Array, degree: int, coefficients: Array, at: Array) -> Array:
    """Return value and first to third derivative of a spline. Shape (k, 4, d).

    Args:
        knots: Of the spline. Shape (m + degree + 1,).
        degree: Of the polynomials between knots, 3 at least.
        coefficients: Shape (m, d).
        at: Where; at a knot what comes after it counts. Shape (k,).
    """
    columns = coefficients.shape[1]
    out = np.zeros((at.shape[0], RATES, columns))
    basis, local = np.empty(degree + 1), np.empty((degree + 1, columns))
    for i in range(at.shape[0]):
        span = _span(knots, degree, at[i])
        for j in range(degree + 1):
            for c in range(columns):
                local[j, c] = coefficients[span - degree + j, c]
        for order in range(RATES):
            left = degree - order
            _fill_basis(knots, left, span, at[i], basis)
            for j in range(left + 1):
                for c in range(columns):
                    out[i, order, c] += basis[j] * local[j, c]
            for j in range(left):  # coefficients of the derivative
                apart = knots[span + 1 + j] - knots[span + 1 + j - left]
                for c in range(columns):
                    local[j, c] = left * (local[j + 1, c] - local[j, c]) / apart
    return out
