"""The picture of solids on a floor, with light and shadow: meshes come in, a file goes out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.canvas import camera_for
from armwerk.pictures.cell_painter import CellPainter, Pixels
from armwerk.pictures.cell_scene import DARK, LIGHT, Floor
from armwerk.pictures.cell_solids import Solid, triangles
from armwerk.pictures.cell_surface import surface
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.palette import INK, MUTED
from armwerk.pictures.raster_depth import FINER
from armwerk.pictures.stage import stage_for

_SIZE = (1120, 900)  # [pixel]
_WIDTH = 8.4  # of the sheet [inch]
_TOP, _FOOT = 0.5, 0.4  # for title and caption [inch]
_MARGIN = 1.12  # of the picture around what is in it
_TILE = 0.25  # [m] edge of a square of the floor
_DOTS = 16  # along the edge of a square


def draw_solids(
    solids: Sequence[Solid],
    path: str | Path,
    title: str,
    caption: str = "",
    azimuth: float | None = None,
) -> Path:
    """Draw solids and return the file written.

    Args:
        solids: Opaque, in the world.
        path: Ends in .png or .svg.
        title: Above the picture.
        caption: Below it.
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.

    Raises:
        DescriptionError: When ``path`` has another ending or cannot be written.
    """
    path = picture_path(path)
    pixels = _painted(solids, azimuth)
    tall = _WIDTH * _SIZE[1] / _SIZE[0]
    height = tall + _TOP + _FOOT
    with figure(_WIDTH, height) as drawn:
        axes = drawn.add_axes((0.0, _FOOT / height, 1.0, tall / height))
        axes.imshow(pixels, interpolation="lanczos")
        axes.set_axis_off()
        drawn.text(
            0.5, 1 - 0.5 * _TOP / height, title, fontsize=13, color=INK, ha="center", va="center"
        )
        drawn.text(
            0.5, 0.5 * _FOOT / height, caption, fontsize=8, color=MUTED, ha="center", va="center"
        )
        return write(drawn, path)


def _painted(solids: Sequence[Solid], azimuth: float | None) -> Pixels:
    points = triangles(solids).corners.reshape(-1, 3)
    deep = min(float(points[:, 2].min()), 0.0)
    if deep < 0.0:  # what hangs below its base is lifted onto the floor
        return _painted([lifted(solid, -deep) for solid in solids], azimuth)
    painter = painter_of([], points, _SIZE, azimuth)
    return painter.paint(surface(solids, painter.eye.eye, painter.focal / FINER))


def painter_of(
    still: Sequence[Solid], points: Array, size: tuple[int, int], azimuth: float | None = None
) -> CellPainter:
    """Return who paints solids on a floor at height 0, with a camera that sees given points.

    Args:
        still: What never moves; solids that are not opaque are seen through.
        points: What must be in the picture, above the floor [m]. Shape (m, 3).
        size: Width and height [pixel].
        azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    low[2] = 0.0
    stage = stage_for(np.vstack([low, high]), float(np.linalg.norm(high - low)))
    camera = camera_for(stage, points[:: max(1, len(points) // 5000)], azimuth)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    camera, focal = _fitted(camera, corners, size)
    opaque = triangles([solid for solid in still if solid.alpha >= 1.0])
    glass = triangles([solid for solid in still if solid.alpha < 1.0])
    return CellPainter(opaque, glass, _floor(low, high), camera, focal, size, corners)


def lifted(solid: Solid, height: float) -> Solid:
    """Return a solid moved upwards [m]."""
    pose = solid.pose.copy()
    pose[2, 3] += height
    mesh = None if solid.mesh is None else solid.mesh + np.array([0.0, 0.0, height])
    return solid._replace(pose=pose, mesh=mesh)


def _fitted(camera: Camera, corners: Array, size: tuple[int, int]) -> tuple[Camera, float]:
    """Return a camera that looks at the middle of a box, and the focal length to fill the sheet."""
    target = (corners.min(axis=0) + corners.max(axis=0)) / 2
    camera = Camera(target, camera.distance, camera.azimuth, camera.elevation)
    flat = np.abs(camera.project(corners)).max(axis=0)
    shares = _MARGIN * flat / (np.array(size) / 2)
    return camera, float(camera.distance / shares.max())


def _floor(low: Array, high: Array) -> Floor:
    """Return a floor of squares, three times as wide as what stands on it."""
    middle, half = (low + high)[:2] / 2, max(1.5 * float((high - low).max()), _TILE)
    first = np.floor((middle - half) / _TILE) * _TILE
    count = int(np.ceil(2 * half / _TILE)) + 1
    last = first + count * _TILE
    cells = np.arange(count * _DOTS) // _DOTS
    odd = (cells[None, :] + cells[:, None]) % 2 == 1
    picture = np.where(odd[..., None], DARK, LIGHT).astype(np.float32)
    return Floor(np.concatenate([first, last]), np.ascontiguousarray(picture))
