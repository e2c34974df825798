"""Seams: an edge that does not stand out of the surface beside it is no obstacle.

Where two solids touch and their tops are level, the collision detector still reports the hidden
edge of one of them, with a slanting normal; a ball would hop over it and a cuboid stumble. Such a
contact is dropped when its point does not rise above the tangent plane of a deeper contact of the
same thing.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.world.contacts.rows import DIST, FRAME, GEOM, POS
from armwerk.world.contacts.tables import BALL, CUBOID, FIXED, INDEX, RADIUS, ROLE

Array = NDArray[np.float64]
Integers = NDArray[np.int32]

BALL_RISE = 2e-6  # [m] above the tangent plane counts as an obstacle
CUBOID_RISE = 2e-5  # [m]; its contacts are points of a patch and less exact
LEVEL = 0.999  # cosine between normals that are taken for the same


@njit(nogil=True, error_model="numpy")
def chain_fixed(
    columns: Array, whole: Integers, count: int, geoms: Integers, head: Integers, after: Integers
) -> bool:
    """String together the contacts of every thing with fixed geoms; True: some thing has two."""
    several = False
    at = columns[GEOM]
    for k in range(head.shape[0]):
        head[k] = -1
    for i in range(count):
        after[i] = -1
        one, two = whole[i, at], whole[i, at + 1]
        if one < 0 or two < 0:
            continue
        if geoms[one, ROLE] != FIXED:
            one, two = two, one
        role = geoms[two, ROLE]
        if geoms[one, ROLE] != FIXED or (role != BALL and role != CUBOID):
            continue
        thing = geoms[two, INDEX]
        several = several or head[thing] >= 0
        after[i] = head[thing]
        head[thing] = i
    return several


@njit(nogil=True, error_model="numpy")
def _outward(columns: Array, numbers: Array, whole: Integers, geoms: Integers, i: int) -> float:
    """Return the factor that turns the contact's normal from the fixed geom to the thing."""
    return 1.0 if geoms[whole[i, columns[GEOM]], ROLE] == FIXED else -1.0


@njit(nogil=True, error_model="numpy")
def _ball_seams(
    columns: Array,
    numbers: Array,
    whole: Integers,
    geoms: Integers,
    radius: float,
    first: int,
    after: Integers,
    drop: Integers,
) -> None:
    """Mark contacts of one ball that lie in the tangent plane of a deeper one.

    With a the point of the ball's centre, s = a - n (r + dist) is the point of the obstacle.
    """
    dist, frame = columns[DIST], columns[FRAME]
    i = first
    while i >= 0:
        sign_i = _outward(columns, numbers, whole, geoms, i)
        reach = radius + numbers[i, dist]
        j = first
        while j >= 0:
            deeper = numbers[j, dist] < numbers[i, dist] or (
                numbers[j, dist] == numbers[i, dist] and j < i
            )
            if j != i and deeper and drop[j] == 0:
                sign = sign_i * _outward(columns, numbers, whole, geoms, j)
                cosine = 0.0
                for k in range(3):
                    cosine += numbers[i, frame + k] * numbers[j, frame + k]
                # (s_i - s_j) · n_j
                rise = radius + numbers[j, dist] - reach * sign * cosine
                if rise <= BALL_RISE:
                    drop[i] = 1
                    break
            j = after[j]
        i = after[i]


@njit(nogil=True, error_model="numpy")
def _rises(
    columns: Array,
    numbers: Array,
    whole: Integers,
    geoms: Integers,
    first: int,
    after: Integers,
    geom: int,
    j: int,
) -> bool:
    """Whether a contact of the thing with ``geom`` rises over the plane of contact j, or is level.

    The fixed surface lies half the distance off the contact's point.
    """
    dist, pos, frame, at = columns[DIST], columns[POS], columns[FRAME], columns[GEOM]
    sign_j = _outward(columns, numbers, whole, geoms, j)
    i = first
    while i >= 0:
        if whole[i, at] == geom or whole[i, at + 1] == geom:
            cosine = height = 0.0
            for k in range(3):
                normal = sign_j * numbers[j, frame + k]
                cosine += normal * numbers[i, frame + k]
                height += normal * (numbers[i, pos + k] - numbers[j, pos + k])
            cosine *= _outward(columns, numbers, whole, geoms, i)
            height += 0.5 * numbers[j, dist]
            if height > CUBOID_RISE or cosine > LEVEL:
                return True
        i = after[i]
    return False


@njit(nogil=True, error_model="numpy")
def _cuboid_seams(
    columns: Array,
    numbers: Array,
    whole: Integers,
    geoms: Integers,
    first: int,
    after: Integers,
    drop: Integers,
) -> None:
    """Mark all contacts of one cuboid with a geom none of whose contacts rises over another's plane."""
    at = columns[GEOM]
    i = first
    while i >= 0:
        geom = whole[i, at]
        if geoms[geom, ROLE] != FIXED:
            geom = whole[i, at + 1]
        j = first
        while j >= 0 and drop[i] == 0:
            other = whole[j, at] != geom and whole[j, at + 1] != geom
            if other and drop[j] == 0:
                if not _rises(columns, numbers, whole, geoms, first, after, geom, j):
                    drop[i] = 1
            j = after[j]
        i = after[i]


@njit(nogil=True, error_model="numpy")
def find_seams(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    things: Array,
    geoms: Integers,
    head: Integers,
    after: Integers,
    drop: Integers,
) -> None:
    """Mark with 1 in ``drop`` the contacts that only a hidden edge makes."""
    if not chain_fixed(columns, whole, count, geoms, head, after):
        return
    for thing in range(head.shape[0]):
        first = head[thing]
        if first < 0 or after[first] < 0:
            continue
        if things[thing, RADIUS] > 0.0:
            _ball_seams(
                columns, numbers, whole, geoms, things[thing, RADIUS], first, after, drop
            )
        else:
            _cuboid_seams(columns, numbers, whole, geoms, first, after, drop)
