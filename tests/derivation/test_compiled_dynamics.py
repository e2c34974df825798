"""Inverse dynamics compiled for one arm equals the general recursion."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import ShapeError, UnsupportedError


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "five_axis"])
@pytest.mark.parametrize("count", [1, 64, 130])
def test_equals_the_general_recursion(name: str, count: int) -> None:
    arm = aw.load_arm(name)
    draw = np.random.default_rng(count)
    q, qd, qdd = (draw.uniform(-2, 2, (count, arm.dof)) for _ in range(3))
    expected = aw.model(arm, ik="numeric").inverse_dynamics(q, qd, qdd)
    found = aw.derive(arm).compiled_dynamics().inverse_dynamics(q, qd, qdd)
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def test_wrong_shapes_and_missing_masses_are_refused() -> None:
    dynamics = aw.derive("scara").compiled_dynamics()
    with pytest.raises(ShapeError, match=r"\(m, 4\)"):
        dynamics.inverse_dynamics(np.zeros(4), np.zeros(4), np.zeros(4))
    with pytest.raises(ShapeError, match=r"\(3, 4\), \(2, 4\)"):
        dynamics.inverse_dynamics(np.zeros((3, 4)), np.zeros((2, 4)), np.zeros((3, 4)))
    arm = aw.Arm.from_dh([aw.Joint("revolute", a=1.0), aw.Joint("revolute", a=1.0)])
    with pytest.raises(UnsupportedError, match="no masses"):
        aw.derive(arm).compiled_dynamics()
