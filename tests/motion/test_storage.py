"""Trajectories in files: what is written is read back, and bad files are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import DescriptionError
from armwerk.motion import Trajectory
from armwerk.motion.options import PROFILES, SYNCS, Profile, Sync
from armwerk.motion.trajectory.storage import TOOL_COLUMNS

SCARA = aw.load("scara")
Q0, Q1 = np.array([0.1, 0.2, 0.02, 0.0]), np.array([1.0, -0.6, 0.1, 1.5])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_npz_loses_nothing(tmp_path: Path, sync: Sync, profile: Profile) -> None:
    motion = aw.ptp(SCARA, Q0, Q1, sync, profile)
    motion = motion + aw.ptp(SCARA, Q1, Q0, "sync", "trapezoid")
    back = Trajectory.load(motion.save(tmp_path / "deep" / "motion.npz"))
    assert back.duration == pytest.approx(motion.duration, rel=1e-14)
    times = np.linspace(0.0, motion.duration, 200)
    for one, two in zip(motion.evaluate(times)[:3], back.evaluate(times)[:3], strict=True):
        assert np.abs(one - two).max() < 1e-12 * max(1.0, np.abs(one).max())
    assert back.limits is not None
    assert motion.limits is not None
    assert back.limits.names == motion.limits.names
    assert np.array_equal(back.limits.jerk, motion.limits.jerk)
    assert np.array_equal(back.limits.highest, motion.limits.highest)


def test_csv_holds_samples_with_units(tmp_path: Path) -> None:
    motion = aw.ptp(SCARA, Q0, Q1)
    path = motion.save(tmp_path / "motion.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    header = lines[0].split(",")
    assert header[0] == "time [s]"
    assert header[3] == "position quill [m]"
    assert header[12] == "acceleration wrist [rad/s²]"
    assert header[13:] == [*TOOL_COLUMNS]
    middle = np.array(lines[40].split(","), dtype=float)
    T = aw.model(SCARA).fk(middle[1:5])
    assert middle[13:16] == pytest.approx(T[:3, 3], abs=1e-12)
    earlier, later = (np.array(lines[k].split(","), dtype=float) for k in (39, 41))
    speed = np.linalg.norm(later[13:16] - earlier[13:16]) / (later[0] - earlier[0])
    assert middle[19] == pytest.approx(speed, rel=1e-3)
    assert len(lines) == 1 + len(motion.times(0.004))
    last = np.array(lines[-1].split(","), dtype=float)
    assert last[0] == motion.duration
    assert last[1:5] == pytest.approx(Q1, abs=1e-12)
    back = Trajectory.load(path, SCARA)
    assert back.duration == motion.duration
    for one, two in zip(motion.sampled(0.004), back.sampled(0.004), strict=True):
        assert two == pytest.approx(one, abs=1e-9)
    between = np.linspace(0.0, motion.duration, 999)
    assert back.sample(between)[0] == pytest.approx(motion.sample(between)[0], abs=1e-5)
    finer = motion.save(tmp_path / "finer.csv", dt=0.001)
    assert len(finer.read_text(encoding="utf-8").splitlines()) > 3 * len(lines)


def test_a_motion_of_no_length_is_kept(tmp_path: Path) -> None:
    still = aw.ptp(SCARA, Q0, Q0)
    for name in ("still.csv", "still.npz"):
        back = Trajectory.load(still.save(tmp_path / name))
        assert back.duration == 0.0
        assert back.sample(0.0)[0] == pytest.approx(Q0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no samples"),
        ("time [s],position a [rad]\n0,0\n", "wrong columns"),
        (
            "time [s],position a [inch],velocity a [inch/s],acceleration a [inch/s²]\n0,0,0,0",
            "inch",
        ),
        (
            "time [s],position a [rad],velocity b [rad/s],acceleration a [rad/s²]\n0,0,0,0",
            "velocit",
        ),
        ("HEAD0,0,0,0\n1,x,0,0\n", ":3.*not a number"),
        ("HEAD0,0,0,0\n1,nan,0,0\n", ":3.*not finite"),
        ("HEAD0,0,0,0\n1,0,0\n", ":3.*3 columns, not 4"),
        ("HEAD0,0,0,0\n1,0,0,0\n1,0,0,0\n", ":4.*times do not rise"),
    ],
)
def test_bad_csv_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    head = "time [s],position a [rad],velocity a [rad/s],acceleration a [rad/s²]\n"
    path = tmp_path / "bad.csv"
    path.write_text(text.replace("HEAD", head), encoding="utf-8")
    with pytest.raises(DescriptionError, match=words):
        Trajectory.load(path)


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="unknown ending"):
        Trajectory.load(tmp_path / "motion.txt")
    with pytest.raises(DescriptionError, match="cannot be read"):
        Trajectory.load(tmp_path / "missing.csv")
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(DescriptionError, match="no trajectory of armwerk"):
        Trajectory.load(broken)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(DescriptionError, match="no trajectory of armwerk"):
        Trajectory.load(tmp_path / "other.npz")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DescriptionError, match="no CSV text"):
        Trajectory.load(tmp_path / "binary.csv")
    path = aw.ptp(SCARA, Q0, Q1).save(tmp_path / "motion.csv")
    with pytest.raises(DescriptionError, match="has 4 axes, but the arm has 6"):
        Trajectory.load(path, aw.load("puma560"))
