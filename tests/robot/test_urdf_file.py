"""URDF in and out, checked against pinocchio's reading of the same files."""

from __future__ import annotations

import math
import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
from described_arms import random_arm, tool_pose

import armwerk
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.robot import Arm, Axis, Joint, library, load, load_arm
from armwerk.robot.arm import arm_from_axes
from armwerk.robot.formats.urdf_reader import arm_from_urdf
from armwerk.robot.formats.urdf_writer import arm_to_urdf

# A six-axis arm as vendors publish them: rounded right angles, a fixed flange, a camera on a
# bracket, inertials turned against their links, and a two-finger gripper with a mimic joint.
VENDOR = """<?xml version="1.0"?>
<!-- exported -->
<robot name="vendor" xmlns:xacro="http://ros.org/wiki/xacro">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="world"/>
  <link name="base">
    <inertial><mass value="6"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://vendor/base.stl"/></geometry></visual>
  </link>
  <joint name="to_base" type="fixed">
    <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5708"/><parent link="world"/><child link="base"/>
  </joint>
  <link name="l1">
    <inertial>
      <origin xyz="0.01 0.02 0.2" rpy="0.1 0.2 0.3"/><mass value="4.5"/>
      <inertia ixx="0.11" ixy="0.01" ixz="-0.02" iyy="0.13" iyz="0.005" izz="0.09"/>
    </inertial>
  </link>
  <joint name="a1" type="revolute">
    <origin xyz="0 0 0.35" rpy="0 0 0"/><parent link="base"/><child link="l1"/>
    <axis xyz="0 0 -2"/><limit lower="-2.9" upper="2.9" effort="200" velocity="3.1"/>
    <dynamics damping="0.5" friction="1.5"/>
  </joint>
  <link name="l2">
    <inertial>
      <origin xyz="0.2 0 0"/><mass value="3"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.11" iyz="0" izz="0.11"/>
    </inertial>
  </link>
  <joint name="a2" type="revolute">
    <origin xyz="0.025 0 0.1"/><parent link="l1"/><child link="l2"/>
    <axis xyz="0 1 0"/><limit lower="-3.3" upper="0.7" effort="150" velocity="0"/>
  </joint>
  <link name="l3"/>
  <joint name="a3" type="continuous">
    <origin xyz="0.455 0 0" rpy="-1.570796325 0 0"/><parent link="l2"/><child link="l3"/>
    <axis xyz="0 0 1"/>
  </joint>
  <link name="bracket">
    <inertial>
      <origin xyz="0 0.05 0" rpy="0 1.57079632679 0"/><mass value="0.4"/>
      <inertia ixx="0.001" ixy="0" ixz="0.0002" iyy="0.002" iyz="0" izz="0.0015"/>
    </inertial>
  </link>
  <joint name="to_bracket" type="fixed">
    <origin xyz="0.1 0 0.02" rpy="0.3 0 0.4"/><parent link="l3"/><child link="bracket"/>
  </joint>
  <link name="l4">
    <inertial>
      <mass value="1.2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.004"/>
    </inertial>
  </link>
  <joint name="a4" type="prismatic">
    <origin xyz="0.42 0.03 0" rpy="0.2 0.1 -0.4"/><parent link="l3"/><child link="l4"/>
    <limit lower="0" upper="0.3" effort="90" velocity="0.5"/>
  </joint>
  <link name="flange"/>
  <joint name="to_flange" type="fixed">
    <origin xyz="0.08 0 0" rpy="0 1.5708 0"/><parent link="l4"/><child link="flange"/>
  </joint>
  <link name="tool0"/>
  <joint name="to_tool" type="fixed">
    <origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><parent link="flange"/><child link="tool0"/>
  </joint>
  <link name="finger1">
    <inertial><origin xyz="0 0 0.02"/><mass value="0.1"/>
      <inertia ixx="0.0001" ixy="0" ixz="0" iyy="0.0001" iyz="0" izz="0.0001"/></inertial>
  </link>
  <joint name="grip1" type="prismatic">
    <origin xyz="0 0.03 0.05"/><parent link="flange"/><child link="finger1"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <link name="finger2"/>
  <joint name="grip2" type="prismatic">
    <origin xyz="0 -0.03 0.05"/><parent link="flange"/><child link="finger2"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
    <mimic joint="grip1"/>
  </joint>
  <transmission name="drive"><joint name="a1"/></transmission>
  <gazebo reference="l1"><material>Gazebo/Grey</material></gazebo>
</robot>
"""


def reduced(text: str, frame: str, arm: Arm, states: np.ndarray) -> list[np.ndarray]:
    """Return pinocchio's pose of a frame and its joint forces, for q, qd, qdd of the arm."""
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    found = []
    for q_arm, qd_arm, qdd_arm in states:
        q, qd, qdd = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        places = []
        for value, speed, gain, joint in zip(q_arm, qd_arm, qdd_arm, arm.moving, strict=True):
            own = model.joints[model.getJointId(joint.name)]
            if own.nq == 2:
                q[own.idx_q : own.idx_q + 2] = math.cos(value), math.sin(value)
            else:
                q[own.idx_q] = value
            qd[own.idx_v], qdd[own.idx_v] = speed, gain
            places.append(own.idx_v)
        pinocchio.framesForwardKinematics(model, data, q)
        found.append(data.oMf[model.getFrameId(frame)].homogeneous.copy())
        found.append(pinocchio.rnea(model, data, q, qd, qdd)[places].copy())
    return found


def exact_angles(text: str) -> str:
    """Return the text with rounded right angles replaced, as the reader takes them."""
    quarter = repr(math.pi / 2)
    return re.sub(r"1\.57(08|0796325|079632679)\b", quarter, text)


def same(one: list[np.ndarray], two: list[np.ndarray], within: float = 1e-9) -> bool:
    """Whether all arrays agree."""
    return all(np.abs(a - b).max() <= within for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("tip", ["tool0", "flange", "bracket", "l4"])
def test_a_vendor_file_moves_and_weighs_as_pinocchio_says(tip: str) -> None:
    arm = arm_from_urdf(VENDOR, tip=tip)
    states = np.random.default_rng(1).uniform(-2, 2, (5, 3, arm.dof))
    expected = reduced(exact_angles(VENDOR), tip, arm, states)
    for state, pose in zip(states, expected[::2], strict=True):
        assert tool_pose(arm, state[0]) == pytest.approx(pose, abs=1e-9)
    if tip != "bracket":  # there the fourth joint hangs on the chain and counts as held
        assert same(reduced(arm_to_urdf(arm), "tool", arm, states), expected)


def test_fields_of_a_vendor_file() -> None:
    arm = arm_from_urdf(VENDOR, tip="tool0")
    assert (arm.name, arm.structure) == ("vendor", "RRRT")
    first, second, third, fourth = arm.joints
    assert [joint.name for joint in arm.joints] == ["a1", "a2", "a3", "a4"]
    assert (first.limits, first.max_force, first.max_velocity) == ((-2.9, 2.9), 200.0, 3.1)
    assert (first.viscous_friction, first.coulomb_friction) == (0.5, (1.5, 1.5))
    assert second.max_velocity is None
    assert (third.limits, third.max_force) == (None, None)
    assert fourth.limits == (0.0, 0.3)
    assert third.link.mass == pytest.approx(0.4)
    assert fourth.link.mass == pytest.approx(1.3)
    assert [joint.alpha for joint in arm.joints[:2]] == [math.pi / 2, 0.0]


def test_a_movable_joint_outside_the_chain_is_held_at_zero() -> None:
    arm = arm_from_urdf(VENDOR, tip="l2")
    assert [joint.link.mass for joint in arm.joints] == [4.5, pytest.approx(3 + 0.4 + 1.3)]


def test_point_masses_have_no_inertia_of_their_own() -> None:
    """One alone keeps its zeros exactly; two a metre apart have that of a dumb-bell."""
    text = (
        '<robot name="x"><link name="a"/><link name="b"><inertial><origin xyz="0.3 0.1 0.7"/>'
        '<mass value="400.13"/></inertial></link><joint name="j" type="continuous">'
        '<origin rpy="0.1 0.2 0.3"/><parent link="a"/><child link="b"/></joint>{}</robot>'
    )
    (alone,) = arm_from_urdf(text.format("")).joints
    assert (alone.link.mass, alone.link.inertia) == (400.13, (0.0,) * 6)
    second = (
        '<link name="c"><inertial><origin xyz="0.3 0.1 1.7"/><mass value="400.13"/></inertial>'
        '</link><joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>'
    )
    (both,) = arm_from_urdf(text.format(second)).joints
    moments = np.linalg.eigvalsh(both.link.inertia_matrix())
    assert moments == pytest.approx([0.0, 400.13 / 2, 400.13 / 2], abs=1e-10)


def test_base_link_cuts_the_chain() -> None:
    arm = arm_from_urdf(VENDOR, tip="tool0", base_link="l2")
    assert arm.structure == "RT"


def test_without_a_tip_equal_chains_are_listed() -> None:
    with pytest.raises(DescriptionError, match=r"equally long.*finger1.*finger2.*tip="):
        arm_from_urdf(VENDOR, "vendor.urdf")


def test_without_a_tip_the_longest_chain_is_taken() -> None:
    text = VENDOR.replace('<link name="finger2"/>', "")
    text = re.sub(r'<joint name="grip2".*?</joint>', "", text, flags=re.DOTALL)
    assert arm_from_urdf(text).structure == "RRRTT"


def numeric_library() -> list[str]:
    """Return the library arms that URDF can hold."""
    arms = {name: load(name) for name in library()}
    return [name for name, arm in arms.items() if isinstance(arm, Arm) and not arm.is_symbolic]


def without_extension(text: str) -> str:
    """Return a URDF as any other program would have written it."""
    return re.sub(r"<armwerk.*</armwerk>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", numeric_library())
def test_library_round_trip(name: str) -> None:
    arm = load_arm(name)
    text = arm_to_urdf(arm)
    assert arm_from_urdf(text) == arm
    plain = arm_from_urdf(without_extension(text))
    rng = np.random.default_rng(2)
    links = arm.free_chain  # other programs see the angles between links where axes are coupled
    states = rng.uniform(-2, 2, (3, 3, links.dof))
    for state in states:
        assert tool_pose(plain, state[0]) == pytest.approx(tool_pose(links, state[0]), abs=1e-9)
    expected = reduced(text, "tool", links, states)
    for state, pose in zip(states, expected[::2], strict=True):
        assert tool_pose(links, state[0]) == pytest.approx(pose, abs=1e-9)
    assert same(reduced(arm_to_urdf(plain), "tool", plain, states), expected)


@pytest.mark.parametrize("seed", range(25))
def test_random_round_trip(seed: int) -> None:
    arm = random_arm(seed, symbols=False)
    text = arm_to_urdf(arm)
    assert arm_from_urdf(text) == arm
    q = np.random.default_rng(seed).uniform(-2, 2, arm.dof)
    plain = arm_from_urdf(without_extension(text))
    assert tool_pose(plain, q) == pytest.approx(tool_pose(arm, q), abs=1e-8)
    assert np.allclose(plain.limits, arm.limits)


def test_canonical_rows_come_back() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        directions, ways = rng.normal(size=(2, 5, 3))
        kinds = ["revolute", "prismatic", "revolute", "revolute", "revolute"]
        axes = [
            Axis(kind, tuple(along), tuple(way), limits=(-1, 1))  # type: ignore[arg-type]
            for kind, along, way in zip(kinds, directions, ways, strict=True)
        ]
        arm = arm_from_axes(axes)
        again = arm_from_urdf(without_extension(arm_to_urdf(arm)))
        assert again.is_close(arm, 1e-9)


def test_an_edited_file_means_what_its_urdf_says() -> None:
    arm = Arm.from_dh([Joint("revolute", d=0.25, a=0.5), Joint("revolute", a=0.125)], title="T")
    text = arm_to_urdf(arm)
    assert arm_from_urdf(text).title == "T"
    assert arm_from_urdf(text.replace("  <", "<")) == arm  # spaces do not count
    edited = arm_from_urdf(text.replace('xyz="0.5 0.0 0.25"', 'xyz="0.75 0.0 0.25"'))
    assert edited.joints[0].a == 0.75
    assert edited.title == ""


def test_symbols_cannot_be_written() -> None:
    with pytest.raises(UnsupportedError, match="l1"):
        arm_to_urdf(Arm.from_dh([Joint("revolute", a="l1")]))


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        ('type="continuous"', 'type="floating"', "a3", "floating.*revolute, continuous"),
        ('type="continuous"', 'type="planar"', "a3", "planar"),
        ('type="continuous"', 'type="screw"', "a3", "unknown joint kind"),
        ('<joint name="a3" type="continuous">', '<joint name="a3">', "a3", "missing.*type"),
        ('<child link="l3"/>', '<child link="l9"/>', "a3", "child link does not exist.*'l9'"),
        ('<parent link="l2"/>', "", "a3", "parent is missing"),
        ('<child link="l3"/>', '<child link="l2"/>', "a3", "two parents"),
        ('<link name="l3"/>', '<link name="l2"/>', "l2", "name used twice"),
        ('<joint name="a3"', '<joint name="a2"', "a2", "name used twice"),
        ('xyz="0 0 -2"', 'xyz="0 0 0"', "axis", "has no length"),
        ('xyz="0 0 -2"', 'xyz="0 0"', "axis", "three numbers"),
        ('xyz="0 0 -2"', 'xyz="0 0 nan"', "axis", "not a finite number.*'nan'"),
        ('xyz="0 0 0.35"', 'xyz="0 0 x"', "origin", "not a finite number"),
        ('xyz="0 0 0.35"', 'xyz="0 0 ${h}"', "origin", "xacro"),
        ('lower="-2.9"', 'lower="3"', "limits", "minimum < maximum"),
        ('velocity="3.1"', 'velocity="-1"', "max_velocity", "above 0"),
        ('damping="0.5"', 'damping="-1"', "viscous_friction", "at least 0"),
        ('<mass value="4.5"/>', '<mass value="-4.5"/>', "l1", "at least 0 kg"),
        ('<mass value="4.5"/>', "", "inertial", "mass is missing"),
        ('ixx="0.11"', 'ixx="-0.11"', "l1", "positive semi-definite"),
        ('ixx="0.11"', "", "inertia", "missing.*ixx"),
        ("<gazebo", '<xacro:macro name="m"/><gazebo', "macro", "xacro"),
        (
            '<link name="world"/>',
            '<link name="world"/><link name="moon"/>',
            "moon",
            "several roots",
        ),
        ("robot", "model", "model", "not a URDF"),
    ],
)
def test_errors_name_line_and_element(old: str, new: str, place: str, says: str) -> None:
    count = -1 if old == "robot" else 1
    with pytest.raises(DescriptionError, match=says) as caught:
        arm_from_urdf(VENDOR.replace(old, new, count), "vendor.urdf", tip="tool0")
    assert caught.value.file == "vendor.urdf"
    assert place in str(caught.value)
    start = VENDOR.index(old)
    assert abs((caught.value.line or 0) - VENDOR.count("\n", 0, start) - 1) <= 3


def test_a_follower_whose_leader_is_elsewhere_is_a_joint_of_the_chain() -> None:
    arm = arm_from_urdf(VENDOR, tip="finger2")
    assert arm.joints[-1].name == "grip2"
    states = np.random.default_rng(2).uniform(-2, 2, (5, 3, arm.dof))
    expected = reduced(exact_angles(VENDOR), "finger2", arm, states)
    for state, pose in zip(states, expected[::2], strict=True):
        assert tool_pose(arm, state[0]) == pytest.approx(pose, abs=1e-9)


@pytest.mark.parametrize(
    ("mimic", "limits", "speed"),
    [
        ('multiplier="1"', (0.0, 0.04), 0.2),
        ('multiplier="-0.5" offset="0.03"', (0.01, 0.03), 0.1),
        ('multiplier="0.25" offset="0.02"', (0.02, 0.03), 0.05),
        ('multiplier="3"', (0.0, 0.04), 0.2),
        ('offset="0.01"', (0.01, 0.04), 0.2),
    ],
)
def test_a_follower_keeps_to_the_limits_of_its_leader(
    mimic: str, limits: tuple[float, float], speed: float
) -> None:
    text = VENDOR.replace('<mimic joint="grip1"/>', f'<mimic joint="grip1" {mimic}/>')
    joint = arm_from_urdf(text, tip="finger2").joints[-1]
    assert joint.limits == pytest.approx(limits)
    assert joint.max_velocity == pytest.approx(speed)


def test_a_chain_of_followers_leads_to_the_first() -> None:
    more = (
        '<link name="finger3"/><joint name="grip3" type="prismatic"><parent link="flange"/>'
        '<child link="finger3"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/><mimic joint="grip2" multiplier="-2" offset="0.1"/></joint></robot>'
    )
    text = VENDOR.replace("</robot>", more).replace(
        '<mimic joint="grip1"/>', '<mimic joint="grip1" multiplier="0.5" offset="0.01"/>'
    )
    joint = arm_from_urdf(text, tip="finger3").joints[-1]
    assert joint.limits == pytest.approx((0.04, 0.08))  # -2 (q/2 + 0.01) + 0.1, q from 0 to 0.04
    assert joint.max_velocity == pytest.approx(0.2)


@pytest.mark.parametrize("mimic", ["", 'multiplier="-0.5" offset="0.02"'])
@pytest.mark.parametrize(
    ("old", "new", "leader"),
    [
        ('<parent link="flange"/><child link="finger2"/>', '<parent link="finger1"/>', "grip1"),
        ('<mimic joint="grip1"/>', '<mimic joint="a2"/>', "a2"),
    ],
)
def test_a_joint_and_its_leader_in_one_chain_are_coupled(
    old: str, new: str, leader: str, mimic: str
) -> None:
    text = VENDOR.replace(old, f'{new}<child link="finger2"/>' if "parent" in new else new)
    text = text.replace(f'<mimic joint="{leader}"/>', f'<mimic joint="{leader}" {mimic}/>')
    arm = arm_from_urdf(text, "vendor.urdf", tip="finger2")
    *others, follower = arm.joints
    assert follower.name == "grip2"
    factor, offset = (-0.5, 0.02) if mimic else (1.0, 0.0)
    coupling = follower.coupling
    assert coupling is not None
    assert coupling.factors == ((leader, factor),)
    assert coupling.limits == pytest.approx((-offset, 0.04 - offset))
    assert arm.dof == len(others)
    model = pinocchio.buildModelFromXML(exact_angles(text))
    data = model.createData()
    for q in np.random.default_rng(2).uniform(-2, 2, (5, arm.dof)):
        full = pinocchio.neutral(model)
        values = {joint.name: value for joint, value in zip(arm.moving, q, strict=True)}
        values["grip2"] = factor * values[leader] + offset
        for name, value in values.items():
            own = model.joints[model.getJointId(name)]
            both = (math.cos(value), math.sin(value)) if own.nq == 2 else (value,)
            full[own.idx_q : own.idx_q + own.nq] = both
        pinocchio.framesForwardKinematics(model, data, full)
        pose = data.oMf[model.getFrameId("finger2")].homogeneous
        assert armwerk.model(arm).fk(q) == pytest.approx(pose, abs=1e-9)


def test_two_followers_of_one_leader_outside_the_chain_are_coupled() -> None:
    more = (
        '<link name="finger3"/><joint name="grip3" type="prismatic"><parent link="finger2"/>'
        '<child link="finger3"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" '
        'velocity="0.05"/><mimic joint="grip1" multiplier="-2" offset="0.1"/></joint></robot>'
    )
    text = VENDOR.replace("</robot>", more)
    arm = arm_from_urdf(text, tip="finger3")
    coupling = arm.joints[-1].coupling
    assert coupling is not None
    assert coupling.factors == (("grip2", -2.0),)
    assert not coupling.driven
    assert arm.joints[-2].max_velocity == pytest.approx(0.025)  # the follower goes twice as fast


@pytest.mark.parametrize(
    ("mimic", "words"),
    [
        ('<mimic joint="grip9"/>', "no such joint"),
        ('<mimic joint="grip2"/>', "follow each other"),
        ('<mimic joint="to_tool"/>', "never moves"),
        ('<mimic joint="grip1" multiplier="0"/>', "never moves"),
        ('<mimic joint="grip1" multiplier="much"/>', "finite number"),
        ('<mimic joint="grip1" offset="1"/>', "limits"),
    ],
)
def test_followers_that_make_no_sense_are_refused(mimic: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        arm_from_urdf(VENDOR.replace('<mimic joint="grip1"/>', mimic), tip="finger2")


@pytest.mark.parametrize("given", [{"tip": "l9"}, {"tip": "l2", "base_link": "l9"}])
def test_unknown_links_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(DescriptionError, match=r"no such link.*'l9'.*world"):
        arm_from_urdf(VENDOR, **given)


def test_a_tip_before_the_base_is_refused() -> None:
    with pytest.raises(DescriptionError, match="does not hang on"):
        arm_from_urdf(VENDOR, tip="l1", base_link="l3")


def test_loops_are_refused() -> None:
    loop = (
        '<robot name="x"><link name="a"/><link name="b"/>\n<joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/></joint>\n<joint name="k" type="revolute">'
        '<parent link="b"/><child link="a"/></joint></robot>'
    )
    with pytest.raises(DescriptionError, match="loop"):
        arm_from_urdf(loop)
    with pytest.raises(DescriptionError, match="loop"):
        arm_from_urdf(loop.replace("<joint", '<link name="root"/><joint', 1))


def test_coinciding_axes_name_both_joints() -> None:
    text = VENDOR.replace('xyz="0.025 0 0.1"', 'xyz="0 0 0.1"').replace(
        'xyz="0 1 0"', 'xyz="0 0 1"'
    )
    with pytest.raises(DescriptionError, match="'a1' and 'a2' coincide") as caught:
        arm_from_urdf(text, tip="tool0")
    assert caught.value.line == text[: text.index('name="a2"')].count("\n") + 1


MJCF = """<mujoco model="follower"><compiler angle="radian"/><worldbody><body name="upper">
<joint name="lead" axis="0 0 1" range="-1 1" limited="true"/><geom size="0.1" mass="1"/>
<body name="fore" pos="0.5 0 0"><joint name="follow" axis="0 0 1" ref="0.25"/>
<geom size="0.1" mass="1"/><body name="hand" pos="0.4 0 0"><geom size="0.05" mass="0.1"/></body>
</body></body></worldbody><equality>
<joint joint1="follow" joint2="lead" polycoef="0.1 -2 0 0 0"/></equality></mujoco>"""


def test_an_equality_of_two_joints_of_mjcf_couples_them(tmp_path: Path) -> None:
    (tmp_path / "follower.xml").write_text(MJCF)
    arm = load(tmp_path / "follower.xml", tip="hand")
    assert isinstance(arm, Arm)
    assert arm.dof == 1
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    for value in (-1.0, 0.0, 0.3, 1.0):
        # MuJoCo's own rule: q1 - q1_0 = 0.1 - 2 (q2 - q2_0)
        data.qpos[:] = value, 0.25 + 0.1 - 2.0 * value
        mujoco.mj_kinematics(model, data)
        hand = model.body("hand").id
        place = armwerk.model(arm).fk([value])
        np.testing.assert_allclose(place[:3, 3], data.xpos[hand], atol=1e-12)
        np.testing.assert_allclose(place[:3, :3], data.xmat[hand].reshape(3, 3), atol=1e-12)
