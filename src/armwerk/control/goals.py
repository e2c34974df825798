"""Goals of the tool: poses and points, and how messages write them."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.geometry.arguments import RIGID
from armwerk.geometry.transforms import is_transform


def pointing_down(x: float, y: float, z: float, yaw: float = 0.0) -> Array:
    """Return the pose of a tool that points downwards.

    The tool's z axis is -z of the world, its x axis lies in the floor plane under the angle
    ``yaw`` to the world's x axis.

    Args:
        x: Position in the world [m], as y and z.
        yaw: Turn about the vertical, counter-clockwise seen from above [rad].

    Returns:
        T_world_tool. Shape (4, 4).
    """
    numbers = np.array([x, y, z, yaw], dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ShapeError(f"x, y, z and yaw must be finite numbers, got {numbers.tolist()}")
    c, s = cos(yaw), sin(yaw)
    return np.array(
        [[c, s, 0.0, x], [s, -c, 0.0, y], [0.0, 0.0, -1.0, z], [0.0, 0.0, 0.0, 1.0]],
        dtype=np.float64,
    )


def goal_of(given: ArrayLike) -> Array:
    """Return a goal in the world as an array: a rigid pose (4, 4) or a point (3,) [m].

    Raises:
        ShapeError: For anything else, nan and infinity included.
    """
    try:
        goal = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        goal = np.empty(0)
    if goal.shape not in {(4, 4), (3,)} or not np.isfinite(goal).all():
        raise ShapeError(
            "a goal must be a pose of shape (4, 4) or a point of shape (3,) [m] in the world, "
            f"got {given!r:.120}"
        )
    if goal.shape == (4, 4) and not is_transform(goal, RIGID):
        raise ShapeError(
            "a goal must be rigid (orthonormal right-handed rotation, last row 0 0 0 1), got "
            f"{goal.tolist()}"
        )
    return goal


def in_base(base: Array, goal: Array) -> Array:
    """Return a goal of the world in the base frame. Shape as ``goal``."""
    R, p = base[:3, :3], base[:3, 3]
    if goal.ndim == 1:
        return np.asarray(R.T @ (goal - p))
    result = np.eye(4)
    result[:3, :3] = R.T @ goal[:3, :3]
    result[:3, 3] = R.T @ (goal[:3, 3] - p)
    return result


def words_of(goal: Array) -> str:
    """Return a goal for a message: "(0.3000, 0.1000, 0.0500) m, tool axis (0.00, 0.00, -1.00)"."""
    point = goal if goal.ndim == 1 else goal[:3, 3]
    text = "(" + ", ".join(f"{value:.4f}" for value in point) + ") m"
    if goal.ndim == 1:
        return text
    axes = (("tool x axis", goal[:3, 0]), ("tool z axis", goal[:3, 2]))
    words = (f"{name} ({', '.join(f'{value:.3f}' for value in axis)})" for name, axis in axes)
    return f"{text}, {', '.join(words)}"
