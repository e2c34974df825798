"""Every directive of an environment file is read as its description says."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import pytest

from armwerk.errors import SceneError
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
)
from armwerk.scene.directives import DIRECTIVES
from armwerk.scene.keywords import NUMBERED, SHAPES, USAGE

EVERYTHING = (Path(__file__).parent / "everything.env").read_text()


@pytest.fixture(scope="module")
def scene() -> Scene:
    return parse_scene(EVERYTHING)


def test_every_directive_has_a_reader_and_stands_in_the_example() -> None:
    assert list(USAGE) == list(DIRECTIVES)
    missing = [name for name in USAGE if f"\n{name}" not in EVERYTHING]
    assert missing == []


def test_every_directive_stands_in_the_page_with_its_arguments() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scene.md").read_text().replace("\\|", "|")
    for name, usage in (USAGE | SHAPES).items():
        written = f"{name}[nr] {usage}" if name in NUMBERED else f"{name} {usage}"
        assert name == "TRIGGER" or f"| {written} |" in page


def test_robots(scene: Scene) -> None:
    assert scene.multirobot == 3
    assert scene.robots == (
        Robot(
            0,
            (2.01, 1.0),
            pi / 4,
            "puma560",
            "parallel_gripper",
            "pick.Pick",
            "HALLO2 at http://x//y",
        ),
        Robot(
            1,
            (-0.25, 0.005),
            -pi / 2,
            gripper="three_finger_gripper",
            config="half 37.5, AN_OWN_TRIGGER and AN_OWN_TRIGGER with blanks",
        ),
        Robot(2, manipulator="mine.toml", controller="hand:Over"),
    )


def test_floor(scene: Scene) -> None:
    assert scene.border == Border((-5.0, -4.0), (5.0, 4.0))
    assert scene.tiles == (
        Tile((10, 10), (7, 12), "F0E0A0"),
        Tile((0, 2), (3, 3), "C0C0C0"),
    )
    assert scene.paints == (
        Paint(Rectangle((0, 0), (1, 0.5)), "FF8000", 0.5),
        Paint(Circle((0.5, 0.5), 0.1), "0000FF", 1.0, "spot"),
    )


def test_obstacles(scene: Scene) -> None:
    corners = ((0, 0), (0.4, 0), (0.4, 0.4), (0.2, 0.1), (0, 0.4))
    assert scene.obstacles == (
        Step(Rectangle((0, 0), (0.2, 0.2)), 0.1, "00FF00", "table"),
        Step(Polygon(corners), 0.125, "00FF00"),
        Slope(Rectangle((1, 0), (0.2, 0.2)), (0, 0.1), "x", "00FF00"),
        Slice(Circle((0, 1), 0.4), 0.7, 0.72, "808080"),
        Wedge(Rectangle((2, 0), (0.2, 0.2)), (0.1, 0.2), (0, 0.05), "y", "123456"),
        Conveyor(
            Rectangle((0, 2), (0.2, 2)),
            (0.05, 0.075),
            "y",
            "ABCDEF",
            30,
            True,
            -0.2,
            0.015,
            "belt",
        ),
        Conveyor(Rectangle((1, 2), (0.6, 0.2)), (0.05, 0.05), "x", "ABCDEF", -1, False, 0.2, 0.0),
        FixedSphere((0, 0, 1.5), 0.05, "FFFFFF"),
        Slope(Rectangle((1.6, 0.0), (0.2, 0.2)), (0.0, 0.1), "x", "00FF00", friction=0.05),
    )
    assert list(scene.obstacle_names()) == [
        "table",
        "step1",
        "slope0",
        "slice0",
        "wedge0",
        "belt",
        "conveyor1",
        "sphere0",
        "slope1",
    ]


def test_things(scene: Scene) -> None:
    assert scene.things == (
        Ball((0.01, 0.02, 0.3), 0.03, 0.1, 0.8, "FF0000", "red"),
        Ball((0.11, 0.02, 0.3), 0.03, 0.0, 0.0, "00FF00"),
        Cuboid((0.1, 0.2, 0.05), (0.04, 0.05, 0.06), "0000FF"),
        Cuboid(
            (0.3, 0.2, 0.05),
            (0.04, 0.05, 0.06),
            "0000FF",
            "eraser",
            mass=0.25,
            friction=0.3,
            bounce=0.6,
        ),
        Ball((0.31, 0.02, 0.3), 0.03, 0.0, 0.0, "00FF00", density=7800.0, magnetic=False),
        Cuboid((0.33, 0.3, 0.05), (0.04, 0.05, 0.06), "0000FF", magnetic=True),
    )
    assert list(scene.names()) == ["red", "ball1", "cuboid0", "eraser", "ball2", "cuboid2"]


def test_triggers(scene: Scene) -> None:
    zone: dict[str, Any] = {"centre": (0.0, 0.0), "radius": 0.2, "height": 0.3}
    assert scene.watches == (
        Zone("ball", "enters", 99, "AN_OWN_TRIGGER", **zone),
        Zone("cuboid", "enters", 30, "STOP", **zone, colour="0000FF"),
        Zone("ball", "leaves", -1, "OUT200", **zone, colour="FF0000"),
        Zone("cuboid", "leaves", 0, "AN_OWN_TRIGGER with blanks", **zone),
        Barrier("ball", 20, "A0.25B", (0, 0), (0.2, 0.3), 0.1),
        Barrier("cuboid", 21, "X/Y", (-0.1, 0), (0.2, 0.3), 0, "0000FF"),
    )
    assert scene.processors == (
        Processor(20, "sort.Sorter", "red 100"),
        Processor(21, "sort.Other"),
    )


def test_sum_with_blanks_needs_brackets_all_round() -> None:
    with pytest.raises(SceneError, match="unexpected '/'"):
        parse_scene("NUMBER A 1\nNUMBER HALF (A + 3) / 2")
    assert parse_scene("NUMBER A 1\nROBOT ((A + 3) / 2) 0 0").robots[0].position == (0.02, 0)


def test_empty_file_is_an_empty_scene() -> None:
    assert parse_scene("") == Scene()
    assert parse_scene("\ufeff // nothing\r\n/**/\r") == Scene()


def test_one_robot_without_multirobot() -> None:
    assert parse_scene("GRIPPER parallel_gripper").robots == (Robot(0, gripper="parallel_gripper"),)
    assert parse_scene("MULTIROBOT 2").robots == (Robot(0), Robot(1))


@pytest.mark.parametrize(
    ("degrees", "exact"),  # to more digits than a float has
    [
        ("0", "0"),
        ("90", "1.57079632679489661923132"),
        ("-90", "-1.57079632679489661923132"),
        ("180", "3.14159265358979323846264"),
        ("30", "0.52359877559829887307711"),
        ("3", "0.05235987755982988730771"),
        ("1000.5", "17.46201916620326741689"),
    ],
)
def test_angles_are_the_nearest_to_the_exact_ones(degrees: str, exact: str) -> None:
    assert parse_scene(f"ROBOT 0 0 {degrees}").robots[0].angle == float(exact)


@pytest.mark.parametrize(
    ("text", "configs"),
    [
        ("TPCONFIG a\nTRIGGERPROCESSOR 1 m.A\nTRIGGERPROCESSOR 2 m.B", ["a", None]),
        ("TRIGGERPROCESSOR 1 m.A\nTRIGGERPROCESSOR 2 m.B\nTPCONFIG b", [None, "b"]),
        ("TRIGGERPROCESSOR 1 m.A\nTPCONFIG a\nTRIGGERPROCESSOR 2 m.B\nTPCONFIG b", ["a", "b"]),
        ("TPCONFIG a\nTRIGGERPROCESSOR 1 m.A\nTRIGGERPROCESSOR 2 m.B\nTPCONFIG b", ["a", "b"]),
    ],
)
def test_whose_config_it_is(text: str, configs: list[str | None]) -> None:
    assert [p.config for p in parse_scene(text).processors] == configs


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2*3+4", 10),
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("( 2 + 3 )*4", 20),
        ("(2\n+ 3 /* x */)*4", 20),
        ("10-4-3", 3),
        ("24/4/2", 3),
        ("-2*-3", 6),
        ("--2", 2),
        ("-(1-4)", 3),
        ("+5", 5),
        ("1.5e1", 15),
        (".5+1.", 1.5),
        ("1/3*3", 1),
        ("0.1+0.2", 0.3),
        ("7/*7*/", 7),
    ],
)
def test_expressions(written: str, value: float) -> None:
    assert parse_scene(f"NUMBER A {written}\nROBOT A 1 0").robots[0].position[0] == value / 100


def test_blank_separates_numbers() -> None:
    assert parse_scene("ROBOT 1 -2 3").robots[0].position == (0.01, -0.02)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("HALLO_I{1+1}_", "HALLO2"),
        ("_I{ 6 / 3 }__I{-2}_", "2-2"),
        ("_D{2}_", "2.0"),
        ("_D{1/3}_", "0.3333333333333333"),
        ("_S{A}_S{A}_", "texttext"),
        ("_S{A}__S{A}", "texttext"),
        ("_S{ A }x", "textx"),
        ("_S{A}_x", "textx"),
        ("a_b{c}_I d", "a_b{c}_I d"),
        ("", ""),
        ("a//b", "a//b"),
        ("a //b", "a"),
        ("a /* b", "a"),
        ("//b", ""),
        ("  a \t b  ", "a \t b"),
        ("BALL 0 0", "BALL 0 0"),
    ],
)
def test_embedded_values(written: str, text: str) -> None:
    end = "*/" if "/*" in written else ""
    scene = parse_scene(f"STRING A text\nCONFIG {written}{end}\nROBOT 0 0 0")
    assert scene.robots[0].config == text


def test_values_put_in_are_not_looked_at_again() -> None:
    text = "STRING U _\nSTRING V I{1}_\nSTRING W _S{U}__S{V}_\nCONFIG _S{W}_"
    assert parse_scene(text).robots[0].config == "_I{1}_"


def test_reserved_words_may_be_texts_and_names() -> None:
    scene = parse_scene(
        "TRIGGER BALLENTERS 1 STEP 0 0 1 0 *\nDEBUGNAME BALL\nBALL 0 0 9 1 0 0 000000"
    )
    assert scene.watches[0].text == "STEP"
    assert scene.things[0].name == "BALL"


def test_line_ends_of_all_kinds() -> None:
    for end in ("\n", "\r\n", "\r"):
        scene = parse_scene(end.join(["CONFIG a b", "ROBOT 1 2 180", "// x", "GRIPPER g"]))
        assert scene.robots == (Robot(0, (0.01, 0.02), pi, None, "g", None, "a b"),)


def test_file_is_kept_but_not_compared() -> None:
    assert parse_scene("", "a/b.env").file == Path("a/b.env")
    assert parse_scene("", "a/b.env") == parse_scene("")


def test_names_made_up_never_meet_those_given() -> None:
    ball = "BALL 0 0 9 1 0 0 FF0000\n"
    names = parse_scene(f"{ball}DEBUGNAME ball0 {ball}DEBUGNAME ball0_ {ball}").names()
    assert list(names) == ["ball0__", "ball0", "ball0_"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MASS 0.1 DENSITY 500 CUBOID 0 0 5 4 4 4 FF0000", "has its MASS from line 1"),
        ("BOUNCE 0.5 BALL 0 0 5 4 0 0 FF0000", "a BALL takes no BOUNCE"),
        ("MASS 1 STEP 5 FF0000 RECT 0 0 4 4 ENDSTEP", "a STEP takes no MASS"),
        ("FRICTION 1 BOTTOMPAINT FF0000 1 RECT 0 0 4 4 ENDSLICK", "takes no FRICTION"),
        ("FRICTION 0.5 FRICTION 0.5 CUBOID 0 0 5 4 4 4 FF0000", "has its FRICTION from line 1"),
        ("MASS 0 CUBOID 0 0 5 4 4 4 FF0000", "MASS: mass is 0"),
        ("BOUNCE 1.01 CUBOID 0 0 5 4 4 4 FF0000", "BOUNCE: bounce is 1.01"),
        ("FRICTION -0.1 CUBOID 0 0 5 4 4 4 FF0000", "FRICTION: friction is -0.1"),
        ("MAGNETIC 2 CUBOID 0 0 5 4 4 4 FF0000", "MAGNETIC: magnetic is 2"),
        ("MAGNETIC 1 SPHERE 0 0 5 4 FF0000", "a SPHERE takes no MAGNETIC"),
        ("DENSITY 1000", "no body comes for this DENSITY"),
    ],
)
def test_wrong_properties_are_told(text: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene(text)
    assert [said in problem.message for problem in caught.value.problems] == [True]


def test_a_body_that_cannot_be_read_takes_its_properties_along() -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene("BOUNCE 0.5\nCUBOID 0 0\nBALL 0 0 5 4 0 0 FF0000")
    assert all("BOUNCE" not in problem.message for problem in caught.value.problems)


def test_variables_of_other_files_may_have_the_names_of_properties() -> None:
    text = (
        "NUMBER MASS 5\nNUMBER FRICTION 1\nSTRING BOUNCE x\nBALL 0 0 MASS\nMASS FRICTION 0 FF0000"
    )
    assert parse_scene(text).things == (Ball((0.0, 0.0, 0.05), 0.05, 1.0, 0.0, "FF0000"),)
