"""The scene beside a planar map: bodies in their colours, and the arm as it stands at zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Polygon

from armwerk.arrays import Array
from armwerk.pictures.palette import GRID, INK, LINK, MUTED
from armwerk.planning.maps.colours import body_colour
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.motion import MovedBy
from armwerk.planning.maps.plane import PlanarScene, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def shown_scene(space: MapData) -> PlanarScene | None:
    """Return the scene that is drawn beside a map; None: it is not planar, or empty."""
    return scene_of(space, space.q) if len(space.bodies) else None


def draw_top_view(axes: Axes, scene: PlanarScene) -> None:
    """Draw bodies and arm, seen along the plane's normal [mm]."""
    shown = []
    for number, corners in enumerate(_outlines(scene.bodies.pose, scene.bodies.half)):
        axes.add_patch(Polygon(corners, facecolor=body_colour(number), edgecolor="none"))
        shown.append(corners)
    for which in MovedBy:
        parts = scene.parts[which]
        for corners in _outlines(parts.pose, parts.half):
            axes.add_patch(
                Polygon(corners, facecolor=(*LINK, 0.75), edgecolor=INK, linewidth=0.9, zorder=3)
            )
            shown.append(corners)
    _axes_marks(axes, scene)
    everything = np.vstack(shown)
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    reach = 0.54 * float(np.ptp(everything, axis=0).max())
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + reach)
    axes.set_aspect("equal", adjustable="box", anchor="NW")
    names = ["xyz"[int(np.abs(row).argmax())] for row in scene.axes[:2]]
    axes.set_xlabel(f"{names[0]} [mm]", fontsize=7.5, color=MUTED, labelpad=1)
    axes.set_ylabel(f"{names[1]} [mm]", fontsize=7.5, color=MUTED, labelpad=1)
    axes.tick_params(labelsize=7, colors=MUTED, length=2)
    axes.locator_params(nbins=5)
    axes.set_axisbelow(True)
    axes.grid(color=GRID, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def _outlines(poses: Array, half: Array) -> list[Array]:
    """Return the corners of rectangles [mm]. Shape (4, 2) each."""
    result = []
    for (x, y, c, s), size in zip(poses, half, strict=True):
        local = _CORNERS * size
        turned = local @ np.array([[c, s], [-s, c]])
        result.append(1000.0 * (turned + np.array([x, y])))
    return result


def _axes_marks(axes: Axes, scene: PlanarScene) -> None:
    for axis in (scene.motion.first, scene.motion.second):
        if axis.turns:
            x, y = 1000.0 * scene.pivot(axis)
            axes.plot(x, y, "o", color=INK, markersize=3.5, zorder=4)
