"""A world without physics: exact arcs, rays that MuJoCo confirms, slopes followed or not."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.geometry import Box, Cone, Cylinder, Mesh, Sphere
from armwerk.geometry.shape import Shape
from armwerk.mobile import (
    Answer,
    BaseVelocity,
    Displacement,
    DistanceSensor,
    GripFailed,
    Gripped,
    Hand,
    HandGripper,
    MobileBody,
    MobileRobot,
    MobileScene,
    OmniBase,
    Released,
    Senses,
    WheelSpeeds,
)
from armwerk.mobile.examples.shapes import ramp
from armwerk.mobile.kinematic.engine import KinematicEngine
from armwerk.mobile.kinematic.rays import ray_shape
from armwerk.mobile.world import MobileWorld


class Saying:
    """A program that always answers the same, or one answer after the other."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.heard: list[Senses] = []

    def start(self, robot: MobileRobot) -> None:
        self.heard.clear()

    def step(self, senses: Senses) -> Answer | None:
        self.heard.append(senses)
        return self.answers[min(len(self.heard), len(self.answers)) - 1]


def world(scene: MobileScene, program: Saying | None = None, follow: bool = True) -> MobileWorld:
    programs = {} if program is None else {scene.robots[0].name: program}
    engine = KinematicEngine(scene, follow_landscape=follow)
    return MobileWorld(scene, programs, engine=engine)


def looking(x: float, y: float, z: float, angle: float = 0.0, down: float = 0.0) -> Array:
    pose = np.eye(4)
    c, s, cd, sd = math.cos(angle), math.sin(angle), math.cos(down), math.sin(down)
    pose[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array(
        [[cd, 0, sd], [0, 1, 0], [-sd, 0, cd]]
    )
    pose[:3, 3] = (x, y, z)
    return pose


def test_a_circle_is_exact_however_long_the_step() -> None:
    """Equal arcs: 0.2 m/s and 0.1 m/s on a track of 0.053 m are a circle of radius 0.0795 m."""
    robot = MobileRobot("r")
    for step in (0.001, 0.05, 1.0):
        w = world(MobileScene(robots=(robot,), step=step), Saying(WheelSpeeds(0.1, 0.2)))
        w.run(1.0)
        radius, angle = 0.0795, 0.1 / 0.053
        place = [radius * math.sin(angle), radius * (1 - math.cos(angle)), 0.0]
        np.testing.assert_allclose(w.pose("r")[:3, 3], place, atol=1e-12)


def test_displacements_are_made_as_said_and_odometry_agrees() -> None:
    w = world(
        MobileScene(robots=(MobileRobot("r"),)),
        Saying(Displacement(0.01, 0.0, math.pi / 4), Displacement(0.02)),
    )
    w.run(0.1)
    pose, own = w.pose("r"), w.engine.odometry("r")
    assert math.atan2(pose[1, 0], pose[0, 0]) == pytest.approx(math.pi / 4)
    np.testing.assert_allclose([own.x, own.y], pose[:2, 3], atol=1e-12)


def test_omnidirectional_bases_go_sideways_and_others_do_not() -> None:
    for base, expected in ((OmniBase(), 0.5), (MobileRobot("r").base, 0.0)):
        scene = MobileScene(robots=(MobileRobot("r", base),))
        w = world(scene, Saying(BaseVelocity(0.0, 0.5)))
        w.run(1.0)
        assert w.pose("r")[1, 3] == pytest.approx(expected)


def test_no_wheel_is_faster_than_it_can() -> None:
    w = world(MobileScene(robots=(MobileRobot("r"),)), Saying(BaseVelocity(50.0)))
    w.run(1.0)
    assert w.pose("r")[0, 3] == pytest.approx(MobileRobot("r").base.top_speed)


def test_an_inactive_robot_ignores_its_program() -> None:
    w = world(MobileScene(robots=(MobileRobot("r", active=False),)), Saying(BaseVelocity(1.0)))
    w.run(1.0)
    assert w.pose("r")[0, 3] == 0.0


def test_a_robot_passes_through_a_wall_and_nothing_is_pushed() -> None:
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.5)),), kind="immovable", pose=looking(0.5, 0, 0.25))
    can = MobileBody("can", (Cylinder(0.03, 0.06),), pose=looking(0.8, 0, 0.03))
    w = world(
        MobileScene(bodies=(wall, can), robots=(MobileRobot("r"),)), Saying(BaseVelocity(0.5))
    )
    w.run(2.0)
    assert w.pose("r")[0, 3] == pytest.approx(1.0)
    np.testing.assert_allclose(w.pose("can")[:3, 3], [0.8, 0, 0.03])
    np.testing.assert_allclose(w.pose("r")[2, 3], 0.0, atol=1e-12)
    assert w.events == []


@pytest.mark.parametrize("degrees", [5.0, 20.0, 30.0])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_the_landscape_is_followed_or_not(degrees: float, turn: float) -> None:
    """On a ramp the robot leans as the ramp does; told to stay level it does not."""
    slope = math.tan(math.radians(degrees))
    mesh = ramp(2.0, 4.0, 2.0 * slope, (0.5, 0.5, 0.5))
    hill = MobileBody(
        "hill", (Mesh(mesh.vertices, mesh.faces),), kind="immovable", pose=looking(0.3, 0, 0)
    )
    scene = MobileScene(bodies=(hill,), robots=(MobileRobot("r", pose=looking(0, 0, 0, turn)),))
    w = world(scene, Saying(BaseVelocity(0.5)))
    w.run(2.0)
    pose = w.pose("r")
    assert pose[2, 3] == pytest.approx(slope * (pose[0, 3] - 0.3), abs=1e-9)
    assert math.degrees(math.acos(pose[2, 2])) == pytest.approx(degrees, abs=1e-6)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    level = world(scene, Saying(BaseVelocity(0.5)), follow=False)
    level.run(2.0)
    np.testing.assert_allclose(
        level.pose("r")[:3, 3], [math.cos(turn), math.sin(turn), 0.0], atol=1e-9
    )


def _mujoco_distance(shape: Shape, origin: Array, direction: Array) -> float:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    if isinstance(shape, Box):
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=shape.size / 2)
    elif isinstance(shape, Sphere):
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[shape.radius, 0, 0])
    elif isinstance(shape, Cylinder):
        size = [shape.radius, shape.length / 2, 0]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=size)
    assert isinstance(shape, Box | Sphere | Cylinder)
    body.pos = shape.position
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, shape.rotation.ravel())
    body.quat = quat
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = np.zeros(1, dtype=np.int32)
    far = mujoco.mj_ray(model, data, origin, direction, None, 1, -1, found, None)
    return math.inf if far < 0 else float(far)


def test_rays_are_those_of_mujoco() -> None:
    draw = np.random.default_rng(3)
    hits = 0
    for _ in range(150):
        turn = np.linalg.qr(draw.standard_normal((3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        place = draw.uniform(-0.2, 0.2, 3)
        shape: Shape = (
            Box(draw.uniform(0.2, 1, 3), place, turn),
            Sphere(float(draw.uniform(0.2, 0.6)), place),
            Cylinder(float(draw.uniform(0.2, 0.5)), float(draw.uniform(0.2, 1)), place, turn),
        )[int(draw.integers(3))]
        origin = draw.standard_normal(3) * 1.5
        away = draw.standard_normal(3) * 0.3 - origin
        direction = away / np.linalg.norm(away)
        ours, theirs = (
            ray_shape(origin, direction, shape),
            _mujoco_distance(shape, origin, direction),
        )
        hits += math.isfinite(ours)
        assert ours == pytest.approx(theirs, abs=1e-9)
    assert hits > 60


def test_rays_at_meshes_and_cones() -> None:
    cone = Cone(0.5, 1.0)
    far = ray_shape(np.array([2.0, 0, 0.0]), np.array([-1.0, 0, 0]), cone)
    assert far == pytest.approx(1.75, abs=1e-9)  # half-way up a cone is half as wide
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    mesh = Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    down = np.array([0, 0, -1.0])
    assert ray_shape(np.array([0.25, 0.25, 2]), down, mesh) == pytest.approx(1.5)
    assert ray_shape(np.array([0.25, 0.25, 0.25]), down, mesh) == pytest.approx(0.25)
    assert ray_shape(np.array([0.6, 0.6, 2]), down, mesh) == math.inf
    assert ray_shape(np.array([0.0, 0.5, 2]), down, mesh) == pytest.approx(1.5)  # along an edge


def test_sensors_see_floor_bodies_and_other_robots_but_not_their_own() -> None:
    sensors = (
        DistanceSensor("ahead", looking(0.03, 0, 0.01), reach=1.0),
        DistanceSensor("left", looking(0.0, 0.03, 0.01, math.pi / 2), reach=1.0),
        DistanceSensor("down", looking(0.03, 0, 0.01, 0.0, math.radians(30)), reach=1.0),
        DistanceSensor("back", looking(-0.03, 0, 0.01, math.pi), reach=0.5),
    )
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.5)),), kind="immovable", pose=looking(0.5, 0, 0.25))
    scene = MobileScene(
        bodies=(wall,),
        robots=(
            MobileRobot("r", sensors=sensors),
            MobileRobot("s", solids=(Cylinder(0.05, 0.1, (0, 0, 0.05)),), pose=looking(0, 0.3, 0)),
        ),
    )
    found = world(scene).senses("r").distances
    assert found["ahead"] == pytest.approx(0.42)
    assert found["left"] == pytest.approx(0.22)
    assert found["down"] == pytest.approx(0.02)
    assert found["back"] == 0.5


def _with_gripper() -> MobileRobot:
    hands = (
        Hand("left", (Box((0.04, 0.004, 0.02), (0.05, 0.022, 0.02)),)),
        Hand("right", (Box((0.04, 0.004, 0.02), (0.05, -0.022, 0.02)),)),
    )
    return MobileRobot("r", gripper=HandGripper("gripper", hands, opening=0.04))


@pytest.mark.parametrize(("radius", "fits"), [(0.015, True), (0.0199, True), (0.0201, False)])
def test_hands_take_what_is_between_them_and_fits(radius: float, fits: bool) -> None:
    can = MobileBody("can", (Cylinder(radius, 0.04),), pose=looking(0.05, 0, 0.02))
    scene = MobileScene(bodies=(can,), robots=(_with_gripper(),))
    w = world(
        scene,
        Saying(
            BaseVelocity(0.0, gripper="close"),
            BaseVelocity(0.2, 0.0, 1.0),
            BaseVelocity(0.0, gripper="open"),
            BaseVelocity(0.2),
        ),
    )
    w.run(0.4)
    kinds = [type(event) for event in w.events]
    held = w.pose("can")[:3, 3]
    if fits:
        assert kinds == [Gripped, Released]
        way = np.array([0.2 * math.sin(0.05), 0.2 * (1 - math.cos(0.05))])
        ahead = 0.05 * np.array([math.cos(0.05), math.sin(0.05)])
        np.testing.assert_allclose(held[:2], way + ahead, atol=1e-9)
    else:
        assert kinds == [GripFailed]
        failed = w.events[0]
        assert isinstance(failed, GripFailed)
        assert (failed.reason, failed.body) == ("too wide", "can")
        np.testing.assert_allclose(held, [0.05, 0, 0.02])


def test_what_is_moved_by_hand_stays_there() -> None:
    can = MobileBody("can", (Cylinder(0.01, 0.04),), pose=looking(0.05, 0, 0.02))
    rock = MobileBody("rock", (Sphere(0.1),), kind="immovable", pose=looking(1, 1, 0))
    w = world(MobileScene(bodies=(can, rock), robots=(_with_gripper(),)))
    w.move("can", (0.3, 0.2, 0.02))
    np.testing.assert_allclose(w.pose("can")[:3, 3], (0.3, 0.2, 0.02))
    with pytest.raises(DescriptionError, match="immovable"):
        w.move("rock", (0, 0, 0))
    with pytest.raises(UnknownNameError, match="can"):
        w.move("cna", (0, 0, 0))
    with pytest.raises(UnsupportedError, match="physics is off"):
        w.launch("can", (1, 0, 0))


def test_a_reset_world_begins_again() -> None:
    w = world(MobileScene(robots=(MobileRobot("r"),)), Saying(BaseVelocity(0.3, 0.0, 1.0)))
    w.run(1.0)
    first = w.pose("r")
    w.reset()
    assert w.time == 0.0
    np.testing.assert_array_equal(w.pose("r"), np.eye(4))
    w.run(1.0)
    np.testing.assert_array_equal(w.pose("r"), first)
