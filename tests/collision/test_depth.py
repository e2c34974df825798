"""How deep convex bodies overlap: the least support over all directions, by another formula."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from armwerk.collision import contact, distance
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Shape,
    Sphere,
    rotation_exp,
    transform,
)
from collision_witness import random_rotations

Array = NDArray[np.float64]

QUARTER = rotation_exp([np.pi / 2, 0.0, 0.0])


def support(shape: Shape, D: Array) -> Array:
    """How far a shape reaches along directions (m, 3), measured from the origin. Shape (m,)."""
    u, v, w = (D @ shape.rotation).T
    across = np.hypot(u, v)
    middle = D @ shape.position
    if isinstance(shape, Cylinder):
        return np.asarray(middle + shape.radius * across + shape.length / 2 * np.abs(w))
    if isinstance(shape, Cone):
        bottom = shape.radius * across - shape.length / 2 * w
        return np.asarray(
            middle + np.maximum(bottom, shape.top_radius * across + shape.length / 2 * w)
        )
    if isinstance(shape, Box):
        return np.asarray(middle + np.abs(D @ shape.rotation) @ (shape.size / 2))
    if isinstance(shape, Capsule):
        return np.asarray(middle + shape.length / 2 * np.abs(w) + shape.radius)
    assert isinstance(shape, Sphere)
    return np.asarray(middle + shape.radius)


def way_out(a: Shape, b: Shape, D: Array) -> Array:
    """How far the second has to go along directions until both are free. Shape (m,)."""
    return support(a, D) + support(b, -D)


def directions(rng: np.random.Generator, a: Shape, b: Shape) -> Array:
    D = rng.normal(size=(4000, 3))
    D = np.vstack([D, a.rotation.T, -a.rotation.T, b.rotation.T, -b.rotation.T])
    return np.asarray(D / np.linalg.norm(D, axis=1)[:, None])


MAKE: dict[str, Callable[[Array, Array, Array], Shape]] = {
    "cylinder": lambda s, p, R: Cylinder(s[0] / 2, s[1], p, R),
    "cone": lambda s, p, R: Cone(s[0] / 2, s[1], 0.0, p, R),
    "frustum": lambda s, p, R: Cone(s[0] / 2, s[1], s[2] / 3, p, R),
    "box": Box,
    "sphere": lambda s, p, R: Sphere(s[0] / 2, p),
    "capsule": lambda s, p, R: Capsule(s[0] / 3, s[1], p, R),
}


def pair(seed: int, first: str, second: str) -> tuple[Shape, Shape]:
    """Two shapes about one axis, about axes at right angles, or anyhow; centred or beside."""
    rng = np.random.default_rng([seed, len(first), len(second)])
    R, S = random_rotations(2, rng)
    if seed % 3 != 2:
        R, S = np.eye(3), np.eye(3) if seed % 3 == 0 else QUARTER
    off = rng.uniform(-0.1, 0.1, 3)
    if seed % 3 == 0:
        off *= np.array([(0, 0, 1), (1, 0, 0), (0, 0, 0), (1, 1, 1)][seed // 3 % 4])
    one, two = rng.uniform(0.05, 0.4, (2, 3))
    return MAKE[first](one, np.zeros(3), R), MAKE[second](two, off, S)


@pytest.mark.parametrize("second", sorted(MAKE))
@pytest.mark.parametrize("first", ["cone", "cylinder", "frustum"])
def test_the_depth_is_the_least_way_out_and_the_same_from_either_side(
    first: str, second: str
) -> None:
    deep = 0
    for seed in range(36):
        a, b = pair(seed, first, second)
        found, turned = distance(a, b), distance(b, a)
        assert found.value == turned.value
        assert (found.point_a == turned.point_b).all()
        if found.value >= -1e-6:
            continue
        deep += 1
        rng = np.random.default_rng(seed)
        D = directions(rng, a, b)
        heights = way_out(a, b, D)
        assert -found.value <= heights.min() + 1e-9
        way = found.point_a - found.point_b
        length = float(np.linalg.norm(way))
        assert length == pytest.approx(-found.value, abs=2e-8)
        # a direction close to it frees the bodies by no more
        close = way / length + rng.normal(size=(3000, 3)) * 10.0 ** rng.uniform(-8, -1, (3000, 1))
        close = np.vstack([way / length, close / np.linalg.norm(close, axis=1)[:, None]])
        assert way_out(a, b, close).min() <= -found.value + 1e-6
        # both points belong to their bodies
        assert a.signed_distance(found.point_a) == pytest.approx(0.0, abs=1e-6)
        assert b.signed_distance(found.point_b) == pytest.approx(0.0, abs=1e-6)
    assert deep > 20


def least_way_out(a: Shape, b: Shape, rng: np.random.Generator) -> float:
    """The least of all directions, and of more and more closely drawn ones around the best."""
    D = directions(rng, a, b)
    ways = way_out(a, b, D)
    best = D[np.argmin(ways)]
    for radius in 0.1 * 0.6 ** np.arange(36):
        D = np.vstack([best, best + radius * rng.normal(size=(1000, 3))])
        D /= np.linalg.norm(D, axis=1)[:, None]
        best = D[np.argmin(way_out(a, b, D))]
    return float(way_out(a, b, best[None])[0])


@pytest.mark.parametrize("small", [0.1, 1e-2])
def test_a_small_body_in_a_large_one_is_as_deep_as_its_least_way_out(small: float) -> None:
    names = ("cylinder", "cone", "frustum")
    rng = np.random.default_rng(int(1 / small))
    for number in range(200):
        R, S = random_rotations(2, rng)
        one, two = rng.uniform(0.05, 0.4, (2, 3))
        large = MAKE[names[number % 3]](one, np.zeros(3), R)
        little = MAKE[names[number // 3 % 3]](small * two, small * rng.uniform(-0.1, 0.1, 3), S)
        found = distance(large, little).value
        if found < 0.0:
            assert -found <= least_way_out(large, little, rng) + 1e-8


@pytest.mark.parametrize("shift", [0.0, 1e-9, 0.02, 0.13])
def test_cylinders_on_one_axis_have_the_depth_of_the_formula(shift: float) -> None:
    for R in (np.eye(3), QUARTER, rotation_exp([0.3, -0.7, 1.1])):
        a = Cylinder(0.05, 0.3, rotation=R)
        b = Cylinder(0.08, 0.25, position=R @ np.array([0.0, 0.0, shift]), rotation=R)
        expected = min(0.05 + 0.08, 0.15 + 0.125 - shift)
        assert distance(a, b).value == pytest.approx(-expected, abs=1e-10)
        ball = Sphere(0.04, R @ np.array([0.0, 0.0, shift]))
        expected = min(0.05 + 0.04, 0.15 - shift + 0.04)
        assert distance(a, ball).value == pytest.approx(-expected, abs=1e-10)
        assert distance(ball, a).value == distance(a, ball).value


def test_a_cone_on_the_axis_of_another_has_the_depth_of_the_formula() -> None:
    """Out sideways by both slopes, along the common normal, or out at an end."""
    for top in (0.0, 0.03):
        a, b = Cone(0.1, 0.3, top), Cone(0.1, 0.3, top, position=(0.0, 0.0, 0.05))
        slope = np.array([0.3, 0.1 - top]) / np.hypot(0.3, 0.1 - top)  # across, along
        angles = np.linspace(-np.pi / 2, np.pi / 2, 400_001)
        D = np.column_stack([np.cos(angles), 0 * angles, np.sin(angles)])
        D = np.vstack([D, [(slope[0], 0.0, slope[1])]])
        expected = float(min(way_out(a, b, D).min(), way_out(a, b, -D).min()))
        assert distance(a, b).value == pytest.approx(-expected, abs=1e-9)


def cored(surface: Shape, at: Array, rng: np.random.Generator) -> Shape:
    """A sphere or a capsule whose middle or end is at a point of a surface, and points outwards."""
    out = at / np.linalg.norm(at) + 0.2 * rng.normal(size=3)
    if rng.random() < 0.5 or surface.signed_distance(at + 1e-3 * out) < 1e-6:
        return Sphere(0.07, at)
    return Capsule.between(at, at + 0.3 * out, 0.07)


ON_SURFACES = {
    "box": (Box((1.0, 0.8, 0.6)), [(0, 0, 0.3), (0.5, 0.1, 0.1), (0.5, 0.4, 0), (0.5, 0.4, 0.3)]),
    "cylinder": (Cylinder(0.5, 1.0), [(0, 0, 0.5), (0.5, 0, 0), (0.3, 0.4, 0.2), (0, 0.5, 0.5)]),
    "cone": (Cone(0.5, 1.0), [(0, 0, 0.5), (0.25, 0, 0), (0.15, 0.2, 0), (0.3, 0.4, -0.5)]),
    "frustum": (Cone(0.5, 1.0, 0.2), [(0, 0, 0.5), (0.35, 0, 0), (0.2, 0, 0.5), (0, -0.5, -0.5)]),
}


@pytest.mark.parametrize("kind", ON_SURFACES)
@pytest.mark.parametrize("inside", [0.0, 1e-15, 3e-9])
def test_a_ball_about_a_point_of_a_surface_is_freed_by_its_radius(kind: str, inside: float) -> None:
    rng = np.random.default_rng(len(kind))
    surface, points = ON_SURFACES[kind]
    for turn in (np.eye(3), QUARTER, rotation_exp([0.3, -0.7, 1.1])):
        pose = transform(turn, turn[0])
        for at in np.array(points, dtype=float):
            for _ in range(4):
                ball = cored(surface, (1.0 - inside) * at, rng).moved(pose)
                large = surface.moved(pose)
                found = distance(large, ball)
                way = found.point_a - found.point_b
                assert found.value == pytest.approx(-0.07, abs=1e-8)
                assert np.linalg.norm(way) == pytest.approx(-found.value, abs=1e-8)
                freed = way_out(large, ball, way[None] / np.linalg.norm(way))
                assert freed[0] == pytest.approx(-found.value, abs=1e-5)
                assert large.signed_distance(found.point_a) == pytest.approx(0.0, abs=1e-7)
                assert ball.signed_distance(found.point_b) == pytest.approx(0.0, abs=1e-7)


def test_a_ball_on_the_axis_of_a_capsule_is_freed_across_it() -> None:
    rng = np.random.default_rng(0)
    for turn in random_rotations(30, rng):
        rod = Capsule(0.05, 0.4, turn[0], turn)
        ball = Sphere(0.03, rod.position + rng.choice([0.0, 0.1, -0.2]) * turn[:, 2])
        found = distance(rod, ball)
        assert found.value == pytest.approx(-0.08, abs=1e-12)
        way = (found.point_a - found.point_b) / -found.value
        assert way_out(rod, ball, way[None])[0] == pytest.approx(0.08, abs=1e-9)


def farthest(shape: Shape, d: Array) -> Array:
    """The point of a box, cylinder or cone that is farthest along a direction of no symmetry."""
    local = d @ shape.rotation
    if isinstance(shape, Box):
        return shape.position + shape.rotation @ (np.sign(local) * shape.size / 2)
    assert isinstance(shape, Cylinder | Cone)
    out = np.array([*local[:2], 0.0]) / np.hypot(*local[:2])
    up = np.array([0.0, 0.0, shape.length / 2])
    top = shape.radius if isinstance(shape, Cylinder) else shape.top_radius
    ends = np.array([top * out + up, shape.radius * out - up])
    return np.asarray(shape.position + shape.rotation @ ends[np.argmax(ends @ local)])


def test_a_small_gap_between_flat_and_round_is_found_to_rounding() -> None:
    """The gap lies between the farthest points of both, along the direction they are that of."""
    rng = np.random.default_rng(4)
    for number in range(3000):
        R, S = random_rotations(2, rng)
        one, two = rng.uniform(0.05, 0.4, (2, 3))
        box = MAKE["box"](one, np.zeros(3), R)
        kind = ("cylinder", "cone", "frustum")[number % 3]
        other = MAKE[kind](two, np.zeros(3), S)
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        gap = 10.0 ** rng.uniform(-10, -5)
        between = farthest(box, d) + gap * d - farthest(other, -d)
        other = other.moved(transform(np.eye(3), between))
        assert distance(box, other).value == pytest.approx(gap, abs=2e-9)
        assert not contact(box, other)
