"""Bounce: rebounds by impulses on the velocities, one after the other, the fastest first.

A ball keeps the fraction ``bounce`` of its normal speed on whatever is no ball; two balls keep all
of it and do not rub. A cuboid keeps its fraction at all its corners at once; of two cuboids the
larger fraction counts. An impulse can only take energy away.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.carrying import belt_and_thing, belt_velocity
from armwerk.physics.contacts.impulses import (
    add_velocity,
    inverse_effective_mass,
    kinetic,
    moves,
    push,
    world_velocities,
    write_back,
)
from armwerk.physics.contacts.step_view import (
    BALL,
    CUBOID,
    LINK,
    PAD,
    Small,
    StepView,
    distance_of,
    first_row,
    friction_of,
    geoms_of,
    normal_of,
    point_of,
)

SWEEPS = 60  # over the supports of a cuboid that is hit
EVENTS = 10  # rebounds per contact in one step, at most


@inner(flatten=True, borrows=True)
def kept_speed(step: StepView, i: int) -> float:
    """Return the fraction of normal speed contact i keeps; negative: it never bounces."""
    one, two = geoms_of(step.contacts, i)
    first, second = step.geoms.role[one], step.geoms.role[two]
    if first == BALL and second == BALL:
        return 1.0
    if first != BALL:
        one, two, first, second = two, one, second, first
    if PAD in (first, second) or LINK in (first, second):
        return -1.0
    if first == BALL:
        fraction = float(step.things.bounce[step.geoms.number[one]])
    else:
        fraction = 0.0
        for geom in (one, two):
            if step.geoms.role[geom] == CUBOID:
                fraction = max(fraction, float(step.things.bounce[step.geoms.number[geom]]))
    return fraction if fraction > 0.0 else -1.0


@inner(flatten=True, borrows=True)
def _note(step: StepView, i: int, impulse: float) -> None:
    """Keep the normal impulse of contact i for those who watch contacts [N s]."""
    if i < step.blow.shape[0] - 1:
        step.blow[i] += impulse


@inner(flatten=True, borrows=True)
def relative_speed(step: StepView, V: Array, i: int, out: Array) -> float:
    """Fill the velocity of the second geom against the first; return its part along the normal."""
    one, two = geoms_of(step.contacts, i)
    point, normal = point_of(step.contacts, i), normal_of(step.contacts, i)
    belt, thing, sign = belt_and_thing(step, i)
    out[0] = out[1] = out[2] = 0.0
    if belt >= 0 and thing >= 0:
        belt_velocity(step, i, belt, thing, out)
        for k in range(3):
            out[k] *= -sign
    add_velocity(step, V, two, point, 1.0, out)
    add_velocity(step, V, one, point, -1.0, out)
    return float(out[0] * normal[0] + out[1] * normal[1] + out[2] * normal[2])


@inner(flatten=True, borrows=True)
def _push_both(step: StepView, V: Array, i: int, direction: Array, size: float) -> None:
    """Push the second geom along a direction and the first one back."""
    one, two = geoms_of(step.contacts, i)
    push(step, V, two, point_of(step.contacts, i), direction, size)
    push(step, V, one, point_of(step.contacts, i), direction, -size)


@inner(flatten=True, borrows=True)
def _inverse_effective_mass(step: StepView, i: int, direction: Array) -> float:
    """Return the speed along a direction that a unit impulse on both geoms makes [1/kg]."""
    one, two = geoms_of(step.contacts, i)
    point = point_of(step.contacts, i)
    return float(
        inverse_effective_mass(step, one, point, direction)
        + inverse_effective_mass(step, two, point, direction)
    )


@inner(flatten=True, borrows=True)
def _rebound(step: StepView, i: int, speed: float, fraction: float) -> float:
    """Return the speed after a rebound that was noticed below the surface, at depth x.

    At the surface the thing had u² = v² - 2 g x; it must come back there with f u, f the fraction:

        v'² = f² (v² - 2 g x) + 2 g x ≤ v²

    Of two cuboids the upper one falls.
    """
    normal, pull = normal_of(step.contacts, i), 0.0
    for k in range(3):
        pull -= step.constants.gravity[k] * normal[k]
    one, two = geoms_of(step.contacts, i)
    if step.geoms.role[one] == BALL:
        pull = -pull
    elif step.geoms.role[one] == CUBOID and step.geoms.role[two] != BALL:
        pull = abs(pull) if step.geoms.role[two] == CUBOID else -pull
    depth = min(-distance_of(step.contacts, i), speed * step.constants.dt)
    fall = 2.0 * pull * depth
    before = max(speed * speed - fall, 0.0)
    return math.sqrt(min(max(fraction * fraction * before + fall, 0.0), speed * speed))


@inner(flatten=True, borrows=True)
def _apply_friction(step: StepView, V: Array, i: int, max_impulse: float, slip: Array) -> None:
    """Stop the sliding at a contact by an impulse of ``max_impulse`` at most."""
    normal = normal_of(step.contacts, i)
    along = relative_speed(step, V, i, slip)
    size = 0.0
    for k in range(3):
        slip[k] -= along * normal[k]
        size += slip[k] * slip[k]
    size = math.sqrt(size)
    if size < 1e-9:
        return
    for k in range(3):
        slip[k] /= size
    _push_both(step, V, i, slip, -min(size / _inverse_effective_mass(step, i, slip), max_impulse))


@inner(flatten=True)
def _balls(step: StepView, V: Array, i: int) -> None:
    """Let two balls collide elastically along the line their centres had when they touched.

    They overlap by now; |d - u t| = r1 + r2 with d and u the second centre and velocity against
    the first gives the time t since.
    """
    one, two = geoms_of(step.contacts, i)
    a, b = step.geoms.number[one], step.geoms.number[two]
    reach = step.things.radius[a] + step.things.radius[b]
    uu = du = dd = 0.0
    for k in range(3):
        d, u = step.xpos[b + 1, k] - step.xpos[a + 1, k], V[b, k] - V[a, k]
        uu, du, dd = uu + u * u, du + d * u, dd + d * d
    since = (du + math.sqrt(max(du * du - uu * (dd - reach * reach), 0.0))) / uu
    since = min(max(since, 0.0), step.constants.dt)
    line = np.empty(3)
    length = speed = 0.0
    for k in range(3):
        u = V[b, k] - V[a, k]
        line[k] = step.xpos[b + 1, k] - step.xpos[a + 1, k] - u * since
        length += line[k] * line[k]
        speed += line[k] * u
    first, second = step.things.mass[a], step.things.mass[b]
    impulse = -2.0 * min(speed, 0.0) / length * first * second / (first + second)
    for k in range(3):
        V[a, k] -= impulse * line[k] / first
        V[b, k] += impulse * line[k] / second
    _note(step, i, impulse * math.sqrt(length))


@inner(flatten=True, borrows=True)
def _event(
    step: StepView, V: Array, i: int, speed: float, fraction: float, slip: Array, moved: Small
) -> bool:
    """Let contact i rebound; return whether other things than its own may have been moved."""
    one, two = geoms_of(step.contacts, i)
    for geom in (one, two):
        if moves(step, geom):
            moved[step.geoms.number[geom]] = 1
    first, second = step.geoms.role[one], step.geoms.role[two]
    if first == BALL and second == BALL:
        _balls(step, V, i)
        return False
    goal = _rebound(step, i, speed, fraction)
    if CUBOID in (first, second):
        _hit_cuboid(step, V, i, goal, slip, moved)
        return True
    impulse = (goal + speed) / _inverse_effective_mass(step, i, normal_of(step.contacts, i))
    _push_both(step, V, i, normal_of(step.contacts, i), impulse)
    _note(step, i, impulse)
    _apply_friction(step, V, i, friction_of(step.contacts, i)[0] * impulse, slip)
    return False


@inner(flatten=True)
def _joined(step: StepView, hit: int) -> Small:
    """Mark the cuboid that is hit and all cuboids that touch it, directly or not. Shape (n,)."""
    joined = np.zeros(step.thing_count, dtype=np.int32)
    for geom in geoms_of(step.contacts, hit):
        if step.geoms.role[geom] == CUBOID:
            joined[step.geoms.number[geom]] = 1
    changed = True
    while changed:
        changed = False
        for i in range(step.contacts.length):
            one, two = geoms_of(step.contacts, i)
            if step.dropped[i] or step.geoms.role[one] != CUBOID or step.geoms.role[two] != CUBOID:
                continue
            if distance_of(step.contacts, i) > 0.0:
                continue
            a, b = step.geoms.number[one], step.geoms.number[two]
            if joined[a] != joined[b]:
                joined[a] = joined[b] = 1
                changed = True
    return joined


@inner(flatten=True)
def _supports(step: StepView, hit: int, joined: Small) -> Small:
    """Return the contact hit, then all contacts the marked cuboids rest on."""
    chosen = np.empty(step.contacts.length + 1, dtype=np.int32)
    chosen[0] = hit
    size = 1
    for i in range(step.contacts.length):
        if i == hit or step.dropped[i] or first_row(step.contacts, i) < 0:
            continue
        if distance_of(step.contacts, i) > 0.0:
            continue
        mine = balls = False
        for geom in geoms_of(step.contacts, i):
            role = step.geoms.role[geom]
            mine = mine or (role == CUBOID and joined[step.geoms.number[geom]] == 1)
            balls = balls or role == BALL
        if mine and not balls:
            chosen[size] = i
            size += 1
    return chosen[:size]


@inner(flatten=True)
def _hit_cuboid(step: StepView, V: Array, hit: int, goal: float, slip: Array, moved: Small) -> None:
    """Let a ball or cuboid rebound from a cuboid, together with all that the cuboid rests on.

    The supports answer at once, so that a ball rebounds from a cuboid on the floor as from the
    floor, and from a free one by both masses: Gauss-Seidel over the impulses p ≥ 0 of the contact
    hit (end speed ``goal``) and of the supports (end speed 0, or what a bouncing cuboid keeps of
    the speed it has there: one that lands flat rebounds from all its corners).
    """
    joined = _joined(step, hit)
    chosen = _supports(step, hit, joined)
    before = V.copy()
    impulses, inverse_mass = np.zeros(chosen.shape[0]), np.empty(chosen.shape[0])
    goals = np.zeros(chosen.shape[0])
    for c in range(chosen.shape[0]):
        normal = normal_of(step.contacts, chosen[c])
        inverse_mass[c] = _inverse_effective_mass(step, chosen[c], normal)
        kept = kept_speed(step, chosen[c]) if c > 0 else -1.0
        if kept >= 0.0:
            speed = -relative_speed(step, V, chosen[c], slip)
            if speed > step.constants.min_rebound:
                goals[c] = _rebound(step, chosen[c], speed, kept)
    goals[0] = goal
    for _ in range(SWEEPS):
        largest = 0.0
        for c in range(chosen.shape[0]):
            speed = relative_speed(step, V, chosen[c], slip)
            change = max((goals[c] - speed) / inverse_mass[c], -impulses[c])
            impulses[c] += change
            largest = max(largest, abs(change) * inverse_mass[c])
            _push_both(step, V, chosen[c], normal_of(step.contacts, chosen[c]), change)
        if chosen.shape[0] == 1 or largest < 1e-6 * (goal + 1e-3):
            break
    for c in range(chosen.shape[0]):
        if c == 0 or goals[c] > 0.0:
            i = chosen[c]
            _apply_friction(step, V, i, friction_of(step.contacts, i)[0] * impulses[c], slip)
    for geom in geoms_of(step.contacts, hit):
        if moves(step, geom):
            joined[step.geoms.number[geom]] = 1
    for i in range(moved.shape[0]):
        moved[i] |= joined[i]
    kept = _no_more_energy(step, V, before, joined)
    for c in range(chosen.shape[0]):
        _note(step, chosen[c], kept * impulses[c])


@inner(flatten=True)
def _no_more_energy(step: StepView, V: Array, before: Array, joined: Small) -> float:
    """Shrink a change of velocities until the kinetic energy is not above what it was.

    Along V0 + s (V - V0) the energy is T0 + s a + s² b; it is T0 again at s = -a / b. Returns the
    fraction s that is left.
    """
    at_start = at_end = change = 0.0
    for i in range(joined.shape[0]):
        if joined[i]:
            at_start += kinetic(step, before[i], i)
            at_end += kinetic(step, V[i], i)
            change += kinetic(step, V[i] - before[i], i)
    if at_end <= at_start or change == 0.0:
        return 1.0
    fraction = max(0.0, (at_start + change - at_end) / change)
    for i in range(joined.shape[0]):
        if joined[i]:
            for k in range(6):
                V[i, k] = before[i, k] + fraction * (V[i, k] - before[i, k])
    return float(fraction)


@inner(flatten=True, borrows=True)
def _kept(step: StepView, i: int) -> float:
    """Return what contact i keeps where it takes part in this step, else a negative number."""
    one, two = geoms_of(step.contacts, i)
    if first_row(step.contacts, i) < 0 or step.dropped[i] or one < 0 or two < 0:
        return -1.0
    return kept_speed(step, i)


@inner(flatten=True, borrows=True)
def _is_due(step: StepView) -> bool:
    """Whether any contact that bounces closes fast enough."""
    for i in range(step.contacts.length):
        row = first_row(step.contacts, i)
        closing = row >= 0 and step.rows.velocity[row] < -step.constants.min_rebound
        if closing and _kept(step, i) >= 0.0:
            return True
    return False


@inner(flatten=True, borrows=True)
def _bouncing(step: StepView, chosen: Small, fraction: Array) -> int:
    """Fill the contacts that may bounce and what they keep; return how many."""
    size = 0
    for i in range(step.contacts.length):
        kept = _kept(step, i)
        if kept >= 0.0:
            chosen[size], fraction[size] = i, kept
            size += 1
    return size


@inner(flatten=True, borrows=True)
def _shares_thing(step: StepView, i: int, j: int) -> bool:
    """Whether a thing takes part in both contacts."""
    for one in geoms_of(step.contacts, i):
        if moves(step, one):
            for two in geoms_of(step.contacts, j):
                if one == two:
                    return True
    return False


@inner(flatten=True)
def bounce(step: StepView) -> bool:
    """Let all rebounds of this step happen; return whether there were any."""
    if not _is_due(step):  # as in almost every step, and before any memory is asked for
        return False
    chosen, fraction = (
        np.empty(step.contacts.length, dtype=np.int32),
        np.empty(step.contacts.length),
    )
    size = _bouncing(step, chosen, fraction)
    V, slip, speeds = world_velocities(step), np.empty(3), np.empty(size)
    moved = np.zeros(step.thing_count, dtype=np.int32)
    step.blow[: step.contacts.length] = 0.0
    step.blow[-1] = 1.0
    for c in range(size):
        speeds[c] = relative_speed(step, V, chosen[c], slip)
    for _ in range(EVENTS * size):
        c = int(np.argmin(speeds))
        if speeds[c] >= -step.constants.min_rebound:
            break
        everywhere = _event(step, V, chosen[c], -speeds[c], fraction[c], slip, moved)
        for k in range(size):
            if everywhere or _shares_thing(step, chosen[c], chosen[k]):
                speeds[k] = relative_speed(step, V, chosen[k], slip)
    for i in range(step.thing_count):
        if moved[i]:  # others keep their velocities to the last bit
            write_back(step, V, i)
    return True
