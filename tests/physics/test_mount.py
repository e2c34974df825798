"""Mounted robots: where they stand, what they touch, what they push and carry, how they look."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import pytest

import armwerk as aw
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.mechanism import tooled
from armwerk.physics.robots.builder import SEEN, TOUCHING
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
    if isinstance(arm, aw.Arm) and arm.is_coupled:
        goal *= 0.2  # not every corner is within the limits of coupled joints
    robot.set_goal(slice(0, robot.dof), goal)
    tolerance = 1e-4 if isinstance(arm, Assembly) and arm.loops else 1e-6
    for _ in range(6):
        sim.run(0.2)
        np.testing.assert_allclose(robot.pose, BASE @ model.fk(robot.q), atol=tolerance)


def touching(sim: Simulation) -> set[int]:
    return {int(g) for g in np.flatnonzero(sim.model.geom_group == TOUCHING)}


def meet(model: mujoco.MjModel, one: int, two: int) -> bool:
    """Whether two geoms may touch by their bits."""
    return bool(
        model.geom_contype[one] & model.geom_conaffinity[two]
        or model.geom_contype[two] & model.geom_conaffinity[one]
    )


@pytest.mark.parametrize("drives", ["limited", "stiff"])
def test_pads_touch_things_and_links_touch_what_stands_fast(drives: DriveKind) -> None:
    scene = Scene(
        things=(cuboid(),), obstacles=(Step(Area((0.9, 0.0), (0.2, 2.0)), 0.01, "808080"),)
    )
    placement = RobotPlacement(load("puma560"), load("parallel_gripper"), np.eye(4))
    sim = Simulation(scene, [placement], SimulationSettings(drives=drives))
    model, robot = sim.model, sim.robots[0]
    pads = touching(sim)
    assert pads == set(robot.pad_geoms)
    assert len(pads) == 2
    thing, floor = model.geom("thing/cuboid0").id, model.geom("floor").id
    step = model.geom("obstacle/step0").id
    for pad in pads:
        assert [g for g in range(model.ngeom) if meet(model, pad, g)] == [thing]
    firm = [thing, floor, step]
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] > 1 and geom not in {*pads, *robot.link_geoms}:
            assert not any(meet(model, geom, other) for other in range(model.ngeom))
    fingers = {int(model.geom_bodyid[pad]) for pad in pads}
    hand = int(model.body_parentid[min(fingers)])
    bodies = set()
    for link in robot.link_geoms:
        body = int(model.geom_bodyid[link])
        bodies.add(body)
        wanted = [body not in fingers or model.geom_group[link] == SEEN]
        if body == hand:
            wanted = [meet(model, link, thing)]  # the arm's own bar does, that of the palm does not
        wanted += [drives == "limited"] * 2
        if body == model.body("r0_waist").id:
            wanted[1] = False  # it stands on the floor
        assert [meet(model, link, other) for other in firm] == wanted
    assert fingers < bodies
    assert len(bodies) >= 6


def opposite(
    drives: DriveKind, apart: float, start: Sequence[float], goal: Sequence[float]
) -> Simulation:
    """Return two arms that look at each other and were sent somewhere."""
    arm = load("simple_arm")
    bases = [np.eye(4), np.diag([-1.0, -1.0, 1.0, 1.0])]
    bases[1][0, 3] = apart
    hand, q = load("parallel_gripper"), np.array(start)
    robots = [RobotPlacement(arm, hand, base, q) for base in bases]
    sim = Simulation(Scene(), robots, SimulationSettings(drives=drives))
    for robot in sim.robots:
        robot.set_goal(slice(0, 3), goal)
    sim.run(2.5)
    return sim


def test_stiff_robots_go_through_floor_obstacles_and_each_other() -> None:
    for robot in opposite("stiff", 0.4, [0.0, 1.2, 0.0], [0.0, -1.2, -0.5]).robots:
        assert robot.pose[2, 3] < 0.0
        np.testing.assert_allclose(robot.q, [0.0, -1.2, -0.5], atol=1e-9)


def test_robots_stop_at_the_floor() -> None:
    sim = opposite("limited", 2.0, [0.0, 0.0, 0.0], [0.0, -1.2, -0.5])
    for number, robot in enumerate(sim.robots):
        assert robot.block is not None
        assert robot.block.by == "floor"
        assert robot.block.robot == f"robot {number}"
        assert robot.block.force > 10.0
    assert all(point.depth < 1e-4 for point in sim.contact_points())


def test_robots_stop_at_each_other() -> None:
    sim = opposite("limited", 0.65, [0.0, 1.4, 0.0], [0.0, 0.3, 0.0])
    first, second = (robot.block for robot in sim.robots)
    assert first is not None
    assert second is not None
    assert first.by.startswith("robot 1 (")
    assert second.by.startswith("robot 0 (")
    assert all(point.depth < 1e-4 for point in sim.contact_points())


def test_what_overlaps_at_the_start_is_left_out_and_told() -> None:
    """A table round two arms, a cuboid round a link, two arms in one place; feet are silent."""
    plinth = Step(Area((0.0, 0.0), (0.3, 0.3)), 0.1, RED)
    table = Step(Area((0.6, 0.0), (0.4, 0.4)), 0.9, RED, name="table")
    wall = Step(Area((0.0, 0.9), (0.4, 0.1)), 0.9, RED, name="wall")
    base = np.eye(4)
    base[2, 3] = 0.1
    arm = load("puma560")
    robots = [RobotPlacement(arm, None, base, number=number) for number in (3, 4)]
    bare = Simulation(Scene(), robots[:1])
    x, y, z = bare.data.geom_xpos[bare.robots[0].link_geoms[1]].tolist()
    box = Cuboid((x, y, z), (0.02, 0.4, 0.02), RED, name="box")
    sim = Simulation(Scene(obstacles=(plinth, table, wall), things=(box,)), robots)
    told = [text for text in sim.notices if "starts inside" in text]
    assert len(told) == 5
    assert any(text.startswith("robot 3: starts inside 'table', 'shoulder' by") for text in told)
    assert any(text.startswith("robot 4: starts inside 'box', ") for text in told)
    assert any(text.startswith("robot 3: starts inside robot 4, 'waist' by 92.1") for text in told)
    assert not any("step0" in text or "floor" in text for text in told)
    sim.run(0.1)
    assert not any(robot.blocked for robot in sim.robots)
    assert all(point.depth < 1e-3 for point in sim.contact_points())
    ids = [sim.model.geom(f"obstacle/{name}").id for name in ("wall", "table", "step0")]
    for robot in sim.robots:  # only those that overlap are let through
        bodies = sim.model.geom_bodyid[list(robot.link_geoms)]
        waist = [g for g, b in zip(robot.link_geoms, bodies, strict=True) if b == bodies[0]]
        hand = [g for g, b in zip(robot.link_geoms, bodies, strict=True) if b == bodies[-1]]
        assert [meet(sim.model, waist[0], one) for one in ids] == [True, True, False]
        assert [meet(sim.model, hand[0], one) for one in ids] == [True, True, True]
        elbow = [
            g for g in robot.link_geoms if sim.sides.sides[sim.sides.of_geom[g]].part == "elbow"
        ]
        assert [meet(sim.model, elbow[0], one) for one in ids] == [True, False, True]


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
    sim.run(2.0)
    before = sim.positions[0, 0]
    sim.run(0.5)
    assert robot.pose[0, 3] > 0.4
    gap = sim.positions[0, 0] - robot.pose[0, 3]
    assert gap >= 0.04 - 1e-3  # radius of the ball and of the tip: nothing goes through it
    # light as it is, it is pushed in small steps, between which it rolls on by itself
    assert (sim.positions[0, 0] - before) / 0.5 == pytest.approx(0.2, rel=0.01)
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
