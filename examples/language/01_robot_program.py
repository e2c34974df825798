"""A robot program in IRL: checked, run on an arm, warned of, and written for a maker's controller.

Shows:
    - all mistakes of a text at once, each with its place
    - motions planned within every limit, blends kept, text written when the arm is there
    - warnings of what runs and yet is a danger
    - export to RAPID

Run: python examples/language/01_robot_program.py
"""

from __future__ import annotations

import armwerk as aw
from armwerk.language import ArmMachine

WRONG = """program Grid;
begin
  mov lin home;
  x = 3;
endprogram;"""

PROGRAM = """program Grid;
var
  pose: corner;
  position: across := (0, 40, 0), up := (0, 0, 30);
  int: row, column;
begin
  move ptp joint(0, -3, -130, 0, 87, 0);
  corner := r_pose_act;
  for row := 1 to 2
    for column := 1 to 3
      move lin corner.pos + (column - 1) * across speed := 150 c_cp := 5;
    endfor;
    corner.pos := corner.pos + up;
    writeln('row ', row);
  endfor;
endprogram;"""


def main() -> None:
    """Show the way of a program."""
    for problem in aw.irl.problems(WRONG):
        print(problem.shown("wrong.irl"))

    program = aw.irl.loads(PROGRAM)
    machine = ArmMachine([aw.model("puma560")])
    result = program.run(machine)
    print(result.output, end="")
    for motion in machine.motions:
        lines = sorted({command.line for command in motion.commands})
        print(f"lines {lines}: {motion.trajectory.duration:.3f} s")

    for lint in program.lint():
        print(lint.shown())

    palletise = aw.irl.loads(PROGRAM.replace("r_pose_act", "((600, 0, 300), orizyx(0, 90, 0))"))
    for name, text in palletise.export("rapid").items():
        print(name)
        print("\n".join(text.splitlines()[:3]))


if __name__ == "__main__":
    main()
