"""Real roots of a trigonometric polynomial, isolated with a bound of its error.

The polynomial p(θ) of degree 8 is known at 17 angles with an error; elsewhere its error is at most
about three times that, and that of its slope eight times more (Bernstein). The circle is cut into
cells. With middle m and half-width w, a cell holds no root if

    |p(m)| > |p'(m)| w + |p''(m)| w²/2 + … + B w⁵/120 + error,

where B bounds the fifth derivative, and not more than one if

    |p'(m)| > |p''(m)| w + … + B w⁴/24 + 8 error.

Other cells are halved. Neighbours of the second kind make a run, in which p rises or falls all the
way and has one root at most. Cells in which the error hides p become gaps: what is in a gap, this
polynomial cannot say. A part of a run next to a gap where the sign of p is not certain, and does
not change, belongs to the gap.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner

DEGREE = 8
NODES = 2 * DEGREE + 1
COEFFICIENTS = NODES
SPREAD = 3.0  # largest error between nodes over largest error at them: 2.6 for 17
_CELLS = 24
_NARROW = 1e-9  # [rad] half-width of a cell that is not halved any more
_HOPELESS = 2.0  # times the error: a cell in which p is nowhere larger is not halved
_CRACK = 1e-12  # [rad] between cells that touch
_MOST = 800  # cells; more means that the error hides the roots
MOST_PLACES = 64

FROM, TO, ROOT, KIND = 0, 1, 2, 3
"""Columns of a place: where it begins and ends, where its root is [rad], and whether it is a run
with one root or a gap, whose root is where p is smallest."""

RUN, GAP = 0.0, 1.0

_NODE = 2.0 * np.pi * np.arange(NODES) / NODES
_ORDER = np.arange(1, DEGREE + 1)
_COSINES = np.cos(_NODE[:, None] * _ORDER) * (2.0 / NODES)
_SINES = np.sin(_NODE[:, None] * _ORDER) * (2.0 / NODES)
NODE_COSINES, NODE_SINES = np.cos(_NODE), np.sin(_NODE)


@inner
def fit_polynomial(values: Array, p: Array) -> None:
    """Fill the coefficients of 1, cos θ … cos 8θ, sin θ … sin 8θ from values at the nodes."""
    total = 0.0
    for j in range(NODES):
        total += values[j]
    p[0] = total / NODES
    for k in range(DEGREE):
        a = b = 0.0
        for j in range(NODES):
            a += values[j] * _COSINES[j, k]
            b += values[j] * _SINES[j, k]
        p[1 + k], p[1 + DEGREE + k] = a, b


@inner
def evaluate(p: Array, angle: float) -> tuple[float, float, float]:
    """Return value, slope and second derivative at an angle."""
    c1, s1 = math.cos(angle), math.sin(angle)
    c, s = 1.0, 0.0
    value, slope, bend = p[0], 0.0, 0.0
    for k in range(1, DEGREE + 1):
        c, s = c * c1 - s * s1, s * c1 + c * s1
        a, b = p[k], p[DEGREE + k]
        even, odd = a * c + b * s, b * c - a * s
        value += even
        slope += k * odd
        bend -= k * k * even
    return value, slope, bend


@inner
def _higher(p: Array, angle: float) -> tuple[float, float]:
    """Return the third and fourth derivative at an angle."""
    c1, s1 = math.cos(angle), math.sin(angle)
    c, s = 1.0, 0.0
    third = fourth = 0.0
    for k in range(1, DEGREE + 1):
        c, s = c * c1 - s * s1, s * c1 + c * s1
        a, b = p[k], p[DEGREE + k]
        third -= k**3 * (b * c - a * s)
        fourth += k**4 * (a * c + b * s)
    return third, fourth


@inner
def _refine(p: Array, low: float, high: float) -> float:
    """Return the root between two angles of different sign, by Newton's method within them."""
    below = evaluate(p, low)[0] < 0.0
    x = 0.5 * (low + high)
    for _ in range(60):
        value, slope, _ = evaluate(p, x)
        if (value < 0.0) == below:
            low = x
        else:
            high = x
        step = value / slope if slope != 0.0 else math.inf
        nextx = x - step
        if not low < nextx < high:
            nextx = 0.5 * (low + high)
        if abs(nextx - x) < 1e-13:
            return nextx
        x = nextx
    return x


@inner
def _note(places: Array, count: int, low: float, high: float, root: float, kind: float) -> int:
    if count < MOST_PLACES:
        places[count, FROM], places[count, TO] = low, high
        places[count, ROOT], places[count, KIND] = root, kind
    return count + 1


@inner
def isolate(p: Array, error: float, places: Array) -> int:
    """Fill places (64, 4) with the runs that have a root of p, and the gaps; return their number.

    More than 64: the error hides the roots.
    """
    fifth = 0.0
    for k in range(1, DEGREE + 1):
        fifth += k**5 * math.sqrt(p[k] ** 2 + p[DEGREE + k] ** 2)
    start, largest = 0.0, -1.0
    for k in range(_CELLS):  # begin where p is large, so that no run lies across the beginning
        angle = 2.0 * math.pi * k / _CELLS
        size = abs(evaluate(p, angle)[0])
        if size > largest:
            start, largest = angle, size
    if not largest > error:
        return MOST_PLACES + 1
    stack = np.empty((64, 2))
    count = cells = 0
    run_from = start  # where the last certain place ended, and the sign of p there
    below = first = evaluate(p, start)[0] < 0.0
    gap_from = gap_to = guess = 0.0
    in_gap = False
    doubt, least = math.inf, math.inf  # where a run's doubtful end begins; smallest |p| of a gap
    for cell in range(_CELLS):
        stack[0, 1] = math.pi / _CELLS
        stack[0, 0] = start + stack[0, 1] * (2.0 * cell + 1.0)
        depth = 1
        while depth > 0:
            depth -= 1
            middle, w = stack[depth, 0], stack[depth, 1]
            cells += 1
            if cells > _MOST:
                return MOST_PLACES + 1
            value, slope, bend = evaluate(p, middle)
            low, high = middle - w, middle + w
            third, fourth = _higher(p, middle)
            third, fourth = abs(third), abs(fourth) + 0.2 * fifth * w
            change = (
                abs(slope) + (0.5 * abs(bend) + (third + 0.25 * fourth * w) * w / 6.0) * w
            ) * w
            steepness = (abs(bend) + (0.5 * third + (fourth + 0.05 * fifth * w) * w / 6.0) * w) * w
            if abs(value) > change + error:
                if (value < 0.0) != below:
                    count = _note(places, count, run_from, low, _refine(p, run_from, low), RUN)
                if in_gap:
                    count = _note(places, count, gap_from, gap_to, guess, GAP)
                run_from, below = high, value < 0.0
                in_gap, doubt = False, math.inf
            elif abs(slope) > steepness + DEGREE * error:
                at_low, at_high = evaluate(p, low)[0], evaluate(p, high)[0]
                if (at_low < 0.0) == (at_high < 0.0) and min(abs(at_low), abs(at_high)) <= error:
                    doubt = min(doubt, low)
                    if in_gap and low - gap_to < _CRACK:
                        gap_to, run_from, below = high, high, at_high < 0.0
                else:
                    doubt = math.inf
            elif abs(value) + change < _HOPELESS * error or w < _NARROW:
                if not in_gap or low - gap_to > _CRACK:
                    edge = min(doubt, low)
                    if edge > run_from and (evaluate(p, edge)[0] < 0.0) != below:
                        root = _refine(p, run_from, edge)
                        count = _note(places, count, run_from, edge, root, RUN)
                    if in_gap:
                        count = _note(places, count, gap_from, gap_to, guess, GAP)
                    in_gap, gap_from, least = True, edge, math.inf
                gap_to, run_from, doubt = high, high, math.inf
                below = evaluate(p, high)[0] < 0.0
                if abs(value) < least:
                    least, guess = abs(value), middle
            else:
                stack[depth, 0], stack[depth, 1] = middle + 0.5 * w, 0.5 * w
                stack[depth + 1, 0], stack[depth + 1, 1] = middle - 0.5 * w, 0.5 * w
                depth += 2
    end = start + 2.0 * math.pi  # where p is certain again
    if first != below:
        count = _note(places, count, run_from, end, _refine(p, run_from, end), RUN)
    if in_gap:
        count = _note(places, count, gap_from, gap_to, guess, GAP)
    return count


@inner
def split(p: Array, guess: float) -> float:
    """Return how far to either side of a smallest |p| the roots of its parabola are; 0: nowhere."""
    value, slope, bend = evaluate(p, guess)
    square = slope * slope - 2.0 * value * bend
    away = math.sqrt(square) / abs(bend) if square > 0.0 and bend != 0.0 else 0.0
    return away if away < 1e-2 else 0.0
