"""A run under a debugger does what it does without one, and goes back the way it came."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from armwerk.errors import ExecutionError, ProgramError
from armwerk.language import Rehearsal, irl
from armwerk.language.debugging import moments
from armwerk.language.debugging.debugger import Breakpoint, Debugger, ProgramPlace
from armwerk.language.debugging.expressions import ProgramNames
from armwerk.language.irl import RobotProgram
from armwerk.language.types import deep_copy

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(FOLDER.glob("*.irl"))
STEPS = 300


def machine() -> Rehearsal:
    """Return a machine with two robots and an input that changes."""
    return Rehearsal({"there": [(1.0, True)]}, robots=2)


def state(run: Debugger) -> tuple[object, ...]:
    """Return all that a user can see of a run."""
    where = [
        (run.thread(one), run.places[one.place], len(one.calls), deep_copy(one.frame))
        for one in run.processes
    ]
    moment = run.moment()
    return (run.count, where, moment.variables, run.machine.time, run.output)


def lines(run: Debugger, text: str) -> list[int]:
    """Set breakpoints at the lines that hold a text."""
    found = [
        number
        for number, line in enumerate(run.program.sources[-1].text.split("\n"), start=1)
        if text in line
    ]
    places = [run.breakpoint_at(ProgramPlace(len(run.program.sources) - 1, n)) for n in found]
    run.set_stops(Breakpoint(place[0]) for place in places if place is not None)
    return found


def line_of(run: Debugger) -> int:
    """Return the line of the main process."""
    return run.places[run.processes[0].place].line


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_small_programs_go_forth_and_back(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_every_moment(monkeypatch)
    try:
        program = irl.load(path, folder=tmp_path)
    except ProgramError:
        return
    run = program.debugger(machine())
    seen = [state(run)]
    for _ in range(STEPS):
        stop = run.move(run.processes[0], "in")
        if stop.reason != "step":
            break
        seen.append(state(run))
    if stop.reason in {"done", "exception"}:
        plain = program.interpreter(machine())
        fault = ""
        try:
            while plain.run() == "paused":
                pass
        except ExecutionError as error:
            fault = str(error)
        assert ("" if run.error is None else str(run.error)) == fault
        assert run.output == plain.output
    for place in reversed(seen):
        run.go_to(int(str(place[0])))
        assert state(run) == place
    for place in seen[1:]:
        run.move(run.processes[0], "in")
        assert state(run) == place


NESTED = """program Nested;
var
  int: i, sum;
function twice(in int: n): int;
begin
  sum := sum + 0;
  return 2 * n;
endfct;
procedure deep(in int: n);
begin
  if n > 0
    deep(n - 1);
  endif;
endproc;
begin
  for i := 1 to 3
    sum := sum + twice(i);
  endfor;
  deep(5);
  writeln(sum);
endprogram;"""


def nested() -> Debugger:
    """Return a run of the program above."""
    return irl.loads(NESTED).debugger()


def test_steps_go_in_over_and_out() -> None:
    run = nested()
    main = run.processes[0]
    lines(run, "sum + twice")
    assert run.resume().reason == "breakpoint"
    assert line_of(run) == 17
    run.move(main, "in")
    assert (line_of(run), len(main.calls)) == (6, 1)
    assert [frame.name for frame in run.frames(main)] == ["twice", "Nested"]
    run.move(main, "out")
    assert (line_of(run), len(main.calls)) == (17, 0)
    run.move(main, "over")
    assert line_of(run) == 16
    run.set_stops([])
    run.move(main, "over")
    run.move(main, "over")
    assert line_of(run) == 16  # the function ran meanwhile
    while line_of(run) < 19:
        run.move(main, "over")
    run.move(main, "over")
    assert (line_of(run), len(main.calls)) == (20, 0)  # five calls in one another


def test_steps_back_go_the_same_way() -> None:
    run = nested()
    lines(run, "writeln")
    run.resume()
    lines_back = []
    while run.move_back(run.processes[0]).reason != "start":
        lines_back.append(line_of(run))
    assert lines_back == [19, 16, 17, 16, 17, 16, 17, 16]
    assert run.count == 0


def test_breakpoints_are_met_backwards() -> None:
    run = nested()
    lines(run, "return 2")
    for expected in (1, 2, 3):
        assert run.resume().reason == "breakpoint"
        assert run.watch("n") == expected
    assert run.resume().reason == "done"
    for expected in (3, 2, 1):
        assert run.resume_back().reason == "breakpoint"
        assert run.watch("n") == expected
    assert run.resume_back().reason == "start"
    assert run.resume().reason == "breakpoint"
    assert run.watch("n") == 1


def test_output_is_heard_once_for_each_time_it_is_seen() -> None:
    heard: list[str] = []
    run = irl.loads(
        "program P;\nvar int: i;\nbegin\nfor i := 1 to 4\nwriteln(i);\nendfor;\nendprogram;"
    ).debugger(say=heard.append)
    run.resume()
    assert heard == ["1\n", "2\n", "3\n", "4\n"]
    lines(run, "writeln")
    run.resume_back()
    run.resume_back()
    assert heard[4:] == []
    assert run.output == "1\n2\n"
    run.set_stops([])
    run.resume()
    assert heard[4:] == ["3\n", "4\n"]


def test_a_fault_stops_with_its_line_and_can_be_turned_back() -> None:
    run = irl.loads(
        "program P;\nvar int: i, n := 3;\nbegin\nwhile true\nn := n - 1;\ni := 6 div n;\n"
        "endwhile;\nendprogram;"
    ).debugger()
    assert run.resume().reason == "exception"
    assert run.error is not None
    assert run.error.problem.line == 6
    assert run.watch("n") == 0
    run.move_back(run.processes[0])
    assert run.error is None
    assert (line_of(run), run.watch("n")) == (5, 1)
    assert run.status == "paused"


COUNTING = """program Counting;
var int: i;
begin
  for i := 1 to 100000
    i_times_two;
  endfor;
endprogram;"""


def test_a_far_place_is_found_between_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "APART", 0.001)
    text = COUNTING.replace("i_times_two", "n := n + 2 * i").replace("int: i", "int: i, n")
    run = irl.loads(text.replace("n + 2 * i", "(n + i) mod 1000")).debugger()
    lines(run, "mod")
    run.set_stops([])
    assert run.resume().reason == "done"
    end = run.watch("n")
    run.go_to(150_000)
    middle = state(run)
    run.go_to(20_000)
    run.resume()
    assert run.watch("n") == end
    run.go_to(150_000)
    assert state(run) == middle


TWO = """program Two;
var
  int: mine, other, turns;
  semaphore: free := 1;
process Worker;
var
  int: own;
begin
  while true
    sem_wait(free);
    own := own + 1;
    other := own;
    sem_signal(free);
    wait 0.003 sec;
  endwhile;
endprocess;
begin
  start Worker;
  repeat
    sem_wait(free);
    mine := mine + 1;
    sem_signal(free);
    wait 0.01 sec;
  until mine >= 20;
  stop Worker;
  writeln(mine, ' ', other);
endprogram;"""


def keep_every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a debugger keep a moment whenever it can."""
    monkeypatch.setattr(moments, "APART", 0.0)
    monkeypatch.setattr(moments, "SHARE", 0.0)


def test_processes_take_the_same_turns_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_every_moment(monkeypatch)
    run = irl.loads(TWO).debugger()
    run.resume()
    said = run.output
    counts = list(range(1, run.count, 37))
    states = []
    for count in counts:
        run.go_to(count)
        states.append(state(run))
    for count, before in reversed(list(zip(counts, states, strict=True))):
        run.go_to(count)
        assert state(run) == before
    for count in counts[::5]:
        run.go_to(count)
        run.resume()
        assert run.output == said


def test_a_step_belongs_to_its_process() -> None:
    run = irl.loads(TWO).debugger()
    lines(run, "other := own")
    worker = run.resume().process
    assert run.thread(worker) == 1
    run.set_stops([])
    place = [run.places[run.move(worker, "over").process.place].line for _ in range(5)]
    assert place == [13, 14, 9, 10, 11]
    back = [run.places[run.move_back(worker).process.place].line for _ in range(3)]
    assert back == [10, 9, 14]


def test_files_are_cut_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_every_moment(monkeypatch)
    program = irl.loads(
        "program P;\nvar file: f; int: i;\nbegin\nopen(f, 'notes.txt');\nfor i := 1 to 3\n"
        "writeln(f, i);\nwait 0.1 sec;\nendfor;\nclose(f);\nendprogram;",
        folder=tmp_path,
    )
    run = program.debugger()
    run.resume()
    lines(run, "writeln")
    run.resume_back()
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "1\n2\n"
    run.resume()
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "1\n2\n3\n"


def test_a_run_can_be_paused_and_stopped_from_outside() -> None:
    run = irl.loads("program P;\nbegin\nwhile true\nendwhile;\nendprogram;").debugger()
    timer = threading.Timer(0.05, run.pause)
    timer.start()
    assert run.resume().reason == "pause"
    timer = threading.Timer(0.05, run.stop)
    timer.start()
    assert run.resume().reason == "stopped"
    timer.join()


def names(run: Debugger, program: RobotProgram) -> ProgramNames:
    """Return what reads expressions."""
    return ProgramNames(program.units, run.values)


def test_expressions_are_read_where_the_run_stands() -> None:
    program = irl.loads(NESTED)
    run = program.debugger()
    known = names(run, program)
    lines(run, "return 2")
    run.resume()
    run.resume()
    frame = run.processes[0].frame
    assert known.reader("2 * n + i", 1)(frame).value == 6
    assert known.condition("n = 2 and i < 3", 1)(frame)
    assert known.message("n is {n}, {i}{", 1)(frame) == "n is 2, 2{"
    assert known.reader("r_pose_act.pos", 1)(frame).kind.name == "position"
    assert known.assign("n", "20", 1, frame).value == 20
    run.changed()
    run.set_stops([])
    assert run.resume().reason == "done"
    assert run.output == f"{2 + 40 + 6}\n"
    run.move_back(run.processes[0])
    assert run.watch("sum") == 48


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nn", "'nn' is not declared"),
        ("n +", "ends too early"),
        ("twice(3)", "can call no function"),
        ("n n", "text behind"),
        ("", "the text is empty"),
        ("n.x", "int has no fields"),
    ],
)
def test_expressions_that_are_refused(text: str, said: str) -> None:
    program = irl.loads(NESTED)
    run = program.debugger()
    known = names(run, program)
    for _ in range(2):
        with pytest.raises(ProgramError) as error:
            known.reader(text, 1)
        assert said in str(error.value)


def test_conditions_hits_and_messages() -> None:
    heard: list[str] = []
    program = irl.loads(
        "program P;\nvar int: i;\nbegin\nfor i := 1 to 20\ni_;\nendfor;\nendprogram;".replace(
            "i_;", "writeln(i);"
        )
    )
    run = program.debugger(say=lambda text: None, log=heard.append)
    known = names(run, program)
    place = run.breakpoint_at(ProgramPlace(0, 5))
    assert place is not None
    even, said = known.condition("i mod 2 = 0", 0), known.message("i = {i}", 0)
    run.set_stops(
        [
            Breakpoint(
                place[0], lambda process: even(process.frame), is_due=lambda times: times % 3 == 0
            ),
            Breakpoint(place[0], message=lambda process: said(process.frame)),
        ]
    )
    run.resume()
    assert run.watch("i") == 6
    assert heard == [f"i = {n}" for n in range(1, 7)]
    run.resume()
    assert run.watch("i") == 12
    run.resume_back()
    assert run.watch("i") == 6
    assert len(heard) == 12
