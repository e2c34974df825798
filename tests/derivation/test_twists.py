"""Inverse kinematics by twists against direct kinematics and against the other two methods."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from witness import serial_arms

from armwerk.derivation.equations import kinematic_equations
from armwerk.derivation.inverse import Inverse, solve_inverse, twists as twists_module
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.solve import freedom
from armwerk.derivation.inverse.subproblems.decomposition import Proposal
from armwerk.derivation.inverse.twists import _tried, solve_by_twists
from armwerk.derivation.program import Let, Program, Root, Slide, Step, Turn
from armwerk.derivation.ring import Angle, Ring
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.reference import solve
from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Joint, load_arm

HALF = math.pi / 2
POSES = 200
SAME = 1e-6  # [rad], [m]
NO_CLOSED_FORM = ("gen3", "xarm6")  # no three axes meet in one point, no three are parallel
BY_ELIMINATION = ("typ1", "typ2", "panda")
CLOSED = [name for name in serial_arms() if name not in NO_CLOSED_FORM]


def random_joints(arm: Arm, count: int, seed: int = 5) -> np.ndarray:
    draw = np.random.default_rng(seed)
    columns = [
        draw.uniform(-3.1, 3.1, count)
        if joint.kind == "revolute"
        else draw.uniform(0.1, 0.8, count)
        for joint in arm.moving
    ]
    return np.stack(columns, axis=1)


def gaps(arm: Arm, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    difference = one - two
    wrapped = np.arctan2(np.sin(difference), np.cos(difference))
    sizes: np.ndarray = np.abs(np.where(turns, wrapped, difference)).max(axis=-1)
    return sizes


def by_twists(arm: Arm, given: tuple[int, ...] = ()) -> Program:
    found = solve_by_twists(Ring(arm), given)
    assert found is not None
    assert found.program is not None
    return found.program


def by_equations(arm: Arm, method: str) -> Program:
    ring = Ring(arm)
    found = solve_inverse(ring, kinematic_equations(ring), method=method)
    assert found.program is not None
    return found.program


def compare(arm: Arm, one: Program, two: Program, poses: int = POSES) -> None:
    """Both programs find the joints that made the pose, and equally many distinct solutions."""
    assert one.given == two.given
    joints = random_joints(arm, poses)
    value = [0.4] * len(one.given)
    joints[:, [number - 1 for number in one.given]] = value
    numbers = kinematics(arm)
    goals = numbers.pose(joints)
    both = (solve(numbers, program, goals, value) for program in (one, two))
    for truth, found, expected in zip(joints, *both, strict=True):
        assert gaps(arm, found, truth).min() < SAME
        assert len(found) == len(expected)
        for k, solution in enumerate(found):
            assert (gaps(arm, found[:k], solution) > SAME).all()
            assert gaps(arm, expected, solution).min() < SAME


@pytest.mark.parametrize("name", CLOSED)
def test_as_many_solutions_as_by_rules_or_elimination(name: str) -> None:
    arm = load_arm(name)
    method = "elimination" if name in BY_ELIMINATION else "rules"
    other = by_equations(arm, method)
    twists = by_twists(arm, other.given)
    assert twists.branches == other.branches
    compare(arm, twists, other)


@pytest.mark.parametrize("joint", [1, 2, 3, 5, 6, 7])
def test_seven_axes_with_any_joint_given_but_the_elbow(joint: int) -> None:
    arm = load_arm("iiwa7")
    program = by_twists(arm, (joint,))
    assert program.branches == 8
    compare(arm, program, program, poses=40)


def test_the_elbow_alone_decides_the_reach_and_cannot_be_given() -> None:
    assert solve_by_twists(Ring(load_arm("iiwa7")), (4,)) is None


@pytest.mark.parametrize("name", NO_CLOSED_FORM)
def test_arms_whose_axes_allow_nothing_are_given_up(name: str) -> None:
    ring = Ring(load_arm(name))
    given = [()] if ring.dof == 6 else [(joint,) for joint in range(1, 8)]
    assert all(solve_by_twists(ring, one) is None for one in given)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("puma560", ["sub-problem 17", "sub-problem 10", "sub-problem 2", "sub-problem 1"]),
        ("stanford", ["sub-problem 16", "sub-problem 9", "sub-problem 2", "sub-problem 1"]),
        ("cylindrical", ["sub-problem 12", "sub-problem 6", "sub-problem 2", "sub-problem 1"]),
        ("ur5e", ["circle and plane", "sub-problem 2", "sub-problem 1", "sub-problem 10"]),
        ("typ1", ["line and line", "sub-problem 2", "sub-problem 1", "sub-problem 10"]),
        ("typ2", ["sub-problem 3", "sub-problem 2", "sub-problem 2", "sub-problem 1"]),
    ],
)
def test_the_sub_problems_that_fit_an_arm(name: str, rules: list[str]) -> None:
    ring = Ring(load_arm(name))
    found = solve_inverse(ring, kinematic_equations(ring), method="twists")
    assert found.method == "twists"
    assert [step.rule for step in found.steps] == rules
    branches = math.prod(step.branches for step in found.steps)
    assert branches == found.branches == (4 if name == "cylindrical" else 8)
    assert all(step.pattern and step.solution and step.remark for step in found.steps)


def test_explanation_holds_every_step_of_the_program_once() -> None:
    found = solve_by_twists(Ring(load_arm("ur5e")))
    assert found is not None
    assert found.program is not None
    explained = [step for one in found.steps for step in one.steps]
    lets = [step.name for step in explained if isinstance(step, Let)]
    assert len(lets) == len(set(lets))
    for step in found.program.steps:
        assert step in explained
    text = found.explain()
    assert "sub-problem 10" in text
    assert "θ2+θ3+θ4" in text
    assert "axes of" in text


@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_six_axes_take_three_rounds_without_going_back(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best sub-problem of each round is a right one: three rounds solve the arm, two do not."""
    monkeypatch.setattr(twists_module, "MAX_ROUNDS", 3)
    found = solve_by_twists(Ring(load_arm(name)))
    assert found is not None
    assert found.program is not None
    monkeypatch.setattr(twists_module, "MAX_ROUNDS", 2)
    assert solve_by_twists(Ring(load_arm(name))) is None


def symbolic(arm: Arm) -> tuple[Arm, dict[str, float]]:
    """The arm with a letter for every length that is not zero."""
    values: dict[str, float] = {}
    joints = []
    for k, joint in enumerate(arm.moving, 1):
        for letter, size in ((f"D{k}", joint.d), (f"A{k}", joint.a)):
            if size:
                values[letter] = float(size)
        d = f"D{k}" if joint.d else 0.0
        a = f"A{k}" if joint.a else 0.0
        joints.append(Joint(joint.kind, d=d, a=a, alpha=joint.alpha, offset=joint.offset))
    return Arm.from_dh(joints, name=arm.name), values


@pytest.mark.parametrize("name", ["puma560", "ur5e", "stanford", "typ1", "typ2", "lrmate200id"])
def test_symbols_for_all_lengths(name: str) -> None:
    arm = load_arm(name)
    letters, values = symbolic(arm)
    program = replace(by_twists(letters), parameters=values)
    compare(arm, program, by_twists(arm), poses=50)


@pytest.mark.parametrize("turn", [0.7, -1.2, 2.0])
def test_oblique_wrist(turn: float) -> None:
    """Axes 4, 5, 6 meet, but not at right angles; solved with cosine and sine of the twist."""
    arm = Arm.from_dh(
        [
            Joint("revolute", d=0.5, a=0.1, alpha=HALF),
            Joint("revolute", a=0.6),
            Joint("revolute", a=0.1, alpha=HALF),
            Joint("revolute", d=0.5, alpha=turn),
            Joint("revolute", alpha=-turn),
            Joint("revolute", d=0.1),
        ],
        name="oblique",
    )
    program = by_twists(arm)
    assert program.branches == 8
    compare(arm, program, program, poses=60)


def random_arm(seed: int) -> Arm | None:
    """Three joints of any kind in front of a spherical wrist; None if refused or redundant."""
    draw = np.random.default_rng(seed)

    def size() -> float:
        return float(draw.choice([0.0, draw.uniform(0.1, 0.5)]))

    front = [
        Joint(
            "prismatic" if draw.uniform() < 1 / 3 else "revolute",
            d=size(),
            a=size(),
            alpha=float(draw.choice([0.0, HALF, -HALF, math.pi])),
            offset=float(draw.choice([0.0, HALF, 0.3])),
        )
        for _ in range(3)
    ]
    wrist = [
        Joint("revolute", d=0.4, alpha=HALF),
        Joint("revolute", alpha=-HALF, offset=0.2),
        Joint("revolute", d=0.1),
    ]
    try:
        arm = Arm.from_dh([*front, *wrist], name=f"random {seed}")
    except DescriptionError:
        return None
    return None if freedom(Memory(Ring(arm), ()))[0] else arm


def test_random_arms_agree_with_the_rules() -> None:
    compared = 0
    for seed in range(40):
        arm = random_arm(seed)
        if arm is None:
            continue
        ring = Ring(arm)
        rules = solve_inverse(ring, kinematic_equations(ring), method="rules")
        if rules.program is None:
            continue
        compare(arm, by_twists(arm), rules.program, poses=15)
        compared += 1
    assert compared >= 12


def test_a_wrong_sub_problem_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that do not lead back to the known postures never reach a program."""

    def spoiled(state: object, proposal: Proposal) -> object:
        builder = _tried(state, proposal)  # type: ignore[arg-type]
        if builder is None:
            return None
        builder.conclusions = [
            replace(one, steps=tuple(_mirrored(step) for step in one.steps))
            for one in builder.conclusions
        ]
        return builder

    monkeypatch.setattr(twists_module, "_tried", spoiled)
    assert solve_by_twists(Ring(load_arm("planar_rr"))) is None


def _mirrored(step: Step) -> Step:
    return replace(step, sine=-step.sine) if isinstance(step, Turn) else step


def test_steps_are_of_the_kinds_that_run_time_code_knows() -> None:
    found: Inverse | None = solve_by_twists(Ring(load_arm("stanford")))
    assert found is not None
    assert found.program is not None
    kinds = {type(step) for step in found.program.steps}
    assert {Root, Turn, Slide} <= kinds
    singles = {step.angle for step in found.program.steps if isinstance(step, Turn)}
    assert {Angle(((joint, 1),)) for joint in (1, 2, 4, 5, 6)} <= singles
