"""The picture of a map over three joints: slices at values of the third."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Patch

from armwerk.pictures.file import figure, write
from armwerk.pictures.palette import GRID, INK, MUTED
from armwerk.planning.maps.colours import body_colour, painted
from armwerk.planning.maps.picture import dress, extent, show_clearance, subtitle

_MOST = 12  # slices
_PANEL = 2.25  # side of a slice [inch]
_MOST_NAMES = 14


def draw_slices(space: Any, path: Path, heading: str, clearance: bool) -> Path:
    """Draw evenly spread slices side by side and return the file written."""
    third = space.axes[2]
    chosen = np.unique(np.linspace(0, third.count - 1, min(_MOST, third.count)).round().astype(int))
    columns = min(4, len(chosen))
    rows = -(-len(chosen) // columns)
    left, top, foot = 0.75, 1.0, 0.65
    side = 1.2 if clearance else 1.9
    width, height = left + columns * (_PANEL + 0.18) + side, top + rows * (_PANEL + 0.42) + foot
    values = space.clearance() if clearance else None
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
                most = 1000.0 * float(finite.max()) if len(finite) else 1.0
                shown = show_clearance(axes, space, values[cut], most)
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
            _bar(drawn, shown, right, height, width)
        elif colours is not None:
            _legend(drawn, space, colours, right, 1 - top / height)
        return write(drawn, path)


def _slice(image: Any, cut: int, count: int) -> int:
    """Return the slice of a picture that may be coarser than the map."""
    return min(len(image) - 1, int(cut * len(image) / count))


def _only_outer_labels(axes: Any, inside: bool, above: bool) -> None:
    if inside:
        axes.set_ylabel("")
        axes.set_yticklabels([])
    if above:
        axes.set_xlabel("")
        axes.set_xticklabels([])


def _bar(drawn: Any, shown: Any, left: float, height: float, width: float) -> None:
    bar = drawn.colorbar(shown, cax=drawn.add_axes((left, 0.65 / height, 0.16 / width, 0.7)))
    bar.set_label("distance of the nearest body [mm], grey: contact", fontsize=8.5, color=INK)
    bar.ax.tick_params(labelsize=8, colors=MUTED, length=3)
    bar.outline.set_edgecolor(GRID)


def _legend(drawn: Any, space: Any, colours: Any, left: float, top: float) -> None:
    names = space.bodies.names
    patches = [
        Patch(facecolor=body_colour(number), label=name)
        for number, name in enumerate(names[:_MOST_NAMES])
    ]
    if len(names) > _MOST_NAMES:
        patches.append(Patch(alpha=0.0, label=f"and {len(names) - _MOST_NAMES} more"))
    if colours.several > 0:
        patches.append(Patch(facecolor=(0.42, 0.45, 0.48), label="several, mixed"))
    patches.append(Patch(facecolor="white", edgecolor=GRID, label="free"))
    drawn.legend(
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
    )
