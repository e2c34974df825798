"""The floor of a cell as one picture: checkerboard, coloured tiles, painted patches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from armwerk.arrays import Array
from armwerk.pictures.cell_scene import corners_of, hexed, scene_points
from armwerk.pictures.palette import colour, mixed
from armwerk.scene.scene import TILE_SIZE, Scene

LIGHT, DARK, SEAM = colour("#eef1f4"), colour("#dde3e9"), colour("#cfd6dd")
_DOTS = 96  # per tile at most
_MOST = 3000  # dots along a side of the picture
_FINER = 2  # patches are drawn this much finer and averaged


class Floor(NamedTuple):
    """A floor.

    Args:
        bounds: Smallest x and y, largest x and y [m]. Shape (4,).
        picture: Red, green, blue, 0 to 1, first row at the smallest y. Shape (rows, columns, 3).
    """

    bounds: Array
    picture: NDArray[np.float32]


def floor_bounds(scene: Scene, margin: float = 0.25) -> Array:
    """Return the floor's smallest x and y, largest x and y [m]: the border, or whole tiles."""
    if scene.border is not None:
        return np.array([*scene.border.low, *scene.border.high])
    points = scene_points(scene)[:, :2]
    low = np.floor((points.min(axis=0) - margin) / TILE_SIZE) * TILE_SIZE
    high = np.ceil((points.max(axis=0) + margin) / TILE_SIZE) * TILE_SIZE
    return np.concatenate([low, high])


def floor_of(scene: Scene) -> Floor:
    """Return the floor of a scene, with its tiles and patches."""
    bounds = floor_bounds(scene)
    size = bounds[2:] - bounds[:2]
    dots = min(_DOTS / TILE_SIZE, _MOST / float(size.max()))
    columns, rows = (max(2, round(float(side) * dots)) for side in size)
    x = (np.arange(columns) + 0.5) / columns * size[0]
    y = (np.arange(rows) + 0.5) / rows * size[1]
    # tiles are counted from the front left corner of the border
    column, row = np.floor(x / TILE_SIZE).astype(int), np.floor(y / TILE_SIZE).astype(int)
    odd = (column[None, :] + row[:, None]) % 2 == 1
    picture = np.where(odd[..., None], DARK, LIGHT).astype(np.float32)
    for tile in scene.tiles:
        across = (column >= tile.columns[0]) & (column <= tile.columns[1])
        along = (row >= tile.rows[0]) & (row <= tile.rows[1])
        picture[along[:, None] & across[None, :]] = hexed(tile.colour)
    _add_seams(picture, x, y)
    if scene.paints:
        picture = _painted(picture, scene, bounds)
    return Floor(bounds, np.ascontiguousarray(picture, dtype=np.float32))


def _add_seams(picture: NDArray[np.float32], x: Array, y: Array) -> None:
    width = 0.004  # [m]
    for index, places in ((1, x), (0, y)):
        near = np.abs((places + TILE_SIZE / 2) % TILE_SIZE - TILE_SIZE / 2) < width
        lines = (slice(None), near) if index else (near, slice(None))
        picture[lines] = 0.6 * picture[lines] + 0.4 * np.asarray(SEAM, dtype=np.float32)


def _painted(picture: NDArray[np.float32], scene: Scene, bounds: Array) -> NDArray[np.float32]:
    rows, columns, _ = picture.shape
    size = bounds[2:] - bounds[:2]
    scale = np.array([columns, rows]) / size * _FINER
    for paint in scene.paints:
        stencil = Image.new("L", (columns * _FINER, rows * _FINER))
        corners = (corners_of(paint.outline, 96) - bounds[:2]) * scale
        ImageDraw.Draw(stencil).polygon([tuple(corner) for corner in corners], fill=255)
        small = stencil.reduce(_FINER)
        share = np.asarray(small, dtype=np.float32)[..., None] / 255 * paint.alpha
        tint = np.asarray(mixed(hexed(paint.colour), LIGHT, 0.06), dtype=np.float32)
        picture = picture + share * (tint - picture)
    return picture
