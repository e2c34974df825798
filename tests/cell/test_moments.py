"""Moments of a running world, as pictures and recordings take them."""

from __future__ import annotations

import numpy as np
import pytest
from cell_programs import world

from armwerk.cell.building.arm_model import base_pose
from armwerk.cell.moments import Moments, header_of
from armwerk.scene import parse_scene

BELTS = """
CONVEYOR 30 RUN 5 5 x 20 0 404040 RECT 0 100 40 20 ENDCONVEYOR
CONVEYOR 31 RUN 5 5 y -10 0 404040 RECT 0 200 40 20 ENDCONVEYOR
CONVEYOR 32 STOP 5 5 y 10 0 404040 RECT 0 300 40 20 ENDCONVEYOR
DEBUGNAME box
CUBOID 0 -100 2 4 4 4 FF0000
"""


def test_belts_move_as_far_as_they_have_run() -> None:
    with world(lambda self: self.wait(9), more=BELTS) as cell:
        moments = Moments(cell)
        cell.observe(moments.follow)
        assert list(moments.now().travels) == [0.0, 0.0, 0.0]
        cell.run(seconds=0.5)
        cell.send_trigger(30, "STOP")
        cell.run(seconds=0.25)
        assert list(moments.now().travels) == pytest.approx([0.1, -0.075, 0.0], abs=1e-3)


def test_a_moment_is_where_everything_is() -> None:
    with world(lambda self: self.move([0.3, 0.2, -0.1]), more=BELTS) as cell:
        cell.run(seconds=0.1)
        moment = Moments(cell).now()
        header = header_of(cell, "small")
        assert moment.time == cell.time
        assert np.array_equal(moment.positions[0], cell.objects["box"].position)
        assert list(moment.motors[0].values()) == pytest.approx(cell.robots[0].values.tolist())
        assert header.things == ("box",)
        assert header.belts == ("conveyor0", "conveyor1", "conveyor2")
        assert parse_scene(header.environment) == cell.scene
        base = base_pose(cell.scene.robots[0])
        assert base[:3, 0] == pytest.approx([0.0, 1.0, 0.0])  # angle 0 looks along +y
