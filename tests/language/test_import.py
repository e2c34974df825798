"""What was exported to RAPID is read back and does the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from outcomes import INPUTS
from test_export import CELL

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import ExecutionError, ProgramError
from armwerk.language import ArmMachine, MotionCommand, Rehearsal, RobotProgram
from armwerk.language.importing.rapid import RapidReader

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.irl"))


def read_back(program: RobotProgram) -> RobotProgram:
    """Return a program after its way through RAPID."""
    (text,) = program.export("rapid").values()
    return aw.irl.loads(RapidReader(text).program())


def rehearsed(program: RobotProgram) -> tuple[list[MotionCommand], list[tuple[str, float]]]:
    """Return the motions and signals of a program."""
    machine = Rehearsal(INPUTS, robots=2)
    run = program.interpreter(machine)
    try:
        while run.run(100_000) == "paused" and run.count < 100_000:
            pass
    except ExecutionError:
        pass
    return machine.commands, [(name, float(value)) for _, name, value in machine.changes]


def flattened(commands: list[MotionCommand]) -> list[tuple[tuple[object, ...], Array]]:
    """Return the points of motions one by one: what makes the motion, and values."""
    return [
        (
            (
                *(command.kind, command.is_relative, command.robot, target.kind),
                *(round(command.speed, 9), round(command.blend, 9), command.duration),
            ),
            np.array(target.values),
        )
        for command in commands
        for target in command.targets
    ]


def exportable() -> list[str]:
    """Return the programs that RAPID can say."""
    found = []
    for path in PROGRAMS:
        try:
            aw.irl.loads(path.read_text(encoding="utf-8")).export("rapid")
        except ProgramError:
            continue
        found.append(path.stem)
    return found


EXPORTABLE = exportable()


@pytest.mark.parametrize("name", EXPORTABLE)
def test_the_same_motions_and_signals(name: str) -> None:
    path = Path(__file__).parent / "programs" / f"{name}.irl"
    program = aw.irl.loads(path.read_text(encoding="utf-8"))
    before, signals = rehearsed(program)
    after, same_signals = rehearsed(read_back(program))
    assert same_signals == signals
    one, two = flattened(before), flattened(after)
    assert [words for words, _ in one] == [words for words, _ in two]
    for (_, first), (_, second) in zip(one, two, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_most_programs_can_be_exported() -> None:
    moving = [name for name in EXPORTABLE if name.startswith("move_")]
    assert len(EXPORTABLE) >= 60
    assert len(moving) >= 7


def test_the_palletising_program_does_the_same() -> None:
    text = (Path(__file__).parent / "programs" / "palette_6_2.irl").read_text(encoding="utf-8")
    cell = CELL.replace("yn := 4;", "yn := 4; xdiff := (60, 0, 0); ydiff := (0, 50, 0);")
    program = aw.irl.loads(text, [cell])
    again = read_back(program)
    runs = []
    for one in (program, again):
        machine = Rehearsal()
        one.interpreter(machine, values={"ispalette": True}).run(5000)
        runs.append(machine.commands)
    assert len(runs[0]) > 24 * 6
    count = min(map(len, runs))
    assert count > 24 * 6
    for first, second in zip(runs[0][:count], runs[1][:count], strict=True):
        assert first.kind == second.kind
        np.testing.assert_allclose(first.targets[0].values, second.targets[0].values, atol=1e-9)


def test_an_arm_moves_the_same() -> None:
    text = """program Lift;
var pose: a, b; int: i;
begin
  move ptp joint(0, -3, -130, 0, 87, 0);
  a := ((733, -150, 290), orizyx(0, 46, 0));
  b := pose(a.pos + (0, 60, 0), a.ori);
  move ptp a speed_ptp := 50;
  for i := 1 to 3
    b.pos := b.pos + (0, 0, 5) * i;
    move lin b speed := 120 c_cp := 8;
    move lin a;
  endfor;
  move circle b.pos, a.pos + (0, 0, 30);
endprogram;"""
    program = aw.irl.loads(text)
    driven = []
    for one in (program, read_back(program)):
        machine = ArmMachine([aw.model("puma560")])
        one.run(machine)
        driven.append(machine.motions)
    assert len(driven[0]) == len(driven[1]) > 4
    for one_motion, two_motion in zip(*driven, strict=True):
        times = np.linspace(0.0, one_motion.trajectory.duration, 30)
        ways = [motion.trajectory.evaluate(times)[0] for motion in (one_motion, two_motion)]
        assert np.abs(ways[0] - ways[1]).max() < 1e-6


def test_a_file_is_loaded_and_what_is_not_read_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "some.mod"
    file.write_text(
        'MODULE Some\n  PROC main()\n    WaitTime 0.5;\n    TPWrite "a";\n  ENDPROC\nENDMODULE\n',
        encoding="utf-8",
    )
    assert aw.irl.load_rapid(file).run().output == "a\n"
    file.write_text(
        "MODULE Some\n  PROC main()\n    MoveL p10, v100;\n    #what\n  ENDPROC\nENDMODULE\n",
        encoding="utf-8",
    )
    with pytest.raises(ProgramError) as caught:
        aw.irl.load_rapid(file)
    assert [problem.line for problem in caught.value.problems] == [3, 4]


def test_arrays_keep_their_first_values() -> None:
    text = """program A;
var array[1..4] of real: a := (1, 2, 3, 4);
  array[1..2, 1..4] of int: b := ((1, 2, 3, 4), (5, 6, 7, 8));
begin
  move ptp (a[4], b[2, 3], b[1, 1]);
endprogram;"""
    commands, _ = rehearsed(read_back(aw.irl.loads(text)))
    np.testing.assert_allclose(commands[0].targets[0].values, [0.004, 0.007, 0.001])
