"""The cache of generated code: found again, rebuilt when damaged, never left half written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import scara

from armwerk.caching import cache_folder
from armwerk.derivation.runtime import closed, compile
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import UnsupportedError
from armwerk.robot import Arm, Joint, load_arm

TINY = """
from numba import njit

DOF, LEAVES, GIVEN = 1, 1, ()


@njit("float64(float64)", cache=True)
def one(x):
    return x + {number}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMWERK_CACHE", str(tmp_path))
    return tmp_path


def compiled_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def told(source: str) -> tuple[str, Any, list[str]]:
    """Return the kernels and what was said while they were made."""
    said: list[str] = []
    key, kernels = compile.kernels_for(source, said.append)
    return key, kernels, said


def test_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARMWERK_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("ARMWERK_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "armwerk"


def test_second_time_nothing_is_compiled(folder: Path) -> None:
    source = TINY.format(number=1)
    key, kernels, said = told(source)
    assert said
    assert kernels.one(1.0) == 2.0
    files = compiled_files(folder)
    before = [(path, path.stat().st_mtime_ns) for path in files]
    assert len(files) == 1
    again, kernels, said = told(source)
    assert (again, said) == (key, [])
    assert kernels.one.stats.cache_hits
    assert [(path, path.stat().st_mtime_ns) for path in compiled_files(folder)] == before


def test_machine_code_is_loaded_once(folder: Path) -> None:
    """It is never given back, so a process that makes thousands of models would fill its memory."""
    source = TINY.format(number=7)
    told(source)
    assert told(source)[1] is told(source)[1]


@pytest.mark.parametrize("victim", ["*.nbc", "*.nbi", "kernels.py", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "garbage", "gone"])
def test_damage_is_repaired_silently(folder: Path, victim: str, damage: str) -> None:
    source = TINY.format(number=2)
    told(source)
    path = next(folder.rglob(victim))
    if damage == "gone":
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"\0garbage" * 9)
    _, kernels, said = told(source)
    assert said
    assert kernels.one(1.0) == 3.0
    assert told(source)[2] == []


def test_interrupted_build_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(key: str, place: Path) -> None:
        (place / "half").write_text("x")
        raise KeyboardInterrupt

    source = TINY.format(number=3)
    with monkeypatch.context() as patch:
        patch.setattr(compile, "_module", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compile.kernels_for(source)
    assert not [path for path in folder.rglob("*") if path.is_file()]
    assert told(source)[2]


def test_unwritable_cache_only_costs_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ARMWERK_CACHE", str(tmp_path / "file"))
    assert told(TINY.format(number=4))[1].one(1.0) == 5.0


def test_old_unfinished_builds_are_swept(folder: Path) -> None:
    home = folder / "closed_form"
    (home / ".old").mkdir(parents=True)
    import os

    os.utime(home / ".old", (0, 0))
    (home / ".new").mkdir()
    told(TINY.format(number=5))
    assert not (home / ".old").exists()
    assert (home / ".new").exists()


def test_two_processes_at_once(folder: Path) -> None:
    code = (
        "from armwerk.derivation.runtime.compile import kernels_for\n"
        f"assert kernels_for({TINY.format(number=6)!r})[1].one(1.0) == 7.0\n"
    )
    jobs = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [job.wait() for job in jobs] == [0, 0]
    assert told(TINY.format(number=6))[2] == []
    assert len(list((folder / "closed_form").iterdir())) == 1


def test_source_is_the_same_in_every_process() -> None:
    """Otherwise the key would change and nothing would ever be found again."""
    arm, program = scara()
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from programs import scara\n"
        "from armwerk.derivation.runtime.generate import generate\n"
        "from armwerk.derivation.runtime.kinematics import kinematics\n"
        "arm, program = scara()\n"
        "sys.stdout.write(generate(program, kinematics(arm)))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {generate(program, kinematics(arm))}


def test_an_arm_is_derived_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arm = load_arm("planar_rr")
    said: list[str] = []
    first = closed.closed_form(arm, progress=said.append)
    assert any("deriving" in text for text in said)

    def never(*_: object) -> None:
        raise AssertionError("derived again")

    monkeypatch.setattr(closed, "_derived", never)
    shifted = Arm.from_dh(arm.joints, name="shifted", base=np.diag([1.0, -1.0, -1.0, 1.0]))
    for other in (arm, shifted):
        solver = closed.closed_form(other)
        assert solver.key == first.key
        q = solver.kinematics.sample(1)
        assert len(solver.all(solver.kinematics.pose(q)[0])) >= 1


def test_reason_against_a_closed_form_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = load_arm("gen3")
    with pytest.raises(UnsupportedError, match="no closed-form") as error:
        closed.closed_form(arm)
    monkeypatch.setattr(closed, "_derived", lambda *_: pytest.fail("derived again"))
    with pytest.raises(UnsupportedError, match="no closed-form") as again:
        closed.closed_form(arm)
    assert str(again.value) == str(error.value)


def test_symbols_are_refused_before_any_work(folder: Path) -> None:
    arm = Arm.from_dh([Joint("revolute", a="a1"), Joint("revolute", a=1.0)])
    with pytest.raises(UnsupportedError, match="a1"):
        closed.closed_form(arm)
    assert not list(folder.rglob("*.json"))
    assert ClosedFormSolver is not None
