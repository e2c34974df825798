"""Maps in space, of all kinds of shapes and arms, and distances: against fcl and the checker."""

from __future__ import annotations

from typing import Any

import fcl
import numpy as np
import pytest

import armwerk as aw
from armwerk.collision.arm_shapes import arm_shapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Region
from armwerk.collision.checker import Checker
from armwerk.geometry import (
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
    rotation_about,
)
from armwerk.planning import ConfigurationSpace, cspace, problem
from armwerk.planning.maps.methods import configurations

CUBE = Mesh(
    [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)],
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ],
    position=(0.4, -0.4, 0.3),
)  # fmt: skip


def solids(space: ConfigurationSpace) -> list[Shape]:
    """Return the bodies of a map, all of them shapes."""
    found = [body for body in space.bodies if isinstance(body, Shape)]
    assert len(found) == len(space.bodies)
    return found


def fcl_object(shape: Shape) -> Any:
    """Return a box, sphere or capsule as fcl has it."""
    made = {
        Box: lambda s: fcl.Box(*s.size),
        Sphere: lambda s: fcl.Sphere(s.radius),
        Capsule: lambda s: fcl.Capsule(s.radius, s.length),
    }[type(shape)](shape)
    return fcl.CollisionObject(made, fcl.Transform(shape.rotation, shape.position))


def fcl_distance(one: Shape, two: Shape) -> float:
    result = fcl.DistanceResult()
    return float(fcl.distance(fcl_object(one), fcl_object(two), fcl.DistanceRequest(), result))


def six_axis_boxes(arm: Any) -> dict[str, list[Shape]]:
    """Return a box along each link of an arm, none of them parallel to a plane."""
    turned = rotation_about((1.0, 0.3, -0.2), 0.4)
    return {f"link{n}": [Box((0.12, 0.1, 0.2), (0, 0, 0), turned)] for n in range(1, arm.dof + 1)}


def random_boxes(count: int, seed: int) -> list[Box]:
    rng = np.random.default_rng(seed)
    return [
        Box(
            rng.uniform(0.1, 0.5, 3),
            rng.uniform(-0.7, 0.7, 3),
            rotation_about(rng.normal(size=3), rng.uniform(0, 3)),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", ["tt", "rr"])
def test_the_problems_against_fcl(name: str) -> None:
    """80,000 cells, half of them next to a change, part by part; 1 µm about touching may differ."""
    space = problem(name).make()
    rng = np.random.default_rng(4)
    edges = np.argwhere(space.cells[:-1, :-1] != space.cells[1:, 1:])
    anywhere = np.stack([rng.integers(0, n, 40_000) for n in space.cells.shape], axis=1)
    cells = np.concatenate([anywhere, edges[rng.integers(0, len(edges), 40_000)]])
    model: Any = aw.model(space.arm)
    frames = model.frames(np.array([space.at(int(row), int(column)) for row, column in cells]))
    around = [
        [fcl_object(Box(b.size + grown, b.position, b.rotation)) for b in space.bodies]  # type: ignore[union-attr]
        for grown in (-2e-6, 2e-6)
    ]
    asked = fcl.CollisionRequest()
    least, most = np.zeros((2, len(cells)), dtype=np.int64)
    for frame, shape in zip(space.shapes.frames, space.shapes, strict=True):
        part = fcl_object(shape)
        for n, T in enumerate(frames[:, frame] @ shape.pose):
            part.setTransform(fcl.Transform(T[:3, :3], T[:3, 3]))
            for number, (small, large) in enumerate(zip(*around, strict=True), start=1):
                if fcl.collide(part, large, asked, fcl.CollisionResult()):
                    most[n] += number
                    least[n] += number * fcl.collide(part, small, asked, fcl.CollisionResult())
    found = space.cells[cells[:, 0], cells[:, 1]]
    assert ((least <= found) & (found <= most)).all()
    assert (least == most)[:40_000].mean() > 0.95, "few cells are within the shell"


def test_boxes_in_space_against_fcl() -> None:
    arm = aw.load("puma560")
    shapes = six_axis_boxes(arm)
    space = cspace(arm, random_boxes(6, 3), axes=(0, 2), shape=(60, 50), shapes=shapes)
    assert space.method == "boxes"
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(150):
        row, column = int(rng.integers(50)), int(rng.integers(60))
        total = 0
        for part in space.shapes.at(space.at(row, column)):
            for number, body in enumerate(solids(space)):
                total += (number + 1) * (fcl_distance(part, body) <= 0)
        wrong += total != space.cells[row, column]
    assert wrong == 0
    assert 0 < space.hits < space.tests


@pytest.mark.parametrize("axes", [(0, 1), (2, 1), (1, 4), (5, 0)])
def test_any_axes_of_any_shapes_as_the_checker_sees_them(axes: tuple[int, int]) -> None:
    """Capsules of the links against every kind of body, any order of axes."""
    arm = aw.load("ur5e")
    bodies = Bodies(
        [
            Box((0.3, 0.2, 0.3), (0.5, 0.1, 0.3)),
            Sphere(0.2, (-0.4, 0.3, 0.4)),
            Cylinder(0.1, 0.6, (0.1, 0.5, 0.3)),
            CUBE,
            Region(Sphere(0.95, (0, 0, 0.1))),
            HalfSpace((0, 0, 1), (0, 0, -0.3)),
        ]
    )
    q = np.array([0.3, -0.8, 0.9, 0.2, 0.7, 0.1])
    space = cspace(arm, bodies, axes=axes, shape=(24, 18), q=q)
    assert space.method == "general"
    checker = Checker(arm, bodies, self_check=False)
    rows = np.array([space.at(i, j) for i in range(18) for j in range(24)])
    sums, hits = checker.sums(rows)
    np.testing.assert_array_equal(space.cells.ravel(), sums)
    assert space.hits == hits > 0
    np.testing.assert_array_equal(~space.free.ravel(), checker.contacts(rows))


def test_an_assembly_with_closed_chains() -> None:
    assembly = next(
        arm for name in aw.library() if (arm := aw.load(name)).__class__.__name__ == "Assembly"
    )
    bodies = [Sphere(0.05, (0.2, 0.1, 0.2)), HalfSpace((0, 0, 1), (0, 0, -5.0))]
    space = cspace(assembly, bodies, shape=(12, 10))
    assert space.cells.shape == (10, 12)
    closed = (
        aw.model(assembly)
        .state(  # type: ignore[attr-defined]
            np.array([space.at(i, j) for i in range(10) for j in range(12)])
        )
        .closed
    )
    impossible = np.zeros(120, bool) if space.impossible is None else space.impossible.ravel()
    np.testing.assert_array_equal(impossible, ~np.asarray(closed))
    assert not (space.free & impossible.reshape(10, 12)).any()


def test_map_and_checker_agree_where_legs_cannot_close() -> None:
    """A ball where unclosed parts would be drawn, at the origin, is not hit by them."""
    stewart = aw.load("stewart")
    bodies = [Sphere(0.3, (0.0, 0.0, 0.0)), Sphere(0.1, (0.3, 0.0, 0.5))]
    space = cspace(stewart, bodies, axes=(0, 3), shape=(12, 12))
    checker = Checker(stewart, bodies, self_check=False)
    rows = np.array([space.at(i, j) for i in range(12) for j in range(12)])
    closed = checker.closed(rows).reshape(12, 12)
    assert space.impossible is not None
    assert 0 < space.impossible.sum() < 144
    np.testing.assert_array_equal(space.impossible, ~closed)
    sums, hits = checker.sums(rows)
    np.testing.assert_array_equal(space.cells.ravel(), sums)
    assert space.hits == hits
    contacts = checker.contacts(rows).reshape(12, 12)
    np.testing.assert_array_equal(~space.free, contacts)
    np.testing.assert_array_equal(contacts & closed, space.cells > 0)


@pytest.mark.parametrize("name", ["irb660", "irb2400"])
def test_map_and_checker_agree_where_coupled_joints_are_beyond_their_limits(name: str) -> None:
    arm = aw.load(name)
    bodies = [Sphere(0.3, (1.2, 0.0, 0.8))]
    space = cspace(arm, bodies, axes=(1, 2), shape=(12, 12))
    checker = Checker(arm, bodies, self_check=False)
    rows = np.array([space.at(i, j) for i in range(12) for j in range(12)])
    possible = checker.closed(rows).reshape(12, 12)
    assert space.impossible is not None
    assert 0 < space.impossible.sum() < 144
    np.testing.assert_array_equal(space.impossible, ~possible)
    contacts = checker.contacts(rows).reshape(12, 12)
    np.testing.assert_array_equal(space.free, possible & ~contacts)
    sums, hits = checker.sums(rows)
    np.testing.assert_array_equal(sums.reshape(12, 12), space.cells)
    assert hits == space.hits
    # nor is a motion safe that goes there
    assert isinstance(arm, aw.Arm)
    limits = aw.Limits.of(arm)
    inside, outside = rows[possible.ravel()][:5], rows[~possible.ravel()][:5]
    settings = aw.SafetySettings(self_check=False)
    for start, end in zip(inside, outside, strict=True):
        motion = aw.ptp(None, start, end, limits=limits)
        verdict = aw.check(motion, arm, settings=settings)
        assert verdict.contact is not None
        assert verdict.contact.body == "joint limits"
        assert "axis_3" in verdict.contact.part
        at = verdict.contact.q[None]
        assert "beyond its limits" in arm.angle_breach(at, slack=0.0)
        assert not arm.angle_breach(at, slack=1e-5)
        assert aw.check(aw.ptp(None, start, start, limits=limits), arm, settings=settings)


@pytest.mark.parametrize("name", ["rr", "tt"])
def test_clearance_of_the_problems(name: str) -> None:
    """Exact distances of rectangles against fcl; 0 where the map shows contact, and only there."""
    space = problem(name).make(shape=(90, 80))
    clear = space.clearance()
    np.testing.assert_array_equal(clear == 0, space.cells > 0)
    rng = np.random.default_rng(1)
    for _ in range(40):
        row, column = int(rng.integers(80)), int(rng.integers(90))
        parts = space.shapes.at(space.at(row, column))
        least = min(fcl_distance(part, body) for part in parts for body in solids(space))
        assert clear[row, column] == pytest.approx(max(least, 0.0), abs=2e-6)


def test_clearance_counts_height() -> None:
    """A box 40 mm above the part and 30 mm beside it is 50 mm away."""
    shapes = {"y": [Box((0.1, 0.1, 0.1))]}
    body = Box((0.1, 0.1, 0.1), (0.13, 0.0, 0.14))
    space = cspace("planar_tt", [body], shapes=shapes, shape=(2, 2))
    assert space.clearance()[space.index((0.0, 0.0))] == pytest.approx(0.05, abs=1e-12)


def test_clearance_never_changes_faster_than_the_arm_moves() -> None:
    space = problem("rr").make(shape=(180, 180))
    clear = space.clearance()
    step = space.axes[0].step
    assert np.abs(np.diff(clear, axis=1)).max() <= 0.4107 * step  # the outer corner's radius
    assert np.abs(np.diff(clear, axis=0)).max() <= 0.2314 * step


def test_clearance_in_space_and_of_slices() -> None:
    arm = aw.load("puma560")
    shapes = six_axis_boxes(arm)
    volume = cspace(
        arm, random_boxes(4, 8), axes=(0, 1, 2), shape=(8, 7, 3), shapes=shapes, q=np.full(6, 0.2)
    )
    clear = volume.clearance()
    assert clear.shape == (3, 7, 8)
    np.testing.assert_array_equal(clear == 0, volume.cells > 0)
    rng = np.random.default_rng(2)
    for _ in range(20):
        index = tuple(int(rng.integers(n)) for n in clear.shape)
        parts = volume.shapes.at(volume.at(*index))
        least = min(fcl_distance(part, body) for part in parts for body in solids(volume))
        assert clear[index] == pytest.approx(max(least, 0.0), abs=1e-5)


def test_clearance_of_spheres_and_capsules() -> None:
    arm = aw.load("scara")
    bodies = [Sphere(0.1, (0.3, 0.2, 0.1)), Box((0.1, 0.2, 0.3), (-0.3, 0.2, 0.2))]
    space = cspace(arm, bodies, shape=(10, 9))
    clear = space.clearance()
    for row, column in ((0, 0), (4, 5), (8, 9), (2, 7)):
        parts = space.shapes.at(space.at(row, column))
        distances = [fcl_distance(p, b) for p in parts for b in solids(space)]
        assert clear[row, column] == pytest.approx(max(min(distances), 0.0), abs=1e-5)


def test_hit_by_finds_one_body_again() -> None:
    space = problem("rr").make(shape=(72, 72))
    masks = [space.hit_by(name) for name in space.bodies.names]
    np.testing.assert_array_equal(np.any(masks, axis=0), space.cells > 0)
    alone = np.sum(masks, axis=0) == 1
    for number, mask in enumerate(masks):
        values = set(np.unique(space.cells[mask & alone]))
        assert values <= {number + 1, 2 * (number + 1)}, "hit by one part or by both"


def test_shapes_made_from_the_links_are_used_by_default() -> None:
    space: ConfigurationSpace = cspace("scara", [Sphere(0.1, (0.4, 0, 0.2))], shape=(6, 6))
    assert space.parts == tuple(
        name for name, frame in zip(space.shapes.names, space.shapes.frames, strict=True) if frame
    )
    assert len(space.shapes) == len(arm_shapes(aw.load("scara")))


def test_a_part_that_leaves_a_region_by_several_sides_counts_once() -> None:
    """A ball against a box to stay in, by the definition: all of it must be inside."""
    region = Region(Box((0.5, 0.3, 0.2)), "room")
    bodies = Bodies([Sphere(0.05, (0.0, 0.2, 0.0)), region])
    shapes: dict[str, list[Shape]] = {"y": [Sphere(0.1), Sphere(0.02, (0.05, 0.0, 0.0))]}
    space = cspace("planar_tt", bodies, shape=(41, 37), shapes=shapes)
    expected = np.zeros(space.cells.shape, dtype=int)
    for row, column in np.ndindex(*space.cells.shape):
        for ball in space.shapes.at(space.at(row, column)):
            room = np.array([0.25, 0.15, 0.1]) - np.abs(ball.position) - ball.radius  # type: ignore[attr-defined]
            near = np.linalg.norm(ball.position - (0.0, 0.2, 0.0)) <= 0.05 + ball.radius  # type: ignore[attr-defined]
            expected[row, column] += 2 * bool((room <= 1e-12).any()) + bool(near)
    np.testing.assert_array_equal(space.cells, expected)
    checker = Checker(space.arm, bodies, space.shapes, self_check=False)
    sums, hits = checker.sums(configurations(space.axes, space.q))
    np.testing.assert_array_equal(sums, expected.ravel())
    assert hits == space.hits
