"""How fast worlds of mobile robots run, programs and sensors included.

Times are CPU times of one thread, so that a busy machine does not count.
"""

from __future__ import annotations

import math
import time

import numpy as np
from measure import Row

from armwerk.geometry import Box, Cylinder, Sphere, rotation_z, transform
from armwerk.mobile import (
    Answer,
    BaseVelocity,
    DifferentialBase,
    DistanceSensor,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    OmniBase,
    Senses,
)


class Wanderer:
    """Drives on, and turns away from what its sensors see."""

    def start(self, robot: MobileRobot) -> None:
        """Nothing to prepare."""

    def step(self, senses: Senses) -> Answer:
        """Turn away from the nearer side."""
        near = list(senses.distances.values())
        turning = 8.0 * (near[1] - near[-1]) if near else 0.5
        return BaseVelocity(0.15 if near[0] > 0.06 else -0.05, 0.0, turning + 0.2)


def run() -> list[Row]:
    """Measure everything of this file."""
    return [
        _pace("one robot with eight sensors", one_robot(), 20.0, 80.0),
        _pace("22 robots with eight sensors and a ball", football(), 4.0, 4.0),
        _pace("20 robots among 100 objects", crowd(), 3.0, 1.0),
    ]


def eyes() -> tuple[DistanceSensor, ...]:
    """Eight sensors around a small robot."""
    found = []
    for degrees in range(0, 360, 45):
        angle = math.radians(degrees)
        place = (0.032 * math.cos(angle), 0.032 * math.sin(angle), 0.012)
        found.append(DistanceSensor(f"s{degrees}", transform(rotation_z(angle), place), 0.3))
    return tuple(found)


def fence(half: float) -> tuple[MobileBody, ...]:
    """Four walls around a square."""
    walls = []
    for name, x, y, size in (
        ("east", half, 0.0, (0.02, 2 * half, 0.1)),
        ("west", -half, 0.0, (0.02, 2 * half, 0.1)),
        ("north", 0.0, half, (2 * half, 0.02, 0.1)),
        ("south", 0.0, -half, (2 * half, 0.02, 0.1)),
    ):
        walls.append(MobileBody(name, (Box(size, (x, y, 0.05)),), kind="immovable"))
    return tuple(walls)


def one_robot() -> MobileWorld:
    """One robot in a box."""
    robot = MobileRobot("it", DifferentialBase(), sensors=eyes(), mass=0.08)
    return MobileWorld(MobileScene(bodies=fence(0.5), robots=(robot,)), {"it": Wanderer()})


def football() -> MobileWorld:
    """Two teams of eleven on omnidirectional wheels, and a ball that bounces."""
    robots = []
    for k in range(22):
        place = (-1.5 + 0.6 * (k % 6), -0.9 + 0.6 * (k // 6), 0.0)
        base = OmniBase(wheel_radius=0.027, distance=0.08)
        robots.append(MobileRobot(f"r{k}", base, transform(None, place), sensors=eyes(), mass=2.0))
    ball = MobileBody(
        "ball",
        (Sphere(0.0215),),
        pose=transform(None, (0.3, 0.3, 0.0215)),
        mass=0.046,
        friction=0.7,
        bounce=0.8,
        rolling=0.5,
    )
    scene = MobileScene(bodies=(*fence(2.2), ball), robots=tuple(robots))
    return MobileWorld(scene, {robot.name: Wanderer() for robot in robots})


def crowd() -> MobileWorld:
    """Twenty robots among a hundred objects, half of which can be pushed."""
    rng = np.random.default_rng(1)
    grid = [(0.2 * (k % 11) - 1.0, 0.2 * (k // 11) - 1.0) for k in range(121)]
    rng.shuffle(grid)
    bodies = []
    for k, (x, y) in enumerate(grid[:100]):
        pose = transform(None, (x, y, 0.025))
        if k % 2:
            solid: Box | Cylinder = Box((0.05, 0.05, 0.05))
        else:
            solid = Cylinder(0.025, 0.05)
        bodies.append(
            MobileBody(f"o{k}", (solid,), "immovable" if k % 4 > 1 else "movable", pose, mass=None)
        )
    robots = [
        MobileRobot(f"r{k}", pose=transform(None, (x, y, 0.0)), sensors=eyes(), mass=0.08)
        for k, (x, y) in enumerate(grid[100:120])
    ]
    scene = MobileScene(bodies=(*fence(1.3), *bodies), robots=tuple(robots))
    return MobileWorld(scene, {robot.name: Wanderer() for robot in robots})


def _pace(what: str, world: MobileWorld, seconds: float, wanted: float) -> Row:
    world.run(0.5)
    begin = time.thread_time()
    world.run(seconds)
    pace = seconds / (time.thread_time() - begin)
    note = f"programs every {world.scene.step * 1e3:g} ms"
    return Row(what, pace, "real time", 1.0, "×", lower_is_better=False, wanted=wanted, note=note)
