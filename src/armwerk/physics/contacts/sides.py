"""Which geom of the engine is what of the cell: the sides of its contacts.

Everything that counts as one in a contact is a *side*: a thing, a member of a robot, an obstacle
however many convex pieces it has, a belt, one wall of the border, the floor. Sides are numbered:
things first, in the order of the scene, then robots, then what stands fast.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Flags
from armwerk.errors import UnknownNameError
from armwerk.physics.names import mobile_of, spoken_name
from armwerk.physics.robots.body import RobotBody
from armwerk.protocol.contacts import ContactSide
from armwerk.scene.scene import Conveyor, Scene

BASE = "base"  # part of a robot that does not move
_BORDER = "border_"


class ContactSides:
    """The sides of one simulation.

    Args:
        model: MuJoCo's model.
        scene: Its things come first in the model.
        robots: As mounted.
        numbers: What the cell calls them.

    Attributes:
        sides: By their numbers.
        of_geom: Number of the side each geom belongs to. Shape (g,).
        movable: How many sides can move; they come first.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        scene: Scene,
        robots: Sequence[RobotBody],
        numbers: Sequence[int],
    ) -> None:
        names = tuple(scene.names())
        found = {ContactSide("thing", name): number for number, name in enumerate(names)}
        of_body = {1 + number: number for number in range(len(names))}
        for robot, called in zip(robots, numbers, strict=True):
            members = zip(robot.plan.bodies, robot.plan.robot.members, strict=True)
            parts = {f"r{robot.plan.number}": BASE, **{body: one.name for body, one in members}}
            for body, part in parts.items():  # a joint may be called as the base is
                side = ContactSide("robot", f"robot {called}", part)
                of_body[model.body(body).id] = found.setdefault(side, len(found))
        self.movable = len(found)
        belts = {name for name, one in scene.obstacle_names().items() if isinstance(one, Conveyor)}
        self.of_geom: NDArray[np.int32] = np.empty(model.ngeom, dtype=np.int32)
        for geom in range(model.ngeom):
            carrier = int(model.geom_bodyid[geom])
            if carrier in of_body:
                self.of_geom[geom] = of_body[carrier]
            else:
                side = _fixed(str(model.geom(geom).name), belts)
                self.of_geom[geom] = found.setdefault(side, len(found))
        self.sides: tuple[ContactSide, ...] = tuple(found)

    def named(self, name: str) -> Flags:
        """Return which sides have a name, whatever they are: a thing, "robot 0", "floor".

        Raises:
            UnknownNameError: When none has.
        """
        flags: Flags = np.array([side.name == name for side in self.sides], dtype=bool)
        if not flags.any():
            known = dict.fromkeys(side.name for side in self.sides)
            raise UnknownNameError("thing, obstacle, belt or robot", str(name), known)
        return flags


def _fixed(geom: str, belts: set[str]) -> ContactSide:
    """Return the side of a geom that stands in the world."""
    name = spoken_name(geom)
    if name != geom:
        return ContactSide("belt" if name in belts else "obstacle", name)
    if mobile_of(geom):
        return ContactSide("robot", mobile_of(geom))
    if geom.startswith(_BORDER):
        return ContactSide("border", "border", geom.removeprefix(_BORDER))
    return ContactSide("floor", "floor")
