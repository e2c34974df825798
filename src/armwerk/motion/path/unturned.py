"""Turns on the spot that nobody needs: joint values before them may as well be those behind.

In: what drives the groups of a path. Out: the same without turns where the arm may stand as it
likes, at a start that is free and at the end of a `ptp` to a pose.
"""

from __future__ import annotations

from collections.abc import Sequence

from armwerk.motion.path.connect import DrivenGroup


def unturned(driven: Sequence[DrivenGroup], starts_anywhere: bool = False) -> list[DrivenGroup]:
    """Return what drives a path without turns that nobody needs.

    Args:
        driven: Its groups in order.
        starts_anywhere: Whether the arm may start as it likes.
    """
    found: list[DrivenGroup] = []
    for one in driven:
        before = found[-1] if found else None
        needless = starts_anywhere if before is None else _chooses(before)
        if one.turn is not None and needless:
            if before is not None and before.ends is not None:
                found[-1] = before._replace(ends=(before.ends[0], one.turn.goal))
            found.append(one._replace(turn=None))
        else:
            found.append(one)
    return found


def _chooses(one: DrivenGroup) -> bool:
    """Whether a group ends at a pose, with any joint values that bring the tool there."""
    joint = one.group.joint
    return joint is not None and joint.goal is not None and joint.goal.ndim == 2
