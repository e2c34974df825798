"""``armwerk show``: tables with the right numbers in the right units."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from armwerk.cli import app
from armwerk.mechanics.extent import tool_points, tool_reach
from armwerk.robot import Arm, Joint, load

RUN = CliRunner()
WIDE = {"COLUMNS": "140"}


def shown(*words: str) -> str:
    result = RUN.invoke(app, ["show", *words], env=WIDE)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def line(text: str, start: str) -> list[str]:
    """Return the words of the first line that starts with ``start``."""
    return next(row for row in text.splitlines() if row.startswith(start)).split()


def test_puma_rows_in_millimetres_and_degrees() -> None:
    text = shown("puma560")
    assert "theta [deg]" in text
    assert "d [mm]" in text
    assert line(text, "waist") == ["waist", "R", "turns", "q", "671.83", "0", "90"]
    assert line(text, "shoulder") == ["shoulder", "R", "turns", "q", "0", "431.8", "0"]
    assert "97.6\N{NO-BREAK SPACE}N\N{NO-BREAK SPACE}m" in text.split("Limits")[1]
    assert "reach: about 0.88 m from the first axis" in text
    assert "Corke and Armstrong-Hélouvry" in text
    assert "assumed: max_velocity" in text


def test_radians_and_metres() -> None:
    text = shown("puma560", "--radians", "--metres")
    assert "alpha [rad]" in text
    assert line(text, "waist")[-2:] == ["0", "1.570796"]
    assert "0.67183" in text


def test_prismatic_joint_has_its_own_units() -> None:
    text = shown("scara")
    assert line(text, "quill") == ["quill", "T", "slides", "0", "q", "0", "0"]
    limits = text.split("Limits")[1]
    quill = line(limits, "quill")
    assert quill[1:4] == ["mm", "0", "203"]
    assert quill[-1].endswith("N")


def test_json_is_si_and_complete() -> None:
    data = json.loads(shown("puma560", "--json"))
    arm = load("puma560")
    assert [row["name"] for row in data["joints"]] == [joint.name for joint in arm.joints]
    assert data["joints"][0]["d"] == arm.joints[0].d
    assert data["joints"][0]["alpha"] == pytest.approx(np.pi / 2)
    assert data["units"]["angle"] == "rad"
    assert data["base"] == np.eye(4).tolist()
    assert data["reach"] == pytest.approx(0.88, abs=0.01)


def test_assembly_is_a_tree_with_its_pattern() -> None:
    text = shown("tripod")
    assert "TRIPOD of" in text
    assert "FULLROT" in text
    assert "linear motor" in text
    data = json.loads(shown("stewart", "--json"))
    assert data["loops"][0]["pattern"] == "STEWART"
    assert len(data["motors"]) == 6


def test_file_with_symbols(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[[joint]]\nkind = "revolute"\na = "a1"\nd = "200 mm"\n')
    text = shown(str(path))
    assert line(text, "q1") == ["q1", "R", "turns", "q", "200", "a1", "0"]
    assert "unknown while a1 have no numbers" in text


def test_plot_writes_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "arm.png"
    text = shown("planar_rr", "--plot", str(path))
    assert f"picture: {path}" in text
    with Image.open(path) as image:
        assert image.format == "PNG"
    svg = tmp_path / "stewart.svg"
    shown("stewart", "--plot", str(svg))
    assert svg.read_text().startswith("<?xml")


def test_plot_with_json_keeps_stdout_clean(tmp_path: Path) -> None:
    json.loads(shown("planar_rr", "--json", "--plot", str(tmp_path / "x.png")))
    assert (tmp_path / "x.png").exists()


def test_numbers_are_never_cut() -> None:
    result = RUN.invoke(app, ["show", "puma560"], env={"COLUMNS": "30"})
    assert "…" not in result.stdout
    assert "671.83" in result.stdout


def test_tool_points_against_row_matrices() -> None:
    arm = load("stanford")
    q = np.random.default_rng(5).uniform(arm.limits[:, 0], arm.limits[:, 1], (4, arm.dof))
    from armwerk.pictures.skeleton import arm_skeleton

    expected = [arm_skeleton(arm, row).tools[0][:3, 3] for row in q]
    assert np.allclose(tool_points(arm, q), expected, atol=1e-12)


def test_reach_of_arms_that_can_be_reckoned() -> None:
    two = [Joint("revolute", a=0.4, d=0.2), Joint("revolute", a=0.3, limits=(0.5, 2.0))]
    # law of cosines at the least bent elbow
    expected = np.sqrt(0.4**2 + 0.3**2 + 2 * 0.4 * 0.3 * np.cos(0.5))
    assert tool_reach(Arm.from_dh(two)) == pytest.approx(expected, abs=1e-4)
    endless = [Joint("prismatic"), Joint("revolute", a=0.3)]
    assert tool_reach(Arm.from_dh(endless)) is None
    slide = [Joint("prismatic", limits=(0.0, 0.5)), Joint("revolute", a=0.3)]
    assert tool_reach(Arm.from_dh(slide)) == pytest.approx(np.hypot(0.5, 0.3), abs=1e-4)
