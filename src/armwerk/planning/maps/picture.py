"""The picture of a map: joint values along both axes, a colour for every body, the scene beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import INK, MUTED, PATH
from armwerk.planning.maps.clearance import clearance as distances
from armwerk.planning.maps.colours import Painted, painted
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.panel import (
    add_distance_bar,
    add_legend,
    extent,
    legend_patches,
    show_cells,
    show_clearance,
    subtitle,
)
from armwerk.planning.maps.plane import PlanarScene
from armwerk.planning.maps.slices import draw_slices
from armwerk.planning.maps.top_view import draw_top_view, shown_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAP = 5.6  # longest side of a map [inch]
_SCENE, _NAMES, _BAR = 3.5, 2.4, 1.25  # width of what stands beside it [inch]
_TOP, _LEFT, _BOTTOM, _GAP = 0.8, 0.85, 0.65, 0.3  # [inch]


def draw(
    space: MapData,
    path: str | Path,
    *,
    title: str | None = None,
    clearance: bool = False,
    route: ArrayLike | None = None,
) -> Path:
    """Draw a map and return the file written; three axes become slices.

    Args:
        space: The configuration space.
        path: Ends in .png or .svg.
        title: Above the picture; None: the arm's title.
        clearance: Whether to show the distance to the nearest body instead of which are hit.
        route: Joint values along a way, drawn over a map of two axes. Shape (m, n) or (m, 2).
    """
    path = picture_path(path)
    heading = title or f"Configuration space of {space.arm.title or space.arm.name}"
    if len(space.axes) == 3:
        return draw_slices(space, path, heading, clearance)
    way = None if route is None else _route(space, route)
    scene = shown_scene(space)
    wide, tall = _size(space.axes)
    side = _BAR if clearance else _SCENE if scene is not None else _NAMES
    width, height = _LEFT + wide + _GAP + side, _TOP + tall + _BOTTOM
    with figure(width, height) as drawn:
        drawn.text(_LEFT / width, 1 - 0.32 / height, heading, fontsize=13, color=INK, va="center")
        drawn.text(
            _LEFT / width, 1 - 0.6 / height, subtitle(space), fontsize=8.5, color=MUTED, va="center"
        )
        place = (_LEFT / width, _BOTTOM / height, wide / width, tall / height)
        axes = drawn.add_axes(place)
        left = (_LEFT + wide + _GAP) / width
        beside = (left, _BOTTOM / height, (side - 0.15) / width, tall / height)
        if clearance:
            shown = show_clearance(axes, space, distances(space))
            place = (left, beside[1], 0.18 / width, beside[3])
            add_distance_bar(drawn, shown, place, 9)
        else:
            colours = painted(space)
            show_cells(axes, space, colours.image)
            _beside(drawn, space, scene, colours, beside)
        if way is not None:
            _draw_route(axes, space, way)
        return write(drawn, path)


def _size(axes: Sequence[GridAxis]) -> tuple[float, float]:
    """Return width and height of a map [inch]: square cells of equal units where that fits."""
    x, y = (axis.high - axis.low for axis in axes)
    ratio = x / y if axes[0].kind == axes[1].kind else 1.0
    ratio = float(np.clip(ratio, 0.6, 1.7))
    return (_MAP, _MAP / ratio) if ratio >= 1 else (_MAP * ratio, _MAP)


def _beside(
    drawn: Figure,
    space: MapData,
    scene: PlanarScene | None,
    colours: Painted,
    place: tuple[float, float, float, float],
) -> None:
    left, bottom, wide, tall = place
    top = bottom + tall
    if scene is not None:
        margin = 0.16 * wide  # for the labels
        high = 0.5 * tall
        axes = drawn.add_axes((left + margin, top - high, wide - margin, high))
        draw_top_view(axes, scene)
        top -= high + 0.11 * tall
    patches = legend_patches(space, colours, percent=True)
    add_legend(drawn, patches, left, top, "hit, and in how many cells")


def _route(space: MapData, route: ArrayLike) -> Array:
    way = np.asarray(route, dtype=np.float64)
    if way.ndim == 2 and way.shape[1] == len(space.q):
        way = way[:, [axis.index for axis in space.axes]]
    if way.ndim != 2 or way.shape[1] != 2 or not np.isfinite(way).all():
        raise ShapeError(
            f"route: shape must be (m, {len(space.q)}) or (m, 2), numbers finite, got {way.shape}"
        )
    return way


def _draw_route(axes: Axes, space: MapData, way: Array) -> None:
    """Draw a way; where it leaves a full turn on one side it comes in on the other."""
    shown = way.copy()
    for column, axis in enumerate(space.axes):
        if axis.is_turn:
            shown[:, column] = axis.low + (shown[:, column] - axis.low) % (axis.high - axis.low)
    jumps = np.zeros(len(way), dtype=bool)
    for column, axis in enumerate(space.axes):
        jumps[1:] |= np.abs(np.diff(shown[:, column])) > 0.5 * (axis.high - axis.low)
    shown = shown * [axis.scale for axis in space.axes]
    for piece in np.split(shown, np.flatnonzero(jumps)):
        axes.plot(piece[:, 0], piece[:, 1], color="white", linewidth=3.4, solid_capstyle="round")
        axes.plot(piece[:, 0], piece[:, 1], color=PATH, linewidth=1.8, solid_capstyle="round")
    for end, marker in ((shown[0], "o"), (shown[-1], "s")):
        axes.plot(*end, marker, color=PATH, markersize=7, markeredgecolor="white")
    left, right, low, high = extent(space.axes)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
