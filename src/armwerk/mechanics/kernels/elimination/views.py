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

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import inner

H, A, B, D, E, F = 0, 1, 2, 3, 4, 5
"""Places in a view: hidden, kept twice, falling out, eliminated twice."""

PRODUCTS = 14  # what the line of an axis gives: see `lines`
TERMS = 27  # (1, cos, sin) of the hidden joint times (1, x, x²) of both kept ones
UNKNOWNS = 8  # products of the eliminated joints, without the constant
PHASE_A, PHASE_B = 0.7363, -1.1871
"""Where x = tan((θ - phase) / 2) of the kept joints is 0 [rad]; of sliding ones x = d - phase, in
scales. No angle that people like: x = 0 and x = ∞ are not met at poses that people like."""


class LoopViews(NamedTuple):
    """An arm in every view that its joints allow; the best comes first.

    Args:
        arm: Packed constants, see `armwerk.mechanics.chain`. Shape (7, 4, 4).
        links: C_h … C_f of each view, lengths in scales. Shape (v, 6, 3, 4).
        order: Which joint stands at each place. Shape (v, 6).
        revolute: Whether it turns. Shape (v, 6).
        sign: 1 forwards, -1 backwards. Shape (v,).
        slot: Place of the link that depends on the pose. Shape (v,).
        left: Products of the line seen through h, a and b. Shape (v, 14, 27).
    """

    arm: Array
    links: Array
    order: Integers
    revolute: Flags
    sign: Array
    slot: Integers
    left: Array


@inner
def pose_link(views: LoopViews, v: int, T: Array, scale: float, links: Array) -> None:
    """Fill the links of a view, that of the pose among them. Shape (6, 3, 4)."""
    for k in range(6):
        for r in range(3):
            for c in range(4):
                links[k, r, c] = views.links[v, k, r, c]
    first, last = views.arm[0], views.arm[6]
    X = np.empty((3, 4))  # T⁻¹ C_0, then C_6 T⁻¹ C_0
    Y = np.empty((3, 4))
    for r in range(3):
        for c in range(4):
            value = 0.0
            for k in range(3):
                shift = first[k, c] if c < 3 else first[k, 3] - T[k, 3]
                value += T[k, r] * shift
            X[r, c] = value / scale if c == 3 else value
    for r in range(3):
        for c in range(4):
            value = last[r, 3] / scale if c == 3 else 0.0
            for k in range(3):
                value += last[r, k] * X[k, c]
            Y[r, c] = value
    slot = views.slot[v]
    if views.sign[v] > 0.0:
        for r in range(3):
            for c in range(4):
                links[slot, r, c] = Y[r, c]
    else:
        for r in range(3):
            value = 0.0
            for c in range(3):
                links[slot, r, c] = Y[c, r]
                value -= Y[c, r] * Y[c, 3]
            links[slot, r, 3] = value
