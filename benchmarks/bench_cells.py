"""Every shipped cell against the clock: simulated seconds per second, controllers included."""

from __future__ import annotations

import time
from math import inf

from measure import Row

import armwerk as aw
from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import Task
from armwerk.scene import cells

PROMISED = {"pick_and_place": 20.0, "ten_arms": 3.0}  # all others: faster than real time
SECONDS = {"drop_and_bounce": 5.0, "labyrinth": 12.0, "ramp": 3.0, "stress": 5.0}
MAX_SECONDS = 60.0  # [s] simulated; every task is done by then
REPEATS = 3


def run() -> list[Row]:
    """Measure every cell from its first step to the end of its task."""
    return [_turn(), *(_row(name) for name in cells())]


def _turn() -> Row:
    """Measure one turn of a program: two switches of threads, paid for every wait."""
    waits = 2000

    def job(task: Task) -> None:
        for k in range(waits):
            task.suspend("wait", float(k), None)

    best = inf
    for _ in range(REPEATS):
        scheduler = Scheduler(patience=10.0)
        scheduler.add(Task("one", (0, 0), job, lambda end: None))
        begin = time.perf_counter()
        for k in range(waits + 1):
            scheduler.round(float(k))
        best = min(best, time.perf_counter() - begin)
    return Row("turn of a program", best / waits * 1e6, note="two switches of threads")


def _row(name: str) -> Row:
    factor, simulated, states = 0.0, 0.0, ""
    for _ in range(REPEATS):
        with aw.World.load(name) as world:
            world.step()  # compiles and derives what is not kept yet
            begin, start = time.perf_counter(), world.time
            world.run(seconds=SECONDS.get(name, MAX_SECONDS), until=_is_over)
            taken = time.perf_counter() - begin
            simulated = world.time - start
            factor = max(factor, simulated / taken)
            states = ", ".join(sorted({robot.state for robot in world.robots.values()}))
    return Row(
        f"cell {name}",
        factor,
        "real time",
        1.0,
        "s/s",
        lower_is_better=False,
        wanted=PROMISED.get(name, 1.0),
        note=f"{simulated:.1f} s simulated" + (f", {states}" if states else ""),
    )


def _is_over(world: aw.World) -> bool:
    robots = world.robots.values()
    return bool(robots) and all(robot.state != "running" for robot in robots)
