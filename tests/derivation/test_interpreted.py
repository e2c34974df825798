"""Closed forms that Python runs itself until they are compiled: at once, and with the same bits."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.inverse import inverse_of
from armwerk.derivation.runtime import interpreted
from armwerk.derivation.runtime.closed import closed_form
from armwerk.derivation.runtime.compile import kernels_for, read_source, source_key
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.interpreted import InterpretedKernels, fused, kernels_at_once
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.solver import ClosedFormSolver

STEP = np.pi / 6


def source_of(arm: aw.Arm) -> str:
    program = inverse_of(arm).program
    assert program is not None
    return generate(program, kinematics(arm))


def poses_of(arm: aw.Arm, count: int) -> Array:
    """Return poses, every second with angles that people type."""
    draw = np.random.default_rng(5)
    q = draw.uniform(-2.5, 2.5, (count, arm.dof))
    q[::2] = STEP * draw.integers(-5, 7, (len(q[::2]), arm.dof))
    return aw.model(arm, ik="numeric").fk(q)


@pytest.mark.parametrize("name", ["puma560", "stanford", "typ2", "five_axis", "planar_rr"])
def test_python_and_compiler_give_the_same_bits(name: str) -> None:
    arm = aw.load_arm(name)
    source = source_of(arm)
    key, fast = kernels_for(source)
    slow = InterpretedKernels(source, lambda: fast)
    one, other = (ClosedFormSolver.from_kernels(arm, key, kernels) for kernels in (fast, slow))
    poses = poses_of(arm, 60)
    for pose in poses:
        assert one.all(pose).tobytes() == other.all(pose).tobytes()
    (many, counts), (rows, numbers) = one.all_batch(poses), other.all_batch(poses)
    np.testing.assert_array_equal(many, rows)
    np.testing.assert_array_equal(counts, numbers)
    assert counts.max() > 0


def test_a_fused_sum_is_rounded_once() -> None:
    fma = fused()
    assert fma is not None
    draw = np.random.default_rng(6)
    for a, b in draw.uniform(-2.0, 2.0, (200, 2)):
        left = fma(a, b, -(a * b))  # what rounding the product has taken away
        assert int(left * 2**110) == int(a * 2**52) * int(b * 2**52) * 2**6 - int(a * b * 2**110)


def own_arm(seed: int) -> aw.Arm:
    upper, fore = np.random.default_rng(seed).uniform(0.2, 0.5, 2)
    return aw.Arm.from_dh(
        [
            aw.Joint("revolute", d=0.3, alpha=np.pi / 2),
            aw.Joint("revolute", a=float(upper)),
            aw.Joint("revolute", a=float(fore)),
        ],
        name="own",
    )


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("armwerk.derivation.runtime.compile.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(interpreted, "_waiting", {})
    return tmp_path


def test_an_arm_never_seen_is_not_compiled(empty_cache: Path) -> None:
    arm = own_arm(1)
    solver = closed_form(arm)
    assert isinstance(solver._kernels, InterpretedKernels)
    q = np.array([0.4, 0.7, -0.9])
    pose = aw.model(arm, ik="numeric").fk(q)
    assert np.abs(solver.all(pose) - q).max(axis=1).min() < 1e-12
    assert not (empty_cache / "closed_form").exists()
    assert read_source(solver.key) is not None


def test_what_is_wrong_with_a_pose_is_said_as_by_compiled_code(empty_cache: Path) -> None:
    solver = closed_form(own_arm(2))
    pose = np.eye(4)
    pose[:3, 3] = 0.3, 0.1, 0.4
    for taken in (pose.tolist(), pose.astype(np.float32), np.asfortranarray(pose)):
        solver.all(taken)
    for wrong in (np.zeros((3, 3)), np.full((4, 4), np.nan), "pose", 2.0 * np.eye(4)):
        with pytest.raises(aw.errors.ShapeError):
            solver.all(wrong)


def test_a_later_process_derives_nothing(empty_cache: Path) -> None:
    arm = own_arm(3)
    solver = closed_form(arm)
    assert closed_form(arm)._kernels is solver._kernels
    (kept,) = (empty_cache / "sources").iterdir()
    kept.write_text(kept.read_text(encoding="utf-8") + "\n# damaged\n", encoding="utf-8")
    assert read_source(solver.key) is None
    assert closed_form(arm).key == solver.key  # derived and kept again
    assert read_source(solver.key) is not None


def test_many_poses_and_much_use_are_worth_compiling(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = own_arm(4)
    source = source_of(arm)
    compiled = kernels_for(source)[1]
    asked = []

    def compile_it() -> Kernels:
        asked.append(True)
        return compiled

    monkeypatch.setattr(interpreted, "ENOUGH", 10)
    kernels = InterpretedKernels(source, compile_it)
    solver = ClosedFormSolver.from_kernels(arm, source_key(source), kernels)
    poses = poses_of(arm, 8)
    solver.all_batch(poses)
    assert not asked
    for _ in range(3):
        solver.all(poses[0])
    for _ in range(400):  # it happens in the background
        if solver._one is compiled.one:
            break
        time.sleep(0.05)
    assert solver._one is compiled.one
    assert asked == [True]


def test_code_that_cannot_be_compiled_goes_on_in_python(
    caplog: pytest.LogCaptureFixture,
) -> None:
    arm = own_arm(5)
    source = source_of(arm)

    def broken() -> Kernels:
        raise RuntimeError("no room for machine code")

    kernels = InterpretedKernels(source, broken)
    solver = ClosedFormSolver.from_kernels(arm, "none", kernels)
    poses = np.repeat(poses_of(arm, 6), 100, axis=0)
    _, counts = solver.all_batch(poses, threads=1)
    assert counts.max() > 0
    assert "no room for machine code" in caplog.text
    assert len(solver.all(poses[0])) == counts[0]


def test_undefined_names_are_refused_before_they_run() -> None:
    with pytest.raises(aw.errors.UnsupportedError, match="nowhere"):
        kernels_at_once(source_of(own_arm(6)) + "\n\ndef more():\n    return nowhere\n")


NEVER_SEEN = """
import sys
import numpy as np
import armwerk as aw
length = float(np.random.default_rng().uniform(0.2, 0.5))
joints = [aw.Joint("revolute", a=length), aw.Joint("revolute", a=0.3), aw.Joint("revolute", a=0.1)]
model = aw.model(aw.Arm.from_dh(joints, name="own"))
T = model.fk([0.3, 0.4, 0.5])
assert len(model.ik(T)) == 2
assert model.ik_nearest(T, np.zeros(3)) is not None
for heavy in ("numba", "sympy", "scipy"):
    assert heavy not in sys.modules, heavy
"""


def test_the_first_answer_loads_neither_compiler_nor_sympy() -> None:
    model = aw.model(own_arm(7))  # the kernels that are shared by all arms are compiled here
    model.ik_nearest(model.fk([0.3, 0.4, 0.5]), np.zeros(3))
    done = subprocess.run(
        [sys.executable, "-c", NEVER_SEEN], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
