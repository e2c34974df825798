"""Frictions that bodies state of themselves.

MuJoCo takes the friction of a contact from the geom of higher priority, and of equals the larger
one. A body that states its friction must win over all that state none, and of two that state it
the smaller one counts: so priorities go up as friction goes down. The geom of higher priority also
says which kinds of friction a contact has, and there hands (they hinder twisting) and belts (they
turn balls) must keep their say; with these a body that states its friction is paired by name.
"""

from __future__ import annotations

import mujoco

from armwerk.physics.build import belt_rolling, stated
from armwerk.physics.names import obstacle_name, spoken_name, thing_name
from armwerk.scene.scene import Ball, Conveyor, Scene

FINGER_PRIORITY = 2  # a hand's friction wins over that of everything that states none
SMALLEST_PAD = 1e-9  # below it a pad has no friction that twisting could be measured by


def state_frictions(spec: mujoco.MjSpec, scene: Scene, pad_friction: float) -> None:
    """Let bodies that state their friction have it; call when all robots stand in the cell.

    Args:
        spec: Is changed.
        scene: Says what the bodies state.
        pad_friction: Of gripper pads and touch parts on things that state nothing.
    """
    things = {
        name: thing.friction for name, thing in scene.names().items() if thing.friction is not None
    }
    obstacles = {
        name: obstacle.friction
        for name, obstacle in scene.obstacle_names().items()
        if obstacle.friction is not None
    }
    if not things and not obstacles:
        return
    order = sorted({*things.values(), *obstacles.values()}, reverse=True)
    for name, friction in things.items():
        priority = FINGER_PRIORITY + 1 + order.index(friction)
        _state(spec.geom(thing_name(name)), friction, priority)
    for name, friction in obstacles.items():
        for geom in _pieces(spec, name):
            _state(geom, friction, FINGER_PRIORITY + 1 + order.index(friction))
    _pair_with_belts(spec, scene, things)
    _pair_with_hands(spec, things, pad_friction)


def _state(geom: mujoco.MjsGeom, friction: float, priority: int) -> None:
    name = spoken_name(geom.name)
    geom.friction = (stated(name, "friction", friction, 0.0, 10.0, ""), *geom.friction[1:])
    geom.priority = priority


def _pieces(spec: mujoco.MjSpec, name: str) -> list[mujoco.MjsGeom]:
    """Return the geoms of an obstacle; one that lies flat on the floor has none."""
    found: list[mujoco.MjsGeom] = []
    while (geom := spec.geom(obstacle_name(name, len(found)))) is not None:
        found.append(geom)
    return found


def _pair_with_belts(spec: mujoco.MjSpec, scene: Scene, things: dict[str, float]) -> None:
    rolling = belt_rolling(scene)
    for belt_name, belt in scene.obstacle_names().items():
        geoms = _pieces(spec, belt_name)
        if not isinstance(belt, Conveyor) or not geoms:
            continue
        for name, thing in scene.names().items():
            own = [mu for mu in (things.get(name), belt.friction) if mu is not None]
            if own:
                friction, ball = min(own), isinstance(thing, Ball)
                spec.add_pair(
                    geomname1=geoms[0].name,
                    geomname2=thing_name(name),
                    condim=6 if ball else 3,
                    friction=(friction, friction, 0.1 * rolling, rolling, rolling),
                    solref=geoms[0].solref,
                    solimp=geoms[0].solimp,
                )


def _pair_with_hands(spec: mujoco.MjSpec, things: dict[str, float], pad_friction: float) -> None:
    hands = [geom for geom in spec.geoms if geom.priority == FINGER_PRIORITY]
    for name, friction in things.items():
        for hand in hands:
            twist = hand.friction[1] * friction / max(pad_friction, SMALLEST_PAD)
            spec.add_pair(
                geomname1=hand.name,
                geomname2=thing_name(name),
                condim=hand.condim,
                friction=(friction, friction, twist, 0.0, 0.0),
                solref=hand.solref,
                solimp=hand.solimp,
            )
