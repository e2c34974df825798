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

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import repeat

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.following import JUMPED, THROUGH, Tolerances
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.known_branch import KnownBranch
from armwerk.motion.path.marching import (
    LOOKS,
    ON_CURVE,
    STEP,
    BranchPoints,
    LostError,
    march,
)
from armwerk.motion.path.refining import exact, first_cells, refined
from armwerk.motion.path.singular_ends import (
    CLEAR,
    SingularEnds,
    joint_weights,
    singular_ends,
    straightened,
)
from armwerk.motion.path.track import Track

_CLOSER = (0.5, 0.25, 0.125)  # of what is clear next to a singular end, where that is too far
_SAME = 1e-8  # [rad or m] by which a branch may end beside the joint values that are there


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
    if np.isfinite(hard) and np.abs(points.motions[0, 0] - start).max() > _SAME:
        raise LostError(0.0, start, JUMPED)  # in haste before all else, not in the end
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

    Where what is foretold of the start is something else, its first cell alone tells whether from
    nearer to it that is better; one that begins elsewhere too is put off until it might be chosen.

    Raises:
        LostError: Where joint values jump, or begin elsewhere than at the start (n,).
    """
    follower = refined(track, constants, scale, points, singular)
    off = _off_at_ends(follower, constants, scale, singular)
    nearer = [singular._replace(clear=closer * CLEAR) for closer in _CLOSER if off > THROUGH]
    cells: Iterable[Follower | None] = repeat(follower)
    if not _begins_at(follower, start):
        cells = list(first_cells(track, constants, scale, points, nearer))
        if not any(cell is not None and _begins_at(cell, start) for cell in cells):
            raise LostError(0.0, start, JUMPED)
    put_off: list[tuple[SingularEnds, float]] = []
    for one, cell in zip(nearer, cells, strict=False):
        if cell is None:
            continue
        if not _begins_at(cell, start):
            least = _off_at_ends(cell, constants, scale, one._replace(end=None))
            if least > THROUGH:
                put_off.append((one, least))
                continue
        with suppress(LostError):
            other = refined(track, constants, scale, points, one)
            found = _off_at_ends(other, constants, scale, one)
            follower, off = (other, found) if found < off else (follower, off)
        if off <= THROUGH:
            break
    for one, least in put_off if _begins_at(follower, start) else ():
        if least < off:
            with suppress(LostError):
                other = refined(track, constants, scale, points, one)
                found = _off_at_ends(other, constants, scale, one)
                follower, off = (other, found) if found < off else (follower, off)
    if not _begins_at(follower, start):
        raise LostError(0.0, start, JUMPED)
    return follower


def _begins_at(follower: Follower, start: Array) -> bool:
    """Return whether a follower begins with joint values (n,)."""
    return bool(np.abs(follower.table[0, 0] - start).max() <= _SAME)


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
    off = exact(follower.track, constants, arcs, follower.joints(u), tolerances)[0][:, 0]
    return float(off.max())
