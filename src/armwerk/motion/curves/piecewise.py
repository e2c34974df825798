"""Polynomials in pieces: the numbers behind Béziers, splines, blends and quaternion curves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Piecewise:
    """f(u) = Σ c[k, j] (u - breaks[k])^j between breaks[k] and breaks[k + 1].

    Args:
        breaks: Rising. Shape (k + 1,).
        coefficients: Lowest power first. Shape (k, degree + 1, d).
    """

    breaks: Array
    coefficients: Array

    def derivatives(self, u: Array, count: int = 4) -> Array:
        """Return f, f', f'', … at each u; beyond the ends the outer pieces go on.

        Args:
            u: Shape (m,).
            count: How many, the value included.

        Returns:
            Shape (m, count, d).
        """
        if len(self.breaks) == 2:
            local = u - self.breaks[0]
            table = self.coefficients[0][:, None, :]
        else:
            piece = np.clip(np.searchsorted(self.breaks, u, "right") - 1, 0, len(self.breaks) - 2)
            local = u - self.breaks[piece]
            table = np.swapaxes(self.coefficients[piece], 0, 1)
        degree, size = len(table) - 1, self.coefficients.shape[2]
        out = np.zeros((len(u), count, size))
        for order in range(min(count, degree + 1)):
            value = np.zeros((len(u), size))
            for power in range(degree, order - 1, -1):
                value = value * local[:, None] + table[power] * math.perm(power, order)
            out[:, order] = value
        return out


def hermite(start: Array, end: Array, length: float) -> Piecewise:
    """Return the quintic with given value, first and second derivative at both ends.

    Args:
        start: Value, first and second derivative at 0. Shape (3, d).
        end: The same at ``length``. Shape (3, d).
        length: Above 0.
    """
    h = length
    p0, v0, a0 = start[0], start[1] * h, start[2] * h * h
    p1, v1, a1 = end[0], end[1] * h, end[2] * h * h
    step = p1 - p0 - v0 - 0.5 * a0
    speed = v1 - v0 - a0
    bend = a1 - a0
    unit = [
        p0,
        v0,
        0.5 * a0,
        10.0 * step - 4.0 * speed + 0.5 * bend,
        -15.0 * step + 7.0 * speed - bend,
        6.0 * step - 3.0 * speed + 0.5 * bend,
    ]
    scaled = np.array([c / h**k for k, c in enumerate(unit)])
    return Piecewise(np.array([0.0, h]), scaled[None])


def bernstein(points: Array) -> Piecewise:
    """Return the Bézier polynomial of control points on 0 … 1. Shape (degree + 1, d)."""
    degree = len(points) - 1
    differences = points.astype(np.float64)
    rows = []
    for power in range(degree + 1):
        rows.append(math.comb(degree, power) * differences[0])
        differences = np.diff(differences, axis=0)
    return Piecewise(np.array([0.0, 1.0]), np.array(rows)[None])
