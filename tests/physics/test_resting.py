"""Heaps come to rest and sleep, and nothing that is about to fall does."""

from __future__ import annotations

import numpy as np
import pytest
from law_scenes import RED
from test_heaps import heap

from armwerk.physics import Simulation, SimulationSettings
from armwerk.scene.scene import Ball, Conveyor, Cuboid, Rectangle, Scene, Step, Thing


def awake(simulation: Simulation) -> int:
    """How many things take part."""
    return int(simulation.data.nv_awake) // 6


def in_a_crowd(*things: Thing) -> tuple[Thing, ...]:
    """Things, and 16 far away that lie on the floor: in a cell of many things they may sleep."""
    others = (Cuboid((5.0 + k, 5.0, 0.02), (0.04, 0.04, 0.04), RED) for k in range(16))
    return (*things, *others)


def test_a_heap_comes_to_rest_sleeps_and_stays() -> None:
    simulation = Simulation(heap(64))
    while awake(simulation) and simulation.time < 4.0:
        simulation.run(0.1)
    assert awake(simulation) == 0
    assert (simulation.data.qvel == 0.0).all()
    before = simulation.positions
    simulation.run(1.0)
    assert (simulation.positions == before).all()
    top = int(before[:, 2].argmax())
    other = int(before[:, 2].argmin())
    x, y, z = before[top]
    simulation.place(other, (x, y, z + 0.3))  # from under it: all that lay on it must move
    simulation.run(0.4)
    assert awake(simulation) > 10
    assert simulation.positions[other, 2] < z + 0.2


def test_a_captured_heap_falls_asleep_as_it_would_have() -> None:
    simulation = Simulation(heap(24))
    simulation.run(0.4)  # in the middle of a window
    state, before = simulation.capture(), awake(simulation)
    simulation.run(0.14)
    expected, left = simulation.positions, simulation.data.tree_asleep.copy()
    assert awake(simulation) < before
    for other in (simulation, Simulation(heap(24))):
        other.restore(state)
        other.run(0.14)
        assert (other.data.tree_asleep == left).all()
        assert (other.positions == expected).all()


def test_what_lies_in_a_heap_that_sleeps_goes_on_touching_with_its_weight() -> None:
    simulation = Simulation(heap(24))
    simulation.listen()
    while awake(simulation) and simulation.time < 2.0:
        simulation.step()
    told = len(simulation.contact_events)
    simulation.run(0.2)
    assert len(simulation.contact_events) == told
    pressed = sum(pair.force for pair in simulation.contacts if "floor" in pair.names)
    weight = float(simulation.model.body_mass[1:].sum()) * 9.81
    assert pressed == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize(("over", "falls"), [(2e-5, True), (-2e-3, False)])
def test_what_stands_on_the_edge_of_another_tips_and_does_not_sleep(
    over: float, falls: bool
) -> None:
    """Over the edge by 20 µm is enough; two millimetres before it, it stands and sleeps."""
    low = Cuboid((0.0, 0.0, 0.05), (0.1, 0.1, 0.1), RED, mass=50.0)
    high = Cuboid((0.05 + over, 0.0, 0.15), (0.04, 0.04, 0.1), RED)
    simulation = Simulation(Scene(things=in_a_crowd(low, high)))
    simulation.run(2.0)
    assert bool(simulation.positions[1, 2] < 0.1) == falls
    assert awake(simulation) == 0


def test_a_ball_that_rolls_alone_is_left_to_roll() -> None:
    """However slowly: 1 mm/s is less than a heap trembles."""
    ball = Ball((0.0, 0.0, 0.02), radius=0.02, resistance=0.0, bounce=0.0, colour=RED)
    simulation = Simulation(Scene(things=in_a_crowd(ball)))
    simulation.place(0, (0.0, 0.0, 0.02), velocity=(1e-3, 0.0, 0.0), spin=(0.0, 0.05, 0.0))
    simulation.run(2.0)
    assert simulation.positions[0, 0] == pytest.approx(2e-3, rel=0.01)


def test_things_held_up_on_a_running_belt_stay_awake() -> None:
    """Whatever blocks their way may go, so they are ready though they stand still for long."""
    belt = Conveyor(Rectangle((0.0, 0.0), (2.0, 0.3)), (0.1, 0.1), "x", "00FF00", speed=0.2)
    gate = Step(Rectangle((0.5, 0.0), (0.02, 0.4)), 0.3, "808080")
    row = (Cuboid((0.4 - 0.09 * k, 0.0, 0.11), (0.08, 0.08, 0.02), RED) for k in range(3))
    scene = Scene(obstacles=(belt, gate), things=in_a_crowd(*row))
    simulation = Simulation(scene)
    simulation.run(2.0)  # they stand in a row before the gate
    before = simulation.positions
    simulation.run(1.0)
    assert np.abs(simulation.positions - before).max() < 1e-3
    assert awake(simulation) == 3


def test_who_asks_for_no_sleep_gets_none_and_without_weight_nothing_rests() -> None:
    for settings in (SimulationSettings(sleep=False), SimulationSettings(gravity=0.0)):
        simulation = Simulation(heap(24), settings=settings)
        simulation.run(0.6)
        assert simulation._resting is None
