"""Ends of a track in a singularity, where neighbours tell the joints' rates.

In a singularity many rates move the tool alike, or none that is finite; rounding would choose. In:
points of a branch. Out: points whose ends agree with their neighbours, so that the arm goes
straight into the singularity and straight out of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.kernels.layout import KIND, REVOLUTE, SETTINGS
from armwerk.motion.kernels.following import THROUGH, Tolerances, ToolPoints, refine
from armwerk.motion.path.marching import LOOKS, ON_CURVE, STEP, BranchPoints
from armwerk.motion.path.track import BackwardTrack, Track

SINGULAR = 1e-5
"""Smallest singular value of the Jacobian at which rates at an end are foretold."""
CLEAR = 2e-3
"""[rad] of joints within which a singular end has no other points mostly."""
_TAKEN = 2e-4  # [rad or m] by which a start may differ from what is foretold
_FAR = 0.02  # [rad] of joints from which on a singular end is not foretold any more
_STRAIGHT = 1e-5  # [rad] of joints within which a branch itself leads straight to its end
_SLOW = 0.9  # of its usual rate below which the arc length does not tell where an end is
_STEPS = 8  # of Newton's method that find a singular end


class SingularEnds(NamedTuple):
    """How joints move the tool where a track starts and ends in a singularity.

    Args:
        start: Takes from joint rates what does nothing to the tool; None: no singularity. (n, n).
        end: The same at the end.
        clear: Of joints within which such an end has no other points [rad].
    """

    start: Array | None
    end: Array | None
    clear: float = CLEAR

    @property
    def are_none(self) -> bool:
        """Whether neither end is singular."""
        return self.start is None and self.end is None


def joint_weights(constants: Array, scale: float) -> Array:
    """Return the weight of each joint of an arm, 1 for radians and 1 / scale for metres. (n,)."""
    revolute = constants[:-1, SETTINGS, KIND] == REVOLUTE
    return np.where(revolute, 1.0, 1.0 / scale)


def singular_ends(constants: Array, scale: float, points: BranchPoints) -> SingularEnds:
    """Return at which ends the arm is in a singularity.

    One with joints to spare gets its rates from a spline through all points.
    """
    if points.motions.shape[2] > 6:
        return SingularEnds(None, None)
    jacobians = jacobian_batch(constants, np.ascontiguousarray(points.motions[[0, -1], 0]))
    jacobians[:, :3] /= scale
    _, sizes, rows = np.linalg.svd(jacobians)
    moving = rows * (sizes >= SINGULAR)[:, :, None]
    first, last = (
        own.T @ own if size[-1] < SINGULAR else None
        for own, size in zip(moving, sizes, strict=True)
    )
    return SingularEnds(first, last)


def straightened(
    track: Track | BackwardTrack,
    constants: Array,
    scale: float,
    points: BranchPoints,
    weights: Array,
) -> BranchPoints:
    """Return points that go straight into a singular end, where the tool may go beside its branch.

    A hair beside the singularity the branch itself turns the joints far within the last nanometres.

    Args:
        track: Where the tool goes.
        constants: The arm.
        scale: Length that counts as one radian [m].
        points: Of the branch, up to its singular end.
        weights: Of each joint, 1 for radians. Shape (n,).
    """
    borders = np.flatnonzero(np.diff(points.s) <= 0.0)
    first = int(borders[-1]) + 1 if len(borders) else 0
    h = (points.s[-1] - points.s[first:-1])[:, None]
    q, one, two, three = np.moveaxis(points.motions[first:-1], 1, 0)
    ends = q + h * (one + h * (0.5 * two + h * three / 6.0))
    way = np.abs((ends - q) * weights).max(axis=1)
    near = np.flatnonzero((way >= CLEAR) & (way <= _FAR))
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    rows = np.zeros((len(near), 4, len(weights)))
    rows[:, 0] = ends[near]
    s = np.full(len(near), points.s[-1])
    goals = ToolPoints(s, *track.evaluate(s, left=True))
    arrives = refine(constants, goals, rows, tolerances)[0][:, 0] < THROUGH
    near = first + near[arrives]
    for k in near:  # the furthest first: next to the end the branch has been turned already
        x = ((points.s[-1] - points.s[k]) * np.append(LOOKS, 1.0))[:, None]
        value, one, two, three = points.motions[k]
        rows = np.zeros((len(x), 4, len(value)))
        rows[:, 0] = value + x * (one + x * (0.5 * two + x * three / 6.0))
        rows[:, 1] = one + x * (two + 0.5 * x * three)
        rows[:, 2] = two + x * three
        rows[:, 3] = three
        s = points.s[k] + x[:, 0]
        goals = ToolPoints(s, *track.evaluate(s, left=True))
        if refine(constants, goals, rows, tolerances)[0][:, 0].max() < THROUGH:
            if np.abs((points.motions[-1, 0] - rows[-1, 0]) * weights).max() < _STRAIGHT:
                return points
            keep = np.ones(len(points.s), dtype=bool)
            keep[k + 1 : -1] = False
            motions = points.motions.copy()
            motions[-1] = rows[-1]
            return points._replace(motions=motions).chosen(keep)
    return points


def cleared(points: BranchPoints, weights: Array, singular: SingularEnds) -> BranchPoints:
    """Return the points without those next to a singular end, where rounding makes the rates."""
    if singular.are_none:
        return points
    keep = np.ones(len(points.s), dtype=bool)
    q = points.motions[:, 0] * weights
    for end, known in ((0, singular[0]), (-1, singular[1])):
        if known is not None:
            near = np.abs(q - q[end]).max(axis=1) < singular.clear
            # up to the first that is far enough, from that end
            order = near if end == 0 else near[::-1]
            count = int(np.argmin(order)) if not order.all() else 0
            if end == 0:
                keep[1:count] = False
            elif count:
                keep[-count:-1] = False
    borders = np.append(False, np.diff(points.s) <= 0.0)
    keep |= borders | np.append(borders[1:], False)
    if keep.sum() < 4:
        return points
    return points.chosen(keep)


def mended(u: Array, rows: Array, singular: SingularEnds) -> tuple[Array, Array]:
    """Return parameter and rows with rates at singular ends that agree with their neighbours.

    An arm that stands in a singularity at an end of the track has many rates there that move the
    tool alike, or none that is finite; only what its neighbours lead to belongs to a smooth motion.

    Args:
        u: Values of the parameter. Shape (m,).
        rows: Value and derivatives of the joints, and of the arc length. Shape (m, 4, n + 1).
        singular: How joints move the tool at ends in a singularity.
    """
    if len(u) < 4:
        return u, rows
    u, rows = u.copy(), rows.copy()
    for end, near, sign, known in ((0, 1, -1.0, singular[0]), (-1, -2, 1.0, singular[1])):
        if known is None:
            continue
        value, one, two, three = rows[near]
        goal = rows[end, 0].copy()
        # what moves most tells where the end is; the arc length itself may come to a stop there
        leader = int(np.argmax(np.abs(one[:-1]))) if one[-1] < _SLOW else -1
        there, (v, v1, v2, v3) = goal[leader], rows[near, :, leader]
        first = h = (there - v) / v1
        for _ in range(_STEPS if first != 0.0 else 0):  # 0: the leader is there already
            gap = v + h * (v1 + h * (0.5 * v2 + h * v3 / 6.0)) - there
            h -= gap / (v1 + h * (v2 + 0.5 * h * v3))
            if not 0.5 < h / first < 2.0:
                h = first
                break
        if h * sign <= 0.0:
            h = u[end] - u[near]
        rows[end, 0] = value + h * (one + h * (0.5 * two + h * three / 6.0))
        off = (goal - rows[end, 0])[:-1]
        rows[end, 0, :-1] += off if end == 0 and np.abs(off).max() < _TAKEN else known @ off
        rows[end, 0, -1] = goal[-1]
        rows[end, 1] = one + h * (two + 0.5 * h * three)
        rows[end, 2] = two + h * three
        rows[end, 3] = three
        if end == 0:
            u[1:] -= u[1] + h
        else:
            u[-1] = u[-2] + h
    return u, rows
