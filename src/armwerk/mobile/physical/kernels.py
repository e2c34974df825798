"""What mobile robots do at the contacts of a step, compiled.

The wheels of a robot do not turn in the engine; they are round feet of its hull. Where one touches
the ground, friction aims at the velocity with which its rim would go over it, instead of at
standstill. So a wheel drives by friction and slips where that
does not suffice, and neither the roundness of a wheel nor the turning of a caster disturbs the way.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    integers_at,
    lines_at,
    numbers_at,
    open_contacts,
    open_rows,
    open_step,
    whole_at,
)
from armwerk.physics.contacts.impulses import moves
from armwerk.physics.contacts.step_view import (
    TOUCHED,
    StepView,
    distance_of,
    first_row,
    friction_of,
    geoms_of,
    normal_of,
    point_of,
    row_count,
)
from armwerk.record_reference import refer

(SURFACE, MINE, SUPPORT, ROBOT, OWNER, BODY, DOF, TWIST, GOAL, LIMITS, ODOMETRY, SEEN, SECTORS,
 RECORDS, COUNT, BRAKING, NUMBERS, HEADING, WEIGHT, PLANAR,
 FOOT, FEET, FIRST, HANDS, QPOS) = range(25)  # fmt: skip
"""Places in the table of mobile robots, see `armwerk.mobile.physical.tables`."""
NO_SUPPORT, ROLLING, SKIDDING = 0, 1, 2
"""What a geom is to its robot."""
MU_COLUMN, CONE, SOURCE, REBOUND = 0, 1, 2, 3  # places in NUMBERS
ACCELERATION, ARM, STALL = 0, 1, 2  # columns of LIMITS
FIELDS = 8  # of a record: time, robot, owner, point, speed, 0
SECTOR_COUNT = 72
MIN_FRICTION = 1e-5
UPRIGHT = 0.7  # cosine to the robot's own z from which on a wheel stands on something
MIN_OUT, OUT_TIME = 0.003, 0.25  # as for links, see `armwerk.physics.contacts.adjust`
REST, SETTLING = 5e-6, 4.0  # [m] deep that wheels stand, so that they lift off never; steps
CENTRE = 2  # column of WEIGHT, after mass and inertia: place of the hull's centre of mass
SWEEPS = 20  # over the feet of a robot
ENOUGH = 1e-9  # [m/s²] by which the forces on the feet may still change
(STANDS, AHEAD, ASIDE, PLACE, GRIP, LOAD, FORCE, WAY, GROUND, UNDER) = (
    0, 1, 2, 3, 6, 7, 8, 10, 11, 13,
)  # fmt: skip
"""Columns of FEET: whether it touches, where in the robot and the world, friction, load [N], force
along x and y of the robot [N], way, velocity of what is under it, which thing that
is, and its share of the weight [N]."""
SHARE, FOOT_FIELDS = 14, 15
(LEFT, RIGHT, LIFT, HAND_GOAL, HAND_SET, LIFT_GOAL, LIFT_SET, HAND_FORCE, LIFT_FORCE, SPEED,
 OWN_WEIGHT) = (0, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13)  # fmt: skip
"""Columns of HANDS: places in qpos and qvel of both hands and the carriage, where they shall be and
where they are to be now [m], forces [N], speed [m/s], weight of carriage and hands [N]."""
HAND_FIELDS = 14
HAND_STIFFNESS, HAND_DAMPING = 2000.0, 22.0  # [N/m], [N s/m]
LIFT_STIFFNESS, LIFT_DAMPING = 4000.0, 30.0
APART = 0.05  # [s] after which touching again is a new collision
ROLLS = 0.02  # share of its speed by which a rolling ball may slip


@entry("void(int64[::1], int64[::1])", flatten=True)
def mix_frictions(table: AddressTable, own: AddressTable) -> None:
    """Let the friction of every contact of mobile bodies be the product of the two surfaces.

    Args:
        table: Of the simulation.
        own: Of the mobile robots.
    """
    contacts = open_contacts(table)
    surface, mine, numbers = numbers_at(own, SURFACE), whole_at(own, MINE), numbers_at(own, NUMBERS)
    column, source = int(numbers[MU_COLUMN]), numbers[SOURCE] != 0.0
    rows = open_rows(table)
    for i in range(contacts.length):
        one, two = geoms_of(contacts, i)
        if one < 0 or two < 0 or (mine[one] == 0 and mine[two] == 0):
            continue
        if mine[one] < 0 or mine[two] < 0 or row_count(contacts, i) < 3:
            continue
        mu = max(surface[one] * surface[two], MIN_FRICTION)
        row = first_row(contacts, i)
        if source and row >= 0 and rows.velocity[row] < -numbers[REBOUND]:
            mu = MIN_FRICTION  # a reflection
        friction = friction_of(contacts, i)
        friction[0] = friction[1] = mu
        contacts.numbers[i, column] = mu * numbers[CONE]


@inner(flatten=True, borrows=True)
def _accelerate(step: StepView, own: AddressTable) -> None:
    """Bring the twist of every base towards its goal, and add it to the odometry.

    A motor gives way under load: uphill the rims turn more slowly, in the share of the force it
    could give that the weight takes.
    """
    twist, goal, limits = lines_at(own, TWIST, 6), lines_at(own, GOAL, 3), lines_at(own, LIMITS, 3)
    odometry, body = lines_at(own, ODOMETRY, 3), whole_at(own, BODY)
    dt = step.constants.dt
    for r in range(body.shape[0]):
        change = 0.0
        for k in range(3):
            arm = limits[r, ARM] if k == 2 else 1.0
            change += abs(goal[r, k] - twist[r, k]) * arm
        share = min(1.0, limits[r, ACCELERATION] * dt / change) if change > 0.0 else 1.0
        for k in range(3):
            twist[r, k] += share * (goal[r, k] - twist[r, k])
        R, speed, load = step.xmat[body[r]], math.hypot(twist[r, 0], twist[r, 1]), 0.0
        if speed > 0.0:
            for k in range(3):
                way = (R[3 * k] * twist[r, 0] + R[3 * k + 1] * twist[r, 1]) / speed
                load -= step.constants.gravity[k] * way
        factor = max(0.0, 1.0 - load / limits[r, STALL])
        for k in range(2):
            twist[r, 3 + k] = factor * twist[r, k]
        twist[r, 5] = twist[r, 2]
        half = odometry[r, 2] + 0.5 * dt * twist[r, 5]
        c, s = math.cos(half), math.sin(half)
        odometry[r, 0] += dt * (c * twist[r, 3] - s * twist[r, 4])
        odometry[r, 1] += dt * (s * twist[r, 3] + c * twist[r, 4])
        odometry[r, 2] += dt * twist[r, 5]


@inner(flatten=True, borrows=True)
def _stand(
    step: StepView, own: AddressTable, i: int, row: int, r: int, mine: int, other: int
) -> None:
    """Let a foot carry its robot, and note where it stands."""
    rows, dt = step.rows, step.constants.dt
    depth = max(-distance_of(step.contacts, i), 0.0)
    out = min(MIN_OUT + depth / OUT_TIME, (depth - REST) / (SETTLING * dt))
    rows.reference[row] = (out - rows.velocity[row]) / dt
    foot = lines_at(own, FEET, FOOT_FIELDS)[whole_at(own, FOOT)[mine]]
    surface, body = numbers_at(own, SURFACE), whole_at(own, BODY)[r]
    R, origin, point = step.xmat[body], step.xpos[body], point_of(step.contacts, i)
    hull = lines_at(own, WEIGHT, 5)[r]
    foot[STANDS], foot[GRIP] = 1.0, max(surface[mine] * surface[other], MIN_FRICTION)
    foot[AHEAD] = foot[ASIDE] = 0.0
    for k in range(3):
        foot[PLACE + k] = point[k]
        foot[AHEAD] += R[3 * k] * (point[k] - origin[k])
        foot[ASIDE] += R[3 * k + 1] * (point[k] - origin[k])
    foot[AHEAD] -= hull[CENTRE]
    foot[ASIDE] -= hull[CENTRE + 1]
    foot[GROUND], foot[GROUND + 1] = 0.0, 0.0
    foot[UNDER] = -1.0
    if moves(step, other):
        thing = step.geoms.number[other]
        foot[UNDER] = thing
        for k in range(3):
            foot[GROUND] += R[3 * k] * step.qvel[6 * thing + k]
            foot[GROUND + 1] += R[3 * k + 1] * step.qvel[6 * thing + k]


@inner(flatten=True, borrows=True)
def _planar(step: StepView, body: int, dof: int, hull: Array, out: Array) -> None:
    """Fill the velocity of a hull's centre of mass along its own x and y, and its turning."""
    R = step.xmat[body]
    w = step.qvel[dof + 3 : dof + 6]  # in the robot's own frame
    out[0] = w[1] * hull[CENTRE + 2] - w[2] * hull[CENTRE + 1]
    out[1] = w[2] * hull[CENTRE] - w[0] * hull[CENTRE + 2]
    out[2] = w[2]
    for k in range(3):
        out[0] += R[3 * k] * step.qvel[dof + k]
        out[1] += R[3 * k + 1] * step.qvel[dof + k]


@inner(flatten=True)
def _rub(step: StepView, own: AddressTable, r: int, feet: Array) -> None:
    """Let the feet of a robot rub: forces that bring every rim to rest on its ground, if they can.

    Coulomb's law with the load each foot had in the last step: Gauss and Seidel go from foot to
    foot, none pulls by more than mu times its load. What else acts on the robot is expected to be
    what it was in the last step; so a robot that stands holds to the last bit, and one that pushes
    against a wall pushes with all its grip.
    """
    weight, planar, rim = (
        lines_at(own, WEIGHT, 5)[r],
        lines_at(own, PLANAR, 9)[r],
        lines_at(own, TWIST, 6)[r],
    )
    body, dof, dt = whole_at(own, BODY)[r], whole_at(own, DOF)[r], step.constants.dt
    _planar(step, body, dof, weight, planar)
    mass, inertia = 1.0 / weight[0], 1.0 / weight[1]
    vx, vy = planar[0] + dt * planar[3], planar[1] + dt * planar[4]
    w = planar[2] + dt * planar[5]
    cx, cy = weight[CENTRE], weight[CENTRE + 1]
    for foot in feet:
        if foot[STANDS] == 0.0:
            foot[FORCE] = foot[FORCE + 1] = 0.0
        size, most = math.hypot(foot[FORCE], foot[FORCE + 1]), foot[GRIP] * foot[LOAD]
        share = most / size if size > most else 1.0
        foot[FORCE] *= share
        foot[FORCE + 1] *= share
        vx += dt * mass * foot[FORCE]
        vy += dt * mass * foot[FORCE + 1]
        w += dt * inertia * (foot[AHEAD] * foot[FORCE + 1] - foot[ASIDE] * foot[FORCE])
    for _ in range(SWEEPS):
        largest = 0.0
        for foot in feet:
            if foot[STANDS] == 0.0:
                continue
            x, y, most = foot[AHEAD], foot[ASIDE], foot[GRIP] * foot[LOAD]
            along = rim[3] - rim[5] * (y + cy) + foot[GROUND]
            across = 0.0 if foot[WAY] == SKIDDING else rim[4] + rim[5] * (x + cx)
            across += foot[GROUND + 1]
            fx = foot[FORCE] - (vx - w * y - along) / (dt * (mass + y * y * inertia))
            fy = foot[FORCE + 1] - (vy + w * x - across) / (dt * (mass + x * x * inertia))
            size = math.hypot(fx, fy)
            if size > most:
                fx, fy = fx * most / size, fy * most / size
            dx, dy = fx - foot[FORCE], fy - foot[FORCE + 1]
            foot[FORCE], foot[FORCE + 1] = fx, fy
            vx += dt * mass * dx
            vy += dt * mass * dy
            w += dt * inertia * (x * dy - y * dx)
            largest = max(largest, abs(dx) + abs(dy))
        if largest * mass < ENOUGH:
            break
    planar[6] = planar[7] = planar[8] = 0.0
    for foot in feet:
        fx, fy = foot[FORCE], foot[FORCE + 1]
        planar[6] += mass * fx
        planar[7] += mass * fy
        planar[8] += inertia * (foot[AHEAD] * fy - foot[ASIDE] * fx)
        if fx != 0.0 or fy != 0.0:
            _push(step, body, dof, foot, fx, fy)


@inner(flatten=True, borrows=True)
def _push(step: StepView, body: int, dof: int, foot: Array, along: float, across: float) -> None:
    """Let a force in a robot's plane act on one of its feet, and back on what that stands on."""
    R, origin = step.xmat[body], step.xpos[body]
    x, y, z = foot[PLACE] - origin[0], foot[PLACE + 1] - origin[1], foot[PLACE + 2] - origin[2]
    fx = R[0] * along + R[1] * across
    fy = R[3] * along + R[4] * across
    fz = R[6] * along + R[7] * across
    tx, ty, tz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    step.applied[dof] += fx
    step.applied[dof + 1] += fy
    step.applied[dof + 2] += fz
    for k in range(3):
        step.applied[dof + 3 + k] += R[k] * tx + R[3 + k] * ty + R[6 + k] * tz
    if foot[UNDER] >= 0.0:
        at = 6 * int(foot[UNDER])
        step.passive[at] -= fx
        step.passive[at + 1] -= fy
        step.passive[at + 2] -= fz


@inner(flatten=True, borrows=True)
def _note_collision(
    own: AddressTable, time: float, dt: float, robot: int, owner: int, point: Array, speed: float,
    depth: float,
) -> None:  # fmt: skip
    """Remember that a robot touches something, and record it when that is new."""
    seen, records, count = (
        numbers_at(own, SEEN),
        lines_at(own, RECORDS, FIELDS),
        integers_at(own, COUNT),
    )
    place = robot * (seen.shape[0] // count[1]) + owner
    if time - seen[place] > APART and count[0] < records.shape[0]:
        since = min(depth / speed, dt) if speed > 0.0 else 0.0
        row = records[count[0]]
        row[0], row[1], row[2] = max(time - since, 0.0), robot, owner
        row[3], row[4], row[5] = point[0], point[1], point[2]
        row[6] = speed
        count[0] += 1
    seen[place] = time


@inner(flatten=True, borrows=True)
def _feel(own: AddressTable, robot: int, R: Array, origin: Array, point: Array) -> None:
    """Mark the direction in which a robot is touched."""
    sectors, x, y = lines_at(own, SECTORS, SECTOR_COUNT), 0.0, 0.0
    for k in range(3):
        x += R[3 * k] * (point[k] - origin[k])
        y += R[3 * k + 1] * (point[k] - origin[k])
    turn = math.atan2(y, x) / (2.0 * math.pi)
    sectors[robot, math.floor((turn % 1.0) * SECTOR_COUNT) % SECTOR_COUNT] = 1.0


@inner(flatten=True, borrows=True)
def _push_back(step: StepView, own: AddressTable, i: int, robot: int, sign: float) -> None:
    """Let a robot feel the impulse of what rebounded from it."""
    if step.blow[-1] == 0.0 or i >= step.blow.shape[0] - 1 or step.blow[i] == 0.0:
        return
    dof, body = whole_at(own, DOF)[robot], whole_at(own, BODY)[robot]
    R, origin, point = step.xmat[body], step.xpos[body], point_of(step.contacts, i)
    normal, size = normal_of(step.contacts, i), sign * step.blow[i] / step.constants.dt
    x, y, z = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    fx, fy, fz = size * normal[0], size * normal[1], size * normal[2]
    tx, ty, tz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    step.applied[dof] += fx
    step.applied[dof + 1] += fy
    step.applied[dof + 2] += fz
    for k in range(3):
        step.applied[dof + 3 + k] += R[k] * tx + R[3 + k] * ty + R[6 + k] * tz


@inner(flatten=True, borrows=True)
def _brake_balls(step: StepView, own: AddressTable) -> None:
    """Let rolling balls get slower at a constant rate: a torque 7/5 m r a against the turning."""
    braking, dt = numbers_at(own, BRAKING), step.constants.dt
    for i in range(braking.shape[0]):
        if braking[i] <= 0.0 or not step.state[i] & TOUCHED or step.asleep[i] >= 0:
            continue
        radius, turn, speed = step.things.radius[i], 0.0, 0.0
        for k in range(3):
            turn += step.qvel[6 * i + 3 + k] ** 2
            speed += step.qvel[6 * i + k] ** 2
        turn, speed = math.sqrt(turn), math.sqrt(speed)
        if turn == 0.0 or speed > (1.0 + ROLLS) * radius * turn:
            continue
        effective = 1.4 * step.things.mass[i] * radius
        torque = effective * min(braking[i], radius * turn / dt)
        for k in range(6 * i + 3, 6 * i + 6):
            step.passive[k] -= torque * step.qvel[k] / turn


@inner(flatten=True, borrows=True)
def _follow(now: float, goal: float, way: float) -> float:
    """Return a set point that goes towards its goal by so much at most."""
    return min(max(goal, now - way), now + way)


@inner(flatten=True, borrows=True)
def _servo(
    step: StepView, place: float, dof: float, goal: float, stiffness: float, damping: float,
    most: float, more: float,
) -> None:  # fmt: skip
    """Let a drive of limited force hold a set point; ``more`` comes on top."""
    q, v = step.qpos[int(place)], step.qvel[int(dof)]
    force = stiffness * (goal - q) - damping * v
    step.applied[int(dof)] = min(max(force, -most), most) + more


@inner(flatten=True, borrows=True)
def _move_hands(step: StepView, own: AddressTable, again: bool) -> None:
    """Bring all hands and carriages towards where they shall be."""
    hands, dt = lines_at(own, HANDS, HAND_FIELDS), step.constants.dt
    for row in hands:
        if not again:
            row[HAND_SET] = _follow(row[HAND_SET], row[HAND_GOAL], row[SPEED] * dt)
            row[LIFT_SET] = _follow(row[LIFT_SET], row[LIFT_GOAL], row[SPEED] * dt)
        for k in (LEFT, RIGHT):
            _servo(
                step, row[k], row[k + 1], row[HAND_SET], HAND_STIFFNESS, HAND_DAMPING,
                row[HAND_FORCE], 0.0,
            )  # fmt: skip
        if row[LIFT] >= 0.0:
            _servo(
                step, row[LIFT], row[LIFT + 1], row[LIFT_SET], LIFT_STIFFNESS, LIFT_DAMPING,
                row[LIFT_FORCE], row[OWN_WEIGHT],
            )  # fmt: skip


@entry("void(int64[::1], int64[::1], float64, boolean)", flatten=True)
def drive(table: AddressTable, own: AddressTable, time: float, again: bool) -> None:
    """Drive all mobile robots through a step, and note what they touch.

    Args:
        table: Of the simulation.
        own: Of the mobile robots.
        time: At the beginning of the step [s].
        again: Whether the step is made once more; set points have gone on already.
    """
    step = refer(open_step(table))
    support, robot, owner = whole_at(own, SUPPORT), whole_at(own, ROBOT), whole_at(own, OWNER)
    body, dof = whole_at(own, BODY), whole_at(own, DOF)
    source, hand = numbers_at(own, NUMBERS)[SOURCE] != 0.0, whole_at(own, MINE)
    for r in range(body.shape[0]):
        step.applied[dof[r] : dof[r] + 6] = 0.0
    if not again:
        _accelerate(step, own)
    feet, first = lines_at(own, FEET, FOOT_FIELDS), whole_at(own, FIRST)
    feet[:, STANDS] = 0.0
    heading = numbers_at(own, HEADING)
    heading[:] = 0.0
    for i in range(step.contacts.length):
        row = first_row(step.contacts, i)
        one, two = geoms_of(step.contacts, i)
        if row < 0 or one < 0 or two < 0:
            continue
        for mine, other, sign in ((two, one, 1.0), (one, two, -1.0)):
            r = robot[mine]
            if r < 0 or robot[other] == r or hand[mine] < 0:
                continue
            R, origin = step.xmat[body[r]], step.xpos[body[r]]
            normal, point = normal_of(step.contacts, i), point_of(step.contacts, i)
            upright = sign * (normal[0] * R[2] + normal[1] * R[5] + normal[2] * R[8])
            if support[mine] != NO_SUPPORT and upright > UPRIGHT:
                _stand(step, own, i, row, r, mine, other)
                continue
            if not source:
                _push_back(step, own, i, r, sign)
            if owner[other] >= 0:
                depth = max(-distance_of(step.contacts, i), 0.0)
                speed = abs(step.rows.velocity[row])
                _note_collision(own, time, step.constants.dt, r, owner[other], point, speed, depth)
                _feel(own, r, R, origin, point)
                heading[r] = 1.0
    for r in range(body.shape[0]):
        _rub(step, own, r, feet[first[r] : first[r + 1]])
    _move_hands(step, own, again)
    _brake_balls(step, own)


@inner(flatten=True, borrows=True)
def _keep_headings(step: StepView, own: AddressTable) -> None:
    """Let robots that run into something turn as their wheels say, and not by the blow."""
    heading, rim = numbers_at(own, HEADING), lines_at(own, TWIST, 6)
    place, dof = whole_at(own, QPOS), whole_at(own, DOF)
    for r in range(heading.shape[0]):
        if heading[r] == 0.0:
            continue
        turn = step.qvel[dof[r] + 5] - rim[r, 5]
        half, q = -0.5 * turn * step.constants.dt, place[r] + 3
        a, b, c, d = step.qpos[q], step.qpos[q + 1], step.qpos[q + 2], step.qpos[q + 3]
        step.qpos[q] = a - d * half
        step.qpos[q + 1] = b + c * half
        step.qpos[q + 2] = c - b * half
        step.qpos[q + 3] = d + a * half
        step.qvel[dof[r] + 5] = rim[r, 5]


@entry("void(int64[::1], int64[::1])", flatten=True)
def weigh(table: AddressTable, own: AddressTable) -> None:
    """Note what the feet carried in the step just made, and what else acted on the robots.

    Args:
        table: Of the simulation.
        own: Of the mobile robots.
    """
    step = refer(open_step(table))
    feet, foot, planar = (
        lines_at(own, FEET, FOOT_FIELDS),
        whole_at(own, FOOT),
        lines_at(own, PLANAR, 9),
    )
    body, dof = whole_at(own, BODY), whole_at(own, DOF)
    for row in feet:  # one that comes down is taken to carry its share
        row[LOAD] = 0.0 if row[STANDS] != 0.0 else row[SHARE]
    for i in range(step.contacts.length):
        row = first_row(step.contacts, i)
        if row < 0:
            continue
        for geom in geoms_of(step.contacts, i):
            if geom >= 0 and foot[geom] >= 0 and feet[foot[geom], STANDS] != 0.0:
                feet[foot[geom], LOAD] += step.rows.force[row]
    now = np.empty(3)
    if numbers_at(own, NUMBERS)[SOURCE] != 0.0:
        _keep_headings(step, own)
    for r in range(body.shape[0]):
        _planar(step, body[r], dof[r], lines_at(own, WEIGHT, 5)[r], now)
        for k in range(3):
            planar[r, 3 + k] = (now[k] - planar[r, k]) / step.constants.dt - planar[r, 6 + k]
