"""The way along the chain: tool pose, Jacobian, and what is left of the way to a wanted pose."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.direct import advance
from armwerk.mechanics.kernels.packed import check_values, is_revolute, joint_count, length_scale


@inner
def walk(arm: Array, q: Array, pose: Array, J: Array) -> None:
    """Fill the tool pose (3, 4) and the Jacobian (6, n) in the world, v above w."""
    n = q.shape[0]
    for r in range(3):
        for c in range(4):
            pose[r, c] = arm[0, r, c]
    for i in range(n):
        for r in range(3):
            J[3 + r, i] = pose[r, 2]
            J[r, i] = pose[r, 3]
        advance(pose, is_revolute(arm, i), q[i], arm[i + 1])
    for i in range(n):
        zx, zy, zz = J[3, i], J[4, i], J[5, i]
        if is_revolute(arm, i):
            x, y, z = pose[0, 3] - J[0, i], pose[1, 3] - J[1, i], pose[2, 3] - J[2, i]
            J[0, i] = zy * z - zz * y
            J[1, i] = zz * x - zx * z
            J[2, i] = zx * y - zy * x
        else:
            J[0, i], J[1, i], J[2, i] = zx, zy, zz
            J[3, i], J[4, i], J[5, i] = 0.0, 0.0, 0.0


@entry("void(float64[:,:,::1], float64[::1], float64[:,::1])")
def jacobian(arm: Array, q: Array, out: Array) -> None:
    """Fill the Jacobian of one configuration. Shape (6, n).

    Raises:
        ValueError: When ``q`` holds nan or infinity, or is of the wrong length.
    """
    check_values(joint_count(arm), q)
    walk(arm, q, np.empty((3, 4)), out)


@entry("float64[:,:,::1](float64[:,:,::1], float64[:,::1])")
def jacobian_batch(arm: Array, q: Array) -> Array:
    """Return the Jacobians of many configurations. Shape (m, 6, n)."""
    out = np.empty((q.shape[0], 6, q.shape[1]))
    pose = np.empty((3, 4))
    for k in range(q.shape[0]):
        walk(arm, q[k], pose, out[k])
    return out


@inner
def pose_error(T: Array, pose: Array, task: int, scale: float, e: Array) -> tuple[float, float]:
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


@inner
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


@entry("float64[::1](float64[:,:,::1], float64[:,::1], float64[::1], int64)")
def remaining(arm: Array, T: Array, q: Array, task: int) -> Array:
    """Return what q leaves of the way to T: scaled error (6), then [m] and [rad]. Shape (8,)."""
    pose, J, out = np.empty((3, 4)), np.empty((6, q.shape[0])), np.zeros(8)
    walk(arm, q, pose, J)
    out[6], out[7] = pose_error(T, pose, task, length_scale(arm), out)
    return out
