"""Pictures of stations: arm, rail and table as they stand in the world.

In: a model and joint values. Out: a PNG or SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.mechanics.arrays import joint_arrays
from armwerk.pictures.arm import MOST, beyond_limits
from armwerk.pictures.file import picture_path
from armwerk.pictures.sheet import draw_overlay, draw_single
from armwerk.pictures.skeleton import Bar, Skeleton, arm_skeleton
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.stations.model import StationModel

_CORNERS = 24  # of the outline of a plate
_PLATE = 0.14  # radius of the plate in units of the arm's size
_COLUMN = 8  # characters of a value in a legend
_DEGREE = 180.0 / np.pi


def draw_station(
    model: StationModel,
    q: ArrayLike,
    path: str | Path,
    *,
    title: str | None = None,
    azimuth: float | None = None,
) -> Path:
    """Draw a station and return the file written.

    Args:
        model: Of the station.
        q: Values of all axes, shape (n,), or several, shape (k, n), drawn over each other
            [rad, m].
        path: Ends in .png or .svg; its folder is made when missing.
        title: Above the picture; None: the station's title.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.

    Raises:
        ShapeError: When ``q`` does not fit the station.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    (rows,), single = joint_arrays(model.dof, q=q)
    if len(rows) > MOST:
        raise ShapeError(f"a picture holds 1 to {MOST} configurations, got {len(rows)}")
    skeletons = [station_skeleton(model, row) for row in rows]
    station = model.station
    name = title or station.title or station.name
    axes = station.chain.moving
    if single:
        values = (
            f"{joint.name} {1000 * value:.0f} mm"
            if joint.unit == "m"
            else f"{joint.name} {value * _DEGREE:.1f}°"
            for joint, value in zip(axes, rows[0], strict=True)
        )
        text = ", ".join(values).replace("-", "\N{MINUS SIGN}")
        return draw_single(skeletons[0], path, name, text, azimuth)
    heading, labels = _columns(axes, rows)
    marks = [beyond_limits(station.chain, row) for row in rows]
    return draw_overlay(skeletons, path, name, labels, heading, azimuth, marks)


def _columns(axes: Sequence[Joint], rows: Array) -> tuple[str, list[str]]:
    """Return a heading of names with units, and a text of values below it for each row."""
    heads = [f"{joint.name} {'mm' if joint.unit == 'm' else '°'}" for joint in axes]
    wide = [max(len(head), _COLUMN) for head in heads]
    scales = [1000.0 if joint.unit == "m" else _DEGREE for joint in axes]
    texts = [
        " ".join(
            f"{value * scale:{width}.1f}"
            for value, scale, width in zip(row, scales, wide, strict=True)
        ).replace("-", "\N{MINUS SIGN}")
        for row in rows
    ]
    heading = " ".join(f"{head:>{width}}" for head, width in zip(heads, wide, strict=True))
    return heading, texts


def station_skeleton(model: StationModel, q: Array) -> Skeleton:
    """Return what is drawn of a station: arm and table with its plate, in the world."""
    station, turning = model.station, model.station.turning
    arm = arm_skeleton(station.arm, q[turning:])
    arm = replace(arm, bars=(*arm.bars, *_rails(model)))
    table = station.table
    if table is None:
        return arm
    carried = arm_skeleton(_bare(table), q[:turning][::-1])
    foot = np.array(table.base[:3, 3])
    post = [Bar(np.array([[foot[0], foot[1], 0.0], foot]), square=True)] if foot[2] > 0.0 else []
    plate = carried.tools[0]
    radius = _PLATE * arm.size
    angles = np.linspace(0.0, 2.0 * np.pi, _CORNERS, endpoint=False)
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), 0.0 * angles], axis=1)
    outline = ring @ plate[:3, :3].T + plate[:3, 3]
    piece = model.world(q).piece
    return replace(
        arm,
        bars=(*arm.bars, *post, *carried.bars),
        joints=(*arm.joints, *carried.joints),
        tools=(*arm.tools, piece),
        plates=(*arm.plates, outline),
    )


def _rails(model: StationModel) -> list[Bar]:
    """Return the first axis that carries the arm as a beam, if it slides between two stops."""
    station = model.station
    first = station.arm.moving[0]
    if not station.carrying or first.kind != "prismatic" or first.limits is None:
        return []
    base = station.arm.base
    ends = [base[:3, 3] + (float(first.d) + end) * base[:3, 2] for end in first.limits]
    return [Bar(np.array(ends), 0.7, square=True)]


def _bare(table: Arm) -> Arm:
    """Return a table that ends at its plate, not at the frame of the work piece."""
    return table.with_tool(np.eye(4))
