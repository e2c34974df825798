"""The set-point generator: goals and tables in, joint forces out, for all motors of all robots.

Every step a motor gets the set point p that it has to have at the end of the step, and the force

    F = A ((p - q) / dt - qd) / dt,    |F| <= limit,

which brings a joint of inertia A there in one step. Arms have an inertia so large that nothing
else can move them, and no limit: they meet their set points exactly, as strong as in the source.
Motors of grippers are light and limited: they meet their set points when nothing is in the way,
and squeeze with the limit when something is. Their set points then wait for them.

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
from armwerk.compiled import entry

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody

# columns of the numbers of a motor
SET, SPEED, GOAL, INERTIA, LIMIT, MAX_SPEED, MAX_ACCELERATION, SAFE = range(8)
# columns of its places: in qpos and qvel, its robot's table (-1: none), its column there, and
# for how many steps it has stood still
POSITION, DOF, TABLE, COLUMN, STILL = range(5)
# columns of a robot's table: whether it runs, where it starts in the rows of all, its next row,
# its number of rows, its width, and whether the arm has jammed since it was sent somewhere
RUNS, OFFSET, ROW, ROWS, WIDTH, JAMMED = range(6)
TORN = 5e-4  # [m] between tied points from which on an arm gives way
WHOLE = 3.5e-4  # [m] up to which its chains count as closed
MOST_STEPS = 1_000_000  # of a way to a goal that is looked at beforehand
STANDS = 1e-3  # [rad/s or m/s] below which a motor counts as standing


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


@entry("void(f8[:,::1], i8[:,::1], i8[:,::1], f8[::1], f8[::1], f8[::1], f8[::1], f8)")
def drive(
    motors: Array,
    places: Integers,
    tables: Integers,
    rows: Array,
    qpos: Array,
    qvel: Array,
    forces: Array,
    dt: float,
) -> None:
    """Move all set points by one step and write the forces that meet them."""
    for i in range(motors.shape[0]):
        motor, place = motors[i], places[i]
        q, rate = qpos[place[POSITION]], qvel[place[DOF]]
        table = place[TABLE]
        if table >= 0 and tables[table, RUNS] != 0:
            entry = tables[table, ROW] * tables[table, WIDTH] + place[COLUMN]
            point = rows[tables[table, OFFSET] + entry]
            motor[SPEED] = (point - motor[SET]) / dt
            motor[SET] = point
        else:
            _towards_goal(motor, dt)
        force = motor[INERTIA] * ((motor[SET] - q) / dt - rate) / dt
        if abs(force) > motor[LIMIT]:
            force = math.copysign(motor[LIMIT], force)
            # the set point waits just so far ahead that the force stays at its limit
            motor[SET] = q + dt * (rate + dt * force / motor[INERTIA])
        forces[place[DOF]] = force
        place[STILL] = place[STILL] + 1 if abs(rate) < STANDS else 0
    for k in range(tables.shape[0]):
        if tables[k, RUNS] != 0:
            tables[k, ROW] += 1
            if tables[k, ROW] >= tables[k, ROWS]:
                tables[k, RUNS] = 0


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
        motors: list[list[float]] = []
        places: list[list[int]] = []
        firsts: list[int] = []
        for number, robot in enumerate(robots):
            firsts.append(len(motors))
            for k in range(len(robot.motors)):
                motors.append(_motor(robot, model, k))
                table = (number, k) if k < robot.dof else (-1, 0)
                places.append([*robot.place(k), *table, 0])
        self.motors = np.array(motors, dtype=np.float64).reshape(-1, SAFE + 1)
        self.places = np.array(places, dtype=np.int64).reshape(-1, STILL + 1)
        self.tables = np.zeros((len(robots), JAMMED + 1), dtype=np.int64)
        self.rows = np.zeros(0)
        self._views = (data.qpos, data.qvel, data.qfrc_applied)
        ties = [(*pair, number) for number, robot in enumerate(robots) for pair in robot.ties]
        self._ties = np.array(ties, dtype=np.int64).reshape(-1, 3)
        self._sites = data.site_xpos
        for number, (robot, first) in enumerate(zip(robots, firsts, strict=True)):
            robot.attach(self, number, first)

    def write(self, data: mujoco.MjData | None = None) -> None:
        """Move the set points by one step and write the forces; ``data`` is known already."""
        if len(self._ties):
            give_way(self.motors, self.places, self.tables, self._ties, self._sites, self.dt)
        if len(self.motors):
            drive(self.motors, self.places, self.tables, self.rows, *self._views, self.dt)

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
        self.tables[robot] = (1, offset, 0, len(table), table.shape[1], 0)

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


def _motor(robot: RobotBody, model: mujoco.MjModel, k: int) -> list[float]:
    """Return the numbers of one motor, at rest where it starts."""
    value, member, grip = float(robot.plan.values[k]), robot.member(k), robot.plan.grip
    limits = (np.inf, member.max_velocity, member.max_acceleration)
    if k >= robot.dof and grip is not None:
        limits = (grip.max_effort, *grip.speeds)
    inertia = float(model.dof_armature[robot.place(k)[1]])
    return [value, 0.0, value, inertia, *limits, value]


def stopping_distance(speed: float, acceleration: float, dt: float) -> float:
    """Return how far a set point runs on while it brakes, not negative."""
    change = acceleration * dt
    if not math.isfinite(change) or speed == 0.0:
        return 0.0
    steps = math.floor(abs(speed) / change)
    return dt * (steps * abs(speed) - 0.5 * change * steps * (steps + 1))
