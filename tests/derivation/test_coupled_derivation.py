"""Derivations of arms with coupled joints: what they say of axes, in words, LaTeX, C and Python."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.coupled import CoupledModel

COUPLED = ["coupled_puma", "irb2400", "irb660"]


def inside(arm: aw.Arm, count: int, seed: int = 3) -> Array:
    low, high = np.clip(arm.limits, -np.pi, np.pi).T
    rows = np.random.default_rng(seed).uniform(low, high, (50 * count, arm.dof))
    return np.asarray(rows[arm.keeps_limits(rows)][:count])


def test_the_explanation_ends_with_the_axes() -> None:
    text = aw.derive("irb660").inverse.explain()
    assert "q3 = m3 - m2, q4 = -m3, q5 = m4" in text
    assert text.endswith("m3 = q2 + q3, m4 = q5")
    assert aw.derive("irb140").coupling is None
    assert "axis values" not in aw.derive("irb140").inverse.explain()


@pytest.mark.parametrize("name", COUPLED)
def test_relations_are_the_inverse_of_each_other_and_those_of_the_arm(name: str) -> None:
    arm, coupling = aw.load_arm(name), aw.derive(name).coupling
    assert coupling is not None
    C = np.array(sympy.Matrix(coupling.sympy_matrix).tolist(), dtype=np.float64)
    np.testing.assert_array_equal(C, arm.coupling_matrix)
    back = np.array([[float(one) for one in row] for row in coupling.inverse])
    np.testing.assert_allclose(back @ C, np.eye(arm.dof), atol=1e-15)


def test_the_formulas_give_the_pose_of_axis_values() -> None:
    arm, d = aw.load_arm("irb2400"), aw.derive("irb2400")
    model = aw.model(arm)
    forward = d.forward.subs(d.values)
    for q in inside(arm, 3):
        angles = {f"q{k}": value for k, value in enumerate(arm.angles(q), start=1)}
        pose = np.array(forward.subs(angles).evalf().tolist(), dtype=np.float64)
        np.testing.assert_allclose(model.arm.base @ pose @ model.arm.tool, model.fk(q), atol=1e-9)


def test_latex_has_a_section_on_the_axes(tmp_path: Path) -> None:
    (path,) = aw.derive("irb2400").write(tmp_path, "latex")
    text = path.read_text()
    assert r"\section{Coupled axes}" in text
    assert "q_{3} &= m_{3} - m_{2}" in text
    assert "m_{3} &= q_{2} + q_{3}" in text
    (plain,) = aw.derive("planar_rr").write(tmp_path, "latex")
    assert "Coupled axes" not in plain.read_text()


@pytest.mark.parametrize("name", COUPLED)
def test_generated_python_solves_poses_of_axis_values(name: str, tmp_path: Path) -> None:
    arm, model = aw.load_arm(name), aw.model(name)
    assert isinstance(model, CoupledModel)
    (path,) = aw.derive(name).write(tmp_path, "python")
    found = importlib.util.spec_from_file_location(f"generated_{name}", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    np.testing.assert_array_equal(module.AXIS_LIMITS, arm.limits)
    for q in inside(arm, 3):
        np.testing.assert_allclose(module.joint_angles(q), arm.angles(q), atol=1e-15)
        np.testing.assert_allclose(module.axis_values(arm.angles(q)), q, atol=1e-13)
        pose = module.direct_kinematics(module.joint_angles(q))
        np.testing.assert_allclose(pose, model.fk(q), atol=1e-12)
        torques = module.axis_torques(model.free.gravity(arm.angles(q)))
        np.testing.assert_allclose(torques, model.gravity(q), atol=1e-9)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_generated_c_turns_axis_values_into_angles_and_back(tmp_path: Path) -> None:
    arm = aw.load_arm("irb660")
    files = aw.derive("irb660").write(tmp_path, "c")
    source = next(path for path in files if path.suffix == ".c")
    library = tmp_path / "arm.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(library), str(source), "-lm"], check=True)
    code = ctypes.CDLL(str(library))
    for q in inside(arm, 5):
        angles, axes = np.zeros(5), np.zeros(4)
        places = [one.ctypes.data_as(ctypes.c_void_p) for one in (q, angles, axes)]
        assert code.irb660_jointAngles(places[0], places[1]) == 1
        np.testing.assert_allclose(angles, arm.angles(q), atol=1e-15)
        pose = np.zeros(16)
        code.irb660_directKinematics(places[1], pose.ctypes.data_as(ctypes.c_void_p))
        np.testing.assert_allclose(pose.reshape(4, 4), aw.model(arm).fk(q), atol=1e-12)
        near = angles.copy()
        assert code.irb660_inverseKinematics(
            near.ctypes.data_as(ctypes.c_void_p), pose.ctypes.data_as(ctypes.c_void_p)
        )
        assert code.irb660_axisValues(near.ctypes.data_as(ctypes.c_void_p), places[2]) == 1
        np.testing.assert_allclose(axes, q, atol=1e-9)
