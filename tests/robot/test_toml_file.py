"""TOML in and out: units, poses, exact round trips, and the lines that errors name."""

from __future__ import annotations

import math
import re
import tomllib

import numpy as np
import pytest
from described_arms import random_arm
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, library, load
from armwerk.robot.dimension import dimension_in, number_in
from armwerk.robot.formats.toml_reader import arm_from_toml
from armwerk.robot.formats.toml_writer import arm_to_toml
from armwerk.robot.reading import key_lines, parse_toml

ARM = """\
name = "mine"
title = "My arm"
assumed = ["max_jerk"]

[base]
position = [0, "5 cm", 0.5]
rotation = ["90 deg", 0, "30 deg"]

[motion]
clock = "2 ms"

[[joint]]
name = "waist"
kind = "revolute"
d = "660.4 mm"
alpha = "-90 deg"
limits = ["-160 deg", "160 deg"]
max_velocity = "110 deg/s"
max_force = "97.6 N m"
[joint.link]
mass = "500 g"
com = ["1 mm", 0, 0]

[[joint]]
kind = "prismatic"
a = "a1 + 0.1"
limits = ["-10 mm", 0.5]
max_velocity = "250 mm/s"
max_acceleration = "1 m/s^2"
max_jerk = "500 cm/s³"
max_force = "120 N"
coulomb_friction = ["2 N", 3]
"""


def test_units_become_si() -> None:
    arm = arm_from_toml(ARM)
    waist, slide = arm.joints
    assert waist.d == 0.6604
    assert waist.alpha == -math.pi / 2
    assert waist.limits == (math.radians(-160), math.radians(160))
    assert waist.max_velocity == math.radians(110)
    assert waist.max_force == 97.6
    assert (waist.link.mass, waist.link.com) == (0.5, (0.001, 0.0, 0.0))
    assert slide.name == "q2"
    assert slide.limits == (-0.01, 0.5)
    assert slide.max_velocity == 0.25
    assert (slide.max_acceleration, slide.max_jerk, slide.max_force) == (1.0, 5.0, 120.0)
    assert slide.coulomb_friction == (2.0, 3.0)
    assert slide.a == "a1 + 0.1"
    assert arm.motion.clock == 0.002
    assert arm.base[:3, 3].tolist() == [0.0, 0.05, 0.5]
    turn = Rotation.from_euler("ZYX", [90, 0, 30], degrees=True).as_matrix()
    assert arm.base[:3, :3] == pytest.approx(turn)
    assert arm.base[0, 0] == 0.0  # a right angle is exact


@pytest.mark.parametrize(
    ("text", "quantity", "value"),
    [
        ("90 deg", "angle", math.pi / 2),
        ("-180deg", "angle", -math.pi),
        ("90°", "angle", math.pi / 2),
        ("90 °/s", "angular speed", math.pi / 2),
        ("2 g", "mass", 0.002),
        ("4 ms", "time", 0.004),
        ("1.5 rad", "angle", 1.5),
        ("12 in", "length", 0.3048),
        ("26.45 in", "length", 0.67183),
        ("1e3 mm", "length", 1.0),
        ("-.5 cm", "length", -0.005),
        ("+2. m", "length", 2.0),
        ("90 deg/s^2", "angular acceleration", math.pi / 2),
        ("90 deg/s²", "angular acceleration", math.pi / 2),
        ("2 rad/s^3", "angular jerk", 2.0),
        ("5 mm/s^3", "jerk", 0.005),
        ("3 Nm", "torque", 3.0),
        ("3 N", "force", 3.0),
        ("1e5", "length", 1e5),
        ("pi/4", "angle", math.pi / 4),
        (7, "length", 7.0),
    ],
)
def test_conversions(text: object, quantity: str, value: float) -> None:
    assert number_in(text, quantity, "x") == value


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("90 deg", "length"),
        ("3 mm", "angle"),
        ("3 m/s", "length"),
        ("3 N", "torque"),
        ("3 N m", "force"),
        ("3 furlong", "length"),
        ("3 kg", "number"),
        ("1 m + 2", "length"),
        ("m", "mass"),
    ],
)
def test_units_of_the_wrong_sort_are_refused(text: str, quantity: str) -> None:
    with pytest.raises(DescriptionError, match="x: "):
        number_in(text, quantity, "x")


@pytest.mark.parametrize(
    ("text", "quantity", "says"),
    [
        ("3 mm", "angle", r"wrong unit 'mm' for an angle, got '3 mm' \(allowed: rad, deg, °\)"),
        ("3 deg", "length", r"wrong unit 'deg' for a length, .*\(allowed: m, cm, mm, in\)"),
        ("1,5 mm", "length", r"allowed: a number with a unit \(m, cm, mm, in\), or a finite"),
        ("3 kg", "number", "takes no unit"),
    ],
)
def test_a_wrong_unit_lists_the_right_ones(text: str, quantity: str, says: str) -> None:
    with pytest.raises(DescriptionError, match=says):
        number_in(text, quantity, "x")


def test_a_bare_unit_is_a_symbol() -> None:
    assert dimension_in("m", "length", "a") == "m"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_round_trip_is_exact(seed: int) -> None:
    arm = random_arm(seed)
    text = arm_to_toml(arm)
    again = arm_from_toml(text)
    assert again == arm
    assert arm_to_toml(again) == text


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_text_survives(text: str) -> None:
    arm = random_arm(1)
    named = Arm(arm.joints, name=text, title=text, tasks=(text,))
    assert arm_from_toml(arm_to_toml(named)) == named


def test_half_a_character_is_refused() -> None:
    with pytest.raises(DescriptionError, match="half a character"):
        arm_to_toml(Arm(random_arm(1).joints, name="\ud800"))


@pytest.mark.parametrize("name", library())
def test_library_round_trip(name: str) -> None:
    arm = load(name)
    if isinstance(arm, Arm):
        assert arm_from_toml(arm_to_toml(arm)) == arm


def test_a_pose_is_written_as_briefly_as_it_can() -> None:
    arm = random_arm(1)
    shifted = np.eye(4)
    shifted[0, 3] = 0.25
    assert "[base]" not in arm_to_toml(Arm(arm.joints))
    assert tomllib.loads(arm_to_toml(Arm(arm.joints, base=shifted)))["base"] == {
        "position": [0.25, 0.0, 0.0]
    }
    turned = np.diag([1.0, -1.0, -1.0, 1.0])
    matrix = tomllib.loads(arm_to_toml(Arm(arm.joints, tool=turned)))["tool"]["matrix"]
    assert np.array_equal(matrix, turned[:3])


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('kind = "revolute"', 'kind = "screw"', 14, "joint 1 'waist', kind"),
        ('d = "660.4 mm"', 'd = "660.4 kg"', 15, "joint 1 'waist', d"),
        ('d = "660.4 mm"', "deep = 1", 15, "joint 1 'waist', deep"),
        ('["-160 deg", "160 deg"]', "[1, -1]", 17, "joint 1 'waist', limits"),
        ('["-160 deg", "160 deg"]', '["-160 mm", 1]', 17, "joint 1 'waist', limits"),
        ('mass = "500 g"', "mass = -1", 21, "joint 1 'waist', link, mass"),
        ('mass = "500 g"', "inertia = [1, 2]", 21, "joint 1 'waist', link, inertia"),
        ('com = ["1 mm", 0, 0]', "com = 1", 22, "joint 1 'waist', link, com"),
        ('"250 mm/s"', '"250 deg/s"', 28, "joint 2, max_velocity"),
        ('"250 mm/s"', "0", 28, "joint 2, max_velocity"),
        ('"2 ms"', '"2 deg"', 10, "motion, clock"),
        ('"2 ms"', "-1", 10, "motion, clock"),
        ("clock", "clack", 10, "motion, clack"),
        ('"5 cm"', '"5 deg"', 6, "base, position"),
        ('"5 cm"', '"a1"', 6, "base, position"),
        ('"30 deg"]', "1, 2]", 7, "base, rotation"),
        ("[base]", "[tool]\nmatrix = [[1, 2, 3, 4]]\n[base]", 6, "tool, matrix"),
        ("[base]", "[base]\nmatrix = []", 5, "base"),
        ("[base]", "gravity = [0, 0]\n[base]", 5, "gravity"),
        ('assumed = ["max_jerk"]', "assumed = 3", 3, "assumed"),
        ('name = "mine"', "name = 3", 1, "name"),
        ('name = "mine"', "", 1, "name"),
        ('name = "mine"', 'name = ""', 1, "name"),
        ('name = "mine"', 'name = "mine"\nkind = "boat"', 2, "kind"),
        ('kind = "prismatic"', 'kind = "prismatic"\nname = "waist"', 24, "joint 'waist'"),
    ],
)
def test_errors_name_line_and_element(old: str, new: str, line: int, says: str) -> None:
    with pytest.raises(DescriptionError, match=re.escape(says)) as caught:
        arm_from_toml(ARM.replace(old, new, 1), "mine.toml")
    assert (caught.value.file, caught.value.line) == ("mine.toml", line)


@pytest.mark.parametrize("wrong", ['"250 mm"', "0", '"fast"', "-1", '"90 deg/s"'])
def test_the_top_speed_has_a_unit_and_is_above_zero(wrong: str) -> None:
    there = ARM.replace('clock = "2 ms"', 'clock = "2 ms"\ntop_speed = "250 mm/s"')
    assert arm_from_toml(there).motion.top_speed == 0.25
    assert arm_from_toml(ARM).motion.top_speed is None
    with pytest.raises(DescriptionError, match="motion, top_speed") as caught:
        arm_from_toml(there.replace('"250 mm/s"', wrong, 1), "mine.toml")
    assert caught.value.line == 11


def test_coinciding_axes_name_both_joints_and_the_line() -> None:
    text = 'name = "x"\n[[joint]]\nkind = "revolute"\nd = 1\n\n[[joint]]\nkind = "revolute"\n'
    with pytest.raises(DescriptionError, match="'q1' and 'q2' coincide") as caught:
        arm_from_toml(text, "x.toml")
    assert caught.value.line == 6


TRICKY = '''\
# [joint] in a comment
name = "x" # = y
"quoted [key]"."a.b" = """
[[joint]]
kind = 1
"""
list = [ # first
  1, [2,
  3], {a = 1, b.c = "}]"},
  \'\'\'
x]\'\'\',
]
[[joint]]
kind = "revolute"
  [joint.link]
  mass = 2 # [x]
[[joint]]
link.mass = 3
[[joint.sub]]
z = 1979-05-27 07:32:00
[joint.sub.deep]
y = 2
[[joint.sub]]
z = 3
["a\\u0062c"]
'''


def test_lines_of_tricky_toml() -> None:
    lines = key_lines(TRICKY)
    assert lines["name",] == 2
    assert lines["quoted [key]", "a.b"] == 3
    assert lines["list", 0] == 8
    assert lines["list", 1, 1] == 9
    assert lines["list", 2, "b", "c"] == 9
    assert lines["list", 3] == 10
    assert lines["joint", 0] == 13
    assert lines["joint", 0, "link", "mass"] == 16
    assert lines["joint", 1, "link", "mass"] == 18
    assert lines["joint", 1, "sub", 0, "deep", "y"] == 22
    assert lines["joint", 1, "sub", 1, "z"] == 24
    assert lines["abc",] == 25
    document = parse_toml(TRICKY)
    assert document.line("joint", 1, "link", "com") == 18
    assert document.line("nothing") == 1


def test_every_key_that_tomllib_finds_has_a_line() -> None:
    def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
        inner = []
        if isinstance(value, dict):
            inner = [paths(one, (*path, key)) for key, one in value.items()]
        elif isinstance(value, list):
            inner = [paths(one, (*path, position)) for position, one in enumerate(value)]
        return [path, *(one for found in inner for one in found)]

    for text in (TRICKY, ARM, *(arm_to_toml(random_arm(seed)) for seed in range(20))):
        windows = text.replace("\n", "\r\n")
        for version in (text, windows):
            missing = set(paths(tomllib.loads(version))) - set(key_lines(version)) - {()}
            assert not missing
