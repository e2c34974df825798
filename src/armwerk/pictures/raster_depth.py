"""Compiled loops that find what is seen: depth buffers of the eye and of the sun.

Picture coordinates are samples, x to the right and y downwards; `FINER` x `FINER` samples make a
pixel. Nearness is the reciprocal of the depth for a pinhole camera, and any falling linear
function of it for a parallel one: both are linear in the picture, so they may be interpolated
there. Nothing is checked.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

Image = NDArray[np.float32]
Ids = NDArray[np.int32]
Marks = NDArray[np.uint8]
NOBODY = -1
FINER = 2  # samples along each side of a pixel
TILE = 8  # texels along each side of a tile of the sun's picture
ALWAYS, NEVER = -2, -1  # tiles of pixels that any shadow may change, and none


class View(NamedTuple):
    """Who looks.

    Args:
        frame: Rows: right, up, towards the eye, and the eye itself, world. Shape (4, 3).
        lens: Focal length, and the picture's middle x and y [samples]. Shape (3,).
    """

    frame: Array
    lens: Array


@inner(flatten=True)
def _first(start: float, slope: float, low: int) -> int:
    """Return a column at or before the first where ``start + slope x`` is not negative."""
    if slope <= 0.0:
        return low
    return int(max(float(low), min(1e9, -start / slope - 1.5)))


@inner(flatten=True)
def _last(start: float, slope: float, high: int) -> int:
    """Return a column at or behind the last where ``start + slope x`` is not negative."""
    if slope >= 0.0:
        return high
    return int(min(float(high), max(-1e9, -start / slope + 1.5)))


@entry("void(float64[:,::1], int32[:,::1], int64, float32[:,::1], int32[:,::1])")
def fill(points: Array, faces: Ids, first: int, nearness: Image, ids: Ids) -> None:
    """Draw triangles into a depth buffer; those turned away from the eye are left out.

    Args:
        points: Picture x, y and nearness. Shape (v, 3).
        faces: Points of the triangles. Shape (n, 3).
        first: Number of the first triangle.
        nearness: Of what is seen in each sample; starts at 0 or below. Shape (h, w).
        ids: Which triangle that is; starts at `NOBODY`. Shape (h, w).
    """
    height, width = nearness.shape
    for k in range(faces.shape[0]):
        i, j, n = faces[k, 0], faces[k, 1], faces[k, 2]
        x0, y0, z0 = points[i, 0], points[i, 1], points[i, 2]
        x1, y1, z1 = points[j, 0], points[j, 1], points[j, 2]
        x2, y2, z2 = points[n, 0], points[n, 1], points[n, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if not area < -1e-12 or min(z0, z1, z2) <= 0.0:
            continue
        left = max(0, math.ceil(min(x0, x1, x2) - 0.5))
        right = min(width - 1, math.floor(max(x0, x1, x2) - 0.5))
        top = max(0, math.ceil(min(y0, y1, y2) - 0.5))
        bottom = min(height - 1, math.floor(max(y0, y1, y2) - 0.5))
        # weights of the corners, linear in the picture: at its origin, per column, per row
        share = 1.0 / area
        a0, ax, ay = (x1 * y2 - x2 * y1) * share, (y1 - y2) * share, (x2 - x1) * share
        b0, bx, by = (x2 * y0 - x0 * y2) * share, (y2 - y0) * share, (x0 - x2) * share
        for row in range(top, bottom + 1):
            y = row + 0.5
            ar, br = a0 + ay * y, b0 + by * y
            cr = 1.0 - ar - br
            low = max(_first(ar, ax, left), _first(br, bx, left), _first(cr, -ax - bx, left))
            high = min(_last(ar, ax, right), _last(br, bx, right), _last(cr, -ax - bx, right))
            for column in range(low, high + 1):
                x = column + 0.5
                a = ar + ax * x
                b = br + bx * x
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                z = a * z0 + b * z1 + c * z2
                if z > nearness[row, column]:
                    nearness[row, column] = z
                    ids[row, column] = first + k


@entry("void(float64[:,::1], int32[:,::1], float32[:,::1], uint8[:,::1])")
def cast(points: Array, faces: Ids, nearness: Image, touched: Marks) -> None:
    """Draw triangles into the sun's depth buffer and mark the tiles in which they are.

    Args:
        points: Column, row and nearness to the sun. Shape (v, 3).
        faces: Points of the triangles. Shape (n, 3).
        nearness: Changed. Shape (k, k).
        touched: 1 for each tile of `TILE` x `TILE` that may have changed.
    """
    height, width = nearness.shape
    for k in range(faces.shape[0]):
        i, j, n = faces[k, 0], faces[k, 1], faces[k, 2]
        x0, y0, z0 = points[i, 0], points[i, 1], points[i, 2]
        x1, y1, z1 = points[j, 0], points[j, 1], points[j, 2]
        x2, y2, z2 = points[n, 0], points[n, 1], points[n, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if not area < -1e-12 or min(z0, z1, z2) <= 0.0:
            continue
        left = max(0, math.ceil(min(x0, x1, x2) - 0.5))
        right = min(width - 1, math.floor(max(x0, x1, x2) - 0.5))
        top = max(0, math.ceil(min(y0, y1, y2) - 0.5))
        bottom = min(height - 1, math.floor(max(y0, y1, y2) - 0.5))
        share = 1.0 / area
        a0, ax, ay = (x1 * y2 - x2 * y1) * share, (y1 - y2) * share, (x2 - x1) * share
        b0, bx, by = (x2 * y0 - x0 * y2) * share, (y2 - y0) * share, (x0 - x2) * share
        for row in range(top, bottom + 1):
            y = row + 0.5
            ar, br = a0 + ay * y, b0 + by * y
            cr = 1.0 - ar - br
            low = max(_first(ar, ax, left), _first(br, bx, left), _first(cr, -ax - bx, left))
            high = min(_last(ar, ax, right), _last(br, bx, right), _last(cr, -ax - bx, right))
            if low > high:
                continue
            for tile in range(low // TILE, high // TILE + 1):
                touched[row // TILE, tile] = 1
            for column in range(low, high + 1):
                x = column + 0.5
                a = ar + ax * x
                b = br + bx * x
                c = 1.0 - a - b
                if a >= 0.0 and b >= 0.0 and c >= 0.0:
                    z = a * z0 + b * z1 + c * z2
                    nearness[row, column] = max(nearness[row, column], np.float32(z))


@entry()
def shadow_tiles(nearness: Image, view: View, light: Array, dots: int, tiles: Ids) -> None:
    """Find for each pixel the tile of the sun's picture that decides about its light.

    Args:
        nearness: Of all that never moves, floor included. Shape (h, w).
        view: Who looks.
        light: World to column and row of the sun's picture. Shape (3, 4).
        dots: Along each side of the sun's picture.
        tiles: Filled: number of the tile, row by row, `ALWAYS` where the samples of a pixel are
            far apart, `NEVER` where no shadow can fall. Shape (h / `FINER`, w / `FINER`).
    """
    lens, frame = view.lens, view.frame
    across = (dots + TILE - 1) // TILE
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            found, one_u, one_v = NEVER, 0, 0
            for part in range(FINER * FINER):
                r, c = row * FINER + part // FINER, column * FINER + part % FINER
                if nearness[r, c] <= 0.0:
                    continue
                far = 1.0 / nearness[r, c]
                a = (c + 0.5 - lens[1]) / lens[0] * far
                b = -(r + 0.5 - lens[2]) / lens[0] * far
                x = frame[3, 0] + a * frame[0, 0] + b * frame[1, 0] - far * frame[2, 0]
                y = frame[3, 1] + a * frame[0, 1] + b * frame[1, 1] - far * frame[2, 1]
                z = frame[3, 2] + a * frame[0, 2] + b * frame[1, 2] - far * frame[2, 2]
                u = light[0, 0] * x + light[0, 1] * y + light[0, 2] * z + light[0, 3]
                v = light[1, 0] * x + light[1, 1] * y + light[1, 2] * z + light[1, 3]
                if not (0.0 <= u < dots and 0.0 <= v < dots):
                    continue
                tu, tv = int(u) // TILE, int(v) // TILE
                if found == NEVER:
                    found, one_u, one_v = tv * across + tu, tu, tv
                elif abs(tu - one_u) > 1 or abs(tv - one_v) > 1:
                    found = ALWAYS
            tiles[row, column] = found


@entry("void(int32[:,::1], int64, int32[:,::1], uint8[:,::1], uint8[:,::1])")
def changed(ids: Ids, first: int, tiles: Ids, touched: Marks, wanted: Marks) -> None:
    """Mark the pixels that show something that moves, or on which its shadow may fall.

    Args:
        ids: As `fill` left it. Shape (h, w).
        first: Number of the first triangle that moves.
        tiles: As `shadow_tiles` left it.
        touched: As `cast` left it.
        wanted: Filled. Shape (h / `FINER`, w / `FINER`).
    """
    high, across = touched.shape
    near = np.zeros_like(touched)
    # the samples of a pixel lie one tile apart at most, and look at texels one further
    for v in range(high):
        for u in range(across):
            if touched[v, u]:
                for i in range(max(0, v - 2), min(high, v + 3)):
                    for j in range(max(0, u - 2), min(across, u + 3)):
                        near[i, j] = 1
    flat = near.ravel()
    for row in range(wanted.shape[0]):
        for column in range(wanted.shape[1]):
            tile = tiles[row, column]
            seen = tile == ALWAYS or (tile >= 0 and flat[tile] == 1)
            for i in range(FINER):
                for j in range(FINER):
                    seen = seen or ids[row * FINER + i, column * FINER + j] >= first
            wanted[row, column] = seen
