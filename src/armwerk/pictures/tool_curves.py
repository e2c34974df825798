"""The tool of a motion: its path enlarged, and place, angles and speeds as curves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from armwerk.arrays import Array
from armwerk.mechanics.tool_motion import ToolMotion
from armwerk.pictures.palette import AXES, GRID, INK, MUTED, PATH

_NOTHING = 1e-6  # [mm/s, °/s]
_TINTS = tuple(AXES.values())


def draw_tool_path(axes: Axes, points: Array, plane: tuple[int, int]) -> None:
    """Draw the path of the tool point in a plane of the world, as large as there is room.

    Args:
        axes: Where.
        points: [m]. Shape (m, 3).
        plane: The two world axes, 0 to 2, to the right and upwards.
    """
    x, y = 1000.0 * points[:, plane[0]], 1000.0 * points[:, plane[1]]
    axes.plot(x, y, color=PATH, linewidth=1.8, solid_capstyle="round")
    axes.plot(x[0], y[0], "o", color=PATH, markersize=6, markeredgecolor="white")
    axes.plot(x[-1], y[-1], "s", color=PATH, markersize=5, markeredgecolor="white")
    box = axes.get_window_extent()
    across = float(box.height / box.width)
    # the scale is equal along both axes, and the whole room is used
    wide = 1.2 * max(float(np.ptp(x)), float(np.ptp(y)) / across)
    for values, size, set_limits in ((x, wide, axes.set_xlim), (y, across * wide, axes.set_ylim)):
        middle = (values.min() + values.max()) / 2
        set_limits(middle - size / 2, middle + size / 2)
    axes.set_title("path of the tool", fontsize=9, color=INK, loc="left", pad=3)
    dress_curves(axes, last=False)
    axes.tick_params(labelbottom=True)
    names = ["xyz"[axis] for axis in plane]
    axes.set_xlabel(f"{names[0]} [mm]", fontsize=8.5, color=INK, labelpad=1)
    axes.set_ylabel(f"{names[1]} [mm]", fontsize=8.5, color=INK, labelpad=1)


def draw_tool_curves(
    drawn: Figure, times: Array, tool: ToolMotion, span: tuple[float, float]
) -> None:
    """Draw place, angles and speeds between two places of the figure's width."""
    grid = drawn.add_gridspec(4, 1, left=span[0], right=span[1], top=0.87, bottom=0.075, hspace=0.3)
    place, angles = 1000.0 * tool.pose[:, :3, 3], np.rad2deg(tool.angles)
    rows = (
        ("tool place [mm]", place, ("x", "y", "z")),
        ("tool angles Z-Y'-X'' [°]", angles, ("a", "b", "c")),
        ("tool speed [mm/s]", 1000.0 * tool.speed[:, None], ()),
        ("tool rotation speed [°/s]", np.rad2deg(tool.rotation_speed)[:, None], ()),
    )
    for row, (title, values, names) in enumerate(rows):
        axes = drawn.add_subplot(grid[row])
        axes.set_xlim(times[0], times[-1])
        for column in range(values.shape[1]):
            tint = _TINTS[column] if names else PATH
            label = names[column] if names else None
            axes.plot(times, values[:, column], color=tint, linewidth=1.5, label=label)
        low, high = float(values.min()), float(values.max())
        if not names:  # rounding alone is no motion
            low, high = 0.0, high if high > _NOTHING else 0.0
        pad = max(0.08 * (high - low), 1.0)
        axes.set_ylim(low - pad, high + pad)
        top = "" if names else f", up to {high:.4g}"
        axes.set_title(title + top, fontsize=9, color=INK, loc="left", pad=3)
        if names:
            axes.legend(
                loc="lower right",
                bbox_to_anchor=(1.0, 0.97),
                ncols=3,
                fontsize=8,
                frameon=False,
                handlelength=1.0,
                columnspacing=0.8,
                borderaxespad=0.1,
            )
        dress_curves(axes, last=row == len(rows) - 1)


def plain_axes(axes: Axes) -> None:
    """Give curves a pale grid, small marks and no frame above and to the right."""
    axes.tick_params(labelsize=7.5, colors=MUTED, length=2.5)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)


def dress_curves(axes: Axes, last: bool) -> None:
    """Give curves over time their grid and marks; only the last has the time below it."""
    plain_axes(axes)
    if last:
        axes.set_xlabel("time [s]", fontsize=8.5, color=INK)
    else:
        axes.tick_params(labelbottom=False)
