"""One call between the two halves of a MuJoCo step: rebounds, then the rows of the contacts."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.world.contacts.bounce import belt_velocity, bounce, kept_speed
from armwerk.world.contacts.rows import ADDRESS, DIM, DIST, FRAME, FRICTION, GEOM
from armwerk.world.contacts.seams import find_seams
from armwerk.world.contacts.tables import (
    BALL,
    CUBOID,
    DAMPING,
    DT,
    FIXED,
    GRAVITY,
    INDEX,
    LEAST_SLIDE,
    LEAST_SPEED,
    PAD,
    ROLE,
    ROLLING,
)

Array = NDArray[np.float64]
Integers = NDArray[np.int32]

OFF = -1e6  # [m/s²] a reference no contact force is needed for
BALL_EASE = 3.5  # a ball also turns: (1/m + r²/I) m
LEAST_OUT, OUT_TIME = 0.003, 0.25  # [m/s], [s] speed out of a solid: depth / time, and a little
TOUCHED, CARRIED = 1, 2  # bits of a thing's state


@njit(nogil=True, error_model="numpy")
def _switch_off(aref: Array, row: int, dim: int) -> None:
    """Let a contact give no force in this step."""
    aref[row] = OFF
    for k in range(1, dim):
        aref[row + k] = 0.0


@njit(nogil=True, error_model="numpy")
def _carry(
    columns: Array,
    numbers: Array,
    i: int,
    row: int,
    sign: float,
    aref: Array,
    belts: Array,
    belt: int,
    at: Array,
    damping: float,
    moving: Array,
) -> bool:
    """Let the rows of a contact aim at the belt's velocity; False: not on the belt's top.

    A row of friction aims at the acceleration -b v; here at -b (v - u).
    """
    frame = columns[FRAME]
    normal = numbers[i, frame : frame + 3]
    if not belt_velocity(belts, belt, normal[0], normal[1], normal[2], at, moving):
        return False
    for r in range(1, 3):
        speed = 0.0
        for k in range(3):
            speed += moving[k] * numbers[i, frame + 3 * r + k]
        aref[row + r] += sign * damping * speed
    return True


@njit(nogil=True, error_model="numpy")
def _ease(
    columns: Array,
    numbers: Array,
    i: int,
    row: int,
    dim: int,
    aref: Array,
    constants: Array,
    ease: float,
    sign: float,
) -> None:
    """Limit what the friction of a contact aims at, and keep it from lifting the thing.

    In MuJoCo's cone a contact that slides rises by mu (t - mu n), t being what friction would have
    to change and n the normal acceleration it can draw on; hops are the consequence. The limit
    keeps t moderate, and the rise is taken off the aim of the normal row. n is the weight and what
    the normal row aims at, times ``ease``: how much easier the contact's point is moved sideways
    than along the normal. ``sign`` is 1, -1 or 0 as gravity moves geom two, one or both.
    """
    friction, frame = columns[FRICTION], columns[FRAME]
    mu = numbers[i, friction]
    total = 0.0
    for r in range(1, dim):
        part = numbers[i, friction + r - 1] * aref[row + r]
        total += part * part
    total = math.sqrt(total)
    weight = along = across = 0.0
    for k in range(3):
        weight += constants[GRAVITY + k] * numbers[i, frame + k]
        along += constants[GRAVITY + k] * numbers[i, frame + 3 + k]
        across += constants[GRAVITY + k] * numbers[i, frame + 6 + k]
    normal = abs(weight) + aref[row]
    most = mu * ease * max(constants[LEAST_SLIDE], mu * normal)
    if total > most:
        for r in range(1, dim):
            aref[row + r] *= most / total
    total = math.hypot(aref[row + 1] - sign * along, aref[row + 2] - sign * across)
    rise = mu * (total - mu * ease * normal)
    if rise > 0.0:
        aref[row] -= rise


@njit(nogil=True, error_model="numpy")
def _rows(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    aref: Array,
    velocity: Array,
    xpos: Array,
    things: Array,
    geoms: Integers,
    belts: Array,
    constants: Array,
    drop: Integers,
    state: Integers,
) -> None:
    """Adjust the rows of all contacts and note which things are touched."""
    at, address, dims = columns[GEOM], columns[ADDRESS], columns[DIM]
    moving = np.empty(3)
    for i in range(count):
        row, dim = whole[i, address], whole[i, dims]
        one, two = whole[i, at], whole[i, at + 1]
        if row < 0 or one < 0 or two < 0:
            continue
        leaving = velocity[row] > constants[LEAST_SPEED]
        if drop[i] or (leaving and kept_speed(things, geoms, one, two) >= 0.0):
            _switch_off(aref, row, dim)
            continue
        for side in range(2):
            geom, other = (one, two) if side == 0 else (two, one)
            role = geoms[geom, ROLE]
            if role == BALL or role == CUBOID:
                state[geoms[geom, INDEX]] |= TOUCHED
            elif role == FIXED and geoms[geom, INDEX] >= 0 and geoms[other, INDEX] >= 0:
                sign = 1.0 if side == 0 else -1.0
                thing = geoms[other, INDEX]
                if _carry(
                    columns, numbers, i, row, sign, aref, belts, geoms[geom, INDEX],
                    xpos[thing + 1], constants[DAMPING], moving,
                ):  # fmt: skip
                    state[thing] |= CARRIED
        if geoms[one, ROLE] != PAD and geoms[two, ROLE] != PAD:
            # what sank in at a landing must not be thrown out again
            out = LEAST_OUT - numbers[i, columns[DIST]] / OUT_TIME
            aref[row] = min(aref[row], constants[DAMPING] * (out - velocity[row]))
        if dim >= 3:
            ease, sign = 1.0, 0.0
            if geoms[one, ROLE] == BALL or geoms[two, ROLE] == BALL:
                ease = BALL_EASE
            if geoms[one, ROLE] == BALL or geoms[one, ROLE] == CUBOID:
                sign -= 1.0
            if geoms[two, ROLE] == BALL or geoms[two, ROLE] == CUBOID:
                sign += 1.0
            _ease(columns, numbers, i, row, dim, aref, constants, ease, sign)


@njit(nogil=True, error_model="numpy")
def _roll_and_fly(
    qvel: Array, qpos: Array, passive: Array, things: Array, constants: Array, state: Integers
) -> None:
    """Brake what rolls; let what flies follow the parabola.

    MuJoCo moves x by (v + g dt) dt; the parabola by v dt + g dt²/2. The difference is taken off.
    """
    half = 0.5 * constants[DT] * constants[DT]
    for i in range(things.shape[0]):
        if state[i] & TOUCHED:
            if things[i, ROLLING] > 0.0 and not state[i] & CARRIED:
                for k in range(3, 6):
                    passive[6 * i + k] -= things[i, ROLLING] * qvel[6 * i + k]
        else:
            for k in range(3):
                qpos[7 * i + k] -= half * constants[GRAVITY + k]


@njit(
    "boolean(int64[::1], float64[:,::1], int32[:,::1], int64, float64[::1], float64[::1],"
    "float64[::1], float64[::1], float64[::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    "float64[:,::1], int32[::1], float64[:,::1], int32[:,::1], float64[:,::1], float64[::1],"
    "int32[::1], boolean)",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def after_contacts(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    aref: Array,
    velocity: Array,
    qvel: Array,
    qpos: Array,
    passive: Array,
    xpos: Array,
    xmat: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    things: Array,
    geoms: Integers,
    belts: Array,
    constants: Array,
    state: Integers,
    rebounds: bool,
) -> bool:
    """Act on the contacts of one step.

    Args:
        rebounds: Whether rebounds are still to come. When some happen, nothing else is done and
            True is returned: velocities must be reckoned anew and the kernel called again.
    """
    drop = np.zeros(count, dtype=np.int32)
    for i in range(state.shape[0]):
        state[i] = 0
    if count > 0:
        head = np.empty(things.shape[0], dtype=np.int32)
        after = np.empty(count, dtype=np.int32)
        find_seams(columns, numbers, whole, count, things, geoms, head, after, drop)
        if rebounds and bounce(
            columns, numbers, whole, count, velocity, qvel, xpos, xmat, cvel, com, root, things,
            geoms, belts, constants, drop,
        ):  # fmt: skip
            return True
        _rows(
            columns, numbers, whole, count, aref, velocity, xpos, things, geoms, belts, constants,
            drop, state,
        )  # fmt: skip
    _roll_and_fly(qvel, qpos, passive, things, constants, state)
    return False
