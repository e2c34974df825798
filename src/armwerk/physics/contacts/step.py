"""One call between the two halves of a MuJoCo step: rebounds, then the rows of the contacts."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.belts import RUNNING
from armwerk.physics.contacts.book import Book, open_book
from armwerk.physics.contacts.bounce import bounce, kept_speed
from armwerk.physics.contacts.carrying import belt_and_thing, belt_velocity
from armwerk.physics.contacts.impulses import moves
from armwerk.physics.contacts.moment import Moment, pair
from armwerk.physics.contacts.rows import ADDRESS, DIM, DIST, FRAME, FRICTION
from armwerk.physics.contacts.seams import find_seams
from armwerk.physics.contacts.tables import (
    BALL,
    DAMPING,
    DT,
    GRAVITY,
    INDEX,
    INERTIA,
    LEAST_SLIDE,
    LEAST_SPEED,
    PAD,
    RADIUS,
    ROLE,
    ROLLING,
)
from armwerk.physics.sleeping import AWAKE

OFF = -1e6  # [m/s²] an aim no force is needed for, even when a blow moves the thing sideways
BALL_EASE = 3.5  # a ball also turns: (1/m + r²/I) m
# speed out of a solid [m/s]: a little and depth / time [s], or a share of what a fall would give
LEAST_OUT, OUT_TIME, OUT_SHARE = 0.003, 0.25, 0.5
LEAST_TURN, MOST_TURN = 1e-4, 0.5  # [rad] in a step between which free turning is put right
MIDPOINTS = 4  # iterations of the midpoint rule; each gains a factor of w dt
BLOW = 0.9  # share of a closing speed that is stopped within a step
TOUCHED, CARRIED = 1, 2  # bits of a thing's state


@inner(flatten=True)
def _switch_off(m: Moment, row: int, dim: int) -> None:
    """Let a contact give no force in this step."""
    m.aref[row] = OFF
    for k in range(1, dim):
        m.aref[row + k] = 0.0


@inner(flatten=True)
def _carry(m: Moment, i: int, row: int, moving: Array) -> None:
    """Let the rows of a contact aim at the velocity u of the belt it lies on.

    A row of friction aims at the acceleration -b v; here at -b (v - u).
    """
    belt, thing, sign = belt_and_thing(m, i)
    if belt < 0 or thing < 0 or not belt_velocity(m, i, belt, thing, moving):
        return
    m.state[thing] |= CARRIED
    if m.belts[belt, RUNNING] != 0.0:
        m.asleep[thing] = AWAKE  # whatever blocks its way may go
    for r in range(1, 3):
        at = m.columns[FRAME] + 3 * r
        speed = 0.0
        for k in range(3):
            speed += moving[k] * m.numbers[i, at + k]
        m.aref[row + r] += sign * m.constants[DAMPING] * speed


@inner(flatten=True)
def _pull(m: Moment, i: int, axis: int) -> float:
    """Return gravity along an axis of a contact's frame [m/s²]."""
    at = m.columns[FRAME] + 3 * axis
    total = 0.0
    for k in range(3):
        total += m.constants[GRAVITY + k] * m.numbers[i, at + k]
    return total


@inner(flatten=True)
def _ease(m: Moment, i: int, row: int, dim: int) -> None:
    """Limit what the friction of a contact aims at, and keep it from lifting the thing.

    In MuJoCo's cone a contact that slides rises by mu (t - mu n), t being what friction would have
    to change and n the normal acceleration it can draw on; hops are the consequence. The limit
    keeps t moderate, and the rise is taken off the aim of the normal row. n is the weight and what
    the normal row aims at, times ``ease``: how much easier the contact's point is moved sideways
    than along the normal. Gravity counts where it moves only one of the two.
    """
    one, two = pair(m, i)
    ease = BALL_EASE if m.geoms[one, ROLE] == BALL or m.geoms[two, ROLE] == BALL else 1.0
    sign = (1.0 if moves(m, two) else 0.0) - (1.0 if moves(m, one) else 0.0)
    friction = m.columns[FRICTION]
    mu, total = m.numbers[i, friction], 0.0
    for r in range(1, dim):
        part = m.numbers[i, friction + r - 1] * m.aref[row + r]
        total += part * part
    total = math.sqrt(total)
    normal = abs(_pull(m, i, 0)) + m.aref[row]
    most = mu * ease * max(m.constants[LEAST_SLIDE], mu * normal)
    if total > most:
        for r in range(1, dim):
            m.aref[row + r] *= most / total
    along = m.aref[row + 1] - sign * _pull(m, i, 1)
    across = m.aref[row + 2] - sign * _pull(m, i, 2)
    rise = mu * (math.hypot(along, across) - mu * ease * normal)
    if rise > 0.0:
        m.aref[row] -= rise


@inner(flatten=True)
def _rows(m: Moment) -> None:
    """Adjust the rows of all contacts and note which things are touched."""
    moving = np.empty(3)
    for i in range(m.contacts):
        row, dim = m.whole[i, m.columns[ADDRESS]], m.whole[i, m.columns[DIM]]
        one, two = pair(m, i)
        if row < 0 or one < 0 or two < 0:
            continue
        leaving = m.velocity[row] > m.constants[LEAST_SPEED]
        if m.drop[i] or (leaving and kept_speed(m, i) >= 0.0):
            _switch_off(m, row, dim)
            continue
        for geom in (one, two):
            if moves(m, geom):
                m.state[m.geoms[geom, INDEX]] |= TOUCHED
        if m.geoms[one, ROLE] != PAD and m.geoms[two, ROLE] != PAD:
            # what sank in at a landing must not be thrown out again
            depth = max(-m.numbers[i, m.columns[DIST]], 0.0)
            fall = math.sqrt(2.0 * abs(_pull(m, i, 0)) * depth)
            out = max(LEAST_OUT + depth / OUT_TIME, OUT_SHARE * fall)
            m.aref[row] = min(m.aref[row], (out - m.velocity[row]) / m.constants[DT])
            if m.velocity[row] < -m.constants[LEAST_SPEED]:  # a blow takes one step
                m.aref[row] = max(m.aref[row], -BLOW * m.velocity[row] / m.constants[DT])
        if dim >= 3:
            _carry(m, i, row, moving)
            _ease(m, i, row, dim)


@inner(flatten=True)
def _turning(m: Moment, i: int, w: Array, out: Array) -> None:
    """Fill the angular acceleration of a free body: I w' = -w × I w, in its own frame."""
    a, b, c = m.things[i, INERTIA], m.things[i, INERTIA + 1], m.things[i, INERTIA + 2]
    out[0] = (b - c) * w[1] * w[2] / a
    out[1] = (c - a) * w[2] * w[0] / b
    out[2] = (a - b) * w[0] * w[1] / c


@inner(flatten=True)
def _tumble(m: Moment, i: int) -> None:
    """Let a cuboid in flight turn as Euler's equations say, to the second order and better.

    MuJoCo solves (I + dt G) w' = -w × I w with G x = x × I w + w × I x, and turns by the new w. The
    torque added makes w' that of the midpoint rule, so that energy is kept; the turn is put right
    by half the difference.
    """
    at, dt = 6 * i + 3, m.constants[DT]
    w, rate, mean = np.empty(3), np.empty(3), np.empty(3)
    fastest = 0.0
    for k in range(3):
        w[k] = mean[k] = m.qvel[at + k]
        fastest = max(fastest, abs(w[k]))
    if not LEAST_TURN < fastest * dt < MOST_TURN:
        return
    for _ in range(MIDPOINTS):
        _turning(m, i, mean, rate)
        for k in range(3):
            mean[k] = w[k] + 0.5 * dt * rate[k]
    for k in range(3):
        one, two = (k + 1) % 3, (k + 2) % 3
        bend = m.things[i, INERTIA + two] - m.things[i, INERTIA + one]
        change = w[one] * w[two] + dt * (rate[one] * w[two] + w[one] * rate[two])
        m.passive[at + k] += m.things[i, INERTIA + k] * rate[k] + bend * change
    half = -0.25 * dt * dt  # of the angle that is too much
    q, x, y, z = 7 * i + 3, half * rate[0], half * rate[1], half * rate[2]
    a, b, c, d = m.qpos[q], m.qpos[q + 1], m.qpos[q + 2], m.qpos[q + 3]
    m.qpos[q] = a - b * x - c * y - d * z
    m.qpos[q + 1] = b + a * x + c * z - d * y
    m.qpos[q + 2] = c + a * y + d * x - b * z
    m.qpos[q + 3] = d + a * z + b * y - c * x


@inner(flatten=True)
def _roll_and_fly(m: Moment) -> None:
    """Brake what rolls; let what flies follow the parabola and turn freely.

    MuJoCo moves x by (v + g dt) dt; the parabola by v dt + g dt²/2. The difference is taken off.
    """
    half = 0.5 * m.constants[DT] * m.constants[DT]
    for i in range(m.things.shape[0]):
        if m.asleep[i] >= 0:
            continue
        if m.state[i] & TOUCHED:
            if m.things[i, ROLLING] > 0.0 and not m.state[i] & CARRIED:
                for k in range(6 * i + 3, 6 * i + 6):
                    m.passive[k] -= m.things[i, ROLLING] * m.qvel[k]
        else:
            for k in range(3):
                m.qpos[7 * i + k] -= half * m.constants[GRAVITY + k]
            if m.things[i, RADIUS] == 0.0:
                _tumble(m, i)


@entry("boolean(int64[::1], int64, boolean)", flatten=True)
def between(book: Book, count: int, rebounds: bool) -> bool:
    """Act on the contacts of one step.

    Args:
        book: Where everything lies, see `armwerk.physics.contacts.book`.
        count: Number of contacts.
        rebounds: Whether rebounds are still to come. When some happen, nothing else is done and
            True is returned: velocities must be reckoned anew and the kernel called again.
    """
    m = open_book(book, count)
    m.state[:] = 0
    if count > 0:
        find_seams(m)
        if rebounds and bounce(m):
            return True
        _rows(m)
    _roll_and_fly(m)
    return False
