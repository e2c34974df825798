"""Numbers at the edge of the reach and at singular poses: found, and found once."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.mechanics.kernels.edge import find_edge
from armwerk.mechanics.serial import SerialModel


@pytest.fixture(scope="module")
def gen3() -> SerialModel:
    return aw.model("gen3", ik="numeric")


@pytest.fixture(scope="module")
def xarm6() -> SerialModel:
    return aw.model("xarm6", ik="numeric")


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_a_stretched_arm_with_small_offsets_is_found(gen3: SerialModel, count: int) -> None:
    draw = np.random.default_rng(2)
    low, high = np.clip(gen3.limits, -3.0, 3.0).T
    for _ in range(count):
        known = draw.uniform(low, high)
        known[2:5] = 0.0  # upper arm and forearm in line, their offsets turned alike
        pose = gen3.fk(known)
        found = gen3.ik(pose)
        assert len(found) >= 1
        assert np.abs(gen3.fk(found) - pose).max() <= 1e-9
        assert ((gen3.limits[:, 0] <= found) & (found <= gen3.limits[:, 1])).all()
        assert gen3.solve(pose).success


def test_beyond_the_edge_is_out_of_reach(gen3: SerialModel) -> None:
    known = np.array([0.3, 0.8, 0.0, 0.0, 0.0, 0.4, 0.1])
    pose = gen3.fk(known)
    frames = gen3.frames(known)
    along = frames[6, :3, 3] - frames[1, :3, 3]
    pose[:3, 3] += 1e-6 * along / np.linalg.norm(along)
    assert len(gen3.ik(pose)) == 0
    assert not gen3.solve(pose).success
    on_pose, on_edge, end = find_edge(gen3.chain.constants, pose, known + 0.01)
    assert on_edge
    assert not on_pose
    assert np.abs(end - known).max() < 1e-3


def test_one_solution_where_many_descents_end(xarm6: SerialModel) -> None:
    found = xarm6.ik(xarm6.fk(np.zeros(6)))
    near = np.abs(np.angle(np.exp(1j * found))).max(axis=1)
    assert (near < 0.05).sum() == 1
    assert len(found) == 8


def test_neighbours_across_a_fold_stay_two() -> None:
    """Two solutions a hundredth of a radian apart, an edge of the reach between them."""
    arm = aw.load_arm("ur5e")  # stretched where joint 3 is zero
    numeric, closed = aw.model(arm, ik="numeric"), aw.model(arm, ik="closed")
    pose = numeric.fk([0.2, 0.5, 0.005, 0.3, 0.8, 0.1])
    exact, found = closed.ik(pose), numeric.ik(pose)
    gaps = np.abs(np.angle(np.exp(1j * (found[:, None] - found[None])))).max(axis=-1)
    assert 1e-3 < gaps[np.triu_indices(len(found), 1)].min() < 0.03
    assert found.shape == exact.shape
