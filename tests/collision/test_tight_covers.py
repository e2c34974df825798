"""Covers: nothing of a solid is left out, and they reach no farther than they say."""

from __future__ import annotations

from importlib import metadata
from itertools import combinations_with_replacement

import fcl
import numpy as np
import pytest

from armwerk.arrays import Array, Flags
from armwerk.collision import ArmShapes, Checker
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.pair_contact import touch_many
from armwerk.collision.kernels.pair_distance import gap_many
from armwerk.collision.packing import MeshShelf, mesh_tree, row_of
from armwerk.collision.prover import Prover
from armwerk.collision.tight_covers import cover_error, stand_in
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape, Sphere, rotation_exp
from armwerk.robot import load_arm
from collision_witness import (
    coal_distance,
    coal_geometry,
    coal_pose,
    cube_mesh,
    fcl_mesh,
    fcl_touches,
    lumpy_mesh,
    one_inside,
)

TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
TOLERANCE = 0.01


def bracket() -> Mesh:
    """Return an angle bracket, 0.3 m by 0.2 m by 0.05 m, with legs of 0.04 m: far from convex."""
    outline = np.array([[0, 0], [0.3, 0], [0.3, 0.04], [0.04, 0.04], [0.04, 0.2], [0, 0.2]])
    vertices = np.array([[x, y, z] for z in (0.0, 0.05) for x, y in outline])
    top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    faces = [[a, c, b] for a, b, c in top] + [[a + 6, b + 6, c + 6] for a, b, c in top]
    for k in range(6):
        m = (k + 1) % 6
        faces += [[k, m, m + 6], [k, m + 6, k + 6]]
    return Mesh(vertices @ TURN.T, np.array(faces))


def cup(sides: int = 20) -> Mesh:
    """Return a hollow link, open at its upper end: 0.2 m high, walls of 4 mm."""
    profile = [(0.06, 0.0), (0.06, 0.2), (0.056, 0.2), (0.056, 0.004)]
    angles = np.arange(sides) * 2 * np.pi / sides
    vertices = [[r * np.cos(a), r * np.sin(a), z] for r, z in profile for a in angles]
    vertices += [[0.0, 0.0, 0.0], [0.0, 0.0, 0.004]]
    faces = []
    for i in range(sides):
        j = (i + 1) % sides
        for k in range(3):
            a, b, c, d = k * sides + i, k * sides + j, (k + 1) * sides + j, (k + 1) * sides + i
            faces += [[a, b, c], [a, c, d]]
        faces += [[4 * sides, j, i], [4 * sides + 1, 3 * sides + i, 3 * sides + j]]
    return Mesh(np.array(vertices), np.array(faces))


def joined(*meshes: Mesh) -> Mesh:
    """Return one mesh of several pieces."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.vertices @ mesh.rotation.T + mesh.position for mesh in meshes]),
        np.concatenate([mesh.faces + n for n, mesh in zip(first, meshes, strict=False)]),
    )


def shaped(size: tuple[float, float, float]) -> Mesh:
    """Return a turned box of twelve triangles."""
    cube = cube_mesh()
    return Mesh((cube.vertices * size) @ TURN.T, cube.faces)


def finer(mesh: Mesh, times: int) -> Mesh:
    """Return the same solid with every triangle cut into four, again and again."""
    triangles = mesh.triangles
    for _ in range(times):
        a, b, c = np.moveaxis(triangles, 1, 0)
        u, v, w = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        four = [(a, u, w), (u, b, v), (w, v, c), (u, v, w)]
        triangles = np.concatenate([np.stack(corners, axis=1) for corners in four])
    vertices, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices, faces.reshape(-1, 3))


MESHES = {
    "bracket": finer(bracket(), 3),
    "coarse": bracket(),
    "cup": finer(cup(), 1),
    "lumpy": lumpy_mesh(np.random.default_rng(8), 0.15, 0.05, sides=16),
    "needles": shaped((0.4, 0.0005, 0.0007)),
    "plate": finer(shaped((0.3, 0.2, 0.001)), 3),
    "shell": finer(joined(shaped((0.2, 0.2, 0.2)), cube_mesh(0.1, inwards=True)), 3),
    "two": joined(
        finer(cube_mesh(0.08), 1),
        finer(shaped((0.1, 0.06, 0.05)), 3).moved(Sphere(1.0, (0.2, 0, 0)).pose),
    ),
}


def scaled(mesh: Mesh, factor: float) -> Mesh:
    return Mesh(mesh.vertices * factor, mesh.faces)


def spread(boxes: Array, random: np.random.Generator) -> Array:
    """Return the corners of boxes (k, 6) and points in them. Shape (m, 3)."""
    shares = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    shares = np.concatenate([shares, random.uniform(size=(4, 3))])
    low, high = boxes[:, None, :3], boxes[:, None, 3:]
    points: Array = (low + shares * (high - low)).reshape(-1, 3)
    return points


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", MESHES)
def test_boxes_reach_no_farther_than_stated(name: str, factor: float) -> None:
    mesh = scaled(MESHES[name], factor)
    random = np.random.default_rng(3)
    stated = []
    for tolerance in np.array([0.002, TOLERANCE, 0.03]) * factor:
        tree = mesh_tree(mesh, float(tolerance))
        ends = tree.cover[tree.cover[:, layout.COUNT] == layout.END, :6]
        assert tree.error <= tolerance
        stated.append(len(ends))
        if len(ends):
            ends = ends[random.permutation(len(ends))[:25]]
            depth = np.asarray(mesh.signed_distance(spread(ends, random)))
            assert depth.max() <= tree.error + 1e-9 * factor
    assert max(stated) > 0 or name == "coarse"  # whose triangles are much larger than that


@pytest.mark.parametrize("name", MESHES)
def test_the_whole_surface_is_covered(name: str) -> None:
    mesh = MESHES[name]
    tree = mesh_tree(mesh, TOLERANCE)
    count = tree.cover[:, layout.COUNT]
    boxes = tree.cover[count == layout.END, :6]
    kept = {
        int(row[layout.NEXT]) + k
        for row in tree.cover[count > 0]
        for k in range(int(row[layout.COUNT]))
    }
    weights = np.random.default_rng(4).dirichlet((0.4, 0.4, 0.4), 60)
    for number, triangle in enumerate(tree.triangles.reshape(-1, 3, 3)):
        if number in kept:
            continue
        points = np.concatenate([triangle, weights @ triangle])[:, None]
        inside = (points >= boxes[:, :3] - 1e-15) & (points <= boxes[:, 3:] + 1e-15)
        assert np.any(np.all(inside, axis=2), axis=1).all()


def covered(a: Shape, b: Shape, tolerance: float) -> tuple[bool, float]:
    """Return whether two shapes touch by their covers, and how far those are apart."""
    shelf = MeshShelf()
    one, two = (row_of(shape, shelf, tolerance=tolerance)[None] for shape in (a, b))
    tables = shelf.tables()
    return bool(touch_many(one, two, tables)[0]), float(gap_many(one, two, tables)[0][0])


def witness(a: Shape, b: Shape) -> float:
    """Return coal's distance of two solids; 0 where they touch or one is inside the other."""
    found, _ = coal_distance(coal_geometry(a), coal_pose(a), coal_geometry(b), coal_pose(b))
    return 0.0 if one_inside(a, b) else max(float(found), 0.0)


def pushed(a: Shape, b: Shape, gap: float) -> Shape:
    """Return the second shape moved along the shortest way until there is a gap [m]."""
    found, points = coal_distance(coal_geometry(a), coal_pose(a), coal_geometry(b), coal_pose(b))
    step = points[1] - points[0]
    T = np.eye(4)
    T[:3, 3] = -(1.0 - gap / found) * step
    return b.moved(T)


BODIES: tuple[Shape, ...] = (
    *MESHES.values(),
    Box((0.1, 0.05, 0.2)),
    Sphere(0.03),
    Capsule(0.02, 0.2),
    Cylinder(0.05, 0.1),
    Cone(0.05, 0.1, top_radius=0.02),
)


@pytest.mark.parametrize("name", MESHES)
def test_contacts_are_early_by_what_is_stated_at_most(name: str) -> None:
    """Bodies a hair beside touching, and exactly as far as the tolerance allows."""
    mesh = MESHES[name]
    random = np.random.default_rng(9)
    early = 0
    for body in BODIES:
        stated = cover_error(mesh, TOLERANCE) + cover_error(body, TOLERANCE)
        for gap in (-1e-6, 1e-6, 0.3 * TOLERANCE, TOLERANCE, 2 * TOLERANCE, 2.001 * TOLERANCE):
            T = np.eye(4)
            T[:3, :3] = rotation_exp(random.normal(size=3))
            T[:3, 3] = 0.8 * T[:3, 0]
            placed = pushed(mesh, body.moved(T), gap)
            true = witness(mesh, placed)
            said, apart = covered(mesh, placed, TOLERANCE)
            assert said if true == 0.0 else not said or true <= stated + 1e-9
            assert true - stated - 1e-7 <= apart <= true + 1e-7
            assert not said or apart <= 0.0
            early += said and true > 0.0
    assert early > 0 or name in ("coarse", "needles", "plate", "shell")


def test_what_is_inside() -> None:
    """In a hollow there is room; in a wall, and in what is filled, there is none."""
    shell, hollow = MESHES["shell"], MESHES["cup"]
    for small in (Sphere(0.02), cube_mesh(0.03), Capsule(0.01, 0.02), Cylinder(0.01, 0.02)):
        assert not covered(shell, small, TOLERANCE)[0]
        assert covered(cube_mesh(0.2), small, TOLERANCE) == (True, 0.0)
        in_cup = small.moved(Sphere(1.0, (0.0, 0.0, 0.1)).pose)
        assert not covered(hollow, in_cup, TOLERANCE)[0]
        assert covered(hollow, in_cup, 0.1)[0]  # boxes of that tolerance fill it
        in_wall = small.moved(Sphere(1.0, 0.075 * TURN[:, 0]).pose)
        assert covered(shell, in_wall, TOLERANCE) == (True, 0.0)


@pytest.mark.parametrize(
    "shape",
    [Cylinder(0.1, 0.3), Cone(0.1, 0.3, top_radius=0.02), Sphere(0.1), Box((0.1, 0.2, 0.3))],
)
def test_other_shapes_state_their_error(shape: Shape) -> None:
    assert stand_in(shape, 0.05) is shape
    assert cover_error(shape, 0.05) == 0.0
    cover, error = stand_in(shape, 0.5), cover_error(shape, 0.5)
    points = np.random.default_rng(5).uniform(-0.4, 0.4, (4000, 3))
    depth = np.asarray(shape.signed_distance(points))
    inside = np.asarray(cover.signed_distance(points)) <= 0.0
    assert inside[depth <= 0.0].all()
    assert depth[inside].max() <= error + 1e-12
    assert isinstance(cover, Box | Capsule | Sphere)


def fcl_contacts(checker: Checker, Q: Array) -> Flags:
    """Return what python-fcl says of the arm against itself."""
    shapes = checker.shapes[0]
    links = [fcl_mesh(shape) for shape in shapes if isinstance(shape, Mesh)]
    assert len(links) == len(shapes.shapes)
    found = []
    for q in Q:
        poses = [fcl.Transform(np.array(s.rotation), np.array(s.position)) for s in shapes.at(q)]
        found.append(
            any(
                fcl_touches(links[i], poses[i], links[j], poses[j])
                for i, j in checker.scene.pairs.tolist()
            )
        )
    return np.array(found)


def hard_samples(limits: Array, count: int) -> Array:
    """Return configurations anywhere, at limits, and of angles that people type."""
    low, high = limits.T
    random = np.random.default_rng(6)
    anywhere = random.uniform(low, high, (count, len(low)))
    at_limits = random.choice([0.0, 1.0], (count // 2, len(low))) * (high - low) + low
    typed = np.radians(random.choice([-90, -30, 0, 30, 90, 180], (count // 2, len(low))))
    return np.concatenate([anywhere, at_limits, np.clip(typed, low, high)])


def check_real_robot(name: str, tolerance: float, count: int, more: float) -> None:
    try:
        metadata.distribution("rtb-data")
    except metadata.PackageNotFoundError:
        pytest.skip("rtb-data is not installed")
    pytest.importorskip("xacro")
    arm = load_arm(name)
    exact, quick = Checker(arm), Checker(arm, exact=False, tolerance=tolerance)
    q = hard_samples(arm.limits, count)
    true, said = exact.contacts(q), quick.contacts(q)
    assert said[true].all()
    assert said[fcl_contacts(exact, q)].all()
    assert (said & ~true)[:count].mean() <= more
    assert 0.0 < quick.cover_error <= tolerance
    wrong = q[said & ~true]
    assert not len(wrong) or exact.distances(wrong).max() <= 2 * quick.cover_error
    clear, near = exact.distances(q[-20:]), quick.distances(q[-20:])
    assert (near <= clear + 1e-12).all()
    assert (near >= clear - 2 * quick.cover_error - 1e-12).all()


def test_a_real_robot() -> None:
    """No contact is missed, few are too many, and none of these farther than stated."""
    check_real_robot("rtb-data:kr6r900sixx", TOLERANCE, 200, 0.03)


@pytest.mark.soak
@pytest.mark.parametrize("tolerance", [0.005, TOLERANCE, 0.02])
@pytest.mark.parametrize(
    "name", ["kr6r900sixx", "puma560", "irb140", "xarm6", "lbr_iiwa_14_r820", "kr16_2"]
)
def test_real_robots(name: str, tolerance: float) -> None:
    check_real_robot(f"rtb-data:{name}", tolerance, 2000, 0.03)


def links() -> ArmShapes:
    """Return a Puma with a bracket, a thick and a thin cylinder."""
    given: dict[str, list[Shape]] = {
        "link2": [Cylinder(0.05, 0.3)],
        "link3": [MESHES["bracket"]],
        "link4": [Cylinder(0.008, 0.3)],
    }
    return ArmShapes(load_arm("puma560"), given)


def test_a_tolerance_is_kept_on_both_sides() -> None:
    """Reported contacts are nowhere further apart than both sides may reach."""
    shapes, arm = links(), load_arm("puma560")
    mesh = MESHES["bracket"]
    block = Mesh(mesh.vertices, mesh.faces, position=(0.3, 0.2, 0.5))
    low, high = arm.limits.T
    q = np.random.default_rng(7).uniform(low, high, (3000, arm.dof))
    exact = Checker(arm, [block], shapes)
    true, clear = exact.contacts(q), exact.distances(q)
    seen = []
    for tolerance in (0.0, 0.002, None, 0.05, np.inf):
        quick = Checker(arm, [block], shapes, exact=False, tolerance=tolerance)
        said = quick.contacts(q)
        near = quick.distances(q)
        assert said[true].all()
        assert quick.cover_error <= (TOLERANCE if tolerance is None else tolerance)
        assert clear[said].max() <= 2 * quick.cover_error + 1e-12
        assert (near <= clear + 1e-12).all()
        assert (near[~true] >= clear[~true] - 2 * quick.cover_error - 1e-12).all()
        assert near[said].max() <= 0.0
        seen.append((int(said.sum()), quick.cover_error))
    assert seen[0] == (int(true.sum()), 0.0) == (int(true.sum()), exact.cover_error)
    assert seen[0][0] < seen[2][0] < seen[3][0] <= seen[4][0]
    assert seen[2][1] > 0.008  # the thin cylinder has a cover too
    assert np.isfinite(seen[4][1])


def test_what_covers_prove_is_so() -> None:
    """A line that is proved free by covers is proved free by the solids."""
    shapes, arm = links(), load_arm("puma560")
    mesh = MESHES["bracket"]
    block = Mesh(mesh.vertices, mesh.faces, position=(0.3, 0.2, 0.5))
    exact, quick = Checker(arm, [block], shapes), Checker(arm, [block], shapes, exact=False)
    low, high = arm.limits.T
    q = np.random.default_rng(10).uniform(low, high, (60, 2, arm.dof))
    proved = [Prover(quick).segments(line)[0] for line in q]
    sure = [Prover(exact).segments(line)[0] for line in q]
    assert all(there for there, here in zip(sure, proved, strict=True) if here)
    assert 0 < sum(proved) <= sum(sure) < len(q)


@pytest.mark.parametrize("tolerance", [-0.001, np.nan, "5 mm", True])
def test_a_tolerance_is_a_length(tolerance: object) -> None:
    with pytest.raises(DescriptionError, match=r"tolerance.*no length"):
        Checker("puma560", exact=False, tolerance=tolerance)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="no covers"):
        Checker("puma560", tolerance=0.005)


def test_every_pair_of_meshes_meets_its_bound_with_both_covered() -> None:
    """Meshes through each other and near each other, by coal."""
    random = np.random.default_rng(11)
    wrong = 0
    for a, b in combinations_with_replacement(MESHES.values(), 2):
        stated = cover_error(a, TOLERANCE) + cover_error(b, TOLERANCE)
        for _ in range(12):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = (
                rotation_exp(random.normal(size=3)),
                random.normal(size=3, scale=0.09),
            )
            placed = b.moved(T)
            true = witness(a, placed)
            said, apart = covered(a, placed, TOLERANCE)
            assert said if true == 0.0 else not said or true <= stated + 1e-9
            assert true - stated - 1e-7 <= apart <= true + 1e-7
            wrong += said and true > 0.0
    assert wrong > 0
