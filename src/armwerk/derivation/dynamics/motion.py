"""Velocities and accelerations of the links, per unit of speed or acceleration of a joint.

All vectors of link i are in the coordinates of frame i. With w the angular velocity and v the
velocity of the frame's origin, the joints enter linearly,

    w_i = Σ_k w_i^k q_k',    v_i = Σ_k v_i^k q_k',

and the accelerations that remain when all q'' are zero are Σ_{k<=m} (...)^{km} q_k' q_m'.
"""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.derivation.dynamics.algebra import (
    DynamicRing,
    LinkInertia,
    Vector,
    add,
    applied,
    cross,
    is_nothing,
    nothing,
    outwards,
    reduced,
    scaled,
)


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """Inertial force and moment about the origin of a link's frame, in that frame."""

    force: Vector
    moment: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Angular and linear velocity, or acceleration, of every link."""

    angular: tuple[Vector, ...]
    linear: tuple[Vector, ...]


def partial_velocities(ring: DynamicRing) -> list[Motion]:
    """Return the motion of all links for unit speed of each joint; also (5.22) for unit q''."""
    return [_partial(ring, joint) for joint in range(1, ring.dof + 1)]


def _partial(ring: DynamicRing, joint: int) -> Motion:
    w, v = nothing(ring), nothing(ring)
    angular, linear = [], []
    for step in ring.steps:
        w, v = outwards(ring, step.rotation, w), outwards(ring, step.rotation, v)
        if step.joint == joint and step.is_revolute:
            w = add(w, step.axis)
        elif step.joint == joint:
            v = add(v, step.axis)
        v = reduced(ring, add(v, cross(w, step.shift)))
        angular.append(w)
        linear.append(v)
    return Motion(tuple(angular), tuple(linear))


def squared_accelerations(
    ring: DynamicRing, partials: list[Motion], first: int, second: int
) -> Motion:
    """Return the accelerations that belong to q_first' q_second', joints from 1, first <= second.

    Centrifugal for first = second, Coriolis (both orders together) otherwise.
    """
    one, two = partials[first - 1], partials[second - 1]
    turn, pull = nothing(ring), nothing(ring)
    angular, linear = [], []
    for i, step in enumerate(ring.steps):
        turn = outwards(ring, step.rotation, turn)
        pull = outwards(ring, step.rotation, pull)
        for joint, other in {(first, second), (second, first)}:
            if step.joint != joint:
                continue
            # w_{i-1} × z q', or twice that for a slide; the axis is known in frame i only, where
            # w_i and w_{i-1} differ by a multiple of the axis itself
            swing = cross(partials[other - 1].angular[i], step.axis)
            if step.is_revolute:
                turn = add(turn, swing)
            else:
                pull = add(pull, swing, swing)
        turn = reduced(ring, turn)
        bend = _twice_crossed(ring, one.angular[i], two.angular[i], step.shift, first == second)
        pull = reduced(ring, add(pull, cross(turn, step.shift), bend))
        angular.append(turn)
        linear.append(pull)
    return Motion(tuple(angular), tuple(linear))


def inertial_wrench(ring: DynamicRing, body: LinkInertia, turn: Vector, pull: Vector) -> Wrench:
    """Return what accelerates a body: m a + w' × m r, and I w' + m r × a."""
    force = add(scaled(body.mass, pull), cross(turn, body.moment))
    moment = add(applied(ring, body.inertia, turn), cross(body.moment, pull))
    return Wrench(reduced(ring, force), reduced(ring, moment))


def gyroscopic_wrench(
    ring: DynamicRing, body: LinkInertia, one: Vector, two: Vector, is_square: bool
) -> Wrench:
    """Return w × (w × m r) and w × I w for a product of two speeds, both orders together."""
    if is_nothing(one) or is_nothing(two):
        return Wrench(nothing(ring), nothing(ring))
    force = _twice_crossed(ring, one, two, body.moment, is_square)
    moment = cross(one, reduced(ring, applied(ring, body.inertia, two)))
    if not is_square:
        moment = add(moment, cross(two, reduced(ring, applied(ring, body.inertia, one))))
    return Wrench(force, reduced(ring, moment))


def link_wrenches(ring: DynamicRing, motion: Motion) -> list[Wrench]:
    """Return the inertial wrench of every link for given accelerations."""
    return [
        inertial_wrench(ring, body, turn, pull)
        for body, turn, pull in zip(ring.bodies, motion.angular, motion.linear, strict=True)
    ]


def product_wrenches(
    ring: DynamicRing, partials: list[Motion], first: int, second: int
) -> list[Wrench]:
    """Return the wrench of every link that belongs to q_first' q_second'."""
    still = link_wrenches(ring, squared_accelerations(ring, partials, first, second))
    one, two = partials[first - 1].angular, partials[second - 1].angular
    whirl = [
        gyroscopic_wrench(ring, body, u, w, first == second)
        for body, u, w in zip(ring.bodies, one, two, strict=True)
    ]
    return [
        Wrench(add(a.force, b.force), add(a.moment, b.moment))
        for a, b in zip(still, whirl, strict=True)
    ]


def gravity_wrenches(ring: DynamicRing) -> list[Wrench]:
    """Return the wrench of every link that holds it against gravity (5.21)."""
    fall: Vector = (-ring.gravity[0], -ring.gravity[1], -ring.gravity[2])
    found = []
    for body, step in zip(ring.bodies, ring.steps, strict=True):
        fall = outwards(ring, step.rotation, fall)
        found.append(inertial_wrench(ring, body, nothing(ring), fall))
    return found


def _twice_crossed(
    ring: DynamicRing, one: Vector, two: Vector, arm: Vector, is_square: bool
) -> Vector:
    if is_nothing(one) or is_nothing(two) or is_nothing(arm):
        return nothing(ring)
    result = cross(one, reduced(ring, cross(two, arm)))
    if not is_square:
        result = add(result, cross(two, reduced(ring, cross(one, arm))))
    return reduced(ring, result)
