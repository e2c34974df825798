"""Sliding does not depend on the step: from 0.1 m/s on, 1 ms and 2 ms, without a hop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_scenes import (
    STEPS,
    G,
    R,
    ball,
    belt,
    cuboid,
    on_plane,
    settle,
    slope,
    speed_up,
    tilt_of,
    world,
)

from armwerk.physics import Simulation
from armwerk.scene.scene import Rectangle, Step

FLAT = (0.2, 0.2, 0.02)  # [m] does not tip for any friction below 10
SPEEDS = (0.1, 0.3, 1.0, 3.0, 10.0)  # [m/s]

pytestmark = pytest.mark.parametrize("dt", STEPS)


def slide(simulation: Simulation, seconds: float) -> tuple[float, float]:
    """Run; return the way of the first thing [m] and how high it has risen [m]."""
    begin, highest = simulation.positions[0], 0.0
    for _ in range(round(seconds / simulation.dt)):
        simulation.step()
        highest = max(highest, float(simulation.positions[0, 2] - begin[2]))
    return float(np.linalg.norm(simulation.positions[0] - begin)), highest


@pytest.mark.parametrize("friction", [0.05, 0.2, 0.6, 1.0, 1.6, 2.0, 3.0])
def test_a_flat_cuboid_slides_v2_over_2_mu_g_and_does_not_hop(dt: float, friction: float) -> None:
    for speed in SPEEDS:
        simulation = world(cuboid(z=0.01, size=FLAT), dt=dt, friction=friction)
        settle(simulation, 0.05)
        speed_up(simulation, 0, (speed * math.cos(0.7), speed * math.sin(0.7), 0.0))
        way, highest = slide(simulation, speed / (friction * G) + 0.05)
        assert way == pytest.approx(speed**2 / (2 * friction * G), rel=1e-3), speed
        assert highest < 2e-6, speed
        assert np.linalg.norm(simulation.thing(0).velocity) < 1e-6


@pytest.mark.parametrize("friction", [0.3, 1.0, 2.0, 3.0])
def test_a_belt_runs_ahead_by_v2_over_2_mu_g(dt: float, friction: float) -> None:
    for speed in (0.1, 0.3, 1.0, 3.0):
        conveyor = belt(speed=speed, length=20.0)
        simulation = world(cuboid(size=FLAT), obstacles=(conveyor,), dt=dt, friction=friction)
        simulation.place(0, on_plane(conveyor, -9.0, 0.01))
        simulation.belts[0].running = False
        settle(simulation, 0.05)
        simulation.belts[0].running = True
        seconds = round(speed / (friction * G) / dt + 50) * dt
        way, highest = slide(simulation, seconds)
        assert speed * seconds - way == pytest.approx(speed**2 / (2 * friction * G), rel=0.01)
        assert highest < 2e-6


@pytest.mark.parametrize("friction", [0.6, 1.0, 3.0])
def test_a_belt_that_stops_lets_things_slide_on_for_v2_over_2_mu_g(
    dt: float, friction: float
) -> None:
    for speed in (0.1, 1.0):
        conveyor = belt(speed=speed, length=20.0)
        simulation = world(cuboid(size=FLAT), obstacles=(conveyor,), dt=dt, friction=friction)
        simulation.place(0, on_plane(conveyor, -9.0, 0.01))
        simulation.run(0.5)
        simulation.belts[0].running = False
        way, _ = slide(simulation, speed / (friction * G) + 0.05)
        assert way == pytest.approx(speed**2 / (2 * friction * G), rel=0.01)


@pytest.mark.parametrize(("degrees", "friction"), [(10.0, 0.4), (20.0, 0.6), (30.0, 1.6)])
def test_uphill_it_slides_v2_over_2_g_sin_plus_mu_cos_and_stays(
    dt: float, degrees: float, friction: float
) -> None:
    angle, ramp = math.radians(degrees), slope(degrees)
    for speed in (0.1, 0.3, 2.0):
        simulation = world(cuboid(size=FLAT), obstacles=(ramp,), dt=dt, friction=friction)
        simulation.place(0, on_plane(ramp, 1.0, 0.01), tilt_of(ramp))
        simulation.run(0.05)
        uphill = -speed * tilt_of(ramp)[:, 0]
        simulation.place(0, simulation.positions[0], velocity=uphill)
        rate = G * (math.sin(angle) + friction * math.cos(angle))
        way, _ = slide(simulation, speed / rate + 0.05)
        assert way == pytest.approx(speed**2 / (2 * rate), rel=0.01), speed


def test_downhill_it_goes_half_a_t2(dt: float) -> None:
    angle, ramp = math.radians(30.0), slope(30.0)
    simulation = world(cuboid(size=FLAT), obstacles=(ramp,), dt=dt, friction=0.2)
    simulation.place(0, on_plane(ramp, -1.5, 0.01), tilt_of(ramp))
    simulation.run(0.05)
    simulation.place(0, simulation.positions[0], velocity=0.1 * tilt_of(ramp)[:, 0])
    way, _ = slide(simulation, 0.1)
    rate = G * (math.sin(angle) - 0.2 * math.cos(angle))
    assert way == pytest.approx(0.01 + 0.5 * rate * 0.01, rel=1e-3)


def test_the_upper_one_of_two_slides_over_the_lower_one_as_far_as_over_the_floor(
    dt: float,
) -> None:
    """The lower one is a thousand times as heavy, so that it hardly moves."""
    for friction in (0.6, 2.0):
        simulation = world(
            cuboid(z=0.11, size=(0.1, 0.1, 0.02)),
            cuboid(z=0.05, size=(3.0, 3.0, 0.1)),
            dt=dt,
            friction=friction,
        )
        settle(simulation, 0.05)
        speed_up(simulation, 0, (0.5, 0.0, 0.0))
        way, highest = slide(simulation, 0.5 / (friction * G) + 0.05)
        assert way == pytest.approx(0.25 / (2 * friction * G), rel=0.01)
        assert highest < 1e-5


def test_a_wall_stops_what_slides_without_drawing_it_in(dt: float) -> None:
    wall = Step(Rectangle((1.0, 0.0), (1.0, 2.0)), 0.3, "00FF00")
    simulation = world(cuboid(z=0.01, size=FLAT), obstacles=(wall,), dt=dt, friction=0.6)
    simulation.place(0, (0.39, 0.0, 0.01), velocity=(0.3, 0.3, 0.0))
    slide(simulation, 0.5)
    assert 0.39 < simulation.positions[0, 0] < 0.4 + 1e-4


def test_a_ball_laid_on_the_floor_at_v_rolls_at_five_sevenths_after_12_v2_over_49_mu_g(
    dt: float,
) -> None:
    for friction, speed in ((0.2, 0.3), (0.6, 1.0)):
        simulation = world(ball(), dt=dt, friction=friction)
        settle(simulation, 0.05)
        speed_up(simulation, 0, (speed, 0.0, 0.0))
        sliding = 2.0 * speed / (7.0 * friction * G)
        seconds = round(sliding / dt + 50) * dt
        way, highest = slide(simulation, seconds)
        expected = 12.0 * speed**2 / (49.0 * friction * G) + 5.0 / 7.0 * speed * (seconds - sliding)
        assert way == pytest.approx(expected, rel=2e-3)
        assert highest < 1e-5
        assert simulation.thing(0).spin[1] * R == pytest.approx(5.0 / 7.0 * speed, rel=0.005)


def test_nothing_creeps_where_things_tremble(dt: float) -> None:
    """A cuboid on a slope just below its angle of friction moves by less than 5 µm in a second."""
    ramp = slope(math.degrees(math.atan(0.6)) - 1.0)
    simulation = world(cuboid(size=FLAT), obstacles=(ramp,), dt=dt, friction=0.6)
    simulation.place(0, on_plane(ramp, 0.0, 0.01), tilt_of(ramp))
    simulation.run(1.0)
    begin = simulation.positions
    simulation.run(5.0)
    assert np.abs(simulation.positions - begin).max() < 2.5e-5


def test_a_captured_slide_goes_on_to_the_last_bit(dt: float) -> None:
    simulation = world(cuboid(z=0.01, size=FLAT), dt=dt, friction=1.6)
    speed_up(simulation, 0, (1.0, 0.0, 0.0))
    simulation.run(0.02)
    state = simulation.capture()
    simulation.run(0.1)
    expected = simulation.positions
    simulation.restore(state)
    simulation.run(0.1)
    assert (simulation.positions == expected).all()
