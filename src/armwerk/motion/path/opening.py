"""The first stretch of a track out of a singularity, followed from its far end.

In a singularity joint values do not tell how the path leaves it: a joint that is stretched can bend
to either side, and a hair beside the place rounding decides. From a little ahead they do. In: a
track and the joint values in which an arm stands at its singular start. Out: points of the branches
that lead there, from the start on.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels.following import THROUGH, Tolerances, ToolPoints, refine
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints, LostError, march
from armwerk.motion.path.singular_ends import (
    SINGULAR,
    joint_weights,
    singular_ends,
    straightened,
)
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.track import BackwardTrack, Track

AHEAD = 0.02
"""[m or rad] along the track from where it is followed back."""
SHARE = 0.5
"""Of the track's first span that this is at most."""
SAME = 2e-4  # [rad or m] by which a branch may arrive beside the joint values that are there
FAR = 3.5  # [rad or m] by which joints differ from those at the start at most, a little ahead
_MOST = 16  # branches; more solutions are places of one that runs within a singularity
_SHORT = 1e-9  # [m] before a singular start that a branch may be lost, where it turns far
_HARD = 4  # cells to be halved; more of them: the branch runs within a singularity all along
TURN = 2.0 * np.pi

_MARCHED: WeakKeyDictionary[Track, dict[bytes, BranchPoints | None]] = WeakKeyDictionary()
"""Branches that lead to the start of a track, by arm and joint values at their far end; None: lost.

A path that cannot be driven is tried from many configurations, which ask for the same ones.
"""


def is_singular(model: SerialModel, q: Array) -> bool:
    """Return whether an arm of six joints at most is in a singularity with joint values (n,)."""
    return bool(_are_singular(model, q[None])[0])


def _are_singular(model: SerialModel, rows: Array) -> Flags:
    if model.dof > 6:
        return np.zeros(len(rows), dtype=bool)
    jacobians = np.array(model.jacobian(np.ascontiguousarray(rows)))
    jacobians[:, :3] /= model.chain.scale
    return np.asarray(np.linalg.svd(jacobians, compute_uv=False)[:, -1] < SINGULAR)


def openings(model: SerialModel, track: Track, q: Array) -> Iterator[BranchPoints]:
    """Yield the branches on which a track can be left from joint values in a singularity.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        q: Where the arm stands at its start. Shape (n,).
    """
    if not is_singular(model, q):
        return
    for points in arrivals(model, track, q, FAR):
        if np.abs(points.motions[0, 0] - q).max() < SAME:
            motions = points.motions.copy()
            motions[0, 0] = q
            yield points._replace(motions=motions)


def arrivals(
    model: SerialModel, track: Track, q: Array, far: float = np.inf
) -> Iterator[BranchPoints]:
    """Yield the branches on which a track leaves its singular start, those nearest to q first.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        q: Where the arm stands at its start. Shape (n,).
        far: By which joints may differ from that a little ahead [rad or m].
    """
    for points, shift in _arriving(model, track, q, far):
        motions = points.motions.copy()
        motions[:, 0] += shift
        yield points._replace(motions=motions)


def ways_ahead(model: SerialModel, track: Track, q: Array) -> list[Array]:
    """Return joint values along the branches on which a track leaves its singular start.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        q: Where the arm stands; where that is no singular place there are none. Shape (n,).

    Returns:
        For each its joint values from the start on, those nearest to q first. Shape (k, n).
    """
    if not is_singular(model, q):
        return []
    return [points.motions[:, 0] + shift for points, shift in _arriving(model, track, q, np.inf)]


def _arriving(
    model: SerialModel, track: Track, q: Array, far: float
) -> Iterator[tuple[BranchPoints, Array]]:
    """Yield what `arrivals` does, as it was found, with the whole turns of the joints to add."""
    back, found = solved_ahead(model, track, q, far)
    rows = np.array([one for _, one in found]).reshape(-1, model.dof)
    regular = np.flatnonzero(~_are_singular(model, rows))
    for near, one in (found[k] for k in regular[:_MOST]):
        points = _marched(model.chain, back, one)
        if points is not None:
            yield points, near - one


def solved_ahead(
    model: SerialModel, track: Track, q: Array, far: float
) -> tuple[BackwardTrack, list[tuple[Array, Array]]]:
    """Return the first stretch of a track from its far end on, and the solutions there.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        q: Where the arm stands at its start. Shape (n,).
        far: By which joints may differ from that at the far end [rad or m].

    Returns:
        The stretch, and each solution by the whole turns nearest to q and as it was found, those
        nearest to q first.
    """
    back = BackwardTrack(track, min(AHEAD, SHARE * float(track.breaks()[1])))
    pose = np.eye(4)
    pose[:3] = back.evaluate(np.zeros(1))[0][0]
    solutions = solutions_of(model, pose)
    found = list(zip(beside(model, solutions, q), solutions, strict=True))
    found = [(near, one) for near, one in found if np.abs(near - q).max() < far]
    found.sort(key=lambda both: float(distance(model.chain, both[0], q)))
    return back, found


def _marched(chain: Chain, back: BackwardTrack, far_end: Array) -> BranchPoints | None:
    """Return the branch that leads to joint values (n,) at the far end; None: there is none."""
    known = _MARCHED.setdefault(back.track, {})
    key = chain.constants.tobytes() + far_end.tobytes()
    if key not in known:
        known[key] = march_back(chain.constants, chain.scale, back, far_end)
    return known[key]


def march_back(
    constants: Array, scale: float, back: BackwardTrack, far_end: Array
) -> BranchPoints | None:
    """Return the branch from its start to the far end of a stretch; None: there is none.

    Args:
        constants: The arm, see `armwerk.mechanics.chain`.
        scale: Length that counts as one radian [m].
        back: The stretch, from its far end on.
        far_end: Joint values there. Shape (n,).
    """
    try:
        points = march(back, constants, scale, far_end, hard=_HARD, short=_SHORT)
    except LostError:
        return None
    weights = joint_weights(constants, scale)
    if singular_ends(constants, scale, points).end is not None:
        points = straightened(back, constants, scale, points, weights)
    goal = ToolPoints(points.s[-1:], *back.evaluate(points.s[-1:], left=True))
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    if not refine(constants, goal, points.motions[-1:].copy(), tolerances)[0][0, 0] < THROUGH:
        return None
    return points.backwards(back.length)


def beside(model: SerialModel, solutions: Array, q: Array) -> Array:
    """Return solutions (…, n) by the whole turns nearest to q, within limits where that can be."""
    low, high = model.chain.limits.T
    row = solutions + TURN * np.round((q - solutions) / TURN) * model.chain.revolute
    row = np.where((row > high) & (row - TURN >= low) & model.chain.revolute, row - TURN, row)
    return np.where((row < low) & (row + TURN <= high) & model.chain.revolute, row + TURN, row)
