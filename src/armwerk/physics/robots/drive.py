"""The drives: goals and tables in, joint forces out, for all motors of all robots.

Every step a motor gets the set point p that it has to have at the end of the step. Arms get the
forces that bring them there in one step by their own dynamics, as far as their motors allow:

    tau = M qdd + h,    qdd = a + k (p' - q) / dt² + c (v' - qd) / dt + i,
    |tau + friction| <= limit,

M being the mass matrix, h the forces of gravity and speed, p' and v' the set point of the step
before and its rate, a what takes those to p, and i a slow integral that carries what the gripper
holds. A free arm meets its set points exactly; what pushes it off dies away by `POLE` per step.
Where it cannot, since something is in its
way or too heavy, motors give their limits and set points wait: that of the motor itself just so
far ahead that the force stays at its limit, and the row of a table until no motor is far behind.
So nothing jumps when the way is free again: set points catch up within speed and acceleration.
Motors that stand at their limits with somewhere to go are *blocked*: they let go of their goals.

Strong arms (stiff mode, closed chains) have an inertia A so large that nothing else can move them,
and no limit: F = A ((p - q) / dt - qd) / dt. Motors of grippers follow the same law, but are light
and limited: they squeeze with the limit when something is between them.

Set points come from a table (one row per step), or run to a goal: as fast as speed and
acceleration allow, such that steps of constant deceleration end exactly on the goal.

Motors of a closed chain may be sent where it cannot close. Motors so strong would tear it apart,
so they give way as soon as it opens, and go back to where it was still closed: the arm jams. A
platform that is forced through a singular pose may come out of it in another posture, as real ones
do; motions planned with its model stay clear of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.errors import ShapeError
from armwerk.physics.contacts.step_view import Small
from armwerk.physics.drives.controller import JointController, JointFeedback
from armwerk.physics.drives.strength import SWING

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody

# columns of the numbers of a motor
SET, SPEED, GOAL, INERTIA, LIMIT, MAX_SPEED, MAX_ACCELERATION, SAFE = range(8)
# its integral, the force it gives, its friction: viscous, against positive and negative motion
SUM, FORCE, VISCOUS, FORWARD, BACKWARD = range(8, 13)
LAST_SET, LAST_SPEED = range(13, 15)  # of the step before
MARK = 15  # where it stood when it was first at its limit
LAST_RATE = 16  # its speed in the step before
FAR = 17  # the nearest it has been to its goal since it was sent there
MISSING, HASTE = range(18, 20)  # from its goal in the step before; how fast the integral grows
# columns of its places: in qpos and qvel, its robot's table (-1: none), its column there, and
# for how many steps it has stood still; whether its set point is behind its table
POSITION, DOF, TABLE, COLUMN, STILL, LAGS = range(6)
# columns of a robot's table: whether it runs, where it starts in the rows of all, its next row,
# its number of rows, its width, and whether the arm has jammed since it was sent somewhere
RUNS, OFFSET, ROW, ROWS, WIDTH, JAMMED = range(6)
# whether the row is held back; how its forces are found; its motors, those of its arm, its dofs;
# whether a motor of its arm is at its limit, for how many steps it has stood so, whether it is
# blocked; for how many steps at a limit it got no further, and how far it was in its table
HELD, LAW, FIRST, COUNT, ARM, FIRST_DOF, DOFS, AT_LIMIT, STALLED, BLOCKED = range(6, 16)
WAITED, REACHED = range(16, 18)
STRONG_LAW, EXACT_LAW, OTHER_LAW = range(3)
NEWLY = 2  # blocked, and has not let go yet
TORN = 5e-4  # [m] between tied points from which on an arm gives way
WHOLE = 3.5e-4  # [m] up to which its chains count as closed
MOST_STEPS = 1_000_000  # of a way to a goal that is looked at beforehand
STANDS = 1e-3  # [rad/s or m/s] below which a motor counts as standing
CREEPS = 2e-3  # [rad or m] within which a motor at its limit counts as standing
BEHIND = 0.01  # [rad or m] from which on a table waits for a motor
AWAY = 1e-4  # [rad or m] from its goal, from which on a motor has somewhere to go
BLOCKED_AFTER = 0.25  # [s] of standing at the limit
STUCK_AFTER = 1.0  # [s] at the limit, all in all, without getting any further
POLE = 0.6  # [1] of an error that is left after a step; 0 would chatter where hands meet
STIFFNESS, DAMPING = (1.0 - POLE) ** 2, 1.0 - POLE**2  # k and c
INTEGRAL = 0.004  # of an error, per step: 40 steps carry what was not reckoned with
THERE = 5e-7  # [rad or m] from its goal, within which a motor has arrived
# of what was missing in the step before: a motor that has more left gets no nearer (a free one has
# 0.975 left); what leaves less has given way
STANDS_STILL, GAVE_WAY = 0.99, 0.8
GROWTH, MOST_HASTE = 1.02, 1e4  # of the integral's haste, per step in which a motor stands so


@entry("f8(f8, f8, f8)")
def braking_speed(distance: float, acceleration: float, dt: float) -> float:
    """Return the largest speed of a step after which a motor can still stop in time.

    k steps of constant deceleration a from speed v cover k v dt - a dt² k (k - 1) / 2.

    Args:
        distance: To go, not negative.
        acceleration: Infinite: it may stop at once.
        dt: Step of time [s].
    """
    if distance <= 0.0:
        return 0.0
    quantum = acceleration * dt * dt
    steps = 1.0
    if quantum < distance:
        steps = math.ceil(0.5 * (math.sqrt(1.0 + 8.0 * distance / quantum) - 1.0))
    if steps <= 1.0:
        return distance / dt
    return distance / (steps * dt) + 0.5 * (steps - 1.0) * acceleration * dt


@entry("void(f8[:], f8)")
def _towards_goal(motor: Array, dt: float) -> None:
    """Move the set point of one motor by a step towards its goal."""
    distance = motor[GOAL] - motor[SET]
    speed = min(braking_speed(abs(distance), motor[MAX_ACCELERATION], dt), motor[MAX_SPEED])
    reached = speed * dt >= abs(distance)
    speed = math.copysign(speed, distance)
    change = motor[MAX_ACCELERATION] * dt
    if speed > motor[SPEED] + change:
        speed, reached = motor[SPEED] + change, False
    elif speed < motor[SPEED] - change:
        speed, reached = motor[SPEED] - change, False
    motor[SPEED] = speed
    motor[SET] = motor[GOAL] if reached else motor[SET] + speed * dt


@entry("i8(f8[:,::1], f8, f8[:,::1])")
def course_to_goal(motors: Array, dt: float, rows: Array) -> int:
    """Move motors to their goals without the world; return the number of steps it takes.

    Args:
        motors: Their numbers, which go on to the end.
        dt: Step of time [s].
        rows: Filled with the set points of every step, as many as there is room for.
            Shape (most, n).
    """
    steps = 0
    while steps < MOST_STEPS:
        arrived = True
        for motor in motors:
            arrived = arrived and motor[SET] == motor[GOAL] and motor[SPEED] == 0.0
        if arrived:
            break
        for k in range(len(motors)):
            _towards_goal(motors[k], dt)
            if steps < len(rows):
                rows[steps, k] = motors[k, SET]
        steps += 1
    return steps


@entry("void(f8[:,::1], i8[:,::1], i8[:,::1], i8[:,::1], f8[:,::1], f8)")
def give_way(
    motors: Array, places: Integers, tables: Integers, ties: Integers, sites: Array, dt: float
) -> None:
    """Send arms back whose closed chains open; remember set points at which they were closed.

    Args:
        motors: Of all robots.
        places: Of the motors.
        tables: Of the robots.
        ties: The two sites of each tie, and the robot it belongs to. Shape (k, 3).
        sites: Where the sites are [m]. Shape (s, 3).
        dt: Step of time [s].
    """
    first = 0
    while first < ties.shape[0]:
        robot, gap, k = ties[first, 2], 0.0, first
        while k < ties.shape[0] and ties[k, 2] == robot:
            one, two = sites[ties[k, 0]], sites[ties[k, 1]]
            away = (one[0] - two[0]) ** 2 + (one[1] - two[1]) ** 2 + (one[2] - two[2]) ** 2
            gap = max(gap, math.sqrt(away))
            k += 1
        first = k
        if WHOLE < gap <= TORN:
            continue
        if gap > TORN:
            tables[robot, RUNS], tables[robot, JAMMED] = 0, 1
        for i in range(motors.shape[0]):
            if places[i, TABLE] != robot:
                continue
            if gap <= WHOLE:
                motors[i, SAFE] = motors[i, SET]
                continue
            # at once, whatever the acceleration: what it runs into is harder than its brakes
            motors[i, GOAL] = motors[i, SAFE]
            back = (motors[i, SAFE] - motors[i, SET]) / dt
            limit = motors[i, MAX_SPEED]
            motors[i, SPEED] = min(max(back, -limit), limit)


@inner
def _catch_up(motor: Array, point: float, rate: float, dt: float) -> bool:
    """Move a set point that is behind towards a point that moves; True: it is there."""
    gap = point - (motor[SET] + rate * dt)
    speed = math.copysign(braking_speed(abs(gap), motor[MAX_ACCELERATION], dt), gap) + rate
    speed = min(max(speed, -motor[MAX_SPEED]), motor[MAX_SPEED])
    change = 2.0 * motor[MAX_ACCELERATION] * dt  # as much as the point itself may change, and more
    speed = min(max(speed, motor[SPEED] - change), motor[SPEED] + change)
    ahead = motor[SET] + speed * dt
    there = abs(point - ahead) <= 1e-12 * (1.0 + abs(point))
    motor[SPEED], motor[SET] = speed, point if there else ahead
    return bool(there)


@inner
def _next_points(motors: Array, places: Integers, table: Integers, rows: Array, dt: float) -> None:
    """Move the set points of one robot by a step."""
    behind = False
    for i in range(table[FIRST], table[FIRST] + table[COUNT]):
        motor, place = motors[i], places[i]
        if place[TABLE] < 0 or table[RUNS] == 0:
            _towards_goal(motor, dt)
            place[LAGS] = 0
            continue
        entry = table[OFFSET] + table[ROW] * table[WIDTH] + place[COLUMN]
        point = rows[entry]
        if place[LAGS] == 0:
            motor[SPEED] = (point - motor[SET]) / dt
            motor[SET] = point
            continue
        rate = 0.0
        if table[HELD] == 0 and table[ROW] > 0:
            rate = (point - rows[entry - table[WIDTH]]) / dt
        if _catch_up(motor, point, rate, dt):
            place[LAGS] = 0
        elif abs(point - motor[SET]) > BEHIND:
            behind = True
    table[HELD] = 1 if behind else 0
    if table[RUNS] != 0 and not behind:
        table[ROW] += 1
        if table[ROW] >= table[ROWS]:
            table[RUNS] = 0


@inner
def _add_up(motor: Array, missing: float, waits: bool, dt: float) -> None:
    """Let the integral of a motor grow by what is missing.

    It grows ever faster where a motor stands a hair off its goal and gets no nearer: what holds it
    off gives way, or the motor comes to its limit and is blocked.
    """
    off = abs(missing)
    if not waits or off < GAVE_WAY * motor[MISSING]:
        motor[HASTE] = 1.0
    elif off > THERE and off > STANDS_STILL * motor[MISSING]:
        motor[HASTE] = min(motor[HASTE] * GROWTH, MOST_HASTE)
    motor[MISSING] = off
    motor[SUM] += motor[HASTE] * INTEGRAL * missing / (dt * dt)


@inner(inline=True)
def _wanted(motor: Array, q: float, rate: float, dt: float) -> float:
    """Return the acceleration that takes a motor along with its set point."""
    ahead = ((motor[SET] - motor[LAST_SET]) / dt - motor[LAST_SPEED]) / dt
    back = STIFFNESS * (motor[LAST_SET] - q) / dt + DAMPING * (motor[LAST_SPEED] - rate)
    return float(ahead + back / dt + motor[SUM])


@inner(inline=True)
def _strong(motor: Array, q: float, rate: float, dt: float) -> float:
    """Return the force that moves an inertia to its set point, which waits at the limit."""
    force = motor[INERTIA] * ((motor[SET] - q) / dt - rate) / dt
    if abs(force) > motor[LIMIT]:
        force = math.copysign(motor[LIMIT], force)
        # the set point waits just so far ahead that the force stays at its limit
        motor[SET] = q + dt * (rate + dt * force / motor[INERTIA])
    return float(force)


@entry("f8(f8[::1], f8, f8, f8)")
def friction_of_drive(motor: Array, rate: float, inertia: float, dt: float) -> float:
    """Return what friction takes from a motor's force; it stops a joint, and never turns it."""
    dry = motor[FORWARD] if rate > 0.0 else motor[BACKWARD]
    most = abs(rate) * inertia / dt
    return math.copysign(min(motor[VISCOUS] * abs(rate) + dry, most), rate)


@inner(inline=True)
def _between(value: float, one: float, two: float) -> float:
    return min(max(value, min(one, two)), max(one, two))


@inner
def _limit(
    motor: Array, place: Integers, wanted: float, q: float, rate: float, inertia: float, dt: float
) -> tuple[float, bool]:
    """Return the force at the joint for one wanted there, and whether the motor is at its limit."""
    taken = friction_of_drive(motor, rate, inertia, dt)
    force = wanted + taken
    if abs(force) <= motor[LIMIT]:
        motor[FORCE] = force
        return wanted, False
    force = math.copysign(motor[LIMIT], force)
    motor[FORCE] = force
    lost = (wanted + taken - force) / inertia
    # between where it goes by itself and where it should: what it lacks may be others' doing
    motor[SET] = _between(motor[SET] - dt * dt * lost, motor[SET], q + dt * rate)
    motor[SPEED] = _between(motor[SPEED] - dt * lost, motor[SPEED], rate)
    place[LAGS] = 1
    return force - taken, True


@inner
def _strayed(motors: Array, places: Integers, table: Integers, qpos: Array) -> bool:
    """Whether an arm has moved on since it was last looked at, or has nowhere to go."""
    away, moved = table[RUNS] != 0, table[STALLED] == 0
    for i in range(table[FIRST], table[FIRST] + table[ARM]):
        q = qpos[places[i, POSITION]]
        if abs(q - motors[i, MARK]) > CREEPS:
            moved = True
        if motors[i, SET] != motors[i, GOAL] or abs(motors[i, GOAL] - q) > AWAY:
            away = True
    return moved or not away


@inner
def _got_further(motors: Array, places: Integers, table: Integers, qpos: Array) -> bool:
    """Whether an arm is further in its table, or a motor of it nearer to its goal, than ever."""
    further = table[RUNS] != 0 and table[ROW] > table[REACHED]
    table[REACHED] = table[ROW] if table[RUNS] != 0 else 0
    if table[RUNS] == 0:
        for i in range(table[FIRST], table[FIRST] + table[ARM]):
            away = abs(motors[i, GOAL] - qpos[places[i, POSITION]])
            if away < motors[i, FAR] - CREEPS:
                motors[i, FAR] = away
                further = True
    return bool(further)


@entry("i8(f8[:,::1], i8[:,::1], i8[::1], f8[::1], f8)")
def note_stall(motors: Array, places: Integers, table: Integers, qpos: Array, dt: float) -> int:
    """Count for how long an arm has stood at a limit; 1: it has become blocked.

    Steps at a limit count double, others are taken off, so that one that trembles counts as well.
    One that swings to and fro for long and gets no further is blocked, too.
    """
    if table[AT_LIMIT] == 0 and table[STALLED] == 0:
        return 0
    if table[AT_LIMIT] != 0:
        table[WAITED] = 0 if _got_further(motors, places, table, qpos) else table[WAITED] + 1
    if _strayed(motors, places, table, qpos):
        table[STALLED] = 0
        for i in range(table[FIRST], table[FIRST] + table[ARM]):
            motors[i, MARK] = qpos[places[i, POSITION]]
    table[STALLED] = max(table[STALLED] + (2 if table[AT_LIMIT] != 0 else -1), 0)
    if table[STALLED] * dt < 2.0 * BLOCKED_AFTER and table[WAITED] * dt < STUCK_AFTER:
        return 0
    table[STALLED], table[WAITED], table[BLOCKED] = 0, 0, NEWLY
    return 1


@entry(
    "i8(f8[:,::1], i8[:,::1], i8[:,::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1],"
    " i4[::1], i4[::1], i4[::1], f8[:,::1], f8)"
)
def drive(
    motors: Array,
    places: Integers,
    tables: Integers,
    rows: Array,
    qpos: Array,
    qvel: Array,
    forces: Array,
    bias: Array,
    masses: Array,
    row_length: Small,
    row_begin: Small,
    columns: Small,
    scratch: Array,
    dt: float,
) -> int:
    """Move all set points by one step and write the forces that meet them.

    Args:
        motors: Numbers of all motors, by columns.
        places: Their places.
        tables: Of the robots.
        rows: Set points of all tables.
        qpos: MuJoCo's, as the next three.
        qvel: Speeds.
        forces: Written.
        bias: Forces of gravity and speed.
        masses: The mass matrix, rows of its lower half, sparse.
        row_length: Of each row.
        row_begin: Where it begins.
        columns: Of its entries.
        scratch: Shape (2, nv).
        dt: Step of time [s].

    Returns:
        How many robots have become blocked in this step.
    """
    blocked = 0
    wanted, result = scratch[0], scratch[1]
    for k in range(tables.shape[0]):
        table = tables[k]
        first, arm, last = table[FIRST], table[FIRST] + table[ARM], table[FIRST] + table[COUNT]
        exact = table[LAW] == EXACT_LAW
        if exact:
            for j in range(table[FIRST_DOF], table[FIRST_DOF] + table[DOFS]):
                wanted[j] = 0.0
                result[j] = 0.0
            for i in range(first, arm):
                motors[i, LAST_SET], motors[i, LAST_SPEED] = motors[i, SET], motors[i, SPEED]
                if table[AT_LIMIT] == 0:
                    waits = motors[i, SET] == motors[i, GOAL] and table[BLOCKED] == 0
                    _add_up(motors[i], motors[i, SET] - qpos[places[i, POSITION]], waits, dt)
        _next_points(motors, places, table, rows, dt)
        for i in range(first, last):
            motor, place = motors[i], places[i]
            q, rate = qpos[place[POSITION]], qvel[place[DOF]]
            if i >= arm or table[LAW] == STRONG_LAW:
                motor[FORCE] = _strong(motor, q, rate, dt)
                forces[place[DOF]] = motor[FORCE]
            elif exact:
                wanted[place[DOF]] = _wanted(motor, q, rate, dt)
            # over two steps: a finger that presses may tremble by micrometres from step to step
            mean = 0.5 * (rate + motor[LAST_RATE])
            motor[LAST_RATE] = rate
            place[STILL] = place[STILL] + 1 if abs(mean) < STANDS else 0
        if not exact:
            continue
        for j in range(table[FIRST_DOF], table[FIRST_DOF] + table[DOFS]):
            for e in range(row_begin[j], row_begin[j] + row_length[j]):
                c = columns[e]
                result[j] += masses[e] * wanted[c]
                if c != j:
                    result[c] += masses[e] * wanted[j]
        table[AT_LIMIT] = 0
        for i in range(first, arm):
            motor, place = motors[i], places[i]
            j = place[DOF]
            force, full = _limit(
                motor,
                place,
                result[j] + bias[j],
                qpos[place[POSITION]],
                qvel[j],
                masses[row_begin[j] + row_length[j] - 1],
                dt,
            )
            forces[j] = force
            if full:
                table[AT_LIMIT] = 1
        blocked += note_stall(motors, places, table, qpos, dt)
    return blocked


@dataclass(frozen=True, slots=True, eq=False)
class DriveState:
    """Everything the drives remember; arrays are copies."""

    motors: Array
    places: Integers
    tables: Integers
    rows: Array


class Drive:
    """The motors of all robots, moved by one call per step.

    Args:
        model: Compiled.
        data: Its state; forces go to ``qfrc_applied``.
        robots: Each gets its part of the motors.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, robots: Sequence[RobotBody]
    ) -> None:
        self.dt = float(model.opt.timestep)
        self._model, self._data = model, data
        motors: list[list[float]] = []
        places: list[list[int]] = []
        firsts: list[int] = []
        for number, robot in enumerate(robots):
            firsts.append(len(motors))
            for k in range(len(robot.motors)):
                motors.append(_motor(robot, model, k))
                table = (number, k) if k < robot.dof else (-1, 0)
                places.append([*robot.place(k), *table, 0, 0])
        self.motors = np.array(motors, dtype=np.float64).reshape(-1, HASTE + 1)
        self.places = np.array(places, dtype=np.int64).reshape(-1, LAGS + 1)
        self.tables = np.zeros((len(robots), REACHED + 1), dtype=np.int64)
        self.rows = np.zeros(0)
        limits = [robot.member(k).limits for robot in robots for k in range(len(robot.motors))]
        self._limits = np.array(limits).reshape(-1, 2)
        self._controllers: list[tuple[RobotBody, JointController]] = []
        for number, (robot, first) in enumerate(zip(robots, firsts, strict=True)):
            law = STRONG_LAW if robot.plan.strong else EXACT_LAW
            if robot.plan.controller is not None and not robot.plan.strong:
                law = OTHER_LAW
                self._controllers.append((robot, robot.plan.controller))
            dofs = robot.own_dofs
            self.tables[number, LAW:AT_LIMIT] = (
                law,
                first,
                len(robot.motors),
                robot.dof,
                int(dofs[0]) if len(dofs) else 0,
                len(dofs),
            )
        state = (data.qpos, data.qvel, data.qfrc_applied, data.qfrc_bias, data.M)
        sparse = (model.M_rownnz, model.M_rowadr, model.M_colind)
        self._views = (*state, *sparse, np.zeros((2, model.nv)))
        ties = [(*pair, number) for number, robot in enumerate(robots) for pair in robot.ties]
        self._ties = np.array(ties, dtype=np.int64).reshape(-1, 3)
        self._sites = data.site_xpos
        for number, (robot, first) in enumerate(zip(robots, firsts, strict=True)):
            robot.attach(self, number, first)

    def write(self) -> bool:
        """Move the set points by one step and write the forces; call between the two half steps.

        Returns:
            Whether an arm has become blocked in this step.
        """
        if len(self._ties):
            give_way(self.motors, self.places, self.tables, self._ties, self._sites, self.dt)
        if not len(self.motors):
            return False
        before = self.motors[:, SPEED].copy() if self._controllers else self.rows
        blocked = drive(self.motors, self.places, self.tables, self.rows, *self._views, self.dt)
        for robot, controller in self._controllers:
            blocked += self._ask(robot, controller, before)
        return blocked > 0

    def _ask(self, robot: RobotBody, controller: JointController, before: Array) -> int:
        """Take the forces of one arm from its own controller."""
        arm = self.motors[robot.arm_rows]
        dofs = self.places[robot.arm_rows, DOF]
        table = self.tables[robot.table]
        full = np.zeros((self._model.nv, self._model.nv))
        mujoco.mj_fullM(self._model, self._data, full)
        M = full[np.ix_(dofs, dofs)]
        feedback = JointFeedback(
            float(self._data.time),
            self.dt,
            robot.q.copy(),
            robot.qd.copy(),
            arm[:, SET].copy(),
            arm[:, SPEED].copy(),
            (arm[:, SPEED] - before[robot.arm_rows]) / self.dt,
            arm[:, LIMIT].copy(),
            M,
            np.array(self._data.qfrc_bias[dofs]),
        )
        asked = np.asarray(controller.forces(feedback), dtype=np.float64)
        if asked.shape != dofs.shape or not np.isfinite(asked).all():
            raise ShapeError(
                f"forces of {type(controller).__name__} must be {len(dofs)} finite numbers, "
                f"got {asked!r}"
            )
        given = np.clip(asked, -arm[:, LIMIT], arm[:, LIMIT])
        arm[:, FORCE] = given
        table[AT_LIMIT] = int((given != asked).any())
        for k, j in enumerate(dofs):
            rate = float(self._data.qvel[j])
            taken = friction_of_drive(arm[k], rate, float(M[k, k]), self.dt)
            self._data.qfrc_applied[j] = given[k] - taken
        return int(note_stall(self.motors, self.places, table, self._views[0], self.dt))

    def let_go(self, robot: int) -> None:
        """Make where an arm stands its goal, and forget what it pressed with."""
        table = self.tables[robot]
        first, last = table[FIRST], table[FIRST] + table[ARM]
        q = self._views[0][self.places[first:last, POSITION]]
        limits = self._limits[first:last]
        self.motors[first:last, SET] = q
        self.motors[first:last, GOAL] = np.clip(q, limits[:, 0], limits[:, 1])
        self.motors[first:last, SPEED] = self.motors[first:last, SUM] = 0.0
        self.places[first:last, LAGS] = 0
        table[RUNS] = table[STALLED] = table[AT_LIMIT] = 0
        table[BLOCKED] = 1

    def follow(self, robot: int, table: Array) -> None:
        """Let the arm of one robot take its set points from a table, one row per step.

        Args:
            robot: Its place among the robots.
            table: Shape (steps, n).
        """
        kept = [
            (k, self.rows[line[OFFSET] : line[OFFSET] + line[ROWS] * line[WIDTH]])
            for k, line in enumerate(self.tables)
            if line[RUNS] and k != robot
        ]
        offset = 0
        pieces = []
        for k, piece in kept:
            self.tables[k, OFFSET] = offset
            offset += len(piece)
            pieces.append(piece)
        self.rows = np.concatenate([*pieces, table.ravel()])
        self.tables[robot, : HELD + 1] = (1, offset, 0, len(table), table.shape[1], 0, 0)
        self.forget_block(robot)

    def forget_block(self, robot: int) -> None:
        """Begin anew to watch whether an arm gets where it is sent."""
        self.tables[robot, [BLOCKED, WAITED, REACHED]] = 0
        first, count = self.tables[robot, [FIRST, ARM]]
        self.motors[first : first + count, FAR] = np.inf

    def stop_table(self, robot: int) -> None:
        """Take the arm of one robot out of its table."""
        self.tables[robot, RUNS] = 0

    def capture(self) -> DriveState:
        """Return a copy of everything that decides what comes next."""
        copies = (self.motors.copy(), self.places.copy(), self.tables.copy(), self.rows.copy())
        for array in copies:
            array.setflags(write=False)
        return DriveState(*copies)

    def restore(self, state: DriveState) -> None:
        """Go on from a captured state."""
        self.motors[:] = state.motors
        self.places[:] = state.places
        self.tables[:] = state.tables
        self.rows = state.rows.copy()
        for _, controller in self._controllers:
            controller.reset()


def _motor(robot: RobotBody, model: mujoco.MjModel, k: int) -> list[float]:
    """Return the numbers of one motor, at rest where it starts."""
    value, member, grip = float(robot.plan.values[k]), robot.member(k), robot.plan.grip
    arm = k < robot.dof
    limits = (np.inf, member.max_velocity, member.max_acceleration)
    if arm and not robot.plan.strong:
        force, fastest, swing = float(robot.plan.max_forces[k]), *limits[1:]
        limits = (force, fastest, swing if np.isfinite(swing) else SWING[member.unit])
    elif not arm and grip is not None:
        limits = (grip.max_effort, *grip.speeds)
    inertia = float(model.dof_armature[robot.place(k)[1]])
    friction = (member.viscous_friction, *member.coulomb_friction) if arm else (0.0, 0.0, 0.0)
    watched = (value, 0.0, value, 0.0, np.inf, 0.0, 1.0)
    return [value, 0.0, value, inertia, *limits, value, 0.0, 0.0, *friction, *watched]


def stopping_distance(speed: float, acceleration: float, dt: float) -> float:
    """Return how far a set point runs on while it brakes, not negative."""
    change = acceleration * dt
    if not math.isfinite(change) or speed == 0.0:
        return 0.0
    steps = math.floor(abs(speed) / change)
    return dt * (steps * abs(speed) - 0.5 * change * steps * (steps + 1))
