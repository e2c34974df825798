"""What stands around a robot without physics: where rays meet it, and how high it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.mobile.files.overlaps import surface_points
from armwerk.mobile.kinematic.rays import ray_shape
from armwerk.mobile.scene import MobileRobot

_DOWN = np.array([0.0, 0.0, -1.0])


@dataclass(slots=True, eq=False)
class StandingObject:
    """A body or robot as rays see it.

    Args:
        name: Of body or robot.
        solids: In its own frame.
        pose: T_world_object. Shape (4, 4).
        middle: Of the sphere around its solids, own frame [m]. Shape (3,).
        radius: Of that sphere [m]; infinite for half-spaces.
    """

    name: str
    solids: tuple[Shape, ...]
    pose: Array
    middle: Array
    radius: float


def standing(name: str, solids: tuple[Shape, ...], pose: Array) -> StandingObject:
    """Return an object with the sphere around it."""
    boxes = np.stack([solid.bounds for solid in solids])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return StandingObject(name, solids, pose.copy(), np.zeros(3), np.inf)
    return StandingObject(
        name, solids, pose.copy(), (low + high) / 2, float(np.linalg.norm(high - low) / 2)
    )


def hull(robot: MobileRobot) -> tuple[Shape, ...]:
    """Return the solids of a robot; one that states none is a cylinder over its wheels."""
    if robot.solids:
        return robot.solids
    radius = robot.base.wheel_radius
    across = getattr(robot.base, "track", 2 * getattr(robot.base, "distance", radius)) / 2
    return (Cylinder(across + radius / 4, 2.6 * radius, (0.0, 0.0, 1.7 * radius)),)


def nearest(
    origin: Array, direction: Array, reach: float, objects: Iterable[StandingObject], floor: bool
) -> float:
    """Return the distance to the nearest surface along a ray [m], at most ``reach``.

    Args:
        origin: In the world [m]. Shape (3,).
        direction: Unit vector. Shape (3,).
        reach: How far is looked [m].
        objects: What may be met.
        floor: Whether the plane z = 0 is met.
    """
    best = reach
    if floor and direction[2] < 0 and origin[2] >= 0:
        best = min(best, float(-origin[2] / direction[2]))
    for thing in objects:
        turn, place = thing.pose[:3, :3], thing.pose[:3, 3]
        away = turn @ thing.middle + place - origin
        along = float(away @ direction)
        if np.isfinite(thing.radius) and (
            along < -thing.radius
            or along - thing.radius > best
            or float(away @ away) - along**2 > (thing.radius * (1 + 1e-9)) ** 2 + 1e-18
        ):
            continue
        local, way = turn.T @ (origin - place), turn.T @ direction
        for solid in thing.solids:
            best = min(best, ray_shape(local, way, solid))
    return best


def ground(
    x: float, y: float, top: float, objects: Iterable[StandingObject], floor: bool
) -> float | None:
    """Return the height of the surface below a point [m]; None: there is none.

    Args:
        x: Of the point [m].
        y: Of the point [m].
        top: Height from which is looked down [m]: what is higher is passed through.
        objects: The landscape.
        floor: Whether a floor lies at 0.
    """
    reach = 1e4
    found = nearest(np.array([x, y, top]), _DOWN, reach, objects, floor)
    return None if found >= reach else top - found


def width_along(solids: tuple[Shape, ...], pose: Array, way: Array) -> tuple[float, float]:
    """Return the lowest and highest place of solids along a direction [m]."""
    low, high = np.inf, -np.inf
    for solid in solids:
        points = surface_points(solid)
        along = (points @ pose[:3, :3].T + pose[:3, 3]) @ way
        low, high = min(low, float(along.min())), max(high, float(along.max()))
    return low, high
