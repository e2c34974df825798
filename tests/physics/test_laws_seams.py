"""Level seams are no obstacles; real edges are. At 1 ms and 2 ms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_scenes import STEPS, R, ball, cuboid, on_plane, run_to, slope, world

from armwerk.scene.scene import Circle, Conveyor, Obstacle, Polygon, Rectangle, Slice, Slope, Step

pytestmark = pytest.mark.parametrize("dt", STEPS)

GREEN = "00FF00"
H = 0.1
# a comb: seams in many directions under y = 0
COMB = Polygon(
    (
        (-1.0, -0.3), (1.0, -0.3), (1.0, 0.5), (0.7, 0.1), (0.4, 0.5), (0.1, 0.1), (-0.2, 0.5),
        (-0.5, 0.1), (-0.8, 0.5), (-1.0, 0.2),
    )
)  # fmt: skip
TOPS: dict[str, tuple[Obstacle, ...]] = {
    "a comb cut into pieces": (Step(COMB, H, GREEN),),
    "a slice cut into pieces": (Slice(COMB, 0.05, H, GREEN),),
    "two steps": (
        Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), H, GREEN),
        Step(Rectangle((0.5, 0.0), (1.0, 1.0)), H, GREEN),
    ),
    "step and slice": (
        Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), H, GREEN),
        Slice(Rectangle((0.5, 0.0), (1.0, 1.0)), 0.08, H, GREEN),
    ),
    "a disc in front of a step": (
        Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), H, GREEN),
        Step(Circle((0.5, 0.0), 0.5), H, GREEN),
        Step(Rectangle((0.5, 0.0), (1.0, 0.3)), H, GREEN),
    ),
    "many planks": tuple(
        Step(Rectangle((-0.95 + 0.1 * k, 0.0), (0.1, 1.0)), H, GREEN) for k in range(20)
    ),
}


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("bounce", [0.0, 0.7])
@pytest.mark.parametrize("speed", [0.1, 0.8])
def test_a_ball_rolls_over_a_level_top_without_a_hop(
    dt: float, top: str, bounce: float, speed: float
) -> None:
    simulation = world(ball(bounce=bounce), obstacles=TOPS[top], dt=dt)
    start = -0.3 if speed < 0.5 else -0.8
    simulation.place(0, (start, 0.012, H + R))
    run_to(simulation, 0.1)
    simulation.place(
        0, simulation.positions[0], velocity=(speed, 0.0, 0.0), spin=(0.0, speed / R, 0.0)
    )
    heights = []
    while simulation.positions[0, 0] < start + (0.5 if speed < 0.5 else 1.6):
        simulation.step()
        heights.append(simulation.positions[0, 2])
        assert simulation.time < 10.0
    assert max(heights) - min(heights) < 5e-5
    assert simulation.thing(0).velocity[0] == pytest.approx(speed, rel=10 * dt)
    assert abs(simulation.thing(0).velocity[1]) < 10 * dt * speed


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("turn", [0.0, 20.0])
def test_a_cuboid_slides_over_a_level_top_as_over_the_floor(
    dt: float, top: str, turn: float
) -> None:
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    rotation = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    ends = []
    grounds: list[tuple[tuple[Obstacle, ...], float]] = [(TOPS[top], H), ((), 0.0)]
    for obstacles, height in grounds:
        simulation = world(cuboid(), obstacles=obstacles, dt=dt, friction=0.2)
        simulation.place(0, (-0.8, -0.1, height + 0.02), rotation)
        run_to(simulation, 0.1)
        simulation.place(0, simulation.positions[0], velocity=(2.3, 0.0, 0.0))
        while np.linalg.norm(simulation.thing(0).velocity) > 1e-3:
            simulation.step()
            assert abs(simulation.positions[0, 2] - height - 0.02) < 1e-4
            assert simulation.time < 3.0
        ends.append(simulation.positions[0, :2])
    np.testing.assert_allclose(ends[0], ends[1], atol=10 * dt * 1.35)


def test_a_ball_rolls_from_step_to_belt_to_step(dt: float) -> None:
    belt = Conveyor(Rectangle((0.0, 0.0), (0.4, 0.3)), (H, H), "x", GREEN, speed=0.3)
    steps = [Step(Rectangle((x, 0.0), (1.0, 0.3)), H, GREEN) for x in (-0.7, 0.7)]
    simulation = world(ball(), obstacles=(steps[0], belt, steps[1]), dt=dt)
    simulation.place(0, (-0.4, 0.0, H + R), velocity=(0.3, 0.0, 0.0), spin=(0.0, 0.3 / R, 0.0))
    while simulation.positions[0, 0] < 0.3:
        simulation.step()
        assert abs(simulation.positions[0, 2] - H - R) < 5e-5
        assert simulation.time < 4.0


def test_a_ball_rolls_from_a_slope_onto_its_level_top(dt: float) -> None:
    """Up a slope and over the crest, slowly enough not to fly: energy is kept."""
    up = Slope(Rectangle((-0.5, 0.0), (1.0, 1.0)), (0.0, H), "x", GREEN)
    flat = Step(Rectangle((0.5, 0.0), (1.0, 1.0)), H, GREEN)
    simulation = world(ball(), obstacles=(up, flat), dt=dt)
    speed = 1.3
    simulation.place(0, (-1.3, 0.0, R), velocity=(speed, 0.0, 0.0), spin=(0.0, speed / R, 0.0))
    while simulation.positions[0, 0] < 0.5:
        simulation.step()
        assert simulation.time < 4.0
    # 7/10 m v² is handed back and forth with m g h; the foot of the slope takes a little
    foot = math.cos(math.atan(H)) ** 2
    expected = math.sqrt(speed**2 * foot - 10.0 / 7.0 * 9.81 * H)
    assert simulation.thing(0).velocity[0] == pytest.approx(expected, rel=10 * dt)


@pytest.mark.parametrize("rise", [0.001, 0.005])
def test_a_real_edge_stops_what_is_too_slow(dt: float, rise: float) -> None:
    """A step up of ``rise``: the ball at 0.05 m/s turns back, the cuboid stops."""
    tops = (
        Step(Rectangle((-0.5, 0.0), (1.0, 1.0)), H, GREEN),
        Step(Rectangle((0.5, 0.0), (1.0, 1.0)), H + rise, GREEN),
    )
    simulation = world(ball(), cuboid(), obstacles=tops, dt=dt)
    simulation.place(0, (-0.1, 0.2, H + R), velocity=(0.05, 0.0, 0.0), spin=(0.0, 0.05 / R, 0.0))
    simulation.place(1, (-0.1, -0.2, H + 0.02), velocity=(0.7, 0.0, 0.0))
    run_to(simulation, 2.5)
    assert simulation.positions[0, 0] < 0.0
    assert simulation.positions[1, 0] < -0.049


def test_a_ball_in_an_inner_corner_touches_both_walls(dt: float) -> None:
    corner = Polygon(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.8, 1.0), (0.8, 0.2), (0.0, 0.2)))
    simulation = world(ball(resistance=0.5), obstacles=(Step(corner, H, GREEN),), dt=dt)
    simulation.place(0, (0.6, 0.4, R), velocity=(0.5, -0.5, 0.0))
    run_to(simulation, 4.0)
    assert simulation.positions[0, 0] < 0.8 - R + 5e-4
    assert simulation.positions[0, 1] > 0.2 + R - 5e-4


def test_a_slope_carries_a_cuboid_and_a_ball_flat(dt: float) -> None:
    ramp = slope(10.0)
    simulation = world(ball(resistance=1.0), obstacles=(ramp,), dt=dt)
    simulation.place(0, on_plane(ramp, 0.0, R))
    for _ in range(200):
        simulation.step()
        z = simulation.positions[0, 2]
        x = simulation.positions[0, 0]
        above = on_plane(ramp, x, 0.0)[2] + R / math.cos(math.radians(10.0))
        assert abs(z - above) < 2e-5


@pytest.mark.parametrize("top", ["two steps", "a comb cut into pieces", "step and slice"])
@pytest.mark.parametrize("bounce", [0.0, 0.8])
def test_a_ball_dropped_beside_a_seam_goes_straight_up_again(
    dt: float, top: str, bounce: float
) -> None:
    """By the seam at x = 0 (or 0.1 of the comb) the hidden edge must not kick it sideways."""
    seam = 0.1 if "comb" in top else 0.0
    for offset in (-0.008, -0.004, -0.001, 0.0, 0.002, 0.006):
        simulation = world(ball(bounce=bounce), obstacles=TOPS[top], dt=dt)
        simulation.place(0, (seam + offset, 0.0, H + R + 0.4))
        highest = 0.0
        while simulation.time < 0.6:
            simulation.step()
            if simulation.thing(0).velocity[2] > 0.0:
                highest = max(highest, simulation.positions[0, 2] - R - H)
        assert abs(simulation.positions[0, 0] - seam - offset) < 1e-4
        assert abs(simulation.positions[0, 1]) < 1e-4
        assert highest == pytest.approx(0.4 * bounce**2, rel=10 * dt, abs=1e-3)


@pytest.mark.parametrize("top", ["two steps", "step and slice", "many planks"])
def test_a_cuboid_dropped_over_a_seam_is_not_kicked(dt: float, top: str) -> None:
    """It lands flat with a millimetre or less over the seam."""
    for over in (1e-4, 5e-4, 1e-3, 0.01):
        simulation = world(cuboid(), obstacles=TOPS[top], dt=dt)
        simulation.place(0, (over - 0.05, 0.0, H + 0.02 + 0.3))
        run_to(simulation, 0.8)
        assert abs(simulation.positions[0, 0] - over + 0.05) < 1e-4
        assert simulation.positions[0, 2] == pytest.approx(H + 0.02, abs=2e-4)
