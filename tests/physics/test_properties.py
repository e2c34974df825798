"""Bodies that state mass, density, friction or bounce obey the laws by their own numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from law_scenes import (
    RED,
    STEPS,
    G,
    ball,
    belt,
    cuboid,
    on_plane,
    run_to,
    settle,
    slope,
    speed_up,
    tilt_of,
    tolerance,
    world,
)

import armwerk as aw
from armwerk.errors import DescriptionError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.scene.scene import Cuboid, Rectangle, Scene, Step, Thing


def test_masses_come_from_mass_density_or_the_settings() -> None:
    one = cuboid(size=(0.1, 0.1, 0.1))
    things = (one, replace(one, mass=0.25), replace(one, density=2700.0), replace(ball(), mass=3.0))
    masses = world(*things).model.body_mass[1:5]
    assert masses == pytest.approx([0.5, 0.25, 2.7, 3.0], rel=1e-12)


@pytest.mark.parametrize("dt", STEPS)
def test_heavy_falls_like_light(dt: float) -> None:
    fall = world(
        replace(cuboid(0.0, z=2.0), mass=1e-3), replace(cuboid(1.0, z=2.0), mass=100.0), dt=dt
    )
    run_to(fall, 0.5)
    drops = 2.0 - fall.positions[:, 2]
    assert drops == pytest.approx([0.5 * G * fall.time**2] * 2, rel=1e-9)


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("own", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("who", ["thing", "ground", "both"])
def test_sliding_begins_at_the_stated_friction(dt: float, own: float, who: str) -> None:
    def slides(degrees: float) -> bool:
        ramp = slope(degrees)
        thing = cuboid()
        if who != "ground":
            thing = replace(thing, friction=own)
        if who != "thing":
            ramp = replace(ramp, friction=own if who == "ground" else own + 0.5)
        simulation = world(thing, obstacles=(ramp,), dt=dt)
        simulation.place(0, on_plane(ramp, -1.0, 0.02), tilt_of(ramp))
        run_to(simulation, 1.0)
        return bool(np.linalg.norm(simulation.thing(0).velocity) > 0.004)

    limit = math.degrees(math.atan(own))
    assert not slides(limit - 0.1)
    assert slides(limit + 0.1)


@pytest.mark.parametrize("dt", STEPS)
def test_neighbours_that_state_nothing_keep_the_global_friction(dt: float) -> None:
    simulation = world(replace(cuboid(0.0), friction=0.2), cuboid(0.0, 1.0), dt=dt, friction=0.5)
    settle(simulation)
    for k in range(2):
        speed_up(simulation, k, (1.0, 0.0, 0.0))
    simulation.run(1.5)
    expected = [1.0 / (2 * mu * G) for mu in (0.2, 0.5)]
    assert simulation.positions[:, 0] == pytest.approx(expected, rel=tolerance(dt))


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("who", ["thing", "belt"])
def test_a_belt_takes_a_thing_along_by_the_stated_friction(dt: float, who: str) -> None:
    speed, mu = 1.0, 0.1
    band = belt(speed=speed)
    thing = cuboid(-3.0, z=0.1 + 0.02)
    if who == "thing":
        thing = replace(thing, friction=mu)
    else:
        band = replace(band, friction=mu)
    simulation = world(thing, obstacles=(band,), dt=dt)
    simulation.run(0.5)
    start, took = -3.0, 0.5
    assert simulation.positions[0, 0] - start == pytest.approx(0.5 * mu * G * took**2, rel=0.02)
    simulation.run(2.0)
    assert simulation.thing(0).velocity[0] == pytest.approx(speed, rel=1e-3)


def test_a_ball_that_states_its_friction_still_rides_on_a_belt() -> None:
    band = belt(speed=0.3)
    rides = replace(ball(-3.0, z=0.1 + 0.02), friction=0.3)
    simulation = world(rides, ball(-3.0, 0.1, 0.12), obstacles=(band,))
    simulation.run(3.0)
    assert simulation.thing(0).velocity[0] == pytest.approx(0.3, rel=0.01)
    assert simulation.thing(0).velocity == pytest.approx(simulation.thing(1).velocity, abs=1e-3)


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("bounce", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("ground", ["floor", "step"])
def test_a_cuboid_that_lands_flat_rebounds_by_its_bounce(
    dt: float, bounce: float, ground: str
) -> None:
    under = (Step(Rectangle((0.0, 0.0), (1.0, 1.0)), 0.1, RED),) if ground == "step" else ()
    level = 0.1 if ground == "step" else 0.0
    height = 0.5
    jumper = replace(cuboid(z=level + 0.02 + height), bounce=bounce)
    simulation = world(jumper, obstacles=under, dt=dt)
    landing = math.sqrt(2 * height / G)
    up = bounce * landing
    run_to(simulation, landing + 0.02 * up)
    top = 0.0
    while simulation.time < landing + 1.9 * up:
        simulation.step()
        top = max(top, simulation.positions[0, 2] - level - 0.02)
    assert top == pytest.approx(bounce**2 * height, rel=2 * tolerance(dt))
    assert simulation.thing(0).rotation == pytest.approx(np.eye(3), abs=1e-6)


def test_a_cuboid_that_lands_on_an_edge_gains_no_energy_and_comes_to_rest() -> None:
    jumper = replace(cuboid(z=0.5), bounce=0.8)
    simulation = world(jumper)
    c, s = math.cos(0.4), math.sin(0.4)
    tilted = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    simulation.place(0, np.array([0.0, 0.0, 0.5]), tilted)
    mass = simulation.model.body_mass[1]
    inertia = simulation.model.body_inertia[1]
    highest = mass * G * 0.5
    while simulation.time < 8.0:
        simulation.step()
        v, w = simulation.data.qvel[:3], simulation.data.qvel[3:6]
        energy = mass * G * simulation.positions[0, 2]
        energy += 0.5 * mass * (v @ v) + 0.5 * float(inertia @ (w * w))
        assert energy <= highest * 1.002
    assert np.linalg.norm(simulation.thing(0).velocity) < 1e-3


def test_a_cuboid_without_bounce_does_not_rebound() -> None:
    simulation = world(cuboid(z=0.5), dt=0.001)
    run_to(simulation, 0.6)
    assert simulation.positions[0, 2] == pytest.approx(0.02, abs=1e-3)


def test_settings_choose_the_fine_step_where_a_cuboid_bounces() -> None:
    assert SimulationSettings().step_for(Scene(things=(cuboid(),))) == 0.002
    assert SimulationSettings().step_for(Scene(things=(replace(cuboid(), bounce=0.1),))) == 0.001


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (replace(cuboid(), mass=1.0, density=1.0), "both a mass and a density"),
        (replace(cuboid(), mass=0.0), "mass"),
        (replace(cuboid(), density=math.nan), "density"),
        (replace(cuboid(), bounce=1.5), "bounce"),
        (replace(ball(), mass=-1.0), "mass"),
        (replace(ball(), friction=-0.1), "friction"),
    ],
)
def test_impossible_statements_are_refused(thing: Thing, said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        world(thing)


@pytest.mark.parametrize("upper", [True, False])
def test_of_two_cuboids_the_larger_bounce_counts(upper: bool) -> None:
    size, height = (0.1, 0.1, 0.1), 0.3
    below, above = cuboid(z=0.05, size=size), cuboid(z=0.15 + height, size=size)
    if upper:
        above = replace(above, bounce=0.5)
    else:
        below = replace(below, bounce=0.5)
    simulation = world(below, above)
    landing = math.sqrt(2 * height / G)
    run_to(simulation, landing + 0.01)
    top = 0.0
    while simulation.time < 1.9 * landing:
        simulation.step()
        top = max(top, simulation.positions[1, 2] - 0.15)
    assert top == pytest.approx(0.25 * height, rel=0.03)
    assert simulation.positions[0, 2] == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("friction", [None, 0.05, 0.5])
def test_hands_meet_the_friction_a_thing_states(friction: float | None) -> None:
    thing = Cuboid((0.5, 0.5, 0.02), (0.04, 0.04, 0.04), RED, friction=friction)
    robot = RobotPlacement(aw.load("simple_arm"), aw.load("parallel_gripper"), np.eye(4))
    model = Simulation(Scene(things=(thing,)), [robot]).model
    assert set(model.pair_friction[:, 0]) == ({friction} if friction else set())
    assert set(model.pair_dim) <= {3, 4}
