"""Large heaps are solved contact by contact: faster, no deeper, without energy from nowhere."""

from __future__ import annotations

import time
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from law_scenes import RED

from armwerk.physics import RobotPlacement, Simulation, SimulationSettings, heaps
from armwerk.physics.heaps import ROUNDS
from armwerk.robot import load
from armwerk.scene.scene import Border, Cuboid, Scene

WIDTH = 0.6  # [m] of the square they fall into


def heap(count: int = 120) -> Scene:
    """Cuboids of 4 to 10 cm, 4 x 4 per layer, above each other."""
    draw = np.random.default_rng(3)
    pitch, things = WIDTH / 4, []
    for i in range(count):
        size = draw.uniform(0.04, 0.10, 3)
        room = 0.5 * (pitch - size) - 0.002
        x, y = (
            -0.5 * WIDTH + pitch * (place + 0.5) + draw.uniform(-room[k], room[k])
            for k, place in enumerate((i % 4, i // 4 % 4))
        )
        centre = (float(x), float(y), 0.06 + 0.11 * (i // 16))
        things.append(Cuboid(centre, (float(size[0]), float(size[1]), float(size[2])), RED))
    border = Border((-0.5 * WIDTH,) * 2, (0.5 * WIDTH,) * 2)
    return Scene(things=tuple(things), border=border)


@pytest.fixture(scope="module")
def settled() -> Simulation:
    """A heap after a second and a half, whose energy never rose."""
    simulation = Simulation(heap())
    energy = simulation.energy()
    for _ in range(75):
        simulation.run(0.02)
        assert simulation.energy() < 1.0005 * energy
        energy = simulation.energy()
    return simulation


def deepest(simulation: Simulation) -> float:
    """How deep two are in each other [m]."""
    return float(-simulation.data.contact.dist.min())


def seconds_per_step(simulation: Simulation, steps: int) -> float:
    """Computing time of a step [s]."""
    begin = time.process_time()
    for _ in range(steps):
        simulation.step()
    return (time.process_time() - begin) / steps


def test_a_heap_lies_within_its_border_and_not_in_itself(settled: Simulation) -> None:
    simulation = settled
    simulation.take_problems()
    before = simulation.positions
    simulation.run(0.3)
    assert simulation.data.solver_niter[0] == ROUNDS  # or another solver was at work
    assert deepest(simulation) < 5e-4
    assert simulation.take_problems() == []
    assert np.abs(simulation.positions[:, :2]).max() < 0.5 * WIDTH - 0.015
    assert np.linalg.norm(simulation.positions - before, axis=1).mean() < 1e-3


def test_a_captured_heap_goes_on_to_the_last_bit(settled: Simulation) -> None:
    state = settled.capture()
    settled.run(0.1)
    expected = settled.positions
    settled.restore(state)
    settled.run(0.1)
    assert (settled.positions == expected).all()
    other = Simulation(heap())
    other.restore(state)
    other.run(0.1)
    assert (other.positions == expected).all()


def test_a_heap_is_many_times_faster_than_by_newtons_method(
    settled: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = settled.capture()
    ours = min(seconds_per_step(settled, 5) for _ in range(3))
    settled.restore(state)
    monkeypatch.setattr(heaps, "LARGE", 10**9)
    theirs = min(seconds_per_step(settled, 2) for _ in range(2))
    settled.restore(state)
    assert theirs > 4.0 * ours


def test_between_steps_and_for_few_things_it_is_newtons_method(settled: Simulation) -> None:
    assert settled.model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    few = Simulation(Scene(things=heap().things[:20]))
    few.run(0.5)
    assert few.model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert few.data.solver_niter[0] < ROUNDS


def test_the_weight_of_a_heap_stands_on_the_floor(settled: Simulation) -> None:
    """Within 5 %: the walls round it rub, and carry or press a part."""
    settled.listen()
    total = 0.0
    steps = 100
    for _ in range(steps):
        settled.step()
        pressed = [c.force for c in settled.contacts if "floor" in c.names]
        total += sum(pressed) / steps
    weight = float(settled.model.body_mass[1:].sum()) * 9.81
    assert total == pytest.approx(weight, rel=0.05)


def test_what_an_arm_touches_is_left_to_newtons_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heaps, "LARGE", 60)
    scene = heap(48)
    arm = RobotPlacement(load("puma560"), load("parallel_gripper"), np.eye(4))
    arm.base[0, 3] = -1.0
    simulation = Simulation(scene, [arm], SimulationSettings())
    solver = simulation._heaps
    assert solver is not None
    simulation.run(1.0)
    assert solver.begin()
    solver.end()
    pads = simulation.robots[0].pad_geoms
    simulation.data.contact[0].geom[0] = pads[0]
    assert not solver.begin()


def test_many_things_apart_lie_where_newtons_method_lays_them_and_sleep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    things = tuple(
        Cuboid((0.2 * (k % 10), 0.2 * (k // 10), 0.0201), (0.04, 0.04, 0.04), RED)
        for k in range(100)
    )
    scene, places = Scene(things=things), []
    for large in (heaps.LARGE, 10**9):
        monkeypatch.setattr(heaps, "LARGE", large)
        simulation = Simulation(scene, settings=SimulationSettings(sleep=False))
        chosen: list[int] = []
        assert simulation._heaps is not None
        end = simulation._heaps.end

        def note(chosen: list[int] = chosen, simulation: Simulation = simulation) -> None:
            chosen.append(int(simulation.model.opt.solver))

        def finish(note: Callable[[], None] = note, end: Callable[[], None] = end) -> None:
            note()
            end()

        monkeypatch.setattr(simulation._heaps, "end", finish)
        simulation.run(0.5)
        assert (int(mujoco.mjtSolver.mjSOL_CG) in chosen) == (large < 10**9)
        assert np.abs(simulation.data.qvel).max() < 1e-6
        places.append(simulation.positions)
    assert np.abs(places[0] - places[1]).max() < 1e-9
    monkeypatch.undo()
    simulation = Simulation(scene)
    simulation.run(1.0)
    assert simulation.data.nv_awake == 0
