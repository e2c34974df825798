"""Dynamics: recursive Newton-Euler, composite bodies, forward dynamics, energy.

Everything is expressed in the joint frames, with each body lumped to mass m, first moment h = m r
and inertia I about the frame's origin, so that with w, dw and a the body's angular velocity,
angular acceleration and the origin's acceleration

    force  f = m a + dw × h + w × (w × h)
    moment n = I dw + w × (I w) + h × a

Gravity enters as an acceleration of the base. What is packed where: `armwerk.mechanics.chain`.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.trig import sincos

# Where things stand in a packed body; repeated from `armwerk.mechanics.chain` because compiled code
# keeps the numbers it was made with.
KIND, MASS, MOMENT, INERTIA, ARMATURE, GRAVITY = 12, 13, 14, 17, 23, 13


@inner
def _place(body: Array, q: float, R: Array, p: Array) -> None:
    """Fill the pose of a joint frame in the one before: C M(q)."""
    if body[KIND] == 0.0:
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
def _workspace(n: int) -> tuple[Array, Array, Array, Array]:
    """Return scratch: rotations (n, 3, 3), shifts (n, 3), vectors (n, 5, 3), small ones (4, 3)."""
    return np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 5, 3)), np.empty((4, 3))


@inner
def _move(
    bodies: Array, q: Array, qd: Array, qdd: Array, work: tuple[Array, Array, Array, Array]
) -> None:
    """Fill for each body w, dw and a (vectors 0, 1, 2), from the base outwards."""
    n = q.shape[0]
    R, p, V, small = work
    before, turned = small[0], small[1]
    for i in range(n):
        _place(bodies[i], q[i], R[i], p[i])
        w, dw, a = V[i, 0], V[i, 1], V[i, 2]
        if i == 0:
            for r in range(3):
                w[r] = dw[r] = 0.0
                before[r] = -bodies[n, GRAVITY + r]
        else:
            _turn_back(R[i], V[i - 1, 0], w)
            _turn_back(R[i], V[i - 1, 1], dw)
            for r in range(3):
                before[r] = V[i - 1, 2, r]
                turned[r] = 0.0
            _cross_add(V[i - 1, 1], p[i], before)
            _cross_add(V[i - 1, 0], p[i], turned)
            _cross_add(V[i - 1, 0], turned, before)
        _turn_back(R[i], before, a)
        if bodies[i, KIND] == 0.0:
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
    """Fill force and moment (vectors 3, 4) that move one body as vectors 0 to 2 say."""
    w, dw, a, f, m = V[0], V[1], V[2], V[3], V[4]
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
    work: tuple[Array, Array, Array, Array],
    tau: Array,
) -> None:
    """Fill the joint forces of one state: outwards the motion, inwards the loads."""
    _move(bodies, q, qd, qdd, work)
    R, p, V, small = work
    force, moment, turned, spare = small[0], small[1], small[2], small[3]
    for r in range(3):
        force[r] = moment[r] = 0.0
    for i in range(q.shape[0] - 1, -1, -1):
        _load(bodies[i], V[i], spare)
        for r in range(3):
            force[r] += V[i, 3, r]
            moment[r] += V[i, 4, r]
        tau[i] = moment[2] if bodies[i, KIND] == 0.0 else force[2]
        tau[i] += bodies[i, ARMATURE] * qdd[i]
        _turn(R[i], force, turned)
        _turn(R[i], moment, spare)
        _cross_add(p[i], turned, spare)
        for r in range(3):
            force[r], moment[r] = turned[r], spare[r]


@inner
def _add_body(R: Array, p: Array, outer: Array, inner: Array, scratch: Array) -> None:
    """Add a body (m, h, I; ten numbers) given in a joint frame to one in the frame before.

    With k = R h: m' = m, h' = k + m p, I' = R I Rᵀ + m (p² - p pᵀ) + 2 p·k - (p kᵀ + k pᵀ).
    """
    m, k, image = outer[0], scratch[0], scratch[1]
    _turn(R, outer[1:4], k)
    around = m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    around += 2.0 * (p[0] * k[0] + p[1] * k[1] + p[2] * k[2])
    inner[0] += m
    for r in range(3):
        inner[1 + r] += k[r] + m * p[r]
        _inertia_times(outer[4:10], R[r], image)
        for c in range(r, 3):
            place = 4 + r if r == c else 6 + r + c  # xx yy zz xy xz yz
            turned = R[c, 0] * image[0] + R[c, 1] * image[1] + R[c, 2] * image[2]
            inner[place] += turned - m * p[r] * p[c] - p[r] * k[c] - k[r] * p[c]
        inner[4 + r] += around


@inner
def _composite(
    bodies: Array, q: Array, work: tuple[Array, Array, Array, Array], outer: Array, H: Array
) -> None:
    """Fill the mass matrix: column i is the load that joint i alone, moving at 1, brings about."""
    n = q.shape[0]
    R, p, _, small = work
    f, m, turned, spare = small[0], small[1], small[2], small[3]
    for i in range(n):
        _place(bodies[i], q[i], R[i], p[i])
        for r in range(10):
            outer[i, r] = bodies[i, MASS + r]
    for i in range(n - 1, -1, -1):
        if i > 0:
            _add_body(R[i], p[i], outer[i], outer[i - 1], small)
        x, y = outer[i, 1], outer[i, 2]
        if bodies[i, KIND] == 0.0:
            f[0], f[1], f[2] = -y, x, 0.0
            m[0], m[1], m[2] = outer[i, 8], outer[i, 9], outer[i, 6]
        else:
            f[0], f[1], f[2] = 0.0, 0.0, outer[i, 0]
            m[0], m[1], m[2] = y, -x, 0.0
        for k in range(i, -1, -1):
            H[k, i] = H[i, k] = m[2] if bodies[k, KIND] == 0.0 else f[2]
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
    work: tuple[Array, Array, Array, Array],
    H: Array,
    outer: Array,
    out: Array,
) -> int:
    """Solve H qdd = tau - b for one state; return -1, or the joint that nothing resists.

    H and ``outer`` are scratch, shapes (n, n) and (n, 10).
    """
    n = q.shape[0]
    rest, bias = H[0], outer.ravel()[:n]  # both are free until H is filled
    for i in range(n):
        rest[i] = 0.0
    _newton_euler(bodies, q, qd, rest, work, bias)
    for i in range(n):
        out[i] = tau[i] - bias[i]
    _composite(bodies, q, work, outer, H)
    return int(_solve(H, out))


@inner
def _check(n: int, values: Array) -> None:
    """Raise ``ValueError`` for a wrong length, nan or infinity."""
    if values.shape[0] != n:
        raise ValueError("length")
    total = 0.0
    for i in range(n):
        total += values[i] - values[i]  # 0 when finite, nan otherwise
    if total != 0.0:
        raise ValueError("not finite")


@entry("void(float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])")
def inverse(bodies: Array, q: Array, qd: Array, qdd: Array, out: Array) -> None:
    """Fill the joint forces of one state. Shape (n,).

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    _check(n, q)
    _check(n, qd)
    _check(n, qdd)
    _newton_euler(bodies, q, qd, qdd, _workspace(n), out)


@entry("void(float64[:,::1], float64[::1], float64[:,::1])")
def mass(bodies: Array, q: Array, out: Array) -> None:
    """Fill the mass matrix of one configuration. Shape (n, n).

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    _check(n, q)
    _composite(bodies, q, _workspace(n), np.empty((n, 10)), out)


@entry("int64(float64[:,::1], float64[::1], float64[::1], float64[::1], float64[::1])")
def forward(bodies: Array, q: Array, qd: Array, tau: Array, out: Array) -> int:
    """Fill the accelerations of one state; return -1, or the joint that nothing resists.

    Raises:
        ValueError: For nan, infinity or a wrong length.
    """
    n = bodies.shape[0] - 1
    _check(n, q)
    _check(n, qd)
    _check(n, tau)
    return int(
        _accelerate(bodies, q, qd, tau, _workspace(n), np.empty((n, n)), np.empty((n, 10)), out)
    )


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
    work, outer = _workspace(n), np.empty((n, 10))
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
    work, H, outer = _workspace(n), np.empty((n, n)), np.empty((n, 10))
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
    H, outer = np.empty((n, n)), np.empty((n, 10))
    work = _workspace(n)
    R, p = work[0], work[1]
    inner = np.empty(10)
    for k in range(m):
        _composite(bodies, q[k], work, outer, H)
        for i in range(n):
            for j in range(n):
                out[k, 0] += 0.5 * qd[k, i] * H[i, j] * qd[k, j]
        inner[:] = 0.0
        _add_body(R[0], p[0], outer[0], inner, work[3])  # the whole arm, seen from the world
        for r in range(3):
            out[k, 1] -= bodies[n, GRAVITY + r] * inner[1 + r]
    return out
