"""Loading by name or file, and saving without ever leaving half a file."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from described_arms import random_arm

from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.robot import (
    Arm,
    ArmName,
    Assembly,
    AssemblyName,
    Joint,
    grippers,
    library,
    load,
    load_arm,
    load_assembly,
    save,
)

ENDINGS = ("toml", "xml", "urdf")


def test_library_names_are_sorted_and_load() -> None:
    names = library()
    assert list(names) == sorted(names)
    assert "puma560" in names
    arm = load("puma560")
    assert isinstance(arm, Arm)
    assert arm.name == "puma560"
    assert load(arm) is arm


@pytest.mark.parametrize("what", [None, 3, ["puma560"]])
def test_what_is_no_description_is_refused(what: object) -> None:
    with pytest.raises(DescriptionError, match="a name of the library, a file, an Arm"):
        load(what)  # type: ignore[call-overload]


def test_an_empty_name_is_an_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match="''"):
        load("")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
@pytest.mark.parametrize("ending", ENDINGS)
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path, ending: str) -> None:
    pipe, device = tmp_path / f"pipe.{ending}", tmp_path / f"device.{ending}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(DescriptionError, match="is no file"):
            load(path)


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'puma560'") as caught:
        load("puma561")
    assert "stanford" in str(caught.value)


@pytest.mark.parametrize("what", ["arm.step", Path("puma560"), "folder/puma560", Path("x.txt")])
def test_wrong_endings_say_which_are_right(what: str | Path) -> None:
    with pytest.raises(DescriptionError, match=r"\.xml, \.toml, \.urdf"):
        load(what)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("seed", range(5))
def test_save_and_load(tmp_path: Path, ending: str, seed: int) -> None:
    arm = random_arm(seed, symbols=False)
    path = tmp_path / f"arm.{ending}"
    arm.save(path)
    assert load(path) == arm
    assert load(str(path)) == arm
    upper = tmp_path / f"ARM.{ending.upper()}"
    save(arm, str(upper))
    assert load(upper) == arm
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, upper.name])


def test_saving_keeps_what_was_there_when_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    Arm.from_dh([Joint("revolute")]).save(path)
    before = path.read_bytes()
    with pytest.raises(UnsupportedError, match="URDF holds numbers only"):
        Arm.from_dh([Joint("revolute", a="l1")]).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["arm.urdf"]


def test_a_crash_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.toml"
    arm = Arm.from_dh([Joint("revolute")])
    arm.save(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("armwerk.files.os.replace", fail)
    with pytest.raises(DescriptionError, match="No space left"):
        random_arm(3).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["arm.toml"]


def test_saving_keeps_permissions_and_links(tmp_path: Path) -> None:
    path, link = tmp_path / "arm.toml", tmp_path / "link.toml"
    arm = Arm.from_dh([Joint("revolute")])
    arm.save(path)
    path.chmod(0o640)
    link.symlink_to(path)
    arm.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["missing/arm.toml", "arm.step", "arm"])
def test_places_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(DescriptionError, match="allowed"):
        Arm.from_dh([Joint("revolute")]).save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_load_arm_refuses_assemblies() -> None:
    for name in library():
        if not isinstance(load(name), Arm):
            with pytest.raises(UnsupportedError, match="assembly"):
                load_arm(name)
            break
    assert load_arm("puma560").dof == 6


def test_lists_of_names_open_no_heavy_modules() -> None:
    code = (
        "import sys; from armwerk.robot import library, load; library(); load('puma560');"
        "heavy = {'lxml', 'scipy', 'sympy', 'numba', 'matplotlib'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_type_checkers_know_what_each_name_of_the_library_holds() -> None:
    arms, assemblies = get_args(ArmName), get_args(AssemblyName)
    assert sorted((*arms, *assemblies)) == sorted((*library(), *grippers()))
    assert all(isinstance(load(name), Arm) for name in arms)
    assert all(isinstance(load(name), Assembly) for name in assemblies)


def test_load_assembly_refuses_a_serial_arm() -> None:
    assert load_assembly("tripod").name == "tripod"
    with pytest.raises(UnsupportedError, match="puma560 is a serial arm"):
        load_assembly("puma560")


def test_an_assembly_is_written_as_toml_only(tmp_path: Path) -> None:
    path = tmp_path / "tripod.xml"
    for write in (load("tripod").save, lambda where: save(load("tripod"), where)):
        with pytest.raises(DescriptionError, match="assembly of parts cannot be written"):
            write(path)
    assert not path.exists()
