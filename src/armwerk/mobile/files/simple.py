"""Meshes that stand for simple solids: a ball rolls as a sphere, not on facets."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.geometry.shapes import Box, Sphere

_SAME = 1e-4  # share of its size by which a vertex may be off
_AROUND = 12  # corners from which on an outline is meant to be round
_OF_SPHERE = 40  # vertices from which on a mesh is meant to be a sphere


def simplest(mesh: Mesh) -> Shape:
    """Return the sphere, upright cylinder or cuboid that a mesh is drawn as, else the mesh.

    The axes of cylinders and edges of cuboids are those of the mesh's own frame.
    """
    points = mesh.vertices
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = (low + high) / 2, high - low
    near = _SAME * float(size.max())
    away = np.linalg.norm(points - middle, axis=1)
    if len(points) >= _OF_SPHERE and np.ptp(away) < near and np.ptp(size) < 0.02 * size.max():
        return _placed(Sphere(float(away.max()), middle, mesh.name), mesh)
    ends = np.minimum(np.abs(points[:, 2] - low[2]), np.abs(points[:, 2] - high[2])) < near
    if not ends.all():
        return mesh
    if len(points) == 8 and (np.abs(np.abs(points - middle) - size / 2) < near).all():
        return _placed(Box(size, middle, None, mesh.name), mesh)
    flat = points[:, :2] - middle[:2]
    radii = np.linalg.norm(flat, axis=1)
    rim = radii > near  # a cap may have its middle as a vertex
    if rim.sum() >= 2 * _AROUND and np.ptp(radii[rim]) < near and _all_around(flat[rim]):
        return _placed(Cylinder(float(radii.max()), float(size[2]), middle, None, mesh.name), mesh)
    return mesh


def _all_around(flat: Array) -> bool:
    """Whether points go all around the origin, without a gap of more than 45 degrees."""
    angles = np.sort(np.arctan2(flat[:, 1], flat[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return bool(gaps.max() < np.pi / 4)


def _placed(shape: Shape, mesh: Mesh) -> Shape:
    return shape.moved(mesh.pose)
