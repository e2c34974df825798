"""Bounce: rebounds by impulses on the velocities, one after the other, the fastest first.

A ball keeps its share ``bounce`` of the normal speed on whatever is no ball; two balls keep all of
it and do not rub. An impulse can only take energy away.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.carrying import belt_and_thing, belt_velocity
from armwerk.physics.contacts.impulses import (
    add_velocity,
    kinetic,
    moves,
    push,
    softness,
    world_velocities,
    write_back,
)
from armwerk.physics.contacts.moment import Moment, normal_of, pair, point_of
from armwerk.physics.contacts.rows import ADDRESS, DIST, FRICTION
from armwerk.physics.contacts.tables import (
    BALL,
    BOUNCE,
    CUBOID,
    DT,
    GRAVITY,
    INDEX,
    LEAST_SPEED,
    MASS,
    PAD,
    RADIUS,
    ROLE,
)

Integers = NDArray[np.int32]

SWEEPS = 60  # over the supports of a cuboid that is hit
EVENTS = 10  # rebounds per contact in one step, at most


@inner(flatten=True)
def kept_speed(m: Moment, i: int) -> float:
    """Return the share of normal speed contact i keeps; negative: it never bounces."""
    one, two = pair(m, i)
    first, second = m.geoms[one, ROLE], m.geoms[two, ROLE]
    if first == BALL and second == BALL:
        return 1.0
    if first != BALL:
        one, first, second = two, second, first
    if first != BALL or second == PAD:
        return -1.0
    share = float(m.things[m.geoms[one, INDEX], BOUNCE])
    return share if share > 0.0 else -1.0


@inner(flatten=True)
def _slip(m: Moment, V: Array, i: int, out: Array) -> float:
    """Fill the velocity of the second geom against the first; return its part along the normal."""
    one, two = pair(m, i)
    point, normal = point_of(m, i), normal_of(m, i)
    belt, thing, sign = belt_and_thing(m, i)
    out[0] = out[1] = out[2] = 0.0
    if belt >= 0 and thing >= 0:
        belt_velocity(m, i, belt, thing, out)
        for k in range(3):
            out[k] *= -sign
    add_velocity(m, V, two, point, 1.0, out)
    add_velocity(m, V, one, point, -1.0, out)
    return float(out[0] * normal[0] + out[1] * normal[1] + out[2] * normal[2])


@inner(flatten=True)
def _push_both(m: Moment, V: Array, i: int, direction: Array, size: float) -> None:
    """Push the second geom along a direction and the first one back."""
    one, two = pair(m, i)
    push(m, V, two, point_of(m, i), direction, size)
    push(m, V, one, point_of(m, i), direction, -size)


@inner(flatten=True)
def _softness(m: Moment, i: int, direction: Array) -> float:
    """Return the softness of both geoms together [1/kg]."""
    one, two = pair(m, i)
    point = point_of(m, i)
    return float(softness(m, one, point, direction) + softness(m, two, point, direction))


@inner(flatten=True)
def _rebound(m: Moment, i: int, speed: float, share: float) -> float:
    """Return the speed after a rebound that was noticed below the surface, at depth x.

    At the surface the ball had u² = v² - 2 g x; it must come back there with share · u:

        v'² = share² (v² - 2 g x) + 2 g x ≤ v²
    """
    normal, pull = normal_of(m, i), 0.0
    for k in range(3):
        pull -= m.constants[GRAVITY + k] * normal[k]
    if m.geoms[pair(m, i)[0], ROLE] == BALL:
        pull = -pull
    depth = min(-m.numbers[i, m.columns[DIST]], speed * m.constants[DT])
    fall = 2.0 * pull * depth
    before = max(speed * speed - fall, 0.0)
    return math.sqrt(min(max(share * share * before + fall, 0.0), speed * speed))


@inner(flatten=True)
def _rub(m: Moment, V: Array, i: int, most: float, slip: Array) -> None:
    """Stop the sliding at a contact by an impulse of ``most`` at most."""
    normal = normal_of(m, i)
    along = _slip(m, V, i, slip)
    size = 0.0
    for k in range(3):
        slip[k] -= along * normal[k]
        size += slip[k] * slip[k]
    size = math.sqrt(size)
    if size < 1e-9:
        return
    for k in range(3):
        slip[k] /= size
    _push_both(m, V, i, slip, -min(size / _softness(m, i, slip), most))


@inner(flatten=True)
def _balls(m: Moment, V: Array, i: int) -> None:
    """Let two balls collide elastically along the line their centres had when they touched.

    They overlap by now; |d - u t| = r1 + r2 with d and u the second centre and velocity against
    the first gives the time t since.
    """
    one, two = pair(m, i)
    a, b = m.geoms[one, INDEX], m.geoms[two, INDEX]
    reach = m.things[a, RADIUS] + m.things[b, RADIUS]
    uu = du = dd = 0.0
    for k in range(3):
        d, u = m.xpos[b + 1, k] - m.xpos[a + 1, k], V[b, k] - V[a, k]
        uu, du, dd = uu + u * u, du + d * u, dd + d * d
    since = (du + math.sqrt(max(du * du - uu * (dd - reach * reach), 0.0))) / uu
    since = min(max(since, 0.0), m.constants[DT])
    line = np.empty(3)
    length = speed = 0.0
    for k in range(3):
        u = V[b, k] - V[a, k]
        line[k] = m.xpos[b + 1, k] - m.xpos[a + 1, k] - u * since
        length += line[k] * line[k]
        speed += line[k] * u
    first, second = m.things[a, MASS], m.things[b, MASS]
    impulse = -2.0 * min(speed, 0.0) / length * first * second / (first + second)
    for k in range(3):
        V[a, k] -= impulse * line[k] / first
        V[b, k] += impulse * line[k] / second


@inner(flatten=True)
def _event(
    m: Moment, V: Array, i: int, speed: float, share: float, slip: Array, moved: Integers
) -> bool:
    """Let contact i rebound; return whether other things than its own may have been moved."""
    one, two = pair(m, i)
    for geom in (one, two):
        if moves(m, geom):
            moved[m.geoms[geom, INDEX]] = 1
    first, second = m.geoms[one, ROLE], m.geoms[two, ROLE]
    if first == BALL and second == BALL:
        _balls(m, V, i)
        return False
    goal = _rebound(m, i, speed, share)
    if CUBOID in (first, second):
        _hit_cuboid(m, V, i, goal, slip, moved)
        return True
    impulse = (goal + speed) / _softness(m, i, normal_of(m, i))
    _push_both(m, V, i, normal_of(m, i), impulse)
    _rub(m, V, i, m.numbers[i, m.columns[FRICTION]] * impulse, slip)
    return False


@inner(flatten=True)
def _joined(m: Moment, hit: int) -> Integers:
    """Mark the cuboid that is hit and all cuboids that touch it, directly or not. Shape (n,)."""
    joined = np.zeros(m.things.shape[0], dtype=np.int32)
    for geom in pair(m, hit):
        if m.geoms[geom, ROLE] == CUBOID:
            joined[m.geoms[geom, INDEX]] = 1
    changed = True
    while changed:
        changed = False
        for i in range(m.contacts):
            one, two = pair(m, i)
            if m.drop[i] or m.geoms[one, ROLE] != CUBOID or m.geoms[two, ROLE] != CUBOID:
                continue
            a, b = m.geoms[one, INDEX], m.geoms[two, INDEX]
            if joined[a] != joined[b]:
                joined[a] = joined[b] = 1
                changed = True
    return joined


@inner(flatten=True)
def _supports(m: Moment, hit: int, joined: Integers) -> Integers:
    """Return the contact hit, then all contacts the marked cuboids rest on."""
    chosen = np.empty(m.contacts + 1, dtype=np.int32)
    chosen[0] = hit
    size = 1
    for i in range(m.contacts):
        if i == hit or m.drop[i] or m.whole[i, m.columns[ADDRESS]] < 0:
            continue
        mine = balls = False
        for geom in pair(m, i):
            role = m.geoms[geom, ROLE]
            mine = mine or (role == CUBOID and joined[m.geoms[geom, INDEX]] == 1)
            balls = balls or role == BALL
        if mine and not balls:
            chosen[size] = i
            size += 1
    return chosen[:size]


@inner(flatten=True)
def _hit_cuboid(m: Moment, V: Array, hit: int, goal: float, slip: Array, moved: Integers) -> None:
    """Let a ball rebound from a cuboid, together with all that the cuboid rests on.

    The supports answer at once, so that a ball rebounds from a cuboid on the floor as from the
    floor, and from a free one by both masses: Gauss-Seidel over the impulses p ≥ 0 of the contact
    hit (end speed ``goal``) and of the supports (end speed 0).
    """
    joined = _joined(m, hit)
    chosen = _supports(m, hit, joined)
    before = V.copy()
    impulses, soft = np.zeros(chosen.shape[0]), np.empty(chosen.shape[0])
    for c in range(chosen.shape[0]):
        soft[c] = _softness(m, chosen[c], normal_of(m, chosen[c]))
    for _ in range(SWEEPS):
        largest = 0.0
        for c in range(chosen.shape[0]):
            speed = _slip(m, V, chosen[c], slip)
            wanted = goal if c == 0 else 0.0
            change = max((wanted - speed) / soft[c], -impulses[c])
            impulses[c] += change
            largest = max(largest, abs(change) * soft[c])
            _push_both(m, V, chosen[c], normal_of(m, chosen[c]), change)
        if chosen.shape[0] == 1 or largest < 1e-6 * (goal + 1e-3):
            break
    _rub(m, V, hit, m.numbers[hit, m.columns[FRICTION]] * impulses[0], slip)
    for geom in pair(m, hit):
        joined[m.geoms[geom, INDEX]] = 1
    for i in range(moved.shape[0]):
        moved[i] |= joined[i]
    _no_more_energy(m, V, before, joined)


@inner(flatten=True)
def _no_more_energy(m: Moment, V: Array, before: Array, joined: Integers) -> None:
    """Shrink a change of velocities until the kinetic energy is not above what it was.

    Along V0 + s (V - V0) the energy is T0 + s a + s² b; it is T0 again at s = -a / b.
    """
    at_start = at_end = change = 0.0
    for i in range(joined.shape[0]):
        if joined[i]:
            at_start += kinetic(m, before[i], i)
            at_end += kinetic(m, V[i], i)
            change += kinetic(m, V[i] - before[i], i)
    if at_end <= at_start or change == 0.0:
        return
    share = max(0.0, (at_start + change - at_end) / change)
    for i in range(joined.shape[0]):
        if joined[i]:
            for k in range(6):
                V[i, k] = before[i, k] + share * (V[i, k] - before[i, k])


@inner(flatten=True)
def _bouncing(m: Moment, chosen: Integers, share: Array) -> int:
    """Fill the contacts that may bounce and their shares; return how many, 0 when none is due."""
    size, due = 0, False
    for i in range(m.contacts):
        one, two = pair(m, i)
        row = m.whole[i, m.columns[ADDRESS]]
        if row < 0 or m.drop[i] or one < 0 or two < 0:
            continue
        kept = kept_speed(m, i)
        if kept >= 0.0:
            chosen[size], share[size] = i, kept
            size += 1
            due = due or m.velocity[row] < -m.constants[LEAST_SPEED]
    return size if due else 0


@inner(flatten=True)
def _shares_thing(m: Moment, i: int, j: int) -> bool:
    """Whether a thing takes part in both contacts."""
    for one in pair(m, i):
        if moves(m, one):
            for two in pair(m, j):
                if one == two:
                    return True
    return False


@inner(flatten=True)
def bounce(m: Moment) -> bool:
    """Let all rebounds of this step happen; return whether there were any."""
    chosen, share = np.empty(m.contacts, dtype=np.int32), np.empty(m.contacts)
    size = _bouncing(m, chosen, share)
    if size == 0:
        return False
    V, slip, speeds = world_velocities(m), np.empty(3), np.empty(size)
    moved = np.zeros(m.things.shape[0], dtype=np.int32)
    for c in range(size):
        speeds[c] = _slip(m, V, chosen[c], slip)
    for _ in range(EVENTS * size):
        c = int(np.argmin(speeds))
        if speeds[c] >= -m.constants[LEAST_SPEED]:
            break
        everywhere = _event(m, V, chosen[c], -speeds[c], share[c], slip, moved)
        for k in range(size):
            if everywhere or _shares_thing(m, chosen[c], chosen[k]):
                speeds[k] = _slip(m, V, chosen[k], slip)
    for i in range(m.things.shape[0]):
        if moved[i]:  # others keep their velocities to the last bit
            write_back(m, V, i)
    return True
