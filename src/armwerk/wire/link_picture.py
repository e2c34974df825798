"""An arm drawn with the links of its file: an arm and joint values come in, a picture goes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body_solids import body_solids
from armwerk.collision.described_shapes import described_solids
from armwerk.pictures.arm import joint_sentence
from armwerk.pictures.palette import BASE, LINK, WHITE, mixed
from armwerk.pictures.solid_picture import draw_solids
from armwerk.robot.arm import Arm


def link_shapes(arm: Arm) -> ArmShapes | None:
    """Return what is seen of an arm's links: the visual elements of its file, else collision ones.

    Returns:
        None when the arm has no file with such elements.

    Raises:
        DescriptionError: With file and line, for a mesh that cannot be read.
    """
    for element in ("visual", "collision"):
        found = described_solids(arm, element)
        if found is not None and found.shapes:
            return ArmShapes(arm, found.shapes)
    return None


def draw_links(
    shapes: ArmShapes,
    q: Array,
    path: str | Path,
    *,
    title: str | None = None,
    azimuth: float | None = None,
) -> Path:
    """Draw an arm with its links and return the file written.

    Args:
        shapes: Of the arm, as `link_shapes` returns them.
        q: Joint values [rad or m]. Shape (n,).
        path: Ends in .png or .svg.
        title: Above the picture; None: the arm's title.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.
    """
    arm = shapes.arm
    placed = shapes.at(np.asarray(q, dtype=np.float64))
    links = sorted(set(shapes.frames))
    solids = []
    for shape, frame in zip(placed, shapes.frames, strict=True):
        colour = BASE if frame == 0 else mixed(LINK, WHITE, 0.25 * (links.index(frame) % 2))
        solids += body_solids(shape, colour, 1.0)
    words = joint_sentence(arm.moving, np.asarray(q))
    return draw_solids(solids, path, title or arm.title or arm.name, words, azimuth)
