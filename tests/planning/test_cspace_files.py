"""Maps asked for wrongly, saved, drawn, and made from the command line."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import armwerk as aw
from armwerk.arrays import Array, Flags
from armwerk.cli.app import app
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.errors import ArmwerkError, DescriptionError, ShapeError, UnsupportedError
from armwerk.geometry import Box, Sphere
from armwerk.pictures.palette import PATH
from armwerk.planning import ConfigurationSpace, cspace, problem
from armwerk.planning.maps import picture
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.panel import CONTACT, body_colour, painted
from armwerk.robot import Arm, Joint

BODIES = [Box((0.1, 0.1, 0.1), (0.3, 0.0, 0.0), name="crate")]
ENDLESS = Arm.from_dh([Joint("revolute", a=0.2), Joint("prismatic")], "endless")
SYMBOLIC = Arm.from_dh([Joint("revolute", a="l1"), Joint("revolute", a="l2")], "symbols")


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        ({"axes": (0, 0)}, DescriptionError, "one joint twice.*different joints"),
        ({"axes": (0, 2)}, DescriptionError, "no such joint in arm 'planar_rr'.*0 to 1"),
        ({"axes": (-1, 0)}, DescriptionError, "0 to 1"),
        ({"axes": (0,)}, DescriptionError, "two or three joints"),
        ({"axes": (0.5, 1)}, DescriptionError, "two or three joints"),
        ({"shape": (0, 10)}, DescriptionError, "at least 1"),
        ({"shape": (10, -3)}, DescriptionError, "at least 1"),
        ({"shape": (10,)}, DescriptionError, "2 whole numbers"),
        ({"shape": (2.5, 3)}, DescriptionError, "2 whole numbers"),
        ({"shape": (200_000, 200_000)}, DescriptionError, r"37\.3 GiB.*up to 8 GiB"),
        ({"q": (0.0, np.nan)}, ShapeError, "q: must hold finite"),
        ({"q": (0.0,)}, ShapeError, r"\(2,\)"),
        ({"q": "up"}, ShapeError, "2 joint values"),
        ({"ranges": [(0, 1)]}, DescriptionError, "2 pairs"),
        ({"ranges": [(1, 0), None]}, DescriptionError, "'q1'.*low < high"),
        ({"ranges": [(0, np.nan), None]}, DescriptionError, "'q1'.*low < high"),
        ({"method": "magic"}, DescriptionError, "scan lines"),
        ({"method": "scan lines"}, DescriptionError, "does not allow.*slabs"),
        ({"shapes": {"link7": [Box((1, 1, 1))]}}, ArmwerkError, "link7"),
        ({"shapes": {"base": [Box((1, 1, 1))]}}, DescriptionError, "no part"),
    ],
)
def test_wrong_questions_are_named(
    asked: dict[str, object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        cspace("planar_rr", BODIES, **asked)  # type: ignore[arg-type]


def test_wrong_arms_and_bodies_are_named() -> None:
    with pytest.raises(UnsupportedError, match=r"symbols.*l1, l2"):
        cspace(SYMBOLIC, BODIES)
    with pytest.raises(DescriptionError, match="'q2': the joint slides without limits"):
        cspace(ENDLESS, BODIES)
    assert cspace(ENDLESS, BODIES, shape=(4, 4), ranges=(None, (0.0, 0.3))).cells.shape == (4, 4)
    with pytest.raises(DescriptionError, match="no arm"):
        cspace(42, BODIES)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="not a body"):
        cspace("planar_rr", ["crate"])  # type: ignore[list-item]
    with pytest.raises(DescriptionError, match="those of arm 'planar_rr'"):
        cspace("planar_tt", BODIES, shapes=ArmShapes(aw.load("planar_rr"), {"q1": Sphere(0.1)}))
    with pytest.raises(DescriptionError, match="not positive"):
        Box((0.0, 1.0, 1.0))


def test_places_off_the_map_are_named() -> None:
    space = problem("tt").make(shape=(10, 10))
    with pytest.raises(ShapeError, match=r"joint 'x' at 700 mm is off the map, -500 to 500 mm"):
        space.index((0.7, 0.0))
    with pytest.raises(ShapeError, match="off the map"):
        space.index((0.0, np.nan))
    with pytest.raises(ShapeError, match="2 numbers"):
        space.at(3)
    turn = problem("rr").make(shape=(36, 36))
    assert turn.index((np.pi, 0.0)) == turn.index((-np.pi, 0.0))


def test_saved_maps_hold_all_that_is_needed(tmp_path: Path) -> None:
    space = problem("rr").make(shape=(40, 30))
    assert space.save(tmp_path / "deep" / "map.npy").exists()
    np.testing.assert_array_equal(np.load(tmp_path / "deep" / "map.npy"), space.cells)
    space.save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as kept:
        np.testing.assert_array_equal(kept["cells"], space.cells)
        np.testing.assert_allclose(kept["values_1"], space.axes[1].values)
        assert kept["bodies"].tolist() == list(space.bodies.names)
        assert (int(kept["tests"]), int(kept["hits"])) == (space.tests, space.hits)
        assert kept["units"].tolist() == ["rad", "rad"]
    volume = cspace("ur5e", BODIES, axes=(0, 1, 2), shape=(6, 5, 4))
    volume.save(tmp_path / "volume.npz")
    with np.load(tmp_path / "volume.npz") as kept:
        assert kept["cells"].shape == (4, 5, 6)
        assert len(kept["values_2"]) == 4
    with pytest.raises(DescriptionError, match=r"\.png, \.svg, \.npy, \.npz"):
        space.save(tmp_path / "map.bmp")


def test_pictures(tmp_path: Path) -> None:
    """They are written, the same bytes every time, for every kind of map."""
    space = problem("rr").make(shape=(60, 60))
    first = space.save(tmp_path / "one.png").read_bytes()
    assert first == space.save(tmp_path / "two.png").read_bytes()
    assert first[:4] == b"\x89PNG"
    assert b"<svg" in space.plot(tmp_path / "one.svg", clearance=True).read_bytes()[:1000]
    with pytest.raises(ShapeError, match="route"):
        space.plot(tmp_path / "bad.png", route=[[1.0, 2.0, 3.0]])


def pixels(path: Path) -> Array:
    """Return red, green, blue of a picture, 0 to 1, the lowest row first. Shape (high, wide, 3)."""
    with Image.open(path) as opened:
        return np.asarray(opened.convert("RGB"), dtype=np.float64)[::-1] / 255.0


def seen_at(image: Array, x: float, y: float) -> Array:
    """Return the colour at a place of a picture, from its lower left corner [inch]."""
    return np.asarray(image[int(150 * y), int(150 * x)])


def cell_place(axis: GridAxis, number: int) -> float:
    """Return how far along an axis the middle of a cell is, 0 to 1."""
    return (number + 0.5) / axis.count


def expected_colour(space: ConfigurationSpace, index: tuple[int, ...]) -> Array | None:
    """Return the colour of a cell that is free or hit by one body; None: by several."""
    hit = [number for number in range(len(space.bodies)) if masks(space)[number][index]]
    if len(hit) > 1:
        return None
    return np.array(body_colour(hit[0]) if hit else (1.0, 1.0, 1.0))


@cache
def masks(space: ConfigurationSpace) -> tuple[Flags, ...]:
    return tuple(space.hit_by(number) for number in range(len(space.bodies)))


def test_every_cell_of_a_picture_has_the_colour_of_its_body(tmp_path: Path) -> None:
    space = problem("rr").make(shape=(60, 40))
    image = pixels(space.save(tmp_path / "map.png"))
    wide, tall = picture._size(space.axes)
    one = 0
    for row in range(40):
        for column in range(60):
            wanted = expected_colour(space, (row, column))
            x = picture._LEFT + wide * cell_place(space.axes[0], column)
            y = picture._BOTTOM + tall * (1 - cell_place(space.axes[1], row))
            if wanted is not None:
                np.testing.assert_allclose(seen_at(image, x, y), wanted, atol=0.01)
                one += bool((wanted < 1.0).any())
    assert one > 300, "cells of one body were seen"


def test_a_picture_of_distances_shows_contact_and_the_route(tmp_path: Path) -> None:
    space = problem("rr").make(shape=(60, 60))
    route = np.array([[0.0, 0.5], [1.0, 2.5], [2.0, 2.5]])
    wide, tall = picture._size(space.axes)

    def place(q0: float, q1: float) -> tuple[float, float]:
        x, y = (
            (q - axis.low + axis.step / 2) / (axis.high - axis.low)
            for q, axis in zip((q0, q1), space.axes, strict=True)
        )
        return picture._LEFT + wide * x, picture._BOTTOM + tall * y

    bare = pixels(space.plot(tmp_path / "bare.png", clearance=True))
    drawn = pixels(space.plot(tmp_path / "route.png", clearance=True, route=route))
    for row in range(0, 60, 3):
        for column in range(0, 60, 3):
            seen = seen_at(bare, *place(*space.at(row, column)))
            grey = bool(np.allclose(seen, CONTACT, atol=0.01))
            assert grey == (space.cells[row, column] > 0)
    middle = place(1.5, 2.5)
    np.testing.assert_allclose(seen_at(drawn, *middle), PATH, atol=0.02)
    assert np.abs(seen_at(bare, *middle) - PATH).max() > 0.1


def test_slices_show_their_own_values(tmp_path: Path) -> None:
    volume = cspace("ur5e", BODIES, axes=(0, 1, 2), shape=(6, 5, 8))
    image = pixels(volume.save(tmp_path / "volume.png"))
    far = pixels(volume.plot(tmp_path / "far.png", clearance=True))
    distances = volume.clearance()
    assert distances.max() > 0.0
    height = len(image) / 150
    coloured = 0
    for cut in range(8):
        row, column = divmod(cut, 4)
        left = 0.75 + column * (picture._PANEL + 0.18)
        bottom = height - 1.0 - row * (picture._PANEL + 0.42) - picture._PANEL
        for j, i in np.ndindex(5, 6):
            x = left + picture._PANEL * cell_place(volume.axes[0], i)
            y = bottom + picture._PANEL * (1 - cell_place(volume.axes[1], j))
            grey = bool(np.allclose(seen_at(far, x, y), CONTACT, atol=0.01))
            assert grey == (volume.cells[cut, j, i] > 0)
            wanted = expected_colour(volume, (cut, j, i))
            if wanted is not None:
                np.testing.assert_allclose(seen_at(image, x, y), wanted, atol=0.01)
                coloured += bool((wanted < 1.0).any())
    assert coloured > 10


def test_a_map_finer_than_a_picture_is_drawn_coarser() -> None:
    fine = problem("rr").make(shape=(3000, 10))
    image = painted(fine).image
    assert image.shape == (10, 1500, 3)
    white = (image == 1.0).all(axis=2)
    np.testing.assert_array_equal(white, fine.free[:, ::2])


def test_colours_tell_bodies_apart() -> None:
    space = problem("tt").make(shape=(50, 50))
    colours = painted(space)
    assert colours.image.shape == (50, 50, 3)
    free = colours.image[space.free]
    assert (free == 1.0).all(), "free is white"
    masks = np.array([space.hit_by(k) for k in range(5)])
    alone = masks.sum(axis=0) == 1
    for number, mask in enumerate(masks):
        seen = colours.image[mask & alone]
        np.testing.assert_allclose(seen, np.tile(body_colour(number), (len(seen), 1)), atol=1e-6)
    assert colours.fractions == pytest.approx([mask.mean() for mask in masks])


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["cspace", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_command_makes_the_problems(tmp_path: Path) -> None:
    text = run("rr", "--save", str(tmp_path / "rr.png"), "--out", str(tmp_path / "rr.npy"))
    ours = ("84,534", "the obstacles are ours", "-164° to -108°")
    words = ("1,296,000", "264,661", "0.204214", "3,261", "360 x 360", "rr.png", "rr.npy")
    for word in (*words, *ours):
        assert word in " ".join(text.split())
    assert np.load(tmp_path / "rr.npy").shape == (360, 360)
    text = run("tt", "--shape", "100x80")
    assert "100 x 80" in text
    assert "14,586" in text


def test_command_writes_json(tmp_path: Path) -> None:
    data = json.loads(run("rr", "--json", "--shape", "90x90", "--out", str(tmp_path / "a.npz")))
    assert data["tests"] == 90 * 90 * 10
    assert data["share"] == data["hits"] / data["tests"]
    assert data["axes"][0]["unit"] == "rad"
    assert data["source"]["hits"] == 264_661
    assert (tmp_path / "a.npz").exists()


def test_command_takes_bodies_ranges_and_held_joints(tmp_path: Path) -> None:
    from armwerk.collision.bodies import Bodies

    Bodies(BODIES).save(tmp_path / "cell.toml")
    words = ["planar_rr", "--bodies", str(tmp_path / "cell.toml"), "--shape", "30x20", "--json"]
    data = json.loads(run(*words, "--ranges", "-90:90,0:45", "--q", "0 0", "--axes", "1,0"))
    assert [axis["name"] for axis in data["axes"]] == ["q2", "q1"]
    assert data["axes"][0]["low"] == pytest.approx(-np.pi / 2)
    assert data["bodies"] == ["crate"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560"], "--bodies"),
        (["rr", "--axes", "0,x"], "whole numbers"),
        (["rr", "--axes", "0,0"], "one joint twice"),
        (["rr", "--shape", "900000x900000"], "GiB"),
        (["rr", "--ranges", "5"], "LOW:HIGH"),
        (["rr", "--ranges", "5,6"], "LOW:HIGH"),
        (["rr", "--out", "map.bmp"], ".npz"),
        (["qq"], "qq"),
    ],
)
def test_command_names_what_is_wrong(words: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["cspace", *words])
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_help_has_examples() -> None:
    assert "armwerk cspace rr --save rr.png" in run("--help")
