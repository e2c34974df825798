"""Lagrange: mass matrix from the kinetic, gravity from the potential energy (5.1).

The kinetic energy ½ q'ᵀ M q' is summed from the last link inwards: the mass, first moment and
inertia of everything behind joint k, seen from frame k - 1, are those of one body. A unit speed
of joint k gives this body momentum p and angular momentum L, and the share of joint j <= k in
them is M_jk. Derivatives of M give the rest:

    CO[i, kl] = dM_ik/dq_l + dM_il/dq_k - dM_kl/dq_i      (5.7; its factor ½ is a slip)
    CF[i, j]  = dM_ij/dq_j - ½ dM_jj/dq_i                 (5.8)
    G[i]      = dP/dq_i,  P = - g · (first moment of the whole arm)
"""

from __future__ import annotations

from armwerk.derivation.dynamics.algebra import (
    DynamicRing,
    JointTransform,
    LinkInertia,
    Square,
    Vector,
    add,
    cross,
    dot,
    inwards,
    reduced,
    scaled,
)
from armwerk.derivation.dynamics.model import Matrices, pairs
from armwerk.derivation.ring import Poly


def lagrange(ring: DynamicRing) -> Matrices:
    """Return all matrices of the dynamics by Lagrange's equations."""
    composites = composite_bodies(ring)
    mass = mass_matrix(ring, composites)
    slopes = [
        [[ring.derivative(entry, i + 1) for entry in line] for line in mass]
        for i in range(ring.dof)
    ]
    n = range(ring.dof)
    coriolis = [
        [
            ring.reduce(slopes[m][i][k] + slopes[k][i][m] - slopes[i][k][m])
            for k, m in pairs(ring.dof)
        ]
        for i in n
    ]
    centrifugal = [[slopes[j][i][j] - half(slopes[i][j][j]) for j in n] for i in n]
    return Matrices(mass, coriolis, centrifugal, gravity_vector(ring, composites))


def composite_bodies(ring: DynamicRing) -> list[LinkInertia]:
    """Return for every joint k what it carries, links k ... n, as one body in frame k - 1."""
    found: list[LinkInertia] = []
    carried: LinkInertia | None = None
    for body, step in zip(reversed(ring.bodies), reversed(ring.steps), strict=True):
        carried = moved(ring, body if carried is None else _joined(body, carried), step)
        found.insert(0, carried)
    return found


def mass_matrix(ring: DynamicRing, composites: list[LinkInertia]) -> list[list[Poly]]:
    """Return M, symmetric. Shape n by n."""
    n = ring.dof
    mass = [[ring.zero] * n for _ in range(n)]
    for k in range(n, 0, -1):
        momentum, spin = _unit_speed(ring, composites[k - 1], ring.steps[k - 1])
        for j in range(k, 0, -1):
            if j < k:  # hand the momentum on to frame j - 1
                step = ring.steps[j - 1]
                spin = inwards(ring, step.rotation, add(spin, cross(step.shift, momentum)))
                momentum = inwards(ring, step.rotation, momentum)
            share = spin[2] if ring.steps[j - 1].is_revolute else momentum[2]
            mass[j - 1][k - 1] = mass[k - 1][j - 1] = share
        mass[k - 1][k - 1] += ring.armature[k - 1]
    return mass


def gravity_vector(ring: DynamicRing, composites: list[LinkInertia]) -> list[Poly]:
    """Return G, the derivatives of the potential energy. Shape n."""
    potential = -dot(ring, ring.gravity, composites[0].moment)
    return [ring.derivative(potential, i + 1) for i in range(ring.dof)]


def moved(ring: DynamicRing, body: LinkInertia, step: JointTransform) -> LinkInertia:
    """Return a body of frame i as seen from frame i - 1."""
    p, h = step.shift, body.moment
    moment = add(h, scaled(body.mass, p))
    reach = 2 * dot(ring, h, p) + body.mass * dot(ring, p, p)
    inertia: list[Vector] = []
    for a in range(3):
        x, y, z = (
            body.inertia[a][b]
            - h[a] * p[b]
            - p[a] * h[b]
            - body.mass * p[a] * p[b]
            + (reach if a == b else 0)
            for b in range(3)
        )
        inertia.append((x, y, z))
    return LinkInertia(
        body.mass, inwards(ring, step.rotation, moment), _turned(ring, step.rotation, inertia)
    )


def half(poly: Poly) -> Poly:
    """Return poly / 2, exact: the derivative of a square form is even."""
    quotient, rest = divmod(poly, 2)
    if rest:
        raise ArithmeticError("a quadratic form has an odd derivative")
    return quotient


def _joined(one: LinkInertia, two: LinkInertia) -> LinkInertia:
    x, y, z = (add(mine, theirs) for mine, theirs in zip(one.inertia, two.inertia, strict=True))
    return LinkInertia(one.mass + two.mass, add(one.moment, two.moment), (x, y, z))


def _turned(ring: DynamicRing, rotation: Square, inertia: list[Vector]) -> Square:
    """Return R I Rᵀ, of which only six entries are computed."""
    columns = [
        reduced(
            ring, (dot(ring, r, inertia[0]), dot(ring, r, inertia[1]), dot(ring, r, inertia[2]))
        )
        for r in rotation
    ]
    entries = {
        (a, b): ring.reduce(dot(ring, rotation[a], columns[b]))
        for b in range(3)
        for a in range(b + 1)
    }
    return (
        (entries[0, 0], entries[0, 1], entries[0, 2]),
        (entries[0, 1], entries[1, 1], entries[1, 2]),
        (entries[0, 2], entries[1, 2], entries[2, 2]),
    )


def _unit_speed(
    ring: DynamicRing, body: LinkInertia, step: JointTransform
) -> tuple[Vector, Vector]:
    """Return momentum and angular momentum about frame k - 1 for unit speed of joint k."""
    x, y, _ = body.moment
    if step.is_revolute:
        return (-y, x, ring.zero), (
            body.inertia[0][2],
            body.inertia[1][2],
            body.inertia[2][2],
        )
    return (ring.zero, ring.zero, body.mass), (y, -x, ring.zero)
