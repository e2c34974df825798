"""Robot programs in IRL as controllers of cells: motions, signals, errors, pauses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.cell.traces import last_line
from armwerk.errors import DescriptionError, SceneError
from armwerk.scene import parse_scene, read_scene

ROBOT = "ROBOT 0 0 -90\nMANIPULATOR irb120\nGRIPPER parallel_gripper\n"
DOWN = "orizyx(0, 180, 0)"


def cell(
    tmp_path: Path, statements: str, declarations: str = "", more: str = "", robot: str = ROBOT
) -> aw.World:
    """Return the world of one robot with a program of its own, in files as users have them."""
    program = f"program P;\n{declarations}\nbegin\n{statements}\nendprogram;\n"
    (tmp_path / "p.irl").write_text(program, encoding="utf-8")
    (tmp_path / "c.env").write_text(f"{robot}CONTROLLER p.irl\n{more}", encoding="utf-8")
    return aw.World.load(tmp_path / "c.env")


def said(world: aw.World, number: int = 0) -> list[str]:
    """Return what a program has written."""
    return [note.text for note in world.notes if note.instance == number]


def done(world: aw.World, seconds: float = 30.0) -> bool:
    """Run a world until its programs have ended; return whether all have done their task."""
    world.run(
        seconds=seconds, until=lambda one: all(r.state != "running" for r in one.robots.values())
    )
    return all(robot.state == "done" for robot in world.robots.values() if robot.controller)


def test_a_ball_is_gripped_and_dropped_into_its_box(tmp_path: Path) -> None:
    program = f"""program Pick;
signal output bool: gripper; input bool: holds;
begin
  gripper := false;
  move ptp ((400, -150, 200), {DOWN});
  move_inc lin (0, 0, -115) speed := 100.0;
  gripper := true;
  writeln('holds ', holds);
  move_inc lin (0, 0, 115) c_cp := 30;
  move lin ((250, 350, 280), {DOWN}) speed := 500;
  gripper := false;
  wait 0.5 sec;
endprogram;"""
    file = tmp_path / "pick.irl"
    file.write_text(program, encoding="utf-8")
    scene = read_scene("pick_and_place")
    with aw.World(scene, robots={0: {"controller": str(file), "config": None}}) as world:
        assert done(world)
        assert said(world) == ["holds true"]
        x, y, z = world.objects["ball"].position
        assert abs(x - 0.25) < 0.07
        assert abs(y - 0.35) < 0.07
        assert z < 0.05
        assert world.report.robots[0].controller == "pick.irl"


def test_the_tool_goes_where_the_program_says(tmp_path: Path) -> None:
    with cell(
        tmp_path, f"move ptp ((350, 100, 250), {DOWN}); move_inc lin (50, -80, 30);"
    ) as world:
        assert done(world)
        # the base of a robot that looks along +x is that of the world
        np.testing.assert_allclose(world.robots[0].pose[:3, 3], [0.4, 0.02, 0.28], atol=2e-3)


def test_what_cannot_be_driven_is_told_with_its_line(tmp_path: Path) -> None:
    with cell(tmp_path, "move ptp ((5000, 0, 0), orizyx(0, 0, 0));") as world:
        assert not done(world)
        robot = world.robots[0]
        assert robot.state == "failed"
        lines = robot.error.split("\n")
        assert lines[0].startswith(f"{tmp_path / 'p.irl'}:4:1: ")
        assert "out of reach" in lines[0]
        assert "move ptp ((5000, 0, 0)" in lines[1]
        assert "Traceback" not in robot.error
        assert "armwerk/" not in robot.error


def test_mistakes_of_a_program_are_told_when_the_cell_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"p\.irl:4:6.*did you mean 'ptp'"):
        cell(tmp_path, "move pttp a;")


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    cell(tmp_path, "wait 1 sec;").close()
    (tmp_path / "c.env").write_text(f"{ROBOT}CONTROLLER q.irl\n", encoding="utf-8")
    with pytest.raises(SceneError, match=r"no program 'q\.irl' beside the cell; did you mean"):
        aw.World.load(tmp_path / "c.env")


def test_first_values_come_from_config(tmp_path: Path) -> None:
    text = "writeln(n, ' ', r, ' ', b);"
    declarations = "var int: n; real: r; bool: b;"
    with cell(tmp_path, text, declarations, "CONFIG n=4 r=2.5 b=true\n") as world:
        assert done(world)
        assert said(world) == ["4 2.5 true"]
    with pytest.raises(SceneError, match="cannot be the first value of 'n'"):
        cell(tmp_path, text, declarations, "CONFIG n=few\n")
    with pytest.raises(SceneError, match=r"no variable of .* is called 'm'"):
        cell(tmp_path, text, declarations, "CONFIG m=1\n")


def test_a_second_run_begins_at_the_beginning(tmp_path: Path) -> None:
    with cell(tmp_path, "n := n + 1; writeln(n); wait 0.1 sec;", "var int: n;") as world:
        assert done(world)
        world.start()
        assert done(world)
        world.reset()
        assert done(world)
        assert said(world) == ["1"]  # notes are forgotten by the reset


@pytest.mark.parametrize("moment", [0.05, 0.4, 0.75, 1.1])
def test_a_paused_motion_goes_on_along_its_path(tmp_path: Path, moment: float) -> None:
    text = (
        f"move ptp ((350, 100, 250), {DOWN}); move lin ((350, -100, 250), {DOWN}) speed := 200"
        " c_cp := 20; move_inc lin (0, 0, 80) speed := 200; writeln('there');"
    )
    ends = []
    for pauses in (False, True):
        with cell(tmp_path, text) as world:
            ways: list[np.ndarray] = []
            world.observe(partial(note, world, ways))
            if pauses:
                for _ in range(2):
                    world.run(seconds=moment)
                    world.pause()
                    world.run(seconds=1.0)
                    assert world.robots[0].state == "paused"
                    assert np.abs(world.robots[0].body.qd).max() < 1e-3
                    world.start()
            assert done(world)
            assert said(world) == ["there"]
            ends.append(world.robots[0].pose)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)
    places = np.array([pose[:3, 3] for pose in ways])
    first = int(np.abs(places - (0.35, 0.1, 0.25)).max(axis=1).argmin())
    line = places[first:]
    assert np.abs(line[:, 0] - 0.35).max() < 3e-3
    assert np.abs(line[line[:, 1] > -0.07, 2] - 0.25).max() < 3e-3


def note(world: aw.World, ways: list[np.ndarray]) -> None:
    """Write down where the tool is."""
    ways.append(world.robots[0].pose)


def test_a_motion_ends_where_something_is_touched(tmp_path: Path) -> None:
    text = f"""
  gripper := true;
  move ptp ((400, 0, 250), {DOWN});
  move lin ((400, 0, 50), {DOWN}) speed := 50 until touch_table error Missed;
  writeln('at ', r_pose_act.pos.z > 80);"""
    declarations = (
        "signal input bool: touch_table; output bool: gripper;"
        "procedure Missed; begin writeln('missed'); endproc;"
    )
    table = "DEBUGNAME table\nSTEP 10 A0A0B0\nRECT 40 0 20 20\nENDSTEP\n"
    with cell(tmp_path, text, declarations, table) as world:
        assert done(world), world.robots[0].error
        assert said(world) == ["at true"]
        assert 0.09 < world.robots[0].pose[2, 3] < 0.115


def test_messages_set_inputs(tmp_path: Path) -> None:
    text = """
  wait for there; writeln('there');
  wait for level >= 2.5; writeln('level');
  wait for parts = 2; writeln('parts');
  wait for there = false; writeln('gone');"""
    declarations = "signal input bool: there; input real: level; input int: parts;"
    with cell(tmp_path, text, declarations) as world:
        for message in ("THERE=on", "nonsense", "level=2.5", "parts", "parts+", "parts+", "parts-"):
            world.run(seconds=0.05)
            world.send_trigger(0, message)
        world.run(seconds=0.05)
        assert said(world) == ["there", "level", "parts"]
        world.send_trigger(0, "there=0")
        assert done(world, 1.0)
        assert said(world)[-1] == "gone"


def test_outputs_run_belts_and_tell_other_programs(tmp_path: Path) -> None:
    (tmp_path / "one.irl").write_text(
        "program One; signal output bool: belt at 10; output int: count at 1; begin"
        " belt := true; wait 0.5 sec; belt := false; count := 3; endprogram;",
        encoding="utf-8",
    )
    (tmp_path / "two.irl").write_text(
        "program Two; signal input int: count; begin wait for count = 3 timeout 2 sec;"
        " writeln(r_time); endprogram;",
        encoding="utf-8",
    )
    (tmp_path / "c.env").write_text(
        "MULTIROBOT 2\nROBOT0 0 0 0\nMANIPULATOR0 irb120\nCONTROLLER0 one.irl\n"
        "ROBOT1 200 0 0\nMANIPULATOR1 irb120\nCONTROLLER1 two.irl\n"
        "CONVEYOR 10 STOP 20 20 x 10 0 505860\nRECT 0 100 100 20\nENDCONVEYOR\n"
        "CUBOID 0 100 22.5 5 5 5 C03030\n",
        encoding="utf-8",
    )
    with aw.World.load(tmp_path / "c.env") as world:
        assert done(world, 5.0)
        assert [text for _, instance, text in world.triggers if instance == 10] == ["RUN", "STOP"]
        assert 0.03 < world.objects["cuboid0"].position[0] < 0.06
        assert 0.5 <= float(said(world, 1)[0]) < 0.51


def test_one_program_moves_two_robots(tmp_path: Path) -> None:
    text = (
        f"move ptp ((350, 0, 300), {DOWN}) act_rob := 2; move ptp ((300, 0, 250), {DOWN});"
        f"writeln(r_time < 3.0);"
    )
    robot = (
        "MULTIROBOT 2\nROBOT1 0 100 -90\nMANIPULATOR1 irb120\nROBOT0 0 0 -90\nMANIPULATOR0 irb120\n"
    )
    with cell(tmp_path, text, robot=robot) as world:
        assert done(world), world.robots[0].error
        assert said(world) == ["true"]
        np.testing.assert_allclose(world.robots[0].pose[:3, 3], [0.3, 0.0, 0.25], atol=2e-3)
        np.testing.assert_allclose(world.robots[1].pose[:3, 3], [0.35, 1.0, 0.3], atol=2e-3)


def test_an_endless_loop_does_not_hold_the_world_up(tmp_path: Path) -> None:
    with cell(
        tmp_path, "while true n := n + 1; if n > 1000000 n := 0; endif; endwhile;", "var int: n;"
    ) as world:
        world.run(seconds=0.2)
        states = [world.robots[0].state]
        assert "in p.irl line 4" in world.robots[0].place
        world.stop()
        assert [*states, world.robots[0].state] == ["running", "stopped"]


def test_a_missing_gripper_is_told(tmp_path: Path) -> None:
    robot = "ROBOT 0 0 -90\nMANIPULATOR irb120\n"
    with cell(tmp_path, "gripper := true;", "signal output bool: gripper;", robot=robot) as world:
        assert not done(world)
        assert "has no gripper; the cell names one with GRIPPER" in world.robots[0].error


def test_a_pause_of_the_program_waits_for_the_user(tmp_path: Path) -> None:
    with cell(tmp_path, "n := 7; pause; writeln('on');", "var int: n;") as world:
        world.run(seconds=0.1)
        assert "paused before line 4" in said(world)[0]
        world.send_line(0, "watch n")
        world.run(seconds=0.1)
        assert said(world)[1] == "n = 7"
        world.send_line(0, "continue")
        assert done(world, 1.0)
        assert said(world)[-1] == "on"


def test_lines_of_the_commander_step_through_a_program(tmp_path: Path) -> None:
    text = "wait 0.1 sec;\nn := 1;\nn := 2;\nwriteln('end');"
    with cell(tmp_path, text, "var int: n;") as world:
        world.run(seconds=0.01)
        for line in ("break 5", "dance"):
            world.send_line(0, line)
        world.run(seconds=2.0)
        assert said(world)[:2] == [
            "pauses before lines 5",
            "paused before line 5: n := 1; (continue | step | watch NAME)",
        ]
        assert "it understands: where | watch NAME" in world.problems[0].text
        for line in ("step", "watch n", "break", "continue"):
            world.send_line(0, line)
            world.run(seconds=0.1)
        assert said(world)[2:] == [
            "paused before line 6: n := 2; (continue | step | watch NAME)",
            "n = 1",
            "pauses before lines none",
            "end",
        ]
        assert world.robots[0].state == "done"


def test_the_log_tells_a_fault_in_one_line(tmp_path: Path) -> None:
    with cell(tmp_path, "n := 1 div n;", "var int: n;") as world:
        done(world)
        told = last_line(world.robots[0].error)
        assert told.startswith(f"{tmp_path / 'p.irl'}:4:")
        assert "zero" in told


def test_blocked_motions_are_told_with_their_line(tmp_path: Path) -> None:
    wall = "STEP 60 A0A0B0\nRECT 40 -20 30 4\nENDSTEP\n"
    text = f"move ptp ((400, 150, 250), {DOWN});\nmove lin ((400, -350, 250), {DOWN});"
    with cell(tmp_path, text, more=wall) as world:
        assert not done(world)
        assert "p.irl:5:" in world.robots[0].error
        assert "move lin ((400, -350, 250)" in world.robots[0].error


def test_a_scene_in_a_text_names_programs_by_whole_paths(tmp_path: Path) -> None:
    (tmp_path / "p.irl").write_text("program P; begin wait 1 sec; endprogram;", encoding="utf-8")
    scene = parse_scene(f"{ROBOT}CONTROLLER {tmp_path / 'p.irl'}\n")
    with aw.World(scene) as world:
        assert done(world)
        assert world.time == pytest.approx(1.0, abs=0.01)
    with pytest.raises((SceneError, DescriptionError), match="no program"):
        aw.World(parse_scene(f"{ROBOT}CONTROLLER p.irl\n"))


@pytest.mark.parametrize("moment", [0.002, 0.11, 0.37, 0.52, 0.9])
def test_a_program_that_is_stopped_leaves_the_arm_at_rest(tmp_path: Path, moment: float) -> None:
    text = (
        f"gripper := true; move ptp ((350, 100, 250), {DOWN});"
        " move_inc lin (0, -150, 0) c_cp := 20;"
        " move_inc lin (0, 0, 60); gripper := false; writeln('end');"
    )
    with cell(tmp_path, text, "signal output bool: gripper;") as world:
        world.run(seconds=moment)
        world.stop()
        world.run(seconds=0.6)
        assert world.robots[0].state == "stopped"
        assert np.abs(world.robots[0].body.qd).max() < 1e-3
        world.start()
        assert done(world), world.robots[0].error
        assert said(world) == ["end"]
        np.testing.assert_allclose(world.robots[0].pose[:3, 3], [0.35, -0.05, 0.31], atol=2e-3)


def test_the_source_s_palletising_program_runs_word_by_word(tmp_path: Path) -> None:
    """Its surroundings, gripper and initial values, come from the declarations of the cell."""
    source = Path(__file__).parents[1] / "language" / "programs" / "palette_6_2.irl"
    (tmp_path / "palette.irl").write_bytes(source.read_bytes())
    (tmp_path / "palette.decl").write_text(
        f"""module Cell;
signal output int: Gripper;
const int: GripperOpen = 0, GripperClose = 1;
procedure Initialization;
begin
  xn := 2; yn := 2; xdiff := (80, 0, 0); ydiff := (0, 60, 0);
  TakePose := ((300, -320, 150.3), {DOWN}); UpPose := TakePose; UpPose.pos.z := 220;
  LayPose := ((290, 160, 90.6), {DOWN}); DownPose := LayPose; DownPose.pos.z := 170;
  SavePose := ((350, 0, 300), {DOWN});
  IsConveyer := true; IsPalette := true;
endproc;
endmodule;""",
        encoding="utf-8",
    )
    (tmp_path / "c.env").write_text(
        "ROBOT 0 0 -90\nMANIPULATOR irb120\nGRIPPER suction_gripper\nCONTROLLER palette.irl\n"
        "CONVEYOR 10 RUN 12 12 x -8 0 505860\nRECT 80 -32 120 9\nENDCONVEYOR\n"
        "STEP 13 A0A0B0\nRECT 25.5 -32 2 9\nENDSTEP\n"  # the parts come to rest against it
        "SLICE 3 6 C8A878\nRECT 33 19 34 20\nENDSLICE\n"
        + "".join(f"CUBOID {30 + 7.4 * k} -32 13.5 7 5 3 C03030\n" for k in range(4)),
        encoding="utf-8",
    )
    # at the end of a row the source goes back one step less than it went on
    goals = [(0.29 + 0.08 * (x + y), 0.16 + 0.06 * y, 0.075) for y in range(2) for x in range(2)]

    def is_full(world: aw.World) -> bool:
        places = [thing.position for thing in world.objects.values()]
        return all(
            any(np.abs(np.asarray(place) - goal).max() < 0.008 for place in places)
            for goal in goals
        )

    with aw.World.load(tmp_path / "c.env") as world:
        world.run(seconds=40.0, until=is_full)
        assert is_full(world), [thing.position for thing in world.objects.values()]
        assert world.robots[0].state == "running"  # there is no end in it
