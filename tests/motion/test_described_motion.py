"""The motion block of an arm's description: used where a path or table leaves it open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.geometry import transform_from_pose
from armwerk.motion import Trajectory
from armwerk.motion.table import Table
from armwerk.robot import Arm, load_arm
from armwerk.robot.settings import CartesianMotion, MotionSettings, SpeedProfile

TABLE = """
[[trajectory]]
kind = "start"
point = [0.45, -0.15, 0.3]
angles = ["0 deg", "180 deg", "0 deg"]

[[trajectory]]
kind = "linear"
point = [0.45, 0.15, 0.3]
"""


def arm(
    profile: SpeedProfile = "trapezoid",
    top_speed: float | None = None,
    kinds: tuple[CartesianMotion, ...] = ("linear", "circular"),
) -> Arm:
    motion = MotionSettings(profile=profile, top_speed=top_speed, cartesian_motions=kinds)
    return replace(load_arm("ur5e"), motion=motion)


def pose(y: float) -> Array:
    return transform_from_pose([0.45, y, 0.3, 0.0, np.pi, 0.0])


def top(trajectory: Trajectory) -> float:
    """Return the largest speed of the tool by differences [m/s]."""
    model = aw.model("ur5e")
    times, q, _, _ = trajectory.sampled(0.001)
    places = model.fk(q)[:, :3, 3]
    return float((np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)).max())


def planned(described: Arm, path: aw.Path) -> Trajectory:
    return path.lin(pose(0.15)).plan(described)


def test_the_top_speed_of_the_arm_is_that_of_its_paths() -> None:
    assert top(planned(arm(), aw.Path(pose(-0.15)))) == pytest.approx(0.25, rel=1e-3)
    assert top(planned(arm(top_speed=0.1), aw.Path(pose(-0.15)))) == pytest.approx(0.1, rel=1e-3)


def test_what_a_path_says_itself_wins() -> None:
    slow = arm("sine", top_speed=0.1)
    assert top(planned(slow, aw.Path(pose(-0.15), speed=0.2))) == pytest.approx(0.2, rel=1e-3)
    own = aw.Path(pose(-0.15)).lin(pose(0.15), speed=0.2).plan(slow)
    assert top(own) == pytest.approx(0.2, rel=1e-3)


@pytest.mark.parametrize("profile", ["sine", "quintic"])
def test_the_profile_of_the_arm_is_used_and_can_be_overruled(profile: SpeedProfile) -> None:
    open_path = planned(arm(profile), aw.Path(pose(-0.15)))
    said = planned(arm(), aw.Path(pose(-0.15), profile=profile))
    other = planned(arm(profile), aw.Path(pose(-0.15), profile="trapezoid"))
    assert open_path.duration == pytest.approx(said.duration, rel=1e-9)
    assert abs(other.duration - said.duration) > 1e-3


def test_tables_leave_it_to_the_arm_too(tmp_path: FilePath) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE, encoding="utf-8")
    table = Table.load(file)
    slow = arm("sine", top_speed=0.1)
    assert top(table.path().plan(slow)) == pytest.approx(0.1, rel=1e-3)
    for ending in (".toml", ".csv"):  # what is left open stays open in files
        again = Table.load(table.save(tmp_path / f"again{ending}"))
        assert again.settings.speed is None
        assert again.settings.profile is None
    file.write_text('[settings]\nspeed = 0.2\nprofile = "quintic"\n' + TABLE, encoding="utf-8")
    assert top(Table.load(file).path().plan(slow)) == pytest.approx(0.2, rel=1e-3)


def test_a_kind_of_path_that_the_arm_does_not_name_is_told() -> None:
    via, end = [0.5, 0.0, 0.3], pose(0.15)
    path = aw.Path(pose(-0.15)).circ(via, end)
    words = [str(notice) for notice in path.plan(arm(kinds=("linear",))).notices]
    assert (
        "segment 1 'circ': the arm's description names linear paths of the tool, not circular"
        in (" ".join(words))
    )
    assert not any("description names" in str(one) for one in path.plan(arm()).notices)
