"""Smooth blends between very many pairs of lines: the quintic that is passed quickest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import RecordText, entry, inner
from armwerk.motion.kernels.tracks import CELLS, DEGREE, by_arc_length, powers, stretch

_POINTS = 41  # of a blend at which its curvature is looked at
_EVEN = 1e-3  # fraction of its mean speed by the parameter below which a quintic may stand still


class CornerTable(NamedTuple):
    """Lines that meet in k corners.

    Args:
        via: Where they meet [m]. Shape (k, 3).
        before: Unit direction of the line before. Shape (k, 3).
        after: Unit direction of the line behind. Shape (k, 3).
        reach: From the corner to both ends of the blend [m]. Shape (k, 2).
        acceleration: The blend is made for the fastest passage under this [m/s²]. Shape (k,).
        jerk: And under this [m/s³]. Shape (k,).
    """

    via: Array
    before: Array
    after: Array
    reach: Array
    acceleration: Array
    jerk: Array


class CornerBlends(NamedTuple):
    """Blends of a `CornerTable`.

    Args:
        polynomials: Powers of the parameter from 0 to 1, lowest first. Shape (k, 6, 3).
        lengths: Arc lengths at even knots [m]. Shape (k, 17).
        sound: Whether a blend is smooth, without a place where it would stand still. Shape (k,).
    """

    polynomials: Array
    lengths: Array
    sound: Flags


_CORNERS = RecordText(
    CornerTable,
    via="float64[:,::1]",
    before="float64[:,::1]",
    after="float64[:,::1]",
    reach="float64[:,::1]",
    acceleration="float64[::1]",
    jerk="float64[::1]",
)
_BLENDS = RecordText(
    CornerBlends, polynomials="float64[:,:,::1]", lengths="float64[:,::1]", sound="boolean[::1]"
)


@inner
def _quintic(corners: CornerTable, k: int, fullness: float, out: Array) -> None:
    """Fill the quintic with straight ends whose derivatives are ``fullness`` times the reach."""
    come, go = corners.reach[k]
    for i in range(3):
        p0 = corners.via[k, i] - come * corners.before[k, i]
        p1 = corners.via[k, i] + go * corners.after[k, i]
        v0 = fullness * come * corners.before[k, i]
        v1 = fullness * go * corners.after[k, i]
        step, speed = p1 - p0 - v0, v1 - v0
        out[0, i], out[1, i], out[2, i] = p0, v0, 0.0
        out[3, i] = 10.0 * step - 4.0 * speed
        out[4, i] = -15.0 * step + 7.0 * speed
        out[5, i] = 6.0 * step - 3.0 * speed


@inner
def _passage(
    c: Array, acceleration: float, jerk: float, curvature: float, given: Array, bent: Array
) -> float:
    """Return about how long it takes to pass a quintic at even speed [s]; infinite: it stands."""
    slowest, total = math.inf, 0.0
    bend = third = 1e-9
    for j in range(_POINTS):
        powers(c, j / (_POINTS - 1), given)
        square = 0.0
        for i in range(3):
            square += given[1, i] * given[1, i]
        speed = math.sqrt(square)
        slowest = min(slowest, speed)
        total += speed
        if speed == 0.0:
            return math.inf
        by_arc_length(given, bent)
        two = three = 0.0
        for i in range(3):
            two += bent[2, i] * bent[2, i]
            three += bent[3, i] * bent[3, i]
        bend, third = max(bend, math.sqrt(two)), max(third, math.sqrt(three))
    mean = total / _POINTS
    if not slowest > _EVEN * mean:
        return math.inf
    fastest = min(math.sqrt(curvature * acceleration / bend), (jerk / third) ** (1.0 / 3.0))
    return float(mean / fastest)


@entry("BLENDS(CORNERS, float64[::1], float64)", CORNERS=_CORNERS, BLENDS=_BLENDS)
def corner_blends(corners: CornerTable, fullness: Array, curvature: float) -> CornerBlends:
    """Return the blend of every corner.

    Args:
        corners: Where lines meet.
        fullness: Lengths tried for the derivatives at the ends, over the reach. Shape (f,).
        curvature: Fraction of the acceleration that may be used up across the path.
    """
    count = corners.reach.shape[0]
    polynomials = np.empty((count, DEGREE + 1, 3))
    lengths = np.zeros((count, CELLS + 1))
    sound = np.ones(count, dtype=np.bool_)
    tried, given, bent = np.empty((DEGREE + 1, 3)), np.empty((4, 3)), np.empty((4, 3))
    for k in range(count):
        quickest, best = math.inf, fullness[0]
        for full in fullness:
            _quintic(corners, k, full, tried)
            time = _passage(tried, corners.acceleration[k], corners.jerk[k], curvature, given, bent)
            if time < quickest:
                quickest, best = time, full
        sound[k] = quickest < math.inf
        _quintic(corners, k, best, polynomials[k])
        for cell in range(CELLS):
            way = stretch(polynomials[k], cell / CELLS, (cell + 1) / CELLS)
            lengths[k, cell + 1] = lengths[k, cell] + way
    return CornerBlends(polynomials, lengths, sound)
