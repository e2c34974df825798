"""Bounce: rebounds by impulses on the velocities, one after the other, the fastest first.

A ball keeps its share ``bounce`` of the normal speed on whatever is no ball; two balls keep all of
it and do not rub. An impulse can only take energy away. When a ball hits a cuboid, whatever the
cuboid rests on answers at once: the supports join in as contacts that do not bounce, so that a ball
rebounds from a cuboid on the floor as from the floor itself, and from a free one by both masses.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.world.contacts.belts import (
    ACROSS,
    ALONG,
    EASE,
    MIDDLE,
    NORMAL,
    RUNNING,
    SPEED,
    TO_MIDDLE,
)
from armwerk.world.contacts.impulses import (
    add_velocity,
    kinetic,
    push,
    softness,
    world_velocities,
    write_back,
)
from armwerk.world.contacts.rows import ADDRESS, DIST, FRAME, FRICTION, GEOM, POS
from armwerk.world.contacts.tables import (
    BALL,
    BOUNCE,
    CUBOID,
    DT,
    FIXED,
    GRAVITY,
    INDEX,
    LEAST_SPEED,
    PAD,
    ROLE,
)

Array = NDArray[np.float64]
Integers = NDArray[np.int32]

SWEEPS = 60  # over the supports of a cuboid that is hit
EVENTS = 10  # rebounds per contact in one step, at most
ON_TOP = 0.9  # cosine between a contact's normal and the belt's


@njit(nogil=True, error_model="numpy")
def kept_speed(things: Array, geoms: Integers, one: int, two: int) -> float:
    """Return the share of normal speed a pair of geoms keeps; negative: it never bounces."""
    first, second = geoms[one, ROLE], geoms[two, ROLE]
    if first == BALL and second == BALL:
        return 1.0
    if first != BALL:
        one, first, second = two, second, first
    if first != BALL or second == PAD:
        return -1.0
    share = things[geoms[one, INDEX], BOUNCE]
    return share if share > 0.0 else -1.0


@njit(nogil=True, error_model="numpy")
def belt_velocity(
    belts: Array, belt: int, nx: float, ny: float, nz: float, at: Array, out: Array
) -> bool:
    """Fill the velocity of a belt's top under a thing at ``at``; False: not on the top.

    Along the belt with its speed; across it towards the middle line, slower close to the line.
    """
    row = belts[belt]
    out[0] = out[1] = out[2] = 0.0
    if abs(nx * row[NORMAL] + ny * row[NORMAL + 1] + nz * row[NORMAL + 2]) < ON_TOP:
        return False
    if row[RUNNING] == 0.0:
        return True
    off = 0.0
    for k in range(3):
        off += (at[k] - row[MIDDLE + k]) * row[ACROSS + k]
    drift = -row[TO_MIDDLE] * max(-1.0, min(1.0, off / row[EASE]))
    for k in range(3):
        out[k] = row[SPEED] * row[ALONG + k] + drift * row[ACROSS + k]
    return True


@njit(nogil=True, error_model="numpy")
def _slip(
    V: Array,
    geoms: Integers,
    belts: Array,
    xpos: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    one: int,
    two: int,
    point: Array,
    normal: Array,
    out: Array,
    scratch: Array,
) -> float:
    """Fill the velocity of geom two against geom one; return its part along the normal."""
    out[0] = out[1] = out[2] = 0.0
    add_velocity(V, geoms, xpos, cvel, com, root, two, point, 1.0, out)
    add_velocity(V, geoms, xpos, cvel, com, root, one, point, -1.0, out)
    for side in range(2):
        geom, other = (one, two) if side == 0 else (two, one)
        if geoms[geom, ROLE] == FIXED and geoms[geom, INDEX] >= 0 and geoms[other, INDEX] >= 0:
            belt_velocity(
                belts,
                geoms[geom, INDEX],
                normal[0],
                normal[1],
                normal[2],
                xpos[geoms[other, INDEX] + 1],
                scratch,
            )
            factor = -1.0 if side == 0 else 1.0
            for k in range(3):
                out[k] += factor * scratch[k]
    return out[0] * normal[0] + out[1] * normal[1] + out[2] * normal[2]


@njit(nogil=True, error_model="numpy")
def _rebound(speed: float, share: float, depth: float, pull: float, dt: float) -> float:
    """Return the speed after a rebound noticed ``depth`` below the surface.

    At the surface the ball had u² = v² - 2 g depth; it must come back there with share · u:

        v'² = share² (v² - 2 g depth) + 2 g depth ≤ v²
    """
    fall = 2.0 * pull * min(depth, speed * dt)
    before = max(speed * speed - fall, 0.0)
    return math.sqrt(min(max(share * share * before + fall, 0.0), speed * speed))


@njit(nogil=True, error_model="numpy")
def _rub(
    V: Array,
    things: Array,
    geoms: Integers,
    xpos: Array,
    xmat: Array,
    one: int,
    two: int,
    point: Array,
    normal: Array,
    slip: Array,
    most: float,
) -> None:
    """Stop the sliding at a contact by an impulse of ``most`` at most."""
    along = slip[0] * normal[0] + slip[1] * normal[1] + slip[2] * normal[2]
    size = 0.0
    for k in range(3):
        slip[k] -= along * normal[k]
        size += slip[k] * slip[k]
    size = math.sqrt(size)
    if size < 1e-9:
        return
    for k in range(3):
        slip[k] /= size
    soft = softness(things, geoms, xpos, xmat, one, point, slip) + softness(
        things, geoms, xpos, xmat, two, point, slip
    )
    impulse = min(size / soft, most)
    push(V, things, geoms, xpos, xmat, two, point, slip, -impulse)
    push(V, things, geoms, xpos, xmat, one, point, slip, impulse)


@njit(nogil=True, error_model="numpy")
def _supported(
    columns: Array, whole: Integers, count: int, geoms: Integers, drop: Integers, joined: Integers
) -> None:
    """Spread the mark of cuboids over all cuboids that touch them."""
    at = columns[GEOM]
    changed = True
    while changed:
        changed = False
        for i in range(count):
            one, two = whole[i, at], whole[i, at + 1]
            if drop[i] or geoms[one, ROLE] != CUBOID or geoms[two, ROLE] != CUBOID:
                continue
            a, b = geoms[one, INDEX], geoms[two, INDEX]
            if joined[a] != joined[b]:
                joined[a] = joined[b] = 1
                changed = True


@njit(nogil=True, error_model="numpy")
def bounce(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    velocity: Array,
    qvel: Array,
    xpos: Array,
    xmat: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    things: Array,
    geoms: Integers,
    belts: Array,
    constants: Array,
    drop: Integers,
) -> bool:
    """Let all rebounds of this step happen; return whether there were any."""
    least = constants[LEAST_SPEED]
    at, address = columns[GEOM], columns[ADDRESS]
    share = np.empty(count)
    due = False
    for i in range(count):
        one, two = whole[i, at], whole[i, at + 1]
        share[i] = -1.0
        if whole[i, address] < 0 or drop[i] or one < 0 or two < 0:
            continue
        share[i] = kept_speed(things, geoms, one, two)
        due = due or (share[i] >= 0.0 and velocity[whole[i, address]] < -least)
    if not due:
        return False
    V = np.empty((things.shape[0], 6))
    world_velocities(qvel, xmat, things.shape[0], V)
    _all_events(
        columns, numbers, whole, count, xpos, xmat, cvel, com, root, things, geoms, belts,
        constants, drop, share, V,
    )  # fmt: skip
    for i in range(things.shape[0]):
        write_back(qvel, xmat, V, i)
    return True


@njit(nogil=True, error_model="numpy")
def _all_events(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    xpos: Array,
    xmat: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    things: Array,
    geoms: Integers,
    belts: Array,
    constants: Array,
    drop: Integers,
    share: Array,
    V: Array,
) -> None:
    """Take the contact that closes fastest, let it rebound, and so on until none closes."""
    at, pos, frame = columns[GEOM], columns[POS], columns[FRAME]
    slip, scratch = np.empty(3), np.empty(3)
    for _ in range(EVENTS * count):
        worst, which = -constants[LEAST_SPEED], -1
        for i in range(count):
            if share[i] < 0.0:
                continue
            speed = _slip(
                V, geoms, belts, xpos, cvel, com, root, whole[i, at], whole[i, at + 1],
                numbers[i, pos : pos + 3], numbers[i, frame : frame + 3], slip, scratch,
            )  # fmt: skip
            if speed < worst:
                worst, which = speed, i
        if which < 0:
            return
        _event(
            columns, numbers, whole, count, xpos, xmat, cvel, com, root, things, geoms, belts,
            constants, drop, V, which, -worst, share[which],
        )  # fmt: skip


@njit(nogil=True, error_model="numpy")
def _event(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    xpos: Array,
    xmat: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    things: Array,
    geoms: Integers,
    belts: Array,
    constants: Array,
    drop: Integers,
    V: Array,
    i: int,
    speed: float,
    share: float,
) -> None:
    """Let one contact rebound."""
    at, pos, frame = columns[GEOM], columns[POS], columns[FRAME]
    one, two = whole[i, at], whole[i, at + 1]
    point, normal = numbers[i, pos : pos + 3], numbers[i, frame : frame + 3]
    balls = geoms[one, ROLE] == BALL and geoms[two, ROLE] == BALL
    goal = share * speed
    if not balls:
        pull = 0.0
        for k in range(3):
            pull -= constants[GRAVITY + k] * normal[k]
        if geoms[one, ROLE] == BALL:
            pull = -pull
        goal = _rebound(speed, share, -numbers[i, columns[DIST]], pull, constants[DT])
    soft = softness(things, geoms, xpos, xmat, one, point, normal) + softness(
        things, geoms, xpos, xmat, two, point, normal
    )
    if geoms[one, ROLE] == CUBOID or geoms[two, ROLE] == CUBOID:
        _hit_cuboid(
            columns, numbers, whole, count, xpos, xmat, cvel, com, root, things, geoms, belts,
            drop, V, i, goal, soft,
        )  # fmt: skip
        return
    impulse = (goal + speed) / soft
    push(V, things, geoms, xpos, xmat, two, point, normal, impulse)
    push(V, things, geoms, xpos, xmat, one, point, normal, -impulse)
    if not balls:
        slip, scratch = np.empty(3), np.empty(3)
        _slip(
            V, geoms, belts, xpos, cvel, com, root, one, two, point, normal, slip, scratch
        )
        most = numbers[i, columns[FRICTION]] * impulse
        _rub(V, things, geoms, xpos, xmat, one, two, point, normal, slip, most)


@njit(nogil=True, error_model="numpy")
def _hit_cuboid(
    columns: Array,
    numbers: Array,
    whole: Integers,
    count: int,
    xpos: Array,
    xmat: Array,
    cvel: Array,
    com: Array,
    root: Integers,
    things: Array,
    geoms: Integers,
    belts: Array,
    drop: Integers,
    V: Array,
    hit: int,
    goal: float,
    soft_hit: float,
) -> None:
    """Let a ball rebound from a cuboid, together with all that the cuboid rests on.

    Gauss-Seidel over the impulses p ≥ 0 of the contact hit (end speed ``goal``) and of the supports
    (end speed 0). Should energy have risen, the whole change is taken back as far as needed.
    """
    at, pos, frame, address = columns[GEOM], columns[POS], columns[FRAME], columns[ADDRESS]
    joined = np.zeros(things.shape[0], dtype=np.int32)
    for side in range(2):
        geom = whole[hit, at + side]
        if geoms[geom, ROLE] == CUBOID:
            joined[geoms[geom, INDEX]] = 1
    _supported(columns, whole, count, geoms, drop, joined)
    chosen = np.empty(count + 1, dtype=np.int32)
    chosen[0] = hit
    size = 1
    for i in range(count):
        one, two = geoms[whole[i, at], ROLE], geoms[whole[i, at + 1], ROLE]
        a, b = geoms[whole[i, at], INDEX], geoms[whole[i, at + 1], INDEX]
        mine = (one == CUBOID and joined[a] == 1) or (two == CUBOID and joined[b] == 1)
        if i != hit and mine and one != BALL and two != BALL and not drop[i]:
            if whole[i, address] >= 0:
                chosen[size] = i
                size += 1
    ball = geoms[whole[hit, at], INDEX]
    if geoms[whole[hit, at], ROLE] != BALL:
        ball = geoms[whole[hit, at + 1], INDEX]
    joined[ball] = 1
    before = V.copy()
    impulses, soft = np.zeros(size), np.empty(size)
    slip, scratch = np.empty(3), np.empty(3)
    for c in range(size):
        i = chosen[c]
        soft[c] = soft_hit
        if c > 0:
            point, normal = numbers[i, pos : pos + 3], numbers[i, frame : frame + 3]
            soft[c] = softness(
                things, geoms, xpos, xmat, whole[i, at], point, normal
            ) + softness(things, geoms, xpos, xmat, whole[i, at + 1], point, normal)
    for sweep in range(SWEEPS):
        largest = 0.0
        for c in range(size):
            i = chosen[c]
            one, two = whole[i, at], whole[i, at + 1]
            point, normal = numbers[i, pos : pos + 3], numbers[i, frame : frame + 3]
            speed = _slip(
                V, geoms, belts, xpos, cvel, com, root, one, two, point, normal, slip, scratch
            )
            wanted = goal if c == 0 else 0.0
            change = max((wanted - speed) / soft[c], -impulses[c])
            impulses[c] += change
            largest = max(largest, abs(change) * soft[c])
            push(V, things, geoms, xpos, xmat, two, point, normal, change)
            push(V, things, geoms, xpos, xmat, one, point, normal, -change)
        if size == 1 or largest < 1e-6 * goal:
            break
    one, two = whole[hit, at], whole[hit, at + 1]
    point, normal = numbers[hit, pos : pos + 3], numbers[hit, frame : frame + 3]
    _slip(V, geoms, belts, xpos, cvel, com, root, one, two, point, normal, slip, scratch)
    most = numbers[hit, columns[FRICTION]] * impulses[0]
    _rub(V, things, geoms, xpos, xmat, one, two, point, normal, slip, most)
    _no_more_energy(V, before, things, xmat, joined)


@njit(nogil=True, error_model="numpy")
def _no_more_energy(
    V: Array, before: Array, things: Array, xmat: Array, joined: Integers
) -> None:
    """Shrink a change of velocities until the kinetic energy is not above what it was.

    Along V0 + s (V - V0) the energy is T0 + s a + s² b; it is T0 again at s = -a / b.
    """
    at_start = at_end = change = 0.0
    for i in range(things.shape[0]):
        if joined[i]:
            at_start += kinetic(before, things, xmat, i)
            at_end += kinetic(V, things, xmat, i)
            change += kinetic(V - before, things, xmat, i)
    if at_end <= at_start or change == 0.0:
        return
    share = max(0.0, (at_start + change - at_end) / change)
    for i in range(things.shape[0]):
        if joined[i]:
            for k in range(6):
                V[i, k] = before[i, k] + share * (V[i, k] - before[i, k])
