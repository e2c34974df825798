"""Joint values along a track: one branch of the inverse kinematics, by one smooth parameter.

The branch is marched along from its start by prediction and Newton's method, with q', q'', q''' by
arc length from the Jacobian and its derivatives:

    J q' = t,    J q'' = t' - J' q',    J q''' = t'' - 2 J' q'' - J'' q'

Between its points the joints run on polynomials of seventh degree through q, q', q'', q''', by a
parameter that is the tool's arc length and, beside singularities, that of the joints. Points are
put in until the tool keeps to its curve in between. Rates are derivatives of these polynomials, so
that they are those of the joint values however near a singularity the path leads.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.motion.curves.interpolating import interpolating_spline
from armwerk.motion.kernels.following import JUMPED, THROUGH, Tolerances, ToolPoints, refine
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.path.known_branch import KnownBranch
from armwerk.motion.path.marching import (
    CELLS,
    LOOKS,
    MIN_CELL,
    OFF,
    ON_CURVE,
    STEP,
    BranchPoints,
    LostError,
    even_count,
    march,
)
from armwerk.motion.path.parameter import by_arc_length, by_parameter, parametrise, usual_rate
from armwerk.motion.path.singular_ends import (
    CLEAR,
    SingularEnds,
    cleared,
    joint_weights,
    mended,
    singular_ends,
    straightened,
)
from armwerk.motion.path.track import Track

UNEVEN = 0.2
"""Fraction by which joint rates may change between two points of the grid; near a singularity they
change a lot, and the time law must see it."""
_LITTLE = 1e-6  # [rad or m] of motion within a cell whose rates may change as they like
_TURN = 0.02  # [rad] by which the change of curvature may turn the tangent within a cell
_SMALL = 0.02  # [rad or m] of motion within a cell that is not halved for the sake of joints
_TRUE = 1e-8  # [rad or m] by which joints may differ from the branch in a larger cell
_NEAR = 0.05  # [rad or m] within which a point that is put in must be of what leads there
_SETTLED = 3.0  # factor by which the tool's rates at both ends of a cell may differ
_ROUNDS = 40
_CLOSER = (0.5, 0.25, 0.125)  # of what is clear next to a singular end, where that is too far
_MOST = 12  # times as many points as an even grid has, from which on no more make a way smooth
_HOPELESS = 3  # times as many, from which on they make none if they only grow in number
_GROWS = 1.4  # times as many new points as in the round before: cells are halved again and again
_GROWING = 3  # rounds in a row in which they are, until that is not the branch but rounding
_BLOCK = 20_000  # cells that are looked into together
_JUMP = 1e-7  # [m, rad] off its curve from which on the tool would have to jump
_STEP_SEEN = 1e-9  # [rad or m] that joint values may step by within a cell
_SPATIAL = 6  # joints at which the side of a singularity is known
_LEAP = 10.0  # times what rates at both ends tell, by which joints may move within a cell
_SAME = 1e-8  # [rad or m] by which a branch may end beside the joint values that are there


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


def follow_track(
    track: Track,
    constants: Array,
    scale: float,
    start: Array,
    shape: Callable[[BranchPoints], BranchPoints] | None = None,
    opening: BranchPoints | None = None,
    hard: float = np.inf,
) -> Follower:
    """Follow a track from joint values that are at its start.

    Args:
        track: Where the tool goes.
        constants: The arm, see `armwerk.mechanics.chain`.
        scale: Length that counts as much as one radian [m].
        start: Joint values. Shape (n,).
        shape: Makes use of joints to spare; None: they move as little as they can.
        opening: First points of the branch, where they are known; None: they are not.
        hard: How many cells of the track may have to be halved to see the way of the joints.

    Raises:
        LostError: Where the branch ends, or more cells than that had to be halved.
    """
    points = march(track, constants, scale, start, opening, hard)
    if shape is not None:
        points = shape(points)
    singular = singular_ends(constants, scale, points)
    weights = joint_weights(constants, scale)
    if singular.end is not None:
        points = straightened(track, constants, scale, points, weights)
        singular = singular_ends(constants, scale, points)
    return _held_at_ends(track, constants, scale, start, points, singular)


def follow_known(
    track: Track, constants: Array, scale: float, start: Array, known: KnownBranch
) -> Follower:
    """Follow a track along a branch that is known at points of all of it.

    Args:
        track: Where the tool goes.
        constants: The arm, see `armwerk.mechanics.chain`.
        scale: Length that counts as much as one radian [m].
        start: Joint values. Shape (n,).
        known: The branch.

    Raises:
        LostError: Where the joints cannot be led along it.
    """
    found = _held_at_ends(track, constants, scale, start, known.points, known.singular)
    twists = found.twists.copy()
    twists[:, :, 3:] = known.turning(found.table)[1]
    return replace(found, twists=twists, turning=known.turning)


def _held_at_ends(
    track: Track,
    constants: Array,
    scale: float,
    start: Array,
    points: BranchPoints,
    singular: SingularEnds,
) -> Follower:
    """Return the follower through points of a branch, the tool kept to its curve at their ends.

    Raises:
        LostError: Where joint values jump, or begin elsewhere than at the start (n,).
    """
    follower = _through(track, constants, scale, points, singular)
    off = _off_at_ends(follower, constants, scale, singular)
    for closer in _CLOSER if off > THROUGH else ():
        with suppress(LostError):
            nearer = singular._replace(clear=closer * CLEAR)
            other = _through(track, constants, scale, points, nearer)
            found = _off_at_ends(other, constants, scale, singular)
            follower, off = (other, found) if found < off else (follower, off)
        if off <= THROUGH:
            break
    if np.abs(follower.table[0, 0] - start).max() > _SAME:
        raise LostError(0.0, start, JUMPED)
    return follower


def _through(
    track: Track,
    constants: Array,
    scale: float,
    points: BranchPoints,
    singular: SingularEnds,
) -> Follower:
    """Return the follower through points of a branch, and as many between them as are needed.

    Args:
        track: Where the tool goes.
        constants: The arm.
        scale: Length that counts as one radian [m].
        points: Of the branch.
        singular: How joints move the tool at ends in a singularity.

    Raises:
        LostError: Where joint values jump, or the tool leaves its curve.
    """
    weights = joint_weights(constants, scale)
    points = cleared(points, weights, singular)
    usual = usual_rate(points.s, points.motions, weights)
    unsure = np.ones(len(points.s) - 1, dtype=bool)
    even = max(even_count(track), CELLS)
    before = growing = 0
    for _ in range(_ROUNDS):
        follower = _follower(track, points, weights, usual, singular)
        coarse = _coarse(follower, points)
        whole = points.crossings
        new = _new_points(follower, constants, scale, unsure & ~whole, coarse & ~whole, singular)
        if not len(new.s):
            break
        count = len(points.s) + len(new.s)
        growing = growing + 1 if before and len(new.s) > _GROWS * before else 0
        before = len(new.s)
        if count > _MOST * even or (growing >= _GROWING and count > _HOPELESS * even):
            middle = len(new.s) // 2
            raise LostError(float(new.s[middle]), new.motions[middle, 0], JUMPED)
        places = np.searchsorted(points.s, new.s)
        points = BranchPoints(
            *(
                np.insert(column, places, rows, axis=0)
                for column, rows in zip(points, new, strict=True)
            )
        )
        put = places + np.arange(len(places))
        unsure = np.zeros(len(points.s) - 1, dtype=bool)
        unsure[put] = unsure[put - 1] = True
    follower = _follower(track, points, weights, usual, singular)
    if not follower.by_arc:
        _refuse_steps(follower)
    elif follower.dof < _SPATIAL:
        _refuse_leaps(follower)
    if np.isfinite(usual):
        _hold_to_curve(follower, constants, scale)
    return follower


def _off_at_ends(
    follower: Follower, constants: Array, scale: float, singular: SingularEnds
) -> float:
    """Return how far the tool leaves its curve next to singular ends [m, rad].

    Nothing is put in there: what the neighbour foretells must do, and along a small circle it does
    over a shorter way only.
    """
    grid = follower.grid
    both = ((0, singular.start), (len(grid) - 2, singular.end))
    cells = np.array([cell for cell, known in both if known is not None], dtype=np.int64)
    if not len(cells):
        return 0.0
    u = (grid[cells, None] + LOOKS * np.diff(grid)[cells, None]).ravel()
    arcs = between_points(grid, follower.arcs, u, False)[:, :, 0]
    arcs[:, 0] = np.clip(arcs[:, 0], 0.0, follower.track.length)
    arcs[:, 1:] = (1.0, 0.0, 0.0)
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    off = _exact(follower.track, constants, arcs, follower.joints(u), tolerances)[0][:, 0]
    return float(off.max())


def _refuse_steps(follower: Follower) -> None:
    """Refuse joint values that step within a cell too short for rates to show it.

    Raises:
        LostError: Where they do; next to a singular end that is not what the branch leads to.
    """
    ends = follower.joints(follower.grid[1:], left=True)[:, 0]
    within = np.diff(follower.grid) > 0.0
    step = np.abs(ends - follower.table[1:, 0]).max(axis=1) * within
    worst = int(np.argmax(step))
    if not step[worst] < _STEP_SEEN:
        raise LostError(float(follower.arcs[worst, 0, 0]), follower.table[worst, 0], JUMPED)


def _refuse_leaps(follower: Follower) -> None:
    """Refuse joint values of few joints that go farther within a cell than their rates tell.

    Raises:
        LostError: Where they do: an elbow that is passed stretched came out bent the other way.
    """
    rates = np.abs(follower.table[:, 1])
    told = np.diff(follower.grid)[:, None] * np.maximum(rates[1:], rates[:-1])
    leap = (np.abs(np.diff(follower.table[:, 0], axis=0)) - _LEAP * told).max(axis=1)
    worst = int(np.argmax(leap))
    if leap[worst] > _JUMP:
        raise LostError(float(follower.arcs[worst, 0, 0]), follower.table[worst, 0], JUMPED)


def _hold_to_curve(follower: Follower, constants: Array, scale: float) -> None:
    """Refuse a way beside a singularity on which the tool leaves its curve between two points.

    Raises:
        LostError: Where it does; rounding tells the joints there.
    """
    middle = 0.5 * (follower.grid[1:] + follower.grid[:-1])
    arcs = between_points(follower.grid, follower.arcs, middle, False)[:, :, 0]
    arcs[:, 0] = np.clip(arcs[:, 0], 0.0, follower.track.length)
    arcs[:, 1:] = (1.0, 0.0, 0.0)
    joints = follower.joints(middle)
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    off = _exact(follower.track, constants, arcs, joints, tolerances)[0][:, 0]
    worst = int(np.argmax(off))
    if not off[worst] < _JUMP:
        raise LostError(float(arcs[worst, 0]), joints[worst, 0], JUMPED)


def _follower(
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


def _coarse(follower: Follower, points: BranchPoints) -> Flags:
    """Return the cells across which joints move too far, or rates or curvature change too much."""
    table, twists = follower.table, follower.twists
    step = np.diff(follower.grid)
    moved = np.abs(np.diff(table[:, 0], axis=0)).max(axis=1) > STEP
    rates = np.abs(table[:, 1]).max(axis=1)
    change = np.abs(np.diff(table[:, 1], axis=0)).max(axis=1)
    # what hardly moves within a cell does not matter, however its rate changes
    uneven = (change > UNEVEN * np.maximum(rates[1:], rates[:-1])) & (change * step > _LITTLE)
    bend = np.abs(twists[:, 1]).max(axis=1)
    turn = np.abs(np.diff(twists[:, 1], axis=0)).max(axis=1)
    sharp = (turn > UNEVEN * np.maximum(bend[1:], bend[:-1])) & (turn * step > _TURN)
    wide = np.diff(points.s) > MIN_CELL * follower.track.length
    return np.asarray((moved | uneven | sharp) & wide)


def _new_points(
    follower: Follower,
    constants: Array,
    scale: float,
    unsure: Flags,
    coarse: Flags,
    singular: SingularEnds,
) -> BranchPoints:
    """Return the points that are wanted between those of the grid, by halving.

    Args:
        follower: What there is.
        constants: The arm.
        scale: Length that counts as one radian [m].
        unsure: Which cells have not been looked into. Shape (m - 1,).
        coarse: Which are to be halved in any case. Shape (m - 1,).
        singular: How joints move the tool at ends in a singularity.

    Raises:
        LostError: Where joint values jump from one point to the next.
    """
    table, s = follower.table, follower.arcs[:, 0, 0]
    wide = np.diff(s) > MIN_CELL * follower.track.length
    for cell, known in ((0, singular.start), (-1, singular.end)):
        if (
            known is not None
            and np.abs(table[cell or 1, 0] - table[cell and -2, 0]).max() < 2.0 * singular.clear
        ):
            wide[cell] = False
    cells = np.flatnonzero((unsure | coarse) & wide)
    blocks = np.array_split(cells, max(1, len(cells) // _BLOCK))
    found = [_halved(follower, constants, scale, block, coarse, singular) for block in blocks]
    return BranchPoints(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _halved(
    follower: Follower,
    constants: Array,
    scale: float,
    cells: Integers,
    coarse: Flags,
    singular: SingularEnds,
) -> BranchPoints:
    """Return the points in the middle of cells that are wanted; see `_new_points`."""
    grid, table = follower.grid, follower.table
    s = follower.arcs[:, 0, 0]
    middle = 0.5 * (grid[cells] + grid[cells + 1])
    arcs = between_points(grid, follower.arcs, middle, False)[:, :, 0]
    low, high = follower.arcs[cells, :, 0], follower.arcs[cells + 1, :, 0]
    # where rates differ widely polynomials do not tell yet what lies between: halve by arc length
    settled = (arcs[:, 0] > low[:, 0]) & (arcs[:, 0] < high[:, 0]) & (arcs[:, 1] > 0.0)
    settled &= np.maximum(low[:, 1], high[:, 1]) < _SETTLED * np.minimum(low[:, 1], high[:, 1])
    half = np.zeros_like(arcs)
    half[:, 0], half[:, 1] = 0.5 * (low[:, 0] + high[:, 0]), 1.0
    between = 0.5 * (table[cells, 0] + table[cells + 1, 0])
    arcs = np.where(settled[:, None], arcs, half)
    guesses = follower.joints(middle)
    guesses[~settled, 0] = between[~settled]
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    off, found, twists, sides = _exact(follower.track, constants, arcs, guesses, tolerances)
    away = np.abs(found[:, 0] - guesses[:, 0]).max(axis=1)
    moved = np.abs(table[cells + 1, 0] - table[cells, 0]).max(axis=1)
    wanted = coarse[cells] | ~settled | (off[:, 0] > OFF) | ((moved > _SMALL) & (away > _TRUE))
    fits = (off[:, 1] < ON_CURVE) & (away < _NEAR)
    again = np.flatnonzero(wanted & ~fits & (off[:, 0] > _JUMP))
    if len(again):
        arcs[again] = half[again]
        guesses[again, 0] = between[again]
        off[again], found[again], twists[again], sides[again] = _exact(
            follower.track, constants, arcs[again], guesses[again], tolerances
        )
        away[again] = np.abs(found[again, 0] - between[again]).max(axis=1)
        fits[again] = (off[again, 1] < ON_CURVE) & (away[again] < _NEAR)
        foretold = (cells == 0) & (singular.start is not None)
        foretold |= (cells == len(grid) - 2) & (singular.end is not None)
        jumps = again[~fits[again] & ~foretold[again]]
        if len(jumps):
            cell = int(cells[jumps[0]])
            raise LostError(float(s[cell]), table[cell, 0], JUMPED)
    wanted &= fits
    at_ends = np.zeros(int(wanted.sum()), dtype=bool)
    return BranchPoints(arcs[wanted, 0], at_ends, found[wanted], twists[wanted], sides[wanted])


def _exact(
    track: Track, constants: Array, arcs: Array, guesses: Array, tolerances: Tolerances
) -> tuple[Array, Array, Array, Array]:
    """Return what `refine` does at arc lengths, and the twists there.

    Args:
        track: Where the tool goes.
        constants: The arm.
        arcs: Arc length and its derivatives by the parameter. Shape (m, 4).
        guesses: Joint values and their derivatives by the parameter. Shape (m, 4, n).
        tolerances: What counts as on the path.
    """
    poses, twists = track.evaluate(np.ascontiguousarray(arcs[:, 0]))
    rows = guesses.copy()
    rows[:, 1:] = by_arc_length(guesses[:, 1:], arcs)
    goals = ToolPoints(np.ascontiguousarray(arcs[:, 0]), poses, twists)
    off, found, sides = refine(constants, goals, rows, tolerances)
    return off, found, twists, sides


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
