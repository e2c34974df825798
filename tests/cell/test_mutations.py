"""Broken cells: a thousand mutations of a good one are located problems or a running world."""

from __future__ import annotations

import random
import re
import time

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import SceneError
from armwerk.scene import parse_scene

GOOD = """
MULTIROBOT 2
ROBOT0 0 0 -90
MANIPULATOR0 simple_arm
CONTROLLER0 cell_programs.Still
ROBOT1 60 10 90
MANIPULATOR1 simple_arm
GRIPPER1 parallel_gripper
BORDER -100 -100 100 100
TILE 0~2 1 FF00FF
BOTTOMPAINT FF0000 0.5 CIRCLE 1 2 3 ENDSLICK
STEP 5 00FF00 POLY 4 0 0 20 0 10 10 0 20 ENDSTEP
SLOPE 0 10 x 808080 RECT 50 50 20 20 ENDSLOPE
SLICE 20 21 808080 CIRCLE -50 0 10 ENDSLICE
WEDGE 10 20 5 5 y 808080 RECT -50 50 20 20 ENDWEDGE
CONVEYOR 30 RUN 5 6 x 20 3 404040 RECT 0 -60 100 20 ENDCONVEYOR
SPHERE 0 0 80 5 FFFFFF
BALL 0 -60 10 3 0.1 0.8 FF0000
BALL 50 50 30 3 0.5 0.2 00FF00
CUBOID -50 0 25 4 4 8 0000FF
CUBOID 20 20 2 4 4 4 0000FF
TRIGGERPROCESSOR 40 cell_programs.Deaf
TPCONFIG what you like
TRIGGER BALLENTERS 0 A 0 0 10 5 *
TRIGGER CUBOIDBARRIER -1 B 0 -10 0 10 20 FF0000
"""
LINES = [line for line in GOOD.split("\n") if line]
BODIES = [line for line in LINES if line.split()[0] in {"BALL", "CUBOID", "STEP", "CONVEYOR"}]
NUMBERS = ["0", "-1", "0.1", "0.2", "1e6", "999999", "-500", "1e5", "1", "0.5", "1e7", "nan", "7"]
WORDS = [
    "simple_arm", "scara", "slider_crank", "tripod", "parallel_gripper", "two_finger_gripper",
    "nosuch", "none.toml", "armwerk.RobotController", "armwerk.TriggerProcessor", "no.Such",
    "sys.exit", "os.path", "x", "..", ":", "RUN", "STOP",
]  # fmt: skip


def mutated(seed: int) -> str:
    """Return the good cell with one to four mutations, most of which leave it readable."""
    rng = random.Random(seed)
    lines = list(LINES)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        kind = rng.random()
        if kind < 0.15:
            del lines[at]
        elif kind < 0.3:  # bodies inside each other
            lines += [rng.choice(BODIES)] * rng.choice([1, 2, 20])
        elif kind < 0.45:
            lines[at] = _replaced(lines[at], r"[a-z_.]{2,}[\w.]*", WORDS, rng)
        else:
            lines[at] = _replaced(lines[at], r"(?<![\w.])-?[\d.]+(?![\w.])", NUMBERS, rng)
    return "\n".join(lines) + "\n"


def _replaced(line: str, pattern: str, others: list[str], rng: random.Random) -> str:
    found = list(re.finditer(pattern, line))
    if not found:
        return line
    chosen = rng.choice(found)
    return line[: chosen.start()] + rng.choice(others) + line[chosen.end() :]


def outcome(text: str, steps: int = 2) -> str:
    """Return "runs" or "wrong", after checking what is said about it."""
    try:
        with aw.World(parse_scene(text, "cell.env"), patience=30.0) as world:
            for _ in range(steps):
                world.step()
            assert world.time == pytest.approx(steps * world.dt)
            assert np.isfinite(world.simulation.positions).all()
            assert all(np.isfinite(robot.values).all() for robot in world.robots.values())
            return "runs"
    except SceneError as error:
        lines = text.split("\n")
        for problem in error.problems:
            assert problem.source == lines[problem.line - 1]
            assert 1 <= problem.column <= len(problem.source) + 1
        return "wrong"


def test_the_good_cell_runs() -> None:
    assert outcome(GOOD) == "runs"


@pytest.mark.parametrize("part", range(4))
def test_mutated_cells(part: int) -> None:
    """A quarter of the thousand; those that say the same are built once."""
    seen: dict[object, str] = {}
    counts = {"runs": 0, "wrong": 0}
    for seed in range(250 * part, 250 * part + 250):
        text = mutated(seed)
        start = time.perf_counter()
        try:
            key: object = parse_scene(text)
        except SceneError:
            key = text
        seen[key] = seen.get(key) or outcome(text)
        counts[seen[key]] += 1
        assert time.perf_counter() - start < 60.0, text
    assert counts["runs"] > 50
    assert counts["wrong"] > 50


HARD = {
    "inside each other": "BALL 0 0 5 3 0 0.5 FF0000\nCUBOID 0 0 5 4 4 4 00FF00\n" * 15,
    "many": "".join(f"BALL {k % 50 * 5} {k // 50 * 5} 3 2 0 0.5 FF0000\n" for k in range(1000)),
    "ten arms in one place": "MULTIROBOT 10\n",
    "below the floor": "BALL 0 0 -50 3 0 0.5 FF0000\nCUBOID 0 0 -90 4 4 4 00FF00\n",
    "in a wall": "STEP 50 00FF00 RECT 0 0 50 50 ENDSTEP\nBALL 0 0 25 3 0 0.5 FF0000\n",
    "beyond the border": "BORDER -10 -10 10 10\nBALL 500 0 5 3 0 1 FF0000\n",
    "as large as can be": "CUBOID 0 0 0 1e6 1e6 1e6 00FF00\nBALL 0 0 0 1e6 0 1 FF0000\n",
    "as small as can be": "CUBOID 0 0 0 0.1 0.1 0.1 00FF00\nBALL 0 0 0 0.1 0 1 FF0000\n",
    "as far as can be": "BALL 1e6 1e6 1e6 1 0 1 FF0000\nCUBOID -1e6 0 1e6 1 1 1 00FF00\n",
    "as quick as can be": "CONVEYOR 1 RUN 1 1 x 1e6 1e6 000000 RECT 0 0 99 99 ENDCONVEYOR\n"
    "BALL 0 10 4 3 0 0 FF0000\nCUBOID 20 0 4 4 4 4 FF0000\n",
    "as steep as can be": "SLOPE 0 1e6 x 000000 RECT 0 0 1 1 ENDSLOPE\nBALL 0 0 4 3 0 0 FF0000\n",
    "a sliver": "STEP 5 FF0000 POLY 3 0 0 999 0 500 0.0001 ENDSTEP\nBALL 500 0 9 3 0 0 FF0000\n",
    "a thousand zones": "".join(f"TRIGGER BALLENTERS 0 T {k} 0 5 1 *\n" for k in range(1000))
    + "BALL 0 0 10 3 0 1 FF0000\n",
    "one number for all": "ROBOT 0 0 0\nTRIGGERPROCESSOR 0 cell_programs.Deaf\n"
    "CONVEYOR 0 RUN 1 1 x 10 0 000000 RECT 99 0 10 10 ENDCONVEYOR\n",
}


@pytest.mark.parametrize("name", HARD)
def test_hard_cells_run(name: str) -> None:
    assert outcome(HARD[name], steps=10) == "runs"
