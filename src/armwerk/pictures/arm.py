"""The picture of an arm in one or several configurations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from armwerk.errors import ShapeError
from armwerk.pictures.body import Look, add_base, add_skeleton, add_triad
from armwerk.pictures.canvas import Canvas, camera_for
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import INK, MUTED, PASSIVE, PRISMATIC, REVOLUTE, solution_colour
from armwerk.pictures.skeleton import Skeleton, arm_skeleton, shared, without
from armwerk.pictures.stage import Stage, stage_for
from armwerk.robot.arm import Arm

Array = NDArray[np.float64]
_HEIGHT, _WIDTH = 6.4, 8.4  # most of the drawing itself [inch]
_COLUMN = 8  # characters per joint in a legend
_DEGREE = 180 / np.pi
_TITLE: dict[str, Any] = {"fontsize": 13, "color": INK}
MOST = 32  # configurations in one picture; more cannot be told apart


def draw_arm(
    model: Any,
    q: ArrayLike,
    path: str | Path,
    *,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    azimuth: float | None = None,
) -> Path:
    """Draw an arm and return the file written.

    Args:
        model: An arm, an `ArmModel` or an `AssemblyModel`.
        q: One configuration, shape (n,), or several, shape (k, n) [rad or m]. Several are
            drawn over each other, each in a colour of its own, with a legend.
        path: Ends in .png or .svg; its folder is made when missing.
        title: Above the picture; None: the arm's title.
        labels: One text per configuration for the legend; None: the joint values.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.

    Raises:
        ShapeError: When ``q`` does not fit the arm.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    rows, skeletons, motors = _posed(model, q)
    if labels is not None and len(labels) != len(rows):
        raise ShapeError(f"labels must be {len(rows)} texts, one each, got {len(labels)}")
    form = joint_text if len(rows) > 1 else joint_sentence
    texts = list(labels) if labels is not None else [form(motors.moving, row) for row in rows]
    heading = joint_heading(motors.moving) if labels is None else ""
    name = title or motors.title or motors.name
    return draw_skeletons(skeletons, path, name, texts, heading, azimuth)


def _posed(model: Any, q: ArrayLike) -> tuple[Array, list[Skeleton], Any]:
    """Return configurations, a skeleton for each, and the arm or assembly."""
    if hasattr(model, "assembly"):
        from armwerk.pictures.assembly import assembly_size, assembly_skeleton

        rows = configurations(q, model.assembly)
        size = assembly_size(model)
        skeletons = [assembly_skeleton(model, row, size) for row in rows]
        return rows, skeletons, model.assembly
    arm = arm_of(model)
    rows = configurations(q, arm)
    return rows, [arm_skeleton(arm, row) for row in rows], arm


def draw_skeletons(
    skeletons: Sequence[Skeleton],
    path: str | Path,
    title: str,
    labels: Sequence[str],
    heading: str = "",
    azimuth: float | None = None,
) -> Path:
    """Draw ready skeletons over each other; one alone is drawn in full with its joints' names.

    Args:
        skeletons: At least one.
        path: Where to; .png or .svg.
        title: Above the picture.
        labels: For the legend, one per skeleton; of a single one, below the picture.
        heading: Of the legend.
        azimuth: Where the viewer stands [rad]; None: chosen.
    """
    points = np.vstack([skeleton.points() for skeleton in skeletons])
    stage = stage_for(points, skeletons[0].size)
    camera = camera_for(stage, points, azimuth)
    canvas = _filled(skeletons, stage)
    low, high = canvas.frame(camera, stage)
    wide, tall = _HEIGHT * float((high[0] - low[0]) / (high[1] - low[1])), _HEIGHT
    if wide > _WIDTH:
        wide, tall = _WIDTH, _HEIGHT * _WIDTH / wide
    several = len(skeletons) > 1
    side = 0.6 + 0.074 * max(map(len, (heading, *labels))) if several else 0.0
    tall = max(tall, 0.2 * len(labels) + 0.6 if several else 0.0)
    wide = max(wide, 5.6 - side)
    top, foot = 0.55, 0.15 if several else 0.45
    with figure(wide + side, tall + top + foot) as drawn:
        width, height = wide + side, tall + top + foot
        axes = drawn.add_axes((0.0, foot / height, wide / width, tall / height))
        canvas.paint(axes, camera, stage)
        drawn.text(0.5, 1 - 0.5 * top / height, title, ha="center", va="center", **_TITLE)
        if several:
            _solutions_legend(drawn, labels, heading, (wide / width, 0.5))
        else:
            _kinds_legend(drawn, skeletons[0], labels)
        return write(drawn, path)


def _filled(skeletons: Sequence[Skeleton], stage: Stage) -> Canvas:
    canvas = Canvas()
    add_base(canvas, skeletons[0], stage.low[2])
    if len(skeletons) == 1:
        add_skeleton(canvas, skeletons[0], Look(), names=True)
        shown = skeletons[:1]
    else:
        common = shared(skeletons)
        add_skeleton(canvas, common, Look(stout=0.75))
        for index, skeleton in enumerate(skeletons):
            look = Look.of(solution_colour(index), stout=0.62)
            add_skeleton(canvas, without(skeleton, common), look)
        shown = skeletons[:1] if _one_tool(skeletons) else skeletons
    for skeleton in shown:
        length = (0.13 if len(shown) == 1 else 0.08) * skeleton.size
        for tool in skeleton.tools:
            add_triad(canvas, tool, length, letters=len(shown) == 1)
    return canvas


def _one_tool(skeletons: Sequence[Skeleton]) -> bool:
    first = skeletons[0]
    return all(
        np.abs(one - two).max() < 1e-3
        for other in skeletons
        for one, two in zip(first.tools, other.tools, strict=True)
    )


def _solutions_legend(
    drawn: Any, labels: Sequence[str], heading: str, anchor: tuple[float, float]
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


def _kinds_legend(drawn: Any, skeleton: Skeleton, labels: Sequence[str]) -> None:
    rows = (
        ("revolute", False, REVOLUTE),
        ("prismatic", False, PRISMATIC),
        ("passive", True, PASSIVE),
    )
    there = {"passive" if joint.passive else joint.kind for joint in skeleton.joints}
    patches = [Patch(color=tint, label=kind) for kind, _, tint in rows if kind in there]
    patches += [Patch(alpha=0.0, label=label) for label in labels[:1] if label]
    drawn.legend(
        handles=patches,
        loc="lower center",
        ncols=len(patches),
        frameon=False,
        fontsize=8.5,
        labelcolor=MUTED,
        handlelength=1.2,
    )


def arm_of(model: Any) -> Arm:
    """Return the arm itself, or that of a model."""
    arm = getattr(model, "arm", model)
    if not isinstance(arm, Arm):
        raise ShapeError(f"an arm or a model of one is needed, got {type(model).__name__}")
    return arm


def configurations(q: ArrayLike, arm: Any) -> Array:
    """Return configurations as rows; one or many are taken. Shape (k, n)."""
    rows = np.atleast_2d(np.asarray(q, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != arm.dof or not np.isfinite(rows).all():
        raise ShapeError(
            f"configurations of arm '{arm.name}' must be finite, shape (k, {arm.dof}),"
            f" got shape {np.shape(q)}"
        )
    if not 1 <= len(rows) <= MOST:
        raise ShapeError(f"a picture holds 1 to {MOST} configurations, got {len(rows)}")
    return rows


def joint_text(joints: Sequence[Any], q: Array) -> str:
    """Return joint values for people, in columns under `joint_heading`."""
    return " ".join(
        f"{value * (1000 if slides(joint) else _DEGREE):{_COLUMN}.1f}"
        for joint, value in zip(joints, q, strict=True)
    ).replace("-", "\N{MINUS SIGN}")


def joint_heading(joints: Sequence[Any]) -> str:
    """Return the names of the joints with their units, a column each."""
    columns = []
    for joint in joints:
        unit = " mm" if slides(joint) else " °"
        columns.append(f"{joint.name[: _COLUMN - len(unit)] + unit:>{_COLUMN}}")
    return " ".join(columns)


def joint_sentence(joints: Sequence[Any], q: Array) -> str:
    """Return joint values in one line with their units."""
    texts = [
        f"{1000 * value:.0f} mm" if slides(joint) else f"{value * _DEGREE:.1f}°"
        for joint, value in zip(joints, q, strict=True)
    ]
    return ("q = " + ", ".join(texts)).replace("-", "\N{MINUS SIGN}")


def slides(joint: Any) -> bool:
    """Whether a joint of an arm, or a motor of an assembly, slides rather than turns."""
    return bool(joint.unit == "m")
