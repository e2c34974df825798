"""What the kernels of the elimination know of an arm: the loop it makes with its pose, as views.

An arm that holds a pose is a loop of six joints, M_1 C_1 M_2 C_2 … M_6 C_6' = 1, whose last link
C_6' = C_6 T⁻¹ C_0 depends on the pose. A loop has no first joint and no direction; from joint h it
reads

    M_h C_h M_a C_a M_b C_b  M_d C_d M_e C_e M_f C_f = 1.

Joint h is hidden, a and b are kept, e and f are eliminated, and d falls out because the line of its
axis does not move when it turns. A view is good when the link of the pose is not among C_h, C_a and
C_b: then half of the work does not depend on the pose. Three forwards and three backwards are such,
one for each hidden joint.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import inner
from armwerk.mechanics.kernels.elimination.twofold import (
    add,
    invert,
    multiply,
    product,
    quotient,
    two_product,
)

UNIT = 2.0**-53  # relative error of one rounding
H, A, B, D, E, F = 0, 1, 2, 3, 4, 5
"""Places in a view: hidden, kept twice, falling out, eliminated twice."""

PRODUCTS = 14  # what the line of an axis gives: see `lines`
TERMS = 27  # (1, cos, sin) of the hidden joint times (1, x, x²) of both kept ones
UNKNOWNS = 8  # products of the eliminated joints, without the constant
PHASE_H, PHASE_A, PHASE_B = 0.0913, 0.7363, -1.1871
"""Where the hidden angle is 0, and where x = tan((θ - phase) / 2) of the kept joints is [rad]; of
sliding ones x = d - phase, in scales. No angles that people like: at a node of the polynomial, at
x = 0 and at x = ∞ digits are lost, and these are not met at poses that people like."""


class LoopViews(NamedTuple):
    """An arm in every view that its joints allow; the best comes first.

    Args:
        arm: Packed constants, see `armwerk.mechanics.chain`. Shape (7, 4, 4).
        links: C_h … C_f of each view, lengths in scales, twofold numbers. Shape (v, 6, 2, 3, 4).
        ends: C_0 and C_6 likewise. Shape (2, 2, 3, 4).
        link_wrong: Bound of the error of any of them, relative to its lengths.
        order: Which joint stands at each place. Shape (v, 6).
        revolute: Whether it turns. Shape (v, 6).
        sign: 1 forwards, -1 backwards. Shape (v,).
        slot: Place of the link that depends on the pose. Shape (v,).
        left: Products of the line seen through h, a and b. Shape (v, 14, 27).
        left_wrong: Bound of their error, Frobenius norm. Shape (v,).
        defect: How far each rotation of ``arm`` is from the next true one, Frobenius norm: the
            arm that answers are proved for has the true ones. Shape (7,).
    """

    arm: Array
    links: Array
    ends: Array
    link_wrong: float
    order: Integers
    revolute: Flags
    sign: Array
    slot: Integers
    left: Array
    left_wrong: Array
    defect: Array


@inner
def off_rotation(T: Array) -> float:
    """Return a bound of the distance of the rotation in T to the next true one, Frobenius norm."""
    excess = 0.0
    for r in range(3):
        for c in range(3):
            total, rest = (-1.0, 0.0) if r == c else (0.0, 0.0)
            for k in range(3):
                one, two = two_product(T[k, r], T[k, c])
                total, rest = add(total, rest, one, two)
            excess += total * total
    return 0.51 * math.sqrt(excess)


@inner
def pose_link(
    views: LoopViews, v: int, T: Array, scale: float, links: Array
) -> tuple[float, float]:
    """Fill the links of a view, that of the pose among them (6, 2, 3, 4); return bounds of errors.

    Links are twofold numbers. The bounds are those of the rotation in T, as T is not quite rigid
    (Frobenius norm of its distance to the next rotation), and of the way of the pose's link.
    """
    for k in range(6):
        for i in range(2):
            for r in range(3):
                for c in range(4):
                    links[k, i, r, c] = views.links[v, k, i, r, c]
    back, X, Y = np.empty((2, 3, 4)), np.empty((2, 3, 4)), np.empty((2, 3, 4))
    between = 0.0
    for r in range(3):
        for c in range(3):
            back[0, r, c], back[1, r, c] = T[c, r], 0.0
    for r in range(3):
        total, rest = 0.0, 0.0
        for k in range(3):
            one, two = quotient(T[k, 3], scale)
            one, two = add(one, two, -views.ends[0, 0, k, 3], -views.ends[0, 1, k, 3])
            if r == 0:
                between += one * one
            one, two = multiply(one, two, T[k, r], 0.0)
            total, rest = add(total, rest, -one, -two)
        back[0, r, 3], back[1, r, 3] = total, rest
    for i in range(2):  # T⁻¹ C_0: the ways are one already
        for r in range(3):
            for c in range(4):
                Y[i, r, c] = views.ends[0, i, r, c] if c < 3 else 0.0
    product(back, Y, X)
    product(views.ends[1], X, Y)
    goal = off_rotation(T) + views.link_wrong
    slot = views.slot[v]
    if views.sign[v] > 0.0:
        for i in range(2):
            for r in range(3):
                for c in range(4):
                    links[slot, i, r, c] = Y[i, r, c]
    else:
        invert(Y, links[slot])
    return goal, goal * (1.01 * math.sqrt(between) + 1.0)
