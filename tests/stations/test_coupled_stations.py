"""Stations whose arm has coupled joints: poses, solutions, motions, pictures, files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from station_cases import HEIGHT, RADIUS, inside_limits, round_seam, torch

import armwerk as aw
from arm_witness import PinArm
from armwerk.arrays import Array
from armwerk.errors import DescriptionError, MotionError
from armwerk.stations import StationModel, draw_station, mounted, save_station, station_parts
from armwerk.stations.picture import station_skeleton

NAMES = ("irb2400", "irb2400 rail", "coupled_puma rail alone", "irb660 rail alone")
FAR = 1e-6  # [m] by which the tool may be off its curve over the work piece


@cache
def station(words: str) -> StationModel:
    """Return a coupled arm with a torch before a table, on a rail, or both."""
    shipped = aw.load_station("rail_station")
    assert shipped.carrier is not None
    name, *more = words.split()
    arm = aw.load_arm(name)
    if "alone" not in more:
        arm = arm.with_tool(shipped.arm.tool)
    external = None
    if "rail" in more:
        arm, external = mounted(replace(shipped.carrier, name="rail"), arm), 1
    table = None if "alone" in more else shipped.table
    return StationModel(aw.Station(arm, table, external, words.replace(" ", "_")))


def samples(model: StationModel, count: int, seed: int) -> Array:
    """Return values of all axes within limits of drives and joints."""
    low, high = np.clip(model.limits, -np.pi, np.pi).T
    rows = np.random.default_rng(seed).uniform(low, high, (40 * count, model.dof))
    kept: Array = rows[model.chain.arm.keeps_limits(rows)][:count]
    assert len(kept) == count
    return kept


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_those_of_pinocchio(name: str) -> None:
    model = station(name)
    turning, table = model.station.turning, model.station.table
    links = PinArm(model.station.arm.free_chain)
    for q in samples(model, 8, 0):
        piece = np.eye(4) if table is None else PinArm(table).fk(q[:turning][::-1].copy())
        tool = links.fk(model.station.arm.angles(q[turning:]))
        np.testing.assert_allclose(model.fk(q), np.linalg.inv(piece) @ tool, atol=1e-9)
        found = model.world(q)
        np.testing.assert_allclose(found.piece, piece, atol=1e-9)
        np.testing.assert_allclose(found.tool, tool, atol=1e-9)
        J = model.jacobian(q)
        for k in range(model.dof):
            step = 1e-6 * np.eye(model.dof)[k]
            change = (model.fk(q + step) - model.fk(q - step)) / 2e-6
            np.testing.assert_allclose(J[:3, k], change[:3, 3], atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_every_solution_for_given_external_axes(name: str) -> None:
    model = station(name)
    count = len(model.external_names)
    for q in samples(model, 6, 4):
        T = model.fk(q)
        found = model.ik(T, q[:count], within_limits=True)
        assert model.chain.arm.keeps_limits(found).all()
        np.testing.assert_allclose(model.fk(found), np.tile(T, (len(found), 1, 1)), atol=1e-9)
        angles = np.exp(1j * model.chain.arm.angles(found))
        assert np.abs(angles - np.exp(1j * model.chain.arm.angles(q))).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("name", ["coupled_puma rail alone", "irb660 rail alone"])
def test_the_nearest_on_a_rail_is_the_best_of_a_dense_search(name: str) -> None:
    model = station(name)
    metric = model.chain.chain.metric
    low, high = model.limits[0]
    rails = np.linspace(low, high, 201 if model.arm.dof == 6 else 21)
    for q, near in zip(samples(model, 2, 7), samples(model, 2, 8), strict=True):
        T = model.fk(q)
        for wanted in (near, q + 0.1 * (near - q)):
            found = model.ik_nearest(T, wanted)
            assert found is not None
            assert model.chain.arm.keeps_limits(found)
            np.testing.assert_allclose(model.fk(found), T, atol=1e-9)
            way = np.linalg.norm((found - wanted) * metric)
            rows = [
                np.append(rail, row)
                for rail in rails
                if (row := model.arm.ik_nearest(model.mount_from_piece([rail]) @ T, wanted[1:]))
                is not None
            ]
            dense = np.linalg.norm((np.array(rows) - wanted) * metric, axis=1).min()
            assert way <= dense + 1e-6


def test_the_nearest_keeps_limits_of_the_elbow() -> None:
    """Wanted values beyond what the elbow allows: the answer is at its stop, within all others."""
    model = station("irb2400 rail")
    arm = model.chain.arm
    at_stop = 0
    for q in samples(model, 12, 3):
        wanted = q.copy()
        wanted[5] = wanted[4] + np.deg2rad(75)  # angle of the elbow: axis 3 less axis 2
        dear = np.array([0.1, 0.1, 0.1, 0.1, 9.0, 9.0, 0.1, 0.1, 0.1])
        found = model.ik_nearest(model.fk(q), wanted, dear)
        assert found is not None
        assert arm.keeps_limits(found)
        np.testing.assert_allclose(model.fk(found), model.fk(q), atol=1e-9)
        at_stop += np.rad2deg(found[5] - found[4]) > 70 - 1e-6
    assert at_stop > 0


def on_the_ring(model: StationModel, q: Array) -> None:
    T = model.fk(q)
    assert np.abs(np.hypot(T[:, 0, 3], T[:, 1, 3]) - RADIUS).max() < FAR
    assert np.abs(T[:, 2, 3] - HEIGHT).max() < FAR
    angle = np.unwrap(np.arctan2(T[:, 1, 3], T[:, 0, 3]))
    assert np.abs(T - np.array([torch(one) for one in angle])).max() < 2 * FAR


@pytest.mark.parametrize("name", ["irb2400", "irb2400 rail"])
@pytest.mark.parametrize("external", ["flat", "free", "given"])
def test_a_seam_round_a_pipe(name: str, external: str) -> None:
    model = station(name)
    given: dict[str, list[float]] = {"turn": [1.6, 0.4], "tilt": [0.4, 0.6]}
    if "rail" in name:
        given["rail"] = [0.1, -0.1]
    chosen = given if external == "given" else external
    trajectory = model.plan(round_seam(np.deg2rad(100)), external=chosen)
    q = inside_limits(trajectory)
    assert model.chain.arm.keeps_limits(q).all()
    on_the_ring(model, q)
    if external == "flat":
        assert np.abs(model.world(q).tool[:, :3, 2] - [0, 0, -1]).max() < 1e-9
    parts = station_parts(model.station, trajectory)
    assert parts.table is not None
    times = np.linspace(0.0, trajectory.duration, 7)
    arm = aw.model(model.station.arm).fk(parts.arm.evaluate(times).q)
    piece = aw.model(model.station.table).fk(parts.table.evaluate(times).q)  # type: ignore[arg-type]
    whole = model.fk(trajectory.evaluate(times).q)
    np.testing.assert_allclose(np.linalg.inv(piece) @ arm, whole, atol=1e-9)


def test_a_palletiser_rides_along() -> None:
    model = station("irb660 rail alone")
    q0 = np.array([-0.5, 0.2, 0.3, 0.6, 0.4])
    start = model.fk(q0)
    end = start.copy()
    end[:3, 3] += (0.2, 0.6, -0.3)
    path = aw.Path(start, speed=0.4).lin(end)
    trajectory = model.plan(path, q0, external={"rail": [-0.5, 0.3]})
    q = inside_limits(trajectory)
    assert model.chain.arm.keeps_limits(q).all()
    T = model.fk(q)
    way = (end - start)[:3, 3]
    along = (T[:, :3, 3] - start[:3, 3]) @ way / (way @ way)
    assert np.abs(T[:, :3, 3] - start[:3, 3] - along[:, None] * way).max() < FAR
    np.testing.assert_allclose(T[-1], end, atol=1e-9)
    with pytest.raises(MotionError, match=r"rods alone .*external="):
        model.plan(path, q0)


def test_pictures_show_the_arm_where_it_is(tmp_path: Path) -> None:
    model = station("irb2400 rail")
    q = np.array([0.3, 0.5, 1.0, 0.2, 0.3, 0.1, 0.4, 0.7, 0.2])
    skeleton = station_skeleton(model, q)
    poses = model.world(q)
    np.testing.assert_allclose(skeleton.tools[0], poses.tool, atol=1e-9)
    np.testing.assert_allclose(skeleton.tools[1], poses.piece, atol=1e-9)
    with Image.open(draw_station(model, q, tmp_path / "one.png")) as image:
        assert min(image.size) > 400


@pytest.mark.parametrize("name", NAMES)
def test_files_keep_couplings(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    save_station(station(name).station, path)
    assert aw.load_station(path) == station(name).station


def test_external_axes_must_not_be_coupled() -> None:
    arm, table = aw.load_arm("irb2400"), aw.load_arm("turn_tilt")
    with pytest.raises(DescriptionError, match="external axes must not have"):
        aw.Station(table, table=replace(arm, name="carrier"))
    with pytest.raises(DescriptionError, match="axis"):
        aw.Station(arm, table=table, external=2)  # axis 3 follows axis 2, which carries it
