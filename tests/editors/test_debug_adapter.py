"""An editor debugs a program, through pipes."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
from pathlib import Path

from debug_client import Debuggee
from language_client import Json, inside, read_message, rows, text_of, write_message

PROGRAM = """program Pick;
type
  part = record int: number; pose: place; endrecord;
var
  pose: home := ((400, 100, 300), orizyx(0, 180, 0));
  array[0..2999] of part: parts;
  int: i, sum;
  joint: ready;
signal
  output bool: grip;
function twice(in int: n): int;
var
  int: local;
begin
  local := 2 * n;
  return local;
endfct;
begin
  for i := 1 to 4
    parts[i].number := twice(i);
    sum := sum + parts[i].number;
  endfor;
  grip := true;
  writeln('sum ', sum);
endprogram;
"""


def test_breakpoints_steps_and_values(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM) as run:
        run.begin(20)
        assert run.stop() == ("breakpoint", 20)
        assert run.go("stepIn") == ("step", 15)
        assert [text_of(one, "name") for one in run.frames()] == ["twice", "Pick"]
        assert text_of(run.scope("Locals")["n"], "value") == "1"
        assert run.go("next") == ("step", 16)
        assert run.value("local + n") == "3"
        assert run.go("stepOut") == ("step", 20)
        assert run.go("next") == ("step", 21)
        shown = run.scope("Program")
        assert text_of(shown["home"], "value") == "((400, 100, 300), orizyx(0, 180, 0))"
        pose = run.opened(shown["home"])
        assert text_of(run.opened(pose["pos"])["x"], "value") == "400"
        page = run.opened(shown["parts"], filter="indexed", start=1, count=2)
        assert list(page) == ["[1]", "[2]"]
        assert text_of(run.opened(page["[1]"])["number"], "value") == "2"
        assert inside(shown["parts"], "indexedVariables") == 3000
        assert text_of(run.scope("Robot")["r_speed"], "value") == "250"
        assert text_of(run.scope("Signals")["grip"], "value") == "false"
        assert run.go("continue") == ("breakpoint", 20)
        run.breakpoints()
        run.ask("continue", {"threadId": 1})
        run.ends()
        assert run.output == "sum 20\n"


def test_steps_back_and_back_to_breakpoints(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM, stopAtEnd=True) as run:
        run.begin(21)
        for _ in range(4):
            assert run.stop() == ("breakpoint", 21)
            run.ask("continue", {"threadId": 1})
        assert run.stop()[0] == "pause"
        for expected in (4, 3, 2, 1):
            assert run.go("reverseContinue") == ("breakpoint", 21)
            assert run.value("i") == str(expected)
        assert run.go("stepBack") == ("step", 20)
        assert run.go("stepBack") == ("step", 19)
        assert run.go("stepBack")[0] in ("step", "entry")
        assert run.go("reverseContinue")[0] == "entry"
        assert run.value("sum") == "0"


def test_values_are_set_and_the_run_goes_on_with_them(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM) as run:
        run.begin(24)
        assert run.stop() == ("breakpoint", 24)
        frame = inside(run.frames(), 0, "id")
        scopes = rows(inside(run.ask("scopes", {"frameId": frame}), "scopes"))
        (program,) = [one for one in scopes if text_of(one, "name") == "Program"]
        reference = inside(program, "variablesReference")
        arguments: Json = {"variablesReference": reference, "name": "sum", "value": "6 * 7"}
        assert text_of(run.ask("setVariable", arguments), "value") == "42"
        parts = run.opened(run.opened(program)["parts"], start=2, count=1)["[2]"]
        arguments = {
            "variablesReference": inside(parts, "variablesReference"),
            "name": "number",
            "value": "-9",
        }
        run.ask("setVariable", arguments)
        assert run.value("parts[2].number") == "-9"
        assert run.value("home.pos.x := 12") == "12"
        assert run.value("home.pos") == "(12, 100, 300)"
        wrong: Json = {"variablesReference": reference, "name": "sum", "value": "'text'"}
        assert "int wanted" in run.refused("setVariable", wrong)
        assert "not declared" in run.refused("evaluate", {"expression": "nobody", "frameId": frame})
        run.ask("continue", {"threadId": 1})
        run.ends()
        assert run.output == "sum 42\n"


def test_conditions_hit_counts_messages_and_routines(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM) as run:
        run.event("initialized")
        found = run.breakpoints(
            {"line": 21, "condition": "i = 3"},
            {"line": 21, "logMessage": "i is {i}, {parts[i].number}"},
            {"line": 20, "hitCondition": ">= 4"},
            {"line": 21, "condition": "i +"},
            {"line": 21, "hitCondition": "often"},
            {"line": 99},
            2,
        )
        verified = [inside(one, "verified") for one in found]
        assert verified == [True, True, True, False, False, False, True]
        assert "often" in text_of(found[4], "message")
        assert inside(found[6], "line") == 5  # where the first value is assigned
        run.breakpoints({"line": 21, "condition": "i = 3"}, {"line": 20, "hitCondition": ">= 4"})
        run.ask(
            "setFunctionBreakpoints", {"breakpoints": [{"name": "Twice", "condition": "n = 2"}]}
        )
        run.ask("configurationDone")
        assert run.stop() == ("breakpoint", 15)
        run.breakpoints(
            {"line": 21, "condition": "i = 3"},
            {"line": 21, "logMessage": "i is {i}, {parts[i].number}"},
        )
        assert run.go("continue") == ("breakpoint", 21)
        assert run.value("i") == "3"
        assert run.output == "i is 2, 4\ni is 3, 6\n"


def test_a_fault_is_shown_with_its_line(tmp_path: Path) -> None:
    text = PROGRAM.replace("sum := sum +", "sum := 10 div (3 - i) +")
    with Debuggee(tmp_path, text) as run:
        run.begin()
        assert run.stop() == ("exception", 21)
        found = run.ask("exceptionInfo", {"threadId": 1})
        assert "zero" in text_of(found, "description")
        assert "program.irl:21" in run.output
        assert run.go("stepBack") == ("step", 20)
        assert run.value("i") == "3"


def test_a_program_with_mistakes_is_not_launched(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM.replace("sum := sum", "summ := sum")) as run:
        message = run.answer(run.launch_number)
        assert "'summ' is not declared" in text_of(message, "message")
        assert "program.irl:21" in run.output


def test_an_unknown_arm_is_told(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM, arms=["puma561"]) as run:
        assert "puma560" in text_of(run.answer(run.launch_number), "message")


ENDLESS = """program Endless;
var
  int: i;
process Beside;
begin
  while true
    wait 0.5 sec;
  endwhile;
endprocess;
begin
  start Beside;
  while true
    i := (i + 1) mod 1000;
    wait 0.1 sec;
  endwhile;
endprogram;
"""


def test_an_endless_program_is_paused_restarted_and_left(tmp_path: Path) -> None:
    with Debuggee(tmp_path, ENDLESS) as run:
        run.begin()
        time.sleep(0.2)
        assert "pause it first" in run.refused("stackTrace", {"threadId": 1})
        run.ask("pause", {"threadId": 1})
        reason, line = run.stop()
        assert reason == "pause"
        assert line in (7, 12, 13, 14)
        threads = rows(inside(run.ask("threads"), "threads"))
        assert [text_of(one, "name") for one in threads] == ["Endless", "Beside"]
        run.breakpoints(13)
        assert run.go("continue") == ("breakpoint", 13)
        run.breakpoints()
        run.ask("continue", {"threadId": 1})
        run.file.write_text(ENDLESS.replace("mod 1000", "mod 7"), encoding="utf-8")
        run.ask("restart", {})
        run.breakpoints(14)
        assert run.stop() == ("breakpoint", 14)
        for _ in range(20):
            run.go("continue")
        assert int(run.value("i")) < 7


def test_entry_and_output_without_debugging(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM, stopOnEntry=True) as run:
        run.begin()
        assert run.stop() == ("entry", 5)
        assert run.go("next") == ("step", 19)
    folder = tmp_path / "plain"
    folder.mkdir()
    with Debuggee(folder, PROGRAM, noDebug=True) as run:
        run.begin(20)
        run.ends()
        assert run.output == "sum 20\n"


def test_arms_move_and_tell_where_they_are(tmp_path: Path) -> None:
    text = """program Driven;
begin
  move ptp joint(10, 20, 0, 0);
  wait 0.1 sec;
  writeln(r_time > 0.1);
endprogram;
"""
    with Debuggee(tmp_path, text, arms=["scara"]) as run:
        run.begin(5)
        assert run.stop() == ("breakpoint", 5)
        assert run.value("r_joint_act.m_joint.a2") == "20"
        run.go("stepBack")
        run.go("stepBack")
        assert run.value("r_joint_act.m_joint.a2") == "0"


def test_an_editor_may_go_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(3)
    for turn in range(4):
        folder = tmp_path / str(turn)
        folder.mkdir()
        run = Debuggee(folder, ENDLESS)
        if turn:
            run.begin()
            time.sleep(chance.random() * 0.2)
        if turn % 2:
            run.send("disconnect", {})
        assert run.piped.end() == 0


def test_one_editor_after_the_other_by_tcp(tmp_path: Path) -> None:
    file = tmp_path / "program.irl"
    file.write_text(PROGRAM, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "armwerk", "debug-adapter", "--tcp", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        for _ in range(2):
            with (
                socket.create_connection(("127.0.0.1", port), timeout=60) as connection,
                connection.makefile("rb") as heard,
                connection.makefile("wb") as said,
            ):
                write_message(said, {"seq": 1, "type": "request", "command": "initialize"})
                assert inside(read_message(heard), "body", "supportsStepBack") is True
                launch: Json = {"program": str(file), "noDebug": True}
                write_message(
                    said, {"seq": 2, "type": "request", "command": "launch", "arguments": launch}
                )
                seen = [read_message(heard), read_message(heard)]
                assert {"initialized", None} == {
                    one.get("event") if isinstance(one, dict) else "" for one in seen
                }
        server.kill()


def test_what_is_no_message_is_told(tmp_path: Path) -> None:
    with Debuggee(tmp_path, PROGRAM) as run:
        assert run.piped.process.stdin is not None
        run.piped.process.stdin.write(b"Content-Length: 5\r\n\r\n{abc}")
        run.piped.process.stdin.flush()
        assert "not known" in run.refused("levitate")
        assert "no JSON" in run.output


CELL = """ROBOT 0 0 -90
MANIPULATOR irb120
GRIPPER parallel_gripper
"""


def test_a_program_is_debugged_in_a_cell(tmp_path: Path) -> None:
    (tmp_path / "cell.env").write_text(CELL, encoding="utf-8")
    text = """program InCell;
var
  int: i;
begin
  move ptp ((350, 100, 250), orizyx(0, 180, 0));
  writeln('there');
  move_inc lin (0, 50, 0);
  i := 3;
  wait 0.2 sec;
  writeln(r_pose_act.pos.y);
endprogram;
"""
    with Debuggee(tmp_path, text, cell="cell.env") as run:
        run.begin(6, 10)
        assert run.stop() == ("breakpoint", 6)  # the program runs ahead of the robot
        assert run.go("next") == ("step", 7)
        assert abs(float(run.value("r_pose_act.pos.x")) - 350.0) < 1.0
        assert run.output == "there\n"
        run.ask("stepBack", {"threadId": 1})
        assert run.stop() == ("pause", 7)
        assert "cannot be stepped back" in run.output
        assert run.go("continue") == ("breakpoint", 10)
        assert run.value("i") == "3"
        run.ask("continue", {"threadId": 1})
        run.ends()
        assert abs(float(run.output.split()[-1]) - 150.0) < 1.0


def test_a_cell_is_left_at_any_moment(tmp_path: Path) -> None:
    (tmp_path / "cell.env").write_text(CELL, encoding="utf-8")
    text = (
        "program P;\nvar\n  int: i;\nbegin\n  while true\n    i := (i + 1) mod 9;\n"
        "  endwhile;\nendprogram;\n"
    )
    with Debuggee(tmp_path, text, cell="cell.env") as run:
        run.begin()
        run.ask("pause", {"threadId": 1})
        assert run.stop()[0] == "pause"
        assert float(run.value("r_time")) >= 0.0
        run.ask("continue", {"threadId": 1})
    folder = tmp_path / "wrong"
    folder.mkdir()
    with Debuggee(folder, text, cell="no_such_cell") as run:
        assert "no_such_cell" in text_of(run.answer(run.launch_number), "message")


def test_a_pause_asked_for_before_the_program_has_begun_is_kept(tmp_path: Path) -> None:
    text = (
        "program P;\nvar\n  int: i;\nbegin\n  while true\n    i := (i + 1) mod 9;\n"
        "  endwhile;\nendprogram;\n"
    )
    for _ in range(20):
        with Debuggee(tmp_path, text) as run:
            run.begin()
            run.ask("pause", {"threadId": 1})
            assert run.stop()[0] == "pause"
            run.ask("pause", {"threadId": 1})  # it stands already
            assert run.go("next")[0] == "step"
