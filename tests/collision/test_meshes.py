"""Closed meshes are solids; what is no solid is refused with a reason; files of meshes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.collision import Bodies, contact, distance, hull, load_mesh, save_mesh
from armwerk.collision.mesh_check import checked_mesh
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Capsule, Cylinder, Mesh, Sphere, rotation_exp, transform
from collision_witness import cube_mesh, lumpy_mesh, random_shape


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    return Sphere(1.0, (x, y, z)).pose


def together(*meshes: Mesh) -> Mesh:
    """Return one mesh of several pieces."""
    corners = np.concatenate([mesh.vertices for mesh in meshes])
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]
    return Mesh(corners, np.concatenate(faces))


@pytest.mark.parametrize(
    "body",
    [
        Box((0.1, 0.1, 0.1), (0.2, 0.1, 0.3)),
        Sphere(0.1, (-0.2, 0.1, 0.0)),
        Capsule(0.05, 0.2, (0.1, 0.1, 0.1)),
        Cylinder(0.05, 0.2),
        cube_mesh(0.1),
    ],
    ids=lambda body: type(body).__name__,
)
def test_wholly_inside_is_contact(body: Box) -> None:
    assert contact(body, cube_mesh())
    assert contact(cube_mesh(), body)
    assert distance(cube_mesh(), body).value == 0.0
    assert contact(body, cube_mesh(inwards=True))
    assert not contact(body.moved(at(2)), cube_mesh())


def test_a_cavity_is_free() -> None:
    shell = together(cube_mesh(1.0), cube_mesh(0.8, inwards=True))
    assert not contact(Sphere(0.2), shell)
    assert not contact(cube_mesh(0.2), shell)
    assert distance(Sphere(0.2), shell).value == pytest.approx(0.2)
    assert contact(Sphere(0.01, (0.45, 0, 0)), shell)
    assert contact(cube_mesh(0.02).moved(at(0.45)), shell)


def test_every_piece_of_a_mesh_counts() -> None:
    pair = together(
        cube_mesh(0.1), Mesh(cube_mesh(0.1).vertices + np.array([5, 0, 0]), cube_mesh().faces)
    )
    for x in (0.0, -5.0):  # one piece inside the other mesh, the other one far away
        assert contact(pair.moved(at(x)), cube_mesh())
        assert contact(cube_mesh(), pair.moved(at(x)))
    assert not contact(pair.moved(at(2.5)), cube_mesh())


def test_inside_agrees_with_solid_angles() -> None:
    rng = np.random.default_rng(4)
    mesh = lumpy_mesh(rng, 0.4, 0.2)
    points = rng.uniform(-0.4, 0.4, (1500, 3))
    small = 1e-7
    expected = mesh.signed_distance(points)
    for point, value in zip(points, expected, strict=True):
        if abs(value) > 2 * small:
            assert contact(Sphere(small, point), mesh) == (value < 0)


def test_rays_along_edges_and_corners() -> None:
    """Points from which the first ray passes exactly through corners and edges of the mesh."""
    direction = np.array([0.5411961001, 0.7071067812, 0.4550898606])
    cube = cube_mesh()
    for corner in [*cube.vertices, (0.5, 0.0, 0.0), (0.5, 0.5, 0.0), (0.0, 0.5, 0.5)]:
        for step in (0.1, 0.3, 3.0):
            point = np.array(corner) - step * direction
            inside = bool((np.abs(point) < 0.5 - 1e-6).all())
            assert contact(Sphere(1e-9, point), cube) == inside


def test_convex_and_flat_answers_agree() -> None:
    """A box and the mesh of the same box are the same body to everything else."""
    rng = np.random.default_rng(6)
    for kind in ("box", "sphere", "capsule", "cylinder", "cone", "mesh"):
        hits = 0
        for _ in range(60):
            other = random_shape(kind, rng, 0.5)
            box = random_shape("box", rng, 0.2)
            assert isinstance(box, Box)
            twin = Mesh(
                cube_mesh().vertices * box.size, cube_mesh().faces, box.position, box.rotation
            )
            assert contact(other, box) == contact(other, twin)
            hits += contact(other, box)
            if distance(other, box).value > 0:
                assert distance(other, box).value == pytest.approx(
                    distance(other, twin).value, abs=1e-9
                )
        assert 0 < hits < 60


def test_refused_meshes() -> None:
    cube = cube_mesh(name="crate")
    with pytest.raises(DescriptionError, match=r"crate.*not closed at the edge from \["):
        Bodies([Mesh(cube.vertices, cube.faces[1:], name="crate")])
    flat = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]])
    with pytest.raises(DescriptionError, match="triangle 1 has no area"):
        checked_mesh(Mesh(flat, [[0, 1, 3], [0, 1, 2]]), closed=False)
    with pytest.raises(DescriptionError, match="has no area"):
        contact(Sphere(1), Mesh(cube.vertices * [1, 1, 0], cube.faces))
    with pytest.raises(DescriptionError, match="finite"):
        Mesh(np.full((4, 3), np.nan), [[0, 1, 2]])
    turned = cube.faces.copy()
    turned[0] = turned[0, ::-1]
    with pytest.raises(DescriptionError, match="not closed"):
        contact(Sphere(1), Mesh(cube.vertices, turned))


def test_hull_closes_and_contains() -> None:
    rng = np.random.default_rng(2)
    mesh = lumpy_mesh(rng, 0.3, 0.1)
    wrapped = hull(Mesh(mesh.vertices, mesh.faces[3:]))
    assert wrapped.is_closed
    assert wrapped.volume > mesh.volume > 0
    assert wrapped.signed_distance(mesh.vertices).max() < 1e-9
    with pytest.raises(DescriptionError, match="no volume"):
        hull(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))


def write_stl(triangles: Array, path: Path, binary: bool) -> None:
    triangles = triangles.astype(np.float32)
    if binary:
        body = b"".join(struct.pack("<12fH", 0, 0, 0, *corners.ravel(), 0) for corners in triangles)
        path.write_bytes(
            b"solid, though binary".ljust(80) + struct.pack("<I", len(triangles)) + body
        )
        return
    facets = []
    for corners in triangles:
        rows = "\n".join(f"   vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in corners)
        facets.append(f" facet normal 0 0 0\n  outer loop\n{rows}\n  endloop\n endfacet")
    path.write_text("solid it\n" + "\n".join(facets) + "\nendsolid it\n", encoding="utf-8")


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "text"])
def test_stl(binary: bool, tmp_path: Path) -> None:
    mesh = lumpy_mesh(np.random.default_rng(1), 300.0, 100.0)
    write_stl(mesh.triangles, tmp_path / "lump.stl", binary)
    found = load_mesh(tmp_path / "lump.stl", "mm", position=(1, 2, 3))
    assert found.name == "lump"
    assert found.is_closed
    assert len(found.faces) == len(mesh.faces)
    assert len(found.vertices) == len(mesh.vertices)
    assert found.volume == pytest.approx(mesh.volume * 1e-9, rel=1e-5)
    assert found.position == pytest.approx((1, 2, 3))


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "text"])
def test_slivers_that_became_lines_and_points_are_left_out(binary: bool, tmp_path: Path) -> None:
    mesh = lumpy_mesh(np.random.default_rng(2), 300.0, 100.0)
    a, b = mesh.triangles[3, :2]
    more = np.array([[a, a, b], [b, a, b], [a, a, a]])
    corners = np.concatenate([mesh.triangles[:5], more, mesh.triangles[5:]])
    write_stl(corners, tmp_path / "lump.stl", binary)
    found = load_mesh(tmp_path / "lump.stl", "mm")
    assert found.is_closed
    assert len(found.faces) == len(mesh.faces)
    assert found.volume == pytest.approx(mesh.volume * 1e-9, rel=1e-5)


def test_obj_round_trip_keeps_every_digit(tmp_path: Path) -> None:
    mesh = lumpy_mesh(np.random.default_rng(1), 0.3, 0.1)
    save_mesh(mesh, tmp_path / "lump.obj")
    found = load_mesh(tmp_path / "lump.obj", name=mesh.name or "lump")
    assert np.array_equal(found.vertices, mesh.vertices)
    assert np.array_equal(found.faces, mesh.faces)


def test_obj_with_polygons_and_relative_numbers(tmp_path: Path) -> None:
    corners = "\n".join(f"v {x} {y} {z}" for x, y, z in cube_mesh().vertices)
    text = f"# a cube\no cube\n{corners}\nvn 0 0 1\nf 1//1 3//1 4//1 2//1\nf -4 -3 -1 -2\n"
    text += "f 1 2 6 5\nf 3 7 8 4\nf 1/1 5/2 7/3 3/4\nf 2 4 8 6 # last\n"
    (tmp_path / "cube.obj").write_text(text)
    assert load_mesh(tmp_path / "cube.obj").volume == pytest.approx(1.0)


def test_nearly_equal_corners_are_joined(tmp_path: Path) -> None:
    cube = cube_mesh()
    noise = np.random.default_rng(0).uniform(-1e-8, 1e-8, (12, 3, 3))
    loose = (cube.triangles + noise + 0.123456).reshape(-1, 3)
    save_mesh(Mesh(loose, np.arange(36).reshape(-1, 3)), tmp_path / "loose.obj")
    assert load_mesh(tmp_path / "loose.obj").is_closed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "no whole triangles"),
        ("a.stl", b"solid x\nfacet\nvertex 0 0 nan\n", r"a.stl:3: vertex: not a point.*nan"),
        ("a.stl", b"solid x\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n", "a.stl:4.*three vertices"),
        ("a.stl", b"\x01" * 80 + struct.pack("<I", 9) + b"\x00" * 60, "534 bytes for the 9 tri"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", r"a.obj:2: face: no such vertex, got '2'"),
        ("a.obj", b"v 0 0\n", "a.obj:1: vertex: not a point"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj:3.*fewer than three"),
        ("a.obj", b"v 0 0 0\n", "has no faces"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not closed at the edge"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "no area"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 1\n", "every triangle has two corners in one place"),
        ("a.ply", b"ply", r"unknown ending.*\.ply"),
        ("a.obj", b"\xff\xfe\x00", "not a text"),
    ],
)
def test_bad_files(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DescriptionError, match=message):
        load_mesh(tmp_path / name)


def test_missing_file_and_unit(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="does not exist"):
        load_mesh(tmp_path / "none.stl")
    with pytest.raises(DescriptionError, match="unknown unit"):
        load_mesh(tmp_path / "none.stl", unit="furlong")


def test_inside_where_every_ray_meets_an_edge() -> None:
    """Each side of the cube has a sliver along its diagonal, which no ray can be sure about."""
    cube = cube_mesh()
    corners: list[Array] = list(cube.vertices)
    faces: list[list[int]] = []
    for k in range(0, len(cube.faces), 2):
        one, two = cube.faces[k].tolist(), cube.faces[k + 1].tolist()
        shared = sorted(set(one) & set(two))
        assert len(shared) == 2, "two triangles after each other are one side"
        third = next(corner for corner in two if corner not in shared)
        middle = cube.vertices[shared].mean(axis=0)
        corners.append(middle + 1e-10 * (cube.vertices[third] - middle))
        new = len(corners) - 1
        faces += [one, *([new if c == old else c for c in two] for old in two)]
    slivers = Mesh(np.array(corners), np.array(faces))
    places = np.random.default_rng(7).uniform(-0.49, 0.49, (60, 3))
    for k, place in enumerate(places):
        place[k % 3] = (-1.0, 1.0)[k % 2] * (0.5 - 10.0 ** -(k % 5))  # some next to a side
        assert contact(Sphere(1e-6, place), slivers)
        assert distance(Sphere(1e-6, place), slivers).value == 0.0
    assert not contact(Sphere(1e-3, (0.0, 0.0, 2.0)), slivers)


def test_a_corner_on_a_side_touches_wherever_the_mesh_leans() -> None:
    """A cube stands with one corner on top of another cube, in any position; both are meshes."""
    rng = np.random.default_rng(12)
    below = cube_mesh()
    for _ in range(60):
        turn = rotation_exp(rng.normal(size=3))
        turned = below.vertices @ turn.T
        corner = turned[turned[:, 2].argmin()]
        place = np.append(rng.uniform(-0.45, 0.45, 2), 0.5) - corner
        for lift, hit in ((-1e-6, True), (1e-6, False)):
            above = Mesh(below.vertices, below.faces, place + np.array([0.0, 0.0, lift]), turn)
            for pose in (np.eye(4), transform(turn, place)):
                one, two = below.moved(pose), above.moved(pose)
                assert contact(one, two) is hit
                assert contact(two, one) is hit
                if not hit:
                    assert distance(one, two).value == pytest.approx(lift, rel=1e-4)
