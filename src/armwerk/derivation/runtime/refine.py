"""Newton's method from a start that is nearly right, for singular poses too.

With the pose error e and the Jacobian J, both at the tool in the world,

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e,   λ = eᵀe + tiny,

which is Newton's step where the arm can move in all directions and stays short where it cannot.
At a double root each step halves the error only; hence the number of steps. Walk and step are those
of `armwerk.mechanics.kernels`; a descent from afar gives up where this one must go on, so the loop
around them is another.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry
from armwerk.mechanics.kernels.descent import damped_step
from armwerk.mechanics.kernels.jacobian import pose_error, walk

STEPS = 50
_ENOUGH = 1e-14  # [m + rad] an error that is rounding
_TINY = 1e-15  # floor of λ; what is squared is then known to a few digits still
_LARGEST = 0.3  # [rad or m] a step that wants more has lost its branch


@entry("float64[:,::1](float64[:,:,::1], boolean[::1], float64[:,::1], float64[:,::1], int64)")
def refine(arm: Array, held: Flags, goal: Array, starts: Array, steps: int) -> Array:
    """Return the best configuration near each start with its errors [m], [rad].

    Args:
        arm: Packed, see `armwerk.mechanics.chain`.
        held: Which joints stay as they are. Shape (n,).
        goal: Tool pose in the world. Shape (4, 4).
        starts: Shape (m, n).
        steps: Most Newton steps; 0 only measures.

    Returns:
        Joint values, then distance and angle that are left. Shape (m, n + 2).
    """
    m, n = starts.shape
    out = np.empty((m, n + 2))
    pose, J = np.empty((3, 4)), np.empty((6, n))
    A, right, e = np.empty((6, 6)), np.empty(6), np.empty(6)
    q, dq = np.empty(n), np.empty(n)
    for row in range(m):
        q[:] = starts[row]
        best = math.inf
        for _ in range(steps + 1):
            walk(arm, q, pose, J)
            position, rotation = pose_error(goal, pose, 6, 1.0, e)
            if position + rotation < best:
                best = position + rotation
                out[row, :n] = q
                out[row, n], out[row, n + 1] = position, rotation
            if best <= _ENOUGH or not position + rotation < math.inf:
                break
            size = 0.0
            for i in range(n):
                for r in range(6):
                    J[r, i] = 0.0 if held[i] else J[r, i]
                    size += J[r, i] * J[r, i]
            damping = _TINY * size + 1e-300
            for r in range(6):
                damping += e[r] * e[r]
            while not damped_step(J, e, 6, damping, A, right, dq):
                damping *= 10.0  # rounding made a direction that is lost look negative
            largest = _LARGEST
            for i in range(n):
                largest = max(largest, abs(dq[i]))
            for i in range(n):
                q[i] += _LARGEST / largest * dq[i]
        if best == math.inf:
            out[row] = math.nan
    return out
