"""Jacobian, and inverse kinematics by damped least squares with restarts.

One descent solves, with the pose error e, the Jacobian J, both with lengths divided by the arm's
length scale, and joint steps counted in radians or scales,

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e,    λ = μ ½ eᵀe + tiny,

where μ grows when a step fails and shrinks when it succeeds: far away it creeps downhill, close by
it is Newton's method, and at a singular pose λ keeps the step finite. A descent that ends in a
valley without solution is given up, and the next one starts from the next point of an evenly spread
sequence over the joint ranges, so that the same question always gets the same answer.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOLERANCE = 1e-9  # [m] and [rad]: what counts as solved
_SHARP = 1e-12  # [m] and [rad]: where polishing ends; a step further is rounding
_TINY = 1e-13  # floor of the damping, keeps the factorisation alive at singular poses
_STEP = 1.5  # [rad or scales] largest joint step of one iteration
_MOST = 40  # iterations of one descent; the median needs 8
_GROW, _SHRINK, _LEAST = 5.0, 0.3, 1e-3  # how μ changes, and its least value
_SLOW, _PATIENCE = 0.8, 4  # a descent ends when the error stays above 0.8 of itself 5 times running
_HOPS, _HOP_FROM, _HOP_TO = 4, 1e-2, 0.1  # uphill steps allowed near a solution: see `_descend`
_CANDIDATES = 6  # start points looked at before each restart; the best one is taken
_NULL = 1e-10  # singular values below its root count as no motion of the tool at all
_APPROACHES = 60  # steps of the approach to the wanted joints within one pose
_CLOSE_BY = 0.5  # [rad or scales] a solution this near is taken without looking for others
_SAME = 1e-4  # [rad or scales] solutions nearer to each other than this count as one
_LOOKS = 48  # descents spent on finding a nearer solution
_ENOUGH = 10  # known solutions met again per solution before the search for more ends
_LOOSE = 1e-6  # how far a given rotation may be from orthonormal
MOST_SOLUTIONS = 16  # a chain of six revolute joints has no more

# What a search ended with.
SOLVED, OUT_OF_REACH, OUTSIDE_LIMITS, NOT_RIGID, NOT_FINITE = 0, 1, 2, 3, 4
ANY, SEEDED, NEAREST = 0, 1, 2  # what a search is to find
# Layout of a search result behind the n joint values.
STATUS, ERROR_POSITION, ERROR_ROTATION, ITERATIONS, STARTS = 0, 1, 2, 3, 4
RESULT_SIZE = 5


@njit(nogil=True, error_model="numpy")
def _walk(chain: Array, q: Array, pose: Array, J: Array) -> None:
    """Fill the tool pose (3, 4) and the Jacobian (6, n) in the world, v above w."""
    n = q.shape[0]
    for r in range(3):
        for c in range(4):
            pose[r, c] = chain[0, r, c]
    for i in range(n):
        for r in range(3):
            J[3 + r, i] = pose[r, 2]
            J[r, i] = pose[r, 3]
        revolute = chain[i, 3, 0] == 0.0
        cosine = math.cos(q[i]) if revolute else 1.0
        sine = math.sin(q[i]) if revolute else 0.0
        shift = 0.0 if revolute else q[i]
        c = chain[i + 1]
        for r in range(3):
            x = cosine * pose[r, 0] + sine * pose[r, 1]
            y = cosine * pose[r, 1] - sine * pose[r, 0]
            z = pose[r, 2]
            pose[r, 0] = x * c[0, 0] + y * c[1, 0] + z * c[2, 0]
            pose[r, 1] = x * c[0, 1] + y * c[1, 1] + z * c[2, 1]
            pose[r, 2] = x * c[0, 2] + y * c[1, 2] + z * c[2, 2]
            pose[r, 3] += x * c[0, 3] + y * c[1, 3] + z * (c[2, 3] + shift)
    for i in range(n):
        zx, zy, zz = J[3, i], J[4, i], J[5, i]
        if chain[i, 3, 0] == 0.0:
            x, y, z = pose[0, 3] - J[0, i], pose[1, 3] - J[1, i], pose[2, 3] - J[2, i]
            J[0, i] = zy * z - zz * y
            J[1, i] = zz * x - zx * z
            J[2, i] = zx * y - zy * x
        else:
            J[0, i], J[1, i], J[2, i] = zx, zy, zz
            J[3, i], J[4, i], J[5, i] = 0.0, 0.0, 0.0


@njit(
    "float64[:,:,::1](float64[:,:,::1], float64[:,::1])",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def jacobian_batch(chain: Array, q: Array) -> Array:
    """Return the Jacobians of many configurations. Shape (m, 6, n)."""
    out = np.empty((q.shape[0], 6, q.shape[1]))
    pose = np.empty((3, 4))
    for k in range(q.shape[0]):
        _walk(chain, q[k], pose, out[k])
    return out


@njit("float64[:,::1](float64[:,:,::1], float64[::1])", nogil=True, error_model="numpy", cache=True)
def jacobian(chain: Array, q: Array) -> Array:
    """Return the Jacobian of one configuration. Shape (6, n).

    Raises:
        ValueError: When ``q`` holds nan or infinity, or is of the wrong length.
    """
    if q.shape[0] != chain.shape[0] - 1:
        raise ValueError("length")
    total = 0.0
    for i in range(q.shape[0]):
        total += q[i] - q[i]
    if total != 0.0:
        raise ValueError("not finite")
    out = np.empty((6, q.shape[0]))
    _walk(chain, q, np.empty((3, 4)), out)
    return out


@njit(nogil=True, error_model="numpy")
def _pose_error(T: Array, pose: Array, task: int, scale: float, e: Array) -> tuple[float, float]:
    """Fill e = (position error / scale, rotation vector) and return both magnitudes [m], [rad]."""
    position = 0.0
    for r in range(3):
        e[r] = T[r, 3] - pose[r, 3]
        position += e[r] * e[r]
        e[r] /= scale
    if task == 3:
        return math.sqrt(position), 0.0
    # E = R_target R_nowᵀ turns the tool into its goal, seen in the world
    x = y = z = trace = 0.0
    for c in range(3):
        x += T[2, c] * pose[1, c] - T[1, c] * pose[2, c]
        y += T[0, c] * pose[2, c] - T[2, c] * pose[0, c]
        z += T[1, c] * pose[0, c] - T[0, c] * pose[1, c]
        trace += T[0, c] * pose[0, c] + T[1, c] * pose[1, c] + T[2, c] * pose[2, c]
    length = math.sqrt(x * x + y * y + z * z)  # 2 sin(angle)
    angle = math.atan2(length, trace - 1.0)
    if length > 1e-8:
        factor = angle / length
        e[3], e[4], e[5] = factor * x, factor * y, factor * z
    elif trace > 0.0:
        e[3], e[4], e[5] = 0.5 * x, 0.5 * y, 0.5 * z
    else:
        _half_turn(T, pose, e)
    return math.sqrt(position), angle


@njit(nogil=True, error_model="numpy")
def _half_turn(T: Array, pose: Array, e: Array) -> None:
    """Fill the rotation vector of a turn by π, whose axis only the symmetric part shows."""
    best = 0
    square = -1.0
    diagonal = np.empty(3)
    for k in range(3):
        value = 0.0
        for c in range(3):
            value += T[k, c] * pose[k, c]
        diagonal[k] = max(0.0, 0.5 * (1.0 + value))  # square of the axis' component
        if diagonal[k] > square:
            square, best = diagonal[k], k
    norm = 0.0
    for k in range(3):
        value = 0.0
        for c in range(3):
            value += T[k, c] * pose[best, c] + T[best, c] * pose[k, c]
        e[3 + k] = square if k == best else 0.25 * value
        norm += e[3 + k] * e[3 + k]
    for k in range(3):
        e[3 + k] *= math.pi / math.sqrt(norm)


@njit(
    "float64[::1](float64[:,:,::1], float64[:,::1], float64[::1], int64)",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def remaining(chain: Array, T: Array, q: Array, task: int) -> Array:
    """Return what q leaves of the way to T: the scaled error (6), then [m] and [rad]. Shape (8,)."""
    pose, J, out = np.empty((3, 4)), np.empty((6, q.shape[0])), np.zeros(8)
    _walk(chain, q, pose, J)
    out[6], out[7] = _pose_error(T, pose, task, chain[q.shape[0], 3, 0], out)
    return out


@njit(nogil=True, error_model="numpy")
def _factor_solve(A: Array, b: Array, m: int) -> bool:
    """Solve A x = b for symmetric positive A by Cholesky, in place; the result is in b."""
    for c in range(m):
        pivot = A[c, c]
        for k in range(c):
            pivot -= A[c, k] * A[c, k]
        if not pivot > 0.0:
            return False
        root = math.sqrt(pivot)
        A[c, c] = root
        for r in range(c + 1, m):
            value = A[r, c]
            for k in range(c):
                value -= A[r, k] * A[c, k]
            A[r, c] = value / root
    for r in range(m):
        value = b[r]
        for k in range(r):
            value -= A[r, k] * b[k]
        b[r] = value / A[r, r]
    for r in range(m - 1, -1, -1):
        value = b[r]
        for k in range(r + 1, m):
            value -= A[k, r] * b[k]
        b[r] = value / A[r, r]
    return True


@njit(nogil=True, error_model="numpy")
def _scale_jacobian(chain: Array, J: Array, scale: float) -> None:
    """Divide length rows by the scale; count prismatic joints in scales."""
    for i in range(J.shape[1]):
        unit = 1.0 if chain[i, 3, 0] == 0.0 else scale
        for r in range(3):
            J[r, i] *= unit / scale


@njit(nogil=True, error_model="numpy", inline="always")
def _damped_step(
    J: Array, e: Array, task: int, damping: float, A: Array, b: Array, dq: Array
) -> bool:
    """Fill dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e, by the smaller of the two equivalent systems."""
    n = J.shape[1]
    if n >= task:
        for r in range(task):
            for c in range(r + 1):
                value = damping if r == c else 0.0
                for i in range(n):
                    value += J[r, i] * J[c, i]
                A[r, c] = value
            b[r] = e[r]
        if not _factor_solve(A, b, task):
            return False
        for i in range(n):
            value = 0.0
            for r in range(task):
                value += J[r, i] * b[r]
            dq[i] = value
        return True
    for i in range(n):
        for k in range(i + 1):
            value = damping if i == k else 0.0
            for r in range(task):
                value += J[r, i] * J[r, k]
            A[i, k] = value
        value = 0.0
        for r in range(task):
            value += J[r, i] * e[r]
        dq[i] = value
    return _factor_solve(A, dq, n)


@njit(nogil=True, error_model="numpy")
def _workspace(chain: Array) -> tuple[Array, ...]:
    """Return scratch arrays and the bounds of the joints.

    Joints that can make a full turn get no bounds: full turns are put right at the end.
    """
    n = chain.shape[0] - 1
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for i in range(n):
        if chain[i, 3, 0] != 0.0 or chain[i, 3, 2] - chain[i, 3, 1] < 2.0 * math.pi:
            low[i], high[i] = chain[i, 3, 1], chain[i, 3, 2]
    return (
        np.empty((6, n)),  # 0: Jacobian
        np.empty((6, n)),  # 1: Jacobian of the trial
        np.empty((3, 4)),  # 2: pose
        np.zeros(6),  # 3: error
        np.zeros(6),  # 4: error of the trial
        np.empty((6, 6)),  # 5: matrix of the normal equations
        np.empty(6),  # 6: their right side
        np.empty(n),  # 7: step
        np.empty(n),  # 8: trial
        low,  # 9
        high,  # 10
    )


@njit(nogil=True, error_model="numpy", inline="always")
def _hold_at_limits(q: Array, J: Array, e: Array, task: int, low: Array, high: Array) -> None:
    """Blank the columns of joints that stand at a limit and are pushed against it."""
    for i in range(q.shape[0]):
        if low[i] < q[i] < high[i]:
            continue
        pull = 0.0
        for r in range(task):
            pull += J[r, i] * e[r]
        if (q[i] <= low[i] and pull < 0.0) or (q[i] >= high[i] and pull > 0.0):
            for r in range(task):
                J[r, i] = 0.0


@njit(nogil=True, error_model="numpy")
def _copy(values: Array, out: Array) -> None:
    """Fill the front of ``out``; a loop compiles in a tenth of the time of a slice."""
    for i in range(values.shape[0]):
        out[i] = values[i]


@njit(nogil=True, error_model="numpy")
def _half_square(e: Array, task: int) -> float:
    total = 0.0
    for r in range(task):
        total += e[r] * e[r]
    return 0.5 * total


@njit(nogil=True, error_model="numpy")
def _add_step(chain: Array, q: Array, dq: Array, trial: Array) -> None:
    """Fill trial = q + dq, the step shortened to `_STEP`, prismatic joints back in metres."""
    n = q.shape[0]
    largest = _STEP
    for i in range(n):
        largest = max(largest, abs(dq[i]))
    for i in range(n):
        unit = 1.0 if chain[i, 3, 0] == 0.0 else chain[n, 3, 0]
        trial[i] = q[i] + unit * dq[i] * (_STEP / largest)


@njit(nogil=True, error_model="numpy")
def _descend(
    chain: Array, T: Array, q: Array, task: int, bounded: bool, work: tuple[Array, ...]
) -> tuple[float, float, int]:
    """Move q downhill to the pose T; return what is left [m], [rad] and the iterations used.

    Close to the edge of the reach two solutions meet, and the way to either leads over a small
    rise of the error; a few uphill steps of Newton's method get there in no time, where a strict
    descent crawls.
    """
    J, J2, pose, e, e2, A, b, dq, trial, low, high = work
    scale = chain[q.shape[0], 3, 0]
    _walk(chain, q, pose, J)
    position, rotation = _pose_error(T, pose, task, scale, e)
    _scale_jacobian(chain, J, scale)
    E = _half_square(e, task)
    mu = 1.0
    slow = hops = 0
    for iteration in range(_MOST):
        if position <= _SHARP and rotation <= _SHARP:
            return position, rotation, iteration
        if bounded:
            _hold_at_limits(q, J, e, task, low, high)
        if not _damped_step(J, e, task, mu * E + _TINY, A, b, dq):
            return position, rotation, iteration
        _add_step(chain, q, dq, trial)
        if bounded:
            for i in range(q.shape[0]):
                trial[i] = min(max(trial[i], low[i]), high[i])
        _walk(chain, trial, pose, J2)
        position2, rotation2 = _pose_error(T, pose, task, scale, e2)
        E2 = _half_square(e2, task)
        solved = position <= TOLERANCE and rotation <= TOLERANCE
        hop = E < _HOP_FROM and E <= E2 < _HOP_TO and hops < _HOPS and not solved
        if E2 < E or hop:
            slow = slow + 1 if E2 > _SLOW * E and not hop else 0
            hops += hop
            mu = max(_SHRINK * mu, _LEAST)
            _scale_jacobian(chain, J2, scale)
            _copy(trial, q)
            J, J2, e, e2 = J2, J, e2, e
            E, position, rotation = E2, position2, rotation2
        else:
            slow += 1
            mu *= _GROW
        if slow > (0 if solved else _PATIENCE):
            return position, rotation, iteration + 1
    return position, rotation, _MOST


@njit(nogil=True, error_model="numpy")
def _spread(chain: Array, k: int, q: Array) -> None:
    """Fill q with the k-th point of an evenly spread sequence over the joint ranges."""
    n = q.shape[0]
    for i in range(n):
        free = math.pi if chain[i, 3, 0] == 0.0 else 2.0 * chain[n, 3, 0]
        low, high = chain[i, 3, 1], chain[i, 3, 2]
        if low == -math.inf:
            low = -free if high == math.inf else high - 2.0 * free
        if high == math.inf:
            high = low + 2.0 * free
        q[i] = low + (0.5 + (k + 1) * chain[i, 3, 3]) % 1.0 * (high - low)


@njit(nogil=True, error_model="numpy", inline="always")
def _start(chain: Array, T: Array, k: int, task: int, q: Array, work: tuple[Array, ...]) -> None:
    """Fill q with the best of the next few points of the spread sequence."""
    J, pose, e, trial = work[0], work[2], work[3], work[8]
    best = math.inf
    for candidate in range(_CANDIDATES):
        _spread(chain, k * _CANDIDATES + candidate, trial)
        _walk(chain, trial, pose, J)
        _pose_error(T, pose, task, chain[q.shape[0], 3, 0], e)
        E = _half_square(e, task)
        if E < best:
            best = E
            _copy(trial, q)


@njit(nogil=True, error_model="numpy")
def _fit(chain: Array, q: Array, near: Array) -> bool:
    """Shift turning joints by full turns next to ``near`` but within limits; False: none fits."""
    turn = 2.0 * math.pi
    inside = True
    for i in range(q.shape[0]):
        low, high = chain[i, 3, 1], chain[i, 3, 2]
        if chain[i, 3, 0] == 0.0:
            q[i] += turn * math.floor((near[i] - q[i]) / turn + 0.5)
            if q[i] > high:
                q[i] -= turn * math.ceil((q[i] - high) / turn)
            elif q[i] < low:
                q[i] += turn * math.ceil((low - q[i]) / turn)
        if not low <= q[i] <= high:
            inside = False
    return inside


@njit(nogil=True, error_model="numpy")
def _wrap(chain: Array, q: Array) -> None:
    """Put angles into (-π, π]."""
    turn = 2.0 * math.pi
    for i in range(q.shape[0]):
        if chain[i, 3, 0] == 0.0:
            q[i] -= turn * math.ceil((q[i] - math.pi) / turn)


@njit(nogil=True, error_model="numpy")
def _distance(chain: Array, q: Array, near: Array) -> float:
    """Return the distance of two configurations, metres counted in length scales."""
    n = q.shape[0]
    total = 0.0
    for i in range(n):
        unit = 1.0 if chain[i, 3, 0] == 0.0 else 1.0 / chain[n, 3, 0]
        total += (unit * (q[i] - near[i])) ** 2
    return math.sqrt(total)


@njit(nogil=True, error_model="numpy")
def _rigid(T: Array, out: Array) -> int:
    """Copy T with its rotation made exactly orthonormal; say when it is no rigid transform."""
    for r in range(3):
        for c in range(4):
            if not math.isfinite(T[r, c]):
                return NOT_FINITE
            out[r, c] = T[r, c]
    for _ in range(3):
        # Newton's iteration R <- R (3 - RᵀR) / 2 for the nearest rotation
        worst = 0.0
        S = np.empty((3, 3))
        for r in range(3):
            for c in range(3):
                S[r, c] = 3.0 if r == c else 0.0
                for k in range(3):
                    S[r, c] -= out[k, r] * out[k, c]
                worst = max(worst, abs(S[r, c] - (2.0 if r == c else 0.0)))
        if worst > _LOOSE:
            return NOT_RIGID
        if worst < 1e-15:
            break
        for r in range(3):
            x, y, z = out[r, 0], out[r, 1], out[r, 2]
            for c in range(3):
                out[r, c] = 0.5 * (x * S[0, c] + y * S[1, c] + z * S[2, c])
    determinant = (
        out[0, 0] * (out[1, 1] * out[2, 2] - out[1, 2] * out[2, 1])
        - out[0, 1] * (out[1, 0] * out[2, 2] - out[1, 2] * out[2, 0])
        + out[0, 2] * (out[1, 0] * out[2, 1] - out[1, 1] * out[2, 0])
    )
    return SOLVED if determinant > 0.0 else NOT_RIGID


@njit(nogil=True, error_model="numpy")
def _free_step(
    q: Array, wish: Array, task: int, work: tuple[Array, ...], held: NDArray[np.bool_]
) -> bool:
    """Fill the step that comes nearest to ``wish`` without moving the tool, within the limits.

    With z the wish and J the Jacobian: dq = z - Jᵀ (J Jᵀ + tiny)⁻¹ J z, after the columns of joints
    that would be pushed over a limit are taken out one by one.
    """
    J, J2, b, e2, dq = work[0], work[1], work[6], work[4], work[7]
    A, low, high = work[5], work[9], work[10]
    n = q.shape[0]
    for i in range(n):
        held[i] = False
    for _ in range(n):
        for i in range(n):
            for r in range(task):
                J2[r, i] = 0.0 if held[i] else J[r, i]
        for r in range(task):
            e2[r] = 0.0
            for i in range(n):
                e2[r] += J2[r, i] * wish[i]
        if not _damped_step(J2, e2, task, _NULL, A, b, dq):
            return False
        fits = True
        for i in range(n):
            dq[i] = 0.0 if held[i] else wish[i] - dq[i]
            if (dq[i] > 0.0 and q[i] >= high[i]) or (dq[i] < 0.0 and q[i] <= low[i]):
                held[i] = True
                fits = False
        if fits:
            return True
    return False


@njit(nogil=True, error_model="numpy")
def _approach(
    chain: Array, T: Array, q: Array, near: Array, task: int, work: tuple[Array, ...]
) -> int:
    """Slide the solution q along its self-motion as close to ``near`` as it gets.

    Where the arm has no joint to spare and the pose is regular this ends after one look.
    """
    n = q.shape[0]
    scale = chain[n, 3, 0]
    pose, dq, low, high = work[2], work[7], work[9], work[10]
    wish, trial, held = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
    distance = _distance(chain, q, near)
    used = 0
    share = 1.0
    for _ in range(_APPROACHES):
        _walk(chain, q, pose, work[0])
        _scale_jacobian(chain, work[0], scale)
        for i in range(n):
            wish[i] = (near[i] - q[i]) / (1.0 if chain[i, 3, 0] == 0.0 else scale)
        if not _free_step(q, wish, task, work, held):
            return used
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(dq[i]))
            dq[i] *= share
        if largest < 1e-7:
            return used
        _add_step(chain, q, dq, trial)
        for i in range(n):
            trial[i] = min(max(trial[i], low[i]), high[i])
        position, rotation, more = _descend(chain, T, trial, task, True, work)
        used += more
        now = _distance(chain, trial, near)
        if position <= TOLERANCE and rotation <= TOLERANCE and now < distance:
            _copy(trial, q)
            settled = distance - now < 1e-12 * distance
            distance = now
            share = min(1.0, 2.0 * share)
            if settled:
                return used
        else:
            share *= 0.25
            if share < 1e-3:
                return used
    return used


@njit(nogil=True, error_model="numpy", inline="always")
def _try(
    chain: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    bounded: bool,
    work: tuple[Array, ...],
    result: Array,
) -> bool:
    """Descend from q, note it in ``result`` if it is the best so far; True: solved, within limits."""
    n = q.shape[0]
    position, rotation, used = _descend(chain, goal, q, task, bounded, work)
    solved = position <= TOLERANCE and rotation <= TOLERANCE
    inside = _fit(chain, q, q0)
    result[n + ITERATIONS] += used
    result[n + STARTS] += 1.0
    before = result[n + ERROR_POSITION] / chain[n, 3, 0] + result[n + ERROR_ROTATION]
    closer = position / chain[n, 3, 0] + rotation < before
    # a solution outside the limits tells more than a near miss within them
    if solved or (closer and result[n + STATUS] != OUTSIDE_LIMITS):
        _copy(q, result)
        result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation
        if solved:
            result[n + STATUS] = SOLVED if inside else OUTSIDE_LIMITS
    return solved and inside


@njit(nogil=True, error_model="numpy", inline="always")
def _look_around(
    chain: Array,
    goal: Array,
    q: Array,
    q0: Array,
    task: int,
    work: tuple[Array, ...],
    result: Array,
) -> None:
    """Bring the solution in ``result`` close to q0, and look whether another one is closer."""
    n = q.shape[0]
    result[n + ITERATIONS] += _approach(chain, goal, q, q0, task, work)
    distance = _distance(chain, q, q0)
    _copy(q, result)
    for k in range(0 if distance < _CLOSE_BY else _LOOKS):
        _start(chain, goal, k + 1, task, q, work)
        position, rotation, used = _descend(chain, goal, q, task, k % 2 == 1, work)
        result[n + ITERATIONS] += used
        result[n + STARTS] += 1.0
        if position > TOLERANCE or rotation > TOLERANCE or not _fit(chain, q, q0):
            continue
        result[n + ITERATIONS] += _approach(chain, goal, q, q0, task, work)
        now = _distance(chain, q, q0)
        if now < distance - 1e-9:
            distance = now
            _copy(q, result)
    _walk(chain, result[:n], work[2], work[0])
    position, rotation = _pose_error(goal, work[2], task, chain[n, 3, 0], work[3])
    result[n + ERROR_POSITION], result[n + ERROR_ROTATION] = position, rotation


@njit(
    "float64[::1](float64[:,:,::1], float64[:,::1], float64[::1], int64, int64, int64)",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def search(chain: Array, T: Array, q0: Array, task: int, starts: int, mode: int) -> Array:
    """Return a solution within limits, and how it was found.

    Args:
        chain: Packed constants.
        T: Wanted pose. Shape (4, 4).
        q0: Where full turns are counted from, and the first start unless ``mode`` is ANY.
            Shape (n,).
        task: 6 for the whole pose, 3 for the position only.
        starts: Largest number of descents until the first success.
        mode: ANY: the first solution found; SEEDED: the same, the search starts at q0; NEAREST:
            the one nearest to q0 of all that are found.

    Returns:
        The joint values, then status, errors of position [m] and rotation [rad], iterations,
        starts. Without success the joint values are those of the smallest error. Shape (n + 5,).
    """
    n = q0.shape[0]
    result = np.zeros(n + RESULT_SIZE)
    goal = np.empty((3, 4))
    result[n + STATUS] = _rigid(T, goal)
    if result[n + STATUS] != SOLVED:
        return result
    work = _workspace(chain)
    q = q0.copy()
    result[n + STATUS] = OUT_OF_REACH
    result[n + ERROR_POSITION] = math.inf
    for k in range(starts):
        if k > 1 or mode == ANY:
            _start(chain, goal, k, task, q, work)
        else:
            _copy(q0, q)
        # free and bounded descents find what the other misses; with joints to spare bounds cost
        # nothing, so these come first
        bounded = (k % 2 == 1) != (n > task)
        if _try(chain, goal, q, q0, task, bounded, work, result):
            if mode == NEAREST:
                _look_around(chain, goal, q, q0, task, work, result)
            break
    return result


@njit(nogil=True, error_model="numpy")
def _is_new(chain: Array, q: Array, found: Array, count: int) -> bool:
    turn = 2.0 * math.pi
    n = q.shape[0]
    for k in range(count):
        far = 0.0
        for i in range(n):
            apart = abs(q[i] - found[k, i])
            if chain[i, 3, 0] == 0.0:
                apart = abs(apart - turn * math.floor(apart / turn + 0.5))
            else:
                apart /= chain[n, 3, 0]
            far = max(far, apart)
        if far < _SAME:
            return False
    return True


@njit(nogil=True, error_model="numpy", inline="always")
def _collect(
    chain: Array,
    goal: Array,
    starts: int,
    most: int,
    limited: bool,
    work: tuple[Array, ...],
    found: Array,
) -> int:
    """Fill ``found`` with distinct solutions, in the order in which descents meet them."""
    n = chain.shape[0] - 1
    q, home = np.empty(n), np.zeros(n)
    count = repeats = flips = 0
    for k in range(starts):
        if repeats % 2 == 1 and flips < count * n:
            # one joint of a known solution turned over is a good way to its neighbours
            _copy(found[flips // n], q)
            i = flips % n
            q[i] = q[i] + math.pi if chain[i, 3, 0] == 0.0 else -q[i]
            flips += 1
        else:
            _start(chain, goal, k, 6, q, work)
        bounded = limited and k % 2 == 1
        position, rotation, _ = _descend(chain, goal, q, 6, bounded, work)
        if position > TOLERANCE or rotation > TOLERANCE:
            continue
        if limited and not _fit(chain, q, home):
            continue
        if not limited:
            _wrap(chain, q)
        if _is_new(chain, q, found, count):
            _copy(q, found[count])
            count += 1
            repeats = 0
            if count == most:
                break
        else:
            repeats += 1
            if repeats > _ENOUGH * (count + 2):
                break
    return count


@njit(
    "Tuple((float64[:,:,::1], int64[::1]))"
    "(float64[:,:,::1], float64[:,:,::1], int64, int64, boolean)",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def collect_batch(
    chain: Array, Ts: Array, starts: int, most: int, limited: bool
) -> tuple[Array, NDArray[np.int64]]:
    """Return up to ``most`` distinct solutions of each pose, nan behind them, and their numbers.

    Without ``limited`` joint limits do not count and angles lie in (-π, π]. A number of -3 or -4
    stands for a pose that is no rigid transform or not finite. Shapes (m, most, n) and (m,).
    """
    n = chain.shape[0] - 1
    solutions = np.full((Ts.shape[0], most, n), np.nan)
    counts = np.zeros(Ts.shape[0], dtype=np.int64)
    work = _workspace(chain)
    goal = np.empty((3, 4))
    for k in range(Ts.shape[0]):
        status = _rigid(Ts[k], goal)
        if status == SOLVED:
            counts[k] = _collect(chain, goal, starts, most, limited, work, solutions[k])
        else:
            counts[k] = -status
    return solutions, counts
