"""Rows in frames: moving them, boxes around them, how far they go in a direction."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    axis,
    cone_sizes,
    cylinder_sizes,
    half_edges,
    half_length,
    kind_of,
    position,
    radius_of,
    row_corner,
)
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    CENTRE,
    CONE,
    CYLINDER,
    KIND,
    POSITION,
    ROTATION,
    SIZES,
    SPHERE,
    TRIANGLE,
    WIDTH,
)
from armwerk.collision.kernels.vectors import Vector, dot, minus
from armwerk.compiled import inner


@inner
def place(frame: Array, row: Array, out: Array) -> None:
    """Fill a row moved by a frame."""
    out[KIND] = row[KIND]
    for k in range(SIZES, WIDTH):
        out[k] = row[k]
    for r in range(3):
        a, b, c = frame[4 * r], frame[4 * r + 1], frame[4 * r + 2]
        shift = frame[4 * r + 3]
        for k in range(3):
            x, y, z = axis(row, k)
            out[ROTATION + 3 * r + k] = a * x + b * y + c * z
        x, y, z = position(row)
        out[POSITION + r] = a * x + b * y + c * z + shift
        x, y, z = row[CENTRE], row[CENTRE + 1], row[CENTRE + 2]
        out[CENTRE + r] = a * x + b * y + c * z + shift


@inner
def place_relative(frame: Array, row: Array, out: Array) -> None:
    """Fill a row seen from the frame of another row, Rᵀ (x - p)."""
    out[KIND] = row[KIND]
    for k in range(SIZES, WIDTH):
        out[k] = row[k]
    at = minus(position(row), position(frame))
    middle = minus((row[CENTRE], row[CENTRE + 1], row[CENTRE + 2]), position(frame))
    for r in range(3):
        own = axis(frame, r)
        for k in range(3):
            out[ROTATION + 3 * r + k] = dot(own, axis(row, k))
        out[POSITION + r] = dot(own, at)
        out[CENTRE + r] = dot(own, middle)


@inner
def local_direction(row: Array, d: Vector) -> Vector:
    """Return a direction in the coordinates of a row."""
    return dot(axis(row, 0), d), dot(axis(row, 1), d), dot(axis(row, 2), d)


@inner
def local_point(row: Array, p: Vector) -> Vector:
    """Return a point in the coordinates of a row."""
    return local_direction(row, minus(p, position(row)))


@inner
def outer_point(row: Array, p: Vector) -> Vector:
    """Return a point given in the coordinates of a row in the row's surroundings."""
    x, y, z = p
    R = ROTATION
    return (
        row[R] * x + row[R + 1] * y + row[R + 2] * z + row[POSITION],
        row[R + 3] * x + row[R + 4] * y + row[R + 5] * z + row[POSITION + 1],
        row[R + 6] * x + row[R + 7] * y + row[R + 8] * z + row[POSITION + 2],
    )


@inner
def support(row: Array, d: Vector) -> Vector:
    """Return the point of a convex row, without its swept ball, farthest along a direction."""
    kind = kind_of(row)
    if kind == TRIANGLE:
        best, at = dot(row_corner(row, 0), d), 0
        for c in (1, 2):
            value = dot(row_corner(row, c), d)
            if value > best:
                best, at = value, c
        return row_corner(row, at)
    if kind == SPHERE:
        return position(row)
    u, v, w = local_direction(row, d)
    if kind == CAPSULE:
        h = half_length(row)
        return outer_point(row, (0.0, 0.0, h if w >= 0.0 else -h))
    if kind == BOX:
        x, y, z = half_edges(row)
        return outer_point(
            row, (x if u >= 0.0 else -x, y if v >= 0.0 else -y, z if w >= 0.0 else -z)
        )
    across = math.sqrt(u * u + v * v)
    if kind == CONE:
        radius, top, height = cone_sizes(row)
        if top * across + height * w >= radius * across - height * w:
            radius = top
        else:
            height = -height
    else:
        radius, height = cylinder_sizes(row)
        if w < 0.0:
            height = -height
    if across > 1e-300:
        return outer_point(row, (radius * u / across, radius * v / across, height))
    return outer_point(row, (0.0, 0.0, height))


@inner
def half_box(row: Array) -> Vector:
    """Return half the edges of the box around a convex row, along the row's own axes."""
    kind, r = kind_of(row), radius_of(row)
    if kind == BOX:
        return half_edges(row)
    if kind == CAPSULE:
        return r, r, half_length(row) + r
    if kind == CYLINDER:
        radius, half = cylinder_sizes(row)
        return radius, radius, half
    if kind == CONE:
        bottom, top, half = cone_sizes(row)
        wide = max(bottom, top)
        return wide, wide, half
    return r, r, r
