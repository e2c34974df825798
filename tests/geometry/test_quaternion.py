"""Quaternions against scipy and against the matrices they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation, Slerp

import armwerk.geometry as g
from armwerk.errors import DescriptionError, ShapeError

vectors = arrays(float, 3, elements=st.floats(-10, 10))


@pytest.fixture
def rotations() -> Rotation:
    return Rotation.random(200, rng=np.random.default_rng(1))


def wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat(canonical=True, scalar_first=True)


def test_matrix_and_quaternion_against_scipy(rotations: Rotation) -> None:
    assert g.quaternion_from_rotation(rotations.as_matrix()) == pytest.approx(
        wxyz(rotations), abs=1e-14
    )
    assert g.rotation_from_quaternion(3 * wxyz(rotations)) == pytest.approx(
        rotations.as_matrix(), abs=1e-14
    )


@pytest.mark.parametrize("largest", range(4))
@pytest.mark.parametrize("rest", [0.0, 1e-12, 1e-8, 1e-3, 0.4])
def test_every_branch_of_the_matrix_is_read_to_the_last_digits(largest: int, rest: float) -> None:
    for signs in np.ndindex(2, 2, 2):
        q = np.insert((np.array(signs) * 2 - 1.0) * rest * (1, 0.7, 0.3), largest, 1.0)
        q = g.quaternion_canonical(q / np.linalg.norm(q))
        back = g.quaternion_from_rotation(g.rotation_from_quaternion(q))
        assert back == pytest.approx(q, abs=1e-15) or back == pytest.approx(-q, abs=1e-15)


def test_product_is_composition(rotations: Rotation) -> None:
    p, q, r = wxyz(rotations)[:180].reshape(3, 60, 4)
    product = g.quaternion_product(p, q)
    R = g.rotation_from_quaternion
    assert R(product) == pytest.approx(R(p) @ R(q), abs=1e-14)
    assert g.quaternion_product(product, r) == pytest.approx(
        g.quaternion_product(p, g.quaternion_product(q, r)), abs=1e-15
    )
    one = g.quaternion_product(p, g.quaternion_conjugate(p))
    assert one == pytest.approx(np.tile([1.0, 0, 0, 0], (60, 1)), abs=1e-15)
    assert g.quaternion_product([1, 0, 0, 0], p) == pytest.approx(p)


def test_units_multiply_as_hamilton_carved() -> None:
    _, i, j, k = np.eye(4)
    assert g.quaternion_product(i, j).tolist() == k.tolist()
    assert g.quaternion_product(j, k).tolist() == i.tolist()
    assert g.quaternion_product(k, i).tolist() == j.tolist()
    assert g.quaternion_product(i, i).tolist() == [-1, 0, 0, 0]


@given(vectors)
def test_exp_and_log(vector: np.ndarray) -> None:
    q = g.quaternion_exp(vector)
    assert np.linalg.norm(q) == pytest.approx(1, abs=1e-15)
    assert g.rotation_from_quaternion(q) == pytest.approx(g.rotation_exp(vector), abs=1e-13)
    assert g.rotation_exp(g.quaternion_log(q)) == pytest.approx(g.rotation_exp(vector), abs=1e-13)
    assert np.linalg.norm(g.quaternion_log(q)) <= np.pi * (1 + 1e-15)


def test_rotate_is_the_matrix_times_the_vector(rotations: Rotation) -> None:
    v = np.random.default_rng(2).normal(size=(200, 3))
    assert g.quaternion_rotate(2 * wxyz(rotations), v) == pytest.approx(
        rotations.apply(v), abs=1e-13
    )


def test_canonical_sign() -> None:
    q = [[-1.0, 1, 0, 0], [0, -1, 2, 0], [0, 0, 0, -3], [0, 0, 0, 0], [2, -1, 0, 0]]
    expected = [[1.0, -1, 0, 0], [0, 1, -2, 0], [0, 0, 0, 3], [0, 0, 0, 0], [2, -1, 0, 0]]
    result = g.quaternion_canonical(np.array(q))
    assert result.tolist() == expected
    assert not np.signbit(result[result == 0]).any()


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_slerp_against_scipy(rotations: Rotation, share: float) -> None:
    for i in range(30):
        pair = rotations[2 * i : 2 * i + 2]
        expected = Slerp([0, 1], pair)(share).as_matrix()
        start, end = wxyz(pair)
        for sign in (1, -1):  # -q is the same end
            q = g.quaternion_slerp(start, sign * end, share)
            assert g.rotation_from_quaternion(q) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 0.1, 3.0, np.pi])
def test_slerp_turns_evenly_and_keeps_small_angles(angle: float) -> None:
    start = g.quaternion_exp([0.3, 0.2, -0.5])
    end = g.quaternion_product(start, g.quaternion_exp([0, angle, 0]))
    shares = np.linspace(0, 1, 11)
    q = g.quaternion_slerp(start, end, shares)
    R = g.rotation_from_quaternion(q)
    assert g.angle_between(R[0], R) == pytest.approx(shares * angle, abs=2e-15)
    assert q[0] == pytest.approx(start, abs=1e-15)
    assert q[-1] == pytest.approx(end, abs=1e-15)


def test_slerp_goes_the_short_way() -> None:
    q = g.quaternion_slerp(g.quaternion_exp([0, 0, 0.1]), g.quaternion_exp([0, 0, 6.0]), 0.5)
    assert g.quaternion_log(q) == pytest.approx([0, 0, 0.5 * (0.1 + 6.0 - 2 * np.pi)], abs=1e-15)


def test_average_of_a_pair_is_its_middle_and_ignores_signs(rotations: Rotation) -> None:
    pairs = wxyz(rotations).reshape(100, 2, 4)
    middle = g.quaternion_canonical(g.quaternion_slerp(pairs[:, 0], pairs[:, 1], 0.5))
    assert g.quaternion_average(pairs) == pytest.approx(middle, abs=1e-10)
    assert g.quaternion_average(pairs * [[1], [-1]]) == pytest.approx(middle, abs=1e-10)
    first = g.quaternion_average(pairs, [1, 0])
    assert first == pytest.approx(pairs[:, 0], abs=1e-12)
    expected = rotations[:20].mean(weights=np.arange(20)).as_matrix()
    mean = g.quaternion_average(wxyz(rotations[:20]), np.arange(20))
    assert g.rotation_from_quaternion(mean) == pytest.approx(expected, abs=1e-12)


def test_bad_input_is_named() -> None:
    with pytest.raises(DescriptionError, match="quaternion: has no direction"):
        g.rotation_from_quaternion([0, 0, 0, 0])
    with pytest.raises(ShapeError, match=r"end: shape must be \(\.\.\., 4\)"):
        g.quaternion_slerp([1, 0, 0, 0], [1, 0, 0], 0.5)
    with pytest.raises(ShapeError, match="first: must hold finite"):
        g.quaternion_product([np.nan, 0, 0, 0], [1, 0, 0, 0])
    with pytest.raises(ShapeError, match="m > 0"):
        g.quaternion_average([1.0, 0, 0, 0])
    with pytest.raises(ShapeError, match="m > 0"):
        g.quaternion_average(np.zeros((0, 4)))
    with pytest.raises(DescriptionError, match="weights"):
        g.quaternion_average([[1.0, 0, 0, 0]], [-1.0])
    with pytest.raises(ShapeError, match="weights: shape"):
        g.quaternion_average([[1.0, 0, 0, 0]], [1.0, 2.0])
