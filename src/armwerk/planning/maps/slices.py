"""The picture of a map over three joints: slices at values of the third."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.file import figure, write
from armwerk.pictures.palette import INK, MUTED
from armwerk.planning.maps.clearance import clearance as distances
from armwerk.planning.maps.colours import painted
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.panel import (
    add_distance_bar,
    add_legend,
    dress,
    extent,
    legend_patches,
    show_clearance,
    subtitle,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_SLICES = 12
_PANEL = 2.25  # side of a slice [inch]


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
