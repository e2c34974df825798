"""Arms in the studio by every name that the command line takes, with the meshes of their links."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from viewer import Viewer, studio

import armwerk as aw
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.protocol.configuring import (
    ArmChoices,
    ListArms,
    LookAtArm,
    OpenArm,
    OpenedArm,
    PoseArm,
    PosedArm,
    SeenArm,
)
from armwerk.protocol.staging import ArmStaged, PoseStage, StageArm, StagePosed
from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.studio.arm_sources import arm_source
from armwerk.studio.desks.arm import ArmDesk
from armwerk.studio.desks.stages import StageDesk, Stages

TWO = """<robot name="two">
  <link name="base"/><link name="up"/>
  <link name="left"><visual><geometry><mesh filename="left.obj"/></geometry></visual></link>
  <link name="right"><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="up"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="l" type="revolute"><parent link="up"/><child link="left"/><origin xyz="0.3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="r" type="prismatic"><parent link="up"/><child link="right"/>
    <origin xyz="0.3 0.1 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
</robot>"""
CORNERS = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="far" value="0.25"/><link name="foot"/><link name="top"/>
  <joint name="lift" type="prismatic"><parent link="foot"/><child link="top"/>
    <origin xyz="0 0 ${2 * far}"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>"""
MJCF = """<mujoco model="small"><compiler meshdir="{folder}"/><asset>
  <mesh name="wedge" file="{file}"/></asset><worldbody><body name="first" pos="0 0 0.2">
  <joint name="turn" axis="0 0 1" range="-1 1" limited="true"/><geom type="mesh" mesh="wedge"/>
  <site name="grip" pos="0.2 0 0"/></body></worldbody></mujoco>"""


@pytest.fixture
def folder(tmp_path: Path) -> StudioFolder:
    inner = tmp_path / "inner"
    (inner / "meshes").mkdir(parents=True)
    (inner / "left.obj").write_text(CORNERS, encoding="utf-8")
    (inner / "meshes" / "wedge.obj").write_text(CORNERS, encoding="utf-8")
    (tmp_path / "wedge.obj").write_text(CORNERS, encoding="utf-8")
    (inner / "two.urdf").write_text(TWO, encoding="utf-8")
    (inner / "made.urdf.xacro").write_text(XACRO, encoding="utf-8")
    (inner / "small.xml").write_text(MJCF.format(folder="meshes", file="wedge.obj"))
    return StudioFolder(inner)


def seen_as(folder: StudioFolder, name: str) -> tuple[SeenArm, PosedArm]:
    """Open an arm, look at it, and have it stand at zero."""
    desk = ArmDesk(folder)
    opened = desk.obey(OpenArm(name))
    assert isinstance(opened, OpenedArm)
    assert opened.file == name
    seen = desk.obey(LookAtArm(opened.text, "", opened.file))
    assert isinstance(seen, SeenArm)
    assert seen.problems == ()
    q = (0.0,) * len(seen.motors)
    posed = desk.obey(PoseArm(opened.text, "", q, (), solutions=False))
    assert isinstance(posed, PosedArm)
    return seen, posed


def numbers(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


@pytest.mark.parametrize(
    ("name", "joints", "kinds"),
    [
        ("two.urdf#left", ["a", "l"], ["mesh"]),
        ("two.urdf#up..right", ["r"], ["box"]),
        ("two.urdf#right", ["a", "r"], ["box"]),
        ("small.xml", ["turn"], ["mesh"]),
        ("small.xml#grip", ["turn"], ["mesh"]),
    ],
)
def test_a_tip_behind_a_file_is_the_arm_and_its_links_are_seen(
    folder: StudioFolder, name: str, joints: list[str], kinds: list[str]
) -> None:
    seen, posed = seen_as(folder, name)
    assert [motor.name for motor in seen.motors] == joints
    assert seen.note == ""
    assert seen.geometry is not None
    assert {*kinds} <= {solid.kind for solid in seen.geometry.solids}
    place = aw.model(f"{folder.root}/{name}", ik="numeric").fk([0.0] * len(joints))[:3, 3]
    np.testing.assert_allclose(posed.tool[:3], place, atol=1e-12)


def test_xacro_is_opened_and_never_saved(folder: StudioFolder) -> None:
    pytest.importorskip("xacro")
    _, posed = seen_as(folder, "made.urdf.xacro")
    np.testing.assert_allclose(posed.tool[:3], [0.0, 0.0, 0.5], atol=1e-12)
    for name in ("mine.urdf", "mine.xml", "mine.toml"):
        with pytest.raises(DescriptionError, match="xacro runs expressions"):
            folder.write(name, XACRO)
        assert not (folder.root / name).exists()
    with pytest.raises(DescriptionError, match="not below the folder"):
        folder.write("mine.xacro", "<robot/>")


def test_a_tree_with_two_ends_says_which_there_are(folder: StudioFolder) -> None:
    with pytest.raises(DescriptionError, match=r"left \(2 joints\), right \(2 joints\)"):
        ArmDesk(folder).obey(OpenArm("two.urdf"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../two.urdf#left", "not below the folder"),
        ("/etc/passwd", "neither an arm"),
        ("gone.urdf#left", "not found"),
        ("two.urdf#nothing", "no such link"),
        ("two\x00.urdf", "neither an arm"),
        ("", "neither an arm"),
        ("two.urdf#" + "x" * 5000, "no such link"),
        ("numpy:../../etc/passwd", "numpy"),
    ],
)
def test_names_that_are_none(folder: StudioFolder, name: str, words: str) -> None:
    with pytest.raises((DescriptionError, UnknownNameError), match=words):
        ArmDesk(folder).obey(OpenArm(name))


@pytest.mark.parametrize(
    ("between", "file"),
    [("..", "wedge.obj"), ("meshes", "../../wedge.obj"), ("meshes", "/etc/wedge.obj")],
)
def test_meshes_that_mujoco_would_read_elsewhere_are_refused(
    folder: StudioFolder, between: str, file: str
) -> None:
    (folder.root / "small.xml").write_text(MJCF.format(folder=between, file=file))
    with pytest.raises(DescriptionError, match="not below the folder"):
        arm_source("small.xml", folder)
    (folder.root / "outer.xml").write_text('<mujoco><include file="small.xml"/></mujoco>')
    with pytest.raises(DescriptionError, match="not below the folder"):
        arm_source("outer.xml", folder)


def test_packages_are_listed_and_their_robots_shown_with_collada_meshes(tmp_path: Path) -> None:
    pytest.importorskip("rtbdata")
    pytest.importorskip("xacro")
    folder = StudioFolder(tmp_path)
    listed = ArmDesk(folder).obey(ListArms())
    assert isinstance(listed, ArmChoices)
    names = [one.name for one in listed.choices if one.group == "Package rtb-data"]
    assert "rtb-data:panda_arm" in names
    seen, _ = seen_as(folder, "rtb-data:panda_arm")
    assert seen.note == ""
    assert seen.geometry is not None
    meshes = [solid for solid in seen.geometry.solids if solid.kind == "mesh"]
    assert {solid.body for solid in meshes} >= {-1, 0, 1, 2, 3, 4, 5, 6}
    corners = np.array(meshes[0].triangles).reshape(-1, 3)
    assert 0.1 < float(np.ptp(corners, axis=0).max()) < 0.5  # metres, as its file says
    with pytest.raises(UnknownNameError, match="irb140"):
        ArmDesk(folder).obey(OpenArm("rtb-data:irb141"))
    with pytest.raises(UnsupportedError, match="pip install"):
        ArmDesk(folder).obey(OpenArm("no-such-package:arm"))


def test_motions_and_maps_take_the_same_names(folder: StudioFolder) -> None:
    desk = StageDesk(Stages(folder))
    staged = desk.obey(StageArm("two.urdf#left", ""))
    assert isinstance(staged, ArmStaged)
    assert [joint.name for joint in staged.joints] == ["a", "l"]
    assert "mesh" in {solid.kind for solid in staged.geometry.solids}
    posed = desk.obey(PoseStage("two.urdf#left", "", (np.pi / 6, 0.0)))
    assert isinstance(posed, StagePosed)
    place = aw.model(f"{folder.root}/two.urdf#left").fk([np.pi / 6, 0.0])[:3, 3]
    np.testing.assert_allclose(posed.tool[:3], place, atol=1e-12)
    # a file that is written anew is read anew
    (folder.root / "two.urdf").write_text(TWO.replace("0.3 0 0", "0.4 0 0"))
    import os

    os.utime(folder.root / "two.urdf", (1e9, 1e9))
    again = desk.obey(PoseStage("two.urdf#left", "", (0.0, 0.0)))
    assert isinstance(again, StagePosed)
    np.testing.assert_allclose(again.tool[0], 0.4, atol=1e-12)


@pytest.mark.parametrize("name", ["two.urdf#left", "rtb-data:puma560"])
def test_the_studio_starts_with_it_and_puts_it_into_a_cell(folder: StudioFolder, name: str) -> None:
    if ":" in name:
        pytest.importorskip("rtbdata")
    what = name if ":" in name else f"{folder.root}/{name}"
    session = StudioSession(what, folder)
    with StudioServer(session) as server, Viewer(server) as viewer:
        viewer.until(lambda: bool(viewer.said["Greeting"]))
        greeting = viewer.said["Greeting"]
        assert (greeting["view"], greeting["subject"]) == ("arm", name)
        assert viewer.ask("OpenCell", name=name)["problem"] == ""
        motors = server.session.cell.feed.geometry.motors
        assert len(motors) == (6 if ":" in name else 2)
        assert f"MANIPULATOR0 {name}" in server.session.cell.text


def test_a_cell_of_a_viewer_refuses_what_is_elsewhere(tmp_path: Path) -> None:
    with studio(tmp_path) as server, Viewer(server) as viewer:
        assert "not below" in viewer.ask("OpenCell", name="../two.urdf#left")["problem"]
