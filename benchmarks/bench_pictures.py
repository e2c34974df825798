"""Pictures of every shipped cell, 640 x 480: computing time of a frame, one processor."""

from __future__ import annotations

import time
from math import inf

from measure import Row

import armwerk as aw
from armwerk.cell.moments import Moments, drawn_robots
from armwerk.pictures.cell import CellPicture
from armwerk.scene import cells

SECONDS = 1.0  # [s] simulated before the picture is taken
MOST = 40.0  # promised for a frame [ms]
REPEATS = 7


def run() -> list[Row]:
    """Measure a frame of every cell in the midst of a film, and the first one."""
    return [_row(name) for name in cells()]


def _row(name: str) -> Row:
    with aw.World.load(name) as world:
        world.run(SECONDS)
        moment = Moments(world).now()
        scene = world.scene
    robots, _ = drawn_robots(scene)
    frame, first = inf, inf
    for _ in range(2):
        picture = CellPicture(scene, robots)
        begin = time.process_time()
        picture.draw(moment)
        first = min(first, time.process_time() - begin)
    for _ in range(REPEATS):
        begin = time.process_time()
        picture.draw(moment)
        frame = min(frame, time.process_time() - begin)
    note = f"{first * 1e3:.0f} ms for the first, with what never moves"
    return Row(f"frame of {name}", frame * 1e3, "promised", MOST, "ms", wanted=1.0, note=note)
