"""Generated C and Python against the numeric models and the interpreter of the programs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emitted import Compiled, imported
from numpy.typing import NDArray
from witness import with_random_links

import armwerk as aw
from armwerk.derivation.runtime import reference
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.mechanics.serial import SerialModel

Array = NDArray[np.float64]
ARMS = (
    "scara",
    "puma560",
    "ur5e",
    "stanford",
    "typ1",
    "typ2",
    "five_axis",
    "iiwa7",
    "cartesian",
    "moved",
)
LANGUAGES = ("c", "python")
BASE = np.array([[0, -1, 0, 0.3], [1, 0, 0, -0.2], [0, 0, 1, 0.5], [0, 0, 0, 1.0]])
TOOL = np.array([[0.8, 0, 0.6, 0.1], [0, 1, 0, 0.02], [-0.6, 0, 0.8, 0.2], [0, 0, 0, 1.0]])


@cache
def derivation(name: str) -> Any:
    if name == "moved":  # base, tool, joint offsets, full inertias and motors at once
        arm = with_random_links(aw.load("stanford"))
        joints = [
            replace(joint, offset=float(joint.offset) + 0.1 * k)
            if joint.kind == "revolute"
            else joint
            for k, joint in enumerate(arm.joints)
        ]
        return aw.derive(replace(arm, name="moved", joints=tuple(joints), base=BASE, tool=TOOL))
    return aw.derive(name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("emitted")


_loaded: dict[tuple[str, str], Any] = {}


def code(name: str, language: str, folder: Path) -> Any:
    """Return the generated functions of an arm."""
    if language == "c" and shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    if (name, language) not in _loaded:
        d = derivation(name)
        files = d.write(folder, formats=(language,))
        main = next(path for path in files if path.suffix in {".c", ".py"})
        if language == "c":
            _loaded[name, language] = Compiled(main, d.arm.dof, d.inverse.branches)
        else:
            _loaded[name, language] = imported(main)
    return _loaded[name, language]


def states(name: str, count: int, seed: int = 5) -> tuple[Array, Array, Array]:
    """Return joint values within the limits, speeds and accelerations. Shapes (count, n)."""
    arm = derivation(name).arm
    random = np.random.default_rng(seed)
    q = kinematics(derivation(name).ring.arm).sample(count, seed)
    limits = arm.limits
    low, high = np.maximum(limits[:, 0], -3.0), np.minimum(limits[:, 1], 3.0)
    middle, half = (low + high) / 2, 0.48 * (high - low)  # a limit itself is a matter of rounding
    q = middle + half * (2 * (q - q.min(axis=0)) / np.ptp(q, axis=0) - 1)
    return q, random.normal(size=q.shape), random.normal(size=q.shape)


def regular(model: SerialModel, q: Array, count: int) -> Array:
    """Return the configurations farthest from singularities; rounding is amplified least there."""
    values = np.linalg.svd(model.jacobian(q), compute_uv=False)
    return q[np.argsort(values[:, 0] / values[:, -1])[:count]]


def sorted_rows(rows: Array) -> Array:
    return rows[np.lexsort(np.round(rows, 6).T)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ARMS)
def test_kinematics(name: str, language: str, folder: Path) -> None:
    made, model = code(name, language, folder), SerialModel(derivation(name).arm, "numeric")
    for q in states(name, 20)[0]:
        assert np.abs(made.direct_kinematics(q) - model.fk(q)).max() < 1e-12
        assert np.abs(made.compute_jacobian(q) - model.jacobian(q)).max() < 1e-12


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ARMS)
def test_dynamics(name: str, language: str, folder: Path) -> None:
    made, model = code(name, language, folder), SerialModel(derivation(name).arm, "numeric")
    for q, qd, qdd in zip(*states(name, 20), strict=True):
        tau = model.inverse_dynamics(q, qd, qdd)
        size = max(1.0, float(np.abs(tau).max()))
        assert np.abs(made.inverse_dynamics(q, qd, qdd) - tau).max() < 1e-12 * size
        mass = model.mass_matrix(q)
        assert np.abs(made.mass_matrix(q) - mass).max() < 1e-12 * max(1.0, float(mass.max()))
        again = made.direct_dynamics(q, qd, tau)
        assert np.abs(again - qdd).max() < 1e-13 * np.linalg.cond(mass) * size


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ARMS)
def test_all_solutions(name: str, language: str, folder: Path) -> None:
    made, d = code(name, language, folder), derivation(name)
    model, numbers = SerialModel(d.arm, "numeric"), kinematics(d.ring.arm)
    given = d.inverse.program.given
    q = regular(model, states(name, 60)[0], 30)
    for start, pose in zip(q, model.fk(q), strict=True):
        free = [float(start[joint - 1]) for joint in given]
        [oracle] = reference.solve(numbers, d.inverse.program, pose[None], free)
        found = made.all_inverse_kinematics(pose, *free)
        assert found.shape == oracle.shape
        # of one pose other branches may be close to a singularity
        worst = max(np.linalg.cond(J) for J in model.jacobian(found))
        gap = np.abs(sorted_rows(found) - sorted_rows(oracle)).max()
        assert gap < 1e-12 * max(1.0, worst / 20.0)
        near = np.where(numbers.revolute, np.pi - np.mod(np.pi - start, 2 * np.pi), start)
        assert np.abs(found - near).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ARMS)
def test_nearest_solution(name: str, language: str, folder: Path) -> None:
    made, d = code(name, language, folder), derivation(name)
    model, given = SerialModel(d.arm, "numeric"), d.inverse.program.given
    q = regular(model, states(name, 60)[0], 10)
    random = np.random.default_rng(2)
    low, high = d.arm.limits.T
    turns = kinematics(d.ring.arm).revolute
    weights = model.chain.metric
    for start, pose in zip(q, model.fk(q), strict=True):
        free = [float(start[joint - 1]) for joint in given]
        stand = start + random.normal(scale=1e-3, size=len(start))
        assert np.abs(made.inverse_kinematics(stand, pose, *free) - start).max() < 1e-9
        stand = start + random.normal(scale=2.0, size=len(start))
        found = made.inverse_kinematics(stand, pose, *free)
        options = []
        for row in made.all_inverse_kinematics(pose, *free):
            shifts = np.array([row + 2 * np.pi * k * turns for k in range(-4, 5)])
            inside = (shifts >= low) & (shifts <= high)
            gaps = np.where(inside, np.abs(shifts - stand) * weights, np.inf).min(axis=0)
            options.append(np.linalg.norm(gaps))
        assert found is not None
        assert ((found >= low) & (found <= high)).all()
        assert np.linalg.norm((found - stand) * weights) == pytest.approx(min(options), abs=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ARMS)
def test_out_of_reach(name: str, language: str, folder: Path) -> None:
    made, d = code(name, language, folder), derivation(name)
    far = np.eye(4)
    far[:3, 3] = 50.0
    broken = np.full((4, 4), np.nan)
    given = [0.1] * len(d.inverse.program.given)
    if "T" not in d.arm.structure:  # a slide reaches that far but for its limits
        assert len(made.all_inverse_kinematics(far, *given)) == 0
    assert made.inverse_kinematics(np.zeros(d.arm.dof), far, *given) is None
    assert len(made.all_inverse_kinematics(broken, *given)) == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["scara", "puma560", "ur5e", "stanford", "typ2", "five_axis"])
def test_singular_poses(name: str, language: str, folder: Path) -> None:
    """Multiples of 90 degrees are the worst poses there are: every one must get a solution."""
    made, d = code(name, language, folder), derivation(name)
    model, turns = SerialModel(d.arm, "numeric"), kinematics(d.ring.arm).revolute
    random = np.random.default_rng(7)
    for _ in range(20):
        quarter = random.integers(-1, 3, d.arm.dof) * np.pi / 2
        q = np.where(turns, quarter, random.uniform(0.1, 0.2, d.arm.dof))
        pose = model.fk(q)
        found = made.all_inverse_kinematics(pose)
        assert len(found) > 0
        for row in found:
            assert np.abs(model.fk(row) - pose).max() < 2e-9


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["puma560", "stanford", "typ1"])
def test_a_free_joint_stays_where_it_is(name: str, language: str, folder: Path) -> None:
    """With the wrist in line, joints 4 and 6 can turn against each other; they need not."""
    made, d = code(name, language, folder), derivation(name)
    model = SerialModel(d.arm, "numeric")
    low, high = d.arm.limits.T
    for q in states(name, 10)[0]:
        q[4] = 0.0
        if ((q > low) & (q < high)).all():
            found = made.inverse_kinematics(q, model.fk(q))
            assert np.abs(model.fk(found) - model.fk(q)).max() < 2e-9
            assert np.abs(found - q).max() < 1e-5
