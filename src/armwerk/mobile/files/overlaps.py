"""Robots that stand in one another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.geometry.shapes import Box
from armwerk.mobile.scene import MobileRobot

_DEEP = 1e-4  # [m] two hulls may be in one another


def overlapping_robots(robots: Sequence[MobileRobot]) -> None:
    """Refuse robots that stand in one another.

    Hulls are taken as convex. Two of them are apart when some direction separates them; the
    directions of Minkowski's difference nearest to the origin are found by projection.

    Raises:
        DescriptionError: Naming two of them.
    """
    clouds = [_points(robot) for robot in robots]
    boxes = [(cloud.min(axis=0), cloud.max(axis=0)) for cloud in clouds]
    for one, two in combinations(range(len(robots)), 2):
        (low1, high1), (low2, high2) = boxes[one], boxes[two]
        if (low1 > high2 - _DEEP).any() or (low2 > high1 - _DEEP).any():
            continue
        depth = _depth(clouds[one], clouds[two])
        if depth > _DEEP:
            raise DescriptionError(
                f"robots '{robots[one].name}' and '{robots[two].name}' stand in one another",
                value=f"{depth * 1000:.1f} mm deep",
                allowed="robots apart; move one in the file or by its position [m]",
            )


def surface_points(solid: Shape) -> Array:
    """Return points whose convex hull is a solid, or as near to it as is needed [m]. (m, 3)."""
    if isinstance(solid, Mesh):
        own = solid.vertices
    elif isinstance(solid, Box):
        return solid.corners
    elif isinstance(solid, Cylinder):
        angles = np.arange(72) * np.pi / 36
        ring = solid.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        own = np.vstack(
            [np.column_stack([ring, np.full(72, end * solid.length / 2)]) for end in (-1.0, 1.0)]
        )
    else:
        low, high = solid.bounds
        return np.array(
            [
                (x, y, z)
                for x in (low[0], high[0])
                for y in (low[1], high[1])
                for z in (low[2], high[2])
            ]
        )
    return np.asarray(own @ solid.rotation.T + solid.position, dtype=np.float64)


def _points(robot: MobileRobot) -> Array:
    parts = [surface_points(solid) for solid in robot.solids]
    if not parts:
        base = robot.base.wheel_radius
        parts = [np.array([(-base, -base, 0.0), (base, base, 2 * base)])]
    cloud = np.vstack(parts)
    return np.asarray(cloud @ robot.pose[:3, :3].T + robot.pose[:3, 3], dtype=np.float64)


def _depth(one: Array, two: Array) -> float:
    """Return how deep two upright hulls are in one another, by directions around z and along it."""
    angles = np.arange(180) * np.pi / 90
    ways = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
    ways = np.vstack([ways, [(0, 0, 1.0), (0, 0, -1.0)]])
    return float(((one @ ways.T).max(axis=0) - (two @ ways.T).min(axis=0)).min())
