"""Velocities at a contact and what an impulse there does to the things."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.world.contacts.tables import BALL, BODY, CUBOID, INDEX, INERTIA, MASS, ROLE, TOUCH

Array = NDArray[np.float64]
Integers = NDArray[np.int32]


@njit(nogil=True, error_model="numpy")
def world_velocities(qvel: Array, xmat: Array, count: int, V: Array) -> None:
    """Fill v and w in the world of every thing. Shape (n, 6)."""
    for i in range(count):
        for k in range(3):
            V[i, k] = qvel[6 * i + k]
            turn = 0.0
            for c in range(3):
                turn += xmat[i + 1, 3 * k + c] * qvel[6 * i + 3 + c]
            V[i, 3 + k] = turn


@njit(nogil=True, error_model="numpy")
def write_back(qvel: Array, xmat: Array, V: Array, i: int) -> None:
    """Give a thing its velocities in the world."""
    for k in range(3):
        qvel[6 * i + k] = V[i, k]
        turn = 0.0
        for c in range(3):
            turn += xmat[i + 1, 3 * c + k] * V[i, 3 + c]
        qvel[6 * i + 3 + k] = turn


@njit(nogil=True, error_model="numpy")
def add_velocity(
    V: Array,
    geoms: Integers,
    xpos: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    geom: int,
    point: Array,
    factor: float,
    out: Array,
) -> None:
    """Add factor times the velocity of a geom's point to ``out``; fixed geoms have none."""
    role = geoms[geom, ROLE]
    body = geoms[geom, BODY]
    if role == BALL or role == CUBOID:
        i = geoms[geom, INDEX]
        x, y, z = point[0] - xpos[body, 0], point[1] - xpos[body, 1], point[2] - xpos[body, 2]
        out[0] += factor * (V[i, 0] + V[i, 4] * z - V[i, 5] * y)
        out[1] += factor * (V[i, 1] + V[i, 5] * x - V[i, 3] * z)
        out[2] += factor * (V[i, 2] + V[i, 3] * y - V[i, 4] * x)
    elif role >= TOUCH:  # cvel is (w, v) at the centre of mass of the whole tree
        o = root[body]
        x, y, z = point[0] - com[o, 0], point[1] - com[o, 1], point[2] - com[o, 2]
        out[0] += factor * (cvel[body, 3] + cvel[body, 1] * z - cvel[body, 2] * y)
        out[1] += factor * (cvel[body, 4] + cvel[body, 2] * x - cvel[body, 0] * z)
        out[2] += factor * (cvel[body, 5] + cvel[body, 0] * y - cvel[body, 1] * x)


@njit(nogil=True, error_model="numpy")
def _turned(
    things: Array, xmat: Array, i: int, ax: float, ay: float, az: float
) -> tuple[float, float, float]:
    """Return inertia⁻¹ times an angular impulse, in the world."""
    x = y = z = 0.0
    body = i + 1
    for k in range(3):
        part = (
            xmat[body, k] * ax + xmat[body, 3 + k] * ay + xmat[body, 6 + k] * az
        ) / things[i, INERTIA + k]
        x += xmat[body, k] * part
        y += xmat[body, 3 + k] * part
        z += xmat[body, 6 + k] * part
    return x, y, z


@njit(nogil=True, error_model="numpy")
def softness(
    things: Array,
    geoms: Integers,
    xpos: Array,
    xmat: Array,
    geom: int,
    point: Array,
    direction: Array,
) -> float:
    """Return the speed along a direction that a unit impulse gives the geom's point [1/kg]."""
    role = geoms[geom, ROLE]
    if role != BALL and role != CUBOID:
        return 0.0
    i = geoms[geom, INDEX]
    x, y, z = point[0] - xpos[i + 1, 0], point[1] - xpos[i + 1, 1], point[2] - xpos[i + 1, 2]
    ax = y * direction[2] - z * direction[1]
    ay = z * direction[0] - x * direction[2]
    az = x * direction[1] - y * direction[0]
    tx, ty, tz = _turned(things, xmat, i, ax, ay, az)
    return 1.0 / things[i, MASS] + ax * tx + ay * ty + az * tz


@njit(nogil=True, error_model="numpy")
def push(
    V: Array,
    things: Array,
    geoms: Integers,
    xpos: Array,
    xmat: Array,
    geom: int,
    point: Array,
    direction: Array,
    size: float,
) -> None:
    """Let an impulse of a size [N s] along a direction act on a geom's point."""
    role = geoms[geom, ROLE]
    if role != BALL and role != CUBOID:
        return
    i = geoms[geom, INDEX]
    x, y, z = point[0] - xpos[i + 1, 0], point[1] - xpos[i + 1, 1], point[2] - xpos[i + 1, 2]
    px, py, pz = size * direction[0], size * direction[1], size * direction[2]
    tx, ty, tz = _turned(things, xmat, i, y * pz - z * py, z * px - x * pz, x * py - y * px)
    V[i, 0] += px / things[i, MASS]
    V[i, 1] += py / things[i, MASS]
    V[i, 2] += pz / things[i, MASS]
    V[i, 3] += tx
    V[i, 4] += ty
    V[i, 5] += tz


@njit(nogil=True, error_model="numpy")
def kinetic(V: Array, things: Array, xmat: Array, i: int) -> float:
    """Return the kinetic energy of a thing [J]."""
    total = 0.0
    for k in range(3):
        turn = 0.0
        for c in range(3):
            turn += xmat[i + 1, 3 * c + k] * V[i, 3 + c]
        total += things[i, MASS] * V[i, k] * V[i, k] + things[i, INERTIA + k] * turn * turn
    return 0.5 * total
