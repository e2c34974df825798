"""Outlines of bodies, the scene beside a map of any bodies, routes over maps, slices of reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.errors import DescriptionError
from armwerk.pictures.palette import PATH
from armwerk.planning.silhouettes import outline

VIEW = np.eye(3)[:2]


def area(corners: np.ndarray) -> float:
    """Return the area of a polygon by its corners."""
    x, y = corners.T
    return float(abs(np.roll(x, -1) @ y - np.roll(y, -1) @ x) / 2)


def test_outlines_have_the_areas_of_shadows() -> None:
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    shapes = [
        (aw.Sphere(0.2, (1.0, 2.0, 3.0)), np.pi * 0.04),
        (aw.Box((0.2, 0.3, 0.4), (1.0, 0.0, 0.0), turn), 0.06),
        (aw.Cylinder(0.1, 0.5, (0.0, 1.0, 0.0)), np.pi * 0.01),
    ]
    for shape, expected in shapes:
        seen = outline(shape, VIEW)
        assert seen is not None
        assert area(seen) == pytest.approx(expected, rel=0.03)
        assert (seen.min(axis=0) + seen.max(axis=0)) / 2 == pytest.approx(shape.position[:2])
    assert outline(aw.HalfSpace((0.0, 0.0, 1.0)), VIEW) is None


def coloured(path: Path, colour: tuple[float, float, float]) -> np.ndarray:
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=float) / 255.0
    return np.argwhere(np.abs(pixels - colour).max(axis=2) < 0.03)


def test_a_motion_lies_over_the_map_and_the_scene_beside_it(tmp_path: Path) -> None:
    bodies = tmp_path / "cell.toml"
    aw.Bodies([aw.Sphere(0.1, (0.3, 0.2, 0.0), name="ball")]).save(bodies)
    motion = aw.ptp("planar_rr", [0.0, 0.0], [-1.5, 1.0], "full")
    way = motion.save(tmp_path / "way.csv")
    words = ["cspace", "planar_rr", "--bodies", str(bodies), "--shape", "40x40"]
    plain, routed = tmp_path / "plain.png", tmp_path / "routed.png"
    for more, path in ([], plain), (["--route", str(way)], routed):
        result = CliRunner().invoke(app, [*words, *more, "--save", str(path)])
        assert result.exit_code == 0, result.stderr
    assert len(coloured(plain, PATH)) == 0
    rows, columns = coloured(routed, PATH).T
    assert np.ptp(rows) > 50
    assert np.ptp(columns) > 50
    blue = coloured(plain, (31 / 255, 132 / 255, 188 / 255))
    with Image.open(plain) as picture:
        assert (blue[:, 1] > 0.7 * picture.size[0]).sum() > 200  # the ball beside the map
    wrong = aw.ptp("scara", [0.0] * 4, [0.1] * 4).save(tmp_path / "wrong.csv")
    result = CliRunner().invoke(app, [*words, "--route", str(wrong)])
    assert result.exit_code == 2
    assert "--route: the motion has 4 axes, the arm 2" in result.stderr


def test_reach_at_a_height(tmp_path: Path) -> None:
    found = aw.reach("scara", samples=2000, cell=0.1)
    low, high = found.edges[2][0], found.edges[2][-1]
    path = found.plot(tmp_path / "cut.png", height=float((low + high) / 2))
    whole = found.plot(tmp_path / "whole.png")
    assert len(coloured(path, PATH)) > 100
    assert len(coloured(whole, PATH)) == 0
    with pytest.raises(DescriptionError, match="no voxel lies there"):
        found.plot(tmp_path / "none.png", height=float(high) + 1.0)
