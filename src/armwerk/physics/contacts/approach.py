"""Whether links may meet something within a step: how far the points of two solids can come."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import AddressTable, open_pads
from armwerk.physics.contacts.adjust import SWING
from armwerk.physics.contacts.step_view import LINK, Small, distance_of, geoms_of, point_of


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


@entry("b1(i8[::1], i4[::1], f8[::1], i4[::1], f8[:,::1], f8[:,::1])")
def may_meet(
    table: AddressTable, body: Small, size: Array, root: Small, com: Array, cvel: Array
) -> bool:
    """Whether a link that is near something moves so fast that any point of it may touch.

    A point of a geom of radius r about its middle is at most 2 r off the nearest one, so that it
    comes nearer by at most (|v| + 2 r |w|) dt, v being the velocity at the nearest points.

    Args:
        table: Where contacts lie, see `armwerk.physics.contacts.address_table`.
        body: Of every geom. Shape (g,).
        size: Radius of every geom about its middle [m]; 0 for planes. Shape (g,).
        root: The body each tree is counted under. Shape (b,).
        com: Centres of mass of the trees [m]. Shape (b, 3).
        cvel: (w, v) of bodies, taken there. Shape (b, 6).
    """
    view = open_pads(table)
    dt = view.dt
    for i in range(view.contacts.length):
        one, two = geoms_of(view.contacts, i)
        if one < 0 or two < 0 or (view.role[one] != LINK and view.role[two] != LINK):
            continue
        point, total = point_of(view.contacts, i), 0.0
        for axis in range(3):
            speed = _velocity(body[two], point, root, com, cvel, axis)
            speed -= _velocity(body[one], point, root, com, cvel, axis)
            total += speed * speed
        turn = 2.0 * (size[one] * _spin(body[one], cvel) + size[two] * _spin(body[two], cvel))
        if distance_of(view.contacts, i) < (math.sqrt(total) + turn) * dt + SWING * dt * dt:
            return True
    return False
