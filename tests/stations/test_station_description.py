"""Stations: what they are made of, their files, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armwerk as aw
from arm_witness import frames_by_product
from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.robot.arm import row_matrix
from armwerk.stations import mounted, save_station, station_names
from armwerk.stations.file import station_from_toml, station_to_toml
from armwerk.stations.joining import fixed_rows

RAIL = aw.Arm([aw.Joint("prismatic", limits=(0, 3), name="rail")], "rail")
MINE = 'kind = "station"\nname = "mine"\n'


def random_pose(seed: int) -> Array:
    draw = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    if seed % 3 == 0:
        turns = draw.integers(0, 4, 3) * 90
        pose[:3, :3] = Rotation.from_euler("zyx", turns, degrees=True).as_matrix()
    pose[:3, 3] = draw.normal(size=3) * (seed % 4 > 0)
    return pose


@pytest.mark.parametrize("seed", range(60))
def test_two_fixed_rows_make_any_transform(seed: int) -> None:
    wanted = random_pose(seed)
    rows = fixed_rows(wanted)
    assert len(rows) <= 2
    found = np.eye(4)
    for joint in rows:
        values = (joint.offset, joint.d, joint.a, joint.alpha)
        found = found @ row_matrix(*(float(value) for value in values))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_nothing_between_needs_no_row() -> None:
    assert fixed_rows(np.eye(4)) == ()


@pytest.mark.parametrize("seed", range(4))
def test_an_arm_stands_on_its_carrier(seed: int) -> None:
    carrier = replace(RAIL, base=random_pose(seed + 1), tool=random_pose(seed + 2))
    arm = aw.load_arm("kr16")
    whole = mounted(carrier, arm)
    q = np.random.default_rng(seed).uniform(-1, 1, 7)
    apart = frames_by_product(carrier, q[:1])[-1] @ frames_by_product(arm, q[1:])[-1]
    np.testing.assert_allclose(frames_by_product(whole, q)[-1], apart, atol=1e-12)
    masses = sum(float(joint.link.mass) for joint in whole.joints)
    assert masses == pytest.approx(sum(float(joint.link.mass) for joint in arm.joints))


def test_order_and_names_of_axes() -> None:
    station = aw.load_station("rail_station")
    arm = ("A1", "A2", "A3", "A4", "A5", "A6")
    assert station.names == ("turn", "tilt", "rail", *arm)
    assert station.external_names == ("turn", "tilt", "rail")
    assert (station.dof, station.turning, station.carrying) == (9, 2, 1)
    assert tuple(joint.name for joint in station.chain.moving) == station.names
    rows = np.vstack([aw.load_arm("turn_tilt").limits[::-1], aw.load_arm("kr16_rail").limits])
    np.testing.assert_array_equal(station.chain.limits, rows)


def test_an_arm_on_a_rail_is_a_station_by_itself() -> None:
    station = aw.load_station("kr16_rail")
    assert station.external_names == ("rail",)
    assert station.chain is station.arm
    assert station.own.limits.tolist() == aw.load_arm("kr16").limits.tolist()


@pytest.mark.parametrize("name", station_names())
def test_files_are_read_back_equal(name: str, tmp_path: Path) -> None:
    station = aw.load_station(name)
    assert station.name == name
    assert station.source
    assert station.tasks
    save_station(station, tmp_path / "again.toml")
    assert aw.load_station(tmp_path / "again.toml") == station
    assert station_from_toml(station_to_toml(station)) == station
    assert hash(aw.load_station(name)) == hash(station)


def test_files_name_files_beside_them(tmp_path: Path) -> None:
    RAIL.save(tmp_path / "rail.toml")
    text = (
        f'{MINE}[arm]\ndescription = "kr16"\nposition = [0, 0, "200 mm"]\n'
        '[rail]\ndescription = "rail.toml"\nrotation = [0, "90 deg", 0]\n'
        '[table]\ndescription = "turn_tilt"\nposition = [1, 0, 0]\n'
        "[piece]\nposition = [0, 0, 0.1]\n[tool]\nposition = [0, 0, 0.3]\n"
    )
    (tmp_path / "mine.toml").write_text(text)
    station = aw.load_station(tmp_path / "mine.toml")
    assert station.external_names == ("turn", "tilt", "rail")
    assert station.table is not None
    assert station.table.tool[2, 3] == 0.1
    model = aw.StationModel(station)
    at_zero, moved = model.world(np.zeros(9)), model.world([0, 0, 1.5, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(moved.tool[:3, 3] - at_zero.tool[:3, 3], [1.5, 0, 0], atol=1e-12)
    # the arm's own world lies across: its z axis along the rail, 0.2 m up that way
    np.testing.assert_allclose(at_zero.piece[:3, 3], [1.0, 0.0, 1.02], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f'{MINE}[arm]\ndescription = "kr16"\n', 1, "has no external axes"),
        (f'{MINE}[table]\ndescription = "turn_tilt"\n', 1, "missing"),
        (f'{MINE}[arm]\ndescription = "kr61"\n', 4, "kr61"),
        (f"{MINE}[arm]\ndescription = 3\n", 4, "not a text"),
        (f'{MINE}[arm]\ndescription = "kr16"\nplace = [0, 0, 0]\n', 5, "unknown key"),
        (f'{MINE}[arm]\ndescription = "kr16"\nposition = [0, 0]\n', 5, "wrong shape"),
        (f'{MINE}[arm]\ndescription = "kr16_rail"\n[piece]\n', 5, "no table carries it"),
        (f'{MINE}colour = "red"\n[arm]\ndescription = "kr16"\n', 3, "unknown key"),
        (f'{MINE}[arm]\nname = "a"\n[[arm.joint]]\nkind = "screw"\n', 6, "screw"),
        (f'{MINE}external = 9\n[arm]\ndescription = "kr16"\n', 3, "wrong number of external axes"),
        ('kind = "station"\n[arm]\ndescription = "kr16_rail"\n', 1, "missing"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(DescriptionError, match=words) as caught:
        station_from_toml(text, "mine.toml")
    assert str(caught.value).startswith(f"mine.toml:{line}:"), str(caught.value)


def test_what_is_no_station_is_refused(tmp_path: Path) -> None:
    arm = aw.load_arm("kr16")
    with pytest.raises(DescriptionError, match="no external axes"):
        aw.load_station("kr16")
    with pytest.raises(UnknownNameError, match="welding_station"):
        aw.load_station("weldingstation")
    with pytest.raises(DescriptionError, match="joint of that name too"):
        aw.Station(arm, table=aw.load_arm("kr30_l16"))
    symbolic = aw.Arm([aw.Joint("revolute", a="l1", name="turn")], "table")
    with pytest.raises(DescriptionError, match="numbers yet for l1"):
        aw.Station(arm, table=symbolic)
    with pytest.raises(DescriptionError, match=r"\.toml"):
        save_station(aw.load_station("kr16_rail"), tmp_path / "mine.xml")
    assert not list(tmp_path.iterdir())


def test_what_is_no_station() -> None:
    with pytest.raises(DescriptionError, match="no station, got 5"):
        aw.load_station(5)  # type: ignore[arg-type]
