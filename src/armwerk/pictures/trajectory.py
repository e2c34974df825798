"""The picture of a trajectory: the tool's path, and position, velocity, acceleration, jerk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.motion import fan_of
from armwerk.pictures.palette import FORBIDDEN, GRID, INK, MUTED, solution_colour
from armwerk.pictures.sheet import high_over_wide
from armwerk.robot.arm import Arm

_POINTS = 1201  # of each curve
_POSES = 6
_HEIGHT = 7.6  # [inch]
_SHOWN = {"rad": (180.0 / np.pi, "°"), "m": (1000.0, "mm")}
_RATES = (("velocity", "/s"), ("acceleration", "/s²"), ("jerk", "/s³"))


class DrawnLimits(Protocol):
    """What is drawn of limits: see `armwerk.motion.Limits`."""

    @property
    def lowest(self) -> Array: ...
    @property
    def highest(self) -> Array: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def units(self) -> tuple[str, ...]: ...


class DrawnMotion(Protocol):
    """What is drawn of a trajectory: see `armwerk.motion.Trajectory`, which stands above us."""

    @property
    def duration(self) -> float: ...
    @property
    def limits(self) -> DrawnLimits | None: ...
    @property
    def model(self) -> object: ...
    def evaluate(self, times: Array, /) -> tuple[Array, Array, Array, Array]: ...


def draw_trajectory(trajectory: DrawnMotion, path: str | Path, *, title: str | None = None) -> Path:
    """Draw a trajectory and return the file written.

    Velocity, acceleration and jerk are drawn as shares of their limits, so that all axes fit one
    scale and whatever leads stands out; without limits, in rad or m.

    Args:
        trajectory: With ``evaluate``, ``duration``, ``limits`` and ``model``. The tool's path is
            drawn when the model is an arm's.
        path: Ends in .png or .svg; its folder is made when missing.
        title: Above the picture; None: the arm's title and the duration.

    Raises:
        ShapeError: When the trajectory takes no time.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    if not trajectory.duration > 0.0:
        raise ShapeError("a trajectory that takes no time cannot be drawn")
    times = np.linspace(0.0, trajectory.duration, _POINTS)
    samples = trajectory.evaluate(times)
    arm = getattr(trajectory.model, "arm", trajectory.model)
    heading = title or _heading(arm, trajectory.duration)
    fan = None
    left, curves = 0.0, 6.6
    if isinstance(arm, Arm) and not arm.is_symbolic:
        fan = fan_of(arm, samples[0][:: _POINTS // 200], _POSES, None)
        canvas, camera, stage = fan
        frame = canvas.frame(camera, stage)
        left = float(np.clip(0.88 * _HEIGHT / high_over_wide(frame), 4.5, 7.5))
    width = left + curves
    with figure(width, _HEIGHT) as drawn:
        if fan is not None:
            axes = drawn.add_axes((0.0, 0.02, left / width, 0.9))
            canvas.paint(axes, camera, stage, frame)
        drawn.text(0.5, 0.967, heading, ha="center", va="center", fontsize=13, color=INK)
        _curves(drawn, trajectory.limits, times, samples, (left + 0.75) / width)
        return write(drawn, path)


def _heading(arm: object, duration: float) -> str:
    name = getattr(arm, "title", "") or getattr(arm, "name", "")
    return f"{name}: {duration:.3f} s" if name else f"{duration:.3f} s"


def _curves(
    drawn: Figure, limits: DrawnLimits | None, times: Array, samples: Sequence[Array], left: float
) -> None:
    grid = drawn.add_gridspec(
        4,
        1,
        left=left,
        right=0.985,
        top=0.87,
        bottom=0.075,
        hspace=0.3,
        height_ratios=(4, 3, 3, 3),
    )
    for row, values in enumerate(samples):
        axes = drawn.add_subplot(grid[row])
        axes.set_xlim(times[0], times[-1])
        if row == 0:
            _positions(axes, limits, times, values)
            _legend(axes)
        else:
            _rates(axes, limits, times, values, row)
        _dress(axes, last=row == 3)


def _positions(axes: Axes, limits: DrawnLimits | None, times: Array, values: Array) -> None:
    n = values.shape[1]
    units = ("rad",) * n if limits is None else limits.units
    names = [f"q{i + 1}" for i in range(n)] if limits is None else limits.names
    shown = values * [_SHOWN[unit][0] for unit in units]
    for index in range(n):
        axes.plot(
            times, shown[:, index], color=solution_colour(index), linewidth=1.6, label=names[index]
        )
    low, high = float(shown.min()), float(shown.max())
    pad = 0.08 * (high - low) or 1.0
    axes.set_ylim(low - pad, high + pad)
    if limits is not None:
        for index, unit in enumerate(units):
            for stop in (limits.lowest[index], limits.highest[index]):
                if np.isfinite(stop):  # those out of the picture are cut off
                    place = stop * _SHOWN[unit][0]
                    tint = solution_colour(index)
                    axes.axhline(place, linewidth=0.9, color=tint, linestyle=(0, (5, 3)))
    words = ", ".join(dict.fromkeys(_SHOWN[unit][1] for unit in units))
    _title(axes, _with_stops(f"position [{words}]", limits))


def _with_stops(text: str, limits: DrawnLimits | None) -> str:
    return text if limits is None else f"{text}, stops dashed"


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, fontsize=9, color=INK, loc="left", pad=3)


def _rates(axes: Axes, limits: DrawnLimits | None, times: Array, values: Array, row: int) -> None:
    name, per = _RATES[row - 1]
    if limits is None:
        shown, unit = values, f"rad{per}, m{per}"
    else:
        shown, unit = 100.0 * values / getattr(limits, name), "% of limit"
    for index in range(values.shape[1]):
        axes.plot(times, shown[:, index], color=solution_colour(index), linewidth=1.4)
    if limits is not None:
        axes.set_ylim(-118.0, 118.0)
        axes.set_yticks((-100, -50, 0, 50, 100))
        for sign in (-1.0, 1.0):
            axes.axhspan(sign * 100, sign * 118, color=FORBIDDEN, alpha=0.09, linewidth=0)
            axes.axhline(sign * 100, color=FORBIDDEN, linewidth=0.9, linestyle=(0, (5, 3)))
    _title(axes, f"{name} [{unit}]")


def _legend(axes: Axes) -> None:
    count = len(axes.lines)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.1),
        ncols=min(count, 8),
        fontsize=8,
        frameon=False,
        handlelength=1.2,
        columnspacing=0.9,
        borderaxespad=0.1,
    )


def _dress(axes: Axes, last: bool) -> None:
    axes.tick_params(labelsize=7.5, colors=MUTED, length=2.5)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
    if last:
        axes.set_xlabel("time [s]", fontsize=8.5, color=INK)
    else:
        axes.tick_params(labelbottom=False)
