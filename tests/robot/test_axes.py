"""Axes to Denavit-Hartenberg rows, checked against the product of exponentials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from described_arms import moved_lines, random_link, random_pose, random_rotation, tool_pose
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Axis, Joint, Link
from armwerk.robot.arm import arm_from_axes
from armwerk.robot.axes import (
    DhRow,
    rows_from_lines,
    snap_angle,
    zyx_angles,
    zyx_matrix,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUARTER = math.pi / 2


def _arm(kinds: list[str], base: np.ndarray, rows: tuple[DhRow, ...], tool: np.ndarray) -> Arm:
    joints = [Joint(kind, **row._asdict()) for kind, row in zip(kinds, rows, strict=True)]  # type: ignore[arg-type]
    return Arm.from_dh(joints, base=base, tool=tool)


def _has_one_line_twice(kinds: list[str], points: np.ndarray, directions: np.ndarray) -> bool:
    for at in range(1, len(kinds)):
        if kinds[at - 1] == kinds[at] == "revolute":
            way = np.cross(points[at] - points[at - 1], directions[at])
            if not way.any() and not np.cross(directions[at - 1], directions[at]).any():
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_arm_moves_as_its_lines_do(seed: int, is_square: bool) -> None:
    """For skew lines at any angle, and for square layouts full of special cases."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 8))
    kinds = [str(kind) for kind in rng.choice(["revolute", "prismatic"], count)]
    if is_square:
        unit = np.array([X, Y, Z, (-1, 0, 0), (0, -1, 0), (0, 0, -1)])
        directions = unit[rng.integers(6, size=count)]
        points = rng.choice([0.0, 0.25, 0.4, -0.1], (count, 3))
        end = np.eye(4)
        end[:3, :3] = zyx_matrix(*(QUARTER * rng.integers(4, size=3)))
        end[:3, 3] = rng.choice([0.0, 0.25], 3)
    else:
        directions, points = rng.normal(size=(2, count, 3))
        end = random_pose(rng)
    if _has_one_line_twice(kinds, points, directions):
        with pytest.raises(DescriptionError, match="coincide"):
            rows_from_lines(kinds, points, directions, end)
        return
    base, rows, tool = rows_from_lines(kinds, points, directions, end)
    arm = _arm(kinds, base, rows, tool)
    for q in (np.zeros(count), *rng.uniform(-3, 3, (3, count))):
        expected = moved_lines(kinds, points, directions, end, q)
        assert np.abs(tool_pose(arm, q) - expected).max() < 1e-9
    if is_square:
        angles = np.array([row.alpha for row in rows]) / QUARTER
        assert np.array_equal(angles, np.round(angles))


def test_every_row_obeys_the_rules() -> None:
    rng = np.random.default_rng(4)
    directions, points = rng.normal(size=(2, 6, 3))
    _, rows, _ = rows_from_lines(["revolute"] * 6, points, directions)
    for row, this, after, at, there in zip(
        rows[:-1], directions[:-1], directions[1:], points[:-1], points[1:], strict=True
    ):
        normal = np.cross(this, after) / np.linalg.norm(np.cross(this, after))
        assert row.a == pytest.approx(abs((there - at) @ normal), abs=1e-12)
        cosine = this @ after / np.linalg.norm(this) / np.linalg.norm(after)
        assert math.cos(row.alpha) == pytest.approx(cosine, abs=1e-12)


def test_puma_like_arm_gets_its_table() -> None:
    """Waist, shoulder, elbow with a side offset, and a wrist that meets in a point."""
    axes = [
        Axis("revolute", Z),
        Axis("revolute", (0, -1, 0), (0, 0, 0.67)),
        Axis("revolute", (0, -1, 0), (0.43, 0, 0)),
        Axis("revolute", Z, (0.02, -0.15, 0.43)),
        Axis("revolute", (0, -1, 0)),
        Axis("revolute", Z),
    ]
    arm = arm_from_axes(axes, name="puma")
    rows = [(joint.offset, joint.d, joint.a, joint.alpha) for joint in arm.joints]
    assert rows == [
        (0, 0.67, 0, QUARTER),
        (0, 0, 0.43, 0),
        (0, 0.15, 0.02, -QUARTER),
        (0, 0.43, 0, QUARTER),
        (0, 0, 0, -QUARTER),
        (0, 0, 0, 0),
    ]
    assert np.array_equal(arm.base, np.eye(4))
    assert np.array_equal(arm.tool, np.eye(4))


def test_scara_has_level_frames_and_exact_zeros() -> None:
    axes = [
        Axis("revolute", Z, (0, 0, 0.4)),
        Axis("revolute", Z, (0.325, 0, 0)),
        Axis("prismatic", (0, 0, -1), (0.225, 0, 0)),
        Axis("revolute", (0, 0, -1), (0, 0, -0.1)),
    ]
    arm = Arm.from_axes(axes, end=(0.55, 0, 0.3))
    rows = [(joint.offset, joint.d, joint.a, joint.alpha) for joint in arm.joints]
    assert rows == [(0, 0, 0.325, 0), (0, 0, 0.225, math.pi), (0, 0, 0, 0), (0, -0.3, 0, 0)]
    assert tool_pose(arm, [0, 0, 0, 0])[:3, 3] == pytest.approx([0.55, 0, 0.3], abs=1e-15)
    assert tool_pose(arm, [0, 0, 0.1, 0])[2, 3] == pytest.approx(0.2)


def test_cartesian_arm_has_no_lengths_although_its_rails_pass_each_other() -> None:
    axes = [
        Axis("prismatic", Z, (0.3, 0.1, 0)),
        Axis("prismatic", Y, (0.2, 0.4, 0.1)),
        Axis("prismatic", X, (0.7, 0.6, 0.5)),
    ]
    arm = arm_from_axes(axes, end=np.eye(4))
    assert [joint.a for joint in arm.joints] == [0, 0, 0]
    assert tool_pose(arm, [0.3, 0.2, 0.1])[:3, 3] == pytest.approx([0.1, 0.2, 0.3])


def test_planar_arm_ends_at_a_point() -> None:
    axes = [Axis("revolute", Z), Axis("revolute", Z, (0.5, 0, 0))]
    arm = arm_from_axes(axes, end=(0.9, 0, 0))
    assert [joint.a for joint in arm.joints] == [0.5, 0.4]
    assert all(joint.offset == joint.d == joint.alpha == 0 for joint in arm.joints)


def test_sums_come_out_as_written() -> None:
    arm = arm_from_axes(
        [Axis("revolute", Z, (0.1, 0, 0)), Axis("revolute", Z, (0.2, 0, 0))], end=(0.6, 0, 0)
    )
    assert [joint.a for joint in arm.joints] == [0.2, 0.3]


def test_the_tool_carries_what_no_row_can() -> None:
    end = np.eye(4)
    end[:3, :3] = Rotation.from_euler("xyz", [0.3, 0.4, 0.5]).as_matrix()
    base, rows, tool = rows_from_lines(["revolute"], [(0, 0, 0)], [Z], end)
    assert rows == (DhRow(0, 0, 0, 0),)
    assert tool == pytest.approx(end)
    assert base == pytest.approx(np.eye(4))


def test_links_are_given_about_the_axis_and_kept_in_the_frame() -> None:
    """Mass and inertia seen from the base at zero pose stay what was given."""
    rng = np.random.default_rng(3)
    ways = rng.normal(size=(3, 3))
    links = [random_link(rng) for _ in range(3)]
    axes = [
        Axis("revolute", tuple(rng.normal(size=3)), tuple(way), link=link)
        for way, link in zip(ways, links, strict=True)
    ]
    arm = arm_from_axes(axes)
    frame = arm.base
    for joint, link, point in zip(arm.joints, links, np.cumsum(ways, axis=0), strict=True):
        one = Arm.from_dh([joint], base=frame)
        frame = tool_pose(one, [0.0])
        centre = frame[:3, :3] @ np.array(joint.link.com) + frame[:3, 3]
        assert centre == pytest.approx(point + np.array(link.com))
        turned = frame[:3, :3] @ joint.link.inertia_matrix() @ frame[:3, :3].T
        assert turned == pytest.approx(link.inertia_matrix())


def test_base_and_more_fields_are_passed_on() -> None:
    base = np.eye(4)
    base[2, 3] = 1.0
    axis = Axis("revolute", Z, name="waist", limits=(-1, 1), max_force=5.0)
    arm = arm_from_axes([axis], base=base, title="One")
    assert (arm.title, arm.joints[0].name, arm.joints[0].max_force) == ("One", "waist", 5.0)
    assert tool_pose(arm, [0])[2, 3] == 1.0


@pytest.mark.parametrize(
    ("axes", "end", "says"),
    [
        ([], None, "at least one axis"),
        ([Axis("revolute", (0, 0, 0), name="waist")], None, "joint 'waist', direction.*length"),
        ([Axis("revolute", (0, 0, math.nan))], None, "joint '1', direction.*finite"),
        ([Axis("revolute", (0, 1))], None, "joint '1', direction.*three"),  # type: ignore[arg-type]
        ([Axis("revolute", Z, (0, math.inf, 0))], None, "displacement.*finite"),
        ([Axis("revolute", Z, "up")], None, "displacement"),  # type: ignore[arg-type]
        ([Axis("screw", Z)], None, "revolute, prismatic, fixed"),  # type: ignore[arg-type]
        ([Axis("revolute", Z)], np.eye(3), "pose \\(4, 4\\)"),
        ([Axis("revolute", Z), Axis("revolute", (0, 0, -3), (0, 0, 1))], None, "'1' and '2' coi"),
        (
            [Axis("revolute", Z, name="a"), Axis("revolute", Z, (0, 0, 0.2), name="b")],
            None,
            "axes of 'a' and 'b' coincide",
        ),
        ([Axis("revolute", Z, link=Link(1.0, ("r", 0, 0)))], None, "numbers"),
    ],
)
def test_bad_axes_are_refused(axes: list[Axis], end: object, says: str) -> None:
    with pytest.raises(DescriptionError, match=says):
        arm_from_axes(axes, end=end)  # type: ignore[arg-type]


def test_right_angles_are_snapped_and_others_are_not() -> None:
    assert snap_angle(QUARTER + 1e-13) == QUARTER
    assert snap_angle(-math.pi) == math.pi
    assert snap_angle(1e-11) == 1e-11


@pytest.mark.parametrize("seed", range(20))
def test_angles_and_matrix_agree_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = random_rotation(rng)
    z, y, x = zyx_angles(turn)
    assert zyx_matrix(z, y, x) == pytest.approx(turn)
    assert Rotation.from_euler("ZYX", [z, y, x]).as_matrix() == pytest.approx(turn)
    z, x = rng.uniform(-3, 3, 2)
    for y in (QUARTER, -QUARTER):
        upright = Rotation.from_euler("ZYX", [z, y, x]).as_matrix()
        assert zyx_matrix(*zyx_angles(upright)) == pytest.approx(upright)
