"""One call between the two halves of a MuJoCo step: rebounds, then the rows of the contacts."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import AddressTable, open_step
from armwerk.physics.contacts.bounce import bounce, kept_speed
from armwerk.physics.contacts.carrying import belt_and_thing, belt_velocity
from armwerk.physics.contacts.impulses import moves
from armwerk.physics.contacts.meetings import SOME_ASLEEP, find_meetings
from armwerk.physics.contacts.seams import find_seams
from armwerk.physics.contacts.step_view import (
    BALL,
    CARRIED,
    GRIPPED,
    LINK,
    LIP,
    PAD,
    PUSHED,
    SLIDES,
    TOUCH,
    TOUCHED,
    StepView,
    axis_of,
    distance_of,
    first_row,
    friction_of,
    geoms_of,
    row_count,
)
from armwerk.physics.sleeping import AWAKE
from armwerk.record_reference import refer

OFF = -1e6  # [m/s²] an aim no force is needed for, even when a blow moves the thing sideways
BALL_EASE = 3.5  # a ball also turns: (1/m + r²/I) m
# speed out of a solid [m/s]: a little and depth / time [s], or a fraction of what a fall would give
MIN_OUT, OUT_TIME, OUT_FRACTION = 0.003, 0.25, 0.5
MIN_TURN, MAX_TURN = 1e-4, 0.5  # [rad] in a step between which free turning is put right
MIDPOINTS = 4  # iterations of the midpoint rule; each gains a factor of w dt
# fraction of a closing speed that is stopped within a step, and way [m] that the rest may go in one
BLOW, LEFT = 0.9, 1e-4
STEEPER = 1.0  # [m/s²] by which a support must push more steeply to carry a thing alone
SUNK = 1e-4  # [m] deeper than what rests
PATCH = 2e-5  # [m] deeper contacts are pressed, and harden
MAX_HARDNESS = 100.0  # [kg] of a pressed contact
LIGHT = 5.0  # [kg] of a pad on a thing of 5 g; softer ones harden
SWING = 100.0  # [m/s²] with which a link may start within a step
SAME_SUPPORT = 0.9  # of the steepest push; contacts that push so steeply carry a thing together
AT_REST = 0.05  # of the weight: what a soft contact aims at while nothing moves, and more
STOP = 1.0  # fraction of a sliding speed that friction aims to stop within a step
SLOW = 1e-4  # [m/s] slower sliding needs no care
LEFT_OUT, ON_LIGHT = 1, 2  # of a contact: gives no force; a pad on a light thing
REBOUNDED, MEETING, WAKING, FULL = -1, -2, -3, -4  # what a call finds that ends it
DEEP, SLIDING, LINKED = 1, 2, 4  # what else a call finds, bits
REBOUNDS, MEETINGS = 1, 2  # what a call is to look for, bits
DEEP_FROM = 5e-4  # [m] from here on somebody looks whether a contact gets too deep


@inner(flatten=True, borrows=True)
def _switch_off(step: StepView, row: int, dim: int) -> None:
    """Let a contact give no force in this step."""
    step.rows.reference[row] = OFF
    for k in range(1, dim):
        step.rows.reference[row + k] = 0.0


@inner(flatten=True, borrows=True)
def _carry(step: StepView, i: int, row: int, moving: Array) -> None:
    """Let the rows of a contact aim at the velocity u of the belt it lies on.

    A row of friction aims at the acceleration -b v; here at -b (v - u).
    """
    belt, thing, sign = belt_and_thing(step, i)
    if belt < 0 or thing < 0 or not belt_velocity(step, i, belt, thing, moving):
        return
    step.state[thing] |= CARRIED
    if step.belts.running[belt] != 0.0:
        step.asleep[thing] = AWAKE  # whatever blocks its way may go
    for r in range(1, 3):
        tangent, speed = axis_of(step.contacts, i, r), 0.0
        for k in range(3):
            speed += moving[k] * tangent[k]
        step.rows.reference[row + r] += sign * step.constants.damping * speed


@inner(flatten=True, borrows=True)
def _stop(step: StepView, i: int, row: int) -> None:
    """Let friction stop a sliding thing within a step; remember who slides, and how fast.

    The aim -b v lets the last of the speed fade away over several steps, in which a thing goes
    further than it should. What fingers touch keeps that aim: static friction holds it.
    """
    rows, damping = step.rows, step.constants.damping
    for geom in geoms_of(step.contacts, i):
        if moves(step, geom) and step.state[step.geoms.number[geom]] & GRIPPED:
            return
    if math.hypot(rows.reference[row + 1], rows.reference[row + 2]) > SLOW * damping:
        for geom in geoms_of(step.contacts, i):
            if moves(step, geom):
                step.state[step.geoms.number[geom]] |= SLIDES
    for r in range(1, 3):
        rows.reference[row + r] *= STOP / (step.constants.dt * damping)


@inner(flatten=True, borrows=True)
def _pull(step: StepView, i: int, axis: int) -> float:
    """Return gravity along an axis of a contact's frame [m/s²]."""
    direction, total = axis_of(step.contacts, i, axis), 0.0
    for k in range(3):
        total += step.constants.gravity[k] * direction[k]
    return total


@inner(flatten=True, borrows=True)
def _pressed(step: StepView, geom: int) -> float:
    """Return the acceleration with which the motor of a pad would close it [m/s²], else 0."""
    finger = step.geoms.finger[geom]
    return 0.0 if finger < 0 else max(-step.applied[finger] * step.geoms.press[geom], 0.0)


@inner(flatten=True, borrows=True)
def _harden(step: StepView, i: int, row: int, dim: int) -> None:
    """Let a pad on a light thing give way less.

    The depth under a force F is F/(D k) with k from the time constant; D is multiplied by
    (depth/w)⁸, up to what presses 60 N in by less than 0.1 mm.
    """
    depth = -distance_of(step.contacts, i) / PATCH
    fourth = depth * depth * depth * depth
    rows = step.rows
    if depth <= 1.0:
        return
    factor = min(fourth * fourth, MAX_HARDNESS / rows.hardness[row])
    apart = rows.island_row.shape[0] > 0
    for k in range(row, row + dim):
        if apart:
            rows.island_hardness[rows.island_row[k]] *= factor
        else:
            rows.hardness[k] *= factor


@inner(flatten=True)
def _lifts(step: StepView) -> Array:
    """Return how steeply the best support of every thing pushes against gravity [m/s²].

    Things that pads touch are noted.
    """
    lifts = np.zeros(step.thing_count)
    for i in range(step.contacts.length):
        one, two = geoms_of(step.contacts, i)
        if first_row(step.contacts, i) < 0 or one < 0 or two < 0 or step.dropped[i]:
            continue
        if distance_of(step.contacts, i) > 0.0:
            continue
        pull = _pull(step, i, 0)
        pad = step.geoms.role[one] == PAD or step.geoms.role[two] == PAD
        for geom in (one, two):
            if pad and moves(step, geom):
                step.state[step.geoms.number[geom]] |= GRIPPED
        if moves(step, one):
            lifts[step.geoms.number[one]] = max(lifts[step.geoms.number[one]], pull)
        if moves(step, two):
            lifts[step.geoms.number[two]] = max(lifts[step.geoms.number[two]], -pull)
    return lifts


@inner(flatten=True, borrows=True)
def _pulled(step: StepView, i: int, lifts: Array) -> float:
    """Return 1 or -1 where gravity pulls the second or first geom along contact i, else 0.

    It pulls along where it moves only one of the two. What stands on the floor is not drawn down
    a wall it sank into, or it would never come out. Pads may lift it at any time.
    """
    one, two = geoms_of(step.contacts, i)
    sign = (1.0 if moves(step, two) else 0.0) - (1.0 if moves(step, one) else 0.0)
    pad = step.geoms.role[one] == PAD or step.geoms.role[two] == PAD
    if sign == 0.0 or pad or distance_of(step.contacts, i) > -SUNK:
        return sign
    thing = step.geoms.number[two if sign > 0.0 else one]
    return 0.0 if lifts[thing] > -sign * _pull(step, i, 0) + STEEPER else sign


@inner(flatten=True, borrows=True)
def _pushed(step: StepView, geom: int) -> bool:
    """Whether a robot touches a geom, directly or through other things; or it is a robot's."""
    if moves(step, geom):
        return bool(step.state[step.geoms.number[geom]] & PUSHED)
    return bool(step.geoms.role[geom] >= TOUCH)


@inner(flatten=True, borrows=True)
def _squeezed(step: StepView, one: int, two: int) -> bool:
    """Whether a robot may press a thing into another or a wall with more than is known here."""
    if step.geoms.role[one] >= TOUCH or step.geoms.role[two] >= TOUCH:
        return False
    return _pushed(step, one) or _pushed(step, two)


@inner(flatten=True, borrows=True)
def _supported(step: StepView, i: int, lifts: Array) -> int:
    """Return the thing that contact i helps to carry, else -1; fingers carry in another way."""
    one, two = geoms_of(step.contacts, i)
    pull = _pull(step, i, 0)
    upper = one if pull > 0.0 else two
    if pull == 0.0 or not moves(step, upper):
        return -1
    thing = int(step.geoms.number[upper])
    alone = step.state[thing] & GRIPPED == 0 and abs(pull) >= SAME_SUPPORT * lifts[thing]
    return thing if alone else -1


@inner(flatten=True, borrows=True)
def _ease(
    step: StepView, i: int, row: int, dim: int, lifts: Array, upwards: Array, light: bool
) -> None:
    """Limit what the friction of a contact aims at, and keep it from lifting the thing.

    In MuJoCo's cone a contact that slides rises by mu (t - mu n), t being what friction would have
    to change and n the normal acceleration it can draw on; hops are the consequence. The limit
    keeps t moderate, and the rise is taken off the aim of the normal row. n is the weight, what
    the normal rows aim at and what a finger presses with, times ``ease``: how much easier the
    contact's point is moved sideways than along the normal. All contacts that carry a thing share
    one n, the mean, as they share its motion: with an n of its own each would answer a thing that
    rocks 1 + mu² times too strongly. What it aims at to carry the weight moves nothing.
    What a robot presses into something has more to draw on and would never come out: there
    nothing is taken off.
    """
    one, two = geoms_of(step.contacts, i)
    thing = _supported(step, i, lifts)
    normal = abs(_pull(step, i, 0))
    if thing < 0:
        normal += step.rows.reference[row]
    else:
        aim = upwards[thing, 0] / upwards[thing, 1]
        normal += max(aim - AT_REST * normal, 0.0) if aim > 0.0 else aim
    ease = BALL_EASE if step.geoms.role[one] == BALL or step.geoms.role[two] == BALL else 1.0
    sign = _pulled(step, i, lifts)
    friction, total = friction_of(step.contacts, i), 0.0
    mu = friction[0]
    for r in range(1, dim):
        part = friction[r - 1] * step.rows.reference[row + r]
        total += part * part
    total = math.sqrt(total)
    max_aim = mu * ease * max(step.constants.min_slide, mu * normal)
    if total > max_aim:
        for r in range(1, dim):
            step.rows.reference[row + r] *= max_aim / total
    along = step.rows.reference[row + 1] - sign * _pull(step, i, 1)
    across = step.rows.reference[row + 2] - sign * _pull(step, i, 2)
    normal += _pressed(step, one) + _pressed(step, two)
    rise = mu * (math.hypot(along, across) - mu * ease * normal)
    if rise > 0.0 and (distance_of(step.contacts, i) > -SUNK or not _squeezed(step, one, two)):
        step.rows.reference[row] -= rise


@inner(flatten=True, borrows=True)
def _is_link(step: StepView, i: int) -> bool:
    """Whether a link of a robot takes part in contact i."""
    one, two = geoms_of(step.contacts, i)
    return bool(step.geoms.role[one] == LINK or step.geoms.role[two] == LINK)


@inner(flatten=True, borrows=True)
def _drop_far(step: StepView) -> tuple[bool, bool]:
    """Mark the contacts that will not touch within this step.

    What bounces does so when it has touched.

    Returns:
        Whether there are any of links, and of any part of a robot.
    """
    dt, linked, robots = step.constants.dt, False, False
    for i in range(step.contacts.length):
        row = first_row(step.contacts, i)
        if row < 0:
            continue
        one, two = geoms_of(step.contacts, i)
        robots = robots or step.geoms.role[one] >= TOUCH or step.geoms.role[two] >= TOUCH
        if not _is_link(step, i):
            if distance_of(step.contacts, i) > 0.0 and kept_speed(step, i) >= 0.0:
                step.dropped[i] = 1
        else:
            linked = True
            near = max(-step.rows.velocity[row], 0.0) * dt + SWING * dt * dt
            if distance_of(step.contacts, i) > near:
                step.dropped[i] = 1
    return linked, robots


@inner(flatten=True, borrows=True)
def _approach(step: StepView, i: int, row: int, dim: int) -> bool:
    """Let things come as near in this step as they can without going in; whether they would."""
    away, dt = distance_of(step.contacts, i), step.constants.dt
    aim = (-away / dt - step.rows.velocity[row]) / dt
    step.rows.reference[row] = aim
    if aim > 0.0:
        return True
    for r in range(1, dim):
        step.rows.reference[row + r] = 0.0
    return False


@inner(flatten=True, borrows=True)
def _meet(step: StepView, i: int, row: int, dim: int) -> None:
    """Let a link come as near in this step as it can without going in; what is in comes out."""
    total = 0.0
    for r in range(1, dim):
        total = max(total, abs(step.rows.reference[row + r]) / step.constants.min_slide)
    if total > 1.0:  # a contact that slides rises by as much as friction aims at
        for r in range(1, dim):
            step.rows.reference[row + r] /= total
    away, dt = distance_of(step.contacts, i), step.constants.dt
    out = -away / dt if away > 0.0 else min(MIN_OUT - away / OUT_TIME, -away / dt)
    step.rows.reference[row] = (out - step.rows.velocity[row]) / dt


@inner(flatten=True, borrows=True)
def _find_pushed(step: StepView) -> None:
    """Mark the things that robots touch, and all that touch those."""
    changed = True
    while changed:
        changed = False
        for i in range(step.contacts.length):
            one, two = geoms_of(step.contacts, i)
            if first_row(step.contacts, i) < 0 or one < 0 or two < 0 or step.dropped[i]:
                continue
            first, second = _pushed(step, one), _pushed(step, two)
            if first != second:
                other = two if first else one
                if moves(step, other):
                    step.state[step.geoms.number[other]] |= PUSHED
                    changed = True


@inner(flatten=True)
def _rows(step: StepView, robots: bool) -> float:
    """Adjust the rows of all contacts, note which things are touched, return the depth [m].

    Args:
        step: The step.
        robots: Whether any part of a robot touches something.
    """
    moving, lifts, deepest = np.empty(3), _lifts(step), 0.0
    if robots:
        _find_pushed(step)
    upwards = np.zeros((step.thing_count, 2))  # sum of what the supports of a thing aim at; number
    for i in range(step.contacts.length):
        row, dim = first_row(step.contacts, i), row_count(step.contacts, i)
        one, two = geoms_of(step.contacts, i)
        if row < 0 or one < 0 or two < 0:
            step.dropped[i] = LEFT_OUT
            continue
        leaving = step.rows.velocity[row] > step.constants.min_rebound
        if step.dropped[i] or (leaving and kept_speed(step, i) >= 0.0):
            _switch_off(step, row, dim)
            step.dropped[i] = LEFT_OUT
            continue
        depth = max(-distance_of(step.contacts, i), 0.0)
        deepest = max(deepest, depth)
        apart = distance_of(step.contacts, i) > 0.0 and not _is_link(step, i)
        if apart and not _approach(step, i, row, dim):
            step.dropped[i] = LEFT_OUT
            continue
        for geom in (one, two):
            if moves(step, geom):
                step.state[step.geoms.number[geom]] |= TOUCHED
        pad = step.geoms.role[one] == PAD or step.geoms.role[two] == PAD
        lip = step.geoms.finger[one] == LIP or step.geoms.finger[two] == LIP
        light = pad and not lip and step.rows.hardness[row] < LIGHT
        if _is_link(step, i):
            _meet(step, i, row, dim)
            step.dropped[i] = LEFT_OUT  # of what follows
            continue
        if not pad and not apart:
            # what sank in at a landing must not be thrown out again
            fall = math.sqrt(2.0 * abs(_pull(step, i, 0)) * depth)
            out = max(MIN_OUT + depth / OUT_TIME, OUT_FRACTION * fall)
            step.rows.reference[row] = min(
                step.rows.reference[row], (out - step.rows.velocity[row]) / step.constants.dt
            )
        blow = step.rows.velocity[row] < -step.constants.min_rebound
        if blow and not apart and (light or not pad):  # it takes one step
            speed, dt = -step.rows.velocity[row], step.constants.dt
            stopped = max(BLOW * speed, speed - LEFT / dt)
            step.rows.reference[row] = max(step.rows.reference[row], stopped / dt)
        if light:
            _harden(step, i, row, dim)
            step.dropped[i] = ON_LIGHT
        if dim >= 3:
            _carry(step, i, row, moving)
            if not pad:
                _stop(step, i, row)
        thing = _supported(step, i, lifts)
        if thing >= 0:
            upwards[thing, 0] += step.rows.reference[row]
            upwards[thing, 1] += 1.0
    for i in range(step.contacts.length):
        row, dim = first_row(step.contacts, i), row_count(step.contacts, i)
        if step.dropped[i] != LEFT_OUT and dim >= 3:
            _ease(step, i, row, dim, lifts, upwards, step.dropped[i] == ON_LIGHT)
    return deepest


@inner(flatten=True, borrows=True)
def _turning(step: StepView, i: int, w: Array, out: Array) -> None:
    """Fill the angular acceleration of a free body: I w' = -w × I w, in its own frame."""
    a, b, c = step.things.inertia[i, 0], step.things.inertia[i, 1], step.things.inertia[i, 2]
    out[0] = (b - c) * w[1] * w[2] / a
    out[1] = (c - a) * w[2] * w[0] / b
    out[2] = (a - b) * w[0] * w[1] / c


@inner(flatten=True)
def _tumble(step: StepView, i: int) -> None:
    """Let a cuboid in flight turn as Euler's equations say, to the second order and better.

    MuJoCo solves (I + dt G) w' = -w × I w with G x = x × I w + w × I x, and turns by the new w. The
    torque added makes w' that of the midpoint rule, so that energy is kept; the turn is put right
    by half the difference.
    """
    at, dt = 6 * i + 3, step.constants.dt
    w, rate, mean = np.empty(3), np.empty(3), np.empty(3)
    fastest = 0.0
    for k in range(3):
        w[k] = mean[k] = step.qvel[at + k]
        fastest = max(fastest, abs(w[k]))
    if not MIN_TURN < fastest * dt < MAX_TURN:
        return
    for _ in range(MIDPOINTS):
        _turning(step, i, mean, rate)
        for k in range(3):
            mean[k] = w[k] + 0.5 * dt * rate[k]
    for k in range(3):
        one, two = (k + 1) % 3, (k + 2) % 3
        bend = step.things.inertia[i, two] - step.things.inertia[i, one]
        change = w[one] * w[two] + dt * (rate[one] * w[two] + w[one] * rate[two])
        step.passive[at + k] += step.things.inertia[i, k] * rate[k] + bend * change
    half = -0.25 * dt * dt  # of the angle that is too much
    q, x, y, z = 7 * i + 3, half * rate[0], half * rate[1], half * rate[2]
    a, b, c, d = step.qpos[q], step.qpos[q + 1], step.qpos[q + 2], step.qpos[q + 3]
    step.qpos[q] = a - b * x - c * y - d * z
    step.qpos[q + 1] = b + a * x + c * z - d * y
    step.qpos[q + 2] = c + a * y + d * x - b * z
    step.qpos[q + 3] = d + a * z + b * y - c * x


@inner(flatten=True, borrows=True)
def _roll_and_fly(step: StepView) -> bool:
    """Brake what rolls; let what flies follow the parabola and turn freely; say if any slides.

    MuJoCo moves x by (v + g dt) dt; the parabola by v dt + g dt²/2. The difference is taken off.
    """
    half = 0.5 * step.constants.dt * step.constants.dt
    slides = False
    for i in range(step.thing_count):
        if step.asleep[i] >= 0:
            continue
        if step.state[i] & TOUCHED:
            v = step.qvel[6 * i : 6 * i + 3]
            if step.things.radius[i] > 0.0 and v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > SLOW**2:
                step.state[i] |= SLIDES
            if step.state[i] & SLIDES:
                slides = True
                for k in range(3):
                    step.before[i, k] = v[k]
            if step.things.rolling[i] > 0.0 and not step.state[i] & CARRIED:
                for k in range(6 * i + 3, 6 * i + 6):
                    step.passive[k] -= step.things.rolling[i] * step.qvel[k]
        else:
            for k in range(3):
                step.qpos[7 * i + k] -= half * step.constants.gravity[k]
            if step.things.radius[i] == 0.0:
                _tumble(step, i)
    return slides


@entry("int64(int64[::1], int64)", flatten=True)
def adjust_contacts(table: AddressTable, due: int) -> int:
    """Act on the contacts of one step.

    Args:
        table: Where everything lies, see `armwerk.physics.contacts.address_table`.
        due: What is still to come, bits REBOUNDS and MEETINGS. When there are any, nothing else
            is done and it is told; the kernel is to be called again without them.

    Returns:
        REBOUNDED: velocities have changed and must be reckoned anew. MEETING: contacts marked in
        ``meets`` are to get rows. WAKING: the same, but some of them sleep. FULL: ``dropped`` has
        no room for so many contacts, and nothing has been done. Else the sum of DEEP
        (some contact is deeper than `DEEP_FROM`), SLIDING (`finish_slides` is to be called after
        the step) and LINKED (a link is near something).
    """
    step = refer(open_step(table))
    if step.contacts.length > step.dropped.shape[0]:
        return FULL
    for i in range(step.contacts.length):
        step.dropped[i] = 0
    step.state[:] = 0
    found = 0
    if step.contacts.length > 0:
        find_seams(step)
        linked, robots = _drop_far(step)
        if due & MEETINGS:
            who = find_meetings(step)
            if who != 0:
                return WAKING if who == SOME_ASLEEP else MEETING
        if due & REBOUNDS:
            step.blow[-1] = 0.0
            if bounce(step):
                return REBOUNDED
        found = LINKED if linked else 0
        if _rows(step, robots) > DEEP_FROM:
            found |= DEEP
    return found | SLIDING if _roll_and_fly(step) else found
