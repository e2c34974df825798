"""A robot program as the controller of a robot, also after its way through three languages.

Shows:
    - a program in a cell: its signals are the gripper and a contact
    - the same program exported to KRL, RAPID and URScript, read back, moving the same
    - what the commander may ask while it runs

Run: python examples/language/02_program_in_a_cell.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import armwerk as aw
from armwerk.files import write_texts
from armwerk.language.exporting.export import ExportTarget
from armwerk.scene import parse_scene

CELL = """
ROBOT 0 0 -90
MANIPULATOR irb120
GRIPPER parallel_gripper
DEBUGNAME table
STEP 10 A0A0B0
RECT 40 0 30 50
ENDSTEP
DEBUGNAME part
CUBOID 40 -12 12 4 4 4 C03030
"""

PROGRAM = """program Carry;
signal output bool: gripper at 1; input bool: holds at 2;
var pose: above := ((400, -120, 240), orizyx(0, 180, 0));
begin
  gripper := false;
  move ptp above;
  move_inc lin (0, 0, -120) speed := 200;
  gripper := true;
  writeln('holds ', holds);
  move_inc lin (0, 0, 120) c_cp := 30;
  above.pos := above.pos + (0, 240, 0);
  move lin above speed := 500;
  move_inc lin (0, 0, -119) speed := 200;
  gripper := false;
  move_inc lin (0, 0, 100);
endprogram;"""

MAKERS: tuple[ExportTarget, ...] = ("krl", "rapid", "urscript")


def carried(program: Path) -> str:
    """Run a program in the cell; return what became of the part."""
    with aw.World(parse_scene(CELL), robots={0: str(program)}) as world:
        world.run(seconds=1.0)
        world.send_line(0, "where")  # as a person may ask
        world.run(seconds=20.0, until=lambda one: one.robots[0].state != "running")
        x, y, z = world.objects["part"].position
        told = "; ".join(note.text for note in world.notes)
        how = f"{world.robots[0].state} after {world.time:.2f} s"
        return f"{how}, part at {x:.3f} {y:.3f} {z:.3f} m ({told})"


def main() -> None:
    """Carry a part four times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "carry.irl"
        file.write_text(PROGRAM, encoding="utf-8")
        print("IRL:", carried(file))
        for maker in MAKERS:
            written = write_texts(folder, aw.irl.load(file).export(maker))
            print(f"{maker}:", carried(written[0]))


if __name__ == "__main__":
    main()
