"""An open chain of an assembly as a serial arm: the same poses, the same masses."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk
from armwerk.errors import DescriptionError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.robot import Arm
from armwerk.robot.arm import row_matrix
from armwerk.robot.parts import (
    Assembly,
    Body,
    Connection,
    LinearMotor,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    at,
    chain,
)

Array = NDArray[np.float64]


def crooked(seed: int) -> Assembly:
    """Return a chain of motors at random places and angles, with a side branch."""
    rng = np.random.default_rng(seed)
    parts: list[Connection | Segment] = []
    for k in range(6):
        x, y, z, a, b, c = rng.uniform(-1, 1, 6)
        motor = LinearMotor(f"m{k}") if rng.random() < 0.3 else Servo(f"m{k}", limits=(-2, 2))
        parts += [Segment(f"s{k}"), at(motor, 0.2 * x, 0.2 * y, 0.2 * z, a=a, b=b, c=c)]
    side = chain(at(Servo("side"), y=0.1, c=1.0), TouchPoint("other"))
    tool = at(TerminationPoint("tip"), *rng.uniform(-0.1, 0.1, 3), b=0.3)
    return Assembly(
        "crooked", Body(tails=[chain(*parts, TConnector(tails=[side, tool]))]), tip="tip"
    )


def frames(arm: Arm, q: Array) -> list[Array]:
    poses = [np.array(arm.base)]
    for joint, value in zip(arm.joints, q, strict=True):
        turn, shift = (value, 0.0) if joint.kind == "revolute" else (0.0, value)
        row = row_matrix(joint.offset + turn, joint.d + shift, joint.a, joint.alpha)  # type: ignore[operator, arg-type]
        poses.append(poses[-1] @ row)
    return poses


@pytest.mark.parametrize("seed", range(12))
def test_arm_and_assembly_agree(seed: int) -> None:
    assembly = crooked(seed)
    arm, model = Arm.from_parts(assembly), AssemblyModel(assembly)
    assert [joint.name for joint in arm.joints] == [f"m{k}" for k in range(6)]
    assert arm.structure == assembly.structure[:6]
    for q in np.random.default_rng(seed).uniform(-2, 2, (20, 6)):
        pose = frames(arm, q)[-1] @ arm.tool
        assert np.abs(pose - model.fk([*q, 0.7])).max() < 1e-12


def test_another_tip_gives_another_arm() -> None:
    assembly = crooked(0)
    arm = Arm.from_parts(assembly, "other", name="elsewhere")
    assert arm.name == "elsewhere"
    assert [joint.name for joint in arm.joints][-1] == "side"
    q = np.linspace(-1, 1, 7)
    pose = frames(arm, q)[-1] @ arm.tool
    assert np.abs(pose - AssemblyModel(assembly).fk(q, "other")).max() < 1e-12


def test_the_simple_arm_from_parts_is_the_simple_arm_of_the_library() -> None:
    built = Arm.from_parts(armwerk.load("simple_arm_gripper"), "wrist_roll")
    listed = armwerk.load("simple_arm")
    for mine, theirs in zip(built.joints, listed.joints, strict=True):
        assert mine.name == theirs.name
        assert mine.limits == theirs.limits
    for q in np.random.default_rng(5).uniform(-2, 2, (10, 3)):
        one, two = ((frames(arm, q)[-1] @ arm.tool)[:3, 3] for arm in (built, listed))
        assert np.allclose(one, two, atol=1e-15)


def test_limits_and_speeds_go_along() -> None:
    motor = Servo("s", limits=(-1, 2), max_velocity=3.0, max_acceleration=4.0, max_force=5.0)
    assembly = Assembly("x", Body(tails=[chain(motor, Segment("b", 0.1), TouchPoint())]))
    (joint,) = Arm.from_parts(assembly).joints
    assert joint.limits == (-1.0, 2.0)
    assert (joint.max_velocity, joint.max_acceleration, joint.max_force) == (3.0, 4.0, 5.0)


def test_masses_make_up_the_links() -> None:
    # a rod and a point at its end, then a motor whose own weight hangs on the first link
    assembly = Assembly(
        "pendulum",
        Body(
            tails=[
                chain(
                    at(Servo("one"), c=pi / 2),
                    Segment("rod", 0.6, mass=2.0),
                    Servo("two", mass=1.0),
                    Segment("short", 0.2, mass=0.5),
                    TouchPoint("end", mass=0.25),
                )
            ]
        ),
    )
    first, second = (joint.link for joint in Arm.from_parts(assembly).joints)
    assert first.mass == pytest.approx(3.0)
    # frames sit at the end of each bar, x along it; the centre is 0.4 m from the first servo
    assert np.allclose(first.com, [-0.2, 0, 0], atol=1e-15)
    about_centre = 2.0 * 0.6**2 / 12 + 2.0 * 0.1**2 + 1.0 * 0.2**2
    assert np.allclose(first.inertia, [0, about_centre, about_centre, 0, 0, 0], atol=1e-15)
    assert second.mass == pytest.approx(0.75)
    middle = (0.5 * 0.1 + 0.25 * 0.2) / 0.75
    assert np.allclose(second.com, [middle - 0.2, 0, 0], atol=1e-15)


def test_closed_chains_are_refused() -> None:
    with pytest.raises(DescriptionError, match=r"'tripod', chain to 'tip'.*closed chain.*'foot1'"):
        Arm.from_parts(armwerk.load("tripod"))
    with pytest.raises(DescriptionError, match=r"closed chain.*'plate'"):
        Arm.from_parts(armwerk.load("stewart"))
    with pytest.raises(DescriptionError, match="no motor on the chain"):
        Arm.from_parts(Assembly("x", Body(tails=[Segment("s", 0.1, tail=TouchPoint("p"))])))
    with pytest.raises(DescriptionError, match=r"unknown part.*'q'"):
        Arm.from_parts(armwerk.load("tripod"), "q")
