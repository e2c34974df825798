"""Random arms: what is derived can be generated, every name in it is defined, and it is right."""

from __future__ import annotations

import logging
import math
import time

import numpy as np
import pytest
from random_arms import HALF, random_arm

import armwerk as aw
from armwerk.derivation.inverse import inverse_of
from armwerk.derivation.runtime import generate as generating
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.interpreted import interpreted_module
from armwerk.derivation.runtime.kinematics import GIVEN, kinematics, wrapped
from armwerk.derivation.runtime.names import undefined_names

POSES = 4
ROUNDING = 1e-7  # [rad], [m] from what is known; poses here are regular
CROOKED = aw.Arm.from_dh(
    [
        aw.Joint("prismatic", a=0.2, limits=(-1.0, 1.0)),
        aw.Joint("revolute", alpha=-HALF),
        aw.Joint("revolute", alpha=HALF),
        aw.Joint("revolute", a=0.1),
        aw.Joint("prismatic", limits=(-1.0, 1.0)),
    ],
    name="slides at both ends",
)  # a level of its code divides by what can vanish and turns nothing


def _found_again(arm: aw.Arm, draw: np.random.Generator) -> bool:
    """Whether generated code finds random configurations again; False: no closed form."""
    program = inverse_of(arm, None).program
    if program is None:
        return False
    numbers = kinematics(arm)
    source = generate(program, numbers)
    assert undefined_names(source) == ()
    module = interpreted_module(source)
    q = numbers.sample(POSES, int(draw.integers(1 << 30)))
    for row, pose in zip(q, numbers.inner_pose(q), strict=True):
        setting = np.zeros(GIVEN + 4 * len(program.given))
        setting[24:28] = 1.0, 1.0, 0.0, 1e-200
        for k, joint in enumerate(program.given):
            angle = row[joint - 1] + numbers.rows[joint - 1].offset
            setting[GIVEN + 4 * k : GIVEN + 4 * k + 4] = (
                math.cos(angle), math.sin(angle), angle, row[joint - 1],
            )  # fmt: skip
        raw = np.empty((module.LEAVES + 1, module.DOF + 5))
        with np.errstate(all="ignore"):
            module.branches(np.ascontiguousarray(pose), setting, raw)
        verdicts = raw[:-1, module.DOF + 4]
        gaps = raw[:-1, : module.DOF] - row
        gaps = np.abs(np.where(numbers.revolute, wrapped(gaps), gaps)).max(axis=1)
        # a branch that needs care goes to the slow path: degenerate arms have free turns everywhere
        assert (verdicts == 2.0).any() or gaps[verdicts == 1.0].min(initial=9.0) < ROUNDING
    return True


@pytest.mark.parametrize(
    ("count", "seed"), [(60, 1), pytest.param(1000, 2, marks=pytest.mark.soak)]
)
def test_what_is_derived_is_generated_and_right(count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    closed = sum(_found_again(random_arm(draw), draw) for _ in range(count))
    assert closed > 0.7 * count


def test_a_level_that_only_divides() -> None:
    assert _found_again(CROOKED, np.random.default_rng(3))
    model = aw.model(CROOKED, ik="closed")
    q = np.array([0.3, 0.5, 0.7, -0.4, 0.2])
    assert np.abs(model.ik(model.fk(q)) - q).max(axis=1).min() < ROUNDING


@pytest.mark.soak
def test_random_arms_compile() -> None:
    draw = np.random.default_rng(4)
    for _ in range(40):
        arm = random_arm(draw)
        model = aw.model(arm)
        q = kinematics(arm).sample(1, int(draw.integers(1 << 30)))[0]
        assert len(model.ik(model.fk(q))) >= 1


def test_undefined_names_are_named() -> None:
    source = (
        "from math import sqrt\nLIMIT = 2\n"
        "def f(x):\n    for k in range(LIMIT):\n        y = sqrt(x) + k + late\n"
        "        late = y\n    return y + gone\n"
    )
    assert undefined_names(source) == ("f: late", "f: gone")


def test_code_that_does_not_compile_leaves_the_arm_to_numbers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unseen = 0.3 + 1e-9 * (time.time_ns() % 10**7)  # forms of arms seen before are kept on disk
    arm = aw.Arm.from_dh([aw.Joint("revolute", a=unseen), aw.Joint("revolute", a=0.2)], name="two")
    monkeypatch.setattr(generating, "source", lambda _expression, fused: "nobody_knows")
    with caplog.at_level(logging.WARNING):
        model = aw.model(arm)
        assert model.method == "numeric"
    assert "'two'" in caplog.text
    assert "nobody_knows" in caplog.text
    monkeypatch.undo()
    assert aw.model(arm).method == "closed"  # the failure was not kept
