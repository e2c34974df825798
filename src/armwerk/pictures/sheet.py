"""How skeletons are laid out on a sheet: one alone, several side by side, or over each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from armwerk.arrays import Array
from armwerk.pictures.body import Look, add_base, add_skeleton, add_triad
from armwerk.pictures.camera import Camera
from armwerk.pictures.canvas import Canvas, camera_for
from armwerk.pictures.file import figure, write
from armwerk.pictures.palette import (
    FORBIDDEN,
    INK,
    MUTED,
    PASSIVE,
    PRISMATIC,
    REVOLUTE,
    Colour,
    solution_colour,
)
from armwerk.pictures.skeleton import Skeleton, plane_normal, shared, without
from armwerk.pictures.stage import Stage, stage_for

_HEIGHT, _WIDTH = 6.4, 8.4  # most of a drawing [inch]
_PANEL = 3.3  # width of one of several drawings [inch]


class _TextStyle(TypedDict):
    fontsize: float
    color: Colour
    ha: Literal["left", "center", "right"]
    va: Literal["top", "center", "bottom"]


_TITLE: _TextStyle = {"fontsize": 13, "color": INK, "ha": "center", "va": "center"}
_MONO = "DejaVu Sans Mono"
_TOP = 0.55  # for the title [inch]


def draw_single(
    skeleton: Skeleton, path: str | Path, title: str, caption: str, azimuth: float | None = None
) -> Path:
    """Draw one mechanism in full, with the names of its joints and what the colours mean."""
    stage, camera = _setting([skeleton], azimuth)
    canvas = Canvas()
    add_base(canvas, skeleton, stage.low[2])
    add_skeleton(canvas, skeleton, Look(), names=True)
    for tool in skeleton.tools:
        add_triad(canvas, tool, 0.13 * skeleton.size)
    frame = canvas.frame(camera, stage)
    wide, tall = _size(frame)
    wide, foot = max(wide, 5.6), 0.45
    height = tall + _TOP + foot
    with figure(wide, height) as drawn:
        axes = drawn.add_axes((0.0, foot / height, 1.0, tall / height))
        canvas.paint(axes, camera, stage, frame)
        drawn.text(0.5, 1 - 0.5 * _TOP / height, title, **_TITLE)
        _kinds_legend(drawn, skeleton, caption)
        return write(drawn, path)


def draw_panels(
    skeletons: Sequence[Skeleton],
    path: str | Path,
    title: str,
    labels: Sequence[str],
    heading: str = "",
    azimuth: float | None = None,
    marks: Sequence[str] = (),
) -> Path:
    """Draw each skeleton in a panel of its own, all seen from the same place.

    Args:
        skeletons: At least one.
        path: Where to; .png or .svg.
        title: Above the picture.
        labels: Below each panel.
        heading: At the foot of the sheet: what the labels are.
        azimuth: Where the viewer stands [rad]; None: chosen.
        marks: What is wrong with each, empty: nothing; none at all: nobody knows.
    """
    stage, camera = _setting(skeletons, azimuth)
    marks = marks or [""] * len(skeletons)
    canvases = [
        _panel(skeleton, index, stage, pale=bool(marks[index]))
        for index, skeleton in enumerate(skeletons)
    ]
    frames = np.stack([canvas.frame(camera, stage, margin=0.1) for canvas in canvases])
    frame = np.stack([frames[:, 0].min(axis=0), frames[:, 1].max(axis=0)])
    across = high_over_wide(frame)
    columns = _columns(len(skeletons))
    rows = -(-len(skeletons) // columns)
    text = 0.5 + 0.17 * max(len(_broken(label)) for label in labels)
    wide, tall = columns * _PANEL, rows * (_PANEL * across + text) + _TOP + 0.35
    with figure(wide, tall) as drawn:
        for index, canvas in enumerate(canvases):
            row, column = divmod(index, columns)
            bottom = tall - _TOP - row * (_PANEL * across + text) - _PANEL * across
            place = (column / columns, bottom / tall, 1 / columns, _PANEL * across / tall)
            canvas.paint(drawn.add_axes(place), camera, stage, frame, fontsize=6.0)
            place_of = ((column + 0.5) / columns, bottom / tall)
            _panel_label(drawn, index, labels[index], place_of, tall, marks[index])
        drawn.text(0.5, 1 - 0.5 * _TOP / tall, title, **_TITLE)
        if heading:
            drawn.text(0.5, 0.17 / tall, heading, ha="center", fontsize=8, color=MUTED)
        return write(drawn, path)


def draw_overlay(
    skeletons: Sequence[Skeleton],
    path: str | Path,
    title: str,
    labels: Sequence[str],
    heading: str = "",
    azimuth: float | None = None,
    marks: Sequence[str] = (),
) -> Path:
    """Draw skeletons over each other, each in its colour, with a legend; see `draw_panels`."""
    stage, camera = _setting(skeletons, azimuth)
    if any(marks):
        labels = [f"{label}  {mark}" for label, mark in zip(labels, marks, strict=True)]
        heading = f"{heading}  {' ' * max(map(len, marks))}" if heading else ""
        labels = [f"{label:<{max(map(len, labels))}}" for label in labels]
    canvas = _overlaid(skeletons, stage)
    frame = canvas.frame(camera, stage)
    wide, tall = _size(frame)
    side = 0.6 + 0.074 * max(map(len, (heading, *labels)))
    tall = max(tall, 0.2 * len(labels) + 0.6)
    width, height = wide + side, tall + _TOP + 0.15
    with figure(width, height) as drawn:
        axes = drawn.add_axes((0.0, 0.15 / height, wide / width, tall / height))
        canvas.paint(axes, camera, stage, frame)
        drawn.text(0.5, 1 - 0.5 * _TOP / height, title, **_TITLE)
        _solutions_legend(drawn, labels, heading, (wide / width, 0.5))
        return write(drawn, path)


def is_one_tool(skeletons: Sequence[Skeleton]) -> bool:
    """Whether all skeletons hold their tools in the same pose."""
    first = skeletons[0]
    return all(
        np.abs(one - two).max() < 1e-3
        for other in skeletons
        for one, two in zip(first.tools, other.tools, strict=True)
    )


def high_over_wide(frame: Array) -> float:
    """Return the height of a frame (2, 2) as a multiple of its width."""
    wide, high = frame[1] - frame[0]
    return float(high / wide)


def _setting(skeletons: Sequence[Skeleton], azimuth: float | None) -> tuple[Stage, Camera]:
    points = np.vstack([skeleton.points() for skeleton in skeletons])
    stage = stage_for(points, skeletons[0].size)
    return stage, camera_for(stage, points, azimuth, plane_normal(skeletons[0]))


def _size(frame: Array) -> tuple[float, float]:
    """Return width and height of a drawing [inch]."""
    wide, tall = _HEIGHT / high_over_wide(frame), _HEIGHT
    return (wide, tall) if wide <= _WIDTH else (_WIDTH, _WIDTH * high_over_wide(frame))


def _columns(count: int) -> int:
    return count if count <= 3 else 2 if count == 4 else 3 if count <= 6 else 4


def _panel(skeleton: Skeleton, index: int, stage: Stage, pale: bool = False) -> Canvas:
    canvas = Canvas()
    add_base(canvas, skeleton, stage.low[2])
    look = Look.of(solution_colour(index), stout=1.1, pale=0.55 if pale else 0.0)
    add_skeleton(canvas, skeleton, look)
    for tool in skeleton.tools:
        add_triad(canvas, tool, 0.14 * skeleton.size)
    return canvas


def _panel_label(
    drawn: Figure, index: int, label: str, place: tuple[float, float], tall: float, mark: str
) -> None:
    tint = solution_colour(index)
    x, bottom = place
    drawn.text(
        x,
        bottom - 0.12 / tall,
        str(index + 1),
        color=tint,
        fontweight="bold",
        ha="center",
        va="center",
        fontsize=11,
    )
    if mark:
        above = bottom + 0.04 / tall
        drawn.text(x, above, mark, color=FORBIDDEN, ha="center", va="center", fontsize=8)
    for line, text in enumerate(_broken(label)):
        y = bottom - (0.32 + 0.17 * line) / tall
        drawn.text(x, y, text, color=INK, ha="center", va="center", fontsize=7.5, family=_MONO)


def _broken(label: str) -> list[str]:
    """Return the lines of a label: at most four columns of joint values each, evenly filled."""
    words = label.split("   ") if "   " in label else label.split()
    words = [word.strip() for word in words if word.strip()]
    lines = -(-len(words) // 4)
    size = -(-len(words) // max(lines, 1)) if words else 1
    return [
        "".join(f"{word:>9}" for word in words[i : i + size]) for i in range(0, len(words), size)
    ]


def _overlaid(skeletons: Sequence[Skeleton], stage: Stage) -> Canvas:
    canvas = Canvas()
    add_base(canvas, skeletons[0], stage.low[2])
    common = shared(skeletons)
    add_skeleton(canvas, common, Look(stout=0.75))
    drawn = [common]
    for index, skeleton in enumerate(skeletons):
        rest = skeleton
        for other in drawn:  # two bars in one place would fight for every pixel
            rest = without(rest, other)
        add_skeleton(canvas, rest, Look.of(solution_colour(index), stout=0.62))
        drawn.append(rest)
    one = is_one_tool(skeletons)
    for skeleton in skeletons[:1] if one else skeletons:
        for tool in skeleton.tools:
            add_triad(canvas, tool, (0.13 if one else 0.08) * skeleton.size, letters=one)
    return canvas


def _solutions_legend(
    drawn: Figure, labels: Sequence[str], heading: str, anchor: tuple[float, float]
) -> None:
    patches = [
        Patch(color=solution_colour(index), label=f"{index + 1:2d} {label}")
        for index, label in enumerate(labels)
    ]
    legend = drawn.legend(
        handles=patches,
        title=heading,
        loc="center left",
        bbox_to_anchor=anchor,
        frameon=False,
        labelcolor=INK,
        handlelength=1.0,
        prop={"family": "DejaVu Sans Mono", "size": 8.5},
        title_fontproperties={"family": "DejaVu Sans Mono", "size": 8.5},
        alignment="right",
        labelspacing=0.55,
        borderpad=0.0,
        borderaxespad=0.2,
    )
    legend.get_title().set_color(MUTED)


def _kinds_legend(drawn: Figure, skeleton: Skeleton, caption: str) -> None:
    rows = (
        ("revolute", False, REVOLUTE),
        ("prismatic", False, PRISMATIC),
        ("passive", True, PASSIVE),
    )
    there = {"passive" if joint.passive else joint.kind for joint in skeleton.joints}
    patches = [Patch(color=tint, label=kind) for kind, _, tint in rows if kind in there]
    patches += [Patch(alpha=0.0, label=caption)] if caption else []
    drawn.legend(
        handles=patches,
        loc="lower center",
        ncols=len(patches),
        frameon=False,
        fontsize=8.5,
        labelcolor=MUTED,
        handlelength=1.2,
    )
