"""Shapes: volume and distance by sampling, bounds by support points, and refused descriptions."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import armwerk.geometry as g
from armwerk.errors import DescriptionError, UnsupportedError

POSITION = np.array([0.3, -0.2, 0.5])
TURN = g.rotation_from_zyx([0.4, -0.7, 1.1])
POSED: dict[str, Any] = {"position": POSITION, "rotation": TURN, "name": "it"}
TETRAHEDRON = (
    [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]],
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
)


def l_block() -> tuple[np.ndarray, np.ndarray]:
    """An L-shaped prism, which is not convex: (0,0)-(2,0)-(2,1)-(1,1)-(1,2)-(0,2), height 1."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    vertices = np.vstack([np.c_[outline, np.zeros(6)], np.c_[outline, np.ones(6)]])
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    bottom = [(a, c, b) for a, b, c in caps]
    top = [(a + 6, b + 6, c + 6) for a, b, c in caps]
    sides = [(i, (i + 1) % 6, i + 6) for i in range(6)]
    sides += [((i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    return vertices, np.array(bottom + top + sides)


SOLIDS: dict[str, g.Shape] = {
    "box": g.Box(size=(0.4, 0.6, 1.0), **POSED),
    "sphere": g.Sphere(radius=0.5, position=POSITION, name="it"),
    "cylinder": g.Cylinder(radius=0.3, length=0.8, **POSED),
    "cone": g.Cone(radius=0.5, length=0.8, **POSED),
    "stump": g.Cone(radius=0.2, length=0.8, top_radius=0.5, **POSED),
    "upside down": g.Cone(radius=0.0, length=0.8, top_radius=0.5, **POSED),
    "capsule": g.Capsule(radius=0.3, length=0.8, **POSED),
    "tetrahedron": g.Mesh(*TETRAHEDRON, **POSED),
    "l block": g.Mesh(*l_block(), **POSED),
}
each_solid = pytest.mark.parametrize("shape", SOLIDS.values(), ids=SOLIDS.keys())


def samples(shape: g.Shape, n: int) -> np.ndarray:
    low, high = shape.bounds
    return np.random.default_rng(1).uniform(low - 0.1, high + 0.1, (n, 3))


@each_solid
def test_volume_is_the_share_of_points_inside(shape: g.Shape) -> None:
    points = samples(shape, 20_000)
    low, high = shape.bounds
    box = np.prod(high - low + 0.2)
    share = shape.contains(points).mean()
    deviation = np.sqrt(share * (1 - share) / len(points))
    assert shape.volume / box == pytest.approx(share, abs=4 * deviation)


@each_solid
def test_bounds_touch_the_shape_on_all_six_sides(shape: g.Shape) -> None:
    """The support of a convex body is found by pushing a far plane until it touches."""
    low, high = shape.bounds
    points = samples(shape, 20_000)
    inside = points[shape.contains(points)]
    assert (inside >= low).all()
    assert (inside <= high).all()
    for axis, side in np.ndindex(3, 2):
        # The distance from far away in one direction tends to the distance of the plane.
        far = 1e6
        target = inside.mean(axis=0)
        target[axis] = shape.bounds[side, axis] + (far if side else -far)
        assert shape.signed_distance(target) == pytest.approx(far, abs=1e-5)


@each_solid
def test_distance_is_the_radius_of_the_largest_free_ball(shape: g.Shape) -> None:
    """No point of the other kind is nearer than the distance, and some point is as near."""
    points = samples(shape, 4000)
    distance = shape.signed_distance(points)
    rng = np.random.default_rng(2)
    ways = rng.normal(size=points.shape)
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    within = points + 0.999999 * np.abs(distance)[:, None] * ways
    assert (shape.contains(within) == (distance <= 0)).all()
    steps = 1e-6 * np.vstack([np.eye(3), -np.eye(3)])
    around = shape.signed_distance(points[:, None] + steps)
    gradient = (around[:, :3] - around[:, 3:]) / 2e-6
    # On the medial axis the gradient is undefined; elsewhere the distance has slope 1.
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1) < 1e-6
    assert smooth.mean() > 0.999
    foot = points - distance[:, None] * gradient
    assert np.abs(shape.signed_distance(foot[smooth])).max() < 1e-6


@each_solid
def test_moving_shape_and_point_keeps_the_distance(shape: g.Shape) -> None:
    T = g.transform_from_pose([1, -2, 0.5, 0.3, 0.2, -0.9])
    points = samples(shape, 200)
    moved = shape.moved(T)
    assert moved.signed_distance(g.transform_points(T, points)) == pytest.approx(
        shape.signed_distance(points), abs=1e-14
    )
    assert moved.pose == pytest.approx(T @ shape.pose, abs=1e-15)
    assert moved.volume == pytest.approx(shape.volume)
    assert moved.name == shape.name


def test_volumes_by_formula() -> None:
    assert g.Box((1, 2, 3)).volume == pytest.approx(6)
    assert g.Sphere(2).volume == pytest.approx(32 / 3 * np.pi)
    assert g.Cylinder(2, 3).volume == pytest.approx(12 * np.pi)
    assert g.Cone(2, 3).volume == pytest.approx(4 * np.pi)
    assert g.Cone(2, 3, 2).volume == pytest.approx(12 * np.pi)
    assert g.Capsule(2, 3).volume == pytest.approx(12 * np.pi + 32 / 3 * np.pi)
    assert g.Mesh(*TETRAHEDRON).volume == pytest.approx(1)
    assert g.Mesh(*l_block(), position=(1e6, 0, 0)).volume == pytest.approx(3, abs=1e-12)
    assert g.HalfSpace().volume == np.inf


def test_distances_by_hand() -> None:
    box = g.Box((2, 4, 6))
    assert box.signed_distance([[0.0, 0, 0], [4.0, 0, 0], [4.0, 6, 0], [0.9, 0, 0]]).tolist() == (
        pytest.approx([-1, 3, 5, -0.1])
    )
    cylinder = g.Cylinder(1, 2)
    assert cylinder.signed_distance([[4.0, 0, 5], [0, 0, 0.9], [0.95, 0, 0]]) == pytest.approx(
        [5, -0.1, -0.05]
    )
    assert g.Capsule(1, 2).signed_distance([[3, 0, 5], [0, 0, 0]]) == pytest.approx([4, -1])
    cone = g.Cone(3, 4)  # half angle with sin 3/5, tip at z = 2
    assert cone.signed_distance([[0, 0, 3], [0, 0, -3], [0, 0, 0]]) == pytest.approx([1, 1, -1.2])


def test_capsule_against_the_nearest_point_of_its_segment() -> None:
    capsule = g.Capsule.between([0.1, 0.2, 0.3], [-0.4, 0.5, 0.9], 0.15)
    a, b = capsule.ends
    for point in np.random.default_rng(3).normal(size=(20, 3)):
        near = minimize_scalar(
            lambda s, p=point: np.linalg.norm(a + s * (b - a) - p),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-10},
        ).fun
        assert capsule.signed_distance(point) == pytest.approx(near - 0.15, abs=1e-8)


@pytest.mark.parametrize("end", [(1, 2, 3), (0, 0, 2), (0, 0, -2), (1e-9, 0, -2)])
def test_round_shapes_between_two_points(end: tuple[float, float, float]) -> None:
    start = np.array([0.5, -0.5, 0.25])
    tip = start + end
    size = np.linalg.norm(end)
    for shape in (
        g.Cylinder.between(start, tip, 0.1),
        g.Cone.between(start, tip, 0.1, 0.2),
        g.Capsule.between(start, tip, 0.1),
    ):
        assert shape.length == pytest.approx(size)
        low, high = np.array([0, 0, -size / 2]), np.array([0, 0, size / 2])
        assert g.transform_points(shape.pose, low) == pytest.approx(start, abs=1e-14)
        assert g.transform_points(shape.pose, high) == pytest.approx(tip, abs=1e-14)
    cone = g.Cone.between(start, tip, 0.1, 0.2)
    assert cone.signed_distance(start + 0.01 * np.array(end)) == pytest.approx(
        -0.01 * size, abs=1e-9
    )


def test_half_space() -> None:
    plane = g.HalfSpace(normal=(0, 0, 2), position=(5, 5, 0.5), name="floor")
    assert plane.normal.tolist() == [0, 0, 1]
    assert plane.offset == 0.5
    assert plane.signed_distance([[9, 9, 2], [1, 1, 0]]).tolist() == [1.5, -0.5]
    assert plane.bounds.tolist() == [[-np.inf] * 3, [np.inf, np.inf, 0.5]]
    assert g.HalfSpace((0, -1, 0)).bounds[0].tolist() == [-np.inf, 0, -np.inf]
    assert np.isinf(g.HalfSpace((0, 1, 1)).bounds).all()
    assert g.transform_points(plane.pose, [0, 0, 1]) == pytest.approx([5, 5, 1.5])
    T = g.transform_from_pose([1, -2, 0.5, 0.3, 0.2, -0.9])
    points = np.random.default_rng(4).normal(size=(50, 3))
    assert plane.moved(T).signed_distance(g.transform_points(T, points)) == pytest.approx(
        plane.signed_distance(points), abs=1e-14
    )


def test_half_space_through_three_points_is_solid_behind_them() -> None:
    plane = g.HalfSpace.through([0, 0, 1], [1, 0, 1], [0, 1, 1])
    assert plane.normal.tolist() == [0, 0, 1]
    assert plane.contains([0, 0, 0])
    with pytest.raises(DescriptionError, match="halfspace 'wall': three points on one line"):
        g.HalfSpace.through([0, 0, 0], [1, 1, 1], [2, 2, 2], "wall")


def test_box_corners() -> None:
    box = g.Box((2, 4, 6), **POSED)
    assert box.signed_distance(box.corners) == pytest.approx(np.zeros(8), abs=1e-14)
    assert len(np.unique(box.corners.round(9), axis=0)) == 8
    assert g.Box((2, 4, 6)).corners[[0, 1, 2, 4]].tolist() == [
        [-1, -2, -3],
        [1, -2, -3],
        [-1, 2, -3],
        [-1, -2, 3],
    ]


def test_open_mesh_has_bounds_but_no_inside() -> None:
    vertices, faces = TETRAHEDRON
    sheet = g.Mesh(vertices, faces[1:], name="sheet")
    assert not sheet.is_closed
    assert sheet.bounds.tolist() == [[0, 0, 0], [1, 2, 3]]
    with pytest.raises(UnsupportedError, match="mesh 'sheet' has no volume: it is not closed"):
        _ = sheet.volume
    with pytest.raises(UnsupportedError, match="mesh 'sheet' has no inside"):
        sheet.contains([0, 0, 0])
    turned = [faces[0][::-1], *faces[1:]]
    assert not g.Mesh(vertices, turned).is_closed
    assert g.Mesh(vertices, [face[::-1] for face in faces]).volume == pytest.approx(-1)


def test_mesh_agrees_with_the_box_it_covers() -> None:
    box = g.Box((1, 2, 3), **POSED)
    faces = [[0, 3, 1], [0, 2, 3], [0, 1, 5], [0, 5, 4], [1, 3, 7], [1, 7, 5]]
    faces += [[3, 2, 6], [3, 6, 7], [2, 0, 4], [2, 4, 6], [4, 5, 7], [4, 7, 6]]
    mesh = g.Mesh(box.corners, faces)
    points = samples(box, 2000)
    assert mesh.is_closed
    assert mesh.signed_distance(points) == pytest.approx(box.signed_distance(points), abs=1e-14)
    turned = g.Mesh(box.corners, [face[::-1] for face in faces])  # normals that point inwards
    assert turned.signed_distance(points) == pytest.approx(box.signed_distance(points), abs=1e-14)


def test_data_is_frozen_and_compares() -> None:
    size = np.array([1.0, 2.0, 3.0])
    box = g.Box(size, name="table")
    size[0] = 9
    assert box.size.tolist() == [1, 2, 3]
    with pytest.raises(AttributeError, match="field 'name'"):
        box.name = "chair"  # type: ignore[misc]
    for array in (box.size, box.position, box.rotation):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    same = g.Box((1, 2, 3), (0, -0.0, 0), np.eye(3), "table")
    assert box == same
    assert hash(box) == hash(same)
    assert box != g.Box((1, 2, 3), name="chair")
    assert g.Sphere(1) != g.Box((1, 1, 1))
    assert "table" in repr(box)


@each_solid
def test_copies_are_equal(shape: g.Shape) -> None:
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert copy.deepcopy(shape) == shape
    assert replace(shape) == shape  # type: ignore[type-var]
    assert replace(shape, name="other").name == "other"  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: g.Box((1, 0, 1), name="t"), r"box 't', size: not positive, got \[1\.0, 0\.0"),
        (lambda: g.Box((1, 2)), r"box, size: wrong shape, got \(1, 2\) .*shape \(3,\)"),
        (lambda: g.Box("abc"), "box, size: wrong shape"),
        (lambda: g.Box((1, 2, np.nan)), "box, size: not finite"),
        (lambda: g.Box((1, 1, 1), position=(np.inf, 0, 0)), "box, position: not finite"),
        (lambda: g.Box((1, 1, 1), rotation=2 * np.eye(3)), "box, rotation: not a rotation"),
        (lambda: g.Box((1, 1, 1), rotation=[0, 0, 0]), "box, rotation: wrong shape"),
        (lambda: g.Box((1, 1, 1), name=3), "box, name: not a text, got 3"),  # type: ignore[arg-type]
        (lambda: g.Sphere(0), "sphere, radius: not positive, got 0"),
        (lambda: g.Sphere(-1, name="b"), "sphere 'b', radius: not positive, got -1"),
        (lambda: g.Sphere("1"), "sphere, radius: wrong shape"),  # type: ignore[arg-type]
        (lambda: g.Sphere(None), "sphere, radius"),  # type: ignore[arg-type]
        (lambda: g.Cylinder(1, -1), "cylinder, length: not positive"),
        (lambda: g.Cone(-1, 1), "cone, radius: negative"),
        (lambda: g.Cone(0, 1, name="hat"), "cone 'hat', radius: both radii are 0 m"),
        (lambda: g.Capsule(1, -1), "capsule, length: negative, got -1"),
        (lambda: g.Capsule.between([1, 2, 3], [1, 2, 3], 1), "capsule: both ends at one point"),
        (lambda: g.HalfSpace((0, 0, 0)), "halfspace, normal: has no direction"),
        (lambda: g.Mesh([[0, 0, 0]], [[0, 1, 2]]), "mesh, faces: vertex 2 does not exist"),
        (lambda: g.Mesh(np.eye(3), [[0, 1, 1]]), "triangle 0 uses a vertex twice"),
        (lambda: g.Mesh(np.eye(3), [[0, 1, 2.5]]), "mesh, faces: not a row number"),
        (lambda: g.Mesh(np.eye(3), [[0, 1, -1]]), "mesh, faces: not a row number"),
        (lambda: g.Mesh(np.eye(3), [[0, 1, 1e300]]), "mesh, faces: not a row number"),
        (lambda: g.Mesh(np.eye(3), []), r"mesh, faces: wrong shape.*\(n, 3\)"),
        (lambda: g.Mesh(np.zeros((0, 3)), [[0, 1, 2]]), "mesh, vertices: wrong shape"),
    ],
)
def test_wrong_descriptions_say_what_is_wrong(make: Any, says: str) -> None:
    with pytest.raises(DescriptionError, match=says):
        make()
