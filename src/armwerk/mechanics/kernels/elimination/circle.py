"""Where a trigonometric polynomial that is known to an error may vanish.

The determinant D(θ) is a polynomial of degree 12, known at 25 angles with an error; elsewhere its
error is at most three times that. What its harmonics 9 to 12 hold, which would be nothing for true
numbers, counts as error, and p(θ) is what is left. The circle is cut into cells. With middle m and
half-width w, p is nowhere within the error of zero in a cell if

    |p(m)| > |p'(m)| w + |p''(m)| w²/2 + … + B w⁵/120 + error,

where B bounds the fifth derivative, and p rises or falls all the way if

    |p'(m)| > |p''(m)| w + … + B w⁴/24.

Other cells are halved. Neighbours of the second kind make a run; p is within the error of zero in
one piece of it at most. Cells in which the error hides p become gaps: what is in a gap, this
polynomial cannot say. A part of a run next to a gap where the sign of p is not certain, and does
not change, belongs to the gap. So the runs with a root and the gaps hold every place where D may be
zero.

Rounding: coefficients are sums of 25 products and wrong by 40 units of twice the mean of |D|, all
of them together make p wrong by 1500 units of that mean; a value of p and its derivatives are wrong
by 200 units of the sum of coefficients, the slope by eight times that.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.views import UNIT

DEGREE = 8
COEFFICIENTS = 2 * DEGREE + 1
NODES = 25
SPREAD = 3.02  # largest error between nodes over largest error at them: 3.012 for 25
STEEPEST = 12.0  # largest slope over largest value (Bernstein)
_WHOLE = NODES // 2  # degree of the determinant of any six rows
_FITTED = 1500.0 * UNIT
_SUMMED = 200.0 * UNIT
_CELLS = 24
_NARROW = 1e-9  # [rad] half-width of a cell that is not halved any more
_HOPELESS = 2.0  # times the error: a cell in which p is nowhere larger is not halved
_CRACK = 1e-12  # [rad] between cells that touch
_OVERLAP = 1e-14  # [rad] by which cells are taken as wider, as their middles are rounded
_MOST = 800  # cells; more means that the error hides the roots
MOST_PLACES = 64

FROM, TO, ROOT, KIND = 0, 1, 2, 3
"""Columns of a place: where it begins and ends, where its root is [rad], and whether it is a run
with one root or a gap, whose root is where p is smallest."""

RUN, GAP = 0.0, 1.0

_NODE = np.arange(NODES)
_ANGLE = 2.0 * np.arccos(np.longdouble(-1.0)) * ((_NODE + _WHOLE) % NODES - _WHOLE) / NODES
_TIMES = (
    np.outer(_NODE, np.arange(1, _WHOLE + 1)) % NODES
)  # a multiple of a node's angle is a node's
_COSINES = (np.cos(_ANGLE)[_TIMES] * 2 / NODES).astype(np.float64)
_SINES = (np.sin(_ANGLE)[_TIMES] * 2 / NODES).astype(np.float64)
NODE_COSINES, NODE_SINES = np.cos(_ANGLE).astype(np.float64), np.sin(_ANGLE).astype(np.float64)


@inner
def fit_polynomial(values: Array, p: Array) -> float:
    """Fill the coefficients of 1, cos θ … cos 8θ, sin θ … sin 8θ from values at the nodes.

    Returns:
        By how much p may differ from the polynomial through these values, as it is computed.
    """
    total = mean = 0.0
    for j in range(NODES):
        total += values[j]
        mean += abs(values[j]) / NODES
    p[0] = total / NODES
    beyond, size = 0.0, abs(p[0])
    for k in range(_WHOLE):
        a = b = 0.0
        for j in range(NODES):
            a += values[j] * _COSINES[j, k]
            b += values[j] * _SINES[j, k]
        if k < DEGREE:
            p[1 + k], p[1 + DEGREE + k] = a, b
            size += abs(a) + abs(b)
        else:
            beyond += math.sqrt(a * a + b * b)
    return float(beyond + _FITTED * mean + _SUMMED * size)


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
def _fifth(p: Array) -> float:
    """Return a bound of the fifth derivative."""
    total = 0.0
    for k in range(1, DEGREE + 1):
        total += k**5 * math.sqrt(p[k] ** 2 + p[DEGREE + k] ** 2)
    return total


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
    fifth, size = _fifth(p), abs(p[0])
    for k in range(1, DEGREE + 1):
        size += abs(p[k]) + abs(p[DEGREE + k])
    rounding = DEGREE * _SUMMED * size
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
            middle, half = stack[depth, 0], stack[depth, 1]
            cells += 1
            if cells > _MOST:
                return MOST_PLACES + 1
            value, slope, bend = evaluate(p, middle)
            low, high, w = middle - half, middle + half, half + _OVERLAP
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
            elif abs(slope) > steepness + rounding:
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
                stack[depth, 0], stack[depth, 1] = middle + 0.5 * half, 0.5 * half
                stack[depth + 1, 0], stack[depth + 1, 1] = middle - 0.5 * half, 0.5 * half
                depth += 2
    end = start + 2.0 * math.pi  # where p is certain again
    if first != below:
        count = _note(places, count, run_from, end, _refine(p, run_from, end), RUN)
    if in_gap:
        count = _note(places, count, gap_from, gap_to, guess, GAP)
    return count


@inner
def is_simple(
    p: Array, error: float, slope_error: float, low: float, high: float, root: float
) -> bool:
    """Whether a run can have one root only where p is within the error of zero.

    Args:
        p: The polynomial. Shape (17,).
        error: Where |p| is greater than this, there is no root.
        slope_error: Where |p'| is greater, the true polynomial rises or falls as p does.
        low, high: Where the run begins and ends [rad].
        root: Of p [rad].
    """
    _, slope, bend = evaluate(p, root)
    third, fourth = _higher(p, root)
    slope, bend, third, fourth = abs(slope), abs(bend), abs(third), abs(fourth)
    fifth = _fifth(p)
    away = 1.25 * error / slope + _OVERLAP if slope > 0.0 else math.inf
    while away < 1.0:
        change = bend + away * (third + away * (fourth + away * fifth))
        if not slope > slope_error + away * change:
            return False
        clear = True
        for angle in (root - away, root + away):
            if low < angle < high and not abs(evaluate(p, angle)[0]) > error:
                clear = False
        if clear:
            return True
        away *= 2.0
    return False


@inner
def is_bent(p: Array, bend_error: float, low: float, high: float) -> bool:
    """Whether the true polynomial is bent one way all over a gap, so that it has two roots at most.

    Args:
        p: The polynomial. Shape (17,).
        bend_error: Where |p''| is greater than this, the true polynomial bends as p does.
        low, high: Where the gap begins and ends [rad].
    """
    middle, half = 0.5 * (low + high), 0.5 * (high - low) + _OVERLAP
    bend = evaluate(p, middle)[2]
    third, fourth = _higher(p, middle)
    change = abs(third) + half * (abs(fourth) + half * _fifth(p))
    return abs(bend) > bend_error + half * change


@inner
def around_gap(places: Array, number: int, k: int) -> tuple[float, float]:
    """Return where a gap at or next to a place begins and ends, the runs that touch it included.

    (0, 0) where there is none.
    """
    gap = -1
    for i in range(number):
        touches = abs(places[i, TO] - places[k, FROM]) < _CRACK
        touches = touches or abs(places[i, FROM] - places[k, TO]) < _CRACK
        if places[i, KIND] == GAP and (i == k or touches):
            gap = i
    if gap < 0:
        return 0.0, 0.0
    low, high = places[gap, FROM], places[gap, TO]
    for i in range(number):
        if places[i, KIND] == RUN and abs(places[i, TO] - places[gap, FROM]) < _CRACK:
            low = places[i, FROM]
        if places[i, KIND] == RUN and abs(places[i, FROM] - places[gap, TO]) < _CRACK:
            high = places[i, TO]
    return low, high


@inner
def split(p: Array, guess: float) -> float:
    """Return how far to either side of a smallest |p| the roots of its parabola are; 0: nowhere."""
    value, slope, bend = evaluate(p, guess)
    square = slope * slope - 2.0 * value * bend
    away = math.sqrt(square) / abs(bend) if square > 0.0 and bend != 0.0 else 0.0
    return away if away < 1e-2 else 0.0
