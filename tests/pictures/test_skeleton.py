"""The skeleton against the direct kinematics written out by hand."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

import numpy as np
import pytest

import armwerk
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.pictures.skeleton import (
    Skeleton,
    arm_size,
    arm_skeleton,
    good_configuration,
    shared,
    without,
)
from armwerk.robot import Arm, Joint, library, load, load_arm

PLANAR = Arm.from_dh(
    [Joint("revolute", a=0.4, limits=(-2, 2)), Joint("revolute", a=0.3, limits=(-2, 2))],
    name="planar",
)
ARMS = [name for name in library() if isinstance(load(name), Arm)]


@cache
def posed(name: str) -> tuple[Arm, np.ndarray, Skeleton]:
    """Return an arm, a configuration and its skeleton."""
    arm = load_arm(name)
    q = good_configuration(arm)
    return arm, q, arm_skeleton(arm, q)


def test_planar_arm_by_trigonometry() -> None:
    one, two = 0.5, -0.9
    skeleton = arm_skeleton(PLANAR, [one, two])
    elbow = np.array([0.4 * cos(one), 0.4 * sin(one), 0.0])
    tip = elbow + np.array([0.3 * cos(one + two), 0.3 * sin(one + two), 0.0])
    assert np.allclose(skeleton.tools[0][:3, 3], tip)
    assert np.allclose(skeleton.bars[0].points[-1], elbow)
    assert np.allclose(skeleton.bars[-1].points, [elbow, tip])
    assert np.allclose(skeleton.joints[1].centre, elbow)
    assert np.allclose(skeleton.joints[1].axis, [0, 0, 1])


def test_a_bar_follows_its_row_along_z_and_then_along_x() -> None:
    arm = Arm.from_dh(
        [
            Joint("revolute", a=0.4, alpha=pi / 2),
            Joint("revolute", d=0.3, a=0.2),
            Joint("prismatic", d=0.1, a=0.25, limits=(0, 0.4)),
        ]
    )
    skeleton = arm_skeleton(arm, [0.0, 0.0, 0.05])
    # the second axis runs along -y, so does the slide
    by_row = [[0.4, 0, 0], [0.4, -0.3, 0], [0.6, -0.3, 0], [0.6, -0.45, 0], [0.85, -0.45, 0]]
    drawn = [point for bar in skeleton.bars[1:] for point in bar.points]
    for point in by_row:
        assert np.linalg.norm(np.array(drawn) - point, axis=1).min() < 1e-12, point


@pytest.mark.parametrize("name", ARMS)
def test_the_tool_is_where_the_model_has_it(name: str) -> None:
    arm, q, skeleton = posed(name)
    assert np.allclose(skeleton.tools[0], armwerk.model(arm, ik="numeric").fk(q), atol=1e-12)


def test_prismatic_rod_has_the_joints_length() -> None:
    arm = Arm.from_dh(
        [Joint("revolute", d=0.5), Joint("prismatic", d=0.1, alpha=pi / 2, limits=(0, 0.4))]
    )
    skeleton = arm_skeleton(arm, [0.3, 0.25])
    (rod,) = [bar for bar in skeleton.bars if bar.square]
    assert np.linalg.norm(np.diff(rod.points, axis=0)) == pytest.approx(0.35)
    assert [joint.kind for joint in skeleton.joints] == ["revolute", "prismatic"]


@pytest.mark.parametrize("name", ARMS)
def test_bars_hang_together(name: str) -> None:
    """Every bar starts where another part of the arm is, and the last one ends at the tool."""
    arm, _, skeleton = posed(name)
    ends = np.vstack([bar.points for bar in skeleton.bars])
    marks = np.vstack([joint.centre for joint in skeleton.joints])
    for index, bar in enumerate(skeleton.bars[1:], start=1):
        others = np.vstack([other.points for other in skeleton.bars[:index]] + [marks])
        gap = np.linalg.norm(others - bar.points[0], axis=1).min()
        assert gap < 1e-9, (name, index)
    tool = skeleton.tools[0][:3, 3]
    assert min(np.linalg.norm(ends - tool, axis=1)) < 1e-9
    assert len(skeleton.joints) == arm.free_chain.dof
    assert sum(not joint.passive for joint in skeleton.joints) == arm.dof


@pytest.mark.parametrize("name", ARMS)
def test_symbols_of_joints_stand_on_their_axes_and_apart(name: str) -> None:
    arm, _, skeleton = posed(name)
    joints = skeleton.joints
    size = arm_size(arm)
    for index, joint in enumerate(joints):
        assert np.linalg.norm(joint.axis) == pytest.approx(1.0)
        for other in joints[:index]:
            if joint.kind == other.kind == "revolute":
                assert np.linalg.norm(joint.centre - other.centre) > 0.02 * size


@pytest.mark.parametrize("name", ARMS)
def test_good_configuration_is_within_limits(name: str) -> None:
    arm, q, _ = posed(name)
    low, high = arm.limits.T
    assert (q >= low).all()
    assert (q <= high).all()


def test_good_configuration_is_the_same_every_time() -> None:
    arm, q, _ = posed("ur5e")
    assert np.array_equal(q, good_configuration(arm))


def test_shared_parts_are_those_that_do_not_move() -> None:
    arm = load("puma560")
    rows = [arm_skeleton(arm, [0.1 * k, 0.3 + k, -1.0, 0, k, 0]) for k in range(3)]
    common = shared(rows)
    assert [joint.name for joint in common.joints] == ["waist"]
    rest = without(rows[0], common)
    assert len(rest.joints) == 5
    assert len(rest.bars) + len(common.bars) == len(rows[0].bars)


def test_wrong_configurations_are_refused() -> None:
    with pytest.raises(ShapeError, match="2 finite numbers"):
        arm_skeleton(PLANAR, [1.0])
    with pytest.raises(ShapeError, match="2 finite numbers"):
        arm_skeleton(PLANAR, [1.0, np.nan])
    symbolic = Arm.from_dh([Joint("revolute", a="a1")])
    with pytest.raises(UnsupportedError, match="a1"):
        arm_skeleton(symbolic, [0.0])
