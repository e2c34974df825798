"""Arms that are not in the library: odd twists, odd orders, odd sizes and odd names."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from emitted import Compiled, imported

import armwerk as aw
from armwerk.derivation.fixed_joints import without_inner_fixed_joints
from armwerk.derivation.inverse.forms import slide_form
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.rules.rule import StepNames
from armwerk.derivation.inverse.rules.sliding import Along
from armwerk.derivation.program import Slide
from armwerk.derivation.ring import Ring
from armwerk.derivation.runtime.kinematics import ArmKinematics, kinematics
from armwerk.derivation.runtime.reference import solve
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import transform_from_pose
from armwerk.robot.dimension import Dimension

HALF = math.pi / 2
SAME = 1e-6  # [rad], [m]


def turn(
    d: Dimension = 0.0,
    a: Dimension = 0.0,
    alpha: Dimension = 0.0,
    offset: Dimension = 0.0,
    **more: Any,
) -> aw.Joint:
    return aw.Joint("revolute", d=d, a=a, alpha=alpha, offset=offset, **more)


def slide(
    d: Dimension = 0.0, a: Dimension = 0.0, alpha: Dimension = 0.0, offset: Dimension = 0.0
) -> aw.Joint:
    return aw.Joint("prismatic", d=d, a=a, alpha=alpha, offset=offset, limits=(-0.9, 1.3))


def fixed(
    d: Dimension = 0.0, a: Dimension = 0.0, alpha: Dimension = 0.0, offset: Dimension = 0.0
) -> aw.Joint:
    return aw.Joint("fixed", d=d, a=a, alpha=alpha, offset=offset)


WRIST = [turn(0.4, 0, -HALF), turn(0, 0, HALF), turn(0.1)]
PUMA_LIKE = [turn(0.4, 0.1, HALF), turn(0, 0.5), turn(0.02, 0.03, HALF)]
ARMS = {
    "wrist at 45 degrees": [
        *PUMA_LIKE, turn(0.45, 0, -HALF / 2), turn(0, 0, HALF / 2), turn(0.1),
    ],
    "wrist at 30 and 60 degrees, offsets": [
        turn(0.4, 0.1, HALF, 0.3), turn(0.05, 0.5, 0, -0.7), turn(0.02, 0.03, HALF, 1.1),
        turn(0.45, 0, -HALF / 3, 0.2), turn(0, 0, HALF / 1.5, -2.5), turn(0.1, 0, 0, 3.0),
    ],
    "oblique shoulder": [turn(0.4, 0.1, 0.87), turn(0.1, 0.5), turn(0.02, 0.03, HALF), *WRIST],
    "oblique elbow": [turn(0.4, 0, HALF), turn(0.1, 0.5, 0.61), turn(0.02, 0.03, HALF), *WRIST],
    "spherical shoulder": [
        turn(0.3, 0, HALF), turn(0, 0, -HALF), turn(0.4, 0.02, HALF),
        turn(0.1, 0.45), turn(0.1, 0.1, HALF), turn(0.1),
    ],
    "three parallel axes first": [
        turn(0.3, 0.4), turn(0.1, 0.35), turn(0.1, 0.1, HALF),
        turn(0.1, 0, -HALF), turn(0.1, 0, HALF), turn(0.07),
    ],
    "antiparallel axes": [
        turn(0.3, 0, HALF), turn(0.1, 0.4, math.pi), turn(0.05, 0.35, math.pi),
        turn(0.1, 0, -HALF), turn(0.1, 0, HALF), turn(0.07),
    ],
    "negative lengths": [
        turn(-0.3, -0.1, -HALF), turn(0, -0.4), turn(-0.05, 0.1, -HALF),
        turn(-0.35, 0, HALF), turn(0, 0, -HALF), turn(-0.1),
    ],
    "one length everywhere": [
        turn(1.0, 0, HALF), turn(0, 1.0), turn(0, 0, HALF),
        turn(1.0, 0, -HALF), turn(0, 0, HALF), turn(1.0),
    ],
    "fixed joints inside": [
        turn(0.4, 0.1, HALF), fixed(0.1, 0.02, 0, 0.3), turn(0, 0.5), turn(0.02, 0.03, HALF),
        fixed(0, 0, 0, 0.5), turn(0.45, 0, -HALF), turn(0, 0, HALF), turn(0.1),
    ],
    "gantry with wrist": [
        slide(0.1, 0, -HALF, -HALF), slide(0.2, 0, HALF, HALF), slide(0.3),
        turn(0.1, 0, -HALF), turn(0, 0, HALF), turn(0.12),
    ],
    "slide between turns": [
        turn(0.3, 0, HALF), slide(0.2, 0.1, HALF, 0.4), turn(0, 0.3, HALF), *WRIST,
    ],
    "turned slide": [
        turn(0.4, 0, -HALF), turn(0.15, 0, HALF, 0.3), slide(0.1, 0, 0, 0.6),
        turn(0.1, 0, -HALF), turn(0, 0, HALF), turn(0.1),
    ],
    "palletiser": [turn(0.5, 0.1, HALF), turn(0, 0.6), turn(0, 0.5), turn(0, 0.1, -HALF)],
    "five turns": [turn(0.3, 0.05, HALF), turn(0, 0.4), turn(0, 0.35), turn(0, 0, HALF), turn(0.1)],
    "turn and two slides": [turn(0.4), slide(0.1, 0, -HALF), slide(0.2, 0.05)],
    "slide between parallel turns": [turn(0.2, 0.4), slide(0.1, 0.1), turn(0.1, 0.3), turn(0.1)],
    "two skew turns": [turn(0.2, 0.3, HALF), turn(0.1, 0.2, 0.3)],
    "three skew turns": [turn(0.2, 0.3, 0.6), turn(0.1, 0.2, 0.9), turn(0.1, 0.1, 0.2)],
    "one turn": [turn(0.2, 0.3, 0.4, 0.5)],
    "one slide": [slide(0.2, 0.3, 0.4, 0.5)],
}  # fmt: skip
BASE = transform_from_pose((0.3, -0.2, 0.5, 0.4, -1.1, 2.0))
TOOL = transform_from_pose((0.05, 0.02, 0.11, 1.2, 0.3, -0.7))


def build(name: str) -> aw.Arm:
    return aw.Arm.from_dh(ARMS[name], name=name, base=BASE, tool=TOOL)


def draw(numbers: ArmKinematics, count: int) -> np.ndarray:
    return numbers.sample(count, seed=8)


def gap(numbers: ArmKinematics, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    difference = one - two
    around = np.arctan2(np.sin(difference), np.cos(difference))
    largest: np.ndarray = np.abs(np.where(numbers.revolute, around, difference)).max(axis=-1)
    return largest


def count_distinct(numbers: ArmKinematics, rows: np.ndarray) -> int:
    kept: list[np.ndarray] = []
    for row in rows:
        if all(gap(numbers, row, other) > SAME for other in kept):
            kept.append(row)
    return len(kept)


@pytest.mark.parametrize("name", ARMS)
def test_two_methods_find_the_same_and_the_generating_joints(name: str) -> None:
    arm = build(name)
    numbers = kinematics(without_inner_fixed_joints(arm))
    joints = draw(numbers, 25)
    poses = aw.model(arm, ik="numeric").fk(joints)
    found = []
    for method in (None, "twists"):
        program = aw.derive(arm, method=method).inverse.program
        assert program is not None
        found.append(solve(numbers, program, poses))
    for q, one, two in zip(joints, *found, strict=True):
        assert gap(numbers, one, q).min() < SAME
        assert gap(numbers, two, q).min() < SAME
        assert count_distinct(numbers, one) == count_distinct(numbers, two)


@pytest.mark.parametrize("name", [n for n in ARMS if "slide" in n or "gantry" in n])
def test_slides_are_never_divided_by_what_can_vanish(name: str) -> None:
    arm = build(name)
    program = aw.derive(arm).inverse.program
    assert program is not None
    for step in program.steps:
        if isinstance(step, Slide):
            assert {s.name for s in step.denominator.free_symbols} <= set(program.parameters)


@pytest.mark.parametrize("name", ["turn and two slides", "two skew turns"])
def test_quarter_turns_are_solved_within_the_half_open_range(name: str) -> None:
    """Here atan2 meets zeros of either sign and exact half turns."""
    arm = build(name)
    model = aw.model(arm, ik="closed")
    numbers = kinematics(arm)
    turns = numbers.revolute
    grid = np.stack(np.meshgrid(*[np.arange(-1, 3)] * model.dof), axis=-1).reshape(-1, model.dof)
    joints = np.where(turns, HALF * grid, 0.25 * grid)
    found, counts = model.ik_batch(model.fk(joints))
    assert (counts >= 1).all()
    for q, rows, count in zip(joints, found, counts, strict=True):
        assert gap(numbers, rows[:count], q).min() < SAME
        assert (rows[:count, turns] > -np.pi).all()
        assert (rows[:count, turns] <= np.pi).all()
    one = np.concatenate([model.ik(pose) for pose in model.fk(joints)])
    assert (one[:, turns] > -np.pi).all()


def test_half_a_turn_is_positive_whatever_the_sign_of_a_rounding_error() -> None:
    arm = aw.Arm.from_dh([turn(0.2, 0.3), turn(0.1, 0.2, HALF)])
    model = aw.model(arm, ik="closed")
    pose = model.fk([np.pi, 0.0])
    pose[1, 0], pose[1, 3] = -1e-17, -1e-17
    for found in (model.ik(pose), model.ik_batch(pose[None])[0][0]):
        np.testing.assert_allclose(found, [[np.pi, 0.0]], atol=1e-12)


def test_half_a_turn_is_positive_in_c_and_in_python(tmp_path: Path) -> None:
    arm = aw.Arm.from_dh([turn(0.2, 0.3), turn(0.1, 0.2, HALF)], name="two")
    d = aw.derive(arm)
    d.write(tmp_path, formats=("c", "python"))
    pose = aw.model(arm, ik="numeric").fk([np.pi, 0.0])
    pose[1, 0], pose[1, 3] = -1e-17, -1e-17
    in_c = Compiled(tmp_path / "two.c", d.arm.dof, d.inverse.branches)
    for found in (
        in_c.all_inverse_kinematics(pose),
        imported(tmp_path / "two.py").all_inverse_kinematics(pose),
    ):
        np.testing.assert_allclose(found, [[np.pi, 0.0]], atol=1e-12)


@pytest.mark.parametrize(("q", "inside"), [(-1.0, False), (-0.8, True), (1.2, True), (1.4, False)])
def test_a_slide_beyond_either_limit_is_not_the_nearest(q: float, inside: bool) -> None:
    model = aw.model(aw.Arm.from_dh(ARMS["turn and two slides"]), ik="closed")
    pose = model.fk([0.3, q, 0.2])
    near = model.ik_nearest(pose, [0.0, 0.0, 0.0])
    assert (near is not None) == inside
    assert model.solve(pose).reason == (
        "solved" if inside else "every solution of this pose violates a joint limit"
    )


def test_slides_that_become_parallel_are_a_family_with_a_member_within_limits() -> None:
    arm = aw.Arm.from_dh([slide(0.1, 0.2, HALF), turn(0.1, 0.1, HALF), slide(0.2)], base=BASE)
    model = aw.model(arm, ik="closed")
    solver = aw.derive(arm).compiled_inverse()
    for q in ([0.4, 0.0, -0.3], [-0.5, np.pi, 0.6]):
        pose = model.fk(q)
        assert solver.solve(pose).family == (1, 3)
        found = model.ik(pose)
        assert len(found)
        np.testing.assert_allclose(model.fk(found), pose[None].repeat(len(found), 0), atol=1e-9)
        near = model.ik_nearest(pose, q)
        assert near is not None
        np.testing.assert_allclose(model.fk(near), pose, atol=1e-9)
        assert model.ik_batch(pose[None])[1][0] == len(found)


def test_a_direction_of_unit_length_is_divided_by_as_a_whole() -> None:
    """One coordinate alone, such as ax q = px, would fail wherever ax is zero."""
    rows = [turn(0.1, 0.2, HALF), turn(0.1, 0.1, HALF), turn(0.1, 0.1, HALF, 0.2), slide(0.2, 0.1)]
    memory = Memory(Ring(aw.Arm.from_dh(rows)), ())
    ring = memory.ring
    for k, axis in enumerate("xyz"):
        poly = ring[f"a{axis}"] * ring["q4"] - ring[f"p{axis}"]
        memory.add(poly, (k,), (1, 4, k, 3))
    forms = [form for fact in memory.facts if (form := slide_form(memory, fact)) is not None]
    (match,) = Along().match(memory, forms)
    (step,) = match.steps(StepNames())
    assert isinstance(step, Slide)
    assert step.denominator == 1
    assert str(step.numerator) == "px*ax + py*ay + pz*az"


@pytest.mark.parametrize("size", [1e-6, 1.0 / 0.4, 1e4])
def test_the_size_of_an_arm_does_not_matter(size: float) -> None:
    def scaled(joint: aw.Joint) -> aw.Joint:
        return turn(float(joint.d) * size, float(joint.a) * size, joint.alpha, joint.offset)

    rows = [*PUMA_LIKE, *WRIST]
    plain = aw.derive(aw.Arm.from_dh(rows))
    big = aw.derive(aw.Arm.from_dh([scaled(joint) for joint in rows]))
    assert big.inverse.explain() == plain.inverse.explain()
    twists = aw.derive(big.arm, method="twists").inverse
    assert twists.explain() == aw.derive(plain.arm, method="twists").inverse.explain()


# -- symbols ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["c1", "s12", "q1", "qd1", "nx", "pz", "h1", "w2", "x1", "y12", "é", "θ1"]
)
def test_names_of_the_derivation_are_refused_at_once(name: str) -> None:
    for arm in (
        aw.Arm.from_dh([turn(name, "a1"), turn(0, "a2")], name="odd"),
        aw.Arm.from_dh([turn(0.1, 0.2, link=aw.Link(mass=name)), turn(0, 0.2)], name="odd"),
    ):
        with pytest.raises(DescriptionError, match=f"arm 'odd'.*'{name}'"):
            aw.derive(arm)


LONG_NAME = "c" + 40 * "1" + "z"  # nearly one of the derivation's own


@pytest.mark.parametrize(
    "names", [("E", "I"), ("d2", "a1"), ("S", "beta"), ("l_1", "al1"), (LONG_NAME, "a1")]
)
def test_symbols_keep_their_meaning_beside_numbers(names: tuple[str, str]) -> None:
    """Numbers get names of their own, d1 and so on; these must not be taken for the symbols."""
    one, two = names
    arm = aw.Arm.from_dh([turn(0.3, one, "al2"), turn(two, 0.4, 0.7), turn(0.2, f"{one}/2 + 0.1")])
    values = {one: 0.35, two: 0.55, "al2": 0.9}
    d = aw.derive(arm)
    q = [0.3, -0.7, 1.1]
    shown = d.forward.subs({sympy.Symbol(k): v for k, v in (d.values | values).items()})
    shown = shown.subs({sympy.Symbol(f"q{i + 1}"): value for i, value in enumerate(q)})
    expected = aw.model(arm.with_values(values), ik="numeric").fk(q)
    np.testing.assert_allclose(np.array(shown, dtype=float), expected, atol=1e-12)


def test_the_symbol_of_one_mass_is_not_the_number_of_another() -> None:
    arm = aw.Arm.from_dh(
        [
            turn(0.1, 0.2, link=aw.Link(mass=2.0, com=(0.1, 0, 0))),
            turn(0, 0.2, link=aw.Link(mass="m1", com=(0.1, 0, 0))),
        ]
    )
    with pytest.raises(DescriptionError, match="m1"):
        aw.derive(arm).dynamics()
    heavy = aw.Arm.from_dh([turn(0.1, 0.2, link=aw.Link(mass="g", com=(0.1, 0, 0)))])
    with pytest.raises(DescriptionError, match="g: symbol"):
        aw.derive(heavy).dynamics()


# -- what a user meets ------------------------------------------------------------------------


def test_reason_against_a_closed_form_is_told_by_the_model() -> None:
    rows = [(0.2, 0.3, 0.6), (0.1, 0.2, 0.9), (0.1, 0.1, 0.2), (0.15, 0.12, 1.1), (0.1, 0.17, 0.0)]
    arm = aw.Arm.from_dh([turn(*row) for row in rows])
    assert aw.model(arm).method == "general"
    with pytest.raises(UnsupportedError, match="neither rules nor elimination nor twists"):
        aw.model(arm, ik="closed")
    assert aw.derive(arm, method="twists").inverse.reason == "no closed form found: not twists"


def test_two_joints_too_many_are_left_to_numbers() -> None:
    rows = [turn(0.1 * k + 0.1, 0.1, HALF if k % 2 else -HALF) for k in range(8)]
    inverse = aw.derive(aw.Arm.from_dh(rows)).inverse
    assert inverse.method == "numeric"
    assert inverse.reason == (
        "redundant: 8 joints for the 6 freedoms of a pose, 2 joints are a free choice"
    )


def test_family_of_a_singular_pose() -> None:
    arm = aw.Arm.from_dh([turn(0, 0, HALF), turn(0, 0, -HALF), turn()], name="wrist")
    solver = aw.derive(arm).compiled_inverse()
    model = aw.model(arm, ik="numeric")
    assert solver.solve(model.fk([0.4, 0.0, 0.3])).family == (1, 3)
    assert solver.solve(model.fk([0.4, 0.5, 0.3])).family == ()


def test_one_format_as_a_text_and_wrong_parameters(tmp_path: Path) -> None:
    d = aw.derive("planar_rr")
    assert [path.suffix for path in d.write(tmp_path, formats="latex")] == [".tex"]
    with pytest.raises(DescriptionError, match="described, symbolic, lumped"):
        d.dynamics("lagrange", parameters=["a"])  # type: ignore[arg-type]
