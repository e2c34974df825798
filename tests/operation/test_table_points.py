"""The points of a whole table: as many as rows ask for, and phi on the upright axis."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.motion.table import Table, TableRow, TableSettings
from armwerk.operation.points import points_csv, table_points


def test_rows_get_their_own_number_of_points() -> None:
    model = aw.model("five_axis")
    rows = (
        TableRow("start", (0.4, 0.0, 0.3), inclination=-0.6),
        TableRow("linear", (0.4, 0.1, 0.3), inclination=-0.5, points=1, blend=0.01),
        TableRow("linear", (0.4, 0.1, 0.4), inclination=-0.5),
        TableRow("linear", (0.3, 0.1, 0.4), inclination=-0.5, points=4),
    )
    table = Table(rows, settings=TableSettings(points=2))
    motion = table.path().plan(model)
    points = table_points(table, motion, model)
    assert [point.segment for point in points] == [1] * 2 + [2] * 3 + [3] * 5
    assert sum(point.time for point in points) == pytest.approx(motion.duration)
    times = np.cumsum([point.time for point in points])
    for point, time in zip(points, times, strict=True):
        q = motion.sample(float(time))[0]
        assert point.q == pytest.approx(q, abs=1e-9)
        assert model.fk(q)[:3, 3] == pytest.approx(point.position, abs=1e-9)
    last = [point.position for point in points if point.segment == 3]
    steps = np.linalg.norm(np.diff(last, axis=0), axis=1)
    assert steps == pytest.approx(0.02, abs=1e-5)  # equal distances on the straight line
    assert points_csv(points, ["q"] * 5).count("\n") == len(points) + 1


def test_phi_is_kept_on_the_axis() -> None:
    """Over the base and back: on the axis x and y tell no direction, and none is lost."""
    model = aw.model("planar_tt")
    rows = (
        TableRow("start", (0.2, 0.2, 0.0), angles=(0.0, 0.0, 0.0)),
        TableRow("linear", (0.0, 0.0, 0.0), points=3),
    )
    table = Table(rows)
    motion = table.path().plan(model, model.ik(np.eye(4) + _shift(0.2, 0.2))[0])
    points = table_points(table, motion, model)
    assert len(points) == 4
    assert [point.phi for point in points] == pytest.approx([np.pi / 4] * 4, abs=1e-6)


def _shift(x: float, y: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    T = np.zeros((4, 4))
    T[:2, 3] = x, y
    return T
