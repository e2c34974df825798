"""The Jacobian three ways, its determinant and the determinant's factors."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from witness import chain_pose, generator_values, random_joints, serial_arms

from armwerk.derivation.determinant import common_factor, determinant, factor, minor, zero_block
from armwerk.derivation.jacobian import (
    body_jacobian,
    frame_jacobians,
    geometric_jacobian,
    jacobian,
    spatial_jacobian,
)
from armwerk.derivation.ring import Ring
from armwerk.derivation.show import to_text
from armwerk.derivation.sums import expand_matrix, expand_sums
from armwerk.errors import UnsupportedError
from armwerk.robot import Arm, Joint, load_arm

SIX = (0, 1, 2, 3, 4, 5)
SIX_JOINTS = [name for name in serial_arms() if load_arm(name).dof == 6]


@pytest.mark.parametrize("name", serial_arms())
def test_three_ways_are_equal_exactly(name: str) -> None:
    ring = Ring(load_arm(name))
    geometric = geometric_jacobian(ring)
    assert geometric == spatial_jacobian(ring)
    assert geometric == body_jacobian(ring)
    assert expand_matrix(ring, jacobian(ring)) == geometric


@pytest.mark.parametrize("name", serial_arms())
def test_columns_are_the_derivatives_of_the_pose(name: str) -> None:
    arm = load_arm(name)
    ring, q = Ring(arm), random_joints(arm, 7)
    values = generator_values(ring, q)
    found = np.array([[ring.evaluate(e, values) for e in line] for line in jacobian(ring)])
    step = 1e-6
    for i in range(arm.dof):
        change = step * np.eye(arm.dof)[i]
        ahead, back = chain_pose(arm, q + change), chain_pose(arm, q - change)
        v = (ahead[:3, 3] - back[:3, 3]) / (2 * step)
        w = pin.log3(ahead[:3, :3] @ back[:3, :3].T) / (2 * step)
        np.testing.assert_allclose(found[:, i], [*v, *w], atol=2e-8)


@pytest.mark.parametrize("name", SIX_JOINTS)
def test_determinant_is_that_of_the_numeric_jacobian(name: str) -> None:
    arm = load_arm(name)
    ring = Ring(arm)
    found = determinant(ring)
    for seed in (1, 2):
        values = generator_values(ring, random_joints(arm, seed))
        matrix = [[ring.evaluate(e, values) for e in line] for line in jacobian(ring)]
        wanted = np.linalg.det(np.array(matrix))
        assert ring.evaluate(found.value, values) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        product = float(found.factors.number)
        for part, power in (*found.factors.constants, *found.factors.moving):
            product *= ring.evaluate(part, values) ** power
        assert product == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "stanford"])
def test_every_frame_has_the_same_determinant(name: str) -> None:
    ring = Ring(load_arm(name))
    values = [expand_sums(ring, minor(ring, matrix, SIX, SIX)) for matrix in frame_jacobians(ring)]
    assert all(value == values[0] for value in values)
    assert values[0] == expand_sums(ring, determinant(ring).value)


def test_puma_by_blocks_at_the_wrist_point() -> None:
    ring = Ring(load_arm("puma560"))
    found = determinant(ring)
    assert found.blocks == ((0, 1, 2), (3, 4, 5))
    parts = [to_text(ring, part) for part, _ in found.factors.moving]
    assert parts[0] == "sin(θ5)"
    assert len(parts) == 3  # the last one stays hidden in the form s² = 1 - c²
    assert [len(part) for part, _ in found.factors.moving] == [1, 2, 3]


def test_ur_has_no_spherical_wrist_and_still_splits() -> None:
    ring = Ring(load_arm("ur5e"))
    found = determinant(ring)
    assert found.blocks is not None
    parts = [to_text(ring, part) for part, _ in found.factors.moving]
    assert parts[:2] == ["sin(θ3)", "sin(θ5)"]


@pytest.mark.parametrize(
    ("name", "rows", "moving"),
    [
        ("planar_rr", (0, 1), ["sin(θ2)"]),
        ("planar_tt", (0, 2), []),
        ("scara", (0, 1, 2, 5), ["sin(θ2)"]),
        ("five_axis", (), ["sin(θ3)"]),
    ],
)
def test_arms_with_fewer_joints(name: str, rows: tuple[int, ...], moving: list[str]) -> None:
    ring = Ring(load_arm(name))
    found = determinant(ring)
    assert found.rows == rows
    assert [to_text(ring, part) for part, _ in found.factors.moving] == moving


def test_seven_joints_are_refused_with_the_reason() -> None:
    with pytest.raises(UnsupportedError, match="7 joints"):
        determinant(Ring(load_arm("iiwa7")))


def test_three_slides_in_a_plane_are_singular_everywhere() -> None:
    """Three axes in the x-z plane: the third direction is missing."""
    arm = Arm.from_dh(
        [Joint("prismatic", alpha=0.5), Joint("prismatic", alpha=0.3), Joint("prismatic")]
    )
    with pytest.raises(UnsupportedError, match="singular everywhere"):
        determinant(Ring(arm))


def test_zero_block_needs_nine_zeros() -> None:
    ring = Ring(load_arm("puma560"))
    full = [[ring.one] * 6 for _ in range(6)]
    assert zero_block(full) is None
    for r in range(3):
        for c in range(3, 6):
            full[r][c] = ring.zero
    assert zero_block(full) == ((0, 1, 2), (3, 4, 5))


def test_hidden_factors_are_found() -> None:
    ring = Ring(load_arm("puma560"))
    c3, s3, c5, a2, a3 = (ring[name] for name in ("c3", "s3", "c5", "a2", "a3"))
    hidden = ring.reduce((a2 * c3 + a3 * s3) * (a2 * s3 - a3 * c3) * (1 - c5))
    found = factor(ring, hidden)
    assert len(found.moving) == 3
    product = ring.one
    for part, power in found.moving:
        product *= part**power
    assert expand_sums(ring, product * found.number.numerator) == hidden * found.number.denominator
    assert "a2·cos(θ3) + a3·sin(θ3)" in [to_text(ring, part) for part, _ in found.moving]


def test_sine_squared_and_powers() -> None:
    ring = Ring(load_arm("puma560"))
    found = factor(ring, ring.reduce(ring["s5"] ** 2 * ring["a2"]))
    assert [(to_text(ring, part), power) for part, power in found.moving] == [("sin(θ5)", 2)]
    assert [(to_text(ring, part), power) for part, power in found.constants] == [("a2", 1)]


def test_common_factor() -> None:
    ring = Ring(load_arm("puma560"))
    s3, c5, s5 = ring["s3"], ring["c5"], ring["s5"]
    one, two = ring.reduce(s3 * s5 * (c5 + 2)), ring.reduce(s3 * s3 * (s5 + 3))
    assert to_text(ring, common_factor(ring, [one, two])) == "sin(θ3)"
