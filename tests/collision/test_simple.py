"""Closed forms of segments, triangles and boxes against searches along the segment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from trimesh.triangles import closest_point

from armwerk.arrays import Array
from armwerk.collision.kernels.separating import triangle_triangle
from armwerk.collision.kernels.simple import (
    point_triangle,
    segment_box,
    segment_segment,
    segment_triangle,
)
from armwerk.collision.kernels.vectors import Vector
from collision_witness import random_rotations

COUNT = 3000


def xyz(point: Array) -> Vector:
    x, y, z = point.tolist()
    return x, y, z


def least(start: Array, way: Array, distance: Callable[[Array], Array]) -> Array:
    """Return the least distance of points on segments to a convex body, by ternary search."""
    low, high = np.zeros(len(start)), np.ones(len(start))
    for _ in range(90):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        left = distance(start + one[:, None] * way) <= distance(start + two[:, None] * way)
        low, high = np.where(left, low, one), np.where(left, two, high)
    return distance(start + ((low + high) / 2)[:, None] * way)


def segments(seed: int) -> tuple[Array, Array, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(COUNT, 3)), rng.normal(size=(COUNT, 3)), rng


@pytest.mark.parametrize("thin", [1.0, 1e-3])
def test_segment_and_triangle(thin: float) -> None:
    """Every corner, side and the inside come out nearest; long thin triangles too."""
    p, d, rng = segments(0)
    corners = rng.normal(size=(COUNT, 3, 3))
    corners[:, 2] = corners[:, 0] + thin * (corners[:, 2] - corners[:, 0])
    wanted = least(p, d, lambda x: np.linalg.norm(closest_point(corners, x) - x, axis=1))
    sides = set()
    for n in range(COUNT):
        t, v, w, square = segment_triangle(
            xyz(p[n]), xyz(d[n]), xyz(corners[n, 0]), xyz(corners[n, 1]), xyz(corners[n, 2])
        )
        assert np.sqrt(square) == pytest.approx(wanted[n], abs=1e-7)
        a, b, c = corners[n]
        place = a + v * (b - a) + w * (c - a)
        assert np.linalg.norm(p[n] + t * d[n] - place) == pytest.approx(np.sqrt(square), abs=1e-9)
        assert min(t, 1 - t, v, w, 1 - v - w) > -1e-9
        sides.add((v > 1e-9, w > 1e-9, v + w < 1 - 1e-9))
    assert len(sides) == 7, "three corners, three sides and the inside"


def test_segment_and_box() -> None:
    p, d, rng = segments(1)
    half = rng.uniform(0.1, 1.0, (COUNT, 3))
    wanted = least(p, d, lambda x: np.linalg.norm(np.maximum(np.abs(x) - half, 0), axis=1))
    for n in range(COUNT):
        _, square = segment_box(xyz(p[n]), xyz(d[n]), xyz(half[n]))
        assert np.sqrt(square) == pytest.approx(wanted[n], abs=1e-7)


@pytest.mark.parametrize("angle", [1.0, 1e-4, 1e-8, 0.0])
def test_segment_and_segment(angle: float) -> None:
    """Also almost parallel ones, and parallel ones that overlap or not."""
    p, d, rng = segments(2)
    q = rng.normal(size=(COUNT, 3))
    e = d * rng.uniform(-2, 2, (COUNT, 1)) + angle * rng.normal(size=(COUNT, 3))

    def off(x: Array) -> Array:
        t = np.clip(np.vecdot(x - q, e) / np.vecdot(e, e), 0, 1)
        return np.asarray(np.linalg.norm(x - q - t[:, None] * e, axis=1))

    wanted = least(p, d, off)
    for n in range(COUNT):
        s, t, square = segment_segment(xyz(p[n]), xyz(d[n]), xyz(q[n]), xyz(e[n]))
        assert np.sqrt(square) == pytest.approx(wanted[n], abs=1e-7)
        assert 0 <= min(s, t) <= max(s, t) <= 1


def test_point_and_triangle() -> None:
    """Of all corners, sides and the inside, by the search of trimesh."""
    p, _, rng = segments(3)
    corners = rng.normal(size=(COUNT, 3, 3))
    wanted = closest_point(corners, p)
    sides = set()
    for n in range(COUNT):
        a, b, c = corners[n]
        v, w, square = point_triangle(xyz(p[n]), xyz(a), xyz(b), xyz(c))
        np.testing.assert_allclose(a + v * (b - a) + w * (c - a), wanted[n], atol=1e-7)
        assert np.sqrt(square) == pytest.approx(np.linalg.norm(wanted[n] - p[n]), abs=1e-9)
        sides.add((v > 1e-9, w > 1e-9, v + w < 1 - 1e-9))
    assert len(sides) == 7, "three corners, three sides and the inside"


def test_triangles_in_one_plane() -> None:
    """Only the normals of their sides within the plane separate them."""
    rng = np.random.default_rng(4)
    edges = np.zeros((8, 3))
    for turn in random_rotations(300, rng):
        flat = np.column_stack([rng.normal(size=(3, 2)), np.zeros(3)])
        a, b, c = flat
        out = np.cross(b - a, (0.0, 0.0, 1.0))
        out *= -np.sign(out @ (c - a)) / np.linalg.norm(out)  # away from the third corner
        along = (b - a) / np.linalg.norm(b - a)
        mirrored = flat - 2.0 * np.outer((flat - a) @ out, out) + rng.uniform(-3, 3) * along
        for gap in (1e-6, 0.3):
            other = mirrored + gap * out
            one, two = (np.ascontiguousarray((t @ turn.T).ravel()) for t in (flat, other))
            assert not triangle_triangle(one, two, 0.0, edges)
            assert not triangle_triangle(two, one, 0.0, edges)
        inside = (0.2 * flat + 0.8 * flat.mean(axis=0)) @ turn.T
        whole = np.ascontiguousarray((flat @ turn.T).ravel())
        assert triangle_triangle(whole, np.ascontiguousarray(inside.ravel()), 0.0, edges)
