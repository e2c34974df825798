"""Editing a description as it is written: one thing changes, everything else stays."""

from __future__ import annotations

import tomllib

import pytest

from armwerk.errors import DescriptionError
from armwerk.robot import library, load_arm
from armwerk.robot.arm import Arm
from armwerk.robot.files import LIBRARY
from armwerk.robot.formats.toml_edit import moved_table, set_value, with_joint, without_table
from armwerk.robot.formats.toml_reader import arm_from_toml
from armwerk.robot.reading import parse_toml

ARMS = [name for name in library() if "assembly" not in (LIBRARY / f"{name}.toml").read_text()]


def text_of(name: str) -> str:
    return (LIBRARY / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ARMS)
def test_one_line_changes_and_no_other(name: str) -> None:
    text = text_of(name)
    changed = set_value(text, ("joint", 1, "d"), "123 mm")
    before, after = text.splitlines(), changed.splitlines()
    assert len(before) == len(after)
    assert [(b, a) for b, a in zip(before, after, strict=True) if b != a] == [
        (next(line for line in _block(before, 1) if line.startswith("d =")), 'd = "123 mm"')
    ]
    assert tomllib.loads(changed)["joint"][1]["d"] == "123 mm"


def _block(lines: list[str], joint: int) -> list[str]:
    starts = [place for place, line in enumerate(lines) if line == "[[joint]]"]
    return lines[starts[joint] :]


@pytest.mark.parametrize("name", ARMS)
def test_what_is_put_in_and_left_out_again_leaves_no_trace(name: str) -> None:
    text = text_of(name)
    arm = load_arm(name)
    for path, typed in (
        (("motion", "clock"), "2 ms"),
        (("tool", "position"), "0, 0, 0.1"),
        (("joint", 0, "coulomb_friction"), "1, 2"),
        (("joint", 0, "link", "mass"), "3.55"),
        (("gravity",), "0, 0, -1.6"),
    ):
        there = set_value(text, path, typed)
        assert arm_from_toml(there) != arm
        if not _has(text, path):
            assert arm_from_toml(set_value(there, path, "")) == arm
        assert _has(there, path)


def _has(text: str, path: tuple[str | int, ...]) -> bool:
    return path in parse_toml(text).lines


def test_numbers_units_symbols_and_lists_are_written_as_they_are_read() -> None:
    text = text_of("scara")
    for typed, read in (
        ("1", 1),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e-3", -0.001),
        ("a1 + 0.1", "a1 + 0.1"),
        ("90 deg", "90 deg"),
        ('"', '"'),
    ):
        assert tomllib.loads(set_value(text, ("joint", 0, "a"), typed))["joint"][0]["a"] == read
    limits = tomllib.loads(set_value(text, ("joint", 0, "limits"), "[-90 deg, 1.5]"))
    assert limits["joint"][0]["limits"] == ["-90 deg", 1.5]
    assert tomllib.loads(set_value(text, ("name",), "5"))["name"] == "5"


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "fixed"])
def test_joints_come_go_and_change_places(kind: str) -> None:
    text = text_of("simple_arm")
    arm = load_arm("simple_arm")
    for after in (-1, 0, 1, 2, 99):
        more = arm_from_toml(with_joint(text, after, kind))
        place = min(after, 2) + 1
        assert more.joints[place].kind == kind
        assert [joint.name for joint in more.joints if joint.a != 0.2 or joint.limits] == [
            joint.name for joint in arm.joints
        ]
        assert arm_from_toml(without_table(with_joint(text, after, kind), "joint", place)) == arm
    for place in range(2):
        swapped = moved_table(text, "joint", place, "later")
        names = [joint["name"] for joint in tomllib.loads(swapped)["joint"]]
        wanted = [joint.name for joint in arm.joints]
        wanted[place], wanted[place + 1] = wanted[place + 1], wanted[place]
        assert names == wanted
        assert arm_from_toml(moved_table(swapped, "joint", place + 1, "earlier")) == arm
    assert moved_table(text, "joint", 0, "earlier") == text
    assert moved_table(text, "joint", 2, "later") == text


def test_a_comment_goes_with_its_joint() -> None:
    text = 'name = "a"\n\n# the first\n[[joint]]\nkind = "revolute"\na = 1.0\n\n'
    text += '# the second\n[[joint]]\nkind = "prismatic"\n'
    assert without_table(text, "joint", 0) == (
        'name = "a"\n\n# the second\n[[joint]]\nkind = "prismatic"\n'
    )
    moved = moved_table(text, "joint", 1, "earlier")
    assert moved.index("# the second") < moved.index("prismatic") < moved.index("# the first")


def test_windows_lines_and_a_missing_last_line_end() -> None:
    text = 'name = "a"\r\n[[joint]]\r\nkind = "revolute"\r\na = 1.0'
    assert arm_from_toml(set_value(text, ("joint", 0, "d"), "2")).joints[0].d == 2.0
    assert isinstance(arm_from_toml(with_joint(text, 0, "fixed")), Arm)


@pytest.mark.parametrize(
    "path",
    [("joint", 9, "d"), ("joint", 9, "link", "mass"), ("nothing", "here"), ("joint", 0, "x", "y")],
)
def test_what_is_not_there_is_refused(path: tuple[str | int, ...]) -> None:
    with pytest.raises(DescriptionError):
        set_value(text_of("scara"), path, "1")


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(DescriptionError) as error:
        set_value('name = "a"\nd = = 1\n', ("name",), "b")
    assert error.value.line == 2
    with pytest.raises(DescriptionError):
        without_table(text_of("scara"), "joint", 4)
