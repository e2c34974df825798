"""What people read: every length has its own name, theorems their reference, frames a figure."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import pytest
import symengine

import armwerk as aw
from armwerk.derivation.emit.latex import document
from armwerk.derivation.emit.latex.figure import frames_figure
from armwerk.derivation.equations import kinematic_equations
from armwerk.derivation.inverse import Inverse
from armwerk.derivation.inverse.equal_lengths import with_equal_lengths
from armwerk.derivation.inverse.leaves import joint_values, leaves, posture_of, same_leaves
from armwerk.derivation.inverse.memory import number, probe_of, recovered
from armwerk.derivation.inverse.reading import formulas_of
from armwerk.derivation.inverse.solve import solve_inverse
from armwerk.derivation.inverse.terms import expression_of, products, with_unit_columns
from armwerk.derivation.program import Let, Root, Turn
from armwerk.derivation.ring import Ring

CLOSED = (
    "articulated",
    "cylindrical",
    "iiwa7",
    "puma560",
    "scara2",
    "typ1",
    "typ2",
    "ur5e",
)


def test_equal_lengths_keep_their_own_names() -> None:
    """The Puma's a2 and d4 are equal; both stand in the formulas, and the formulas are right."""
    derivation = aw.derive("puma560")
    assert derivation.values["a2"] == derivation.values["d4"]
    assert derivation.inverse.branches == 8
    text = derivation.inverse.explain()
    assert "4·a2²·(a3² + d4²)" in text
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, -0.8])
    T = derivation.forward.subs(derivation.values).subs({f"q{k + 1}": q[k] for k in range(6)})
    assert np.abs(np.array(T, dtype=float) - aw.model("puma560").fk(q)).max() < 1e-12
    assert "$d_{4} = 0.4318$" in document(derivation)


def test_values_hold_masses_too() -> None:
    """Every symbol of the mass matrix and of gravity has a number, and the numbers are right."""
    derivation = aw.derive("puma560")
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, -0.8])
    at = {f"q{k + 1}": q[k] for k in range(6)}
    found = derivation.dynamics()
    model = aw.model("puma560")
    mass = np.array(found.mass.subs(derivation.values).subs(at), dtype=float)
    np.testing.assert_allclose(mass, model.mass_matrix(q), atol=1e-9)
    gravity = np.array(found.gravity.subs(derivation.values).subs(at), dtype=float)[:, 0]
    np.testing.assert_allclose(gravity, model.gravity(q), atol=1e-9)


@pytest.mark.parametrize("method", [None, "twists"])
@pytest.mark.parametrize("name", CLOSED)
def test_helpers_are_used_and_numbered_without_gap(
    name: str, method: Literal["twists"] | None
) -> None:
    inverse = aw.derive(name, method=method).inverse
    steps = [step for one in inverse.steps for step in one.steps]
    used = {s.name for step in steps for f in formulas_of(step) for s in f.free_symbols}
    helpers = [step.name for step in steps if isinstance(step, Let | Root)]
    assert len(helpers) == len(set(helpers))
    assert {step.name for step in steps if isinstance(step, Let)} <= used
    for letter in "hwk":
        numbers = [int(one[1:]) for one in helpers if re.fullmatch(rf"{letter}\d+", one)]
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", CLOSED)
def test_the_book_has_the_solutions_of_the_rules(name: str) -> None:
    """At postures that neither was tried at, both trees have the same leaves."""
    derivation = aw.derive(name)
    raw = solve_inverse(derivation.ring, derivation.equations)
    for seed in (91, 92):
        probe = probe_of(derivation.ring, seed)
        first, second = (
            leaves([step for one in found.steps for step in one.steps], probe)
            for found in (raw, derivation.inverse)
        )
        assert first
        assert same_leaves(first, second, 1e-6)


def test_the_centre_of_the_wrist_has_a_name() -> None:
    """What the last link adds is said once: |p - d6 a|², not six products and their squares."""
    text = aw.derive("typ2").inverse.explain()
    assert "xw = px - ax·d6   (centre of the wrist, where the last three axes meet)" in text
    assert "C3 = a3² + d2² + d4² - xw² - yw² - zw²" in text
    assert text.count("d6") == 3


def test_columns_of_the_pose_are_of_length_one() -> None:
    letters = symengine.symbols("ax ay az nx ny nz d6 k")
    ax, ay, az, nx, ny, nz, d6, k = letters
    whole = k * d6**2 * (ax**2 + ay**2 + az**2) + 3 * (ax * nx + ay * ny + az * nz) + ax**2
    terms = products(whole)
    assert terms is not None
    assert expression_of(with_unit_columns(terms)) == k * d6**2 + ax**2


def test_letters_of_theorems_are_mapped() -> None:
    """Put into the theorem, the letters give the equations: checked at a posture of the arm."""
    for name in ("puma560", "ur5e", "stanford", "typ2", "iiwa7"):
        derivation = aw.derive(name)
        steps = [step for one in derivation.inverse.steps for step in one.steps]
        values = recovered(steps, probe_of(derivation.ring, 7))
        assert values is not None
        checked = 0
        for one in derivation.inverse.steps:
            at = {letter: number(term, values) for letter, term in one.terms}
            turn = next(step for step in one.steps if not isinstance(step, Let | Root))
            if isinstance(turn, Turn) and one.rule in {"4.5", "4.6", "4.11"}:
                c, s = values[turn.angle.cos], values[turn.angle.sin]
                left = at.get("a", 0.0) * c + at.get("b", 0.0) * s
                assert left == pytest.approx(at.get("c", 0.0), abs=1e-9)
                checked += 1
            if one.rule == "4.9":
                (_, phi), (_, psi) = one.angles
                a, b, c, d, e, f = (at[letter] for letter in "abcdef")
                u = complex(a, -b) * complex(values[phi.cos], values[phi.sin])
                v = complex(c, -d) * complex(values[psi.cos], values[psi.sin])
                assert u + v == pytest.approx(complex(e, f), abs=1e-9)
                checked += 1
        assert checked


def test_a_symbol_may_have_the_name_of_a_helper() -> None:
    """Dimensions called u, C2 and xw keep their names; the helpers are called otherwise."""
    joints = [
        aw.Joint("revolute", a="u"),
        aw.Joint("revolute", a="C2"),
        aw.Joint("revolute", a="xw"),
    ]
    inverse = aw.derive(aw.Arm.from_dh(joints, name="named")).inverse
    text = inverse.explain()
    assert "xw_ = px - nx·xw" in text
    assert "C2" in text


def test_a_closed_form_that_needs_equal_lengths_says_so() -> None:
    """Were it solved with shared names only, the equations would keep their numbers."""
    ring = Ring(aw.load_arm("puma560"), own_names=True)
    equations = kinematic_equations(ring)
    nothing = Inverse("numeric", (), None, "no closed form found")
    found = with_equal_lengths(ring, nothing, equations, None)
    assert found.is_closed
    assert found.steps[0].remark == "uses that d4 = a2"
    own = solve_inverse(ring, equations)
    assert [step.equations for step in found.steps] == [step.equations for step in own.steps]


def test_atan2_has_one_spelling() -> None:
    for name in ("puma560", "iiwa7", "typ2"):
        text = document(aw.derive(name))
        assert "arctan" not in text
        assert "atan}_" not in text


def test_theorems_have_their_reference() -> None:
    text = document(aw.derive("scara"))
    theorems = re.findall(r"Theorem [\d.]+[^.]*", text)
    assert theorems
    assert all(r"\cite{wenz}" in one for one in theorems)
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    assert cited == set(re.findall(r"\\bibitem\{(\w+)\}", text))


def test_the_figure_has_every_frame() -> None:
    arm = aw.load_arm("stanford")
    text = frames_figure(arm)
    for frame in range(7):
        assert f"$x_{{{frame}}}$" in text
        assert f"$z_{{{frame}}}$" in text
    assert text.count(",circle,") == 5
    assert text.count(",rectangle,") == 1
    places = np.array(re.findall(r"\((-?[\d.]+),(-?[\d.]+)\)", text), dtype=float)
    assert np.isfinite(places).all()
    assert np.ptp(places[:, 0]) < 16.0  # [cm], the width of the text
    symbolic = aw.Arm.from_dh(
        [aw.Joint("revolute", a="a1"), aw.Joint("revolute", a="a2")], name="s"
    )
    assert "drawn alike" in frames_figure(symbolic)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "stanford", "scara", "irb120"])
def test_branches_are_named_as_configurations_are(name: str) -> None:
    """At poses that did not decide the names, every leaf is the configuration it is called."""
    derivation = aw.derive(name)
    names = derivation.inverse.branch_names()
    assert names is not None
    assert len(names.table) == derivation.inverse.branches
    assert len(set(names.table.values())) == derivation.inverse.branches
    steps = [step for one in derivation.inverse.steps for step in one.steps]
    for seed in (41, 42, 43):
        for signs, leaf in leaves(steps, posture_of(derivation.ring, seed)).items():
            (word,) = derivation.configurations.names([joint_values(derivation.ring, leaf)])
            assert word.split() == list(names.table[signs])


def test_branches_are_named_in_text_and_tree() -> None:
    derivation = aw.derive("puma560")
    text = derivation.inverse.explain()
    for words in ("right", "left", "up", "down", "unflipped", "flipped"):
        assert words in text
    tree = document(derivation)
    assert tree.count(r"\tiny right") == 1
    assert tree.count(r"\tiny up") == 2
    assert tree.count(r"\tiny unflipped") == 4
    assert aw.derive("iiwa7").inverse.branch_names() is None  # a joint is free
