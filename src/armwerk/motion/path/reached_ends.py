"""Where tracks end: whether any joint values at all bring the tool there.

In: an arm and where its tool is wanted. Out: a refusal that names the first place on the way that
nothing reaches.
"""

from __future__ import annotations

from collections.abc import Sequence

from armwerk.arrays import Array
from armwerk.mechanics.inverse.tether import tether
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.branches import SPATIAL, out_of_reach, pose_at
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.track import Track

_HALVINGS = 16  # of a track, to find where its reach ends


def may_reach(model: SerialModel, pose: Array) -> bool:
    """Return whether there may be joint values for a pose (4, 4), limits not counted.

    To be sure takes long for an arm with joints to spare; it is told by its longest line alone.
    """
    if model.dof > SPATIAL:
        return tether(model.chain).allows(pose)
    return len(solutions_of(model, pose)) > 0


def refuse_end(model: SerialModel, track: Track, built: Sequence[BuiltSegment]) -> None:
    """Refuse a track whose end nothing reaches.

    Args:
        model: Of the arm.
        track: Where the tool goes, from a place that is reached.
        built: The segments it is made of.

    Raises:
        OutOfReachError: Where its reach ends.
    """
    if may_reach(model, pose_at(track, track.length)):
        return
    low, high = 0.0, track.length
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if may_reach(model, pose_at(track, middle)):
            low = middle
        else:
            high = middle
    raise out_of_reach(model, track, built, high, pose_at(track, high))
