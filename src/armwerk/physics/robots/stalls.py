"""When an arm is blocked: it stands at its limits, or swings to and fro and gets no further."""

from __future__ import annotations

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.robots.motor_table import (
    ARM,
    AT_LIMIT,
    BLOCKED,
    FAR,
    FIRST,
    GOAL,
    MARK,
    NEWLY,
    POSITION,
    REACHED,
    ROW,
    RUNS,
    SET,
    STALLED,
    WAITED,
)

CREEPS = 2e-3  # [rad or m] within which a motor at its limit counts as standing
AWAY = 1e-4  # [rad or m] from its goal, from which on a motor has somewhere to go
BLOCKED_AFTER = 0.25  # [s] of standing at the limit
STUCK_AFTER = 1.0  # [s] at the limit, all in all, without getting any further


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
