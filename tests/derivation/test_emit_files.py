"""Files of a derivation: whole or not at all, the same every time, nothing elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import armwerk as aw
from armwerk.derivation.emit.files import texts
from armwerk.derivation.emit.models import prefix_of
from armwerk.errors import UnsupportedError

GOLDEN = Path(__file__).parents[1] / "golden"
KEPT = {
    "scara": ("scara.h", "scara.c", "scara.tex"),
    "puma560": ("puma560.h", "puma560.c"),
}
RENEW = "ARMWERK_RENEW_GOLDEN"  # set it to write the golden files anew, then read the difference


def test_names_and_places(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = aw.derive("planar_rr").write(folder)
    assert [path.name for path in paths] == [
        "planar_rr.h", "planar_rr.c", "planar_rr.py", "planar_rr.tex",
    ]  # fmt: skip
    assert sorted(os.listdir(folder)) == sorted(path.name for path in paths)
    assert os.listdir(tmp_path) == ["new"]


@pytest.mark.parametrize("name", KEPT)
def test_golden(name: str) -> None:
    made = texts(aw.derive(name), ("c", "latex"))
    for file in KEPT[name]:
        if os.environ.get(RENEW):
            (GOLDEN / file).write_text(made[file], encoding="utf-8")
        assert made[file] == (GOLDEN / file).read_text(encoding="utf-8"), file


def test_same_bytes_in_another_process() -> None:
    program = (
        "import hashlib, armwerk as aw\n"
        "from armwerk.derivation.emit import FORMATS\n"
        "from armwerk.derivation.emit.files import texts\n"
        "aw.derive('planar_rr').inverse\n"  # what ran before must not matter
        "made = texts(aw.derive('scara'), FORMATS)\n"
        "print(hashlib.sha256(repr(sorted(made.items())).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_unknown_format() -> None:
    with pytest.raises(UnsupportedError, match=r"no format is called 'pascal' \(known: latex, c"):
        aw.derive("scara").write("unused", formats=("pascal",))  # type: ignore[arg-type]
    assert not Path("unused").exists()


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("puma560", "puma560"), ("KR 6-2", "KR_6_2"), ("3R", "arm_3R"), ("if", "if_arm")],
)
def test_prefix(name: str, prefix: str) -> None:
    assert prefix_of(name) == prefix


def test_no_closed_form_is_said(tmp_path: Path) -> None:
    made = texts(aw.derive("xarm6"), ("c", "python"))
    for text in made.values():
        assert "inverseKinematics" not in text
        assert "def inverse_kinematics" not in text
    assert "There is no inverse kinematics here: no closed form" in made["xarm6.h"]
    assert "There is no inverse kinematics here: no closed form" in made["xarm6.py"]
