"""Tables of trajectories: files there and back, errors with their line, the path they make."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import DescriptionError, MotionError
from armwerk.motion.options import BLEND_SHAPES, BlendShape
from armwerk.motion.table import HelpPoint, Table, TableRow, TableSettings
from armwerk.motion.table.file import TableContent, parse, written

TABLE = Table(
    rows=(
        TableRow("start", (0.4, 0.0, 0.3), inclination=-0.6),
        TableRow("linear", (0.4, 0.1, 0.3), inclination=-0.5, points=30, speed=0.15, name="P1"),
        TableRow("circle", (0.3, 0.3, 0.3), inclination=-0.5, help="H1", blend=0.0),
        TableRow("bezier", (0.2, 0.35, 0.4), inclination=-0.4, roll=0.1, help="B1"),
        TableRow("spline", (0.1, 0.4, 0.35), inclination=-0.4, help="S1"),
        TableRow("ptp", joints=(0.1, -0.3, 1.0 / 3.0, 0.0, -1e-9), blend=0.02, name="Q"),
        TableRow("ptp", (0.4, 0.0, 0.3), inclination=-0.6),
    ),
    help_points=(
        HelpPoint("H1", (0.38, 0.2, 0.32)),
        HelpPoint("B1", (0.28, 0.32, 0.32)),
        HelpPoint("B1", (0.24, 0.34, 0.38)),
        HelpPoint("S1", (0.15, 0.38, 0.4)),
    ),
    settings=TableSettings(0.2, 0.01, 12, 1.5, 15.0, "sine", shape="cubic"),
)


@pytest.mark.parametrize("ending", [".toml", ".csv"])
def test_there_and_back(tmp_path: Path, ending: str) -> None:
    file = TABLE.save(tmp_path / f"table{ending}")
    back = Table.load(file)
    assert back.help_points == TABLE.help_points
    assert back.settings == TABLE.settings
    for one, two in zip(back.rows, TABLE.rows, strict=True):
        assert one.kind == two.kind
        assert one.help == two.help
        assert (one.joints, one.name) == (two.joints, two.name)
        assert (one.points, one.speed, one.blend) == (two.points, two.speed, two.blend)
        assert np.abs(one.goal - two.goal).max() < 1e-14
    if ending == ".toml":
        assert back == TABLE


def test_table_becomes_a_motion() -> None:
    model = aw.model("five_axis", ik="numeric")
    path = TABLE.path()
    assert [s.kind for s in path.segments] == ["lin", "circ", "bezier", "spline", "ptp", "ptp"]
    assert path.segments[0].limits.speed == 0.15
    assert path.segments[1].limits.speed == 0.2
    assert path.segments[1].blend.radius == 0.0
    trajectory = path.plan(model)
    end = model.fk(trajectory.sample(trajectory.duration)[0])
    assert np.abs(end - TABLE.rows[-1].goal).max() < 1e-8


@pytest.mark.parametrize("shape", BLEND_SHAPES)
def test_corners_are_rounded_with_the_shape_of_the_settings(shape: BlendShape) -> None:
    """At a right corner with radius r a curve passes at a distance of the corner of its own.

    An arc: (√2 - 1) r. The quadratic Bézier curve with the corner as its control: r / (2 √2).
    """
    model = aw.model("puma560")
    here = model.fk(np.array([0.1, -0.6, 0.3, 0.0, 0.8, 0.0]))[:3, 3]
    rows = (
        TableRow("linear", (here[0], here[1] + 0.1, here[2])),
        TableRow("linear", (here[0], here[1] + 0.1, here[2] + 0.1)),
    )
    table = Table(rows, settings=TableSettings(blend=0.03, shape=shape))
    assert {segment.blend.shape for segment in table.path().segments} == {shape}
    motion = table.path().plan(model, [0.1, -0.6, 0.3, 0.0, 0.8, 0.0])
    way = model.fk(motion.sample(np.linspace(0.0, motion.duration, 4001))[0])[:, :3, 3]
    away = float(np.linalg.norm(way - rows[0].goal, axis=1).min())
    expected = {"arc": (math.sqrt(2.0) - 1.0) * 0.03, "quadratic": 0.03 / math.sqrt(8.0)}
    assert 0.0 < away < 0.03
    if shape in expected:
        assert away == pytest.approx(expected[shape], rel=1e-3)


def write(tmp_path: Path, name: str, text: str) -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_units_and_cylindrical_coordinates(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "t.toml",
        '[settings]\nspeed = "200 mm/s"\n\n[[trajectory]]\nkind = "start"\n'
        'cylindrical = [0.0, "300 mm", "90 deg"]\ninclination = "-30 deg"\n',
    )
    table = Table.load(file)
    assert table.settings.speed == 0.2
    goal = table.rows[0].goal
    # on the axis the direction is kept: the tool still looks along y
    assert np.abs(goal[:3, 2] - [0, math.cos(math.pi / 6), -0.5]).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a.toml", '[[trajectory]]\nkind = "lineer"\npoint = [0, 0, 1]\n', 2, "unknown kind"),
        ("a.toml", '[[trajectory]]\nkind = "linear"\npoint = [0, 1]\n', 3, "three numbers"),
        ("a.toml", '[[trajectory]]\nkind = "linear"\npoint = [0, 0, nan]\n', 3, "finite"),
        ("a.toml", '[[trajectory]]\nkind = "linear"\nspede = 1\n', 3, "unknown key"),
        ("a.toml", "[settings]\nspeed = 0.2\n", 1, "missing"),
        ("a.toml", '[settings]\nspeed = "2 kg"\n[[trajectory]]\n', 2, "speed"),
        ("a.csv", "kind,x [m],y [m],z [m]\nlinear,0,0,1\nlinear,0,zero,1\n", 3, "not a number"),
        ("a.csv", "kind,x [m],y [m]\nlinear,0,0\n", 1, "column missing"),
        ("a.csv", "kind,x [m],y [m],z [m],w\n", 1, "unknown column"),
        ("a.csv", "kind,x [m],y [m],z [m],profile\nlinear,0,0,1,sine\n", 2, "out of place"),
        ("a.toml", '[[trajectory]]\nkind = "linear"\njoints = [0.1]\n', 2, "allowed: ptp"),
        ("a.toml", '[[trajectory]]\nkind = "start"\njoints = [0.1]\n', 2, "allowed: ptp"),
        ("a.toml", '[[trajectory]]\nkind = "ptp"\njoints = []\n', 3, "for each joint"),
        ("a.toml", '[[trajectory]]\nkind = "ptp"\njoints = ["1 kg"]\n', 3, "rad, deg, °, m, cm"),
        ("a.toml", '[[trajectory]]\nkind = "ptp"\njoints = [nan]\n', 3, "finite"),
        (
            "a.toml",
            '[[trajectory]]\nkind = "ptp"\npoint = [0, 0, 1]\njoints = [0.1]\n',
            4,
            "joints and point: both given",
        ),
        ("a.toml", '[[trajectory]]\nkind = "ptp"\n', 1, "point"),
        ("a.csv", "kind,x [m],y [m],z [m],joints [rad or m]\nptp,,,,0 x\n", 2, "not a number"),
        ("a.csv", "kind,x [m],y [m],z [m],joints [rad or m]\nptp,0,,,0 1\n", 2, "missing"),
        ("a.csv", "kind,x [m],y [m],z [m],joints [rad or m]\nlinear,,,,0 1\n", 2, "ptp"),
        ("a.csv", "kind,x [m],y [m],z [m],shape\nlinear,0,0,1,arc\n", 2, "out of place"),
        ("a.csv", "kind,x [m],y [m],z [m],shape\nsettings,,,,round\n", 2, "unknown shape"),
        (
            "a.toml",
            '[settings]\nspeed = 0.2\nshape = "round"\n',
            3,
            "smooth, arc, quadratic, cubic",
        ),
        ("a.csv", "kind,x [m],y [m],z [m]\nsettings,0,,\n", 2, "not a setting"),
        ("a.csv", "kind,x [m],y [m],z [m]\nsettings,,,\nsettings,,,\n", 3, "given twice"),
        ("a.csv", "kind,x [m],y [m],z [m],help,help\nlinear,0,0,1,A,B\n", 1, "doubled"),
        ("a.toml", '[settings]\npoints = -4\n[[trajectory]]\nkind = "start"\n', 2, "positive"),
        ("a.csv", "kind,x [m],y [m],z [m]\nlinear,0,0\n", 2, "missing"),
    ],
)
def test_errors_name_file_and_line(
    tmp_path: Path, name: str, text: str, line: int, words: str
) -> None:
    file = write(tmp_path, name, text)
    with pytest.raises(DescriptionError, match=words) as caught:
        Table.load(file)
    assert f"{file}:{line}" in str(caught.value)


def test_unknown_ending_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="ending"):
        Table.load(tmp_path / "t.txt")
    with pytest.raises(DescriptionError, match="does not exist"):
        Table.load(tmp_path / "t.csv")


@pytest.mark.parametrize("ending", [".toml", ".csv"])
def test_joint_values_are_driven_to_in_their_own_configuration(ending: str) -> None:
    """Not the nearest solution of the same pose: exactly the joint values that the row names."""
    model = aw.model("puma560")
    q0 = np.array([0.1, -0.6, 0.3, 0.0, 0.8, 0.0])
    pose = model.fk(q0 + 0.1)
    goal = max(model.ik(pose, within_limits=True), key=lambda q: float(np.abs(q - q0).max()))
    assert np.abs(goal - q0).max() > 1.0
    there = TableRow("ptp", joints=tuple(map(float, goal)))
    x, y, z = map(float, pose[:3, 3])
    rows = (there, TableRow("linear", (x, y, z - 0.02)))
    table = Table(*parse(written(TableContent(rows, (), TableSettings(), None), ending), ending))
    motion = table.path().plan(model, q0)
    passed = motion.sample(np.linspace(0.0, motion.duration, 20001))[0]
    assert np.abs(passed - goal).max(axis=1).min() < 1e-3
    assert np.abs(model.fk(passed[-1])[:3, 3] - (x, y, z - 0.02)).max() < 1e-8
    alone = Table((there,)).path().plan(model, q0)
    assert np.abs(alone.sample(alone.duration)[0] - goal).max() < 1e-12


def test_joint_values_may_have_units_and_must_fit_the_arm() -> None:
    text = '[[trajectory]]\nkind = "ptp"\njoints = ["90 deg", "200 mm", 0.5, "-1 rad"]\n'
    (row,) = parse(text, ".toml").rows
    assert row.joints == (math.pi / 2, 0.2, 0.5, -1.0)
    with pytest.raises(MotionError, match="segment 1 'ptp'") as caught:
        Table((row,)).path().plan(aw.model("five_axis"), [0.0] * 5)
    assert "5" in str(caught.value)
    far = TableRow("ptp", joints=(99.0, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(MotionError, match="segment 1 'ptp'"):
        Table((far,)).path().plan(aw.model("five_axis"), [0.0] * 5)


def test_missing_help_point_names_the_segment() -> None:
    rows = (*TABLE.rows[:2], TableRow("circle", (0.3, 0.3, 0.3), inclination=-0.5, help="H9"))
    with pytest.raises(MotionError, match="help point 'H9' is missing") as caught:
        Table(rows, TABLE.help_points).path()
    assert caught.value.segment == "segment 2 'circle'"
    with pytest.raises(MotionError, match="none is named"):
        Table((*TABLE.rows[:2], TableRow("bezier", (0.3, 0.3, 0.3), inclination=-0.5))).path()


@pytest.mark.parametrize("ending", [".csv", ".toml"])
def test_a_row_that_cannot_be_driven_is_named_by_its_line(ending: str, tmp_path: Path) -> None:
    rows = [TableRow("start", (0.4, 0.0, 0.3), inclination=-0.6)]
    rows += [TableRow("linear", (0.4, 0.01 * k, 0.3), inclination=-0.6) for k in (1, 2, 3)]
    far = TableRow("linear", (4.0, 0.0, 0.3), inclination=-0.6, name="away")
    file = Table((*rows, far)).save(tmp_path / f"rows{ending}")
    lines = file.read_text(encoding="utf-8").splitlines()
    wanted = next(k for k, line in enumerate(lines, 1) if "4.0" in line)
    table = Table.load(file)
    with pytest.raises(MotionError, match="segment 4") as caught, table.naming_lines():
        table.path().plan(aw.model("five_axis"))
    name, line, segment = caught.value.segment.rsplit(":", 2)
    assert name == str(file)
    assert 0 <= wanted - int(line) <= 2  # a table of TOML begins above its point
    assert segment == " segment 4 'lin to away'"


def test_editing_makes_a_new_table() -> None:
    longer = TABLE.with_row(TableRow("linear", (0.3, 0.0, 0.3), inclination=-0.6))
    assert len(longer.rows) == len(TABLE.rows) + 1
    assert longer.without_row(len(TABLE.rows)) == TABLE
    with pytest.raises(MotionError, match="no row 99"):
        TABLE.without_row(99)


NEAR = """[settings]
near = "20 mm"
near_speed = 0.2
far = 0.1
far_speed = 1

[[trajectory]]
kind = "start"
point = [0.4, 0, 0.3]
"""


@pytest.mark.parametrize("ending", [".toml", ".csv"])
def test_speeds_near_bodies_are_kept_in_every_format(ending: str) -> None:
    table = parse(NEAR, ".toml")
    settings = table.settings
    assert (settings.near, settings.near_speed) == (0.02, 0.2)
    assert (settings.far, settings.far_speed) == (0.1, 1.0)
    assert parse(written(table, ending), ending).settings == settings
    plain = parse(NEAR.replace("far_speed = 1\n", "").replace("near_speed = 0.2\n", ""), ".toml")
    assert parse(written(plain, ending), ending).settings == plain.settings
    none = parse('[[trajectory]]\nkind = "start"\npoint = [1, 0, 0]\n', ".toml")
    assert "near" not in written(none, ending)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0.2\n", "1.2\n", "settings, near_speed"),
        ("0.2\n", "0\n", "settings, near_speed"),
        ('"20 mm"', '"200 mm"', "settings, far: too small, got 0.1 (allowed: at least 0.2 m)"),
        ('"20 mm"', "-0.1", "settings, near"),
        ('"20 mm"', '"20 deg"', "settings, near"),
    ],
)
def test_wrong_speeds_near_bodies_are_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(DescriptionError, match=re.escape(says)):
        parse(NEAR.replace(old, new, 1), ".toml")
