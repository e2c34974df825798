"""An arm as a whole: names, equality, symbols, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from described_arms import random_arm

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.robot import Arm, Joint, Link, MotionSettings

ELBOW = (
    Joint("revolute", d=0.4, alpha=math.pi / 2, limits=(-2, 2)),
    Joint("fixed", a=0.1),
    Joint("prismatic", a=0.3),
    Joint("revolute", a=0.2, name="wrist"),
)


def test_names_structure_and_limits() -> None:
    arm = Arm.from_dh(ELBOW, name="mine")
    assert [joint.name for joint in arm.joints] == ["q1", "f2", "q2", "wrist"]
    assert (arm.dof, arm.structure) == (3, "RTR")
    assert arm.limits.tolist() == [[-2, 2], [-np.inf, np.inf], [-np.inf, np.inf]]
    assert repr(arm) == "<Arm 'mine' RTR>"


@pytest.mark.parametrize("seed", range(10))
def test_equality_hash_and_fingerprint_agree(seed: int) -> None:
    arm, same, other = random_arm(seed), random_arm(seed), random_arm(seed + 1)
    assert arm == same
    assert hash(arm) == hash(same)
    assert arm.fingerprint() == same.fingerprint()
    assert arm != other
    assert arm.fingerprint() != other.fingerprint()
    assert arm.is_close(same)
    first = arm.joints[0]
    if not isinstance(first.d, str):
        shifted = (replace(first, d=first.d + 1e-10), *arm.joints[1:])
        moved = replace(arm, joints=shifted)
        assert moved != arm
        assert moved.is_close(arm, 1e-9)
        assert not moved.is_close(arm, 1e-11)
        assert moved.fingerprint() != arm.fingerprint()


def test_zero_has_no_sign_in_the_fingerprint() -> None:
    plus, minus = Arm.from_dh([Joint("revolute", a=0.0)]), Arm.from_dh([Joint("revolute", a=-0.0)])
    assert plus == minus
    assert plus.fingerprint() == minus.fingerprint()


def test_arrays_cannot_be_changed() -> None:
    base = np.eye(4)
    arm = Arm.from_dh(ELBOW, base=base)
    base[0, 3] = 1.0
    assert arm.base[0, 3] == 0.0
    for array in (arm.base, arm.tool, arm.gravity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_symbols_get_values() -> None:
    arm = Arm.from_dh([Joint("revolute", a="l1"), Joint("revolute", a="l2", link=Link("m"))])
    assert arm.symbols == ("l1", "l2", "m")
    half = arm.with_values(l1=0.5)
    assert half.symbols == ("l2", "m")
    assert not half.with_values({"l2": 0.25, "m": 1}).is_symbolic
    with pytest.raises(UnknownNameError, match="l1, l2, m"):
        arm.with_values(l3=1.0)


@pytest.mark.parametrize(
    ("joints", "given", "says"),
    [
        ((), {}, "1 to 64"),
        ((Joint("fixed"),), {}, "no joint can move"),
        (ELBOW, {"name": ""}, "name: missing"),
        (ELBOW, {"base": np.eye(3)}, "base: wrong shape"),
        (ELBOW, {"base": 2 * np.eye(4)}, "base: not a rigid transform"),
        (ELBOW, {"tool": np.diag([1, 1, -1, 1])}, "tool: not a rigid transform"),
        (ELBOW, {"tool": np.full((4, 4), np.nan)}, "tool: not finite"),
        (ELBOW, {"gravity": (0, 0)}, "gravity: wrong shape"),
        (ELBOW, {"gravity": (0, 0, 10**400)}, "gravity: wrong shape"),
        ((Joint("revolute", a=1, name="x"), Joint("revolute", name="x")), {}, "name used twice"),
        ((Joint("revolute", d=0.3), Joint("revolute")), {}, "'q1' and 'q2' coincide"),
        ((Joint("revolute", alpha=math.pi), Joint("revolute")), {}, "'q1' and 'q2' coincide"),
        ((Joint("revolute"), "joint"), {}, "not a Joint"),
    ],
)
def test_bad_arms_are_refused(
    joints: tuple[Joint, ...], given: dict[str, object], says: str
) -> None:
    with pytest.raises(DescriptionError, match=says):
        Arm.from_dh(joints, **given)  # type: ignore[arg-type]


def test_a_revolute_and_a_prismatic_axis_may_coincide() -> None:
    assert Arm.from_dh([Joint("revolute"), Joint("prismatic")]).structure == "RT"


def test_a_fixed_row_between_two_axes_counts() -> None:
    there, back = Joint("revolute", a=0.3), Joint("fixed", a=0.3, offset=math.pi)
    with pytest.raises(DescriptionError, match="'q1' and 'q2' coincide"):
        Arm.from_dh([there, back, Joint("revolute", a=0.1)])
    aside = Joint("fixed", a=0.3, offset=math.pi / 2)
    assert Arm.from_dh([there, aside, Joint("revolute", a=0.1)]).dof == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("joint_motion", "x"),
        ("profile", "x"),
        ("cartesian_motions", ("x",)),
        ("clock", 0.0),
        ("top_speed", 0.0),
        ("top_speed", float("nan")),
    ],
)
def test_bad_motion_settings_are_refused(field: str, value: object) -> None:
    with pytest.raises(DescriptionError, match=field):
        MotionSettings(**{field: value})  # type: ignore[arg-type]
