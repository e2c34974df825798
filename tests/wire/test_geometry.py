"""What a viewer is sent is what pictures draw, in every configuration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.cell.moments import Moments, drawn_robots
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.physics.mechanism import mechanism
from armwerk.pictures.cell import CellPicture
from armwerk.pictures.cell_robot import DrawnRobot, robot_solids
from armwerk.pictures.cell_scene import belt_marks, still_solids
from armwerk.pictures.cell_solids import Solid
from armwerk.protocol.viewing import ViewedGeometry, ViewedSolid
from armwerk.scene import parse_scene
from armwerk.scene.scene import Conveyor
from armwerk.wire import WorldFeed
from armwerk.wire.frames import TURN, Frame
from armwerk.wire.geometry import GeometryBuilder, MountedRobot, colour_text

BELT = """BORDER -100 -100 100 100
CONVEYOR 5 RUN 10 16 x 10 3 FF8800
RECT 0 0 120 20
ENDCONVEYOR
"""


def body_poses(frame: Frame) -> list[Array]:
    """Return T_world_body of all bodies, as a viewer works them out; the last is the world's."""
    poses = []
    for place, turn in zip(frame.places, frame.turns, strict=True):
        pose = np.eye(4)
        pose[:3, :3] = rotation_from_quaternion(turn / TURN)
        pose[:3, 3] = place
        poses.append(pose)
    return [*poses, np.eye(4)]


def where(solid: ViewedSolid, poses: Sequence[Array]) -> tuple[Array, Array, float]:
    """Return middle, direction of the z axis, and length of a solid in the world."""
    body = poses[solid.body]
    direction = body[:3, :3] @ rotation_from_quaternion(np.array(solid.quaternion))[:, 2]
    if solid.stretch is None:
        middle = body[:3, :3] @ np.array(solid.position) + body[:3, 3]
        return middle, direction, solid.size[2]
    other = poses[solid.stretch.body]
    start = body[:3, :3] @ np.array(solid.stretch.start) + body[:3, 3]
    end = other[:3, :3] @ np.array(solid.stretch.end) + other[:3, 3]
    return (start + end) / 2, direction, float(np.linalg.norm(end - start))


def assert_same(
    seen: Sequence[ViewedSolid], drawn: Sequence[Solid], poses: Sequence[Array], near: float
) -> None:
    """Compare solids with those of a picture, in the same order."""
    assert [solid.kind for solid in seen] == [solid.kind for solid in drawn]
    for one, other in zip(seen, drawn, strict=True):
        assert one.colour == colour_text(other.colour)
        assert one.alpha == pytest.approx(other.alpha)
        if other.mesh is not None:
            body = poses[one.body]
            corners = np.array(one.triangles).reshape(-1, 3, 3)
            placed = corners @ body[:3, :3].T + body[:3, 3]
            np.testing.assert_allclose(placed, other.mesh, atol=near)
            continue
        middle, direction, length = where(one, poses)
        np.testing.assert_allclose(middle, other.pose[:3, 3], atol=near)
        assert length == pytest.approx(other.size[2], abs=near)
        if one.kind in {"box", "cylinder"}:
            np.testing.assert_allclose(direction, other.pose[:3, 2], atol=1e-3)


@pytest.mark.parametrize("cell", ["pick_and_place", "tripod", "handover", "sorting"])
def test_a_running_cell_is_shown_as_pictures_show_it(cell: str) -> None:
    with aw.World.load(cell) as world:
        feed = WorldFeed(world)
        moments = Moments(world)
        for _ in range(3):
            world.run(seconds=0.7)
            feed.take()
            poses = body_poses(feed.frame())
            robots, _ = drawn_robots(world.scene)
            drawn = CellPicture(world.scene, robots).solids(moments.now())
            things = len(world.scene.things)
            belts = [body for body in world.scene.obstacles if isinstance(body, Conveyor)]
            marks = sum(len(belt_marks(belt, 0.0)) for belt in belts)
            solids = feed.geometry.solids
            assert_same(solids[:things], drawn[:things], poses, 3e-4)
            seen = [solid for solid in solids if solid.role == "robot"]
            assert_same(seen, drawn[things : len(drawn) - marks], poses, 3e-4)
            still = [solid for solid in solids if solid.role not in {"thing", "robot"}]
            assert_same(still, still_solids(world.scene), poses, 1e-5)


SLIDING = {"cartesian", "planar_tt", "articulated", "kr16_rail"}
ARMS = [name for name in aw.library() if name not in SLIDING]


@pytest.mark.parametrize("name", ARMS)
def test_every_link_carries_its_own_solids(name: str) -> None:
    arm = aw.load(name)
    robot, members = DrawnRobot(arm), mechanism(arm)
    builder = GeometryBuilder()
    builder.add_robot(MountedRobot("robot 0", robot, members, ()))
    names = [members.members[index].name for index in members.motors]
    near = 0.08 if members.sources else 0.3
    draw, compared = np.random.default_rng(4), 0
    middle = np.array([np.clip(members.members[i].limits, -1, 1).mean() for i in members.motors])
    middle = members.rest() if members.sources else middle
    for _ in range(30):
        values = middle + draw.uniform(-near, near, len(names))
        low, high = np.array([members.members[index].limits for index in members.motors]).T
        values = np.clip(values, low, high)
        try:
            poses = [*members.poses(members.start(values)), np.eye(4)]
        except aw.errors.UnsupportedError:
            continue
        given = dict(zip(names, values.tolist(), strict=True))
        drawn = robot_solids(robot, given, rods=False)
        if len(drawn) != len(builder.solids) or any(one.mesh is not None for one in drawn):
            continue  # symbols moved apart, or plates whose corners come in another order
        compared += 1
        assert_same(builder.solids, drawn, poses, 1e-5)
    assert compared or any(solid.triangles for solid in builder.solids)


def test_every_motor_has_a_symbol() -> None:
    with aw.World.load("pick_and_place") as world:
        geometry = WorldFeed(world).geometry
        shown = {solid.motor for solid in geometry.solids} - {-1}
        names = {geometry.motors[number].name for number in shown}
        assert names >= {joint for joint in world.robots[0].motors if not joint.startswith("jaw")}


def test_bodies_know_their_owner_and_parent() -> None:
    with aw.World.load("handover") as world:
        geometry = WorldFeed(world).geometry
        things = len(world.scene.things)
        assert [body.owner for body in geometry.bodies[:things]] == list(world.objects)
        assert {body.owner for body in geometry.bodies[things:]} == {"robot 0", "robot 1"}
        for number, body in enumerate(geometry.bodies):
            assert body.parent < number
            if body.parent >= 0:
                assert geometry.bodies[body.parent].owner == body.owner


def test_marks_of_a_belt_lie_where_pictures_draw_them() -> None:
    scene = parse_scene(BELT)
    builder = GeometryBuilder()
    builder.add_scene(scene)
    (belt,) = builder.belts
    (conveyor,) = (body for body in scene.obstacles if isinstance(body, Conveyor))
    mark = np.array(belt.triangles).reshape(-1, 3, 3)
    for travel in (0.0, 0.1, 0.37, 5.0):
        drawn = belt_marks(conveyor, travel)
        places = travel % belt.pitch + belt.pitch * np.arange(-1, 20)
        shown = [p for p in places if belt.half <= p <= 2 * belt.middle - belt.half]
        assert abs(len(shown) - len(drawn)) <= 1
        for place in shown:
            moved = mark + (place - belt.middle) * np.array(belt.way)
            assert min(np.abs(moved - one.mesh).max() for one in drawn if one.mesh is not None) < (
                1e-5
            )


def test_the_floor_has_its_picture() -> None:
    with aw.World.load("sorting") as world:
        geometry: ViewedGeometry = WorldFeed(world).geometry
        assert geometry.floor is not None
        assert geometry.floor.picture.startswith("iVBOR")  # what a PNG begins with
        assert geometry.floor.low < geometry.floor.high
        assert geometry.title == "sorting"
