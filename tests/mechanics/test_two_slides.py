"""Arms with four turns and two slides: every solution, and a flag that does not lie."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.chain import pack
from armwerk.mechanics.inverse.general import GeneralSolver
from armwerk.mechanics.inverse.two_slides import TwoSlides
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.kernels.search import collect_batch

KINDS = ["RRTTRR", "RTRRTR", "TRRRTR", "TTRRRR", "RTRTRR", "TRRRRT"]
REGULAR = 1e-3  # smallest singular value of the Jacobian at which a solution stands alone

HALF = np.pi / 2


def skew_arm(seed: int, kinds: str, neat: bool = False) -> aw.Arm:
    """Return an arm without structure; neat: most twists are multiples of 90°."""
    draw = np.random.default_rng(seed)
    joints = []
    for kind in kinds:
        d, a, alpha, turn = draw.uniform(-0.5, 0.5, 4) * [1.0, 1.0, 4.0, 6.0]
        if neat:
            alpha, turn = np.pi / 2 * draw.integers(-1, 2), np.pi / 2 * draw.integers(-1, 2)
            d, a = (d, a) * draw.integers(0, 2, 2)
        if kind == "R":
            joints.append(aw.Joint("revolute", d=d, a=a, alpha=alpha))
        else:
            joints.append(aw.Joint("prismatic", d=d, a=a, alpha=alpha, offset=turn))
    return aw.Arm.from_dh(joints, name=f"skew {seed} {kinds}")


def postures(arm: aw.Arm, count: int, seed: int) -> Array:
    """Return joint values, half of them angles that people type."""
    draw = np.random.default_rng(seed)
    joints = draw.uniform(-3.0, 3.0, (count, 6))
    joints[::2] = np.pi / 6 * draw.integers(-6, 7, joints[::2].shape)
    turns = [joint.kind == "revolute" for joint in arm.moving]
    return np.where(turns, joints, 0.2 * joints)


def missing(solver: GeneralSolver, wanted: Array, found: Array) -> Array:
    """Return the regular solutions among those wanted that were not found."""
    J = jacobian_batch(solver.chain.constants, np.ascontiguousarray(wanted))
    least = np.linalg.svd(J, compute_uv=False)[:, -1]
    apart = wanted[:, None] - found[None]
    apart = np.where(solver.chain.revolute, np.angle(np.exp(1j * apart)), apart)
    near = (np.abs(apart).max(axis=2) < 1e-5).any(axis=1)
    return np.asarray(wanted[~near & (least > REGULAR)])


def check(solver: GeneralSolver, joints: Array) -> None:
    """Hold answers against what made the pose and against descents; regular ones are proved."""
    constants = solver.chain.constants
    poses = fk_batch(constants, joints)
    solutions, counts, proved = solver.proved_batch(poses)
    for q, pose, rows, count, certain in zip(joints, poses, solutions, counts, proved, strict=True):
        mine = np.ascontiguousarray(rows[:count])
        assert count <= 8
        assert np.abs(fk_batch(constants, mine) - pose).max(initial=0.0) < 1e-9
        several, number = collect_batch(constants, pose[None], 300, 16, False)
        wanted = np.vstack([q[None], several[0, : number[0]]])
        assert not len(missing(solver, wanted, mine)), (q, wanted, mine)
        least = np.linalg.svd(jacobian_batch(constants, mine), compute_uv=False)[:, -1].min()
        assert certain or least < 1e-7


@pytest.mark.parametrize("kinds", KINDS)
def test_all_solutions_are_found_and_proved(kinds: str) -> None:
    for seed in range(3):
        arm = skew_arm(seed, kinds)
        check(GeneralSolver(arm, pack(arm)), postures(arm, 10, seed))


@pytest.mark.parametrize("count", [4, pytest.param(60, marks=pytest.mark.soak)])
def test_arms_with_right_angles(count: int) -> None:
    """Nothing that is proved lacks a solution where axes meet, are parallel, or lie in a plane."""
    for seed in range(count):
        kinds = KINDS[seed % len(KINDS)]
        try:
            arm = skew_arm(100 + seed, kinds, neat=True)
        except aw.ArmwerkError:
            continue  # neighbouring axes fell on one line
        solver = GeneralSolver(arm, pack(arm))
        joints = postures(arm, 8, seed)
        for q, pose in zip(joints, fk_batch(solver.chain.constants, joints), strict=True):
            found, proved = TwoSlides(solver.chain).solutions(pose)
            if proved:
                several, number = collect_batch(solver.chain.constants, pose[None], 200, 16, False)
                wanted = np.vstack([q[None], several[0, : number[0]]])
                assert not len(missing(solver, wanted, found)), (arm.joints, q)


def test_out_of_reach_is_proved() -> None:
    """A pose whose orientation no angles give has no solution, and that is certain."""
    arm = skew_arm(1, "RRTTRR")
    solver = GeneralSolver(arm, pack(arm))
    draw = np.random.default_rng(5)
    empty = 0
    for _ in range(40):
        Q, _ = np.linalg.qr(draw.normal(size=(3, 3)))
        pose = np.eye(4)
        pose[:3, :3] = Q * np.sign(np.linalg.det(Q))
        pose[:3, 3] = draw.uniform(-0.5, 0.5, 3)
        answer = solver.solution_set(pose)
        assert answer.proved
        _, number = collect_batch(solver.chain.constants, pose[None], 300, 16, False)
        assert number[0] <= len(answer)
        empty += len(answer) == 0
    assert 0 < empty < 40


def test_the_model_chooses_it() -> None:
    model = aw.model(skew_arm(2, "TRRRTR"), ik="general")
    q = np.array([0.2, 0.5, -1.0, 0.7, 0.1, 1.3])
    answer = model.solutions(model.fk(q))
    assert answer.proved
    assert np.abs(answer.joints - q).max(axis=1).min() < 1e-9
    nearest = model.ik_nearest(model.fk(q), q + 0.01)
    assert nearest is not None
    assert np.abs(nearest - q).max() < 1e-9


def test_infinitely_many_solutions_are_never_proved() -> None:
    """Parallel slides: what one goes, the other comes back."""
    rows = [(0.2, 0.3, 1.1), (0.1, 0.2, 0.7), (0.0, 0.2, 0.0), (0.0, 0.1, 0.9)]
    joints = [aw.Joint("revolute", d=d, a=a, alpha=alpha) for d, a, alpha in rows[:2]]
    joints += [aw.Joint("prismatic", a=a, alpha=alpha) for _, a, alpha in rows[2:]]
    joints += [aw.Joint("revolute", a=0.1, alpha=1.2), aw.Joint("revolute", d=0.1)]
    arm = aw.Arm.from_dh(joints)
    two = TwoSlides(pack(arm))
    for pose in fk_batch(pack(arm).constants, postures(arm, 20, 3)):
        assert not two.solutions(pose)[1]


def test_a_batch_is_what_single_poses_are() -> None:
    arm = skew_arm(4, "RTRRTR")
    solver = GeneralSolver(arm, pack(arm))
    poses = fk_batch(solver.chain.constants, postures(arm, 20, 6))
    solutions, counts, proved = solver.proved_batch(poses)
    for pose, rows, count, certain in zip(poses, solutions, counts, proved, strict=True):
        single = solver.solution_set(pose)
        assert single.proved == certain
        np.testing.assert_array_equal(single.joints, rows[:count])


def test_ways_that_are_rounding_prove_nothing() -> None:
    rows = [
        ("revolute", 0.0, -HALF, HALF),
        ("revolute", 0.0, HALF, 0.559),
        ("revolute", 0.0, -HALF, 0.0),
        ("prismatic", 0.0, 2.975, 2.724),
        ("revolute", 0.051, -HALF, HALF),
        ("prismatic", 0.14, -HALF, -0.32),
    ]
    arm = aw.Arm.from_dh(
        [
            aw.Joint(kind, a=a, alpha=alpha, offset=offset, limits=(-3.0, 3.0))  # type: ignore[arg-type]
            for kind, a, alpha, offset in rows
        ]
    )
    model = aw.model(arm, ik="general")
    known = model.solutions(model.fk([np.pi / 3, -np.pi, -np.pi / 6, 0.0, HALF, 0.0]))
    assert len(known.joints) or not known.proved
