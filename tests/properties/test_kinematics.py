"""Kinematics of every serial arm of the library against matrix products, pinocchio, differences."""

from __future__ import annotations

import numpy as np
import pytest

from arm_witness import frames_by_product, names, pin_arm, pose_gap, random_joints, serial_arms
from armwerk.mechanics import SerialModel

EPS = 1e-6


@pytest.mark.parametrize("name", names())
def test_pose_is_the_product_of_the_rows(name: str) -> None:
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    for q in random_joints(arm, 10):
        frames = frames_by_product(arm, q)
        np.testing.assert_allclose(model.fk(q), frames[-1], rtol=0, atol=1e-13)
        np.testing.assert_allclose(model.frames(q), frames, rtol=0, atol=1e-13)
        np.testing.assert_allclose(model.fk(q), pin_arm(name).fk(q), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", names())
def test_jacobian_is_the_derivative_of_the_pose(name: str) -> None:
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    for q in random_joints(arm, 5, seed=1):
        J = model.jacobian(q)
        np.testing.assert_allclose(J, pin_arm(name).jacobian(q), rtol=0, atol=1e-12)
        for i, unit in enumerate(np.eye(arm.dof)):
            ahead, behind = model.fk(q + EPS * unit), model.fk(q - EPS * unit)
            v = (ahead[:3, 3] - behind[:3, 3]) / (2 * EPS)
            spin = (ahead[:3, :3] - behind[:3, :3]) / (2 * EPS) @ model.fk(q)[:3, :3].T
            w = 0.5 * np.array(
                [spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]
            )
            np.testing.assert_allclose(J[:, i], [*v, *w], rtol=0, atol=2e-9)


@pytest.mark.parametrize("name", names())
def test_many_at_once_are_the_single_ones(name: str) -> None:
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    many = random_joints(arm, 7, seed=2)
    for method in (model.fk, model.frames, model.jacobian, model.manipulability):
        batch = method(many)
        assert len(batch) == 7
        for k, q in enumerate(many):
            assert np.array_equal(batch[k], method(q)), method
        assert np.array_equal(batch, method(many)), "the same call gives the same bits"


@pytest.mark.parametrize("name", names(6, 6))
def test_reachable_poses_of_six_axis_arms_are_found(name: str) -> None:
    """At least 99.9 % of the poses of random configurations; every answer is right."""
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    low, high = arm.limits.T
    count, found = 1000, 0
    poses = model.fk(random_joints(arm, count, seed=3))
    for k, T in enumerate(poses):
        answer = model.solve(T)
        found += answer.success
        assert answer.residual_position < 1e-9 or not answer.success
        if answer.success:
            assert (answer.q >= low).all()
            assert (answer.q <= high).all()
        if answer.success and k % 10 == 0:
            assert max(pose_gap(pin_arm(name).fk(answer.q), T)) < 2e-9
    assert found >= 0.999 * count


@pytest.mark.parametrize("name", names())
def test_every_solution_leads_back_to_the_pose(name: str) -> None:
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    wanted = random_joints(arm, 12, seed=4)
    poses = model.fk(wanted)
    solutions, counts = model.ik_batch(poses)
    assert (counts > 0).all()
    for q, T, rows, count in zip(wanted, poses, solutions, counts, strict=True):
        for solution in rows[:count]:
            assert max(pose_gap(pin_arm(name).fk(solution), T)) < 2e-9
            if arm.dof <= 6:
                angles = [
                    v for v, j in zip(solution, arm.moving, strict=True) if j.kind == "revolute"
                ]
                assert all(-np.pi < angle <= np.pi for angle in angles)
        assert np.isnan(rows[count:]).all()
        if arm.dof <= 6:
            assert _contains(rows[:count], q, arm), "the configuration the pose came from"


def _contains(solutions: np.ndarray, q: np.ndarray, arm: object) -> bool:
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])  # type: ignore[attr-defined]
    apart = solutions - q
    apart = np.where(turns, apart - 2 * np.pi * np.round(apart / (2 * np.pi)), apart)
    return bool((np.abs(apart).max(axis=1) < 1e-5).any())


@pytest.mark.parametrize("name", names())
def test_nearest_solution_is_within_limits_and_not_further_than_a_known_one(name: str) -> None:
    arm = serial_arms()[name]
    model = SerialModel(arm, "numeric")
    low, high = arm.limits.T
    known = random_joints(arm, 10, seed=5)
    starts = random_joints(arm, 10, seed=6)
    for q, start in zip(known, starts, strict=True):
        near = model.ik_nearest(model.fk(q), start)
        assert near is not None
        assert (near >= low).all()
        assert (near <= high).all()
        assert max(pose_gap(pin_arm(name).fk(near), model.fk(q))) < 2e-9
        weights = model.chain.metric
        away, known_away = (np.linalg.norm((x - start) * weights) for x in (near, q))
        assert away <= known_away + 1e-6 or arm.dof > 6
