"""Assemblies as files: what is written is read back equal; what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import armwerk
from armwerk.errors import DescriptionError
from armwerk.robot.formats.parts_reader import assembly_from_toml
from armwerk.robot.formats.toml_writer import assembly_to_toml
from armwerk.robot.parts import (
    Assembly,
    Body,
    Platform,
    RotoTranslation,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
    at,
    chain,
)

LIBRARY = (
    *("tripod", "stewart", "excavator_arm", "slider_crank", "measured_arm"),
    "simple_arm_gripper",
)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_survives_a_round_trip(name: str, tmp_path: Path) -> None:
    assembly = armwerk.load(name)
    assert isinstance(assembly, Assembly)
    assert assembly.name == name
    assert assembly.title
    assert assembly.source
    assert assembly.assumed
    path = tmp_path / f"{name}.toml"
    assembly.save(path)
    again = armwerk.load_assembly(path)
    assert again == assembly
    assert assembly_to_toml(again) == path.read_text(encoding="utf-8")


def test_odd_things_survive_a_round_trip() -> None:
    stewart = armwerk.load("stewart")
    plate = stewart.unions[0]
    assert isinstance(plate, Platform)
    moved = Platform(
        plate.name,
        plate.legs,
        tail=plate.tail,
        start=RotoTranslation(0.1, 0.2, -0.5, 0.1, 0.2, 0.3),
        branch=-1,
        mass=2.0,
    )
    other = Assembly(
        "odd", stewart.body, moved, title='quotes " and \\ and \x7f and ü\n', tip="hand"
    )
    assert assembly_from_toml(assembly_to_toml(other)) == other
    bent = Assembly(
        "bent",
        Body(
            "base",
            tails=[
                chain(
                    at(Servo("s", limits=(-1, 1), mass=0.5), a=0.1, b=0.2, c=0.3),
                    Segment("t"),
                    TConnector(
                        tails=[
                            chain(
                                TouchSegment("u", 0.1, radius=0.02),
                                at(TouchPoint("v"), 0.0, 0.1, 0.0),
                            ),
                            at(TerminationPoint("w"), -0.1),
                        ]
                    ),
                ),
                TouchPoint("x", radius=0.0),
            ],
        ),
        assumed=("everything",),
        tip="w",
    )
    text = assembly_to_toml(bent)
    assert assembly_from_toml(text) == bent
    assert "length" not in text.split('name = "u"')[1].split("[[part]]")[0]


GOOD = """\
kind = "assembly"
name = "two"
tip = "hand"
[[part]]
kind = "body"
name = "base"
[[part]]
kind = "servo"
name = "one"
position = [0, 0, "300 mm"]
turn = [0, 0, "90 deg"]
limits = ["-90 deg", 1.5]
max_velocity = "180 deg/s"
[[part]]
kind = "segment"
name = "bar"
length = "25 cm"
[[part]]
kind = "touch_point"
name = "hand"
[[part]]
kind = "fullrot"
name = "foot"
on = "base"
[[part]]
kind = "linear"
name = "slide"
[[part]]
kind = "termination_point"
name = "end"
[[union]]
name = "knot"
points = ["hand", "end"]
branch = 1
"""


def test_units_are_turned_into_si() -> None:
    assembly = assembly_from_toml(GOOD)
    (servo,) = assembly.moving
    assert assembly.tree["one"].at.position == (0.0, 0.0, 0.3)
    assert servo.limits == pytest.approx((-1.5707963267948966, 1.5))
    assert servo.max_velocity == pytest.approx(3.141592653589793)
    assert assembly.tree["hand"].at.position == (0.25, 0.0, 0.0)
    assert [loop.pattern for loop in assembly.loops] == ["TIGHT_PSEUDO"]


def test_a_linear_motor_has_units_of_length_and_force() -> None:
    motor = """limits = ["30 cm", 0.5]
max_velocity = "250 mm/s"
max_acceleration = "1 m/s^2"
max_force = "120 N"
mass = "500 g"
"""
    text = GOOD.replace('kind = "servo"', 'kind = "linear_motor"')
    text = text.replace('limits = ["-90 deg", 1.5]\nmax_velocity = "180 deg/s"\n', motor)
    (found,) = assembly_from_toml(text).moving
    assert (found.limits, found.max_velocity) == ((0.3, 0.5), 0.25)
    assert (found.max_acceleration, found.max_force, found.mass) == (1.0, 120.0, 0.5)
    with pytest.raises(DescriptionError, match="wrong unit 'deg' for a length"):
        assembly_from_toml(text.replace("30 cm", "30 deg"))


BAD = {
    "no TOML": ("tip =", "tip = = ", 3, "not TOML"),
    "truncated": (GOOD[GOOD.index("[[union]]") :], "[[uni", 31, "not TOML"),
    "unknown key": ('name = "one"', 'name = "one"\nspeed = 1', 10, "unknown key.*speed.*limits"),
    "unknown top key": ('tip = "hand"', 'hand = "hand"', 3, "hand.*unknown key"),
    "unknown kind": ('"servo"', '"motor"', 8, "part 'one', kind.*motor.*linear_motor"),
    "no kind": ('kind = "servo"\n', "", 7, "part 'one', kind.*missing"),
    "no name": ('name = "two"', 'title = "two"', 1, "name.*missing.*a short name"),
    "unit": ('"300 mm"', '"300 deg"', 10, "part 'one', position.*wrong unit 'deg'.*mm"),
    "shape": ('[0, 0, "300 mm"]', "[0, 0]", 10, "part 'one', position.*three numbers"),
    "nan": ('[0, 0, "90 deg"]', "[0, nan, 0]", 11, "part 'one', turn.*not finite"),
    "limits": ('["-90 deg", 1.5]', "[1.5, -1.5]", 12, "servo 'one', limits.*minimum"),
    "limits shape": ('["-90 deg", 1.5]', "3", 12, "servo 'one', limits.*maximum"),
    "velocity": ('"180 deg/s"', "-1.0", 13, "servo 'one', max_velocity.*not positive"),
    "negative length": ('"25 cm"', "-0.25", 17, "segment 'bar', length.*negative.*0 m"),
    "on": ('on = "base"', 'on = "basis"', 24, "part 'foot', on.*basis.*base, one"),
    "on below": ('on = "base"', 'on = "end"', 24, "part 'foot', on.*no part above"),
    "on the end": ('on = "base"', 'on = "hand"', 24, "part 'hand'.*carries too many"),
    "two on a servo": ('on = "base"', 'on = "one"', 24, "part 'one'.*too many.*t_connector"),
    "name twice": ('name = "bar"', 'name = "one"', 16, "part 'one'.*name used twice"),
    "second body": ('"fullrot"', '"body"', 21, "wrong number of bodies, got 2"),
    "no body": ('"body"', '"t_connector"', 4, "wrong number of bodies, got 0"),
    "tip": ('tip = "hand"', 'tip = "foot2"', 3, "tip.*unknown part.*foot2.*foot"),
    "points": ('["hand", "end"]', '["hand", "and"]', 33, "union 'knot', points.*'and'.*hand"),
    "one point": ('["hand", "end"]', '["hand"]', 33, "union 'knot', points.*two parts"),
    "branch": ("branch = 1", "branch = 0", 34, "union 'knot', branch.*1 or -1"),
    "pattern": ('"linear"', '"axisrot"', 31, "union 'knot'.*no known pattern.*'slide'"),
    "carries nothing": ('"touch_point"', '"t_connector"', 18, "'hand'.*carries nothing"),
    "wrong type": ('name = "one"', "name = 1", 9, "name.*not a text"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_file_and_line(case: str, tmp_path: Path) -> None:
    old, new, line, message = BAD[case]
    assert old in GOOD
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DescriptionError, match=message) as caught:
        armwerk.load(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_bad_platforms_are_refused() -> None:
    text = assembly_to_toml(armwerk.load("stewart"))
    for old, new, message in (
        ('{end = "end3", anchor', '{end = "end3", anker', "leg 3.*unknown key.*anker"),
        ('{end = "end3"', '{end = "end2"', "platform 'plate', legs.*6 different"),
        ('{end = "end3"', '{end = "end9"', "platform 'plate', points.*unknown point.*end9"),
        ("legs = [", "legs = 3\nx = [", "unknown key"),
    ):
        with pytest.raises(DescriptionError, match=message) as caught:
            assembly_from_toml(text.replace(old, new), "s.toml")
        assert caught.value.line is not None


def test_other_kinds_and_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r'kind.*"assembly"'):
        assembly_from_toml('kind = "arm"\nname = "x"\n')
    with pytest.raises(DescriptionError, match=r"\.urdf.*\.toml"):
        armwerk.load("tripod").save(tmp_path / "tripod.urdf")
    with pytest.raises(DescriptionError, match="cannot be written"):
        armwerk.load("tripod").save(tmp_path / "nowhere" / "tripod.toml")
    assert not list(tmp_path.iterdir())
