"""The picture of a planned path: the arm on its way among the bodies, and the tool's track."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.errors import UnsupportedError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape, Sphere
from armwerk.pictures.canvas import Canvas, camera_for
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.motion import fan_of
from armwerk.pictures.palette import INK, MUTED, WHITE, Colour, mixed, solution_colour
from armwerk.pictures.sheet import high_over_wide
from armwerk.pictures.skeleton import arm_size
from armwerk.pictures.solids import Faces, cylinder, sphere
from armwerk.pictures.stage import stage_for
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_HEIGHT = 7.0  # [inch]
_POSES = 7
_PATCHES = 6  # along each edge of a drawn box: the painter sorts small faces rightly
_NAMED = 12  # bodies that are called by name; more would cover the picture
_SIDES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def draw_path(
    checker: Checker,
    rows: Array,
    path: str | Path,
    *,
    title: str | None,
    below: str,
    names: bool = True,
    beside: Iterable[Shape] = (),
) -> Path:
    """Draw an arm on its way and return the file written.

    Args:
        checker: The arm and what stands around it.
        rows: Configurations along the path [rad or m]. Shape (m, n).
        path: Ends in .png or .svg.
        title: Above the picture; None: the arm and the number of bodies.
        below: The line under the title.
        names: Whether bodies are called by name.
        beside: Shapes that are drawn as bodies are, where something that moves is at a moment.

    Raises:
        UnsupportedError: For an assembly or several arms.
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    arm = checker.arms[0]
    if not isinstance(arm, Arm) or len(checker.arms) > 1:
        raise UnsupportedError("paths are drawn for a single serial arm")
    canvas, _, stage = fan_of(arm, rows, _POSES, None)
    bodies = [body for body in checker.bodies if isinstance(body, Shape)]
    drawn_bodies = [body for body in (*bodies, *beside) if np.isfinite(body.bounds).all()]
    points = [stage.corners()[::2], *(body.bounds for body in drawn_bodies)]
    stage = stage_for(np.vstack(points), arm_size(arm))
    for number, body in enumerate(drawn_bodies):
        colour = mixed(solution_colour(number % 8), WHITE, 0.55)
        _add_body(canvas, body, colour, name=names and len(drawn_bodies) <= _NAMED)
    camera = camera_for(stage, np.vstack(points))
    frame = canvas.frame(camera, stage)
    width = float(np.clip(0.88 * _HEIGHT / high_over_wide(frame), 5.0, 10.0))
    with figure(width, _HEIGHT) as drawn:
        axes: Axes = drawn.add_axes((0.0, 0.02, 1.0, 0.86))
        canvas.paint(axes, camera, stage, frame)
        count = f"{len(drawn_bodies)} {'body' if len(drawn_bodies) == 1 else 'bodies'}"
        heading = title or f"{arm.title or arm.name}: free path among {count}"
        drawn.text(0.5, 0.955, heading, ha="center", va="center", fontsize=13, color=INK)
        drawn.text(0.5, 0.915, below, ha="center", va="center", fontsize=9, color=MUTED)
        return write(drawn, path)


def _add_body(canvas: Canvas, body: Shape, colour: Colour, name: bool) -> None:
    canvas.add(_faces(body), colour)
    if name and body.name:
        low, high = body.bounds
        canvas.write([*(low + high)[:2] / 2, high[2] + 0.02], body.name, MUTED, 7.0)


def _faces(body: Shape) -> Faces:
    """Return the surface of a body as flat faces, world [m]."""
    if isinstance(body, Box):
        return _box(body)
    if isinstance(body, Sphere):
        return sphere(body.position, body.radius)
    if isinstance(body, Mesh):
        corners = body.triangles @ body.rotation.T + body.position
        return list(corners if body.volume > 0 else corners[:, ::-1])
    if isinstance(body, Cylinder | Cone | Capsule):
        half = body.rotation[:, 2] * body.length / 2
        ends = body.position - half, body.position + half
        tip = body.top_radius if isinstance(body, Cone) else body.radius
        faces = cylinder(*ends, max(body.radius, 1e-6), tip=max(tip, 1e-6))
        if isinstance(body, Capsule):
            faces += [face for end in ends for face in sphere(end, body.radius)]
        return faces
    return []


def _box(body: Box) -> Faces:
    """Return the six sides of a box in patches, wound so that their normals point outwards."""
    edge = np.linspace(-0.5, 0.5, _PATCHES + 1)
    u, v = np.meshgrid(edge, edge, indexing="ij")
    around = [(slice(0, -1), slice(0, -1)), (slice(1, None), slice(0, -1))]
    around += [(slice(1, None), slice(1, None)), (slice(0, -1), slice(1, None))]
    faces: Faces = []
    for a, b, c in _SIDES:
        for side in (0.5, -0.5):
            grid = np.empty((*u.shape, 3))
            grid[..., a], grid[..., b], grid[..., c] = u, v, side
            quads = np.stack([grid[i, j] for i, j in around], axis=2).reshape(-1, 4, 3)
            quads = (quads if side > 0 else quads[:, ::-1]) * body.size
            faces += list(quads @ body.rotation.T + body.position)
    return faces
