"""Balls obey the laws of falling, bouncing, rolling and collision: 1 % at 1 ms, 2 % at 2 ms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_scenes import STEPS, G, R, ball, cuboid, on_plane, run_to, slope, tolerance, world

from armwerk.physics import Simulation, SimulationSettings
from armwerk.scene.scene import Ball, Border, FixedSphere, Scene

pytestmark = pytest.mark.parametrize("dt", STEPS)


def peak(simulation: Simulation, thing: int = 0, patience: float = 3.0) -> float:
    """The highest point of a thing's centre between its first rebound and its next fall [m]."""
    up = False
    while simulation.time < patience:
        simulation.step()
        velocity = simulation.thing(thing).velocity[2]
        up = up or velocity > 0.0
        if up and velocity <= 0.0:
            # the top of the parabola lies v²/2g above
            return float(simulation.positions[thing, 2] + velocity**2 / (2.0 * G))
    raise AssertionError("no rebound")


@pytest.mark.parametrize("height", [0.2, 1.7])
def test_free_fall_time_is_root_of_2h_over_g(dt: float, height: float) -> None:
    simulation = world(ball(z=height + R), dt=dt)
    run_to(simulation, math.sqrt(2.0 * height / G) - 2 * dt)
    left = math.sqrt(2.0 * height / G) - simulation.time
    z, v = simulation.positions[0, 2], simulation.thing(0).velocity[2]
    assert z - R == pytest.approx(-v * left + 0.5 * G * left**2, rel=1e-6)
    assert v == pytest.approx(-G * simulation.time, rel=1e-9)


@pytest.mark.parametrize("degrees", [30.0, 45.0, 70.0])
def test_projectile_range_is_v2_sin_2a_over_g(dt: float, degrees: float) -> None:
    simulation = world(ball(), dt=dt)
    angle = math.radians(degrees)
    simulation.place(0, (0.0, 0.0, R), velocity=(3 * math.cos(angle), 0.0, 3 * math.sin(angle)))
    run_to(simulation, 2 * 3 * math.sin(angle) / G)
    assert simulation.positions[0, 0] == pytest.approx(
        9.0 * math.sin(2 * angle) / G, rel=tolerance(dt)
    )


@pytest.mark.parametrize("bounce", [0.3, 0.6, 0.9])
def test_rebound_height_is_bounce_squared(dt: float, bounce: float) -> None:
    simulation = world(ball(z=1.0 + R, bounce=bounce), dt=dt)
    assert peak(simulation) - R == pytest.approx(bounce**2, rel=tolerance(dt))


@pytest.mark.parametrize("bounce", [0.3, 0.6, 0.9])
def test_rebound_height_on_a_slice_is_bounce_squared(dt: float, bounce: float) -> None:
    from armwerk.scene.scene import Rectangle, Slice

    plate = Slice(Rectangle((0.0, 0.0), (1.0, 1.0)), 0.3, 0.302, "00FF00")
    simulation = world(ball(z=0.802 + R, bounce=bounce), obstacles=(plate,), dt=dt)
    assert peak(simulation) - R - 0.302 == pytest.approx(0.5 * bounce**2, rel=tolerance(dt))


@pytest.mark.parametrize("bounce", [0.3, 0.6, 0.9])
def test_rebound_height_on_a_cuboid_on_the_floor_is_bounce_squared(
    dt: float, bounce: float
) -> None:
    simulation = world(ball(z=0.54 + R, bounce=bounce), cuboid(), dt=dt)
    simulation.place(0, (0.01, 0.012, 1.0))  # off the middle, and after the cuboid has settled
    run_to(simulation, 0.2)
    simulation.place(0, (0.01, 0.012, 0.54 + R))
    assert peak(simulation) - R - 0.04 == pytest.approx(0.5 * bounce**2, rel=tolerance(dt))


@pytest.mark.parametrize("bounce", [0.5, 0.8])
def test_bouncing_ends_after_t_times_1_plus_e_over_1_minus_e(dt: float, bounce: float) -> None:
    """From rest at h: T = sqrt(2h/g) (1 + e)/(1 - e), less what rebounds too small to see take."""
    simulation = world(ball(z=0.5 + R, bounce=bounce), dt=dt)
    last = 0.0
    while simulation.time < 4.0:
        simulation.step()
        if simulation.positions[0, 2] > R + 1e-4:
            last = simulation.time
    unseen = 2.0 / G / (1.0 - bounce) * math.sqrt(2 * G * 1e-4)
    expected = math.sqrt(2 * 0.5 / G) * (1.0 + bounce) / (1.0 - bounce)
    slack = tolerance(dt) * expected
    assert expected - unseen - slack <= last <= expected + slack


@pytest.mark.parametrize(("speed", "friction"), [(1.0, 0.8), (3.0, 0.1), (0.5, 0.3)])
def test_oblique_rebound_keeps_max_of_5_7_v_and_v_minus_mu_1_plus_e_vn(
    dt: float, speed: float, friction: float
) -> None:
    simulation = world(ball(z=0.2 + R, bounce=0.5), dt=dt, friction=friction)
    simulation.place(0, (0.0, 0.0, 0.2 + R), velocity=(speed, 0.0, 0.0))
    run_to(simulation, 0.3)
    normal = math.sqrt(2 * G * 0.2)
    expected = max(5.0 / 7.0 * speed, speed - friction * 1.5 * normal)
    state = simulation.thing(0)
    assert state.velocity[0] == pytest.approx(expected, rel=tolerance(dt))
    assert state.velocity[1] == pytest.approx(0.0, abs=1e-9)
    # what the speed loses by friction the spin gains: I w = m r (v - v')
    assert state.spin[1] == pytest.approx(2.5 * (speed - expected) / R, rel=tolerance(dt))


@pytest.mark.parametrize("degrees", [20.0, 45.0])
def test_without_friction_a_slope_reflects_the_normal_part_only(dt: float, degrees: float) -> None:
    ramp = slope(degrees)
    simulation = world(ball(bounce=0.7), obstacles=(ramp,), dt=dt, friction=0.0)
    simulation.place(0, on_plane(ramp, 0.0, R) + np.array([0.0, 0.0, 0.5]))
    vertical = -G * math.sqrt(2 * 0.5 / G)
    run_to(simulation, math.sqrt(2 * 0.5 / G) + 0.05)
    angle = math.radians(degrees)
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    before = np.array([0.0, 0.0, vertical])
    after = before - 1.7 * (before @ normal) * normal - (0.0, 0.0, G * 0.05)
    np.testing.assert_allclose(
        simulation.thing(0).velocity, after, atol=tolerance(dt) * abs(vertical)
    )


@pytest.mark.parametrize("resistance", [0.1, 0.5, 0.9, 0.99])
def test_rolling_speed_after_a_second_is_one_minus_resistance(dt: float, resistance: float) -> None:
    simulation = world(ball(resistance=resistance), dt=dt)
    simulation.place(0, (0.0, 0.0, R), velocity=(1.0, 0.0, 0.0), spin=(0.0, 1.0 / R, 0.0))
    run_to(simulation, 1.0)
    assert simulation.thing(0).velocity[0] == pytest.approx(1.0 - resistance, rel=tolerance(dt))


def test_full_resistance_stops_a_ball_within_a_second(dt: float) -> None:
    simulation = world(ball(resistance=1.0), dt=dt)
    simulation.place(0, (0.0, 0.0, R), velocity=(1.0, 0.0, 0.0), spin=(0.0, 1.0 / R, 0.0))
    run_to(simulation, 1.0)
    assert np.linalg.norm(simulation.thing(0).velocity) < 1e-4
    assert np.isfinite(simulation.positions).all()


def test_without_resistance_a_ball_rolls_on_for_ever(dt: float) -> None:
    simulation = world(ball(), dt=dt)
    simulation.place(0, (0.0, 0.0, R), velocity=(1.0, 0.0, 0.0), spin=(0.0, 1.0 / R, 0.0))
    run_to(simulation, 5.0)
    assert simulation.thing(0).velocity[0] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("degrees", [5.0, 20.0, 30.0])
def test_rolling_acceleration_down_a_slope_is_5_7_g_sin(dt: float, degrees: float) -> None:
    ramp = slope(degrees)
    simulation = world(ball(), obstacles=(ramp,), dt=dt)
    simulation.place(0, on_plane(ramp, -1.8, R))
    run_to(simulation, 0.8)
    speed = np.linalg.norm(simulation.thing(0).velocity)
    expected = 5.0 / 7.0 * G * math.sin(math.radians(degrees)) * 0.8
    assert speed == pytest.approx(expected, rel=tolerance(dt))


def test_a_steep_slope_makes_a_ball_slide_with_g_sin_minus_mu_cos(dt: float) -> None:
    """Rolling needs mu ≥ 2/7 tan a; below, the ball slides and spins up by 5/2 mu g cos / r."""
    ramp = slope(45.0)
    simulation = world(ball(), obstacles=(ramp,), dt=dt, friction=0.15)
    simulation.place(0, on_plane(ramp, -1.8, R))
    run_to(simulation, 0.6)
    c = math.sqrt(0.5)
    state = simulation.thing(0)
    speed = np.linalg.norm(state.velocity)
    assert speed == pytest.approx(G * (c - 0.15 * c) * 0.6, rel=tolerance(dt))
    spin = np.linalg.norm(state.spin)
    assert spin == pytest.approx(2.5 * 0.15 * G * c / R * 0.6, rel=tolerance(dt))


def test_a_ball_launched_without_spin_ends_rolling_at_5_7_v(dt: float) -> None:
    simulation = world(ball(), dt=dt)
    simulation.place(0, (0.0, 0.0, R), velocity=(2.0, 0.0, 0.0))
    run_to(simulation, 1.0)
    state = simulation.thing(0)
    assert state.velocity[0] == pytest.approx(10.0 / 7.0, rel=tolerance(dt))
    assert state.spin[1] * R == pytest.approx(10.0 / 7.0, rel=tolerance(dt))


def test_a_sliding_ball_begins_to_roll_after_2_7_v_over_mu_g(dt: float) -> None:
    simulation = world(ball(), dt=dt, friction=0.2)
    simulation.place(0, (0.0, 0.0, R), velocity=(2.0, 0.0, 0.0))
    expected = 2.0 / 7.0 * 2.0 / (0.2 * G)
    while simulation.time < 1.0:
        simulation.step()
        state = simulation.thing(0)
        if abs(state.velocity[0] - state.spin[1] * R) < 0.01:
            break
    assert simulation.time == pytest.approx(expected, rel=tolerance(dt))


def test_a_spinning_ball_set_down_runs_off_at_2_7_w_r(dt: float) -> None:
    simulation = world(ball(), dt=dt)
    simulation.place(0, (0.0, 0.0, R), spin=(0.0, 100.0, 0.0))
    run_to(simulation, 1.0)
    assert simulation.thing(0).velocity[0] == pytest.approx(2 / 7 * 100 * R, rel=tolerance(dt))


def flying(*things: Ball, dt: float) -> Simulation:
    """Balls that fall together, so that only their collisions matter."""
    simulation = world(*things, dt=dt)
    for i in range(len(things)):
        simulation.place(i, np.add(things[i].centre, (0.0, 0.0, 10.0)))
    return simulation


@pytest.mark.parametrize("bounce", [0.0, 0.4, 1.0])
def test_equal_balls_swap_velocities_head_on(dt: float, bounce: float) -> None:
    simulation = flying(ball(-0.1, bounce=bounce), ball(0.1, bounce=bounce), dt=dt)
    simulation.place(0, (-0.1, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.1, 0.0, 10.0), velocity=(-0.3, 0.0, 0.0))
    run_to(simulation, 0.3)
    assert simulation.thing(0).velocity[0] == pytest.approx(-0.3, rel=tolerance(dt))
    assert simulation.thing(1).velocity[0] == pytest.approx(1.0, rel=tolerance(dt))


@pytest.mark.parametrize("offset", [0.3, 0.9, 1.5])
def test_equal_balls_swap_the_normal_parts_of_their_velocities(dt: float, offset: float) -> None:
    """Seen along the line of centres at the touch; the tangential parts stay."""
    simulation = flying(ball(-0.1), ball(0.0, offset * R), dt=dt)
    simulation.place(0, (-0.1, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.0, offset * R, 10.0))
    run_to(simulation, 0.3)
    line = np.array([math.sqrt(4.0 - offset**2), offset]) / 2.0
    first, second = (simulation.thing(i).velocity[:2] for i in range(2))
    normal = line[0] * line
    np.testing.assert_allclose(second, normal, atol=tolerance(dt))
    np.testing.assert_allclose(first, np.array([1.0, 0.0]) - normal, atol=tolerance(dt))
    np.testing.assert_allclose(first + second, [1.0, 0.0], atol=1e-9)
    assert first @ first + second @ second == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_unequal_balls_collide_elastically(dt: float, ratio: float) -> None:
    """v1' = (m1 - m2)/(m1 + m2) v1, v2' = 2 m1/(m1 + m2) v1; masses as the radii cubed."""
    simulation = flying(ball(-0.2), ball(0.0, radius=ratio * R), dt=dt)
    simulation.place(0, (-0.2, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.0, 0.0, 10.0))
    run_to(simulation, 0.4)
    m1, m2 = 1.0, ratio**3
    first, second = (simulation.thing(i).velocity[0] for i in range(2))
    assert first == pytest.approx((m1 - m2) / (m1 + m2), rel=tolerance(dt))
    assert second == pytest.approx(2 * m1 / (m1 + m2), rel=tolerance(dt))


def test_three_balls_of_a_cradle_hand_the_speed_to_the_last(dt: float) -> None:
    simulation = flying(ball(-0.2), ball(0.0), ball(2 * R), dt=dt)
    simulation.place(0, (-0.2, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.0, 0.0, 10.0))
    simulation.place(2, (2 * R - 1e-6, 0.0, 10.0))
    run_to(simulation, 0.4)
    speeds = [simulation.thing(i).velocity[0] for i in range(3)]
    np.testing.assert_allclose(speeds, [0.0, 0.0, 1.0], atol=tolerance(dt))


def test_balls_rolling_into_each_other_on_the_floor_keep_their_momentum(dt: float) -> None:
    """The line through both centres: m v + m v is kept at the blow, spins aside."""
    simulation = world(ball(-0.1), ball(0.1), dt=dt, friction=0.0)
    simulation.place(0, (-0.1, 0.0, R), velocity=(0.8, 0.0, 0.0))
    simulation.place(1, (0.1, 0.0, R), velocity=(-0.2, 0.0, 0.0))
    run_to(simulation, 0.5)
    speeds = [simulation.thing(i).velocity[0] for i in range(2)]
    np.testing.assert_allclose(speeds, [-0.2, 0.8], atol=tolerance(dt))
    assert sum(speeds) == pytest.approx(0.6, rel=1e-3)


def test_a_ball_bounces_off_a_fixed_sphere_by_the_normal_part(dt: float) -> None:
    scene = Scene(
        things=(ball(bounce=0.8),), obstacles=(FixedSphere((0.0, 0.0, 5.0), 0.1, "00FF00"),)
    )
    simulation = Simulation(scene, settings=SimulationSettings(dt=dt, friction=0.0, gravity=0.0))
    offset = 0.06
    simulation.place(0, (-0.3, offset, 5.0), velocity=(1.0, 0.0, 0.0))
    line = np.array([-math.sqrt((0.1 + R) ** 2 - offset**2), offset]) / (0.1 + R)
    run_to(simulation, 0.4)
    before = np.array([1.0, 0.0])
    expected = before - 1.8 * (before @ line) * line
    np.testing.assert_allclose(simulation.thing(0).velocity[:2], expected, atol=tolerance(dt))


@pytest.mark.parametrize("bounce", [0.0, 0.6])
def test_a_ball_and_a_free_cuboid_part_by_their_masses(dt: float, bounce: float) -> None:
    """Central blow: momentum kept, speed of parting = bounce times speed of approach."""
    simulation = world(ball(bounce=bounce), cuboid(), dt=dt)
    simulation.place(0, (-0.2, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    simulation.place(1, (0.0, 0.0, 10.0))
    run_to(simulation, 0.35)
    m, M = 4 / 3 * math.pi * R**3, 0.1 * 0.06 * 0.04
    first, second = (simulation.thing(i).velocity[0] for i in range(2))
    assert m * first + M * second == pytest.approx(m, rel=1e-6)
    assert second - first == pytest.approx(bounce, abs=tolerance(dt))


@pytest.mark.parametrize("radius", [0.001, 0.1, 5.0])
def test_rebound_height_does_not_depend_on_the_size(dt: float, radius: float) -> None:
    simulation = world(ball(z=radius + 1.0, bounce=0.6, radius=radius), dt=dt)
    landing = math.sqrt(2.0 / 9.81)
    run_to(simulation, landing + 0.01)
    top = 0.0
    while simulation.time < landing * 2.1:
        simulation.step()
        top = max(top, simulation.positions[0, 2] - radius)
    assert top == pytest.approx(0.36, rel=tolerance(dt))


def test_rolling_down_a_slope_with_resistance_approaches_a_speed(dt: float) -> None:
    """v' = 5/7 g sin a - c v with c = -ln(1 - resistance)."""
    plane = slope(5.0, length=8.0)
    simulation = world(ball(resistance=0.5), obstacles=(plane,), dt=dt)
    simulation.place(0, on_plane(plane, -3.0, R))
    run_to(simulation, 2.0)
    c = math.log(2.0)
    expected = 5 / 7 * 9.81 * math.sin(math.radians(5.0)) * (1 - math.exp(-2 * c)) / c
    assert np.linalg.norm(simulation.thing(0).velocity) == pytest.approx(
        expected, rel=tolerance(dt)
    )


def test_smooth_elastic_balls_in_a_box_keep_their_energy(dt: float) -> None:
    draw = np.random.default_rng(3)
    places = [(x, y, z) for x in (-0.2, 0.0, 0.2) for y in (-0.2, 0.0, 0.2) for z in (0.2, 0.4)]
    things = tuple(ball(*at, bounce=1.0, radius=float(draw.uniform(0.01, 0.05))) for at in places)
    scene = Scene(things=things, border=Border((-0.35, -0.35), (0.35, 0.35)))
    simulation = Simulation(scene, settings=SimulationSettings(dt=dt, friction=0.0))
    for i, at in enumerate(places):
        simulation.place(i, at, velocity=draw.uniform(-2.0, 2.0, 3))
    start = simulation.energy()
    run_to(simulation, 5.0)
    assert simulation.energy() == pytest.approx(start, rel=tolerance(dt) / 2)
    assert np.abs(simulation.positions[:, :2]).max() < 0.35


@pytest.mark.parametrize("radius", [0.02, 0.05])
def test_a_heavy_ball_does_not_press_a_small_cuboid_in(dt: float, radius: float) -> None:
    small = cuboid(z=0.01, size=(0.02, 0.02, 0.02))
    simulation = world(small, ball(z=0.02 + radius, radius=radius), dt=dt)
    begin = simulation.positions
    run_to(simulation, 3.0)
    assert np.abs(simulation.positions - begin).max() < 3e-4
