"""What the kernels must know of things, geoms and the simulation as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mujoco
import numpy as np

from armwerk.physics.contacts.step_view import (
    BALL,
    CUBOID,
    LINK,
    LIP,
    PAD,
    TOUCH,
    GeomTable,
    StepConstants,
    ThingTable,
)
from armwerk.physics.names import obstacle_name
from armwerk.scene.scene import Ball, Conveyor, Scene

MIN_LEFT = 1e-6  # of the speed, after a second; full resistance leaves this much
SLIDE = 20.0  # [m/s²]
FINGER_MASS = 0.2  # [kg] of a finger as seen from what it touches


def rolling_rate(resistance: float, dt: float) -> float:
    """Return the rate c at which rolling speed falls, v' = -c v, so that steps of dt lose exactly.

    A second leaves the fraction 1 - resistance; of full resistance a millionth is left.
    """
    c = -math.log(max(1.0 - resistance, MIN_LEFT))
    return -math.expm1(-c * dt) / dt


def thing_table(scene: Scene, model: mujoco.MjModel) -> ThingTable:
    """Return masses, inertias, radii, bounces and rolling losses of the things."""
    count = len(scene.things)
    mass = np.array(model.body_mass[1 : count + 1])
    inertia = np.array(model.body_inertia[1 : count + 1]).reshape(count, 3)
    radius, bounce, rolling = np.zeros(count), np.zeros(count), np.zeros(count)
    dt = float(model.opt.timestep)
    for i, thing in enumerate(scene.things):
        bounce[i] = thing.bounce
        if isinstance(thing, Ball):
            radius[i] = thing.radius
            # the loss acts on the turning, and friction hands it on to the speed: 1 + 2/5
            rate = rolling_rate(thing.resistance, dt)
            rolling[i] = 1.4 * rate * mass[i] * thing.radius**2
    return ThingTable(mass, inertia, radius, bounce, rolling)


def geom_table(
    scene: Scene,
    model: mujoco.MjModel,
    pads: Iterable[int],
    links: Iterable[int] = (),
    lips: Iterable[int] = (),
) -> GeomTable:
    """Return role, number of the thing or belt, body and finger of every geom."""
    role = np.zeros(model.ngeom, dtype=np.int32)
    number = np.full(model.ngeom, -1, dtype=np.int32)
    body = np.array(model.geom_bodyid, dtype=np.int32)
    things = len(scene.things)
    for g, carrier in enumerate(body.tolist()):
        if 1 <= carrier <= things:
            ball = isinstance(scene.things[carrier - 1], Ball)
            role[g], number[g] = (BALL if ball else CUBOID), carrier - 1
        elif carrier > things:
            role[g] = TOUCH
    role[list(pads)] = PAD
    role[list(links)] = LINK
    finger, press = np.full(model.ngeom, -1, dtype=np.int32), np.zeros(model.ngeom)
    for pad in pads:
        finger[pad], press[pad] = _finger(model, int(body[pad]))
    finger[list(lips)], press[list(lips)] = LIP, 0.0
    belts = 0
    for name, obstacle in scene.obstacle_names().items():
        if isinstance(obstacle, Conveyor):
            geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, obstacle_name(name))
            if geom >= 0:
                number[geom] = belts
            belts += 1
    return GeomTable(role, number, body, finger, press)


def _finger(model: mujoco.MjModel, body: int) -> tuple[int, float]:
    """Return the dof that moves a pad's body, and the pad's acceleration per force of its motor.

    A finger of length l has the inertia m l², so that its end moves with F/(m l).
    """
    while body > 0 and model.body_dofnum[body] == 0:
        body = int(model.body_parentid[body])
    dof = int(model.body_dofadr[body])
    armature = float(model.dof_armature[dof]) if dof >= 0 else 0.0
    return dof, 1.0 / math.sqrt(armature * FINGER_MASS) if armature > 0.0 else 0.0


def step_constants(model: mujoco.MjModel, friction: float) -> StepConstants:
    """Return step, gravity, least speed of a rebound, and what sliding needs."""
    dt = float(model.opt.timestep)
    gravity = np.array(model.opt.gravity)
    weight = float(np.linalg.norm(gravity))
    constant = max(float(model.geom_solref[0, 0]), 2.0 * dt)
    impedance = float(model.geom_solimp[0, 1])
    return StepConstants(
        dt=dt,
        gravity=gravity,
        min_rebound=max(2.0 * weight * dt, 1e-3),
        min_slide=max(SLIDE, 2.0 * friction * weight),
        damping=2.0 / (impedance * constant),
    )
