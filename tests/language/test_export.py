"""Programs in the languages of three makers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import ProgramError, UnknownNameError
from armwerk.geometry import quaternion_from_rotation, rotation_from_zyx, rotation_log
from armwerk.language.exporting.export import ExportTarget

TARGETS: tuple[ExportTarget, ...] = ("krl", "rapid", "urscript")
CELL = """module Cell;
signal output int: Gripper at 1;
const int: GripperOpen = 1, GripperClose = 0;
procedure Initialization;
begin
  xn := 6; yn := 4;
  TakePose := ((500, 0, 50), orizyx(0, 180, 0));
  UpPose := TakePose; UpPose.pos.z := 200;
  IsConveyer := true;
endproc;
endmodule;"""


def exported(target: ExportTarget, statements: str, declarations: str = "") -> list[str]:
    """Return the lines of the first file, without blanks before them."""
    program = aw.irl.loads(f"program P; {declarations} begin\n{statements}\nendprogram;")
    text = next(iter(program.export(target).values()))
    return [line.strip() for line in text.split("\n")]


@pytest.mark.parametrize("target", TARGETS)
def test_the_palletising_program_is_exported(target: ExportTarget) -> None:
    text = (Path(__file__).parent / "programs" / "palette_6_2.irl").read_text(encoding="utf-8")
    files = aw.irl.loads(text, [CELL]).export(target)
    whole = "".join(files.values())
    endings = {"krl": [".src", ".dat"], "rapid": [".mod"], "urscript": [".script"]}
    assert [Path(name).suffix for name in files] == endings[target]
    assert "?" not in whole
    opened = {"krl": "FOR ", "rapid": "FOR ", "urscript": "while "}[target]
    closed = {"krl": "ENDFOR", "rapid": "ENDFOR", "urscript": "end\n"}[target]
    assert whole.count(opened) >= 2
    assert whole.count(closed) >= 2


def test_urscript_ends_with_its_call() -> None:
    lines = exported("urscript", "wait 0.5 sec;")
    assert lines[0] == "def P():"
    assert lines[-3:] == ["end", "P()", ""]
    assert "sleep(0.5)" in lines


def test_krl_sets_the_speed_of_every_axis() -> None:
    lines = exported("krl", "move ptp joint(1, 2, 3) speed_ptp := 30 := 40;")
    at = lines.index("PTP {A1 1.0,A2 2.0,A3 3.0,A4 0.0,A5 0.0,A6 0.0}")
    assert lines[at - 6 : at] == [
        "$VEL_AXIS[1] = 30",
        *[f"$VEL_AXIS[{axis}] = 40" for axis in range(2, 7)],
    ]
    assert lines[at + 1 : at + 7] == [f"$VEL_AXIS[{axis}] = R_SPEED_PTP" for axis in range(1, 7)]


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("krl", ["$VEL.CP = 100 / 1000.0", "$APO.CDIS = 5", "LIN a C_DIS"]),
        ("rapid", ["MoveL aw_target(a), aw_tcp(100), aw_blend(5), aw_tool\\WObj:=aw_base;"]),
        ("urscript", ["movel(aw_pose(a), a=r_acc / 1000.0, v=100 / 1000.0, r=5 / 1000.0)"]),
    ],
)
def test_speed_and_zone(target: ExportTarget, lines: list[str]) -> None:
    found = exported(target, "move lin a speed := 100 c_cp := 5;", "var pose: a;")
    at = found.index(lines[0])
    assert found[at : at + len(lines)] == lines


@pytest.mark.parametrize("target", TARGETS)
def test_poses_are_numbers_of_the_maker(target: ExportTarget) -> None:
    found = exported(target, "a := ((1, 2, 3), orizyx(10, 20, 30));", "var pose: a;")
    line = next(one for one in found if one.startswith("a") and "2.0" in one and "here" not in one)
    R = rotation_from_zyx(np.radians([10, 20, 30]))
    turn = {
        "krl": [10, 20, 30],
        "rapid": quaternion_from_rotation(R).tolist(),
        "urscript": rotation_log(R).tolist(),
    }
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", line)]
    assert numbers == pytest.approx([1, 2, 3, *turn[target]], abs=1e-9)


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        (
            "krl",
            ["IF i == 1 THEN", "ELSE", "IF (i <> 2) AND TRUE THEN", "ENDIF", "REPEAT", "SWITCH i"],
        ),
        (
            "rapid",
            ["IF i = 1 THEN", "ELSEIF i <> 2 AND TRUE THEN", "ENDIF", "TEST i", "CASE 1,2,3:"],
        ),
        ("urscript", ["if i == 1:", "elif i != 2 and True:", "while True:", "break"]),
    ],
)
def test_control_flow_is_kept(target: ExportTarget, lines: list[str]) -> None:
    text = (
        "if i = 1 i := 2; elsif i <> 2 and true i := 3; else i := (i + 1) * 2 - -i; endif;"
        "repeat i := i div 2 + i mod 3; until i > 3;"
        "case i when 1..3: i := 0; else i := 1; endcase;"
    )
    found = exported(target, text, "var int: i;")
    assert [line for line in lines if line not in found] == []


def test_names_that_the_language_keeps_are_changed() -> None:
    assert "global p_ = 0 # int" in exported("urscript", "p := 1;", "var int: p;")
    assert "p_ = 1" in exported("urscript", "p := 1;", "var int: p;")


@pytest.mark.parametrize(
    ("target", "statement", "declarations"),
    [
        ("urscript", "goto a; a: writeln('x');", ""),
        ("krl", "sem_wait(s);", "var semaphore: s;"),
        ("rapid", "start Q;", "process Q; begin endprocess;"),
        ("rapid", "move_inc ptp joint(1, 2);", ""),
        ("urscript", "move_inc ptp joint(1, 2);", ""),
        ("krl", "move spline [(1, 2, 3), (4, 5, 6)];", ""),
        ("rapid", "move lin (1, 2, 3) until there;", "signal input bool: there;"),
    ],
)
def test_what_cannot_be_said_is_refused_with_its_place(
    target: ExportTarget, statement: str, declarations: str
) -> None:
    program = aw.irl.loads(f"program P; {declarations} begin\n{statement}\nendprogram;")
    with pytest.raises(ProgramError, match="cannot say this"):
        program.export(target)
    with pytest.raises(ProgramError, match="cannot say this"):
        program.export(target)  # the program itself is as it was
    assert not program.units[-1].source.problems


@pytest.mark.parametrize("target", TARGETS)
def test_every_small_program_is_exported_or_refused(target: ExportTarget) -> None:
    counts = [0, 0]
    refused = []
    for path in sorted((Path(__file__).parent / "programs").glob("*.irl")):
        text = path.read_text(encoding="utf-8")
        if aw.irl.problems(text):
            continue
        try:
            files = aw.irl.loads(text).export(target)
        except ProgramError as error:
            counts[0] += 1
            refused += [problem.message for problem in error.problems]
        else:
            counts[1] += 1
            assert not any("?" in text for text in files.values())
    assert min(counts) > 30
    assert all("cannot say this" in message for message in refused)


def test_krl_refuses_variables_of_other_types() -> None:
    with pytest.raises(ProgramError, match="variables of type joint"):
        exported("krl", "writeln('x');", "var joint: j;")


def test_an_unknown_language_is_refused() -> None:
    program = aw.irl.loads("program P; begin endprogram;")
    with pytest.raises(UnknownNameError, match="rapid"):
        program.export("rapd")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        (
            "krl",
            [
                *("AW_SPARE.X = q.Y", "AW_SPARE.Y = q.X", "AW_SPARE.Z = q.Z"),
                *("q.X = AW_SPARE.X", "q.Y = AW_SPARE.Y", "q.Z = AW_SPARE.Z"),
            ],
        ),
        (
            "urscript",
            [
                *("aw_spare[0] = q[1]", "aw_spare[1] = q[0]", "aw_spare[2] = q[2]"),
                *("q[0] = aw_spare[0]", "q[1] = aw_spare[1]", "q[2] = aw_spare[2]"),
            ],
        ),
        ("rapid", ["q := [q.y,q.x,q.z];"]),
    ],
)
def test_coordinates_that_change_places(target: ExportTarget, lines: list[str]) -> None:
    found = exported(target, "q := (q.y, q.x, q.z);", "var position: q;")
    at = found.index(lines[0])
    assert found[at : at + len(lines)] == lines


def test_whole_and_real_division_of_ints() -> None:
    text = "r := i / 2; i := i div 2;"
    found = exported("krl", text, "var int: i; real: r;")
    assert "r = (i * 1.0 / 2)" in found
    assert "i = i / 2" in found
    assert "i = aw_div(i, 2)" in exported("urscript", text, "var int: i; real: r;")


def test_signals_of_krl_share_no_bits() -> None:
    declarations = (
        "signal input bool: a at 3, b; input int: n; input bool: c; input real: x; output bool: o;"
    )
    program = aw.irl.loads(f"program P; {declarations} begin wait for a; endprogram;")
    lines = [line.split(" ; ")[0].strip() for line in program.export("krl")["P.dat"].split("\n")]
    assert lines[1:7] == [
        "SIGNAL a $IN[3]",
        "SIGNAL b $IN[1]",
        "SIGNAL n $IN[4] TO $IN[11]",
        "SIGNAL c $IN[2]",
        "SIGNAL x $ANIN[1]",
        "SIGNAL o $OUT[1]",
    ]
