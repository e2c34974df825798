"""Contacts and distances of two shapes, against coal and against what distance means."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from armwerk.collision import Region, contact, distance
from armwerk.collision.kernels.pair_contact import touch_many
from armwerk.collision.kernels.pair_distance import gap_many
from armwerk.collision.packing import MeshShelf, row_of, rows_of
from armwerk.collision.scene_arrays import pack_scene
from armwerk.errors import UnsupportedError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Shape, Sphere
from collision_witness import (
    KINDS,
    SHELL,
    coal_distance,
    coal_geometry,
    coal_pose,
    coal_touches,
    cube_mesh,
    one_inside,
    random_rotations,
    random_shape,
)

PAIRS = list(combinations_with_replacement(KINDS, 2))


def many(first: str, second: str, count: int, spread: float) -> tuple[list[Shape], list[Shape]]:
    rng = np.random.default_rng(KINDS.index(first) * 10 + KINDS.index(second))
    one = [random_shape(first, rng, spread) for _ in range(count)]
    return one, [random_shape(second, rng, spread) for _ in range(count)]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_agrees_with_coal(first: str, second: str) -> None:
    meshes = "mesh" in (first, second)
    one, two = many(first, second, 150 if meshes else 600, 0.3)
    shelf = MeshShelf()
    a, b = rows_of(one, shelf), rows_of(two, shelf)
    touching = touch_many(a, b, shelf.tables())
    values, points = gap_many(a, b, shelf.tables())
    assert 0.01 < touching.mean() < 0.99
    assert ((values <= 0) == touching)[np.abs(values) > 1e-9].all()
    for n, (s, t) in enumerate(zip(one, two, strict=True)):
        geometries = coal_geometry(s), coal_pose(s), coal_geometry(t), coal_pose(t)
        value, nearest = coal_distance(*geometries)
        if coal_touches(*geometries) != touching[n]:
            assert abs(value) < SHELL or (touching[n] and one_inside(s, t))
        elif not touching[n]:
            assert values[n] == pytest.approx(value, abs=SHELL)
            flat = all(isinstance(x, Sphere | Mesh) for x in (s, t))
            if flat:  # elsewhere a face may be parallel to a face, and many points are nearest
                assert np.abs(points[n] - nearest).max() < SHELL


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_points_are_on_the_surfaces_and_that_far_apart(first: str, second: str) -> None:
    count = 40 if "mesh" in (first, second) else 200
    one, two = many(first, second, count, 0.35)
    for s, t in zip(one, two, strict=True):
        found = distance(s, t)
        apart = np.linalg.norm(found.point_a - found.point_b)
        assert apart == pytest.approx(abs(found.value), abs=1e-9)
        if found.value > 0:
            assert s.signed_distance(found.point_a) == pytest.approx(0, abs=1e-8)
            assert t.signed_distance(found.point_b) == pytest.approx(0, abs=1e-8)
        else:  # deepest points, or a common one
            assert s.signed_distance(found.point_a) <= 1e-8
            assert t.signed_distance(found.point_b) <= 1e-8


@pytest.mark.parametrize(("first", "second"), [pair for pair in PAIRS if "mesh" not in pair])
def test_depth_is_the_shortest_way_out(first: str, second: str) -> None:
    one, two = many(first, second, 150, 0.12)
    overlapping = [(s, t, distance(s, t)) for s, t in zip(one, two, strict=True)]
    overlapping = [row for row in overlapping if row[2].value < -1e-4]
    assert len(overlapping) > 10
    rng = np.random.default_rng(5)
    for s, t, found in overlapping[:40]:
        way = (found.point_a - found.point_b) / -found.value  # moves t out of s
        pose = np.eye(4)
        pose[:3, 3] = way * (-found.value + 1e-7)
        assert not contact(s, t.moved(pose))
        pose[:3, 3] = way * (-found.value - 1e-7)
        assert contact(s, t.moved(pose))
        for direction in rng.normal(size=(20, 3)):  # no other direction is shorter
            pose[:3, 3] = direction / np.linalg.norm(direction) * (-found.value - 1e-7)
            assert contact(s, t.moved(pose))


@pytest.mark.parametrize("kind", KINDS)
def test_half_space(kind: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(100):
        shape = random_shape(kind, rng)
        plane = HalfSpace(rng.normal(size=3), rng.uniform(-0.2, 0.2, 3))
        found = distance(plane, shape)
        assert plane.signed_distance(found.point_a) == pytest.approx(0, abs=1e-12)
        assert plane.signed_distance(found.point_b) == pytest.approx(found.value, abs=1e-12)
        assert shape.signed_distance(found.point_b) == pytest.approx(0, abs=1e-9)
        low, high = shape.bounds
        points = rng.uniform(low, high, (200, 3))
        assert (plane.signed_distance(points[shape.contains(points)]) >= found.value).all()
        assert contact(shape, plane) == contact(plane, shape) == (found.value <= 0)


def test_touching_counts() -> None:
    box = Box((1, 1, 1))
    assert contact(box, Box((1, 1, 1), (1, 0, 0)))
    assert contact(box, Box((1, 1, 1), (np.nextafter(1.0, 2.0), 0, 0))), "rounding makes such gaps"
    assert not contact(box, Box((1, 1, 1), (1.00000000001, 0, 0)))
    assert contact(box, Sphere(0.25, (0.75, 0, 0)))
    assert not contact(box, Sphere(0.25, (0.7500000001, 0, 0)))
    assert contact(Sphere(0.5), Capsule(0.5, 2.0, (1, 0, 0)))
    assert contact(box, HalfSpace((0, 0, 1), (0, 0, -0.5)))
    assert not contact(box, HalfSpace((0, 0, 1), (0, 0, -0.5000000001)))
    assert contact(box, cube_mesh().moved(Sphere(1, (1, 0, 0)).pose))
    assert contact(cube_mesh(), cube_mesh().moved(Sphere(1, (1, 0.5, 0)).pose))
    assert contact(Cylinder(0.5, 1), Sphere(0.5, (1, 0, 0)))


def test_parallel_edges_do_not_separate() -> None:
    """Cross products of parallel edges are noise and must not be taken for directions."""
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-9, 1e-8, 1e-7):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        for _ in range(200):
            shift = rng.uniform(-0.999, 0.999, 3)
            assert contact(Box((1, 1, 1), (2, 2, 2)), Box((1, 1, 1), shift + 2, turn))


def test_deep_and_concentric() -> None:
    shapes = [
        Box((0.2, 0.2, 0.2)),
        Sphere(0.1),
        Capsule(0.05, 0.2),
        Cylinder(0.1, 0.2),
        Cone(0.1, 0.2),
        cube_mesh(0.2),
    ]
    for s in shapes:
        for t in shapes:
            assert contact(s, t)
            assert distance(s, t).value <= 0
    assert distance(shapes[0], shapes[0]).value == pytest.approx(-0.2)
    assert distance(shapes[1], shapes[1]).value == pytest.approx(-0.2)


def test_two_half_spaces() -> None:
    with pytest.raises(UnsupportedError, match="half-spaces"):
        contact(HalfSpace(), HalfSpace((1, 0, 0)))


@pytest.mark.parametrize("kind", ["box", "capsule", "sphere"])
def test_every_corner_counts_in_a_round_region(kind: str) -> None:
    """The depth within a ball is by the corner farthest from its centre, whichever that is."""
    rng = np.random.default_rng(12)
    shelf = MeshShelf()
    rows, wanted = [], []
    for _ in range(200):
        shape = random_shape(kind, rng)
        rows.append(row_of(shape, shelf))
        own = np.zeros((1, 3))
        if isinstance(shape, Box):
            own = np.array(list(product((-0.5, 0.5), repeat=3))) * shape.size
        elif isinstance(shape, Capsule):
            own = np.array([[0, 0, -0.5], [0, 0, 0.5]]) * shape.length
        corners = own @ shape.rotation.T + shape.position
        radius = shape.radius if isinstance(shape, Sphere | Capsule) else 0.0
        wanted.append(3.0 - np.linalg.norm(corners, axis=1).max() - radius)
    none = np.zeros((0, 2), dtype=np.int64)
    region = pack_scene([], [Region(Sphere(3.0))], none).bodies
    values, _ = gap_many(np.array(rows), np.tile(region, (200, 1)), shelf.tables())
    np.testing.assert_allclose(values, wanted, atol=1e-12)


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_balls_beside_discs(kind: str) -> None:
    """Both discs and the side of a cylinder or blunt cone, by the distance of the centre."""
    rng = np.random.default_rng(13)
    seen = 0
    for _ in range(400):
        radius, length, top = rng.uniform(0.1, 0.5, 3)
        turn = random_rotations(1, rng)[0]
        body: Shape = Cylinder(radius, length, rotation=turn)
        if kind == "cone":
            body = Cone(radius, length, top, rotation=turn)
        place = rng.uniform(-0.8, 0.8, 3)
        away = float(body.signed_distance(place))
        if away > 0.02:
            assert contact(Sphere(away + 1e-9, place), body)
            assert not contact(Sphere(away - 1e-9, place), body)
            seen += 1
    assert seen > 100
