"""How the top of a belt moves under a thing."""

from __future__ import annotations

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.belts import (
    ACROSS,
    ALONG,
    EASE,
    MIDDLE,
    RUNNING,
    SPEED,
    TO_MIDDLE,
)
from armwerk.physics.contacts.moment import Moment, normal_of, pair
from armwerk.physics.contacts.tables import FIXED, INDEX, ROLE

ON_TOP = 0.3  # least height of a unit normal; a belt's ends are rollers and carry on round them


@inner(flatten=True)
def belt_and_thing(m: Moment, i: int) -> tuple[int, int, float]:
    """Return belt and thing of contact i, and 1 when the belt is its first geom, else -1.

    The belt is -1 when there is none.
    """
    one, two = pair(m, i)
    if m.geoms[one, ROLE] == FIXED and m.geoms[one, INDEX] >= 0:
        return m.geoms[one, INDEX], m.geoms[two, INDEX], 1.0
    if m.geoms[two, ROLE] == FIXED and m.geoms[two, INDEX] >= 0:
        return m.geoms[two, INDEX], m.geoms[one, INDEX], -1.0
    return -1, -1, 0.0


@inner(flatten=True)
def belt_velocity(m: Moment, i: int, belt: int, thing: int, out: Array) -> bool:
    """Fill the velocity of a belt's top under a thing; False: contact i is not on the top.

    Along the belt with its speed u; across it towards the middle line with the drift d, slower
    where the thing's centre is off the line by less than s: u e_along - d min(1, |x|/s) sgn x
    e_across. The ends are rollers: what hangs over one is carried on until it slides off.
    """
    row, off = m.belts[belt], 0.0
    out[0] = out[1] = out[2] = 0.0
    for k in range(3):
        off += (m.xpos[thing + 1, k] - row[MIDDLE + k]) * row[ACROSS + k]
    if abs(normal_of(m, i)[2]) < ON_TOP:
        return False
    if row[RUNNING] != 0.0:
        drift = -row[TO_MIDDLE] * max(-1.0, min(1.0, off / row[EASE]))
        for k in range(3):
            out[k] = row[SPEED] * row[ALONG + k] + drift * row[ACROSS + k]
    return True
