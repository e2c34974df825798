"""Contacts of the present moment: who touches whom, where and how hard."""

from __future__ import annotations

import numpy as np
import pytest

from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.protocol import ContactPoint, ContactSide
from armwerk.robot import load
from armwerk.scene.scene import (
    Ball,
    Border,
    Conveyor,
    Cuboid,
    Polygon,
    Rectangle,
    Scene,
    Step,
    Thing,
)

GREEN = "00FF00"
FLOOR = ContactSide("floor", "floor")


def _between(points: list[ContactPoint], one: str, two: str) -> list[ContactPoint]:
    return [p for p in points if (p.sides[0].name, p.sides[1].name) == (one, two)]


def _weight(simulation: Simulation, thing: int) -> float:
    return float(simulation.model.body_mass[1 + thing]) * 9.81


@pytest.mark.parametrize("dt", [0.001, 0.002])
@pytest.mark.parametrize(
    "thing",
    [Cuboid((0.0, 0.0, 0.02), (0.04,) * 3, GREEN), Ball((0.0, 0.0, 0.02), 0.02, 0.3, 0.0, GREEN)],
)
def test_floor_carries_the_weight_of_what_rests_on_it(thing: Thing, dt: float) -> None:
    simulation = Simulation(Scene(things=(thing,)), settings=SimulationSettings(dt=dt))
    simulation.run(1.0)
    points = simulation.contact_points()
    assert {point.sides for point in points} == {(ContactSide("thing", f"{thing.kind}0"), FLOOR)}
    assert all(point.normal == pytest.approx((0.0, 0.0, 1.0)) for point in points)
    assert sum(point.force for point in points) == pytest.approx(_weight(simulation, 0), rel=1e-3)
    assert all(abs(point.depth) < 1e-5 and abs(point.point[2]) < 1e-5 for point in points)


def test_stack_presses_with_the_weight_of_all_above() -> None:
    sizes, z = (0.06, 0.05, 0.04), 0.0
    things: list[Thing] = []
    for size in sizes:
        things.append(Cuboid((0.0, 0.0, z + 0.5 * size), (size,) * 3, GREEN))
        z += size
    simulation = Simulation(Scene(things=tuple(things)))
    simulation.run(2.0)
    points = simulation.contact_points()
    weights = [_weight(simulation, k) for k in range(3)]
    for pair, above in (
        (("cuboid0", "floor"), sum(weights)),
        (("cuboid0", "cuboid1"), weights[1] + weights[2]),
        (("cuboid1", "cuboid2"), weights[2]),
    ):
        found = _between(points, *pair)
        assert sum(point.force for point in found) == pytest.approx(above, rel=1e-3)
        up = 1.0 if pair[1] == "floor" else -1.0  # the lower one of two things is pushed down
        assert all(point.normal[2] == pytest.approx(up) for point in found)


def test_names_tell_things_from_floor_belt_border_and_obstacles() -> None:
    crooked = ((0.5, 0.0), (1.5, 0.0), (1.5, 1.0), (1.4, 1.0), (1.4, 0.1), (0.5, 0.1))
    scene = Scene(
        obstacles=(
            Conveyor(Rectangle((-0.5, 0.5), (0.4, 0.4)), (0.1, 0.1), "x", GREEN, speed=0.0),
            Step(Polygon(crooked), 0.1, GREEN, name="floor"),
        ),
        things=(
            Cuboid((0.0, 0.0, 0.02), (0.04,) * 3, GREEN, name="floor"),
            Cuboid((-0.5, 0.5, 0.12), (0.04,) * 3, GREEN),
            Cuboid((1.45, 0.05, 0.12), (0.04,) * 3, GREEN),
            Cuboid((-0.98, 0.0, 0.02), (0.04,) * 3, GREEN),
        ),
        border=Border((-1.0, -1.0), (2.0, 2.0)),
    )
    simulation = Simulation(scene)
    simulation.place(3, (-0.97, 0.0, 0.02), velocity=(-1.0, 0.0, 0.0))
    seen = set()
    for _ in range(200):
        simulation.step()
        seen |= {point.sides for point in simulation.contact_points() if point.force > 0.0}
    things = [ContactSide("thing", name) for name in simulation.names]
    assert seen == {
        (things[0], FLOOR),
        (things[1], ContactSide("belt", "conveyor0")),
        (things[2], ContactSide("obstacle", "floor")),
        (things[3], FLOOR),
        (things[3], ContactSide("border", "border", "left")),
    }


def test_robot_is_called_by_its_number_and_the_part_that_touches() -> None:
    simulation = Simulation(
        Scene(things=(Cuboid((0.4, 0.0, 0.02), (0.04,) * 3, GREEN),)),
        [RobotPlacement(load("simple_arm"), load("parallel_gripper"), np.eye(4), number=7)],
        SimulationSettings(gravity=0.0),
    )
    robot = simulation.robots[0]
    simulation.place(0, robot.pose[:3, 3], robot.pose[:3, :3])
    assert robot.grip is not None
    robot.grip.close(force=10.0)
    simulation.run(1.0)
    points = [point for point in simulation.contact_points() if point.force > 0.1]
    parts = {point.sides[1].part for point in points}
    assert {point.sides[1].name for point in points} == {"robot 7"}
    assert len(parts) == 2
    assert all(part in robot.motors for part in parts)
    assert {str(point.sides[1]) for point in points} == {f"robot 7 ({part})" for part in parts}
