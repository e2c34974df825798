"""Shapes made from the rows of an arm: where they lie and how thick they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arm_witness import frames_by_product, random_joints
from armwerk.collision import Checker, arm_shapes
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Capsule, Sphere
from armwerk.robot import Arm, Joint, load


@pytest.mark.parametrize("name", ["ur5e", "puma560", "stanford", "scara", "kr6_r900", "gen3"])
def test_links_reach_from_joint_to_joint(name: str) -> None:
    """Whatever the arm does, the origin of every frame is inside a shape of the link before it."""
    arm = load(name)
    assert isinstance(arm, Arm)
    shapes = arm_shapes(arm)
    for q in random_joints(arm, 20):
        frames = frames_by_product(arm, q)
        placed = shapes.at(q)
        for k in range(2, len(arm.joints) + 1):
            near = [
                s for s, frame in zip(placed, shapes.frames, strict=True) if frame in (k - 1, k)
            ]
            for origin in (frames[k - 1][:3, 3], frames[k][:3, 3]):
                assert min(s.signed_distance(origin) for s in near) < 1e-9


def test_thickness_follows_the_size_of_the_arm() -> None:
    ur3e, ur10e = arm_shapes(load("ur3e")), arm_shapes(load("ur10e"))
    radii = [shape.radius for shape in arm_shapes(load("ur5e"))]  # type: ignore[attr-defined]
    assert radii == sorted(radii, reverse=True)
    assert 0.05 < radii[0] < 0.07  # a real one has 57 to 75 mm
    assert radii[-1] == pytest.approx(0.7 * radii[0])
    assert max(s.radius for s in ur3e) < max(s.radius for s in ur10e)  # type: ignore[attr-defined]
    thin = arm_shapes(load("ur5e"), radius=0.02)
    assert {shape.radius for shape in thin} == {0.02}  # type: ignore[attr-defined]


def test_links_without_length_are_balls() -> None:
    shapes = arm_shapes(load("puma560"))
    balls = [n for n, s in zip(shapes.names, shapes, strict=True) if isinstance(s, Sphere)]
    assert balls == ["link5", "link6"]


def test_a_sliding_link_reaches_back_to_its_joint() -> None:
    arm = Arm.from_dh(
        [Joint("revolute", d=0.5, alpha=np.pi / 2), Joint("prismatic", limits=(-0.3, 0.7))]
    )
    shapes = arm_shapes(arm)
    for q2 in (-0.3, 0.0, 0.4, 0.7):
        q = np.array([0.3, q2])
        rod = shapes.at(q)[-1]
        assert isinstance(rod, Capsule)
        joint = frames_by_product(arm, q)[1][:3, 3]
        assert rod.signed_distance(joint) == pytest.approx(-rod.radius)


def test_a_tool_has_a_shape_of_its_own() -> None:
    tool = np.eye(4)
    tool[2, 3] = 0.2
    arm = load("ur5e").with_tool(tool)
    shapes = arm_shapes(arm)
    assert shapes.names[-1] == "link6.2"
    q = random_joints(arm, 1)[0]
    tip = frames_by_product(arm, q)[-1][:3, 3]
    assert shapes.at(q)[-1].signed_distance(tip) < 0
    assert Checker(arm, [Sphere(0.01, tip)]).first(q).part == "link6.2"  # type: ignore[union-attr]


def test_mistakes() -> None:
    with pytest.raises(DescriptionError, match="radius: not positive, got -1"):
        arm_shapes(load("ur5e"), radius=-1)
    symbolic = Arm.from_dh([Joint("revolute", a="l1")], "mine")
    with pytest.raises(UnsupportedError, match="'mine' has no shapes before its symbols"):
        arm_shapes(symbolic)
    with pytest.raises(DescriptionError, match="no arm"):
        arm_shapes("ur5e")  # type: ignore[arg-type]


def test_shapes_are_made_once_for_an_arm_and_never_for_another() -> None:
    arm, same = load("planar_rr"), load("planar_rr")
    assert isinstance(arm, Arm)
    assert isinstance(same, Arm)
    assert arm_shapes(arm) is arm_shapes(arm)
    assert arm_shapes(same).arm is same
    joints = [replace(joint, max_velocity=0.5) for joint in arm.joints]
    other = Arm.from_dh(joints, name="planar_rr", base=arm.base, tool=arm.tool)
    assert arm_shapes(other).made  # an arm of the library's name that is another
    assert not arm_shapes(arm).made
    assert arm_shapes(arm, radius=0.02) is not arm_shapes(arm, radius=0.02)
