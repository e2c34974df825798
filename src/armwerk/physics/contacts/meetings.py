"""Who meets within this step, among contacts that wait: solids that are still apart.

Contacts of things that do not bounce are looked for ahead (`armwerk.physics.contacts.ahead`). One
that closes with v meets another at a distance d within the step where v dt > d, and is marked where
it would be in by more than a hair. What is hit moves on at once, and may meet the next one in the
same step: so where any two meet, all that are no further apart than the fastest of them gets are
marked as well.
"""

from __future__ import annotations

import numpy as np

from armwerk.compiled import inner
from armwerk.physics.contacts.bounce import kept_speed, relative_speed
from armwerk.physics.contacts.impulses import moves, world_velocities
from armwerk.physics.contacts.step_view import StepView, distance_of, first_row, geoms_of

LATE = 5e-4  # [m] that two may be in each other because they were found too late
ALL_AWAKE, SOME_ASLEEP = 1, 2  # who meets


@inner(flatten=True, borrows=True)
def _waits(step: StepView, i: int) -> bool:
    """Whether contact i has no rows because its two are apart."""
    return first_row(step.contacts, i) < 0 and distance_of(step.contacts, i) > 0.0


@inner(flatten=True, borrows=True)
def _asleep(step: StepView, i: int) -> bool:
    """Whether a thing of contact i sleeps."""
    for geom in geoms_of(step.contacts, i):
        if moves(step, geom) and step.asleep[step.geoms.number[geom]] >= 0:
            return True
    return False


@inner(flatten=True)
def find_meetings(step: StepView) -> int:
    """Mark in ``meets`` the waiting contacts that need rows; return who meets, 0: nobody."""
    count = min(step.contacts.length, step.meets.shape[0])
    waiting = False
    for i in range(count):
        step.meets[i] = 0
        waiting = waiting or _waits(step, i)
    if not waiting:
        return 0
    V, slip, ways = world_velocities(step), np.empty(3), np.zeros(count)
    longest, due = 0.0, False
    for i in range(count):
        one, two = geoms_of(step.contacts, i)
        if step.dropped[i] or one < 0 or two < 0 or kept_speed(step, i) >= 0.0:
            ways[i] = -1.0
            continue
        ways[i] = max(-relative_speed(step, V, i, slip) * step.constants.dt, 0.0)
        if ways[i] - max(distance_of(step.contacts, i), 0.0) > LATE:
            longest, due = max(longest, ways[i]), True
    if not due:
        return 0
    who = 0
    for i in range(count):
        near = distance_of(step.contacts, i) < ways[i] + longest
        if near and ways[i] >= 0.0 and _waits(step, i):
            step.meets[i] = 1
            who = SOME_ASLEEP if who == SOME_ASLEEP or _asleep(step, i) else ALL_AWAKE
    return who
