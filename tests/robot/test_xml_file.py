"""XML in and out: exact round trips, plain configurations, axes, and refused documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from described_arms import random_arm, tool_pose
from hypothesis import given, settings, strategies as st
from lxml import etree

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Joint, library, load
from armwerk.robot.formats.xml_reader import SCHEMA, arm_from_xml
from armwerk.robot.formats.xml_writer import arm_to_xml


def joint_xml(kind: str, **values: str) -> str:
    """Return a joint and its arrangement; underscores stand for dashes, all else is empty."""
    tags = [
        "joint-angle",
        "joint-offset",
        "link-offset",
        "link-length",
        "link-twist",
        "theta-min",
        "theta-max",
        "velocity-max",
        "acceleration-max",
        "jerk-max",
        "force-max",
        "rotation-translation-axis",
    ]
    body = "".join(f"<{tag}>{values.get(tag.replace('-', '_'), '')}</{tag}>\n" for tag in tags)
    direction, displacement = values.get("direction", ""), values.get("displacement", "")
    return (
        f"<joint><joint-type>{kind}</joint-type>\n{body}</joint>\n<adjacent-frame-arrangement>"
        f"<direction>{direction}</direction><displacement>{displacement}</displacement>"
        "</adjacent-frame-arrangement>\n"
    )


def document(*joints: str, links: str = "", after: str = "") -> str:
    """Return a configuration as the source lays it out."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<robot-configuration>\n'
        "<kinematic-structure>horizontaler Knickarm</kinematic-structure>\n"
        f"<number-of-joints>{len(joints)}</number-of-joints>\n"
        "<application-areas><task>assembly</task></application-areas>\n"
        f"{''.join(joints)}{links}"
        "<trajectory-generation><joint-space-trajectories><motion>fully synchronous</motion>"
        "</joint-space-trajectories><cartesian-space-trajectories><motion>linear</motion>"
        "</cartesian-space-trajectories><acceleration-profile>sine</acceleration-profile>"
        "<interpolation-clock>8</interpolation-clock></trajectory-generation>\n"
        f"{after}</robot-configuration>\n"
    )


def row(kind: str, **values: str) -> str:
    """Return a joint given by its row."""
    zero = {"joint_offset": "0", "link_offset": "0", "link_length": "0", "link_twist": "0"}
    return joint_xml(kind, **{**zero, **values})


def between(low: float, high: float) -> dict[str, str]:
    """Return the two limits of a joint."""
    return {"theta_min": str(low), "theta_max": str(high)}


SCARA = document(
    row("revolute", joint_angle="theta1", link_offset="0.4", link_length="a1", **between(-2, 2)),
    row("revolute", joint_angle="theta2", link_length="0.25", link_twist="pi", velocity_max="4"),
    row("prismatic", joint_angle="pi/4", joint_offset="pi/4", link_offset="d3", **between(0, 0.2)),
    row("revolute", joint_angle="q4", force_max="5"),
    row("passive", joint_angle="0.1", joint_offset="0.2", link_offset="0.05"),
)  # fmt: skip


def test_a_plain_configuration_is_read() -> None:
    arm = arm_from_xml(SCARA, "folder/scara7.xml")
    assert (arm.name, arm.title, arm.tasks) == ("scara7", "horizontaler Knickarm", ("assembly",))
    assert [joint.kind for joint in arm.joints] == [
        "revolute",
        "revolute",
        "prismatic",
        "revolute",
        "fixed",
    ]
    first, second, third, fourth, last = arm.joints
    assert (first.d, first.a, first.limits) == (0.4, "a1", (-2.0, 2.0))
    assert (second.alpha, second.max_velocity, second.limits) == (math.pi, 4.0, None)
    assert (third.offset, third.d, third.limits) == (math.pi / 2, 0.0, (0.0, 0.2))
    assert fourth.max_force == 5.0
    assert last.offset == pytest.approx(0.3)
    assert last.d == 0.05
    assert arm.motion.joint_motion == "fully synchronous"
    assert arm.motion.cartesian_motions == ("linear",)
    assert (arm.motion.profile, arm.motion.clock) == ("sine", 0.008)


def test_a_prismatic_offset_may_be_a_constant() -> None:
    text = document(row("translatorisch", link_offset="0.3"), row("prismatic", link_length="1"))
    assert arm_from_xml(text).joints[0].d == 0.3


def test_rows_are_found_from_axes() -> None:
    layout = (("revolute", "z", "z", "0.4"), ("revolute", "0 -2 0", "1 0 0", "0.3"))
    text = document(
        *(
            joint_xml(kind, rotation_translation_axis=axis, direction=way, displacement=length)
            for kind, axis, way, length in (*layout, ("prismatic", "x", "x", "0.2"))
        )
    )
    arm = arm_from_xml(text)
    rows = [(joint.offset, joint.d, joint.a, joint.alpha) for joint in arm.joints]
    quarter = math.pi / 2
    assert rows == [(0, 0.4, 0, quarter), (quarter, 0, 0, quarter), (0, 0.5, 0, 0)]
    pose = tool_pose(arm, [0.0, quarter, 0.1])
    assert pose[:3, 3] == pytest.approx([0, 0, 0.4 + 0.6])
    assert tool_pose(arm, [quarter, 0.0, 0.1])[:3, 3] == pytest.approx([0, 0.6, 0.4])


def test_a_minus_turns_an_axis_and_a_way_round() -> None:
    text = document(
        joint_xml("revolute", rotation_translation_axis="-z", direction="-X", displacement="0.4"),
        joint_xml("prismatic", rotation_translation_axis="-y", direction="+y", displacement="0.1"),
    )
    arm = arm_from_xml(text)
    assert tool_pose(arm, [0.0, 0.2])[:3, 3] == pytest.approx([-0.4, 0.1 - 0.2, 0])
    # clockwise seen from above: -x becomes +y, and +y becomes +x
    assert tool_pose(arm, [math.pi / 2, 0.0])[:3, 3] == pytest.approx([0.1, 0.4, 0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_round_trip_is_exact(seed: int) -> None:
    arm = random_arm(seed)
    text = arm_to_xml(arm)
    again = arm_from_xml(text)
    assert again == arm
    assert again.fingerprint() == arm.fingerprint()
    assert arm_to_xml(again) == text


@pytest.mark.parametrize("name", library())
def test_library_round_trip(name: str) -> None:
    arm = load(name)
    if isinstance(arm, Arm):
        assert arm_from_xml(arm_to_xml(arm)) == arm


def test_symbolic_displacement_of_a_slide_is_kept() -> None:
    arm = Arm.from_dh([Joint("revolute"), Joint("prismatic", d="l1"), Joint("prismatic", d=0.5)])
    assert arm_from_xml(arm_to_xml(arm)) == arm


def test_what_is_written_is_valid_and_documented() -> None:
    schema = etree.parse(str(SCHEMA))
    validator = etree.XMLSchema(schema)
    assert validator.validate(etree.fromstring(arm_to_xml(load("puma560")).encode()))
    assert len(schema.findall(".//{*}documentation")) > 15


def test_control_characters_cannot_be_written() -> None:
    with pytest.raises(DescriptionError, match="control characters"):
        arm_to_xml(Arm.from_dh([Joint("revolute")], name="bell\a"))


LINK = "<link><mass>{}</mass>" + "".join(
    f"<{tag}>0</{tag}>\n" for tag in ["rx", "ry", "rz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
) + "</link>\n"  # fmt: skip
TWO = (row("revolute", link_length="1"), row("revolute", link_length="1"))


@pytest.mark.parametrize(
    ("text", "element", "says"),
    [
        (document(row("screw")), "joint 1, joint-type", "revolute, prismatic"),
        (document(row("revolute", joint_angle="0.3")), "joint 1, joint-angle", "variable"),
        (document(row("revolute", link_length="")), "joint 1, link-length", "missing"),
        (document(*TWO, row("revolute", link_twist="nan")), "joint 3, link-twist", "not finite"),
        (document(row("revolute", link_twist="1 +")), "joint 1, link-twist", "not an expression"),
        (document(row("revolute", theta_min="1", theta_max="-1")), "joint 1, limits", "minimum"),
        (document(row("revolute", theta_min="1")), "joint 1, theta-max", "missing"),
        (document(row("revolute", theta_min="a", theta_max="1")), "theta-min", "no symbols"),
        (document(row("revolute", jerk_max="-1")), "joint 1, max_jerk", "above 0"),
        (document(row("prismatic", link_offset="d1 + l")), "joint 1, link-offset", "variable"),
        (document(*TWO, links=LINK.format(1)), "link", "none or 2"),
        (document(*TWO, links=LINK.format(-1) + LINK.format(1)), "link 1, mass", "at least 0 kg"),
        (document(*TWO, links=LINK.format("") * 2), "link 1, mass", "missing"),
        (document(*TWO).replace("joints>2<", "joints>3<"), "number-of-joints", "2, the number"),
        (document(*TWO).replace("joints>2<", "joints>two<"), "number-of-joints", "two"),
        (document(*TWO).replace("clock>8<", "clock>0<"), "interpolation-clock", "'0'"),
        (document(*TWO).replace("sine", "square"), "acceleration-profile", "trapezoid, sine"),
        (document(*TWO).replace("<joint>", "<joint x='1'>", 1), "joint 1", "'x' is not allowed"),
        (document(*TWO).replace("task>", "job>"), "job", "task"),
        (document(row("revolute"), row("revolute")), "joint 'q2'", "'q1' and 'q2' coincide"),
        (document(joint_xml("revolute")), "joint 1, link-length", "missing"),
        (
            document(
                joint_xml("revolute", rotation_translation_axis="z"),
                joint_xml("revolute", rotation_translation_axis="-z"),
            ),
            "joint 2",
            "coincide",
        ),
        (
            document(joint_xml("revolute", rotation_translation_axis="0 0 0")),
            "joint 1, rotation-translation-axis",
            "has no length",
        ),
        (
            document(joint_xml("revolute", rotation_translation_axis="up")),
            "joint 1, rotation-translation-axis",
            "up",
        ),
        (
            document(joint_xml("revolute", rotation_translation_axis="z", displacement="1")),
            "adjacent-frame-arrangement, direction",
            "has no length",
        ),
        (
            document(joint_xml("revolute", rotation_translation_axis="z", link_offset="0.2")),
            "joint 1, link-offset",
            "beside axes",
        ),
        (
            document(*TWO, after="<extension><base>1 0 0 0 0 1 0 0 0 0 2 0</base></extension>"),
            "base",
            "rigid",
        ),
        (document(*TWO, after="<extension><base>1 0</base></extension>"), "base", "12"),
        (
            document(*TWO, after="<extension><top-speed>0</top-speed></extension>"),
            "top-speed",
            "'0'",
        ),
        (
            document(*TWO, after="<extension><gravity>0 0 nan</gravity></extension>"),
            "gravity",
            "nan",
        ),
        (document(*TWO).replace("<task>", "<x:y xmlns:x='z'/><task>"), "y", "not expected"),
        ("<robot/>", "robot", "robot"),
    ],
)
def test_errors_name_line_and_element(text: str, element: str, says: str) -> None:
    with pytest.raises(DescriptionError, match=says) as caught:
        arm_from_xml(text, "x.xml")
    assert element in caught.value.element
    assert caught.value.file == "x.xml"
    lines = text.splitlines()
    line = lines[(caught.value.line or 0) - 1]
    tag = caught.value.element.split(", ")[-1].split()[0]
    if f"<{tag}" in text:
        assert f"<{tag}" in line


def test_comments_do_not_cut_numbers() -> None:
    text = SCARA.replace(">0.25<", "><!-- was 0.2 -->0.25<!-- m --><")
    assert arm_from_xml(text).joints[1].a == 0.25


def test_base_of_the_axes_document_is_moved_by_the_extension() -> None:
    one = joint_xml("revolute", rotation_translation_axis="x", direction="z", displacement="1")
    after = "<extension><base>1 0 0 5 0 1 0 0 0 0 1 0</base></extension>"
    arm = arm_from_xml(document(one, after=after))
    assert tool_pose(arm, [0.0])[:3, 3] == pytest.approx([5, 0, 1])
    assert np.allclose(tool_pose(arm, [math.pi / 2])[:3, 3], [5, -1, 0])


def both(
    axis: str = "0 -1 0", length: str = "0.4", end: str = "0.3", row_length: str = "0.3"
) -> str:
    """Return an arm given twice: by its rows and by its axes."""
    quarter = str(math.pi / 2)
    first = row("revolute", link_offset="0.4", link_twist=quarter,
                rotation_translation_axis="z", direction="z", displacement=length)  # fmt: skip
    second = row("revolute", link_length=row_length, rotation_translation_axis=axis,
                 direction="1 0 0", displacement=end)  # fmt: skip
    return document(first, second)


def test_axes_beside_rows_that_agree_are_read() -> None:
    arm = arm_from_xml(both())
    assert [(joint.d, joint.a) for joint in arm.joints] == [(0.4, 0.0), (0.0, 0.3)]
    assert arm_from_xml(both("0 -0.99999 0.0001")) == arm
    # nothing is known behind a symbol, nothing is said by an empty displacement
    assert arm_from_xml(both(row_length="l2")).joints[1].a == "l2"
    assert arm_from_xml(both(length="", end="7")) == arm
    assert arm_from_xml(both(end="l2")) == arm


@pytest.mark.parametrize(
    ("text", "element", "value", "right"),
    [
        (both(axis="y"), "joint 2, rotation-translation-axis", "0 1 0", "0 -1 0, the direction"),
        (both(axis="z"), "joint 2, rotation-translation-axis", "0 0 1", "0 -1 0, the direction"),
        (both(length="0.5", end=""), "displacement", "0 0 0.5 m", "joint 2 through 0 0 0.4 m"),
        (both(end="0.25"), "displacement", "0.25 0 0.4 m", "the end of the arm at 0.3 0 0.4 m"),
        (both(row_length="0.25"), "displacement", "0.3 0 0.4 m", "at 0.25 0 0.4 m"),
        (both(axis="0 0 0"), "joint 2, rotation-translation-axis", "0 0 0", "three numbers"),
    ],
)
def test_axes_that_contradict_rows_are_refused(
    text: str, element: str, value: str, right: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        arm_from_xml(text, "twice.xml")
    error = caught.value
    assert element in error.element
    assert str(error.value) == value
    assert right in error.allowed
    assert error.line is not None
    line = text.splitlines()[error.line - 1]
    assert element.rsplit(", ", maxsplit=1)[-1] in line


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_any_arm_agrees_with_its_own_axes(seed: int) -> None:
    arm = random_arm(seed, symbols=False)
    rng = np.random.default_rng(seed)
    root = etree.fromstring(arm_to_xml(arm).encode())
    frame, place = np.eye(4), np.zeros(3)
    frames = [frame]
    for joint in arm.joints:
        one = Arm(
            (Joint("revolute", d=joint.d, a=joint.a, alpha=joint.alpha, offset=joint.offset),)
        )
        frames.append(frames[-1] @ tool_pose(one, [0.0]))
    nodes = root.findall("joint")
    for k, node in enumerate(nodes):
        axis = frames[k][:3, 2] * rng.uniform(0.5, 2)
        part = node.find("rotation-translation-axis")
        assert part is not None
        part.text = " ".join(map(repr, axis.tolist()))
        following = frames[k + 1]
        target = following[:3, 3] + (
            following[:3, 2] * rng.uniform(-1, 1) if k + 1 < len(nodes) else 0
        )
        way, after = target - place, node.getnext()
        assert after is not None
        after[0].text = " ".join(map(repr, way.tolist()))
        after[1].text = repr(float(np.linalg.norm(way)))
        place = target
    text = etree.tostring(root, encoding="unicode")
    assert arm_from_xml(text) == arm
    last = nodes[-1].find("rotation-translation-axis")
    assert last is not None
    last.text = " ".join(map(repr, (-frames[len(nodes) - 1][:3, 2]).tolist()))
    with pytest.raises(DescriptionError, match="contradicts"):
        arm_from_xml(etree.tostring(root, encoding="unicode"))
