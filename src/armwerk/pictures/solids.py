"""Solids as lists of flat faces, wound so that the normals point outwards.

Long solids are cut into short rings: the painter sorts faces by distance, which is only right
for faces that are small beside the gaps between the bodies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array

Faces = list[Array]  # each of shape (k, 3), world [m]

SIDES = 20  # of what is drawn round


def frame_along(direction: ArrayLike, hint: ArrayLike | None = None) -> Array:
    """Return a right-handed frame whose z axis is ``direction``; columns x, y, z.

    Args:
        direction: Not zero. Shape (3,).
        hint: Where x should point, as far as it can; None: any.
    """
    z = np.asarray(direction, dtype=np.float64)
    z = z / np.linalg.norm(z)
    x = np.zeros(3) if hint is None else np.asarray(hint, dtype=np.float64)
    x = x - (x @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _lofted(rings: Array) -> Faces:
    """Return the closed body through rings of points. Shape (rings, sides, 3)."""
    after = np.roll(rings, -1, axis=1)
    quads = np.stack([rings[:-1], after[:-1], after[1:], rings[1:]], axis=2)
    return [rings[0][::-1], *quads.reshape(-1, 4, 3), rings[-1]]


def _ring(sides: int, turn: float = 0.0) -> Array:
    angles = turn + 2 * np.pi * np.arange(sides) / sides
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])


def cylinder(
    start: ArrayLike, end: ArrayLike, radius: float, tip: float | None = None, sides: int = SIDES
) -> Faces:
    """Return a cylinder, or a cone's frustum when the radius at its end, ``tip``, differs."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    if length < 1e-9:
        return []
    frame = frame_along(end - start)
    pieces = max(1, min(40, round(length / (1.5 * radius))))
    along = np.linspace(0.0, 1.0, pieces + 1)[:, None, None]
    radii = radius + ((radius if tip is None else tip) - radius) * along
    return _lofted(start + along * (end - start) + radii * (_ring(sides) @ frame.T))


def sphere(centre: ArrayLike, radius: float, sides: int = 16) -> Faces:
    """Return a ball."""
    around = sides // 2
    polar = np.linspace(0.06, np.pi - 0.06, around + 1)[:, None, None]
    circle = _ring(sides)
    up = np.array([0.0, 0.0, 1.0])
    return _lofted(np.asarray(centre) + radius * (np.sin(polar) * circle - np.cos(polar) * up))


def beam(start: ArrayLike, end: ArrayLike, width: float, hint: ArrayLike | None = None) -> Faces:
    """Return a bar of square section, ``width`` wide, with a side towards ``hint``."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    if length < 1e-9:
        return []
    frame = frame_along(end - start, hint)
    pieces = max(1, min(40, round(length / width)))
    along = np.linspace(0.0, 1.0, pieces + 1)[:, None, None]
    square = _ring(4, np.pi / 4) * width / np.sqrt(2)
    return _lofted(start + along * (end - start) + square @ frame.T)


def arrow(start: ArrayLike, end: ArrayLike, radius: float) -> Faces:
    """Return an arrow from ``start`` to ``end`` with a shaft of ``radius``."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    neck = end - (end - start) * 0.32
    return [
        *cylinder(start, neck, radius, sides=10),
        *cylinder(neck, end, 2.4 * radius, tip=1e-3 * radius, sides=12),
    ]


def plate(centre: ArrayLike, normal: ArrayLike, radius: float, thickness: float) -> Faces:
    """Return a round plate whose top lies at ``centre``."""
    centre = np.asarray(centre, dtype=np.float64)
    down = np.asarray(normal, dtype=np.float64) * thickness
    frame = frame_along(normal)
    ring = _ring(2 * SIDES) @ frame.T
    return _lofted(np.stack([centre - down + radius * ring, centre + radius * ring]))
