"""The desk of the arm view, without a browser: opening, editing, moving; hostile input."""

from __future__ import annotations

import base64
import random
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from viewer import Viewer, studio

import armwerk as aw
from armwerk.errors import ArmwerkError
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.protocol.configuring import (
    ArmAxes,
    ArmChoices,
    ListArms,
    LookAtArm,
    OpenArm,
    OpenedArm,
    PoseArm,
    PosedArm,
    ReadAxes,
    SeenArm,
    WriteAxes,
)
from armwerk.protocol.forming import ArmText, ConvertArm, EditArm
from armwerk.robot import library
from armwerk.robot.arm import Arm
from armwerk.robot.formats.toml_reader import arm_from_toml
from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.studio.desks.arm import ArmDesk


@pytest.fixture
def desk(tmp_path: Path) -> ArmDesk:
    return ArmDesk(StudioFolder(tmp_path))


def text_of(desk: ArmDesk, name: str) -> str:
    opened = desk.obey(OpenArm(name))
    assert isinstance(opened, OpenedArm)
    return opened.text


def look(desk: ArmDesk, text: str, symbols: str = "", file: str = "") -> SeenArm:
    seen = desk.obey(LookAtArm(text, symbols, file))
    assert isinstance(seen, SeenArm)
    return seen


def pose(
    desk: ArmDesk, text: str, joints: tuple[float, ...], goal: tuple[float, ...] = ()
) -> PosedArm:
    posed = desk.obey(PoseArm(text, "", joints, goal, solutions=True))
    assert isinstance(posed, PosedArm)
    return posed


def ready(desk: ArmDesk, text: str, joints: tuple[float, ...]) -> PosedArm:
    """Wait for the closed form."""
    for _ in range(600):
        posed = pose(desk, text, joints)
        if not posed.preparing:
            return posed
        time.sleep(0.1)
    raise AssertionError("the closed form does not come")


def numbers(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


@pytest.mark.parametrize("name", library())
def test_every_arm_of_the_library_is_seen_and_stands_where_it_should(
    desk: ArmDesk, name: str
) -> None:
    text = text_of(desk, name)
    seen = look(desk, text)
    assert seen.problems == ()
    assert seen.geometry is not None
    assert seen.form is not None
    assert seen.is_serial == isinstance(aw.load(name), Arm)
    start = tuple(motor.start for motor in seen.motors)
    posed = desk.obey(PoseArm(text, "", start, (), solutions=False))
    assert isinstance(posed, PosedArm)
    model = aw.model(name)
    np.testing.assert_allclose(posed.tool[:3], model.fk(start)[:3, 3], atol=1e-12)
    assert len(numbers(posed.bodies)) == 7 * len(seen.geometry.bodies)
    assert len(numbers(posed.frames)) == 7 * len(seen.frames)
    for motor, value in zip(seen.motors, start, strict=True):
        assert motor.low is None or motor.low <= value
        assert motor.high is None or value <= motor.high


def test_all_eight_solutions_are_named_and_reach_the_pose(desk: ArmDesk) -> None:
    text = text_of(desk, "puma560")
    seen = look(desk, text)
    q = tuple(motor.start for motor in seen.motors)
    assert ready(desk, text, q).method == "closed"
    model = aw.model("puma560")
    goal = np.array(pose(desk, text, q).tool)
    goal[:3] += 0.02
    posed = pose(desk, text, q, tuple(goal))
    assert posed.reached
    assert len({one.name for one in posed.solutions}) == 8
    for one in posed.solutions:
        np.testing.assert_allclose(model.fk(one.joints)[:3, 3], goal[:3], atol=1e-8)
        outside = [
            k
            for k, (value, (low, high)) in enumerate(zip(one.joints, model.limits, strict=True))
            if not low <= value <= high
        ]
        assert list(one.outside) == outside
    assert sum(one.current for one in posed.solutions) == 1
    # it has taken the nearest of those within the limits
    able = [np.array(one.joints) for one in posed.solutions if not one.outside]
    nearest = min(able, key=lambda joints: float(np.linalg.norm(joints - q)))
    np.testing.assert_allclose(posed.joints, nearest, atol=1e-9)
    ghosts = numbers(posed.ghosts).reshape(8, -1, 7)
    assert len({tuple(np.round(ghost[:, :3].ravel(), 4)) for ghost in ghosts}) > 3


def test_a_pose_out_of_reach_is_said_and_the_arm_stays(desk: ArmDesk) -> None:
    text = text_of(desk, "puma560")
    q = tuple(motor.start for motor in look(desk, text).motors)
    posed = pose(desk, text, q, (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert not posed.reached
    assert "out of reach" in posed.message
    assert posed.joints == q
    assert posed.solutions == ()


def test_a_redundant_arm_shows_its_self_motion(desk: ArmDesk) -> None:
    text = text_of(desk, "iiwa7")
    q = tuple(motor.start for motor in look(desk, text).motors)
    posed = ready(desk, text, q)
    assert len(posed.solutions) > 5
    model = aw.model("iiwa7")
    for one in posed.solutions:
        np.testing.assert_allclose(model.fk(one.joints), model.fk(q), atol=1e-7)
    assert len({one.name for one in posed.solutions}) > 5


@pytest.mark.parametrize("name", ["five_axis", "simple_arm", "planar_rr", "tripod"])
def test_an_arm_with_few_joints_goes_to_the_point(desk: ArmDesk, name: str) -> None:
    text = text_of(desk, name)
    q = tuple(motor.start for motor in look(desk, text).motors)
    tool = pose(desk, text, q).tool
    near = np.array(q) + 0.02
    goal = aw.model(name).fk(near)[:3, 3]
    posed = pose(desk, text, q, (*goal.tolist(), *tool[3:]))
    assert posed.reached
    np.testing.assert_allclose(posed.tool[:3], goal, atol=1e-6)


def test_a_complaint_stands_at_its_field_and_all_of_them_are_told(desk: ArmDesk) -> None:
    text = text_of(desk, "scara")
    for place, value in (("joint/0/limits", "1, -1"), ("joint/2/link/mass", "-2")):
        edited = desk.obey(EditArm(text, "set", place, value))
        assert isinstance(edited, ArmText)
        text = edited.text
    seen = look(desk, text)
    assert seen.geometry is None
    assert {one.place for one in seen.problems} == {"joint/0/limits", "joint/2/link/mass"}
    assert all(one.line > 0 for one in seen.problems)
    assert any("minimum < maximum" in one.message for one in seen.problems)
    assert seen.form is not None
    rows = {table.title: table for table in seen.form.tables}
    assert rows["Limits"].rows[0][0] == "1, -1"
    broken = look(desk, text.replace("[[joint]]", "[[joint", 1))
    assert broken.form is None
    assert broken.problems[0].line > 1


def test_symbols_get_numbers(desk: ArmDesk) -> None:
    text = 'name = "s"\n'
    text += "".join(f'[[joint]]\nkind = "revolute"\na = "{name}"\n' for name in ("l1", "l2"))
    seen = look(desk, text, "l1 = 0.5")
    assert seen.symbols == ("l1", "l2")
    assert seen.problems == ()
    posed = desk.obey(PoseArm(text, "l1 = 0.5, l2 = 0.25", (0.0, 0.0), (), solutions=False))
    assert isinstance(posed, PosedArm)
    np.testing.assert_allclose(posed.tool[:3], (0.75, 0.0, 0.0), atol=1e-12)
    assert look(desk, text, "l1 = much").problems[0].place == "symbols"


def test_formats_are_written_and_opened_again(desk: ArmDesk, tmp_path: Path) -> None:
    text = text_of(desk, "puma560")
    for ending in (".toml", ".xml", ".urdf"):
        converted = desk.obey(ConvertArm(text, ending))
        assert isinstance(converted, ArmText)
        (tmp_path / f"mine{ending}").write_text(converted.text)
        again = desk.obey(OpenArm(f"mine{ending}"))
        assert isinstance(again, OpenedArm)
        seen = look(desk, again.text)
        assert seen.problems == ()
        q = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        posed = desk.obey(PoseArm(again.text, "", q, (), solutions=False))
        assert isinstance(posed, PosedArm)
        np.testing.assert_allclose(posed.tool[:3], aw.model("puma560").fk(q)[:3, 3], atol=1e-9)
    choices = desk.obey(ListArms())
    assert isinstance(choices, ArmChoices)
    files = [one.name for one in choices.choices if one.group == "Files"]
    assert files == ["mine.toml", "mine.urdf", "mine.xml"]


@pytest.mark.parametrize(
    "command",
    [
        OpenArm("../../etc/passwd"),
        OpenArm("/etc/hostname.toml"),
        OpenArm("nothing"),
        OpenArm("gone.xml"),
        EditArm("name = 'a'", "set", "joint/0/d/../../x", "1"),
        EditArm("name = 'a'", "remove", "joint/99999999999", ""),
        EditArm("name = 'a'", "add", "joint/-1", "magic"),
        EditArm("\x00", "set", "name", "1"),
        ConvertArm("name = 'a'", ".toml"),
        ConvertArm("", ".py"),
        PoseArm("", "", (), (), solutions=True),
        PoseArm("name = 'a'", "", (1.0,), (1.0, 2.0), solutions=True),
    ],
)
def test_what_is_wrong_is_refused_with_a_sentence(desk: ArmDesk, command: OpenArm) -> None:
    with pytest.raises(ArmwerkError) as error:
        desk.obey(command)
    assert len(str(error.value)) > 10


def test_joint_values_of_another_arm_and_goals_without_a_turn(desk: ArmDesk) -> None:
    text = text_of(desk, "scara")
    posed = desk.obey(PoseArm(text, "", (1.0,) * 40, (), solutions=False))
    assert isinstance(posed, PosedArm)
    assert len(posed.joints) == 4
    with pytest.raises(ArmwerkError, match="quaternion"):
        desk.obey(PoseArm(text, "", (0.0,) * 4, (0.0,) * 7, solutions=True))
    far = desk.obey(PoseArm(text, "", (1e15,) * 4, (1e15,) * 7, solutions=True))
    assert isinstance(far, PosedArm)
    assert not far.reached


def test_torn_texts_are_told_and_never_raised(desk: ArmDesk) -> None:
    text = text_of(desk, "planar_rr")
    random.seed(4)
    for _ in range(150):
        start, end = sorted(random.sample(range(len(text)), 2))
        torn = text[:start] + random.choice(["", "=", '"', "[", "1e999", "nan"]) + text[end:]
        seen = look(desk, torn)
        assert seen.problems or seen.geometry is not None


def test_a_viewer_asks_through_the_websocket(tmp_path: Path) -> None:
    with studio(tmp_path) as server, Viewer(server) as viewer:
        opened = viewer.ask("OpenArm", name="scara")["result"]
        seen = viewer.ask("LookAtArm", text=opened["text"], symbols="", file="")["result"]
        assert seen["type"] == "SeenArm"
        assert [motor["name"] for motor in seen["motors"]] == [
            "shoulder",
            "elbow",
            "quill",
            "wrist",
        ]
        answer = viewer.ask("OpenArm", name="scarab")
        assert "neither" in answer["problem"]
        assert answer["result"] is None
        wrong = viewer.ask(
            "PoseArm", text=opened["text"], symbols="", joints=[0] * 4, goal=[1], solutions=True
        )
        assert "goal" in wrong["problem"]


CUBE = (
    "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.3))
    + "f 1 2 4\nf 1 4 3\nf 5 8 6\nf 5 7 8\nf 1 6 2\nf 1 5 6\nf 3 4 8\nf 3 8 7\n"
    + "f 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n"
)
URDF = """<robot name="two">
<link name="a"><visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual></link>
<link name="b"><visual><origin xyz="0 0 0.05"/><geometry><mesh filename="{mesh}"/></geometry>
</visual></link>
<link name="c"><visual><geometry><cylinder radius="0.05" length="0.3"/></geometry></visual></link>
<joint name="one" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.1"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="two" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.2 0 0.1"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""


def test_the_links_of_a_urdf_are_seen_where_they_are(desk: ArmDesk, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "cube.obj").write_text(CUBE)
    (tmp_path / "two.urdf").write_text(URDF.format(mesh="meshes/cube.obj"))
    text = text_of(desk, "two.urdf")
    seen = look(desk, text, file="two.urdf")
    assert seen.note == ""
    assert seen.geometry is not None
    solids = seen.geometry.solids
    assert [solid.kind for solid in solids] == ["box", "mesh", "cylinder"]
    assert solids[0].body == -1
    posed = pose(desk, text, (np.pi / 2, 0.0))
    places = numbers(posed.bodies).reshape(-1, 7)
    turn, place = rotation_from_quaternion(places[solids[1].body, 3:]), places[solids[1].body, :3]
    corners = np.array(solids[1].triangles).reshape(-1, 3) @ turn.T + place
    # turned by 90 degrees about the upright axis the cube lies on the other side
    np.testing.assert_allclose(corners.min(axis=0), (-0.1, 0.0, 0.15), atol=1e-5)
    np.testing.assert_allclose(corners.max(axis=0), (0.0, 0.1, 0.45), atol=1e-5)
    turn, place = rotation_from_quaternion(places[solids[2].body, 3:]), places[solids[2].body, :3]
    middle = turn @ np.array(solids[2].position) + place
    np.testing.assert_allclose(middle, (0.0, 0.2, 0.2), atol=1e-5)
    along = turn @ rotation_from_quaternion(solids[2].quaternion)[:, 2]
    np.testing.assert_allclose(along, (0.0, 0.0, 1.0), atol=1e-5)
    edited = desk.obey(EditArm(text, "set", "joint/0/a", "0.3"))
    assert isinstance(edited, ArmText)
    other = look(desk, edited.text, file="two.urdf")
    assert "drawn" in other.note
    assert other.geometry is not None


def test_meshes_elsewhere_are_not_read(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "cube.obj").write_text(CUBE)
    (inner / "link.obj").symlink_to(tmp_path / "cube.obj")
    desk = ArmDesk(StudioFolder(inner))
    for mesh in (
        "../cube.obj",
        str(tmp_path / "cube.obj"),
        "link.obj",
        "package://inner/../cube.obj",
    ):
        (inner / "two.urdf").write_text(URDF.format(mesh=mesh))
        seen = look(desk, text_of(desk, "two.urdf") + f"# {mesh}\n", file="two.urdf")
        assert "elsewhere" in seen.note or "does not exist" in seen.note
        assert seen.geometry is not None
        assert all(solid.kind != "mesh" for solid in seen.geometry.solids)
    assert "below the folder" in look(desk, text_of(desk, "scara"), file="../x.urdf").note


@pytest.mark.parametrize("name", ["puma560", "ur5e", "scara", "stanford", "cartesian", "typ2"])
def test_an_arm_by_its_axes_is_the_same_arm(desk: ArmDesk, name: str) -> None:
    text = text_of(desk, name)
    table = desk.obey(ReadAxes(text, ""))
    assert isinstance(table, ArmAxes)
    lines = "\n".join(f"{row.kind}; {row.direction}; {row.place}" for row in table.rows)
    written = desk.obey(WriteAxes(text, "", lines))
    assert isinstance(written, ArmText)
    arm = arm_from_toml(written.text)
    before, after = aw.model(name), aw.model(arm, ik="numeric")
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-0.5, 0.5, (3, arm.dof))
        np.testing.assert_allclose(after.fk(q), before.fk(q), atol=1e-7)
        np.testing.assert_allclose(
            after.inverse_dynamics(q, qd, qdd),
            before.inverse_dynamics(q, qd, qdd),
            rtol=1e-6,
            atol=1e-6,
        )
    np.testing.assert_allclose(after.limits, before.limits)


def test_wrong_axes_are_refused(desk: ArmDesk) -> None:
    text = text_of(desk, "planar_rr")
    for lines in (
        "",
        "revolute; 0, 0, 0; 0, 0, 0",
        "revolute; 0, 0; 0, 0, 0",
        "magic; 0, 0, 1; 0, 0, 0",
        "revolute; 0, 0, 1; 0, 0, much",
        "revolute; 0, 0, 1; 0, 0, 0\nrevolute; 0, 0, 1; 0, 0, 1",
        "revolute; 0, 0, nan; 0, 0, 0",
    ):
        with pytest.raises(ArmwerkError):
            desk.obey(WriteAxes(text, "", lines))


def test_a_saved_arm_stands_in_a_cell(tmp_path: Path) -> None:
    with studio(tmp_path) as server, Viewer(server) as viewer:
        text = viewer.ask("OpenArm", name="scara")["result"]["text"].replace('"scara"', '"mine"')
        assert viewer.ask("WriteFile", file="mine.toml", text=text)["problem"] == ""
        assert viewer.ask("OpenCell", name="mine.toml")["problem"] == ""
        assert len(server.session.cell.feed.geometry.motors) == 4
        assert "not below" in viewer.ask("OpenCell", name="../mine.toml")["problem"]
        assert viewer.ask("OpenCell", name="gone.toml")["problem"] != ""
        assert len(server.session.cell.feed.geometry.motors) == 4


def test_the_studio_opens_an_arm_of_a_file(tmp_path: Path) -> None:
    aw.load_arm("scara").save(tmp_path / "mine.urdf")
    session = StudioSession(tmp_path / "mine.urdf", StudioFolder(tmp_path))
    with StudioServer(session) as server, Viewer(server) as viewer:
        viewer.until(lambda: bool(viewer.said["Greeting"]))
        greeting = viewer.said["Greeting"]
        assert (greeting["view"], greeting["subject"]) == ("arm", "mine.urdf")
        assert viewer.ask("OpenArm", name="mine.urdf")["result"]["file"] == "mine.urdf"


def test_far_too_many_joints_are_refused(desk: ArmDesk) -> None:
    seen = look(desk, 'name = "a"\n' + '[[joint]]\nkind = "revolute"\na = 0.1\n' * 20_000)
    assert seen.geometry is None
    assert "1 to 64" in seen.problems[0].message
    assert seen.form is not None
    assert all(len(table.rows) <= 64 for table in seen.form.tables)
