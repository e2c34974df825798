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
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner

_ENOUGH = 1e-4  # of the decrement of a Newton step at which the next smaller barrier is taken
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


@inner
def _add(g: Array, H: Array, zone: Array, slack: float, curve: Array) -> None:
    """Add gradient and curvature of -log(slack) for a constraint f = 1 - slack.

    ``zone`` is the gradient of f by (b'', b', b), ``curve`` its curvature as far as it is upward.
    """
    one = 1.0 / slack
    for i in range(3):
        g[i] += zone[i] * one
        for j in range(3):
            H[i, j] += curve[i, j] * one + zone[i] * zone[j] * one * one


@inner
def _point(
    given: SpeedProblem, p: int, bend: float, slope: float, b: float, g: Array, H: Array, full: bool
) -> float:
    """Return the sum of -log(slack) of a point; infinite where a limit is passed.

    With ``full``, ``g`` and ``H`` are filled with the derivatives by (b'', b', b).
    """
    top = given.ceiling[p]
    if not b > 0.0 or not b < top:
        return math.inf
    if full:
        g[:] = 0.0
        H[:] = 0.0
    value = 0.0
    if top < math.inf:
        slack = 1.0 - b / top
        value -= math.log(slack)
        if full:
            part = 1.0 / (top * slack)
            g[2] += part
            H[2, 2] += part * part
    n = given.rows.shape[2] - 6
    zone, curve = np.empty(3), np.empty((3, 3))
    root = math.sqrt(b)
    for group in range(n + 2):
        first = group if group < n else n + 3 * (group - n)
        last = first + 1 if group < n else first + 3
        scale = given.inverse[p, 0, group]
        if scale > 0.0:
            size = 0.0
            for r in range(first, last):
                z = scale * (0.5 * given.rows[p, 0, r] * slope + given.rows[p, 1, r] * b)
                size += z * z
            slack = 1.0 - size
            if not slack > 0.0:
                return math.inf
            value -= math.log(slack)
            if full:
                zone[:] = 0.0
                curve[:] = 0.0
                for r in range(first, last):
                    one = scale * 0.5 * given.rows[p, 0, r]
                    two = scale * given.rows[p, 1, r]
                    z = one * slope + two * b
                    zone[1] += 2.0 * z * one
                    zone[2] += 2.0 * z * two
                    curve[1, 1] += 2.0 * one * one
                    curve[1, 2] += 2.0 * one * two
                    curve[2, 2] += 2.0 * two * two
                curve[2, 1] = curve[1, 2]
                _add(g, H, zone, slack, curve)
        scale = given.inverse[p, 1, group] * root
        if scale > 0.0:
            size = 0.0
            for r in range(first, last):
                z = scale * (
                    0.5 * given.rows[p, 0, r] * bend
                    + 1.5 * given.rows[p, 1, r] * slope
                    + given.rows[p, 2, r] * b
                )
                size += z * z
            slack = 1.0 - size
            if not slack > 0.0:
                return math.inf
            value -= math.log(slack)
            if full:
                zone[:] = 0.0
                curve[:] = 0.0
                for r in range(first, last):
                    one = scale * 0.5 * given.rows[p, 0, r]
                    two = scale * 1.5 * given.rows[p, 1, r]
                    three = scale * given.rows[p, 2, r]
                    z = one * bend + two * slope + three * b
                    zone[0] += 2.0 * z * one
                    zone[1] += 2.0 * z * two
                    zone[2] += 2.0 * z * three + z * z / b
                    # the square of what √b times the jerk's row changes by; the rest is downward
                    three += z / b
                    curve[0, 0] += 2.0 * one * one
                    curve[0, 1] += 2.0 * one * two
                    curve[0, 2] += 2.0 * one * three
                    curve[1, 1] += 2.0 * two * two
                    curve[1, 2] += 2.0 * two * three
                    curve[2, 2] += 2.0 * three * three
                curve[1, 0], curve[2, 0], curve[2, 1] = curve[0, 1], curve[0, 2], curve[1, 2]
                _add(g, H, zone, slack, curve)
    for r in range(given.drives.shape[2]):
        one, two = given.drives[p, 0, r], given.drives[p, 1, r]
        speed = given.drives[p, 3, r]
        z = one * slope + two * b + given.drives[p, 2, r] + speed * root
        slack = 1.0 - z * z
        if not slack > 0.0:
            return math.inf
        value -= math.log(slack)
        if full:
            zone[:] = 0.0
            curve[:] = 0.0
            three = two + 0.5 * speed / root
            zone[1], zone[2] = 2.0 * z * one, 2.0 * z * three
            curve[1, 1], curve[2, 2] = 2.0 * one * one, 2.0 * three * three
            curve[1, 2] = curve[2, 1] = 2.0 * one * three
            curve[2, 2] += max(-0.5 * z * speed / (b * root), 0.0)
            _add(g, H, zone, slack, curve)
    return value


@inner
def _at(c: Array, k: int, row: Array) -> float:
    """Return b or a derivative of it on cell k."""
    return float(row[0] * c[k] + row[1] * c[k + 1] + row[2] * c[k + 2])


@inner
def _value(given: SpeedProblem, c: Array, barrier: float) -> float:
    """Return time and barriers; infinite where a limit is passed."""
    g, H = np.empty(0), np.empty((0, 0))
    total = 0.0
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        total += _point(
            given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]), g, H, False
        )
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
    g, H, moved = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    for p in range(given.cell.shape[0]):
        k, basis = given.cell[p], given.basis[p]
        _point(given, p, _at(c, k, basis[0]), _at(c, k, basis[1]), _at(c, k, basis[2]), g, H, True)
        for i in range(3):
            for j in range(3):
                moved[i, j] = barrier * (
                    H[i, 0] * basis[0, j] + H[i, 1] * basis[1, j] + H[i, 2] * basis[2, j]
                )
        for i in range(3):
            for r in range(3):
                gradient[k + i] += barrier * basis[r, i] * g[r]
                for j in range(i, 3):
                    band[k + i, j - i] += basis[r, i] * moved[r, j]
    for p in range(given.node_weight.shape[0]):
        k, row = given.node_cell[p], given.node_basis[p]
        b = _at(c, k, row)
        first, second = -0.5 * given.node_weight[p] * b**-1.5, 0.75 * given.node_weight[p] * b**-2.5
        for i in range(3):
            gradient[k + i] += first * row[i]
            for j in range(i, 3):
                band[k + i, j - i] += second * row[i] * row[j]


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


@entry()
def quickest_speeds(
    given: SpeedProblem, c: Array, barriers: Array, patience: int
) -> tuple[Array, int]:
    """Return coefficients of b under which the path takes the least time, and the steps it took.

    Args:
        given: Path and limits.
        c: Coefficients that keep every limit and touch none [1/s²]. Shape (k + 2,).
        barriers: Weights of the barriers, falling [s]. Shape (l,).
        patience: Largest number of steps for each.
    """
    c = c.copy()
    n = c.shape[0]
    gradient, band, step = np.empty(n), np.empty((n, 3)), np.empty(n)
    taken = 0
    for barrier in barriers:
        value = _value(given, c, barrier)
        for _ in range(patience):
            _assemble(given, c, barrier, gradient, band)
            step[:] = -gradient
            _solve(band, step)
            taken += 1
            decrement = 0.0
            for i in range(n):
                decrement -= gradient[i] * step[i]
            if not decrement > _ENOUGH * barrier * given.cell.shape[0] * 0.01:
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
