"""Direct kinematics: T = C_0 M(q_1) C_1 M(q_2) … M(q_n) C_n, M a turn about or shift along z.

The constants C come packed as (n + 1, 4, 4), see `armwerk.mechanics.chain`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(nogil=True, error_model="numpy", inline="always")
def _multiply(chain: Array, q: Array, out: Array) -> None:
    c = chain[0]
    xx, yx, zx, px = c[0, 0], c[0, 1], c[0, 2], c[0, 3]
    xy, yy, zy, py = c[1, 0], c[1, 1], c[1, 2], c[1, 3]
    xz, yz, zz, pz = c[2, 0], c[2, 1], c[2, 2], c[2, 3]
    for i in range(q.shape[0]):
        if chain[i, 3, 0] == 0.0:
            cosine, sine = math.cos(q[i]), math.sin(q[i])
            xx, yx = cosine * xx + sine * yx, cosine * yx - sine * xx
            xy, yy = cosine * xy + sine * yy, cosine * yy - sine * xy
            xz, yz = cosine * xz + sine * yz, cosine * yz - sine * xz
        else:
            px += q[i] * zx
            py += q[i] * zy
            pz += q[i] * zz
        c = chain[i + 1]
        px += xx * c[0, 3] + yx * c[1, 3] + zx * c[2, 3]
        py += xy * c[0, 3] + yy * c[1, 3] + zy * c[2, 3]
        pz += xz * c[0, 3] + yz * c[1, 3] + zz * c[2, 3]
        xx, yx, zx = (
            xx * c[0, 0] + yx * c[1, 0] + zx * c[2, 0],
            xx * c[0, 1] + yx * c[1, 1] + zx * c[2, 1],
            xx * c[0, 2] + yx * c[1, 2] + zx * c[2, 2],
        )
        xy, yy, zy = (
            xy * c[0, 0] + yy * c[1, 0] + zy * c[2, 0],
            xy * c[0, 1] + yy * c[1, 1] + zy * c[2, 1],
            xy * c[0, 2] + yy * c[1, 2] + zy * c[2, 2],
        )
        xz, yz, zz = (
            xz * c[0, 0] + yz * c[1, 0] + zz * c[2, 0],
            xz * c[0, 1] + yz * c[1, 1] + zz * c[2, 1],
            xz * c[0, 2] + yz * c[1, 2] + zz * c[2, 2],
        )
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = xx, yx, zx, px
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = xy, yy, zy, py
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = xz, yz, zz, pz
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0


@njit(
    "void(float64[:,:,::1], float64[::1], float64[:,::1])",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def fk_into(chain: Array, q: Array, out: Array) -> None:
    """Fill the tool pose of one configuration. Shape (4, 4).

    The caller brings the array: numpy makes one in a third of the time that a kernel needs.

    Raises:
        ValueError: When ``q`` holds nan or infinity, or is of the wrong length.
    """
    if q.shape[0] != chain.shape[0] - 1:
        raise ValueError("length")
    total = 0.0
    for i in range(q.shape[0]):
        total += q[i] - q[i]  # 0 when finite, nan otherwise
    if total != 0.0:
        raise ValueError("not finite")
    _multiply(chain, q, out)


@njit("float64[:,::1](float64[:,:,::1], float64[::1])", nogil=True, error_model="numpy", cache=True)
def fk(chain: Array, q: Array) -> Array:
    """Return the tool pose of one configuration, as `fk_into` fills it. Shape (4, 4)."""
    out = np.empty((4, 4))
    _multiply(chain, q, out)
    return out


@njit(
    "float64[:,:,::1](float64[:,:,::1], float64[:,::1])",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def fk_batch(chain: Array, q: Array) -> Array:
    """Return the tool poses of many configurations. Shape (m, 4, 4)."""
    out = np.empty((q.shape[0], 4, 4))
    for k in range(q.shape[0]):
        _multiply(chain, q[k], out[k])
    return out


@njit(
    "float64[:,:,:,::1](float64[:,:,::1], float64[:,::1])",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def frames_batch(rows: Array, q: Array) -> Array:
    """Return base frame, the frame after every row, and the tool frame. Shape (m, rows, 4, 4)."""
    count = rows.shape[0]
    out = np.zeros((q.shape[0], count, 4, 4))
    for k in range(q.shape[0]):
        out[k, 0] = rows[0]
        out[k, 0, 3] = 0.0
        out[k, 0, 3, 3] = 1.0
        moving = 0
        for i in range(1, count):
            before, after = out[k, i - 1], out[k, i]
            kind = rows[i, 3, 0]
            cosine, sine, shift = 1.0, 0.0, 0.0
            if kind == 0.0:
                cosine, sine = math.cos(q[k, moving]), math.sin(q[k, moving])
                moving += 1
            elif kind == 1.0:
                shift = q[k, moving]
                moving += 1
            for r in range(3):
                x = cosine * before[r, 0] + sine * before[r, 1]
                y = cosine * before[r, 1] - sine * before[r, 0]
                z = before[r, 2]
                for c in range(4):
                    after[r, c] = x * rows[i, 0, c] + y * rows[i, 1, c] + z * rows[i, 2, c]
                after[r, 3] += before[r, 3] + shift * z
            after[3, 3] = 1.0
    return out
