"""Closed-form inverse kinematics of the whole library, and how the production system works."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array, Flags
from armwerk.derivation.equations import count_by_unknowns, kinematic_equations
from armwerk.derivation.inverse import solve_inverse
from armwerk.derivation.inverse.engine import Network, RuleEngine
from armwerk.derivation.inverse.knowledge import RULES
from armwerk.derivation.inverse.memory import Fact, Memory
from armwerk.derivation.inverse.reading import readable
from armwerk.derivation.inverse.solve import freedom
from armwerk.derivation.program import Root
from armwerk.derivation.ring import Angle, Ring
from armwerk.derivation.runtime import reference
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.errors import UnsupportedError

ARMS = [name for name in aw.library() if isinstance(aw.load(name), aw.Arm)]
BY_RULES = {
    "articulated": 8, "cartesian": 1, "cylindrical": 4, "five_axis": 4, "irb120": 8,
    "irb1200": 8, "irb140": 8, "kr16": 8, "kr30_l16": 8, "kr6_r900": 8, "lrmate200id": 8,
    "planar_rr": 1, "planar_tt": 1, "puma560": 8, "scara": 2, "scara2": 2, "simple_arm": 1,
    "stanford": 8, "tx60": 8, "ur10e": 8, "ur16e": 8, "ur3e": 8, "ur5e": 8,
}  # fmt: skip
BY_ELIMINATION = {"typ1": 8, "typ2": 8}
pi = math.pi


def revolute(**row: Any) -> aw.Joint:
    return aw.Joint("revolute", **row)


TYP_1 = aw.Arm.from_dh(
    [
        revolute(alpha=pi / 2),
        revolute(a="a2"),
        revolute(a="a3"),
        revolute(a="a4", alpha=-pi / 2),
        revolute(a="a5", alpha=pi / 2),
        revolute(a="a6"),
    ]
)
TYP_2 = aw.Arm.from_dh(
    [
        revolute(alpha=-pi / 2),
        revolute(d="d2", alpha=pi / 2),
        revolute(offset=-pi / 2, a="-a3", alpha=pi / 2),
        revolute(d="d4", alpha=-pi / 2),
        revolute(alpha=pi / 2),
        revolute(d="d6"),
    ]
)


def random_joints(arm: aw.Arm, count: int, seed: int = 0) -> Array:
    """Angles all the way round, slides over half a metre, limits disregarded."""
    draw = np.random.default_rng(seed)
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    angles = draw.uniform(-pi, pi, (count, arm.dof))
    return np.where(turns, angles, draw.uniform(0.1, 0.6, (count, arm.dof)))


def gap(one: Array, two: Array, turns: Flags) -> Array:
    """Largest joint difference, angles modulo a full turn."""
    difference = np.abs(one - two)
    wrapped = np.where(turns, np.minimum(difference, 2 * pi - difference), difference)
    largest: Array = wrapped.max(axis=-1)
    return largest


@pytest.mark.parametrize("name", sorted(BY_RULES | BY_ELIMINATION))
def test_every_solution_is_found(name: str) -> None:
    arm = aw.load_arm(name)
    inverse = aw.derive(arm).inverse
    assert inverse.method == ("rules" if name in BY_RULES else "elimination")
    assert inverse.branches == (BY_RULES | BY_ELIMINATION)[name]
    numbers = kinematics(arm)
    joints = random_joints(arm, 300)
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    assert inverse.program is not None
    for q, found in zip(
        joints, reference.solve(numbers, inverse.program, numbers.pose(joints)), strict=True
    ):
        assert gap(found, q, turns).min() < 1e-6
        for k in range(len(found) - 1):
            assert gap(found[k + 1 :], found[k], turns).min() > 1e-6


@pytest.mark.parametrize("name", ARMS)
def test_a_method_or_a_reason(name: str) -> None:
    inverse = aw.derive(name).inverse
    if inverse.program is None:
        assert inverse.method == "numeric"
        assert inverse.reason
    elif inverse.program.given:
        assert "redundant" in inverse.reason
    else:
        assert not inverse.reason


def test_seven_axes_with_shoulder_and_wrist_leave_one_angle_free() -> None:
    arm = aw.load("iiwa7")
    inverse = aw.derive(arm).inverse
    assert inverse.program is not None
    (free,) = inverse.program.given
    assert inverse.branches == 8
    assert "7 joints" in inverse.reason
    numbers = kinematics(arm)
    turns = np.ones(7, dtype=bool)
    for q in random_joints(arm, 50):
        pose = numbers.pose(q[None])
        found = reference.solve(numbers, inverse.program, pose, [q[free - 1]])[0]
        assert gap(found, q, turns).min() < 1e-6
        assert np.allclose(found[:, free - 1], q[free - 1])
        other = reference.solve(numbers, inverse.program, pose, [q[free - 1] + 0.1])[0]
        assert len(other) in {0, 2, 4, 8}


@pytest.mark.parametrize(("arm", "first"), [(TYP_1, "θ6"), (TYP_2, "θ3")])
def test_elimination_solves_the_two_arms_of_the_source_with_symbols(
    arm: aw.Arm, first: str
) -> None:
    derivation = aw.derive(arm)
    assert aw.derive(arm, method="rules").inverse.program is None
    inverse = derivation.inverse
    assert inverse.method == "elimination"
    assert inverse.branches == 8
    assert inverse.steps[0].unknowns[0] == first  # the angle the source starts with, too
    assert "Gröbner basis" in inverse.steps[0].remark
    assert set(derivation.ring.parameters) == set(arm.symbols)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("cylindrical", [0, 19, 59, 119, 50, 5, 0]),  # table 4.3 of the source
        ("stanford", [0, 8, 11, 75, 116, 42, 0]),  # table 4.3
        ("typ2", [0, 0, 12, 15, 79, 112, 34]),  # table 4.6
    ],
)
def test_equations_are_counted_as_in_the_source(name: str, counts: list[int]) -> None:
    ring = Ring(aw.load_arm(name))
    equations = kinematic_equations(ring)
    assert len(equations) == 12 * 6 * 7 // 2
    assert count_by_unknowns(equations, 6) == counts


def test_every_equation_holds_at_a_random_posture() -> None:
    for name in ("puma560", "stanford", "scara2", "ur5e", "cylindrical"):
        ring = Ring(aw.load_arm(name))
        memory = Memory(ring, [])
        for equation in kinematic_equations(ring):
            assert memory.vanishes(equation.poly)


def test_base_tool_and_offsets_change_nothing_in_the_solutions() -> None:
    arm = aw.load("puma560")
    turn = aw.geometry.transform(aw.geometry.rotation_about([1, 2, 3], 0.7), [0.1, -0.2, 0.3])
    moved = aw.Arm.from_dh(
        [
            aw.Joint(j.kind, d=j.d, a=j.a, alpha=j.alpha, offset=0.3 * k)
            for k, j in enumerate(arm.joints)
        ],
        base=turn,
        tool=turn @ turn,
    )
    inverse = aw.derive(moved).inverse
    numbers = kinematics(moved)
    joints = random_joints(moved, 50)
    assert inverse.program is not None
    for q, found in zip(
        joints, reference.solve(numbers, inverse.program, numbers.pose(joints)), strict=True
    ):
        assert len(found) == 8
        assert gap(found, q, np.ones(6, dtype=bool)).min() < 1e-6


def test_a_fixed_joint_between_moving_ones_is_folded_away() -> None:
    plain = aw.load("ur5e")
    joints = list(plain.joints)
    body = aw.Link(2.0, (0.1, 0.2, 0.3), (0.03, 0.04, 0.05, 0.001, 0.002, 0.003))
    joints.insert(3, aw.Joint("fixed", a=0.1, alpha=pi / 2, link=body))
    arm = aw.Arm.from_dh(joints)
    derivation = aw.derive(arm)
    assert derivation.ring.dof == 6
    poses = kinematics(derivation.ring.arm).pose(random_joints(arm, 20))
    states = random_joints(arm, 20)
    assert np.abs(poses - aw.model(arm).fk(states)).max() < 1e-12
    expected = aw.model(arm).mass_matrix(states)
    assert np.abs(aw.model(derivation.ring.arm).mass_matrix(states) - expected).max() < 1e-12


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ([aw.Joint("prismatic"), aw.Joint("prismatic", a=0.1), revolute(a=0.2)], "parallel"),
        (
            [
                revolute(alpha=pi / 2),
                revolute(alpha=pi / 2),
                revolute(alpha=pi / 2),
                revolute(a=0.2),
            ],
            "meet in one point",
        ),
        ([revolute(a=0.3), revolute(a=0.2), revolute(a=0.2), revolute(a=0.1)], "3 ways only"),
        ([revolute(a=0.1, d=0.1 * k, alpha=pi / 2) for k in range(1, 8)], "7 joints"),
    ],
)
def test_redundant_arms_say_why(joints: list[aw.Joint], words: str) -> None:
    ring = Ring(aw.Arm.from_dh(joints))
    surplus, reason = freedom(Memory(ring, []))
    assert surplus == 1
    assert words in reason


def test_an_arm_without_closed_form_says_so() -> None:
    # six skew axes with nothing in common
    joints = [revolute(a=0.1 * k, d=0.15 + 0.05 * k, alpha=0.3 + 0.2 * k) for k in range(1, 7)]
    inverse = aw.derive(aw.Arm.from_dh(joints)).inverse
    assert inverse.program is None
    assert inverse.method == "numeric"
    assert "no closed form" in inverse.reason


@pytest.mark.parametrize("name", ["typ1", "typ2"])
def test_conclusions_that_lead_nowhere_come_to_an_end(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armwerk.derivation.inverse.engine.holds", lambda memory, steps: False)
    assert aw.derive(name, method="elimination").inverse.program is None


def test_only_changed_facts_are_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring(aw.load("puma560"))
    memory = Memory(ring, kinematic_equations(ring))
    engine = RuleEngine(memory)
    looked: list[set[Fact]] = []
    update = engine.network.update

    def noted(network: Network, memory: Memory, facts: Iterable[Fact]) -> None:
        facts = list(facts)
        looked.append(set(facts))
        update(memory, facts)

    monkeypatch.setattr(Network, "update", noted)
    assert engine.run()
    untouched = set(memory.facts) - looked[0]
    assert untouched
    assert all(Angle(((1, 1),)) not in fact.unknowns for fact in untouched)
    assert all(Angle(((1, 1),)) in fact.unknowns for fact in looked[0])


def test_explanation_names_rules_equations_and_formulas() -> None:
    text = aw.derive("ur5e").inverse.explain()
    assert "θ1: cosine and sine in one equation (rule 4.5) from equation 1" in text
    assert "θ5 = atan2(" in text
    assert "At most 8 solutions, found by rules." in text


def test_every_rule_states_its_theorem() -> None:
    assert len(RULES) >= 12  # the twelve of the source, and our own
    for rule in RULES:
        assert rule.pattern
        assert rule.solution
        assert rule.branches in {1, 2}
        assert rule.__doc__


def test_two_fold_rules_have_a_root_and_unique_ones_none() -> None:
    for name in BY_RULES:
        for step in aw.derive(name).inverse.steps:
            roots = sum(isinstance(part, Root) for part in step.steps)
            assert step.branches == 2**roots


def test_wrong_method_and_too_many_joints_are_refused_at_once() -> None:
    with pytest.raises(UnsupportedError, match="rules, elimination, twists"):
        aw.derive("puma560", method="magic")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="at most 9"):
        aw.derive(aw.Arm.from_dh([revolute(a=0.1, alpha=pi / 2)] * 12))


def test_same_result_every_time() -> None:
    one, two = (replace(aw.derive("irb140").inverse, naming=None).explain() for _ in range(2))
    assert one == two
    ring = Ring(aw.load("irb140"))
    found = solve_inverse(ring, kinematic_equations(ring), "rules")
    assert readable(ring, found).explain() == one
