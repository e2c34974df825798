"""Recordings: what was written is read back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from armwerk.cell.record import Header, RecordedRobot, Recorder, Recording, is_recording
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import rotation_about
from armwerk.pictures.cell import Moment
from armwerk.protocol import Note, Trigger

HEADER = Header(
    cell="small",
    environment="BALL 0 0 50 5 0 0.5 FF0000\n",
    things=("ball0", "box"),
    robots=(
        RecordedRobot(0, "scara", None, ("q1", "q2"), ("rad", "m")),
        RecordedRobot(3, None, "parallel_gripper", ("a",), ("rad",)),
    ),
    belts=("conveyor0",),
    rate=100.0,
    dt=0.001,
    seed=7,
    versions={"armwerk": "1", "mujoco": "2"},
)


def moments(count: int = 5) -> list[Moment]:
    random = np.random.default_rng(3)
    made = []
    for index in range(count):
        turns = np.stack([rotation_about(random.normal(size=3), 2.0) for _ in range(2)])
        motors = [{"q1": 0.1 * index, "q2": -0.2}, {"a": 1.0 + index}]
        made.append(
            Moment(index * 0.01, random.normal(size=(2, 3)), turns, motors, (), [0.5 * index])
        )
    return made


def write(path: Path, states: list[Moment], report: bool = True) -> None:
    with Recorder(path, HEADER) as recorder:
        for state in states:
            recorder.state(state)
        recorder.trigger(Trigger(0.02, 3, "RÜN\n\u2028"))
        recorder.note(Note(0.03, -1, "text"))
        if report:
            recorder.report({"ok": True, "time": np.float64(0.04)})


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz", "new/folder/RUN.JSONL"])
def test_round_trip(tmp_path: Path, name: str) -> None:
    path, states = tmp_path / name, moments()
    write(path, states)
    found = Recording.load(path)
    assert found.header == HEADER
    assert np.allclose(found.times, [state.time for state in states])
    assert np.allclose(found.positions, [state.positions for state in states], atol=1e-6)
    assert found.triggers == (Trigger(0.02, 3, "RÜN\n\u2028"),)
    assert found.notes == (Note(0.03, -1, "text"),)
    assert found.report == {"ok": True, "time": 0.04}
    assert np.allclose(found.motors[0], [[0.1 * index, -0.2] for index in range(5)])
    assert np.allclose(found.travels[:, 0], 0.5 * np.arange(5))
    for index, state in enumerate(states):
        again = found.moment(index)
        assert np.allclose(again.rotations, state.rotations, atol=3e-6)
        assert again.motors[1] == pytest.approx(state.motors[1])
    # a radian per hundredth of a second
    assert found.moment(2).rates[1]["a"] == pytest.approx(100.0)
    assert found.moment(0).rates == []


def test_a_thing_by_name(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", moments())
    found = Recording.load(tmp_path / "a.jsonl")
    positions, quaternions = found.thing("box")
    assert positions.shape == (5, 3)
    assert np.allclose(np.linalg.norm(quaternions, axis=1), 1, atol=1e-5)
    with pytest.raises(UnknownNameError, match="bax"):
        found.thing("bax")


def test_nothing_moves(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.jsonl", Header("empty")) as recorder:
        recorder.state(Moment(0.0, np.zeros((0, 3)), np.zeros((0, 3, 3))))
    found = Recording.load(tmp_path / "a.jsonl")
    assert found.positions.shape == (1, 0, 3)
    assert found.moment(0).rotations.shape == (0, 3, 3)
    assert found.report is None


def test_every_line_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    recorder = Recorder(path, HEADER)
    recorder.state(moments()[0])
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["kind"] for line in lines] == ["header", "state"]
    finally:
        recorder.close()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_cut_off_files_can_be_read(tmp_path: Path, name: str) -> None:
    path, count = tmp_path / name, 200
    write(path, moments(count))
    whole = path.read_bytes()
    for fraction in (0.5, 0.8, 0.97):
        path.write_bytes(whole[: int(fraction * len(whole))])
        found = Recording.load(path)
        assert 0.3 * fraction * count < len(found.times) <= count
        assert found.report is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "header"),
        ("{}\n", "no line of a recording"),
        ("nonsense\n", "a.jsonl:1"),
        ("[1]\n", "a.jsonl:1"),
        ('{"kind":"state"}\n', "no line of a recording"),
        ('{"kind":"header","format":"other"}\n', "header"),
        ('{"kind":"header","format":"armwerk recording","version":1}\n', "damaged"),
    ],
)
def test_other_files(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(DescriptionError, match=told):
        Recording.load(tmp_path / "a.jsonl")


def test_damaged_states(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(path, moments(2))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"motors":[[', '"motors":[["x",'), encoding="utf-8")
    with pytest.raises(DescriptionError, match="damaged"):
        Recording.load(path)
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip at all")
    with pytest.raises(DescriptionError, match="cannot be read"):
        Recording.load(tmp_path / "b.jsonl.gz")
    with gzip.open(tmp_path / "c.jsonl.gz", "wb") as file:
        file.write(b"\xff\xfe\n")
    with pytest.raises(DescriptionError, match="not a line of JSON"):
        Recording.load(tmp_path / "c.jsonl.gz")


def test_wrong_places(tmp_path: Path) -> None:
    assert is_recording("a/b.JSONL.GZ")
    assert not is_recording("a.env")
    with pytest.raises(DescriptionError, match="jsonl"):
        Recorder(tmp_path / "a.txt", HEADER)
    (tmp_path / "file").write_text("")
    with pytest.raises(DescriptionError, match="cannot be written"):
        Recorder(tmp_path / "file" / "a.jsonl", HEADER)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(DescriptionError, match="folder"):
        Recorder(tmp_path / "folder.jsonl", HEADER)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_texts_of_any_kind_come_back(tmp_path: Path, name: str) -> None:
    texts = ("half a pair \ud800", "\x00\x1b[31m", "\r\n\u2028", "\U0001f916", "")
    with Recorder(tmp_path / name, Header("odd")) as recorder:
        for text in texts:
            recorder.note(Note(0.0, 0, text))
            recorder.trigger(Trigger(0.0, 0, text))
    found = Recording.load(tmp_path / name)
    assert tuple(note.text for note in found.notes) == texts
    assert tuple(trigger.text for trigger in found.triggers) == texts


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(DescriptionError, match=rf"{name}': cannot be written: No space"):
        write(tmp_path / name, moments(100))
