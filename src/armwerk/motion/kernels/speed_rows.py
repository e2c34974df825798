"""What limits ask of the squared speeds along a path, point by point, as few numbers.

What moves along the path has the derivatives y', y'', y''' by the parameter σ, and under b = σ̇²

    velocity      y' √b
    acceleration  y' b' / 2 + y'' b
    jerk          (y' b'' / 2 + 3 y'' b' / 2 + y''' b) √b.

So a joint needs five numbers, its rates over its limits. Of the tool only lengths are limited, and
squares of lengths are quadratic in b'', b', b: six products of such rows for its jerk, three for
its acceleration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry


class SpeedProblem(NamedTuple):
    """A path with its limits, looked at in p points.

    Attributes:
        cell: Which cell each point is in. Shape (p,).
        basis: How b'', b' and b (rows) are made of the three coefficients of its cell. (p, 3, 3).
        ceiling: Largest b that the limits of velocity leave [1/s²]. Shape (p,).
        joints: y'/2, y'' over the limits of acceleration, y'/2, 3 y''/2, y''' over those of jerk;
            0: no limit. Shape (p, 5, n).
        tool: Products of the same rows of the tool, of its point and of its turn: the acceleration
            (0, 0), (0, 1), (1, 1), the jerk (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2).
            Shape (p, 2, 9).
        drives: Torques over their limits: what b' asks for, what b asks for, what stands against
            rest and dry friction, what √b asks for. Shape (p, 4, r); r = 0: no limits.
        node_cell: Which cell each of the nodes of the integral of time is in. Shape (g,).
        node_basis: How b is made of the coefficients there. Shape (g, 3).
        node_weight: Their weights in the integral. Shape (g,).
    """

    cell: Integers
    basis: Array
    ceiling: Array
    joints: Array
    tool: Array
    drives: Array
    node_cell: Integers
    node_basis: Array
    node_weight: Array


SPEED_PROBLEM = RecordText(
    SpeedProblem,
    cell="int64[::1]",
    basis="float64[:,:,::1]",
    ceiling="float64[::1]",
    joints="float64[:,:,::1]",
    tool="float64[:,:,::1]",
    drives="float64[:,:,::1]",
    node_cell="int64[::1]",
    node_basis="float64[:,::1]",
    node_weight="float64[::1]",
)


class SpeedRows(NamedTuple):
    """What `SpeedProblem` has of the same names."""

    ceiling: Array
    joints: Array
    tool: Array


_ROWS = RecordText(
    SpeedRows, ceiling="float64[::1]", joints="float64[:,:,::1]", tool="float64[:,:,::1]"
)


@entry(
    "ROWS(float64[:,:,::1], float64[:,:,::1], float64[:,::1], float64[:,:,::1], float64[:,:,::1])",
    ROWS=_ROWS,
)
def speed_rows(
    x: Array, twists: Array, s: Array, joint_limits: Array, tool_limits: Array
) -> SpeedRows:
    """Return what limits ask of points.

    Args:
        x: q, q', q'', q''' by arc length. Shape (p, 4, n).
        twists: First to third derivative of the tool's pose by arc length. Shape (p, 3, 6).
        s: Arc length [m] and its derivatives by σ. Shape (p, 4).
        joint_limits: Of velocity, acceleration, jerk. Shape (p, 3, n).
        tool_limits: The same of the tool's point and of its turn. Shape (p, 3, 2).
    """
    count, n = x.shape[0], x.shape[2]
    ceiling, joints, tool = np.empty(count), np.empty((count, 5, n)), np.empty((count, 2, 9))
    rows = np.empty((5, 3))
    for p in range(count):
        s1, s2, s3 = s[p, 1], s[p, 2], s[p, 3]
        square, cube, both = s1 * s1, s1 * s1 * s1, 3.0 * s1 * s2
        top = math.inf
        for i in range(n):
            one, two, three = x[p, 1, i], x[p, 2, i], x[p, 3, i]
            y1, y2, y3 = one * s1, two * square + one * s2, three * cube + two * both + one * s3
            top = min(top, joint_limits[p, 0, i] / abs(y1))
            over = 1.0 / joint_limits[p, 1, i]
            joints[p, 0, i], joints[p, 1, i] = 0.5 * over * y1, over * y2
            over = 1.0 / joint_limits[p, 2, i]
            joints[p, 2, i], joints[p, 3, i] = 0.5 * over * y1, 1.5 * over * y2
            joints[p, 4, i] = over * y3
        for group in range(2):
            speed = 0.0
            second, third = 1.0 / tool_limits[p, 1, group], 1.0 / tool_limits[p, 2, group]
            for i in range(3):
                k = 3 * group + i
                one, two, three = twists[p, 0, k], twists[p, 1, k], twists[p, 2, k]
                y1, y2, y3 = one * s1, two * square + one * s2, three * cube + two * both + one * s3
                speed += y1 * y1
                rows[0, i], rows[1, i] = 0.5 * second * y1, second * y2
                rows[2, i], rows[3, i], rows[4, i] = (
                    0.5 * third * y1,
                    1.5 * third * y2,
                    third * y3,
                )
            top = min(top, tool_limits[p, 0, group] / math.sqrt(speed))
            k = 0
            for first, last in ((0, 2), (2, 5)):
                for one in range(first, last):
                    for two in range(one, last):
                        tool[p, group, k] = (
                            rows[one, 0] * rows[two, 0]
                            + rows[one, 1] * rows[two, 1]
                            + rows[one, 2] * rows[two, 2]
                        )
                        k += 1
        ceiling[p] = top * top
    return SpeedRows(ceiling, joints, tool)
