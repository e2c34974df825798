"""The contacts of the step last made, point by point, with names."""

from __future__ import annotations

import mujoco

from armwerk.physics.contacts.sides import ContactSides
from armwerk.protocol.contacts import ContactPoint


def contact_points(data: mujoco.MjData, sides: ContactSides) -> list[ContactPoint]:
    """Return every point where something touches, in the engine's order.

    Places are those at the beginning of the step, forces those that acted during it. Points that
    gave no force are there as well, if the two overlap: links are looked after before they touch.

    Args:
        data: After mj_step2.
        sides: Of the same simulation.
    """
    if not data.ncon:
        return []
    found: list[ContactPoint] = []
    contact, forces = data.contact, data.efc_force
    columns = (contact.geom, contact.efc_address, contact.dist, contact.pos, contact.frame)
    for (first, second), row, distance, point, frame in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        force = float(forces[row]) if row >= 0 else 0.0
        if first < 0 or second < 0 or (distance > 0.0 and force <= 0.0):
            continue
        one, two = int(sides.of_geom[first]), int(sides.of_geom[second])
        sign = 1.0 if one > two else -1.0  # the engine's normal looks from the first to the second
        x, y, z = (sign * part + 0.0 for part in frame[:3])
        found.append(
            ContactPoint(
                (sides.sides[min(one, two)], sides.sides[max(one, two)]),
                (point[0], point[1], point[2]),
                (x, y, z),
                force,
                -distance,
            )
        )
    return found
