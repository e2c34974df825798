"""Motions as the studio's desk plans them: tables, moves, jogging, taught positions, bodies."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import ArmwerkError, DescriptionError, MotionError
from armwerk.motion import Cylindrical, inclination_of
from armwerk.motion.table import Table
from armwerk.protocol import decoded
from armwerk.protocol.moving import (
    BodiesContents,
    JogFrame,
    MotionCommand,
    MotionRules,
    PlanJog,
    PlanMove,
    PlanTable,
    PlanTaught,
    ReadBodies,
    ReadTable,
    SampledMotion,
    TableContents,
    TableEnding,
    TableText,
    WriteTable,
)
from armwerk.studio import StudioFolder
from armwerk.studio.desks.motion import MotionDesk
from armwerk.studio.desks.playing import BLENDED, NEAR_BODY
from armwerk.studio.desks.stages import Stages
from armwerk.wire import ArmStage

RULES = MotionRules(
    0.5, 0.0, self_check=True, slow=True, near=0.02, near_speed=0.2, far=0.1, far_speed=1.0
)
UR5 = (0.2, -1.5, 1.6, -1.6, -1.5, 0.1)
FIVE = (Path(__file__).parents[2] / "examples/motion/five_axis_table.toml").read_text()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> MotionDesk:
    return MotionDesk(Stages(StudioFolder(tmp_path_factory.mktemp("folder"))))


def numbers(text: str, *shape: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape).astype(float)


def planned(desk: MotionDesk, command: MotionCommand) -> SampledMotion:
    motion = desk.obey(command)
    assert isinstance(motion, SampledMotion)
    return motion


def positions(motion: SampledMotion) -> np.ndarray:
    return numbers(motion.position, motion.samples, -1)


def body(kind: str, numbers: str) -> str:
    return f'kind = "bodies"\n[[body]]\nkind = "{kind}"\nname = "block"\n{numbers}\n'


def test_a_table_is_driven_from_where_the_arm_stands(desk: MotionDesk) -> None:
    rest = np.array(aw.load("five_axis").limits).mean(axis=1)
    motion = planned(desk, PlanTable("five_axis", "", RULES, FIVE, tuple(rest)))
    q = positions(motion)
    np.testing.assert_allclose(q[0], rest, atol=1e-5)
    tool = numbers(motion.tool, motion.samples, 3)
    np.testing.assert_allclose(tool[-1], [0.3, 0.3, 0.2], atol=1e-5)
    near = np.linalg.norm(tool - [0.4, 0.0, 0.3], axis=1).min()
    assert near < 0.003
    marks = numbers(motion.marks, motion.samples)
    assert (marks == BLENDED).any()
    corner = np.linalg.norm(tool[marks == BLENDED] - [0.3, 0.3, 0.3], axis=1)
    assert corner.max() < 0.032


def test_a_row_of_joint_values_is_read_written_and_driven(desk: MotionDesk) -> None:
    goal = (0.3, 0.5, -0.4, 0.2, 0.1)
    text = f'[[trajectory]]\nkind = "ptp"\njoints = {list(goal)}\n'
    motion = planned(desk, PlanTable("five_axis", "", RULES, text, (0.0,) * 5))
    np.testing.assert_allclose(positions(motion)[-1], goal, atol=1e-6)
    for ending in get_args(TableEnding):
        written = desk.obey(WriteTable(text, ending))
        assert isinstance(written, TableText)
        table = desk.obey(ReadTable(written.text, ending))
        assert isinstance(table, TableContents)
        assert (table.rows[0].joints, table.rows[0].point) == (goal, None)
    with pytest.raises(ArmwerkError, match="5"):
        desk.obey(PlanTable("five_axis", "", RULES, text.replace("0.3, ", ""), (0.0,) * 5))


def test_curves_are_derivatives_and_forces_those_of_the_model(desk: MotionDesk) -> None:
    goal = tuple(np.array(UR5) + 0.6)
    motion = planned(desk, PlanMove("ur5e", "", RULES, UR5, goal))
    q, qd = positions(motion), numbers(motion.velocity, motion.samples, 6)
    times = np.linspace(0.0, motion.duration, motion.samples)
    np.testing.assert_allclose(np.gradient(q, times, axis=0)[2:-2], qd[2:-2], atol=0.05)
    trajectory = aw.ptp("ur5e", UR5, goal, speed=0.5, acceleration=0.5)
    assert motion.duration == pytest.approx(trajectory.duration)
    force = numbers(motion.force, motion.samples, 6)
    model = aw.model("ur5e")
    k = motion.samples // 3
    expected = model.inverse_dynamics(*trajectory.sample(times[k]))
    np.testing.assert_allclose(force[k], expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("frame", "axis", "step"),
    [
        ("world", 0, 0.02),
        ("world", 2, -0.03),
        ("tool", 1, 0.02),
        ("tool", 5, 0.2),
        ("world", 3, 0.1),
    ],
)
def test_the_tool_is_jogged_along_and_about_axes(
    desk: MotionDesk, frame: JogFrame, axis: int, step: float
) -> None:
    model = aw.model("ur5e")
    motion = planned(desk, PlanJog("ur5e", "", RULES, UR5, frame, axis, step))
    T0, T1 = model.fk(np.array(UR5)), model.fk(positions(motion)[-1])
    if axis < 3:
        moved = np.zeros(3)
        moved[axis] = step
        expected = T0[:3, :3] @ moved if frame == "tool" else moved
        np.testing.assert_allclose(T1[:3, 3] - T0[:3, 3], expected, atol=1e-5)
        np.testing.assert_allclose(T1[:3, :3], T0[:3, :3], atol=1e-5)
        tool = numbers(motion.tool, motion.samples, 3) - T0[:3, 3]
        off = tool - np.outer(tool @ expected, expected) / (expected @ expected)
        assert np.abs(off).max() < 1e-5
        return
    np.testing.assert_allclose(T1[:3, 3], T0[:3, 3], atol=1e-5)
    R = T0[:3, :3].T @ T1[:3, :3] if frame == "tool" else T1[:3, :3] @ T0[:3, :3].T
    angle = np.arccos((np.trace(R) - 1) / 2)
    assert angle == pytest.approx(abs(step), abs=1e-4)
    along = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    assert along[axis - 3] * np.sign(step) == pytest.approx(np.linalg.norm(along), abs=1e-4)


@pytest.mark.parametrize("axis", range(5))
def test_a_five_axis_arm_is_jogged_in_cylindrical_coordinates(desk: MotionDesk, axis: int) -> None:
    model = aw.model("five_axis")
    q = model.ik(Cylindrical(0.35, 0.3, 0.4).pose(-0.6), within_limits=True)[0]
    motion = planned(desk, PlanJog("five_axis", "", RULES, tuple(q), "cylindrical", axis, 0.03))
    T = model.fk(positions(motion)[-1])
    at = Cylindrical.of(T[:3, 3])
    inclination, roll = inclination_of(T)
    expected = np.array([0.35, 0.3, 0.4, -0.6, 0.0])
    expected[axis] += 0.03
    np.testing.assert_allclose([at.r, at.h, at.phi, inclination, roll], expected, atol=1e-4)


def test_a_five_axis_arm_keeps_its_inclination_when_it_is_jogged_sideways(desk: MotionDesk) -> None:
    model = aw.model("five_axis")
    q = model.ik(Cylindrical(0.35, 0.3, 0.0).pose(-0.6), within_limits=True)[0]
    motion = planned(desk, PlanJog("five_axis", "", RULES, tuple(q), "world", 1, 0.05))
    T = model.fk(positions(motion)[-1])
    np.testing.assert_allclose(T[:3, 3], [0.35, 0.05, 0.3], atol=1e-4)
    assert inclination_of(T)[0] == pytest.approx(-0.6, abs=1e-4)


def test_taught_positions_are_passed_or_rounded(desk: MotionDesk) -> None:
    rows = [np.array(UR5) + d for d in ([0.3, 0, 0, 0, 0, 0], [0.3, 0.2, 0, 0, 0, 0], [0] * 6)]
    text = "\n".join(" ".join(repr(float(x)) for x in row) for row in rows)
    exact = planned(desk, PlanTaught("ur5e", "", RULES, UR5, text, 0.0))
    for row in rows:
        assert np.abs(positions(exact) - row).max(axis=1).min() < 0.01
    round_ = planned(desk, PlanTaught("ur5e", "", RULES, UR5, text, 0.05))
    assert round_.duration < exact.duration
    assert (numbers(round_.marks, round_.samples) == BLENDED).any()
    np.testing.assert_allclose(positions(round_)[-1], UR5, atol=1e-5)


def test_a_contact_comes_back_with_segment_body_and_place(desk: MotionDesk) -> None:
    wall = body("box", "size = [0.5, 0.04, 1.5]\nposition = [-0.4, 0.3, 0.75]")
    model = aw.model("ur5e")
    start = model.fk(np.array(UR5))[:3, 3].tolist()
    table = (
        f'[[trajectory]]\nkind = "linear"\npoint = {[start[0], start[1] - 0.1, start[2]]}\n'
        f'[[trajectory]]\nkind = "linear"\npoint = {[start[0], start[1] + 0.7, start[2]]}\n'
    )
    free = planned(desk, PlanTable("ur5e", "", RULES, table, UR5))
    assert free.touch is None
    hit = planned(desk, PlanTable("ur5e", wall, RULES, table, UR5))
    assert hit.touch is not None
    assert "block" in hit.touch.text
    assert "segment 2" in hit.touch.text
    assert 0 < hit.touch.time < hit.duration


def test_a_contact_before_the_start_of_a_table_is_said_so(desk: MotionDesk) -> None:
    wall = body("box", "size = [0.3, 0.3, 0.05]\nposition = [0.45, 0.0, 0.6]")
    rest = (0.0,) * 5
    hit = planned(desk, PlanTable("five_axis", wall, RULES, FIVE, rest))
    assert hit.touch is not None
    assert "on the way to the start" in hit.touch.text
    assert "segment" not in hit.touch.text


def test_near_a_body_it_is_slower_and_marked(desk: MotionDesk) -> None:
    goal = (UR5[0] + 0.8, *UR5[1:])
    tool = aw.model("ur5e").fk(np.array([UR5[0] + 0.4, *UR5[1:]]))[:3, 3].tolist()
    ball = body("sphere", f"radius = 0.02\nposition = {[*tool[:2], tool[2] - 0.16]}")
    free = planned(desk, PlanMove("ur5e", "", RULES, UR5, goal))
    near = planned(desk, PlanMove("ur5e", ball, RULES, UR5, goal))
    assert near.touch is None
    assert near.clearance is not None
    assert near.clearance < 0.1
    assert near.duration > free.duration
    assert (numbers(near.marks, near.samples) == NEAR_BODY).any()
    assert any("slowed down near 'block'" in remark.text for remark in near.remarks)
    quick = planned(desk, PlanMove("ur5e", ball, replace(RULES, slow=False), UR5, goal))
    assert quick.duration == pytest.approx(free.duration)


def test_a_table_is_read_as_toml_and_csv_and_written_as_both(
    desk: MotionDesk, tmp_path: Path
) -> None:
    read = desk.obey(ReadTable(FIVE, ".toml"))
    assert isinstance(read, TableContents)
    assert [row.kind for row in read.rows] == ["start", "circle", "linear"]
    assert read.rows[1].help == "H1"
    assert read.help_points[0].point == (0.38, 0.2, 0.32)
    made = desk.obey(WriteTable(FIVE, ".csv"))
    assert isinstance(made, TableText)
    (tmp_path / "a.csv").write_text(made.text)
    (tmp_path / "a.toml").write_text(FIVE)
    assert Table.load(tmp_path / "a.csv") == Table.load(tmp_path / "a.toml")
    assert desk.obey(ReadTable(made.text, ".csv")) == read


def test_bodies_are_read_with_triangles_and_outward_normals(desk: MotionDesk) -> None:
    text = body(
        "mesh",
        "vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\n"
        "faces = [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]\nposition = [0.5, 0, 0]",
    )
    read = desk.obey(ReadBodies(text + '[[body]]\nkind = "half_space"\nnormal = [0, 0, 2]\n'))
    assert isinstance(read, BodiesContents)
    mesh, plane = read.bodies
    normals = np.array(mesh.normals).reshape(-1, 3)
    np.testing.assert_allclose(normals[0], [0, 0, -1])
    np.testing.assert_allclose(normals[3], np.ones(3) / np.sqrt(3))
    assert len(mesh.corners) == 36
    assert (plane.kind, plane.sizes, plane.name) == ("half_space", (0.0, 0.0, 1.0), "halfspace1")


def test_limits_that_a_description_leaves_out_are_assumed_and_said(desk: MotionDesk) -> None:
    rest = tuple(float(x) for x in ArmStage(aw.load("excavator_arm")).rest)
    motion = planned(desk, PlanJog("excavator_arm", "", RULES, rest, "joint", 0, 0.2))
    np.testing.assert_allclose(positions(motion)[-1] - rest, [0.2, 0, 0, 0], atol=1e-5)
    assert "no limits of" in motion.remarks[0].text
    assert "jerk" in motion.remarks[0].text


def test_an_arm_may_be_let_touch_itself(desk: MotionDesk) -> None:
    q = (0.1,) * 6
    folded = PlanMove("xarm6", "", RULES, q, (0.3, *q[1:]))
    assert planned(desk, folded).touch is not None
    alone = replace(RULES, self_check=False)
    assert planned(desk, replace(folded, rules=alone)).touch is None


def hostile() -> list[MotionCommand]:
    wrong = replace(RULES, speed=0.0)
    far = '[[trajectory]]\nkind = "linear"\npoint = [5, 0, 0]\n'
    return [
        PlanTable("ur5e", "", RULES, "", UR5),
        PlanTable("ur5e", "", RULES, "kind =", UR5),
        PlanTable("ur5e", "", RULES, far, UR5),
        PlanTable("ur5e", "", RULES, far.replace("linear", "circle"), UR5),
        PlanTable("ur5e", "", wrong, far, UR5),
        PlanTable("stewart", "", RULES, far, (0.0,) * 6),
        PlanMove("ur5e", "", RULES, UR5, UR5),
        PlanMove("ur5e", "", RULES, UR5, (99.0,) * 6),
        PlanMove("ur5e", "", replace(RULES, margin=-1.0), UR5, (0.0,) * 6),
        PlanMove("ur5e", "", replace(RULES, near=0.2), UR5, (0.0,) * 6),
        PlanJog("ur5e", "", RULES, UR5, "world", 6, 0.1),
        PlanJog("ur5e", "", RULES, UR5, "world", -1, 0.1),
        PlanJog("ur5e", "", RULES, UR5, "world", 0, 5.0),
        PlanJog("ur5e", "", RULES, UR5, "joint", 0, 0.0),
        PlanJog("ur5e", "", RULES, UR5, "joint", 2, 9.0),
        PlanJog("ur5e", "", RULES, UR5, "cylindrical", 0, -3.0),
        PlanTaught("ur5e", "", RULES, UR5, "", 0.0),
        PlanTaught("ur5e", "", RULES, UR5, "1 2 3", 0.0),
        PlanTaught("ur5e", "", RULES, UR5, "a b c d e f", 0.0),
        PlanTaught("ur5e", "", RULES, UR5, "0 0 0 0 0 0\n" * 1000, 0.0),
        PlanTaught("ur5e", "", RULES, UR5, "0 0 0 0 0 0\n", -1.0),
        ReadTable("[[", ".toml"),
        ReadTable("kind,x [m]\n", ".csv"),
        WriteTable("", ".csv"),
        ReadBodies("[[body]]"),
    ]


@pytest.mark.parametrize("command", hostile(), ids=lambda one: str(one)[:70])
def test_what_is_wrong_is_refused_with_a_sentence(desk: MotionDesk, command: MotionCommand) -> None:
    with pytest.raises(ArmwerkError) as caught:
        desk.obey(command)
    assert str(caught.value)


def test_out_of_reach_names_the_segment(desk: MotionDesk) -> None:
    table = '[[trajectory]]\nkind = "linear"\npoint = [5, 0, 0]\n'
    with pytest.raises(MotionError, match="segment 1"):
        desk.obey(PlanTable("ur5e", "", RULES, table, UR5))


def test_commands_within_commands_are_checked_field_by_field() -> None:
    rules = (
        '{"speed":1,"margin":0,"self_check":true,"slow":true,'
        '"near":0,"near_speed":1,"far":1,"far_speed":1}'
    )
    text = '{"type":"PlanMove","arm":"ur5e","bodies":"","rules":%s,"q":[0],"goal":[0]}'
    _, command = decoded(text % rules)
    assert isinstance(command, PlanMove)
    assert command.rules == MotionRules(
        1.0, 0.0, self_check=True, slow=True, near=0.0, near_speed=1.0, far=1.0, far_speed=1.0
    )
    for wrong in (
        "3",
        "null",
        "[]",
        '{"speed":1}',
        rules.replace("true", "1"),
        rules.replace("}", ',"x":1}'),
    ):
        with pytest.raises(DescriptionError):
            decoded(text % wrong)
