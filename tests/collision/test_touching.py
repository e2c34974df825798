"""One rule for touching, everywhere: a gap that rounding alone can make is none."""

from __future__ import annotations

import numpy as np
import pytest

from armwerk.collision import ArmShapes, Checker, Region, contact, distance
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Shape,
    Sphere,
    rotation_about,
    rotation_x,
    rotation_z,
    transform,
)
from armwerk.planning import cspace
from armwerk.planning.maps.methods import configurations
from armwerk.robot import Arm, Joint
from collision_witness import cube_mesh, random_rotations

LYING = rotation_x(np.pi / 2)


def standing(kind: str) -> Shape:
    """Return a shape whose lowest point or face has height 0 and surrounds the origin."""
    return {
        "box": Box((0.3, 0.2, 0.1), (0.01, 0.0, 0.05), rotation_z(0.4)),
        "sphere": Sphere(0.1, (0.0, 0.0, 0.1)),
        "capsule": Capsule(0.1, 0.4, (0.0, 0.0, 0.1), LYING),
        "cylinder": Cylinder(0.1, 0.3, (0.0, 0.0, 0.15)),
        "cone": Cone(0.1, 0.3, position=(0.0, 0.0, 0.15)),
        "mesh": cube_mesh(0.2).moved(transform(rotation_z(0.3), (0.0, 0.0, 0.1))),
        "half_space": HalfSpace((0.0, 0.0, -1.0)),
    }[kind]


KINDS = ("box", "sphere", "capsule", "cylinder", "cone", "mesh", "half_space")
PAIRS = [(a, b) for n, a in enumerate(KINDS) for b in KINDS[n:] if (a, b) != ("half_space",) * 2]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_pair_that_touches_does_so_wherever_it_is_carried(first: str, second: str) -> None:
    """Rounding of a pose opens gaps of some 1e-16 m; a gap of 1e-9 m is one."""
    over = transform(rotation_x(np.pi))  # upside down: below the plane, touching it
    top, bottom = standing(first), standing(second).moved(over)
    rng = np.random.default_rng(0)
    turns = random_rotations(60, rng)
    places = rng.uniform(-2, 2, (60, 3))
    for turn, place in zip(turns, places, strict=True):
        pose = transform(turn, place)
        a, b = top.moved(pose), bottom.moved(pose)
        assert contact(a, b)
        assert contact(b, a)
        assert distance(a, b).value <= 0
        assert not contact(a, b.moved(transform(np.eye(3), -1e-9 * turn[:, 2])))
        away = b.moved(transform(np.eye(3), -1e-7 * turn[:, 2]))
        assert distance(a, away).value == pytest.approx(1e-7, rel=1e-6)


@pytest.mark.parametrize(
    "region",
    [
        Box((0.6, 0.6, 0.4), (0.0, 0.0, 0.2)),
        Cylinder(0.5, 0.4, (0.0, 0.0, 0.2)),
        HalfSpace((0.0, 0.0, -1.0)),
    ],
    ids=["box", "cylinder", "half_space"],
)
def test_reaching_the_surface_of_a_region_is_leaving_it(region: Shape) -> None:
    rows = [Joint("prismatic", limits=(0.0, 1.0)), Joint("revolute", alpha=np.pi / 2)]
    for n, turn in enumerate(random_rotations(20, np.random.default_rng(1))):
        pose = transform(turn, turn[0])
        seat = Arm.from_dh(rows, "stub", base=pose)
        for lift, hit in ((0.0, True), (1e-9, False)):
            part = Box((0.2, 0.1, 0.2), (0.0, 0.05 + lift, 0.0))  # row 2 turns y upwards
            shapes = ArmShapes(seat, {"link2": part})
            walls = Region(region.moved(pose))
            checker = Checker(seat, [walls], shapes, self_check=False)
            assert checker.contact(np.array([0.0, 0.1 * n])) is hit


@pytest.mark.parametrize(
    ("region", "radius", "growth"),
    [
        (Sphere(0.5), 0.5, 0.0),
        (Capsule(0.5, 0.4), 0.5, 0.0),
        (Cylinder(0.5, 2.0), 0.5, 0.0),
        (Cone(0.75, 2.0, top_radius=0.25), 0.5, -0.25),
    ],
    ids=["sphere", "capsule", "cylinder", "cone"],
)
def test_a_ball_that_reaches_the_round_side_leaves(
    region: Shape, radius: float, growth: float
) -> None:
    """At half height, on the side facing x: there the normal is (1, 0, -growth)."""
    normal = np.array([1.0, 0.0, -growth]) / np.hypot(1.0, growth)
    for turn in random_rotations(20, np.random.default_rng(2)):
        pose = transform(turn, turn[0])
        seat = Arm.from_dh([Joint("revolute")], "stub", base=pose)
        for lift, hit in ((0.0, True), (1e-9, False)):
            ball = Sphere(0.125, np.array([radius, 0.0, 0.0]) - (0.125 + lift) * normal)
            shapes = ArmShapes(seat, {"link1": ball})
            checker = Checker(seat, [Region(region.moved(pose))], shapes, self_check=False)
            assert checker.contact(np.zeros(1)) is hit


def snapped_scene(seed: int) -> tuple[Arm, dict[str, list[Shape]], list[Shape]]:
    """Return boxes whose sizes and places are multiples of a grid, so that many touch exactly."""
    rng = np.random.default_rng(seed)
    grid = (0.05, 0.1, 0.025)[seed % 3]
    base = transform(rotation_about((1.0, 2.0, 0.5), 0.7 * (seed % 2)), (0.1, 0.2, 0.3))
    if seed % 4 == 3:
        limits = (-0.4, 0.4)
        first = Joint("prismatic", alpha=np.pi / 2, offset=np.pi / 2, limits=limits)
        rows = [first, Joint("prismatic", limits=limits)]
    else:
        rows = [Joint("revolute", a=2 * grid), Joint("revolute", a=grid)]
    arm = Arm.from_dh(rows, "snapped", base=base)
    sizes = np.maximum(np.round(rng.uniform(0.02, 0.3, (8, 3)) / grid), 1) * grid
    places = np.round(rng.uniform(-0.3, 0.3, (8, 3)) / grid) * grid
    places[:, 2] = 0.0
    bodies: list[Shape] = [
        Box(size, place).moved(base) for size, place in zip(sizes, places, strict=True)
    ]
    if seed % 3 == 1:  # not boxes alone
        bodies += [
            Sphere(grid, places[0] + (3 * grid, 0, 0)).moved(base),
            HalfSpace((0.0, 1.0, 0.0), (0.0, -0.3, 0.0)).moved(base),
        ]
    shapes: dict[str, list[Shape]] = {"link2": [Box(sizes[0]), Box(sizes[1], (-grid, grid, 0.0))]}
    return arm, shapes, bodies


@pytest.mark.parametrize("seed", range(12))
def test_map_and_checker_agree_where_everything_touches(seed: int) -> None:
    """Cell by cell, by every way that fits, in frames that are parallel to nothing."""
    arm, shapes, bodies = snapped_scene(seed)
    space = cspace(arm, bodies, shapes=shapes, shape=(24, 16))
    checker = Checker(arm, bodies, ArmShapes(arm, shapes), self_check=False)
    rows = configurations(space.axes, space.q)
    sums, hits = checker.sums(rows)
    np.testing.assert_array_equal(sums.reshape(space.cells.shape), space.cells)
    assert hits == space.hits
    np.testing.assert_array_equal(checker.contacts(rows), space.cells.ravel() > 0)
    np.testing.assert_array_equal(checker.distances(rows) <= 0, space.cells.ravel() > 0)
    general = cspace(arm, bodies, shapes=shapes, shape=(24, 16), method="general")
    np.testing.assert_array_equal(general.cells, space.cells)
