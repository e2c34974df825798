"""Poses at which an arm is singular: always a right solution, never an exception."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel

POSES = 200
CLOSED = [
    name
    for name in aw.library()
    if isinstance(aw.load(name), aw.Arm) and name not in {"gen3", "xarm6"}
]
pi = np.pi


@functools.cache
def model_of(name: str) -> SerialModel:
    return aw.model(aw.load_arm(name), ik="closed")


def random_joints(model: SerialModel, count: int, draw: np.random.Generator) -> Array:
    turns = np.array([joint.kind == "revolute" for joint in model.arm.moving])
    angles = draw.uniform(-pi, pi, (count, model.dof))
    return np.where(turns, angles, draw.uniform(0.1, 0.6, angles.shape))


def right_angles(model: SerialModel, draw: np.random.Generator) -> Array:
    """All angles are multiples of 90°."""
    joints = random_joints(model, POSES, draw)
    turns = [joint.kind == "revolute" for joint in model.arm.moving]
    joints[:, turns] = draw.integers(-1, 3, (POSES, sum(turns))) * (pi / 2)
    return joints


def straight_wrist(model: SerialModel, draw: np.random.Generator) -> Array:
    """The last joint but one is zero: on six axes, joint 5."""
    joints = random_joints(model, POSES, draw)
    joints[:, max(model.dof - 2, 0)] = 0.0
    return joints


def stretched(model: SerialModel, draw: np.random.Generator) -> Array:
    """The elbow is stretched: the wrist as far from the shoulder as joint 3 allows."""
    joints = random_joints(model, POSES, draw)
    elbow = min(2, model.dof - 1)
    if model.arm.moving[elbow].kind != "revolute":
        elbow = 1
    if model.arm.moving[elbow].kind != "revolute":
        return joints
    base = joints[0].copy()

    def nearness(angle: float) -> float:
        base[elbow] = angle
        frames = model.frames(base)
        return -float(np.linalg.norm(frames[_wrist(model), :3, 3] - frames[elbow, :3, 3]))

    best = min(
        (minimize_scalar(nearness, bounds=(a, a + pi / 2), method="bounded",
                         options={"xatol": 1e-14}) for a in np.arange(-pi, pi, pi / 2)),
        key=lambda found: found.fun,
    )  # fmt: skip
    joints[:, elbow] = best.x
    return joints


def over_the_base(model: SerialModel, draw: np.random.Generator) -> Array:
    """The wrist as near to the first axis as joints 2 and 3 allow."""
    joints = random_joints(model, POSES, draw)
    if model.dof < 3:
        return joints

    def distance(pair: Array, row: Array) -> float:
        q = row.copy()
        q[1:3] = pair
        frames = model.frames(q)
        axis, origin = frames[0, :3, 2], frames[0, :3, 3]
        return float(np.linalg.norm(np.cross(axis, frames[_wrist(model), :3, 3] - origin)))

    for row in joints[:20]:
        row[1:3] = minimize(
            distance, row[1:3], args=(row,), method="Nelder-Mead",
            options={"xatol": 1e-13, "fatol": 1e-15, "maxiter": 400},
        ).x  # fmt: skip
    joints[20:, 1:3] = np.repeat(joints[:20, 1:3], 9, axis=0)
    return joints


def _wrist(model: SerialModel) -> int:
    """Frame whose origin is the wrist, in front of the last joint."""
    return max(model.dof - 1, 1)


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("make", [right_angles, straight_wrist, stretched, over_the_base])
def test_a_right_solution_at_singular_poses(
    name: str, make: Callable[[SerialModel, np.random.Generator], Array]
) -> None:
    model = model_of(name)
    joints = make(model, np.random.default_rng(3))
    for pose in model.fk(joints):
        found = model.ik(pose)
        assert len(found) >= 1
        assert np.isfinite(found).all()
        reached = model.fk(found)
        assert np.linalg.norm(reached[:, :3, 3] - pose[:3, 3], axis=1).max() <= 1e-9
        turned = np.linalg.norm(reached[:, :3, :3] - pose[:3, :3], axis=(1, 2)) / np.sqrt(2)
        assert turned.max() <= 1e-9


def test_out_of_reach_is_no_solution_and_quick() -> None:
    model = model_of("puma560")
    far = np.eye(4)
    far[:3, 3] = 5.0, 0.0, 0.0
    assert model.ik(far).shape == (0, 6)
    assert model.ik_nearest(far, np.zeros(6)) is None
