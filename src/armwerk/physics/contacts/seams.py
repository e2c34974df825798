"""Seams: an edge that does not stand out of the surface beside it is no obstacle.

Where two solids touch and their tops are level, the collision detector still reports the hidden
edge of one of them, with a slanting normal; a ball would hop over it and a cuboid stumble. Such a
contact is dropped when its point does not rise above the tangent plane of a deeper contact of the
same thing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.compiled import inner
from armwerk.physics.contacts.moment import Moment, normal_of, pair, point_of
from armwerk.physics.contacts.rows import DIST
from armwerk.physics.contacts.tables import BALL, CUBOID, FIXED, INDEX, RADIUS, ROLE

Integers = NDArray[np.int32]

BALL_RISE = 2e-6  # [m] above the tangent plane counts as an obstacle
CUBOID_RISE = 2e-5  # [m]; its contacts are points of a patch and less exact
LEVEL = 0.999  # cosine between normals that are taken for the same


@inner(flatten=True)
def _string(m: Moment, head: Integers, after: Integers) -> bool:
    """String together the contacts of every thing with fixed geoms; True: some thing has two."""
    several = False
    head[:] = -1
    for i in range(m.contacts):
        after[i] = -1
        one, two = pair(m, i)
        if one < 0 or two < 0:
            continue
        if m.geoms[one, ROLE] != FIXED:
            one, two = two, one
        if m.geoms[one, ROLE] != FIXED or m.geoms[two, ROLE] not in (BALL, CUBOID):
            continue
        thing = m.geoms[two, INDEX]
        several = several or head[thing] >= 0
        after[i] = head[thing]
        head[thing] = i
    return several


@inner(flatten=True)
def _fixed(m: Moment, i: int) -> tuple[int, float]:
    """Return the fixed geom of a contact, and the sign that makes its normal point away from it."""
    one, two = pair(m, i)
    if m.geoms[one, ROLE] == FIXED:
        return one, 1.0
    return two, -1.0


@inner(flatten=True)
def _in_plane(m: Moment, i: int, j: int, radius: float) -> bool:
    """Whether a ball's contact i does not rise over the tangent plane of its contact j.

    With a the centre, s = a - n (r + dist) is the obstacle's point; the rise is (s_i - s_j) · n_j.
    """
    at = m.columns[DIST]
    sign = _fixed(m, i)[1] * _fixed(m, j)[1]
    one, other = normal_of(m, i), normal_of(m, j)
    cosine = sign * (one[0] * other[0] + one[1] * other[1] + one[2] * other[2])
    rise = radius + m.numbers[j, at] - (radius + m.numbers[i, at]) * cosine
    return bool(rise <= BALL_RISE)


@inner(flatten=True)
def _ball_seams(m: Moment, radius: float, first: int, after: Integers) -> None:
    """Mark contacts of one ball that lie in the tangent plane of a deeper one."""
    at = m.columns[DIST]
    i = first
    while i >= 0:
        j = first
        while j >= 0:
            depth, other = m.numbers[i, at], m.numbers[j, at]
            deeper = other < depth or (other == depth and j < i)
            if j != i and deeper and m.drop[j] == 0 and _in_plane(m, i, j, radius):
                m.drop[i] = 1
                break
            j = after[j]
        i = after[i]


@inner(flatten=True)
def _rises(m: Moment, first: int, after: Integers, geom: int, j: int) -> bool:
    """Whether a contact of the thing with ``geom`` rises over the plane of contact j, or is level.

    The fixed surface lies half the distance off the contact's point.
    """
    sign_j = _fixed(m, j)[1]
    plane, base = normal_of(m, j), point_of(m, j)
    i = first
    while i >= 0:
        mine, sign = _fixed(m, i)
        if mine == geom:
            normal, point = normal_of(m, i), point_of(m, i)
            cosine = height = 0.0
            for k in range(3):
                cosine += plane[k] * normal[k]
                height += plane[k] * (point[k] - base[k])
            height = sign_j * height + 0.5 * m.numbers[j, m.columns[DIST]]
            if height > CUBOID_RISE or sign * sign_j * cosine > LEVEL:
                return True
        i = after[i]
    return False


@inner(flatten=True)
def _cuboid_seams(m: Moment, first: int, after: Integers) -> None:
    """Mark the contacts of one cuboid with a geom that nowhere rises over another's plane."""
    i = first
    while i >= 0:
        geom = _fixed(m, i)[0]
        j = first
        while j >= 0 and m.drop[i] == 0:
            other = _fixed(m, j)[0] != geom and m.drop[j] == 0
            if other and not _rises(m, first, after, geom, j):
                m.drop[i] = 1
            j = after[j]
        i = after[i]


@inner(flatten=True)
def find_seams(m: Moment) -> None:
    """Mark with 1 in ``drop`` the contacts that only a hidden edge makes."""
    head = np.empty(m.things.shape[0], dtype=np.int32)
    after = np.empty(m.contacts, dtype=np.int32)
    if not _string(m, head, after):
        return
    for thing in range(head.shape[0]):
        first = head[thing]
        if first < 0 or after[first] < 0:
            continue
        if m.things[thing, RADIUS] > 0.0:
            _ball_seams(m, m.things[thing, RADIUS], first, after)
        else:
            _cuboid_seams(m, first, after)
