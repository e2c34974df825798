"""Desks of the studio: files that views open and save."""

from __future__ import annotations

from pathlib import Path

from viewer import Viewer, studio


def test_files_are_listed_read_and_written_below_the_folder_only(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "arm.toml").write_text("name = 'grün'\n", encoding="utf-8")
    (inner / "secret.pem").write_text("no")
    (inner / "out.toml").symlink_to(tmp_path.parent / "elsewhere.toml")
    with studio(tmp_path) as server, Viewer(server) as viewer:
        listed = viewer.ask("ListFiles", endings=[".toml", ".pem"])["result"]
        assert listed == {"type": "FileList", "files": ["inner/arm.toml", "inner/out.toml"]}
        read = viewer.ask("ReadFile", file="inner/arm.toml")["result"]
        assert read == {"type": "FileText", "file": "inner/arm.toml", "text": "name = 'grün'\n"}
        answer = viewer.ask("WriteFile", file="new.irl", text="PROGRAM a;\n")
        assert (answer["problem"], answer["result"]) == ("", None)
        assert (tmp_path / "new.irl").read_text() == "PROGRAM a;\n"
        for name in ("../a.toml", "inner/out.toml", "inner/secret.pem", "/etc/passwd", "a.py"):
            assert "not below the folder" in viewer.ask("ReadFile", file=name)["problem"]
            assert "not below the folder" in viewer.ask("WriteFile", file=name, text="")["problem"]
    assert not (tmp_path.parent / "elsewhere.toml").exists()
