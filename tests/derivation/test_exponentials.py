"""Products of exponentials against Denavit-Hartenberg rows, scipy and numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from witness import chain_pose, generator_values, random_joints, serial_arms

from armwerk.derivation.direct import segment
from armwerk.derivation.exponentials import (
    agrees_with_rows,
    exponential,
    product_of_exponentials,
    simplified_product,
    twists,
)
from armwerk.derivation.ring import Ring
from armwerk.robot import Arm, Joint, load_arm


@pytest.mark.parametrize("name", serial_arms())
def test_both_ways_are_equal_exactly(name: str) -> None:
    ring = Ring(load_arm(name))
    assert agrees_with_rows(ring)
    short = sum(len(entry) for line in simplified_product(ring) for entry in line)
    assert short <= sum(len(entry) for line in segment(ring, 1, ring.dof) for entry in line)


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5e", "xarm6"])
def test_numbers(name: str) -> None:
    arm = load_arm(name)
    ring, q = Ring(arm), random_joints(arm, 5)
    values = generator_values(ring, q)
    found = [[ring.evaluate(e, values) for e in line] for line in product_of_exponentials(ring)]
    np.testing.assert_allclose(found, chain_pose(arm, q)[:3], atol=1e-12)


def test_rodrigues_against_the_matrix_exponential() -> None:
    """A twisted axis, alpha = 0.4 rad, so that no entry of the twist is 0 or ±1."""
    arm = Arm.from_dh(
        [
            Joint("revolute", d=0.3, a=0.2, alpha=0.4),
            Joint("revolute", d=0.1, a=0.5, alpha=-0.4),
            Joint("prismatic", offset=0.7, alpha=0.9, d=0.2),
        ]
    )
    ring, q = Ring(arm), np.array([0.3, -1.1, 0.8])
    values = generator_values(ring, q)
    for twist, value in zip(twists(ring), q, strict=True):
        v1, v2, v3, w1, w2, w3 = (ring.evaluate(entry, values) for entry in twist.row)
        hat = np.array([[0, -w3, w2, v1], [w3, 0, -w1, v2], [-w2, w1, 0, v3], [0, 0, 0, 0]])
        found = [[ring.evaluate(e, values) for e in line] for line in exponential(ring, twist)]
        np.testing.assert_allclose(found, expm(hat * value)[:3], atol=1e-13)
    assert agrees_with_rows(ring)


def test_a_wrong_product_is_noticed() -> None:
    ring = Ring(load_arm("puma560"))
    exact = product_of_exponentials(ring)
    exact[0][3] += ring["a2"]
    assert exact != product_of_exponentials(ring)
