"""Joint values along a track by one smooth parameter, through points of a branch.

Between its points the joints run on polynomials of seventh degree through q, q', q'', q''', by a
parameter that is the tool's arc length and, beside singularities, that of the joints. Rates are
derivatives of these polynomials, so that they are those of the joint values however near a
singularity the path leads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.curves.interpolating import interpolating_spline
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.path.marching import BranchPoints
from armwerk.motion.path.parameter import by_parameter, parametrise
from armwerk.motion.path.singular_ends import SingularEnds, mended
from armwerk.motion.path.track import Track


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """Joint values by the parameter of a track, its arc length where no singularity is near.

    Args:
        track: Where the tool goes.
        grid: Values of the parameter [m], a border twice: as the end of one span, as the start of
            the next. Shape (m,).
        table: q, q', q'', q''' by the parameter there. Shape (m, 4, n).
        arcs: Arc length of the tool and its derivatives by the parameter. Shape (m, 4, 1).
        twists: Tool motion by the parameter. Shape (m, 3, 6).
        side: Which points of the grid are ends, meant from the left. Shape (m,).
        by_arc: Whether the parameter is the arc length everywhere.
        turning: The tool's orientation and ω, ω', ω'' of motions of the joints, where the track
            does not tell them by its arc length; None: it does.
    """

    track: Track
    grid: Array
    table: Array
    arcs: Array
    twists: Array
    side: Flags
    by_arc: bool
    turning: Callable[[Array], tuple[Array, Array]] | None = None

    @property
    def length(self) -> float:
        """Where the parameter ends [m]."""
        return float(self.grid[-1])

    @property
    def dof(self) -> int:
        """Number of joints."""
        return int(self.table.shape[2])

    def evaluate(self, u: Array, left: bool = False) -> tuple[Array, Array]:
        """Return q, q', q'', q''' (m, 4, n) and the tool's twists (m, 3, 6) by the parameter."""
        if self.by_arc:
            _, twists = self.track.evaluate(np.clip(u, 0.0, self.track.length), left)
            return self.joints(u, left), twists
        arcs = between_points(self.grid, self.arcs, u, left)[:, :, 0]
        joints, s = self.joints(u, left), np.clip(arcs[:, 0], 0.0, self.track.length)
        if self.turning is None:
            return joints, by_parameter(self.track.evaluate(s, left)[1], arcs)
        moves = by_parameter(self.track.position(s, left)[:, 1:], arcs)
        return joints, np.concatenate([moves, self.turning(joints)[1]], axis=2)

    def joints(self, u: Array, left: bool = False) -> Array:
        """Return q, q', q'', q''' by the parameter. Shape (m, 4, n)."""
        return between_points(self.grid, self.table, u, left)

    def arc_length(self, u: Array) -> Array:
        """Return the arc lengths of the tool at values of the parameter [m]. Shape (m,)."""
        s = between_points(self.grid, self.arcs, np.asarray(u, dtype=np.float64), False)[:, 0, 0]
        return np.clip(s, 0.0, self.track.length)

    def parameter(self, s: float) -> float:
        """Return the value of the parameter at an arc length [m]."""
        cell = int(np.clip(np.searchsorted(self.arcs[:, 0, 0], s) - 1, 0, len(self.grid) - 2))
        low, high = float(self.grid[cell]), float(self.grid[cell + 1])
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.arc_length(np.array([middle]))[0] < s:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)


def follower_through(
    track: Track,
    points: BranchPoints,
    weights: Array,
    usual: float,
    singular: SingularEnds,
) -> Follower:
    """Return the follower through points of a branch."""
    motions = points.motions
    if motions.shape[2] > 6:
        motions = _smooth(points.s, motions)
    u, arcs = parametrise(points.s, motions, weights, usual)
    if not np.isfinite(usual) and singular.are_none:
        # by the arc length itself everything is as it was found
        table = np.ascontiguousarray(motions)
        return Follower(track, u, table, arcs[:, :, None], points.twists, points.is_end, True)
    table = np.concatenate([motions[:, :1], by_parameter(motions[:, 1:], arcs)], axis=1)
    both = np.concatenate([table, arcs[:, :, None]], axis=2)
    if motions.shape[2] <= 6:
        u, both = mended(u, both, singular)
    table = np.ascontiguousarray(both[:, :, :-1])
    arcs = np.ascontiguousarray(both[:, :, -1:])
    twists = by_parameter(points.twists, arcs[:, :, 0])
    return Follower(track, np.ascontiguousarray(u), table, arcs, twists, points.is_end, False)


def _smooth(grid: Array, table: Array) -> Array:
    """Return the table with q' and q'' of a spline through q, for an arm with joints to spare.

    Steps of least size do not add up to a smooth q'' there; any smooth way through the same q will
    do, since Newton's method puts the tool on the curve.
    """
    first = np.append(True, np.diff(grid) > 0.0)
    fitted = interpolating_spline(grid[first], table[first, 0], 5)
    out = fitted.rates(grid)
    out[:, 0] = table[:, 0]
    return out
