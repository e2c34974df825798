"""Grippers hold by contact and friction, obey the law of friction, and let go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.errors import DescriptionError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.contacts.step_view import PUSHED, TOUCHED
from armwerk.physics.mechanism import tooled
from armwerk.robot import load
from armwerk.scene.scene import Conveyor, Cuboid, Rectangle, Scene, Thing
from grip_cell import RED, GripCell, ball, cuboid, down

MOST_SLIP = 3e-4  # [m] of a held thing that is swung for a minute
G = 9.81
FINGERS = ("parallel_gripper", "two_finger_gripper", "three_finger_gripper")
BOUNCY = replace(ball(), bounce=0.9)
ROOM = 0.033  # [m] between the grip point and the slides of the jaws
# [m] how far its finger tips reach beyond the grip point, more than half of what it takes
TIPS = {"three_finger_gripper": 0.032}


def high_up(cell: GripCell) -> NDArray[np.float64]:
    x, y, z = cell.robot.pose[:3, 3]
    return down(x, y, z + 0.35) if z + 0.35 < 0.6 and x > 0.4 else down(x, y, z)


def swing(cell: GripCell, seconds: float, seed: int = 1) -> float:
    """Swing the arm to random places at full speed; return how far the thing moved in the hand."""
    rng = np.random.default_rng(seed)
    cell.go(high_up(cell))  # where nothing else is in the way
    cell.world.run(0.1)
    place, turn = cell.held()
    low, high = cell.robot.q - 0.4, cell.robot.q + 0.4
    low[3:], high[3:] = low[3:] - 0.6, high[3:] + 0.6
    limits = cell.robot.limits[: cell.dof]
    worst = 0.0
    end = cell.world.time + seconds
    while cell.world.time < end:
        if not cell.robot.moving:
            goal = low + rng.random(cell.dof) * (high - low)
            cell.robot.set_goal(slice(0, cell.dof), np.clip(goal, *limits.T))
        for _ in range(10):
            cell.world.step()
        now, rotation = cell.held()
        corner = 0.03 * np.linalg.norm(rotation - turn)  # at most as far as a corner moves
        worst = max(worst, float(np.linalg.norm(now - place)) + float(corner))
    return worst


@pytest.mark.parametrize("thing", [cuboid(), ball()], ids=["cuboid", "ball"])
def test_a_held_thing_swung_for_a_minute_stays_and_falls_when_released(thing: Thing) -> None:
    cell = GripCell(thing)
    cell.pick()
    assert cell.grip.holds
    assert swing(cell, 60.0) < MOST_SLIP
    assert cell.grip.holds
    before = cell.world.positions[0, 2]
    cell.grip.open()
    cell.world.run(0.7)
    assert cell.world.positions[0, 2] < before - 0.05
    assert not cell.grip.holds
    assert cell.grip.force == 0.0


@pytest.mark.parametrize("name", FINGERS)
@pytest.mark.parametrize("thing", [cuboid(), ball(), BOUNCY], ids=["cuboid", "ball", "bouncy ball"])
def test_every_gripper_holds_a_cuboid_and_a_ball(name: str, thing: Thing) -> None:
    cell = GripCell(thing, name)
    cell.pick(max(0.02, TIPS.get(name, 0.0)))
    assert cell.world.positions[0, 2] > 0.15
    assert swing(cell, 5.0) < MOST_SLIP
    cell.grip.open()
    lowest = np.inf
    for _ in range(round(0.5 / cell.world.dt)):
        cell.world.step()
        lowest = min(lowest, cell.world.positions[0, 2])
    assert lowest < 0.05


@pytest.mark.parametrize("yaw", [3.0, 10.0, 25.0])
def test_a_cuboid_that_stands_askew_and_off_the_middle_is_held(yaw: float) -> None:
    cell = GripCell(cuboid())
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    cell.world.place(0, (0.504, 0.006, 0.02), [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    cell.pick(force=20.0)
    assert cell.world.positions[0, 2] > 0.19
    assert swing(cell, 3.0) < MOST_SLIP


def test_fingers_that_are_built_in_grip_as_well() -> None:
    cell = GripCell(
        cuboid(0.03, (0.25, 0.0, 0.015)), None, "simple_arm_gripper", down(0.25, 0.0, 0.15)
    )
    assert cell.robot.motors[-2:] == ("finger_left", "finger_right")
    assert cell.dof == 6
    cell.pick(0.015, up=0.15)
    assert cell.world.positions[0, 2] > 0.12
    assert swing(cell, 5.0) < MOST_SLIP
    cell.grip.open()
    cell.world.run(0.6)
    assert cell.world.positions[0, 2] < 0.05


def falls(cell: GripCell, state: object, force: float) -> bool:
    """Whether the thing slips out of the hand when it presses with no more than ``force``."""
    cell.world.restore(state)  # type: ignore[arg-type]
    cell.grip.close(force)
    before = cell.world.positions[0, 2]
    cell.world.run(1.0)
    return bool(cell.world.positions[0, 2] < before - 2e-3)


@pytest.mark.parametrize(("density", "friction"), [(500.0, 1.0), (3000.0, 0.5), (3000.0, 0.8)])
def test_grip_force_limit_is_weight_over_twice_the_friction(
    density: float, friction: float
) -> None:
    cell = GripCell(cuboid(), density=density, pad_friction=friction)
    law = density * 0.04**3 * G / (2 * friction)
    cell.pick(force=1.5 * law)
    state = cell.world.capture()
    low, high = 0.9 * law, 1.1 * law
    assert falls(cell, state, low)
    assert not falls(cell, state, high)
    for _ in range(7):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(cell, state, middle) else (low, middle)
    assert high == pytest.approx(law, rel=0.01)


def test_what_is_too_heavy_is_not_lifted() -> None:
    cell = GripCell(cuboid(), density=8000.0, pad_friction=0.5)
    force = 0.9 * 8000.0 * 0.04**3 * G / (2 * 0.5)
    cell.pick(force=force)
    cell.world.run(0.5)
    assert cell.world.positions[0, 2] < 0.03


def test_force_and_width_are_read_back() -> None:
    cell = GripCell(cuboid())
    assert cell.grip.width == pytest.approx(0.1, abs=1e-6)
    assert cell.grip.force == 0.0
    cell.grip.set(0.06)
    cell.fingers()
    assert cell.grip.width == pytest.approx(0.06, abs=1e-5)
    assert not cell.grip.holds
    cell.pick(force=25.0)
    cell.world.run(0.3)
    assert cell.grip.force == pytest.approx(25.0, rel=1e-3)
    assert cell.grip.width == pytest.approx(0.04, abs=1e-3)


def test_commands_a_gripper_cannot_obey_are_refused() -> None:
    grip = GripCell().grip
    with pytest.raises(DescriptionError, match=r"width.*0\.2.*0 to 0\.1 m"):
        grip.set(0.2)
    with pytest.raises(DescriptionError, match=r"force.*100.*0 to 60 N"):
        grip.close(100.0)
    with pytest.raises(DescriptionError, match="force"):
        grip.close(-1.0)
    with pytest.raises(DescriptionError, match="width"):
        grip.set(float("nan"))


@pytest.mark.parametrize("name", FINGERS)
def test_squeezing_too_hard_does_not_explode(name: str) -> None:
    cell = GripCell(Cuboid((0.5, 0.0, 0.01), (0.02, 0.02, 0.02), "FF0000"), name, density=50.0)
    cell.line(down(0.5, 0.0, 0.01))
    cell.grip.close()
    fastest = 0.0
    for _ in range(500):
        cell.world.step()
        fastest = max(fastest, float(np.linalg.norm(cell.world.thing(0).velocity)))
    assert np.isfinite(cell.world.positions).all()
    assert fastest < 3.0
    assert np.linalg.norm(cell.world.thing(0).velocity) < 0.1


def test_pick_and_place_twenty_centimetres_away_by_goals_only() -> None:
    cell = GripCell(cuboid())
    cell.world.run(0.2)
    start = cell.world.positions[0]
    cell.pick()
    cell.go(down(0.5, 0.2, 0.2))
    cell.line(down(0.5, 0.2, 0.02))
    cell.grip.open()
    cell.fingers()
    cell.line(down(0.5, 0.2, 0.2))
    cell.world.run(0.3)
    moved = cell.world.positions[0] - start
    np.testing.assert_allclose(moved, (0.0, 0.2, 0.0), atol=1e-3)
    assert np.linalg.norm(cell.world.thing(0).velocity) < 1e-3


def test_anchors_and_drives_are_captured_to_the_last_bit() -> None:
    cell = GripCell(cuboid())
    cell.pick()
    cell.robot.set_goal(slice(0, 6), cell.robot.q + 0.3)
    cell.world.run(0.1)
    assert cell.grip.holds
    state = cell.world.capture()

    def rest() -> tuple[bool, bytes, bytes]:
        holds = cell.grip.holds
        cell.world.run(0.5)
        cell.grip.open()
        cell.world.run(0.3)
        return holds, cell.world.data.qpos.tobytes(), cell.world.data.qvel.tobytes()

    first = rest()
    cell.world.restore(state)
    assert rest() == first


@pytest.mark.parametrize("name", FINGERS)
@pytest.mark.parametrize(
    "thing",
    [cuboid(centre=(0.5, -0.1, 0.12)), ball(centre=(0.5, -0.1, 0.12))],
    ids=["cuboid", "ball"],
)
@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_what_a_moving_belt_brings_is_held_without_chatter(
    name: str, thing: Thing, dt: float
) -> None:
    top = Rectangle((0.5, 0.0), (1.0, 2.0))
    belt = Conveyor(top, (0.1, 0.1), "y", RED, 1, True, 0.05, 0.0)
    cell = GripCell(thing, name, at=down(0.5, 0.0, 0.2), obstacles=(belt,), dt=dt)
    height = 0.1 + max(0.022, TIPS.get(name, 0.0))
    cell.line(down(0.5, 0.0, height))
    while cell.world.positions[0, 1] < -0.005:
        cell.world.step()
    cell.grip.close()
    cell.world.run(1.0)
    places, forces = [], []
    for _ in range(round(0.5 / dt)):  # the belt goes on under it
        cell.world.step()
        places.append(cell.world.positions[0])
        forces.append(cell.grip.force)
    assert np.ptp(places, axis=0).max() < 1e-5
    assert np.ptp(forces) < 0.05 * np.mean(forces)
    cell.line(down(0.5, 0.0, height + 0.13))
    assert cell.world.positions[0, 2] > 0.24


def test_a_cuboid_that_sleeps_is_taken_and_let_go() -> None:
    cell = GripCell(cuboid(), sleep=True)
    cell.line(down(0.5, 0.0, 0.02))
    cell.world.run(1.0)
    assert cell.world.data.tree_asleep[0] >= 0
    cell.grip.close()
    cell.fingers()
    cell.line(down(0.5, 0.0, 0.2))
    cell.world.run(5.0)  # long enough to fall asleep in the hand
    assert cell.world.positions[0, 2] == pytest.approx(0.2, abs=1e-3)
    cell.grip.open()
    cell.world.run(0.6)
    assert cell.world.positions[0, 2] < 0.03


@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_two_hands_that_pull_at_one_bar_slip_along_it(dt: float) -> None:
    arm, hand = load("puma560"), load("parallel_gripper")
    model = aw.model(tooled(arm, hand))
    bases = np.array([np.eye(4), np.diag([-1.0, -1.0, 1.0, 1.0])])
    bases[1, 0, 3] = 1.2
    across = np.pi / 2

    def values(robot: int, x: float, z: float, near: NDArray[np.float64]) -> NDArray[np.float64]:
        q = model.ik_nearest(np.linalg.inv(bases[robot]) @ down(x, 0.0, z, across), near)
        assert q is not None
        return q

    starts = [values(k, x, 0.021, np.zeros(6)) for k, x in enumerate((0.5, 0.7))]
    robots = [RobotPlacement(arm, hand, base, q) for base, q in zip(bases, starts, strict=True)]
    bar = Cuboid((0.6, 0.0, 0.02), (0.3, 0.03, 0.04), RED)
    sim = Simulation(Scene(things=(bar,)), robots, SimulationSettings(dt=dt))

    def go(xs: tuple[float, float], z: float) -> None:
        for k, (robot, x) in enumerate(zip(sim.robots, xs, strict=True)):
            robot.set_goal(slice(0, 6), values(k, x, z, robot.q))
        while any(robot.moving for robot in sim.robots):
            sim.step()

    for robot in sim.robots:
        robot.grip.close()  # type: ignore[union-attr]
    sim.run(1.0)
    for height in np.linspace(0.05, 0.25, 9):
        go((0.5, 0.7), height)
    assert sim.positions[0, 2] == pytest.approx(0.25, abs=0.01)
    for way in np.linspace(0.01, 0.05, 5):
        go((0.5 - way, 0.7 + way), 0.25)
    sim.run(0.5)
    assert sim.positions[0, 2] == pytest.approx(0.25, abs=0.01)
    assert np.linalg.norm(sim.thing(0).velocity) < 1e-3
    for robot in sim.robots:
        robot.grip.open()  # type: ignore[union-attr]
    sim.run(0.8)
    assert sim.positions[0, 2] == pytest.approx(0.02, abs=1e-3)


@pytest.mark.parametrize("dt", [0.001, 0.002])
@pytest.mark.parametrize(("count", "side"), [(2, 0.02), (3, 0.02), (5, 0.019)])
def test_things_in_a_row_between_the_jaws_do_not_merge(count: int, side: float, dt: float) -> None:
    arm, hand = load("puma560"), load("parallel_gripper")
    model = aw.model(tooled(arm, hand))
    q = model.ik_nearest(down(0.5, 0.0, 0.016), np.zeros(6))
    assert q is not None
    row = [
        Cuboid((0.5 + (i - (count - 1) / 2) * side, 0.0, side / 2), (side, side, side), RED)
        for i in range(count)
    ]
    sim = Simulation(
        Scene(things=tuple(row)),
        [RobotPlacement(arm, hand, np.eye(4), q)],
        SimulationSettings(dt=dt),
    )
    robot = sim.robots[0]
    assert robot.grip is not None
    robot.grip.close(60.0)
    sim.run(2.0)
    np.testing.assert_allclose(np.diff(sim.positions[:, 0]), side, atol=1e-4)
    assert robot.grip.force == pytest.approx(60.0, rel=1e-3)
    assert max(-contact.dist for contact in sim.data.contact) < 1e-4
    goal = model.ik_nearest(down(0.5, 0.0, 0.2), robot.q)
    assert goal is not None
    robot.set_goal(slice(0, 6), goal)
    while robot.moving:
        sim.step()
    sim.run(1.0)
    assert (sim.positions[:, 2] > 0.19).all()
    np.testing.assert_allclose(np.diff(sim.positions[:, 0]), side, atol=1e-4)
    assert robot.grip.holds


@pytest.mark.parametrize("dt", [0.001, 0.002])
@pytest.mark.parametrize("side", [0.001, 0.002, 0.005, 0.01, 0.012, 0.02, 0.04, 0.09])
@pytest.mark.parametrize("kind", ["cuboid", "ball"])
def test_small_things_are_held_lifted_and_said_to_be_held(
    kind: str, side: float, dt: float
) -> None:
    """With 60 N, from half a milligram on; no pad sinks into a thing below 5 g by 0.1 mm."""
    z = side / 2
    thing: Thing = (
        cuboid(side, (0.5, 0.0, z)) if kind == "cuboid" else ball(side / 2, (0.5, 0.0, z))
    )
    cell = GripCell(thing, dt=dt)
    cell.pick(max(0.0152, z, side - ROOM), force=60.0)
    assert cell.world.positions[0, 2] > 0.18
    assert cell.grip.holds
    cell.world.run(1.0)
    assert cell.world.positions[0, 2] > 0.18
    assert cell.grip.held == {cell.world.names[0]}
    deepest = 1e-4 if side <= 0.02 else 5e-4
    assert max(-contact.dist for contact in cell.world.data.contact) < deepest
    assert cell.grip.width == pytest.approx(side, abs=2.0 * deepest)
    cell.grip.open()
    cell.world.run(0.5)
    assert not cell.grip.holds


@pytest.mark.parametrize("side", [0.04, 0.06, 0.08])
def test_pads_do_not_sink_into_what_they_hold(side: float) -> None:
    cell = GripCell(cuboid(side, (0.5, 0.0, 0.5 * side)))
    cell.pick(0.5 * side, force=60.0)
    cell.world.run(0.3)
    assert cell.grip.force == pytest.approx(60.0, rel=0.02)
    assert max(point.depth for point in cell.world.contact_points()) < 1e-4
    assert swing(cell, 2.0) < MOST_SLIP


@pytest.mark.parametrize("side", [0.002, 0.01, 0.04])
def test_a_restored_grip_holds_and_presses_before_the_next_step(side: float) -> None:
    thing = Cuboid((0.5, 0.0, 0.5 * side), (side, side, side), RED)
    cell = GripCell(thing, "parallel_gripper", at=down(0.5, 0.0, 0.2))
    cell.line(down(0.5, 0.0, 0.5 * side))
    cell.grip.close()
    cell.world.run(0.5)
    state, held, force = cell.world.capture(), cell.grip.held, cell.grip.force
    assert held
    cell.grip.open()
    cell.world.run(0.5)
    assert not cell.grip.held
    cell.world.restore(state)
    assert cell.grip.held == held
    assert cell.grip.force == pytest.approx(force, rel=1e-3)


def test_only_what_robots_touch_is_marked_as_pushed() -> None:
    cell = GripCell(cuboid())
    cell.world.run(0.1)
    marks = cell.world._hooks.marks
    assert marks[0] & TOUCHED  # by the floor
    assert not marks[0] & PUSHED
    cell.pick()
    assert marks[0] & PUSHED
