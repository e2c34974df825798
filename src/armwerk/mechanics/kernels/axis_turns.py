"""Axis values of coupled joints: of all whole turns that mean the same angles, the right ones.

Angles of joints are constant sums of axis values, angles = C values (`CoupledAxes`), each known up
to whole turns. Axes are gone through from those that lead to those that follow; of each, values
nearest to where it is wanted come first, and what is farther than the best so far is left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.turns import LIMIT_SLACK, TURN

TURNS, WHOLE, ALONE = 1, 2, 4
"""What is known of an axis: it turns; its turns turn every joint wholly; none but it needs them."""
TURNING, DRIVEN, BOUNDED = 1, 2, 4
"""What is known of a joint: it turns; it has a drive; its angle has limits of its own."""
FARTHEST = 2.0  # turns to each side of the wanted value that are tried where there is no limit
MOST = 4096  # values that are looked at for one set of angles
AGREE = 1e-9  # [rad or m] within which a joint without a drive must stand where its rods put it
_DIGITS = 1e6  # per radian or metre: what is equal then keeps its order


class CoupledAxes(NamedTuple):
    """Between k joint angles and n axis values.

    Args:
        matrix: C of angles = C values. Shape (k, n).
        inverse: Of the rows of joints with a drive. Shape (n, n).
        limits: Of the axes [rad or m]. Shape (n, 2).
        ranges: Of the joints, where bounded [rad or m]. Shape (k, 2).
        rows: Which joint each axis drives. Shape (n,).
        order: The axes, each behind those that it follows. Shape (n,).
        axes: Sum of `TURNS`, `WHOLE`, `ALONE` of each axis. Shape (n,).
        joints: Sum of `TURNING`, `DRIVEN`, `BOUNDED` of each joint. Shape (k,).
    """

    matrix: Array
    inverse: Array
    limits: Array
    ranges: Array
    rows: Integers
    order: Integers
    axes: Integers
    joints: Integers


COUPLED = RecordText(
    CoupledAxes,
    matrix="float64[:,::1]",
    inverse="float64[:,::1]",
    limits="float64[:,::1]",
    ranges="float64[:,::1]",
    rows="int64[::1]",
    order="int64[::1]",
    axes="int64[::1]",
    joints="int64[::1]",
)


class TurnScratch(NamedTuple):
    """Scratch of a search among whole turns; each of shape (n,), or (n + 1,) for ``cost``."""

    values: Array
    base: Array
    first: Array
    last: Array
    step: Array
    cost: Array


@inner
def turn_scratch(n: int) -> TurnScratch:
    return TurnScratch(  # values are multiplied by 0 before they are set, and nan would stay
        np.zeros(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.zeros(n + 1)
    )


@inner
def angle_of(coupled: CoupledAxes, row: int, values: Array) -> float:
    """Return the angle of a joint [rad or m]."""
    angle = 0.0
    for i in range(values.shape[0]):
        angle += coupled.matrix[row, i] * values[i]
    return angle


@inner
def keeps_ranges(coupled: CoupledAxes, values: Array, slack: float) -> bool:
    """Whether joints with limits of their own keep them."""
    for row in range(coupled.joints.shape[0]):
        if coupled.joints[row] & BOUNDED:
            angle = angle_of(coupled, row, values)
            low, high = coupled.ranges[row, 0], coupled.ranges[row, 1]
            if not low - slack <= angle <= high + slack:
                return False
    return True


@inner
def _begin(
    coupled: CoupledAxes, angles: Array, near: Array, slack: float, place: int, work: TurnScratch
) -> None:
    """Note the value of an axis nearest to where it is wanted, and how many turns limits leave."""
    axis = coupled.order[place]
    row = coupled.rows[axis]
    value = angles[row]
    for i in range(near.shape[0]):
        if i != axis:
            value -= coupled.matrix[row, i] * work.values[i]
    low, high = coupled.limits[axis, 0] - slack, coupled.limits[axis, 1] + slack
    if coupled.axes[axis] & TURNS:
        value += TURN * np.floor((near[axis] - value) / TURN + 0.5)
        work.first[place] = np.ceil((low - value) / TURN) if low > -math.inf else -FARTHEST
        work.last[place] = np.floor((high - value) / TURN) if high < math.inf else FARTHEST
    else:
        work.first[place] = 0.0
        work.last[place] = 0.0 if low <= value <= high else -1.0
    work.base[place] = value
    work.step[place] = 0.0


@inner
def _next(coupled: CoupledAxes, near: Array, place: int, alone: int, work: TurnScratch) -> bool:
    """Set an axis to its next value, nearest first; False: limits leave no more.

    Of an axis that has the flag ``alone`` the nearest is all.
    """
    axis = coupled.order[place]
    first, last = work.first[place], work.last[place]
    towards = 1.0 if near[axis] >= work.base[place] else -1.0
    most = 2.0 * max(-first, last)
    while work.step[place] <= most:
        step = work.step[place]
        half = np.floor(0.5 * (step + 1.0))
        turns = half * (towards if 2.0 * half > step else -towards)
        work.step[place] = step + 1.0
        if first <= turns <= last:
            work.values[axis] = work.base[place] + TURN * turns
            if coupled.axes[axis] & alone:
                work.step[place] = math.inf
            return True
    return False


@inner
def nearest_turn(
    coupled: CoupledAxes,
    angles: Array,
    near: Array,
    weights: Array,
    slack: float,
    least: float,
    work: TurnScratch,
    out: Array,
) -> float:
    """Fill the values within limits nearest to ``near``; return their squared distance.

    Args:
        coupled: The arm.
        angles: Of the joints, known up to whole turns. Shape (k,).
        near: Axis values to be near to. Shape (n,).
        weights: What each axis counts in the distance. Shape (n,).
        slack: By which a limit may be passed [rad or m].
        least: A squared distance that is beaten or handed back.
        work: Scratch.
        out: Filled where something nearer than ``least`` is found. Shape (n,).
    """
    n = near.shape[0]
    looked = place = 0
    _begin(coupled, angles, near, slack, 0, work)
    while place >= 0:
        axis = coupled.order[place]
        found = _next(coupled, near, place, ALONE, work)
        square = work.cost[place] + ((work.values[axis] - near[axis]) * weights[axis]) ** 2
        if not found or not square < least or looked >= MOST:
            place -= 1
        elif place < n - 1:
            place += 1
            work.cost[place] = square
            _begin(coupled, angles, near, slack, place, work)
        else:
            looked += 1
            if keeps_ranges(coupled, work.values, slack):
                least = square
                for i in range(n):
                    out[i] = work.values[i]
    return least


@inner
def put_on_limits(coupled: CoupledAxes, values: Array, held: Integers) -> bool:
    """Put axes and joints on limits that they are beyond of; return whether that moved any far.

    ``held`` becomes 1 for axes on a limit, 2 for those that keep their own joint on one.
    """
    moved = False
    for i in range(values.shape[0]):
        low, high = coupled.limits[i, 0], coupled.limits[i, 1]
        moved = moved or not low - LIMIT_SLACK <= values[i] <= high + LIMIT_SLACK
        values[i] = min(max(values[i], low), high)
        held[i] = 0 if low < values[i] < high else 1
    for i in range(values.shape[0]):
        row = coupled.rows[i]
        if coupled.joints[row] & BOUNDED:
            angle = angle_of(coupled, row, values)
            low, high = coupled.ranges[row, 0], coupled.ranges[row, 1]
            if not low <= angle <= high:
                moved = moved or not low - LIMIT_SLACK <= angle <= high + LIMIT_SLACK
                values[i] += min(max(angle, low), high) - angle
                held[i] = 2
    return moved


@inner
def value_jacobian(coupled: CoupledAxes, J: Array, out: Array) -> None:
    """Fill J C: what axes do to the tool. Shapes (6, k) and (6, n)."""
    for r in range(6):
        for i in range(out.shape[1]):
            total = 0.0
            for row in range(J.shape[1]):
                total += J[r, row] * coupled.matrix[row, i]
            out[r, i] = total


@inner
def fill_angles(coupled: CoupledAxes, values: Array, out: Array) -> None:
    """Fill angles = C values. Shape (k,)."""
    for row in range(out.shape[0]):
        out[row] = angle_of(coupled, row, values)


@inner
def is_possible(coupled: CoupledAxes, angles: Array) -> bool:
    """Whether joints without a drive stand where their rods put them, whole turns not counted."""
    k, n = coupled.matrix.shape
    for row in range(k if k > n else 0):
        if coupled.joints[row] & DRIVEN:
            continue
        off = angles[row]
        for i in range(n):
            if coupled.matrix[row, i] != 0.0:
                value = 0.0
                for j in range(n):
                    value += coupled.inverse[i, j] * angles[coupled.rows[j]]
                off -= coupled.matrix[row, i] * value
        if coupled.joints[row] & TURNING:
            off -= TURN * np.floor(off / TURN + 0.5)
        if not abs(off) < AGREE:
            return False
    return True


@inner
def sort_rows(rows: Array, count: int) -> None:
    """Put the first rows in order by the first column, then the second, …, to six digits."""
    n = rows.shape[1]
    moved = np.empty(n)
    for m in range(1, count):
        for i in range(n):
            moved[i] = rows[m, i]
        place = m
        while place > 0 and _is_before(moved, rows[place - 1]):
            for i in range(n):
                rows[place, i] = rows[place - 1, i]
            place -= 1
        for i in range(n):
            rows[place, i] = moved[i]


@inner
def _is_before(one: Array, other: Array) -> bool:
    for i in range(one.shape[0]):
        a, b = np.rint(_DIGITS * one[i]), np.rint(_DIGITS * other[i])
        if a != b:
            return bool(a < b)
    return False


@entry(
    "boolean(COUPLED, float64[::1], float64[::1], float64[::1], float64, float64[::1])",
    COUPLED=COUPLED,
)
def turned_values(
    coupled: CoupledAxes, angles: Array, near: Array, weights: Array, slack: float, out: Array
) -> bool:
    """Fill what `nearest_turn` finds, put on limits; False: limits, or rods, leave nothing."""
    n = near.shape[0]
    if not is_possible(coupled, angles):
        return False
    square = nearest_turn(coupled, angles, near, weights, slack, math.inf, turn_scratch(n), out)
    if square == math.inf:
        return False
    put_on_limits(coupled, out, np.empty(n, np.int64))
    return True


@entry("int64(COUPLED, float64[::1], float64[::1], float64[:,::1])", COUPLED=COUPLED)
def every_value(coupled: CoupledAxes, angles: Array, near: Array, out: Array) -> int:
    """Fill all axis values within limits that mean the angles; return their number.

    Args:
        coupled: The couplings.
        angles: Known up to whole turns. Shape (k,).
        near: Axis values; those of each axis next to it come first. Shape (n,).
        out: As many as find room. Shape (m, n).
    """
    n = near.shape[0]
    work, held = turn_scratch(n), np.empty(n, np.int64)
    count, place = 0, 0 if is_possible(coupled, angles) else -1
    _begin(coupled, angles, near, LIMIT_SLACK, 0, work)
    while place >= 0 and count < out.shape[0]:
        if not _next(coupled, near, place, 0, work):
            place -= 1
        elif place < n - 1:
            place += 1
            _begin(coupled, angles, near, LIMIT_SLACK, place, work)
        elif keeps_ranges(coupled, work.values, LIMIT_SLACK):
            for i in range(n):
                out[count, i] = work.values[i]
            put_on_limits(coupled, out[count], held)
            count += 1
    return count


@entry("int64(COUPLED, float64[:,::1], float64[:,::1])", COUPLED=COUPLED)
def axis_values(coupled: CoupledAxes, rows: Array, out: Array) -> int:
    """Fill the axis values of angles that rods allow, in order; return their number.

    Where a turn of an axis changes nothing, its value is in (-π, π].

    Args:
        coupled: The couplings.
        rows: Joint angles. Shape (m, k).
        out: Shape (m, n).
    """
    n = out.shape[1]
    count = 0
    for m in range(rows.shape[0]):
        if not is_possible(coupled, rows[m]):
            continue
        for i in range(n):
            value = 0.0
            for j in range(n):
                value += coupled.inverse[i, j] * rows[m, coupled.rows[j]]
            if coupled.axes[i] & WHOLE:
                value -= TURN * np.ceil((value - math.pi) / TURN)
            out[count, i] = value
        count += 1
    sort_rows(out, count)
    return count
