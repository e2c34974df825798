"""Cells on disk, shipped cells, and what the command line changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import armwerk.scene.files as scene_files
from armwerk.errors import DescriptionError, SceneError, UnknownNameError
from armwerk.scene import (
    Robot,
    Scene,
    cells,
    parse_scene,
    read_scene,
    save_scene,
    with_robot,
)
from armwerk.scene.reader import MOST_BYTES

EVERYTHING = Path(__file__).parent / "everything.env"


def test_file_is_read_and_saved(tmp_path: Path) -> None:
    scene = read_scene(EVERYTHING)
    assert scene.file == EVERYTHING
    save_scene(scene, tmp_path / "again.env")
    assert read_scene(str(tmp_path / "again.env")) == scene
    assert [path.name for path in tmp_path.iterdir()] == ["again.env"]


def test_scene_that_cannot_be_written_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cell.env"
    path.write_text("ROBOT 0 0 0")
    with pytest.raises(DescriptionError, match="robot"):
        save_scene(Scene(robots=(Robot(4),)), path)
    assert path.read_text() == "ROBOT 0 0 0"
    with pytest.raises(DescriptionError, match="cannot be written"):
        save_scene(Scene(), tmp_path / "nowhere" / "cell.env")


def test_every_shipped_cell_reads_and_comes_back(tmp_path: Path) -> None:
    for name in cells():
        scene = read_scene(name)
        assert scene.file is not None
        save_scene(scene, tmp_path / "cell.env")
        assert read_scene(tmp_path / "cell.env") == scene


def test_shipped_cells_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cells" / "mobile").mkdir(parents=True)
    (tmp_path / "cells" / "ramp.env").write_text("ROBOT 1 0 0")
    (tmp_path / "cells" / "mobile" / "football.env").write_text("ROBOT 2 0 0")
    (tmp_path / "cells" / "ramp.py").write_text("")
    (tmp_path / "secret.env").write_text("ROBOT 3 0 0")
    monkeypatch.setattr(scene_files, "files", lambda package: tmp_path)
    monkeypatch.chdir(tmp_path / "cells" / "mobile")
    assert cells() == ["mobile/football", "ramp"]
    assert read_scene("mobile/football").robots[0].position == (0.02, 0.0)
    assert read_scene("ramp.env").robots[0].position == (0.01, 0.0)
    with pytest.raises(UnknownNameError, match=r"did you mean 'ramp'\? \(known: mobile/football"):
        read_scene("rampp")
    for name in ("../secret", "football/../../secret"):
        with pytest.raises(UnknownNameError, match=re.escape(f"is called '{name}'")):
            read_scene(name)
    (tmp_path / "cells" / "mobile" / "ramp.env").write_text("ROBOT 9 0 0")
    assert read_scene("ramp.env").robots[0].position == (0.09, 0.0)  # a file goes first


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"none\.env: cell: does not exist"):
        read_scene(tmp_path / "none.env")
    with pytest.raises(DescriptionError, match="is no file"):
        read_scene(tmp_path)
    with pytest.raises((DescriptionError, UnknownNameError), match=r"a.{1,4}b"):
        read_scene("a\0b")
    large = tmp_path / "large.env"
    large.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(SceneError, match="too large"):
        read_scene(large)


def test_bytes_that_are_no_text_are_located(tmp_path: Path) -> None:
    path = tmp_path / "cell.env"
    path.write_bytes("// gr\u00fcn\r\nCONFIG \u00e9x".encode() + b"\xe9t\xe9\nROBOT 0 0 0\n")
    with pytest.raises(SceneError, match="0xe9 is no UTF-8") as caught:
        read_scene(path)
    problem = caught.value.problems[0]
    assert (problem.line, problem.column) == (2, 10)
    assert "0xe9 is no UTF-8" in problem.message
    assert str(caught.value).splitlines()[1].endswith("CONFIG \u00e9x\ufffdt\ufffd")


def test_mark_at_the_start_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "cell.env"
    path.write_bytes(b"\xef\xbb\xbfROBOT 0 0 0")
    assert read_scene(path).robots == (Robot(0),)


def test_changes_of_a_robot_win() -> None:
    scene = parse_scene("MULTIROBOT 2\nROBOT1 10 20 0\nGRIPPER1 old")
    changed = with_robot(scene, 1, gripper="new", angle=1.0)
    assert changed.robots == (Robot(0), Robot(1, (0.1, 0.2), 1.0, gripper="new"))
    assert scene.robots[1].gripper == "old"
    assert with_robot(scene, 0) == scene


def test_robot_that_the_file_allows_is_added() -> None:
    assert with_robot(Scene(), 0, controller="m.A").robots == (Robot(0, controller="m.A"),)
    with pytest.raises(DescriptionError, match=r"no such robot, got 1 .*0 to 0"):
        with_robot(Scene(), 1, controller="m.A")
    with pytest.raises(UnknownNameError, match="did you mean 'gripper'"):
        with_robot(Scene(), 0, griper="x")  # type: ignore[call-arg]
