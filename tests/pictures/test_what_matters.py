"""Pictures show what matters: flat arms flat, stops and limits that are near, the tool's path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armwerk as aw
from armwerk.pictures import draw_arm
from armwerk.pictures.arm import beyond_limits
from armwerk.pictures.palette import FORBIDDEN, PATH
from armwerk.pictures.skeleton import arm_skeleton, plane_normal


@pytest.mark.parametrize("name", ["planar_rr", "planar_tt", "puma560", "scara", "ur5e"])
def test_flat_arms_are_known(name: str) -> None:
    arm = aw.load_arm(name)
    normal = plane_normal(arm_skeleton(arm, np.full(arm.dof, 0.3)))
    if name.startswith("planar"):
        assert normal is not None
        assert np.abs(normal) == pytest.approx([0.0, 0.0, 1.0])
    else:
        assert normal is None


def coloured(path: Path, colour: tuple[float, float, float]) -> np.ndarray:
    """Return rows and columns of the pixels of about that colour. Shape (k, 2)."""
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=float) / 255.0
    return np.argwhere(np.abs(pixels - colour).max(axis=2) < 0.08)


def test_an_upright_square_seen_from_above_stays_a_square(tmp_path: Path) -> None:
    """The grid of a flat arm's floor has square cells in the picture."""
    path = draw_arm(aw.load("planar_rr"), [0.5, 0.9], tmp_path / "flat.png")
    with Image.open(path) as picture:
        grey = np.asarray(picture.convert("L"), dtype=float)
    lines = np.abs(grey - 0.855 * 255) < 6  # the grid's colour
    columns = np.flatnonzero(lines.mean(axis=0) > 0.35)
    rows = np.flatnonzero(lines.mean(axis=1) > 0.35)
    assert len(columns) >= 3
    assert len(rows) >= 3
    wide = np.diff(columns)[np.diff(columns) > 10]
    tall = np.diff(rows)[np.diff(rows) > 10]
    assert wide.max() == pytest.approx(tall.max(), abs=3)


def test_solutions_out_of_limits_are_marked(tmp_path: Path) -> None:
    model = aw.model("puma560")
    arm = aw.load_arm("puma560")
    q = model.ik(model.fk([0.1, -0.5, 0.4, 0.2, 0.6, 0.0]))
    low, high = arm.limits.T
    for row in q:
        outside = (row < low - 1e-9) | (row > high + 1e-9)
        told = beyond_limits(arm, row)
        named = {f"q{k + 1}" for k in np.flatnonzero(outside)}
        assert set(told.removeprefix("out of limits: ").split(", ")) - {""} <= named
    assert beyond_limits(arm, np.array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0])) == "out of limits: q1"
    assert beyond_limits(arm, high) == beyond_limits(arm, low) == ""
    path = draw_arm(model, q, tmp_path / "all.png")
    assert any(beyond_limits(arm, row) for row in q)
    assert len(coloured(path, FORBIDDEN)) > 50


def test_the_path_of_a_small_motion_is_seen_and_enlarged(tmp_path: Path) -> None:
    model = aw.model("puma560")
    T = model.fk([0.1, -0.5, 0.4, 0.2, 0.6, 0.0])
    end = T.copy()
    end[1, 3] += 0.05
    path = aw.Path(T, speed=0.2).lin(end).plan(model).plot(tmp_path / "path.png")
    with Image.open(path) as picture:
        width, height = picture.size
    seen = coloured(path, PATH)
    lower_left = seen[(seen[:, 1] < 0.35 * width) & (seen[:, 0] > 0.62 * height)]
    assert np.ptp(lower_left[:, 1]) > 0.15 * width  # 50 mm, as long as there is room
    upper_left = seen[(seen[:, 1] < 0.35 * width) & (seen[:, 0] < 0.6 * height)]
    assert len(upper_left) > 100


@pytest.mark.parametrize(("duration", "is_near"), [(9.0, False), (None, True)])
def test_limits_are_drawn_where_they_are_near(
    tmp_path: Path, duration: float | None, is_near: bool
) -> None:
    motion = aw.ptp("planar_rr", [0, 0], [1, 0.5], "sync", "quintic", duration=duration)
    path = motion.plot(tmp_path / "motion.png")
    with Image.open(path) as picture:
        width = picture.size[0]
    columns = coloured(path, FORBIDDEN)[:, 1]
    curves = (columns > 0.36 * width) & (columns < 0.7 * width)
    assert (curves.sum() > 200) == is_near
