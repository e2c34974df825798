"""Robot programs as the studio's desk answers them, with hostile questions too."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import DescriptionError, ProgramError
from armwerk.protocol.programming import (
    CheckProgram,
    ExportProgram,
    FormatProgram,
    ProgramChecked,
    ProgramRun,
    ProgramText,
    RunProgram,
)
from armwerk.studio import StudioFolder, StudioSession
from armwerk.studio.desks.program import MOST_STEPS, ProgramDesk
from armwerk.studio.desks.stages import Stages

DOWN = "orizyx(0, 180, 0)"


@pytest.fixture
def desk(tmp_path: Path) -> ProgramDesk:
    return ProgramDesk(Stages(StudioFolder(tmp_path)))


def run(desk: ProgramDesk, statements: str, declarations: str = "", inputs: str = "") -> ProgramRun:
    text = f"program P;\n{declarations}\nbegin\n{statements}\nendprogram;\n"
    found = desk.obey(RunProgram(text, "irb120", inputs))
    assert isinstance(found, ProgramRun)
    return found


def test_a_run_is_told_line_by_line(desk: ProgramDesk) -> None:
    text = f"n := 1;\nmove ptp ((350, 0, 250), {DOWN});\nn := 2;\nwriteln(n);"
    found = run(desk, text, "var int: n;")
    assert [step.line for step in found.steps] == [4, 5, 6, 7, 8, 8]
    held = {4: "0", 5: "1", 7: "2"}
    changed = {step.line: one.value for step in found.steps for one in step.changes}
    assert changed == held
    times = [step.time for step in found.steps]
    assert times[1] == 0.0
    assert times[2] > 0.2  # behind the move, though the program ran ahead
    assert times == sorted(times)
    assert found.output == "2\n"
    assert found.problem is None
    assert found.ending.startswith("done after")


def test_the_arm_ends_where_the_program_says(desk: ProgramDesk) -> None:
    found = run(desk, f"move ptp ((350, 0, 250), {DOWN}); move_inc lin (0, 60, 0); wait 1 sec;")
    motion = found.motion
    assert motion is not None
    assert motion.duration == pytest.approx(found.steps[-1].time)
    tool = np.frombuffer(base64.b64decode(motion.tool), "<f4").reshape(-1, 3)
    assert len(tool) == motion.samples
    np.testing.assert_allclose(tool[-1], [0.35, 0.06, 0.25], atol=1e-5)
    q = np.frombuffer(base64.b64decode(motion.position), "<f4").reshape(-1, 6)
    np.testing.assert_allclose(
        aw.model("irb120").fk(q[-1].astype(float))[:3, 3], tool[-1], atol=1e-5
    )


def test_inputs_come_when_they_are_told_to(desk: ProgramDesk) -> None:
    found = run(desk, "wait for there;", "signal input bool: there;", "there=true@2.5")
    assert found.steps[-1].time == pytest.approx(2.5)
    stuck = run(desk, "wait for there;", "signal input bool: there;")
    assert stuck.problem is not None
    assert "waits for ever" in stuck.problem.message
    for wrong in ("there", "there=1", "there=x@1", "there=nan@1"):
        with pytest.raises(DescriptionError, match="name=value@seconds"):
            run(desk, "wait for there;", "signal input bool: there;", wrong)


def test_what_cannot_be_driven_keeps_what_was(desk: ProgramDesk) -> None:
    found = run(
        desk, f"move ptp ((350, 0, 250), {DOWN}); writeln('a');\nmove_inc lin (0, 9000, 0);"
    )
    assert found.problem is not None
    assert found.problem.line == 5
    assert found.output == "a\n"
    assert found.motion is not None


def test_an_endless_program_is_left(desk: ProgramDesk) -> None:
    found = run(
        desk, "while true\nn := n + 1;\nif n > 1000000\nn := 0;\nendif;\nendwhile;", "var int: n;"
    )
    assert len(found.steps) <= MOST_STEPS + 1
    assert found.ending == f"left after {MOST_STEPS} lines"
    assert found.motion is None


def test_mistakes_and_warnings_have_their_places(desk: ProgramDesk) -> None:
    checked = desk.obey(CheckProgram("program P;\nbegin\n  move pttp a;\nendprogram;"))
    assert isinstance(checked, ProgramChecked)
    assert [(one.line, one.column, one.is_warning) for one in checked.problems] == [(3, 8, False)]
    checked = desk.obey(CheckProgram("program P;\nbegin\n  halt;\n  writeln('x');\nendprogram;"))
    assert isinstance(checked, ProgramChecked)
    assert [(one.line, one.is_warning) for one in checked.problems] == [(4, True)]
    found = desk.obey(RunProgram("program", "irb120"))
    assert isinstance(found, ProgramRun)
    assert found.problem is not None
    assert found.steps == ()


def test_texts_are_written(desk: ProgramDesk) -> None:
    tidy = desk.obey(FormatProgram("PROGRAM P; BEGIN wait 1 sec; ENDPROGRAM;"))
    assert isinstance(tidy, ProgramText)
    assert "\n  wait 1 sec;\n" in tidy.text
    krl = desk.obey(ExportProgram("program P; begin wait 1 sec; endprogram;", "krl"))
    assert isinstance(krl, ProgramText)
    assert krl.name == "P.src, P.dat"
    assert "WAIT SEC 1" in krl.text
    with pytest.raises(ProgramError):
        desk.obey(ExportProgram("program P; begin halt endprogram", "krl"))
    with pytest.raises(DescriptionError, match="too long"):
        desk.obey(CheckProgram(" " * 500_000))


def test_a_session_hands_programs_to_the_desk(tmp_path: Path) -> None:
    session = StudioSession("drop_and_bounce", StudioFolder(tmp_path))
    try:
        answer = session.obey(3, RunProgram("program P; begin wait 1 sec; endprogram;", "nobody"))
        assert "neither an arm" in answer.problem
        answer = session.obey(4, CheckProgram("program P; begin wait 1 sec; endprogram;"))
        assert answer.result == ProgramChecked(())
    finally:
        session.close()


def test_values_have_no_dust_at_zero(desk: ProgramDesk) -> None:
    found = run(
        desk,
        "x := cos(90.0); y := 1.0 / 3.0; z := 2.0E-7; p := (500.0 * cos(90.0), 250.0, -0.0);",
        "var real: x, y, z; var position: p;",
    )
    last = {one.name: one.value for step in found.steps for one in step.changes}
    assert (last["x"], last["y"], last["z"]) == ("0.0", "0.333333", "2e-07")
    assert last["p"] == "(0.0, 250.0, 0.0)"
