"""Singular places: every solution once, however near its neighbour is.

At a fold two solutions meet: for the pose of q + t v, v the motion that is lost in the singular
configuration q, there is another solution near q - t v, and at t = 0 there is one. That is the law
the answers are held to; folds are found here where the determinant of the Jacobian changes sign.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array, Flags
from armwerk.mechanics import InverseMethod, SerialModel
from armwerk.mechanics.inverse.folds import PoseGoal
from armwerk.mechanics.inverse.interface import Task

STEP = 1e-3  # [rad] of a difference quotient
NEAR = 0.02  # [rad] around a fold


class Fold(NamedTuple):
    """A singular configuration and the motion that does not move the tool there."""

    q: Array
    lost: Array


def model_of(arm: aw.Arm | str, ik: InverseMethod = "pref") -> SerialModel:
    return aw.model(aw.load_arm(arm) if isinstance(arm, str) else arm, ik=ik)


def scaled(model: SerialModel, q: Array, task: Task) -> Array:
    """Return the square Jacobian of a part of the pose, lengths in scales."""
    J = model.jacobian(q) * np.where(model.chain.revolute, 1.0, model.chain.scale)
    J[:3] /= model.chain.scale
    if task == "position":
        return np.asarray(J[:3, :3])
    if task == "direction":
        return np.vstack([J[:3, :5], (model.fk(q)[:3, :2].T @ J[3:])[:, :5]])
    return np.asarray(J)


def folds(model: SerialModel, count: int, seed: int, task: Task = "pose") -> list[Fold]:
    """Return simple folds: one direction is lost, and the arm turns back there."""
    draw = np.random.default_rng(seed)
    units = np.where(model.chain.revolute, 1.0, model.chain.scale)
    found: list[Fold] = []
    while len(found) < count:
        low = draw.uniform(-np.pi, np.pi, model.dof) * units
        high = low + draw.normal(size=model.dof) * units
        below = np.linalg.det(scaled(model, low, task))
        if below * np.linalg.det(scaled(model, high, task)) > 0.0:
            continue
        for _ in range(60):
            q = 0.5 * (low + high)
            value = np.linalg.det(scaled(model, q, task))
            if below * value <= 0.0:
                high = q
            else:
                low, below = q, value
        U, S, Vt = np.linalg.svd(scaled(model, q, task))
        lost = np.zeros(model.dof)
        lost[: len(S)] = Vt[-1] * units[: len(S)]
        sizes = [
            U[:, -1] @ scaled(model, q + t * lost, task) @ Vt[-1] / STEP for t in (STEP, -STEP)
        ]
        if S[-2] > 0.05 and abs(sizes[0] - sizes[1]) > 0.1:
            found.append(Fold(q, lost))
    return found


def gaps(revolute: Flags, rows: Array, q: Array) -> Array:
    apart = np.where(revolute, np.angle(np.exp(1j * (rows - q))), rows - q)
    return np.asarray(np.abs(apart).max(axis=-1))


def meets(model: SerialModel, fold: Fold, t: float, task: Task = "pose") -> None:
    """Hold the solutions next to a fold against the law."""
    goal = model.fk(fold.q + t * fold.lost)
    joints = {"pose": 6, "direction": 5}.get(task, 3)
    answer = model.solutions(goal, fold.q, task)
    if answer.family:
        return
    revolute = model.chain.revolute[:joints]
    near = answer.joints[gaps(revolute, answer.joints[:, :joints], fold.q[:joints]) < NEAR]
    assert len(near) == (1 if t == 0.0 else 2), (fold, t, near)
    for side in (t, -t):
        wanted = (fold.q + side * fold.lost)[:joints]
        assert gaps(revolute, near[:, :joints], wanted).min() < 1e-7 + 0.05 * t + 30.0 * t * t
    own = (fold.q + t * fold.lost)[:joints]
    assert gaps(revolute, near[:, :joints], own).min() < 1e-7 + 1e-3 * t


def skew(seed: int, kinds: str) -> aw.Arm:
    draw = np.random.default_rng(seed)
    joints = []
    for kind in kinds:
        d, a, alpha, turn = draw.uniform(-0.5, 0.5, 4) * [1.0, 1.0, 4.0, 6.0]
        if kind == "R":
            joints.append(aw.Joint("revolute", d=d, a=a, alpha=alpha))
        else:
            joints.append(aw.Joint("prismatic", a=a, alpha=alpha, offset=turn))
    return aw.Arm.from_dh(joints, name=f"skew {seed} {kinds}")


@pytest.mark.parametrize("t", [1e-2, 1e-4, 1e-5, 2e-6, 0.0])
@pytest.mark.parametrize(
    ("arm", "ik"),
    [
        ("puma560", "closed"),
        ("puma560", "general"),
        ("ur5e", "closed"),
        ("ur5e", "general"),
        ("xarm6", "general"),
        (skew(1, "RRRRRR"), "general"),
        (skew(2, "RRTRRR"), "general"),
    ],
    ids=str,
)
def test_two_solutions_meet_at_a_fold(arm: aw.Arm | str, ik: InverseMethod, t: float) -> None:
    model = model_of(arm, ik=ik)
    for fold in folds(model, 8, 1):
        meets(model, fold, t)


@pytest.mark.parametrize("t", [1e-2, 1e-4, 1e-5, 0.0])
@pytest.mark.parametrize(
    ("arm", "task"),
    [("simple_arm", "position"), (skew(4, "RRRRR"), "direction")],
    ids=str,
)
def test_of_parts_of_a_pose_too(arm: aw.Arm | str, task: Task, t: float) -> None:
    model = model_of(arm)
    for fold in folds(model, 6, 2, task):
        meets(model, fold, t, task)


def between(model: SerialModel, pose: Array, one: Array, two: Array) -> float:
    """Return by how much the pose is missed half-way, the regular directions followed."""
    apart = np.where(model.chain.revolute, np.angle(np.exp(1j * (two - one))), two - one)
    q = one + 0.5 * apart
    for _ in range(6):
        here = model.fk(q)
        turn = pose[:3, :3] @ here[:3, :3].T
        skewed = 0.5 * np.array(
            [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        )
        error = np.concatenate([pose[:3, 3] - here[:3, 3], skewed])
        q = q + np.linalg.pinv(model.jacobian(q), rcond=1e-2) @ error
    return float(np.abs(error).max())


@pytest.mark.parametrize("ik", ["pref", "general"])
@pytest.mark.parametrize("name", ["xarm6", "ur5e", "ur10e", "puma560", "kr16", "stanford", "typ2"])
def test_no_copies_at_angles_that_people_type(name: str, ik: InverseMethod) -> None:
    """Two of a pose are two: half-way between them it is missed. In batches the same."""
    model = model_of(name, ik=ik)
    draw = np.random.default_rng(7)
    steps = np.repeat([[90.0], [45.0], [30.0]], 12, axis=0)
    angles = np.deg2rad(steps * np.floor(draw.uniform(-180.0 / steps, 180.0 / steps + 1, (36, 6))))
    angles[0] = 0.0
    joints = np.where(model.chain.revolute, angles, 0.1 * angles)
    poses = model.fk(joints)
    solutions, counts = model.ik_batch(poses)
    for pose, rows, count in zip(poses, solutions, counts, strict=True):
        answer = model.solutions(pose)
        if answer.family:
            continue
        assert len(answer) == count > 0
        for k in range(count):
            close = gaps(model.chain.revolute, rows[:k], rows[k]) < 0.03
            for other in rows[:k][close]:
                assert between(model, pose, rows[k], other) > 1e-14


def test_where_two_directions_are_lost() -> None:
    """Shoulder over the wrist and elbow folded at once: four solutions fall into one."""
    model = aw.model("ur10e", ik="general")
    q = np.deg2rad([-180.0, 90.0, 180.0, 90.0, 135.0, -180.0])
    found = model.ik(model.fk(q))
    assert (gaps(model.chain.revolute, found, q) < 0.05).sum() == 1
    assert len(found) == len(aw.model("ur10e").ik(model.fk(q))) == 3


def inward(model: SerialModel, fold: Fold, U: Array) -> float:
    """Return to which side of a fold the arm reaches, along the direction that is lost."""
    off = model.fk(fold.q + 0.01 * fold.lost)[:3, 3] - model.fk(fold.q)[:3, 3]
    return float(off @ U[:3])


@pytest.mark.parametrize("beyond", [1e-12, 1e-11, 1e-10])
def test_a_hair_beyond_the_reach_is_one_solution(beyond: float) -> None:
    """A stretched arm that misses by less than the tolerance holds the pose, once."""
    model = aw.model("puma560", ik="closed")
    for fold in folds(model, 4, 3):
        U = np.linalg.svd(model.jacobian(fold.q))[0][:, -1]
        if np.abs(U[3:]).max() > 1e-6:
            continue  # the direction that is lost is not one of the place
        for side in (1.0, -1.0):
            pose = model.fk(fold.q)
            pose[:3, 3] += side * beyond * U[:3]
            near = gaps(model.chain.revolute, model.ik(pose), fold.q) < NEAR
            assert near.sum() == (1 if side * inward(model, fold, U) < 0.0 else 2)


def test_half_a_turn_is_an_error() -> None:
    model = aw.model("ur5e", ik="general")
    q = np.array([0.3, -1.0, 0.7, 0.4, 0.9, 0.5])
    pose = model.fk(q)
    turned = q + np.array([0.0, 0.0, 0.0, 0.0, 0.0, np.pi])
    tasks: tuple[Task, ...] = ("pose", "direction")
    for task in tasks:
        goal = PoseGoal(model.chain, pose, task, 6)
        assert np.abs(goal.missed(q[None])).max() < 1e-12
        upside = pose.copy()
        upside[:3, 1:3] *= -1.0
        other = PoseGoal(model.chain, upside, task, 6)
        assert np.abs(other.missed(q[None])).max() > 1.0
    assert np.abs(PoseGoal(model.chain, pose, "pose", 6).missed(turned[None])).max() > 1.0
