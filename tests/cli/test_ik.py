"""``armwerk ik``: solutions, residuals, limits, reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from armwerk.cli import app
from armwerk.cli.arguments import goal, numbers
from armwerk.cli.units import Units
from armwerk.mechanics.extent import tool_points
from armwerk.robot import load

RUN = CliRunner()
WIDE = {"COLUMNS": "160"}
PUMA = load("puma560")
POSE = "0.4 -0.2 0.9 0 90 0"


def answered(*words: str) -> dict[str, Any]:
    result = RUN.invoke(app, ["ik", *words, "--json"])
    assert result.exit_code == 0, result.stderr + result.stdout
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_pose_is_metres_degrees_and_zyx() -> None:
    T = goal("0.1 -0.2 0.3 40 -30 20", Units())
    expected = Rotation.from_euler("ZYX", [40, -30, 20], degrees=True).as_matrix()
    assert np.allclose(T[:3, :3], expected)
    assert np.allclose(T[:3, 3], [0.1, -0.2, 0.3])
    same = goal("100,-200,300 40 -30 20", Units(millimetres=True))
    assert np.allclose(same, T)
    radians = " ".join(str(np.deg2rad(value)) for value in (40, -30, 20))
    assert np.allclose(goal(f"0.1 -0.2 0.3 {radians}", Units(degrees=False)), T)


def test_numbers_take_blanks_and_commas() -> None:
    assert numbers(" 1, -2e-3 ,3 ", "x y z", "--pose") == [1.0, -0.002, 3.0]


def test_all_solutions_of_the_puma_reach_the_pose() -> None:
    data = answered("puma560", "--pose", POSE)
    q = np.array([row["q"] for row in data["solutions"]])
    assert len(q) == 8
    assert np.allclose(tool_points(PUMA, q), [0.4, -0.2, 0.9], atol=1e-6)
    assert len(np.unique(np.round(q, 4), axis=0)) == 8
    low, high = PUMA.limits.T
    for row in data["solutions"]:
        inside = bool((row["q"] >= low - 1e-9).all() and (row["q"] <= high + 1e-9).all())
        assert row["within_limits"] == inside
        assert bool(row["beyond_limits"]) == (not inside)
        assert row["position_error"] < 1e-6
        assert row["rotation_error"] < 1e-6


def test_nearest_is_the_nearest_within_limits() -> None:
    first = answered("puma560", "--pose", POSE)
    rows = first["solutions"]
    inside = [row["q"] for row in rows if row["within_limits"]]
    assert len(inside) > 1
    for q in inside:
        near = " ".join(str(np.rad2deg(value)) for value in q)
        data = answered("puma560", "--pose", POSE, "--near", near)
        nearest = data["solutions"][data["nearest"]]["q"]
        assert nearest == pytest.approx(q, abs=1e-6)


def test_table_has_units_marks_and_limits() -> None:
    result = RUN.invoke(app, ["ik", "puma560", "--pose", POSE], env=WIDE)
    assert result.exit_code == 0
    text = result.stdout
    assert "8 solutions for puma560" in text
    assert "8 solutions for puma560, 6 within the limits" in text
    assert text.count("[deg]") >= 7  # six joints and the residual
    assert "[mm]" in text
    assert text.count("*") == 2  # one row and the line that explains it
    assert "wrist_roll +17 deg" in text


def test_millimetres_and_radians_give_the_same() -> None:
    plain = answered("puma560", "--pose", POSE)
    mm = answered("puma560", "--mm", "--pose", "400 -200 900 0 90 0")
    radians = answered("puma560", "--radians", "--pose", f"0.4 -0.2 0.9 0 {np.pi / 2} 0")
    for other in (mm, radians):
        assert np.allclose(other["target"], plain["target"], atol=1e-12)
        assert len(other["solutions"]) == len(plain["solutions"])


def test_out_of_reach_says_so_and_ends_with_1() -> None:
    result = RUN.invoke(app, ["ik", "puma560", "--pose", "1.2 0 0.671833 0 0 0"])
    assert result.exit_code == 1
    assert "no solution for puma560: out of reach: 1.20 m from the shoulder" in result.stdout
    assert "the arm reaches about 0.88 m" in result.stdout
    assert result.stderr == ""


def test_too_close_says_so() -> None:
    result = RUN.invoke(app, ["ik", "planar_rr", "--pose", "0.001 0 0 0 0 0"])
    assert result.exit_code == 1
    assert "too close" in result.stdout


def test_few_joints_say_so() -> None:
    result = RUN.invoke(app, ["ik", "scara", "--pose", "0.6 0.1 0.8 0 90 0"])
    assert result.exit_code == 1
    assert "4 joints cannot take every orientation" in result.stdout


def test_no_solution_as_json() -> None:
    result = RUN.invoke(app, ["ik", "puma560", "--pose", "2 0 0 0 0 0", "--json"])
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["solutions"] == []
    assert data["nearest"] is None
    assert data["reason"].startswith("out of reach")


@pytest.mark.parametrize("method", ["numeric", "jacobian", "simplex"])
def test_methods_reach_the_pose(method: str) -> None:
    data = answered("ur5e", "--pose", "-0.4 -0.2 0.4 90 0 180", "--method", method)
    assert data["method"] == method
    assert data["solutions"][0]["position_error"] < 1e-4


def test_plot_draws_all_solutions(tmp_path: Path) -> None:
    path = tmp_path / "ik.png"
    result = RUN.invoke(app, ["ik", "puma560", "--pose", POSE, "--plot", str(path)])
    assert result.exit_code == 0
    assert f"picture: {path}" in result.stdout
    with Image.open(path) as image:
        assert image.width > 900


def test_assemblies_by_point_and_by_pose() -> None:
    tripod = answered("tripod", "--pose", "0.05 0 0.5")
    row = tripod["solutions"][0]
    assert row["position_error"] < 1e-9
    assert row["rotation_error"] is None
    stewart = answered("stewart", "--pose", "0.05 0 0.6 10 0 5")
    assert stewart["solutions"][0]["rotation_error"] < 1e-9
    assert stewart["nearest"] == 0


def test_assembly_refuses_other_methods() -> None:
    result = RUN.invoke(app, ["ik", "tripod", "--pose", "0 0 0.5", "--method", "simplex"])
    assert result.exit_code == 2
    assert "solved in its own way, not by 'simplex'" in result.stderr


def test_a_point_leaves_the_orientation_of_a_serial_arm_free() -> None:
    data = answered("simple_arm", "--pose", "0.3 0.1 0.2", "--near", "0 60 -60")
    rows = data["solutions"]
    q = np.array([row["q"] for row in rows])
    assert q.shape == (4, 3)  # in front and over the shoulder, the elbow up and down
    assert np.allclose(tool_points(load("simple_arm"), q), [0.3, 0.1, 0.2], atol=1e-6)
    assert all(row["rotation_error"] is None and row["within_limits"] for row in rows)
    assert not data["infinitely_many"]
    assert rows[data["nearest"]]["q"][2] < 0  # the elbow up, as in --near
    other = answered("simple_arm", "--pose", "0.3 0.1 0.2", "--near", "0 -60 60")
    assert other["solutions"][other["nearest"]]["q"][2] > 0


def test_fingers_stay_where_they_are_wanted_and_nothing_is_listed_twice() -> None:
    words = ["ik", "simple_arm_gripper", "--pose", "0.1 0.05 0.1 0 0 0"]
    shown = RUN.invoke(app, words, env=WIDE)
    assert "8 solutions for simple_arm_gripper, 4 within the limits" in shown.stdout
    assert "finger_left and finger_right move nothing of the pose" in " ".join(shown.stdout.split())
    data = answered(*words[1:], "--near", "0 0 0 0 0 0 30 -10")
    q = np.array([row["q"] for row in data["solutions"]])
    assert q.shape == (8, 8)
    assert np.allclose(np.rad2deg(q[:, 6:]), [30, -10])
    assert data["idle"] == ["finger_left", "finger_right"]


def test_an_infinite_family_is_said_to_be_one() -> None:
    words = ["ik", "excavator_arm", "--pose", "1 0.05 0.1"]
    text = " ".join(RUN.invoke(app, words, env=WIDE).stdout.split())
    assert "2 of infinitely many solutions for excavator_arm, 1 within the limits" in text
    assert "boom_cylinder, stick_cylinder and bucket can move together" in text
    data = answered(*words[1:])
    assert data["infinitely_many"]
    assert data["family"] == ["boom_cylinder", "stick_cylinder", "bucket"]
    assert data["solutions"][data["nearest"]]["within_limits"]
    panda = answered("panda", "--pose", "0.4 0 0.5 180 0 180")
    assert len(panda["family"]) == 7
    assert not answered("puma560", "--pose", POSE)["family"]


@pytest.mark.parametrize("name", ["puma560", "simple_arm"])
def test_a_point_out_of_reach(name: str) -> None:
    result = RUN.invoke(app, ["ik", name, "--pose", "3 0 0"])
    assert result.exit_code == 1
    assert f"no solution for {name}: out of reach: 3." in result.stdout


@pytest.mark.parametrize("name", ["puma560", "tripod", "stewart", "excavator_arm"])
def test_a_pose_at_the_end_of_the_world_is_out_of_reach_without_a_warning(name: str) -> None:
    result = RUN.invoke(app, ["ik", name, "--pose", "1e300 0 0 0 0 0"])
    assert result.exit_code == 1
    assert f"no solution for {name}: " in result.stdout
    assert "inf" not in result.stdout
    assert result.stderr == ""


def test_an_assembly_without_a_solution_says_so() -> None:
    for pose in ("0.4 0.1 0.5 0 90 0", "0.4 0.1 0.5"):
        result = RUN.invoke(app, ["ik", "measured_arm", "--pose", pose])
        assert result.exit_code == 1, result.stderr
        assert "no solution for measured_arm" in result.stdout


def test_names_are_shown_and_select() -> None:
    pose = ("puma560", "--pose", "0.4 -0.2 0.9 10 80 30")
    named = answered(*pose, "--names")["solutions"]
    assert len({row["configuration"] for row in named}) == len(named) == 8
    chosen = answered(*pose, "--configuration", "left up")["solutions"]
    assert [row["configuration"] for row in chosen] == [
        row["configuration"] for row in named if row["configuration"].startswith("left up")
    ]
    assert len(chosen) == 2
    assert "configuration" not in answered(*pose)["solutions"][0]
    table = RUN.invoke(app, ["ik", *pose, "--configuration", "left up"], env=WIDE)
    assert "2 solutions for puma560" in table.stdout
    wrong = RUN.invoke(app, ["ik", *pose, "--configuration", "sideways"])
    assert wrong.exit_code != 0


def test_a_part_of_the_pose() -> None:
    none = RUN.invoke(app, ["ik", "planar_rr", "--pose", "0.3 0.1 0 0 0 0"], env=WIDE)
    assert none.exit_code == 1
    assert "--task position has 2 solutions" in " ".join(none.output.split())
    found = answered("planar_rr", "--pose", "0.3 0.1 0 0 0 0", "--task", "auto")
    assert found["task"] == "position"
    assert len(found["solutions"]) == 2
    found = answered("five_axis", "--pose", "0.4 0 0.3 0 90 0", "--task", "direction")
    assert len(found["solutions"]) == 4
    assert found["idle"] == ["roll"]
