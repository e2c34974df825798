"""Set points of motors: from a table, one row per step, or on their way to a goal.

They run as fast as speed and acceleration allow, such that steps of constant deceleration end
exactly on the goal. One that had to wait catches up within the same limits.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.robots.motor_table import (
    COLUMN,
    COUNT,
    FIRST,
    GOAL,
    HELD,
    LAGS,
    MAX_ACCELERATION,
    MAX_SPEED,
    OFFSET,
    ROW,
    ROWS,
    RUNS,
    SET,
    SPEED,
    TABLE,
    WIDTH,
)

MOST_STEPS = 1_000_000  # of a way to a goal that is looked at beforehand
BEHIND = 0.01  # [rad or m] from which on a table waits for a motor


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
def next_points(motors: Array, places: Integers, table: Integers, rows: Array, dt: float) -> None:
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


def stopping_distance(speed: float, acceleration: float, dt: float) -> float:
    """Return how far a set point runs on while it brakes, not negative."""
    change = acceleration * dt
    if not math.isfinite(change) or speed == 0.0:
        return 0.0
    steps = math.floor(abs(speed) / change)
    return dt * (steps * abs(speed) - 0.5 * change * steps * (steps + 1))
