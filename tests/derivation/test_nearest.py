"""The nearest solution is the nearest: along self-motions, with free angles, at joint limits."""

from __future__ import annotations

import functools
import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from emitted import Compiled, imported

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.runtime import tolerances
from armwerk.errors import ShapeError
from armwerk.mechanics.kernels import turns
from armwerk.mechanics.serial import SerialModel

REDUNDANT = ["iiwa7", "panda", "offsets"]
BESIDE = 0.03  # [rad] every joint is moved from a known solution by at most this
ROUNDING = 1e-9
STRETCHED = -1.5238184  # [rad] elbow of the Puma with wrist and shoulder farthest apart


@functools.cache
def model_of(name: str) -> SerialModel:
    if name == "offsets":  # shoulder and wrist with meeting axes, an elbow with offsets
        joints = [
            aw.Joint(
                "revolute", d=float(j.d), a={2: 0.06, 3: -0.06}.get(k, 0.0), alpha=float(j.alpha),
                offset=float(j.offset), limits=j.limits,
            )
            for k, j in enumerate(aw.load_arm("iiwa7").moving)
        ]  # fmt: skip
        return aw.model(aw.Arm.from_dh(joints, name="offsets"), ik="closed")
    return aw.model(aw.load_arm(name), ik="closed")


def within(model: SerialModel, draw: np.random.Generator, count: int) -> Array:
    low, high = model.limits.T
    return draw.uniform(np.maximum(low, -np.pi), np.minimum(high, np.pi), (count, model.dof))


def hold(model: SerialModel, known: Array, near: Array) -> None:
    """The answer solves the pose of a known solution and is at most as far away as that."""
    pose = model.fk(known)
    found = model.ik_nearest(pose, near)
    assert found is not None
    assert np.abs(model.fk(found) - pose).max() <= 1e-9
    assert ((model.limits[:, 0] <= found) & (found <= model.limits[:, 1])).all()
    apart = np.linalg.norm((found - near) * model.chain.metric)
    assert apart <= np.linalg.norm((known - near) * model.chain.metric) * (1 + 1e-6) + ROUNDING


@pytest.mark.parametrize("name", REDUNDANT)
@pytest.mark.parametrize("count", [150, pytest.param(3400, marks=pytest.mark.soak)])
def test_redundant_arms_stay_beside_a_known_solution(name: str, count: int) -> None:
    model = model_of(name)
    draw = np.random.default_rng(count)
    for known in within(model, draw, count):
        near = known + draw.uniform(-BESIDE, BESIDE, model.dof)
        hold(model, known, np.clip(near, *model.limits.T))


@pytest.mark.parametrize("name", REDUNDANT)
@pytest.mark.parametrize("count", [3, pytest.param(334, marks=pytest.mark.soak)])
def test_no_jump_along_smooth_joint_paths(name: str, count: int) -> None:
    model = model_of(name)
    draw = np.random.default_rng(count + 1)
    share = np.linspace(0.0, 1.0, 51)[:, None]
    for _ in range(count):
        first, last = within(model, draw, 2)
        path = first + share**2 * (3.0 - 2.0 * share) * 0.5 * (last - first)
        for before, known in itertools.pairwise(path):
            hold(model, known, before)


def straight_wrist(model: SerialModel, draw: np.random.Generator) -> tuple[Array, Array]:
    known = within(model, draw, 1)[0]
    known[4] = 0.0
    near = known + draw.uniform(-0.01, 0.01, model.dof)
    return known, np.clip(near, *model.limits.T)


@pytest.mark.parametrize("name", ["ur5e", "puma560", "typ2", "stanford"])
def test_a_free_sum_of_angles_stays_where_the_arm_stands(name: str) -> None:
    model = model_of(name)
    draw = np.random.default_rng(5)
    for _ in range(60):
        hold(model, *straight_wrist(model, draw))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nearest")


@functools.cache
def written(folder: Path, name: str) -> tuple[Path, Path]:
    aw.derive(name).write(folder, formats=("c", "python"))
    return folder / f"{name}.c", folder / f"{name}.py"


@pytest.mark.parametrize("language", ["c", "python"])
@pytest.mark.parametrize("name", ["ur5e", "puma560"])
def test_generated_code_keeps_free_sums_and_limits(name: str, language: str, folder: Path) -> None:
    model = model_of(name)
    source, module = written(folder, name)
    if language == "c" and shutil.which("gcc") is None:
        pytest.fail("no C compiler")
    code = Compiled(source, 6, 8) if language == "c" else imported(module)
    draw = np.random.default_rng(6)
    for _ in range(40):
        known, near = straight_wrist(model, draw)
        found = code.inverse_kinematics(near, model.fk(known))
        assert found is not None
        assert np.abs(found - near).max() < 0.1  # free turns stay, the others are near
    for known in on_limits(model, draw, 40):
        found = code.inverse_kinematics(known, model.fk(known))
        assert found is not None
        assert np.abs(found - known).max() < 1e-5
        assert ((model.limits[:, 0] <= found) & (found <= model.limits[:, 1])).all()


@pytest.mark.parametrize("language", ["c", "python"])
@pytest.mark.parametrize("name", ["ur5e", "puma560"])
def test_generated_code_follows_paths_with_a_straight_wrist(
    name: str, language: str, folder: Path
) -> None:
    """Some lead past a stretched elbow, which no value of a free angle that is tried may reach."""
    model = model_of(name)
    source, module = written(folder, name)
    code = Compiled(source, 6, 8) if language == "c" else imported(module)
    draw = np.random.default_rng(7)
    share = np.linspace(-1.0, 1.0, 21)
    for number in range(12):
        middle = within(model, draw, 1)[0]
        if number % 2:
            middle[2] = 0.0 if name == "ur5e" else STRETCHED
        path = middle + 0.1 * share[:, None] * draw.uniform(-1.0, 1.0, 6)
        path[:, 4] = 0.0
        before = np.clip(path, *model.limits.T)[0]
        for known in np.clip(path, *model.limits.T)[1:]:
            found = code.inverse_kinematics(before, model.fk(known))
            assert found is not None
            apart, most = (
                np.linalg.norm((q - before) * model.chain.metric) for q in (found, known)
            )
            assert apart <= 1.2 * most + ROUNDING
            before = found


def on_limits(model: SerialModel, draw: np.random.Generator, count: int) -> Array:
    """Random configurations with one joint exactly on one of its limits."""
    joints = within(model, draw, count)
    for row in joints:
        bounded = np.flatnonzero(np.isfinite(model.limits).all(axis=1))
        place = draw.choice(bounded)
        row[place] = model.limits[place, draw.integers(2)]
    return joints


@pytest.mark.parametrize("name", ["puma560", "ur5e", "irb140", "stanford", "scara"])
def test_a_joint_on_its_limit_is_kept(name: str) -> None:
    model = model_of(name)
    for known in on_limits(model, np.random.default_rng(1), 100):
        hold(model, known, known)
        pose = model.fk(known)
        inside = model.ik(pose, within_limits=True)
        assert ((model.limits[:, 0] <= inside) & (inside <= model.limits[:, 1])).all()
        gaps = inside - known
        gaps = np.where(model.chain.revolute, np.angle(np.exp(1j * gaps)), gaps)
        endless = bool(model.inverse.solution_set(pose).family)  # type: ignore[attr-defined]
        assert endless or np.abs(gaps).max(axis=1).min() < 1e-5
        many, counts = model.ik_batch(pose[None], within_limits=True)
        assert np.array_equal(many[0, : counts[0]], inside)


@pytest.mark.parametrize("name", ["iiwa7", "kr16_rail", "panda"])
def test_a_redundant_arm_on_its_limits_has_a_solution_within(name: str) -> None:
    model = model_of(name)
    draw = np.random.default_rng(8)
    joints = on_limits(model, draw, 120)
    for row in joints[::2]:  # every joint on one of its limits
        row[:] = model.limits[np.arange(model.dof), draw.integers(0, 2, model.dof)]
    for known in joints:
        pose = model.fk(known)
        inside = model.ik(pose, within_limits=True)
        assert len(inside)
        assert ((model.limits[:, 0] <= inside) & (inside <= model.limits[:, 1])).all()
        assert np.abs(model.fk(inside) - pose).max() <= 2e-9
        many, counts = model.ik_batch(pose[None], within_limits=True)
        assert np.array_equal(many[0, : counts[0]], inside)


def test_beyond_the_limit_by_more_than_rounding_is_beyond() -> None:
    model = model_of("puma560")
    known = np.array([0.3, -0.5, 0.4, 0.2, 0.6, 0.1])
    arm = model.arm
    for beyond, kept in ((0.5e-9, True), (1e-7, False)):
        joints = [
            aw.Joint(
                "revolute", d=j.d, a=j.a, alpha=j.alpha, offset=j.offset,
                limits=(-3.0, 0.3 - beyond) if k == 0 else (-3.0, 3.0),
            )
            for k, j in enumerate(arm.moving)
        ]  # fmt: skip
        tight = aw.model(aw.Arm.from_dh(joints, name="tight"), ik="closed")
        pose = tight.fk(known)
        found = tight.ik(pose, within_limits=True)
        same = np.abs(found - known).max(axis=1) < 1e-6 if len(found) else np.array([False])
        assert same.any() == kept
        nearest = tight.ik_nearest(pose, known)
        assert (nearest is not None and np.abs(nearest - known).max() < 1e-6) == kept


def test_one_slack_for_formulas_and_numbers() -> None:
    assert turns.CHECKED_SLACK == tolerances.LIMIT


def test_wrong_arguments_are_refused_on_the_quick_way_too() -> None:
    model = model_of("puma560")
    q = np.array([0.3, -0.5, 0.4, 0.2, 0.6, 0.1])
    pose = model.fk(q)
    for bad in (np.full(6, np.nan), np.zeros(5), np.zeros((1, 6)), [0.0] * 7):
        with pytest.raises(ShapeError):
            model.ik_nearest(pose, bad)
    for wrong in (pose[:3], np.full((4, 4), np.nan), 2.0 * pose):
        with pytest.raises(ShapeError):
            model.ik_nearest(wrong, q)
    exact = model.ik_nearest(pose, q)
    assert exact is not None
    for given in (list(q), q.astype(np.float32), np.repeat(q, 2)[::2]):
        found = model.ik_nearest(np.asfortranarray(pose), given)
        assert found is not None
        assert np.abs(found - exact).max() < 1e-9
