"""Products of exponentials: the direct kinematics a second time, from twists.

Every joint has a twist (v, w), seen in the base frame while all angles theta_i = q_i + offset_i
and all slides q_i are zero; for that position T_0n(0) is the place of the last frame. Then

    T_0n = exp(twist_1 q_1) ... exp(twist_n q_n) T_0n(0)                               (4.8)

Angles are theta_i, as everywhere in the ring, so a joint's offset is part of its angle and the
twists stay free of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.derivation.direct import Matrix, dot, identity, inverse, segment, times
from armwerk.derivation.ring import Angle, Poly, Ring, SymbolicRow
from armwerk.derivation.sums import collect_matrix, expand_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Twist:
    """The motion of one joint: v (3 entries), w (3 entries), in the base frame.

    Args:
        joint: Its number, from 1.
        v: Velocity of the point at the base origin per unit of joint speed.
        w: Angular velocity per unit of joint speed; zero for a slide.
    """

    joint: int
    v: tuple[Poly, Poly, Poly]
    w: tuple[Poly, Poly, Poly]

    @property
    def row(self) -> tuple[Poly, ...]:
        """v1 v2 v3 w1 w2 w3, a line of the table of twists."""
        return (*self.v, *self.w)


def twists(ring: Ring) -> tuple[Twist, ...]:
    """Return the twist of every joint from the Denavit-Hartenberg rows (4.11, 4.12).

    hat(xi_i) = M P M^-1 with M = M_1 ... M_{i-1}, the rows at zero joint values, and P the
    generator of a turn about, or a slide along, z.
    """
    found = []
    before = identity(ring, 4)
    for row in ring.rows:
        axis = [before[k][2] for k in range(3)]
        point = [before[k][3] for k in range(3)]
        if row.is_revolute:
            v = [ring.reduce(entry) for entry in cross(point, axis)]
            found.append(Twist(row.joint, _three(v), _three(axis)))
        else:
            found.append(Twist(row.joint, _three(axis), (ring.zero, ring.zero, ring.zero)))
        before = times(ring, before, zero_row(ring, row))
    return tuple(found)


def zero_row(ring: Ring, row: SymbolicRow) -> Matrix:
    """Return M_i, the row's matrix with its joint variable zero. Shape 3 by 4."""
    c, s = row.turn
    ca, sa = row.twist
    return [
        [c, -s * ca, s * sa, row.a * c],
        [s, c * ca, -c * sa, row.a * s],
        [ring.zero, sa, ca, row.d],
    ]


def zero_pose(ring: Ring) -> Matrix:
    """Return T_0n(0), the last frame while all angles and slides are zero."""
    pose = identity(ring, 4)
    for row in ring.rows:
        pose = times(ring, pose, zero_row(ring, row))
    return pose


def exponential(ring: Ring, twist: Twist) -> Matrix:
    """Return exp(hat(xi_i) q_i) by the formula of Rodrigues (4.13 to 4.15). Shape 3 by 4."""
    if twist.joint in ring.slides:
        value = ring[ring.slides[twist.joint]]
        return [
            [*(ring.one if i == j else ring.zero for j in range(3)), value * twist.v[i]]
            for i in range(3)
        ]
    angle = Angle(((twist.joint, 1),))
    c, s = ring[angle.cos], ring[angle.sin]
    x, y, z = twist.w
    skew = [[ring.zero, -z, y], [z, ring.zero, -x], [-y, x, ring.zero]]
    square = times(ring, skew, skew)
    turn = [
        [ring.reduce(int(i == j) + skew[i][j] * s + square[i][j] * (1 - c)) for j in range(3)]
        for i in range(3)
    ]
    arm = cross(twist.w, twist.v)
    shift = [
        ring.reduce(arm[i] - sum((turn[i][j] * arm[j] for j in range(3)), ring.zero))
        for i in range(3)
    ]
    return [[*turn[i], shift[i]] for i in range(3)]


def product_of_exponentials(ring: Ring) -> Matrix:
    """Return T_0n by (4.8), in single angles. Shape 3 by 4."""
    product = zero_pose(ring)
    for twist in reversed(twists(ring)):
        product = times(ring, exponential(ring, twist), product)
    return product


def simplified_product(ring: Ring) -> Matrix:
    """Return T_0n by (4.8) with the angles of parallel axes put together."""
    return collect_matrix(ring, product_of_exponentials(ring))


def agrees_with_rows(ring: Ring) -> bool:
    """Whether (4.8) and the product of the Denavit-Hartenberg rows are the same, exactly."""
    return expand_matrix(ring, segment(ring, 1, ring.dof)) == product_of_exponentials(ring)


def adjoint(ring: Ring, transform: Matrix, twist: tuple[Poly, ...]) -> tuple[Poly, ...]:
    """Return Ad_T xi = (R v + p × R w, R w) (4.16)."""
    v, w = twist[:3], twist[3:]
    turned_v = [dot(ring, transform[k][:3], v) for k in range(3)]
    turned_w = [dot(ring, transform[k][:3], w) for k in range(3)]
    moment = cross([transform[k][3] for k in range(3)], turned_w)
    return tuple(
        ring.reduce(entry)
        for entry in (*(a + b for a, b in zip(turned_v, moment, strict=True)), *turned_w)
    )


def inverse_adjoint(ring: Ring, transform: Matrix, twist: tuple[Poly, ...]) -> tuple[Poly, ...]:
    """Return Ad_T^-1 xi (4.16)."""
    return adjoint(ring, inverse(ring, transform), twist)


def cross(
    one: tuple[Poly, ...] | list[Poly], two: tuple[Poly, ...] | list[Poly]
) -> tuple[Poly, Poly, Poly]:
    """Return the vector product."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def _three(values: tuple[Poly, ...] | list[Poly]) -> tuple[Poly, Poly, Poly]:
    x, y, z = values
    return x, y, z
