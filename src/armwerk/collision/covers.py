"""Covers: simple shapes that contain a complicated one, proved by its corners.

A capsule is convex. It contains a closed mesh when it contains all its corners, because the solid
lies in their convex hull. A mesh may be cut across into slabs first: what is inside a slab lies in
the hull of its corners there and of the points where its edges cross the cuts.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape

_SLACK = 1e-9  # by which a cover is larger than needed: more than all rounding on the way
_MOST_PIECES = 3
_WORTH = 0.75  # share of the volume that a further cut must not exceed


@lru_cache(maxsize=1024)
def covers(shape: Shape) -> tuple[Shape, ...]:
    """Return capsules that together contain a shape; none when it needs no cover itself.

    Boxes, spheres and capsules are tested as quickly as any cover.
    """
    if isinstance(shape, Cylinder):
        return (Capsule(shape.radius * (1 + _SLACK), shape.length, shape.position, shape.rotation),)
    if isinstance(shape, Cone):
        angles = np.arange(16) * np.pi / 8
        ring = np.column_stack([np.cos(angles), np.sin(angles)]) / np.cos(np.pi / 16)
        half = shape.length / 2
        rings = [
            np.column_stack([radius * ring, np.full(16, z)])
            for radius, z in ((shape.radius, -half), (shape.top_radius, half))
        ]
        return (capsule_around(np.concatenate(rings)).moved(shape.pose),)
    if isinstance(shape, Mesh):
        own = Mesh(shape.vertices, shape.faces)  # the search is for the mesh, whatever its pose
        return tuple(cover.moved(shape.pose) for cover in _mesh_covers(own))
    return ()


def box_around(mesh: Mesh) -> Box:
    """Return a box that contains a mesh, along its principal axes."""
    corners = mesh.vertices[np.unique(mesh.faces)]
    boxes = [_oriented_box(corners, axes) for axes in (np.eye(3), _principal_axes(corners))]
    return min(boxes, key=lambda box: box.volume).moved(mesh.pose)


def _oriented_box(corners: Array, axes: Array) -> Box:
    """Return the smallest box along given axes (columns) that contains points (n, 3)."""
    along = corners @ axes
    low, high = along.min(axis=0), along.max(axis=0)
    return Box((high - low) * (1 + _SLACK) + 1e-12, axes @ ((low + high) / 2), axes)


@lru_cache(maxsize=1024)
def _mesh_covers(mesh: Mesh) -> list[Capsule]:
    corners = mesh.vertices[np.unique(mesh.faces)]
    best = [capsule_around(corners)]
    axis = best[0].rotation[:, 2]
    for pieces in range(2, _MOST_PIECES + 1):
        cut = [capsule_around(points) for points in _slabs(mesh, axis, pieces)]
        if sum(c.volume for c in cut) < _WORTH * sum(c.volume for c in best):
            best = cut
    return best


def _slabs(mesh: Mesh, axis: Array, pieces: int) -> list[Array]:
    """Return the points that span a mesh between equally spaced cuts across an axis."""
    heights = mesh.vertices @ axis
    ends = np.unique(np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    used = np.unique(mesh.faces)
    levels = np.linspace(heights[used].min(), heights[used].max(), pieces + 1)
    cuts: list[Array] = []
    for level in levels[1:-1]:
        low, high = heights[ends[:, 0]], heights[ends[:, 1]]
        crossing = (low - level) * (high - level) < 0
        share = ((level - low) / np.where(crossing, high - low, 1.0))[crossing, None]
        start, end = mesh.vertices[ends[crossing, 0]], mesh.vertices[ends[crossing, 1]]
        cuts.append(start + share * (end - start))
    empty = np.zeros((0, 3))
    edges = [empty, *cuts, empty]
    slabs = []
    for n in range(pieces):
        inside = (heights[used] >= levels[n]) & (heights[used] <= levels[n + 1])
        slabs.append(np.concatenate([mesh.vertices[used[inside]], edges[n], edges[n + 1]]))
    return slabs


def capsule_around(points: Array) -> Capsule:
    """Return a small capsule that contains points (n, 3), in their coordinates."""
    corners = _hull_corners(points)
    return _proved(points, _refined(corners, _first_capsule(corners)))


def _first_capsule(corners: Array) -> Capsule:
    middles = (corners.mean(axis=0), (corners.min(axis=0) + corners.max(axis=0)) / 2)
    tried = [_along(corners, axis, p) for axis in _principal_axes(corners).T for p in middles]
    return min(tried, key=lambda capsule: capsule.volume)


def _proved(points: Array, found: Capsule) -> Capsule:
    """Return a capsule made larger until no point is outside, on the finished numbers."""
    reach = found.radius + float(found.signed_distance(points).max())
    radius = max(found.radius, reach) * (1 + _SLACK) + 1e-12
    return Capsule(radius, found.length, found.position, found.rotation)


def _refined(points: Array, start: Capsule) -> Capsule:
    """Turn and shift the axis of a capsule as long as it gets smaller."""
    from scipy.optimize import minimize

    frame, origin, size = start.rotation, start.position, start.radius

    def line(x: Array) -> tuple[Array, Array]:
        axis = frame @ np.array([x[0], x[1], 1.0])
        return axis, origin + frame @ np.array([x[2] * size, x[3] * size, 0.0])

    def volume(x: Array) -> float:
        low, high, radius = _needed(points, *line(x))
        return float(radius**2 * (high - low + 4 / 3 * radius))

    found = minimize(
        volume,
        np.zeros(4),
        method="Nelder-Mead",
        options={
            "maxfev": 120,
            "xatol": 1e-3,
            "fatol": 1e-3 * volume(np.zeros(4)),
            "initial_simplex": np.concatenate([np.zeros((1, 4)), 0.15 * np.eye(4)]),
        },
    )
    better = _along(points, *line(found.x))
    return better if better.volume < start.volume else start


def _needed(points: Array, axis: Array, middle: Array) -> tuple[float, float, float]:
    """Return from where to where a capsule about a line must go, and its radius."""
    across = points - middle
    along = across @ axis / np.sqrt(axis @ axis)
    square = np.maximum(np.einsum("ij,ij->i", across, across) - along**2, 0.0)
    most = square.max()
    room = np.sqrt(most - square)
    low, high = float((along + room).min()), float((along - room).max())
    if low > high:  # round caps alone would do: a ball about the point between
        low = high = (low + high) / 2
        most = (square + (along - low) ** 2).max()
    return low, high, float(np.sqrt(most))


def _along(points: Array, axis: Array, middle: Array) -> Capsule:
    """Return the smallest capsule about an axis through a point that contains all points."""
    low, high, radius = _needed(points, axis, middle)
    axis = axis / np.linalg.norm(axis)
    if high - low < 1e-6 * radius:
        return Capsule(radius + high - low, 0.0, middle + low * axis)
    return Capsule.between(middle + low * axis, middle + high * axis, radius)


def _principal_axes(points: Array) -> Array:
    """Return the principal axes of points as columns of a rotation. Shape (3, 3)."""
    spread = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(spread.T @ spread)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return np.asarray(axes)


def _hull_corners(points: Array) -> Array:
    """Return the corners of the convex hull; all points when there is none."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 50:
        return points
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return points
