"""What robots sense: distances by exact rays, errors by their law, contact, heading, pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from mobile_scenes import Script

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Cylinder, Mesh, Shape, Sphere, rotation_z, transform
from armwerk.mobile import (
    BaseVelocity,
    Bumper,
    Compass,
    DistanceSensor,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    Outgoing,
    Reports,
    RobotCamera,
    RobotMessage,
    SceneNotice,
    SensorError,
    WheelSpeeds,
)


def looking(angle: float, height: float = 0.012, reach: float = 2.0) -> DistanceSensor:
    pose = transform(rotation_z(angle), (0.03 * math.cos(angle), 0.03 * math.sin(angle), height))
    return DistanceSensor(f"at {math.degrees(angle):g}", pose, reach)


def eight_eyes(reach: float = 2.0) -> tuple[DistanceSensor, ...]:
    return tuple(looking(math.radians(angle), reach=reach) for angle in range(0, 360, 45))


def nearest_by_trimesh(mesh: trimesh.Trimesh, start: Array, way: Array) -> float:
    """Return the distance along a ray to the nearest triangle, 2 m at most."""
    count = len(mesh.triangles)
    points, found = trimesh.intersections.planes_lines(
        mesh.triangles[:, 0],
        mesh.face_normals,
        np.tile(start, (count, 1)),
        np.tile(way, (count, 1)),
    )
    shares = trimesh.triangles.points_to_barycentric(mesh.triangles[found], points)
    far = (points - start) @ way
    hit = (shares > -1e-12).all(axis=1) & (far > 0.0)
    return float(min(far[hit], default=2.0)) if (far[hit] < 2.0).any() else 2.0


def test_distances_equal_exact_rays() -> None:
    rng = np.random.default_rng(5)
    shapes: list[Shape] = []
    meshes = []
    for k in range(40):
        place = [*rng.uniform(-1.0, 1.0, 2), rng.uniform(0.0, 0.1)]
        if math.hypot(place[0], place[1]) < 0.25:
            continue
        size, turn = rng.uniform(0.05, 0.2, 3), rotation_z(rng.uniform(0.0, 6.0))
        box = trimesh.creation.box(size, transform(turn, place))
        meshes.append(box)
        if k % 2:
            shapes.append(Box(size, place, turn))
        else:
            shapes.append(Mesh(box.vertices, box.faces))
    bodies = [MobileBody(f"b{k}", (one,), kind="immovable") for k, one in enumerate(shapes)]
    robot = MobileRobot("it", sensors=tuple(looking(a) for a in np.linspace(0.0, 6.2, 60)))
    world = MobileWorld(MobileScene(bodies=tuple(bodies), robots=(robot,)))
    whole = trimesh.util.concatenate(meshes)
    measured = world.engine.distances("it")
    expected = np.array(
        [
            nearest_by_trimesh(whole, sensor.pose[:3, 3], sensor.pose[:3, 0])
            for sensor in robot.sensors
        ]
    )
    assert (expected < 2.0).sum() > 30
    assert np.abs(np.array(measured) - expected).max() < 1e-6


def test_a_ray_meets_round_things_where_the_formula_says() -> None:
    bodies = (
        MobileBody("ball", (Sphere(0.1),), pose=transform(None, (0.5, 0.02, 0.1)), friction=0.5),
        MobileBody("can", (Cylinder(0.1, 0.2),), "immovable", transform(None, (-0.5, 0.03, 0.1))),
    )
    robot = MobileRobot("it", sensors=(looking(0.0), looking(math.pi)))
    world = MobileWorld(MobileScene(bodies=bodies, robots=(robot,)))
    ahead, behind = world.engine.distances("it")
    below = 0.1 - 0.012
    assert ahead == pytest.approx(0.5 - 0.03 - math.sqrt(0.1**2 - 0.02**2 - below**2), abs=1e-6)
    assert behind == pytest.approx(0.5 - 0.03 - math.sqrt(0.1**2 - 0.03**2), abs=1e-6)


def test_characteristic_reach_and_errors() -> None:
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.2), (0.15, 0.0, 0.1)),), kind="immovable")
    infrared = ((0.0, 1023.0), (0.05, 800.0), (0.1, 100.0), (0.2, 0.0))
    plain = looking(0.0)
    sensors = (
        plain,
        DistanceSensor("infrared", plain.pose, 0.2, infrared),
        DistanceSensor("short", plain.pose, 0.05),
        DistanceSensor("rough", plain.pose, 1.0, error=SensorError(deviation=0.01)),
        DistanceSensor("blind", plain.pose, 1.0, error=SensorError(missing=0.25)),
    )
    program = Script(lambda senses: None)
    robot = MobileRobot("it", sensors=sensors)
    world = MobileWorld(MobileScene(bodies=(wall,), robots=(robot,)), {"it": program}, seed=3)
    world.run(50.0)
    exact = program.heard[-1].distances["at 0"]
    assert exact == pytest.approx(0.07, abs=1e-6)
    assert program.heard[-1].distances["infrared"] == pytest.approx(520.0, abs=0.1)
    assert program.heard[-1].distances["short"] == 0.05
    rough = np.array([senses.distances["rough"] for senses in program.heard])
    assert rough.std() == pytest.approx(0.01, rel=0.1)
    assert abs(rough.mean() - exact) < 0.001
    blind = np.array([senses.distances["blind"] for senses in program.heard])
    assert (blind == 1.0).mean() == pytest.approx(0.25, abs=0.05)


def test_equal_seeds_make_equal_runs_and_others_do_not() -> None:
    error = SensorError(deviation=0.005, share=0.02, missing=0.02, wild=0.01)
    eyes = tuple(DistanceSensor(eye.name, eye.pose, 1.0, error=error) for eye in eight_eyes(1.0))
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.2), (0.4, 0.0, 0.1)),), kind="immovable")
    can = MobileBody("can", (Cylinder(0.02, 0.05),), pose=transform(None, (0.2, 0.01, 0.025)))
    robots = tuple(
        MobileRobot(name, pose=transform(None, (0.0, y, 0.0)), sensors=eyes, compass=Compass(error))
        for name, y in (("a", 0.0), ("b", 0.3))
    )
    scene = MobileScene(bodies=(wall, can), robots=robots)

    def run(seed: int) -> tuple[bytes, list[dict[str, float]]]:
        def steer(senses: object) -> BaseVelocity:
            seen = programs["a"].heard[-1].distances["at 0"]
            return BaseVelocity(0.2, 0.0, 3.0 * (seen - 0.3))

        programs = {"a": Script(steer), "b": Script(lambda senses: WheelSpeeds(0.1, 0.12))}
        world = MobileWorld(scene, programs, seed=seed)
        world.run(3.0)
        poses = b"".join(pose.tobytes() for pose in world.state.poses.values())
        return poses, [dict(one.distances) for one in programs["a"].heard]

    assert run(1) == run(1)
    assert run(1)[0] != run(2)[0]


def test_bumpers_feel_the_side_that_touches_and_the_compass_the_heading() -> None:
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.2), (0.2, 0.0, 0.1)),), kind="immovable")
    bumpers = (Bumper("front"), Bumper("left", math.pi / 2), Bumper("back", math.pi))
    program = Script(lambda senses: WheelSpeeds(0.1, 0.1))
    robot = MobileRobot("it", bumpers=bumpers, compass=Compass())
    world = MobileWorld(MobileScene(bodies=(wall,), robots=(robot,)), {"it": program})
    world.run(0.5)
    assert program.heard[-1].bumpers == {"front": False, "left": False, "back": False}
    world.run(2.0)
    assert program.heard[-1].bumpers == {"front": True, "left": False, "back": False}
    world.move("it", (-1.0, 0.0, 0.0), heading=math.radians(150.0))
    world.step()
    world.step()
    assert program.heard[-1].compass == pytest.approx(math.radians(150.0), abs=1e-3)


def test_odometry_follows_the_wheels_and_not_the_way() -> None:
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.2), (0.2, 0.0, 0.1)),), kind="immovable")
    program = Script(lambda senses: WheelSpeeds(0.1, 0.1))
    scene = MobileScene(bodies=(wall,), robots=(MobileRobot("it"),))
    world = MobileWorld(scene, {"it": program})
    world.run(5.0)
    assert program.heard[-1].odometry.x == pytest.approx(0.495, abs=0.01)
    assert world.pose("it")[0, 3] < 0.15
    assert program.heard[-1].wheel_speeds == pytest.approx((0.1, 0.1))


def test_a_camera_sees_colours_where_things_are() -> None:
    red = MobileBody(
        "red", (Box((0.05, 0.2, 0.2), (0.5, 0.2, 0.1)),), kind="immovable", colour="FF0000"
    )
    camera = RobotCamera(transform(None, (0.02, 0.0, 0.03)), (40, 30))
    robot = MobileRobot("it", camera=camera, reports=Reports(pictures=True))
    program = Script(lambda senses: None)
    world = MobileWorld(MobileScene(bodies=(red,), robots=(robot,)), {"it": program})
    world.run(0.1)
    picture = program.heard[-1].picture
    assert picture is not None
    assert picture.shape == (30, 40, 3)
    is_red = (picture[..., 0] > 100) & (picture[..., 1] < 50) & (picture[..., 2] < 50)
    columns = np.flatnonzero(is_red.any(axis=0))
    half, angle = math.tan(math.radians(30.0)), (0.1 / 0.455, 0.3 / 0.455)
    assert columns.min() == pytest.approx(max(0.0, 20 - 20 * angle[1] / half), abs=1)
    assert columns.max() == pytest.approx(20 - 20 * angle[0] / half, abs=1)


def test_what_is_switched_off_is_not_reported() -> None:
    wall = MobileBody("wall", (Box((0.1, 2.0, 0.2), (0.15, 0.0, 0.1)),), kind="immovable")
    program = Script(lambda senses: WheelSpeeds(0.2, 0.2))
    quiet = MobileRobot("it", reports=Reports(place=False, immovable=False))
    world = MobileWorld(MobileScene(bodies=(wall,), robots=(quiet,)), {"it": program})
    world.run(2.0)
    assert all(senses.place is None and senses.heading is None for senses in program.heard)
    assert not any(senses.events for senses in program.heard)
    assert [event.kind for event in world.events] == ["collision"]


def test_messages_arrive_with_the_next_step() -> None:
    def talk(senses: object) -> WheelSpeeds:
        first = not programs["a"].heard[1:]
        messages = (Outgoing("b", "hello"), Outgoing("nobody", "hm")) if first else ()
        return WheelSpeeds(0.0, 0.0, messages=messages)

    programs = {"a": Script(talk), "b": Script(lambda senses: None)}
    robots = tuple(
        MobileRobot(n, pose=transform(None, (0.0, y, 0.0))) for n, y in (("a", 0), ("b", 1))
    )
    world = MobileWorld(MobileScene(robots=robots), programs)
    world.run(0.2)
    heard = [[one.text for one in senses.messages] for senses in programs["b"].heard]
    assert heard == [[], ["hello"], [], []]
    assert [event.text for event in world.events if isinstance(event, RobotMessage)] == ["hello"]
    notices = [event.text for event in world.events if isinstance(event, SceneNotice)]
    assert len(notices) == 1
    assert "'nobody'" in notices[0]


def test_an_answer_that_is_no_number_names_its_robot() -> None:
    program = Script(lambda senses: WheelSpeeds(math.nan, 0.0))
    world = MobileWorld(MobileScene(robots=(MobileRobot("it"),)), {"it": program})
    with pytest.raises(DescriptionError, match="program of robot 'it'"):
        world.step()


def test_rays_end_at_what_they_measure_also_after_something_was_moved() -> None:
    box = MobileBody("box", (Box((0.1, 0.1, 0.1)),), pose=transform(np.eye(3), (0.4, 0.0, 0.05)))
    eye = DistanceSensor("eye", transform(np.eye(3), (0.0, 0.0, 0.03)), reach=0.5)
    world = MobileWorld(MobileScene(bodies=(box,), robots=(MobileRobot("it", sensors=(eye,)),)))
    (ray,) = world.rays()
    assert ray.met
    np.testing.assert_allclose(ray.end, [0.35, 0.0, 0.03], atol=1e-9)
    world.move("box", (0.25, 0.0, 0.05))
    np.testing.assert_allclose(world.rays()[0].end, [0.2, 0.0, 0.03], atol=1e-9)
    world.move("box", (0.25, 0.5, 0.05))
    (ray,) = world.rays()
    assert not ray.met
    np.testing.assert_allclose(ray.end, [0.5, 0.0, 0.03], atol=1e-9)
    world.move("it", (0.25, 0.0, 0.0), np.pi / 2)
    np.testing.assert_allclose(world.rays()[0].end, [0.25, 0.45, 0.03], atol=1e-9)
