"""Simulation: determinism to the last bit, capture and restore, sleep, placing, errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from law_scenes import R, ball, belt, cuboid, world
from numpy.typing import ArrayLike

from armwerk.errors import DescriptionError, ShapeError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.addition import Addition
from armwerk.physics.settings import MANY_THINGS
from armwerk.robot import load
from armwerk.scene.scene import Border, Rectangle, Scene, Step, Thing

GREEN = "00FF00"


def crowd(count: int = 24) -> Scene:
    """Balls and cuboids that rain on a belt and a step."""
    draw = np.random.default_rng(5)
    things: list[Thing] = []
    for k in range(count // 2):
        x, y = draw.uniform(-0.15, 0.15, 2)
        things.append(ball(x, y, 0.3 + 0.05 * k, bounce=0.5, resistance=0.3))
        things.append(cuboid(y, x, 0.35 + 0.05 * k, size=(0.04, 0.05, 0.03)))
    obstacles = (belt(length=0.4), Step(Rectangle((0.5, 0.0), (0.3, 0.3)), 0.05, GREEN))
    border = Border((-1.0, -1.0), (1.0, 1.0))
    return Scene(obstacles=obstacles, things=tuple(things), border=border)


def fingerprint(simulation: Simulation) -> bytes:
    """Everything that moves, bit by bit."""
    return bytes(simulation.data.qpos.tobytes() + simulation.data.qvel.tobytes())


@pytest.mark.parametrize("sleep", [False, True])
def test_two_equal_runs_are_equal_to_the_last_bit(sleep: bool) -> None:
    runs = []
    for _ in range(2):
        simulation = Simulation(crowd(), settings=SimulationSettings(sleep=sleep))
        simulation.run(0.7)
        simulation.belts[0].running = False
        simulation.run(0.5)
        runs.append(fingerprint(simulation))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("sleep", [False, True])
@pytest.mark.parametrize("at", [0.0, 0.3, 1.5])
def test_restoring_and_running_on_equals_running(sleep: bool, at: float) -> None:
    simulation = Simulation(crowd(), settings=SimulationSettings(sleep=sleep))
    simulation.run(at)
    state = simulation.capture()
    simulation.run(0.5)
    simulation.belts[0].running = False
    simulation.run(0.5)
    end = fingerprint(simulation)
    simulation.restore(state)
    assert simulation.time == pytest.approx(at)
    assert simulation.belts[0].running
    simulation.run(0.5)
    simulation.belts[0].running = False
    simulation.run(0.5)
    assert fingerprint(simulation) == end


def test_a_state_restores_into_another_simulation_of_the_same_cell() -> None:
    first, second = (Simulation(crowd(), settings=SimulationSettings(sleep=True)) for _ in range(2))
    first.run(1.2)
    second.restore(first.capture())
    for simulation in (first, second):
        simulation.run(0.4)
    assert fingerprint(first) == fingerprint(second)


def test_a_captured_state_does_not_change_with_the_simulation() -> None:
    simulation = Simulation(crowd())
    state = simulation.capture()
    before = state.physics.tobytes()
    simulation.run(0.2)
    assert state.physics.tobytes() == before
    with pytest.raises(ValueError, match="read-only"):
        state.physics[0] = 1.0


def test_a_state_of_another_cell_is_refused() -> None:
    state = world(ball()).capture()
    with pytest.raises(ShapeError, match="belts"):
        Simulation(crowd()).restore(state)
    with pytest.raises(ShapeError, match="numbers"):
        world(ball()).restore(replace(state, physics=state.physics[:-1]))


def test_sleepers_wake_when_a_belt_starts() -> None:
    things = [cuboid(-0.1 + 0.05 * k, 0.0, 0.12, size=(0.03, 0.03, 0.04)) for k in range(4)]
    scene = Scene(obstacles=(belt(running=False, length=4.0),), things=tuple(things))
    simulation = Simulation(scene, settings=SimulationSettings(sleep=True))
    simulation.run(1.0)
    assert (simulation.data.tree_asleep[:4] >= 0).all()
    simulation.belts[0].running = True
    simulation.run(1.0)
    np.testing.assert_allclose(simulation._qvel[:, 0], 0.3, rtol=0.02)


def test_a_sleeper_wakes_when_it_is_hit_or_loses_its_support() -> None:
    scene = Scene(things=(cuboid(), cuboid(z=0.06), ball(1.0, z=0.5)))
    simulation = Simulation(scene, settings=SimulationSettings(sleep=True))
    simulation.run(1.0)
    assert (simulation.data.tree_asleep[:2] >= 0).all()
    simulation.place(0, (0.0, 1.0, 0.02))  # pulled away from under the other
    simulation.run(0.5)
    assert simulation.positions[1, 2] == pytest.approx(0.02, abs=1e-4)
    simulation.place(2, (-0.5, 0.0, R), velocity=(2.0, 0.0, 0.0))
    simulation.run(0.5)
    assert simulation.positions[1, 0] > 1e-3


@pytest.mark.parametrize("over", [-0.001, 0.001])
def test_nothing_falls_asleep_on_the_brink(over: float) -> None:
    table = Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), 0.3, GREEN)
    scene = Scene(obstacles=(table,), things=(cuboid(over, 0.0, 0.32),))
    simulation = Simulation(scene, settings=SimulationSettings(sleep=True))
    simulation.run(3.0)
    assert (simulation.positions[0, 2] < 0.29) == (over > 0.0)


def test_what_blocks_a_belt_and_goes_lets_the_rest_go_on() -> None:
    scene = Scene(
        obstacles=(belt(length=4.0),),
        things=(cuboid(0.0, 0.0, 0.12), ball(0.3, z=0.1 + R)),
    )
    simulation = Simulation(scene, settings=SimulationSettings(sleep=True))
    wall = Step(Rectangle((0.5, 0.0), (0.1, 0.4)), 0.3, GREEN)
    blocked = Simulation(
        Scene(obstacles=(belt(length=4.0), wall), things=scene.things),
        settings=SimulationSettings(sleep=True),
    )
    blocked.run(4.0)
    assert blocked.positions[:, 0].max() < 0.45
    simulation.run(4.0)
    assert simulation.positions[:, 0].min() > 1.0


def test_step_is_1_ms_where_a_ball_bounces_else_2_ms() -> None:
    assert Simulation(Scene(things=(ball(bounce=0.1),))).dt == 0.001
    assert Simulation(Scene(things=(ball(), cuboid(0.5)))).dt == 0.002
    assert Simulation(Scene(), settings=SimulationSettings(dt=0.0005)).dt == 0.0005


def test_thing_tells_place_and_motion_in_the_world() -> None:
    simulation = world(ball(), cuboid(0.5))
    rotation = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    simulation.place(1, (1.0, 2.0, 3.0), rotation, velocity=(0.1, 0.2, 0.3), spin=(1.0, 2.0, 3.0))
    state = simulation.thing(1)
    assert (state.name, state.kind, state.colour) == ("cuboid0", "cuboid", "FF0000")
    assert simulation.thing(0).kind == "ball"
    np.testing.assert_allclose(state.position, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(state.velocity, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(state.rotation, rotation, atol=1e-12)
    np.testing.assert_allclose(state.spin, (1.0, 2.0, 3.0), atol=1e-12)


def test_energy_is_kinetic_plus_potential() -> None:
    simulation = world(ball())
    simulation.place(0, (0.0, 0.0, 2.0), velocity=(3.0, 0.0, 0.0), spin=(0.0, 4.0, 0.0))
    mass = 500.0 * 4.0 / 3.0 * np.pi * R**3
    expected = mass * (9.81 * 2.0 + 4.5 + 0.5 * 0.4 * R**2 * 16.0)
    assert simulation.energy() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bad", [(1.0, 2.0), (np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0)])
def test_place_refuses_what_is_no_point(bad: tuple[float, ...]) -> None:
    with pytest.raises(ShapeError, match="position"):
        world(ball()).place(0, bad)


def test_a_refused_place_changes_nothing() -> None:
    simulation = world(ball(), cuboid(0.5))
    before = fingerprint(simulation)
    bad: dict[str, ArrayLike] = {
        "rotation": np.ones((3, 3)),
        "velocity": (np.nan, 0.0, 0.0),
        "spin": (0.0, np.inf, 0.0),
    }
    for name, value in bad.items():
        with pytest.raises((ShapeError, DescriptionError), match=name):
            simulation.place(1, (9.0, 9.0, 9.0), **{name: value})
        assert fingerprint(simulation) == before


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("dt", lambda: SimulationSettings(dt=0.1)),
        ("dt", lambda: SimulationSettings(dt=0.0)),
        ("gravity", lambda: SimulationSettings(gravity=-1.0)),
        ("friction", lambda: SimulationSettings(friction=np.nan)),
        ("density", lambda: SimulationSettings(density=0.0)),
    ],
)
def test_settings_out_of_range_are_refused(
    name: str, make: Callable[[], SimulationSettings]
) -> None:
    with pytest.raises(DescriptionError, match=name):
        make()


def test_an_empty_cell_runs() -> None:
    simulation = Simulation(Scene())
    simulation.run(0.1)
    assert simulation.positions.shape == (0, 3)
    assert simulation.energy() == 0.0


def test_contacts_stay_at_one_place_in_memory() -> None:
    """The kernels rely on it."""
    simulation = Simulation(crowd())
    seen = set()
    for _ in range(300):
        simulation.step()
        if simulation.data.ncon:
            seen.add(simulation.data.contact.dist.__array_interface__["data"][0])
    assert len(seen) == 1


def _drops(count: int) -> Scene:
    """Things that fall on the floor and a step, bounce, slide and come to rest."""
    things = [
        ball(0.2 * k, 0.0, 0.1 + 0.1 * k, bounce=0.5) if k % 2 else cuboid(0.2 * k, 0.0, 0.3)
        for k in range(count)
    ]
    return Scene(
        obstacles=(Step(Rectangle((0.2, 0.0), (0.3, 0.3)), 0.05, GREEN),), things=tuple(things)
    )


def test_a_plain_step_is_a_whole_step_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, whole = Simulation(_drops(5)), Simulation(_drops(5))
    steps: list[float] = []
    step_plainly = plain._step_plainly

    def counted() -> None:
        steps.append(plain.time)
        step_plainly()

    monkeypatch.setattr(plain, "_step_plainly", counted)
    assert plain._is_plain
    monkeypatch.setattr(whole, "_is_plain", False)
    for simulation in (plain, whole):
        simulation.listen()
        simulation.run(1.0)
        simulation.place(1, (0.0, 0.1, R), velocity=(0.8, 0.0, 0.0))
        simulation.run(0.5)
    assert fingerprint(plain) == fingerprint(whole)
    assert plain.contact_events == whole.contact_events
    assert 500 < len(steps) < 1500  # what is fast is looked at as a whole


def test_a_plain_step_is_not_for_robots_and_many_things() -> None:
    arm = RobotPlacement(load("scara"), None, np.eye(4))
    assert Simulation(Scene())._is_plain
    assert not Simulation(Scene(), [arm])._is_plain
    assert not Simulation(_drops(MANY_THINGS))._is_plain
    assert not Simulation(_drops(2), settings=SimulationSettings(sleep=True))._is_plain
    addition = Mock(spec=Addition)
    addition.pads.return_value = []
    assert not Simulation(_drops(2), addition=addition)._is_plain
