"""Zero-roll rotations: they map the point, they have no roll, and there are no others."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays

import armwerk.geometry as g
from armwerk.errors import DescriptionError, ShapeError

Order = Literal["forward", "reverse"]
ORDERS: list[Order] = ["forward", "reverse"]
points = arrays(float, 3, elements=st.floats(-2, 2))


def has_zero_roll(R: np.ndarray, order: Order) -> bool:
    """With roll 0 the entry ∓cos(b) sin(c) of ArmBot's matrix is 0."""
    return bool(abs(R[1, 2] if order == "forward" else R[2, 1]) < 1e-15)


def check(a: np.ndarray, b: np.ndarray, order: Order) -> None:
    size = np.linalg.norm(a)
    for R in [*g.zero_roll_rotations(a, b, order), g.zero_roll_rotation(a, b, order)]:
        assert g.is_rotation(R, 1e-14)
        # Two differences of angles, wrapped, are each good to some ulp of 2 pi, 9e-16.
        assert R @ a == pytest.approx(b, abs=float(1e-14 * size))
        assert has_zero_roll(R, order)


@pytest.mark.parametrize("order", ORDERS)
@given(points, st.floats(-np.pi, np.pi), st.floats(-np.pi, np.pi))
def test_the_rotation_that_made_the_goal_is_found(
    order: Order, a: np.ndarray, xy: float, xz: float
) -> None:
    assume(np.linalg.norm(a) > 1e-3)
    made = g.rotation_from_armbot([xy, xz, 0], order)
    b = made @ a
    check(a, b * (np.linalg.norm(a) / np.linalg.norm(b)), order)


def test_both_solutions_are_all_there_are() -> None:
    rng = np.random.default_rng(1)
    for order in ORDERS:
        for a, xy, xz in zip(
            rng.normal(size=(200, 3)), *rng.uniform(-np.pi, np.pi, (2, 200)), strict=True
        ):
            made = g.rotation_from_armbot([xy, xz, 0], order)
            found = g.zero_roll_rotations(a, made @ a, order)
            assert np.abs(found - made).max(axis=(1, 2)).min() < 1e-7
            assert np.abs(found[0] - found[1]).max() > 1e-7


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("noise", [0.0, 1e-17, 1e-16, 1e-14, 1e-10, 1e-8, 1e-5])
def test_points_on_the_axes_and_next_to_them(order: Order, noise: float) -> None:
    rng = np.random.default_rng(2)
    poles = np.vstack([np.eye(3), -np.eye(3), [[0.6, 0.8, 0], [0.6, 0, -0.8], [0, 0.6, 0.8]]])
    for start in poles:
        for xy, xz in rng.choice([0, np.pi / 2, -np.pi / 2, np.pi, 0.3], (10, 2)):
            a = start + noise * rng.normal(size=3)
            b = g.rotation_from_armbot([xy, xz, 0], order) @ a
            check(a, b, order)


def test_worked_example() -> None:
    """a = (5, 0, 0) to b = (0, 3, 4): the turn in x-y brings y to 3 and x to ±4."""
    near, far = g.zero_roll_angles([5, 0, 0], [0, 3, 4])
    assert near == pytest.approx([np.arctan2(3, 4), np.pi / 2])
    assert far == pytest.approx([np.arctan2(3, -4), -np.pi / 2])
    first, second = g.zero_roll_angles([5, 0, 0], [0, 4, 3], "reverse")
    assert first == pytest.approx([np.pi / 2, np.arctan2(3, 4)])
    assert second == pytest.approx([-np.pi / 2, np.arctan2(3, -4)])


def test_the_better_one_turns_less() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(size=(300, 3))
    b = g.rotate(g.rotation_from_armbot(rng.uniform(-3, 3, (300, 3)) * (1, 1, 0)), a)
    both, one = g.zero_roll_rotations(a, b), g.zero_roll_rotation(a, b)
    angles = g.rotation_angle(both)
    assert g.rotation_angle(one) == pytest.approx(angles.min(axis=1), abs=1e-7)
    assert (angles[:, 1] < angles[:, 0] - 1e-6).any()
    assert (angles[:, 0] < angles[:, 1] - 1e-6).any()


def test_out_of_the_band_there_is_none() -> None:
    assert np.isnan(g.zero_roll_angles([0, 0, 1], [0, 1, 0])).all()
    assert np.isnan(g.zero_roll_rotations([0, 0, 1], [0, 1, 0])).all()
    assert np.isnan(g.zero_roll_rotation([0, 0, 1], [0, 1, 0])).all()
    assert np.isnan(g.zero_roll_angles([0, 1, 0], [0, 0, 1], "reverse")).all()
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 500, 3))
    b *= (np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))[:, None]
    reachable = b[:, 1] ** 2 <= a[:, 0] ** 2 + a[:, 1] ** 2
    found = np.isfinite(g.zero_roll_rotation(a, b)).all(axis=(1, 2))
    assert (found == reachable).all()
    assert 50 < found.sum() < 450


def test_on_the_edge_of_the_band_there_is_one_twice() -> None:
    near, far = g.zero_roll_rotations([3, 4, 0], [0, 5, 0])
    assert near == pytest.approx(far, abs=1e-15)
    assert near @ [3, 4, 0] == pytest.approx([0, 5, 0], abs=1e-14)


def test_origin_stays_with_the_identity() -> None:
    assert g.zero_roll_rotation([0, 0, 0], [0, 0, 0]) == pytest.approx(np.eye(3))


def test_almost_equal_lengths_are_bridged() -> None:
    a = np.array([0.5, 0.2, 0.1])
    b = g.rotation_from_armbot([0.4, 0.3, 0]) @ a * (1 + 5e-10)
    assert g.zero_roll_rotation(a, b) @ a == pytest.approx(b, rel=1e-9)


def test_unequal_lengths_are_refused_with_their_numbers() -> None:
    with pytest.raises(DescriptionError, match=r"start is 1 m from the origin, goal 1\.5 m"):
        g.zero_roll_angles([[1, 0, 0], [1, 0, 0]], np.array([[0, 1, 0], [0, 1.5, 0]]))
    with pytest.raises(DescriptionError, match="goal 0 m"):
        g.zero_roll_angles([1, 0, 0], [0, 0, 0])
    with pytest.raises(ShapeError, match="goal: must hold finite"):
        g.zero_roll_angles([1, 0, 0], [np.nan, 0, 0])
    with pytest.raises(ShapeError, match=r"start \(2,\), goal \(3,\)"):
        g.zero_roll_angles(np.ones((2, 3)), np.ones((3, 3)))
