"""Dynamics: recursive Newton-Euler, composite bodies, forward dynamics, energy.

Everything is expressed in the joint frames, with each body lumped to mass m, first moment h = m r
and inertia I about the frame's origin, so that with w, dw and a the body's angular velocity,
angular acceleration and the origin's acceleration

    force  f = m a + dw × h + w × (w × h)
    moment n = I dw + w × (I w) + h × a

Gravity enters as an acceleration of the base. What is packed where: see
`armwerk.mechanics.kernels.layout`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.layout import (
    ARMATURE,
    BODY_KIND,
    GRAVITY,
    INERTIA,
    LUMP,
    LUMP_INERTIA,
    LUMP_MASS,
    LUMP_MOMENT,
    LUMP_SIZE,
    LUMP_XZ,
    LUMP_YZ,
    LUMP_ZZ,
    MASS,
    MOMENT,
    REVOLUTE,
)
from armwerk.mechanics.kernels.packed import check_values
from armwerk.mechanics.kernels.trig import sincos

TURN_RATE, TURN_ACCELERATION, ACCELERATION, FORCE, TORQUE = 0, 1, 2, 3, 4
"""Vectors kept of each body: w, dw, a, and the load that moves it, all in its joint frame."""


class DynamicsScratch(NamedTuple):
    """Scratch of the recursions over n bodies.

    Args:
        rotations: Of each joint frame in the one before. Shape (n, 3, 3).
        shifts: Its origin in the one before. Shape (n, 3).
        vectors: Of each body, by the names above. Shape (n, 5, 3).
        spare: Four vectors for anything. Shape (4, 3).
    """

    rotations: Array
    shifts: Array
    vectors: Array
    spare: Array


@inner(flatten=True)
def is_turning(body: Array) -> bool:
    """Whether the joint of a body turns; else it slides."""
    return bool(body[BODY_KIND] == REVOLUTE)


@inner
def _place(body: Array, q: float, R: Array, p: Array) -> None:
    """Fill the pose of a joint frame in the one before: C M(q)."""
    if is_turning(body):
        sine, cosine = sincos(q)
        for r in range(3):
            x, y = body[4 * r], body[4 * r + 1]
            R[r, 0] = cosine * x + sine * y
            R[r, 1] = cosine * y - sine * x
            R[r, 2] = body[4 * r + 2]
            p[r] = body[4 * r + 3]
    else:
        for r in range(3):
            R[r, 0], R[r, 1], R[r, 2] = body[4 * r], body[4 * r + 1], body[4 * r + 2]
            p[r] = body[4 * r + 3] + q * body[4 * r + 2]


@inner
def _cross_add(a: Array, b: Array, out: Array) -> None:
    """Add a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@inner
def _turn(R: Array, v: Array, out: Array) -> None:
    """Fill R v."""
    for r in range(3):
        out[r] = R[r, 0] * v[0] + R[r, 1] * v[1] + R[r, 2] * v[2]


@inner
def _turn_back(R: Array, v: Array, out: Array) -> None:
    """Fill Rᵀ v."""
    for r in range(3):
        out[r] = R[0, r] * v[0] + R[1, r] * v[1] + R[2, r] * v[2]


@inner
def _inertia_times(J: Array, v: Array, out: Array) -> None:
    """Fill J v with the inertia J given as xx yy zz xy xz yz."""
    out[0] = J[0] * v[0] + J[3] * v[1] + J[4] * v[2]
    out[1] = J[3] * v[0] + J[1] * v[1] + J[5] * v[2]
    out[2] = J[4] * v[0] + J[5] * v[1] + J[2] * v[2]


@inner
def _workspace(n: int) -> DynamicsScratch:
    return DynamicsScratch(
        np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 5, 3)), np.empty((4, 3))
    )


@inner
def _move(bodies: Array, q: Array, qd: Array, qdd: Array, work: DynamicsScratch) -> None:
    """Fill w, dw and a of each body, from the base outwards."""
    n = q.shape[0]
    R, p, V = work.rotations, work.shifts, work.vectors
    before, turned = work.spare[0], work.spare[1]
    for i in range(n):
        _place(bodies[i], q[i], R[i], p[i])
        w, dw, a = V[i, TURN_RATE], V[i, TURN_ACCELERATION], V[i, ACCELERATION]
        if i == 0:
            for r in range(3):
                w[r] = dw[r] = 0.0
                before[r] = -bodies[n, GRAVITY + r]
        else:
            w_before, dw_before = V[i - 1, TURN_RATE], V[i - 1, TURN_ACCELERATION]
            _turn_back(R[i], w_before, w)
            _turn_back(R[i], dw_before, dw)
            for r in range(3):
                before[r] = V[i - 1, ACCELERATION, r]
                turned[r] = 0.0
            _cross_add(dw_before, p[i], before)
            _cross_add(w_before, p[i], turned)
            _cross_add(w_before, turned, before)
        _turn_back(R[i], before, a)
        if is_turning(bodies[i]):
            dw[0] += w[1] * qd[i]
            dw[1] -= w[0] * qd[i]
            dw[2] += qdd[i]
            w[2] += qd[i]
        else:
            a[0] += 2.0 * w[1] * qd[i]
            a[1] -= 2.0 * w[0] * qd[i]
            a[2] += qdd[i]


@inner
def _load(body: Array, V: Array, s: Array) -> None:
    """Fill the force and torque that move one body as its w, dw and a say."""
    w, dw, a = V[TURN_RATE], V[TURN_ACCELERATION], V[ACCELERATION]
    f, m = V[FORCE], V[TORQUE]
    h, inertia = body[MOMENT : MOMENT + 3], body[INERTIA : INERTIA + 6]
    for r in range(3):
        f[r] = body[MASS] * a[r]
        s[r] = 0.0
    _cross_add(dw, h, f)
    _cross_add(w, h, s)
    _cross_add(w, s, f)
    _inertia_times(inertia, dw, m)
    _inertia_times(inertia, w, s)
    _cross_add(w, s, m)
    _cross_add(h, a, m)


@inner
def _newton_euler(
    bodies: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    work: DynamicsScratch,
    tau: Array,
) -> None:
    """Fill the joint forces of one state: outwards the motion, inwards the loads."""
    _move(bodies, q, qd, qdd, work)
    R, p, V, small = work.rotations, work.shifts, work.vectors, work.spare
    force, moment, turned, spare = small[0], small[1], small[2], small[3]
    for r in range(3):
        force[r] = moment[r] = 0.0
    for i in range(q.shape[0] - 1, -1, -1):
        _load(bodies[i], V[i], spare)
        for r in range(3):
            force[r] += V[i, FORCE, r]
            moment[r] += V[i, TORQUE, r]
        tau[i] = moment[2] if is_turning(bodies[i]) else force[2]
        tau[i] += bodies[i, ARMATURE] * qdd[i]
        _turn(R[i], force, turned)
        _turn(R[i], moment, spare)
        _cross_add(p[i], turned, spare)
        for r in range(3):
            force[r], moment[r] = turned[r], spare[r]


@inner
def _add_body(R: Array, p: Array, outer: Array, inner: Array, scratch: Array) -> None:
    """Add a lump (mass, first moment, inertia) given in a joint frame to one in the frame before.

    With k = R h: m' = m, h' = k + m p, I' = R I Rᵀ + m (p² - p pᵀ) + 2 p·k - (p kᵀ + k pᵀ).
    """
    m, k, image = outer[LUMP_MASS], scratch[0], scratch[1]
    _turn(R, outer[LUMP_MOMENT:LUMP_INERTIA], k)
    around = m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    around += 2.0 * (p[0] * k[0] + p[1] * k[1] + p[2] * k[2])
    inner[LUMP_MASS] += m
    for r in range(3):
        inner[LUMP_MOMENT + r] += k[r] + m * p[r]
        _inertia_times(outer[LUMP_INERTIA:LUMP_SIZE], R[r], image)
        for c in range(r, 3):
            place = LUMP_INERTIA + (r if r == c else 2 + r + c)  # xx yy zz xy xz yz
            turned = R[c, 0] * image[0] + R[c, 1] * image[1] + R[c, 2] * image[2]
            inner[place] += turned - m * p[r] * p[c] - p[r] * k[c] - k[r] * p[c]
        inner[LUMP_INERTIA + r] += around


@inner
def _composite(bodies: Array, q: Array, work: DynamicsScratch, outer: Array, H: Array) -> None:
    """Fill the mass matrix: column i is the load that joint i alone, moving at 1, brings about."""
    n = q.shape[0]
    R, p, small = work.rotations, work.shifts, work.spare
    f, m, turned, spare = small[0], small[1], small[2], small[3]
    for i in range(n):
        _place(bodies[i], q[i], R[i], p[i])
        for r in range(LUMP_SIZE):
            outer[i, r] = bodies[i, LUMP + r]
    for i in range(n - 1, -1, -1):
        if i > 0:
            _add_body(R[i], p[i], outer[i], outer[i - 1], small)
        x, y = outer[i, LUMP_MOMENT], outer[i, LUMP_MOMENT + 1]
        if is_turning(bodies[i]):
            f[0], f[1], f[2] = -y, x, 0.0
            m[0], m[1], m[2] = outer[i, LUMP_XZ], outer[i, LUMP_YZ], outer[i, LUMP_ZZ]
        else:
            f[0], f[1], f[2] = 0.0, 0.0, outer[i, LUMP_MASS]
            m[0], m[1], m[2] = y, -x, 0.0
        for k in range(i, -1, -1):
            H[k, i] = H[i, k] = m[2] if is_turning(bodies[k]) else f[2]
            _turn(R[k], f, turned)
            _turn(R[k], m, spare)
            _cross_add(p[k], turned, spare)
            for r in range(3):
                f[r], m[r] = turned[r], spare[r]
        H[i, i] += bodies[i, ARMATURE]


@inner
def _solve(H: Array, b: Array) -> int:
    """Solve H x = b in place by Cholesky; return -1, or the joint at which H loses rank."""
    n = b.shape[0]
    for c in range(n):
        pivot = H[c, c]
        floor = 1e-13 * abs(pivot)
        for k in range(c):
            pivot -= H[c, k] * H[c, k]
        if not pivot > floor:
            return c
        root = math.sqrt(pivot)
        H[c, c] = root
        for r in range(c + 1, n):
            for k in range(c):
                H[r, c] -= H[r, k] * H[c, k]
            H[r, c] /= root
    for r in range(n):
        for k in range(r):
            b[r] -= H[r, k] * b[k]
        b[r] /= H[r, r]
    for r in range(n - 1, -1, -1):
        for k in range(r + 1, n):
            b[r] -= H[k, r] * b[k]
        b[r] /= H[r, r]
    return -1


@inner
def _accelerate(
    bodies: Array,
    q: Array,
    qd: Array,
    tau: Array,
    work: DynamicsScratch,
    H: Array,
    outer: Array,
    out: Array,
) -> int:
    """Solve H qdd = tau - b for one state; return -1, or the joint that nothing resists.

    H and ``outer`` are scratch, shapes (n, n) and (n, LUMP_SIZE).
    """
    n = q.shape[0]
    rest = H[0]  # which is free until H is filled
    for i in range(n):
        rest[i] = 0.0
    _newton_euler(bodies, q, qd, rest, work, out)
    for i in range(n):
        out[i] = tau[i] - out[i]
    _composite(bodies, q, work, outer, H)
    return int(_solve(H, out))


@entry("void(float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])")
def inverse(bodies: Array, q: Array, qd: Array, qdd: Array, out: Array) -> None:
    """Fill the joint forces of one state. Shape (n,).

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    check_values(n, q)
    check_values(n, qd)
    check_values(n, qdd)
    _newton_euler(bodies, q, qd, qdd, _workspace(n), out)


@entry("void(float64[:,::1], float64[::1], float64[:,::1])")
def mass(bodies: Array, q: Array, out: Array) -> None:
    """Fill the mass matrix of one configuration. Shape (n, n).

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    check_values(n, q)
    _composite(bodies, q, _workspace(n), np.empty((n, LUMP_SIZE)), out)


@entry("int64(float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])")
def forward(bodies: Array, q: Array, qd: Array, tau: Array, out: Array) -> int:
    """Fill the accelerations of one state; return -1, or the joint that nothing resists.

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    check_values(n, q)
    check_values(n, qd)
    check_values(n, tau)
    H, outer = np.empty((n, n)), np.empty((n, LUMP_SIZE))
    return int(_accelerate(bodies, q, qd, tau, _workspace(n), H, outer, out))


@entry("float64[:,::1](float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1])")
def inverse_batch(bodies: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the joint forces of many states. Shape (m, n)."""
    tau = np.empty_like(q)
    work = _workspace(q.shape[1])
    for k in range(q.shape[0]):
        _newton_euler(bodies, q[k], qd[k], qdd[k], work, tau[k])
    return tau


@entry("float64[:,:,::1](float64[:,::1], float64[:,::1])")
def mass_batch(bodies: Array, q: Array) -> Array:
    """Return the mass matrices of many configurations. Shape (m, n, n)."""
    m, n = q.shape
    H = np.empty((m, n, n))
    work, outer = _workspace(n), np.empty((n, LUMP_SIZE))
    for k in range(m):
        _composite(bodies, q[k], work, outer, H[k])
    return H


@entry(
    "Tuple((float64[:,::1], int64))(float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1])"
)
def forward_batch(bodies: Array, q: Array, qd: Array, tau: Array) -> tuple[Array, int]:
    """Return the accelerations of many states, and -1 or the joint that nothing resists.

    Solves H(q) qdd = tau - b(q, qd), b being the joint forces at qdd = 0. Shape (m, n).
    """
    m, n = q.shape
    qdd = np.empty_like(q)
    work, H, outer = _workspace(n), np.empty((n, n)), np.empty((n, LUMP_SIZE))
    for k in range(m):
        joint = _accelerate(bodies, q[k], qd[k], tau[k], work, H, outer, qdd[k])
        if joint >= 0:
            return qdd, joint
    return qdd, -1


@entry("float64[:,::1](float64[:,::1], float64[:,::1], float64[:,::1])")
def energy_batch(bodies: Array, q: Array, qd: Array) -> Array:
    """Return kinetic and potential energy of many states [J]. Shape (m, 2).

    Kinetic ½ qdᵀ H qd; potential -g · Σ (m p + R h), zero for a mass in the world's origin.
    """
    m, n = q.shape
    out = np.zeros((m, 2))
    H, outer = np.empty((n, n)), np.empty((n, LUMP_SIZE))
    work = _workspace(n)
    R, p = work.rotations, work.shifts
    whole = np.zeros(LUMP_SIZE)
    for k in range(m):
        _composite(bodies, q[k], work, outer, H)
        for i in range(n):
            for j in range(n):
                out[k, 0] += 0.5 * qd[k, i] * H[i, j] * qd[k, j]
        whole[:] = 0.0
        _add_body(R[0], p[0], outer[0], whole, work.spare)  # the whole arm, seen from the world
        for r in range(3):
            out[k, 1] -= bodies[n, GRAVITY + r] * whole[LUMP_MOMENT + r]
    return out
