"""The closed form behind `armwerk.model`, for arms of the library."""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.runtime.kinematics import wrapped
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.mechanics import SerialModel


@pytest.fixture(scope="module")
def puma() -> SerialModel:
    return aw.model("puma560")


def random_joints(model: SerialModel, count: int, seed: int = 0) -> Array:
    draw = np.random.default_rng(seed)
    return draw.uniform(-math.pi, math.pi, (count, model.dof))


def test_the_preferred_way_is_the_closed_one(puma: SerialModel) -> None:
    assert puma.method == "closed"
    assert aw.model("xarm6").method == "general"
    with pytest.raises(UnsupportedError, match="use ik='numeric' instead"):
        aw.model("xarm6", ik="closed")


def test_a_pose_passes_few_files(puma: SerialModel) -> None:
    T = puma.fk(np.array([0.1, 0.5, -1.2, 0.3, 0.8, 0.2]))
    puma.ik(T)
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            passed.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        puma.ik(T)
    finally:
        sys.setprofile(before)
    passed.discard(__file__)
    assert 2 <= len(passed) <= 6, passed


def test_one_pose_and_many_agree(puma: SerialModel) -> None:
    q = random_joints(puma, 50)
    poses = puma.fk(q)
    solutions, counts = puma.ik_batch(poses)
    assert solutions.shape == (50, 8, 6)
    for row, pose, many, count in zip(q, poses, solutions, counts, strict=True):
        found = puma.ik(pose)
        assert np.allclose(found, many[:count], atol=1e-9)
        assert np.abs(wrapped(found - row)).max(axis=1).min() < 1e-6
        assert np.abs(puma.fk(found) - pose).max() < 1e-9


def test_closed_and_numeric_way_find_the_same(puma: SerialModel) -> None:
    numeric = aw.model("puma560", ik="numeric")
    for pose in puma.fk(random_joints(puma, 5, seed=1)):
        one, two = puma.ik(pose), numeric.ik(pose)
        for row in two:
            assert np.abs(wrapped(one - row)).max(axis=1).min() < 1e-6


def test_limits_nearest_and_reasons(puma: SerialModel) -> None:
    limits = puma.arm.limits
    q = np.random.default_rng(2).uniform(limits[:, 0], limits[:, 1], (20, 6))
    for row, pose in zip(q, puma.fk(q), strict=True):
        near = puma.ik_nearest(pose, row)
        assert near is not None
        assert np.abs(near - row).max() < 1e-6
        inside = puma.ik(pose, within_limits=True)
        assert len(inside) >= 1
        assert ((inside >= limits[:, 0]) & (inside <= limits[:, 1])).all()
        solution = puma.solve(pose, row)
        assert solution.success
        assert solution.method == "closed"
    far = puma.fk(q[0])
    far[:3, 3] += 9.0
    assert puma.ik(far).shape == (0, 6)
    assert puma.ik_nearest(far, q[0]) is None
    assert "out of reach" in puma.solve(far).reason


def test_position_without_orientation_is_left_to_numbers(puma: SerialModel) -> None:
    point = puma.fk(np.full(6, 0.3))[:3, 3]
    q = puma.ik_position(point)
    assert q is not None
    assert np.abs(puma.fk(q)[:3, 3] - point).max() < 1e-9


def test_wrong_arguments_are_refused(puma: SerialModel) -> None:
    poses: tuple[Any, ...] = (np.eye(3), np.full((4, 4), math.nan), "pose")
    for wrong in poses:
        with pytest.raises(ShapeError, match=r"shape|finite|numbers"):
            puma.ik(wrong)


def test_redundant_arm_gives_some_of_many() -> None:
    model = aw.model("iiwa7")
    limits = model.arm.limits
    q = np.random.default_rng(3).uniform(limits[:, 0], limits[:, 1], (10, 7))
    poses = model.fk(q)
    solutions, counts = model.ik_batch(poses)
    assert (counts > 0).all()
    for k, (row, pose) in enumerate(zip(q, poses, strict=True)):
        found = model.ik(pose)
        assert np.allclose(found, solutions[k, : counts[k]])
        assert np.abs(model.fk(found) - pose).max() < 1e-9
        near = model.ik_nearest(pose, row)
        assert near is not None
        assert np.abs(near - row).max() < 1e-6
