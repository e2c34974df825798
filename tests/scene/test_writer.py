"""A scene that is written reads back as the same scene, to the last bit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from armwerk.errors import DescriptionError
from armwerk.scene import (
    Ball,
    Barrier,
    Border,
    Circle,
    Conveyor,
    Cuboid,
    FixedSphere,
    Paint,
    Polygon,
    Processor,
    Rectangle,
    Robot,
    Scene,
    Slice,
    Slope,
    Step,
    Tile,
    Wedge,
    Zone,
    parse_scene,
    write_scene,
)
from armwerk.scene.keywords import centimetre_text, degree_text, metres, number_text, radians
from armwerk.scene.outlines import polygon_fault

EVERYTHING = (Path(__file__).parent / "everything.env").read_text()

lengths = st.floats(-100, 100)
sizes = st.floats(1e-3, 100)
heights = st.floats(0, 10)
shares = st.floats(0, 1)
points = st.tuples(lengths, lengths)
places = st.tuples(lengths, lengths, lengths)
colours = st.from_regex(r"[0-9A-F]{6}", fullmatch=True)
directions = st.sampled_from(["x", "y"])
instances = st.integers(-1, 10**6)
words = st.from_regex(r"[A-Za-z][A-Za-z0-9_.:]{0,12}", fullmatch=True)
# whatever one line may hold, with what looks like comments and values thrown in
texts = st.lists(
    st.one_of(
        st.sampled_from(
            ["//", "/*", "*/", "_I{", "_D{1}_", "_S{EMPTY}_", " ", "\t", "_", "}", "/"]
        ),
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5),
    ),
    max_size=6,
).map("".join)
rectangles = st.builds(Rectangle, points, st.tuples(sizes, sizes))
polygons = st.builds(
    lambda radii, centre: Polygon(
        tuple(
            (
                centre[0] + r * math.cos(2 * math.pi * i / len(radii)),
                centre[1] + r * math.sin(2 * math.pi * i / len(radii)),
            )
            for i, r in enumerate(radii)
        )
    ),
    st.lists(st.floats(0.1, 5), min_size=3, max_size=9),
    points,
)
outlines = st.one_of(rectangles, st.builds(Circle, points, sizes), polygons)
slopes = st.tuples(heights, st.floats(1e-3, 10))
between = st.tuples(st.floats(0, 5), st.floats(6, 10))
frictions = st.none() | st.floats(0, 10)
masses = st.fixed_dictionaries({}, optional={"mass": st.floats(1e-6, 1e4)}) | (
    st.fixed_dictionaries({"density": st.floats(1e-3, 1e5)})
)
obstacles = st.one_of(
    st.builds(Step, outlines, sizes, colours, friction=frictions),
    st.builds(Slope, rectangles, slopes, directions, colours, friction=frictions),
    st.builds(lambda o, h, c: Slice(o, h[0], h[1], c), outlines, between, colours),
    st.builds(
        lambda r, one, two, d, c: Wedge(r, (one[1], two[1]), (one[0], two[0]), d, c),
        rectangles,
        between,
        between,
        directions,
        colours,
    ),
    st.builds(
        Conveyor,
        rectangles,
        slopes,
        directions,
        colours,
        instances,
        st.booleans(),
        lengths,
        heights,
        friction=frictions,
    ),
    st.builds(FixedSphere, places, sizes, colours, friction=frictions),
)
things = st.one_of(
    st.builds(
        lambda ball, mass, friction: replace(ball, friction=friction, **mass),
        st.builds(Ball, places, sizes, shares, shares, colours),
        masses,
        frictions,
    ),
    st.builds(
        lambda cuboid, mass, friction, bounce: replace(
            cuboid, friction=friction, bounce=bounce, **mass
        ),
        st.builds(Cuboid, places, st.tuples(sizes, sizes, sizes), colours),
        masses,
        frictions,
        shares,
    ),
)
kinds = st.sampled_from(["ball", "cuboid"])
some = st.none() | colours
watch_texts = texts.filter(bool)
watches = st.one_of(
    st.builds(
        Zone,
        kinds,
        st.sampled_from(["enters", "leaves"]),
        instances,
        watch_texts,
        points,
        sizes,
        heights,
        some,
    ),
    st.builds(Barrier, kinds, instances, watch_texts, points, points, heights, some).filter(
        lambda b: math.dist(b.start, b.end) > 1e-3
    ),
)
ranges = st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map(lambda r: (min(r), max(r)))


@st.composite
def robots(draw: st.DrawFn) -> dict[str, Any]:
    count = draw(st.none() | st.integers(1, 10))
    numbers = range(count) if count else range(draw(st.integers(0, 1)))
    made = [
        Robot(
            number,
            draw(points),
            draw(st.floats(-100, 100)),
            draw(st.none() | words),
            draw(st.none() | words),
            draw(st.none() | words),
            draw(st.none() | texts),
        )
        for number in numbers
    ]
    return {"multirobot": count, "robots": tuple(made)}


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    def some_of(items: st.SearchStrategy[Any], unique_by: Any = None) -> tuple[Any, ...]:
        return tuple(draw(st.lists(items, max_size=3, unique_by=unique_by)))

    scene = Scene(
        **draw(robots()),
        obstacles=some_of(obstacles),
        things=some_of(things),
        watches=some_of(watches),
        processors=some_of(
            st.builds(Processor, st.integers(0, 99), words, st.none() | texts),
            lambda one: one.instance,
        ),
        paints=some_of(st.builds(Paint, outlines, colours, shares)),
        tiles=some_of(st.builds(Tile, ranges, ranges, colours)),
        border=draw(
            st.none()
            | st.builds(
                Border,
                st.tuples(st.floats(-9, 0), st.floats(-9, 0)),
                st.tuples(st.floats(1, 9), st.floats(1, 9)),
            )
        ),
    )
    names = iter(draw(st.lists(words, min_size=12, max_size=12, unique=True)))
    bodies: dict[str, Any] = {
        field: tuple(
            replace(item, name=next(names)) if draw(st.booleans()) else item
            for item in getattr(scene, field)
        )
        for field in ("paints", "obstacles", "things")
    }
    return replace(scene, **bodies)


@given(scenes())
@settings(max_examples=60)
def test_any_scene_comes_back(scene: Scene) -> None:
    text = write_scene(scene)
    assert parse_scene(text) == scene
    assert write_scene(parse_scene(text)) == text


def test_the_example_comes_back() -> None:
    scene = parse_scene(EVERYTHING)
    assert parse_scene(write_scene(scene)) == scene


@given(st.floats(-1e4, 1e4))
@settings(max_examples=500)
def test_numbers_come_back(value: float) -> None:
    assert metres(Fraction(centimetre_text(value))) == value
    assert radians(Fraction(degree_text(value))) == value
    assert float(Fraction(number_text(value))) == value


@given(st.decimals(-10_000, 10_000, places=3))
def test_what_was_written_is_written_again(decimal: object) -> None:
    """No 29.999999999999996 where 30 stood."""
    plain = Fraction(str(decimal))
    assert Fraction(centimetre_text(metres(plain))) == plain
    assert Fraction(degree_text(radians(plain))) == plain


def test_numbers_look_plain() -> None:
    assert [centimetre_text(v) for v in (0.0, -0.0, 0.3, -1.25, 1e-12, 1e20)] == [
        "0",
        "0",
        "30",
        "-125",
        "1e-10",
        "1e+22",
    ]
    assert degree_text(math.pi / 2) == "90"
    assert degree_text(-math.pi / 4) == "-45"


BALL = Ball((0.0, 0.0, 1.0), 0.1, 0.0, 0.0, "FF0000")


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Scene(things=(replace(BALL, radius=0.0),)), "radius is 0"),
        (Scene(things=(replace(BALL, radius=math.nan),)), "NaN"),
        (Scene(things=(replace(BALL, radius=1e300),)), "too large"),
        (Scene(things=(replace(BALL, colour="ff0000"),)), "things: cannot be written"),
        (Scene(things=(replace(BALL, name="two words"),)), "DEBUGNAME two words"),
        (Scene(things=(replace(BALL, name="a"), replace(BALL, name="a"))), "the name 'a'"),
        (Scene(robots=(Robot(0, config="two\nlines"),)), "lines"),
        (Scene(robots=(Robot(0, angle=math.nan),)), "nan"),
        (Scene(robots=(Robot(3),)), "no robot 3"),
        (Scene(robots=(Robot(0),), multirobot=2), "robots: cannot be written"),
        (Scene(robots=(Robot(0, controller="a//b"),)), "robots: cannot be written"),
        (Scene(processors=(Processor(-1, "m.A"),)), "instance is -1"),
    ],
)
def test_what_no_file_can_say_is_refused(scene: Scene, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        write_scene(scene)


@pytest.mark.parametrize(
    ("corners", "simple"),
    [
        ([(0, 0), (1, 0), (0, 1)], True),
        ([(0, 0), (0, 1), (1, 0)], True),
        ([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)], True),
        ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], False),  # a corner on a side
        ([(0, 0), (2, 0), (2, 2), (1, -1), (0, 2)], False),
        ([(0, 0), (1, 0), (2, 0), (2, 1)], True),  # a straight corner
        ([(0, 0), (2, 0), (1, 0), (2, 1)], False),  # there and back
        ([(0, 0), (1, 0), (1, 1), (0, 0), (-1, 0), (-1, -1)], False),
        ([(0, 0), (1, 1), (2, 2)], False),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], False),
    ],
)
def test_simple_polygons(corners: list[tuple[float, float]], simple: bool) -> None:
    for shift in range(len(corners)):
        turned = (*corners[shift:], *corners[:shift])
        assert (not polygon_fault(turned)) == simple
        assert (not polygon_fault(turned[::-1])) == simple
