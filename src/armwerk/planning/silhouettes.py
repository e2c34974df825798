"""Bodies and arms as flat outlines, for the small views beside maps and in pictures of reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import Box, Mesh, Shape
from armwerk.pictures.canvas import hull
from armwerk.pictures.palette import INK, LINK
from armwerk.pictures.skeleton import arm_skeleton
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACROSS = 61  # points along each axis at which a round body is looked at; odd, to meet its middle


def outline(body: object, view: Array) -> Array | None:
    """Return the convex outline of a body as it is seen [m]; None: it has none.

    Args:
        body: Any shape; a half space has no outline.
        view: Rows: right and up in the view. Shape (2, 3).

    Returns:
        Corners in order. Shape (k, 2).
    """
    if not isinstance(body, Shape) or not np.isfinite(body.bounds).all():
        return None
    points = _points_of(body)
    return None if len(points) < 3 else hull(points @ view.T)


def _points_of(body: Shape) -> Array:
    if isinstance(body, Box):
        return body.corners
    if isinstance(body, Mesh):
        return np.asarray(body.vertices @ body.rotation.T + body.position)
    low, high = body.bounds
    axes = [np.linspace(a, b, _ACROSS) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return grid[body.signed_distance(grid) <= 1e-9]


def draw_arm_lines(axes: Axes, arm: Arm, q: Array, view: Array, scale: float = 1.0) -> Array:
    """Draw the links of an arm as thick lines and its joints as dots; return what they fill.

    Args:
        axes: Where.
        arm: Without symbols.
        q: Joint values [rad or m]. Shape (n,).
        view: Rows: right and up in the view. Shape (2, 3).
        scale: From metres to the unit of the axes.
    """
    skeleton = arm_skeleton(arm, q)
    for bar in skeleton.bars:
        line = scale * (bar.points @ view.T)
        for width, colour in ((4.2, INK), (2.8, LINK)):
            axes.plot(
                line[:, 0],
                line[:, 1],
                color=colour,
                linewidth=width,
                solid_capstyle="round",
                zorder=3,
            )
    joints = scale * (np.stack([joint.centre for joint in skeleton.joints]) @ view.T)
    axes.plot(joints[:, 0], joints[:, 1], "o", color=INK, markersize=3.2, zorder=4)
    return np.asarray(scale * (skeleton.points() @ view.T))
