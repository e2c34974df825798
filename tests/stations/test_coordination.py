"""Seams on a work piece driven by arm, rail and table together."""

from __future__ import annotations

import numpy as np
import pytest
from station_cases import HEIGHT, RADIUS, inside_limits, round_seam, station, torch

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError, ShapeError
from armwerk.motion import Trajectory
from armwerk.stations import FlatSeam, StationModel, station_parts

FAR = 1e-6  # [m] by which the tool may be off its curve over the work piece


def on_the_ring(model: StationModel, q: Array, lean: float) -> None:
    """Check that the tool is on the seam, pointing as it must, and never goes back."""
    T = model.fk(q)
    assert np.abs(np.hypot(T[:, 0, 3], T[:, 1, 3]) - RADIUS).max() < FAR
    assert np.abs(T[:, 2, 3] - HEIGHT).max() < FAR
    angle = np.unwrap(np.arctan2(T[:, 1, 3], T[:, 0, 3]))
    assert (np.diff(angle) >= -1e-9).all()
    wanted = np.array([torch(one, lean) for one in angle])
    assert np.abs(T - wanted).max() < 2 * FAR


def speed_on_the_piece(model: StationModel, trajectory: Trajectory) -> float:
    times = np.linspace(0.0, trajectory.duration, 2001)
    points = model.fk(trajectory.evaluate(times).q)[:, :3, 3]
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).max() / times[1])


@pytest.mark.parametrize(("name", "lean"), [("welding_station", 0.0), ("rail_station", 0.5)])
def test_a_seam_round_a_pipe_in_flat_position(name: str, lean: float) -> None:
    model = station(name)
    trajectory = model.plan(round_seam(np.deg2rad(359), lean), external="flat")
    q = inside_limits(trajectory)
    on_the_ring(model, q, lean)
    down = model.world(q).tool[:, :3, 2]
    assert np.abs(down - [0, 0, -1]).max() < 1e-9
    assert np.ptp(q[:, 0]) == pytest.approx(np.deg2rad(359), abs=1e-6)
    assert speed_on_the_piece(model, trajectory) == pytest.approx(0.05, rel=1e-3)


def test_the_same_seam_with_angles_given() -> None:
    model = station("welding_station")
    start = model.flat(torch(0.0, 0.5))
    turns = [start[0], start[0] - 1.2 * np.deg2rad(200)]  # faster than the seam: the arm makes up
    given = {"turn": turns, "tilt": [start[1], start[1] - 0.2]}
    trajectory = model.plan(round_seam(np.deg2rad(200), 0.5), external=given)
    q = inside_limits(trajectory)
    on_the_ring(model, q, 0.5)
    np.testing.assert_allclose(q[[0, -1], 0], turns, atol=1e-12)
    np.testing.assert_allclose(q[[0, -1], 1], given["tilt"], atol=1e-12)
    assert np.ptp(q[:, 2:], axis=0).max() > 0.05


@pytest.mark.parametrize("name", ["welding_station", "rail_station"])
def test_all_axes_share_a_seam(name: str) -> None:
    model = station(name)
    trajectory = model.plan(round_seam(np.deg2rad(300), 0.3), external="free")
    on_the_ring(model, inside_limits(trajectory), 0.3)


def test_a_rail_that_moves_from_end_to_end() -> None:
    """A line of 4 m along the rail, which stands exactly at its stops at both ends."""
    model = station("kr16_rail")
    q0 = np.array([-2.0, 0.2, -1.4, 1.5, 0.1, 0.6, 0.0])
    start = model.fk(q0)
    end = start.copy()
    end[1, 3] += 4.0
    path = aw.Path(start, speed=0.5).lin(end)
    trajectory = model.plan(path, q0, external={"rail": [-2.0, 2.0]})
    q = inside_limits(trajectory)
    np.testing.assert_allclose(q[[0, -1], 0], [-2.0, 2.0], atol=1e-12)
    assert np.ptp(q[:, 1:], axis=0).max() < 1e-9  # the arm rides along
    T = model.fk(q)
    assert np.abs(T[:, [0, 2], 3] - start[[0, 2], 3]).max() < FAR
    free = model.plan(path, q0)
    inside_limits(free)


def a_frame(model: StationModel) -> tuple[aw.Path, Array]:
    """A square seam on a plate with blends, the torch upright; and values of all axes there."""
    pose = np.diag([-1.0, 1.0, -1.0, 1.0])
    pose[:3, 3] = [0.1, 0.1, 0.05]
    path = aw.Path(pose, speed=0.1, blend=0.02)
    for x, y in ((-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1), (0.1, 0.1)):
        path = path.lin([x, y, 0.05])
    return path, pose


def test_a_square_with_blends_while_the_table_turns() -> None:
    model = station("welding_station")
    path, _ = a_frame(model)
    turns = np.deg2rad([0, -40, -80, -60, 0])
    trajectory = model.plan(path, external={"turn": turns, "tilt": 0.2})
    q = inside_limits(trajectory)
    np.testing.assert_allclose(q[[0, -1], 0], 0.0, atol=1e-12)
    assert np.rad2deg(q[:, 0].min()) == pytest.approx(-80, abs=6)  # corners are rounded off
    T = model.fk(q)
    assert np.abs(T[:, 2, 3] - 0.05).max() < FAR
    assert np.abs(T[:, :2, 3]).max() < 0.1 + FAR
    assert np.abs(T[:, :2, 3]).max(axis=1).min() > 0.1 - 0.01
    assert np.abs(T[:, :3, :3] - np.diag([-1, 1, -1])).max() < FAR
    # no stop on the way
    speed = np.abs(trajectory.evaluate(np.linspace(0.3, trajectory.duration - 0.3, 500)).qd)
    assert speed.max(axis=1).min() > 1e-3


def test_flat_position_with_the_turning_axis_upright_leaves_the_turn_alone() -> None:
    model = station("welding_station")
    path, _ = a_frame(model)
    near = np.array([0.3, 0.0, 0, -1.2, 1.4, 0, 0.5, 0])
    trajectory = model.plan(path, external="flat", near=near)
    q = inside_limits(trajectory)
    assert np.ptp(q[:, 0]) == 0.0
    assert q[0, 0] == 0.3
    assert np.abs(q[:, 1]).max() < 1e-9


def test_flat_position_through_the_upright_direction() -> None:
    """The torch leans from one side to the other: the tilt goes through zero, the turn stays."""
    model = station("welding_station")
    poses = []
    for lean, y in ((-0.5, -0.1), (0.5, 0.1)):
        pose = np.eye(4)
        c, s = np.cos(np.pi + lean), np.sin(np.pi + lean)
        pose[:3, :3] = [[-1, 0, 0], [0, -c, -s], [0, -s, c]]
        pose[:3, 3] = [0, y, 0.1]
        poses.append(pose)
    trajectory = model.plan(aw.Path(poses[0], speed=0.1).lin(poses[1]), external="flat")
    q = inside_limits(trajectory)
    assert np.ptp(q[:, 0]) < 1e-9
    np.testing.assert_allclose(np.sort(q[[0, -1], 1]), [-0.5, 0.5], atol=1e-9)
    assert np.abs(model.world(q).tool[:, :3, 2] - [0, 0, -1]).max() < 1e-9


def test_flat_position_by_another_direction_of_the_tool() -> None:
    model = station("rail_station")
    seam = FlatSeam(direction=(0.0, np.sin(0.2), np.cos(0.2)), others=(("rail", 0.3),))
    trajectory = model.plan(round_seam(1.0), external=seam)
    q = inside_limits(trajectory)
    assert (q[:, 2] == 0.3).all()
    down = model.world(q).tool[:, :3, :3] @ np.array(seam.direction)
    assert np.abs(down - [0, 0, -1]).max() < 1e-9


def test_a_table_of_one_axis_says_by_how_much_it_misses() -> None:
    plate = aw.Arm(
        [aw.Joint("revolute", limits=(-7, 7), max_velocity=2, max_acceleration=5, max_jerk=50,
                  name="turn")],
        "plate", base=np.array([[1, 0, 0, 1.2], [0, 0, -1, 0], [0, 1, 0, 0.6], [0, 0, 0, 1]]),
    )  # fmt: skip
    model = StationModel(aw.Station(aw.load_station("welding_station").arm, plate))
    trajectory = model.plan(round_seam(1.0, lean=np.deg2rad(30)), external="flat")
    assert any("missed by up to 30 deg" in str(notice) for notice in trajectory.notices)
    inside_limits(trajectory)


def test_starting_where_all_axes_stand() -> None:
    model = station("welding_station")
    path = round_seam(1.0, 0.5)
    first = model.plan(path, external="flat").evaluate([0.0]).q[0]
    again = model.plan(path, first, external="flat")
    np.testing.assert_allclose(again.evaluate([0.0]).q[0], first, atol=1e-12)
    off = first.copy()
    off[0] += 0.1
    with pytest.raises(MotionError, match=r"joint 'turn': stands at .* and the path begins with"):
        model.plan(path, off, external="flat")
    off = first.copy()
    off[3] += 0.01
    with pytest.raises(MotionError, match="does not stand at the start"):
        model.plan(path, off, external="flat")


def test_out_of_reach_says_which_range_would_do() -> None:
    model = station("kr16_rail")
    start = model.fk([1.5, 0.0, -1.5, 1.5, 0.0, 0.6, 0.0])
    path = aw.Path(start).lin(start[:3, 3] + [0.05, 0.0, 0.0])
    with pytest.raises(MotionError) as caught:
        model.plan(path, external={"rail": -1.0})
    words = str(caught.value)
    assert "out of reach: with rail at -1 m" in words
    low, high = model.reaching(start, "rail")[0]
    assert f"rail from {low:.4g} to {high:.4g} m would do there" in words
    assert high == 2.0  # not beyond the stop
    far = start.copy()
    far[0, 3] += 5.0
    with pytest.raises(MotionError, match="out of reach"):
        model.plan(aw.Path(far).lin(start), external="free")


def test_out_of_reach_at_the_very_end_of_a_path() -> None:
    model = station("welding_station")
    pose = torch(0.0, 0.5)
    at = model.flat(pose)
    path = aw.Path(pose).lin(pose[:3, 3] + [0, 0, 2.5])
    given = {"turn": at[0], "tilt": at[1]}
    with pytest.raises(MotionError, match=r"at .* of 2\.5 m .*out of reach: with turn at"):
        model.plan(path, external=given)


@pytest.mark.parametrize(
    ("external", "words"),
    [
        ("level", "'free', 'flat' or values"),
        ({"lift": 0.0}, "no external axis is called 'lift'"),
        ([0.0], "values for turn, tilt"),
        ({"turn": [0, 1, 2], "tilt": 0.0}, "2 in all; got 3"),
        ({"turn": [0, 1, 2], "tilt": [0.0, 1.0]}, "one value each"),
        ({"turn": 13.0}, "joint 'turn': 13 rad is out of its range"),
        ({"turn": [0.0, 99.0]}, "out of its range"),
        ({"turn": "much"}, "turn"),
        (FlatSeam(direction=(0, 0, 0)), "direction"),
        (FlatSeam(others=(("turn", 0.0),)), "carries the arm"),
    ],
)
def test_wrong_choices_are_refused(external: object, words: str) -> None:
    with pytest.raises(MotionError, match=words):
        station("welding_station").plan(round_seam(1.0), external=external)  # type: ignore[arg-type]


def test_paths_that_cannot_be_coordinated_are_refused() -> None:
    model = station("welding_station")
    seam = round_seam(1.0)
    with pytest.raises(MotionError, match="no segments"):
        model.plan(aw.Path(torch(0.0)), external="flat")
    with pytest.raises(MotionError, match="joint space"):
        model.plan(seam.ptp(torch(1.0)), external="flat")
    with pytest.raises(MotionError, match="'direction' or 'free'"):
        model.plan(seam.lin([0, 0, 0.3], orientation="free"), external="flat")
    with pytest.raises(MotionError, match="8 values"):
        model.plan(seam, np.zeros(6))
    assert seam.end is not None
    standing = seam.lin(seam.end)
    with pytest.raises(MotionError, match="tool stands"):
        model.plan(standing, external={"turn": [0, 0, 1], "tilt": 1.0})


def test_table_and_arm_get_their_parts_of_a_motion() -> None:
    model = station("rail_station")
    whole = model.plan(round_seam(1.0, 0.5), external="flat")
    table, arm = station_parts(model.station, whole)
    assert table is not None
    times = np.linspace(0.0, whole.duration, 50)
    for parts, all_axes in zip(
        zip(table.evaluate(times), arm.evaluate(times), strict=True),
        whole.evaluate(times),
        strict=True,
    ):
        np.testing.assert_array_equal(np.hstack([parts[0][:, ::-1], parts[1]]), all_axes)
    assert table.limits is not None
    assert table.limits.names == ("tilt", "turn")
    assert arm.duration == whole.duration
    poses = [aw.model(one).fk(part.evaluate(times).q) for one, part in (
        (model.station.table, table), (model.station.arm, arm)) if one is not None]  # fmt: skip
    np.testing.assert_allclose(
        np.linalg.inv(poses[0]) @ poses[1], model.fk(whole.evaluate(times).q), atol=1e-9
    )
    _, riding = station_parts(aw.load_station("kr16_rail"), arm)
    np.testing.assert_array_equal(riding.evaluate(times).q, arm.evaluate(times).q)
    assert np.abs(table.summary().peaks).max() > 0
    with pytest.raises(ShapeError, match="9 axes, the trajectory 7"):
        station_parts(model.station, arm)


def test_flat_position_just_beside_the_upright_direction() -> None:
    """Within a tenth of a degree of upright the table does not turn half round for nothing."""
    model = station("welding_station")
    aside = np.array([[1, 0, 1e-3], [0, 1, 0], [-1e-3, 0, 1]])
    poses = []
    for lean, y in ((-0.5, -0.1), (0.5, 0.1)):
        pose = np.eye(4)
        c, s = np.cos(np.pi + lean), np.sin(np.pi + lean)
        turn = aside @ np.array([[-1, 0, 0], [0, -c, -s], [0, -s, c]])
        u, _, v = np.linalg.svd(turn)
        pose[:3, :3], pose[:3, 3] = u @ v, [0, y, 0.1]
        poses.append(pose)
    trajectory = model.plan(aw.Path(poses[0], speed=0.1).lin(poses[1]), external="flat")
    q = inside_limits(trajectory)
    assert np.rad2deg(np.ptp(q[:, 0])) < 20
    down = np.clip(-model.world(q).tool[:, 2, 2], -1, 1)
    assert np.rad2deg(np.arccos(down)).max() < 0.11
    T = model.fk(q)
    assert np.abs(T[:, [0, 2], 3] - [0.0, 0.1]).max() < FAR


@pytest.mark.parametrize("turn", [-12.5, 12.5])
def test_flat_position_begins_so_that_the_turn_stays_within_its_stops(turn: float) -> None:
    model = station("welding_station")
    near = np.array([turn, 1.0, 0.0, -1.2, 1.4, 0.0, 0.5, 0.0])
    path = round_seam(np.deg2rad(359))
    q = inside_limits(model.plan(path, external="flat", near=near))
    on_the_ring(model, q, 0.0)
    assert np.ptp(q[:, 0]) == pytest.approx(np.deg2rad(359), abs=1e-6)
    assert abs(q[0, 0] - turn) < 3 * np.pi  # a way of one turn must fit before the stop
