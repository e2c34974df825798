"""One branch of the inverse kinematics along a path, by prediction and Newton's method."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.descent import copy
from armwerk.mechanics.kernels.jacobian import walk as forward_frames
from armwerk.motion.kernels.chain_rates import BiasTwists, bias_twists

FOLLOWED, LOST, JUMPED, CROSSED = 0, 1, 2, 3
VALUE, FIRST, SECOND, THIRD = 0, 1, 2, 3
"""Rows of joint motions: q and its derivatives by arc length."""
THROUGH = 2e-8
"""[m, rad] by which the tool may leave its curve where the arm passes straight through a
singularity: that near, rounding would tell which way the joints turn."""
_PIVOT = 1e-13
_STEPS = 12
_LONGEST = 0.5  # [rad or m] of a joint in one step of Newton's method
_CLOSE = 2e-15  # [m, rad] at which Newton's method has done enough: rounding
_STALLED = 1e-13  # [m, rad] below which a step that gains nothing is rounding, and is the last
_NEAR = 1e-10  # pivot below which an arm of six axes counts as in a singularity
_KEPT = 1e-14  # damping there: rates that move the tool by less than its root are left as guessed
_AGAIN = 3  # times that the damped correction is made; what is further off comes out exact
_WILD = 1e6  # times what is wanted that a guess may miss it by; of a worse one rounding is left
_DAMPED = 1e-12  # keeps a lost rank from dividing by zero; changes a solution by as little


class ToolPoints(NamedTuple):
    """Where the tool is wanted, at m arc lengths.

    Args:
        s: Arc lengths [m]. Shape (m,).
        poses: Upper rows of T_world_tool. Shape (m, 3, 4).
        twists: First to third derivative by arc length, (v, w) in rows. Shape (m, 3, 6).
    """

    s: Array
    poses: Array
    twists: Array


class Tolerances(NamedTuple):
    """What counts as on the path.

    Args:
        scale: Length that counts as much as one radian [m].
        on_curve: Within which a pose must be met [m, rad].
        max_step: What a joint may move by between two points [rad or m].
    """

    scale: float
    on_curve: float
    max_step: float


class FollowedPoints(NamedTuple):
    """How far a branch was followed.

    Args:
        state: `FOLLOWED`, or why it stopped: `LOST`, `JUMPED`, or `CROSSED` where a singularity
            lies between the last point and the one before.
        reached: Index it stopped at; of `CROSSED` that point is filled, of the others not.
        motions: q, q', q'', q''' by arc length. Shape (m, 4, n).
        sides: Smallest pivot of the Jacobian with the sign of its determinant, which tells the
            side of a singularity; 0 for other than six axes. Shape (m,).
    """

    state: int
    reached: int
    motions: Array
    sides: Array


GOALS = RecordText(
    ToolPoints, s="float64[::1]", poses="float64[:,:,::1]", twists="float64[:,:,::1]"
)
TOLERANCES = RecordText(Tolerances, scale="float64", on_curve="float64", max_step="float64")
_POINTS = RecordText(
    FollowedPoints,
    state="int64",
    reached="int64",
    motions="float64[:,:,::1]",
    sides="float64[::1]",
)


class Configuration(NamedTuple):
    """Where the tool is with the joint values in hand, to be filled again and again.

    Args:
        pose: Upper rows of T_world_tool. Shape (3, 4).
        J: Jacobian. Shape (6, n).
    """

    pose: Array
    J: Array


@inner
def _gauss(A: Array, b: Array, min_pivot: float) -> bool:
    """Solve A x = b in place by elimination; False when a pivot is no larger than ``min_pivot``."""
    n = b.shape[0]
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        if not best > min_pivot:
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


@inner
def singular_side(J: Array, scale: float) -> float:
    """Return the smallest pivot of a Jacobian (6, 6) with the sign of its determinant."""
    A = J.copy()
    for r in range(3):
        for c in range(6):
            A[r, c] /= scale
    smallest, sign = math.inf, 1.0
    for k in range(6):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        if not best > 0.0:
            return 0.0
        if row != k:
            sign = -sign
            for j in range(k, 6):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        if A[k, k] < 0.0:
            sign = -sign
        smallest = min(smallest, best)
        for i in range(k + 1, 6):
            f = A[i, k] / A[k, k]
            for j in range(k + 1, 6):
                A[i, j] -= f * A[k, j]
    return sign * smallest


@inner
def _scaled(J: Array, twist: Array, scale: float) -> tuple[Array, Array]:
    """Return Jacobian and twist with metres counted in lengths of ``scale``."""
    W, y = J.copy(), twist.copy()
    for r in range(3):
        y[r] /= scale
        for c in range(J.shape[1]):
            W[r, c] /= scale
    return W, y


@inner
def joint_rates(J: Array, twist: Array, scale: float, out: Array) -> None:
    """Fill the joint rates of a twist: exact, least squares or of least size.

    Metres count in lengths of ``scale`` where the three cannot be had exactly. In a singular
    configuration the solution of least size is taken, which is exact when the twist needs nothing
    of what is lost.
    """
    n = J.shape[1]
    W, y = _scaled(J, twist, scale)
    if n == 6:
        A, b = W.copy(), y.copy()
        if _gauss(A, b, _PIVOT):
            copy(b, out)
            return
    if n < 6:
        A, b = np.zeros((n, n)), np.zeros(n)
        for i in range(n):
            for r in range(6):
                b[i] += W[r, i] * y[r]
                for j in range(n):
                    A[i, j] += W[r, i] * W[r, j]
            A[i, i] += _DAMPED
        _gauss(A, b, _PIVOT)
        copy(b, out)
        return
    A = np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            for c in range(n):
                A[i, j] += W[i, c] * W[j, c]
        A[i, i] += _DAMPED
    _gauss(A, y, _PIVOT)
    for c in range(n):
        out[c] = 0.0
        for r in range(6):
            out[c] += W[r, c] * y[r]


@inner
def _add_damped(W: Array, y: Array, guess: Array) -> None:
    """Add to a guess the damped solution of W x = y, and take from y what that achieves."""
    A, z, step = np.zeros((6, 6)), y.copy(), np.zeros(6)
    for i in range(6):
        for j in range(6):
            for c in range(6):
                A[i, j] += W[i, c] * W[j, c]
        A[i, i] += _KEPT
    _gauss(A, z, _PIVOT)
    for c in range(6):
        for r in range(6):
            step[c] += W[r, c] * z[r]
        guess[c] += step[c]
    for r in range(6):
        for c in range(6):
            y[r] -= W[r, c] * step[c]


@inner
def _correct(J: Array, left: Array, scale: float, guess: Array) -> None:
    """Correct guessed rates by what is ``left`` of a twist.

    In a singularity of an arm of six axes rounding would be divided by next to nothing. Rates that
    hardly move the tool there are left as they were guessed, from their neighbours on the path. Of
    joints to spare nothing is left as guessed: what does not move the tool would grow from point to
    point.
    """
    n = J.shape[1]
    if n == 6:
        W, y = _scaled(J, left, scale)
        A, b = W.copy(), y.copy()
        if _gauss(A, b, _NEAR):
            for c in range(6):
                guess[c] += b[c]
            return
        for _ in range(_AGAIN):
            _add_damped(W, y, guess)
        return
    step = np.empty(n)
    if n > 6:
        for r in range(6):
            for c in range(n):
                left[r] += J[r, c] * guess[c]
        for c in range(n):
            guess[c] = 0.0
    joint_rates(J, left, scale, step)
    for c in range(n):
        guess[c] += step[c]


@inner
def pose_error(T: Array, pose: Array, e: Array) -> float:
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


@inner
def correct_rates(
    arm: Array, J: Array, twists: Array, scale: float, motion: Array, bias: BiasTwists
) -> None:
    """Correct q', q'', q''' of a guessed ``motion`` (4, n) to give the tool ``twists`` (3, 6)."""
    n = motion.shape[1]
    left, aim = np.empty(6), np.empty(6)
    for order in range(FIRST, THIRD + 1):
        guess = motion[order]
        if order > FIRST:
            bias_twists(arm, J, motion[FIRST], motion[SECOND], bias)
        wanted = missed = 0.0
        for r in range(6):
            left[r] = twists[order - 1, r]
            if order == SECOND:
                left[r] -= bias.second[r]
            elif order == THIRD:
                left[r] -= bias.third[r]
            aim[r] = left[r]
            wanted = max(wanted, abs(aim[r]))
            for c in range(n):
                left[r] -= J[r, c] * guess[c]
            missed = max(missed, abs(left[r]))
        if not missed < _WILD * (1.0 + wanted):
            for c in range(n):
                guess[c] = 0.0
            for r in range(6):
                left[r] = aim[r]
        _correct(J, left, scale, guess)


@inner
def put_on_pose(
    arm: Array, T: Array, q: Array, now: Configuration, tolerances: Tolerances
) -> float:
    """Move q onto the pose; return what is left of the way (nan-free, inf when hopeless)."""
    e, step = np.empty(6), np.empty(q.shape[0])
    forward_frames(arm, q, now.pose, now.J)
    size: float = pose_error(T, now.pose, e)
    for _ in range(_STEPS):
        if size < _CLOSE:
            break
        joint_rates(now.J, e, tolerances.scale, step)
        for c in range(q.shape[0]):
            q[c] += min(max(step[c], -_LONGEST), _LONGEST)
        before = size
        forward_frames(arm, q, now.pose, now.J)
        size = pose_error(T, now.pose, e)
        if size < _STALLED and size > 0.5 * before:
            break
    return size


@inner
def next_point(
    arm: Array,
    pose: Array,
    twist: Array,
    h: float,
    before: Array,
    side: float,
    within: float,
    tolerances: Tolerances,
    now: Configuration,
    bias: BiasTwists,
    motion: Array,
) -> tuple[int, float]:
    """Fill the motion at the next pose of a branch; return what became of it, and its side.

    Args:
        arm: The packed arm.
        pose: Upper rows of T_world_tool. Shape (3, 4).
        twist: Tool motion there. Shape (3, 6).
        h: Arc length from the point before [m].
        before: q, q', q'', q''' there. Shape (4, n).
        side: Of a singularity there; 0: not known.
        within: By which a joint may move from there [rad or m].
        tolerances: What counts as on the path.
        now: Where the tool is, to be filled.
        bias: To be filled.
        motion: q, q', q'', q''' here, to be filled. Shape (4, n).
    """
    n = motion.shape[1]
    q, guess = np.empty(n), np.empty(n)
    for c in range(n):
        value, first = before[VALUE, c], before[FIRST, c]
        second, third = before[SECOND, c], before[THIRD, c]
        q[c] = value + h * (first + h * (0.5 * second + h * third / 6.0))
        if not abs(q[c] - value) < within:
            q[c] = value
        guess[c] = q[c]
    size = put_on_pose(arm, pose, q, now, tolerances)
    if not size < tolerances.on_curve:
        return LOST, side
    for c in range(n):
        if not abs(q[c] - before[VALUE, c]) < within or not abs(q[c] - guess[c]) < 0.5 * within:
            return JUMPED, side
        first, second, third = before[FIRST, c], before[SECOND, c], before[THIRD, c]
        motion[VALUE, c] = q[c]
        motion[FIRST, c] = first + h * (second + 0.5 * h * third)
        motion[SECOND, c] = second + h * third
        motion[THIRD, c] = third
    correct_rates(arm, now.J, twist, tolerances.scale, motion, bias)
    if n != 6:
        return FOLLOWED, 0.0
    here = singular_side(now.J, tolerances.scale)
    if abs(here) < _NEAR:
        here = side  # in the singularity itself, which has no side
    if here * side < 0.0:
        return CROSSED, here
    return FOLLOWED, here


@entry(
    "POINTS(float64[:,:,::1], GOALS, float64[:,::1], boolean, float64, TOLERANCES)",
    POINTS=_POINTS,
    GOALS=GOALS,
    TOLERANCES=TOLERANCES,
)
def follow(
    arm: Array,
    goals: ToolPoints,
    start: Array,
    resumed: bool,
    side: float,
    tolerances: Tolerances,
) -> FollowedPoints:
    """Follow the tool from joint values at its first pose.

    Args:
        arm: The packed arm, see `armwerk.mechanics.kernels.packed`.
        goals: Where the tool is wanted.
        start: q, q', q'', q''' at the first pose. Shape (4, n).
        resumed: Whether ``start`` is known to be right and is left as it is.
        side: Of a singularity on which the arm came to the first pose; 0: not known.
        tolerances: What counts as on the path.
    """
    s = goals.s
    m, n = s.shape[0], start.shape[1]
    out, sides = np.zeros((m, 4, n)), np.zeros(m)
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    bias = BiasTwists(np.empty(6), np.empty(6))
    before = np.zeros((4, n))
    copy(start[VALUE], before[VALUE])
    first_point = 0
    if resumed:
        for row in range(4):
            copy(start[row], out[0, row])
        sides[0] = side
        first_point = 1
    for k in range(first_point, m):
        h, within = 0.0, math.inf  # the first may be as far from the start as it is
        if k > 0:
            h, within, before = s[k] - s[k - 1], tolerances.max_step, out[k - 1]
        pose, twist = goals.poses[k], goals.twists[k]
        state, side = next_point(
            arm, pose, twist, h, before, side, within, tolerances, now, bias, out[k]
        )
        if state in (LOST, JUMPED):
            return FollowedPoints(state, k, out, sides)
        sides[k] = side
        if state == CROSSED:
            return FollowedPoints(CROSSED, k, out, sides)
    return FollowedPoints(FOLLOWED, m, out, sides)


@entry(
    "Tuple((float64[:,::1], float64[:,:,::1], float64[::1]))"
    "(float64[:,:,::1], GOALS, float64[:,:,::1], TOLERANCES)",
    GOALS=GOALS,
    TOLERANCES=TOLERANCES,
)
def refine(
    arm: Array, goals: ToolPoints, guesses: Array, tolerances: Tolerances
) -> tuple[Array, Array, Array]:
    """Make guesses of q, q', q'', q''' exact.

    Returns:
        How far the tool is off with the guesses, and with the results [m, rad], shape (m, 2), the
        results, shape (m, 4, n), and their sides, see `FollowedPoints`, shape (m,).
    """
    m, n = guesses.shape[0], guesses.shape[2]
    out = guesses.copy()
    now = Configuration(np.empty((3, 4)), np.empty((6, n)))
    bias = BiasTwists(np.empty(6), np.empty(6))
    off, e, sides = np.empty((m, 2)), np.empty(6), np.zeros(m)
    for k in range(m):
        forward_frames(arm, out[k, VALUE], now.pose, now.J)
        off[k, 0] = pose_error(goals.poses[k], now.pose, e)
        off[k, 1] = put_on_pose(arm, goals.poses[k], out[k, VALUE], now, tolerances)
        correct_rates(arm, now.J, goals.twists[k], tolerances.scale, out[k], bias)
        if n == 6:
            sides[k] = singular_side(now.J, tolerances.scale)
    return off, out, sides
