"""Every shipped cell against the clock: simulated seconds per second, controllers included.

Cells whose pace is promised stand beside bare MuJoCo too: the same model, stepped by MuJoCo alone
from states that the run went through. Times of cells are CPU times, so that a busy machine does not
count.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from math import inf

import mujoco
from measure import Row

import armwerk as aw
from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import Task
from armwerk.physics.simulation import SimulationState
from armwerk.scene import cells, parse_scene

PROMISED = {"pick_and_place": 40.0, "ten_arms": 4.0}  # all others: faster than real time
SECONDS = {"drop_and_bounce": 5.0, "labyrinth": 12.0, "ramp": 3.0, "stress": 5.0}
MAX_SECONDS = 60.0  # [s] simulated; every task is done by then
REPEATS = 3
PLANNING = 2.0  # [s] simulated, from when on arms plan
LOOK, BARE = 0.05, 10  # [s] simulated between states from which MuJoCo steps alone, and its steps


def run() -> list[Row]:
    """Measure every cell from its first step to the end of its task."""
    return [
        _start(),
        _turn(),
        _latest_frame(1),
        _latest_frame(10),
        *(row for name in cells() for row in _rows(name)),
    ]


def _start() -> Row:
    """Measure what a command computes from nothing to its first steps, nothing to be compiled."""
    command = [sys.executable, "-m", "armwerk", "run", "pick_and_place", "--seconds", "0.01"]

    def computed() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    spent = []
    for _ in range(REPEATS + 1):
        before = computed()
        subprocess.run([*command, "--quiet"], check=True, capture_output=True)
        spent.append(computed() - before)
    note = "armwerk run pick_and_place, user and system time to its first steps"
    return Row("start of a run", min(spent), "allowed", 1.0, "s", wanted=1.0, note=note)


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


class Liner(aw.RobotController):
    """Plans straight lines one after the other, at the same moment as all others."""

    def run(self) -> None:
        up = self.direct()
        down = up.copy()
        down[2, 3] -= 0.1
        self.line_to(down, speed=1.0)  # everything is compiled and derived now
        self.line_to(up, speed=1.0)
        self.wait_until(lambda: self.time >= PLANNING)
        while True:
            self.line_to(down, speed=1.0)
            self.line_to(up, speed=1.0)


def _latest_frame(arms: int) -> Row:
    """Measure how late the latest step of a paced run is while arms plan lines."""
    places = (f"ROBOT{k} {150 * (k % 5)} {150 * (k // 5)} 0" for k in range(arms))
    arm = (f"MANIPULATOR{k} irb120" for k in range(arms))
    scene = parse_scene("\n".join([f"MULTIROBOT {arms}", *places, *arm]) + "\n")
    latest, usual = inf, inf
    for _ in range(REPEATS):
        with aw.World(scene, robots=dict.fromkeys(range(arms), Liner)) as world:
            world.run(PLANNING - 0.2)
            late: list[tuple[float, float]] = []
            begin, start = time.perf_counter(), world.time

            def look() -> None:
                late.append((world.time, time.perf_counter() - begin - (world.time - start)))  # noqa: B023

            world.observe(look)
            world.run(1.2, pace=1.0)
        latest = min(latest, max(value for at, value in late if at >= PLANNING))
        usual = min(usual, max(value for at, value in late if at < PLANNING))
    return Row(
        f"latest step while {arms} plan",
        latest * 1e3,
        "allowed",
        16.0,
        "ms",
        wanted=1.0,
        note=f"of a paced run, irb120, straight lines; without planning {usual * 1e3:.1f} ms",
    )


def _rows(name: str) -> list[Row]:
    """Measure one cell; what was promised of it beside bare MuJoCo as well."""
    row = _row(name)
    if name not in PROMISED:
        return [row]
    bare = Row(
        f"cell {name}, beside bare MuJoCo",
        row.ours,
        "mj_step of the same model and states",
        _bare_pace(name),
        "s/s",
        lower_is_better=False,
        note="armwerk's with programs, planning, drives, contact laws and events",
    )
    return [row, bare]


def _bare_pace(name: str) -> float:
    """Return how many seconds MuJoCo alone simulates in one, on the way of a cell."""
    with aw.World.load(name) as world:
        simulation = world.simulation
        states: list[SimulationState] = []
        world.observe(lambda: states.append(simulation.capture()), every=LOOK)
        world.run(seconds=MAX_SECONDS, until=_is_over)
        best = inf
        for _ in range(REPEATS):
            spent = 0.0
            for state in states:
                simulation.restore(state)
                begin = time.process_time()
                for _ in range(BARE):
                    mujoco.mj_step(simulation.model, simulation.data)
                spent += time.process_time() - begin
            best = min(best, spent)
        return len(states) * BARE * simulation.dt / best


def _row(name: str) -> Row:
    factor, simulated, states = 0.0, 0.0, ""
    for _ in range(REPEATS):
        with aw.World.load(name) as world:
            world.step()  # compiles and derives what is not kept yet
            begin, start = time.process_time(), world.time
            world.run(seconds=SECONDS.get(name, MAX_SECONDS), until=_is_over)
            taken = time.process_time() - begin
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
