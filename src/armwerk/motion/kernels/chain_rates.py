"""Tool motion of a serial arm up to the third derivative, and its inversion.

The parameter is whatever the joint values are differentiated by, time or arc length. Rows are
(v, w) in the world at the tool point. `constants` is `armwerk.mechanics.chain.Chain.constants`.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry

_OPTIONS = {"nogil": True, "error_model": "numpy", "cache": True}


@entry()
def cross_into(a: Array, b: Array, factor: float, out: Array) -> None:
    """Add factor · a × b to out."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])


@entry()
def walk(C: Array, q: Array, pose: Array, J: Array) -> None:
    """Fill the tool pose (3, 4) and the Jacobian (6, n)."""
    n = q.shape[0]
    for r in range(3):
        for c in range(4):
            pose[r, c] = C[0, r, c]
    for i in range(n):
        for r in range(3):
            J[3 + r, i] = pose[r, 2]
            J[r, i] = pose[r, 3]
        turns = C[i, 3, 0] == 0.0
        cosine = math.cos(q[i]) if turns else 1.0
        sine = math.sin(q[i]) if turns else 0.0
        shift = 0.0 if turns else q[i]
        after = C[i + 1]
        for r in range(3):
            x = cosine * pose[r, 0] + sine * pose[r, 1]
            y = cosine * pose[r, 1] - sine * pose[r, 0]
            z = pose[r, 2]
            pose[r, 0] = x * after[0, 0] + y * after[1, 0] + z * after[2, 0]
            pose[r, 1] = x * after[0, 1] + y * after[1, 1] + z * after[2, 1]
            pose[r, 2] = x * after[0, 2] + y * after[1, 2] + z * after[2, 2]
            pose[r, 3] += x * after[0, 3] + y * after[1, 3] + z * (after[2, 3] + shift)
    for i in range(n):
        zx, zy, zz = J[3, i], J[4, i], J[5, i]
        if C[i, 3, 0] == 0.0:
            x, y, z = pose[0, 3] - J[0, i], pose[1, 3] - J[1, i], pose[2, 3] - J[2, i]
            J[0, i] = zy * z - zz * y
            J[1, i] = zz * x - zx * z
            J[2, i] = zx * y - zy * x
        else:
            J[0, i], J[1, i], J[2, i] = zx, zy, zz
            J[3, i], J[4, i], J[5, i] = 0.0, 0.0, 0.0


@entry()
def bias(C: Array, J: Array, q1: Array, q2: Array, out: Array) -> None:
    """Fill J' q' in row 0 and 2 J' q'' + J'' q' in row 1 of out (2, 6).

    A column (m, z) of a turning joint with axis z through o is m = z × (t - o), t the tool point.
    With w the turning of the link before it, v the motion of the tool point and p that of the
    link's point in the same place:

        z' = w × z,    m' = w × m + z × (v - p)

    A sliding joint has m' = w × m. Both are differentiated once more.
    """
    n = q1.shape[0]
    rates = np.zeros((n, 6))
    v, a = np.zeros(3), np.zeros(3)
    out[:, :] = 0.0
    for i in range(n):
        for r in range(3):
            v[r] += J[r, i] * q1[i]
    w, p, gap = np.zeros(3), np.zeros(3), np.empty(3)
    for i in range(n):
        m, z = J[:3, i], J[3:, i]
        cross_into(w, m, 1.0, rates[i, :3])
        if C[i, 3, 0] == 0.0:
            for r in range(3):
                gap[r] = v[r] - p[r]
            cross_into(z, gap, 1.0, rates[i, :3])
            cross_into(w, z, 1.0, rates[i, 3:])
        for r in range(3):
            w[r] += z[r] * q1[i]
            p[r] += m[r] * q1[i]
            a[r] += rates[i, r] * q1[i] + m[r] * q2[i]
        for r in range(6):
            out[0, r] += rates[i, r] * q1[i]
    w[:] = 0.0
    p[:] = 0.0
    w1, p1, bend = np.zeros(3), np.zeros(3), np.empty(6)
    for i in range(n):
        m, z, m1, z1 = J[:3, i], J[3:, i], rates[i, :3], rates[i, 3:]
        bend[:] = 0.0
        cross_into(w1, m, 1.0, bend[:3])
        cross_into(w, m1, 1.0, bend[:3])
        if C[i, 3, 0] == 0.0:
            for r in range(3):
                gap[r] = v[r] - p[r]
            cross_into(z1, gap, 1.0, bend[:3])
            for r in range(3):
                gap[r] = a[r] - p1[r]
            cross_into(z, gap, 1.0, bend[:3])
            cross_into(w1, z, 1.0, bend[3:])
            cross_into(w, z1, 1.0, bend[3:])
        for r in range(6):
            out[1, r] += bend[r] * q1[i] + 2.0 * rates[i, r] * q2[i]
        for r in range(3):
            w[r] += z[r] * q1[i]
            p[r] += m[r] * q1[i]
            w1[r] += z1[r] * q1[i] + z[r] * q2[i]
            p1[r] += m1[r] * q1[i] + m[r] * q2[i]
