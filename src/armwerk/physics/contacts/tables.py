"""What the kernels must know of things and geoms, as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.scene.scene import Ball, Conveyor, Scene

Integers = NDArray[np.int32]

# roles of geoms
FIXED, BALL, CUBOID, TOUCH, PAD = range(5)
# columns of the table of geoms
ROLE, INDEX, BODY = range(3)
# columns of the table of things; INERTIA begins three
MASS, INERTIA, RADIUS, BOUNCE, ROLLING = 0, 1, 4, 5, 6
# columns of the numbers; GRAVITY begins three
DT, GRAVITY, LEAST_SPEED, LEAST_SLIDE, DAMPING = 0, 1, 4, 5, 6

LEAST_LEFT = 1e-6  # of the speed, after a second; full resistance leaves this much
SLIDE = 20.0  # [m/s²]


def rolling_rate(resistance: float, dt: float) -> float:
    """Return the rate c at which rolling speed falls, v' = -c v, so that steps of dt lose exactly.

    A second leaves the share 1 - resistance; of full resistance a millionth is left.
    """
    c = -math.log(max(1.0 - resistance, LEAST_LEFT))
    return -math.expm1(-c * dt) / dt


def thing_table(scene: Scene, model: Any) -> Array:
    """Return masses, inertias, radii, bounces and rolling losses. Shape (n, 7)."""
    table = np.zeros((len(scene.things), 7))
    dt = float(model.opt.timestep)
    for i, thing in enumerate(scene.things):
        table[i, MASS] = mass = model.body_mass[i + 1]
        table[i, INERTIA : INERTIA + 3] = model.body_inertia[i + 1]
        if isinstance(thing, Ball):
            table[i, RADIUS], table[i, BOUNCE] = thing.radius, thing.bounce
            # the loss acts on the turning, and friction hands it on to the speed: 1 + 2/5
            rate = rolling_rate(thing.resistance, dt)
            table[i, ROLLING] = 1.4 * rate * mass * thing.radius**2
    return table


def geom_table(scene: Scene, model: Any, pads: Iterable[int]) -> Integers:
    """Return role, number of the thing or belt (-1: none), and body of every geom."""
    table = np.zeros((model.ngeom, 3), dtype=np.int32)
    table[:, BODY] = model.geom_bodyid
    table[:, INDEX] = -1
    things = len(scene.things)
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        if 1 <= body <= things:
            ball = isinstance(scene.things[body - 1], Ball)
            table[g, ROLE], table[g, INDEX] = (BALL if ball else CUBOID), body - 1
        elif body > things:
            table[g, ROLE] = TOUCH
    table[list(pads), ROLE] = PAD
    belts = 0
    for name, obstacle in scene.obstacle_names().items():
        if isinstance(obstacle, Conveyor):
            geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
            if geom >= 0:
                table[geom, INDEX] = belts
            belts += 1
    return table


def number_table(model: Any, friction: float) -> Array:
    """Return step, gravity, least speed of a rebound, and what sliding needs. Shape (7,)."""
    dt = float(model.opt.timestep)
    gravity = np.asarray(model.opt.gravity)
    weight = float(np.linalg.norm(gravity))
    constant = max(float(model.geom_solref[0, 0]), 2.0 * dt)
    most = float(model.geom_solimp[0, 1])
    numbers = np.zeros(7)
    numbers[DT], numbers[GRAVITY : GRAVITY + 3] = dt, gravity
    numbers[LEAST_SPEED] = max(2.0 * weight * dt, 1e-3)
    numbers[LEAST_SLIDE] = max(SLIDE, 2.0 * friction * weight)
    numbers[DAMPING] = 2.0 / (most * constant)
    return numbers
