"""Points put in between those of a branch until the tool keeps to its curve in between.

In: points of a branch, and how its ends are singular. Out: joint values by a smooth parameter that
go through them, or where they jump.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.motion.kernels.coarse import coarse_cells
from armwerk.motion.kernels.following import JUMPED, Tolerances, ToolPoints, refine
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.path.follower import Follower, follower_through
from armwerk.motion.path.marching import (
    CELLS,
    MIN_CELL,
    OFF,
    ON_CURVE,
    STEP,
    BranchPoints,
    LostError,
    even_count,
)
from armwerk.motion.path.parameter import by_arc_length, usual_rate
from armwerk.motion.path.singular_ends import SingularEnds, cleared, joint_weights
from armwerk.motion.path.track import Track

_SMALL = 0.02  # [rad or m] of motion within a cell that is not halved for the sake of joints
_TRUE = 1e-8  # [rad or m] by which joints may differ from the branch in a larger cell
_NEAR = 0.05  # [rad or m] within which a point that is put in must be of what leads there
_SETTLED = 3.0  # factor by which the tool's rates at both ends of a cell may differ
_ROUNDS = 40
_MOST = 12  # times as many points as an even grid has, from which on no more make a way smooth
_HOPELESS = 3  # times as many, from which on they make none if they only grow in number
_GROWS = 1.4  # times as many new points as in the round before: cells are halved again and again
_GROWING = 3  # rounds in a row in which they are, until that is not the branch but rounding
_BLOCK = 20_000  # cells that are looked into together
_FEWEST = 4  # points that tell what a singular end is like
_STEP_SEEN = 1e-9  # [rad or m] that joint values may step by within a cell
_JUMP = 1e-7  # [m, rad] off its curve from which on the tool would have to jump
_SPATIAL = 6  # joints at which the side of a singularity is known
_LEAP = 10.0  # times what rates at both ends tell, by which joints may move within a cell


def refined(
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
        follower = follower_through(track, points, weights, usual, singular)
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
        points = points.inserted(places, new)
        put = places + np.arange(len(places))
        unsure = np.zeros(len(points.s) - 1, dtype=bool)
        unsure[put] = unsure[put - 1] = True
    follower = follower_through(track, points, weights, usual, singular)
    if not follower.by_arc:
        _refuse_steps(follower)
    elif follower.dof < _SPATIAL:
        _refuse_leaps(follower)
    if np.isfinite(usual):
        _hold_to_curve(follower, constants, scale)
    return follower


def first_cells(
    track: Track,
    constants: Array,
    scale: float,
    points: BranchPoints,
    nearer: Sequence[SingularEnds],
) -> Iterator[Follower | None]:
    """Yield followers whose first cell is that of `refined`, and hardly more; None: it is lost.

    Args:
        track: Where the tool goes.
        constants: The arm.
        scale: Length that counts as one radian [m].
        points: Of the branch.
        nearer: How joints move the tool at ends in a singularity, each with less that is clear.
    """
    weights = joint_weights(constants, scale)
    begun, count, usual = points, 0, np.inf
    for one in nearer:
        left = cleared(points, weights, one)
        if len(left.s) > count:  # else what was put in before is put in again
            begun, count = left, len(left.s)
            usual = usual_rate(left.s, left.motions, weights)
        start = one._replace(end=None)
        try:
            for _ in range(_ROUNDS):
                begun = begun.chosen(np.arange(len(begun.s)) < _FEWEST)
                follower = follower_through(track, begun, weights, usual, start)
                looked = (np.arange(len(begun.s) - 1) == 0) & ~begun.crossings
                coarse = looked & _coarse(follower, begun)
                new = _new_points(follower, constants, scale, looked, coarse, start)
                if not len(new.s):
                    break
                begun = begun.inserted(np.searchsorted(begun.s, new.s), new)
            yield follower
        except LostError:
            yield None


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
    off = exact(follower.track, constants, arcs, joints, tolerances)[0][:, 0]
    worst = int(np.argmax(off))
    if not off[worst] < _JUMP:
        raise LostError(float(arcs[worst, 0]), joints[worst, 0], JUMPED)


def _coarse(follower: Follower, points: BranchPoints) -> Flags:
    """Return the cells across which joints move too far, or rates or curvature change too much."""
    wide = MIN_CELL * follower.track.length
    return coarse_cells(follower.grid, follower.table, follower.twists, points.s, STEP, wide)


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
    if len(cells) < 2 * _BLOCK:
        return _halved(follower, constants, scale, cells, coarse, singular)
    blocks = np.array_split(cells, len(cells) // _BLOCK)
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
    off, found, twists, sides = exact(follower.track, constants, arcs, guesses, tolerances)
    away = np.abs(found[:, 0] - guesses[:, 0]).max(axis=1)
    moved = np.abs(table[cells + 1, 0] - table[cells, 0]).max(axis=1)
    wanted = coarse[cells] | ~settled | (off[:, 0] > OFF) | ((moved > _SMALL) & (away > _TRUE))
    fits = (off[:, 1] < ON_CURVE) & (away < _NEAR)
    again = np.flatnonzero(wanted & ~fits & (off[:, 0] > _JUMP))
    if len(again):
        arcs[again] = half[again]
        guesses[again, 0] = between[again]
        off[again], found[again], twists[again], sides[again] = exact(
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


def exact(
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
