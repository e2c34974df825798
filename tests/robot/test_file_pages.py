"""The pages on files name every key that the readers take, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import armwerk as aw
from armwerk.collision import BodiesAround, bodies_toml, motion_toml, moving_toml
from armwerk.robot.dimension import UNITS
from armwerk.robot.formats import parts_reader, toml_reader
from armwerk.robot.formats.toml_writer import MOTION_KEYS, OWN_KEYS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def section(page: str, heading: str) -> str:
    """Return the text below a heading, up to the next one."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ [A-Z]|\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


def keys(page: str, heading: str) -> list[str]:
    """Return the keys in the table below a heading."""
    return re.findall(r"^\| `(\w+)` \|", section(page, heading), re.MULTILINE)


PART_KEYS = {"kind", "name", *parts_reader._PLACING, "mass"} | {
    key for own in OWN_KEYS.values() for key in own
}


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("The whole file", toml_reader.ARM_KEYS),
        ("Poses", toml_reader._POSE_KEYS),
        ("Motion", MOTION_KEYS),
        ("Joints", toml_reader.JOINT_KEYS),
        ("Links", toml_reader._LINK_SIZES),
        ("Assembly", parts_reader._TOP),
        ("Parts", PART_KEYS),
        ("Unions", ("name", "points", "branch")),
        ("Platforms", parts_reader._PLATFORM_KEYS),
    ],
)
def test_the_page_of_arm_files(heading: str, expected: tuple[str, ...]) -> None:
    found = keys("arm-file.md", heading)
    assert len(found) == len(set(found))
    assert set(found) == set(expected)


def test_the_example_of_an_arm_file_has_every_key() -> None:
    text = section("arm-file.md", "A full example")
    written = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    wanted = {*toml_reader.ARM_KEYS, *toml_reader.JOINT_KEYS, *MOTION_KEYS}
    wanted |= {*toml_reader._LINK_SIZES, *toml_reader._POSE_KEYS}
    assert wanted - written <= {"base", "tool", "motion", "joint", "link"}  # tables


def test_every_unit_is_on_the_page() -> None:
    text = section("arm-file.md", "Units")
    simple = ("length", "angle", "force", "torque", "mass", "time", "pressure", "stiffness")
    for quantity in (*simple, "inertia"):
        for unit in UNITS[quantity]:
            assert f"`{unit}`" in text, unit


def test_the_page_of_bodies_files(tmp_path: Path) -> None:
    assert keys("bodies-file.md", "The whole file") == ["kind", "title", "body"]
    every = {"kind", "name", "region", "position", "turn", "rotation"}
    assert set(keys("bodies-file.md", "Every body")) == every
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \|", section("bodies-file.md", "Sizes"), re.MULTILINE)
    assert set(rows) == {
        (kind, key) for kind, (_, sizes) in bodies_toml._SIZES.items() for key in sizes
    }
    text = section("bodies-file.md", "A full example")
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example
    written = set(re.findall(r"^(\w+) =", example[1], re.MULTILINE))
    assert every | {key for _, key in rows} <= written | {"file"}  # that file would be needed
    file = tmp_path / "everything.toml"
    file.write_text(example[1], encoding="utf-8")
    kinds = {getattr(body, "shape", body).__class__ for body in aw.Bodies.load(file)}
    assert kinds == {sort for sort, _ in bodies_toml._SIZES.values()}


def test_the_page_of_bodies_that_move(tmp_path: Path) -> None:
    def rows(heading: str) -> set[tuple[str, str]]:
        text = section("bodies-file.md", heading)
        return set(re.findall(r"^\| (\w+) \| `(\w+)` \|", text, re.MULTILINE))

    motions = {
        ("velocity" if way == "angular_velocity" else way, key)
        for way, keys_ in motion_toml._WAYS.items()
        for key in (way, *keys_)
    }
    assert rows("Keys of a motion") == motions | {("any", key) for key in motion_toml._AGAIN}
    arms = {(way, key) for way, keys_ in moving_toml._WAYS.items() for key in (way, *keys_)}
    kinds = {("group", "shape")} | {("arm", key) for key in moving_toml.ARM_KEYS}
    assert rows("Groups and arms") == kinds | arms | {("any", "begin")}
    example = re.search(
        r"```toml\n(.*?)```", section("bodies-file.md", "Bodies that move"), re.DOTALL
    )
    assert example
    file = tmp_path / "moving.toml"
    file.write_text(example[1], encoding="utf-8")
    around = BodiesAround.load(file)
    assert [one.name for one in around.moving] == ["parcel", "pin", "cart", "neighbour"]


def test_the_page_of_commands_is_made_of_the_commands() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "command_page.py"), "--check"]
    done = subprocess.run(command, check=False, timeout=60)
    assert done.returncode == 0, "run scripts/command_page.py"
