"""Nothing gains energy: random drops with several contacts, and balls at rest in awkward places."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from law_scenes import STEPS, R, ball, run_to, world

from armwerk.arrays import Array
from armwerk.physics import Simulation, SimulationSettings
from armwerk.scene.scene import (
    Ball,
    Circle,
    Cuboid,
    FixedSphere,
    Obstacle,
    Rectangle,
    Scene,
    Slice,
    Slope,
    Step,
    Thing,
)

GREEN = "00FF00"
PITCH = 2.0  # [m] between two drops of one world
MOST_RISE = 0.005  # of the energy at the start


def random_drop(
    draw: np.random.Generator, x: float, y: float
) -> tuple[list[Obstacle], list[Thing]]:
    """Things in the air above something to hit: a valley, a stair, a crack, a corner or posts."""
    obstacles: list[Obstacle] = []
    kind = draw.integers(5)
    if kind == 0:  # a valley of two slopes
        high = draw.uniform(0.05, 0.4, 2)
        obstacles.append(Slope(Rectangle((x - 0.25, y), (0.5, 1.0)), (high[0], 0.0), "x", GREEN))
        obstacles.append(Slope(Rectangle((x + 0.25, y), (0.5, 1.0)), (0.0, high[1]), "x", GREEN))
    elif kind == 1:  # a stair
        for k, height in enumerate(np.cumsum(draw.uniform(0.01, 0.1, 3))):
            obstacles.append(Step(Rectangle((x + 0.15 * k, y), (0.15, 1.0)), float(height), GREEN))
    elif kind == 2:  # a crack a ball may rest in
        gap = draw.uniform(0.01, 0.05)
        for side in (-1, 1):
            centre = (x + side * (0.2 + gap / 2), y)
            obstacles.append(Slice(Rectangle(centre, (0.4, 1.0)), 0.1, 0.15, GREEN))
    elif kind == 3:  # a corner of two walls
        obstacles.append(Step(Rectangle((x - 0.1, y), (0.1, 0.4)), 0.3, GREEN))
        obstacles.append(Step(Rectangle((x, y - 0.1), (0.4, 0.1)), 0.3, GREEN))
    else:  # posts
        for _ in range(4):
            px, py = draw.uniform(-0.15, 0.15, 2)
            obstacles.append(Step(Circle((x + px, y + py), 0.03), draw.uniform(0.02, 0.2), GREEN))
        obstacles.append(FixedSphere((x, y, 0.1), 0.05, GREEN))
    things: list[Thing] = []
    for k in range(3):
        px, py = draw.uniform(-0.08, 0.08, 2)
        z = 0.45 + 0.12 * k + draw.uniform(0.0, 0.05)
        if k == 2 and draw.random() < 0.5:
            size = tuple(draw.uniform(0.03, 0.06, 3))
            things.append(Cuboid((x + px, y + py, z), size, GREEN))
        else:
            radius, bounce = draw.uniform(0.015, 0.04), draw.uniform(0.0, 1.0)
            things.append(Ball((x + px, y + py, z), radius, 0.0, bounce, GREEN))
    return obstacles, things


def dropped(seed: int, drops: int, dt: float) -> Simulation:
    """A world of random drops at their start."""
    draw = np.random.default_rng(seed)
    obstacles, things = [], []
    for k in range(drops):
        more, falling = random_drop(draw, PITCH * (k % 10), PITCH * (k // 10))
        obstacles += more
        things += falling
    scene = Scene(obstacles=tuple(obstacles), things=tuple(things))
    simulation = Simulation(scene, settings=SimulationSettings(dt=dt))
    for i in range(len(things)):  # some sideways speed and spin
        simulation.place(
            i,
            things[i].centre,
            velocity=(*draw.uniform(-0.5, 0.5, 2), draw.uniform(-1.0, 0.5)),
            spin=draw.uniform(-10.0, 10.0, 3),
        )
    return simulation


def largest_rises(seed: int, drops: int, dt: float, seconds: float = 1.5) -> Array:
    """The largest energy of each drop above its start, as a fraction of the start."""
    simulation = dropped(seed, drops, dt)
    start = simulation.energies().reshape(drops, 3).sum(axis=1)
    most = start.copy()
    for _ in range(round(seconds / dt)):
        simulation.step()
        now = simulation.energies().reshape(drops, 3).sum(axis=1)
        np.maximum(most, now, out=most)
    assert np.isfinite(most).all()
    return np.asarray((most - start) / start)


def test_60_random_drops_gain_no_energy() -> None:
    assert largest_rises(0, 60, 0.001).max() < MOST_RISE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 26))
def test_1000_random_drops_gain_no_energy(seed: int) -> None:
    assert largest_rises(seed, 40, 0.001).max() < MOST_RISE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(101, 126))
def test_1000_random_drops_gain_no_energy_at_2_ms(seed: int) -> None:
    assert largest_rises(seed, 40, 0.002).max() < MOST_RISE


@pytest.mark.parametrize("dt", STEPS)
def test_energy_lost_does_not_come_back(dt: float) -> None:
    """All energy together never rises by 0.5 % of one drop's over the least there has been."""
    simulation = dropped(7, 40, dt)
    start = simulation.energy() / 40
    least, rise = np.inf, 0.0
    for _ in range(round(2.0 / dt)):
        simulation.step()
        now = simulation.energy()
        least = min(least, now)
        rise = max(rise, now - least)
    assert rise < MOST_RISE * start


def resting_places(x: float) -> dict[str, tuple[Sequence[Obstacle], tuple[float, float, float]]]:
    """Obstacles around x, 0, and where a ball of radius R lies at rest on them."""
    tilt = math.radians(20.0)
    rise = math.tan(tilt)
    valley = [
        Slope(Rectangle((x - 0.5, 0.0), (1.0, 1.0)), (rise, 0.0), "x", GREEN),
        Slope(Rectangle((x + 0.5, 0.0), (1.0, 1.0)), (0.0, rise), "x", GREEN),
    ]
    gap = 0.024
    crack = [
        Slice(Rectangle((x + side * (0.2 + gap / 2), 0.0), (0.4, 1.0)), 0.1, 0.15, GREEN)
        for side in (-1, 1)
    ]
    corner = [
        Step(Rectangle((x - 0.5 - R, 0.0), (1.0, 2.0)), 0.3, GREEN),
        Step(Rectangle((x, -0.5 - R), (2.0, 1.0)), 0.3, GREEN),
    ]
    edge = [Step(Rectangle((x - 0.5, 0.0), (1.0, 1.0)), 0.2, GREEN)]
    foot = [Slope(Rectangle((x + 0.5, 0.0), (1.0, 1.0)), (0.0, rise), "x", GREEN)]
    spheres = [
        FixedSphere((x + 0.1 * math.cos(a), 0.1 * math.sin(a), 0.1), 0.09, GREEN)
        for a in (0.0, 2 * math.pi / 3, 4 * math.pi / 3)
    ]
    over = math.sqrt((0.09 + R) ** 2 - 0.1**2)
    return {
        "on an edge": (edge, (x, 0.0, 0.2 + R)),
        "just before an edge": (edge, (x - 1e-4, 0.0, 0.2 + R)),
        "in a corner": (corner, (x, 0.0, R)),
        "in a valley": (valley, (x, 0.0, R / math.cos(tilt))),
        "in a crack": (crack, (x, 0.0, 0.15 + math.sqrt(R**2 - gap**2 / 4))),
        "at the foot of a slope": (foot, (x - R * math.tan(tilt / 2) - 1e-4, 0.0, R)),
        "between three spheres": (spheres, (x, 0.0, 0.1 + over)),
        "on the floor": ([], (x, 0.0, R)),
    }


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("sleep", [False, True])
def test_a_ball_at_rest_stays_for_60_s(dt: float, sleep: bool) -> None:
    """It does not move by 1 mm and its energy does not rise, whatever its bounce."""
    obstacles: list[Obstacle] = []
    balls: list[Ball] = []
    for k, bounce in enumerate((0.0, 0.9)):
        for j, place in enumerate(resting_places(0.0)):
            around, centre = resting_places(3.0 * (8 * k + j))[place]
            obstacles += around
            balls.append(ball(*centre, bounce=bounce))
    scene = Scene(obstacles=tuple(obstacles), things=tuple(balls))
    simulation = Simulation(scene, settings=SimulationSettings(dt=dt, sleep=sleep))
    start, begin = simulation.energies(), simulation.positions
    highest = start.copy()
    for _ in range(round(60.0 / dt / 50)):
        simulation.run(50 * dt)
        np.maximum(highest, simulation.energies(), out=highest)
    assert np.linalg.norm(simulation.positions - begin, axis=1).max() < 1e-3
    weight = simulation.model.body_mass[1] * 9.81
    assert (highest - start).max() < weight * 1e-5  # as if lifted by a hundredth of a millimetre


def test_a_pyramid_of_balls_in_a_frame_comes_to_rest() -> None:
    """Fourteen balls that bounce off each other elastically settle, because the floor takes."""
    frame = [Step(Rectangle((side * 0.085, 0.0), (0.05, 0.3)), 0.05, GREEN) for side in (-1, 1)] + [
        Step(Rectangle((0.0, side * 0.085), (0.12, 0.05)), 0.05, GREEN) for side in (-1, 1)
    ]
    centres = [
        (0.04 * (i - (n - 1) / 2), 0.04 * (j - (n - 1) / 2), R + 0.03 * (3 - n))
        for n in (3, 2, 1)
        for i in range(n)
        for j in range(n)
    ]
    things = tuple(ball(*centre, bounce=0.5, resistance=0.3) for centre in centres)
    simulation = world(*things, obstacles=tuple(frame), dt=0.001)
    start = simulation.energy()
    run_to(simulation, 5.0)
    assert simulation.energy() <= start
    assert max(np.linalg.norm(simulation.thing(i).velocity) for i in range(14)) < 0.02
