"""Joint values along a track: one branch of the inverse kinematics, exact everywhere.

The branch is followed from its start by prediction and Newton's method on a grid of arc lengths,
with q', q'', q''' by arc length from the Jacobian and its derivatives:

    J q' = t,    J q'' = t' - J' q',    J q''' = t'' - 2 J' q'' - J'' q'

Between the points of the grid the quintic through q, q', q'' of the neighbours is the guess, and
Newton's method makes it exact, so that the tool is on the curve at every arc length, not only on
the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.motion.kernels.following import (
    FOLLOWED,
    LOST,
    Tolerances,
    ToolPoints,
    follow,
    refine,
)
from armwerk.motion.path.track import Track

ON_CURVE = 1e-9
"""[m, rad] within which a pose must be met; exactly met poses come out at 1e-12."""
STEP = 0.08
"""[rad or m] a joint may move by between two points of the grid."""
UNEVEN = 0.2
"""Fraction by which joint rates may change between two points of the grid; near a singularity they
change a lot, and the time law must see it."""
_LITTLE = 1e-3  # [rad or m] of motion within a cell whose rates may change as they like
_TURN = 0.02  # [rad] by which the change of curvature may turn the tangent within a cell
CELLS = 96
CELL = 0.01  # [m]
_AGREE = 1e-2  # fraction by which rates at an end may differ from what the next point foretells
_MIN_CELL = 1e-7  # [fraction of the track] below which a step is not halved any more
_MAX_POINTS = 40_000


class LostError(Exception):
    """The branch ends: where, and the last joint values before it.

    Args:
        s: Arc length reached [m].
        q: Joint values there. Shape (n,).
        state: LOST when the pose cannot be met, JUMPED when only another branch meets it.
    """

    def __init__(self, s: float, q: Array, state: int) -> None:
        super().__init__(f"lost at {s}")
        self.s, self.q, self.state = s, q, state


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """Joint values by arc length of a track.

    Args:
        track: Where the tool goes.
        constants: The arm, see `armwerk.mechanics.chain`.
        scale: Length that counts as much as one radian [m].
        grid: Arc lengths, a border twice: as the end of one span, as the start of the next.
        table: q, q', q'', q''' there. Shape (m, 4, n).
        twists: Tool motion there. Shape (m, 3, 6).
        side: Which points of the grid are ends, meant from the left. Shape (m,).
    """

    track: Track
    constants: Array
    scale: float
    grid: Array
    table: Array
    twists: Array
    side: NDArray[np.bool_]

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return self.track.length

    def evaluate(self, s: Array, left: bool = False) -> tuple[Array, Array]:
        """Return q, q', q'', q''' (m, 4, n) and the tool's twists (m, 3, 6) at arc lengths s."""
        poses, twists = self.track.evaluate(s, left)
        goals = ToolPoints(s, poses, twists)
        _, found = refine(self.constants, goals, self._guess(s, left), _tolerances(self.scale))
        return found, twists

    def _guess(self, s: Array, left: bool) -> Array:
        cell = np.searchsorted(self.grid, s, "left" if left else "right")
        cell = np.clip(cell - 1, 0, len(self.grid) - 2)
        low, high = self.table[cell], self.table[cell + 1]
        h = (self.grid[cell + 1] - self.grid[cell])[:, None]
        x = np.clip((s - self.grid[cell])[:, None] / np.where(h > 0, h, 1.0), 0.0, 1.0)
        h = np.where(h > 0, h, 1.0)
        step = high[:, 0] - low[:, 0] - h * low[:, 1] - 0.5 * h * h * low[:, 2]
        speed = h * (high[:, 1] - low[:, 1] - h * low[:, 2])
        bend = h * h * (high[:, 2] - low[:, 2])
        c3 = 10.0 * step - 4.0 * speed + 0.5 * bend
        c4 = -15.0 * step + 7.0 * speed - bend
        c5 = 6.0 * step - 3.0 * speed + 0.5 * bend
        out = np.empty((len(s), 4, self.table.shape[2]))
        way = x * h
        out[:, 0] = (
            low[:, 0] + way * (low[:, 1] + 0.5 * way * low[:, 2]) + x**3 * (c3 + x * (c4 + x * c5))
        )
        out[:, 1] = low[:, 1] + way * low[:, 2] + x**2 * (3 * c3 + x * (4 * c4 + 5 * x * c5)) / h
        out[:, 2] = low[:, 2] + x * (6 * c3 + x * (12 * c4 + 20 * x * c5)) / h**2
        out[:, 3] = (6 * c3 + x * (24 * c4 + 60 * x * c5)) / h**3
        return out


def _tolerances(scale: float) -> Tolerances:
    return Tolerances(scale, ON_CURVE, 2.0 * STEP)


def follow_track(track: Track, constants: Array, scale: float, start: Array) -> Follower:
    """Follow a track from joint values that are at its start.

    Raises:
        LostError: Where the branch ends.
    """
    grid, side = _grid(track)
    while True:
        poses, twists = _both_sides(track, grid, side)
        goals = ToolPoints(grid, poses, twists)
        state, reached, table = follow(constants, goals, start, _tolerances(scale))
        if state != FOLLOWED:
            cell = grid[reached] - grid[reached - 1] if reached else 0.0
            if cell <= _MIN_CELL * track.length or len(grid) > _MAX_POINTS:
                last = table[reached - 1, 0] if reached else start
                raise LostError(float(grid[reached]), last, LOST if reached == 0 else state)
            new = np.array([0.5 * (grid[reached] + grid[reached - 1])])
        else:
            new = 0.5 * (grid[1:] + grid[:-1])[_coarse(grid, table, twists)]
            if not len(new) or len(grid) > _MAX_POINTS:
                break
        places = np.searchsorted(grid, new)
        grid, side = np.insert(grid, places, new), np.insert(side, places, False)
    table = _smooth(grid, table) if table.shape[2] > 6 else _mended(grid, table)
    return Follower(track, constants, scale, grid, table, twists, side)


def _coarse(grid: Array, table: Array, twists: Array) -> NDArray[np.bool_]:
    """Return the cells across which joints move too far, or rates or curvature change too much."""
    step = np.diff(grid)
    moved = np.abs(np.diff(table[:, 0], axis=0)).max(axis=1) > STEP
    rates = np.abs(table[:, 1]).max(axis=1)
    change = np.abs(np.diff(table[:, 1], axis=0)).max(axis=1)
    # what hardly moves within a cell does not matter, however its rate changes
    uneven = (change > UNEVEN * np.maximum(rates[1:], rates[:-1])) & (change * step > _LITTLE)
    bend = np.abs(twists[:, 1]).max(axis=1)
    turn = np.abs(np.diff(twists[:, 1], axis=0)).max(axis=1)
    sharp = (turn > UNEVEN * np.maximum(bend[1:], bend[:-1])) & (turn * step > _TURN)
    return np.asarray((moved | uneven | sharp) & (step > _MIN_CELL * grid[-1]))


def _grid(track: Track) -> tuple[Array, NDArray[np.bool_]]:
    """Return arc lengths, each border twice, and where they are meant from the left."""
    breaks = track.breaks()
    parts, sides = [], []
    for low, high in pairwise(breaks):
        fraction = (high - low) / track.length
        cells = int(np.clip(np.ceil(max((high - low) / CELL, CELLS * fraction)), 8, 4000))
        parts.append(np.linspace(low, high, cells + 1))
        side = np.zeros(cells + 1, dtype=bool)
        side[-1] = True
        sides.append(side)
    return np.concatenate(parts), np.concatenate(sides)


def _both_sides(track: Track, grid: Array, side: NDArray[np.bool_]) -> tuple[Array, Array]:
    poses, twists = track.evaluate(grid)
    if side.any():
        poses[side], twists[side] = track.evaluate(grid[side], left=True)
    return poses, twists


def _mended(grid: Array, table: Array) -> Array:
    """Return the table with rates at its ends that agree with their neighbours.

    An arm that stands in a singularity at an end of the track has many rates there that move the
    tool alike; only those its neighbours lead to belong to a smooth motion.
    """
    for end, near in ((0, 1), (-1, -2)):
        h = grid[end] - grid[near]
        rates = table[near, 1] + h * (table[near, 2] + 0.5 * h * table[near, 3])
        off = np.abs(rates - table[end, 1]).max()
        if off > _AGREE * max(float(np.abs(rates).max()), 1.0):
            table[end, 1] = rates
            table[end, 2] = table[near, 2] + h * table[near, 3]
            table[end, 3] = table[near, 3]
    return table


def _smooth(grid: Array, table: Array) -> Array:
    """Return the table with q' and q'' of a spline through q, for an arm with joints to spare.

    Steps of least size do not add up to a smooth q'' there; any smooth way through the same q will
    do, since Newton's method puts the tool on the curve.
    """
    from scipy.interpolate import make_interp_spline

    first = np.append(True, np.diff(grid) > 0.0)
    fitted = make_interp_spline(grid[first], table[first, 0], k=5)
    out = table.copy()
    for order in (1, 2, 3):
        out[:, order] = fitted.derivative(order)(grid)
    return out
