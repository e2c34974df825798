"""Compiled loops that put bodies into the world, and points of the world into pictures."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.compiled import entry


@entry("void(float64[:,::1], float64[:,::1], float64[::1], float64[:,::1])")
def seen_by_eye(points: Array, frame: Array, lens: Array, out: Array) -> None:
    """Fill in picture x, y and nearness of world points; behind the eye it is -1. (v, 3)."""
    for k in range(points.shape[0]):
        x, y, z = points[k, 0] - frame[3, 0], points[k, 1] - frame[3, 1], points[k, 2] - frame[3, 2]
        depth = -(x * frame[2, 0] + y * frame[2, 1] + z * frame[2, 2])
        near = 1.0 / depth if depth > 1e-2 else -1.0
        across = x * frame[0, 0] + y * frame[0, 1] + z * frame[0, 2]
        along = x * frame[1, 0] + y * frame[1, 1] + z * frame[1, 2]
        out[k, 0] = lens[1] + lens[0] * across * near
        out[k, 1] = lens[2] - lens[0] * along * near
        out[k, 2] = near


@entry("void(float64[:,::1], float64[:,::1], float64[:,::1])")
def seen_by_sun(points: Array, light: Array, out: Array) -> None:
    """Fill in column, row and nearness of world points in the sun's picture. (v, 3)."""
    for k in range(points.shape[0]):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        for i in range(3):
            out[k, i] = light[i, 0] * x + light[i, 1] * y + light[i, 2] * z + light[i, 3]


@entry(
    "void(float64[:,::1], float64[:,::1], float64[:,:,::1], float64[:,::1],"
    "float64[:,::1], float64[:,::1])"
)
def place(
    corners: Array, normals: Array, poses: Array, sizes: Array, points: Array, arrows: Array
) -> None:
    """Put copies of a body of size 1 into the world.

    Args:
        corners: Of the body. Shape (v, 3).
        normals: At its corners. Shape (v, 3).
        poses: Of the copies. Shape (n, 4, 4).
        sizes: Of the copies. Shape (n, 3).
        points: Filled. Shape (n v, 3).
        arrows: Filled. Shape (n v, 3).
    """
    count = corners.shape[0]
    for n in range(poses.shape[0]):
        pose = poses[n]
        sx, sy, sz = sizes[n, 0], sizes[n, 1], sizes[n, 2]
        for k in range(count):
            x, y, z = sx * corners[k, 0], sy * corners[k, 1], sz * corners[k, 2]
            u, v, w = normals[k, 0], normals[k, 1], normals[k, 2]
            for i in range(3):
                points[n * count + k, i] = (
                    pose[i, 0] * x + pose[i, 1] * y + pose[i, 2] * z + pose[i, 3]
                )
                arrows[n * count + k, i] = pose[i, 0] * u + pose[i, 1] * v + pose[i, 2] * w


@entry("float64(float64[::1], float64[::1], float64[::1], float64[:,::1])")
def between(start: Array, end: Array, side: Array, pose: Array) -> float:
    """Fill in the frame in the middle between two points, z from one to the other.

    Args:
        start: World [m]. Shape (3,).
        end: World [m]. Shape (3,).
        side: Where x points, as far as it can; 0: anywhere. Shape (3,).
        pose: Filled, but for its last row. Shape (4, 4).

    Returns:
        How far the points are apart [m]; 0, and nothing is filled in, when they are the same.
    """
    zx, zy, zz = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    length = math.sqrt(zx * zx + zy * zy + zz * zz)
    if not length >= 1e-9:
        return 0.0
    zx, zy, zz = zx / length, zy / length, zz / length
    x, y, z = side[0], side[1], side[2]
    along = x * zx + y * zy + z * zz
    x, y, z = x - along * zx, y - along * zy, z - along * zz
    if math.sqrt(x * x + y * y + z * z) < 1e-6:
        flat, steep = abs(zx), 0
        if abs(zy) < flat:
            flat, steep = abs(zy), 1
        if abs(zz) < flat:
            steep = 2
        x, y, z = 1.0 * (steep == 0), 1.0 * (steep == 1), 1.0 * (steep == 2)
        along = x * zx + y * zy + z * zz
        x, y, z = x - along * zx, y - along * zy, z - along * zz
    size = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    pose[0, 0], pose[1, 0], pose[2, 0] = x, y, z
    pose[0, 1], pose[1, 1], pose[2, 1] = zy * z - zz * y, zz * x - zx * z, zx * y - zy * x
    pose[0, 2], pose[1, 2], pose[2, 2] = zx, zy, zz
    for i in range(3):
        pose[i, 3] = (start[i] + end[i]) / 2
    return length
