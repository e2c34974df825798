"""Things that meet fast: found before they meet, whatever stands behind them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.contacts import hooks
from armwerk.physics.contacts.ahead import levers
from armwerk.robot import load, load_assembly
from armwerk.scene.scene import Ball, Cuboid, Rectangle, Scene, Slope, Step

RED = "FF0000"
DEEPEST = 1e-3  # [m]


def cube(x: float, z: float, name: str, side: float = 0.04) -> Cuboid:
    return Cuboid((x, 0.0, z), (side, side, side), RED, name=name)


def deepest(sim: Simulation, steps: int) -> float:
    """Return how deep any two were in each other on the way [m]."""
    worst = 0.0
    for _ in range(steps):
        sim.step()
        worst = max(worst, -float(sim.data.contact.dist.min(initial=0.0)))
    return worst


@pytest.mark.parametrize("speed", [0.2, 1.0, 5.0, 12.0, 40.0])
@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_a_blow_goes_no_deeper_than_a_millimetre(speed: float, dt: float) -> None:
    """Flat, in several phases of the step, against a wall and against the floor."""
    wall = Step(Rectangle((1.0, 0.0), (0.002, 1.0)), 2.0, "808080")
    for phase in (0.0, 0.3, 0.7):
        start = 1.0 - 0.001 - 0.02 - (3.0 + phase) * speed * dt
        scene = Scene(obstacles=(wall,), things=(cube(start, 1.0, "cube"),))
        sim = Simulation(scene, (), SimulationSettings(dt=dt))
        sim.place(0, (start, 0.0, 1.0), velocity=(speed, 0.0, 0.0))
        assert deepest(sim, 30) < DEEPEST
        assert sim.positions[0, 0] < 1.0
        assert abs(sim.thing(0).velocity[0]) < 0.01 * speed + 0.01
        assert not sim.take_problems()


@pytest.mark.parametrize("outline", ["box", "hull"])
def test_one_that_lands_flat_does_not_begin_to_turn(outline: str) -> None:
    rectangle = Rectangle((0.0, 0.0), (1.0, 1.0))
    ground = Step(rectangle, 0.1, RED) if outline == "box" else Slope(
        rectangle, (0.1, 0.1 + 1e-9), "x", RED
    )  # fmt: skip
    sim = Simulation(Scene(obstacles=(ground,), things=(cube(0.0, 0.2, "cube"),)))
    sim.place(0, (0.0, 0.0, 0.2), velocity=(0.0, 0.0, -3.0))
    assert deepest(sim, 100) < DEEPEST
    assert np.linalg.norm(sim.thing(0).spin) < 0.02
    assert sim.positions[0, 2] == pytest.approx(0.12, abs=1e-4)


def test_a_row_that_is_hit_hands_the_blow_on_and_keeps_its_momentum() -> None:
    """The last one moves in the step in which the first is hit, and nobody is in the next one."""
    things = tuple(cube(0.041 * k, 1.0, f"cube{k}") for k in range(5))
    sim = Simulation(Scene(things=things), (), SimulationSettings(gravity=0.0, friction=0.0))
    sim.place(0, (0.0, 0.0, 1.0), velocity=(3.0, 0.0, 0.0))
    assert deepest(sim, 20) < DEEPEST
    speeds = np.array([sim.thing(k).velocity[0] for k in range(5)])
    assert speeds.sum() == pytest.approx(3.0, rel=1e-3)
    assert speeds == pytest.approx(0.6, abs=0.05)


def test_what_tumbles_onto_an_edge_goes_no_deeper() -> None:
    edge = Step(Rectangle((0.0, 0.0), (0.1, 0.1)), 0.5, RED)
    for seed in range(6):
        draw = np.random.default_rng(seed)
        sim = Simulation(Scene(obstacles=(edge,), things=(cube(0.0, 0.7, "cube", 0.06),)))
        turn = np.linalg.qr(draw.normal(size=(3, 3)))[0]
        turn[:, 2] *= np.linalg.det(turn)
        place = (draw.uniform(-0.08, 0.08), draw.uniform(-0.08, 0.08), 0.7)
        sim.place(0, place, turn, (0.0, 0.0, -3.0), draw.normal(size=3) * 20.0)
        assert deepest(sim, 150) < DEEPEST


def test_a_ball_that_bounces_does_so_when_it_has_touched() -> None:
    ball = Ball((0.0, 0.0, 1.02), 0.02, 0.0, 0.5, RED)
    sim = Simulation(Scene(things=(ball, cube(0.3, 0.02, "cube"))), (), SimulationSettings())
    lowest = 1.0
    for _ in range(600):
        sim.step()
        lowest = min(lowest, float(sim.positions[0, 2]))
    assert lowest < 0.02  # it overlaps for a step, and is put right
    assert not sim.take_problems()


def test_those_asleep_are_woken_before_they_are_hit() -> None:
    things = (cube(0.0, 0.02, "hit"), cube(0.0, 0.06, "upon it"), cube(0.0, 4.0, "falls"))
    sim = Simulation(Scene(things=things), (), SimulationSettings(sleep=True))
    slept, worst = False, 0.0
    for _ in range(700):
        slept = slept or bool((sim.data.tree_asleep[:2] >= 0).all())
        worst = max(worst, deepest(sim, 1))
    assert slept
    assert worst < DEEPEST
    assert sim.time > 0.9  # longer than the fall takes
    assert sim.positions[2, 2] < 0.2


def test_levers_bound_the_speed_of_every_geom() -> None:
    """Against how far the middles of all geoms get in a step."""
    arm, hand = load("irb120"), load_assembly("two_finger_gripper")
    sim = Simulation(Scene(), [RobotPlacement(arm, hand, np.eye(4))])
    lever, draw = levers(sim.model), np.random.default_rng(3)
    robot, fastest = sim.robots[0], 0.0
    for _ in range(5):
        robot.set_goal(slice(0, 6), draw.uniform(*np.clip(robot.limits[:6], -1.5, 1.5).T))
        for _ in range(100):
            mujoco.mj_kinematics(sim.model, sim.data)
            before = sim.data.geom_xpos.copy()
            sim.step()
            mujoco.mj_kinematics(sim.model, sim.data)
            way = float(np.linalg.norm(sim.data.geom_xpos - before, axis=1).max())
            fastest = max(fastest, way / sim.dt)
            assert way <= float(np.abs(sim.data.qvel) @ lever) * sim.dt + 1e-9
    assert fastest > 1.0


def test_there_is_room_for_any_number_of_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is too small for the contacts of a step grows, and changes nothing."""

    def run() -> list[float]:
        things = tuple(cube(0.05 * k, 0.021, f"cube{k}") for k in range(6))
        sim = Simulation(Scene(things=things))
        sim.place(0, (0.0, 0.0, 0.03), velocity=(2.0, 0.0, 0.0))
        for _ in range(100):
            sim.step()
        return [float(q) for q in sim.data.qpos]

    roomy = run()
    monkeypatch.setattr(hooks, "ROOM", 1)
    monkeypatch.setattr(hooks, "ROOM_PER_THING", 0)
    assert run() == roomy
