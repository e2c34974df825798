"""One branch of the inverse kinematics along a path, by prediction and Newton's method."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry
from armwerk.motion.kernels.chain_rates import bias, walk

FOLLOWED, LOST, JUMPED = 0, 1, 2
_PIVOT = 1e-13
_STEPS = 12
_CLOSE = 1e-12  # [m, rad] at which Newton's method has done enough
_NEAR = 1e-3  # pivot below which an arm of six axes counts as near a singularity
_KEPT = 1e-8  # damping there: rates that move the tool by less than its root are left as guessed
_AGAIN = 3  # times that the damped correction is made; what is further off comes out exact
_DAMPED = 1e-12  # keeps a lost rank from dividing by zero; changes a solution by as little


@entry()
def _gauss(A: Array, b: Array, minimum: float = _PIVOT) -> bool:
    """Solve A x = b in place by elimination; False when a pivot is no larger than ``minimum``."""
    n = b.shape[0]
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        if not best > minimum:
            return False
        if row != k:
            for j in range(k, n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
            b[k], b[row] = b[row], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total -= A[k, j] * b[j]
        b[k] = total / A[k, k]
    return True


@entry()
def _solve(J: Array, x: Array, scale: float, out: Array) -> None:
    """Fill the joint rates of a twist: exact, least squares or of least size.

    Metres count in lengths of ``scale`` where the three cannot be had exactly. In a singular
    configuration the solution of least size is taken, which is exact when the twist needs nothing
    of what is lost.
    """
    n = J.shape[1]
    W, y = J.copy(), x.copy()
    for r in range(3):
        y[r] /= scale
        for c in range(n):
            W[r, c] /= scale
    if n == 6:
        A, b = W.copy(), y.copy()
        if _gauss(A, b):
            out[:] = b
            return
    if n < 6:
        A, b = np.zeros((n, n)), np.zeros(n)
        for i in range(n):
            for r in range(6):
                b[i] += W[r, i] * y[r]
                for j in range(n):
                    A[i, j] += W[r, i] * W[r, j]
            A[i, i] += _DAMPED
        _gauss(A, b)
        out[:] = b
        return
    A = np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            for c in range(n):
                A[i, j] += W[i, c] * W[j, c]
        A[i, i] += _DAMPED
    _gauss(A, y)
    for c in range(n):
        out[c] = 0.0
        for r in range(6):
            out[c] += W[r, c] * y[r]


@entry()
def _damped(W: Array, y: Array, guess: Array) -> None:
    """Add to a guess the damped solution of W x = y, and take from y what that achieves."""
    A, z, step = np.zeros((6, 6)), y.copy(), np.zeros(6)
    for i in range(6):
        for j in range(6):
            for c in range(6):
                A[i, j] += W[i, c] * W[j, c]
        A[i, i] += _KEPT
    _gauss(A, z)
    for c in range(6):
        for r in range(6):
            step[c] += W[r, c] * z[r]
        guess[c] += step[c]
    for r in range(6):
        for c in range(6):
            y[r] -= W[r, c] * step[c]


@entry()
def _correct(J: Array, left: Array, scale: float, guess: Array) -> None:
    """Correct guessed rates by what is ``left`` of a twist.

    Near a singularity of an arm of six axes rounding would be divided by next to nothing, and once
    more for each derivative. Rates that hardly move the tool there are left as they were guessed,
    from their neighbours on the path.
    """
    n = J.shape[1]
    if n == 6:
        A, b = J.copy(), left.copy()
        for r in range(3):
            b[r] /= scale
            for c in range(6):
                A[r, c] /= scale
        W, y = A.copy(), b.copy()
        if _gauss(A, b, _NEAR):
            for c in range(6):
                guess[c] += b[c]
            return
        for _ in range(_AGAIN):
            _damped(W, y, guess)
        return
    step = np.empty(n)
    _solve(J, left, scale, step)
    for c in range(n):
        guess[c] += step[c]


@entry()
def _error(T: Array, pose: Array, e: Array) -> float:
    """Fill the way left to a pose nearby (translation, rotation vector); return its size."""
    size = 0.0
    for r in range(3):
        e[r] = T[r, 3] - pose[r, 3]
        size = max(size, abs(e[r]))
    x = y = z = trace = 0.0
    for c in range(3):
        x += T[2, c] * pose[1, c] - T[1, c] * pose[2, c]
        y += T[0, c] * pose[2, c] - T[2, c] * pose[0, c]
        z += T[1, c] * pose[0, c] - T[0, c] * pose[1, c]
        trace += T[0, c] * pose[0, c] + T[1, c] * pose[1, c] + T[2, c] * pose[2, c]
    length = math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(length, trace - 1.0)
    factor = angle / length if length > 1e-9 else 0.5
    e[3], e[4], e[5] = factor * x, factor * y, factor * z
    return max(size, angle)


@entry()
def _rates(
    C: Array, J: Array, twists: Array, scale: float, q1: Array, q2: Array, q3: Array
) -> None:
    """Correct q', q'', q''' (guesses come in) so that the tool moves as ``twists`` (3, 6) say."""
    n = q1.shape[0]
    left, extra = np.empty(6), np.zeros((2, 6))
    for order in range(3):
        guess = q1 if order == 0 else (q2 if order == 1 else q3)
        if order > 0:
            bias(C, J, q1, q2, extra)
        for r in range(6):
            left[r] = twists[order, r] - (0.0 if order == 0 else extra[order - 1, r])
            for c in range(n):
                left[r] -= J[r, c] * guess[c]
        _correct(J, left, scale, guess)


@entry()
def _newton(
    C: Array, T: Array, scale: float, q: Array, pose: Array, J: Array, good: float
) -> float:
    """Move q onto the pose; return what is left of the way (nan-free, inf when hopeless)."""
    e, step = np.empty(6), np.empty(q.shape[0])
    walk(C, q, pose, J)
    size: float = _error(T, pose, e)
    for _ in range(_STEPS):
        if size < _CLOSE:
            break
        _solve(J, e, scale, step)
        for c in range(q.shape[0]):
            q[c] += min(max(step[c], -0.5), 0.5)
        before = size
        walk(C, q, pose, J)
        size = _error(T, pose, e)
        if size < good and size > 0.5 * before:
            break
    return size


@entry()
def follow(
    C: Array,
    s: Array,
    poses: Array,
    twists: Array,
    start: Array,
    scale: float,
    good: float,
    max_step: float,
) -> tuple[int, int, Array]:
    """Follow poses (m, 3, 4) with twists (m, 3, 6) from joint values ``start``.

    Returns:
        State, the index it stopped at, and q, q', q'', q''' of shape (m, 4, n).
    """
    m, n = s.shape[0], start.shape[0]
    out = np.zeros((m, 4, n))
    pose, J = np.empty((3, 4)), np.empty((6, n))
    q, guess = start.copy(), start.copy()
    for k in range(m):
        if k > 0:
            h = s[k] - s[k - 1]
            for c in range(n):
                before = out[k - 1, :, c]
                q[c] = before[0] + h * (before[1] + h * (0.5 * before[2] + h * before[3] / 6.0))
                if not abs(q[c] - before[0]) < max_step:
                    q[c] = before[0]
                guess[c] = q[c]
        size = _newton(C, poses[k], scale, q, pose, J, good)
        if not size < good:
            return LOST, k, out
        for c in range(n):
            if k > 0 and not abs(q[c] - out[k - 1, 0, c]) < max_step:
                return JUMPED, k, out
            if k > 0 and not abs(q[c] - guess[c]) < 0.5 * max_step:
                return JUMPED, k, out
            out[k, 0, c] = q[c]
            if k > 0:
                h, before = s[k] - s[k - 1], out[k - 1, :, c]
                out[k, 1, c] = before[1] + h * (before[2] + 0.5 * h * before[3])
                out[k, 2, c] = before[2] + h * before[3]
                out[k, 3, c] = before[3]
        _rates(C, J, twists[k], scale, out[k, 1], out[k, 2], out[k, 3])
    return FOLLOWED, m, out


@entry()
def refine(
    C: Array, poses: Array, twists: Array, guesses: Array, scale: float, good: float
) -> tuple[float, Array]:
    """Return q, q', q'', q''' (m, 4, n) from good guesses of the same, and the largest error."""
    m, n = guesses.shape[0], guesses.shape[2]
    out = guesses.copy()
    pose, J = np.empty((3, 4)), np.empty((6, n))
    worst = 0.0
    for k in range(m):
        worst = max(worst, _newton(C, poses[k], scale, out[k, 0], pose, J, good))
        _rates(C, J, twists[k], scale, out[k, 1], out[k, 2], out[k, 3])
    return worst, out
