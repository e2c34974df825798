"""Meshes with holes: closed, as a hull, as a skin; in Python, in files, on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.collision.checker import Checker
from armwerk.collision.mesh_file import load_mesh, save_mesh
from armwerk.collision.open_mesh import closed, made_solid, two_sided
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import Box, Mesh, Sphere

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
SIDES = [
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
    *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
]
BODIES = 'kind = "bodies"\n\n[[body]]\nkind = "mesh"\nname = "part"\nfile = "open.obj"\n'


def cube(*missing: int) -> Mesh:
    """Return a cube of 1 m without some of its twelve triangles."""
    return Mesh(CUBE, [face for number, face in enumerate(SIDES) if number not in missing])


@pytest.mark.parametrize("missing", [(0,), (0, 1), (0, 1, 2, 3), (0, 6)])
def test_holes_are_spanned(missing: tuple[int, ...]) -> None:
    found = closed(cube(*missing))
    assert found.is_closed
    assert found.volume == pytest.approx(1.0)


def test_turned_triangles_and_slits_are_mended() -> None:
    whole = cube()
    faces = whole.faces.copy()
    faces[3] = faces[3, ::-1]
    assert closed(Mesh(CUBE, faces)).volume == pytest.approx(1.0)
    soup = whole.triangles.reshape(-1, 3) + 1e-8  # every triangle with corners of its own
    assert closed(Mesh(soup, np.arange(36).reshape(-1, 3))).volume == pytest.approx(1.0)


def test_solids_that_touch_along_an_edge_are_two() -> None:
    """Two cubes that share an edge: four triangles at it, and yet all is closed."""
    other = CUBE + np.array([1.0, 1.0, 0.0])
    corners = np.vstack([CUBE, other])
    faces = np.vstack([np.array(SIDES), np.array(SIDES) + 8])
    found = closed(Mesh(corners, faces))
    assert found.volume == pytest.approx(2.0)


def test_what_cannot_be_closed_says_what_else_there_is() -> None:
    angles = np.arange(5) * 2.4
    corners = np.column_stack([np.cos(angles), np.sin(angles), 0.1 * np.arange(5)])
    strip = Mesh(corners, [(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 0), (4, 0, 1)])  # of Möbius
    with pytest.raises(DescriptionError, match=r'cannot be closed.*open_mesh = "hull".*"surface"'):
        closed(strip)
    assert made_solid(strip, "hull").volume > 0.0
    assert made_solid(strip, "surface").is_closed


def test_a_skin_is_touched_from_both_sides_and_empty_inside() -> None:
    skin = two_sided(cube(0, 1))
    arm = aw.Arm.from_dh([aw.Joint("prismatic", name="z", limits=(0.0, 3.0))], name="rail")
    shapes = aw.ArmShapes(arm, {"link1": [Sphere(0.1, (0.5, 0.5, 0.0))]})
    assert skin.is_closed
    checker = Checker(arm, [skin], shapes)
    heights = np.array([[0.05], [0.5], [0.95], [1.05], [1.2]])
    # the bottom and the top are there (x and y run through them), the middle is empty
    assert checker.contacts(heights).tolist() == [True, False, True, True, False]
    whole = Checker(arm, [cube()], shapes)
    assert whole.contacts(heights).tolist() == [True, True, True, True, False]


def test_closed_meshes_stay_as_they_are_and_ways_have_names() -> None:
    whole = cube()
    assert all(made_solid(whole, way) is whole for way in ("refuse", "close", "hull", "surface"))
    with pytest.raises(UnknownNameError, match="close, hull, refuse, surface"):
        made_solid(whole, "mend")  # type: ignore[arg-type]


def test_the_hint_of_the_error_can_be_followed(tmp_path: Path) -> None:
    save_mesh(cube(0, 1), tmp_path / "open.obj")
    table = tmp_path / "bodies.toml"
    table.write_text(BODIES, encoding="utf-8")
    with pytest.raises(DescriptionError, match="not closed") as told:
        aw.Bodies.load(table)
    words = str(told.value)
    line = re.search(r'open_mesh = "close"', words)
    assert line is not None
    assert load_mesh(tmp_path / "open.obj", open_mesh="close").volume == pytest.approx(1.0)
    plan = ["plan", "planar_rr", "--from", "0 0", "--to", "90 45", "--bodies", str(table)]
    assert CliRunner().invoke(app, plan).exit_code != 0
    option = re.search(r"--open-meshes close", words)
    assert option is not None
    result = CliRunner().invoke(app, [*plan, *option.group().split()])
    assert "is in contact: " in result.output or result.exit_code == 0, result.output
    table.write_text(f"{BODIES}{line.group()}\n", encoding="utf-8")
    (body,) = aw.Bodies.load(table)
    assert isinstance(body, Mesh)
    assert body.is_closed
    table.write_text(f'{BODIES}open_mesh = "glue"\n', encoding="utf-8")
    with pytest.raises(DescriptionError, match=r"bodies.toml:7.*refuse, close, hull, surface"):
        aw.Bodies.load(table)


def test_a_mesh_file_is_a_file_of_bodies(tmp_path: Path) -> None:
    save_mesh(cube(0, 1), tmp_path / "open.obj")
    (body,) = aw.Bodies.load(tmp_path / "open.obj", "hull")
    assert body.name == "open"
    assert Box((1, 1, 1), (0.5, 0.5, 0.5)).bounds == pytest.approx(body.bounds)  # type: ignore[union-attr]
