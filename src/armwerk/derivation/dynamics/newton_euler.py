"""Newton and Euler: outwards for the accelerations, inwards for the forces (5.2).

`newton_euler` does it once with the speeds and accelerations of the joints as symbols and
sorts the result; `newton_euler_passes` does it in the source's separate passes for gravity,
mass, centrifugal and Coriolis terms (5.2.3), which never form the long sums.
The source prints a minus before w × I w (5.17) and uses the link's own force for a slide (5.20);
right are a plus and the force handed on from all links behind.
"""

from __future__ import annotations

from armwerk.derivation.dynamics.algebra import (
    DynamicRing,
    Vector,
    add,
    applied,
    cross,
    dot,
    inwards,
    nothing,
    outwards,
    reduced,
    scaled,
)
from armwerk.derivation.dynamics.model import Matrices, pairs
from armwerk.derivation.dynamics.motion import (
    Wrench,
    gravity_wrenches,
    link_wrenches,
    partial_velocities,
    product_wrenches,
)
from armwerk.derivation.ring import Poly


def newton_euler_passes(ring: DynamicRing) -> Matrices:
    """Return all matrices of the dynamics, each by passes of its own (5.21, 5.22)."""
    gravity = joint_forces(ring, gravity_wrenches(ring))
    partials = partial_velocities(ring)
    mass = _columns(ring, [joint_forces(ring, link_wrenches(ring, unit)) for unit in partials])
    for i, inertia in enumerate(ring.armature):
        mass[i][i] += inertia
    joints = range(1, ring.dof + 1)
    centrifugal = _columns(
        ring, [joint_forces(ring, product_wrenches(ring, partials, k, k)) for k in joints]
    )
    coriolis = _columns(
        ring,
        [
            joint_forces(ring, product_wrenches(ring, partials, k + 1, m + 1))
            for k, m in pairs(ring.dof)
        ],
    )
    return Matrices(mass, coriolis, centrifugal, gravity)


def joint_forces(ring: DynamicRing, wrenches: list[Wrench]) -> list[Poly]:
    """Return the force or moment in every joint from the wrenches of the links (5.18 to 5.20)."""
    force, moment = nothing(ring), nothing(ring)
    found: list[Poly] = []
    for wrench, step in zip(reversed(wrenches), reversed(ring.steps), strict=True):
        force = add(force, wrench.force)
        moment = reduced(ring, add(moment, wrench.moment, cross(step.shift, force)))
        found.insert(0, ring.reduce(dot(ring, moment if step.is_revolute else force, step.axis)))
        force = inwards(ring, step.rotation, force)
        moment = inwards(ring, step.rotation, moment)
    return found


def newton_euler(ring: DynamicRing) -> Matrices:
    """Return all matrices of the dynamics from one pass with symbolic speeds."""
    wide = DynamicRing(ring.kinematics, ring.parameters, with_rates=True)
    tau = joint_forces(wide, _outwards(wide))
    n = range(1, ring.dof + 1)

    def share(force: Poly, *rates: str) -> Poly:
        for rate in rates:
            force = force.derivative(wide.index[rate])
        return force.project_to_context(ring.context)

    mass = [[share(force, f"qdd{j}") for j in n] for force in tau]
    for i, inertia in enumerate(ring.armature):
        mass[i][i] += inertia
    coriolis = [
        [share(force, f"qd{k + 1}", f"qd{m + 1}") for k, m in pairs(ring.dof)] for force in tau
    ]
    squares = [[share(force, f"qd{j}", f"qd{j}") for j in n] for force in tau]
    centrifugal = [[_half(entry) for entry in line] for line in squares]
    rest = {name: 0 for i in n for name in (f"qd{i}", f"qdd{i}")}
    gravity = [force.subs(rest).project_to_context(ring.context) for force in tau]
    return Matrices(mass, coriolis, centrifugal, gravity)


def _outwards(ring: DynamicRing) -> list[Wrench]:
    """Return the wrench of every link for symbolic speeds and accelerations (5.11 to 5.17)."""
    w, turn = nothing(ring), nothing(ring)
    pull: Vector = (-ring.gravity[0], -ring.gravity[1], -ring.gravity[2])
    found = []
    for body, step in zip(ring.bodies, ring.steps, strict=True):
        speed = scaled(ring[f"qd{step.joint}"], step.axis)
        rise = scaled(ring[f"qdd{step.joint}"], step.axis)
        w, turn, pull = (outwards(ring, step.rotation, u) for u in (w, turn, pull))
        swing = cross(w, speed)
        if step.is_revolute:
            turn, w = add(turn, rise, swing), add(w, speed)
        else:
            pull = add(pull, rise, swing, swing)
        turn = reduced(ring, turn)
        bend = cross(w, reduced(ring, cross(w, step.shift)))
        pull = reduced(ring, add(pull, cross(turn, step.shift), bend))
        whirl = cross(w, reduced(ring, cross(w, body.moment)))
        force = add(scaled(body.mass, pull), cross(turn, body.moment), whirl)
        spin = reduced(ring, applied(ring, body.inertia, w))
        moment = add(applied(ring, body.inertia, turn), cross(w, spin), cross(body.moment, pull))
        found.append(Wrench(reduced(ring, force), reduced(ring, moment)))
    return found


def _half(poly: Poly) -> Poly:
    return poly // 2  # the second derivative of a square is even


def _columns(ring: DynamicRing, columns: list[list[Poly]]) -> list[list[Poly]]:
    return [[column[i] for column in columns] for i in range(ring.dof)]
