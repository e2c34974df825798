"""Branches that are known before they are followed: of few joints from or to a singular place.

Where only a part of the pose counts, the joints of an arm follow from that part, and its
orientation from them. Next to a place that is singular for the part, that orientation turns ever
faster by the tool's arc length, and cannot lead the joints. In: a track with such an orientation.
Out: points of its branch, with what moves nothing of the part at its ends, so that the arm goes
straight into a singular place and straight out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.path.loosening import ArmOrientation, turning
from armwerk.motion.path.marching import BranchPoints, even_points
from armwerk.motion.path.singular_ends import SINGULAR, SingularEnds
from armwerk.motion.path.track import Track


class KnownBranch(NamedTuple):
    """A branch at points of all of its track.

    Args:
        points: Of the branch.
        singular: How joints move the part that counts where it is singular.
        turning: The tool's orientation and ω, ω', ω'' of motions of the joints (m, 4, n); next to
            singular ends the track does not tell them by its arc length.
    """

    points: BranchPoints
    singular: SingularEnds
    turning: Callable[[Array], tuple[Array, Array]]


def known_branch(track: Track, q: Array) -> KnownBranch | None:
    """Return the branch of few joints along a track; None: it leads out of no singular
    place and into none.

    Args:
        track: With the orientation that the arm has.
        q: Joint values at its start. Shape (n,).
    """
    orientation = track.orientations[0].orientation
    if not isinstance(orientation, ArmOrientation):
        return None
    part, grid, table = orientation.part, orientation.grid, orientation.table
    first, last = (
        _moving(orientation, table[end, 0]) if part.leaves(at_end=bool(end)) else None
        for end in (0, -1)
    )
    singular = SingularEnds(first, last)
    middle = int(np.searchsorted(grid, 0.5 * track.length))
    if singular.are_none or _moving(orientation, table[middle, 0]) is not None:
        return None  # what runs within a singularity all along does not lead out of it
    s, is_end = _points(track, grid)
    position = track.position(s)
    position[is_end] = track.position(s[is_end], left=True)
    motions = orientation.joints(s, position)
    for end, near, known in ((0, 1, first), (-1, -2, last)):
        if known is not None:
            motions[end, 0, : part.kept] = table[end, 0, : part.kept]
            motions[end, 1:] = motions[near, 1:]  # until they are foretold
    motions[0, 0] = q
    turn = partial(turning, part.model)
    twists = np.concatenate([position[:, 1:], turn(motions)[1]], axis=2)
    return KnownBranch(BranchPoints(s, is_end, motions, twists, np.zeros(len(s))), singular, turn)


def _points(track: Track, grid: Array) -> tuple[Array, Flags]:
    """Return arc lengths, each border twice, and where they are meant from the left.

    Next to both ends those of the table are among them, which lie as close as is needed there.
    """
    s, is_end = even_points(track)
    beside = ((grid > s[0]) & (grid < s[1])) | ((grid > s[-2]) & (grid < s[-1]))
    places = np.searchsorted(s, grid[beside])
    return np.insert(s, places, grid[beside]), np.insert(is_end, places, False)


def _moving(orientation: ArmOrientation, row: Array) -> Array | None:
    """Return what takes from joint rates what does nothing to the part; None: nothing does.

    Args:
        orientation: Of the arm.
        row: Joint values of the completed arm. Shape (n,).
    """
    part = orientation.part
    jacobian = np.array(part.whole.jacobian(row))
    jacobian[:3] /= part.whole.chain.scale
    _, sizes, rows = np.linalg.svd(jacobian)
    idle = rows[sizes.size - int((sizes < SINGULAR).sum()) :, : part.kept]
    if not len(idle) or sizes[-1] >= SINGULAR:
        return None
    moving = np.eye(len(orientation.still))
    moving[: part.kept, : part.kept] -= np.linalg.pinv(idle) @ idle
    return moving
