"""Recordings that are made of a running cell, and played."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

from armwerk.cell.record import Recording
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.wire import LiveCell, PlaybackClock, RecordedCell

BALLS = """BORDER -100 -100 100 100
ROBOT0 0 50 0
MANIPULATOR0 planar_rr
BALL 0 0 50 5 0 0.5 FF0000
CUBOID 0 40 5 10 10 10 0000FF
TRIGGER BALLENTERS 7 IN 0 0 50 10 *
"""


class FakeTime:
    """Real time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of two things and an arm; the ball is put elsewhere meanwhile."""
    path = tmp_path_factory.mktemp("recordings") / "fall.jsonl.gz"
    with LiveCell(BALLS) as cell:
        cell.record(path, "fall")
        assert cell.recording == path
        cell.clock.step(500)
        cell.world.send_trigger(9, "HELLO")
        cell.clock.step(500)
        assert cell.stop_recording()[0] == path
        assert cell.recording is None
    return path


def test_a_recording_shows_what_the_world_showed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with LiveCell(BALLS) as cell:
        cell.record(path, "fall")
        cell.world.robots[0].body.set_goal(cell.feed.geometry.motors[0].name, 0.5)
        cell.clock.step(400)
        cell.stop_recording()
        cell.feed.take()
        seen, geometry, time = cell.feed.frame(), cell.feed.geometry, cell.world.time
    played = RecordedCell.load(path)
    assert played.geometry.bodies == geometry.bodies
    assert played.geometry.solids == geometry.solids
    played.clock.seek(1e9)
    frame = played.frame()
    assert frame.time == pytest.approx(time)
    np.testing.assert_allclose(frame.places, seen.places, atol=3e-6)
    np.testing.assert_allclose(frame.turns, seen.turns, atol=2)


def test_between_states_things_are_between_their_places(file: Path) -> None:
    recording, played = Recording.load(file), RecordedCell.load(file)
    k = 20
    times, heights = recording.times, recording.positions[:, 0, 2]
    for share in (0.0, 0.25, 0.999):
        played.clock.seek(float((1 - share) * times[k] + share * times[k + 1]))
        height = played.frame().places[0, 2]
        assert height == pytest.approx((1 - share) * heights[k] + share * heights[k + 1], abs=1e-6)


def test_events_have_their_times(file: Path) -> None:
    told = RecordedCell.load(file).told()
    assert told.events
    assert [event.time for event in told.events] == sorted(event.time for event in told.events)
    hello = next(event for event in told.events if event.text == "HELLO")
    assert (hello.kind, hello.instance) == ("trigger", 9)
    assert any(event.kind == "contact" and event.point for event in told.events)
    assert told.end > told.begin == 0.0
    assert told.whole


def test_the_clock_plays_pauses_seeks_and_ends() -> None:
    time = FakeTime()
    clock = PlaybackClock(np.array([1.0, 1.5, 2.0, 4.0]), time)
    assert (clock.time, clock.status.state) == (1.0, "paused")
    clock.run()
    time.now += 0.75
    assert clock.time == pytest.approx(1.75)
    clock.set_speed(2.0)
    time.now += 0.5
    assert clock.time == pytest.approx(2.75)
    clock.pause()
    time.now += 10.0
    assert clock.time == pytest.approx(2.75)
    clock.step(1)
    assert clock.time == 4.0
    clock.step(-2)
    assert clock.time == 1.5
    clock.step(-1)
    clock.step(-1)
    assert clock.time == 1.0
    clock.step(1)
    assert clock.time == 1.5
    clock.seek(-7.0)
    assert clock.time == 1.0
    clock.seek(3.9)
    clock.run()
    time.now += 1.0
    assert (clock.time, clock.status.state) == (4.0, "paused")
    clock.run()
    assert clock.time == 1.0  # from the beginning again
    for wrong in (-1.0, float("nan"), 1e9):
        with pytest.raises(DescriptionError):
            clock.set_speed(wrong)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7, 0.9])
def test_a_recording_that_was_cut_off_is_played_as_far_as_it_goes(
    file: Path, tmp_path: Path, share: float
) -> None:
    content = file.read_bytes()
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(content[: round(share * len(content))])
    if share < 0.4:  # within the first lines that were kept back
        with pytest.raises(DescriptionError, match=r"header|holds no states"):
            RecordedCell.load(cut)
        return
    played = RecordedCell.load(cut)
    assert not played.told().whole
    assert 0.0 <= played.clock.end <= RecordedCell.load(file).clock.end
    played.clock.seek(played.clock.end)
    assert np.isfinite(played.frame().places).all()


def test_what_is_no_recording_is_refused(tmp_path: Path, file: Path) -> None:
    lines = gzip.decompress(file.read_bytes()).decode().splitlines(keepends=True)
    head, first, second = lines[0], lines[1], lines[2]
    wrong = {
        "empty": "",
        "only a header": head,
        "no cell": head.replace("BALL 0 0 50", "BALL 0 0 zero") + first,
        "another cell": head.replace('"cuboid0"', '"cuboid9"') + first,
        "text": "hello\n",
        "backwards": head + second.replace('"time":0.02', '"time":5') + first,
    }
    for name, text in wrong.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(text)
        with pytest.raises((DescriptionError, ValueError)):
            RecordedCell.load(path)


def test_an_existing_file_is_never_recorded_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("mine")
    with LiveCell(BALLS) as cell:
        with pytest.raises(DescriptionError, match="exists already"):
            cell.record(path)
        assert cell.recording is None
        with pytest.raises(UnsupportedError, match="nothing is being recorded"):
            cell.stop_recording()
    assert path.read_text() == "mine"


def test_an_edit_and_a_reset_end_a_recording_and_keep_it(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl.gz"
    with LiveCell(BALLS) as cell:
        cell.record(one)
        with pytest.raises(UnsupportedError, match="is being recorded"):
            cell.record(other)
        cell.clock.step(100)
        cell.add("BALL 30 0 50 5 0 0.5 FF0000")
        assert cell.recording is None
        cell.record(other)
        cell.clock.step(100)
        cell.clock.reset()
        cell.clock.step(100)
        cell.check(cell.text)
        while cell.recording is not None:
            pass
    assert len(Recording.load(one).times) > 2
    assert np.all(np.diff(Recording.load(other).times) > 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_the_recording_and_not_the_world(tmp_path: Path) -> None:
    path = tmp_path / "full.jsonl"
    with LiveCell(BALLS) as cell:
        cell.record(path)
        recorder = cell._recording._recorder  # type: ignore[union-attr]
        recorder._file.close()
        recorder._file = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115
        cell.clock.step(300)
        cell.place("ball0", (0.0, 0.0, 1.0))
        assert cell.clock.status.state != "failed"
        while cell.recording is not None:
            pass
        assert cell.world.time == pytest.approx(300 * cell.world.dt)


def test_a_recording_that_becomes_too_large_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armwerk.wire.recording.MOST_BYTES", 5_000)
    path = tmp_path / "long.jsonl"
    with LiveCell(BALLS) as cell:
        cell.record(path)
        cell.clock.step(5_000)
        cell.place("ball0", (0.0, 0.0, 1.0))
        while cell.recording is not None:
            pass
        assert cell.clock.status.state != "failed"
        time = cell.world.time
    assert 0.5 < Recording.load(path).times[-1] < time - 1.0
    assert path.stat().st_size < 50_000


def test_what_touched_is_played_with_its_forces(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with LiveCell(BALLS) as cell:
        cell.record(path, "fall")
        cell.clock.step(1000)
        cell.stop_recording()
        weight = 9.81 * float(cell.world.simulation.model.body("thing/cuboid0").mass[0])
    played = RecordedCell.load(path)
    played.clock.seek(played.clock.end)
    told = played.contacts
    assert told is played.contacts  # who has been sent it is not sent it again
    points = np.array(told.points).reshape(-1, 3)
    forces = np.array(told.forces).reshape(-1, 3)
    under = (np.abs(points[:, 0]) < 0.051) & (np.abs(points[:, 1] - 0.4) < 0.051)
    assert np.count_nonzero(under) >= 3
    assert forces[under].sum(axis=0) == pytest.approx([0.0, 0.0, weight], abs=0.05 * weight)
    played.clock.seek(played.clock.begin)
    assert played.contacts is not told


def test_a_recording_without_contacts_is_played(file: Path, tmp_path: Path) -> None:
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    rows = [json.loads(line) for line in lines]
    assert any("contacts" in row for row in rows)
    for row in rows:
        row.pop("contacts", None)
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(row) + "\n" for row in rows))
    played = RecordedCell.load(old)
    played.clock.seek(played.clock.end)
    assert played.contacts.points == ()
