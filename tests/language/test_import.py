"""What was exported is read back and does the same, from all three languages."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from outcomes import INPUTS
from test_export import CELL, TARGETS

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import ExecutionError, ProgramError
from armwerk.files import write_texts
from armwerk.language import ArmMachine, MotionCommand, Rehearsal, RobotProgram
from armwerk.language.exporting.export import ExportTarget
from armwerk.language.importing.krl import KrlReader
from armwerk.language.importing.rapid import RapidReader
from armwerk.language.importing.reader import ProgramReader
from armwerk.language.importing.urscript import UrScriptReader

FOLDER = Path(__file__).parent / "programs"
PALLETISING = Path(aw.__file__).parent / "cells" / "palletising.irl"


def reader(target: ExportTarget, files: list[str]) -> ProgramReader:
    """Return what reads the files of a language."""
    if target == "krl":
        return KrlReader(files[0], "", *files[1:])
    return RapidReader(files[0]) if target == "rapid" else UrScriptReader(files[0])


def read_back(program: RobotProgram, target: ExportTarget) -> RobotProgram:
    """Return a program after its way through another language."""
    return aw.irl.loads(reader(target, list(program.export(target).values())).program())


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
    found: list[tuple[tuple[object, ...], Array]] = []
    for command in commands:
        numbers: list[float] = [*command.base, *command.tool]
        if command.kind == "ptp":
            numbers += [*command.joint_speeds, *command.joint_accelerations, command.joint_blend]
        else:
            numbers += [command.speed, command.acceleration, command.rotation_speed, command.blend]
        for target in command.targets:
            words = (command.kind, command.is_relative, command.robot, target.kind)
            times = (command.duration, command.blend_speed)
            found.append(((*words, *times), np.array([*numbers, *target.values])))
    return found


def assert_same(one: RobotProgram, two: RobotProgram) -> None:
    """Check that two programs order the same motions and set the same signals."""
    before, signals = rehearsed(one)
    after, same_signals = rehearsed(two)
    assert same_signals == signals
    first, second = flattened(before), flattened(after)
    assert [words for words, _ in first] == [words for words, _ in second]
    for (_, values), (_, others) in zip(first, second, strict=True):
        np.testing.assert_allclose(values, others, atol=1e-9)


def exportable() -> list[tuple[ExportTarget, str]]:
    """Return the languages and programs that they can say."""
    found = []
    for path in sorted(FOLDER.glob("*.irl")):
        for target in TARGETS:
            try:
                aw.irl.loads(path.read_text(encoding="utf-8")).export(target)
            except ProgramError:
                continue
            found.append((target, path.stem))
    return found


EXPORTABLE = exportable()


@pytest.mark.parametrize(("target", "name"), EXPORTABLE)
def test_the_same_motions_and_signals(target: ExportTarget, name: str) -> None:
    program = aw.irl.loads((FOLDER / f"{name}.irl").read_text(encoding="utf-8"))
    assert_same(program, read_back(program, target))


@pytest.mark.parametrize("target", TARGETS)
def test_most_programs_can_be_exported(target: ExportTarget) -> None:
    names = [name for one, name in EXPORTABLE if one == target]
    assert len(names) >= 60
    assert len([name for name in names if name.startswith("move_")]) >= 7


@pytest.mark.parametrize("target", TARGETS)
def test_the_palletising_programs_do_the_same(target: ExportTarget) -> None:
    shipped = aw.irl.load(PALLETISING)
    assert_same(shipped, read_back(shipped, target))
    text = (FOLDER / "palette_6_2.irl").read_text(encoding="utf-8")
    cell = CELL.replace("yn := 4;", "yn := 4; xdiff := (60, 0, 0); ydiff := (0, 50, 0);")
    program = aw.irl.loads(text, [cell])
    runs = []
    for one in (program, read_back(program, target)):
        machine = Rehearsal()
        one.interpreter(machine, values={"ispalette": True}).run(5000)
        runs.append(flattened(machine.commands))
    count = min(map(len, runs))
    assert count > 24 * 6
    for (words, first), (same, second) in zip(runs[0][:count], runs[1][:count], strict=True):
        assert words == same
        np.testing.assert_allclose(first, second, atol=1e-9)


EVERYTHING = """program Lift;
var pose: a, b; int: i; position: q := (733, -150, 320); real: share := 40;
begin
  r_acc := 800; r_speed_ptp := 80; r_speed := 200;
  r_tool := ((0, 0, 12), orizyx(0, 0, 0));
  move ptp joint(0, -3, -130, 0, 87, 0);
  a := ((733, -150, 290), orizyx(0, 46, 0));
  b := pose(a.pos + (0, 60, 0), a.ori);
  move ptp a speed_ptp := share + 10 acc_ptp := 60;
  for i := 1 to 3
    b.pos := b.pos + (0, 0, 5) * i;
    move lin b speed := 120 + i c_cp := 8 acc := 500;
    move lin [pose(b.pos - (0, 0, 2), a.ori), a] c_pass;
  endfor;
  move lin q;
  r_base := ((10, 0, 5), orizyx(0, 0, 0));
  move circle b.pos, a.pos + (0, 0, 30);
  move lin a;
  move ptp b c_ptp := 30;
  move ptp a;
endprogram;"""


@pytest.mark.parametrize("target", TARGETS)
def test_an_arm_moves_the_same(target: ExportTarget) -> None:
    program = aw.irl.loads(EVERYTHING)
    driven = []
    for one in (program, read_back(program, target)):
        machine = ArmMachine([aw.model("puma560")])
        one.run(machine)
        driven.append(machine.motions)
    assert len(driven[0]) == len(driven[1]) > 4
    for one_motion, two_motion in zip(*driven, strict=True):
        times = np.linspace(0.0, one_motion.trajectory.duration, 30)
        ways = [motion.trajectory.evaluate(times)[0] for motion in (one_motion, two_motion)]
        assert np.abs(ways[0] - ways[1]).max() < 1e-6


@pytest.mark.parametrize("target", TARGETS)
def test_files_are_loaded_by_their_endings(target: ExportTarget, tmp_path: Path) -> None:
    program = aw.irl.loads(EVERYTHING)
    first = write_texts(tmp_path, program.export(target))[0]
    assert_same(program, aw.irl.load_any(first))


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("some.mod", "MODULE Some\n PROC main()\n  MoveL p10, v100;\n  #what\n ENDPROC\n", [3, 4]),
        ("some.mod", "MODULE Some\n PROC main()\n  WaitTime 1;\n  x := 3;\n ENDPROC\n", [4]),
        ("some.src", "DEF Some()\n  LIN XP1\n  SPLINE\n  $OV_PRO = 10\nEND\n", [3, 4]),
        ("some.src", "DEF Some()\n  WAIT SEC 1\n  nobody = 3\nEND\n", [3]),
        ("some.src", "DEF Some()\n  Nobody(3)\nEND\n", [2]),
        ("some.script", "def some():\n  movel(p[1, 2], a=1)\n  foo bar\nend\n", [2, 3]),
        ("some.script", "def some():\n  set_standard_digital_out(1, True)\nend\n", [2]),
        ("some.script", "def some():\n  x = nobody(3)\nend\n", [2]),
        ("some.script", "def some():\n  while True:\n    break\n  end\nend\n", [3]),
    ],
)
def test_what_is_not_read_is_shown_with_its_line(
    name: str, text: str, lines: list[int], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ProgramError) as caught:
        aw.irl.load_any(tmp_path / name)
    assert [problem.line for problem in caught.value.problems] == lines


@pytest.mark.parametrize("target", TARGETS)
def test_changed_files_give_located_errors_or_a_program(
    target: ExportTarget, tmp_path: Path
) -> None:
    chance = random.Random(7)
    files = aw.irl.loads(EVERYTHING).export(target)
    name, text = next(iter(files.items()))
    write_texts(tmp_path, files)
    refused = 0
    for _ in range(150):
        at = chance.randrange(len(text))
        end = at + chance.randrange(1, 12)
        put = chance.choice(
            ["", "(", "]", "=", "x", '"', " end ", "1e999", "\n", text[end : end + 9]]
        )
        (tmp_path / name).write_text(text[:at] + put + text[end:], encoding="utf-8")
        refused += bool(problems_of(tmp_path / name))
    assert refused > 30


def problems_of(file: Path) -> list[int]:
    """Return the lines of a file's problems; whatever else is raised goes through."""
    try:
        aw.irl.load_any(file)
    except ProgramError as error:
        return [problem.line for problem in error.problems]
    return []


def test_a_text_is_written_by_an_imported_program(tmp_path: Path) -> None:
    file = tmp_path / "some.mod"
    file.write_text(
        'MODULE Some\n  PROC main()\n    WaitTime 0.5;\n    TPWrite "a";\n  ENDPROC\nENDMODULE\n',
        encoding="utf-8",
    )
    assert aw.irl.load_rapid(file).run().output == "a\n"


def test_signals_of_the_maker_alone_are_read() -> None:
    text = KrlReader(
        "DEF P()\n  grip = TRUE\n  WAIT FOR part AND (level > 3)\nEND\n",
        "",
        "DEFDAT P\n  SIGNAL grip $OUT[4]\n  SIGNAL part $IN[2]\n  SIGNAL level $IN[8] TO $IN[15]\n"
        "ENDDAT\n",
    ).program()
    signals = aw.irl.loads(text).checked.signals
    assert {name: (kind.name, out, at) for name, (kind, out, at) in signals.items()} == {
        "grip": ("bool", True, 4),
        "part": ("bool", False, 2),
        "level": ("int", False, 8),
    }


@pytest.mark.parametrize("target", TARGETS)
def test_operators_keep_their_order(target: ExportTarget) -> None:
    text = """program A;
var int: i := 7, j := 2; real: x; bool: b, c := true;
begin
  x := -i * (j - -3) / (2 + j) - i div j * 2 + i mod j;
  b := not (i > j and c) or (i = 7) = c exor not c;
  if b x := x + 1000; endif;
  move ptp (x, i / j, (i + j) * 3 - (i - (j - 1)));
endprogram;"""
    program = aw.irl.loads(text)
    assert_same(program, read_back(program, target))


@pytest.mark.parametrize("target", ["krl", "rapid"])
def test_arrays_keep_their_first_values(target: ExportTarget) -> None:
    text = """program A;
var array[1..4] of real: a := (1, 2, 3, 4);
  array[1..2, 1..4] of int: b := ((1, 2, 3, 4), (5, 6, 7, 8));
begin
  move ptp (a[4], b[2, 3], b[1, 1]);
endprogram;"""
    commands, _ = rehearsed(read_back(aw.irl.loads(text), target))
    np.testing.assert_allclose(commands[0].targets[0].values, [0.004, 0.007, 0.001])
