"""The example scenes at work, each with what it is there to show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armwerk.mobile import (
    Collision,
    GoalScored,
    KinematicEngine,
    MobileScene,
    find_mobile_scene,
    find_program,
    list_settings,
    open_scene,
    read_settings,
    settings_folder,
)
from armwerk.mobile.examples.khepera import RADIUS
from armwerk.mobile.examples.scenes import SLOPES
from armwerk.mobile.world import MobileWorld


def scene_of(name: str, settings: str = "") -> MobileScene:
    path = find_mobile_scene(name)
    file = open_scene(path)
    if not settings:
        return file.scene()
    return file.with_settings(
        read_settings(list_settings(settings_folder(path), file.digest)[settings])
    )


def world_of(scene: MobileScene, *, physics: bool = True, programs: bool = True) -> MobileWorld:
    found = {robot.name: find_program(robot.program) for robot in scene.robots if robot.program}
    engine = None if physics else KinematicEngine(scene)
    return MobileWorld(scene, found if programs else {}, engine=engine)


def test_sharp_prisms_stop_the_robot_where_the_old_one_passed_through() -> None:
    scene = scene_of("collision")
    tip = scene.body("prisms 1").pose[0, 3]
    assert tip == pytest.approx(0.1, abs=1e-6)
    real = world_of(scene)
    real.run(3.4)
    assert real.pose("robot1")[0, 3] == pytest.approx(tip - RADIUS, abs=1.5e-3)
    met = [event for event in real.events if isinstance(event, Collision)]
    assert met[0].robot == "robot1"
    assert (met[0].other, met[0].other_kind) == ("prisms 1", "immovable")
    np.testing.assert_allclose(met[0].point[:2], [tip, 0.003], atol=1e-3)
    assert 0 <= met[0].within <= scene.step
    ghost = world_of(scene, physics=False)
    ghost.run(3.4)
    # its sensors look past the prisms, and it drives into their middle
    assert ghost.pose("robot1")[0, 3] > tip + RADIUS
    assert ghost.events == []


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
def test_the_robot_climbs_slopes_up_to_the_angle_of_friction(friction: float) -> None:
    """The hill has 8, 18, 32 and 44 degrees; arctan of 0.2, 0.5 and 0.8 lies between them."""
    world = world_of(scene_of("slope", f"friction {friction:g}"))
    parked = world.pose("parked")[0, 3]
    highest = -math.inf
    for _ in range(10):
        world.run(1.0)
        highest = max(highest, float(world.pose("climber")[0, 3]))
    limit = math.degrees(math.atan(friction))
    beaten = sum(slope < limit for slope in SLOPES)
    # past the last slope it can climb, with its front on the next one
    assert 0.3 * beaten - 0.02 < highest < 0.3 * beaten + 2.5 * RADIUS
    slid = parked - world.pose("parked")[0, 3]
    if limit < SLOPES[1]:  # which it is parked on
        assert slid > 0.1
    else:
        assert abs(slid) < 0.005


def test_without_physics_the_whole_hill_is_climbed() -> None:
    world = world_of(scene_of("slope", "friction 0.2"), physics=False)
    world.run(11.5)
    assert world.pose("climber")[0, 3] > 1.25
    top = sum(0.3 * math.tan(math.radians(slope)) for slope in SLOPES)
    assert world.pose("climber")[2, 3] == pytest.approx(top, abs=1e-3)


@pytest.mark.parametrize("physics", [True, False])
def test_cylinders_are_collected(physics: bool) -> None:
    world = world_of(scene_of("gripping"), physics=physics)
    names = [body.name for body in world.scene.bodies if body.kind == "movable"]
    assert len(names) == 8
    world.run(30.0, until=lambda w: all(math.hypot(*w.pose(n)[:2, 3]) < 0.3 for n in names))
    assert world.time < 30.0
    world.run(2.0)
    kinds = [event.kind for event in world.events]
    assert kinds.count("gripped") == kinds.count("released") == 8


@pytest.mark.parametrize(("goal", "sign"), [("west", -1.0), ("east", 1.0)])
def test_goals_are_counted_and_the_ball_put_back(goal: str, sign: float) -> None:
    world = world_of(scene_of("football"), programs=False)
    world.move("ball", (sign * 1.2, 0.2, 0.0215))
    world.launch("ball", (sign * 1.5, 0.0, 0.0))
    world.run(1.0)
    scored = [event for event in world.events if isinstance(event, GoalScored)]
    assert [(event.goal, event.body) for event in scored] == [(goal, "ball")]
    # it slides, then rolls with 5/7 of its speed
    assert 0.3 / 1.5 < scored[0].time < 0.3 / (5 / 7 * 1.5) + 0.11
    np.testing.assert_allclose(world.pose("ball")[:3, 3], [0, 0, 0.0215], atol=1e-3)


def test_a_ball_is_put_back_beside_a_robot_that_stands_there() -> None:
    world = world_of(scene_of("football"), programs=False)
    world.move("blue 4", (0.0, 0.0, 0.0))
    world.move("ball", (1.2, 0.2, 0.0215))
    world.launch("ball", (1.5, 0.0, 0.0))
    world.run(1.0)
    assert [event.kind for event in world.events if event.kind == "goal"] == ["goal"]
    away = math.hypot(*world.pose("ball")[:2, 3])
    assert 0.085 + 0.0215 < away < 0.2
    assert abs(world.pose("blue 4")[2, 3]) < 1e-3


def test_a_ball_beside_the_goal_is_none() -> None:
    world = world_of(scene_of("football"), programs=False)
    world.move("ball", (1.2, 0.45, 0.0215))
    world.launch("ball", (1.5, 0.0, 0.0))
    world.run(1.0)
    assert not [event for event in world.events if isinstance(event, GoalScored)]
    assert world.pose("ball")[0, 3] < 1.5


def test_footballers_go_for_the_ball() -> None:
    world = world_of(scene_of("football"))
    world.run(4.0)
    touched = {
        event.robot.split(" ")[0]
        for event in world.events
        if isinstance(event, Collision) and event.other == "ball"
    }
    assert touched == {"blue", "yellow"}
    assert all(world.pose(robot.name)[2, 2] > 0.99 for robot in world.scene.robots)


@pytest.mark.soak
def test_a_match_has_goals() -> None:
    world = world_of(scene_of("football"))
    world.run(120.0)
    assert any(isinstance(event, GoalScored) for event in world.events)


def test_all_together_go_about_their_work() -> None:
    world = world_of(scene_of("together"))
    began = {robot.name: world.pose(robot.name)[:2, 3] for robot in world.scene.robots}
    farthest = dict.fromkeys(began, 0.0)
    for _ in range(10):
        world.run(0.5)
        for name, place in began.items():
            pose = world.pose(name)
            farthest[name] = max(farthest[name], math.dist(pose[:2, 3], place))
            assert abs(pose[0, 3]) < 1.2
            assert abs(pose[1, 3]) < 0.8
            assert pose[2, 2] > 0.9
    assert min(farthest.values()) > 0.05
    assert "tipped" not in {event.kind for event in world.events}
