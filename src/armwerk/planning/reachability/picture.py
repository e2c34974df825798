"""The picture of a reach: three views of the voxels, and half of them in space.

The upper views show in how many ways a voxel is reached, summed along the line of sight, the lower
ones the best manipulability along it. Bodies are drawn as outlines of the boxes around them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.patches import Polygon, Rectangle

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import Shape
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import GRID, INK, MUTED, PATH
from armwerk.pictures.skeleton import good_configuration
from armwerk.planning.silhouettes import draw_arm_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

    from armwerk.planning.reachability.result import ReachData


class _View(NamedTuple):
    """From where the voxels are seen: axes of the world to the right, upwards, along the sight."""

    name: str
    right: int
    up: int
    sight: int


_VIEWS = (
    _View("from above", 0, 1, 2),
    _View("from the front", 0, 2, 1),
    _View("from the side", 1, 2, 0),
)
_PANEL, _GAP, _LEFT, _TOP, _BOTTOM, _BAR = 2.7, 0.62, 0.75, 1.0, 0.6, 1.1  # [inch]
_WAYS = LinearSegmentedColormap.from_list("ways", ["#e8f1f8", "#7fb7d6", "#2f6f9f", "#1d3461"])
_GOOD = LinearSegmentedColormap.from_list("good", ["#fff4dc", "#f2b25c", "#d0612f", "#7a1f3d"])
_MAX_POINTS = 60_000  # of the view in space; above that every second, third … layer is left out
_TURN, _TILT = np.radians(-55.0), np.radians(25.0)


def draw(
    reach: ReachData,
    path: str | Path,
    *,
    title: str | None = None,
    height: float | None = None,
) -> Path:
    """Draw a reach and return the file written; the arm stands in it as it shows itself well.

    Args:
        reach: What was found.
        path: Ends in .png or .svg.
        title: Above the picture; None: the arm's title.
        height: The views from above show the layer of voxels at this height alone [m]; None: all
            layers together.

    Raises:
        DescriptionError: When no voxel lies at that height.
    """
    path = picture_path(path)
    cut = height
    layer = None if cut is None else _layer(reach, cut)
    q = good_configuration(reach.arm)
    wide = 3 * _PANEL + 3 * _GAP
    width, height = _LEFT + wide + _BAR + 4.4, _TOP + 2 * _PANEL + _GAP + _BOTTOM
    with figure(width, height) as drawn:
        heading = title or f"Reach of {reach.arm.title or reach.arm.name}"
        x = _LEFT / width
        drawn.text(x, 1 - 0.32 / height, heading, fontsize=13, color=INK, va="center")
        drawn.text(x, 1 - 0.6 / height, subtitle(reach), fontsize=8.5, color=MUTED, va="center")
        for row, (values, tints, label) in enumerate(_rows(reach, layer)):
            bottom = height - _TOP - _PANEL - row * (_PANEL + _GAP)
            norm = _norm(values, logarithmic=row == 0)
            for column, view in enumerate(_VIEWS):
                left = _LEFT + column * (_PANEL + _GAP)
                axes = drawn.add_axes(
                    (left / width, bottom / height, _PANEL / width, _PANEL / height)
                )
                shown = _show(axes, reach, values[column], view, tints, norm)
                directions = np.eye(3)[[view.right, view.up]]
                draw_arm_lines(axes, reach.arm, q, directions)
                name = view.name
                if layer is not None and view.sight == 2:
                    name = (
                        f"at z = {reach.edges[2][layer]:.3f} to {reach.edges[2][layer + 1]:.3f} m"
                    )
                elif cut is not None:
                    axes.axhline(cut, color=PATH, linewidth=0.9, linestyle=(0, (5, 3)))
                if row == 0:
                    axes.set_title(name, fontsize=9, color=INK, pad=4)
            place = (_LEFT + wide - 0.3, bottom, 0.14, _PANEL)
            _bar(
                drawn,
                shown,
                _fractions(place, width, height),
                label,
            )
        place = (_LEFT + wide + _BAR + 0.1, 0.4, 4.1, height - 1.1)
        _in_space(drawn, reach, _fractions(place, width, height))
        return write(drawn, path)


def _fractions(
    place: tuple[float, float, float, float], width: float, height: float
) -> tuple[float, float, float, float]:
    """Return a place, left, bottom, width, height [inch], as fractions of the figure."""
    left, bottom, wide, high = place
    return left / width, bottom / height, wide / width, high / height


def subtitle(reach: ReachData) -> str:
    """Return what was counted, in one line."""
    what = "configurations" if reach.method == "forward" else "poses"
    words = f"{reach.tried:,} {what}, {reach.reached:,} voxels of {1000 * reach.cell:g} mm reached"
    words += f" ({reach.volume:.3g} m³)"
    if reach.contact != "none":
        words += f", {reach.touching:,} touch a body (contact: {reach.contact})"
    return words


def _layer(reach: ReachData, height: float) -> int:
    """Return the layer of voxels at a height."""
    edges = reach.edges[2]
    if not edges[0] <= height <= edges[-1]:
        raise DescriptionError(
            "no voxel lies there",
            element="height",
            value=f"{height:g} m",
            allowed=f"{edges[0]:.3f} to {edges[-1]:.3f} m",
        )
    return min(int(np.searchsorted(edges, height, side="right")) - 1, len(edges) - 2)


def _rows(
    reach: ReachData, layer: int | None
) -> list[tuple[list[Array], LinearSegmentedColormap, str]]:
    forward = reach.method == "forward"
    ways = [reach.counts.sum(axis=view.sight, dtype=np.float64) for view in _VIEWS]
    good = [_highest(reach.manipulability, view.sight) for view in _VIEWS]
    if layer is not None:
        ways[0] = reach.counts[:, :, layer].astype(np.float64)
        good[0] = reach.manipulability[:, :, layer]
    unit = ("", " [m]", " [m²]", " [m³]")[reach.rank]
    return [
        (ways, _WAYS, "free configurations" if forward else "free inverse solutions"),
        (good, _GOOD, f"best manipulability{unit}"),
    ]


def _highest(values: Array, axis: int) -> Array:
    return np.asarray(values.max(axis=axis, initial=0.0))


def _norm(values: list[Array], logarithmic: bool) -> Normalize:
    top = max((float(v.max()) for v in values if v.size), default=0.0) or 1.0
    return LogNorm(1.0, max(top, 2.0)) if logarithmic else Normalize(0.0, top)


def _show(
    axes: Axes,
    reach: ReachData,
    values: Array,
    view: _View,
    tints: LinearSegmentedColormap,
    norm: Normalize,
) -> QuadMesh:
    """Show one view, x to the right and the other axis upwards [m]."""
    right, up = view.right, view.up
    edges = reach.edges
    masked = np.ma.masked_less_equal(values.T, 0.0)
    shown = axes.pcolormesh(edges[right], edges[up], masked, cmap=tints, norm=norm, rasterized=True)
    for body in reach.bodies:
        if isinstance(body, Shape) and np.isfinite(body.bounds).all():
            low, high = body.bounds
            corner, size = (low[right], low[up]), (high[right] - low[right], high[up] - low[up])
            axes.add_patch(Rectangle(corner, *size, fill=False, edgecolor=PATH, linewidth=1.0))
    base = reach.arm.base[:3, 3]
    axes.plot(base[right], base[up], "o", color=INK, markersize=3.5)
    _frame(axes, [e for e in edges], base, right, up)
    axes.set_xlabel(f"{'xyz'[right]} [m]", fontsize=8, color=INK, labelpad=1)
    axes.set_ylabel(f"{'xyz'[up]} [m]", fontsize=8, color=INK, labelpad=1)
    axes.tick_params(labelsize=7, colors=MUTED, length=2)
    axes.locator_params(nbins=5)
    axes.set_axisbelow(True)
    axes.grid(color=GRID, linewidth=0.4)
    for spine in axes.spines.values():
        spine.set_color(GRID)
    return shown


def _frame(axes: Axes, edges: list[Array], base: Array, right: int, up: int) -> None:
    """Give all views the same scale, the base always in sight."""
    low = np.minimum([e[0] for e in edges], base)
    high = np.maximum([e[-1] for e in edges], base)
    half = 0.53 * max(float((high - low).max()), 1e-3)
    middle = (low + high) / 2
    axes.set_xlim(middle[right] - half, middle[right] + half)
    axes.set_ylim(middle[up] - half, middle[up] + half)
    axes.set_aspect("equal")


def _bar(
    drawn: Figure, shown: QuadMesh, place: tuple[float, float, float, float], label: str
) -> None:
    bar = drawn.colorbar(shown, cax=drawn.add_axes(place))
    bar.set_label(label, fontsize=8, color=INK)
    bar.ax.tick_params(labelsize=7, colors=MUTED, length=2)
    bar.outline.set_edgecolor(GRID)


def _in_space(drawn: Figure, reach: ReachData, place: tuple[float, float, float, float]) -> None:
    """Show the voxels behind a cut through the base, painted from far to near."""
    axes = drawn.add_axes(place)
    axes.set_axis_off()
    axes.set_aspect("equal")
    right = np.array([np.cos(_TURN + np.pi / 2), np.sin(_TURN + np.pi / 2), 0.0])
    away = -np.array([np.cos(_TURN) * np.cos(_TILT), np.sin(_TURN) * np.cos(_TILT), np.sin(_TILT)])
    up = np.cross(right, away)
    base = reach.arm.base[:3, 3]
    centres = reach.centres()
    values = reach.manipulability[reach.counts > 0]
    keep = (centres - base) @ np.array([away[0], away[1], 0.0]) > -reach.cell / 2
    if len(reach.shape) and min(reach.shape) <= 1:
        keep[:] = True  # a layer has no inside to be shown
    centres, values = centres[keep], values[keep]
    stride = 1 + len(centres) // _MAX_POINTS
    order = np.argsort(-(centres @ away), kind="stable")[::stride]
    top = float(values.max()) if len(values) else 1.0
    axes.scatter(
        centres[order] @ right,
        centres[order] @ up,
        c=values[order],
        cmap=_GOOD,
        norm=Normalize(0.0, top or 1.0),
        s=max(1.0, 0.5 * (260.0 / max(*reach.shape, 1)) ** 2),
        marker="h",
        linewidths=0,
        rasterized=True,
    )
    for body in reach.bodies:
        if isinstance(body, Shape) and np.isfinite(body.bounds).all():
            _outline(axes, body.bounds, right, up)
    axes.plot(base @ right, base @ up, "o", color=INK, markersize=4)
    draw_arm_lines(axes, reach.arm, good_configuration(reach.arm), np.stack([right, up]))
    words = "best manipulability behind a cut through the base"
    axes.set_title(words, fontsize=9, color=INK, pad=4)


def _outline(axes: Axes, bounds: Array, right: Array, up: Array) -> None:
    """Draw the six sides of the box around a body."""
    low, high = bounds
    for axis in range(3):
        for end in (low, high):
            corners = np.tile(end, (4, 1))
            one, two = (axis + 1) % 3, (axis + 2) % 3
            corners[:, one] = [low[one], high[one], high[one], low[one]]
            corners[:, two] = [low[two], low[two], high[two], high[two]]
            flat = np.column_stack([corners @ right, corners @ up])
            axes.add_patch(Polygon(flat, fill=False, edgecolor=PATH, linewidth=0.8))
