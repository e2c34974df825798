"""What mobile robots do at the contacts of a step, compiled.

The wheels of a robot do not turn in the engine; they are round feet of its hull. Where one touches
the ground, friction aims at the velocity with which its rim would go over it, instead of at
standstill, as a belt does with what lies on it. So a wheel drives by friction and slips where that
does not suffice, and neither the roundness of a wheel nor the turning of a caster disturbs the way.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    integers_at,
    lines_at,
    numbers_at,
    open_contacts,
    open_step,
    whole_at,
)
from armwerk.physics.contacts.step_view import (
    TOUCHED,
    StepView,
    axis_of,
    distance_of,
    first_row,
    friction_of,
    geoms_of,
    normal_of,
    point_of,
    row_count,
)

(SURFACE, MINE, SUPPORT, ROBOT, OWNER, BODY, DOF, TWIST, GOAL, LIMITS, ODOMETRY, SEEN, SECTORS,
 RECORDS, COUNT, BRAKING, NUMBERS, HEADING) = range(18)  # fmt: skip
"""Places in the table of mobile robots, see `armwerk.mobile.physical.tables`."""
NO_SUPPORT, ROLLING, SKIDDING = 0, 1, 2
"""What a geom is to its robot."""
MU_COLUMN, CONE, SOURCE = 0, 1, 2  # places in NUMBERS
ACCELERATION, ARM, STALL = 0, 1, 2  # columns of LIMITS
FIELDS = 8  # of a record: time, robot, owner, point, speed, 0
SECTOR_COUNT = 72
MIN_FRICTION = 1e-5
UPRIGHT = 0.7  # cosine to the robot's own z from which on a wheel stands on something
MIN_OUT, OUT_TIME = 0.003, 0.25  # as for links, see `armwerk.physics.contacts.adjust`
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
    column = int(numbers[MU_COLUMN])
    for i in range(contacts.length):
        one, two = geoms_of(contacts, i)
        if one < 0 or two < 0 or (mine[one] == 0 and mine[two] == 0):
            continue
        if mine[one] < 0 or mine[two] < 0 or row_count(contacts, i) < 3:
            continue
        mu = max(surface[one] * surface[two], MIN_FRICTION)
        friction = friction_of(contacts, i)
        friction[0] = friction[1] = mu
        contacts.numbers[i, column] = mu * numbers[CONE]


@inner(flatten=True)
def _dot(one: Array, two: Array) -> float:
    return float(one[0] * two[0] + one[1] * two[1] + one[2] * two[2])


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
def _roll(
    step: StepView, i: int, row: int, sign: float, R: Array, origin: Array, rim: Array, skid: bool
) -> None:
    """Let friction at a wheel aim at the velocity of its rim; the weight is carried without a hop.

    In MuJoCo's cone a contact that slides rises by mu (t - mu n), see
    `armwerk.physics.contacts.adjust`; that is taken off what the normal row aims at.
    """
    rows, dt = step.rows, step.constants.dt
    point = point_of(step.contacts, i)
    x = y = 0.0
    for k in range(3):
        x += R[3 * k] * (point[k] - origin[k])
        y += R[3 * k + 1] * (point[k] - origin[k])
    along, across = rim[3] - rim[5] * y, 0.0 if skid else rim[4] + rim[5] * x
    depth = max(-distance_of(step.contacts, i), 0.0)
    out = min(MIN_OUT + depth / OUT_TIME, depth / dt)
    rows.reference[row] = (out - rows.velocity[row]) / dt
    if row_count(step.contacts, i) < 3:
        return
    total = needed = 0.0
    for r in range(1, 3):
        tangent, aim, pull = axis_of(step.contacts, i, r), 0.0, 0.0
        for k in range(3):
            aim += tangent[k] * (R[3 * k] * along + R[3 * k + 1] * across)
            pull += tangent[k] * step.constants.gravity[k]
        rows.reference[row + r] = (sign * aim - rows.velocity[row + r]) / dt
        total = math.hypot(total, rows.reference[row + r])
    share = min(1.0, step.constants.min_slide / total) if total > 0.0 else 1.0
    for r in range(1, 3):
        tangent = axis_of(step.contacts, i, r)
        rows.reference[row + r] *= share
        pull = _dot(tangent, step.constants.gravity)
        needed = math.hypot(needed, rows.reference[row + r] - sign * pull)
    mu = friction_of(step.contacts, i)[0]
    normal = abs(_dot(normal_of(step.contacts, i), step.constants.gravity))
    rise = mu * (needed - mu * (normal + rows.reference[row]))
    if rise > 0.0:
        rows.reference[row] -= rise


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


@entry("void(int64[::1], int64[::1], float64)", flatten=True)
def drive(table: AddressTable, own: AddressTable, time: float) -> None:
    """Drive all mobile robots through a step, and note what they touch.

    Args:
        table: Of the simulation.
        own: Of the mobile robots.
        time: At the beginning of the step [s].
    """
    step = open_step(table)
    support, robot, owner = whole_at(own, SUPPORT), whole_at(own, ROBOT), whole_at(own, OWNER)
    body, dof, twist = whole_at(own, BODY), whole_at(own, DOF), lines_at(own, TWIST, 6)
    source = numbers_at(own, NUMBERS)[SOURCE] != 0.0
    for r in range(body.shape[0]):
        step.applied[dof[r] : dof[r] + 6] = 0.0
    _accelerate(step, own)
    for i in range(step.contacts.length):
        row = first_row(step.contacts, i)
        one, two = geoms_of(step.contacts, i)
        if row < 0 or one < 0 or two < 0:
            continue
        for mine, other, sign in ((two, one, 1.0), (one, two, -1.0)):
            r = robot[mine]
            if r < 0 or robot[other] == r:
                continue
            R, origin = step.xmat[body[r]], step.xpos[body[r]]
            normal, point = normal_of(step.contacts, i), point_of(step.contacts, i)
            upright = sign * (normal[0] * R[2] + normal[1] * R[5] + normal[2] * R[8])
            if support[mine] != NO_SUPPORT and upright > UPRIGHT:
                _roll(step, i, row, sign, R, origin, twist[r], support[mine] == SKIDDING)
                continue
            if not source:
                _push_back(step, own, i, r, sign)
            if owner[other] >= 0:
                depth = max(-distance_of(step.contacts, i), 0.0)
                speed = abs(step.rows.velocity[row])
                _note_collision(own, time, step.constants.dt, r, owner[other], point, speed, depth)
                _feel(own, r, R, origin, point)
    _brake_balls(step, own)
