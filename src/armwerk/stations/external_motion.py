"""External axes by the arc length of a track: given at goals, or sampled.

Between goals the values run evenly with the arc length; at a goal that is passed without a stop the
rate goes over from one to the next within half of the shorter way, four times continuously
differentiable, so that no axis needs to jump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves.piecewise import Piecewise

_DEGREE = 5  # of splines through samples
_WIDTH = 0.5  # of the shorter way beside a goal, within which the rate goes over
_BUMP = 35.0 / 32.0  # makes the integral of (1 - x²)³ over -1 … 1 one


@dataclass(frozen=True, slots=True, eq=False)
class EvenMotion:
    """Values that run evenly between goals.

    Args:
        places: Arc lengths of the goals, the first 0, the last the length [m]. Shape (j,).
        values: There [rad, m]. Shape (j, k).
    """

    places: Array
    values: Array

    @property
    def _widths(self) -> Array:
        ways = np.diff(self.places)
        return np.asarray(_WIDTH * np.minimum(ways[1:], ways[:-1]))

    @property
    def breaks(self) -> Array:
        """Where a rate begins or ends to go over [m]. Shape (i,)."""
        inner = self.places[1:-1]
        bends = np.abs(np.diff(self._rates(), axis=0)).max(axis=1) > 0.0
        inner, widths = inner[bends], self._widths[bends]
        return np.concatenate([inner - widths, inner + widths])

    def _rates(self) -> Array:
        ways = np.diff(self.places)[:, None]
        return np.asarray(np.diff(self.values, axis=0) / ways)

    def evaluate(self, s: Array) -> Array:
        """Return e, e', e'', e'''. Shape (m, 4, k)."""
        out = np.zeros((len(s), 4, self.values.shape[1]))
        out[:, 0] = self.values[0]
        if len(self.places) < 2:
            return out
        rates = self._rates()
        out[:, 0] += s[:, None] * rates[0]
        out[:, 1] = rates[0]
        changes = np.diff(rates, axis=0)
        for place, width, change in zip(self.places[1:-1], self._widths, changes, strict=True):
            if change.any():
                out += _ramp(s - place, float(width))[:, :, None] * change
        return out


def _ramp(x: Array, width: float) -> Array:
    """Return max(x, 0), rounded off within a width to both sides, and derivatives. (m, 4)."""
    out = np.zeros((len(x), 4))
    after = x >= width
    out[after, 0], out[after, 1] = x[after], 1.0
    within = np.abs(x) < width
    t = x[within] / width
    # the second derivative is a bump (1 - t²)³; its integrals are polynomials
    rate = 0.5 + _BUMP * (t - t**3 + 0.6 * t**5 - t**7 / 7.0)
    way = 0.5 * t + _BUMP * (t**2 / 2.0 - t**4 / 4.0 + 0.1 * t**6 - t**8 / 56.0)
    start = -0.5 + _BUMP * (0.5 - 0.25 + 0.1 - 1.0 / 56.0)
    out[within, 0] = width * (way - start)
    out[within, 1] = rate
    out[within, 2] = _BUMP * (1.0 - t * t) ** 3 / width
    out[within, 3] = -6.0 * _BUMP * t * (1.0 - t * t) ** 2 / width**2
    return out


@dataclass(frozen=True, slots=True, eq=False)
class SplineMotion:
    """Values through samples, by splines of fifth degree; `spline_motion` makes it.

    Args:
        spline: Of the values by arc length.
    """

    spline: Piecewise

    @property
    def breaks(self) -> Array:
        """Where the polynomials meet; none where the values stay as they are. Shape (i,)."""
        moves = np.abs(self.spline.coefficients[:, 1:]).max() > 0.0
        return self.spline.breaks[1:-1] if moves else np.zeros(0)

    def evaluate(self, s: Array) -> Array:
        """Return e, e', e'', e'''. Shape (m, 4, k)."""
        breaks = self.spline.breaks
        return self.spline.derivatives(np.clip(s, breaks[0], breaks[-1]))


def spline_motion(places: Array, values: Array) -> SplineMotion:
    """Return the motion through samples.

    Args:
        places: Arc lengths of at least two samples, rising [m]. Shape (j,).
        values: There [rad, m]; an axis that stands stays exactly where it is. Shape (j, k).
    """
    from scipy.interpolate import make_interp_spline

    degree = min(_DEGREE, len(places) - 1)
    fitted = make_interp_spline(places, values, k=degree)
    coefficients = np.stack(
        [fitted(places[:-1], nu=k) / math.factorial(k) for k in range(degree + 1)], axis=1
    )
    still = np.ptp(values, axis=0) == 0.0
    coefficients[:, :, still] = 0.0
    coefficients[:, 0, still] = values[0, still]
    return SplineMotion(Piecewise(places, coefficients))
