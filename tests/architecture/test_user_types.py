"""What a type checker tells a user: right use passes, wrong use is refused on its line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = """
from math import pi

import numpy as np

import armwerk as aw

arm = aw.load("puma560")
mine = aw.Arm.from_dh([aw.Joint("revolute", d=0.4, alpha=pi / 2, limits=(-pi, pi))], name="mine")
model = aw.model(arm)
T = model.fk([0.0] * 6)
count: int = len(model.ik(T))
nearest = model.ik_nearest(T, np.zeros(6))
if nearest is not None:
    print(nearest.shape, model.jacobian(nearest).shape, model.dof, model.arm.name)
t = aw.ptp(model, [0] * 6, [1, 0.5, -1, 0, 1, 0], sync="full", profile="sine", duration=4.0)
seconds: float = t.duration
q, qd, qdd = t.sample(0.5 * seconds)
path = aw.Path(T, speed=0.25, blend=0.02).lin([0.4, 0.1, 0.3], blend=0.05)
path = path.circ([0.4, 0.2, 0.3], [0.3, 0.3, 0.3], orientation="variable", reference="path")
timed: aw.Trajectory = path.plan(model, nearest)
bodies = aw.Bodies([aw.Box((0.1, 0.2, 0.3), (0.5, 0.0, 0.1), name="table")])
space: aw.ConfigurationSpace = aw.cspace(arm, bodies, axes=(0, 1), shape=(36, 36))
found = aw.find_path(arm, bodies, [0.0] * 6, [0.1] * 6)
d: aw.Derivation = aw.derive("puma560")
text: str = d.inverse.explain()


class Pick(aw.RobotController):
    def run(self) -> None:
        self.move_to(aw.pointing_down(0.35, 0.1, 0.12))
        self.line_to(aw.pointing_down(0.35, 0.1, 0.02))
        self.grip.close(force=10.0)
        self.debug("lifted to", self.see("cuboid0").position[2], "m")
        place: np.ndarray = self.see("cuboid0").position - self.base[:3, 3]
        turned: float = self.motors["elbow"].value + float(self.random.normal(0.0, 0.1))
        q = self.arm.ik_nearest(self.arm.fk(self.q), self.q)
        if q is not None and self.wait_trigger("GO", timeout=2.0) == "GO":
            self.move(q, speed=0.5, sync="full")


with aw.World.load("pick_and_place") as world:
    world.run(seconds=1.0)
    height: float = float(world.objects["ball0"].position[2])
"""

# Each line is wrong by itself, and the last word is what mypy calls it.
WRONG = """
aw.Joint("rotary", d=0.4)  # arg-type
aw.Joint("revolute", length=0.4)  # call-arg
aw.load(560)  # arg-type call-overload
aw.model("puma560", ik="magic")  # arg-type call-overload
model.inverse_kinematics(T)  # attr-defined
aw.ptp("puma560", 0.0, 1.0, sync="together")  # arg-type
aw.ptp(model, q0, q0, profile="square")  # arg-type
aw.Path(T, speeed=0.25)  # call-arg
aw.Path(T).lin(T, blendd=0.05)  # call-arg
aw.Path(T).circ(T, T, orientation="fixed")  # arg-type
aw.Box(size=(0.1, 0.2, 0.3), radius=0.1)  # call-arg
aw.cspace("rr", bodies, method="fast")  # arg-type
count: str = model.dof  # assignment
aw.World.load("tower").run(seconds="3")  # arg-type
controller.move_to("home", speeed=1.0)  # call-arg
controller.line_to([0.3, 0.1, 0.2], blendd=0.1)  # call-arg
controller.move([0.0] * 6, sync="together")  # arg-type
controller.see("ball").place  # attr-defined
controller.arm.inverse(T)  # attr-defined
controller.motors["elbow"].speed  # attr-defined
controller.grip.close(force="hard")  # arg-type
aw.World.load("tower", pace=1.0)  # call-arg
aw.World.load("tower", robots={0: {"arm": "puma560"}})  # dict-item typeddict-unknown-key
aw.cell.world.World.load(3)  # arg-type
"""
HEAD = """
import numpy as np
import armwerk as aw

def misuse(controller: aw.RobotController, bodies: aw.Bodies) -> None:
    model = aw.model("puma560")
    q0 = np.zeros(6)
    T = model.fk(q0)
"""
MISUSES = WRONG.strip().splitlines()


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what mypy says of both files, line by line, in a folder that knows nothing of us."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(HEAD + "".join(f"    {line}\n" for line in MISUSES))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
    result = subprocess.run(
        [*command, "--cache-dir", str(folder / "cache"), "right.py", "wrong.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert not result.stderr, result.stderr
    found: dict[str, list[str]] = {"right.py": []}
    for line in result.stdout.splitlines():
        file, number, text = line.split(":", 2)
        if file == "right.py":
            found[file].append(line)
        elif " error: " in text:
            lines = Path(folder / file).read_text(encoding="utf-8").splitlines()
            place = lines[int(number) - 1].strip()
            found.setdefault(place, []).append(text)
    return found


def test_right_use_passes(messages: dict[str, list[str]]) -> None:
    assert messages["right.py"] == []


@pytest.mark.parametrize("line", MISUSES)
def test_misuse_is_refused(line: str, messages: dict[str, list[str]]) -> None:
    kinds = line.split("# ")[1].split()
    said = messages.get(line, [])
    assert [re.findall(r"\[([\w-]+)\]$", text)[0] for text in said] in [[kind] for kind in kinds]


def test_only_what_is_wrong_is_refused(messages: dict[str, list[str]]) -> None:
    assert set(messages) <= {"right.py", *MISUSES}
