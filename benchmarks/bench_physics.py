"""What the hooks at the contacts cost against bare MuJoCo, and how fast large cells run.

Both sides step the same model from the same state; the bare side has neither hooks nor drives. The
promise is at most 1.5 times bare stepping, a ratio of 0.67. Times are CPU times, so that a busy
machine does not count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import mujoco
import numpy as np
from measure import Row

from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.zones import ZoneWatcher
from armwerk.robot import load
from armwerk.scene.scene import (
    Ball,
    Barrier,
    Border,
    Conveyor,
    Cuboid,
    Rectangle,
    Scene,
    Step,
    Thing,
    Zone,
)

REPEATS = 7
PROMISE = 1.0 / 1.5
GREEN = "00FF00"
PEER = "mj_step of the same model"


def run() -> list[Row]:
    """Measure everything of this file."""
    rows = [
        _against_bare("a step of one ball at rest", single_ball(), 4000),
        _against_bare("a step of one cuboid at rest", single_cuboid(), 4000),
        _against_bare("a step of an arm with a gripper and six things", pick_and_place(), 2000),
        _against_bare("a step of 200 settled things", stress(sleep=False), 60, settle=4.0),
    ]
    return [
        *rows,
        _pace("pick and place, motors moving", pick_and_place(), 4.0, 20.0),
        _pace("200 things that fall and settle, 5 s", stress(), 5.0, 1.0),
        _pace("ten arms and 100 things, 3 s", ten_arms(), 3.0, 3.0),
        *_life_of_a_pile(),
        *_spread_out(),
        _watching(),
    ]


def single_ball() -> Simulation:
    """A ball that lies on the floor."""
    return Simulation(Scene(things=(Ball((0.0, 0.0, 0.02), 0.02, 0.3, 0.5, GREEN),)))


def single_cuboid() -> Simulation:
    """A cuboid that lies on the floor."""
    return Simulation(Scene(things=(Cuboid((0.0, 0.0, 0.02), (0.04, 0.04, 0.04), GREEN),)))


def pick_and_place() -> Simulation:
    """A table, a belt, six things, and an arm that moves about."""
    obstacles = (
        Step(Rectangle((0.5, 0.0), (0.4, 0.6)), 0.1, GREEN),
        Conveyor(Rectangle((0.0, 0.7), (1.0, 0.2)), (0.1, 0.1), "x", GREEN, speed=0.05),
    )
    things: list[Thing] = [
        Cuboid((0.4 + 0.1 * (k % 2), 0.1 * (k // 2), 0.12), (0.04,) * 3, GREEN) for k in range(4)
    ]
    things += [Ball((0.1 * k, 0.7, 0.12), 0.02, 0.5, 0.0, GREEN) for k in range(2)]
    mounted = RobotPlacement(load("puma560"), load("parallel_gripper"), np.eye(4))
    simulation = Simulation(Scene(obstacles=obstacles, things=tuple(things)), [mounted])
    simulation.robots[0].set_goal(0, 1.0)
    return simulation


def stress(sleep: bool | None = None) -> Simulation:
    """A hundred bouncing balls and a hundred cuboids that fall into a square metre."""
    draw = np.random.default_rng(0)
    scene = Scene(things=_rain(draw, 100, 0.4), border=Border((-0.5, -0.5), (0.5, 0.5)))
    return Simulation(scene, settings=SimulationSettings(sleep=sleep))


def pile(count: int = 500, width: float = 1.2) -> Simulation:
    """Cuboids of 4 to 10 cm, 8 x 8 per layer, that fall into a square and heap up."""
    draw = np.random.default_rng(1)
    pitch, things = width / 8, []
    for i in range(count):
        size = draw.uniform(0.04, 0.10, 3)
        room = 0.5 * (pitch - size) - 0.002
        x, y = (
            pitch * (place + 0.5) - 0.5 * width + draw.uniform(-room[k], room[k])
            for k, place in enumerate((i % 8, i // 8 % 8))
        )
        sides = (float(size[0]), float(size[1]), float(size[2]))
        things.append(Cuboid((float(x), float(y), 0.06 + 0.13 * (i // 64)), sides, GREEN))
    border = Border((-0.5 * width,) * 2, (0.5 * width,) * 2)
    return Simulation(Scene(things=tuple(things), border=border))


def spread(sleep: bool) -> Simulation:
    """Five hundred cuboids on the floor, none of which touches another."""
    things = tuple(
        Cuboid((0.2 * (k % 25), 0.2 * (k // 25), 0.021), (0.04,) * 3, GREEN) for k in range(500)
    )
    return Simulation(Scene(things=things), settings=SimulationSettings(sleep=sleep))


def ten_arms() -> Simulation:
    """Ten arms with grippers in a row, all moving, and fifty balls and fifty cuboids."""
    draw = np.random.default_rng(1)
    border = Border((-1.0, -1.0), (1.0, 1.0))
    robots = []
    for k in range(10):
        base = np.eye(4)
        base[:2, 3] = -0.9 + 0.2 * k, 1.5
        robots.append(RobotPlacement(load("simple_arm"), load("parallel_gripper"), base))
    simulation = Simulation(Scene(things=_rain(draw, 50, 0.8), border=border), robots)
    for robot in simulation.robots:
        robot.set_goal(0, 0.8)
    return simulation


def _rain(draw: np.random.Generator, pairs: int, width: float) -> tuple[Thing, ...]:
    things: list[Thing] = []
    for k in range(pairs):
        x, y = (float(value) for value in draw.uniform(-width, width, 2))
        things.append(Ball((x, y, 0.05 + 0.05 * (k // 2)), 0.02, 0.3, 0.5, GREEN))
        things.append(Cuboid((y, x, 0.08 + 0.05 * (k // 2)), (0.04, 0.04, 0.04), GREEN))
    return tuple(things)


def _against_bare(what: str, simulation: Simulation, steps: int, settle: float = 0.5) -> Row:
    simulation.run(settle)
    state = simulation.capture()
    model, data = simulation.model, simulation.data
    ours = theirs = math.inf
    for _ in range(REPEATS):
        simulation.restore(state)
        ours = min(ours, _seconds(simulation.step, steps))
        simulation.restore(state)
        theirs = min(theirs, _seconds(lambda: mujoco.mj_step(model, data), steps))
    note = f"{data.ncon} contacts, {model.nv} dofs"
    return Row(what, ours * 1e6, PEER, theirs * 1e6, wanted=PROMISE, note=note)


def _seconds(call: Callable[[], None], number: int) -> float:
    begin = time.thread_time()
    for _ in range(number):
        call()
    return (time.thread_time() - begin) / number


def _pace(what: str, simulation: Simulation, seconds: float, wanted: float) -> Row:
    begin = time.thread_time()
    simulation.run(seconds)
    pace = seconds / (time.thread_time() - begin)
    note = f"step of {simulation.dt * 1e3:g} ms, {simulation.data.ncon} contacts at the end"
    return Row(what, pace, "real time", 1.0, "×", lower_is_better=False, wanted=wanted, note=note)


def _life_of_a_pile() -> list[Row]:
    """Five hundred cuboids that fall, heap up and lie there; then the heap against bare MuJoCo."""
    simulation = pile()
    rows = [
        _pace("500 cuboids that fall onto each other, 0.4 s", simulation, 0.4, 0.1),
        _pace("the same, heaping up, 0.6 s", simulation, 0.6, 0.1),
        _pace("the same, coming to rest, 1 s", simulation, 1.0, 0.1),
    ]
    state = simulation.capture()
    model, data = simulation.model, simulation.data
    ours = min(_seconds(simulation.step, 10) for _ in range(3))
    simulation.restore(state)
    theirs = _seconds(lambda: mujoco.mj_step(model, data), 2)
    note = f"{data.ncon} contacts, {model.nv} dofs"
    rows.append(Row("a step of the heap", ours * 1e6, PEER, theirs * 1e6, wanted=1.0, note=note))
    return rows


def _spread_out() -> list[Row]:
    awake, asleep = spread(sleep=False), spread(sleep=True)
    awake.run(0.1)
    asleep.run(0.2)
    return [
        _pace("500 cuboids apart from each other, awake", awake, 0.5, 2.0),
        _pace("500 cuboids apart from each other, asleep", asleep, 0.5, 2.0),
    ]


def _watching() -> Row:
    """Twenty zones and barriers over two hundred things that move a little in every step."""
    draw = np.random.default_rng(0)
    places = draw.uniform(-1.0, 1.0, (20, 4)).tolist()
    watches = tuple(
        Zone("ball", "enters", 0, "t", (x, y), 0.1 + abs(u), 0.1)
        if i % 2
        else Barrier("cuboid", 0, "t", (x, y), (u, v), 0.1)
        for i, (x, y, u, v) in enumerate(places)
    )
    watcher = ZoneWatcher(Scene(things=_rain(draw, 100, 0.4), watches=watches))
    start = draw.uniform(-1.0, 1.0, (200, 3))
    steps = [start + 1e-4 * draw.normal(size=start.shape) for _ in range(50)]
    watcher.start(start)

    def check() -> None:
        for step in steps:
            watcher.check(step)

    best = min(_seconds(check, 1) for _ in range(20)) / len(steps)
    what = "zones and barriers: 20 over 200 things"
    return Row(what, best * 1e6, "a bound of 60 µs", 60.0, wanted=1.0)
