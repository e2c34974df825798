"""Joints and links refuse what cannot exist."""

from __future__ import annotations

import dataclasses
import math

import pytest

from armwerk.errors import DescriptionError
from armwerk.robot import Joint, Link


def test_defaults_and_units() -> None:
    joint = Joint("revolute", alpha="pi/2", limits=[-1, 2])  # type: ignore[arg-type]
    assert joint.alpha == math.pi / 2
    assert joint.limits == (-1.0, 2.0)
    assert joint.is_moving
    assert not joint.is_symbolic
    assert (joint.unit, Joint("prismatic").unit, Joint("fixed").unit) == ("rad", "m", "")


def test_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="field 'd'"):
        Joint("revolute").d = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("kind", "screw", "revolute, prismatic, fixed"),
        ("d", "1 +", "not an expression"),
        ("a", math.nan, "not finite"),
        ("limits", (1.0, -1.0), "minimum < maximum"),
        ("limits", (0.0, 0.0), "minimum < maximum"),
        ("limits", (0.0, math.inf), "not finite"),
        ("limits", (0.0,), "wrong shape"),
        ("limits", "ab", "wrong shape"),
        ("limits", 3, "wrong shape"),
        ("max_velocity", 0.0, "above 0"),
        ("max_jerk", -1.0, "above 0"),
        ("max_force", "9", "not a number"),
        ("armature", -0.1, "at least 0"),
        ("viscous_friction", -0.1, "at least 0"),
        ("coulomb_friction", (0.1, -0.1), "at least 0"),
        ("coulomb_friction", 0.1, "two magnitudes"),
        ("name", 7, "not a text"),
        ("link", None, "not a Link"),
    ],
)
def test_bad_fields_are_named(field: str, value: object, says: str) -> None:
    given = {"kind": "revolute", "name": "elbow", field: value}
    with pytest.raises(DescriptionError, match=says) as caught:
        Joint(**given)  # type: ignore[arg-type]
    assert field in str(caught.value)
    if field != "name":
        assert "elbow" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"mass": -1.0}, "at least 0 kg"),
        ({"mass": math.nan}, "not finite"),
        ({"com": (0.0, 0.0)}, "3 values"),
        ({"com": 1.0}, "3 values"),
        ({"inertia": (1.0, 1.0, 1.0)}, "6 values"),
        ({"mass": 1.0, "inertia": (-1.0, 1.0, 1.0, 0.0, 0.0, 0.0)}, "positive semi-definite"),
        ({"mass": 1.0, "inertia": (1.0, 1.0, 1.0, 2.0, 0.0, 0.0)}, "positive semi-definite"),
    ],
)
def test_bad_links_are_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(DescriptionError, match=says):
        Link(**given)  # type: ignore[arg-type]


def test_inertia_matrix_is_laid_out_as_named() -> None:
    matrix = Link(1.0, inertia=(5.0, 6.0, 7.0, 0.1, 0.2, 0.3)).inertia_matrix()
    assert matrix.tolist() == [[5.0, 0.1, 0.2], [0.1, 6.0, 0.3], [0.2, 0.3, 7.0]]


def test_symbols_are_found_everywhere() -> None:
    joint = Joint("revolute", a="l1", link=Link("m1", inertia=("I1", 0, 0, 0, 0, 0)), armature="J")
    assert joint.is_symbolic
    numbers = joint.map(lambda value: 1.0 if isinstance(value, str) else value)
    assert (numbers.a, numbers.link.mass, numbers.link.inertia[0], numbers.armature) == (1, 1, 1, 1)
