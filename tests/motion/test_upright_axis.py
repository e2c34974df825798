"""Over the upright axis: at r = 0 the direction phi is kept through a whole motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import armwerk as aw
from armwerk.motion import Cylindrical, inclination_of
from armwerk.motion.table import Table, TableRow, TableSettings
from armwerk.operation.points import table_points

PHI = math.radians(30.0)


def row(kind: str, r: float, h: float, inclination: float, phi: float | None = PHI) -> TableRow:
    x, y, z = (float(value) for value in Cylindrical(r, h, phi or 0.0).point)
    found = TableRow("start" if kind == "start" else "linear", (x, y, z), inclination=inclination)
    return found if phi is None else TableRow(found.kind, found.point, inclination, phi=phi)


WAYS = {
    "to the axis": (row("start", 0.2, 0.6, 0.5), row("linear", 0.0, 0.7, 0.7)),
    "to the axis, phi unsaid": (row("start", 0.2, 0.6, 0.5), row("linear", 0.0, 0.7, 0.7, None)),
    "along the axis": (row("start", 0.0, 0.6, 0.5), row("linear", 0.0, 0.7, 0.7)),
    "along the axis, phi unsaid": (row("start", 0.0, 0.6, 0.5), row("linear", 0.0, 0.7, 0.7, None)),
    "from the axis": (row("start", 0.0, 0.6, 0.5), row("linear", 0.2, 0.7, 0.7)),
    "there and back": (
        row("start", 0.2, 0.6, 0.5),
        row("linear", 0.0, 0.65, 0.7, None),
        row("linear", 0.0, 0.7, 0.7, None),
        row("linear", 0.2, 0.7, 0.7),
    ),
}


@pytest.mark.parametrize("blend", [0.0, 0.02])
@pytest.mark.parametrize("way", WAYS)
def test_the_base_of_the_arm_stands_still_over_the_axis(way: str, blend: float) -> None:
    model = aw.model("five_axis")
    table = Table(WAYS[way], settings=TableSettings(blend=blend, points=7))
    motion = table.path().plan(model)
    q = motion.sample(np.linspace(0.0, motion.duration, 501))[0]
    assert np.abs(q[:, 0] - q[0, 0]).max() < 1e-9
    end = model.fk(q[-1])
    # the tool still looks along phi, with the inclination of the last row
    inclination = WAYS[way][-1].inclination
    assert inclination is not None
    lean = math.cos(inclination)
    expected = [lean * math.cos(PHI), lean * math.sin(PHI), math.sin(inclination)]
    assert np.abs(end[:3, 2] - expected).max() < 1e-9
    assert inclination_of(end)[0] == pytest.approx(inclination, abs=1e-6)
    points = table_points(table, motion, model)
    if way.startswith(("to", "there")):
        assert [point.phi for point in points] == pytest.approx([PHI] * len(points), abs=1e-6)


@pytest.mark.parametrize("blend", [0.0, 0.02])
def test_straight_through_the_axis_the_tool_does_not_jump(blend: float) -> None:
    """The plane is the same beyond the axis, and the tool leans over in it."""
    model = aw.model("five_axis")
    far = tuple(float(value) for value in Cylindrical(0.15, 0.7, PHI + math.pi).point)
    up = (far[0], far[1], far[2] + 0.06)
    rows = (
        row("start", 0.15, 0.7, 0.9),
        TableRow("linear", (far[0], far[1], far[2]), inclination=0.9, roll=math.pi),
        TableRow("linear", up, inclination=0.9, roll=math.pi),
    )
    table = Table(rows, settings=TableSettings(blend=blend))
    motion = table.path().plan(model)
    q = motion.sample(np.linspace(0.0, motion.duration, 2001))[0]
    assert np.abs(np.diff(q, axis=0)).max() < 0.01
    assert np.abs(q[:, 0] - q[0, 0]).max() < 1e-9
    assert np.abs(model.fk(q[-1]) - rows[-1].goal).max() < 1e-8


def test_another_inclination_in_the_same_place_is_turned_to() -> None:
    model = aw.model("five_axis")
    rows = (row("start", 0.4, 0.3, -0.6), row("linear", 0.4, 0.3, -0.2))
    motion = Table(rows).path().plan(model)
    T = model.fk(motion.sample(np.linspace(0.0, motion.duration, 101))[0])
    assert motion.duration > 0.1
    assert np.abs(T[:, :3, 3] - rows[0].goal[:3, 3]).max() < 1e-8
    assert np.abs(T[-1] - rows[1].goal).max() < 1e-8
