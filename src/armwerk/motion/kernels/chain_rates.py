"""What the motion of the joints alone adds to the second and third derivative of the tool.

The parameter is whatever the joint values are differentiated by, time or arc length. Twists are
(v, w) in the world at the tool point. ``arm`` is the packed arm, see
`armwerk.mechanics.kernels.packed`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.packed import is_revolute


class BiasTwists(NamedTuple):
    """The parts of the tool's motion that hold no highest derivative of the joints.

    Args:
        second: J' q', what the second derivative has beside J q''. Shape (6,).
        third: 2 J' q'' + J'' q', what the third derivative has beside J q'''. Shape (6,).
    """

    second: Array
    third: Array


@inner
def _add_cross(a: Array, b: Array, out: Array) -> None:
    """Add a × b to out."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@inner
def bias_twists(arm: Array, J: Array, qd: Array, qdd: Array, out: BiasTwists) -> None:
    """Fill what is left of the tool's second and third derivative without q'' and q''' in turn.

    A column (m, z) of a revolute joint with axis z through o is m = z × (t - o), t the tool point.
    With w the turning of the link before it, v the motion of the tool point and p that of the
    link's point in the same place:

        z' = w × z,    m' = w × m + z × (v - p)

    A prismatic joint has m' = w × m. Both are differentiated once more.

    Args:
        arm: The packed arm.
        J: Jacobian. Shape (6, n).
        qd: First derivative of the joint values. Shape (n,).
        qdd: Second derivative. Shape (n,).
        out: To be filled.
    """
    n = qd.shape[0]
    column_rates = np.zeros((n, 6))
    tool_1, tool_2 = np.zeros(3), np.zeros(3)  # derivatives of the tool point
    out.second[:] = 0.0
    out.third[:] = 0.0
    for i in range(n):
        for r in range(3):
            tool_1[r] += J[r, i] * qd[i]
    w, link_1, gap = np.zeros(3), np.zeros(3), np.empty(3)
    for i in range(n):
        m, z = J[:3, i], J[3:, i]
        rates = column_rates[i]
        _add_cross(w, m, rates[:3])
        if is_revolute(arm, i):
            for r in range(3):
                gap[r] = tool_1[r] - link_1[r]
            _add_cross(z, gap, rates[:3])
            _add_cross(w, z, rates[3:])
        for r in range(3):
            w[r] += z[r] * qd[i]
            link_1[r] += m[r] * qd[i]
            tool_2[r] += rates[r] * qd[i] + m[r] * qdd[i]
        for r in range(6):
            out.second[r] += rates[r] * qd[i]
    w[:] = 0.0
    link_1[:] = 0.0
    w_1, link_2, bend = np.zeros(3), np.zeros(3), np.empty(6)
    for i in range(n):
        m, z, m_1, z_1 = J[:3, i], J[3:, i], column_rates[i, :3], column_rates[i, 3:]
        bend[:] = 0.0
        _add_cross(w_1, m, bend[:3])
        _add_cross(w, m_1, bend[:3])
        if is_revolute(arm, i):
            for r in range(3):
                gap[r] = tool_1[r] - link_1[r]
            _add_cross(z_1, gap, bend[:3])
            for r in range(3):
                gap[r] = tool_2[r] - link_2[r]
            _add_cross(z, gap, bend[:3])
            _add_cross(w_1, z, bend[3:])
            _add_cross(w, z_1, bend[3:])
        for r in range(6):
            out.third[r] += bend[r] * qd[i] + 2.0 * column_rates[i, r] * qdd[i]
        for r in range(3):
            w[r] += z[r] * qd[i]
            link_1[r] += m[r] * qd[i]
            w_1[r] += z_1[r] * qd[i] + z[r] * qdd[i]
            link_2[r] += m_1[r] * qd[i] + m[r] * qdd[i]
