"""Bodies that an arm touches along groups of a path.

In: what drives the groups, and what stands around. Out: the first body that is touched, as an error
that names segment and place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.branches import InTheWayError, place_words
from armwerk.motion.path.connect import DrivenGroup
from armwerk.motion.path.wishes import ArmSurroundings

_LOOKS = 101  # configurations of a motion in joint space that are held against bodies


def touched(
    model: SerialModel, driven: Sequence[DrivenGroup], bodies: ArmSurroundings | None
) -> InTheWayError | None:
    """Return which body is touched first on the way, as far as the points of the path tell.

    Args:
        model: Of the arm.
        driven: What drives the groups.
        bodies: What the arm must not touch; None: nothing.
    """
    if bodies is None:
        return None
    for one in driven:
        if one.turn is not None:
            body = next(filter(None, bodies.touched(model.arm, one.turn.rows)), None)
            if body:
                return InTheWayError(f"the arm touches '{body}' while it turns on the spot")
        if one.ends is not None:
            shares = np.linspace(0.0, 1.0, _LOOKS)[:, None]
            rows = one.ends[0] + shares * (one.ends[1] - one.ends[0])
        else:
            rows = np.vstack([follower.table[:, 0] for follower in one.followers])
        for k, body in enumerate(bodies.touched(model.arm, rows)):
            if body:
                segment, place = _row_words(one, k)
                return InTheWayError(f"the arm touches '{body}'", segment=segment, place=place)
    return None


def _row_words(one: DrivenGroup, row: int) -> tuple[str, str]:
    """Return segment and place of a row of all joint values of a group, in words."""
    if one.group.joint is not None:
        return one.group.joint.label, ""
    for follower, (_, built) in zip(one.followers, one.group.tracks, strict=True):
        if row < len(follower.grid):
            return place_words(follower.track, built, float(follower.arcs[row, 0, 0]))
        row -= len(follower.grid)
    return "", ""
