"""Exact distances along rays to the surfaces of shapes."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.geometry.shapes import Box, HalfSpace, Sphere

_EDGE = 1e-12  # by which a ray may miss a triangle and still hit the edge between two
_STEPS, _REACHED, _FARTHEST = 2000, 1e-10, 1e5  # of the way to shapes without a formula
_ALONG = 1e-15  # of a direction: a ray runs along a plane


def ray_shape(origin: Array, direction: Array, shape: Shape) -> float:
    """Return how far along a ray the surface of a shape is met [m]; infinite: never.

    Args:
        origin: In the frame of the shape's holder [m]. Shape (3,).
        direction: Unit vector. Shape (3,).
        shape: Surfaces are met from either side.
    """
    o = shape.rotation.T @ (origin - shape.position)
    d = shape.rotation.T @ direction
    if isinstance(shape, Mesh):
        return ray_triangles(o, d, shape.triangles)
    if isinstance(shape, Sphere):
        return _first(_sphere(o, d, shape.radius))
    if isinstance(shape, Box):
        return _box(o, d, shape.size / 2)
    if isinstance(shape, Cylinder):
        return _first(_cylinder(o, d, shape.radius, shape.length))
    if isinstance(shape, HalfSpace):
        return _first([-o[2] / d[2]] if abs(d[2]) > _ALONG else [])
    return _march(o, d, shape)


def ray_triangles(origin: Array, direction: Array, corners: Array) -> float:
    """Return how far along a ray the first of some triangles is met [m].

    Möller and Trumbore (1997); triangles along the ray are not met.

    Args:
        origin: Shape (3,).
        direction: Unit vector. Shape (3,).
        corners: Shape (m, 3, 3).
    """
    first = corners[:, 0]
    one, two = corners[:, 1] - first, corners[:, 2] - first
    across = np.cross(direction, two)
    size = np.vecdot(one, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = origin - first
        u = np.vecdot(away, across) / size
        turned = np.cross(away, one)
        v = turned @ direction / size
        distance = np.vecdot(two, turned) / size
        hit = (u >= -_EDGE) & (v >= -_EDGE) & (u + v <= 1 + _EDGE) & (distance >= 0)
    return float(distance[hit].min(initial=np.inf))


def _march(o: Array, d: Array, shape: Shape) -> float:
    """Go along a ray by the distance to the surface until it is reached: exact for any shape."""
    place = 0.0
    for _ in range(_STEPS):
        away = abs(float(shape.own_distance(o + place * d)))
        if away < _REACHED:
            return place
        place += away
        if place > _FARTHEST:
            break
    return np.inf


def _first(places: list[float]) -> float:
    return min((place for place in places if place >= 0), default=np.inf)


def _sphere(o: Array, d: Array, radius: float) -> list[float]:
    middle = float(-o @ d)
    square = radius**2 - float(o @ o) + middle**2
    return [] if square < 0 else [middle - float(np.sqrt(square)), middle + float(np.sqrt(square))]


def _box(o: Array, d: Array, half: Array) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-half - o) / d, (half - o) / d
    beside = (np.abs(d) <= _ALONG) & (np.abs(o) > half)
    if beside.any():
        return np.inf
    along = np.abs(d) > _ALONG
    near = float(np.minimum(one, two)[along].max())
    far = float(np.maximum(one, two)[along].min())
    return _first([near, far]) if near <= far else np.inf


def _cylinder(o: Array, d: Array, radius: float, length: float) -> list[float]:
    """Return where a ray meets an upright cylinder around the origin."""
    places: list[float] = []
    a = float(d[:2] @ d[:2])
    if a > _ALONG:
        b, c = float(o[:2] @ d[:2]), float(o[:2] @ o[:2]) - radius**2
        square = b * b - a * c
        if square >= 0:
            for sign in (-1.0, 1.0):
                t = (-b + sign * float(np.sqrt(square))) / a
                if abs(o[2] + t * d[2]) <= length / 2:
                    places.append(t)
    if abs(d[2]) > _ALONG:
        for end in (-length / 2, length / 2):
            t = float((end - o[2]) / d[2])
            across = o[:2] + t * d[:2]
            if float(across @ across) <= radius**2:
                places.append(t)
    return places
