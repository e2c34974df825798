"""Forces of single motors: what takes them along with their set points, as far as they can."""

from __future__ import annotations

import math

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.robots.motor_table import (
    BACKWARD,
    FORCE,
    FORWARD,
    HASTE,
    INERTIA,
    LAGS,
    LAST_SET,
    LAST_SPEED,
    LIMIT,
    MISSING,
    SET,
    SPEED,
    SUM,
    VISCOUS,
)

POLE = 0.6  # [1] of an error that is left after a step; 0 would chatter where hands meet
STIFFNESS, DAMPING = (1.0 - POLE) ** 2, 1.0 - POLE**2  # k and c
INTEGRAL = 0.004  # of an error, per step: 40 steps carry what was not reckoned with
THERE = 5e-7  # [rad or m] from its goal, within which a motor has arrived
# of what was missing in the step before: a motor that has more left gets no nearer (a free one has
# 0.975 left); what leaves less has given way
STANDS_STILL, GAVE_WAY = 0.99, 0.8
GROWTH, MOST_HASTE = 1.02, 1e4  # of the integral's haste, per step in which a motor stands so
# [rad or m] that haste makes of what is missing at most: hands that hold one thing would tear at it
MOST_FELT = 1e-3


@inner
def add_up(motor: Array, missing: float, waits: bool, dt: float) -> None:
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
    felt = max(off, min(motor[HASTE] * off, MOST_FELT))
    motor[SUM] += math.copysign(INTEGRAL * felt, missing) / (dt * dt)


@inner(inline=True)
def wanted_acceleration(motor: Array, q: float, rate: float, dt: float) -> float:
    """Return the acceleration that takes a motor along with its set point."""
    ahead = ((motor[SET] - motor[LAST_SET]) / dt - motor[LAST_SPEED]) / dt
    back = STIFFNESS * (motor[LAST_SET] - q) / dt + DAMPING * (motor[LAST_SPEED] - rate)
    return float(ahead + back / dt + motor[SUM])


@inner(inline=True)
def strong_force(motor: Array, q: float, rate: float, dt: float) -> float:
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
def limit_force(
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
