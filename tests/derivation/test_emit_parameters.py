"""Generated code of arms with symbols: the same numbers as the arm with those numbers has."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from annex_b_arm import annex_b_arm
from emitted import FLAGS, imported

import armwerk as aw
from armwerk.errors import UnsupportedError
from armwerk.mechanics.serial import SerialModel
from armwerk.robot import Arm, Joint

QUARTER = math.pi / 2
needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")


def articulated() -> Arm:
    """Return a six-axis arm whose lengths are symbols, one of them an expression."""
    rows: tuple[tuple[float | str, float | str, float], ...] = (
        ("height", 0.0, QUARTER), (0.0, "upper", 0.0), (0.0, 0.0, QUARTER),
        ("upper / 2 + fore**2", 0.0, -QUARTER), (0.0, 0.0, QUARTER), (0.08, 0.0, 0.0),
    )  # fmt: skip
    joints = [Joint("revolute", d=d, a=a, alpha=alpha) for d, a, alpha in rows]
    return Arm(tuple(joints), name="articulated")


def twisted() -> Arm:
    """Return an arm with a symbolic twist and a symbol that is a word of C."""
    joints = (
        Joint("revolute", a="l1", alpha="beta"),
        Joint("revolute", a="2*l2 + 0.1"),
        Joint("prismatic", d="int", alpha=QUARTER),
    )
    return Arm(joints, name="twisted")


CASES: dict[str, tuple[Arm, dict[str, float], str]] = {
    "articulated": (
        articulated(), {"height": 0.6, "upper": 0.7, "fore": 0.5},
        "height = 600 mm\nupper=0.7 # metres\n\n# the fore arm\n  fore = 5e-1 m\r\n",
    ),
    "twisted": (
        twisted(), {"l1": 0.3, "l2": 0.2, "beta": math.pi / 6, "int": 0.15},
        "beta = 30\nint = 0.15\nl1 = 0.3\nl2 = 200mm",
    ),
    "annex_b": (
        annex_b_arm(), {"a1": 0.4, "a2": 3.5, "d1": 0.05}, "a1 = 0.4\na2 = 3.5\nd1 = 0.05\n",
    ),
}  # fmt: skip
BAD = (
    ("l1 = 1\nwrong = 2", "UNKNOWN_NAME", 2, "line 2: unknown name 'wrong'"),
    ("l1 = 1\n\nl1 = 2", "TWICE", 3, "line 3: 'l1' occurs twice"),
    ("l1 = 0,3", "NO_NUMBER", 1, "line 1: '0,3' is no number"),
    ("l1 =\nl2 = 0.2", "NO_NUMBER", 1, "line 1: '' is no number"),
    ("l1 0.3", "NO_NUMBER", 1, "line 1: '' is no number"),
    ("# all\nl1 = 0.3 deg", "NO_NUMBER", 2, "unit m, mm"),
    ("beta = 30 mm", "NO_NUMBER", 1, "unit deg, rad"),
    ("l1 = inf", "NO_NUMBER", 1, "is no number"),
    ("l1 = 0.3 m m", "NO_NUMBER", 1, "is no number"),
    ("beta = 1\nint = 1\nl2 = 1", "MISSING", 3, "no value for l1"),
    ("", "MISSING", 1, "no value for beta, int, l1, l2"),
)
CODES = {"UNKNOWN_NAME": -1, "NO_NUMBER": -2, "TWICE": -3, "MISSING": -4}


class CompiledWithParameters:
    """The C functions of an arm with symbols."""

    def __init__(self, source: Path, count: int, dof: int, most: int) -> None:
        library = source.with_suffix(".so")
        command = ["gcc", *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self._library = ctypes.CDLL(str(library))
        self._prefix, self._dof, self._most = source.stem, dof, most
        self.values = (ctypes.c_double * count)()

    def parse(self, text: str) -> tuple[int, int]:
        line = ctypes.c_int(-7)
        code = self._call("parseParameters", text.encode(), ctypes.byref(line))
        return code, line.value

    def read(self, path: Path) -> int:
        return self._call("readParameters", str(path).encode(), None)

    def _call(self, name: str, *arguments: Any) -> int:
        ready = [
            a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) if isinstance(a, np.ndarray) else a
            for a in arguments
        ]
        return int(getattr(self._library, f"{self._prefix}_{name}")(self.values, *ready))

    def pose(self, q: np.ndarray) -> np.ndarray:
        pose = np.full((4, 4), np.nan)
        assert self._call("directKinematics", q, pose) == 1
        return pose

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        jacobian = np.full((6, self._dof), np.nan)
        assert self._call("computeJacobian", q, jacobian) == 1
        return jacobian

    def solutions(self, pose: np.ndarray) -> np.ndarray:
        found = np.full((self._most, self._dof), np.nan)
        return found[: self._call("allInverseKinematics", np.ascontiguousarray(pose), found)]

    def nearest(self, q: np.ndarray, pose: np.ndarray) -> np.ndarray | None:
        near = np.array(q)
        found = self._call("inverseKinematics", near, np.ascontiguousarray(pose))
        return near if found else None


def compiled(name: str, folder: Path) -> CompiledWithParameters:
    derivation = aw.derive(CASES[name][0])
    source = derivation.write(folder, formats="c")[1]
    count = len(CASES[name][1])
    return CompiledWithParameters(source, count, derivation.arm.dof, derivation.inverse.branches)


def module(name: str, folder: Path) -> ModuleType:
    return imported(aw.derive(CASES[name][0]).write(folder, formats="python")[0])


def postures(name: str, count: int) -> np.ndarray:
    random = np.random.default_rng(3)
    return random.uniform(-2.5, 2.5, (count, CASES[name][0].dof))


def numeric(name: str) -> SerialModel:
    """Return the model of the arm with numbers."""
    arm, values, _ = CASES[name]
    if name == "annex_b":  # its masses are symbols too
        joints = tuple(Joint(j.kind, d=j.d, a=j.a, alpha=j.alpha) for j in arm.joints)
        arm = Arm(joints, name="annex_b")
    return SerialModel(arm.with_values(values), "numeric")


def with_numbers(arm: Arm, folder: Path) -> ModuleType:
    """Return the generated code of the arm that has numbers from the start."""
    return imported(aw.derive(arm).write(folder / "numbers", formats="python")[0])


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_c_with_parameters_of_a_file(name: str, tmp_path: Path) -> None:
    code, model = compiled(name, tmp_path), numeric(name)
    plain = with_numbers(model.arm, tmp_path)
    file = tmp_path / "dimensions.txt"
    file.write_bytes(CASES[name][2].encode())
    assert code.read(file) == 1
    assert list(code.values) == pytest.approx([v for _, v in sorted(CASES[name][1].items())])
    for q in postures(name, 20):
        pose = model.fk(q)
        assert code.pose(q) == pytest.approx(pose, abs=1e-12)
        assert code.jacobian(q) == pytest.approx(model.jacobian(q), abs=1e-12)
        found = code.solutions(pose)
        assert len(found) == len(plain.all_inverse_kinematics(pose))
        for one in found:
            assert model.fk(one) == pytest.approx(pose, abs=2e-9)
        near = code.nearest(q, pose)
        assert near == pytest.approx(q, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_python_with_parameters_of_a_file(name: str, tmp_path: Path) -> None:
    code, model = module(name, tmp_path), numeric(name)
    plain = with_numbers(model.arm, tmp_path)
    file = tmp_path / "dimensions.txt"
    file.write_bytes(CASES[name][2].encode())
    parameters = code.Parameters.read(file)
    for q in postures(name, 5):
        pose = model.fk(q)
        assert code.direct_kinematics(parameters, q) == pytest.approx(pose, abs=1e-12)
        jacobian = code.compute_jacobian(parameters, q)
        assert jacobian == pytest.approx(model.jacobian(q), abs=1e-12)
        found = code.all_inverse_kinematics(parameters, pose)
        assert len(found) == len(plain.all_inverse_kinematics(pose))
        assert code.inverse_kinematics(parameters, q, pose) == pytest.approx(q, abs=1e-6)


@needs_compiler
def test_bad_files_in_c(tmp_path: Path) -> None:
    code = compiled("twisted", tmp_path)
    assert code.parse(CASES["twisted"][2])[0] == 1
    before = list(code.values)
    for text, problem, line, _ in BAD:
        assert code.parse(text) == (CODES[problem], line), text
    assert list(code.values) == before
    assert code.read(tmp_path / "absent.txt") == 0
    (tmp_path / "long.txt").write_text("# " + "x" * 5000)
    assert code.read(tmp_path / "long.txt") == -5
    assert list(code.values) == before


@needs_compiler
def test_c_without_files_needs_no_stdio(tmp_path: Path) -> None:
    source = aw.derive(twisted()).write(tmp_path, formats="c")[1]
    out = tmp_path / "small.o"
    command = ["gcc", *FLAGS, "-DTWISTED_WITHOUT_FILES", "-c", str(source), "-o", str(out)]
    subprocess.run(command, check=True)
    names = subprocess.run(["nm", "-u", str(out)], capture_output=True, text=True, check=True)
    for word in ("malloc", "fopen", "printf"):
        assert word not in names.stdout


def test_bad_files_in_python(tmp_path: Path) -> None:
    code = module("twisted", tmp_path)
    for text, _, _, message in BAD:
        with pytest.raises(ValueError, match=r"line|no value") as caught:
            code.Parameters.parse(text)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ((Joint("revolute", a="l", alpha="l"), Joint("revolute", a=1.0)), "length .* and an angle"),
        ((Joint("revolute", a=1.0, offset="turn"),), "symbolic offset turn"),
        ((Joint("revolute", a=1.0), Joint("fixed", a="flange")), "fixed joint with symbols"),
    ],
)
def test_symbols_the_code_cannot_take(
    joints: tuple[Joint, ...], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedError, match=message):
        aw.derive(Arm(joints, name="odd")).write(tmp_path, formats=("c", "python"))
    assert list(tmp_path.iterdir()) == []


@needs_compiler
def test_axes_that_share_a_turned_name_compile(tmp_path: Path) -> None:
    # two names for one negative value: both must lead to what is computed
    arm = twisted().with_values(CASES["twisted"][1])
    source = aw.derive(arm).write(tmp_path, formats="c")[1]
    subprocess.run(["gcc", *FLAGS, "-c", str(source), "-o", str(tmp_path / "x.o")], check=True)
