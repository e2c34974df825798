"""Mounted robots: where they stand, what they touch, what they push and carry, how they look."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import armwerk as aw
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.mechanism import tooled
from armwerk.physics.robots.mount import SEEN, TOUCHING
from armwerk.physics.settings import DriveKind
from armwerk.robot import Assembly, library, load
from armwerk.robot.parts import (
    Body,
    LinearMotor,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
    at,
    chain,
)
from armwerk.scene.scene import Ball, Cuboid, Rectangle as Area, Scene, Step
from grip_cell import RED, GripCell, cuboid

BASE = np.array([[0, -1, 0, 1.0], [1, 0, 0, -2.0], [0, 0, 1, 0.5], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("name", library())
def test_the_hand_in_the_world_is_the_hand_of_the_model(name: str) -> None:
    arm = load(name)
    model = aw.model(tooled(arm))
    sim = Simulation(Scene(), [RobotPlacement(arm, None, BASE)])
    robot = sim.robots[0]
    np.testing.assert_allclose(robot.pose, BASE @ model.fk(robot.q), atol=1e-9)
    limits = np.where(np.isfinite(robot.limits), robot.limits, [-3.0, 3.0])[: robot.dof]
    rng = np.random.default_rng(5)
    goal = limits[:, 0] + rng.random(robot.dof) * (limits[:, 1] - limits[:, 0])
    robot.set_goal(slice(0, robot.dof), goal)
    tolerance = 1e-4 if isinstance(arm, Assembly) and arm.loops else 1e-6
    for _ in range(6):
        sim.run(0.2)
        np.testing.assert_allclose(robot.pose, BASE @ model.fk(robot.q), atol=tolerance)


def touching(sim: Simulation) -> set[int]:
    return {int(g) for g in np.flatnonzero(sim.model.geom_group == TOUCHING)}


def test_only_touch_parts_touch_and_only_things() -> None:
    scene = Scene(
        things=(cuboid(),), obstacles=(Step(Area((0.5, 0.0), (2.0, 2.0)), 0.01, "808080"),)
    )
    sim = Simulation(scene, [RobotPlacement(load("puma560"), load("parallel_gripper"), np.eye(4))])
    model = sim.model
    pads = touching(sim)
    assert pads == set(sim.robots[0].pad_geoms)
    assert len(pads) == 2

    def meet(one: int, two: int) -> bool:
        return bool(
            model.geom_contype[one] & model.geom_conaffinity[two]
            or model.geom_contype[two] & model.geom_conaffinity[one]
        )

    thing = model.geom("thing/cuboid0").id
    for geom in range(model.ngeom):
        if model.geom_group[geom] == SEEN and model.geom_bodyid[geom] > 1:
            assert not any(meet(geom, other) for other in range(model.ngeom))
    for pad in pads:
        assert [g for g in range(model.ngeom) if meet(pad, g)] == [thing]


def test_robots_go_through_floor_obstacles_and_each_other() -> None:
    arm = load("simple_arm")
    robots = [RobotPlacement(arm, load("parallel_gripper"), np.eye(4)) for _ in range(2)]
    sim = Simulation(Scene(), robots)
    for robot in sim.robots:
        robot.set_goal(slice(0, 3), [0.2, -1.2, -0.5])
    sim.run(1.5)
    for robot in sim.robots:
        assert robot.pose[2, 3] < 0.0
        np.testing.assert_allclose(robot.q, [0.2, -1.2, -0.5], atol=1e-9)


def pusher(end: TouchPoint | TouchSegment) -> Assembly:
    """Return an arm that slides its end along x, 3 cm above the floor."""
    slide = LinearMotor(
        "slide", limits=(0.0, 1.0), max_velocity=0.2, max_acceleration=1.0, tail=end
    )
    return Assembly("pusher", Body(tails=[at(slide, z=0.03)]))


# a push of the ball against a slide of 0.35 kg throws it back by a step at 0.07 m/s at most
@pytest.mark.parametrize(("drives", "followed"), [("stiff", 1e-9), ("limited", 2e-4)])
def test_a_touch_point_pushes_a_ball(drives: DriveKind, followed: float) -> None:
    thing = Ball((0.3, 0.0, 0.03), 0.03, 0.0, 0.0, RED)
    sim = Simulation(
        Scene(things=(thing,)),
        [RobotPlacement(pusher(TouchPoint("tip")), None, np.eye(4))],
        SimulationSettings(drives=drives),
    )
    robot = sim.robots[0]
    robot.set_goal(0, 0.8)
    sim.run(2.5)
    assert robot.pose[0, 3] > 0.4
    gap = sim.positions[0, 0] - robot.pose[0, 3]
    assert gap >= 0.04 - 1e-3  # radius of the ball and of the tip: nothing goes through it
    assert sim.thing(0).velocity[0] == pytest.approx(0.2, abs=0.02)
    np.testing.assert_allclose(robot.q, robot.setpoints, atol=followed)
    # a ball that rolls and is pushed without slipping anywhere else: straight on
    assert abs(sim.positions[0, 1]) < 1e-3


def fork() -> Assembly:
    """Return a fork of two touch segments that lifts along z."""
    prongs = [
        at(
            chain(TouchSegment(f"prong{k}", 0.2, radius=0.008), TerminationPoint(f"end{k}")).part,
            y=y,
        )
        for k, y in enumerate((-0.03, 0.03))
    ]
    lift = LinearMotor("lift", limits=(0.0, 1.0), max_velocity=0.3, max_acceleration=1.0)
    carriage = TConnector("carriage", [*prongs, at(TerminationPoint("hand"), x=0.1)])
    turn = Servo("turn", limits=(-3, 3), max_velocity=1.0, max_acceleration=2.0)
    links = chain(turn, at(lift, b=np.pi / 2), at(carriage, b=-np.pi / 2))
    return Assembly("fork", Body(tails=[links]), tip="hand")


def test_a_touch_segment_carries_a_cuboid() -> None:
    thing = Cuboid((0.1, 0.0, 0.258 + 0.03), (0.06, 0.1, 0.06), RED)
    sim = Simulation(
        Scene(things=(thing,)), [RobotPlacement(fork(), None, np.eye(4), np.array([0.0, 0.25]))]
    )
    robot = sim.robots[0]
    sim.run(0.3)
    assert sim.positions[0, 2] == pytest.approx(0.288, abs=1e-3)
    robot.set_goal("lift", 0.6)
    robot.set_goal("turn", 1.0)
    sim.run(2.5)
    assert not robot.moving
    hand = robot.pose
    place = hand[:3, :3].T @ (sim.positions[0] - hand[:3, 3])
    np.testing.assert_allclose(place, [0.0, 0.0, 0.038], atol=3e-3)
    assert sim.positions[0, 2] == pytest.approx(0.638, abs=2e-3)


def test_what_rests_on_a_touch_part_moves_with_it_after_a_long_time() -> None:
    """Things that sleep elsewhere must not be left in the air."""
    things = (
        Cuboid((0.1, 0.0, 0.288), (0.06, 0.1, 0.06), RED),
        Cuboid((0.1, 0.0, 0.333), (0.03, 0.03, 0.03), RED),
    )
    mounted = RobotPlacement(fork(), None, np.eye(4), np.array([0.0, 0.25]))
    sim = Simulation(Scene(things=things), [mounted], SimulationSettings(sleep=True))
    sim.run(5.0)
    for lift, change in ((0.5, 0.25), (0.1, -0.4)):
        before = sim.positions
        sim.robots[0].set_goal("lift", lift)
        sim.run(3.0)
        np.testing.assert_allclose(sim.positions - before, [[0.0, 0.0, change]] * 2, atol=1e-3)


def test_names_of_several_robots_do_not_clash() -> None:
    robots = [
        RobotPlacement(load(n), None, np.eye(4)) for n in ("five_axis", "five_axis", "stewart")
    ]
    sim = Simulation(Scene(), robots)
    assert [robot.plan.number for robot in sim.robots] == [0, 1, 2]
    sim.robots[1].set_goal(0, 0.5)
    sim.run(1.0)
    assert sim.robots[1].q[0] == pytest.approx(0.5, abs=1e-9)
    assert sim.robots[0].q[0] == 0.0


@pytest.mark.parametrize(("drives", "followed"), [("stiff", 1e-9), ("limited", 2e-4)])
def test_loads_hardly_move_an_arm_off_its_set_points(drives: DriveKind, followed: float) -> None:
    cell = GripCell(cuboid(0.05, (0.5, 0.0, 0.025)), density=10000.0, drives=drives)
    cell.pick(0.025, force=60.0)
    cell.robot.set_goal(slice(0, 6), cell.robot.q + 0.2)
    while cell.robot.moving:
        cell.world.step()
        assert np.abs(cell.robot.q - cell.robot.setpoints[:6]).max() < followed


def test_what_is_seen_of_an_arm_reaches_from_its_foot_to_its_hand() -> None:
    sim = Simulation(Scene(), [RobotPlacement(load("puma560"), None, np.eye(4))])
    mujoco.mj_forward(sim.model, sim.data)
    robot = [g for g in range(sim.model.ngeom) if sim.model.geom_bodyid[g] > 0]
    assert len(robot) > 12
    heights = sim.data.geom_xpos[robot, 2]
    assert heights.min() < 0.05
    near = np.linalg.norm(sim.data.geom_xpos[robot] - sim.robots[0].pose[:3, 3], axis=1)
    assert near.min() < 0.1
