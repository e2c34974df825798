"""Seams: an edge that does not stand out of the surface beside it is no obstacle.

Where two solids touch and their tops are level, the collision detector still reports the hidden
edge of one of them, with a slanting normal; a ball would hop over it and a cuboid stumble. Such a
contact is dropped when its point does not rise above the tangent plane of a deeper contact of the
same thing.
"""

from __future__ import annotations

import numpy as np

from armwerk.compiled import inner
from armwerk.physics.contacts.step_view import (
    BALL,
    CUBOID,
    FIXED,
    Small,
    StepView,
    distance_of,
    geoms_of,
    normal_of,
    point_of,
)

BALL_RISE = 2e-6  # [m] above the tangent plane counts as an obstacle
CUBOID_RISE = 2e-5  # [m]; its contacts are points of a patch and less exact
LEVEL = 0.999  # cosine between normals that are taken for the same


@inner(flatten=True)
def _fixed(step: StepView, i: int) -> tuple[int, float]:
    """Return the fixed geom of a contact, and the sign that makes its normal point away from it."""
    one, two = geoms_of(step.contacts, i)
    if step.geoms.role[one] == FIXED:
        return one, 1.0
    return two, -1.0


@inner(flatten=True, borrows=True)
def _string(step: StepView, head: Small, after: Small) -> bool:
    """String together the contacts of every thing with fixed geoms; True: some may be seams.

    For that a cuboid must touch two geoms, a ball must have two contacts.
    """
    several = False
    head[:] = -1
    for i in range(step.contacts.length):
        after[i] = -1
        one, two = geoms_of(step.contacts, i)
        if one < 0 or two < 0:
            continue
        if step.geoms.role[one] != FIXED:
            one, two = two, one
        if step.geoms.role[one] != FIXED or step.geoms.role[two] not in (BALL, CUBOID):
            continue
        thing = step.geoms.number[two]
        last = head[thing]
        if last >= 0 and not several:
            several = step.things.radius[thing] > 0.0 or _fixed(step, last)[0] != one
        after[i] = last
        head[thing] = i
    return several


@inner(flatten=True, borrows=True)
def _in_plane(step: StepView, i: int, j: int, radius: float) -> bool:
    """Whether a ball's contact i does not rise over the tangent plane of its contact j.

    With a the centre, s = a - n (r + dist) is the obstacle's point; the rise is (s_i - s_j) · n_j.
    """
    sign = _fixed(step, i)[1] * _fixed(step, j)[1]
    one, other = normal_of(step.contacts, i), normal_of(step.contacts, j)
    cosine = sign * (one[0] * other[0] + one[1] * other[1] + one[2] * other[2])
    rise = (
        radius + distance_of(step.contacts, j) - (radius + distance_of(step.contacts, i)) * cosine
    )
    return bool(rise <= BALL_RISE)


@inner(flatten=True, borrows=True)
def _ball_seams(step: StepView, radius: float, first: int, after: Small) -> None:
    """Mark contacts of one ball that lie in the tangent plane of a deeper one."""
    i = first
    while i >= 0:
        j = first
        while j >= 0:
            depth, other = distance_of(step.contacts, i), distance_of(step.contacts, j)
            deeper = other < depth or (other == depth and j < i)
            if j != i and deeper and step.dropped[j] == 0 and _in_plane(step, i, j, radius):
                step.dropped[i] = 1
                break
            j = after[j]
        i = after[i]


@inner(flatten=True, borrows=True)
def _rises(step: StepView, first: int, after: Small, geom: int, j: int) -> bool:
    """Whether a contact of the thing with ``geom`` rises over the plane of contact j, or is level.

    The fixed surface lies half the distance off the contact's point.
    """
    sign_j = _fixed(step, j)[1]
    plane, base = normal_of(step.contacts, j), point_of(step.contacts, j)
    i = first
    while i >= 0:
        mine, sign = _fixed(step, i)
        if mine == geom:
            normal, point = normal_of(step.contacts, i), point_of(step.contacts, i)
            cosine = height = 0.0
            for k in range(3):
                cosine += plane[k] * normal[k]
                height += plane[k] * (point[k] - base[k])
            height = sign_j * height + 0.5 * distance_of(step.contacts, j)
            if height > CUBOID_RISE or sign * sign_j * cosine > LEVEL:
                return True
        i = after[i]
    return False


@inner(flatten=True, borrows=True)
def _cuboid_seams(step: StepView, first: int, after: Small) -> None:
    """Mark the contacts of one cuboid with a geom that nowhere rises over another's plane."""
    i = first
    while i >= 0:
        geom = _fixed(step, i)[0]
        j = first
        while j >= 0 and step.dropped[i] == 0:
            other = _fixed(step, j)[0] != geom and step.dropped[j] == 0
            if other and not _rises(step, first, after, geom, j):
                step.dropped[i] = 1
            j = after[j]
        i = after[i]


@inner(flatten=True)
def find_seams(step: StepView) -> None:
    """Mark with 1 in ``dropped`` the contacts that only a hidden edge makes."""
    if step.contacts.length < 2:
        return
    head = np.empty(step.thing_count, dtype=np.int32)
    after = np.empty(step.contacts.length, dtype=np.int32)
    if not _string(step, head, after):
        return
    for thing in range(head.shape[0]):
        first = head[thing]
        if first < 0 or after[first] < 0:
            continue
        if step.things.radius[thing] > 0.0:
            _ball_seams(step, step.things.radius[thing], first, after)
        else:
            _cuboid_seams(step, first, after)
