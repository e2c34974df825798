"""Keeping what never moves changes no picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armwerk.cell.moments import drawn_robots
from armwerk.pictures import cell_painter, cell_surface
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell import CellPicture, Moment, Pixels, start_of
from armwerk.pictures.cell_solids import AROUND, Solid, pose_at, rod
from armwerk.pictures.raster_depth import Ids, Marks
from armwerk.pictures.solids import frame_along
from armwerk.scene import read_scene
from armwerk.scene.scene import Ball, Border, Cuboid, Rectangle, Scene, Step

SIZE = (160, 120)
CELLS = ("sorting", "pick_and_place", "tripod", "handover", "stress")


def moments(scene: Scene, count: int, spread: float = 0.4) -> list[Moment]:
    """The start, things moved about and turned, some of them far away."""
    random = np.random.default_rng(7)
    first = start_of(scene)
    found = [first]
    for index in range(count):
        shift = random.uniform(-spread, spread, first.positions.shape) * (1 + 4 * (index == 1))
        places = first.positions + shift
        places[:, 2] = np.abs(places[:, 2])
        turns = np.linalg.qr(random.normal(size=(len(places), 3, 3)))[0]
        turns *= np.linalg.det(turns)[:, None, None]
        found.append(replace(first, positions=places, rotations=turns))
    return found


def every_pixel(ids: Ids, first: int, tiles: Ids, touched: Marks, wanted: Marks) -> None:
    wanted[:] = 1


@pytest.mark.parametrize("name", CELLS)
def test_only_what_changes_is_drawn_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = read_scene(name)
    robots, _ = drawn_robots(scene)
    picture = CellPicture(scene, robots, SIZE)
    shown = [picture.draw(moment) for moment in moments(scene, 3)]
    monkeypatch.setattr(cell_painter, "changed", every_pixel)
    whole = CellPicture(scene, robots, SIZE)
    for one, moment in zip(shown, moments(scene, 3), strict=True):
        assert (one == whole.draw(moment)).all()


def test_a_picture_does_not_depend_on_those_before() -> None:
    scene = Scene(
        things=(
            Ball((0, 0, 0.5), 0.1, 0, 0, "FF0000"),
            Cuboid((0.4, 0, 0.1), (0.2,) * 3, "00FF00"),
        ),
        obstacles=(Step(Rectangle((0.2, 0.4), (0.4, 0.2)), 0.3, "808080"),),
        border=Border((-1, -1), (1, 1)),
    )
    first = start_of(scene)
    steps = np.eye(3)[0] * np.arange(6)[:, None]
    ways = [replace(first, positions=first.positions + step) for step in steps]
    picture = CellPicture(scene, size=SIZE)
    there = [picture.draw(moment) for moment in ways]  # the sun's picture grows on the way
    assert picture._painter is not None
    assert len(picture._painter._kept) > 1
    back = [picture.draw(moment) for moment in reversed(ways)][::-1]
    for one, two, moment in zip(there, back, ways, strict=True):
        assert (one == two).all()
        assert (one == CellPicture(scene, size=SIZE).draw(moment)).all()


def test_small_round_things_look_as_finely_drawn_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = read_scene("handover")
    robots, _ = drawn_robots(scene)
    shown = CellPicture(scene, robots, (320, 240)).draw(start_of(scene)).astype(int)
    monkeypatch.setattr(cell_surface, "_AROUND", np.full(4, AROUND))
    fine = CellPicture(scene, robots, (320, 240)).draw(start_of(scene)).astype(int)
    assert np.abs(shown - fine).mean() < 0.05


def shadow(pixels: Pixels, bare: Pixels) -> int:
    return int(((bare.astype(int) - pixels.astype(int)).min(axis=-1) > 20).sum())


def test_a_thing_far_away_leaves_the_shadows_of_the_others() -> None:
    near = Ball((0, 0, 0.3), 0.1, 0, 0, "FFFFFF")
    scene = Scene(things=(near, near), border=Border((-1, -1), (1, 1)))
    picture = CellPicture(scene, size=SIZE)
    bare = CellPicture(replace(scene, things=()), size=SIZE, camera=picture.eye)
    empty = bare.draw(start_of(bare.scene))
    both = start_of(scene)
    gone = replace(both, positions=np.array([[0, 0, 0.3], [500.0, 300.0, 0.3]]))
    assert shadow(picture.draw(both), empty) > 20
    assert shadow(picture.draw(gone), empty) > 0.8 * shadow(picture.draw(both), empty)


@pytest.mark.parametrize("way", [(1, 0, 0), (0, 0, 1), (0, 0, -1), (1, 1, 1), (0.3, -2, 0.1)])
def test_rods_lie_between_their_ends(way: tuple[float, float, float]) -> None:
    (body,) = rod((1, 2, 3), np.add((1, 2, 3), way), 0.1, (0.5, 0.5, 0.5))
    assert np.allclose(body.pose[:3, :3], frame_along(way), atol=1e-15)
    assert np.allclose(body.pose[:3, 3], np.add((1, 2, 3), np.divide(way, 2)))
    assert body.size[2] == pytest.approx(np.linalg.norm(way))
    assert rod((1, 2, 3), (1, 2, 3), 0.1, (0.5, 0.5, 0.5)) == []


def test_surfaces_share_corners_and_keep_their_volume() -> None:
    eye = Camera(np.zeros(3), 3.0, 0.0, 0.3).eye
    for kind, size, volume in (
        ("box", (0.2, 0.3, 0.4), 0.024),
        ("ball", (0.2,) * 3, 4 / 3 * np.pi * 0.008),
        ("cylinder", (0.1, 0.1, 0.5), np.pi * 0.005),
    ):
        solid = Solid(kind, pose_at((0.1, 0.2, 0.3)), size, (1.0, 0.0, 0.0))  # type: ignore[arg-type]
        for focal in (2000.0, 60.0):
            found = cell_surface.surface([solid, solid], eye, focal)
            corners = found.points[found.faces]
            parts = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
            assert parts.sum() == pytest.approx(2 * volume, rel=0.03 if focal > 100 else 0.25)
            assert len(found.points) < 2.1 * len(found.faces)
            assert np.allclose(np.linalg.norm(found.arrows, axis=1), 1.0)
