"""Mechanisms: the members of arms, assemblies and grippers stand where the models say."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import DescriptionError, ShapeError, UnsupportedError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.physics.mechanism import Mechanism, mechanism, tooled
from armwerk.physics.mechanism.grip_width import grip_table
from armwerk.physics.mechanism.members import check_angles, motor_values
from armwerk.robot import Arm, Assembly, grippers, library, load, load_assembly
from armwerk.robot.parts import (
    Body,
    LinearMotor,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
    at,
    chain,
)

OPEN_RANGE = 3.0  # [rad or m] taken where there is no limit


def random_q(robot: Mechanism, rng: np.random.Generator) -> np.ndarray:
    """Return values of the arm's motors within limits, those of coupled joints too."""
    limits = np.array([robot.members[k].limits for k in robot.arm_motors])
    low, high = np.clip(limits, -OPEN_RANGE, OPEN_RANGE).T
    while True:
        q = np.asarray(low + rng.random(len(low)) * (high - low))
        with suppress(DescriptionError):
            check_angles(robot, q)
            return q


@pytest.mark.parametrize("name", library())
def test_the_hand_stands_where_the_model_says(name: str) -> None:
    arm = load(name)
    robot = mechanism(arm)
    model = aw.model(tooled(arm))
    whole = aw.model(arm)
    assert model.dof == len(robot.arm_motors)
    assert whole.dof == len(robot.motors)
    rng = np.random.default_rng(7)
    for _ in range(5):
        q = random_q(robot, rng)
        values = motor_values(robot, q)
        hand = robot.hand_pose(values)
        np.testing.assert_allclose(hand, model.fk(q), atol=1e-9)
        np.testing.assert_allclose(hand, whole.fk(values), atol=1e-9)


@pytest.mark.parametrize("name", [n for n in library() if n != "simple_arm_gripper"])
def test_with_a_gripper_the_grip_point_is_the_tool(name: str) -> None:
    arm, gripper = load(name), load("parallel_gripper")
    robot = mechanism(arm, gripper)
    model = aw.model(tooled(arm, gripper))
    assert model.dof == len(robot.arm_motors)
    assert [robot.members[k].name for k in robot.grip_motors] == ["jaw_left", "jaw_right"]
    bare = aw.model(tooled(arm))
    T_tool_grip = AssemblyModel(gripper).fk(np.zeros(2))
    rng = np.random.default_rng(8)
    for _ in range(3):
        q = random_q(robot, rng)
        hand = robot.hand_pose(motor_values(robot, q))
        np.testing.assert_allclose(hand, model.fk(q), atol=1e-9)
        np.testing.assert_allclose(hand, bare.fk(q) @ T_tool_grip, atol=1e-9)


def test_an_arm_of_parts_has_a_closed_form_where_it_is_serial() -> None:
    assert isinstance(tooled(load("simple_arm_gripper")), Arm)
    assert isinstance(tooled(load("measured_arm")), Arm)
    assert isinstance(tooled(load("tripod")), Assembly)


def test_every_member_stands_where_its_part_does() -> None:
    arm = load("excavator_arm")
    robot = mechanism(arm)
    q = np.array([0.4, 0.6, 0.7, -0.3])
    poses = robot.poses(robot.start(motor_values(robot, q)))
    frames = AssemblyModel(arm).frames(q)
    carried = {"stick_hinge": "stick_root", "bucket": "bucket_plate", "boom_cylinder": "boom_rod"}
    for motor, part in carried.items():
        index = next(k for k, member in enumerate(robot.members) if member.name == motor)
        np.testing.assert_allclose(poses[index], frames[part], atol=1e-9)


def test_motors_off_the_hand_belong_to_the_gripper() -> None:
    robot = mechanism(load("simple_arm_gripper"))
    names = [robot.members[k].name for k in robot.grip_motors]
    assert names == ["finger_left", "finger_right"]
    assert {m.name for m in robot.members if m.gripper} == {"finger_left", "finger_right"}
    with pytest.raises(DescriptionError, match="fingers of its own"):
        mechanism(load("simple_arm_gripper"), load("parallel_gripper"))


def test_touch_parts_of_a_chain_become_shapes_once() -> None:
    tail = chain(Servo("s"), TouchSegment("bar", 0.2, radius=0.01), TouchPoint("tip", radius=0.01))
    robot = mechanism(Assembly("arm", Body(tails=[tail])))
    (shape,) = robot.members[0].touch  # the capsule's end is the touch point
    assert shape.kind == "capsule"
    np.testing.assert_allclose((shape.start, shape.end), [(0, 0, 0), (0.2, 0, 0)])
    wide = chain(Servo("s"), TouchSegment("bar", 0.2, radius=0.01), TouchPoint("tip", radius=0.03))
    robot = mechanism(Assembly("arm", Body(tails=[wide])))
    assert [shape.kind for shape in robot.members[0].touch] == ["capsule", "sphere"]


def test_an_arm_of_rows_touches_with_its_tool_point_only_when_bare() -> None:
    arm = load("simple_arm")
    (touch,) = mechanism(arm).members[-1].touch
    assert touch.kind == "sphere"
    np.testing.assert_allclose(touch.start, (0.2, 0, 0), atol=1e-12)
    robot = mechanism(arm, load("parallel_gripper"))
    assert not robot.members[2].touch


def test_what_cannot_be_mounted_is_refused() -> None:
    with pytest.raises(DescriptionError, match="not an arm"):
        mechanism("puma560")  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="not a gripper"):
        mechanism(load("puma560"), load("puma560"))  # type: ignore[arg-type]
    symbolic = Arm.from_dh([aw.Joint("revolute", a="l1"), aw.Joint("revolute", a="l2")])
    with pytest.raises(UnsupportedError, match="l1, l2"):
        mechanism(symbolic)
    still = Assembly("still", Body(tails=[chain(Segment("bar", 1.0), TerminationPoint("end"))]))
    with pytest.raises(DescriptionError, match="no motor moves its hand"):
        mechanism(still)


def test_start_values_are_checked() -> None:
    robot = mechanism(load("puma560"))
    with pytest.raises(DescriptionError, match=r"motor 'elbow'.*-3.92699 to 0.785398 rad"):
        motor_values(robot, [0, 0, 2, 0, 0, 0])
    with pytest.raises(ShapeError, match=r"shape \(6,\)"):
        motor_values(robot, [0, 0])
    with pytest.raises(DescriptionError, match="nan"):
        motor_values(robot, [0, 0, np.nan, 0, 0, 0])


def test_rest_is_zero_where_it_can_be() -> None:
    np.testing.assert_array_equal(motor_values(mechanism(load("puma560")), None), np.zeros(6))
    np.testing.assert_allclose(motor_values(mechanism(load("tripod")), None), 0.5)


@pytest.mark.parametrize(
    ("name", "most"),
    [("parallel_gripper", 0.1), ("two_finger_gripper", 0.11), ("three_finger_gripper", 0.11)],
)
def test_openings_run_from_nearly_nothing_to_about_ten_centimetres(name: str, most: float) -> None:
    table = grip_table(mechanism(load("puma560"), load_assembly(name)))
    assert table.widths[0] < 0.04
    assert table.max_width == pytest.approx(most, abs=0.02)
    assert (np.diff(table.widths) >= 0).all()
    for width in np.linspace(table.widths[0], table.max_width, 7):
        assert table.width(float(table.values(width)[0])) == pytest.approx(width, abs=1e-6)


def test_the_opening_of_jaws_is_twice_their_way() -> None:
    table = grip_table(mechanism(load("puma560"), load("parallel_gripper")))
    np.testing.assert_allclose(table.widths, 2 * table.fractions * 0.05, atol=1e-12)
    assert table.lever == pytest.approx(1.0)
    assert table.max_force == pytest.approx(60.0)


def test_a_gripper_needs_limits_and_fingers() -> None:
    def gripper(jaw: LinearMotor, *end: object) -> Assembly:
        palm = TConnector("palm", [chain(jaw, *end), at(TerminationPoint("grip"), z=0.1)])  # type: ignore[arg-type]
        return Assembly("g", Body(tails=[palm]), tip="grip")

    puma = load("puma560")
    free = gripper(LinearMotor("jaw"), TouchPoint("pad"))
    with pytest.raises(DescriptionError, match="motor 'jaw' of the gripper"):
        grip_table(mechanism(puma, free))
    dull = gripper(LinearMotor("jaw", limits=(0.0, 0.1)), TerminationPoint("end"))
    with pytest.raises(DescriptionError, match="do not open"):
        grip_table(mechanism(puma, dull))


def test_grippers_are_no_arms_of_the_library() -> None:
    fingers = {"parallel_gripper", "two_finger_gripper", "three_finger_gripper"}
    assert set(grippers()) == fingers | {"suction_gripper", "magnet_gripper"}
    assert not set(grippers()) & set(library())
    for name in grippers():
        assert load(name).name == name
