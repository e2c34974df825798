"""Cuboids obey the laws of friction and tipping: 1 % at 1 ms, 2 % at 2 ms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_scenes import (
    STEPS,
    G,
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

from armwerk.scene.scene import Rectangle, Step

pytestmark = pytest.mark.parametrize("dt", STEPS)


def slides(degrees: float, friction: float, dt: float) -> bool:
    """Whether a cuboid laid on a slope is still moving after a while."""
    ramp = slope(degrees)
    simulation = world(cuboid(), obstacles=(ramp,), dt=dt, friction=friction)
    simulation.place(0, on_plane(ramp, -1.0, 0.02), tilt_of(ramp))
    run_to(simulation, 1.0)
    return bool(np.linalg.norm(simulation.thing(0).velocity) > 0.004)


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
def test_sliding_begins_at_arctan_mu_within_a_tenth_of_a_degree(dt: float, friction: float) -> None:
    limit = math.degrees(math.atan(friction))
    assert not slides(limit - 0.1, friction, dt)
    assert slides(limit + 0.1, friction, dt)


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_stopping_distance_is_v2_over_2_mu_g(dt: float, friction: float, speed: float) -> None:
    simulation = world(cuboid(), dt=dt, friction=friction)
    settle(simulation)
    speed_up(simulation, 0, (speed, 0.0, 0.0))
    simulation.run(speed / (friction * G) + 0.2)
    assert simulation.positions[0, 0] == pytest.approx(
        speed**2 / (2 * friction * G), rel=tolerance(dt)
    )
    assert np.linalg.norm(simulation.thing(0).velocity) < 1e-3


@pytest.mark.parametrize(("degrees", "friction"), [(25.0, 0.2), (35.0, 0.5), (45.0, 0.8)])
def test_sliding_acceleration_is_g_sin_minus_mu_cos(
    dt: float, degrees: float, friction: float
) -> None:
    ramp = slope(degrees)
    simulation = world(cuboid(), obstacles=(ramp,), dt=dt, friction=friction)
    simulation.place(0, on_plane(ramp, -1.8, 0.02), tilt_of(ramp))
    run_to(simulation, 0.1)
    begin = np.linalg.norm(simulation.thing(0).velocity)
    run_to(simulation, 0.8)
    angle = math.radians(degrees)
    expected = G * (math.sin(angle) - friction * math.cos(angle)) * 0.7
    gained = np.linalg.norm(simulation.thing(0).velocity) - begin
    assert gained == pytest.approx(expected, rel=tolerance(dt))


@pytest.mark.parametrize("friction", [0.2, 0.4])
def test_landing_takes_mu_times_the_normal_speed_off_the_sliding(
    dt: float, friction: float
) -> None:
    """A flat landing without rebound: the normal impulse is m v_n, friction gives mu of it."""
    simulation = world(cuboid(size=(0.2, 0.2, 0.01)), dt=dt, friction=friction)
    simulation.place(0, (0.0, 0.0, 0.105), velocity=(2.0, 0.0, 0.0))
    fall = math.sqrt(2 * 0.1 / G)
    run_to(simulation, fall + 0.05)
    expected = 2.0 - friction * G * (fall + 0.05)
    assert simulation.thing(0).velocity[0] == pytest.approx(expected, rel=tolerance(dt))


@pytest.mark.parametrize(("width", "height"), [(0.03, 0.12), (0.04, 0.1)])
def test_a_tall_cuboid_tips_on_a_slope_at_arctan_w_over_h(
    dt: float, width: float, height: float
) -> None:
    limit = math.degrees(math.atan(width / height))
    for degrees, tips in ((limit - 0.3, False), (limit + 0.3, True)):
        ramp = slope(degrees)
        box = cuboid(size=(width, 0.1, height))
        simulation = world(box, obstacles=(ramp,), dt=dt, friction=0.9)
        simulation.place(0, on_plane(ramp, 0.0, height / 2), tilt_of(ramp))
        run_to(simulation, 2.0)
        upright = simulation.thing(0).rotation[:, 2] @ tilt_of(ramp)[:, 2]
        assert (upright < 0.9) == tips


@pytest.mark.parametrize("over", [-0.001, 0.001])
def test_a_cuboid_tips_over_an_edge_when_its_centre_passes_it_by_1_mm(
    dt: float, over: float
) -> None:
    table = Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), 0.3, "00FF00")
    simulation = world(cuboid(), obstacles=(table,), dt=dt)
    simulation.place(0, (over, 0.0, 0.32))
    run_to(simulation, 3.0)
    assert (simulation.positions[0, 2] < 0.29) == (over > 0.0)


@pytest.mark.parametrize("over", [-0.001, 0.001])
def test_a_cuboid_turned_by_45_degrees_tips_at_the_same_place(dt: float, over: float) -> None:
    table = Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), 0.3, "00FF00")
    simulation = world(cuboid(), obstacles=(table,), dt=dt)
    c = math.sqrt(0.5)
    simulation.place(0, (over, 0.0, 0.32), [[c, -c, 0.0], [c, c, 0.0], [0.0, 0.0, 1.0]])
    run_to(simulation, 3.0)
    assert (simulation.positions[0, 2] < 0.29) == (over > 0.0)


def test_a_push_above_w_mu_tips_and_below_slides(dt: float) -> None:
    """Standing on mu, a cuboid pushed at height a with F > mu m g tips first when a > w/(2 mu)."""
    for height, tips in ((0.02, False), (0.09, True)):
        simulation = world(cuboid(size=(0.04, 0.04, 0.1)), dt=dt, friction=0.5)
        weight = float(simulation.model.body_mass[1]) * G
        simulation.place(0, (0.0, 0.0, 0.05))
        run_to(simulation, 0.1)
        for _ in range(round(0.25 / dt)):
            force = np.array([0.55 * weight, 0.0, 0.0])
            state = simulation.thing(0)
            arm = state.rotation @ np.array([0.0, 0.0, height - 0.05])
            simulation.data.xfrc_applied[1, :3] = force
            simulation.data.xfrc_applied[1, 3:] = np.cross(arm, force)
            simulation.step()
        assert (simulation.thing(0).rotation[2, 2] < 0.98) == tips


def test_a_tower_of_ten_cuboids_stands_still_for_10_s(dt: float) -> None:
    size = (0.05, 0.05, 0.04)
    simulation = world(*(cuboid(z=0.02 + 0.04 * k, size=size) for k in range(10)), dt=dt)
    run_to(simulation, 0.5)
    settled = simulation.positions
    run_to(simulation, 10.5)
    assert np.abs(simulation.positions - settled).max() < 1e-4
    assert np.abs(settled - [(0.0, 0.0, 0.02 + 0.04 * k) for k in range(10)]).max() < 1e-3


def test_a_cuboid_on_a_gentle_slope_stays_for_10_s(dt: float) -> None:
    ramp = slope(15.0)
    simulation = world(cuboid(), obstacles=(ramp,), dt=dt)
    simulation.place(0, on_plane(ramp, 0.0, 0.02), tilt_of(ramp))
    run_to(simulation, 0.5)
    settled = simulation.positions
    run_to(simulation, 10.5)
    assert np.abs(simulation.positions - settled).max() < 1e-4


def test_two_cuboids_that_collide_keep_their_momentum(dt: float) -> None:
    simulation = world(cuboid(), cuboid(), dt=dt)
    simulation.place(0, (-0.2, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.0, 0.0, 10.0))
    run_to(simulation, 0.5)
    speeds = [simulation.thing(i).velocity[0] for i in range(2)]
    assert sum(speeds) == pytest.approx(1.0, rel=1e-9)
    np.testing.assert_allclose(speeds, [0.5, 0.5], atol=tolerance(dt))


@pytest.mark.parametrize("side", [0.04, 0.1, 0.2])
def test_a_heavy_cuboid_stands_on_a_light_one_without_pressing_it_in(
    dt: float, side: float
) -> None:
    """Up to 1,000 times its weight; neither sinks by 0.05 mm."""
    simulation = world(
        cuboid(z=0.01, size=(0.02, 0.02, 0.02)),
        cuboid(z=0.02 + side / 2, size=(side, side, side)),
        dt=dt,
    )
    begin = simulation.positions
    run_to(simulation, 5.0)
    assert np.abs(simulation.positions - begin).max() < 5e-5


@pytest.mark.parametrize("size", [(0.004, 0.004, 0.004), (1.0, 0.6, 0.4)])
def test_the_angle_of_sliding_does_not_depend_on_the_size(
    dt: float, size: tuple[float, float, float]
) -> None:
    angle = math.degrees(math.atan(0.5))
    for tilt, slides in ((angle - 0.1, False), (angle + 0.1, True)):
        plane = slope(tilt, length=10.0)
        simulation = world(cuboid(size=size), obstacles=(plane,), dt=dt, friction=0.5)
        simulation.place(0, on_plane(plane, -2.0, size[2] / 2), tilt_of(plane))
        begin = simulation.positions
        run_to(simulation, 1.5)
        way = float(np.linalg.norm(simulation.positions - begin))
        assert (way > 0.01) == slides


@pytest.mark.parametrize("turn", [3.0, 20.0, 60.0])
@pytest.mark.parametrize("axis", range(3))
def test_in_flight_angular_momentum_and_energy_are_kept(dt: float, turn: float, axis: int) -> None:
    """Also about the middle axis, where a cuboid tumbles over again and again."""
    size = np.array([0.1, 0.06, 0.02])
    simulation = world(cuboid(z=50.0, size=(0.1, 0.06, 0.02)), dt=dt)
    mass = 500.0 * size.prod()
    inertia = mass / 12 * ((size**2).sum() - size**2)
    spin = np.full(3, 0.1 * turn)
    spin[axis] = turn
    simulation.place(0, (0.0, 0.0, 50.0), spin=spin)
    momentum, energy = inertia * spin, simulation.energy()
    for _ in range(4):
        simulation.run(0.25)
        thing = simulation.thing(0)
        now = thing.rotation @ (inertia * (thing.rotation.T @ thing.spin))
        assert np.linalg.norm(now - momentum) < tolerance(dt) * np.linalg.norm(momentum)
        turning = 0.5 * (inertia * (thing.rotation.T @ thing.spin) ** 2).sum()
        assert turning == pytest.approx(0.5 * (inertia * spin**2).sum(), rel=1e-3)
    assert simulation.energy() == pytest.approx(energy, rel=1e-6)


def test_a_cuboid_spinning_beyond_all_measure_does_not_explode(dt: float) -> None:
    simulation = world(cuboid(z=2.0), dt=dt)
    simulation.place(0, (0.0, 0.0, 2.0), spin=(2e3, 5e4, 1e4))
    run_to(simulation, 0.5)
    assert simulation.positions[0, 2] == pytest.approx(2.0 - 0.5 * G * 0.25, rel=1e-6)
