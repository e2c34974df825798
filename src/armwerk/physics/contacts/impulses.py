"""Velocities at a contact and what an impulse there does to the things.

V holds v and w in the world of every thing. Shape (n, 6).
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.step_view import BALL, CUBOID, TOUCH, StepView


@inner(flatten=True)
def world_velocities(step: StepView) -> Array:
    """Return v and w in the world of every thing. Shape (n, 6)."""
    V = np.empty((step.thing_count, 6))
    for i in range(V.shape[0]):
        for k in range(3):
            V[i, k] = step.qvel[6 * i + k]
            turn = 0.0
            for c in range(3):
                turn += step.xmat[i + 1, 3 * k + c] * step.qvel[6 * i + 3 + c]
            V[i, 3 + k] = turn
    return V


@inner(flatten=True, borrows=True)
def write_back(step: StepView, V: Array, i: int) -> None:
    """Give a thing its velocities."""
    for k in range(3):
        step.qvel[6 * i + k] = V[i, k]
        turn = 0.0
        for c in range(3):
            turn += step.xmat[i + 1, 3 * c + k] * V[i, 3 + c]
        step.qvel[6 * i + 3 + k] = turn


@inner(flatten=True, borrows=True)
def moves(step: StepView, geom: int) -> bool:
    """Whether a geom belongs to a thing."""
    role = step.geoms.role[geom]
    return role in (BALL, CUBOID)


@inner(flatten=True, borrows=True)
def add_velocity(
    step: StepView, V: Array, geom: int, point: Array, factor: float, out: Array
) -> None:
    """Add factor times the velocity of a geom's point to ``out``; fixed geoms have none."""
    body = step.geoms.body[geom]
    if moves(step, geom):
        i, o = step.geoms.number[geom], step.xpos[body]
        x, y, z = point[0] - o[0], point[1] - o[1], point[2] - o[2]
        out[0] += factor * (V[i, 0] + V[i, 4] * z - V[i, 5] * y)
        out[1] += factor * (V[i, 1] + V[i, 5] * x - V[i, 3] * z)
        out[2] += factor * (V[i, 2] + V[i, 3] * y - V[i, 4] * x)
    elif step.geoms.role[geom] >= TOUCH:
        o, w = step.com[step.root[body]], step.cvel[body]
        x, y, z = point[0] - o[0], point[1] - o[1], point[2] - o[2]
        out[0] += factor * (w[3] + w[1] * z - w[2] * y)
        out[1] += factor * (w[4] + w[2] * x - w[0] * z)
        out[2] += factor * (w[5] + w[0] * y - w[1] * x)


@inner(flatten=True, borrows=True)
def _turned(step: StepView, i: int, ax: float, ay: float, az: float) -> tuple[float, float, float]:
    """Return inertia⁻¹ times an angular impulse, in the world."""
    x = y = z = 0.0
    R = step.xmat[i + 1]
    for k in range(3):
        part = (R[k] * ax + R[3 + k] * ay + R[6 + k] * az) / step.things.inertia[i, k]
        x += R[k] * part
        y += R[3 + k] * part
        z += R[6 + k] * part
    return x, y, z


@inner(flatten=True, borrows=True)
def inverse_effective_mass(step: StepView, geom: int, point: Array, direction: Array) -> float:
    """Return the speed along a direction that a unit impulse gives the geom's point [1/kg]."""
    if not moves(step, geom):
        return 0.0
    i = step.geoms.number[geom]
    o = step.xpos[i + 1]
    x, y, z = point[0] - o[0], point[1] - o[1], point[2] - o[2]
    ax = y * direction[2] - z * direction[1]
    ay = z * direction[0] - x * direction[2]
    az = x * direction[1] - y * direction[0]
    tx, ty, tz = _turned(step, i, ax, ay, az)
    return float(1.0 / step.things.mass[i] + ax * tx + ay * ty + az * tz)


@inner(flatten=True, borrows=True)
def push(step: StepView, V: Array, geom: int, point: Array, direction: Array, size: float) -> None:
    """Let an impulse of a size [N s] along a direction act on a geom's point."""
    if not moves(step, geom):
        return
    i = step.geoms.number[geom]
    o, mass = step.xpos[i + 1], step.things.mass[i]
    x, y, z = point[0] - o[0], point[1] - o[1], point[2] - o[2]
    px, py, pz = size * direction[0], size * direction[1], size * direction[2]
    tx, ty, tz = _turned(step, i, y * pz - z * py, z * px - x * pz, x * py - y * px)
    V[i, 0] += px / mass
    V[i, 1] += py / mass
    V[i, 2] += pz / mass
    V[i, 3] += tx
    V[i, 4] += ty
    V[i, 5] += tz


@inner(flatten=True, borrows=True)
def kinetic(step: StepView, v: Array, i: int) -> float:
    """Return the kinetic energy of thing i moving with v, w in the world [J]."""
    total = 0.0
    R = step.xmat[i + 1]
    for k in range(3):
        turn = R[k] * v[3] + R[3 + k] * v[4] + R[6 + k] * v[5]
        total += step.things.mass[i] * v[k] * v[k] + step.things.inertia[i, k] * turn * turn
    return 0.5 * total
