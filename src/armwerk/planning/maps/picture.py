"""The picture of a map: joint values along both axes, a colour for every body, the scene beside.

The scene beside a planar map shows the bodies in their colours and the arm as it stands at zero; a
map over three joints is drawn as slices at values of the third.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import GRID, INK, LINK, MUTED, PATH
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.methods import clearance as distances
from armwerk.planning.maps.panel import (
    Painted,
    add_distance_bar,
    add_legend,
    body_colour,
    dress,
    extent,
    legend_patches,
    painted,
    show_cells,
    show_clearance,
    subtitle,
)
from armwerk.planning.maps.parts import MovedBy
from armwerk.planning.maps.plane import PlanarScene, scene_of
from armwerk.planning.silhouettes import draw_arm_lines, outline
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAP = 5.6  # longest side of a map [inch]
_SCENE, _NAMES, _BAR = 3.5, 2.4, 1.25  # width of what stands beside it [inch]
_TOP, _LEFT, _BOTTOM, _GAP = 0.8, 0.85, 0.65, 0.3  # [inch]
_MAX_SLICES = 12
_PANEL = 2.25  # side of a slice [inch]
_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


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
    beside_it = scene is not None or is_seen_from_above(space)
    side = _BAR if clearance else _SCENE if beside_it else _NAMES
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
    if scene is not None or is_seen_from_above(space):
        margin = 0.16 * wide  # for the labels
        high = 0.5 * tall
        axes = drawn.add_axes((left + margin, top - high, wide - margin, high))
        if scene is not None:
            draw_top_view(axes, scene)
        else:
            draw_from_above(axes, space)
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


def draw_slices(space: MapData, path: Path, heading: str, clearance: bool) -> Path:
    """Draw evenly spread slices side by side and return the file written."""
    third = space.axes[2]
    chosen = np.unique(
        np.linspace(0, third.count - 1, min(_MAX_SLICES, third.count)).round().astype(int)
    )
    columns = min(4, len(chosen))
    rows = -(-len(chosen) // columns)
    left, top, foot = 0.75, 1.0, 0.65
    side = 1.2 if clearance else 1.9
    width, height = left + columns * (_PANEL + 0.18) + side, top + rows * (_PANEL + 0.42) + foot
    values = distances(space) if clearance else None
    colours = None if clearance else painted(space)
    with figure(width, height) as drawn:
        x = left / width
        drawn.text(x, 1 - 0.32 / height, heading, fontsize=13, color=INK, va="center")
        drawn.text(x, 1 - 0.6 / height, subtitle(space), fontsize=8.5, color=MUTED, va="center")
        shown = None
        for number, cut in enumerate(chosen):
            row, column = divmod(number, columns)
            bottom = height - top - row * (_PANEL + 0.42) - _PANEL
            place = (left + column * (_PANEL + 0.18), bottom, _PANEL, _PANEL)
            axes = drawn.add_axes(
                (place[0] / width, place[1] / height, place[2] / width, place[3] / height)
            )
            if values is not None:
                finite = values[np.isfinite(values)]
                farthest = 1000.0 * float(finite.max()) if len(finite) else 1.0
                shown = show_clearance(axes, space, values[cut], farthest)
            elif colours is not None:
                axes.imshow(
                    colours.image[_slice(colours.image, cut, third.count)],
                    extent=extent(space.axes),
                    aspect="auto",
                    interpolation="nearest",
                )
            dress(axes, space.axes, small=True)
            value = third.values[cut] * third.scale
            label = f"{third.name} = {value:.4g} {third.unit}".replace(" °", "°")
            axes.set_title(label, fontsize=8, color=INK, pad=3)
            _only_outer_labels(axes, column > 0, number + columns < len(chosen))
        right = (left + columns * (_PANEL + 0.18)) / width
        if shown is not None:
            add_distance_bar(drawn, shown, (right, foot / height, 0.16 / width, 0.7), 8.5)
        elif colours is not None:
            patches = legend_patches(space, colours, percent=False)
            add_legend(drawn, patches, right, 1 - top / height)
        return write(drawn, path)


def _slice(image: Array, cut: int, count: int) -> int:
    """Return the slice of a picture that may be coarser than the map."""
    return min(len(image) - 1, int(cut * len(image) / count))


def _only_outer_labels(axes: Axes, inside: bool, above: bool) -> None:
    if inside:
        axes.set_ylabel("")
        axes.set_yticklabels([])
    if above:
        axes.set_xlabel("")
        axes.set_xticklabels([])


def shown_scene(space: MapData) -> PlanarScene | None:
    """Return the scene that is drawn beside a map; None: it is not planar, or empty."""
    return scene_of(space, space.q) if len(space.bodies) else None


def is_seen_from_above(space: MapData) -> bool:
    """Whether a scene that is not planar can be shown beside a map: a serial arm among bodies."""
    return isinstance(space.arm, Arm) and len(space.bodies) > 0


def draw_from_above(axes: Axes, space: MapData) -> None:
    """Draw any bodies and the arm, seen from above [mm]."""
    view = np.eye(3)[:2]
    outlines = [outline(body, view) for body in space.bodies]
    shown = [1000.0 * corners for corners in outlines if corners is not None]
    for number, corners in enumerate(outlines):
        if corners is not None:
            tint = body_colour(number)
            axes.add_patch(Polygon(1000.0 * corners, facecolor=tint, edgecolor="none"))
    assert isinstance(space.arm, Arm)
    shown.append(draw_arm_lines(axes, space.arm, space.q, view, 1000.0))
    _dress_view(axes, shown, ["x", "y"])


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
    _dress_view(axes, shown, ["xyz"[int(np.abs(row).argmax())] for row in scene.axes[:2]])


def _dress_view(axes: Axes, shown: list[Array], names: list[str]) -> None:
    """Set limits around what is shown [mm], and write the names of the world's axes."""
    everything = np.vstack(shown)
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    reach = 0.54 * float(np.ptp(everything, axis=0).max())
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + reach)
    axes.set_aspect("equal", adjustable="box", anchor="NW")
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
