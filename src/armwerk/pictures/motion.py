"""The picture of a motion: a fan of poses with the tool's path, and the joint curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.mechanics.interface import ArmModel
from armwerk.pictures.arm import arm_of
from armwerk.pictures.body import Look, add_base, add_skeleton, add_track, add_triad
from armwerk.pictures.camera import Camera
from armwerk.pictures.canvas import Canvas, camera_for
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import FORBIDDEN, INK, PATH, REVOLUTE
from armwerk.pictures.sheet import high_over_wide
from armwerk.pictures.skeleton import arm_skeleton, plane_normal
from armwerk.pictures.solids import sphere
from armwerk.pictures.stage import Stage, stage_for
from armwerk.pictures.tool_curves import plain_axes
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint

_TRACK = 60  # points of the drawn tool path


def draw_motion(
    model: Arm | ArmModel,
    times: ArrayLike,
    qs: ArrayLike,
    path: str | Path,
    *,
    title: str | None = None,
    poses: int = 6,
    azimuth: float | None = None,
) -> Path:
    """Draw a motion and return the file written.

    Args:
        model: An arm, or anything with an ``arm``, such as an `ArmModel`.
        times: Of the samples [s], rising. Shape (m,) with m at least 2.
        qs: Joint values [rad or m]. Shape (m, n).
        path: Ends in .png or .svg; its folder is made when missing.
        title: Above the picture; None: the arm's title.
        poses: How many poses of the arm the fan shows, at even steps of the motion.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.

    Raises:
        ShapeError: When ``times`` and ``qs`` do not fit each other or the arm.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    arm = arm_of(model)
    times, qs = _checked(times, qs, arm)
    rows = -(-arm.dof // 2) if arm.dof > 4 else arm.dof
    canvas, camera, stage = fan_of(arm, qs, max(2, min(poses, 12)), azimuth)
    frame = canvas.frame(camera, stage)
    height = max(6.0, 1.45 * rows + 1.2)
    fan = float(np.clip(0.88 * height / high_over_wide(frame), 4.5, 7.5))
    curves = 5.6 if arm.dof > rows else 4.4
    width = fan + curves
    with figure(width, height) as drawn:
        axes = drawn.add_axes((0.0, 0.02, fan / width, 0.89))
        canvas.paint(axes, camera, stage, frame)
        heading = title or f"{arm.title or arm.name}: {times[-1] - times[0]:.2f} s"
        drawn.text(0.5, 0.96, heading, ha="center", va="center", fontsize=13, color=INK)
        _curves(drawn, arm, times, qs, rows, (fan + 0.6) / width)
        return write(drawn, path)


def _checked(times: ArrayLike, qs: ArrayLike, arm: Arm) -> tuple[Array, Array]:
    t = np.asarray(times, dtype=np.float64)
    q = np.asarray(qs, dtype=np.float64)
    if t.ndim != 1 or len(t) < 2 or q.shape != (len(t), arm.dof):
        raise ShapeError(
            f"a motion of arm '{arm.name}' needs times (m,) and joint values (m, {arm.dof}), m at"
            f" least 2, got {t.shape} and {q.shape}"
        )
    if not (np.isfinite(t).all() and np.isfinite(q).all() and (np.diff(t) > 0).all()):
        raise ShapeError("times and joint values must be finite, and the times must rise")
    return t, q


def fan_of(arm: Arm, qs: Array, poses: int, azimuth: float | None) -> tuple[Canvas, Camera, Stage]:
    """Place the arm at even steps of joint motion, pale at the start and full at the end."""
    travel = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(qs, axis=0), axis=1))])
    picked = np.searchsorted(travel, np.linspace(0.0, travel[-1], poses) - 1e-12)
    shown = sorted(set(np.clip(picked, 0, len(qs) - 1).tolist()) | {0, len(qs) - 1})
    skeletons = [arm_skeleton(arm, qs[index]) for index in shown]
    every = np.unique(np.linspace(0, len(qs) - 1, _TRACK).round().astype(int))
    tools = [arm_skeleton(arm, qs[index]).tools[0] for index in every]
    track = np.stack([tool[:3, 3] for tool in tools])
    size = skeletons[0].size
    points = np.vstack([track, *(skeleton.points() for skeleton in skeletons)])
    stage = stage_for(points, size)
    canvas = Canvas()
    add_base(canvas, skeletons[0], stage.low[2])
    for step, skeleton in enumerate(skeletons[:-1]):
        pale = 0.82 - 0.3 * step / max(len(skeletons) - 1, 1)
        add_skeleton(canvas, skeleton, Look.of(REVOLUTE, stout=0.7, pale=pale))
    add_skeleton(canvas, skeletons[-1], Look(stout=0.9))
    add_track(canvas, track, 0.006 * size, PATH, nearer=size)
    normal = plane_normal(skeletons[0])
    _mark_ends(canvas, track, size, 1 if normal is not None and abs(normal[2]) > 0.99 else 2)
    add_triad(canvas, tools[-1], 0.11 * size, letters=False)
    return canvas, camera_for(stage, points, azimuth, normal), stage


def _mark_ends(canvas: Canvas, track: Array, size: float, down: int) -> None:
    """Mark and name both ends; ``down`` is the world axis, 0 to 2, upright in the picture."""
    ends = [(track[0], "start"), (track[-1], "end")]
    if np.linalg.norm(track[0] - track[-1]) < 0.08 * size:
        ends = [(track[-1], "start and end")]
    for point, text in ends:
        canvas.add(sphere(point, 0.014 * size), PATH, shadow=False, nearer=size)
        below = point.copy()  # of the whole path where it is small, not in the middle of it
        below[down] = min(point[down], max(track[:, down].min(), point[down] - 0.25 * size))
        below[down] -= 0.06 * size
        canvas.write(below, text, PATH, 9.0)


def _curves(drawn: Figure, arm: Arm, times: Array, qs: Array, rows: int, left: float) -> None:
    columns = -(-arm.dof // rows)
    grid = drawn.add_gridspec(
        rows, columns, left=left, right=0.985, top=0.9, bottom=0.09, hspace=0.42, wspace=0.34
    )
    for index, joint in enumerate(arm.moving):
        row, column = index % rows, index // rows
        axes = drawn.add_subplot(grid[row, column])
        _curve(axes, joint, times, qs[:, index])
        if row == rows - 1 or index == arm.dof - 1:
            axes.set_xlabel("time [s]", fontsize=8.5, color=INK)
        else:
            axes.tick_params(labelbottom=False)


def _curve(axes: Axes, joint: Joint, times: Array, values: Array) -> None:
    scale, unit = (180 / np.pi, "°") if joint.kind == "revolute" else (1000.0, "mm")
    shown = values * scale
    low, high = float(shown.min()), float(shown.max())
    if joint.limits is not None:
        low, high = min(low, joint.limits[0] * scale), max(high, joint.limits[1] * scale)
    pad = 0.12 * (high - low) if high > low else 1.0
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(low - pad, high + pad)
    if joint.limits is not None:
        for limit, beyond in zip(joint.limits, (low - pad, high + pad), strict=True):
            axes.axhspan(limit * scale, beyond, color=FORBIDDEN, alpha=0.09, linewidth=0)
            axes.axhline(limit * scale, color=FORBIDDEN, linewidth=0.9, linestyle=(0, (5, 3)))
    axes.plot(times, shown, color=REVOLUTE, linewidth=1.8)
    axes.set_title(f"{joint.name} [{unit}]", fontsize=9, color=INK, loc="left", pad=3)
    plain_axes(axes)
