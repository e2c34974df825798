"""Solids from URDF files, placed for random joint values, against pinocchio's geometry model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.collision import ArmShapes, Checker, load_shapes, save_mesh
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from armwerk.planning import cspace
from armwerk.robot import Arm, load, load_arm
from collision_witness import cube_mesh, lumpy_mesh

MESHES = {"lump": "package://some_arm/meshes/lump.obj", "cube": "meshes/cube.obj"}


def origin(rng: np.random.Generator) -> str:
    x, r = rng.uniform(-0.4, 0.4, 3), rng.uniform(-3, 3, 3)
    return f'<origin xyz="{x[0]} {x[1]} {x[2]}" rpy="{r[0]} {r[1]} {r[2]}"/>'


def geometry(rng: np.random.Generator) -> str:
    a, b, c = rng.uniform(0.02, 0.3, 3)
    return (
        f'<box size="{a} {b} {c}"/>',
        f'<cylinder radius="{a}" length="{b}"/>',
        f'<sphere radius="{a}"/>',
        f'<mesh filename="{MESHES["lump"]}" scale="{a} {b} {-c}"/>',
        f'<mesh filename="{MESHES["cube"]}"/>',
    )[rng.integers(5)]


def random_urdf(seed: int) -> str:
    """Return a chain of links with fixed joints in between and branches at its sides."""
    rng = np.random.default_rng(seed)
    links, joints = ["root"], []
    last = "root"

    def add(parent: str, kind: str) -> str:
        name = f"l{len(links)}"
        links.append(name)
        axis = rng.normal(size=3)
        joints.append(
            f'<joint name="j{name}" type="{kind}">{origin(rng)}<parent link="{parent}"/>'
            f'<child link="{name}"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
            '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        )
        return name

    for _ in range(rng.integers(3, 6)):
        last = add(last, str(rng.choice(["revolute", "prismatic", "continuous"])))
        if rng.random() < 0.5:
            last = add(last, "fixed")
        if rng.random() < 0.5:
            add(add(last, "fixed"), "revolute")
    body = ""
    for name in links:
        count = rng.integers(0, 3) if name != "root" else 1
        solids = "".join(
            f"<collision>{origin(rng) if rng.random() < 0.8 else ''}"
            f"<geometry>{geometry(rng)}</geometry></collision>"
            for _ in range(count)
        )
        body += f'<link name="{name}">{solids}</link>\n'
    return f'<robot name="some_arm">\n{body}{"".join(joints)}</robot>'


def written(folder: Path, text: str) -> Path:
    """Write a URDF in a package with two meshes; return its file."""
    package = folder / "some_arm"
    (package / "urdf" / "meshes").mkdir(parents=True)
    (package / "meshes").mkdir()
    lump = lumpy_mesh(np.random.default_rng(0), 1.0, 0.5)
    save_mesh(lump, package / "meshes" / "lump.obj")
    save_mesh(cube_mesh(0.3), package / "urdf" / "meshes" / "cube.obj")
    path = package / "urdf" / "arm.urdf"
    path.write_text(text)
    return path


def same(ours: Shape, theirs: pin.GeometryObject, T: pin.SE3) -> None:
    """Both are the same solid at the same place."""
    form = theirs.geometry
    if isinstance(ours, Mesh):
        corners = np.array([form.vertices(k) for k in range(form.num_vertices)])
        world = corners @ T.rotation.T + T.translation
        own = ours.vertices[np.unique(ours.faces)] @ ours.rotation.T + ours.position
        for points, others in ((world, own), (own, world)):
            gaps = np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1)
            assert gaps.max() < 1e-6  # pinocchio reads single precision
        assert ours.volume > 0
        return
    np.testing.assert_allclose(ours.position, T.translation, atol=1e-9)
    if isinstance(ours, Box):
        np.testing.assert_allclose(ours.size, 2 * form.halfSide, atol=1e-12)
        np.testing.assert_allclose(ours.rotation, T.rotation, atol=1e-9)
    elif isinstance(ours, Sphere):
        assert ours.radius == pytest.approx(form.radius)
    else:
        assert isinstance(ours, Cylinder)
        assert (ours.radius, ours.length) == pytest.approx((form.radius, 2 * form.halfLength))
        np.testing.assert_allclose(ours.rotation[:, 2], T.rotation[:, 2], atol=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_every_solid_is_where_pinocchio_puts_it(seed: int, tmp_path: Path) -> None:
    path = written(tmp_path, random_urdf(seed))
    arm = load(path)
    shapes = ArmShapes.from_urdf(path)
    assert shapes.arm == arm
    model = pin.buildModelFromUrdf(str(path))
    folders = [str(tmp_path), str(path.parent)]
    kind = pin.GeometryType.COLLISION
    solids = pin.buildGeomFromUrdf(model, str(path), kind, package_dirs=folders)
    assert len(shapes) == len(solids.geometryObjects) > 0
    data, places = model.createData(), pin.GeometryData(solids)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        q = rng.uniform(-1.5, 1.5, arm.dof)
        full = pin.neutral(model)
        for joint, value in zip(arm.moving, q, strict=True):
            place = model.joints[model.getJointId(joint.name)]
            turns = place.nq == 2  # endless joints are kept as cosine and sine
            full[place.idx_q : place.idx_q + place.nq] = (
                (np.cos(value), np.sin(value)) if turns else value
            )
        pin.updateGeometryPlacements(model, data, solids, places, full)
        ours: dict[str, list[Shape]] = {}
        for shape in shapes.at(q):
            ours.setdefault(shape.name.split(".")[0], []).append(shape)
        for n, theirs in enumerate(solids.geometryObjects):
            link, number = theirs.name.rsplit("_", 1)
            same(ours[link][int(number)], theirs, places.oMg[n])


ONE = """<robot name="one">
<link name="root"/>
<link name="arm">
  <collision><origin xyz="0.2 0 0"/><geometry>{form}</geometry></collision>
</link>
<joint name="turn" type="revolute"><parent link="root"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<link name="tip"/>
<joint name="bend" type="revolute"><origin xyz="0.4 0 0"/><parent link="arm"/><child link="tip"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""


def quick(arm: Arm) -> Arm:
    """Return an arm whose joints have accelerations."""
    joints = [replace(j, max_velocity=1.0, max_acceleration=5.0, max_jerk=50.0) for j in arm.joints]
    return Arm(tuple(joints), arm.name, arm.base, arm.tool)


def one(folder: Path, form: str) -> Path:
    path = folder / "one.urdf"
    path.write_text(ONE.format(form=form))
    return path


def test_shapes_of_a_file_are_used_wherever_it_is_named(tmp_path: Path) -> None:
    """A box of 0.4 m along the first link touches at 0.19 m sidewards, a made capsule does not."""
    path = one(tmp_path, '<box size="0.4 0.4 0.1"/>')
    beside = [Sphere(0.01, (0.2, 0.205, 0.0))]
    assert Checker(path, beside).contact([0.0, 0.0])
    assert Checker(load(path), beside).contact([0.0, 0.0])  # it remembers its file
    assert Checker(str(path), beside).shapes[0].names == ("arm",)
    assert cspace(path, beside, shape=(4, 4)).parts == ("arm",)
    assert aw.find_path(path, [], [0.0, 0.0], [1.0, 0.0]).q.shape[1] == 2
    t = aw.ptp(aw.model(quick(load_arm(path))), [0.0, 0.0], [1.0, 0.0])
    assert not aw.check(t, path, beside).free
    plain = one(tmp_path, '<box size="0.4 0.4 0.1"/>')
    text = plain.read_text().replace("<collision>", "<visual>").replace("</collision>", "</visual>")
    plain.write_text(text)
    assert isinstance(load_shapes(plain).shapes[0], Box)  # what is seen has to do
    with pytest.raises(DescriptionError, match=r"one.urdf: arm 'one': no link has a collision"):
        ArmShapes.from_urdf(plain)


def test_another_tool_is_fine_another_arm_is_not(tmp_path: Path) -> None:
    path = one(tmp_path, '<sphere radius="0.1"/>')
    tool = np.eye(4)
    tool[0, 3] = 0.3
    arm = load_arm(path).with_tool(tool)
    assert ArmShapes.from_urdf(path, arm).arm is arm
    with pytest.raises(DescriptionError, match="arm 'ur5e': it has 6 moving joints, the file 2"):
        ArmShapes.from_urdf(path, load("ur5e"))
    with pytest.raises(DescriptionError, match="its axis 'q2' is not that of 'bend'"):
        ArmShapes.from_urdf(path, load("planar_rr"))


def test_a_mesh_that_is_open_becomes_its_hull(tmp_path: Path) -> None:
    cube = cube_mesh(0.2)
    save_mesh(Mesh(cube.vertices, cube.faces[:-1]), tmp_path / "open.obj")
    path = one(tmp_path, '<mesh filename="open.obj" scale="1 2 1"/>')
    (shape,) = ArmShapes.from_urdf(path)
    assert isinstance(shape, Mesh)
    assert shape.is_closed
    assert shape.volume == pytest.approx(2 * 0.2**3)
    with pytest.raises(DescriptionError, match=r"open.obj: .*not closed at the edge"):
        ArmShapes.from_urdf(path, hulls=False)
    flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
    (tmp_path / "open.obj").write_text(flat)
    with pytest.raises(DescriptionError, match="has no volume"):
        ArmShapes.from_urdf(path)


def test_packages_are_found_around_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "robots" / "urdf"
    (tmp_path / "solids" / "stl").mkdir(parents=True)
    folder.mkdir(parents=True)
    save_mesh(cube_mesh(0.2), tmp_path / "solids" / "stl" / "cube.obj")
    path = one(folder, '<mesh filename="package://solids/stl/cube.obj"/>')
    assert len(ArmShapes.from_urdf(path)) == 1
    there = (tmp_path / "solids" / "stl" / "cube.obj").absolute()
    assert len(ArmShapes.from_urdf(one(folder, f'<mesh filename="file://{there}"/>'))) == 1
    path = one(folder, '<mesh filename="../../solids/stl/cube.obj"/>')
    assert len(ArmShapes.from_urdf(path)) == 1


def test_flat_triangles_do_not_hinder_a_hull(tmp_path: Path) -> None:
    """Text STL with a triangle of two equal corners, as many programs write them."""
    lines = ["solid s"]
    cube = cube_mesh(0.2)
    triangles = [*cube.triangles.tolist(), [[0, 0, 0], [0, 0, 0], [0.01, 0, 0]]]
    for corners in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x} {y} {z}" for x, y, z in corners]
        lines += ["endloop", "endfacet"]
    (tmp_path / "flat.stl").write_text("\n".join([*lines, "endsolid"]))
    (shape,) = ArmShapes.from_urdf(one(tmp_path, '<mesh filename="flat.stl"/>'))
    assert shape.volume == pytest.approx(0.2**3)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ('<box size="0.1 0.2"/>', r"one.urdf:4: .*box.*three numbers"),
        ('<box size="0.1 0.2 0"/>', r"one.urdf:4: link 'arm'.*size"),
        ('<box size="0.1 0.2 nan"/>', r"one.urdf:4: .*finite"),
        ('<sphere radius="-1"/>', r"one.urdf:4: link 'arm'.*radius"),
        ('<cylinder radius="0.1"/>', r"one.urdf:4: .*length"),
        ("<cube/>", r"one.urdf:4: .*no geometry of a known form.*cube.*box, cylinder"),
        ("", r"one.urdf:4: .*no geometry of a known form"),
        ('<mesh filename="no.stl"/>', r"one.urdf:4: .*mesh file does not exist, got 'no.stl'"),
        ('<mesh filename="package://x/no.stl"/>', r"one.urdf:4: .*mesh file does not exist"),
        ('<mesh filename="http://x/no.stl"/>', r"one.urdf:4: .*cannot be fetched"),
        ('<mesh filename="cube.obj" scale="1 0 1"/>', r"one.urdf:4: .*flattens the mesh"),
        (
            '<mesh filename="cube.ply"/>',
            r"cube.ply: link 'arm'.*unknown ending.*\.stl, \.obj, \.dae",
        ),
        ('<mesh filename="cut.stl"/>', r"cut.stl: link 'arm'.*cut short"),
        ('<mesh filename="${x}"/>', r"one.urdf:4: .*xacro not expanded"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(form: str, words: str, tmp_path: Path) -> None:
    save_mesh(cube_mesh(0.2), tmp_path / "cube.obj")
    (tmp_path / "cube.ply").write_text("<COLLADA/>")
    (tmp_path / "cut.stl").write_bytes(b"\0" * 80 + b"\x0c\0\0\0" + b"\0" * 70)
    with pytest.raises(DescriptionError, match=words):
        ArmShapes.from_urdf(one(tmp_path, form))


def test_shapes_are_saved_and_loaded(tmp_path: Path) -> None:
    arm = load("puma560")
    given: dict[str, list[Shape]] = {
        "base": [Box((0.3, 0.3, 0.1))],
        "link1": [Cylinder(0.1, 0.3, (0.0, 0.1, 1 / 3), name="drum")],
        "link2": [lumpy_mesh(np.random.default_rng(0), 0.3, 0.1), cube_mesh(0.1)],
        "tool": [Capsule(0.02, 0.1)],
    }
    shapes = ArmShapes(arm, given)
    file = tmp_path / "solids.toml"
    shapes.save(file)
    again = ArmShapes.load(file, arm)
    assert (again.frames, again.shapes, again.names) == (shapes.frames, shapes.shapes, shapes.names)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["solids.toml", "solids_2.obj"]
    with pytest.raises(DescriptionError, match=r"solids.toml:2: arm: .*another arm, got 'puma560'"):
        ArmShapes.load(file, load("ur5e"))
    for old, new, words in (
        ('link = "base"', 'link = "bass"', r"solids.toml:5: shape 1, link: no such link.*'bass'"),
        ('link = "base"', "", r"solids.toml:4: shape 1, link: missing"),
        ("size = [0.3, 0.3, 0.1]", "size = [0.3, 0, 0.1]", r"solids.toml:7: shape 1, .*size"),
        ('kind = "box"', 'kind = "half_space"', r"solids.toml"),
        ('kind = "arm shapes"', 'kind = "bodies"', r"solids.toml:1: kind: wrong kind of file"),
        ("solids_2.obj", "../x.obj", r"solids.toml:\d+: .*leads out of the folder"),
        ("solids_2.obj", "gone.obj", r"gone.obj: .*does not exist"),
    ):
        text = file.read_text()
        (tmp_path / "bad").mkdir(exist_ok=True)
        bad = tmp_path / "bad" / "solids.toml"
        bad.write_text(text.replace(old, new, 1))
        with pytest.raises(DescriptionError, match=words):
            ArmShapes.load(bad, arm)


def test_command_line_takes_shapes(tmp_path: Path) -> None:
    path = one(tmp_path, '<box size="0.4 0.4 0.1"/>')
    aw.Bodies([Sphere(0.01, (0.2, 0.205, 0.0))]).save(tmp_path / "cell.toml")
    ArmShapes(load(path), {"link2": [Sphere(0.1, name="ball")]}).save(tmp_path / "solids.toml")
    plain = ["cspace", str(path), "--bodies", str(tmp_path / "cell.toml"), "--shape", "8x8"]
    runner = CliRunner()
    for more, parts in (
        ([], ["arm"]),
        (["--shapes", str(tmp_path / "solids.toml")], ["ball"]),
        (["--shapes", "links"], ["link1", "link2"]),
    ):
        result = runner.invoke(app, [*plain, "--json", *more])
        assert result.exit_code == 0, result.output
        assert json.loads(result.output)["parts"] == parts
    way = ["plan", "--bodies", str(tmp_path / "cell.toml"), "--from", "0 0", "--to", "60 0"]
    bad = runner.invoke(app, [*way, str(path)])
    assert bad.exit_code == 1, "the box of the file is in contact at the start"
    assert "start is in contact: arm touches sphere0" in bad.output
    quick(load_arm(path)).save(tmp_path / "one.toml")  # a URDF has no accelerations
    solids = ["--shapes", str(tmp_path / "solids.toml")]
    good = runner.invoke(app, [*way, str(tmp_path / "one.toml"), *solids])
    assert good.exit_code == 0, good.output
    spread = ["reach", str(path), *plain[2:4], "--samples", "500", "--contact", "exact", "--json"]
    shares = [
        json.loads(runner.invoke(app, [*spread, *more]).output)["touching"]
        for more in ([], ["--shapes", "links"])
    ]
    assert shares[0] > shares[1]


def test_pairs_that_an_srdf_allows_to_touch_are_left_out(tmp_path: Path) -> None:
    """Three links folded so that the last lies on the first."""
    parts = ['<robot name="fold"><link name="l0"/>']
    for n in (1, 2, 3):
        form = '<collision><origin xyz="0.15 0 0"/><geometry><box size="0.25 0.1 0.1"/></geometry>'
        parts.append(
            f'<link name="l{n}">{form}</collision></link><joint name="j{n}" type="revolute">'
            f'<parent link="l{n - 1}"/><child link="l{n}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{0.3 * (n > 1)} 0 0"/><limit lower="-3" upper="3" velocity="1"/></joint>'
        )
    path = tmp_path / "fold.urdf"
    path.write_text("".join([*parts, "</robot>"]), encoding="utf-8")
    folded, straight = [0.0, 2.6, 2.6], [0.0, 0.0, 0.0]
    checker = Checker(path)
    assert checker.contacts([folded, straight]).tolist() == [True, False]
    path.with_suffix(".srdf").write_text(
        '<robot name="fold"><disable_collisions link1="l3" link2="l1"/></robot>', encoding="utf-8"
    )
    assert not Checker(load(path)).contact(folded)
    assert ArmShapes.from_urdf(path).touching == {(0, 2)}
