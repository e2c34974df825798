"""Files of safe areas, joint areas and distances to slow down, and what motions make of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.collision.body import Region
from armwerk.collision.safety_rules import SafetyRules
from armwerk.errors import DescriptionError, MotionError, UnknownNameError
from armwerk.geometry import Cone, Cylinder, HalfSpace
from armwerk.robot import load_arm

RULES = """kind = "safety"
margin = "5 mm"

[slowing]
distances = ["20 mm", "2 m"]
shares = [0.1, 1.0]

[[joint_area]]
name = "front"
ranges = { q1 = ["-100 deg", "100 deg"], q2 = [-3, 0.5] }

[[area]]
kind = "plane"
name = "ceiling"
points = [[0, 0, "1.6 m"], [1, 0, 1.6], [0, 1, 1.6]]
safe = "origin"

[[area]]
kind = "cylinder"
name = "fence"
centres = [[0, 0, -2], [0, 0, 3]]
radius = "1.5 m"
safe = "inside"

[[area]]
kind = "cone"
name = "post"
centres = [[0.9, 0.9, 0], [0.9, 0.9, 0.4]]
radius = 0.1
top_radius = 0.05
safe = "outside"

[[area]]
kind = "box"
name = "work"
size = [4, 4, 4]
position = [0, 0, 0]
safe = "inside"
of = "tool"
"""
START, GOAL = "0 -90 90 -90 -90 0", "60 -60 80 -90 -90 0"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "safety.toml"
    ur5e = [joint.name for joint in load_arm("ur5e").moving]
    path.write_text(RULES.replace("q1", ur5e[0]).replace("q2", ur5e[1]), encoding="utf-8")
    return path


def test_everything_in_a_file_is_there(file: Path) -> None:
    rules = SafetyRules.load(file)
    assert rules.settings.margin == 0.005
    assert rules.settings.speeds == ((0.02, 0.1), (2.0, 1.0))
    ceiling, fence, post = rules.bodies
    assert isinstance(ceiling, HalfSpace)
    assert ceiling.contains([0, 0, 1.7]).all()  # solid above, safe at the origin
    assert not ceiling.contains([0, 0, 1.5]).any()
    assert isinstance(fence, Region)
    assert isinstance(fence.shape, Cylinder)
    np.testing.assert_allclose([fence.shape.radius, fence.shape.length], [1.5, 5.0])
    assert isinstance(post, Cone)
    assert post.contains([0.9, 0.99, 0.01]).all()
    assert not post.contains([0.9, 0.99, 0.39]).any()
    assert rules.settings.tool_region is not None
    assert [area.name for area in rules.settings.areas] == ["front"]
    arm = rules.within(load_arm("ur5e"))
    np.testing.assert_allclose(arm.limits[0], np.radians([-100, 100]))
    np.testing.assert_allclose(arm.limits[1], [-3, 0.5])


def test_the_safe_side_may_be_told_by_a_point(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace('safe = "origin"', 'safe = [0, 0, "2 m"]')
    file.write_text(text, encoding="utf-8")
    ceiling = SafetyRules.load(file).bodies["ceiling"]
    assert isinstance(ceiling, HalfSpace)
    assert ceiling.contains([0, 0, 1.5]).all()


def test_motions_keep_to_them_and_slow_down(file: Path) -> None:
    rules = SafetyRules.load(file)
    arm = rules.within(load_arm("ur5e"))
    start, goal = np.radians([0, -90, 90, -90, -90, 0]), np.radians([60, -60, 80, -90, -90, 0])
    motion = aw.ptp(arm, start, goal)
    slower = rules.slowed(motion, arm)
    assert slower.duration > 1.05 * motion.duration
    assert rules.check(slower, arm)
    with pytest.raises(MotionError, match="beyond its stops"):
        aw.ptp(arm, start, goal + np.array([1.0, 0, 0, 0, 0, 0]))
    up = goal.copy()
    up[1:3] = np.radians([-90, 0])  # stretched upwards, through a lower ceiling
    low = file.read_text(encoding="utf-8").replace("1.6", "0.9")
    file.write_text(low, encoding="utf-8")
    with pytest.raises(MotionError, match="meets ceiling"):
        SafetyRules.load(file).slowed(aw.ptp(arm, start, up), arm)


def test_they_work_on_the_command_line(file: Path, tmp_path: Path) -> None:
    for command in ("ptp", "plan"):
        words = [command, "ur5e", "--from", START, "--to", GOAL, "--json"]
        plain = CliRunner().invoke(app, words)
        safe = CliRunner().invoke(app, [*words, "--safety", str(file)])
        assert safe.exit_code == 0, safe.output
        told = json.loads(safe.output)
        assert told["duration"] > 1.05 * json.loads(plain.output)["duration"]
        assert "slowed down near" in " ".join(told["notices"])
    out = ["ptp", "ur5e", "--from", START, "--to", GOAL.replace("60", "120", 1)]
    assert CliRunner().invoke(app, [*out]).exit_code == 0
    refused = CliRunner().invoke(app, [*out, "--safety", str(file)])
    assert refused.exit_code != 0
    table = tmp_path / "table.toml"
    table.write_text(
        '[[trajectory]]\nkind = "start"\npoint = [0.4, 0.0, 0.3]\ninclination = "-90 deg"\n'
        '[[trajectory]]\nkind = "linear"\npoint = [0.4, 0.1, 0.3]\ninclination = "-90 deg"\n',
        encoding="utf-8",
    )
    simple = tmp_path / "low.toml"
    simple.write_text(
        'kind = "safety"\n[slowing]\ndistances = [0.01, 3.0]\nshares = [0.1, 1.0]\n[[area]]\n'
        'kind = "plane"\nname = "roof"\npoints = [[0, 0, 2], [1, 0, 2], [0, 1, 2]]\n'
        'safe = "origin"\n',
        encoding="utf-8",
    )
    move = ["move", str(table), "--arm", "five_axis", "--json"]
    quick = json.loads(CliRunner().invoke(app, move).output)
    result = CliRunner().invoke(app, [*move, "--safety", str(simple)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["duration"] > quick["duration"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "safety"', 'kind = "bodies"', r'wrong kind of file.*"safety"'),
        ("shares = [0.1, 1.0]", "shares = [0.1]", r":4.*as many shares"),
        ("shares = [0.1, 1.0]", "shares = [0.1, 2.0]", r"not a table of speeds"),
        ('safe = "origin"', "", r"area 'ceiling'.*safe.*missing"),
        ('safe = "origin"', "safe = [0, 0, 1.6]", r"lies in the plane itself"),
        ("[1, 0, 1.6], [0, 1, 1.6]", "[1, 0, 1.6], [2, 0, 1.6]", r"points.*lie on one line"),
        ("[1, 0, 1.6], [0, 1, 1.6]", "[1, 0, 1.6]", r"3 of \[x, y, z\]"),
        ('safe = "inside"\n\n', 'safe = "left"\n\n', r'area \'fence\'.*"inside" or "outside"'),
        ('of = "tool"', 'of = "hand"', r"area 'work'.*arm, tool"),
        ("radius = 0.1\n", "radius = -0.1\n", r"radius"),
        ('"100 deg"]', '"100 kg"]', r"joint_area 1.*unit"),
        ('name = "front"', 'nome = "front"', r"unknown key.*name, allowed, ranges"),
    ],
)
def test_mistakes_are_told_with_their_place(file: Path, old: str, new: str, words: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DescriptionError, match=words):
        SafetyRules.load(file)


def test_joints_of_another_arm_are_told(file: Path) -> None:
    with pytest.raises(UnknownNameError, match="joint"):
        SafetyRules.load(file).within(load_arm("puma560"))
