"""What a robot carries: things that lie on its touch parts, between no fingers and on no cup."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np

from armwerk.physics.names import spoken_name
from armwerk.physics.robots.grip import MIN_PRESS, is_thing


def carried(
    model: mujoco.MjModel, data: mujoco.MjData, parts: Collection[int], held: frozenset[str]
) -> frozenset[str]:
    """Return the names of the things that nothing but these parts, or other things, bears.

    Args:
        model: MuJoCo's model.
        data: After a step.
        parts: Geoms of a robot that touch things.
        held: What its gripper holds, which does not count.
    """
    if not data.ncon or not parts:
        return frozenset()
    borne: set[int] = set()
    elsewhere: set[int] = set()
    result = np.zeros(6)
    for index, (one, two) in enumerate(data.contact.geom.tolist()):
        if one < 0 or two < 0:
            continue
        bodies = int(model.geom_bodyid[one]), int(model.geom_bodyid[two])
        things = [is_thing(model, body) for body in bodies]
        if things[0] == things[1]:
            continue
        mujoco.mj_contactForce(model, data, index, result)
        if result[0] > MIN_PRESS:
            own = (two if things[0] else one) in parts
            (borne if own else elsewhere).add(bodies[0] if things[0] else bodies[1])
    names = {spoken_name(model.body(body).name) for body in borne - elsewhere}
    return frozenset(names) - held
