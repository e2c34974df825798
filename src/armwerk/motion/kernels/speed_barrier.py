"""The fastest squared speeds along a path under all limits, by Newton's method with barriers.

A path is driven by a parameter σ, cut into cells. The squared speed b = σ̇² is a quadratic spline:
on cell k it is made of the coefficients c[k], c[k + 1], c[k + 2], and b'' is one number there.
What limits ask of it stands in `armwerk.motion.kernels.speed_rows`.

The time is the integral of 1/√b, which is convex in b; the limits of velocity and acceleration are
convex too, those of the jerk are not, and their downward curvature is left out of the Newton step.
All coefficients hang together with their two neighbours only: a step costs as much as there are
cells.

On a long path there is always some place at which a whole step would pass a limit. So that it does
not hold back all the others, points at which it would are given more weight, and the step is looked
for again, until none is left: it grows shorter there and in those directions alone.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.motion.kernels.speed_rows import SPEED_PROBLEM, SpeedProblem

_FUSED: frozenset[Literal["contract"]] = frozenset({"contract"})
_ENOUGH = 0.01  # of all barriers, the decrement of a step at which the search ends
_ROUGHLY = 0.1  # the same at which smaller barriers are taken
_LEAP = 5.0  # by which the barrier of a point may rise in a step
_FIRMER = 2.5  # times the weight of a point that it would rise more at
_SOFTER = 0.4  # of that weight from one step to the next
_ATTEMPTS = 10  # at a step
_REACH = 12  # cells about a point in which a step changes with its weight
_HALVINGS = 40
_ARMIJO = 0.1


Slopes: TypeAlias = tuple[float, float, float]
"""Derivatives by b'', b' and b."""
Curves: TypeAlias = tuple[float, float, float, float, float, float]
"""Second derivatives by the same: (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)."""


@inner(freedom=_FUSED, flatten=True, borrows=True)
def _limited(
    g: Slopes, H: Curves, slack: float, zone: Slopes, curve: Curves
) -> tuple[Slopes, Curves]:
    """Return derivatives with those of -log(slack) added, for a constraint f = 1 - slack.

    Args:
        g: Sum of the first ones so far.
        H: Sum of the second.
        slack: What is left of the limit.
        zone: Derivatives of f.
        curve: Second ones of f as far as they are upward.
    """
    one = 1.0 / slack
    x, y, z = zone[0] * one, zone[1] * one, zone[2] * one
    return (g[0] + x, g[1] + y, g[2] + z), (
        H[0] + curve[0] * one + x * x,
        H[1] + curve[1] * one + x * y,
        H[2] + curve[2] * one + x * z,
        H[3] + curve[3] * one + y * y,
        H[4] + curve[4] * one + y * z,
        H[5] + curve[5] * one + z * z,
    )


@inner(freedom=_FUSED, flatten=True, borrows=True)
def _point(given: SpeedProblem, p: int, bend: float, slope: float, b: float) -> float:
    """Return the sum of -log(slack) of a point; infinite where a limit is passed."""
    top = given.ceiling[p]
    if not b > 0.0 or not b < top:
        return math.inf
    root = math.sqrt(b)
    left = 1.0 - b / top
    for r in range(given.joints.shape[2]):
        z = given.joints[p, 0, r] * slope + given.joints[p, 1, r] * b
        slack = 1.0 - z * z
        z = given.joints[p, 2, r] * bend + given.joints[p, 3, r] * slope + given.joints[p, 4, r] * b
        other = 1.0 - b * z * z
        if not slack > 0.0 or not other > 0.0:
            return math.inf
        left *= slack * other
    for group in range(2):
        g = given.tool[p, group]
        slack = 1.0 - (slope * (g[0] * slope + 2.0 * g[1] * b) + g[2] * b * b)
        third = bend * (g[3] * bend + 2.0 * (g[4] * slope + g[5] * b))
        third += slope * (g[6] * slope + 2.0 * g[7] * b) + g[8] * b * b
        other = 1.0 - b * third
        if not slack > 0.0 or not other > 0.0:
            return math.inf
        left *= slack * other
    for r in range(given.drives.shape[2]):
        z = given.drives[p, 0, r] * slope + given.drives[p, 1, r] * b
        z += given.drives[p, 2, r] + given.drives[p, 3, r] * root
        slack = 1.0 - z * z
        if not slack > 0.0:
            return math.inf
        left *= slack
    # one logarithm for all of them; no room left counts as passed
    return -math.log(left) if left > 0.0 else math.inf


@inner(freedom=_FUSED, flatten=True, borrows=True)
def _curvature(
    given: SpeedProblem, p: int, bend: float, slope: float, b: float
) -> tuple[Slopes, Curves]:
    """Return the derivatives of what `_point` says."""
    top = given.ceiling[p]
    root = math.sqrt(b)
    part, over = 1.0 / (top - b), 1.0 / b
    g0 = g1 = h00 = h01 = h02 = h11 = h12 = 0.0
    g2, h22 = part, part * part
    for r in range(given.joints.shape[2]):
        one, two = given.joints[p, 0, r], given.joints[p, 1, r]
        z = one * slope + two * b
        slack = 1.0 / (1.0 - z * z)
        size = 2.0 * z * slack
        g1 += size * one
        g2 += size * two
        size = 2.0 * slack + size * size
        h11 += size * one * one
        h12 += size * one * two
        h22 += size * two * two
        one, two = root * given.joints[p, 2, r], root * given.joints[p, 3, r]
        three = root * given.joints[p, 4, r]
        z = one * bend + two * slope + three * b
        slack = 1.0 / (1.0 - z * z)
        size = 2.0 * z * slack
        last = size * (three + 0.5 * z * over)
        g0 += size * one
        g1 += size * two
        g2 += last
        # the square of what √b times the jerk's row changes by; the rest is downward
        three += z * over
        double = 2.0 * slack
        both = double * three + size * last
        last = double * three * three + last * last
        size = double + size * size
        h00 += size * one * one
        h01 += size * one * two
        h02 += both * one
        h11 += size * two * two
        h12 += both * two
        h22 += last
    g, H = (g0, g1, g2), (h00, h01, h02, h11, h12, h22)
    twice = 2.0 * b
    for group in range(2):
        t = given.tool[p, group]
        if t[0] > 0.0 or t[2] > 0.0:
            one, two = t[0] * slope + t[1] * b, t[1] * slope + t[2] * b
            slack = 1.0 - (slope * one + b * two)
            curve = (0.0, 0.0, 0.0, 2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
            g, H = _limited(g, H, slack, (0.0, 2.0 * one, 2.0 * two), curve)
        if t[3] > 0.0 or t[8] > 0.0:
            one = t[3] * bend + t[4] * slope + t[5] * b
            two = t[4] * bend + t[6] * slope + t[7] * b
            three = t[5] * bend + t[7] * slope + t[8] * b
            size = bend * one + slope * two + b * three
            g, H = _limited(
                g,
                H,
                1.0 - b * size,
                (twice * one, twice * two, twice * three + size),
                (
                    twice * t[3],
                    twice * t[4],
                    twice * t[5] + 2.0 * one,
                    twice * t[6],
                    twice * t[7] + 2.0 * two,
                    twice * t[8] + 4.0 * three + 2.0 * size * over,
                ),
            )
    for r in range(given.drives.shape[2]):
        one, two = given.drives[p, 0, r], given.drives[p, 1, r]
        speed = given.drives[p, 3, r]
        z = one * slope + two * b + given.drives[p, 2, r] + speed * root
        three = two + 0.5 * speed / root
        upward = 2.0 * three * three + max(-0.5 * z * speed / (b * root), 0.0)
        g, H = _limited(
            g,
            H,
            1.0 - z * z,
            (0.0, 2.0 * z * one, 2.0 * z * three),
            (0.0, 0.0, 0.0, 2.0 * one * one, 2.0 * one * three, upward),
        )
    return g, H


@inner(flatten=True, borrows=True)
def _at(c: Array, k: int, row: Array) -> float:
    """Return b or a derivative of it on cell k."""
    return float(row[0] * c[k] + row[1] * c[k + 1] + row[2] * c[k + 2])


class _Points(NamedTuple):
    """What is known of the points of a problem under the b of one moment.

    Args:
        value: Sum of -log(slack). Shape (p,).
        ahead: The same behind a step, where that was looked at. Shape (p,).
        slopes: Its derivatives by b'', b', b. Shape (p, 3).
        curves: Second ones, see `Curves`. Shape (p, 6).
        weight: By how much the second ones count more than they are, at least 1. Shape (p,).
    """

    value: Array
    ahead: Array
    slopes: Array
    curves: Array
    weight: Array


@inner(borrows=True)
def _time(given: SpeedProblem, c: Array) -> float:
    """Return how long the path takes; infinite where it would stand."""
    total = 0.0
    for p in range(given.node_weight.shape[0]):
        b = _at(c, given.node_cell[p], given.node_basis[p])
        if not b > 0.0:
            return math.inf
        total += given.node_weight[p] / math.sqrt(b)
    return total


@inner(borrows=True)
def _value(given: SpeedProblem, c: Array, barrier: float, value: Array) -> float:
    """Return time and barriers, infinite where a limit is passed, and fill those of points."""
    total = 0.0
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        value[p] = _point(given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]))
        total += value[p]
        if total == math.inf:
            return math.inf
    return float(barrier * total + _time(given, c))


@inner(borrows=True)
def _differentiate(given: SpeedProblem, c: Array, points: _Points) -> None:
    """Fill the derivatives of all points."""
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        g, H = _curvature(given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]))
        for i in range(3):
            points.slopes[p, i] = g[i]
        for i in range(6):
            points.curves[p, i] = H[i]


@inner(freedom=_FUSED, flatten=True, borrows=True)
def _bend(given: SpeedProblem, p: int, factor: float, H: Array, band: Array) -> None:
    """Add the curvature of a point to that by coefficients."""
    k, basis = given.cell[p], given.basis[p]
    for i in range(3):
        x, y, z = factor * basis[0, i], factor * basis[1, i], factor * basis[2, i]
        one = x * H[0] + y * H[1] + z * H[2]
        two = x * H[1] + y * H[3] + z * H[4]
        three = x * H[2] + y * H[4] + z * H[5]
        for j in range(i, 3):
            band[k + i, j - i] += one * basis[0, j] + two * basis[1, j] + three * basis[2, j]


@inner(borrows=True)
def _assemble(
    given: SpeedProblem, c: Array, barrier: float, points: _Points, gradient: Array, band: Array
) -> None:
    """Fill the gradient and the curvature by coefficients: diagonal, next to it, and the second."""
    gradient[:] = 0.0
    band[:] = 0.0
    for p in range(given.cell.shape[0]):
        k, basis, g = given.cell[p], given.basis[p], points.slopes[p]
        for i in range(3):
            rise = basis[0, i] * g[0] + basis[1, i] * g[1] + basis[2, i] * g[2]
            gradient[k + i] += barrier * rise
        _bend(given, p, barrier * points.weight[p], points.curves[p], band)
    for p in range(given.node_weight.shape[0]):
        k, row = given.node_cell[p], given.node_basis[p]
        over = 1.0 / _at(c, k, row)
        first = -0.5 * given.node_weight[p] * over * math.sqrt(over)
        second = -1.5 * first * over
        for i in range(3):
            gradient[k + i] += first * row[i]
            for j in range(i, 3):
                band[k + i, j - i] += second * row[i] * row[j]


@inner
def _firmer(
    given: SpeedProblem, trial: Array, barrier: float, points: _Points, near: Array, band: Array
) -> tuple[int, float]:
    """Make points firmer where a step leads too near to a limit.

    Args:
        given: Path and limits.
        trial: Coefficients of b that the step leads to [1/s²]. Shape (k + 2,).
        barrier: Weight of the barriers [s].
        points: What is known of them; those that are too near to a limit get more weight.
        near: Which cells are looked at; then those in which the next step is another. Shape (k,).
        band: Curvature by coefficients; the weight is added. Shape (k + 2, 3).

    Returns:
        How many there are, and the barriers of the others that were looked at.
    """
    cells, found, total = near.shape[0], 0, 0.0
    again = np.zeros(cells)
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        if near[k] == 0.0:
            continue
        there = _point(
            given, p, _at(trial, k, basis[0]), _at(trial, k, basis[1]), _at(trial, k, basis[2])
        )
        if not there < points.value[p] + _LEAP:
            _bend(given, p, (_FIRMER - 1.0) * barrier * points.weight[p], points.curves[p], band)
            points.weight[p] *= _FIRMER
            again[k] = 1.0
            found += 1
        else:
            points.ahead[p] = there
            total += there
    near[:] = 0.0
    done = 0
    for k in range(cells):
        if again[k] > 0.0:
            last = min(k + _REACH + 1, cells)
            near[max(k - _REACH, done) : last] = 1.0
            done = last
    return found, total


@entry("Tuple((float64[::1], float64[:,:,::1]))(PROBLEM, float64[::1])", PROBLEM=SPEED_PROBLEM)
def limits_used(given: SpeedProblem, c: Array) -> tuple[Array, Array]:
    """Return fractions of limits: of squared speeds (p,), of accelerations and jerks (p, 2, n + 2).

    Args:
        given: Path and limits.
        c: Coefficients of b [1/s²]. Shape (k + 2,).
    """
    count, n = given.cell.shape[0], given.joints.shape[2]
    speeds, rates = np.zeros(count), np.zeros((count, 2, n + 2))
    for p in range(count):
        k, basis = given.cell[p], given.basis[p]
        bend, slope, b = _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2])
        root = math.sqrt(max(b, 0.0))
        speeds[p] = b / given.ceiling[p]
        for r in range(n):
            row = given.joints[p, :, r]
            rates[p, 0, r] = abs(row[0] * slope + row[1] * b)
            rates[p, 1, r] = root * abs(row[2] * bend + row[3] * slope + row[4] * b)
        for group in range(2):
            g = given.tool[p, group]
            second = slope * (g[0] * slope + 2.0 * g[1] * b) + g[2] * b * b
            third = bend * (g[3] * bend + 2.0 * (g[4] * slope + g[5] * b))
            third += slope * (g[6] * slope + 2.0 * g[7] * b) + g[8] * b * b
            rates[p, 0, n + group] = math.sqrt(max(second, 0.0))
            rates[p, 1, n + group] = root * math.sqrt(max(third, 0.0))
    return speeds, rates


@inner(borrows=True)
def _hold(gradient: Array, band: Array, first: int, last: int) -> None:
    """Leave coefficients from one to before another as they are: they get no step."""
    for i in range(first, last):
        gradient[i] = 0.0
        band[i, 0], band[i, 1], band[i, 2] = 1.0, 0.0, 0.0
        if i >= 1:
            band[i - 1, 1] = 0.0
        if i >= 2:
            band[i - 2, 2] = 0.0


@inner(borrows=True)
def _solve(band: Array, x: Array) -> None:
    """Replace x by the solution of a symmetric system with two diagonals beside the main one."""
    n = x.shape[0]
    for i in range(n):
        pivot = band[i, 0]
        one = band[i, 1] / pivot if i + 1 < n else 0.0
        two = band[i, 2] / pivot if i + 2 < n else 0.0
        if i + 1 < n:
            band[i + 1, 0] -= one * band[i, 1]
            band[i + 1, 1] -= one * band[i, 2]
            x[i + 1] -= one * x[i]
        if i + 2 < n:
            band[i + 2, 0] -= two * band[i, 2]
            x[i + 2] -= two * x[i]
        band[i, 1], band[i, 2] = one, two
    for i in range(n - 1, -1, -1):
        x[i] /= band[i, 0]
        if i + 1 < n:
            x[i] -= band[i, 1] * x[i + 1]
        if i + 2 < n:
            x[i] -= band[i, 2] * x[i + 2]


@entry(
    "Tuple((float64[::1], int64))(PROBLEM, float64[::1], float64[::1], int64, UniTuple(int64, 2))",
    PROBLEM=SPEED_PROBLEM,
)
def quickest_speeds(
    given: SpeedProblem, c: Array, barriers: Array, patience: int, held: tuple[int, int]
) -> tuple[Array, int]:
    """Return coefficients of b under which the path takes the least time, and the steps it took.

    Where those at the start pass a limit they are returned as they are, after no step.

    Args:
        given: Path and limits.
        c: Coefficients that keep every limit and touch none [1/s²]. Shape (k + 2,).
        barriers: Weights of the barriers, falling [s]. Shape (l,).
        patience: Largest number of steps for each.
        held: How many coefficients are held, of the first and of the last. Shape (2,).
    """
    c = c.copy()
    n, count = c.shape[0], given.cell.shape[0]
    gradient, full, step = np.empty(n), np.empty((n, 3)), np.empty(n)
    points = _Points(
        np.empty(count),
        np.empty(count),
        np.empty((count, 3)),
        np.empty((count, 6)),
        np.ones(count),
    )
    near = np.ones(n - 2)
    taken = 0
    for stage in range(barriers.shape[0]):
        barrier = barriers[stage]
        value = _value(given, c, barrier, points.value)
        if value == math.inf:
            break
        enough = barrier * count * (_ENOUGH if stage + 1 == barriers.shape[0] else _ROUGHLY)
        is_soft = False
        for _ in range(patience):
            _differentiate(given, c, points)
            _assemble(given, c, barrier, points, gradient, full)
            near[:] = 1.0
            decrement, arrived, there = 0.0, False, math.inf
            for attempt in range(_ATTEMPTS):
                band = full.copy()
                for i in range(n):
                    step[i] = -gradient[i]
                _hold(step, band, 0, held[0])
                _hold(step, band, n - held[1], n)
                _solve(band, step)
                decrement = 0.0
                for i in range(n):
                    decrement -= gradient[i] * step[i]
                arrived = attempt == 0 and not decrement > enough
                if arrived:
                    break
                trial = c + step
                tight, ahead = _firmer(given, trial, barrier, points, near, full)
                if (
                    tight == 0 and attempt > 0
                ):  # only cells near those that were too tight are known
                    near[:] = 1.0
                    tight, ahead = _firmer(given, trial, barrier, points, near, full)
                if tight == 0:
                    there = barrier * ahead + _time(given, trial)
                    break
            taken += 1
            if arrived:
                if is_soft:
                    break
                points.weight[:] = 1.0  # weights alone may have made the step so short
                is_soft = True
                continue
            size, found = 1.0, there <= value - _ARMIJO * decrement
            for _ in range(0 if found else _HALVINGS):
                trial = c + size * step
                there = _value(given, trial, barrier, points.ahead)
                if there <= value - _ARMIJO * size * decrement:
                    found = True
                    break
                size *= 0.5
            if not found:
                break
            for p in range(count):
                points.value[p] = points.ahead[p]
            c, value = trial, there
            is_soft = True
            for p in range(count):
                points.weight[p] = max(_SOFTER * points.weight[p], 1.0)
                is_soft = is_soft and points.weight[p] == 1.0
    return c, taken
