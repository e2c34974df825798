"""Newton's method from a start that is nearly right, for singular poses too.

With the pose error e and the Jacobian J, both at the tool in the world,

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e,   λ = eᵀe + tiny,

which is Newton's step where the arm can move in all directions and stays short where it cannot.
At a double root each step halves the error only; hence the number of steps.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

STEPS = 50
_ENOUGH = 1e-14  # [m + rad] an error that is rounding
_TINY = 1e-15  # floor of λ; what is squared is then known to a few digits still
_LARGEST = 0.3  # [rad or m] a step that wants more has lost its branch


@inner
def _walk(rows: Array, front: Array, back: Array, q: Array, pose: Array, J: Array) -> None:
    """Fill the tool pose (3, 4) and the Jacobian (6, n), v above w."""
    n = q.shape[0]
    R = front[:3, :3].copy()
    p = front[:3, 3].copy()
    x = np.empty(3)
    y = np.empty(3)
    for i in range(n):
        turning = rows[i, 0] != 0.0
        angle = rows[i, 5] + (q[i] if turning else 0.0)
        c, s = math.cos(angle), math.sin(angle)
        d = rows[i, 1] + (0.0 if turning else q[i])
        for r in range(3):
            J[r, i] = p[r]  # the origin for now; the arm lever needs the tool's
            J[3 + r, i] = R[r, 2]
            x[r] = c * R[r, 0] + s * R[r, 1]
            y[r] = c * R[r, 1] - s * R[r, 0]
            p[r] += d * R[r, 2] + rows[i, 2] * x[r]
            z = R[r, 2]
            R[r, 0] = x[r]
            R[r, 1] = rows[i, 3] * y[r] + rows[i, 4] * z
            R[r, 2] = rows[i, 3] * z - rows[i, 4] * y[r]
    for r in range(3):
        for c3 in range(4):
            pose[r, c3] = R[r, 0] * back[0, c3] + R[r, 1] * back[1, c3] + R[r, 2] * back[2, c3]
        pose[r, 3] += p[r]
    for i in range(n):
        if rows[i, 0] != 0.0:
            lx, ly, lz = pose[0, 3] - J[0, i], pose[1, 3] - J[1, i], pose[2, 3] - J[2, i]
            ax, ay, az = J[3, i], J[4, i], J[5, i]
            J[0, i], J[1, i], J[2, i] = ay * lz - az * ly, az * lx - ax * lz, ax * ly - ay * lx
        else:
            for r in range(3):
                J[r, i], J[3 + r, i] = J[3 + r, i], 0.0
        for r in range(6):
            J[r, i] *= rows[i, 6]


@inner
def _errors(pose: Array, goal: Array, e: Array) -> tuple[float, float]:
    """Fill the pose error (v, w); return distance [m] and angle [rad]."""
    gap = 0.0
    for r in range(3):
        e[r] = goal[r, 3] - pose[r, 3]
        for c in range(3):
            gap += (goal[r, c] - pose[r, c]) ** 2
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        w = 0.0
        for c in range(3):
            w += goal[j, c] * pose[i, c] - goal[i, c] * pose[j, c]
        e[3 + k] = 0.5 * w
    rotation = 2.0 * math.asin(min(1.0, math.sqrt(gap / 8.0)))
    return math.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2), rotation


@inner
def _solve(A: Array, b: Array) -> None:
    """Solve A x = b for a positive definite A (6, 6) by Cholesky; x comes back in b."""
    for i in range(6):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                A[i, i] = math.sqrt(max(total, 1e-300))
            else:
                A[i, j] = total / A[j, j]
    for i in range(6):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@entry(
    "float64[:,::1](float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1], int64)"
)
def polished(
    rows: Array, front: Array, back: Array, goal: Array, starts: Array, steps: int
) -> Array:
    """Return the best configuration near each start with its errors [m], [rad].

    Args:
        rows: Whether it turns, d, a, cosine and sine of alpha, offset, whether it may move.
            Shape (n, 7).
        front: World from the frame in front of joint 1. Shape (4, 4).
        back: Last joint frame from tool. Shape (4, 4).
        goal: Tool pose in the world. Shape (4, 4).
        starts: Shape (m, n).
        steps: Most Newton steps; 0 only measures.

    Returns:
        Shape (m, n + 2).
    """
    m, n = starts.shape
    out = np.empty((m, n + 2))
    pose = np.empty((3, 4))
    J = np.empty((6, n))
    A = np.empty((6, 6))
    e = np.empty(6)
    q = np.empty(n)
    for row in range(m):
        q[:] = starts[row]
        best = math.inf
        for _ in range(steps + 1):
            _walk(rows, front, back, q, pose, J)
            position, rotation = _errors(pose, goal, e)
            if position + rotation < best:
                best = position + rotation
                out[row, :n] = q
                out[row, n] = position
                out[row, n + 1] = rotation
            if best <= _ENOUGH or not position + rotation < math.inf:
                break
            damping = 0.0
            for i in range(6):
                damping += e[i] * e[i]
            trace = 0.0
            for i in range(6):
                for j in range(i + 1):
                    total = 0.0
                    for k in range(n):
                        total += J[i, k] * J[j, k]
                    A[i, j] = total
                trace += A[i, i]
            for i in range(6):
                A[i, i] += damping + _TINY * trace
            _solve(A, e)
            largest = 0.0
            for k in range(n):
                total = 0.0
                for i in range(6):
                    total += J[i, k] * e[i]
                J[0, k] = total
                largest = max(largest, abs(total))
            share = 1.0 if largest <= _LARGEST else _LARGEST / largest
            for k in range(n):
                q[k] += share * J[0, k]
        if best == math.inf:
            out[row] = math.nan
    return out
