"""How far things slide within a step.

MuJoCo moves a thing by its velocity at the end of the step, v1 dt. One that friction brakes from v0
to v1 at a constant rate goes (v0 + v1)/2 dt, and one that it stops before the end of the step goes
less: half the speed lost, times the time t that the braking took, is missing. Along the surfaces
that hold it, it is moved on by that, so that stopping distances and the run-up of belts do not
depend on the step. Moves of a thing that starts and ends at rest add up to what its way lacks, so
nothing creeps.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import AddressTable, open_step
from armwerk.physics.contacts.carrying import belt_velocity
from armwerk.physics.contacts.impulses import moves
from armwerk.physics.contacts.step_view import (
    FIXED,
    SLIDES,
    TOUCH,
    StepView,
    first_row,
    friction_of,
    geoms_of,
    normal_of,
    row_count,
)
from armwerk.record_reference import refer

PARALLEL = 0.01  # sine of the angle up to which two normals are one
STUCK = 0.1  # fraction of a sliding speed that is left where friction has stopped it
_HELD, _MOVING = 1, 2  # bits: a robot touches the thing; it lies on another one


@inner(flatten=True)
def _take_off(v: Array, normals: Array, count: int) -> None:
    """Leave of a vector what is at right angles to so many unit vectors."""
    for j in range(count):
        along = v[0] * normals[j, 0] + v[1] * normals[j, 1] + v[2] * normals[j, 2]
        for k in range(3):
            v[k] -= along * normals[j, k]


@inner(flatten=True)
def _add_normal(normal: Array, normals: Array, count: int, part: Array) -> int:
    """Let a direction count as one in which a thing cannot be moved; return how many there are."""
    if count == 3:
        return 3
    for k in range(3):
        part[k] = normal[k]
    _take_off(part, normals, count)
    size = math.sqrt(part[0] * part[0] + part[1] * part[1] + part[2] * part[2])
    if size < PARALLEL:
        return count
    for k in range(3):
        normals[count, k] = part[k] / size
    return count + 1


@inner(flatten=True)
def _braked(
    step: StepView, i: int, ground: Array, grip: float, normals: Array, count: int
) -> float:
    """Return the time within this step in which friction braked cuboid i [s].

    Sliding at s over the ground it is braked by mu n - g · s/|s|, n being the normal acceleration;
    where it stands at the end of the step, it has done so since |s| divided by that.
    """
    dt = step.constants.dt
    first, last, pull = np.empty(3), np.empty(3), np.empty(3)
    for k in range(3):
        first[k] = step.before[i, k] - ground[k]
        last[k] = step.qvel[6 * i + k] - ground[k]
        pull[k] = step.constants.gravity[k]
    for vector in (first, last, pull):
        _take_off(vector, normals, count)
    size = math.sqrt(first[0] ** 2 + first[1] ** 2 + first[2] ** 2)
    left = math.sqrt(last[0] ** 2 + last[1] ** 2 + last[2] ** 2)
    if left > STUCK * size:
        return dt
    along = (first[0] * pull[0] + first[1] * pull[1] + first[2] * pull[2]) / size
    rate = grip / step.things.mass[i] - along
    return min(dt, size / rate) if rate > 0.0 else dt


@entry("void(int64[::1])", flatten=True)
def finish_slides(table: AddressTable) -> None:
    """Move things that slide on by what the step just made left out.

    Args:
        table: Where everything lies, see `armwerk.physics.contacts.address_table`.
    """
    step = refer(open_step(table))
    n = step.thing_count
    normals, counts = np.empty((n, 3, 3)), np.zeros(n, dtype=np.int32)
    marks, grip = np.zeros(n, dtype=np.int32), np.zeros(n)
    ground, part = np.zeros((n, 3)), np.empty(3)
    for c in range(step.contacts.length):
        row = first_row(step.contacts, c)
        one, two = geoms_of(step.contacts, c)
        if row < 0 or one < 0 or two < 0 or not step.rows.force[row] > 0.0:
            continue
        for geom, other in ((one, two), (two, one)):
            if not moves(step, geom):
                continue
            i, role = step.geoms.number[geom], step.geoms.role[other]
            if not step.state[i] & SLIDES:
                continue
            counts[i] = _add_normal(normal_of(step.contacts, c), normals[i], counts[i], part)
            if role != FIXED:
                marks[i] |= _HELD if role >= TOUCH else _MOVING
            elif row_count(step.contacts, c) >= 3:
                grip[i] += friction_of(step.contacts, c)[0] * step.rows.force[row]
                if step.geoms.number[other] >= 0:
                    belt_velocity(step, c, step.geoms.number[other], i, ground[i])
    for i in range(n):
        slides = step.state[i] & SLIDES and step.asleep[i] < 0
        if not slides or counts[i] == 0 or marks[i] & _HELD:
            continue
        time = step.constants.dt
        if step.things.radius[i] == 0.0 and marks[i] == 0:
            time = _braked(step, i, ground[i], grip[i], normals[i], counts[i])
        for k in range(3):
            part[k] = step.before[i, k] - step.qvel[6 * i + k]
        _take_off(part, normals[i], counts[i])
        for k in range(3):
            step.qpos[7 * i + k] += 0.5 * time * part[k]
