"""Inverse kinematics: hard poses, limits, redundancy, and what the three ways have in common."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest

from arm_witness import PinArm, pose_gap, random_joints
from armwerk.arrays import Array
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.mechanics import SerialModel
from armwerk.mechanics.inverse import InverseMethod
from armwerk.robot import Arm, Joint, load, load_arm

METHODS: list[InverseMethod] = ["numeric", "jacobian", "simplex"]


@pytest.fixture(scope="module")
def puma() -> SerialModel:
    return SerialModel(load("puma560"), "numeric")


def assert_solves(model: SerialModel, q: Array, T: Array) -> None:
    assert max(pose_gap(PinArm(model.arm).fk(q), T)) < 2e-9
    low, high = model.arm.limits.T
    assert (q >= low).all()
    assert (q <= high).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "iiwa7", "five_axis"])
def test_every_way_finds_a_pose_from_nearby(name: str, method: InverseMethod) -> None:
    model = SerialModel(load_arm(name), method)
    low, high = model.chain.ranges().T
    rng = np.random.default_rng(3)
    for share in (0.3, 0.45, 0.6):
        q = low + share * (high - low)
        start = np.clip(q + rng.uniform(-0.1, 0.1, model.dof) * (high - low) / 6, low, high)
        T = model.fk(q)
        answer = model.solve(T, start)
        assert answer
        assert answer.method == method
        assert answer.reason == "solved"
        assert answer.iterations > 0
        assert_solves(model, answer.q, T)
        near = model.ik_nearest(T, start)
        assert near is not None
        assert_solves(model, near, T)


@pytest.mark.parametrize("method", ["jacobian", "simplex"])
def test_the_simple_ways_return_only_right_solutions(method: InverseMethod) -> None:
    model = SerialModel(load("scara"), method)
    T = model.fk([0.4, 0.9, 0.1, -0.3])
    solutions = model.ik(T)
    assert len(solutions) == 2
    np.testing.assert_allclose(model.fk(solutions), [T, T], rtol=0, atol=1e-8)
    assert model.ik_batch([T, T])[1].tolist() == [2, 2]


@pytest.mark.parametrize("method", METHODS)
def test_out_of_reach_is_an_empty_answer_with_a_reason(method: InverseMethod) -> None:
    model = SerialModel(load("puma560"), method)
    T = np.eye(4)
    T[0, 3] = 5.0
    assert model.ik_nearest(T, np.zeros(6)) is None
    answer = model.solve(T)
    assert not answer
    assert "out of reach" in answer.reason
    assert 3.0 < answer.residual_position < 5.0, "the reason tells how far"
    assert answer.restarts > 0
    if method == "numeric":
        assert model.ik(T).shape == (0, 6)
        solutions, counts = model.ik_batch([T, model.fk(np.full(6, 0.3))])
        assert counts.tolist() == [0, 8]
        assert np.isnan(solutions[0]).all()


def test_a_way_can_be_chosen_for_one_call(puma: SerialModel) -> None:
    T = puma.fk(np.full(6, 0.3))
    assert puma.solve(T, np.full(6, 0.2), method="simplex").method == "simplex"
    assert puma.solve(T).method == "numeric"
    with pytest.raises(UnknownNameError, match="inverse method"):
        puma.solve(T, method="guess")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="'pose' or 'position'"):
        puma.solve(T, task="rotation")  # type: ignore[arg-type]


def test_all_eight_solutions_of_a_puma_are_found(puma: SerialModel) -> None:
    poses = puma.fk(random_joints(puma.arm, 40, seed=8))
    _, counts = puma.ik_batch(poses)
    assert (counts == 8).mean() > 0.9


def test_solutions_within_limits_are_those_of_all_that_fit(puma: SerialModel) -> None:
    low, high = puma.arm.limits.T
    for T in puma.fk(random_joints(puma.arm, 10, seed=9)):
        inside = puma.ik(T, within_limits=True)
        assert len(inside) >= 1
        assert (inside >= low).all()
        assert (inside <= high).all()
        everything = puma.ik(T)
        turns = everything[:, None] + 2 * pi * np.arange(-1, 2)[:, None]
        fits = ((turns >= low) & (turns <= high)).any(axis=1).all(axis=1)
        assert len(inside) == fits.sum()


SINGULAR = {
    "wrist": [0.3, 0.5, -0.4, 0.7, 0.0, -0.2],
    "stretched elbow": [0.3, 0.5, -np.arctan2(0.4318, 0.0203), 0.7, 0.4, -0.2],
    "wrist over the first axis": [0.3, 0.7583051185775614, 0.1, 0.7, 0.4, -0.2],
    "all zero": [0.0] * 6,
    "right angles": [pi / 2, 0.0, -pi / 2, 0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("case", SINGULAR)
def test_singular_poses_are_solved(puma: SerialModel, case: str) -> None:
    q = np.array(SINGULAR[case])
    assert puma.manipulability(q) < 1e-12
    T = puma.fk(q)
    for start in (None, np.zeros(6), q + 0.05):
        answer = puma.solve(T, start)
        assert answer, answer.reason
        assert_solves(puma, answer.q, T)
    near = puma.ik_nearest(T, q)
    assert near is not None
    assert np.abs(near - q).max() < 1e-4, "standing there, there is nowhere to go"
    assert len(puma.ik(T)) >= 1


def test_at_a_wrist_singularity_the_nearest_of_infinitely_many_is_taken(puma: SerialModel) -> None:
    """With q5 = 0 only q4 + q6 counts; the nearest pair to (a, b) with sum s is known."""
    T = puma.fk([0.3, 0.5, -0.4, 0.8, 0.0, 0.4])
    start = np.array([0.3, 0.5, -0.4, 0.5, 0.0, 0.5])
    near = puma.ik_nearest(T, start)
    assert near is not None
    np.testing.assert_allclose(near, [0.3, 0.5, -0.4, 0.6, 0.0, 0.6], atol=1e-4)


def test_a_pose_at_the_rim_of_the_reach_is_found_and_one_beyond_is_not() -> None:
    arm = Arm.from_dh(
        [Joint("revolute", a=0.5), Joint("revolute", a=0.5), Joint("revolute", a=0.1)]
    )
    model = SerialModel(arm, "numeric")
    rim = model.fk([0.4, 0.0, 0.0])
    answer = model.solve(rim)
    assert answer, answer.reason
    rim[0, 3] += 1e-6
    beyond = model.solve(rim)
    assert not beyond
    assert beyond.residual_position == pytest.approx(1e-6, rel=0.2)


def test_limits_that_exclude_every_solution_are_named() -> None:
    limits = [(-3, 3), (0.2, 2.0)]
    arm = Arm.from_dh([Joint("revolute", a=1.0, limits=limit) for limit in limits], name="bent")
    model = SerialModel(arm, "numeric")
    T = model.fk([0.3, -1.0])
    answer = model.solve(T)
    assert not answer
    assert answer.reason.startswith(
        "solutions were found only outside the joint limits: joint 'q2'"
    )
    assert "-1 rad (allowed: 0.2 to 2 rad)" in answer.reason
    assert model.ik_nearest(T, [0.3, 0.2]) is None
    assert model.ik(T, within_limits=True).shape == (0, 2)
    np.testing.assert_allclose(model.ik(T), [[0.3, -1.0]], atol=1e-9)


def test_full_turns_are_used_within_limits() -> None:
    arm = Arm.from_dh(
        [
            Joint("revolute", a=1.0, limits=(-4 * pi, 4 * pi)),
            Joint("revolute", a=1.0, limits=(0.0, 2 * pi)),
            Joint("revolute", a=1.0),
        ]
    )
    model = SerialModel(arm, "numeric")
    T = model.fk([0.5, -1.0, 0.3])
    near = model.ik_nearest(T, [0.4 + 2 * pi, 5.0, 0.2 - 6 * pi])
    assert near is not None
    np.testing.assert_allclose(near, [0.5 + 2 * pi, 2 * pi - 1.0, 0.3 - 6 * pi], atol=1e-9)


def test_angles_are_wrapped_to_the_half_open_turn() -> None:
    arm = Arm.from_dh([Joint("revolute", a=1.0)])
    model = SerialModel(arm, "numeric")
    solutions = model.ik(model.fk([-pi]))
    assert solutions.shape == (1, 1)
    assert abs(abs(solutions[0, 0]) - pi) < 1e-9


@pytest.mark.parametrize("name", ["iiwa7", "panda", "gen3"])
def test_redundant_arms_stay_as_close_as_their_self_motion_allows(name: str) -> None:
    model = SerialModel(load_arm(name), "numeric")
    low, high = model.arm.limits.T
    rng = np.random.default_rng(4)
    for q in random_joints(model.arm, 10, seed=5):
        start = np.clip(q + rng.normal(0, 0.05, 7), low, high)
        T = model.fk(q)
        near = model.ik_nearest(T, start)
        assert near is not None
        assert_solves(model, near, T)
        assert np.linalg.norm(near - start) <= np.linalg.norm(q - start) + 1e-9
        # what is left of the way to the start cannot be walked without moving the tool
        free = (near > low + 1e-9) & (near < high - 1e-9)
        J = model.jacobian(near)[:, free]
        left = (start - near)[free]
        along = left - np.linalg.pinv(J) @ (J @ left)
        assert np.linalg.norm(along) < 1e-5


def test_a_redundant_arm_that_is_already_there_stays(puma: SerialModel) -> None:
    model = SerialModel(load("iiwa7"), "numeric")
    q = random_joints(model.arm, 1, seed=11)[0]
    near = model.ik_nearest(model.fk(q), q)
    assert near is not None
    np.testing.assert_allclose(near, q, atol=1e-9)
    assert len(model.ik(model.fk(q))) == 8, "a handful of infinitely many"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["simple_arm", "planar_rr", "puma560"])
def test_a_position_alone_can_be_the_goal(name: str, method: InverseMethod) -> None:
    model = SerialModel(load_arm(name), method)
    low, high = model.chain.ranges().T
    q = low + 0.4 * (high - low)
    p = model.fk(q)[:3, 3]
    found = model.ik_position(p)
    assert found is not None
    np.testing.assert_allclose(model.fk(found)[:3, 3], p, atol=2e-9)
    near = model.ik_position(p, q)
    assert near is not None
    np.testing.assert_allclose(near, q, atol=1e-6)
    answer = model.solve(p, task="position")
    assert answer
    assert answer.residual_rotation == 0.0
    assert model.ik_position([9.0, 9.0, 9.0]) is None


def test_a_short_arm_solves_full_poses_it_can_take(puma: SerialModel) -> None:
    model = SerialModel(load("simple_arm"), "numeric")
    q = random_joints(model.arm, 1, seed=3)[0]
    T = model.fk(q)
    assert model.solve(T)
    T[:3, :3] = T[:3, :3] @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert not model.solve(T), "this orientation does not exist there"
    assert model.solve(T, task="position")


def test_a_rounded_pose_is_taken_for_the_nearest_rigid_one(puma: SerialModel) -> None:
    q = np.full(6, 0.4)
    T = np.round(puma.fk(q), 7)
    answer = puma.solve(T, q)
    assert answer
    np.testing.assert_allclose(puma.fk(answer.q), T, atol=2e-7)


def test_a_half_turn_away_is_no_dead_end() -> None:
    """The rotation error at exactly π has no antisymmetric part to find its axis from."""
    model = SerialModel(load("ur5e"), "numeric")
    q = np.array([0.3, -1.0, 1.2, -0.4, -1.1, 0.2])
    turned = q.copy()
    turned[5] += pi
    answer = model.solve(model.fk(turned), q)
    assert answer
    assert answer.restarts == 0


def test_the_same_question_gets_the_same_bits(puma: SerialModel) -> None:
    poses = puma.fk(random_joints(puma.arm, 20, seed=12))
    start = np.zeros(6)
    one: Any = [(puma.solve(T).q, puma.ik_nearest(T, start)) for T in poses]
    other = SerialModel(load("puma560"), "numeric")
    two: Any = [(other.solve(T).q, other.ik_nearest(T, start)) for T in poses]
    assert np.array_equal(one, two)
    assert np.array_equal(puma.ik_batch(poses)[0], other.ik_batch(poses)[0], equal_nan=True)
    first, count = puma.ik_batch(poses[:1])
    assert np.array_equal(first[0, : count[0]], puma.ik(poses[0]))
