"""Whole arms: the compiled check against shape by shape, coal, and safe covers."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.collision import ArmShapes, Bodies, Checker, Region, arm_shapes, contact, distance
from armwerk.collision.covers import covers
from armwerk.collision.kernels.layout import OWNER
from armwerk.errors import DescriptionError, ShapeError, UnknownNameError
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
    rotation_exp,
)
from armwerk.mechanics.chain import pack
from armwerk.robot import Arm, load, load_arm
from collision_witness import (
    coal_geometry,
    coal_pose,
    coal_touches,
    cube_mesh,
    lumpy_mesh,
    one_inside,
    random_shape,
)

ARMS = ("puma560", "ur5e")


@cache
def twenty_bodies(seed: int = 0) -> Bodies:
    rng = np.random.default_rng(seed)
    kinds = ("box", "sphere", "cylinder", "capsule", "cone", "mesh")
    found: list[Shape] = []
    while len(found) < 20:
        place = rng.uniform((-0.9, -0.9, -0.1), (0.9, 0.9, 1.2))
        if np.hypot(place[0], place[1]) > 0.35:
            pose = Sphere(1.0, place).pose
            found.append(random_shape(kinds[len(found) % 6], rng, 0.01).moved(pose))
    return Bodies(found)


@cache
def lumpy_shapes(name: str) -> ArmShapes:
    """Return an arm whose links are concave meshes of about two hundred triangles."""
    arm, rng = load(name), np.random.default_rng(1)
    assert isinstance(arm, Arm)
    given: dict[str, list[Shape]] = {}
    capsules = arm_shapes(arm)
    for frame, shape in zip(capsules.frames, capsules.shapes, strict=True):
        length = shape.length if isinstance(shape, Capsule) else 0.0
        mesh = lumpy_mesh(rng, length, shape.radius, sides=12, bumps=0.2)  # type: ignore[attr-defined]
        given.setdefault(arm.joints[frame - 1].name, []).append(mesh.moved(shape.pose))
    return ArmShapes(arm, given)


def solids(bodies: Bodies) -> list[Shape]:
    return [body for body in bodies if isinstance(body, Shape)]


def spread(arm: Arm, count: int) -> np.ndarray:
    return pack(arm).spread(count)


def shape_by_shape(shapes: ArmShapes, bodies: Bodies, q: np.ndarray) -> bool:
    placed = shapes.at(q)
    moving = [s for s, frame in zip(placed, shapes.frames, strict=True) if frame > 0]
    return any(contact(s, b) for s in moving for b in solids(bodies))


@pytest.mark.parametrize("name", [*ARMS, "stanford", "panda", "scara", "planar_tt"])
def test_agrees_with_shape_by_shape(name: str) -> None:
    arm = load(name)
    assert isinstance(arm, Arm)
    bodies, shapes = twenty_bodies(), arm_shapes(arm)
    checker = Checker(arm, bodies, self_check=False)
    Q = spread(arm, 60)
    expected = [shape_by_shape(shapes, bodies, q) for q in Q]
    assert checker.contacts(Q).tolist() == expected
    assert 0 < sum(expected) < len(Q)
    distances = checker.distances(Q)
    for q, value, hit in zip(Q[:25], distances, expected, strict=False):
        found = checker.distance(q)
        least = min(distance(s, b).value for s in shapes.at(q) for b in solids(bodies))
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.value == pytest.approx(least, abs=1e-9)
        assert (found.value <= 0) == hit == checker.contact(q)
        first = checker.first(q)
        assert (first is not None) == hit
        if first is not None:
            part = shapes.at(q)[shapes.names.index(first.part)]
            body = solids(bodies)[bodies.index(first.body)]
            assert contact(part, body)
            for solid in (part, body):
                assert solid.signed_distance(first.point) < 1e-6
        else:
            part = shapes.at(q)[shapes.names.index(found.part)]
            body = solids(bodies)[bodies.index(found.body)]
            assert distance(part, body).value == pytest.approx(found.value, abs=1e-9)
            assert part.signed_distance(found.point_a) == pytest.approx(0, abs=1e-7)


def test_an_arm_of_boxes_among_round_bodies() -> None:
    """Long and flat boxes against small balls and capsules, so that neither stands for both."""
    arm = load_arm("ur5e")
    rng = np.random.default_rng(9)
    links: dict[str, list[Shape]] = {
        f"link{n}": [Box(rng.permutation([0.4, 0.1, 0.02]), rng.uniform(-0.1, 0.1, 3))]
        for n in range(1, 7)
    }
    bodies: list[Shape] = []
    for place in rng.uniform(-0.7, 0.7, (30, 3)):
        round_ = (Sphere(0.05, place), Capsule(0.02, 0.3, place, rotation_exp(place)))
        bodies.append(round_[len(bodies) % 2])
    shapes, around = ArmShapes(arm, links), Bodies(bodies)
    Q = spread(arm, 150)
    expected = [shape_by_shape(shapes, around, q) for q in Q]
    assert Checker(arm, around, shapes, self_check=False).contacts(Q).tolist() == expected
    assert 20 < sum(expected) < 130


@pytest.mark.parametrize("name", ARMS)
def test_exact_meshes_agree_with_coal(name: str) -> None:
    shapes, bodies = lumpy_shapes(name), twenty_bodies()
    arm = load_arm(name)
    Q = spread(arm, 150)
    ours = Checker(arm, bodies, shapes, self_check=False).contacts(Q)
    around = [(coal_geometry(b), coal_pose(b)) for b in solids(bodies)]
    links = [coal_geometry(s) for s in shapes]
    for q, hit in zip(Q, ours, strict=True):
        placed = shapes.at(q)
        theirs = any(
            coal_touches(link, coal_pose(s), *body)
            for link, s in zip(links, placed, strict=True)
            for body in around
        )
        assert hit == theirs or (
            hit and any(one_inside(s, b) for s in placed for b in solids(bodies))
        )
    assert 0 < ours.sum() < len(Q)


@pytest.mark.parametrize("name", ARMS)
def test_covers_miss_nothing(name: str) -> None:
    """Twenty thousand configurations with exact meshes: what touches, touches with covers too."""
    arm, shapes, bodies = load_arm(name), lumpy_shapes(name), twenty_bodies()
    Q = spread(arm, 20_000)
    exact = Checker(arm, bodies, shapes).contacts(Q)
    covered = Checker(arm, bodies, shapes, exact=False).contacts(Q)
    assert not (exact & ~covered).any()
    assert 0.02 < exact.mean() < 0.9
    assert (covered & ~exact).mean() < 0.1  # and they are not much too large


def test_covers_contain_their_shapes() -> None:
    rng = np.random.default_rng(4)
    shapes: list[Shape] = [
        lumpy_mesh(rng, 0.4, 0.05),
        lumpy_mesh(rng, 0.0, 0.2).moved(
            Sphere(1, (1, 2, 3), rotation=rotation_exp((1, 2, 3))).pose
        ),
        cube_mesh(0.3),
        Cylinder(0.1, 0.4, (1, 0, 0)),
        Cone(0.1, 0.4, 0.02, (0, 1, 0), rotation_exp((0.3, 0, 1))),
        *(Cone(r, h, top, rng.normal(size=3)) for r, h, top in rng.uniform(0.02, 0.5, (12, 3))),
    ]
    angles = np.linspace(0, 2 * np.pi, 500)
    for shape in shapes:
        found = covers(shape)
        assert found
        low, high = shape.bounds
        points = rng.uniform(low, high, (4000, 3))
        points = points[shape.contains(points)]
        if isinstance(shape, Mesh):
            corners = shape.vertices @ shape.rotation.T + shape.position
            points = np.concatenate([points, corners])
        if isinstance(shape, Cone):
            rims = [
                np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(500, z)])
                for r, z in (
                    (shape.radius, -shape.length / 2),
                    (shape.top_radius, shape.length / 2),
                )
            ]
            rim = np.concatenate(rims) @ shape.rotation.T + shape.position
            points = np.concatenate([points, rim])
        inside = np.any([cover.contains(points) for cover in found], axis=0)
        assert inside.all()
        if shape in shapes[:5]:
            assert sum(cover.volume for cover in found) < 8 * shape.volume
    assert covers(Box((1, 1, 1))) == ()


def folded(arm: Arm) -> np.ndarray:
    """Return a UR5e bent at the elbow until the wrist is in the upper arm."""
    return np.array([0.0, -1.57, np.pi, 0.0, 0.0, 0.0])


def test_self_contact() -> None:
    arm = load("ur5e")
    checker = Checker(arm)
    assert checker.contact(folded(arm))
    found = checker.first(folded(arm))
    assert found is not None
    assert {found.part, found.body} <= set(checker.parts)
    straight = np.zeros(6)
    assert not checker.contact(straight)
    assert checker.distance(straight).value > 0
    assert not Checker(arm, self_check=False).contact(folded(arm))
    assert Checker(arm, self_check=False).distance(straight).value == np.inf
    assert Checker(arm, self_check=False).first(folded(arm)) is None


@pytest.mark.parametrize("name", ["puma560", "ur5e", "iiwa7", "kr6_r900", "irb120", "stanford"])
def test_an_arm_is_mostly_clear_of_itself_and_of_its_floor(name: str) -> None:
    arm = load_arm(name)
    share = Checker(arm).contacts(spread(arm, 2000)).mean()
    assert share < 0.5
    floor = HalfSpace((0, 0, 1), arm.base[:3, 3])
    checker = Checker(arm, [floor], self_check=False)
    Q = spread(arm, 500)
    assert not checker.contacts(Q).all()  # the first link does not stand in the floor


def test_self_contact_of_meshes_agrees_with_coal() -> None:
    shapes = lumpy_shapes("ur5e")
    arm = load("ur5e")
    checker = Checker(arm, (), shapes)
    Q = spread(arm, 200)
    ours = checker.contacts(Q)
    assert 0 < ours.sum() < len(Q)
    links = [coal_geometry(s) for s in shapes]
    for q, hit in zip(Q, ours, strict=True):
        poses = [coal_pose(s) for s in shapes.at(q)]
        theirs = any(
            coal_touches(links[i], poses[i], links[j], poses[j]) for i, j in checker.scene.pairs
        )
        assert hit == theirs


def test_other_arms_standing_and_moving() -> None:
    one = load("ur5e")
    base = np.eye(4)
    base[0, 3] = 0.8
    two = Arm.from_dh(one.joints, "second", base)
    up = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    out = np.array([np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])  # along +x, towards the other one
    standing = Checker(one, others=[(two, up)])
    assert not standing.contact(up)
    assert standing.contact(out)
    found = standing.first(out)
    assert found is not None
    assert found.body.startswith("second.link")
    moving = Checker([one, two])
    assert moving.dof == 12
    assert not moving.contact(np.concatenate([up, up]))
    assert moving.contact(np.concatenate([out, up]))
    Q = np.stack([np.concatenate([q, up]) for q in spread(one, 300)])
    together = moving.contacts(Q)
    assert np.array_equal(together, standing.contacts(Q[:, :6]))
    assert together.any()


@pytest.mark.parametrize(
    "shape",
    [
        Box((1.4, 1.4, 1.4), (0.1, 0, 0.5), rotation_exp((0, 0, 0.3))),
        Sphere(0.8, (0.0, 0.1, 0.4)),
        Capsule(0.6, 0.5, (0.0, 0.0, 0.4)),
        Cylinder(0.7, 1.6, (0, 0, 0.5)),
        Cone(0.9, 2.0, 0.5, (0, 0, 0.5)),
        HalfSpace((0, 0, 1), (0, 0, 0.7)),
        cube_mesh(1.5),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_region(shape: Shape) -> None:
    """Inside means: every point of the arm is; held against points on the capsules' surfaces."""
    arm = load("ur5e")
    region = Region(shape, "cell")
    checker = Checker(arm, [region], self_check=False)
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    hits = 0
    for q in spread(arm, 80):
        points = []
        for part in arm_shapes(arm).at(q):
            ends = part.ends if isinstance(part, Capsule) else part.position[None]
            points += [end + part.radius * directions for end in ends]  # type: ignore[attr-defined]
        inside = region.shape.signed_distance(np.concatenate(points)).max()
        if abs(inside) > 0.02:  # the sampled points leave some room
            assert checker.contact(q) == (inside > 0)
            assert (checker.distance(q).value <= 0) == (inside > 0)
        hits += checker.contact(q)
        if checker.contact(q):
            found = checker.first(q)
            assert found is not None
            assert found.body == "cell"
    assert 0 < hits < 80


def test_region_for_every_kind_of_shape() -> None:
    """A point outside is contact; all of the box around a part inside, 5 mm deep, is none."""
    arm = load("ur5e")
    rng = np.random.default_rng(2)
    inside = outside = 0
    for kind in ("box", "sphere", "capsule", "cylinder", "cone", "mesh"):
        for region in (Sphere(0.6), Cylinder(0.5, 1.2), Box((1, 1, 1))):
            part = random_shape(kind, rng, 0.05)
            checker = Checker(arm, [Region(region)], ArmShapes(arm, {"tool": part}), False)
            for q in spread(arm, 12):
                (placed,) = checker.shapes[0].at(q)
                low, high = placed.bounds
                points = rng.uniform(low, high, (300, 3))
                points = points[placed.contains(points)]
                corners = np.array(list(product(*zip(low, high, strict=True))))
                if not region.contains(points).all():
                    assert checker.contact(q)
                    outside += 1
                elif (region.signed_distance(corners) < -0.005).all():
                    assert not checker.contact(q)
                    inside += 1
    assert min(inside, outside) > 30


def test_sums_count_every_part_and_body() -> None:
    arm = load("planar_rr")
    bodies = Bodies([Box((0.1, 0.1, 1), (0.2, 0.2, 0)), Sphere(0.1, (-0.3, 0.0, 0))])
    checker = Checker(arm, bodies, self_check=False)
    Q = spread(arm, 300)
    cells, hits = checker.sums(Q)
    shapes = arm_shapes(arm)
    expected = [
        [sum(k + 1 for k, b in enumerate(solids(bodies)) if contact(s, b)) for s in shapes.at(q)]
        for q in Q
    ]
    assert cells.tolist() == [sum(row) for row in expected]
    assert hits == sum(int(contact(s, b)) for q in Q for s in shapes.at(q) for b in solids(bodies))


@pytest.mark.parametrize("name", ["simple_arm", "tripod", "slider_crank", "stewart"])
def test_assemblies(name: str) -> None:
    assembly = load(name)
    shapes = arm_shapes(assembly)
    assert len(shapes)
    rng = np.random.default_rng(0)
    low, high = np.nan_to_num(assembly.limits, posinf=1.0, neginf=-1.0).T
    Q = rng.uniform(low, high, (40, assembly.dof))
    bodies = Bodies([random_shape("box", rng, 0.3) for _ in range(6)])
    checker = Checker(assembly, bodies, self_check=False)
    found = checker.contacts(Q)
    for q, hit, value in zip(Q, found, checker.distances(Q), strict=True):
        if np.isnan(value):
            assert hit
            continue
        expected = min(distance(s, b).value for s in shapes.at(q) for b in solids(bodies))
        assert value == pytest.approx(expected, abs=1e-9)
        assert hit == (expected <= 0)
        assert (checker.first(q) is not None) == hit


def test_mistakes() -> None:
    arm = load("ur5e")
    checker = Checker(arm, twenty_bodies())
    with pytest.raises(ShapeError, match=r"shape \(6,\)"):
        checker.contact(np.zeros(5))
    with pytest.raises(ShapeError, match="nan"):
        checker.contacts(np.full((2, 6), np.nan))
    with pytest.raises(ShapeError, match=r"\(6,\) here"):
        checker.contact(np.zeros((2, 6)))
    with pytest.raises(UnknownNameError, match="link of arm 'ur5e' is called 'link9'"):
        ArmShapes(arm, {"link9": [Sphere(1)]})
    with pytest.raises(DescriptionError, match="cannot be a link's shape"):
        ArmShapes(arm, {"link1": [HalfSpace()]})
    with pytest.raises(DescriptionError, match="belong to another arm"):
        Checker(arm, (), arm_shapes(load("puma560")))
    cube = cube_mesh()
    opened = ArmShapes(arm, {"link1": Mesh(cube.vertices, cube.faces[1:])})
    with pytest.raises(DescriptionError, match="not closed"):
        Checker(arm, (), opened)


def test_links_by_any_name_and_frame() -> None:
    """A shape given to a link stands in the frame that the joint's row ends in."""
    arm = load("puma560")
    for key, frame in (("link2", 2), ("shoulder", 2), ("tool", 7), ("base", 0)):
        shapes = ArmShapes(arm, {key: [Box((0.1, 0.2, 0.3), (0.1, 0, 0))]})
        assert shapes.frames == (frame,)
    shapes = ArmShapes(
        arm, {"link6": Sphere(0.05, name="nut"), "link2": [Sphere(0.1), Sphere(0.2)]}
    )
    assert shapes.names == ("link2.1", "link2.2", "nut")
    from armwerk.mechanics import model

    q = spread(arm, 1)[0]
    tool = model(arm).fk(q)[:3, 3]
    ball = ArmShapes(arm, {"tool": Sphere(0.05)})
    checker = Checker(arm, [Sphere(0.05, tool + np.array([0.1, 0, 0]), name="goal")], ball)
    assert checker.distance(q).value == pytest.approx(0.0, abs=1e-12)
    assert checker.distance(q).body == "goal"


def test_a_region_of_many_walls_counts_once() -> None:
    """A small box at a corner of which the arm stands: each part is behind several walls."""
    arm = load("planar_rr")
    checker = Checker(arm, [Region(Box((0.1, 0.1, 0.1), (3.0, 3.0, 3.0)))], self_check=False)
    moving = int((checker.scene.shapes[:, OWNER] > 0).sum())
    cells, hits = checker.sums(np.zeros((2, 2)))
    assert moving > 1
    assert cells.tolist() == [moving, moving]
    assert hits == 2 * moving


def test_checkers_of_one_arm_do_not_disturb_each_other() -> None:
    """What is packed once for an arm serves bodies with meshes of their own, and none at all."""
    shapes = lumpy_shapes("ur5e")
    q = np.random.default_rng(3).uniform(-3.0, 3.0, (200, 6))
    alone = Checker(shapes.arm, (), shapes)
    before = alone.contacts(q)
    around = [cube_mesh(0.3).moved(Sphere(1.0, (0.4, 0.2, 0.5)).pose)]
    among = Checker(shapes.arm, around, shapes)
    hit = among.contacts(q)
    by_hand = [any(contact(part, around[0]) for part in _moving(shapes, row)) for row in q]
    assert np.array_equal(hit, before | by_hand)
    among.scene.shapes[:], among.scene.pairs[:] = 0.0, 0
    among.chain.before[:] = 0.0
    assert np.array_equal(alone.contacts(q), before)
    assert np.array_equal(Checker(shapes.arm, (), shapes).contacts(q), before)


def _moving(shapes: ArmShapes, q: Array) -> list[Shape]:
    """Return the placed shapes of the links that move."""
    return [part for part, frame in zip(shapes.at(q), shapes.frames, strict=True) if frame > 0]
