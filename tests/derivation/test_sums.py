"""Sums of angles: expanding and collecting change the form, never the function."""

from __future__ import annotations

import numpy as np
import pytest
from annex_b_arm import annex_b_arm
from witness import generator_values, random_joints

from armwerk.derivation.direct import segment
from armwerk.derivation.equations import kinematic_equations
from armwerk.derivation.ring import Ring
from armwerk.derivation.sums import collect_sums, expand_sums
from armwerk.robot import load_arm


@pytest.mark.parametrize("name", ["puma560", "ur5e", "scara", "five_axis", "lrmate200id"])
def test_same_numbers_in_every_form(name: str) -> None:
    ring = Ring(load_arm(name))
    values = generator_values(ring, random_joints(ring.arm, 1))
    for line in segment(ring, 1, ring.dof):
        for entry in line:
            forms = (entry, expand_sums(ring, entry), collect_sums(ring, expand_sums(ring, entry)))
            numbers = [ring.evaluate(form, values) for form in forms]
            np.testing.assert_allclose(numbers, numbers[0], atol=1e-13)
            assert len(forms[2]) <= min(len(forms[0]), len(forms[1]))


def test_addition_theorems() -> None:
    ring = Ring(annex_b_arm())
    c1, s1, c2, s2 = (ring[name] for name in ("c1", "s1", "c2", "s2"))
    assert collect_sums(ring, c1 * c2 - s1 * s2) == ring["c12"]
    assert collect_sums(ring, ring["s12"] * c1 - ring["c12"] * s1) == s2
    assert expand_sums(ring, ring["s12m4"] ** 2 + ring["c12m4"] ** 2) == 1
    mixed = ring["a1"] * c1 + ring["a2"] * ring["c12"]
    assert collect_sums(ring, expand_sums(ring, mixed)) == mixed


# Tables 4.3 and 4.6 of the source, for the arms whose rows it gives or leaves no choice in
COUNTS = {
    "scara": [26, 25, 23, 46, 0],
    "scara2": [32, 17, 28, 43, 0],
    "cylindrical": [0, 19, 59, 119, 50, 5, 0],
    "stanford": [0, 8, 11, 75, 116, 42, 0],
    "typ1": [0, 0, 29, 38, 32, 93, 60],
    "typ2": [0, 0, 12, 15, 79, 112, 34],
}


@pytest.mark.parametrize("name", COUNTS)
def test_unknowns_of_collected_equations_are_those_the_source_counts(name: str) -> None:
    ring = Ring(load_arm(name))
    counts = [0] * (ring.dof + 1)
    for equation in kinematic_equations(ring):
        poly = collect_sums(ring, equation.poly)
        turning = {joint for angle in ring.angles_in(poly) for joint in angle.joints}
        counts[len(turning | ring.slides_in(poly))] += 1
    assert counts == COUNTS[name]
