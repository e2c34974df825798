"""How a tool turns that is turned about one axis after the other, each carried by those before it.

With z the axes and q' the rates about them, ω = Σ z q', and an axis moves as z' = ω × z with what
turns before it; both are differentiated twice.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner


@inner
def _cross(u: Array, v: Array, out: Array) -> None:
    """Fill u × v."""
    out[0] = u[1] * v[2] - u[2] * v[1]
    out[1] = u[2] * v[0] - u[0] * v[2]
    out[2] = u[0] * v[1] - u[1] * v[0]


@entry("void(float64[:,:,::1], float64[:,:,::1], float64[:,:,::1])")
def add_turns(axes: Array, rates: Array, turning: Array) -> None:
    """Add turns about axes to ω, ω', ω''.

    Args:
        axes: Unit vectors, the outermost first. Shape (m, k, 3).
        rates: First to third derivative of the angles about them. Shape (m, 3, k).
        turning: ω, ω', ω'' of what carries the first, to be added to. Shape (m, 3, 3).
    """
    first, second, third = np.empty(3), np.empty(3), np.empty(3)
    for row in range(axes.shape[0]):
        w, w_1, w_2 = turning[row, 0], turning[row, 1], turning[row, 2]
        for k in range(axes.shape[1]):
            z = axes[row, k]
            one, two, three = rates[row, 0, k], rates[row, 1, k], rates[row, 2, k]
            _cross(w, z, first)
            _cross(w_1, z, second)
            _cross(w, first, third)
            for i in range(3):
                second[i] += third[i]
                w[i] += z[i] * one
                w_1[i] = w_1[i] + z[i] * two + first[i] * one
                w_2[i] = w_2[i] + z[i] * three + 2.0 * first[i] * two + second[i] * one
