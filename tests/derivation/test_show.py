"""Polynomials as SymPy, SymEngine, text and LaTeX."""

from __future__ import annotations

import math

import numpy as np
import pytest
import symengine
from annex_b_arm import annex_b_arm
from sympy import Rational, Symbol, cos, pi, sin, sympify

from armwerk.derivation.direct import pose, segment
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.operations import count_operations, total
from armwerk.derivation.ring import Ring
from armwerk.derivation.show import (
    latex_name,
    symengine_list,
    sympy_dimension,
    sympy_transform,
    to_latex,
    to_symengine,
    to_sympy,
    to_text,
)
from armwerk.robot import Arm, Joint, load_arm

q1, q2, q3, q4 = (Symbol(f"q{i}") for i in (1, 2, 3, 4))


@pytest.fixture
def ring() -> Ring:
    return Ring(annex_b_arm())


def test_sums_of_angles_stay_together(ring: Ring) -> None:
    assert to_sympy(ring, ring["c12m4"]) == cos(q1 + q2 - q4)
    assert to_sympy(ring, 2 * ring["a1"] ** 2 * ring["s12"] - 3) == (
        2 * Symbol("a1") ** 2 * sin(q1 + q2) - 3
    )
    assert to_sympy(ring, ring["q3"]) == q3
    assert to_sympy(ring, ring.zero) == 0


def test_the_wanted_pose_has_plain_symbols(ring: Ring) -> None:
    shown = sympy_transform(ring, pose(ring))
    assert shown[0, 0] == Symbol("nx")
    assert shown[2, 3] == Symbol("pz")
    assert list(shown[3, :]) == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("offset", "shown"),
    [
        (0.0, cos(q1)),
        (math.pi / 2, -sin(q1)),
        (-math.pi / 2, sin(q1)),
        (math.pi, -cos(q1)),
        (math.pi / 3, cos(q1 + pi / 3)),
        ("beta", cos(q1 + Symbol("beta"))),
        ("pi/2 - beta", cos(q1 + pi / 2 - Symbol("beta"))),
    ],
)
def test_offsets(offset: float | str, shown: object) -> None:
    arm = Arm.from_dh([Joint("revolute", a="a1", offset=offset)])
    ring = Ring(arm)
    assert to_sympy(ring, ring["c1"]) == shown


def test_odd_twists_are_named() -> None:
    ring = Ring(Arm.from_dh([Joint("revolute", a=1.0, alpha=0.3), Joint("revolute", alpha="tilt")]))
    assert to_sympy(ring, ring.rows[0].twist[0]) == cos(Symbol("alpha1"))
    assert to_sympy(ring, ring.rows[1].twist[1]) == sin(Symbol("tilt"))


def test_dimensions() -> None:
    assert sympy_dimension(math.pi / 4) == pi / 4
    assert sympy_dimension("2*l + 1") == 2 * Symbol("l") + 1
    assert sympy_dimension("sqrt(2)*E") == sympify("sqrt(2)") * Symbol("E")
    assert float(sympy_dimension(0.3)) == 0.3
    assert sympy_dimension(-math.pi / 12) == -Rational(1, 12) * pi


def test_symengine_has_plain_symbols(ring: Ring) -> None:
    shown = to_symengine(ring, 2 * ring["a1"] * ring["c12"] ** 2 - ring["s1"])
    a1, c12, s1 = symengine.symbols("a1 c12 s1")
    assert shown == 2 * a1 * c12**2 - s1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a2*c12 + a1*c1 - px", "a1·cos(θ1) + a2·cos(θ1+θ2) - px"),
        ("-a1*s1 - a2*s12", "-a1·sin(θ1) - a2·sin(θ1+θ2)"),
        ("q3*az - pz + d1", "az·q3 + d1 - pz"),
        (
            "-c1 + ox*s2*c4 + nx*s2*s4 - ox*s4*c2 + nx*c4*c2",
            "nx·cos(θ2)·cos(θ4) + nx·sin(θ2)·sin(θ4) - ox·cos(θ2)·sin(θ4)"
            " + ox·cos(θ4)·sin(θ2) - cos(θ1)",
        ),
        ("2*c1**2 - 1", "2·cos^2(θ1) - 1"),
        ("a1 - a1", "0"),
    ],
)
def test_text_is_ordered_like_the_source(ring: Ring, text: str, shown: str) -> None:
    poly = eval(text, {name: ring[name] for name in ring.names})
    assert to_text(ring, poly + ring.zero) == shown


def test_latex(ring: Ring) -> None:
    poly = ring["a1"] * ring["c1"] ** 2 + ring["a2"] * ring["s12m4"]
    assert to_latex(ring, poly) == (
        r"a_{1} \, \cos^{2}\theta_{1} + a_{2} \, \sin(\theta_{1}+\theta_{2}-\theta_{4})"
    )
    assert latex_name("qdd3") == r"\ddot q_{3}"
    assert latex_name("Izz4") == r"\mathit{Izz}_{4}"
    assert latex_name("px") == "p_{x}"
    assert latex_name("alpha1") == r"\alpha_{1}"


def test_every_view_has_the_same_numbers() -> None:
    arm = load_arm("puma560")
    ring = Ring(arm)
    q = np.random.default_rng(3).normal(size=6)
    numbers = {Symbol(f"q{i}"): value for i, value in enumerate(q, 1)}
    numbers |= {Symbol(name): value for name, value in ring.values.items()}
    from witness import generator_values

    values = generator_values(ring, q)
    for line in segment(ring, 1, 6):
        for entry in line:
            wanted = ring.evaluate(entry, values)
            assert float(to_sympy(ring, entry).subs(numbers)) == pytest.approx(wanted, abs=1e-12)
            plain = to_symengine(ring, entry).subs(
                {k: values[k] for k in map(str, values) if k in ring.index}
            )
            assert float(plain) == pytest.approx(wanted, abs=1e-12)


# -- operation counts -----------------------------------------------------------------------


def test_counts_by_hand() -> None:
    x, y, z = symengine.symbols("x y z")
    counts = count_operations([x * y + z - 2 * x, symengine.sqrt(x) / y, -x])
    assert counts == {
        "+": 1, "-": 1, "*": 2, "/": 1, "cos": 0, "sin": 0, "atan2": 0, "sqrt": 1, "pow": 0,
    }  # fmt: skip
    counts = count_operations([symengine.cos(x + y), symengine.atan2(x, y), x**2, x**5])
    assert (counts["cos"], counts["atan2"], counts["*"], counts["pow"], counts["+"]) == (
        1,
        1,
        1,
        1,
        1,
    )


def test_sharing_saves() -> None:
    x, y, z = symengine.symbols("x y z")
    listed = [(x + y) * z, (x + y) ** 2 * x, symengine.sin(x + y)]
    before, after = count_operations(listed), count_operations(listed, share=True)
    assert before["+"] == 3
    assert after["+"] == 1
    assert total(after) < total(before)


def test_scara_counts_as_in_tables_4_4_and_4_8(ring: Ring) -> None:
    """The source's lines for Scara I, functions counted at every place."""
    direct = [entry for line in segment(ring, 1, 4) for entry in line if entry]
    counts = count_operations(symengine_list(ring, direct), ring)
    assert list(counts.values()) == [8, 5, 4, 0, 4, 4, 0, 0, 0]
    entries = [entry for line in jacobian(ring) for entry in line if entry]
    counts = count_operations(symengine_list(ring, entries), ring)
    assert list(counts.values()) == [5, 1, 6, 0, 3, 3, 0, 0, 0]
    shared = count_operations(symengine_list(ring, entries), ring, share=True)
    assert (shared["cos"], shared["sin"]) == (2, 2)
    assert total(shared) < total(counts)
