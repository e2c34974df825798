"""Collision against python-fcl one by one, and whole arms against pinocchio with coal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import fcl
import numpy as np
import pinocchio as pin
from measure import Row, best, typical

import armwerk
from armwerk.collision import ArmShapes, Bodies, Checker, arm_shapes
from armwerk.collision.kernels.pair_contact import touch_many
from armwerk.collision.kernels.pair_distance import gap_many
from armwerk.collision.packing import MeshShelf, rows_of
from armwerk.geometry import Box, Capsule, Cylinder, Mesh, Shape, Sphere, rotation_exp
from armwerk.mechanics.chain import pack
from armwerk.robot import Arm

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from arm_witness import PinArm
from collision_witness import coal_geometry, fcl_mesh, lumpy_mesh, random_shape

PAIRS = 20_000
BODIES = 20
COVERS, EXACT = 500_000, 40_000  # configurations a second that were promised
ROUGH = 0.05  # [m] tolerance of covers that are asked for speed
REAL = ("rtb-data:xarm6", "rtb-data:puma560", "rtb-data:kr6r900sixx")


def run() -> list[Row]:
    """Measure everything of this file."""
    rows = [row for kinds in (("box", "box"), ("box", "sphere")) for row in pairs(*kinds, PAIRS)]
    rows += pairs("capsule", "mesh", 2_000)
    for name in ("puma560", "ur5e"):
        rows += whole_arm(name)
    return rows + [real_robot(name) for name in REAL]


def pairs(first: str, second: str, count: int) -> list[Row]:
    """Contact and distance of random pairs; the peer's objects are made beforehand."""
    rng = np.random.default_rng(1)
    one = [random_shape(first, rng, 0.25) for _ in range(count)]
    two = [random_shape(second, rng, 0.25) for _ in range(count)]
    shelf = MeshShelf()
    a, b = rows_of(one, shelf), rows_of(two, shelf)
    tables = shelf.tables()
    theirs = list(zip(map(fcl_object, one), map(fcl_object, two), strict=True))

    def collide() -> int:
        request = fcl.CollisionRequest()
        return sum(fcl.collide(s, t, request, fcl.CollisionResult()) > 0 for s, t in theirs)

    def distance() -> None:
        request = fcl.DistanceRequest(True)
        for s, t in theirs:
            fcl.distance(s, t, request, fcl.DistanceResult())

    times = best(
        {
            "touch": lambda: touch_many(a, b, tables),
            "gap": lambda: gap_many(a, b, tables),
            "collide": collide,
            "distance": distance,
        },
        repeats=5,
    )
    what, scale = f"{first} and {second}", 1e9 / count
    hits, found = touch_many(a, b, tables).sum(), collide()
    note = f"{hits} of {count} touch, fcl {found}"
    peer = "python-fcl one by one"
    return [
        Row(
            f"{what}, contact",
            times["touch"] * scale,
            peer,
            times["collide"] * scale,
            "ns",
            note=note,
        ),
        Row(
            f"{what}, distance and points",
            times["gap"] * scale,
            peer,
            times["distance"] * scale,
            "ns",
        ),
    ]


def fcl_object(shape: Shape) -> Any:
    """Return python-fcl's object of a shape."""
    if isinstance(shape, Box):
        geometry = fcl.Box(*shape.size)
    elif isinstance(shape, Sphere):
        geometry = fcl.Sphere(shape.radius)
    elif isinstance(shape, Capsule):
        geometry = fcl.Capsule(shape.radius, shape.length)
    elif isinstance(shape, Cylinder):
        geometry = fcl.Cylinder(shape.radius, shape.length)
    elif isinstance(shape, Mesh):
        geometry = fcl_mesh(shape)
    else:
        raise TypeError(shape)
    pose = fcl.Transform(np.array(shape.rotation), np.array(shape.position))
    return fcl.CollisionObject(geometry, pose)


def surroundings() -> Bodies:
    """Return twenty boxes, spheres, cylinders and capsules within reach of the arms."""
    rng = np.random.default_rng(3)
    kinds = ("box", "sphere", "cylinder", "capsule")
    found: list[Shape] = []
    while len(found) < BODIES:
        place = rng.uniform((-0.8, -0.8, 0.0), (0.8, 0.8, 1.1))
        if np.hypot(place[0], place[1]) > 0.4:
            pose = Sphere(1.0, place, rotation=rotation_exp(rng.normal(size=3))).pose
            found.append(random_shape(kinds[len(found) % 4], rng, 0.01).moved(pose))
    return Bodies(found)


def lumpy_links(arm: Arm) -> ArmShapes:
    """Return concave meshes of some five hundred triangles about the links."""
    rng = np.random.default_rng(1)
    given: dict[str, list[Shape]] = {}
    capsules = arm_shapes(arm)
    for frame, shape in zip(capsules.frames, capsules.shapes, strict=True):
        length = shape.length if isinstance(shape, Capsule) else 0.0
        mesh = lumpy_mesh(rng, length, shape.radius, sides=32, bumps=0.15)  # type: ignore[attr-defined]
        given.setdefault(arm.joints[frame - 1].name, []).append(mesh.moved(shape.pose))
    return ArmShapes(arm, given)


def pin_scene(arm: Arm, shapes: ArmShapes, bodies: Bodies) -> tuple[Any, Any, Any, Any]:
    """Return pinocchio's model with the same meshes and bodies, as coal's geometries."""
    model = PinArm(arm).model
    geometry = pin.GeometryModel()
    zero = shapes.at(np.zeros(arm.dof))
    data = model.createData()
    pin.forwardKinematics(model, data, np.zeros(arm.dof))
    links = []
    for number, (frame, shape, placed) in enumerate(
        zip(shapes.frames, shapes.shapes, zero, strict=True)
    ):
        joint = data.oMi[frame]
        local = joint.inverse() * pin.SE3(np.array(placed.rotation), np.array(placed.position))
        thing = pin.GeometryObject(f"l{number}", frame, frame, local, coal_geometry(shape))
        links.append(geometry.addGeometryObject(thing))
    for number, body in enumerate(bodies):
        pose = pin.SE3(np.array(body.rotation), np.array(body.position))  # type: ignore[union-attr]
        thing = pin.GeometryObject(f"b{number}", 0, 0, pose, coal_geometry(body))  # type: ignore[arg-type]
        index = geometry.addGeometryObject(thing)
        for link in links:
            geometry.addCollisionPair(pin.CollisionPair(link, index))
    return model, data, geometry, geometry.createData()


def whole_arm(name: str) -> list[Row]:
    """Configurations a second of a six-axis arm among twenty bodies, on one core."""
    arm = armwerk.load_arm(name)
    bodies, shapes = surroundings(), lumpy_links(arm)
    Q = pack(arm).spread(20_000)
    few = Q[:1000]
    checkers = {
        "covers": Checker(arm, bodies, shapes, exact=False),
        "rough": Checker(arm, bodies, shapes, exact=False, tolerance=ROUGH),
        "covers, no self": Checker(arm, bodies, shapes, self_check=False, exact=False),
        "exact": Checker(arm, bodies, shapes),
        "exact, no self": Checker(arm, bodies, shapes, self_check=False),
    }
    model, data, geometry, held = pin_scene(arm, shapes, bodies)
    manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(model, geometry, held)

    def by_pin() -> list[bool]:
        return [pin.computeCollisions(model, data, manager, q, True) for q in few]

    links = [fcl_object(shape) for shape in shapes]
    around = [fcl_object(body) for body in bodies]  # type: ignore[arg-type]

    poses = [
        [fcl.Transform(np.array(s.rotation), np.array(s.position)) for s in shapes.at(q)]
        for q in few[:50]
    ]

    def by_fcl() -> list[bool]:
        request, found = fcl.CollisionRequest(), []
        for placed in poses:
            for link, pose in zip(links, placed, strict=True):
                link.setTransform(pose)
            found.append(
                any(
                    fcl.collide(link, body, request, fcl.CollisionResult())
                    for link in links
                    for body in around
                )
            )
        return found

    calls: dict[str, Any] = {key: lambda c=c: c.contacts(Q) for key, c in checkers.items()}
    times = typical({**calls, "pin": by_pin, "fcl": by_fcl}, repeats=7)
    rate = {key: len(Q) / times[key] for key in checkers}
    rate |= {"pin": len(few) / times["pin"], "fcl": 50 / times["fcl"]}
    exact, covered = checkers["exact"].contacts(Q), checkers["covers"].contacts(Q)
    alone = checkers["exact, no self"].contacts(few)
    differ = int((alone != by_pin()).sum())
    rough = checkers["rough"].contacts(Q)
    missed, lost = int((exact & ~covered).sum()), int((exact & ~rough).sum())
    share = f"{len(shapes.shapes[0].faces)} triangles a link, {exact.mean():.0%} touch"  # type: ignore[attr-defined]
    unit = "configurations/s"
    what = f"{name}, {BODIES} bodies"
    return [
        Row(
            f"{what}, covers and itself",
            rate["covers"],
            "promised",
            COVERS,
            unit,
            wanted=1.0,
            note=f"10 mm; {missed} of {exact.sum()} missed in {len(Q)}, {covered.mean():.0%} touch",
            lower_is_better=False,
        ),
        Row(
            f"{what}, covers of 50 mm and itself",
            rate["rough"],
            "promised",
            COVERS,
            unit,
            wanted=1.0,
            note=f"{lost} of {exact.sum()} missed in {len(Q)}, {rough.mean():.0%} touch",
            lower_is_better=False,
        ),
        Row(
            f"{what}, exact meshes and itself",
            rate["exact"],
            "promised",
            EXACT,
            unit,
            wanted=1.0,
            note=share,
            lower_is_better=False,
        ),
        Row(
            f"{what}, covers",
            rate["covers, no self"],
            "pinocchio + coal, exact",
            rate["pin"],
            unit,
            lower_is_better=False,
        ),
        Row(
            f"{what}, exact meshes",
            rate["exact, no self"],
            "pinocchio + coal",
            rate["pin"],
            unit,
            note=f"{differ} of {len(few)} differ",
            lower_is_better=False,
        ),
        Row(
            f"{what}, exact meshes",
            rate["exact, no self"],
            "python-fcl one by one, poses given",
            rate["fcl"],
            unit,
            lower_is_better=False,
        ),
    ]


def real_robot(name: str) -> Row:
    """Covers of a robot's own meshes against the meshes themselves: the arm and itself."""
    arm = armwerk.load_arm(name)
    Q = pack(arm).spread(4_000)
    exact, quick = Checker(arm), Checker(arm, exact=False)
    times = typical(
        {"exact": lambda: exact.contacts(Q), "covers": lambda: quick.contacts(Q)}, repeats=7
    )
    true, said = exact.contacts(Q), quick.contacts(Q)
    missed = int((true & ~said).sum())
    return Row(
        f"{name}, itself, covers of 10 mm",
        times["covers"] / len(Q) * 1e6,
        "its meshes, exact",
        times["exact"] / len(Q) * 1e6,
        "µs",
        wanted=1.0,
        note=f"{missed} of {true.sum()} missed in {len(Q)}, {said.mean():.1%} touch, "
        f"exact {true.mean():.1%}",
    )
