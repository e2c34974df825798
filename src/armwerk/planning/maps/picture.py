"""The picture of a map: joint values along both axes, a colour for every body, the scene beside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import GRID, INK, MUTED, PATH
from armwerk.planning.maps.colours import body_colour, painted
from armwerk.planning.maps.top_view import draw_top_view, is_planar

_MAP = 5.6  # longest side of a map [inch]
_SCENE, _NAMES, _BAR = 3.5, 2.4, 1.25  # width of what stands beside it [inch]
_TOP, _LEFT, _BOTTOM, _GAP = 0.8, 0.85, 0.65, 0.3  # [inch]
_MOST_NAMES = 14  # of bodies in the legend
_NEAR_AND_FAR = LinearSegmentedColormap.from_list(
    "clearance", ["#fff7e0", "#f7c873", "#5cb6a4", "#2f6f9f", "#1d3461"]
)
_CONTACT = (0.62, 0.64, 0.66)


def draw(
    space: Any,
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
        from armwerk.planning.maps.slices import draw_slices

        return draw_slices(space, path, heading, clearance)
    way = None if route is None else _route(space, route)
    wide, tall = _size(space.axes)
    side = _BAR if clearance else _SCENE if is_planar(space) else _NAMES
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
            shown = show_clearance(axes, space, space.clearance())
            _colour_bar(drawn, shown, beside, width)
        else:
            colours = painted(space)
            show_cells(axes, space, colours.image)
            _beside(drawn, space, colours, beside)
        if way is not None:
            _draw_route(axes, space, way)
        return write(drawn, path)


def subtitle(space: Any) -> str:
    """Return what was counted, in one line."""
    return (
        f"{space.tests:,} tests, {space.hits:,} hits ({space.share:.6f}), "
        f"{100 * space.free_share:.1f} % of the cells free"
    )


def show_cells(axes: Any, space: Any, image: Array) -> None:
    """Show the colours of a map with ticks in degrees or millimetres."""
    axes.imshow(image, extent=extent(space.axes), aspect="auto", interpolation="nearest")
    dress(axes, space.axes)


def show_clearance(axes: Any, space: Any, values: Array, most: float | None = None) -> Any:
    """Show distances [m] in millimetres; contact has a colour of its own."""
    shown = np.ma.masked_where(~(values > 0), 1000.0 * values)
    tints = _NEAR_AND_FAR.with_extremes(bad=_CONTACT)
    finite = shown.compressed()
    finite = finite[np.isfinite(finite)]
    top = most if most is not None else float(finite.max()) if len(finite) else 1.0
    drawn = axes.imshow(
        shown,
        extent=extent(space.axes),
        aspect="auto",
        interpolation="nearest",
        cmap=tints,
        vmin=0.0,
        vmax=top,
    )
    dress(axes, space.axes)
    return drawn


def extent(axes: Any) -> tuple[float, float, float, float]:
    """Return left, right, bottom, top of a map [° or mm]; a cell is centred on its value."""
    x, y = axes[0], axes[1]
    return (
        (x.low - x.step / 2) * x.scale,
        (x.high - x.step / 2) * x.scale,
        (y.low - y.step / 2) * y.scale,
        (y.high - y.step / 2) * y.scale,
    )


def dress(axes: Any, along: Any, small: bool = False) -> None:
    """Give a map its labels and ticks."""
    size = 7 if small else 9
    axes.set_xlabel(f"{along[0].name} [{along[0].unit}]", fontsize=size + 1, color=INK)
    axes.set_ylabel(f"{along[1].name} [{along[1].unit}]", fontsize=size + 1, color=INK)
    axes.xaxis.set_major_locator(_ticks(along[0], small))
    axes.yaxis.set_major_locator(_ticks(along[1], small))
    axes.tick_params(labelsize=size, colors=MUTED, length=3)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def _ticks(axis: Any, small: bool) -> Any:
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    span = (axis.high - axis.low) * axis.scale
    if axis.unit == "°":
        for step in (5, 10, 15, 30, 45, 60, 90, 180):
            if span / step <= (4.5 if small else 9):
                return MultipleLocator(step)
    return MaxNLocator(4 if small else 9, steps=[1, 2, 5, 10])


def _size(axes: Any) -> tuple[float, float]:
    """Return width and height of a map [inch]: square cells of equal units where that fits."""
    x, y = (axis.high - axis.low for axis in axes)
    ratio = x / y if axes[0].kind == axes[1].kind else 1.0
    ratio = float(np.clip(ratio, 0.6, 1.7))
    return (_MAP, _MAP / ratio) if ratio >= 1 else (_MAP * ratio, _MAP)


def _beside(drawn: Any, space: Any, colours: Any, place: tuple[float, ...]) -> None:
    left, bottom, wide, tall = place
    top = bottom + tall
    if is_planar(space):
        margin = 0.16 * wide  # for the labels
        high = 0.5 * tall
        axes = drawn.add_axes((left + margin, top - high, wide - margin, high))
        draw_top_view(axes, space)
        top -= high + 0.11 * tall
    names = space.bodies.names
    patches = [
        Patch(
            facecolor=body_colour(number),
            label=f"{name}  {_percent(colours.shares[number])}",
        )
        for number, name in enumerate(names[:_MOST_NAMES])
    ]
    if len(names) > _MOST_NAMES:
        patches.append(Patch(alpha=0.0, label=f"and {len(names) - _MOST_NAMES} more"))
    if colours.several > 0:
        words = f"several at once, mixed  {_percent(colours.several)}"
        patches.append(Patch(facecolor=(0.42, 0.45, 0.48), label=words))
    if space.impossible is not None:
        words = f"chain cannot close  {_percent(float(space.impossible.mean()))}"
        patches.append(Patch(facecolor=(0.86, 0.87, 0.88), label=words))
    patches.append(Patch(facecolor="white", edgecolor=GRID, label="free"))
    legend = drawn.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=(left, top),
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=1.1,
        handleheight=1.1,
        borderpad=0.0,
        borderaxespad=0.0,
        title="hit, and in how many cells",
        title_fontsize=8.5,
        alignment="left",
    )
    legend.get_title().set_color(MUTED)


def _percent(share: float) -> str:
    return "nowhere" if share == 0 else f"{100 * share:.1f} %" if share >= 0.001 else "< 0.1 %"


def _colour_bar(drawn: Any, shown: Any, place: tuple[float, ...], width: float) -> None:
    left, bottom, _, tall = place
    bar = drawn.colorbar(shown, cax=drawn.add_axes((left, bottom, 0.18 / width, tall)))
    bar.set_label("distance of the nearest body [mm], grey: contact", fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8, colors=MUTED, length=3)
    bar.outline.set_edgecolor(GRID)


def _route(space: Any, route: ArrayLike) -> Array:
    way = np.asarray(route, dtype=np.float64)
    if way.ndim == 2 and way.shape[1] == len(space.q):
        way = way[:, [axis.index for axis in space.axes]]
    if way.ndim != 2 or way.shape[1] != 2 or not np.isfinite(way).all():
        raise ShapeError(
            f"route: shape must be (m, {len(space.q)}) or (m, 2), numbers finite, got {way.shape}"
        )
    return way


def _draw_route(axes: Any, space: Any, way: Array) -> None:
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
