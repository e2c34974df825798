"""Motions by what the drives have: torques by pinocchio, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hard_paths import quick_jerk, weaker
from optimal_paths import HOMES, problem

import armwerk as aw
from arm_witness import PinArm
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion import Limits, Path
from armwerk.motion.retiming.time_run import PathPiece
from armwerk.robot import Arm, load

WITHIN = 1.0 + 1e-6
STEP = 5e-4  # [s]


def arm_of(name: str) -> Arm:
    found = load(name)
    assert isinstance(found, Arm)
    return found


def used(arm: Arm, motion: aw.Trajectory) -> Array:
    """Return what a motion uses of every drive, by pinocchio and the described friction. (m, n)."""
    witness = PinArm(arm)
    times = np.arange(0.0, motion.duration, STEP)
    q, qd, qdd = motion.sample(times)
    torques = np.array([witness.inverse(*row) for row in zip(q, qd, qdd, strict=True)])
    viscous = np.array([float(joint.viscous_friction) for joint in arm.moving])
    dry = np.array([[float(c) for c in joint.coulomb_friction] for joint in arm.moving])
    torques += viscous * qd + dry[:, 0] * (qd > 0.0) - dry[:, 1] * (qd < 0.0)
    most = np.array([joint.max_force or np.nan for joint in arm.moving])
    return np.asarray(np.abs(torques) / most)


@pytest.mark.parametrize(
    ("name", "strength"), [("puma560", 1.0), ("puma560", 0.4), ("ur5e", 0.35), ("panda", 0.5)]
)
def test_ptp_uses_what_the_drives_have(name: str, strength: float) -> None:
    arm = weaker(arm_of(name), strength)
    q0 = np.array(HOMES.get(name, (0.1, 0.2, 0.0, -1.6, 0.1, 1.9, 0.2)))
    q1 = q0 + np.where(np.arange(arm.dof) % 2, -0.5, 0.8)
    motion = aw.ptp(arm, q0, q1, limits=quick_jerk(arm), drives=True)
    assert np.abs(motion.sample(motion.duration)[0] - q1).max() < 1e-9
    load = used(arm, motion)
    assert load.max() <= WITHIN
    # at nearly every time some drive gives all it has, or some joint is at its speed
    speed = np.abs(motion.sample(np.arange(0.0, motion.duration, STEP))[1])
    assert motion.limits is not None
    busy = np.maximum(load.max(axis=1), (speed / motion.limits.velocity).max(axis=1))
    assert np.median(busy) > 0.97
    assert np.mean(busy > 0.9) > 0.75


def test_a_line_is_quicker_by_torque_than_by_accelerations() -> None:
    given = problem("puma560", "line", "free")
    arm = arm_of("puma560")
    limits = quick_jerk(arm)
    constant = given.path.plan(given.model, given.q0, limits=limits, optimal=True)
    driven = given.path.plan(given.model, given.q0, limits=limits, drives=True)
    assert driven.duration < 0.8 * constant.duration
    assert used(arm, constant).max() < 0.75  # what constant limits leave unused
    assert 0.99 < used(arm, driven).max() <= WITHIN
    q = driven.sample(np.linspace(0.0, driven.duration, 201))[0]
    points = given.model.fk(q)[:, :3, 3]
    way = points[-1] - points[0]
    off = np.cross(points - points[0], way / np.linalg.norm(way))
    assert np.abs(off).max() < 1e-8
    assert "driven by torque" in " ".join(str(notice) for notice in driven.notices)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "kind", "strength"),
    [("puma560", "line", 1.0), ("puma560", "circle", 0.6), ("ur5e", "spline", 0.3)],
)
def test_driven_paths_are_near_the_optimum_of_an_independent_solver(
    name: str, kind: str, strength: float
) -> None:
    pytest.importorskip("casadi")
    from time_witness import cut_path, least_time

    given = problem(name, kind, "free")
    arm = weaker(arm_of(name), strength)
    limits = quick_jerk(arm)
    driven = given.path.plan(aw.model(arm), given.q0, limits=limits, drives=True)
    (piece,) = driven.pieces
    assert isinstance(piece, PathPiece)
    least = least_time(cut_path(piece.run, limits, piece.law, arm=arm))
    assert least.solved
    assert 0.995 <= driven.duration / least.duration <= 1.05


def test_weak_drives_slow_a_motion_down() -> None:
    """Torques hold where constant limits of acceleration would ask for more than there is."""
    given = problem("ur5e", "corner", "usual")
    arm = weaker(arm_of("ur5e"), 0.22)
    model = aw.model(arm)
    constant = given.path.plan(model, given.q0, optimal=True)
    assert used(arm, constant).max() > 1.01
    driven = given.path.plan(model, given.q0, drives=True)
    assert used(arm, driven).max() <= WITHIN
    assert driven.duration > constant.duration


def test_what_weight_alone_forbids_is_refused_with_the_joint() -> None:
    given = problem("ur5e", "line", "usual")
    arm = weaker(arm_of("ur5e"), 0.05)
    with pytest.raises(MotionError, match=r"joint 'shoulder_lift'.*alone take .* N m, and its"):
        given.path.plan(aw.model(arm), given.q0, drives=True)


def test_drives_without_a_largest_force_are_refused() -> None:
    arm = arm_of("ur5e")
    joints = tuple(replace(joint, max_force=None) for joint in arm.joints)
    arm = replace(arm, joints=joints)
    with pytest.raises(MotionError, match="need max_force of every joint"):
        aw.ptp(arm, np.zeros(6), np.full(6, 0.1), drives=True)
    with pytest.raises(MotionError, match="takes no other v0"):
        aw.ptp("ur5e", np.zeros(6), np.full(6, 0.1), v0=np.full(6, 0.1), drives=True)
    limits = Limits([1.0], [1.0], [1.0])
    with pytest.raises(MotionError, match="serial arm"):
        aw.ptp(None, [0.0], [1.0], limits=limits, drives=True)


def test_no_way_is_no_motion() -> None:
    q0 = np.array(HOMES["ur5e"])
    assert aw.ptp("ur5e", q0, q0, drives=True).duration == 0.0
    assert Path().ptp(q0).plan("ur5e", q0, drives=True).duration == 0.0
