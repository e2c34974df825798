"""Poses on the work piece, every solution for given external axes, and the nearest of all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from station_cases import station

import armwerk as aw
from arm_witness import PinArm
from armwerk.arrays import Array
from armwerk.errors import ShapeError, UnknownNameError
from armwerk.geometry import relative, twist_log
from armwerk.stations import StationModel

NAMES = ("welding_station", "rail_station", "kr16_rail")


def samples(model: StationModel, count: int, seed: int) -> Array:
    low, high = model.limits.T
    return np.random.default_rng(seed).uniform(low, high, (count, model.dof))


def piece_and_tool(model: StationModel, q: Array) -> tuple[Array, Array]:
    """T_world_piece and T_world_tool by pinocchio, from the descriptions of table and arm."""
    turning, table = model.station.turning, model.station.table
    piece = np.eye(4) if table is None else PinArm(table).fk(q[:turning][::-1].copy())
    return piece, PinArm(model.station.arm).fk(q[turning:].copy())


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_those_of_pinocchio(name: str) -> None:
    model = station(name)
    special = samples(model, 6, 1)
    for row, angle in zip(special, np.deg2rad([0, 90, 180, -90, 30, 135]), strict=True):
        row[: model.station.turning] = angle if model.station.turning else 0.0
    for q in np.vstack([samples(model, 20, 0), special, model.limits.T]):
        piece, tool = piece_and_tool(model, q)
        np.testing.assert_allclose(model.fk(q), np.linalg.inv(piece) @ tool, atol=1e-9)
        found = model.world(q)
        np.testing.assert_allclose(found.piece, piece, atol=1e-9)
        np.testing.assert_allclose(found.tool, tool, atol=1e-9)
    rows = samples(model, 3, 2)
    np.testing.assert_allclose(model.world(rows).tool[1], model.world(rows[1]).tool, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_is_the_change_of_the_pose(name: str) -> None:
    model = station(name)
    for q in samples(model, 5, 3):
        J = model.jacobian(q)
        for k in range(model.dof):
            step = np.zeros(model.dof)
            step[k] = 1e-6
            change = (model.fk(q + step) - model.fk(q - step)) / 2e-6
            turn = change[:3, :3] @ model.fk(q)[:3, :3].T
            spin = [turn[2, 1], turn[0, 2], turn[1, 0]]
            np.testing.assert_allclose(J[:, k], [*change[:3, 3], *spin], atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_every_solution_for_given_external_axes(name: str) -> None:
    model = station(name)
    count = len(model.external_names)
    own = aw.model(model.station.own)
    for q in samples(model, 60, 4):
        q[: model.station.turning] = np.deg2rad([0, 90])[: model.station.turning]
        T = model.fk(q)
        found = model.ik(T, q[:count])
        assert (found[:, :count] == q[:count]).all()
        gaps = np.abs(np.angle(np.exp(1j * (found - q)))).max(axis=1)
        assert gaps.min() < 1e-7
        for row in found:
            np.testing.assert_allclose(model.fk(row), T, atol=1e-9)
        # as many as the arm alone has for the pose that it sees
        alone = own.ik(model.mount_from_piece(q[:count]) @ T)
        assert len(found) == len(alone)
        named = dict(zip(model.external_names, q[:count], strict=True))
        np.testing.assert_array_equal(model.ik(T, named), found)
        inside = model.ik(T, named, within_limits=True)
        low, high = model.limits.T
        assert len(inside)
        assert ((inside >= low) & (inside <= high)).all()


@pytest.mark.parametrize("end", [-2.0, 2.0])
def test_the_rail_at_its_very_end(end: float) -> None:
    model = station("kr16_rail")
    q = np.array([end, 0.4, -1.3, 1.2, 0.3, 0.7, 0.1])
    T = model.fk(q)
    assert len(model.ik(T, {"rail": end}, within_limits=True))
    assert not len(model.ik(T, {"rail": end * (1 + 1e-6)}, within_limits=True))
    found = model.ik_nearest(T, q)
    assert found is not None
    np.testing.assert_allclose(found, q, atol=1e-9)
    beyond = model.ik_nearest(T, np.append(1.1 * end, q[1:]))
    assert beyond is not None
    assert beyond[0] == end


@pytest.mark.parametrize("name", NAMES)
def test_nearest_beside_a_solution_is_no_farther_than_that(name: str) -> None:
    model = station(name)
    draw = np.random.default_rng(5)
    low, high = model.limits.T
    metric = model.chain.chain.metric
    for q in samples(model, 30, 6):
        near = np.clip(q + draw.normal(scale=0.03, size=model.dof), low, high)
        T = model.fk(q)
        found = model.ik_nearest(T, near)
        assert found is not None
        np.testing.assert_allclose(model.fk(found), T, atol=1e-9)
        assert ((found >= low) & (found <= high)).all()
        way, known = (np.linalg.norm(metric * (one - near)) for one in (found, q))
        assert way <= known + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_nearest_is_least_by_an_optimiser_of_others(seed: int) -> None:
    model = station("welding_station")
    draw = np.random.default_rng(seed)
    weights = draw.uniform(0.5, 5.0, model.dof)
    q = np.array([0.3, 0.5, 0.2, -1.2, 1.4, 0.1, 0.6, 0.0]) + draw.uniform(-0.2, 0.2, 8)
    near = q + draw.uniform(-0.15, 0.15, 8)
    T = model.fk(q)
    found = model.ik_nearest(T, near, weights=weights)
    assert found is not None
    scale = model.chain.chain.metric * weights

    def cost(x: Array) -> float:
        return float(np.sum((scale * (x - near)) ** 2))

    reached = NonlinearConstraint(lambda x: twist_log(relative(T, model.fk(x))), 0.0, 0.0)
    other = minimize(
        cost,
        q,
        method="SLSQP",
        bounds=Bounds(*model.limits.T),
        constraints=reached,
        options={"ftol": 1e-14, "maxiter": 400},
    )
    assert np.abs(model.fk(other.x) - T).max() < 1e-6
    assert cost(found) <= other.fun * (1 + 1e-5) + 1e-10


def test_axes_that_are_held_stay_and_heavy_ones_move_less() -> None:
    model = station("rail_station")
    q = np.array([0.2, 0.4, 0.3, 0.1, -1.3, 1.5, 0.2, 0.5, 0.0])
    T = model.fk(q + 0.1)
    held = model.ik_nearest(T, q, hold=["turn", "rail"])
    assert held is not None
    assert held[0] == q[0]
    assert held[2] == q[2]
    light = model.ik_nearest(T, q)
    heavy = model.ik_nearest(T, q, weights=[50, 50, 1, 1, 1, 1, 1, 1, 1])
    assert light is not None
    assert heavy is not None
    assert np.abs(heavy - q)[:2].max() < 0.2 * np.abs(light - q)[:2].max()


def test_where_the_rail_may_stand() -> None:
    model = station("kr16_rail")
    T = model.fk([0.5, 0.0, -1.5, 1.5, 0.0, 0.6, 0.0])
    ((low, high),) = model.reaching(T, "rail")
    assert low < 0.5 < high
    for place, reached in ((low, True), (high, True), (low - 1e-5, False), (high + 1e-5, False)):
        assert bool(len(model.ik(T, {"rail": place}, within_limits=True))) == reached
    far = T.copy()
    far[1, 3] += 10.0
    assert model.reaching(far, "rail").shape == (0, 2)
    assert model.ik_nearest(far, np.zeros(7)) is None
    assert not len(model.ik(far))


@pytest.mark.parametrize("tilt", [0.0, 45.0, 90.0, 120.0])
def test_flat_position_points_down(tilt: float) -> None:
    model = station("welding_station")
    T = np.eye(4)
    lean = np.deg2rad(180.0 - tilt)
    T[:3, :3] = [[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]]
    turn, found = model.flat(T, {"turn": 0.4})
    q = np.concatenate([[turn, found], np.zeros(6)])
    down = model.world(q).piece[:3, :3] @ T[:3, 2]
    np.testing.assert_allclose(down, [0, 0, -1], atol=1e-12)
    assert abs(abs(np.rad2deg(found)) - tilt) < 1e-9
    if tilt == 0.0:
        assert turn == 0.4  # free: it stays where it is


def test_wrong_arguments_are_refused() -> None:
    model = station("welding_station")
    T = np.eye(4)
    with pytest.raises(UnknownNameError, match="tilt, turn"):
        model.ik(T, {"rail": 0.0})
    with pytest.raises(UnknownNameError, match="A6"):
        model.ik_nearest(T, np.zeros(8), hold=["A7"])
    with pytest.raises(UnknownNameError, match="tilt"):
        model.reaching(T, "A1")
    with pytest.raises(ShapeError):
        model.ik(T, [0.0])
    with pytest.raises(ShapeError, match="finite"):
        model.ik(T, {"turn": np.nan})
    with pytest.raises(ShapeError, match="above 0"):
        model.ik_nearest(T, np.zeros(8), weights=[0] * 8)
    with pytest.raises(ShapeError):
        model.fk(np.zeros(6))
    with pytest.raises(aw.ArmwerkError, match="no table"):
        station("kr16_rail").flat(T)
