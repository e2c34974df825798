"""How the top of a belt moves under a thing."""

from __future__ import annotations

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.step_view import FIXED, StepView, geoms_of, normal_of

EASING = 0.01  # [m] from the middle line, where the drift begins to slow down
ON_TOP = 0.3  # least height of a unit normal; a belt's ends are rollers and carry on round them


@inner(flatten=True, borrows=True)
def belt_and_thing(step: StepView, i: int) -> tuple[int, int, float]:
    """Return belt and thing of contact i, and 1 when the belt is its first geom, else -1.

    The belt is -1 when there is none.
    """
    one, two = geoms_of(step.contacts, i)
    if step.geoms.role[one] == FIXED and step.geoms.number[one] >= 0:
        return step.geoms.number[one], step.geoms.number[two], 1.0
    if step.geoms.role[two] == FIXED and step.geoms.number[two] >= 0:
        return step.geoms.number[two], step.geoms.number[one], -1.0
    return -1, -1, 0.0


@inner(flatten=True, borrows=True)
def belt_velocity(step: StepView, i: int, belt: int, thing: int, out: Array) -> bool:
    """Fill the velocity of a belt's top under a thing; False: contact i is not on the top.

    Along the belt with its speed u; across it towards the middle line with the drift d, slower
    where the thing's centre is off the line by less than s: u e_along - d min(1, |x|/s) sgn x
    e_across. The ends are rollers: what hangs over one is carried on until it slides off.
    """
    belts, off = step.belts, 0.0
    out[0] = out[1] = out[2] = 0.0
    for k in range(3):
        off += (step.xpos[thing + 1, k] - belts.middle[belt, k]) * belts.across[belt, k]
    if abs(normal_of(step.contacts, i)[2]) < ON_TOP:
        return False
    if belts.running[belt] != 0.0:
        drift = -belts.to_middle[belt] * max(-1.0, min(1.0, off / EASING))
        for k in range(3):
            out[k] = belts.speed[belt] * belts.along[belt, k] + drift * belts.across[belt, k]
    return True
