"""Scenes from mesh files: names, places, masses; every file against trimesh."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import trimesh

from armwerk.errors import ArmwerkError, DescriptionError, UnknownNameError
from armwerk.mobile import MobileScene, open_scene, read_mobile_scene
from armwerk.mobile.examples.khepera import SENSORS, khepera
from armwerk.mobile.examples.shapes import at, block, body, cylinder, eye, sphere
from armwerk.mobile.files.attributes import ObjectAttributes
from armwerk.mobile.files.group import MeshGroup, Triangulation
from armwerk.mobile.files.reading import read_groups
from armwerk.mobile.files.writing import glb_bytes, save_groups

GREY = (0.5, 0.5, 0.5)


def saved(folder: Path, *groups: MeshGroup, toml: str = "", name: str = "hall") -> Path:
    path = save_groups(groups, folder / f"{name}.glb")
    if toml:
        path.with_suffix(".toml").write_text(toml, encoding="utf-8")
    return path


def small_scene() -> list[MeshGroup]:
    return [
        body("wall", block(2.0, 0.1, 0.3, GREY), 0.0, 1.0, 0.0, 0.3),
        body("cylinder", cylinder(0.02, 0.04, GREY), 0.3, 0.2),
        khepera("robot1", 0.1, -0.2, 1.0),
        khepera("robot2", -0.3, 0.2, np.pi, gripper=True),
    ]


def test_trimesh_reads_the_same_scene_as_we_wrote() -> None:
    groups = small_scene()
    witness = trimesh.load_scene(io.BytesIO(glb_bytes(groups)), file_type="glb")
    ours = np.vstack([part.triangles(m)[0] for top in groups for part, m in top.walk()])
    low, high = ours.min(axis=0), ours.max(axis=0)
    # glTF has y up: x stays, y is our z, z is our -y
    np.testing.assert_allclose(witness.bounds[0], [low[0], low[2], -high[1]], atol=1e-6)
    np.testing.assert_allclose(witness.bounds[1], [high[0], high[2], -low[1]], atol=1e-6)
    assert {"wall", "cylinder", "robot1", "robot2", "hand_left"} <= set(witness.graph.nodes)


def test_objects_are_known_by_their_names(tmp_path: Path) -> None:
    scene = read_mobile_scene(saved(tmp_path, *small_scene()))
    assert [one.name for one in scene.bodies] == ["wall", "cylinder"]
    first, second = scene.robots
    assert first.gripper is None
    assert second.gripper is not None
    assert [hand.name for hand in second.gripper.hands] == ["hand_left", "hand_right"]
    assert second.gripper.opening == pytest.approx(0.04, abs=1e-6)
    assert [sensor.name for sensor in first.sensors] == list(SENSORS)
    assert scene.problems == ()


def test_sensors_look_along_the_normals_of_their_triangles(tmp_path: Path) -> None:
    robot = read_mobile_scene(saved(tmp_path, *small_scene())).robot("robot1")
    np.testing.assert_allclose(robot.pose[:3, 3], [0.1, -0.2, 0.0], atol=1e-7)
    assert np.arctan2(robot.pose[1, 0], robot.pose[0, 0]) == pytest.approx(1.0)
    for sensor in robot.sensors:
        angle = np.deg2rad(SENSORS[sensor.name])
        np.testing.assert_allclose(sensor.pose[:3, 0], [np.cos(angle), np.sin(angle), 0], atol=1e-5)
        np.testing.assert_allclose(np.linalg.det(sensor.pose), 1.0)


def test_unit_and_axis_of_the_file(tmp_path: Path) -> None:
    """A scene in decimetres is ten times smaller; a robot in it keeps its measures."""
    groups = [body("post", block(1.0, 2.0, 3.0, GREY), 5.0, 0.0), khepera("r", 1, 2, unit=0.1)]
    scene = read_mobile_scene(saved(tmp_path, *groups, toml="[scene]\nunit = 0.1\n"))
    post = scene.body("post")
    solid = post.solids[0]
    assert solid.volume == pytest.approx(0.006)
    np.testing.assert_allclose(post.pose[:3, 3], [0.5, 0, 0], atol=1e-7)
    assert np.ptp(scene.robots[0].solids[0].bounds, axis=0)[0] == pytest.approx(0.055, abs=1e-4)
    np.testing.assert_allclose(scene.robots[0].pose[:3, 3], [0.1, 0.2, 0.0], atol=1e-7)


@pytest.mark.parametrize("said", ['mass = "50 g"', "mass = 0.05", 'density = "1 g/cm³"', ""])
def test_mass_and_density_follow_from_each_other(tmp_path: Path, said: str) -> None:
    side = 0.05 ** (1 / 3) / 10  # a cube of 50 cm³
    toml = f'[objects.cube]\ntype = "movable"\n{said}\n'
    scene = read_mobile_scene(
        saved(tmp_path, body("cube", block(side, side, side, GREY), 0, 0), toml=toml)
    )
    assert scene.body("cube").mass == pytest.approx(0.05, rel=1e-6)


def test_trimesh_agrees_about_the_volume_of_a_ball(tmp_path: Path) -> None:
    ball = sphere(0.03, GREY)
    scene = read_mobile_scene(
        saved(tmp_path, body("ball", ball, 0, 0, 0.03), toml='[objects.ball]\ntype = "movable"\n')
    )
    volume = trimesh.Trimesh(ball.vertices, ball.faces).volume
    assert scene.body("ball").mass == pytest.approx(1000 * volume, rel=1e-6)


def test_a_mirrored_and_stretched_node_keeps_its_outside(tmp_path: Path) -> None:
    matrix = np.diag([-2.0, 1.0, 3.0, 1.0])
    scene = read_mobile_scene(saved(tmp_path, MeshGroup("a", matrix, block(1, 1, 1, GREY))))
    solid = scene.body("a").solids[0]
    assert solid.volume == pytest.approx(6.0)
    assert scene.problems == ()


@pytest.mark.parametrize("kind", ["gltf", "glb"])
def test_files_that_trimesh_writes(tmp_path: Path, kind: str) -> None:
    """The other way round: a tree of groups written by another hand, with buffers of its own."""
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((0.2, 0.3, 0.4)), node_name="box", geom_name="g1")
    hull = trimesh.creation.cylinder(0.03, 0.04)
    scene.graph.update(frame_to="rover", frame_from="world", matrix=np.eye(4))
    scene.add_geometry(hull, node_name="hull", geom_name="g2", parent_node_name="rover")
    look = trimesh.Trimesh([[0.03, 0, 0], [0.03, 0.01, 0], [0.03, 0, 0.01]], [[0, 1, 2]])
    scene.add_geometry(look, node_name="sensor1", geom_name="g3", parent_node_name="rover")
    path = tmp_path / f"w.{kind}"
    if kind == "gltf":
        for name, content in trimesh.exchange.gltf.export_gltf(scene).items():
            (tmp_path / (path.name if name.endswith(".gltf") else name)).write_bytes(content)
    else:
        path.write_bytes(trimesh.exchange.gltf.export_glb(scene))
    path.with_suffix(".toml").write_text('[scene]\nup = "z"\n', encoding="utf-8")
    read = read_mobile_scene(path)
    assert read.body("box").solids[0].volume == pytest.approx(0.024, rel=1e-6)
    assert [robot.name for robot in read.robots] == ["rover"]
    np.testing.assert_allclose(read.robots[0].sensors[0].pose[:3, 0], [1, 0, 0], atol=1e-7)


OBJ = """
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0.5 0.5 1
o pyramid
f 4 3 2 1
f 1/1/1 2/2/2 5
f 2//1 3//1 5
f -3 -2 -1
f 4 1 5
v 3 0 0.1
v 4 0 0.1
v 4 1 0.1
v 3 1 0.1
v 3.5 0.5 1
o rover
g hull
f 9 8 7 6
f 6 7 10
f 7 8 10
f 8 9 10
f 9 6 10
g sensor_1
f 7 8 10
g gripper hand_1
f 6 7 8 9
f 6 7 10
g gripper/hand_2
f 6 7 8 9
"""


def test_obj_files_have_groups_within_objects(tmp_path: Path) -> None:
    path = tmp_path / "hall.obj"
    path.write_text(OBJ, encoding="utf-8")
    _, rover = read_groups(path)
    assert [child.name for child in rover.children] == ["hull", "sensor_1", "gripper"]
    assert [child.name for child in rover.children[2].children] == ["hand_1", "hand_2"]
    scene = read_mobile_scene(path)
    assert scene.body("pyramid").solids[0].volume == pytest.approx(1 / 3)
    witness = trimesh.load_scene(path, split_objects=True, split_groups=True)
    assert witness.geometry["pyramid"].volume == pytest.approx(1 / 3)
    assert [robot.name for robot in scene.robots] == ["rover"]
    np.testing.assert_allclose(scene.robots[0].pose[:3, 3], [3.5, 0.5, 0.1])


def test_type_set_by_hand(tmp_path: Path) -> None:
    toml = '[objects.wall]\ntype = "robot"\n[objects.robot1]\ntype = "immovable"\n'
    scene = read_mobile_scene(saved(tmp_path, *small_scene(), toml=toml))
    assert [robot.name for robot in scene.robots] == ["wall", "robot2"]
    assert scene.body("robot1").is_group
    assert scene.problems == ("robot 'wall' has no sensors",)


def test_problems_are_told(tmp_path: Path) -> None:
    hand = block(0.03, 0.004, 0.014, GREY)
    one_handed = MeshGroup(
        "maimed",
        at(0.5, 0.5),
        cylinder(0.03, 0.03, GREY),
        (
            MeshGroup("sensor1", at(0.03, 0, 0.01), eye(0.004, GREY)),
            MeshGroup("sensor1", at(0.03, 0, 0.02), eye(0.004, GREY)),
            MeshGroup("sensor2", at(0.03, 0, 0.02), block(0.01, 0.01, 0.01, GREY)),
            MeshGroup("gripper", np.eye(4), None, (MeshGroup("hand_1", at(0.05, 0.02), hand),)),
        ),
    )
    sheet = Triangulation(np.eye(3), np.array([[0, 1, 2]]))
    box = block(0.1, 0.1, 0.1, GREY)
    groups = [
        one_handed,
        MeshGroup("open", at(9, 9), Triangulation(box.vertices, box.faces[1:])),
        MeshGroup("sheet", np.eye(4), sheet),
        MeshGroup("inverted", at(3, 3), Triangulation(box.vertices, box.faces[:, ::-1])),
        MeshGroup("", at(5, 5), block(0.1, 0.1, 0.1, GREY)),
        MeshGroup("sheet", at(6, 6), block(0.1, 0.1, 0.1, GREY)),
        MeshGroup("empty", np.eye(4)),
    ]
    scene = read_mobile_scene(saved(tmp_path, *groups))
    told = "\n".join(scene.problems)
    for words in (
        "has one hand instead of two",
        "several sensors 'sensor1'",
        "'sensor2' of robot 'maimed' looks nowhere",
        "'sheet' is flat; it is made 5 mm thick",
        "'open' has holes",
        "'inverted' was inside out",
        "object 5 of the file has no name; it is called 'object 5'",
        "several objects are called 'sheet'; one is called 'sheet_2'",
        "'empty' holds no triangles",
    ):
        assert words in told
    assert scene.robots[0].gripper is None
    assert scene.body("inverted").solids[0].volume > 0
    # the face stays where it was, and what was added is behind it
    slab = scene.body("sheet").solids[0]
    assert slab.volume == pytest.approx(0.005 * np.sqrt(3) / 2)
    assert slab.contains([0.332, 0.332, 0.332])
    assert not slab.contains([0.34, 0.34, 0.34])


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[scene]\nunti = 1\n", "did you mean 'unit'"),
        ("[scene]\nunit = 0\n", "scene, unit: out of range, got 0"),
        ('[scene]\nup = "x"\n', "allowed: y, z"),
        ('[objects.wal]\ntype = "movable"\n', "did you mean 'wall'"),
        ('[objects.wall]\ntype = "moveable"\n', "allowed: immovable, movable, robot"),
        ('[objects.cylinder]\ntype = "movable"\nmass = -1\n', "object 'cylinder', mass"),
        ('[objects.cylinder]\nmass = "3 lb"\n', "kg, g"),
        ("[objects.cylinder]\nmass = 1\ndensity = 2\n", "both a mass and a density"),
        ("[objects.cylinder]\nfriction = 1.5\n", "allowed: 0 to 1"),
        ('[objects.cylinder]\nprogram = "wall follower"\n', "is no robot"),
        ('[objects.robot1.base]\nkind = "tracks"\n', "allowed: differential, four wheels, omni"),
        ("[objects.robot1.base]\nradius = 1\n", "wheel_radius"),
        ("[objects.robot1.sensors]\nreach = -1\n", "robot 'robot1', sensors, reach"),
        ("[objects.robot1.gripper]\nforce = 1\n", "has no gripper"),
        ('[[goals]]\nname = "left"\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\nbodies = ["bal"]\n', "bal"),
        ("[[goals]]\nlow = [0, 0, 0]\n", "goal 1, high"),
        ("[objects.robot2]\nposition = [0.11, -0.2, 0]\n", "stand in one another"),
        ("[scene\n", "is no TOML"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, toml: str, words: str) -> None:
    path = saved(tmp_path, *small_scene(), toml=toml)
    with pytest.raises(ArmwerkError) as caught:
        read_mobile_scene(path)
    assert words in str(caught.value)
    assert "hall" in str(caught.value)


def test_a_group_is_refused_as_movable_with_the_reason(tmp_path: Path) -> None:
    pair = MeshGroup(
        "pair",
        np.eye(4),
        None,
        (body("a", block(1, 1, 1, GREY), 0, 0), body("b", block(1, 1, 1, GREY), 3, 0)),
    )
    other = body("other", block(1, 1, 1, GREY), 0, 5)
    assert read_mobile_scene(saved(tmp_path, pair, other)).body("pair").is_group
    with pytest.raises(DescriptionError, match="group of several objects and cannot be movable"):
        read_mobile_scene(saved(tmp_path, pair, other, toml='[objects.pair]\ntype = "movable"\n'))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.glb", b"", "is no GLB file"),
        ("a.glb", b"glTF\x01\0\0\0" + b"\0" * 20, "another version of glTF"),
        ("a.glb", glb_bytes([body("a", block(1, 1, 1, GREY), 0, 0)])[:-40], "triangles cannot"),
        ("a.glb", glb_bytes([]), "holds no triangles"),
        ("a.gltf", b"{}", "holds no scene"),
        ("a.gltf", b'{"scenes": [{"nodes": [0]}], "nodes": [{"children": [0]}]}', "holds itself"),
        ("a.gltf", b'{"scenes": [{"nodes": [7]}], "nodes": [{}]}', "does not exist, got 7"),
        ("a.gltf", b"[" * 100_000, "nested too deeply"),
        ("a.gltf", b"\xff\xfe", "is no UTF-8"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n", "a.obj:3"),
        ("a.obj", b"v 0 0 nan\n", "not finite"),
        ("a.obj", b"v 0 zero 0\n", "a.obj:1"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "three vertices"),
        ("a.obj", b"hello\n", "is no line of an OBJ file"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\no line\nf 1 2 3\n", "no triangle with an area"),
        ("a.stl", b"solid", "allowed: .glb, .gltf, .obj"),
    ],
)
def test_broken_files_are_refused_clearly(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DescriptionError) as caught:
        read_mobile_scene(path)
    assert words in str(caught.value)
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"nowhere\.glb.*cannot be read"):
        read_mobile_scene(tmp_path / "nowhere.glb")


def _mutated(content: bytes, draw: np.random.Generator) -> bytes:
    """Return a file with a few bytes changed, cut out, doubled or cut off."""
    data = bytearray(content)
    for _ in range(int(draw.integers(1, 6))):
        place = int(draw.integers(0, len(data)))
        way = int(draw.integers(0, 5))
        if way == 0:
            data[place] = int(draw.integers(0, 256))
        elif way == 1:
            del data[place : place + int(draw.integers(1, 60))]
        elif way == 2:
            data[place:place] = data[place : place + int(draw.integers(1, 60))]
        elif way == 3:
            data[place] ^= 1 << int(draw.integers(0, 8))
        elif len(data) > 40:
            del data[max(place, 40) :]
        if not data:
            return b""
    return bytes(data)


TOML = """[scene]
name = "hall"
unit = 1.0
step = 0.05
[objects.cylinder]
type = "movable"
mass = "20 g"
friction = 0.5
[objects.robot1]
program = "wall follower"
base = { kind = "differential", track = 0.05 }
sensors = { reach = 0.2, deviation = 0.001 }
[[goals]]
name = "left"
low = [0.0, 0.0, 0.0]
high = [1.0, 1.0, 1.0]
bodies = ["cylinder"]
"""


def _mutations(folder: Path, seed: int, count: int) -> int:
    """Read mutated scene files; whatever comes is a scene or an error of ours."""
    draw = np.random.default_rng(seed)
    glb = glb_bytes(small_scene())
    refused = 0
    for index in range(count):
        kind = ("glb", "obj", "toml")[index % 3]
        mesh = folder / ("m.obj" if kind == "obj" else "m.glb")
        content = {"glb": glb, "obj": OBJ.encode(), "toml": glb}[kind]
        toml = TOML.encode() if kind != "obj" else b""
        if kind == "toml":
            toml = _mutated(toml, draw)
        else:
            content = _mutated(content, draw)
        mesh.write_bytes(content)
        mesh.with_suffix(".toml").write_bytes(toml)
        try:
            assert isinstance(read_mobile_scene(mesh), MobileScene)
        except ArmwerkError as error:
            refused += len(str(error)) > 20
    return refused


def test_mutated_files_give_a_scene_or_a_clear_error(tmp_path: Path) -> None:
    assert _mutations(tmp_path, 1, 120) > 30


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_thousand_mutated_files(tmp_path: Path, seed: int) -> None:
    assert _mutations(tmp_path, seed, 120) > 30


def test_open_scene_tells_an_unknown_object(tmp_path: Path) -> None:
    file = open_scene(saved(tmp_path, *small_scene()))
    with pytest.raises(UnknownNameError, match="robot1"):
        file.scene({"robot": ObjectAttributes(friction=0.5)})
