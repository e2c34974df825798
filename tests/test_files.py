"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from armwerk.errors import DescriptionError
from armwerk.files import replacing, write_bytes, write_text, write_texts


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    path = write_text(tmp_path / "größe.txt", "Länge [µm]\nzwei\n")
    assert path.read_bytes() == "Länge [µm]\nzwei\n".encode()
    assert os.listdir(tmp_path) == ["größe.txt"]


def test_a_failure_inside_leaves_the_old_file(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "old")

    def interrupted() -> None:
        with replacing(path) as passing:
            passing.write_text("new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        interrupted()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_interrupting_several_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.c").write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("armwerk.files.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_texts(tmp_path, {"one.c": "new", "two.c": "new"})
    assert os.listdir(tmp_path) == ["one.c"]
    assert (tmp_path / "one.c").read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name: Linux only")
def test_a_file_has_no_name_until_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[tuple[list[str], int]] = []
    link = os.link

    def noted(unnamed: str, *places: Path, src_dir_fd: int, follow_symlinks: bool) -> None:
        named.append((os.listdir(tmp_path), os.stat(unnamed).st_size))
        link(unnamed, *places, src_dir_fd=src_dir_fd, follow_symlinks=follow_symlinks)

    monkeypatch.setattr("armwerk.files.os.link", noted)
    write_bytes(tmp_path / "a.bin", b"1" * 10_000)
    assert named == [([], 10_000)]
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_system_without_unnamed_files_writes_them_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armwerk.files.os.link", _refuse)
    assert write_bytes(tmp_path / "a", b"1").read_bytes() == b"1"
    monkeypatch.delattr("armwerk.files.os.O_TMPFILE", raising=False)
    assert write_bytes(tmp_path / "b", b"2").read_bytes() == b"2"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def _refuse(*_: object, **__: object) -> None:
    raise OSError


def test_a_folder_is_made_only_on_wish(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"map: cannot be written \(No such file"):
        write_bytes(tmp_path / "new" / "a.npz", b"1", "map")
    assert write_bytes(tmp_path / "new" / "a.npz", b"1", make_folder=True).read_bytes() == b"1"
    assert [path.name for path in write_texts(tmp_path / "more", {"b": "2", "a": "1"})] == [
        "b",
        "a",
    ]


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DescriptionError, match=r"picture: cannot be written \("):
        write_bytes(tmp_path / "file" / "x.png", b"1", "picture", make_folder=True)


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_obeys_the_umask_without_touching_it(tmp_path: Path) -> None:
    """The mask belongs to the whole process: changing it for a moment would leak to threads."""
    plain = tmp_path / "plain"
    plain.write_text("")
    assert write_text(tmp_path / "a", "").stat().st_mode == plain.stat().st_mode


def test_readers_see_the_old_or_the_new(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "0" * 4096)
    stop = threading.Event()
    seen: set[str] = set()

    def read() -> None:
        while not stop.is_set():
            seen.add(path.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for k in range(200):
        write_text(path, str(k % 10) * 4096)
    stop.set()
    reader.join()
    assert all(len(text) == 4096 and len(set(text)) == 1 for text in seen)
