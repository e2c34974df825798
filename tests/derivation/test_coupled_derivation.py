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
from emitted_motion import PATH, CompiledMotion

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
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


@pytest.fixture(scope="module", params=COUPLED)
def motion(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> CompiledMotion:
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    name: str = request.param
    return CompiledMotion(name, aw.load_arm(name).dof, tmp_path_factory.mktemp(name))


@pytest.mark.parametrize("straight", [0, 1])
def test_motions_in_c_are_those_of_the_drives(motion: CompiledMotion, straight: int) -> None:
    arm = aw.load_arm(motion.name)
    rows = inside(arm, 24)
    refused = 0
    for q0, q1 in zip(rows[::2], rows[1::2], strict=True):
        plan = np.full(7 * arm.dof + 1, 7.0)
        done = motion.call("planPtp", plan, q0, q1, motion.rates, straight)
        if not done:  # a joint leaves its limits on the way
            assert not straight
            assert (plan == 7.0).all()
            with pytest.raises(MotionError, match="follows other axes"):
                aw.ptp(arm, q0, q1, "sync", "trapezoid")
            refused += 1
            continue
        known = aw.ptp(arm, q0, q1, "full" if straight else "sync", "trapezoid")
        duration = float(plan[2 * arm.dof])
        assert duration == pytest.approx(known.duration, rel=1e-9)
        dt = duration / 1000
        q, qd, qdd = motion.ptp_at(plan, dt * np.arange(1001, dtype=np.float64))
        if straight:
            np.testing.assert_allclose(q, known.sample(dt * np.arange(1001))[0], atol=1e-8)
        np.testing.assert_allclose(q[-1], q1, atol=1e-12)
        assert arm.keeps_limits(q).all()
        for k, rows_ in enumerate((q, qd, qdd)):
            share = np.abs(np.diff(rows_, axis=0)).max(axis=0) / dt / motion.rates[:, k]
            assert share.max() <= 1.0 + 1e-7
    assert refused < 6


def test_motions_in_c_refuse_positions_beyond_limits_of_joints(motion: CompiledMotion) -> None:
    arm = aw.load_arm(motion.name)
    q = inside(arm, 1)[0]
    plan = np.full(7 * arm.dof + 1, 7.0)
    for axis, (low, high) in enumerate(arm.limits):
        for stop, beyond in ((low, low - 1e-6), (high, high + 1e-6)):
            other = q.copy()
            other[axis] = beyond
            assert motion.call("planPtp", plan, q, other, motion.rates, 1) == 0
            other[axis] = stop
            kept = int(arm.keeps_limits(other))
            assert motion.call("planPtp", plan.copy(), q, other, motion.rates, 1) == kept
    if motion.name == "irb2400":  # drives within their limits, the elbow beyond its own
        other = np.array([0.0, -1.0, 1.0, 0.0, 0.0, 0.0])
        assert motion.call("planPtp", plan, np.zeros(6), other, motion.rates, 1) == 0
    assert (plan == 7.0).all()


def test_lines_in_c_are_followed_by_the_drives(motion: CompiledMotion) -> None:
    arm, model = aw.load_arm(motion.name), aw.model(motion.name)
    q = np.array(
        {
            "irb660": [0.2, 0.3, 0.6, 0.4],
            "irb2400": [0.2, 0.3, 0.1, 0.4, 0.7, 0.2],
            "coupled_puma": [0.5, 0.9, -2.9, -0.9, 0.7, 2.3],
        }[arm.name]
    )
    start = np.ascontiguousarray(model.fk(q))
    goal = start.copy()
    goal[:3, 3] += (-0.05, 0.2, -0.1)
    line, when = motion.line(start, goal), np.zeros(1)
    share = motion.call("checkLine", line, q, motion.rates, 0.004, when, real=True)
    assert 0.0 < share < 1.0
    known = (
        aw.Path(start, speed=PATH[0], acceleration=PATH[1], jerk=PATH[2]).lin(goal).plan(model, q)
    )
    near = q.copy()
    for time in np.linspace(0.0, float(line[37]), 60):
        assert motion.call("lineAt", line, float(time), near) == 1
        np.testing.assert_allclose(model.fk(near), motion.line_pose(line, time), atol=1e-8)
        want = known.sample(time * known.duration / float(line[37]))[0]
        np.testing.assert_allclose(near, want, atol=2e-3)
    goal[:3, 3] += (4.0, 0.0, 0.0)
    far = motion.line(start, goal)
    assert motion.call("checkLine", far, q, motion.rates, 0.01, when, real=True) == -1.0
