"""Solids of scenes in the engine: meshes with notches, cones, slopes without thickness."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from mobile_scenes import Script

from armwerk.errors import DescriptionError
from armwerk.geometry import Cone, HalfSpace, Mesh, transform
from armwerk.mobile import (
    DistanceSensor,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    WheelSpeeds,
)
from armwerk.mobile.physical.masses import mass_properties


def horseshoe() -> Mesh:
    """Return walls around three sides of a square, in one mesh: nothing convex about it."""
    parts = [
        trimesh.creation.box((1.0, 0.1, 0.2), transform(None, (0.0, 0.45, 0.1))),
        trimesh.creation.box((1.0, 0.1, 0.2), transform(None, (0.0, -0.45, 0.1))),
        trimesh.creation.box((0.1, 0.8, 0.2), transform(None, (0.45, 0.0, 0.1))),
    ]
    whole = trimesh.util.concatenate(parts)
    return Mesh(whole.vertices, whole.faces)


def test_a_robot_drives_into_the_hollow_of_a_mesh_and_stops_at_its_end() -> None:
    walls = MobileBody("walls", (horseshoe(),), kind="immovable")
    eye = DistanceSensor("eye", transform(None, (0.03, 0.0, 0.012)), 2.0)
    robot = MobileRobot("it", pose=transform(None, (-0.4, 0.0, 0.0)), sensors=(eye,))
    program = Script(lambda senses: WheelSpeeds(0.3, 0.3))
    world = MobileWorld(MobileScene(bodies=(walls,), robots=(robot,)), {"it": program})
    assert world.engine.distances("it") == pytest.approx([0.4 + 0.4 - 0.03], abs=1e-6)
    world.run(4.0)
    assert 0.3 < world.pose("it")[0, 3] < 0.4
    assert [event.kind for event in world.events] == ["collision"]


def test_a_landscape_without_thickness_carries_a_robot_uphill() -> None:
    rise = math.radians(8.0)
    end = (2.0, 2.0 * math.tan(rise))
    vertices = [
        (-1, -1, 0), (0, -1, 0), (0, 1, 0), (-1, 1, 0),
        (end[0], -1, end[1]), (end[0], 1, end[1]),
    ]  # fmt: skip
    faces = [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]
    hill = MobileBody("hill", (Mesh(vertices, faces),), kind="immovable", friction=1.0)
    robot = MobileRobot("it", pose=transform(None, (-0.5, 0.0, 0.0)))
    program = Script(lambda senses: WheelSpeeds(0.2, 0.2))
    world = MobileWorld(MobileScene(bodies=(hill,), robots=(robot,), floor=False), {"it": program})
    world.run(6.0)
    x, _, z = world.pose("it")[:3, 3]
    assert x > 0.4
    assert z == pytest.approx(x * math.tan(rise), abs=1e-3)
    assert math.asin(float(world.pose("it")[2, 0])) == pytest.approx(rise, abs=0.01)


def test_cones_weigh_what_they_should_and_stand() -> None:
    cone = Cone(0.05, 0.1, 0.0, (0.0, 0.0, 0.05))
    weight = mass_properties("cone", (cone,), None, 1000.0)
    assert weight.mass == pytest.approx(1000.0 * cone.volume, rel=0.01)
    assert weight.main[2, 3] == pytest.approx(0.025, rel=0.01)  # a quarter of its height
    world = MobileWorld(MobileScene(bodies=(MobileBody("cone", (cone,)),)))
    world.run(1.0)
    assert np.abs(world.pose("cone") - np.eye(4)).max() < 1e-3


def test_what_has_no_thickness_or_no_end_cannot_move() -> None:
    flat = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    with pytest.raises(DescriptionError, match="has no thickness"):
        MobileWorld(MobileScene(bodies=(MobileBody("flat", (flat,)),)))
    with pytest.raises(DescriptionError, match="cannot move"):
        MobileWorld(MobileScene(bodies=(MobileBody("endless", (HalfSpace(),)),)))


def test_a_hull_below_the_wheels_is_refused() -> None:
    low = Cone(0.03, 0.05, 0.0, (0.0, 0.0, 0.02))
    with pytest.raises(DescriptionError, match="robot 'it': its hull reaches below its wheels"):
        MobileWorld(MobileScene(robots=(MobileRobot("it", solids=(low,)),)))
