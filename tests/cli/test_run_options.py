"""ArmBot's spelling of options, and what their values mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import typer

from armwerk.cli.app import app
from armwerk.cli.run import options
from armwerk.cli.run.armbot import SPELLINGS, robot_numbers, split_numbers, translate
from armwerk.cli.run.overrides import changed_processors, changed_robots, robot_changes
from armwerk.errors import DescriptionError
from armwerk.scene.scene import Processor, Robot, Scene

# what the source's table prints, with what it means here
TABLE = [
    ("-?", "--help"),
    ("-e cell.env", "--environment=cell.env"),
    ("-man puma560", "--manipulator=*=puma560"),
    ("-man3 puma560", "--manipulator=3=puma560"),
    ("-man1-3 puma560", "--manipulator=1-3=puma560"),
    ("-man10-29 puma560", "--manipulator=10-29=puma560"),
    ("-cfg12 text", "--config=12=text"),
    ("-gri2357 parallel_gripper", "--gripper=2357=parallel_gripper"),
    ("-gri parallel_gripper", "--gripper=*=parallel_gripper"),
    ("-ik down", "--ik=down"),
    ("-c pick.Pick", "--controller=*=pick.Pick"),
    ("-c5 pick.Pick", "--controller=5=pick.Pick"),
    ("-c0-9 pick.Pick", "--controller=0-9=pick.Pick"),
    ("-tp 5:sort.Sorter", "--trigger-processor=5:sort.Sorter"),
    ("-tpcfg 3=x", "--trigger-processor-config=*=3=x"),
    ("-simst", "--log-threads"),
    ("-logstate", "--log-state"),
    ("-logdebug", "--log-debug"),
    ("-logsys", "--log-system"),
    ("-logmss", "--log-messages"),
    ("-logall", "--log-all"),
    ("-logdir out", "--log-dir=out"),
    ("-lognames abc", "--log-names=abc"),
    ("-cfg speed=3", "--config=0=speed=3"),
    ("-cfg5 text", "--config=5=text"),
    ("-robot 10", "--robot=0=10"),
    ("-robot2 10", "--robot=2=10"),
    ("-render native", "--render=native"),
    ("-renderms 40", "--render-ms=40"),
    ("-simtime 50", "--sim-time=50"),
    ("-renderflags TTF", "--render-flags=TTF"),
    ("-skills -maninvkin", "--skills=-maninvkin"),
]


def command() -> Any:
    """Return the command, of a class that typer keeps to itself."""
    group: Any = typer.main.get_command(app)
    return group.commands["run"]


@pytest.mark.parametrize(("source", "expected"), TABLE)
def test_translation(source: str, expected: str) -> None:
    assert translate(source.split()) == [expected]


def test_lists_with_commas_are_translated() -> None:
    assert translate(["-man4,12", "puma560"]) == ["--manipulator=4,12=puma560"]


def test_every_option_of_the_source_is_in_the_table() -> None:
    assert {row.short for row in SPELLINGS} == {
        "-" + "".join(letter for letter in words.split()[0][1:] if not letter.isdigit()).rstrip("-")
        for words, _ in TABLE
    }


def test_every_long_spelling_exists_and_takes_a_value_as_the_short_one_does() -> None:
    known = {name: option for option in command().params for name in option.opts}
    for row in SPELLINGS[1:]:
        assert row.long in known
        assert known[row.long].is_flag is (not row.value)
        assert row.short in known[row.long].help


def test_values_are_not_translated() -> None:
    words = ["my.env", "-robot1", "-10 0 90", "--skills", "-maninvkin", "-simst", "--", "-c"]
    expected = ["my.env", "--robot=1=-10 0 90", "--skills", "-maninvkin", "--log-threads"]
    assert translate(words) == [*expected, "--", "-c"]
    assert translate(["--send", "-e"], ["--send"]) == ["--send", "-e"]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("-mann", "-man"),
        ("-logdebugg", "-logdebug"),
        ("-cfg123", "one robot number, as in -cfg3"),
        ("-c1-", "-c1-3, -c2357 or -c4,12"),
        ("-e5", "-e takes no number"),
        ("-xyz", "no option is called '-xyz'"),
    ],
)
def test_unknown_short_options(word: str, told: str) -> None:
    with pytest.raises(typer.BadParameter, match=told):
        translate([word, "value"])


def test_a_missing_value() -> None:
    with pytest.raises(typer.BadParameter, match="-man3: needs ARM"):
        translate(["-man3"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5", (5,)),
        ("1-3", (1, 2, 3)),
        ("2357", (2, 3, 5, 7)),
        ("4-4", (4,)),
        ("12", (1, 2)),
        ("12-12", (12,)),
        ("9-11", (9, 10, 11)),
        ("4,12", (4, 12)),
        ("12,10,10", (10, 12)),
        ("1,28-30,3", (1, 3, 28, 29, 30)),
    ],
)
def test_robot_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert robot_numbers(text) == numbers


@pytest.mark.parametrize(
    "text", ["3-1", "", "a", "1-", "12-10", "1,", "1,3-2", ",", "1-2-3", "100-101"]
)
def test_wrong_robot_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="names no robots"):
        robot_numbers(text)


def test_split_numbers() -> None:
    assert split_numbers("1-3=puma560", "many") == ("1-3", "puma560")
    assert split_numbers("puma560", "many") == (None, "puma560")
    assert split_numbers("speed=3", "one") == (None, "speed=3")
    assert split_numbers("0=1=2", "one") == ("0", "1=2")
    assert split_numbers("12=2", "one") == ("12", "2")
    assert split_numbers("123=2", "one") == (None, "123=2")
    assert split_numbers("1,12=scara", "many") == ("1,12", "scara")
    assert split_numbers("*=scara", "many") == ("*", "scara")


def test_the_command_line_wins_over_the_file() -> None:
    scene = Scene(
        robots=tuple(Robot(number, manipulator="scara", config="old") for number in range(4)),
        multirobot=4,
    )
    changes = robot_changes(
        ["1-2=puma560"], ["parallel_gripper"], ["3=a.B"], ["new", "2=other"], ["1=-100 50 90"]
    )
    robots = changed_robots(scene, changes).robots
    assert [robot.manipulator for robot in robots] == ["scara", "puma560", "puma560", "scara"]
    assert {robot.gripper for robot in robots} == {"parallel_gripper"}
    assert [robot.controller for robot in robots] == [None, None, None, "a.B"]
    assert [robot.config for robot in robots] == ["new", "old", "other", "old"]
    assert robots[1].position == pytest.approx((-1.0, 0.5))
    assert robots[1].angle == pytest.approx(math.pi / 2)
    assert scene.robots[1].manipulator == "scara"


def test_a_robot_the_file_does_not_mention() -> None:
    changed = changed_robots(Scene(), robot_changes(["puma560"], [], [], [], []))
    assert [robot.manipulator for robot in changed.robots] == ["puma560"]
    with pytest.raises(DescriptionError, match="no such robot, got 3"):
        changed_robots(Scene(), robot_changes(["3=puma560"], [], [], [], []))


@pytest.mark.parametrize("place", ["1 2", "a b c", "1=1 2 nan"])
def test_wrong_places(place: str) -> None:
    with pytest.raises(typer.BadParameter, match="--robot"):
        robot_changes([], [], [], [], [place])


def test_trigger_processors() -> None:
    scene = Scene(processors=(Processor(5, "old.One", "kept"),))
    only = changed_processors(scene, ["7: new.Two"], []).processors
    assert only == (Processor(7, "new.Two", "kept"),)
    added = changed_processors(scene, ["7:new.Two", "5:new.One"], []).processors
    assert added == (Processor(5, "new.One", "kept"), Processor(7, "new.Two"))
    two = Scene(processors=(Processor(5, "a.A", "x"), Processor(6, "b.B")))
    assert changed_processors(two, ["7:c.C"], []).processors == (
        *two.processors,
        Processor(7, "c.C"),
    )
    replaced = changed_processors(scene, ["5:new:Two"], ["*=5=x"]).processors
    assert replaced == (Processor(5, "new:Two", "5=x"),)
    assert changed_processors(scene, ["5:new.Two"], []).processors == (
        Processor(5, "new.Two", "kept"),
    )
    assert changed_processors(scene, ["7:b.C"], ["7=x"]).processors[0].config == "x"
    wrong: tuple[tuple[list[str], list[str], str], ...] = (
        (["x"], [], "'x' is not INST:CLASS"),
        (["1:"], [], "'1:' is not INST:CLASS"),
        ([], ["9=x"], "no trigger processor listens under 9"),
    )
    for processors, configs, told in wrong:
        with pytest.raises(typer.BadParameter, match=told):
            changed_processors(scene, processors, configs)
    with pytest.raises(typer.BadParameter, match="no trigger processor"):
        changed_processors(Scene(), [], ["x"])


def test_pace() -> None:
    assert options.pace_ratio(None, None) is None
    assert options.pace_ratio("max", None) is None
    assert options.pace_ratio("2.5", None) == 2.5
    assert options.pace_ratio(None, 50.0) == 2.0  # 50 ms for 100 ms: twice as fast as reality
    wrong: tuple[tuple[str | None, float | None, str], ...] = (
        ("0", None, "--pace: 0 is not above 0"),
        ("x", None, "'x' is neither a number nor max"),
        (None, -1.0, "--sim-time: -1 is not above 0"),
        ("1", 100.0, "say the same"),
        ("nan", None, "--pace: nan is not above 0"),
    )
    for pace, sim_time, told in wrong:
        with pytest.raises(typer.BadParameter, match=told):
            options.pace_ratio(pace, sim_time)


def test_events_come_by_time() -> None:
    found = options.schedule(["2:3:RUN:now"], ["1.5:0:move it"])
    assert found == [(1.5, "line", 0, "move it"), (2.0, "trigger", 3, "RUN:now")]
    for wrong, told in (
        ("1:2", "is not time:number:text"),
        ("x:1:a", "is not time:number:text"),
        ("-1:0:a", "the time -1 is not 0 s or later"),
        ("inf:0:a", "the time inf is not 0 s or later"),
        ("1:a:b", "is not time:number:text"),
    ):
        with pytest.raises(typer.BadParameter, match=told):
            options.schedule([wrong], None)


def test_picture_options() -> None:
    assert options.picture_size("641x480") == (640, 480)
    assert options.render_flags("T") == (True, False, True)
    assert options.render_flags("ttf") == (True, True, False)
    assert options.camera_angles(None) == {}
    assert options.camera_angles("-60 30")["distance"] is None
    found = options.camera_angles("90 90 2.5")
    assert found["azimuth"] == pytest.approx(math.pi / 2)
    assert found["distance"] == 2.5
    assert "target" not in found
    assert options.camera_angles("0, 30, 1, 2, 3")["target"] == (1, 2, 3)
    assert options.camera_angles("0 30 4 1 2 3")["distance"] == 4
    assert options.camera_angles("0 30 ball")["target"] == "ball"
    assert options.camera_angles("0 30 ball")["distance"] is None
    assert not options.camera_angles("0 30 1.5 ball")["follow"]
    going = options.camera_angles("0 30 1.5 robot 0 follow")
    assert (going["distance"], going["target"], going["follow"]) == (1.5, "robot 0", True)
    assert options.ik_method("down") == "simplex"
    assert options.ik_method("jac") == "jacobian"
    wrong: tuple[tuple[Callable[[str], object], str, str], ...] = (
        (options.picture_size, "640", "is not width x height"),
        (options.picture_size, "1x1", "is not within 16 to 4096"),
        (options.render_flags, "TTFF", "up to three of T and F"),
        (options.render_flags, "yes", "up to three of T and F"),
        (options.camera_angles, "1 2 3 4", "--camera"),
        (options.camera_angles, "ball", "'ball' is not a number"),
        (options.camera_angles, "30", "needs 2 numbers"),
        (options.camera_angles, "0 30 -1 ball", "distance: -1 is not above 0"),
        (options.camera_angles, "0 -5", "elevation -5 is not within 0 to 90"),
        (options.camera_angles, "0 30 0", "distance: 0 is not above 0"),
        (options.ik_method, "best", "'best' is no method"),
        (options.renderer, "opengl", "'opengl' is not known"),
    )
    for call, value, told in wrong:
        with pytest.raises(typer.BadParameter, match=told):
            call(value)


def test_pictures_by_rate_or_by_the_time_between_them() -> None:
    assert options.picture_rate(None, None) == 20.0
    assert options.picture_rate(7.5, None) == 7.5
    assert options.picture_rate(None, 40) == 25.0
    wrong: tuple[tuple[float | None, float | None, str], ...] = (
        (20.0, 50, "say the same"),
        (0.0, None, "--fps: 0 is not within"),
        (None, 0, "--render-ms: 0 is not within"),
    )
    for fps, render_ms, told in wrong:
        with pytest.raises(typer.BadParameter, match=told):
            options.picture_rate(fps, render_ms)
