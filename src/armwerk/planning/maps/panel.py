"""The panels of which pictures of maps are made: cells or distances, axes, legend, colour bar.

Which bodies are hit where is told by colour: one for each body, mixed where several are hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armwerk.arrays import Array
from armwerk.pictures.palette import GRID, INK, MUTED, WHITE, mixed, solution_colour
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.filling import fill, request_of
from armwerk.planning.maps.grid import GridAxis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.legend import Legend
    from matplotlib.ticker import Locator

CONTACT = (0.62, 0.64, 0.66)
"""Colour of contact in pictures of distances."""
_MAX_NAMES = 14  # of bodies in a legend
_NEAR_AND_FAR = LinearSegmentedColormap.from_list(
    "clearance", ["#fff7e0", "#f7c873", "#5cb6a4", "#2f6f9f", "#1d3461"]
)
IMPOSSIBLE = (0.86, 0.87, 0.88)
"""Colour of cells in which a closed chain cannot close."""
SEVERAL = (0.42, 0.45, 0.48)
"""Colour that stands in legends for cells in which several bodies are hit."""
_FINEST = 1500  # values along an axis that a picture can still show
_DARKER = 0.28  # fraction of ink where several bodies are hit at once


def subtitle(space: MapData) -> str:
    """Return what was counted, in one line."""
    return (
        f"{space.tests:,} tests, {space.hits:,} hits ({space.fraction:.6f}), "
        f"{100 * space.free_fraction:.1f} % of the cells free"
    )


def show_cells(axes: Axes, space: MapData, image: Array) -> None:
    """Show the colours of a map with ticks in degrees or millimetres."""
    axes.imshow(image, extent=extent(space.axes), aspect="auto", interpolation="nearest")
    dress(axes, space.axes)


def show_clearance(
    axes: Axes, space: MapData, values: Array, top: float | None = None
) -> AxesImage:
    """Show distances [m] in millimetres; contact has a colour of its own."""
    shown = np.ma.masked_where(~(values > 0), 1000.0 * values)
    tints = _NEAR_AND_FAR.with_extremes(bad=CONTACT)
    finite = shown.compressed()
    finite = finite[np.isfinite(finite)]
    if top is None:
        top = float(finite.max()) if len(finite) else 1.0
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


def extent(axes: Sequence[GridAxis]) -> tuple[float, float, float, float]:
    """Return left, right, bottom, top of a map [° or mm]; a cell is centred on its value."""
    x, y = axes[0], axes[1]
    return (
        (x.low - x.step / 2) * x.scale,
        (x.high - x.step / 2) * x.scale,
        (y.low - y.step / 2) * y.scale,
        (y.high - y.step / 2) * y.scale,
    )


def dress(axes: Axes, along: Sequence[GridAxis], small: bool = False) -> None:
    """Give a map its labels and ticks."""
    size = 7 if small else 9
    axes.set_xlabel(f"{along[0].name} [{along[0].unit}]", fontsize=size + 1, color=INK)
    axes.set_ylabel(f"{along[1].name} [{along[1].unit}]", fontsize=size + 1, color=INK)
    axes.xaxis.set_major_locator(_ticks(along[0], small))
    axes.yaxis.set_major_locator(_ticks(along[1], small))
    axes.tick_params(labelsize=size, colors=MUTED, length=3)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def _ticks(axis: GridAxis, small: bool) -> Locator:
    span = (axis.high - axis.low) * axis.scale
    if axis.unit == "°":
        for step in (5, 10, 15, 30, 45, 60, 90, 180):
            if span / step <= (4.5 if small else 9):
                return MultipleLocator(step)
    return MaxNLocator(4 if small else 9, steps=[1, 2, 5, 10])


def legend_patches(space: MapData, colours: Painted, percent: bool) -> list[Patch]:
    """Return what a legend lists: bodies, mixtures, what cannot be, and free cells.

    Args:
        space: The map.
        colours: Its colours.
        percent: Whether names are followed by how many of the cells they stand for.
    """

    def label(words: str, fraction: float) -> str:
        return f"{words}  {_percent(fraction)}" if percent else words

    names = space.bodies.names
    patches = [
        Patch(facecolor=body_colour(number), label=label(name, colours.fractions[number]))
        for number, name in enumerate(names[:_MAX_NAMES])
    ]
    if len(names) > _MAX_NAMES:
        patches.append(Patch(alpha=0.0, label=f"and {len(names) - _MAX_NAMES} more"))
    if colours.several > 0:
        words = "several at once, mixed" if percent else "several, mixed"
        patches.append(Patch(facecolor=SEVERAL, label=label(words, colours.several)))
    if space.impossible is not None:
        words = label("chain cannot close", float(space.impossible.mean()))
        patches.append(Patch(facecolor=IMPOSSIBLE, label=words))
    patches.append(Patch(facecolor="white", edgecolor=GRID, label="free"))
    return patches


def add_legend(
    drawn: Figure, patches: list[Patch], left: float, top: float, title: str | None = None
) -> Legend:
    """Write a legend with its upper left corner at a place of the figure, 0 to 1."""
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
        title=title,
        title_fontsize=8.5,
        alignment="left",
    )
    legend.get_title().set_color(MUTED)
    return legend


def add_distance_bar(
    drawn: Figure, shown: AxesImage, place: tuple[float, float, float, float], size: float
) -> None:
    """Draw the bar that says which colour is which distance.

    Args:
        drawn: The figure.
        shown: What the bar belongs to.
        place: Left, bottom, width, height, as fractions of the figure.
        size: Of the words [pt].
    """
    bar = drawn.colorbar(shown, cax=drawn.add_axes(place))
    bar.set_label("distance of the nearest body [mm], grey: contact", fontsize=size, color=INK)
    bar.ax.tick_params(labelsize=8, colors=MUTED, length=3)
    bar.outline.set_edgecolor(GRID)


def _percent(fraction: float) -> str:
    return (
        "nowhere"
        if fraction == 0
        else f"{100 * fraction:.1f} %"
        if fraction >= 0.001
        else "< 0.1 %"
    )


@dataclass(frozen=True, eq=False)
class Painted:
    """A map as a picture.

    Args:
        image: Red, green, blue, 0 to 1. Shape (ny, nx, 3), or (nz, ny, nx, 3).
        fractions: Fraction of the cells in which each body is hit.
        several: Fraction of the cells in which more than one is.
    """

    image: Array
    fractions: list[float]
    several: float


def painted(space: MapData) -> Painted:
    """Return the colours of a map's cells, of a very fine map those of a coarser one."""
    request = request_of(space)
    impossible = space.impossible
    if max(axis.count for axis in space.axes) > _FINEST:
        coarse = (replace(axis, count=_coarse(axis.count)) for axis in space.axes)
        request = replace(request, grid=tuple(coarse))
        impossible = None if impossible is None else fill(replace(request, bodies=())).impossible
    shape = tuple(axis.count for axis in reversed(request.grid))  # (ny, nx) or (nz, ny, nx)
    count = np.zeros(shape, np.uint16)
    light = np.zeros((*shape, 3), np.float32)
    fractions = []
    for number, body in enumerate(space.bodies):
        hit = fill(replace(request, bodies=(body,))).cells > 0
        count += hit
        light[hit] += body_colour(number)
        fractions.append(float(hit.mean()))
    image = np.ones_like(light)
    one = count > 0
    image[one] = light[one] / count[one, None]
    many = count > 1
    image[many] = (1 - _DARKER) * image[many] + _DARKER * np.array(INK, np.float32)
    if impossible is not None:
        image[impossible] = IMPOSSIBLE
    return Painted(image.astype(np.float64), fractions, float(many.mean()))


def body_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of a body, counted from 0."""
    return mixed(solution_colour(number), WHITE, 0.12)


def _coarse(count: int) -> int:
    """Return how many values a picture shows of ``count``."""
    return -(-count // -(-count // _FINEST))
