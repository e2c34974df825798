"""Motors of closed chains that open give way.

Motors of a closed chain may be sent where it cannot close. Motors so strong would tear it apart,
so they give way as soon as it opens, and go back to where it was still closed: the arm jams. A
platform that is forced through a singular pose may come out of it in another posture, as real ones
do; motions planned with its model stay clear of that.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry
from armwerk.physics.robots.motor_table import (
    GOAL,
    JAMMED,
    MAX_SPEED,
    RUNS,
    SAFE,
    SET,
    SPEED,
    TABLE,
)

TORN = 5e-4  # [m] between tied points from which on an arm gives way
WHOLE = 3.5e-4  # [m] up to which its chains count as closed


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
