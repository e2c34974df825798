"""Every solution of every closed-form arm: found, right, distinct, and counted twice.

Ten thousand random poses for each arm of the library that has a closed form. The compiled solver
is held against the configuration the pose came from, against direct kinematics, against the
number of solutions that twists find by themselves, and against EAIK and ssik.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array, Flags
from armwerk.derivation.runtime import reference
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.mechanics.serial import SerialModel

POSES = 10_000
SAME = 1e-6  # [rad], [m]: two solutions closer than this are one
NEAR_SINGULAR = 1e-5  # poses with so small a singular value may merge two solutions
SERIAL = [  # coupled joints: tests/mechanics/test_coupled.py
    name for name in aw.library() if isinstance(arm := aw.load(name), aw.Arm) and not arm.is_coupled
]
REDUNDANT = ["iiwa7", "kr16_rail", "panda"]
CLOSED = [n for n in SERIAL if n not in {"gen3", "xarm6", *REDUNDANT}]
SIX_TURNING = [n for n in CLOSED if aw.load_arm(n).structure == "RRRRRR"]


@functools.cache
def model_of(name: str) -> SerialModel:
    return aw.model(aw.load_arm(name), ik="closed")


def turning(arm: aw.Arm) -> Flags:
    return np.array([joint.kind == "revolute" for joint in arm.moving])


@functools.cache
def problems(name: str, count: int = POSES) -> tuple[Array, Array]:
    """Joint values all the way round, and their poses."""
    model = model_of(name)
    draw = np.random.default_rng(len(name) * 1000 + count)
    angles = draw.uniform(-np.pi, np.pi, (count, model.dof))
    joints = np.where(turning(model.arm), angles, draw.uniform(0.1, 0.6, angles.shape))
    return joints, model.fk(joints)


def gaps(one: Array, two: Array, turns: Flags) -> Array:
    """Largest joint difference, angles modulo a full turn; nan stays nan."""
    difference = np.abs(one - two)
    wrapped = np.where(turns, np.minimum(difference, 2 * np.pi - difference), difference)
    largest: Array = wrapped.max(axis=-1)
    return largest


@pytest.mark.parametrize("name", CLOSED)
def test_found_right_and_distinct(name: str) -> None:
    model = model_of(name)
    turns = turning(model.arm)
    joints, poses = problems(name)
    found, counts = model.ik_batch(poses)
    assert (counts >= 1).all()
    distance = np.nanmin(
        np.where(np.isnan(found[..., 0]), np.nan, gaps(found, joints[:, None], turns)), axis=1
    )
    assert distance.max() < SAME
    used = np.arange(found.shape[1]) < counts[:, None]
    reached = model.fk(found[used])
    wanted = np.repeat(poses, counts, axis=0)
    assert np.linalg.norm(reached[:, :3, 3] - wanted[:, :3, 3], axis=1).max() <= 1e-9
    turned = np.linalg.norm(reached[:, :3, :3] - wanted[:, :3, :3], axis=(1, 2)) / np.sqrt(2)
    assert turned.max() <= 1e-9
    for i in range(found.shape[1]):
        for j in range(i):
            both = used[:, i]
            assert gaps(found[both, i], found[both, j], turns).min(initial=9.0) > SAME
    assert (np.abs(found[used][:, turns]) <= np.pi).all()


@pytest.mark.parametrize("name", REDUNDANT)
def test_redundant_arms_reach_what_they_reached(name: str) -> None:
    model = model_of(name)
    joints, poses = problems(name)
    found, counts = model.ik_batch(poses)
    assert (counts >= 1).all()
    reached = model.fk(found[:, 0])
    assert np.abs(reached - poses).max() <= 1e-9
    closed = aw.derive(name).compiled_inverse()
    chosen = [joint - 1 for joint in closed.given]
    for q, pose in zip(joints[:1000], poses[:1000], strict=True):
        assert gaps(closed.all(pose, q[chosen]), q, turning(model.arm)).min() < SAME


@pytest.mark.parametrize("name", CLOSED)
def test_twists_count_the_same(name: str) -> None:
    model = model_of(name)
    _, poses = problems(name)
    _, counts = model.ik_batch(poses)
    inverse = aw.derive(name, method="twists").inverse
    assert inverse.method == "twists"
    assert inverse.program is not None
    other = reference.solve(kinematics(model.arm), inverse.program, poses)
    turns = turning(model.arm)
    differing = 0
    for k, rows in enumerate(other):
        if len(_distinct(rows, turns)) != counts[k]:
            differing += 1
            smallest = np.linalg.svd(model.jacobian(model.ik(poses[k])), compute_uv=False)
            assert smallest[..., min(6, model.dof) - 1].min() < NEAR_SINGULAR
    assert differing <= 2


@pytest.mark.parametrize("name", SIX_TURNING)
def test_eaik_finds_nothing_else(name: str) -> None:
    from eaik.IK_DH import DhRobot

    arm = model_of(name).arm
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.moving])
    robot = DhRobot(*rows.T)
    if not robot.hasKnownDecomposition():
        pytest.fail(f"EAIK does not know {name}")
    _hold_against(name, lambda pose: _exact_eaik(robot.IK(pose)), robot.fwdKin)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "irb140", "kr6_r900", "typ1"])
def test_ssik_finds_nothing_else(name: str) -> None:
    from ssik import Manipulator

    arm = model_of(name).arm
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.moving])
    robot = Manipulator.from_dh(*rows.T)

    def solve(pose: Array) -> Array:
        found = robot.solve(pose, respect_limits=False, enumerate_windings=False)
        return np.array([solution.q for solution in found]).reshape(-1, 6)

    _hold_against(name, solve, robot.fk, count=40)


def _hold_against(
    name: str, solve: Callable[[Array], Array], direct: Callable[[Array], Array], count: int = 300
) -> None:
    """Their solutions are among ours; ours are theirs but for the few that peers miss.

    The peers know no joint offsets, which only shift the zero of a joint: left out for both.
    """
    joints = [aw.Joint("revolute", d=j.d, a=j.a, alpha=j.alpha) for j in model_of(name).arm.moving]
    bare = aw.Arm.from_dh(joints)
    numbers, program = kinematics(bare), aw.derive(bare).inverse.program
    assert program is not None
    turns = np.ones(6, dtype=bool)
    draw = np.random.default_rng(7)
    angles = draw.uniform(-np.pi, np.pi, (count, 6))
    poses = np.array([direct(q) for q in angles])
    assert np.abs(poses - numbers.pose(angles)).max() < 1e-9
    missed = 0
    for pose, found in zip(poses, reference.solve(numbers, program, poses), strict=True):
        ours, theirs = _distinct(found, turns), _distinct(solve(pose), turns)
        for row in theirs:
            assert gaps(np.array(ours), row, turns).min() < SAME
        missed += len(ours) - len(theirs)
        assert len(ours) >= len(theirs)
    assert missed <= 0.05 * 8 * count


def _exact_eaik(solutions: Any) -> Array:
    return np.array(
        [q for q, rough in zip(solutions.Q, solutions.is_LS, strict=True) if not rough]
    ).reshape(-1, 6)


def _distinct(rows: Array, turns: Flags) -> list[Array]:
    kept: list[Array] = []
    for row in rows:
        if not kept or gaps(np.array(kept), row, turns).min() > SAME:
            kept.append(row)
    return kept


def test_six_joints_that_are_one_too_many_claim_no_proof() -> None:
    half = np.pi / 2
    rows = [
        ("revolute", 0.39, 0.0, np.pi),
        ("prismatic", 0.56, 0.0, -half),
        ("revolute", 0.0, 0.0, 0.255),
        ("revolute", 0.0, 0.0, -0.638),
        ("revolute", 0.0, 0.523, -half),
        ("prismatic", 0.327, 0.506, -half),
    ]
    arm = aw.Arm.from_dh(
        [
            aw.Joint(kind, d=d, a=a, alpha=alpha, limits=(-1.0, 1.0))  # type: ignore[arg-type]
            for kind, d, a, alpha in rows
        ]
    )
    model = aw.model(arm)
    pose = model.fk([-0.19, -0.24, 0.74, 0.65, 0.65, 0.17])
    known = model.solutions(pose)
    assert len(known.joints) > 0
    assert np.abs(model.fk(known.joints) - pose).max() < 1e-9
    assert not known.proved
    assert known.family == (1, 3, 4, 5)
