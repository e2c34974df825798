"""Bodies and robots of a mobile scene, added to a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.geometry.shapes import Sphere
from armwerk.geometry.transforms import inverse
from armwerk.mobile.physical.chassis import add_chassis, check_hull
from armwerk.mobile.physical.hands import add_hands, hand_geoms, pair_hands
from armwerk.mobile.physical.kernels import drive, mix_frictions, weigh
from armwerk.mobile.physical.masses import mass_properties
from armwerk.mobile.physical.tables import MobileTables, uses_memory
from armwerk.mobile.scene import MobileBody, MobileScene
from armwerk.physics.build import colour
from armwerk.physics.contacts.hooks import Hooks
from armwerk.physics.names import obstacle_name
from armwerk.physics.solids import add_solids
from armwerk.scene.scene import Ball, Compound, Scene, Thing


def bounce_of(body: MobileBody, scene: MobileScene) -> float:
    """Return the share of normal speed that a body keeps at a rebound."""
    if body.bounce is not None:
        return body.bounce
    return 1.0 if scene.impact == "source" else 0.0


def thing_of(body: MobileBody, scene: MobileScene) -> tuple[Thing, Array]:
    """Return a movable body as a thing of a scene, and T_body_thing. Shape (4, 4)."""
    element, bounce = f"body '{body.name}'", bounce_of(body, scene)
    properties = mass_properties(element, body.solids, body.mass, body.density)
    if len(body.solids) == 1 and isinstance(body.solids[0], Sphere):
        ball = body.solids[0]
        main = np.eye(4)
        main[:3, 3] = ball.position
        centre = (body.pose @ main)[:3, 3].tolist()
        return Ball(
            (centre[0], centre[1], centre[2]),
            float(ball.radius),
            0.0,
            bounce,
            body.colour,
            body.name,
            mass=properties.mass,
        ), main
    back, pose = inverse(properties.main), body.pose @ properties.main
    solids = tuple(solid.moved(back) for solid in body.solids)
    low = np.min([solid.bounds[0] for solid in solids], axis=0)
    high = np.max([solid.bounds[1] for solid in solids], axis=0)
    x, y, z = pose[:3, 3].tolist()
    width, depth, height = (high - low).tolist()
    a, b, c, d = quaternion_from_rotation(pose[:3, :3]).tolist()
    first, second, third = properties.inertia.tolist()
    return Compound(
        (x, y, z),
        (width, depth, height),
        body.colour,
        body.name,
        mass=properties.mass,
        bounce=bounce,
        solids=solids,
        turn=(a, b, c, d),
        inertia=(first, second, third),
    ), properties.main


class MobileAddition:
    """Landscape, movable bodies and robots of a mobile scene.

    Args:
        scene: The mobile scene.
        surroundings: What else stands in the world.

    Attributes:
        surroundings: The same with the movable bodies among its things, after its own.
        main: T_body_thing of every movable body, by its name.
        tables: What the kernels know; there once the simulation is.
    """

    def __init__(self, scene: MobileScene, surroundings: Scene) -> None:
        self._scene = scene
        self.main: dict[str, Array] = {}
        things: list[Thing] = []
        taken = {*surroundings.names(), *surroundings.obstacle_names()}
        for name in scene.names():
            if name in taken:
                raise DescriptionError(
                    "the surroundings have something of this name too", element=f"'{name}'"
                )
        for robot in scene.robots:
            check_hull(robot)
        for body in scene.bodies:
            if body.kind == "movable":
                thing, self.main[body.name] = thing_of(body, scene)
                things.append(thing)
        self.surroundings = replace(surroundings, things=(*surroundings.things, *things))

    def build(self, spec: mujoco.MjSpec) -> None:
        """Add landscape and robots to the specification."""
        scene = self._scene
        if not scene.floor:
            floor = spec.geom("floor")
            floor.contype = floor.conaffinity = 0
            floor.rgba, floor.pos = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1e6)
        for body in scene.bodies:
            if body.kind == "immovable":
                names = (obstacle_name(body.name, piece) for piece in count())
                solids = [solid.moved(body.pose) for solid in body.solids]
                for geom in add_solids(spec, spec.worldbody, solids, names, fixed=True):
                    geom.rgba = colour(body.colour)
        for robot in scene.robots:
            body = add_chassis(spec, robot)
            add_hands(spec, body, robot, float(body.mass))
        pair_hands(spec, scene)

    def pads(self, model: mujoco.MjModel) -> Sequence[int]:
        """Return the geoms of hands."""
        return hand_geoms(model, self._scene)

    def start(self, model: mujoco.MjModel, data: mujoco.MjData, hooks: Hooks) -> None:
        """Be handed the model."""
        things = len(self.surroundings.things)
        self.tables = MobileTables(self._scene, model, things, self.pads(model))
        self._data, self._hooks = data, hooks

    def before(self) -> None:
        """Let frictions be products."""
        if uses_memory(self._hooks):
            mix_frictions(self._hooks.table, self.tables.address)
        elif self._data.ncon:
            self.tables.mix_slowly(self._data)

    def after(self, *, again: bool) -> None:
        """Drive the robots and note what they touch."""
        drive(self._hooks.table, self.tables.address, float(self._data.time), again)

    def finish(self) -> None:
        """Note what the feet of the robots carried."""
        weigh(self._hooks.table, self.tables.address)
