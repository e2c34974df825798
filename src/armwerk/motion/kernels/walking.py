"""One cell of a track crossed by halving, from place to place as far as poses are in hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import RecordText, entry
from armwerk.mechanics.kernels.descent import copy
from armwerk.motion.kernels.chain_rates import BiasTwists
from armwerk.motion.kernels.following import (
    CROSSED,
    FOLLOWED,
    GOALS,
    TOLERANCES,
    Configuration,
    Tolerances,
    ToolPoints,
    next_point,
)

UNSEEN = 4
"""State of a walk that came to a place whose pose is not in hand."""
_DEEPEST = 128  # places ahead; halving a cell to where it is halved no more makes fewer


class WalkedPoints(NamedTuple):
    """How far a cell was walked.

    Args:
        state: `FOLLOWED` to its end, `UNSEEN`, or why it stopped; of `CROSSED` the point is filled
            that lies across the singularity.
        reached: How many points were followed.
        s: Their arc lengths [m]. Shape (m,).
        motions: q, q', q'', q''' there. Shape (m, 4, n).
        twists: Tool motion there. Shape (m, 3, 6).
        sides: See `FollowedPoints`. Shape (m,).
        ahead: Places that are left, the next one last [m]. Shape (k,).
    """

    state: int
    reached: int
    s: Array
    motions: Array
    twists: Array
    sides: Array
    ahead: Array


_WALKED = RecordText(
    WalkedPoints,
    state="int64",
    reached="int64",
    s="float64[::1]",
    motions="float64[:,:,::1]",
    twists="float64[:,:,::1]",
    sides="float64[::1]",
    ahead="float64[::1]",
)


@entry(
    "WALKED(float64[:,:,::1], GOALS, float64[::1], float64, float64[:,::1], float64, float64, "
    "int64, TOLERANCES)",
    WALKED=_WALKED,
    GOALS=GOALS,
    TOLERANCES=TOLERANCES,
)
def walk(
    arm: Array,
    seen: ToolPoints,
    ahead: Array,
    s: float,
    start: Array,
    side: float,
    shortest: float,
    most: int,
    tolerances: Tolerances,
) -> WalkedPoints:
    """Walk from place to place; where a step fails, to the middle of it first.

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        seen: Places whose poses are in hand, in any order.
        ahead: Places to come to, the next one last [m]. Shape (k,).
        s: Arc length of the last point that is right [m].
        start: q, q', q'', q''' there. Shape (4, n).
        side: Of a singularity there.
        shortest: Step that is not halved any more [m].
        most: Points beyond which no step is halved.
        tolerances: What counts as on the path.
    """
    m, n = seen.s.shape[0], start.shape[1]
    reached, left = 0, ahead.shape[0]
    stack = np.empty(_DEEPEST)
    copy(ahead, stack)
    places, motions = np.empty(m + 1), np.empty((m + 1, 4, n))
    twists, sides = np.empty((m + 1, 3, 6)), np.empty(m + 1)
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    bias = BiasTwists(np.empty(6), np.empty(6))
    before, state = start, FOLLOWED
    while left > 0:
        target, k = stack[left - 1], 0
        while k < m and seen.s[k] != target:
            k += 1
        if k == m:
            state = UNSEEN
            break
        h, motion = target - s, motions[reached]
        pose, twist, within = seen.poses[k], seen.twists[k], tolerances.max_step
        state, here = next_point(
            arm, pose, twist, h, before, side, within, tolerances, now, bias, motion
        )
        if state in (FOLLOWED, CROSSED):
            places[reached], sides[reached] = target, here
            for row in range(3):
                copy(twist[row], twists[reached, row])
        if state == CROSSED:
            break
        if state == FOLLOWED:
            before, s, side = motion, target, here
            reached += 1
            left -= 1
        elif h <= shortest or reached > most or left == _DEEPEST:
            break
        else:
            stack[left] = 0.5 * (s + target)
            left += 1
    rest = np.empty(left)
    for k in range(left):
        rest[k] = stack[k]
    return WalkedPoints(state, reached, places, motions, twists, sides, rest)
