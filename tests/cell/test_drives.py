"""Drives of a world: how strong its arms are, and what computes their forces."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

import armwerk as aw
from armwerk.cell.building.setup import DrivesSource
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.physics import SimulationSettings
from armwerk.physics.drives import CascadeController
from armwerk.scene import parse_scene

SCENE = parse_scene("MULTIROBOT 2\nROBOT0 0 0 0\nROBOT1 300 0 0\n")


class Wave(aw.RobotController):
    """Moves once."""

    def run(self) -> None:
        self.move(self.q + 0.3)


def worst_lag(drives: DrivesSource | None, number: int) -> float:
    worst = 0.0
    with aw.World(SCENE, robots={0: Wave, 1: Wave}, drives=drives) as world:
        while world.time < 0.5:
            world.step()
            body = world.robots[number].body
            worst = max(worst, float(np.abs(body.values - body.setpoints).max()))
    return worst


def test_one_robot_of_two_gets_a_controller_of_its_own() -> None:
    drives = {1: CascadeController()}
    assert worst_lag(drives, 0) < 1e-9
    assert worst_lag(drives, 1) > 1e-4


def test_the_kind_of_drives_wins_over_the_settings() -> None:
    for kind in ("stiff", "limited"):
        settings = SimulationSettings(drives="limited" if kind == "stiff" else "stiff")
        with aw.World(SCENE, settings=settings, drives=cast(DrivesSource, kind)) as world:
            limits = world.robots[0].body.max_forces[:2]
            assert np.isfinite(limits).all() == (kind == "limited")


def test_drives_of_the_wrong_kind_are_told_by_name() -> None:
    with pytest.raises(DescriptionError, match=r"'drives'.*weak"):
        aw.World(SCENE, drives=cast(DrivesSource, "weak"))
    with pytest.raises(DescriptionError, match=r"drives.*wrong kind"):
        aw.World(SCENE, drives=cast(DrivesSource, 3))
    with pytest.raises(UnknownNameError, match="7"):
        aw.World(SCENE, drives={7: CascadeController()})
    with pytest.raises(DescriptionError, match=r"drives of robot 1.*JointController"):
        aw.World(SCENE, drives=cast(DrivesSource, {1: CascadeController}))
