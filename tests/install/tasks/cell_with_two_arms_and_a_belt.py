"""A cell: a belt brings a brick, one arm hands it to the other, and there is a film of it."""

import subprocess
from pathlib import Path

Path("line.env").write_text(
    """MULTIROBOT 2
ROBOT0 -45 0 -90
MANIPULATOR0 irb120
GRIPPER0 parallel_gripper
CONTROLLER0 line.Bring
ROBOT1 45 0 90
MANIPULATOR1 irb120
GRIPPER1 parallel_gripper
CONTROLLER1 line.Take
CONVEYOR 30 RUN 5 5 x 5 0 404040
RECT -40 -40 80 20
ENDCONVEYOR
DEBUGNAME brick
CUBOID -18 -30 7  4 4 4  C03030
""",
    encoding="utf-8",
)
Path("line.py").write_text(
    """
import armwerk as aw


class Courier(aw.RobotController):
    def carry(self, start, end):
        for (x, y, z), act in ((start, self.grip.close), (end, self.grip.open)):
            self.move_to(aw.pointing_down(x, y, z + 0.1))
            self.line_to(aw.pointing_down(x, y, z))
            act()
            self.line_to(aw.pointing_down(x, y, z + 0.1))


class Bring(Courier):
    def run(self):
        self.grip.open()
        self.wait_until(lambda: self.see("brick").position[0] > -0.15, timeout=20.0)
        self.send_trigger(30, "STOP")
        self.carry(self.see("brick").position, (0.0, 0.0, 0.021))
        self.move_to(aw.pointing_down(-0.2, -0.2, 0.2))
        self.send_trigger(1, "YOURS")


class Take(Courier):
    def run(self):
        self.grip.open()
        self.wait_trigger("YOURS", timeout=30.0)
        self.carry(self.see("brick").position, (0.1, 0.2, 0.021))
        self.debug("done")
""",
    encoding="utf-8",
)
done = subprocess.run(
    ["armwerk", "run", "line.env", "--video", "line.gif"],
    check=True,
    capture_output=True,
    encoding="utf-8",
)
print(done.stdout)
assert Path("line.gif").read_bytes().startswith(b"GIF")
