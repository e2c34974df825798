"""Triangles of simple solids, from which the example scenes are made; z points up."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.mobile.files.group import MeshGroup, Triangulation

Colour = tuple[float, float, float]


def at(x: float, y: float, z: float = 0.0, turn: float = 0.0) -> Array:
    """Return the matrix that turns about z [rad] and moves. Shape (4, 4)."""
    matrix = np.eye(4)
    c, s = np.cos(turn), np.sin(turn)
    matrix[:2, :2] = [[c, -s], [s, c]]
    matrix[:3, 3] = (x, y, z)
    return matrix


def prism(outline: ArrayLike, low: float, high: float, colour: Colour) -> Triangulation:
    """Return the upright solid over a convex counter-clockwise outline (k, 2)."""
    flat = np.array(outline, dtype=np.float64)
    k = len(flat)
    bottom = np.column_stack([flat, np.full(k, low)])
    top = np.column_stack([flat, np.full(k, high)])
    faces = []
    for i in range(k):
        j = (i + 1) % k
        faces += [(i, j, k + j), (i, k + j, k + i)]
    for i in range(1, k - 1):
        faces += [(0, i + 1, i), (k, k + i, k + i + 1)]
    return Triangulation(np.vstack([bottom, top]), np.array(faces, dtype=np.int64), colour)


@cache  # equal shapes are stored once
def block(x: float, y: float, z: float, colour: Colour) -> Triangulation:
    """Return a cuboid that stands on its middle, by its edges."""
    corners = [(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)]
    return prism(corners, 0.0, z, colour)


@cache  # equal shapes are stored once
def cylinder(radius: float, height: float, colour: Colour, around: int = 24) -> Triangulation:
    """Return an upright cylinder that stands on its middle."""
    angles = 2 * np.pi * np.arange(around) / around
    outline = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return prism(outline, 0.0, height, colour)


@cache  # equal shapes are stored once
def sphere(radius: float, colour: Colour, finer: int = 3) -> Triangulation:
    """Return a sphere around its middle, an icosahedron cut finer a few times."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=finer, radius=radius)
    return Triangulation(
        np.array(ball.vertices, dtype=np.float64), np.array(ball.faces, dtype=np.int64), colour
    )


@cache  # equal shapes are stored once
def ramp(length: float, width: float, height: float, colour: Colour) -> Triangulation:
    """Return a wedge from x = 0, where it is flat on the floor, to x = ``length``."""
    half = width / 2
    vertices = np.array(
        [
            (0, -half, 0),
            (0, half, 0),
            (length, -half, 0),
            (length, half, 0),
            (length, -half, height),
            (length, half, height),
        ],
        dtype=np.float64,
    )
    faces = [(0, 1, 3), (0, 3, 2), (0, 4, 5), (0, 5, 1), (2, 3, 5), (2, 5, 4), (0, 2, 4), (1, 5, 3)]
    return Triangulation(vertices, np.array(faces, dtype=np.int64), colour)


@cache  # equal shapes are stored once
def eye(size: float, colour: Colour) -> Triangulation:
    """Return one upright triangle whose normal is +x: how a sensor is drawn."""
    vertices = np.array([(0, -size / 2, -size / 2), (0, size / 2, -size / 2), (0, 0, size / 2)])
    return Triangulation(vertices, np.array([[0, 1, 2]], dtype=np.int64), colour)


def body(
    name: str, mesh: Triangulation, x: float, y: float, z: float = 0.0, turn: float = 0.0
) -> MeshGroup:
    """Return an object somewhere, turned about z [rad]."""
    return MeshGroup(name, at(x, y, z, turn), mesh)
