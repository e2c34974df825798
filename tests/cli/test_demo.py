"""``armwerk demo``: the main job, quick and complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from armwerk.cli import app
from armwerk.cli.demo import STEPS, _own_name, smooth_motion
from armwerk.robot import load

RUN = CliRunner()


def test_demo_prints_and_draws(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["demo", "--out", str(tmp_path / "here")], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.stderr
    for title, _ in STEPS:
        assert title in result.stdout
    assert "Unimation Puma 560" in result.stdout
    assert "431.8" in result.stdout
    assert "8 solutions for puma560" in result.stdout
    for name in ("solutions.png", "motion.png"):
        path = tmp_path / "here" / name
        assert str(path) in result.stdout
        with Image.open(path) as image:
            colours = image.convert("RGB").getcolors(maxcolors=1 << 24)
        assert len(colours or []) > 500


def test_smooth_motion_starts_and_ends_at_rest_within_limits() -> None:
    arm = load("puma560")
    q0, q1 = np.array([-1.0, 0.2, -2.0, 0.5, 0.1, -3.0]), np.array([1.5, 2.0, 0.3, -1, 1, 2.0])
    times, q = smooth_motion(arm, q0, q1, steps=2001)
    assert np.allclose(q[[0, -1]], [q0, q1])
    velocity = np.gradient(q, times, axis=0)
    acceleration = np.gradient(velocity, times, axis=0)
    share = np.abs(velocity).max(axis=0) / [joint.max_velocity for joint in arm.moving]
    bends = np.abs(acceleration[2:-2]).max(axis=0)
    bends = bends / [joint.max_acceleration for joint in arm.moving]
    assert np.allclose(velocity[[0, -1]], 0.0, atol=1e-3)
    assert max(share.max(), bends.max()) == pytest.approx(1.0, abs=1e-3)


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = RUN.invoke(app, ["demo", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_next_steps_can_be_typed_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv" / "bin" / "armwerk"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program), "demo"])
    monkeypatch.setenv("PATH", "")
    assert _own_name() == ".venv/bin/armwerk"
    monkeypatch.setenv("PATH", str(program.parent))
    assert _own_name() == "armwerk"
