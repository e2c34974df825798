"""Names of solutions: every solution its own, the same along a path, true to where things are."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import armwerk as aw
from armwerk.derivation.inverse import inverse_of
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.mechanics.serial import SerialModel

ARMS = ["puma560", "ur5e", "irb140", "stanford", "typ1", "typ2", "scara"]


@functools.cache
def model_of(name: str) -> SerialModel:
    return aw.model(aw.load_arm(name), ik="closed")


@pytest.mark.parametrize("name", ARMS)
def test_every_solution_has_a_name_of_its_own(name: str) -> None:
    model = model_of(name)
    draw = np.random.default_rng(2)
    for _ in range(30):
        solutions = model.ik(model.fk(draw.uniform(-2.0, 2.0, model.dof)))
        names = model.configurations(solutions)
        assert len(set(names)) == len(solutions)
        for one, row in zip(names, solutions, strict=True):
            (chosen,) = model.ik(model.fk(row), configuration=one)
            assert np.abs(np.angle(np.exp(1j * (chosen - row)))).max() < 1e-6


@pytest.mark.parametrize("name", ["puma560", "ur5e", "typ2"])
def test_a_name_changes_only_at_singularities(name: str) -> None:
    model = model_of(name)
    draw = np.random.default_rng(3)
    changed = 0
    for _ in range(40):
        first, last = draw.uniform(-2.5, 2.5, (2, 6))
        path = first + np.linspace(0.0, 1.0, 400)[:, None] * (last - first)
        names = np.array(model.configurations(path))
        smallest = np.linalg.svd(model.jacobian(path), compute_uv=False)[:, -1]
        at = np.flatnonzero(names[1:] != names[:-1])
        assert (smallest[at] < 0.03).all()
        changed += len(at)
        passed = np.flatnonzero(np.diff(np.sign(np.linalg.det(model.jacobian(path)))))
        assert set(passed) <= set(at)  # and it does change there
    assert changed > 20


def test_up_is_above_and_right_in_front() -> None:
    model = model_of("puma560")
    draw = np.random.default_rng(4)
    for _ in range(40):
        solutions = model.ik(model.fk(draw.uniform(-2.0, 2.0, 6)))
        frames = model.frames(solutions)
        shoulder, elbow, wrist = (frames[:, k, :3, 3] for k in (1, 2, 4))
        for row, name in enumerate(model.configurations(solutions)):
            in_plane = np.eye(3) - np.outer(frames[row, 1, :3, 2], frames[row, 1, :3, 2])
            line = in_plane @ (wrist[row] - shoulder[row])
            bend = in_plane @ (elbow[row] - shoulder[row])
            above = bend[2] - (bend @ line) / (line @ line) * line[2]
            forward = frames[row, 1, :3, 0] @ line
            assert ("up" in name.split()) == (above > 0.0)
            assert ("right" in name.split()) == (forward > 0.0)
            assert ("flipped" in name.split()) == (np.sin(solutions[row, 4]) < 0.0)


def test_names_select_and_weights_count() -> None:
    model = model_of("puma560")
    q = np.array([0.1, 0.5, -1.2, 0.3, 0.8, 0.0])
    pose = model.fk(q)
    assert model.ik(pose, configuration="left").shape == (4, 6)
    assert model.ik(pose, configuration="left, up").shape == (2, 6)
    for row in model.ik(pose, within_limits=True):
        (name,) = model.configurations(row)
        near = model.ik_nearest(pose, q, configuration=name)
        assert near is not None
        assert np.abs(near - row).max() < 1e-9


def test_weights_decide_what_is_near() -> None:
    model = model_of("ur5e")
    draw = np.random.default_rng(5)
    others = 0
    for _ in range(20):
        pose, q = model.fk(draw.uniform(-2.0, 2.0, 6)), draw.uniform(-2.0, 2.0, 6)
        weights = draw.uniform(0.0, 1.0, 6) ** 4
        found = model.ik_nearest(pose, q, weights=weights)
        plain = model.ik_nearest(pose, q)
        assert found is not None
        assert plain is not None
        gaps = np.angle(np.exp(1j * (model.ik(pose) - q)))  # limits leave two full turns
        best = np.linalg.norm(gaps * weights, axis=1).min()
        assert np.linalg.norm((found - q) * weights) == pytest.approx(best)
        others += np.abs(found - plain).max() > 1e-6
    assert others > 3


def test_what_has_no_names_says_why() -> None:
    model = model_of("puma560")
    with pytest.raises(UnknownNameError, match="sideways"):
        model.ik(model.fk(np.zeros(6)), configuration="sideways")
    with pytest.raises(UnsupportedError, match="xarm6"):
        aw.model("xarm6").configurations(np.zeros(6))
    with pytest.raises(UnsupportedError, match="general"):
        SerialModel(aw.load_arm("puma560")).configurations(np.zeros(6))
    with pytest.raises(UnsupportedError, match="7 joints"):
        aw.model("iiwa7").configurations(np.zeros(7))


@pytest.mark.parametrize("name", ["irb140", "stanford", "typ2", "ur5e", "puma560", "five_axis"])
def test_where_two_names_meet_both_find_the_arm(name: str) -> None:
    model = model_of(name)
    draw = np.random.default_rng(6)
    singular = 0
    for _ in range(60):
        typed = np.radians(30.0) * draw.integers(-5, 7, model.dof)
        rate = np.linalg.svd(model.jacobian(typed), compute_uv=False)[-1]
        singular += bool(rate < 1e-9)
        (own,) = model.configurations(typed)
        assert len(model.ik(model.fk(typed), configuration=own)) > 0, typed
    assert singular > 5


def test_a_stretched_elbow_is_up_and_down() -> None:
    model = model_of("ur5e")
    pose = model.fk([0.3, -1.0, 0.0, 0.4, 0.9, 0.5])
    up, down = (model.ik(pose, configuration=f"{word} unflipped") for word in ("up", "down"))
    assert any(np.abs(row[2]) < 1e-6 for row in up)
    assert any(np.abs(row[2]) < 1e-6 for row in down)


def test_an_arm_of_five_axes_has_two_arms_and_two_elbows() -> None:
    model = model_of("five_axis")
    draw = np.random.default_rng(7)
    for _ in range(30):
        solutions = model.ik(model.fk(draw.uniform(-1.5, 1.5, 5)))
        names = model.configurations(solutions)
        assert len(set(names)) == len(solutions) == 4
        wrists = model.frames(solutions)[:, 3, :2, 3]
        for row, name, wrist in zip(solutions, names, wrists, strict=True):
            front = wrist @ [np.cos(row[0]), np.sin(row[0])]
            assert ("right" in name.split()) == (front > 0.0)


@pytest.mark.parametrize("name", ["puma560", "kr16", "ur5e"])
def test_a_calibrated_arm_has_the_names_of_its_nominal_one(name: str) -> None:
    drawn = aw.load_arm(name)
    draw = np.random.default_rng(8)
    off = draw.normal(0.0, 5e-4, (6, 4))
    joints = [
        dataclasses.replace(
            one,
            d=float(one.d) + d,
            a=float(one.a) + a,
            alpha=float(one.alpha) + alpha,
            offset=float(one.offset) + turn,
        )
        for one, (d, a, alpha, turn) in zip(drawn.joints, off, strict=True)
    ]
    model = aw.model(aw.Arm.from_dh(joints, name="calibrated"))
    assert model.method == "general"
    nominal = model_of(name)
    shared = 0
    for _ in range(40):
        q = draw.uniform(-2.0, 2.0, 6)
        if np.linalg.svd(nominal.jacobian(q), compute_uv=False)[-1] < 0.02:
            continue
        (own,) = model.configurations(q)
        assert own == nominal.configurations(q)[0]
        found = model.ik(model.fk(q), configuration=own)
        assert np.abs(np.angle(np.exp(1j * (found - q)))).max(axis=1).min() < 1e-9
        shared += len(found) > 1  # beside a singularity two may have one name
    assert shared <= 2


@pytest.mark.parametrize("name", ["iiwa7", "panda", "kr16_rail"])
def test_a_calibrated_arm_with_seven_joints_is_seen_to_have_no_closed_form(name: str) -> None:
    """Nothing is tried on it: that would take half a minute."""
    draw = np.random.default_rng(3)
    drawn = aw.load_arm(name)
    joints = [
        dataclasses.replace(
            one,
            a=float(one.a) + draw.normal(0.0, 1e-6),
            alpha=float(one.alpha) + draw.normal(0.0, 1e-6),
        )
        for one in drawn.joints
    ]
    found = inverse_of(dataclasses.replace(drawn, joints=tuple(joints)))
    assert found.program is None
    assert found.reason.startswith("no closed form: no axis meets the next one")
    assert inverse_of(drawn).program is not None
