"""What is wrong in an environment file is said, all of it, with its place."""

from __future__ import annotations

import time

import pytest

from armwerk.errors import DescriptionError, SceneError
from armwerk.scene import parse_scene
from armwerk.scene.keywords import ALL_ENDS, SHAPES, USAGE
from armwerk.scene.reader import MOST_BYTES

BODY = "RECT 0 0 10 10"


def problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(SceneError, match=r"cell\.env") as caught:
        parse_scene(text, "cell.env")
    return [(p.line, p.column, f"{p.message} | {p.expected}") for p in caught.value.problems]


ONE_PROBLEM = [
    # text, column (of line 1), words of the message
    ("BALL 0 0 10 3 0.1 1.5 FF0000", 19, "bounce is 1.5 | 0 to 1"),
    ("BALL 0 0 10 3 -0.1 1 FF0000", 15, "resistance is -0.1 | 0 to 1"),
    ("BALL 0 0 10 0 0 1 FF0000", 13, "radius is 0 | more than 0"),
    ("BALL 0 0 10 -3 0 1 FF0000", 13, "radius is -3 | more than 0"),
    ("BALL 0 0 10 3 0 1 FF00", 19, "colour is 'FF00' | 6 hexadecimal digits"),
    ("BALL 0 0 10 3 0 1 #FF0000", 19, "colour is '#FF0000' | 6 hexadecimal digits"),
    ("BALL 0 0 10 3 0 FF0000", 17, "found the colour 'FF0000' where a number is missing | bounce"),
    ("BALL 0 0 10 3 0 1", 18, "file ends too early | colour of BALL x y z radius"),
    ("BALL 0 0 10 3 0 1 FF0000 7", 26, "unexpected '7' | a directive; BALL takes"),
    ("BALL 0,5 0 10 3 0 1 FF0000", 7, "unexpected ',5' behind '0' | a decimal point"),
    ("BALL 1O 0 10 3 0 1 FF0000", 7, "unexpected 'O' behind '1'"),
    ("BALL 5cm 0 10 3 0 1 FF0000", 7, "unexpected 'cm'"),
    ("BALL nan 0 10 3 0 1 FF0000", 6, "no NUMBER is called 'nan'"),
    ("BALL inf 0 10 3 0 1 FF0000", 6, "no NUMBER is called 'inf'"),
    ("BALL 1e999 0 10 3 0 1 FF0000", 6, "too large"),
    ("BALL 1e29*1e29 0 10 3 0 1 FF0000", 10, "too large"),
    ("BALL 1e7 0 10 3 0 1 FF0000", 6, "x is 10000000 | at most 1000000 cm"),
    ("BALL 1/0 0 10 3 0 1 FF0000", 8, "division by zero"),
    ("BALL 1/(2-2) 0 10 3 0 1 FF0000", 8, "division by zero"),
    ("BALL (1 0 10 3 0 1 FF0000", 9, "found '0' inside a bracket | ')'"),
    ("BALL 1 - 2 0 10 3 0 1 FF0000", 8, "right behind '-' | a number there, or brackets"),
    ("BALL 1 * 2 0 10 3 0 1 FF0000", 8, "found '*' where a number is missing"),
    ("BALL 2* 3 0 10 3 0 1 FF0000", 7, "right behind '*'"),
    ("BALL 2** 3 0 10 3 0 1 FF0000", 8, "found '*'"),
    ("BALL () 0 10 3 0 1 FF0000", 7, "found ')' where a number is missing"),
    ("BALL )( 0 10 3 0 1 FF0000", 6, "found ')(' where a number is missing"),
    ("ball 0 0 10 3 0 1 FF0000", 1, "'ball' is no directive | 'BALL' in capital letters"),
    ("BAL 0 0 10 3 0 1 FF0000", 1, "did you mean 'BALL'?"),
    ("BALLL 0 0 10 3 0 1 FF0000", 1, "did you mean 'BALL'?"),
    ("controller2 a.B", 1, " | 'CONTROLLER2' in capital letters"),
    ("CUBOID 0 0 5 1 1 0 FF0000", 18, "sizez is 0 | more than 0"),
    ("SPHERE 0 0 5 0 FF0000", 14, "radius is 0"),
    ("ROBOT 0 0", 10, "file ends too early | angle of ROBOT x y angle"),
    ("ROBOT1 0 0 0", 1, "there is no robot 1 | MULTIROBOT 2 before it"),
    ("ROBOT12 0 0 0", 1, "there is no robot 12 | MULTIROBOT 13 before it"),
    ("MULTIROBOT 101", 12, "count is 101 | a whole number from 1 to 100"),
    ("ROBOT100 0 0 0", 1, "there is no robot 100 | 0 to 99"),
    ("ROBOT00 0 0 0", 1, "there is no robot 00 | 0 to 99, without zeros"),
    (f"ROBOT{'9' * 5000} 0 0 0", 1, "there is no robot 999"),
    ("MULTIROBOT 0", 12, "count is 0"),
    ("MULTIROBOT 1.5", 12, "count is 1.5 | a whole number"),
    ("BORDER 0 0 -1 5", 12, "maxx is not above minx"),
    ("TILE 3~1 0 FF0000", 6, "columns run from 3 to 1 | a~b with a at most b"),
    ("TILE 3~ 0 FF0000", 7, "nothing stands behind '~'"),
    ("TILE -1 0 FF0000", 6, "columns is -1"),
    ("TILE 0 0.5 FF0000", 8, "rows is 0.5"),
    (f"STEP 0 FF0000 {BODY} ENDSTEP", 6, "height is 0 | more than 0"),
    (f"SLOPE 0 0 x FF0000 {BODY} ENDSLOPE", 7, "both heights are 0"),
    (f"SLOPE -1 2 x FF0000 {BODY} ENDSLOPE", 7, "height1 is -1 | 0 or more"),
    (f"SLOPE 0 1 z FF0000 {BODY} ENDSLOPE", 11, "direction is 'z' | x or y"),
    ("SLOPE 0 1 x FF0000 CIRCLE 0 0 5 ENDSLOPE", 20, "SLOPE: cannot stand on a CIRCLE | RECT"),
    (f"SLICE 5 5 FF0000 {BODY} ENDSLICE", 9, "top is not above bottom"),
    (f"WEDGE 5 5 6 0 x FF0000 {BODY} ENDWEDGE", 11, "lower1 is above upper1"),
    (f"WEDGE 5 5 5 5 x FF0000 {BODY} ENDWEDGE", 11, "top and bottom are the same"),
    (f"CONVEYOR -2 RUN 5 5 x 1 0 FF0000 {BODY} ENDCONVEYOR", 10, "instance is -2"),
    (f"CONVEYOR 1 RUNS 5 5 x 1 0 FF0000 {BODY} ENDCONVEYOR", 12, "'RUN'? | RUN or STOP"),
    (f"CONVEYOR 1 RUN 5 5 x 1 -1 FF0000 {BODY} ENDCONVEYOR", 24, "tomiddlespeed is -1"),
    (f"BOTTOMPAINT FF0000 2 {BODY} ENDSLICK", 20, "alpha is 2 | 0 to 1"),
    ("STEP 5 FF0000 RECT 0 0 0 5 ENDSTEP", 24, "RECT: sizex is 0"),
    ("STEP 5 FF0000 CIRCLE 0 0 0 ENDSTEP", 26, "CIRCLE: radius is 0"),
    ("STEP 5 FF0000 RECTANGLE 0 0 5 5 ENDSTEP", 15, "no shape"),
    ("STEP 5 FF0000 RECT 0 0 5 5 9 ENDSTEP", 28, "unexpected '9' | ENDSTEP for the STEP of line 1"),
    (f"STEP 5 FF0000 {BODY}", 29, "end of the file before the STEP has ended | ENDSTEP"),
    (f"STEP 5 FF0000 {BODY} ENDSLICE", 30, "found 'ENDSLICE' | ENDSTEP"),
    (f"STEP 5 FF0000 {BODY} ENDSTEPP", 30, "found 'ENDSTEPP' | ENDSTEP"),
    ("STEP 5 FF0000 ENDSTEP", 15, "found 'ENDSTEP', no shape | RECT or CIRCLE or POLY"),
    ("STEP 5 FF0000 POLY 2 0 0 1 1 ENDSTEP", 20, "n is 2 | a whole number from 3 to"),
    ("STEP 5 FF0000 POLY 4 0 0 9 9 9 0 0 9 ENDSTEP", 20, "side 1 and side 3 touch"),
    ("STEP 5 FF0000 POLY 3 0 0 9 9 0 0 ENDSTEP", 20, "corner 3 is the same as corner 1"),
    ("STEP 5 FF0000 POLY 3 0 0 9 9 18 18 ENDSTEP", 20, "touch or cross"),
    ("STEP 5 FF0000 POLY 4 0 0 9 0 5 0 5 9 ENDSTEP", 20, "touch or cross"),
    ("RECT 0 0 1 1", 1, "RECT outside a body"),
    ("ENDSTEP", 1, "ENDSTEP outside a body | it inside STEP"),
    ("TRIGGER BALLENTER 0 T 0 0 5 5 *", 9, "did you mean 'BALLENTERS'?"),
    ("TRIGGER BALLENTERS -2 T 0 0 5 5 *", 20, "instance is -2 | a whole number from -1"),
    ("TRIGGER BALLENTERS 0.5 T 0 0 5 5 *", 20, "instance is 0.5"),
    ("TRIGGER BALLENTERS 0 T 0 0 0 5 *", 28, "radius is 0"),
    ("TRIGGER BALLENTERS 0 T 0 0 5 -5 *", 30, "height is -5 | 0 or more"),
    ("TRIGGER BALLENTERS 0 T 0 0 5 5 **", 32, "colour is '**'"),
    ("TRIGGER BALLBARRIER 0 T 1 1 1 1 5 *", 29, "both points are the same"),
    ("TRIGGER BALLENTERS 0 _S{X}_ 0 0 5 5 *", 25, "no STRING is called 'X'"),
    ("TRIGGER BALLENTERS 0 _S{ 0 0 5 5 *", 22, "value without end | }_"),
    ("TRIGGERPROCESSOR -1 m.A", 18, "instance is -1"),
    ("TRIGGERPROCESSOR m.A", 18, "no NUMBER is called 'm'"),
    ("TPCONFIG a", 1, "no TRIGGERPROCESSOR takes this text"),
    ("DEBUGNAME a", 11, "no body comes for the name 'a'"),
    ("NUMBER 5 5", 8, "'5' is no name | letters, digits and _"),
    ("NUMBER STEP 5", 8, "found 'STEP' where name is missing"),
    ("CONFIG _I{1/2}_", 11, "0.5 is no whole number | a whole number in _I{}_; _D{}_ takes any"),
    ("CONFIG _I{1}", 12, "value without end | }_"),
    ("CONFIG _I{1 2}_", 13, "value without end | }_"),
    ("CONFIG _I{}_", 11, "found '}_' where a number is missing"),
    ("CONFIG _S{}_", 11, "no name stands in _S{}_"),
    ("CONFIG _D{1+}_", 13, "where a number is missing"),
    ("/* and so on", 1, "comment without end | */"),
    ("ROBOT 0 0 0 \x00", 13, "character U+0000"),
    ("ROBOT 0 0 0 \u00a0", 13, "NO-BREAK SPACE"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "column", "words"), ONE_PROBLEM, ids=lambda value: str(value)[:40]
)
def test_one_problem(text: str, column: int, words: str) -> None:
    found = problems(text)
    message, _, expected = words.partition(" | ")
    assert found[0][:2] == (1, column)
    assert message in found[0][2].partition(" | ")[0]
    assert expected in found[0][2].partition(" | ")[2]
    assert len(found) == 1 or "\x00" in text


TWICE = [
    ("ROBOT 0 0 0", "ROBOT0 1 1 1", "ROBOT of robot 0 stands in line 1 already"),
    ("CONFIG a", "CONFIG b", "CONFIG of robot 0 stands in line 1 already"),
    ("GRIPPER a", "GRIPPER b", "GRIPPER of robot 0 stands in line 1 already"),
    ("BORDER 0 0 1 1", "BORDER 0 0 1 1", "BORDER stands in line 1 already"),
    ("MULTIROBOT 2", "MULTIROBOT 2", "MULTIROBOT stands in line 1 already"),
    ("GRIPPER a", "MULTIROBOT 2", "MULTIROBOT comes too late"),
    ("MULTIROBOT 2", "ROBOT2 0 0 0", "there is no robot 2 | 0 to 1, as MULTIROBOT says"),
    ("NUMBER A 1", "NUMBER A 2", "'A' is defined already"),
    ("STRING A 1", "STRING A 2", "'A' is defined already"),
    ("NUMBER TARGET 1", "NUMBER B TARGT", "'TARGT'; did you mean 'TARGET'?"),
    ("STRING TARGET 1", "CONFIG _S{target}_", "'target'; did you mean 'TARGET'?"),
    ("DEBUGNAME a BALL 0 0 9 1 0 0 FF0000", f"DEBUGNAME a STEP 1 FF0000 {BODY} ENDSTEP",
     "the name 'a' stands in line 1 already"),
    ("TRIGGERPROCESSOR 1 m.A", "TRIGGERPROCESSOR 1 m.B",
     "a TRIGGERPROCESSOR of instance 1 stands in line 1 already"),
    ("TRIGGERPROCESSOR 1 m.A TPCONFIG a", "TPCONFIG b", "has a TPCONFIG already"),
    ("TPCONFIG a", "TPCONFIG b\nTRIGGERPROCESSOR 1 m.A", "has a TPCONFIG already"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "words"), TWICE)
def test_problem_of_two_lines(first: str, second: str, words: str) -> None:
    if first != "TPCONFIG a":
        parse_scene(first)
    found = problems(f"{first}\n{second}")
    assert len(found) == 1
    assert found[0][0] == 2
    assert words in found[0][2]


def test_number_used_before_it_is_defined() -> None:
    assert problems("ROBOT A 0 0\nNUMBER A 1")[0][:2] == (1, 7)


def test_all_problems_come_at_once_and_none_twice() -> None:
    text = "\n".join(
        [
            "NUMBER A 1O",  # 1: nobody is told again that A is missing
            "NUMBR B 5",  # 2: read as NUMBER, so B exists
            "ROBOT A B 0",
            "BALL 0 0 B 3 2 2 FF0000",  # 4: two problems
            "step -1 00FF00",  # 5: two problems
            "RECT 0 0 0 5",  # 6
            "ENDSTEP",
            "STEP 5 5 5 FF0000",  # 8: two problems; its shape is looked at all the same
            "RECT 0 0 -2 5",  # 9
            "ENDSTEP",
            "BOX 1 2 3",  # 11
            "1 2 3",
            "SLOPE 0",  # 13
            "RECT 0 0 1",  # 14
            "ENDSLOPE",
            "CUBOID 0 0 5 5 5 0 0000FF",  # 16
        ]
    )
    lines = [line for line, _, _ in problems(text)]
    assert lines == [1, 2, 4, 4, 5, 5, 6, 8, 8, 9, 11, 14, 15, 16]


def test_body_without_end_hides_nothing() -> None:
    found = problems(f"STEP 5 FF0000\n{BODY}\nSTEP 0 FF0000\n{BODY}\nENDSTEP")
    assert [line for line, _, _ in found] == [3, 3]
    assert "before the STEP has ended | ENDSTEP for the STEP of line 1" in found[0][2]


def test_message_looks_like_a_compilers() -> None:
    with pytest.raises(SceneError, match="bounce is") as caught:
        parse_scene("// my cell\nBALL 0 0 10 3 0.1 1.5 FF0000\n", "cell.env")
    assert str(caught.value) == (
        "cell.env:2:19: BALL: bounce is 1.5\n"
        "     2 | BALL 0 0 10 3 0.1 1.5 FF0000\n"
        "       |                   ^^^ expected 0 to 1"
    )
    error = caught.value
    assert isinstance(error, DescriptionError)
    assert (error.file, error.line, error.column) == ("cell.env", 2, 19)
    assert str(error.at("other.env")) == str(error)


def test_text_without_file_and_tabs_and_long_lines() -> None:
    with pytest.raises(SceneError, match="line 1:12") as caught:
        parse_scene("\tROBOT\t0 0 x")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("line 1:12: ")
    assert lines[1].index("x") == lines[2].index("^")
    with pytest.raises(SceneError, match="oops") as caught:
        parse_scene("/*" + "x" * 500 + "*/ ROBOT 0 0 oops " + "/*" + "x" * 500 + "*/")
    lines = str(caught.value).splitlines()
    assert lines[1].index("oops") == lines[2].index("^")
    assert max(map(len, lines)) < 130


def test_at_most_twenty_are_shown() -> None:
    with pytest.raises(SceneError, match="cell: 35 problems") as caught:
        parse_scene("ROBOT\n" * 30 + "BALL 1 2 3\n" * 5)
    assert str(caught.value).count("expected") == 20
    assert "… and 15 more" in str(caught.value)


HOSTILE = {
    "brackets": "NUMBER A " + "(" * 100_000,
    "minuses": "ROBOT " + "-" * 100_001 + "1 0 0",
    "long sum": "ROBOT " + "1+" * 100_000 + "1 0 0",
    "long word": "X" * 1_000_000,
    "words": "foo bar " * 100_000,
    "lines": "foo\n" * 300_000,
    "near misses": "x\n" + "BALM\n" * 200_000,
    "bad bodies": "STEP 1 FF0000\n" * 100_000,
    "polygon": "STEP 1 FF0000 POLY 200 " + "0 0 " * 200 + "ENDSTEP",
    "endless polygon": "STEP 1 FF0000 POLY 999999999999 " + "1 2 " * 100_000,
    "fractions": "NUMBER A0 1.0000000000001/3\n"
    + "".join(f"NUMBER A{i + 1} A{i}*A{i}\n" for i in range(60)),
    "small": "NUMBER A0 1e-400\n" + "".join(f"NUMBER A{i + 1} A{i}*A{i}\n" for i in range(60)),
    "strings": "STRING A0 xxxxxxxxxx\n"
    + "".join(f"STRING A{i + 1} _S{{A{i}}}__S{{A{i}}}_\n" for i in range(60)),
    "many strings": f"STRING A {'x' * 9000}\n"
    + "".join(f"STRING A{i} _S{{A}}_\n" for i in range(5000)),
    "comments": "/**/" * 200_000,
    "open comments": "/*" * 200_000,
    "embedded": "CONFIG " + "_I{" * 100_000,
    "names": "".join(f"NUMBER A{i} 1\n" for i in range(50_000)) + "ROBOT B C D\n" * 200,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_in_time(name: str) -> None:
    start = time.perf_counter()
    message = ""
    try:
        parse_scene(HOSTILE[name])
    except SceneError as error:
        message = str(error)
    assert len(message) < 20_000
    assert time.perf_counter() - start < 15.0


def test_too_large_a_text() -> None:
    with pytest.raises(SceneError, match="too large"):
        parse_scene(" " * (MOST_BYTES + 1))


@pytest.mark.parametrize("name", [*USAGE, *SHAPES, *sorted(ALL_ENDS)])
def test_every_misspelt_word_is_passed(name: str) -> None:
    """Words with a letter missing, alone, at the start of a line and within one."""
    for i in range(len(name)):
        word = name[:i] + name[i + 1 :]
        for text in (word, f"ROBOT 0 0 0\n{word}", f"ROBOT 0 0 0 {word}", f"{word} {word}\n{word}"):
            assert problems(text)
