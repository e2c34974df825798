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
from armwerk.mechanics.tool_motion import tool_motion
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.motion import fan_of
from armwerk.pictures.palette import FORBIDDEN, INK, solution_colour
from armwerk.pictures.sheet import high_over_wide
from armwerk.pictures.tool_curves import draw_tool_curves, draw_tool_path, dress_curves
from armwerk.robot.arm import Arm

_POINTS, _MOST = 1201, 20_001  # of each curve, and of a long one
_EVERY = 0.02  # [s] between points of a long one
_POSES = 6
_HEIGHT = 7.6  # [inch]
_CURVES, _TOOL = 5.9, 4.4  # width of the curves of axes and tool [inch]
_NEAR_STOP = 0.1  # of an axis' range: a stop that is nearer is drawn
_NEAR_LIMIT = 60.0  # [%] from which on a limit is drawn
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
    scale and whatever leads stands out; without limits, in rad or m. Every scale fits its data;
    limits and joint stops are drawn where they are near. Beside them stand place, angles and
    speeds of the tool, and its path enlarged.

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
    count = int(np.clip(trajectory.duration / _EVERY, _POINTS, _MOST))
    times = np.linspace(0.0, trajectory.duration, count)
    samples = trajectory.evaluate(times)
    arm = getattr(trajectory.model, "arm", trajectory.model)
    heading = title or _heading(arm, trajectory.duration)
    if not isinstance(arm, Arm) or arm.is_symbolic:
        with figure(_CURVES, _HEIGHT) as drawn:
            _title_of(drawn, heading)
            _curves(drawn, trajectory.limits, times, samples, (0.75 / _CURVES, 0.985))
            return write(drawn, path)
    tool = tool_motion(arm, samples[0], samples[1])
    canvas, camera, stage = fan_of(arm, samples[0][:: count // 200], _POSES, None)
    frame = canvas.frame(camera, stage)
    close_up = _plane_of(tool.pose[:, :3, 3])
    high = 0.9 if close_up is None else 0.58
    left = float(np.clip(high * _HEIGHT / high_over_wide(frame), 4.2, 7.0))
    width = left + _CURVES + _TOOL
    with figure(width, _HEIGHT) as drawn:
        axes = drawn.add_axes((0.0, 0.93 - high, left / width, high - 0.01))
        canvas.paint(axes, camera, stage, frame)
        if close_up is not None:
            place = ((0.95) / width, 0.085, (left - 1.25) / width, 0.235)
            draw_tool_path(drawn.add_axes(place), tool.pose[:, :3, 3], close_up)
        _title_of(drawn, heading)
        middle = (left + _CURVES) / width
        _curves(drawn, trajectory.limits, times, samples, ((left + 0.7) / width, middle))
        draw_tool_curves(drawn, times, tool, (middle + 0.75 / width, 1.0 - 0.18 / width))
        return write(drawn, path)


def _title_of(drawn: Figure, heading: str) -> None:
    drawn.text(0.5, 0.967, heading, ha="center", va="center", fontsize=13, color=INK)


def _plane_of(points: Array) -> tuple[int, int] | None:
    """Return the two world axes along which a path is longest; None: it does not move."""
    extent = np.ptp(points, axis=0)
    if extent.max() < 1e-6:
        return None
    first, second = sorted(np.argsort(-extent, kind="stable")[:2].tolist())
    return first, second


def _heading(arm: object, duration: float) -> str:
    name = getattr(arm, "title", "") or getattr(arm, "name", "")
    return f"{name}: {duration:.3f} s" if name else f"{duration:.3f} s"


def _curves(
    drawn: Figure,
    limits: DrawnLimits | None,
    times: Array,
    samples: Sequence[Array],
    span: tuple[float, float],
) -> None:
    """Draw the curves of the axes between two places of the figure's width."""
    grid = drawn.add_gridspec(
        4,
        1,
        left=span[0],
        right=span[1],
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
        dress_curves(axes, last=row == 3)


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
    near = [] if limits is None else _near_stops(limits, values)
    for index, stop in near:
        place, tint = stop * _SHOWN[units[index]][0], solution_colour(index)
        axes.axhline(place, linewidth=0.9, color=tint, linestyle=(0, (5, 3)))
        low, high = min(low, place), max(high, place)
    pad = 0.08 * (high - low) or 1.0
    axes.set_ylim(low - pad, high + pad)
    words = ", ".join(dict.fromkeys(_SHOWN[unit][1] for unit in units))
    _title(axes, f"position [{words}]" + (", near stops dashed" if near else ""))


def _near_stops(limits: DrawnLimits, values: Array) -> list[tuple[int, float]]:
    """Return axis and place [rad or m] of every stop that its axis comes close to."""
    found = []
    for index in range(values.shape[1]):
        low, high = float(limits.lowest[index]), float(limits.highest[index])
        range_ = high - low if np.isfinite(high - low) else np.pi
        for stop in (low, high):
            if np.abs(values[:, index] - stop).min() < _NEAR_STOP * range_:
                found.append((index, stop))
    return found


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
    low, high = min(float(shown.min()), 0.0), max(float(shown.max()), 0.0)
    pad = 0.1 * (high - low) or 1.0
    top = ""
    if limits is not None:
        top = f", up to {max(-low, high):.3g} %"
        for sign, end in ((-1.0, low), (1.0, high)):
            if sign * end > _NEAR_LIMIT:
                axes.axhspan(sign * 100, sign * 1e4, color=FORBIDDEN, alpha=0.09, linewidth=0)
                axes.axhline(sign * 100, color=FORBIDDEN, linewidth=0.9, linestyle=(0, (5, 3)))
        low = min(low, -100.0) if low < -_NEAR_LIMIT else low
        high = max(high, 100.0) if high > _NEAR_LIMIT else high
    axes.set_ylim(low - pad, high + pad)
    _title(axes, f"{name} [{unit}]{top}")


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
