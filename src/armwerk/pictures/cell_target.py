"""What a camera looks at in a cell: a point, a thing or a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.pictures.cell_robot import DrawnRobot
from armwerk.scene.scene import Scene

if TYPE_CHECKING:
    from armwerk.pictures.cell import Moment

Wanted: TypeAlias = str | Sequence[float] | Array
"""A point [m], or a name: of a thing, of a fixed body, or ``robot 0``."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Something that is looked at.

    Args:
        start: Where it is in the cell as its file describes it [m]. Shape (3,).
        thing: Its place among the things; None: it is none.
        robot: Whose hand it is; None: of none.
    """

    start: Array
    thing: int | None = None
    robot: DrawnRobot | None = None

    def at(self, moment: Moment) -> Array:
        """Return where it is: the middle of a thing, the hand of a robot [m]. Shape (3,)."""
        place = self.start
        if self.thing is not None:
            place = moment.positions[self.thing]
        elif self.robot is not None and self.robot.index < len(moment.motors):
            skeleton = self.robot.arm_skeleton(moment.motors[self.robot.index])
            place = skeleton.tools[0][:3, 3]
        return np.array(place, dtype=np.float64) if np.isfinite(place).all() else self.start


def target_of(scene: Scene, robots: Sequence[DrawnRobot], wanted: Wanted) -> Target:
    """Return what is meant by a point or a name.

    Args:
        scene: The cell.
        robots: Its robots.
        wanted: A point [m], or the name of a thing, of a fixed body, or "robot 0".

    Raises:
        DescriptionError: When it is no point and nothing has that name.
    """
    if not isinstance(wanted, str):
        return Target(_point(wanted))
    things = list(scene.names())
    if wanted in things:
        number = things.index(wanted)
        return Target(np.array(scene.things[number].centre, dtype=np.float64), number)
    obstacles = scene.obstacle_names()
    if wanted in obstacles:
        from armwerk.pictures.cell_scene import scene_points

        return Target(_middle(scene_points(Scene(obstacles=(obstacles[wanted],)))))
    named = {f"robot {scene.robots[robot.index].number}": robot for robot in robots}
    called = f"robot {wanted[5:].strip()}" if wanted.startswith("robot") else wanted
    if called in named:
        robot = named[called]
        return Target(_middle(robot.skeletons({})[0].points()), None, robot)
    raise DescriptionError(
        "nothing in the cell has this name",
        element="target of the camera",
        value=wanted,
        allowed=", ".join([*things, *obstacles, *named]) or "a point x y z [m]",
    )


def _point(wanted: Sequence[float] | Array) -> Array:
    try:
        point = np.array(wanted, dtype=np.float64)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise DescriptionError(
            "not a point",
            element="target of the camera",
            value=wanted,
            allowed="three finite numbers x, y, z [m], or a name",
        )
    return point


def _middle(points: Array) -> Array:
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2, dtype=np.float64)
