"""Direct kinematics: T = C_0 M(q_1) C_1 M(q_2) … M(q_n) C_n, M a turn about or shift along z.

The constants C come packed as (n + 1, 4, 4), see `armwerk.mechanics.chain`. Many configurations are
walked in blocks, joint by joint for all of a block, so that the compiler can take several at once.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.layout import FIXED, KIND, REVOLUTE, SETTINGS
from armwerk.mechanics.kernels.packed import check_values, is_revolute, joint_count
from armwerk.mechanics.kernels.trig import LARGE, sincos, small_sincos

_BLOCK = 64  # configurations walked together; their numbers fit into the fastest cache
_Q, _SINE, _COSINE = 12, 13, 14  # rows of a block behind the twelve of the poses


@inner(flatten=True)
def advance(pose: Array, revolute: bool, q: float, K: Array) -> None:
    """Multiply a pose by M(q) and a constant, in place: one step along the arm.

    Every walk of one configuration takes this step. Blocks of configurations have steps of their
    own below, in the layout that the compiler needs to take several at once.

    Args:
        pose: Its upper three rows. Shape (3, 4) or more rows.
        revolute: Whether M turns about z; else it shifts along z.
        q: By how much [rad or m].
        K: The constant transform behind the joint; its upper three rows. Shape (3, 4) or more.
    """
    sine, cosine = sincos(q) if revolute else (0.0, 1.0)
    shift = K[2, 3] if revolute else K[2, 3] + q
    for r in range(3):
        x = cosine * pose[r, 0] + sine * pose[r, 1]
        y = cosine * pose[r, 1] - sine * pose[r, 0]
        z = pose[r, 2]
        pose[r, 0] = x * K[0, 0] + y * K[1, 0] + z * K[2, 0]
        pose[r, 1] = x * K[0, 1] + y * K[1, 1] + z * K[2, 1]
        pose[r, 2] = x * K[0, 2] + y * K[1, 2] + z * K[2, 2]
        pose[r, 3] += x * K[0, 3] + y * K[1, 3] + z * shift


@inner
def _multiply(arm: Array, q: Array, out: Array) -> None:
    """Fill the tool pose (4, 4) of one configuration."""
    for r in range(3):
        for c in range(4):
            out[r, c] = arm[0, r, c]
    for i in range(q.shape[0]):
        advance(out, is_revolute(arm, i), q[i], arm[i + 1])
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0


@inner(inline=True)
def _turn_block(W: Array, r: int, K: Array) -> None:
    """Multiply row r of the poses of a block by M(q) and a constant, for a revolute joint."""
    k00, k01, k02, k03 = K[0, 0], K[0, 1], K[0, 2], K[0, 3]
    k10, k11, k12, k13 = K[1, 0], K[1, 1], K[1, 2], K[1, 3]
    k20, k21, k22, k23 = K[2, 0], K[2, 1], K[2, 2], K[2, 3]
    for b in range(_BLOCK):
        sine, cosine = W[_SINE, b], W[_COSINE, b]
        x = cosine * W[4 * r, b] + sine * W[4 * r + 1, b]
        y = cosine * W[4 * r + 1, b] - sine * W[4 * r, b]
        z = W[4 * r + 2, b]
        W[4 * r, b] = x * k00 + y * k10 + z * k20
        W[4 * r + 1, b] = x * k01 + y * k11 + z * k21
        W[4 * r + 2, b] = x * k02 + y * k12 + z * k22
        W[4 * r + 3, b] += x * k03 + y * k13 + z * k23


@inner(inline=True)
def _slide_block(W: Array, r: int, K: Array) -> None:
    """The same for a prismatic joint."""
    k00, k01, k02, k03 = K[0, 0], K[0, 1], K[0, 2], K[0, 3]
    k10, k11, k12, k13 = K[1, 0], K[1, 1], K[1, 2], K[1, 3]
    k20, k21, k22, k23 = K[2, 0], K[2, 1], K[2, 2], K[2, 3]
    for b in range(_BLOCK):
        x, y, z = W[4 * r, b], W[4 * r + 1, b], W[4 * r + 2, b]
        W[4 * r, b] = x * k00 + y * k10 + z * k20
        W[4 * r + 1, b] = x * k01 + y * k11 + z * k21
        W[4 * r + 2, b] = x * k02 + y * k12 + z * k22
        W[4 * r + 3, b] += x * k03 + y * k13 + z * (k23 + W[_Q, b])


@entry("void(float64[:,:,::1], float64[::1], float64[:,::1])")
def fk_into(arm: Array, q: Array, out: Array) -> None:
    """Fill the tool pose of one configuration. Shape (4, 4).

    The caller brings the array: numpy makes one in a third of the time that a kernel needs.

    Raises:
        ValueError: When ``q`` holds nan or infinity, or is of the wrong length.
    """
    check_values(joint_count(arm), q)
    _multiply(arm, q, out)


@entry("float64[:,::1](float64[:,:,::1], float64[::1])")
def fk(arm: Array, q: Array) -> Array:
    """Return the tool pose of one configuration, as `fk_into` fills it. Shape (4, 4)."""
    out = np.empty((4, 4))
    _multiply(arm, q, out)
    return out


@entry("float64[:,:,::1](float64[:,:,::1], float64[:,::1])")
def fk_batch(arm: Array, q: Array) -> Array:
    """Return the tool poses of many configurations. Shape (m, 4, 4)."""
    m, n = q.shape
    out = np.empty((m, 4, 4))
    W = np.zeros((15, _BLOCK))
    for first in range(0, m, _BLOCK):
        size = min(_BLOCK, m - first)
        for r in range(12):
            value = arm[0, r // 4, r % 4]
            for b in range(_BLOCK):
                W[r, b] = value
        for i in range(n):
            for b in range(size):
                W[_Q, b] = q[first + b, i]
            if is_revolute(arm, i):
                for b in range(_BLOCK):
                    W[_SINE, b], W[_COSINE, b] = small_sincos(W[_Q, b])
                for b in range(size):
                    if abs(W[_Q, b]) >= LARGE:
                        W[_SINE, b], W[_COSINE, b] = math.sin(W[_Q, b]), math.cos(W[_Q, b])
                for r in range(3):
                    _turn_block(W, r, arm[i + 1])
            else:
                for r in range(3):
                    _slide_block(W, r, arm[i + 1])
        for b in range(size):
            for r in range(12):
                out[first + b, r // 4, r % 4] = W[r, b]
            for c in range(4):
                out[first + b, 3, c] = 1.0 if c == 3 else 0.0
    return out


@entry("float64[:,:,:,::1](float64[:,:,::1], float64[:,::1])")
def frames_batch(rows: Array, q: Array) -> Array:
    """Return base frame, the frame after every row, and the tool frame. Shape (m, rows, 4, 4)."""
    count = rows.shape[0]
    out = np.zeros((q.shape[0], count, 4, 4))
    for k in range(q.shape[0]):
        for r in range(3):
            for c in range(4):
                out[k, 0, r, c] = rows[0, r, c]
        out[k, 0, 3, 3] = 1.0
        moving = 0
        for i in range(1, count):
            kind = rows[i, SETTINGS, KIND]
            value = 0.0
            if kind != FIXED:
                value = q[k, moving]
                moving += 1
            for r in range(4):
                for c in range(4):
                    out[k, i, r, c] = out[k, i - 1, r, c]
            advance(out[k, i], kind == REVOLUTE, value, rows[i])
    return out
