"""Kane: inertial forces projected on the partial velocities of every link (5.3).

    tau_j = Σ_i v_i^j · F_i + w_i^j · N_i

with the partial velocities v_i^j, w_i^j of link i for joint j, and F_i, N_i what accelerates
the link and holds it against gravity. No force is handed from link to link.
"""

from __future__ import annotations

from armwerk.derivation.dynamics.algebra import DynamicRing, dot
from armwerk.derivation.dynamics.model import Matrices, pairs
from armwerk.derivation.dynamics.motion import (
    Motion,
    Wrench,
    gravity_wrenches,
    link_wrenches,
    partial_velocities,
    product_wrenches,
)
from armwerk.derivation.ring import Poly


def kane(ring: DynamicRing) -> Matrices:
    """Return all matrices of the dynamics by Kane's equations."""
    partials = partial_velocities(ring)
    joints = range(1, ring.dof + 1)
    mass = [_projected(ring, partials, link_wrenches(ring, unit)) for unit in partials]
    for i, inertia in enumerate(ring.armature):
        mass[i][i] += inertia
    squares = [_projected(ring, partials, product_wrenches(ring, partials, k, k)) for k in joints]
    products = [
        _projected(ring, partials, product_wrenches(ring, partials, k + 1, m + 1))
        for k, m in pairs(ring.dof)
    ]
    gravity = _projected(ring, partials, gravity_wrenches(ring))
    n = range(ring.dof)
    return Matrices(
        [[column[i] for column in mass] for i in n],
        [[column[i] for column in products] for i in n],
        [[column[i] for column in squares] for i in n],
        gravity,
    )


def _projected(ring: DynamicRing, partials: list[Motion], wrenches: list[Wrench]) -> list[Poly]:
    """Return the generalised force of every joint."""
    found = []
    for j, partial in enumerate(partials):
        total = ring.zero
        for i in range(j, ring.dof):  # links in front of the joint do not move with it
            total += dot(ring, partial.linear[i], wrenches[i].force)
            total += dot(ring, partial.angular[i], wrenches[i].moment)
        found.append(ring.reduce(total))
    return found
