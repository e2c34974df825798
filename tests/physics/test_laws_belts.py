"""Belts carry balls and cuboids at their speed, flat and tilted: 1 % at 1 ms, 2 % at 2 ms."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from law_scenes import STEPS, R, ball, belt, cuboid, on_plane, run_to, tilt_of, tolerance, world

from armwerk.physics import Simulation
from armwerk.scene.scene import Conveyor, Rectangle

pytestmark = pytest.mark.parametrize("dt", STEPS)


def loaded(conveyor: Conveyor, dt: float, x: float = -3.0) -> Simulation:
    """A belt with a cuboid and a ball laid on it, side by side."""
    simulation = world(cuboid(), ball(), obstacles=(conveyor,), dt=dt)
    simulation.place(0, on_plane(conveyor, x, 0.02, 0.15), tilt_of(conveyor))
    simulation.place(1, on_plane(conveyor, x, R, -0.15))
    return simulation


def along(conveyor: Conveyor, simulation: Simulation, thing: int) -> float:
    """Speed of a thing along the belt [m/s]."""
    return float(simulation.thing(thing).velocity @ tilt_of(conveyor)[:, 0])


@pytest.mark.parametrize("degrees", [0.0, 15.0, -15.0])
@pytest.mark.parametrize("speed", [0.3, -0.2])
def test_ball_and_cuboid_move_at_the_speed_of_the_belt(
    dt: float, degrees: float, speed: float
) -> None:
    conveyor = belt(degrees, speed) if degrees >= 0 else belt(15.0, speed)
    simulation = loaded(conveyor, dt, x=-3.0 if speed > 0 else 3.0)
    run_to(simulation, 1.0)
    begin = simulation.positions
    run_to(simulation, 3.0)
    way = (simulation.positions - begin) @ tilt_of(conveyor)[:, 0]
    for thing in range(2):
        assert along(conveyor, simulation, thing) == pytest.approx(speed, rel=tolerance(dt))
        assert way[thing] == pytest.approx(2.0 * speed, rel=tolerance(dt))


@pytest.mark.parametrize("degrees", [0.0, 15.0])
def test_ball_and_cuboid_stop_and_start_with_the_belt(dt: float, degrees: float) -> None:
    conveyor = belt(degrees)
    simulation = loaded(conveyor, dt)
    run_to(simulation, 1.0)
    simulation.belts[0].running = False
    run_to(simulation, 2.0)
    begin = simulation.positions
    run_to(simulation, 4.0)
    assert np.abs(simulation.positions - begin).max() < 1e-3
    simulation.belts[0].running = True
    run_to(simulation, 5.0)
    for thing in range(2):
        assert along(conveyor, simulation, thing) == pytest.approx(0.3, rel=tolerance(dt))


@pytest.mark.parametrize("degrees", [0.0, 15.0])
@pytest.mark.parametrize("to_middle", [0.05, 0.1])
def test_ball_and_cuboid_drift_to_the_middle_and_stay(
    dt: float, degrees: float, to_middle: float
) -> None:
    conveyor = belt(degrees, to_middle=to_middle)
    simulation = loaded(conveyor, dt)
    run_to(simulation, 0.3)
    begin = simulation.positions[:, 1]
    run_to(simulation, 0.8)
    way = np.abs(simulation.positions[:, 1] - begin)
    np.testing.assert_allclose(way, 0.5 * to_middle, rtol=tolerance(dt))
    if degrees == 0.0:  # one at a time: they would meet in the middle
        for thing in range(2):
            simulation = loaded(conveyor, dt)
            simulation.place(1 - thing, (0.0, 5.0, 0.5))
            run_to(simulation, 4.0)
            assert abs(simulation.positions[thing, 1]) < 1e-3


@pytest.mark.parametrize("direction", ["x", "y"])
def test_a_belt_along_y_carries_along_y(dt: float, direction: Literal["x", "y"]) -> None:
    size = (2.0, 0.5) if direction == "x" else (0.5, 2.0)
    conveyor = Conveyor(Rectangle((0.0, 0.0), size), (0.1, 0.1), direction, "00FF00", speed=0.2)
    simulation = world(ball(z=0.1 + R), obstacles=(conveyor,), dt=dt)
    run_to(simulation, 1.0)
    velocity = simulation.thing(0).velocity
    k = "xy".index(direction)
    assert velocity[k] == pytest.approx(0.2, rel=tolerance(dt))
    assert abs(velocity[1 - k]) < 1e-6


def test_a_cuboid_gains_the_belt_speed_with_mu_g(dt: float) -> None:
    """From rest to speed u within u / (mu g), over u² / (2 mu g)."""
    conveyor = belt(speed=0.8)
    simulation = world(cuboid(), obstacles=(conveyor,), dt=dt, friction=0.2)
    simulation.place(0, on_plane(conveyor, -3.0, 0.02))
    needed = 0.8 / (0.2 * 9.81)
    run_to(simulation, 0.5 * needed)
    assert simulation.thing(0).velocity[0] == pytest.approx(0.4, rel=tolerance(dt))
    run_to(simulation, needed + 0.3)
    expected = 0.8**2 / (2 * 0.2 * 9.81) + 0.3 * 0.8
    assert simulation.positions[0, 0] + 3.0 == pytest.approx(expected, rel=tolerance(dt))


def test_a_belt_too_steep_for_the_friction_lets_a_cuboid_slide_back(dt: float) -> None:
    conveyor = belt(25.0, 0.3)
    simulation = world(cuboid(), obstacles=(conveyor,), dt=dt, friction=0.4)
    simulation.place(0, on_plane(conveyor, 2.0, 0.02), tilt_of(conveyor))
    run_to(simulation, 0.1)
    begin = along(conveyor, simulation, 0)
    run_to(simulation, 0.6)
    angle = math.radians(25.0)
    expected = -9.81 * (math.sin(angle) - 0.4 * math.cos(angle)) * 0.5
    gained = along(conveyor, simulation, 0) - begin
    assert gained == pytest.approx(expected, rel=tolerance(dt))


def test_a_belt_does_not_push_a_cuboid_past_its_tipping_point(dt: float) -> None:
    """At the belt's end the cuboid tips only when its centre is over the edge."""
    conveyor = belt(length=2.0, speed=0.05)
    simulation = world(cuboid(), obstacles=(conveyor,), dt=dt)
    simulation.place(0, (0.9, 0.0, 0.12))
    while simulation.thing(0).rotation[2, 2] > math.cos(math.radians(1.0)):
        simulation.step()
        assert simulation.time < 4.0
    assert simulation.positions[0, 0] > 1.0
    assert simulation.positions[0, 0] < 1.02


def test_the_side_of_a_belt_does_not_move(dt: float) -> None:
    conveyor = belt(speed=0.5)
    simulation = world(ball(), obstacles=(conveyor,), dt=dt)
    simulation.place(0, (0.0, 0.25 + R - 1e-5, R))
    run_to(simulation, 0.5)
    assert abs(simulation.positions[0, 0]) < 1e-4


@pytest.mark.parametrize(("degrees", "speed"), [(0.0, 0.05), (11.0, 0.05), (19.0, 0.1)])
@pytest.mark.parametrize("friction", [0.6, 1.0])
def test_nothing_hangs_over_the_end_of_a_running_belt(
    dt: float, degrees: float, speed: float, friction: float
) -> None:
    """A centre past the end goes down, however slow the belt is and however steep it climbs."""
    conveyor = belt(degrees, speed, length=1.0)
    simulation = world(cuboid(), ball(), obstacles=(conveyor,), dt=dt, friction=friction)
    simulation.place(0, on_plane(conveyor, 0.4, 0.02, 0.15), tilt_of(conveyor))
    simulation.place(1, on_plane(conveyor, 0.45, R, -0.15))
    run_to(simulation, 1.0 + 0.2 / speed)
    assert (simulation.positions[:, 0] > 0.5).all()
    assert (simulation.positions[:, 2] < 0.06).all()
