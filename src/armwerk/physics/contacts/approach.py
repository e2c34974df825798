"""Whether solids may have met within a step: how far the points of two of them can have come."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    lines_at,
    numbers_at,
    open_pads,
    whole_at,
)
from armwerk.physics.contacts.adjust import SWING
from armwerk.physics.contacts.step_view import (
    LINK,
    PAD,
    PadView,
    Small,
    distance_of,
    geoms_of,
    point_of,
)
from armwerk.record_reference import refer

NEARER = 3e-4  # [m] that two, of which none is a link, must have come nearer to have been missed


@inner
def _velocity(body: int, point: Array, root: Small, com: Array, cvel: Array, axis: int) -> float:
    """Return one coordinate of the velocity of a point of a body [m/s]."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    w, away = cvel[body], com[root[body]]
    return float(w[3 + axis] + w[i] * (point[j] - away[j]) - w[j] * (point[i] - away[i]))


@inner
def _spin(body: int, cvel: Array) -> float:
    """Return how fast a body turns [rad/s]."""
    w = cvel[body]
    return math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])


@inner
def _relative_spin(one: int, two: int, cvel: Array) -> float:
    """Return how fast two bodies turn against each other [rad/s]."""
    a, b = cvel[one], cvel[two]
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@inner
def is_watched(role: Small, free: Small, one: int, two: int) -> bool:
    """Whether it matters where two geoms meet: of a robot always."""
    if role[one] >= PAD or role[two] >= PAD:
        return True
    return bool(free[one] == 0 and free[two] == 0)


@inner
def _way(
    view: PadView, i: int, body: Small, size: Array, root: Small, com: Array, cvel: Array
) -> float:
    """Return how far points of the two geoms of contact i can have come in a step [m]."""
    one, two = geoms_of(view.contacts, i)
    point, total = point_of(view.contacts, i), 0.0
    for axis in range(3):
        speed = _velocity(body[two], point, root, com, cvel, axis)
        speed -= _velocity(body[one], point, root, com, cvel, axis)
        total += speed * speed
    if view.role[one] == LINK or view.role[two] == LINK:
        turn = size[one] * _spin(body[one], cvel) + size[two] * _spin(body[two], cvel)
        return float((math.sqrt(total) + 2.0 * turn) * view.dt + SWING * view.dt * view.dt)
    near = max(size[one], size[two])  # planes have none
    if size[one] > 0.0 and size[two] > 0.0:
        near = min(size[one], size[two])
    turn = near * _relative_spin(body[one], body[two], cvel)
    return float((math.sqrt(total) + 2.0 * turn) * view.dt - NEARER)


@entry("b1(i8[::1], i8[::1])")
def may_meet(table: AddressTable, solids: AddressTable) -> bool:
    """Whether two that are near each other move so fast that any points of them may have met.

    A point of a geom of radius r about its middle is at most 2 r off the nearest one, so that it
    comes nearer by at most (|v| + 2 r |w|) dt, v being the velocity at the nearest points.

    Args:
        table: Where contacts lie, see `armwerk.physics.contacts.address_table`.
        solids: Where arrays lie, as written by `write_addresses`: 1 for geoms that may go into
            each other for a step (g,), body of every geom (g,), its radius about its middle [m],
            0 for planes (g,), the body each tree is counted under (b,), centres of mass of the
            trees [m] (b, 3), (w, v) of bodies, taken there (b, 6).
    """
    free, body, size = whole_at(solids, 0), whole_at(solids, 1), numbers_at(solids, 2)
    root, com, cvel = whole_at(solids, 3), lines_at(solids, 4, 3), lines_at(solids, 5, 6)
    view = refer(open_pads(table))
    for i in range(view.contacts.length):
        one, two = geoms_of(view.contacts, i)
        if one < 0 or two < 0 or not is_watched(view.role, free, one, two):
            continue
        away = distance_of(view.contacts, i)
        if view.role[one] != LINK and view.role[two] != LINK:
            away = max(away, 0.0)
        if away < _way(view, i, body, size, root, com, cvel):
            return True
    return False
