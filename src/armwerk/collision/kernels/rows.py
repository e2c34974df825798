"""Rows in frames: moving them, boxes around them, how far they go in a direction."""

from __future__ import annotations

import math

from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    DIM,
    MIDDLE,
    POS,
    ROT,
    SIZE,
    SPHERE,
    TRIANGLE,
    Array,
)
from armwerk.compiled import inner


@inner
def place(T: Array, row: Array, out: Array) -> None:
    """Fill a row moved by a transform of twelve numbers, row by row."""
    out[0] = row[0]
    for k in range(DIM, SIZE):
        out[k] = row[k]
    for r in range(3):
        a, b, c, d = T[4 * r], T[4 * r + 1], T[4 * r + 2], T[4 * r + 3]
        for k in range(3):
            out[ROT + 3 * r + k] = a * row[ROT + k] + b * row[ROT + 3 + k] + c * row[ROT + 6 + k]
        out[POS + r] = a * row[POS] + b * row[POS + 1] + c * row[POS + 2] + d
        out[MIDDLE + r] = a * row[MIDDLE] + b * row[MIDDLE + 1] + c * row[MIDDLE + 2] + d


@inner
def into(frame: Array, row: Array, out: Array) -> None:
    """Fill a row seen from the frame of another row, Rᵀ (x - p)."""
    out[0] = row[0]
    for k in range(DIM, SIZE):
        out[k] = row[k]
    x, y, z = row[POS] - frame[POS], row[POS + 1] - frame[POS + 1], row[POS + 2] - frame[POS + 2]
    u, v, w = (
        row[MIDDLE] - frame[POS],
        row[MIDDLE + 1] - frame[POS + 1],
        row[MIDDLE + 2] - frame[POS + 2],
    )
    for r in range(3):
        a, b, c = frame[ROT + r], frame[ROT + 3 + r], frame[ROT + 6 + r]
        for k in range(3):
            out[ROT + 3 * r + k] = a * row[ROT + k] + b * row[ROT + 3 + k] + c * row[ROT + 6 + k]
        out[POS + r] = a * x + b * y + c * z
        out[MIDDLE + r] = a * u + b * v + c * w


@inner
def own(row: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a point in the coordinates of a row."""
    x, y, z = x - row[POS], y - row[POS + 1], z - row[POS + 2]
    return (
        row[ROT] * x + row[ROT + 3] * y + row[ROT + 6] * z,
        row[ROT + 1] * x + row[ROT + 4] * y + row[ROT + 7] * z,
        row[ROT + 2] * x + row[ROT + 5] * y + row[ROT + 8] * z,
    )


@inner
def outer(row: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a point given in the coordinates of a row in the row's surroundings."""
    return (
        row[ROT] * x + row[ROT + 1] * y + row[ROT + 2] * z + row[POS],
        row[ROT + 3] * x + row[ROT + 4] * y + row[ROT + 5] * z + row[POS + 1],
        row[ROT + 6] * x + row[ROT + 7] * y + row[ROT + 8] * z + row[POS + 2],
    )


@inner
def turned_back(row: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a direction in the coordinates of a row."""
    return (
        row[ROT] * x + row[ROT + 3] * y + row[ROT + 6] * z,
        row[ROT + 1] * x + row[ROT + 4] * y + row[ROT + 7] * z,
        row[ROT + 2] * x + row[ROT + 5] * y + row[ROT + 8] * z,
    )


@inner
def support(row: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the point of a convex row, without its swept ball, farthest along a direction."""
    kind = int(row[0])
    if kind == TRIANGLE:
        best = row[ROT] * x + row[ROT + 1] * y + row[ROT + 2] * z
        at = ROT
        for k in (ROT + 3, ROT + 6):
            value = row[k] * x + row[k + 1] * y + row[k + 2] * z
            if value > best:
                best, at = value, k
        return row[at], row[at + 1], row[at + 2]
    if kind == SPHERE:
        return row[POS], row[POS + 1], row[POS + 2]
    u, v, w = turned_back(row, x, y, z)
    if kind == CAPSULE:
        return outer(row, 0.0, 0.0, row[DIM] if w >= 0.0 else -row[DIM])
    if kind == BOX:
        return outer(
            row,
            row[DIM] if u >= 0.0 else -row[DIM],
            row[DIM + 1] if v >= 0.0 else -row[DIM + 1],
            row[DIM + 2] if w >= 0.0 else -row[DIM + 2],
        )
    across = math.sqrt(u * u + v * v)
    radius, height = row[DIM], row[DIM + 1] if w >= 0.0 else -row[DIM + 1]
    if kind == CONE:
        height = row[DIM + 2]
        if row[DIM + 1] * across + height * w >= row[DIM] * across - height * w:
            radius = row[DIM + 1]
        else:
            height = -height
    if across > 1e-300:
        return outer(row, radius * u / across, radius * v / across, height)
    return outer(row, 0.0, 0.0, height)


@inner
def half_box(row: Array) -> tuple[float, float, float]:
    """Return half the edges of the box around a convex row, along the row's own axes."""
    kind, r = int(row[0]), row[16]
    if kind == BOX:
        return row[DIM], row[DIM + 1], row[DIM + 2]
    if kind == CAPSULE:
        return r, r, row[DIM] + r
    if kind == CYLINDER:
        return row[DIM], row[DIM], row[DIM + 1]
    if kind == CONE:
        wide = max(row[DIM], row[DIM + 1])
        return wide, wide, row[DIM + 2]
    return r, r, r
