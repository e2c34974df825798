"""Arms whose closed form needs an equation of degree four.

Witnesses: the general solver, which counts and says when that is proved; random joint values, which
must be found again; gcc for the C code.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from emitted import Compiled, imported

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.emit.latex.inverse import inverse_section
from armwerk.derivation.inverse import inverse_of
from armwerk.derivation.runtime.kinematics import kinematics, wrapped
from armwerk.derivation.runtime.reference import solve

HALF = math.pi / 2
POSES = 12
SAME = 1e-5  # [rad], [m]


def skew(draw: np.random.Generator) -> tuple[float, float, float]:
    """Return d, a, alpha of a joint that has nothing in common with the next."""
    twist = draw.uniform(0.3, 2.8) * draw.choice([-1, 1])
    return draw.uniform(-0.5, 0.5), draw.uniform(0.1, 0.5), twist


def wrist(draw: np.random.Generator, first: int) -> list[tuple[float, float, float]]:
    """Return rows of an arm whose axes first to first + 2 meet in a point."""
    rows = [skew(draw) for _ in range(6)]
    if first > 1:
        rows[first - 2] = (rows[first - 2][0], rows[first - 2][1], 0.9)
    rows[first - 1], rows[first] = (0.2, 0.0, HALF), (0.0, 0.0, -1.2)
    return rows


def parallel(draw: np.random.Generator, first: int) -> list[tuple[float, float, float]]:
    """Return rows of an arm whose axes first to first + 2 are parallel."""
    rows = [skew(draw) for _ in range(6)]
    for k in (first - 1, first):
        rows[k] = (rows[k][0], rows[k][1], 0.0)
    return rows


def built(rows: list[tuple[float, float, float]], kinds: str = "RRRRRR") -> aw.Arm:
    joints = [
        aw.Joint("revolute", d=d, a=a, alpha=alpha)
        if kind == "R"
        else aw.Joint("prismatic", d=d, a=a, alpha=alpha, limits=(-1.0, 1.0))
        for kind, (d, a, alpha) in zip(kinds, rows, strict=True)
    ]
    return aw.Arm.from_dh(joints, name="fourfold")


def known_joints(arm: aw.Arm, draw: np.random.Generator) -> Array:
    """Return joint values, half of them multiples of 30°. Shape (POSES, 6)."""
    q = kinematics(arm).sample(POSES, int(draw.integers(1 << 30)))
    turning = [k for k, joint in enumerate(arm.moving) if joint.kind == "revolute"]
    special = math.pi / 6 * draw.integers(-5, 7, (POSES // 2, len(turning)))
    special += 0.0 if draw.random() < 0.5 else 1e-3
    q[: POSES // 2, turning] = special
    return q


def is_among(q: Array, found: Array, arm: aw.Arm) -> bool:
    gaps = np.where(kinematics(arm).revolute, wrapped(found - q), found - q)
    return bool(len(found)) and bool(np.abs(gaps).max(axis=1).min() < SAME)


def is_regular(model: aw.ArmModel, q: Array) -> bool:
    return bool(np.linalg.svd(model.jacobian(q), compute_uv=False)[-1] > 1e-4)


CLASSES = {
    **{f"axes {k} to {k + 2} meet": (wrist, k) for k in (1, 2, 3, 4)},
    **{f"axes {k} to {k + 2} are parallel": (parallel, k) for k in (1, 2, 3, 4)},
}


@pytest.mark.parametrize("name", CLASSES)
def test_all_solutions(name: str) -> None:
    make, first = CLASSES[name]
    draw = np.random.default_rng(first)
    arm = built(make(draw, first))
    inverse = inverse_of(arm)
    assert inverse.program is not None
    assert inverse.branches == 8
    assert any("degree four" in step.rule for step in inverse.steps)
    general = aw.model(arm, ik="general")
    proved = 0
    for q in known_joints(arm, draw):
        if not is_regular(general, q):
            continue
        pose = general.fk(q)
        (found,) = solve(kinematics(arm), inverse.program, pose[None])
        assert is_among(q, found, arm)
        count = general.solutions(pose)
        if count.proved:
            proved += 1
            assert len(found) == len(count.joints)
    assert proved >= POSES // 2


def with_slide(draw: np.random.Generator, name: str) -> aw.Arm:
    """Return an arm with one slide that is not at right angles to its neighbours."""
    first, second, _, _, fifth, last = (skew(draw) for _ in range(6))
    match name:
        case "first, before a wrist":
            return built(wrist(draw, 4), "TRRRRR")
        case "second, before a wrist":
            return built(wrist(draw, 4), "RTRRRR")
        case "third, before a wrist":
            return built(wrist(draw, 4), "RRTRRR")
        case "fourth, behind a wrist":
            return built(wrist(draw, 1), "RRRTRR")
        case "fourth, along an axis of the wrist":
            rows = [first, second, (0.3, 0.0, 0.0), (0.1, 0.0, HALF), (0.0, 0.0, -1.2), last]
            return built(rows, "RRRTRR")
        case "fourth, across two parallel axes":
            rows = [first, second, (0.3, 0.2, HALF), (0.1, 0.3, -HALF), fifth, last]
            return built(rows, "RRRTRR")
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    [
        "first, before a wrist",
        "second, before a wrist",
        "third, before a wrist",
        "fourth, behind a wrist",
        "fourth, along an axis of the wrist",
        "fourth, across two parallel axes",
    ],
)
def test_a_slide(name: str) -> None:
    draw = np.random.default_rng(5)
    arm = with_slide(draw, name)
    inverse = inverse_of(arm)
    assert inverse.program is not None
    general = aw.model(arm, ik="general")
    for q in known_joints(arm, draw):
        if is_regular(general, q):
            pose = general.fk(q)
            (found,) = solve(kinematics(arm), inverse.program, pose[None])
            assert is_among(q, found, arm)
            count = general.solutions(pose)
            assert not count.proved or len(count.joints) == len(found)


def test_c_and_python_say_the_same(tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    arm = built(wrist(draw, 4))
    d = aw.derive(arm)
    d.write(tmp_path, formats=("c", "python"))
    library = Compiled(tmp_path / "fourfold.c", 6, 8)
    module = imported(tmp_path / "fourfold.py")
    typeset = inverse_section(d)
    assert r"\propto" in typeset
    assert d.inverse.program is not None
    numbers = kinematics(arm)
    for q in known_joints(arm, draw)[POSES // 2 - 2 :]:
        pose = numbers.pose(q[None])[0]
        (expected,) = solve(numbers, d.inverse.program, pose[None])
        for found in (library.all_inverse_kinematics(pose), module.all_inverse_kinematics(pose)):
            assert len(found) >= len(expected)
            assert is_among(q, found, arm)
            assert np.abs(numbers.pose(found) - pose).max() < 1e-9
            assert all(is_among(one, found, arm) for one in expected)


def test_the_explanation_names_it() -> None:
    inverse = inverse_of(built(wrist(np.random.default_rng(2), 4)))
    text = inverse.explain()
    assert "three rotations of a point, axes skew (sub-problem of degree four)" in text
    assert "= lines(" in text
    assert "4 values each, 4 so far" in text
