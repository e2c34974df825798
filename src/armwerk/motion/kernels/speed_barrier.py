"""The fastest squared speeds along a path under all limits, by Newton's method with barriers.

A path is driven by a parameter σ, cut into cells. The squared speed b = σ̇² is a quadratic spline:
on cell k it is made of the coefficients c[k], c[k + 1], c[k + 2], and b'' is one number there.
What moves along the path has the derivatives y', y'', y''' by σ, and

    velocity      y' √b
    acceleration  y' b' / 2 + y'' b
    jerk          (y' b'' / 2 + 3 y'' b' / 2 + y''' b) √b.

The time is the integral of 1/√b, which is convex in b; the limits of velocity and acceleration are
convex too, those of the jerk are not, and their downward curvature is left out of the Newton step.
All coefficients hang together with their two neighbours only: a step costs as much as there are
cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner

_ENOUGH = 0.01  # of all barriers, the decrement of a step at which the next smaller is taken
_HALVINGS = 40
_ARMIJO = 0.1


class SpeedProblem(NamedTuple):
    """A path with its limits, looked at in p points.

    Attributes:
        cell: Which cell each point is in. Shape (p,).
        basis: How b'', b' and b (rows) are made of the three coefficients of its cell. (p, 3, 3).
        ceiling: Largest b that the limits of velocity leave [1/s²]. Shape (p,).
        rows: y', y'', y''' by σ of n joints, and of tool point and tool turn, three rows each.
            Shape (p, 3, n + 6).
        inverse: 1 over the limits of acceleration and of jerk: n joints, tool point, tool turn;
            0: no limit. Shape (p, 2, n + 2).
        drives: Torques over their limits: what b' asks for, what b asks for, what stands against
            rest and dry friction, what √b asks for. Shape (p, 4, r); r = 0: no limits.
        node_cell: Which cell each of the nodes of the integral of time is in. Shape (g,).
        node_basis: How b is made of the coefficients there. Shape (g, 3).
        node_weight: Their weights in the integral. Shape (g,).
    """

    cell: Integers
    basis: Array
    ceiling: Array
    rows: Array
    inverse: Array
    drives: Array
    node_cell: Integers
    node_basis: Array
    node_weight: Array


_PROBLEM = RecordText(
    SpeedProblem,
    cell="int64[::1]",
    basis="float64[:,:,::1]",
    ceiling="float64[::1]",
    rows="float64[:,:,::1]",
    inverse="float64[:,:,::1]",
    drives="float64[:,:,::1]",
    node_cell="int64[::1]",
    node_basis="float64[:,::1]",
    node_weight="float64[::1]",
)

Slopes: TypeAlias = tuple[float, float, float]
"""Derivatives by b'', b' and b."""
Curves: TypeAlias = tuple[float, float, float, float, float, float]
"""Second derivatives by the same: (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)."""


@inner
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


@inner
def _point(given: SpeedProblem, p: int, bend: float, slope: float, b: float) -> float:
    """Return the sum of -log(slack) of a point; infinite where a limit is passed."""
    top = given.ceiling[p]
    if not b > 0.0 or not b < top:
        return math.inf
    n = given.rows.shape[2] - 6
    root = math.sqrt(b)
    left = 1.0 - b / top
    for group in range(n + 2):
        first = group if group < n else n + 3 * (group - n)
        last = first + 1 if group < n else first + 3
        scale = given.inverse[p, 0, group]
        if scale > 0.0:
            size = 0.0
            for r in range(first, last):
                z = 0.5 * given.rows[p, 0, r] * slope + given.rows[p, 1, r] * b
                size += z * z
            slack = 1.0 - scale * scale * size
            if not slack > 0.0:
                return math.inf
            left *= slack
        scale = given.inverse[p, 1, group] * root
        if scale > 0.0:
            size = 0.0
            for r in range(first, last):
                z = (
                    0.5 * given.rows[p, 0, r] * bend
                    + 1.5 * given.rows[p, 1, r] * slope
                    + given.rows[p, 2, r] * b
                )
                size += z * z
            slack = 1.0 - scale * scale * size
            if not slack > 0.0:
                return math.inf
            left *= slack
    for r in range(given.drives.shape[2]):
        z = given.drives[p, 0, r] * slope + given.drives[p, 1, r] * b
        z += given.drives[p, 2, r] + given.drives[p, 3, r] * root
        slack = 1.0 - z * z
        if not slack > 0.0:
            return math.inf
        left *= slack
    # one logarithm for all of them; no room left counts as passed
    return -math.log(left) if left > 0.0 else math.inf


@inner
def _curvature(
    given: SpeedProblem, p: int, bend: float, slope: float, b: float
) -> tuple[Slopes, Curves]:
    """Return the derivatives of what `_point` says."""
    top = given.ceiling[p]
    n = given.rows.shape[2] - 6
    root = math.sqrt(b)
    part = 1.0 / (top - b)
    g, H = (0.0, 0.0, part), (0.0, 0.0, 0.0, 0.0, 0.0, part * part)
    for group in range(n + 2):
        first = group if group < n else n + 3 * (group - n)
        last = first + 1 if group < n else first + 3
        scale = given.inverse[p, 0, group]
        if scale > 0.0:
            size, g1, g2, h11, h12, h22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for r in range(first, last):
                one, two = scale * 0.5 * given.rows[p, 0, r], scale * given.rows[p, 1, r]
                z = one * slope + two * b
                size += z * z
                g1 += 2.0 * z * one
                g2 += 2.0 * z * two
                h11 += 2.0 * one * one
                h12 += 2.0 * one * two
                h22 += 2.0 * two * two
            g, H = _limited(g, H, 1.0 - size, (0.0, g1, g2), (0.0, 0.0, 0.0, h11, h12, h22))
        scale = given.inverse[p, 1, group] * root
        if scale > 0.0:
            size, g0, g1, g2 = 0.0, 0.0, 0.0, 0.0
            h00, h01, h02, h11, h12, h22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for r in range(first, last):
                one = scale * 0.5 * given.rows[p, 0, r]
                two = scale * 1.5 * given.rows[p, 1, r]
                three = scale * given.rows[p, 2, r]
                z = one * bend + two * slope + three * b
                size += z * z
                g0 += 2.0 * z * one
                g1 += 2.0 * z * two
                g2 += 2.0 * z * three + z * z / b
                # the square of what √b times the jerk's row changes by; the rest is downward
                three += z / b
                h00 += 2.0 * one * one
                h01 += 2.0 * one * two
                h02 += 2.0 * one * three
                h11 += 2.0 * two * two
                h12 += 2.0 * two * three
                h22 += 2.0 * three * three
            g, H = _limited(g, H, 1.0 - size, (g0, g1, g2), (h00, h01, h02, h11, h12, h22))
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


@inner
def _at(c: Array, k: int, row: Array) -> float:
    """Return b or a derivative of it on cell k."""
    return float(row[0] * c[k] + row[1] * c[k + 1] + row[2] * c[k + 2])


@inner
def _value(given: SpeedProblem, c: Array, barrier: float) -> float:
    """Return time and barriers; infinite where a limit is passed."""
    total = 0.0
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        total += _point(given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]))
        if total == math.inf:
            return total
    total *= barrier
    for p in range(given.node_weight.shape[0]):
        b = _at(c, given.node_cell[p], given.node_basis[p])
        if not b > 0.0:
            return math.inf
        total += given.node_weight[p] / math.sqrt(b)
    return total


@inner
def _assemble(given: SpeedProblem, c: Array, barrier: float, gradient: Array, band: Array) -> None:
    """Fill the gradient and the curvature by coefficients: diagonal, next to it, and the second."""
    gradient[:] = 0.0
    band[:] = 0.0
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        g, H = _curvature(given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]))
        for i in range(3):
            x, y, z = barrier * basis[0, i], barrier * basis[1, i], barrier * basis[2, i]
            gradient[k + i] += x * g[0] + y * g[1] + z * g[2]
            one = x * H[0] + y * H[1] + z * H[2]
            two = x * H[1] + y * H[3] + z * H[4]
            three = x * H[2] + y * H[4] + z * H[5]
            for j in range(i, 3):
                band[k + i, j - i] += one * basis[0, j] + two * basis[1, j] + three * basis[2, j]
    for p in range(given.node_weight.shape[0]):
        k, row = given.node_cell[p], given.node_basis[p]
        b = _at(c, k, row)
        first, second = -0.5 * given.node_weight[p] * b**-1.5, 0.75 * given.node_weight[p] * b**-2.5
        for i in range(3):
            gradient[k + i] += first * row[i]
            for j in range(i, 3):
                band[k + i, j - i] += second * row[i] * row[j]


@entry("Tuple((float64[::1], float64[:,:,::1]))(PROBLEM, float64[::1])", PROBLEM=_PROBLEM)
def limits_used(given: SpeedProblem, c: Array) -> tuple[Array, Array]:
    """Return fractions of limits: of squared speeds (p,), of accelerations and jerks (p, 2, n + 2).

    Args:
        given: Path and limits.
        c: Coefficients of b [1/s²]. Shape (k + 2,).
    """
    count, n = given.cell.shape[0], given.rows.shape[2] - 6
    speeds, rates = np.zeros(count), np.zeros((count, 2, n + 2))
    for p in range(count):
        k, basis = given.cell[p], given.basis[p]
        bend, slope, b = _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2])
        root = math.sqrt(max(b, 0.0))
        speeds[p] = b / given.ceiling[p]
        for group in range(n + 2):
            first = group if group < n else n + 3 * (group - n)
            last = first + 1 if group < n else first + 3
            second = third = 0.0
            for r in range(first, last):
                one, two = given.rows[p, 0, r], given.rows[p, 1, r]
                second += (0.5 * one * slope + two * b) ** 2
                third += (0.5 * one * bend + 1.5 * two * slope + given.rows[p, 2, r] * b) ** 2
            rates[p, 0, group] = given.inverse[p, 0, group] * math.sqrt(second)
            rates[p, 1, group] = given.inverse[p, 1, group] * root * math.sqrt(third)
    return speeds, rates


@inner
def _hold(gradient: Array, band: Array, first: int, last: int) -> None:
    """Leave coefficients from one to before another as they are: they get no step."""
    for i in range(first, last):
        gradient[i] = 0.0
        band[i, 0], band[i, 1], band[i, 2] = 1.0, 0.0, 0.0
        if i >= 1:
            band[i - 1, 1] = 0.0
        if i >= 2:
            band[i - 2, 2] = 0.0


@inner
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
    PROBLEM=_PROBLEM,
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
    n = c.shape[0]
    gradient, band, step = np.empty(n), np.empty((n, 3)), np.empty(n)
    taken = 0
    for barrier in barriers:
        value = _value(given, c, barrier)
        if value == math.inf:
            break
        for _ in range(patience):
            _assemble(given, c, barrier, gradient, band)
            _hold(gradient, band, 0, held[0])
            _hold(gradient, band, n - held[1], n)
            for i in range(n):
                step[i] = -gradient[i]
            _solve(band, step)
            taken += 1
            decrement = 0.0
            for i in range(n):
                decrement -= gradient[i] * step[i]
            if not decrement > _ENOUGH * barrier * given.cell.shape[0]:
                break
            size, found = 1.0, False
            for _ in range(_HALVINGS):
                trial = c + size * step
                there = _value(given, trial, barrier)
                if there <= value - _ARMIJO * size * decrement:
                    found = True
                    break
                size *= 0.5
            if not found:
                break
            c, value = trial, there
    return c, taken
