"""Small cells for the laws: balls, cuboids, slopes and belts, and how to look at their motion."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.physics import Simulation, SimulationSettings
from armwerk.scene.scene import Ball, Conveyor, Cuboid, Obstacle, Rectangle, Scene, Slope, Thing

G = 9.81
R = 0.02  # radius of the balls [m]
RED = "FF0000"
STEPS = (0.001, 0.002)  # [s]


def tolerance(dt: float) -> float:
    """The fraction a law may be off: 1 % at 1 ms, 2 % at 2 ms."""
    return 10.0 * dt


def ball(
    x: float = 0.0,
    y: float = 0.0,
    z: float = R,
    *,
    bounce: float = 0.0,
    resistance: float = 0.0,
    radius: float = R,
) -> Ball:
    """A red ball, lying on the floor unless told otherwise."""
    return Ball((x, y, z), radius, resistance, bounce, RED)


def cuboid(
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.02,
    size: tuple[float, float, float] = (0.1, 0.06, 0.04),
) -> Cuboid:
    """A red cuboid, lying on the floor unless told otherwise."""
    return Cuboid((x, y, z), size, RED)


def world(
    *things: Thing, obstacles: tuple[Obstacle, ...] = (), dt: float = 0.001, friction: float = 0.6
) -> Simulation:
    """A cell without robots."""
    scene = Scene(obstacles=obstacles, things=things)
    return Simulation(scene, settings=SimulationSettings(dt=dt, friction=friction))


def slope(degrees: float, length: float = 4.0, base: float = 0.0) -> Slope:
    """A slope that falls along +x from x = -length/2 to x = length/2."""
    rise = length * math.tan(math.radians(degrees))
    outline = Rectangle((0.0, 0.0), (length, 2.0))
    return Slope(outline, (base + rise, base), "x", RED)


def belt(
    degrees: float = 0.0,
    speed: float = 0.3,
    to_middle: float = 0.0,
    length: float = 8.0,
    running: bool = True,
) -> Conveyor:
    """A belt along +x from x = -length/2, half a metre wide, that climbs by an angle."""
    rise = length * math.tan(math.radians(degrees))
    outline = Rectangle((0.0, 0.0), (length, 0.5))
    return Conveyor(outline, (0.1, 0.1 + rise), "x", RED, 1, running, speed, to_middle)


def on_plane(surface: Slope | Conveyor, x: float, above: float, y: float = 0.0) -> Array:
    """The point that stands ``above`` a slanting top over x."""
    length = surface.outline.size[0]
    low, high = surface.heights
    height = low + (high - low) * (x / length + 0.5)
    tilt = math.atan2(high - low, length)
    return np.array([x - math.sin(tilt) * above, y, height + math.cos(tilt) * above])


def tilt_of(surface: Slope | Conveyor) -> Array:
    """R_world_top: x along the top, z out of it."""
    low, high = surface.heights
    angle = math.atan2(high - low, surface.outline.size[0])
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def run_to(simulation: Simulation, time: float) -> None:
    """Go on until a time [s]."""
    simulation.run(time - simulation.time)


def settle(simulation: Simulation, seconds: float = 0.1) -> None:
    """Let things come to rest where they lie, then stand still: they sink in by micrometres."""
    simulation.run(seconds)
    for i in range(len(simulation.names)):
        simulation.place(i, simulation.positions[i])


def speed_up(simulation: Simulation, i: int, velocity: tuple[float, float, float]) -> None:
    """Give a thing a velocity where it is."""
    simulation.place(i, simulation.positions[i], velocity=velocity)
