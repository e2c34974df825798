"""Compiled loops that turn what is seen into colours: shading, shadows, glass.

Samples and nearness are those of `raster_depth`. Nothing is checked.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.pictures.raster_depth import FINER, NOBODY, Ids, Image, Marks, View

AMBIENT, DIFFUSE, GLOSS = 0.72, 0.45, 0.14


class Sunlight(NamedTuple):
    """What the sun sees.

    Args:
        shadows: Nearness to the sun of what it sees. Shape (k, k).
        light: World to column, row, nearness of ``shadows``. Shape (3, 4).
        sun: Unit vector towards the sun, world. Shape (3,).
        slack: By how much something may be further from the sun and still be lit.
    """

    shadows: Image
    light: Array
    sun: Array
    slack: float


class Ground(NamedTuple):
    """What is behind everything.

    Args:
        floor: Picture of the floor, first row at the smallest y. Shape (rows, columns, 3).
        bounds: Smallest x and y, largest x and y of the floor, its height [m]. Shape (5,).
        sky: Colours at the bottom and the top of the background and of the ground. Shape (3, 3).
    """

    floor: Image
    bounds: Array
    sky: Array


@inner(inline=True)
def _lit(shadows: Image, light: Array, x: float, y: float, z: float, slack: float) -> float:
    """Return the share of light that reaches a point: soft at the edge of a shadow."""
    u = light[0, 0] * x + light[0, 1] * y + light[0, 2] * z + light[0, 3]
    v = light[1, 0] * x + light[1, 1] * y + light[1, 2] * z + light[1, 3]
    near = light[2, 0] * x + light[2, 1] * y + light[2, 2] * z + light[2, 3] + slack
    column, row = math.floor(u - 0.5), math.floor(v - 0.5)
    if not (1 <= row < shadows.shape[0] - 2 and 1 <= column < shadows.shape[1] - 2):
        return 1.0
    # weights of the four texels around the point keep the edge from showing squares
    fu, fv = u - 0.5 - column, v - 0.5 - row
    total = 0.0
    if shadows[row, column] <= near:
        total += (1.0 - fu) * (1.0 - fv)
    if shadows[row, column + 1] <= near:
        total += fu * (1.0 - fv)
    if shadows[row + 1, column] <= near:
        total += (1.0 - fu) * fv
    if shadows[row + 1, column + 1] <= near:
        total += fu * fv
    return total


@entry()
def shade(
    points: Array,
    arrows: Array,
    faces: Ids,
    colours: Image,
    view: View,
    light: Sunlight,
    ground: Ground,
    wanted: Marks,
    nearness: Image,
    ids: Ids,
    image: Image,
) -> None:
    """Give every sample of the wanted pixels its colour.

    Args:
        points: As in `fill`. Shape (v, 3).
        arrows: Normals at the points, world. Shape (v, 3).
        faces: As in `fill`. Shape (n, 3).
        colours: Red, green, blue of the triangles, 0 to 1. Shape (n, 3).
        view: Who looks.
        light: What the sun sees.
        ground: What is behind everything.
        wanted: 1 for each pixel to be drawn. Shape (h / `FINER`, w / `FINER`).
        nearness: As `fill` left it; the floor is put in. Shape (h, w).
        ids: As `fill` left it; what is below the floor is taken out. Shape (h, w).
        image: Filled. Shape (h, w, 3).
    """
    floor, bounds, sky = ground.floor, ground.bounds, ground.sky
    sun, shadows, plan, slack = light.sun, light.shadows, light.light, light.slack
    right, up, back, eye = view.frame[0], view.frame[1], view.frame[2], view.frame[3]
    lens = view.lens
    height, width = nearness.shape
    extent = max(bounds[2] - bounds[0], bounds[3] - bounds[1])
    for row in range(height):
        share = row / max(height - 1, 1)
        for column in range(width):
            if wanted[row // FINER, column // FINER] == 0:
                continue
            a = (column + 0.5 - lens[1]) / lens[0]
            b = -(row + 0.5 - lens[2]) / lens[0]
            dx = a * right[0] + b * up[0] - back[0]
            dy = a * right[1] + b * up[1] - back[1]
            dz = a * right[2] + b * up[2] - back[2]
            red = sky[1, 0] + share * (sky[0, 0] - sky[1, 0])
            green = sky[1, 1] + share * (sky[0, 1] - sky[1, 1])
            blue = sky[1, 2] + share * (sky[0, 2] - sky[1, 2])
            reach = (bounds[4] - eye[2]) / dz if dz < -1e-9 else -1.0
            k = ids[row, column]
            if reach > 0.0 and (k == NOBODY or 1.0 / reach > nearness[row, column]):
                k = NOBODY
                ids[row, column] = NOBODY
                x, y = eye[0] + reach * dx, eye[1] + reach * dy
                nearness[row, column] = 1.0 / reach
                lit = _lit(shadows, plan, x, y, bounds[4], slack)
                dim = 0.68 + 0.32 * lit
                u = (x - bounds[0]) / (bounds[2] - bounds[0])
                v = (y - bounds[1]) / (bounds[3] - bounds[1])
                if 0.0 <= u < 1.0 and 0.0 <= v < 1.0:
                    i, j = int(v * floor.shape[0]), int(u * floor.shape[1])
                    red = floor[i, j, 0] * dim
                    green = floor[i, j, 1] * dim
                    blue = floor[i, j, 2] * dim
                else:
                    ox = max(bounds[0] - x, x - bounds[2], 0.0)
                    oy = max(bounds[1] - y, y - bounds[3], 0.0)
                    near = math.exp(-math.sqrt(ox * ox + oy * oy) / (0.9 * extent))
                    red += near * (sky[2, 0] * dim - red)
                    green += near * (sky[2, 1] * dim - green)
                    blue += near * (sky[2, 2] * dim - blue)
            if k != NOBODY:
                i0, i1, i2 = faces[k, 0], faces[k, 1], faces[k, 2]
                x0, y0 = points[i0, 0], points[i0, 1]
                x1, y1 = points[i1, 0], points[i1, 1]
                x2, y2 = points[i2, 0], points[i2, 1]
                # the weights of the corners need no common factor: the normal is made one long
                px, py = column + 0.5, row + 0.5
                w0 = ((x2 - px) * (y1 - py) - (x1 - px) * (y2 - py)) * points[i0, 2]
                w1 = ((x0 - px) * (y2 - py) - (x2 - px) * (y0 - py)) * points[i1, 2]
                w2 = ((x1 - px) * (y0 - py) - (x0 - px) * (y1 - py)) * points[i2, 2]
                nx = w0 * arrows[i0, 0] + w1 * arrows[i1, 0] + w2 * arrows[i2, 0]
                ny = w0 * arrows[i0, 1] + w1 * arrows[i1, 1] + w2 * arrows[i2, 1]
                nz = w0 * arrows[i0, 2] + w1 * arrows[i1, 2] + w2 * arrows[i2, 2]
                size = 1.0 / (math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-30)
                nx, ny, nz = nx * size, ny * size, nz * size
                far = 1.0 / nearness[row, column]
                x, y, z = eye[0] + far * dx, eye[1] + far * dy, eye[2] + far * dz
                facing = nx * sun[0] + ny * sun[1] + nz * sun[2]
                lit = 0.0
                if facing > 0.0:
                    lit = _lit(shadows, plan, x, y, z, slack * (1.0 + 2.0 * (1.0 - facing)))
                shine = 0.0
                if lit > 0.0:
                    away = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
                    hx, hy, hz = sun[0] - dx * away, sun[1] - dy * away, sun[2] - dz * away
                    size = math.sqrt(hx * hx + hy * hy + hz * hz) + 1e-30
                    shine = max(0.0, (nx * hx + ny * hy + nz * hz) / size)
                    shine = shine * shine * shine
                    shine = shine * shine
                    shine = shine * shine
                    shine = shine * shine  # to the power of 24
                rim = max(0.0, nx * back[0] + ny * back[1] + nz * back[2])
                bright = AMBIENT * (0.78 + 0.22 * nz) * (0.72 + 0.28 * rim)
                bright += DIFFUSE * max(0.0, facing) * lit
                gloss = GLOSS * shine * lit
                red = colours[k, 0] * bright + gloss
                green = colours[k, 1] * bright + gloss
                blue = colours[k, 2] * bright + gloss
            image[row, column, 0] = red
            image[row, column, 1] = green
            image[row, column, 2] = blue


@entry("void(float64[:,:,::1], float32[:,::1], uint8[:,::1], float32[:,::1], float32[:,:,::1])")
def glaze(corners: Array, colours: Image, wanted: Marks, nearness: Image, image: Image) -> None:
    """Lay see-through triangles over the picture, in their order: the far ones come first.

    Args:
        corners: Picture x, y and nearness of each corner. Shape (n, 3, 3).
        colours: Red, green, blue, opacity, 0 to 1. Shape (n, 4).
        wanted: As in `shade`.
        nearness: What hides them. Shape (h, w).
        image: Changed. Shape (h, w, 3).
    """
    height, width = nearness.shape
    for k in range(corners.shape[0]):
        x0, y0, z0 = corners[k, 0, 0], corners[k, 0, 1], corners[k, 0, 2]
        x1, y1, z1 = corners[k, 1, 0], corners[k, 1, 1], corners[k, 1, 2]
        x2, y2, z2 = corners[k, 2, 0], corners[k, 2, 1], corners[k, 2, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if abs(area) < 1e-12 or min(z0, z1, z2) <= 0.0:
            continue
        opacity = colours[k, 3]
        left = max(0, math.ceil(min(x0, x1, x2) - 0.5))
        right = min(width - 1, math.floor(max(x0, x1, x2) - 0.5))
        top = max(0, math.ceil(min(y0, y1, y2) - 0.5))
        bottom = min(height - 1, math.floor(max(y0, y1, y2) - 0.5))
        for row in range(top, bottom + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                if wanted[row // FINER, column // FINER] == 0:
                    continue
                x = column + 0.5
                a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                c = 1.0 - a - b
                # half-open edges, so that two triangles of one pane share no pixel
                if a < 0.0 or b < 0.0 or c <= 0.0:
                    continue
                if a * z0 + b * z1 + c * z2 >= nearness[row, column]:
                    for j in range(3):
                        image[row, column, j] += opacity * (colours[k, j] - image[row, column, j])


@entry("void(float32[:,:,::1], uint8[:,::1], uint8[:,:,::1])")
def average(image: Image, wanted: Marks, pixels: Marks) -> None:
    """Give the wanted pixels the mean of their samples."""
    for row in range(wanted.shape[0]):
        for column in range(wanted.shape[1]):
            if wanted[row, column] == 0:
                continue
            for colour in range(3):
                total = 0.0
                for i in range(FINER):
                    for j in range(FINER):
                        total += image[row * FINER + i, column * FINER + j, colour]
                value = total * (255.0 / (FINER * FINER)) + 0.5
                pixels[row, column, colour] = int(min(255.0, max(0.0, value)))
