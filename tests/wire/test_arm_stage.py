"""An arm on its own: its bodies stand where its model says, among the bodies of a table."""

from __future__ import annotations

import base64

import numpy as np
import pytest

import armwerk as aw
from armwerk.collision.body import Body, Region
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Sphere
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.robot import library, load
from armwerk.wire import ArmStage


def configurations(limits: np.ndarray, count: int) -> np.ndarray:
    low, high = np.clip(limits, -2.0, 2.0).T
    return np.random.default_rng(3).uniform(low, high, (count, len(low)))


@pytest.mark.parametrize("name", ["ur5e", "scara", "five_axis", "planar_tt", "puma560"])
def test_the_last_body_carries_the_tool_of_the_model(name: str) -> None:
    arm = load(name)
    stage = ArmStage(arm)
    model = aw.model(arm)
    Q = np.vstack([configurations(np.array(model.limits), 20), stage.rest])
    hand = stage.mechanism.hand
    for row, pose in zip(Q, stage.poses(Q), strict=True):
        T = np.eye(4)
        T[:3, :3] = rotation_from_quaternion(pose[hand, 3:])
        T[:3, 3] = pose[hand, :3]
        np.testing.assert_allclose(T @ stage.mechanism.T_member_hand, model.fk(row), atol=1e-9)


@pytest.mark.parametrize("name", library())
def test_every_arm_of_the_library_can_be_staged(name: str) -> None:
    stage = ArmStage(load(name))
    poses = stage.poses(stage.rest[None])
    assert poses.shape == (1, len(stage.geometry.bodies), 7)
    assert np.isfinite(poses).all()
    assert len(stage.geometry.motors) == len(stage.rest)
    data = base64.b64decode(stage.packed(stage.rest[None]))
    np.testing.assert_allclose(np.frombuffer(data, "<f4"), poses.reshape(-1), atol=1e-6)


def test_a_closed_chain_stands_as_its_mechanism_does() -> None:
    stage = ArmStage(load("stewart"))
    (poses,) = stage.poses(stage.rest[None])
    frames = stage.mechanism.poses(stage.mechanism.start(stage.rest))
    np.testing.assert_allclose(poses[:, :3], [T[:3, 3] for T in frames], atol=1e-12)
    with pytest.raises(UnsupportedError, match="cannot stand"):
        stage.poses(stage.rest[None] + np.array([5.0, 0, 0, 0, 0, 0]))


def test_bodies_of_every_kind_are_seen_where_they_are() -> None:
    bodies: list[Body] = [
        Box((0.1, 0.2, 0.3), (0.5, 0.0, 0.15), name="box"),
        Sphere(0.1, (0.0, 0.6, 0.1), name="sphere"),
        Cylinder(0.05, 0.4, (-0.5, 0.0, 0.2), name="cylinder"),
        Capsule.between((0.3, 0.3, 0.1), (0.3, 0.3, 0.5), 0.04, name="capsule"),
        Cone(0.1, 0.3, 0.02, position=(0.0, -0.6, 0.15), name="cone"),
        HalfSpace((0, 0, 1), (0, 0, -0.1), name="floor"),
        Region(Box((3.0, 3.0, 3.0)), "cell"),
    ]
    geometry = ArmStage(load("ur5e"), aw.Bodies(bodies)).geometry
    seen = {solid.name: solid for solid in geometry.solids if solid.role == "obstacle"}
    assert set(seen) == {body.name for body in bodies}
    assert seen["box"].size == (0.1, 0.2, 0.3)
    corners = np.array(seen["cone"].triangles).reshape(-1, 3, 3)
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    np.testing.assert_allclose([low[2], high[2]], [0.0, 0.3], atol=1e-6)
    a, b, c = np.moveaxis(corners, 1, 0)
    middle = (a + b + c) / 3 - [0.0, -0.6, 0.15]
    assert (np.vecdot(np.cross(b - a, c - a), middle) > 0).all()
    assert seen["cell"].alpha < 0.5
    assert seen["floor"].alpha < 0.5
    assert len({solid.colour for solid in seen.values()}) == len(bodies)


def test_another_number_of_joints_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(m, 6\)"):
        ArmStage(load("ur5e")).poses(np.zeros((2, 5)))
