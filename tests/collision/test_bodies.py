"""Bodies: names, order, files."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from armwerk.collision import ArmShapes, Bodies, Checker, Region, contact
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Sphere,
    rotation_exp,
    rotation_z,
)
from armwerk.robot import load
from collision_witness import cube_mesh, lumpy_mesh

TURN = rotation_exp((0.3, -0.7, 1.1))


def one_of_each() -> Bodies:
    return Bodies(
        [
            Box((0.1, 0.2, 1 / 3), (1, 2, 3), TURN, name="table"),
            Sphere(0.1, (0.1, 0.2, 0.3)),
            Cylinder(0.1, 0.2, (0, 0, 1), TURN),
            Cone(0.1, 0.2, 0.05, rotation=TURN),
            Capsule(0.1, 0.0),
            HalfSpace((1, 2, 3), (0, 0, -1)),
            cube_mesh(0.3, name="crate"),
            lumpy_mesh(np.random.default_rng(0), 0.3, 0.1),
            Region(Cylinder(1.5, 2.0), "cell"),
        ]
    )


def test_names_and_order() -> None:
    bodies = one_of_each()
    assert bodies.names[:3] == ("table", "sphere1", "cylinder2")
    assert bodies.names[5:] == ("halfspace5", "crate", "mesh7", "cell")
    assert bodies["table"].name == "table"
    assert bodies[1] is bodies["sphere1"]
    assert bodies.index("crate") == 6
    assert [body.name for body in bodies] == list(bodies.names)
    assert "table" in bodies
    assert "chair" not in bodies
    more = bodies + Bodies([Sphere(1.0, name="last")])
    assert len(more) == len(bodies) + 1
    assert more.names[-1] == "last"
    assert Bodies([Sphere(1, name="sphere1"), Sphere(2)]).names == ("sphere1", "sphere1_")
    assert pickle.loads(pickle.dumps(bodies)) == bodies


def test_mistakes() -> None:
    bodies = one_of_each()
    with pytest.raises(UnknownNameError, match="did you mean 'table'"):
        _ = bodies["tabel"]
    with pytest.raises(DescriptionError, match="body 'a': name used twice"):
        Bodies([Sphere(1, name="a"), Box((1, 1, 1), name="a")])
    with pytest.raises(DescriptionError, match="body 1: not a body, got 'ball'"):
        Bodies([Sphere(1), "ball"])  # type: ignore[list-item]
    with pytest.raises(AttributeError, match="cannot be changed"):
        bodies.names2 = 1
    with pytest.raises(DescriptionError, match="above 0 m"):
        Bodies([Box((0, 1, 1))])
    with pytest.raises(DescriptionError, match="not convex"):
        Region(lumpy_mesh(np.random.default_rng(0), 0.3, 0.1))


def test_saved_and_loaded_bodies_are_equal(tmp_path: Path) -> None:
    bodies = one_of_each()
    bodies.save(tmp_path / "cell.toml")
    found = Bodies.load(tmp_path / "cell.toml")
    assert found == bodies
    assert (tmp_path / "cell_7.obj").exists()  # the larger mesh stands beside the table


def test_a_file_by_hand(tmp_path: Path) -> None:
    (tmp_path / "hand.toml").write_text(
        """
kind = "bodies"

[[body]]
kind = "box"
name = "table"
size = ["1.2 m", "800 mm", "40 mm"]
position = [0.6, 0, "-20 mm"]
turn = ["30 deg", 0, 0]

[[body]]
kind = "half_space"
normal = [0, 0, 1]
position = [0, 0, "-1 in"]

[[body]]
kind = "sphere"
radius = "15 cm"
region = true
"""
    )
    table, floor, region = Bodies.load(tmp_path / "hand.toml")
    assert isinstance(table, Box)
    assert table.size == pytest.approx((1.2, 0.8, 0.04), abs=0)
    assert table.rotation == pytest.approx(rotation_z(np.radians(30)))
    assert floor == HalfSpace((0, 0, 1), (0, 0, -0.0254), "halfspace1")
    assert region == Region(Sphere(0.15), "region2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "arm"', r"bad.toml:1: kind: wrong kind of file, got 'arm'"),
        ('kind = "bodies"\nwall = 1', r"bad.toml:2: wall: unknown key"),
        (
            'kind = "bodies"\n[[body]]\nkind = "bxo"',
            r"bad.toml:3.*unknown kind of body.*box, sphere",
        ),
        ('kind = "bodies"\n[[body]]\nkind = "box"', r"bad.toml:2: body 1, size: missing"),
        (
            'kind = "bodies"\n[[body]]\nkind = "box"\nsize = [1, "2 kg", 1]',
            r"bad.toml:4.*wrong unit 'kg'",
        ),
        (
            'kind = "bodies"\n[[body]]\nkind = "box"\nname = "w"\nsize = [1, 0, 1]',
            r"bad.toml:5.*box 'w'.*not positive",
        ),
        (
            'kind = "bodies"\n[[body]]\nkind = "sphere"\nradius = nan',
            r"bad.toml:4.*radius.*(finite|not)",
        ),
        (
            'kind = "bodies"\n[[body]]\nkind = "mesh"\nfile = "../x.stl"',
            r"bad.toml:4.*leads out of the folder",
        ),
        (
            'kind = "bodies"\n[[body]]\nkind = "mesh"\nfile = "x.stl"',
            r"x.stl: file: does not exist",
        ),
        (
            'kind = "bodies"\n[[body]]\nkind = "sphere"\nradius = 1\nname = "a"\n'
            '[[body]]\nkind = "sphere"\nradius = 1\nname = "a"',
            r"bad.toml:\d+: .*name used twice",
        ),
    ],
)
def test_bad_files(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(DescriptionError, match=message):
        Bodies.load(tmp_path / "bad.toml")


def test_saving_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="cannot be written"):
        Bodies([Sphere(1)]).save(tmp_path / "no" / "x.toml")
    with pytest.raises(DescriptionError, match="unknown ending"):
        Bodies([Sphere(1)]).save(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Bodies(Box((1, 1, 1))), "bodies: not a list"),  # type: ignore[arg-type]
        (lambda: Bodies(5), "bodies: not a list, got 5"),  # type: ignore[arg-type]
        (lambda: Bodies([Sphere(1e10, name="moon")]), "sphere 'moon': too large, got '1e"),
        (lambda: Bodies([Region(Box((1, 1e300, 1)), "all")]), "box 'all': too large"),
        (lambda: contact(Box((1, 1e200, 1)), Sphere(1.0)), "box: too large"),
        (lambda: contact(HalfSpace((0, 0, 1), (0, 0, 1e12)), Sphere(1.0)), "halfspace: too large"),
        (lambda: Checker("ur5e", others=[5]), "others, number 1: not an arm and"),  # type: ignore[list-item]
        (lambda: ArmShapes("ur5e", {}), "arm: wrong type, got 'ur5e'"),  # type: ignore[arg-type]
        (lambda: ArmShapes(load("ur5e"), [Sphere(1.0)]), "shapes: wrong type"),  # type: ignore[arg-type]
        (lambda: ArmShapes(load("ur5e"), {"link1": 5}), "cannot be a link's shape, got 5"),  # type: ignore[dict-item]
        (lambda: ArmShapes(load("ur5e"), {"link1": Sphere(1e10)}), "sphere: too large"),
    ],
)
def test_what_is_no_body_or_too_large(make: Callable[[], object], words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        make()


def test_thousands_of_bodies_load_in_a_second(tmp_path: Path) -> None:
    places = np.random.default_rng(0).uniform(-3, 3, (3000, 3))
    Bodies(Sphere(0.01, place) for place in places).save(tmp_path / "many.toml")
    text = (tmp_path / "many.toml").read_text()
    begin = time.process_time()
    assert len(Bodies.load(tmp_path / "many.toml")) == 3000
    assert time.process_time() - begin < 6.0, "not with the square of their number"
    (tmp_path / "twice.toml").write_text(text.replace('"sphere2999"', '"sphere7"'))
    with pytest.raises(DescriptionError, match=r"twice.toml:17997: .*'sphere7': name used"):
        Bodies.load(tmp_path / "twice.toml")
