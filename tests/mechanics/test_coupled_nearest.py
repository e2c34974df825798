"""The nearest axis values of coupled joints, held against dense searches among all solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import armwerk as aw
from armwerk.errors import ShapeError
from armwerk.mechanics.coupled import CoupledModel
from coupled_arms import inside, palletiser, parallelogram, wrist

Array = NDArray[np.float64]
STEP = 0.04  # [rad] from member to member of a family


def coupled(arm: aw.Arm) -> CoupledModel:
    model = aw.model(arm)
    assert isinstance(model, CoupledModel)
    return model


def wide() -> aw.Arm:
    """Return the parallelogram arm that can reach over its own base."""
    joints = list(parallelogram(name="wide_rods").joints)
    joints[1] = replace(joints[1], limits=(-2.0, 2.0))
    joints[2] = replace(
        joints[2], limits=(-2.0, 2.5), coupling=aw.Coupling({"A2": -1.0}, limits=(-1.5, 2.9))
    )
    return aw.Arm.from_dh(joints, name="wide_rods")


def turned(arm: aw.Arm, angles: Array) -> Array:
    """Return all axis values within limits for rows of angles, trying turns of every joint."""
    C = arm.coupling_matrix
    turns = 2.0 * pi * np.array(list(product(*[(-1, 0, 1)] * arm.dof)))
    values = (angles[:, None] + turns).reshape(-1, arm.dof) @ np.linalg.inv(C).T
    return np.asarray(values[arm.keeps_limits(values)])


def members(model: CoupledModel, pose: Array, start: Array) -> list[Array]:
    """Return a self-motion of the links, walked both ways in small steps from one member."""
    found = [start]
    for way in (1.0, -1.0):
        q, ahead = start, np.zeros(len(start))
        for _ in range(int(4.0 * pi / STEP)):
            along = np.linalg.svd(model.free.jacobian(q))[2][-1]
            ahead = along * (way if not ahead.any() else np.sign(along @ ahead))
            q = q + STEP * ahead
            for _ in range(4):
                T = model.free.fk(q)
                turn = pose[:3, :3] @ T[:3, :3].T
                error = np.append(
                    pose[:3, 3] - T[:3, 3],
                    0.5 * np.array([(turn - turn.T)[i, j] for i, j in ((2, 1), (0, 2), (1, 0))]),
                )
                q = q + np.linalg.pinv(model.free.jacobian(q), rcond=1e-6) @ error
            found.append(q)
            if np.abs(np.exp(1j * q) - np.exp(1j * start)).max() < 0.6 * STEP and len(found) > 20:
                break
    return found


def singular_poses(arm: aw.Arm, count: int) -> list[Array]:
    """Return axis values within limits with a straight wrist."""
    rows = inside(arm, count, seed=5)
    C = arm.coupling_matrix
    rows[:, 4] -= rows @ C[4]  # the angle of joint 5 becomes 0
    kept: list[Array] = list(rows[arm.keeps_limits(rows)])
    return kept


def over_the_base(arm: aw.Arm) -> list[Array]:
    """Return axis values with the wrist on axis 1, about which the arm can turn then."""
    free = aw.model(arm.free_chain)
    found = []
    for m2 in (-0.9, -1.2, -1.5):

        def off(m3: float, m2: float = m2) -> float:
            angles = arm.angles([0.0, m2, m3, 0.0, 0.0, 0.0])
            return float(free.frames(angles)[5, 0, 3])

        m3 = float(brentq(off, 0.0, 2.4))
        found.append(np.array([0.4, m2, m3, 0.3, 0.8, -0.4]))
    assert arm.keeps_limits(np.array(found)).all()
    return found


def assert_nearest(model: CoupledModel, q: Array, nears: Array, weights: Array | None) -> None:
    """Hold `ik_nearest` against every turn of every member of every branch."""
    arm, pose = model.arm, model.fk(q)
    branches = [model.angles(q), *model.free.ik(pose)]
    least = [np.linalg.svd(model.free.jacobian(row))[1][-1] for row in branches]
    starts = [row for row, size in zip(branches, least, strict=True) if size < 1e-6]
    rows = list(branches)
    for start in starts:
        if not any(np.abs(np.exp(1j * row) - np.exp(1j * start)).max() < STEP for row in rows[8:]):
            rows += members(model, pose, start)
    everything = turned(arm, np.array(rows))
    assert np.abs(model.fk(everything) - pose).max() < 1e-7
    factors = np.ones(arm.dof) if weights is None else weights
    for near in nears:
        found = model.ik_nearest(pose, near, weights=weights)
        assert found is not None
        assert arm.keeps_limits(found)
        np.testing.assert_allclose(model.fk(found), pose, atol=1e-9)
        way = np.linalg.norm((found - near) * factors)
        dense = np.linalg.norm((everything - near) * factors, axis=1).min()
        assert way <= dense + 1e-6, (way - dense, near)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 1.0, 5.0, 1.0, 0.3])])
@pytest.mark.parametrize("make", [parallelogram, wrist])
def test_with_a_straight_wrist_the_nearest_axis_values_are_found(
    make: Callable[[], aw.Arm], weights: Array | None
) -> None:
    arm = make()
    model = coupled(arm)
    for q in singular_poses(arm, 3)[:2]:
        nears = np.vstack(
            [
                inside(arm, 12, seed=2),
                np.zeros(6),
                q,
                arm.limits[:, 1],
            ]
        )
        assert_nearest(model, q, nears, weights)


def test_over_its_base_the_nearest_axis_values_are_found() -> None:
    arm = wide()
    model = coupled(arm)
    for q in over_the_base(arm)[:2]:
        nears = np.vstack([inside(arm, 12, seed=2), np.zeros(6), q])
        assert_nearest(model, q, nears, None)


def test_what_is_no_pose_or_no_number_is_refused() -> None:
    model = coupled(parallelogram())
    q = np.array([0.1, 0.2, 0.1, 0.3, 0.4, 0.5])
    with pytest.raises(ShapeError, match="rigid"):
        model.ik_nearest(2.0 * np.eye(4), q)
    with pytest.raises(ShapeError, match="finite"):
        model.ik_nearest(model.fk(q), np.where(np.arange(6) == 2, np.nan, q))
    with pytest.raises(ShapeError, match="shape"):
        model.ik_nearest(model.fk(q), q[:5])
    np.testing.assert_allclose(
        np.asarray(model.ik_nearest(model.fk(q).tolist(), q.tolist())), q, atol=1e-9
    )


def test_every_turn_of_an_axis_is_among_the_candidates() -> None:
    model = coupled(parallelogram())
    q = np.array([0.1, 0.2, 0.1, 0.3, 0.4, 0.5])
    found = np.array(model.candidates(model.fk(q), q))
    assert model.arm.keeps_limits(found).all()
    np.testing.assert_allclose(model.fk(found), np.tile(model.fk(q), (len(found), 1, 1)), atol=1e-9)
    for turn in (-2.0 * pi, 0.0, 2.0 * pi):  # axis 6 has more than two turns
        wanted = q + turn * np.eye(6)[5]
        assert np.abs(found - wanted).max(axis=1).min() < 1e-9


def test_a_palletiser_over_its_base_keeps_its_rods() -> None:
    arm = palletiser()
    joints = [replace(joint) for joint in arm.joints]
    joints[1] = replace(joints[1], limits=(-1.5, 1.49))
    joints[2] = replace(
        joints[2], limits=(-0.35, 2.3), coupling=aw.Coupling({"A2": -1.0}, limits=(-1.54, 2.9))
    )
    joints[3] = replace(
        joints[3], coupling=aw.Coupling({"A3": -1.0}, driven=False, limits=(-2.4, 0.4))
    )
    model = coupled(aw.Arm.from_dh(joints, name="wide_palletiser"))
    off = brentq(lambda m3: float(model.fk([0.0, -1.1, m3, 0.0])[0, 3]), 0.0, 2.3)
    q = np.array([0.3, -1.1, float(off), 0.2])
    pose = model.fk(q)
    assert np.abs(pose[:2, 3]).max() < 1e-12
    for near in inside(model.arm, 8, seed=4):
        found = model.ik_nearest(pose, near)
        assert found is not None
        assert model.arm.keeps_limits(found)
        np.testing.assert_allclose(model.fk(found), pose, atol=1e-9)
        # axis 1 and axis 6 turn about one line: what one does the other takes back
        t = np.linspace(-2.0 * pi, 2.0 * pi, 20001)
        row = np.tile(q, (len(t), 1))
        row[:, 0] += t
        row[:, 3] += t
        if np.abs(model.fk(row[0]) - pose).max() > 1e-9:
            row[:, 3] -= 2.0 * t
        rows = np.vstack([row + 2.0 * pi * k * np.eye(4)[3] for k in (-1, 0, 1)])
        rows = rows[model.arm.keeps_limits(rows)]
        dense = np.linalg.norm(rows - near, axis=1).min()
        assert np.linalg.norm(found - near) <= dense + 1e-6
